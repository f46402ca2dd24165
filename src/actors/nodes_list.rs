//! The include and exclude lists, and the refreshes that act on them (yarn.md 4).
//!
//! The effective exclude list is the administrator's file and the policy's own entries together. An entry of the policy
//! carries the scenario's drain timeout as its per-host value and goes with its instance; a drain of the policy touches
//! no other host.

use std::rc::Rc;
use std::sync::Arc;

use actix::{Actor, Handler, Message};

use crate::actors::resource_tracker::{ForceAll, LoseLists, NodeEvent, Relist, SetExcluded, StartWith};
use crate::actors::{Ctx, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::rules::hosts::{HostLists, HostTimeout, HostsReader, ListFile};
use crate::rules::machine::NodeId;
use crate::rules::refresh::{FailureOutcome, ReadAt, ReadFailure, Refresh as Mode, failure_outcome};
use crate::rules::rmnode::RmNodeEvent;
use crate::rules::script::{self, RefreshMode, RequestTimeout};
use crate::time::SimSpan;

/// Put a host on the list and drain it gracefully.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Exclude {
    /// Which.
    pub node: NodeId,
    /// How long that may take, if not as the scenario says; `Some(None)`: for ever.
    pub timeout: Option<Option<SimSpan>>,
}

/// An instance has gone, and its entry with it.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Forget {
    /// Which.
    pub node: NodeId,
}

/// An administrator refreshes the lists.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Refresh {
    /// The include file from now on; `None`: the last one, read again.
    pub include: Option<Arc<script::ListFile>>,
    /// The exclude file from now on; `None`: the last one, read again.
    pub exclude: Option<Arc<script::ListFile>>,
    /// How excluded nodes go.
    pub mode: RefreshMode,
}

/// An administrator forces all drains to end.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Force;

/// A resource manager starts and reads the lists.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct ReadAtStart;

mailbox! {
    /// What the list hears.
    Mail for NodesList, in Ctx { Exclude, Forget, Refresh, Force, ReadAtStart }
}

/// The lists.
#[derive(Debug)]
pub struct NodesList {
    /// How long a drain may take where nothing else says so; `None`: for ever.
    timeout: Option<SimSpan>,
    include: Option<Arc<script::ListFile>>,
    exclude: Option<Arc<script::ListFile>>,
    reader: HostsReader,
}

impl NodesList {
    /// Lists that read these files at the start. Drains may take `timeout`.
    pub fn new(
        timeout: Option<SimSpan>,
        include: Option<Arc<script::ListFile>>,
        exclude: Option<Arc<script::ListFile>>,
    ) -> Self {
        Self { timeout, include, exclude, reader: HostsReader::default() }
    }

    /// Reads both files; a file that is not configured leaves its list as it is.
    fn read(&self) -> Result<(Option<ListFile>, Option<ListFile>), ReadFailure> {
        let include = match self.include.as_deref() {
            Some(file) => {
                let text = file.text.as_deref().ok_or(ReadFailure::Missing)?;
                Some(ListFile::include(&file.path.to_string_lossy(), text))
            }
            None => None,
        };
        let exclude = match self.exclude.as_deref() {
            Some(file) => {
                let text = file.text.as_deref().ok_or(ReadFailure::Missing)?;
                let read = ListFile::exclude(&file.path.to_string_lossy(), text);
                Some(read.map_err(|_| ReadFailure::Malformed)?)
            }
            None => None,
        };
        Ok((include, exclude))
    }

    fn request_timeout(&self, timeout: RequestTimeout) -> Option<SimSpan> {
        match timeout {
            RequestTimeout::Unset => self.timeout,
            RequestTimeout::Never => None,
            RequestTimeout::After(span) => Some(span),
        }
    }

    fn lists(&self) -> Rc<HostLists> {
        Rc::new(self.reader.current().clone())
    }
}

/// The timeout of a host in the exclude file as the simulator keeps it; `None`: the file does not say.
pub(super) fn timeout_of_host(lists: &HostLists, name: &str) -> Option<Option<SimSpan>> {
    match HostTimeout::from(lists.timeout_s_of(name)) {
        HostTimeout::NotGiven => None,
        HostTimeout::Never => Some(None),
        HostTimeout::After(span) => Some(Some(span)),
    }
}

impl Actor for NodesList {
    type Context = Ctx;
}

impl Handler<ReadAtStart> for NodesList {
    type Result = ();

    fn handle(&mut self, _: ReadAtStart, ctx: &mut Ctx) {
        self.reader.disable();
        match self.read() {
            Ok((include, exclude)) => self.reader.refresh(include, exclude),
            // A malformed file, at which the resource manager would not start, is refused before the run begins.
            Err(_) => self.reader.disable(),
        }
        ctx.tell(to::ResourceTracker, StartWith { lists: self.lists() });
    }
}

impl Handler<Exclude> for NodesList {
    type Result = ();

    fn handle(&mut self, message: Exclude, ctx: &mut Ctx) {
        let node = message.node;
        let timeout = message.timeout.unwrap_or(self.timeout);
        ctx.tell(to::ResourceTracker, SetExcluded { node, excluded: Some(timeout) });
        let event = RmNodeEvent::GracefulDecommission;
        ctx.tell(to::ResourceTracker, NodeEvent { node, event, timeout, cause: None });
    }
}

impl Handler<Forget> for NodesList {
    type Result = ();

    fn handle(&mut self, message: Forget, ctx: &mut Ctx) {
        ctx.tell(to::ResourceTracker, SetExcluded { node: message.node, excluded: None });
    }
}

impl Handler<Refresh> for NodesList {
    type Result = ();

    fn handle(&mut self, message: Refresh, ctx: &mut Ctx) {
        let Refresh { include, exclude, mode } = message;
        // A failed graceful request changes nothing, not even the paths: they are those of the request's configuration.
        let before = (self.include.clone(), self.exclude.clone());
        self.include = include.or_else(|| before.0.clone());
        self.exclude = exclude.or_else(|| before.1.clone());
        let (read_at, how) = match mode {
            RefreshMode::Normal => (ReadAt::Normal, Mode::Normal),
            RefreshMode::Graceful { timeout, .. } => {
                (ReadAt::Graceful, Mode::Graceful { timeout: self.request_timeout(timeout) })
            }
        };
        match self.read() {
            Ok((include, exclude)) => {
                self.reader.refresh(include, exclude);
                ctx.record(&Fact::Refreshed { outcome: "applied" });
                ctx.tell(to::ResourceTracker, Relist { lists: self.lists(), how });
            }
            Err(failure) => match failure_outcome(failure, read_at) {
                FailureOutcome::EmptyLists => {
                    self.reader.disable();
                    ctx.record(&Fact::Refreshed { outcome: "empty_lists" });
                    ctx.tell(to::ResourceTracker, LoseLists { lists: self.lists() });
                }
                FailureOutcome::RequestFails | FailureOutcome::StartFails => {
                    (self.include, self.exclude) = before;
                    ctx.record(&Fact::Refreshed { outcome: "request_failed" });
                }
            },
        }
    }
}

impl Handler<Force> for NodesList {
    type Result = ();

    fn handle(&mut self, _: Force, ctx: &mut Ctx) {
        ctx.record(&Fact::Refreshed { outcome: "forced" });
        ctx.tell(to::ResourceTracker, ForceAll);
    }
}
