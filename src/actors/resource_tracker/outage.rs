//! A resource manager that goes away, and one that comes back and knows nothing (yarn.md 7.5).
//!
//! Nothing about draining outlives it. Each excluded host is a placeholder that reads DECOMMISSIONED; every other node
//! is unknown until it has found the new one and registered again, with its containers. One that does not is given up,
//! with all that ran on it, when it could have expired: so do the masters of applications (7.4).

use actix::Handler;

use crate::actors::policy::Notice;
use crate::actors::resource_tracker::{ComeBack, GoAway, LoseLists, ResourceTracker, StartWith, effects};
use crate::actors::scheduler::{NodeCloses, NodeRemoved, Wait};
use crate::actors::watcher::Unwatch;
use crate::actors::{Ctx, to};
use crate::ledger::Fact;
use crate::ledger::fact::RemovalCause;
use crate::rules::agent::SCHEDULING_WAIT;
use crate::rules::machine::NodeId;
use crate::rules::rmnode::{Presence, RmNodeState};
use crate::rules::untracked::ListsRead;
use crate::time::{SimSpan, SimTime};

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
        self.utilisation.forget(node);
        let rm = self.nodes[node.index()].take().filter(|rm| rm.state.is_active());
        // A drain that began in the absence.
        if rm.as_ref().is_some_and(|rm| rm.watched) {
            ctx.tell(to::Watcher, Unwatch { node });
        }
        let Some(from) = rm.map(|rm| rm.state).or(awaited) else { return };
        if self.is_valid(node) {
            self.awaited.insert(node, from);
            ctx.tell(to::Scheduler, NodeCloses { node });
            ctx.tell(to::Policy, Notice::Draining { node });
        } else {
            depart(node, "DECOMMISSION", from, RmNodeState::Decommissioned, RemovalCause::Failover, ctx);
        }
    }

    /// Tells an agent to shut down that the resource manager does not take in. If the one before had its node in
    /// service, that ends here: its containers die with it.
    pub(super) fn send_away(&mut self, node: NodeId, ctx: &mut Ctx) {
        if let Some(from) = self.awaited.remove(&node) {
            depart(node, "DECOMMISSION", from, RmNodeState::Decommissioned, RemovalCause::Excluded, ctx);
        }
        effects::shut_down(node, ctx);
    }

    /// A node that was awaited registers. A new agent has nothing of what ran there.
    pub(super) fn find_again(&mut self, node: NodeId, applications: Presence, ctx: &mut Ctx) {
        if self.awaited.remove(&node).is_some() && applications == Presence::Absent {
            ctx.tell(to::Scheduler, NodeRemoved { node, cause: RemovalCause::Reregistered });
        }
    }

    /// When nodes that have not registered yet are given up; `None`: none are awaited.
    pub(super) fn awaits_until(&self, expiry: SimSpan) -> Option<SimTime> {
        (!self.awaited.is_empty()).then(|| self.began + expiry)
    }

    /// Gives up the nodes that have not registered in time.
    pub(super) fn give_up(&mut self, ctx: &mut Ctx) {
        for (node, from) in std::mem::take(&mut self.awaited) {
            depart(node, "EXPIRE", from, RmNodeState::Lost, RemovalCause::Lost, ctx);
        }
    }
}

/// A node of the resource manager before is out of service in this one.
fn depart(
    node: NodeId,
    event: &'static str,
    from: RmNodeState,
    to: RmNodeState,
    cause: RemovalCause,
    ctx: &mut Ctx,
) {
    ctx.record(&Fact::RmNode { node, event, from, to, cause: Some(cause) });
    effects::tell_standing(node, from, to, ctx);
    ctx.tell(to::Scheduler, NodeRemoved { node, cause });
}

impl Handler<GoAway> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: GoAway, ctx: &mut Ctx) {
        self.away = true;
        ctx.tell(to::Scheduler, Wait { span: message.away + SCHEDULING_WAIT });
        for (node, rm) in (0..).map(NodeId).zip(&mut self.nodes) {
            let Some(rm) = rm.as_mut().filter(|rm| rm.state.is_active()) else { continue };
            if message.failover {
                self.disconnected.push(node);
            }
            // Nobody watches in its absence.
            if std::mem::take(&mut rm.watched) {
                ctx.tell(to::Watcher, Unwatch { node });
            }
            // Each node notices at its next beat.
            ctx.want_beat(node.0, ctx.now());
        }
    }
}

impl Handler<ComeBack> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, _: ComeBack, _: &mut Ctx) {
        self.away = false;
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
        self.began = ctx.now();
        self.plan_liveness(ctx);
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
