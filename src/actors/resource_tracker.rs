//! The resource tracker: the RMNodes, and the answers to registrations and heartbeats (yarn.md 2 and 7).

use std::rc::Rc;

use actix::{Actor, Handler, Message};

use crate::actors::node::Reply;
use crate::actors::policy::Notice;
use crate::actors::scheduler::{NodeAdded, NodeCloses, NodeOpens, NodeRemoved};
use crate::actors::watcher::{NodeLeft, Update};
use crate::actors::{Ctx, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::ledger::fact::RemovalCause;
use crate::rules::drain::{DrainStatus, Observation, may_retire};
use crate::rules::machine::{NodeId, TypeId};
use crate::rules::rmnode::{Effect, Health, Outcome, Presence, RmNodeEvent, RmNodeState, transition};
use crate::rules::scheduling::{Gang, JobIndex};
use crate::time::SimSpan;

/// A node's agent has started.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Register {
    /// Which.
    pub node: NodeId,
    /// Of which type it is.
    pub kind: TypeId,
}

/// A node's agent signs off.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Unregister {
    /// Which.
    pub node: NodeId,
}

/// A node was heard.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Heartbeat {
    /// Which.
    pub node: NodeId,
    /// What it says.
    pub report: Report,
}

/// What a heartbeat says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Containers that are running.
    pub containers: u32,
}

/// The watcher's answer to an [`Update`].
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Verdict {
    /// Of which node.
    pub node: NodeId,
    /// How far its drain has come.
    pub status: DrainStatus,
    /// What it reported.
    pub report: Report,
}

/// An event for an RMNode.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NodeEvent {
    /// For which.
    pub node: NodeId,
    /// What happens to it.
    pub event: RmNodeEvent,
    /// Of a graceful decommission: how long it may take; `None`: for ever.
    pub timeout: Option<SimSpan>,
    /// Why, if the node leaves service by it.
    pub cause: Option<RemovalCause>,
}

/// A host was put on the list of excluded hosts, or taken off.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct SetExcluded {
    /// Which.
    pub node: NodeId,
    /// Whether it is on the list now.
    pub excluded: bool,
}

/// A gang job runs on its nodes: it is one application without a master, and stands on each of them.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct GangStarts {
    /// Where.
    pub gang: Rc<Gang>,
}

/// A gang job has ended, and its application with it.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct GangEnds {
    /// Where it was.
    pub gang: Rc<Gang>,
}

mailbox! {
    /// What the resource tracker hears.
    Mail for ResourceTracker, in Ctx {
        Register, Unregister, Heartbeat, Verdict, NodeEvent, SetExcluded, GangStarts, GangEnds,
    }
}

/// What the resource manager holds a node for.
#[derive(Debug)]
struct RmNode {
    kind: TypeId,
    state: RmNodeState,
    timeout: Option<SimSpan>,
    /// In the order in which they came. An application stays until it ends, not until its last container does.
    running_applications: Vec<JobIndex>,
    excluded: bool,
    /// Whether the watcher may have a context for it.
    watched: bool,
}

impl RmNode {
    fn applications(&self) -> Presence {
        if self.running_applications.is_empty() { Presence::Absent } else { Presence::Present }
    }
}

/// The keeper of the RMNodes. Active and inactive ones share one table: which map a node is in follows from its state.
#[derive(Debug, Default)]
pub struct ResourceTracker {
    nodes: Vec<Option<RmNode>>,
}

impl ResourceTracker {
    fn node(&mut self, node: NodeId) -> Option<&mut RmNode> {
        self.nodes.get_mut(node.index())?.as_mut()
    }

    /// The node, if it is in the active map. Events for any other are dropped without a trace (yarn.md 1.1).
    fn active(&mut self, node: NodeId) -> Option<&mut RmNode> {
        self.node(node).filter(|rm| rm.state.is_active())
    }

    /// Lets `event` happen to a node.
    fn apply(&mut self, message: NodeEvent, ctx: &mut Ctx) {
        let NodeEvent { node, event, timeout, cause } = message;
        let Some(rm) = self.active(node) else { return };
        let from = rm.state;
        let Outcome::Transition { to, effects } = transition(from, event) else {
            ctx.record(&Fact::IllegalEvent { node, event: event.name(), state: from });
            return;
        };
        for &effect in effects {
            carry_out(effect, node, rm, timeout, cause, ctx);
        }
        rm.state = to;
        if from != to {
            ctx.record(&Fact::RmNode { node, event: event.name(), from, to, cause });
            tell_standing(node, from, to, ctx);
            rm.watched |= to == RmNodeState::Decommissioning;
            if rm.watched && !to.is_active() {
                rm.watched = false;
                ctx.tell(to::Watcher, NodeLeft { node });
            }
            ctx.request_pass();
        }
    }

    /// What is left of a heartbeat once the watcher has spoken: yarn.md 7.2, steps 5 to 7.
    fn answer(&mut self, node: NodeId, status: DrainStatus, ctx: &mut Ctx) {
        let Some(rm) = self.active(node) else { return };
        if rm.state == RmNodeState::Decommissioning && status.is_ready() {
            let cause = Some(RemovalCause::of(status));
            self.apply(NodeEvent { node, event: RmNodeEvent::Decommission, timeout: None, cause }, ctx);
            shut_down(node, ctx);
            return;
        }
        ctx.tell(node, Reply::Normal);
        // Neither kept-alive applications nor application masters exist for batch jobs.
        let retirement = may_retire(rm.applications(), Presence::Absent, Presence::Absent);
        let event = RmNodeEvent::StatusUpdate { health: Health::Healthy, retirement };
        self.apply(NodeEvent { node, event, timeout: None, cause: Some(RemovalCause::Ready) }, ctx);
    }
}

/// Carries out one step of a transition (yarn.md 2.2), while the node still reads its old state.
fn carry_out(
    effect: Effect,
    node: NodeId,
    rm: &mut RmNode,
    timeout: Option<SimSpan>,
    cause: Option<RemovalCause>,
    ctx: &mut Ctx,
) {
    match effect {
        Effect::AddToScheduler => ctx.tell(to::Scheduler, NodeAdded { node, kind: rm.kind }),
        Effect::RemoveFromScheduler => {
            let cause = cause.expect("whoever takes a node out of service says why");
            ctx.tell(to::Scheduler, NodeRemoved { node, cause });
            // Inactive nodes stay in the table for ever: the list's memory goes, too.
            rm.running_applications = Vec::new();
        }
        Effect::StoreTimeout => {
            rm.timeout = timeout;
            // The watcher's context begins with the next beat, and a changed timeout acts at it.
            ctx.want_beat(node.0, ctx.now());
        }
        Effect::NoticeDecommissioning => ctx.tell(to::Scheduler, NodeCloses { node }),
        Effect::RestoreOriginalTotal => {
            ctx.tell(to::Scheduler, NodeOpens { node });
            ctx.want_beat(node.0, ctx.now());
        }
        // A node that left service otherwise than by a heartbeat's answer is told at its next beat.
        Effect::MoveToInactive => ctx.want_beat(node.0, ctx.now()),
        // Batch jobs are placed and ended by the scheduler itself, and no application hears of nodes.
        Effect::TakeOverRegistration
        | Effect::ClearUpdateQueue
        | Effect::NoticeUsable
        | Effect::NoticeUnusable
        | Effect::StoreOriginalTotal
        | Effect::TakeTotal
        | Effect::TellTotal
        | Effect::ResizeInScheduler
        | Effect::MergeReport
        | Effect::NotifyScheduler
        | Effect::AddApplications
        | Effect::CleanUpApplication
        | Effect::CleanUpContainer
        | Effect::ForgetContainers
        | Effect::ResizeContainer
        | Effect::SignalContainer => {}
    }
}

/// Tells the policy how a node stands now.
fn tell_standing(node: NodeId, from: RmNodeState, to: RmNodeState, ctx: &mut Ctx) {
    ctx.tell(
        to::Policy,
        match to {
            RmNodeState::Running => Notice::Running { node },
            RmNodeState::Decommissioning => Notice::Draining { node },
            RmNodeState::New
            | RmNodeState::Unhealthy
            | RmNodeState::Decommissioned
            | RmNodeState::Lost
            | RmNodeState::Rebooted
            | RmNodeState::Shutdown => {
                Notice::OutOfService { node, drained: from == RmNodeState::Decommissioning }
            }
        },
    );
}

/// Tells an agent to shut down.
fn shut_down(node: NodeId, ctx: &mut Ctx) {
    ctx.record(&Fact::Agent { node, event: "SHUTDOWN" });
    ctx.tell(node, Reply::Shutdown);
}

impl Actor for ResourceTracker {
    type Context = Ctx;
}

impl Handler<Register> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: Register, ctx: &mut Ctx) {
        let Register { node, kind } = message;
        if self.nodes.len() <= node.index() {
            self.nodes.resize_with(node.index() + 1, || None);
        }
        self.nodes[node.index()] = Some(RmNode {
            kind,
            state: RmNodeState::New,
            timeout: None,
            running_applications: Vec::new(),
            excluded: false,
            watched: false,
        });
        let event = RmNodeEvent::Started { health: Health::Healthy };
        self.apply(NodeEvent { node, event, timeout: None, cause: None }, ctx);
    }
}

impl Handler<Unregister> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: Unregister, ctx: &mut Ctx) {
        let cause = Some(RemovalCause::Stopped);
        let event = RmNodeEvent::Shutdown;
        self.apply(NodeEvent { node: message.node, event, timeout: None, cause }, ctx);
    }
}

impl Handler<Heartbeat> for ResourceTracker {
    type Result = ();

    /// yarn.md 7.2, steps 1 to 3.
    fn handle(&mut self, message: Heartbeat, ctx: &mut Ctx) {
        let Heartbeat { node, report } = message;
        let Some(rm) = self.node(node) else {
            ctx.tell(node, Reply::Resync);
            return;
        };
        if rm.excluded && rm.state != RmNodeState::Decommissioning {
            shut_down(node, ctx);
        } else if !rm.state.is_active() {
            ctx.record(&Fact::Agent { node, event: "RESYNC" });
            ctx.tell(node, Reply::Resync);
        } else if rm.watched {
            let seen = Observation {
                state: rm.state,
                timeout: rm.timeout,
                active_containers: report.containers,
                applications: rm.applications(),
            };
            // The watcher drops its context at the first beat of a node that no longer drains, and not before.
            rm.watched = rm.state == RmNodeState::Decommissioning;
            ctx.tell(to::Watcher, Update { node, seen, report });
        } else {
            self.answer(node, DrainStatus::None, ctx);
        }
    }
}

impl Handler<Verdict> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: Verdict, ctx: &mut Ctx) {
        self.answer(message.node, message.status, ctx);
    }
}

impl Handler<NodeEvent> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: NodeEvent, ctx: &mut Ctx) {
        self.apply(message, ctx);
    }
}

impl Handler<SetExcluded> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: SetExcluded, _: &mut Ctx) {
        if let Some(rm) = self.node(message.node) {
            rm.excluded = message.excluded;
        }
    }
}

impl Handler<GangStarts> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: GangStarts, _: &mut Ctx) {
        for share in &message.gang.shares {
            if let Some(rm) = self.active(share.node) {
                rm.running_applications.push(message.gang.job);
            }
        }
    }
}

impl Handler<GangEnds> for ResourceTracker {
    type Result = ();

    /// CLEANUP_APP on each of its nodes.
    fn handle(&mut self, message: GangEnds, _: &mut Ctx) {
        for share in &message.gang.shares {
            if let Some(rm) = self.active(share.node)
                && let Some(place) = rm.running_applications.iter().position(|&job| job == message.gang.job)
            {
                rm.running_applications.remove(place);
            }
        }
    }
}
