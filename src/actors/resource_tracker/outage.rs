//! A resource manager that goes away, and one that comes back and knows nothing (yarn.md 7.5).
//!
//! Nothing about draining outlives it. Each excluded host is a placeholder that reads DECOMMISSIONED; every other node
//! is unknown until it has found the new one and registered again, with its containers.

use actix::Handler;

use crate::actors::resource_tracker::{ComeBack, GoAway, LoseLists, ResourceTracker, StartWith, effects};
use crate::actors::scheduler::{NodeCloses, NodeRemoved, Wait};
use crate::actors::watcher::NodeLeft;
use crate::actors::{Ctx, to};
use crate::ledger::Fact;
use crate::ledger::fact::RemovalCause;
use crate::rules::agent::SCHEDULING_WAIT;
use crate::rules::machine::NodeId;
use crate::rules::rmnode::RmNodeState;
use crate::rules::untracked::ListsRead;

impl ResourceTracker {
    /// Whether a heartbeat finds nobody. The first one after a failover goes to the old address.
    pub(super) fn is_unreachable_for(&mut self, node: NodeId) -> bool {
        if let Some(place) = self.disconnected.iter().position(|&lost| lost == node) {
            self.disconnected.swap_remove(place);
            return true;
        }
        self.away
    }

    /// What the new resource manager makes of a node that the old one had, or waited for.
    fn forget(&mut self, node: NodeId, ctx: &mut Ctx) {
        let awaited = self.awaited.remove(&node);
        let rm = self.nodes[node.index()].take().filter(|rm| rm.state.is_active());
        let Some(from) = rm.as_ref().map(|rm| rm.state).or(awaited) else { return };
        if rm.is_some_and(|rm| rm.watched) {
            ctx.tell(to::Watcher, NodeLeft { node });
        }
        if self.is_valid(node) {
            self.awaited.insert(node, from);
            ctx.tell(to::Scheduler, NodeCloses { node });
        } else {
            take_out(node, from, RemovalCause::Failover, ctx);
        }
    }

    /// Tells an agent to shut down that the resource manager does not take in. If the one before had its node in
    /// service, that ends here: its containers die with it.
    pub(super) fn send_away(&mut self, node: NodeId, ctx: &mut Ctx) {
        if let Some(from) = self.awaited.remove(&node) {
            take_out(node, from, RemovalCause::Excluded, ctx);
        }
        effects::shut_down(node, ctx);
    }
}

/// A node that was in service under another resource manager is so no more.
fn take_out(node: NodeId, from: RmNodeState, cause: RemovalCause, ctx: &mut Ctx) {
    let to = RmNodeState::Decommissioned;
    ctx.record(&Fact::RmNode { node, event: "DECOMMISSION", from, to, cause: Some(cause) });
    effects::tell_standing(node, from, to, ctx);
    ctx.tell(to::Scheduler, NodeRemoved { node, cause });
}

impl Handler<GoAway> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: GoAway, ctx: &mut Ctx) {
        self.away = true;
        // Each node notices at its next beat.
        for (node, rm) in (0..).map(NodeId).zip(&self.nodes) {
            if rm.as_ref().is_some_and(|rm| rm.state.is_active()) {
                if message.failover {
                    self.disconnected.push(node);
                }
                ctx.want_beat(node.0, ctx.now());
            }
        }
    }
}

impl Handler<ComeBack> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, _: ComeBack, ctx: &mut Ctx) {
        self.away = false;
        ctx.tell(to::Scheduler, Wait { span: SCHEDULING_WAIT });
    }
}

impl Handler<StartWith> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: StartWith, ctx: &mut Ctx) {
        self.lists = message.lists;
        self.placeholders.clear();
        self.untracked_since.clear();
        for node in self.all() {
            self.forget(node, ctx);
            self.place(node, ListsRead::AtStart, ctx);
        }
    }
}

impl Handler<LoseLists> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: LoseLists, ctx: &mut Ctx) {
        self.lists = message.lists;
        for node in self.all() {
            self.look_for_untracked(node, ctx);
        }
    }
}
