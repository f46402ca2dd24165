//! The include and exclude lists, and the refreshes that act on them (yarn.md 4).
//!
//! The effective exclude list is the administrator's file and the policy's own entries together. An entry of the policy
//! carries the scenario's drain timeout as its per-host value and goes with its instance; a drain of the policy touches
//! no other host.

use std::rc::Rc;

use actix::{Actor, Handler, Message};

use crate::actors::resource_tracker::{ForceAll, LoseLists, NodeEvent, Relist, SetExcluded, StartWith};
use crate::actors::{Ctx, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::rules::behaviour::TimeKeeper;
use crate::rules::drain::DrainRules;
use crate::rules::hosts::{HostLists, HostTimeout, HostsReader};
use crate::rules::machine::NodeId;
use crate::rules::reading::{Configured, Understood};
use crate::rules::refresh::{FailureOutcome, ReadAt, Refresh as Mode};
use crate::rules::rmnode::RmNodeEvent;
use crate::rules::script::{RefreshMode, RequestTimeout};
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
    /// The files from now on; one that is not given: the last one, read again.
    pub files: Configured,
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
    drain: DrainRules,
    files: Configured,
    reader: HostsReader,
}

impl NodesList {
    /// Lists that read these files at the start.
    pub fn new(drain: DrainRules, files: Configured) -> Self {
        Self { drain, files, reader: HostsReader::default() }
    }

    /// How long the resource manager lets the drains of a request take where their hosts do not say; `None`: for ever.
    fn request_timeout(&self, keeper: TimeKeeper, timeout: RequestTimeout) -> Option<SimSpan> {
        match (keeper, timeout) {
            (TimeKeeper::ResourceManager, RequestTimeout::Unset) => self.drain.timeout,
            (TimeKeeper::ResourceManager, RequestTimeout::After(span)) => Some(span),
            (TimeKeeper::ResourceManager, RequestTimeout::Never) | (TimeKeeper::Client, _) => None,
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
        match self.files.read(ReadAt::Start) {
            Ok(Understood { include, exclude }) => self.reader.refresh(include, exclude),
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
        let timeout = message.timeout.unwrap_or(self.drain.timeout);
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
        let Refresh { files, mode } = message;
        let (read_at, how, time_keeper) = match mode {
            RefreshMode::Normal => (ReadAt::Normal, Mode::Normal, TimeKeeper::ResourceManager),
            RefreshMode::Graceful { timeout, tracking } => {
                let keeper = self.drain.behaviour.time_keeper(tracking);
                (ReadAt::Graceful, Mode::Graceful { timeout: self.request_timeout(keeper, timeout) }, keeper)
            }
        };
        let files = self.files.with(&files);
        match files.read(read_at) {
            Ok(Understood { include, exclude }) => {
                self.files = files;
                self.reader.refresh(include, exclude);
                ctx.record(&Fact::Refreshed { outcome: "applied" });
                ctx.tell(to::ResourceTracker, Relist { lists: self.lists(), how, time_keeper });
            }
            Err(FailureOutcome::EmptyLists) => {
                self.files = files;
                self.reader.disable();
                ctx.record(&Fact::Refreshed { outcome: "empty_lists" });
                ctx.tell(to::ResourceTracker, LoseLists { lists: self.lists() });
            }
            // Nothing changes, not even the paths: they are those of the request's configuration.
            Err(FailureOutcome::RequestFails | FailureOutcome::StartFails) => {
                ctx.record(&Fact::Refreshed { outcome: "request_failed" });
            }
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
