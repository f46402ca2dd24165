//! The list of excluded hosts, and the refreshes that act on it (yarn.md 4).
//!
//! An entry of the policy carries the scenario's drain timeout as its per-host value and goes with its instance. A
//! drain of the policy touches no other host.

use actix::{Actor, Handler, Message};

use crate::actors::resource_tracker::{NodeEvent, SetExcluded};
use crate::actors::{Ctx, to};
use crate::engine::mailbox;
use crate::rules::machine::NodeId;
use crate::rules::rmnode::RmNodeEvent;
use crate::time::SimSpan;

/// Put a host on the list and drain it gracefully.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Exclude {
    /// Which.
    pub node: NodeId,
}

/// An instance has gone, and its entry with it.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Forget {
    /// Which.
    pub node: NodeId,
}

mailbox! {
    /// What the list hears.
    Mail for NodesList, in Ctx { Exclude, Forget }
}

/// The list of excluded hosts.
#[derive(Debug)]
pub struct NodesList {
    /// How long a drain may take; `None`: for ever.
    timeout: Option<SimSpan>,
}

impl NodesList {
    /// An empty list; drains may take `timeout`.
    pub fn new(timeout: Option<SimSpan>) -> Self {
        Self { timeout }
    }
}

impl Actor for NodesList {
    type Context = Ctx;
}

impl Handler<Exclude> for NodesList {
    type Result = ();

    fn handle(&mut self, message: Exclude, ctx: &mut Ctx) {
        let node = message.node;
        ctx.tell(to::ResourceTracker, SetExcluded { node, excluded: true });
        let event = RmNodeEvent::GracefulDecommission;
        ctx.tell(to::ResourceTracker, NodeEvent { node, event, timeout: self.timeout, cause: None });
    }
}

impl Handler<Forget> for NodesList {
    type Result = ();

    fn handle(&mut self, message: Forget, ctx: &mut Ctx) {
        ctx.tell(to::ResourceTracker, SetExcluded { node: message.node, excluded: false });
    }
}
