//! The policy: decides at its polls which nodes are asked for, drained and stopped.
//!
//! What is common to all policies is here: the picture of the cluster, growing, the age of the report, and when the
//! next poll need be played. What differs is who goes: one file per policy, behind `Shrink`.

mod balance;
mod grow;
mod node_manager;
mod picture;
mod surplus;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use actix::{Actor, Handler, Message};

use crate::actors::cloud::Stop;
use crate::actors::nodes_list::Exclude;
use crate::actors::{Ctx, polls, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::ledger::fact::{DrainReason, StopReason};
use crate::rules::elastic::{PolicyKind, PolicyRules};
use crate::rules::machine::{NodeId, NodeType, TypeId};
use crate::time::{SimSpan, SimTime};

use picture::Picture;

/// What is wanted of a type of node, and what is free of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Cores of queued jobs for which it is the cheapest type.
    pub need_cores: u64,
    /// Free cores of RUNNING nodes of the type.
    pub free_cores: u64,
    /// Those of them that containers which wait are about to take.
    pub promised_cores: u64,
    /// Nodes that containers lack which find no room on any RUNNING node. What is free elsewhere does not help them.
    pub whole_nodes: u64,
}

/// Something that changes the policy's picture of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[rtype(result = "()")]
pub enum Notice {
    /// An instance was granted.
    Granted {
        /// Which.
        node: NodeId,
        /// Of which type.
        kind: TypeId,
    },
    /// A node is in service.
    Running {
        /// Which.
        node: NodeId,
    },
    /// A node goes on with what it has and takes no new work: it drains, or a new resource manager awaits it.
    Draining {
        /// Which.
        node: NodeId,
    },
    /// A node is out of service.
    OutOfService {
        /// Which.
        node: NodeId,
        /// Whether it was drained.
        drained: bool,
    },
    /// The load of a node has changed, or it has registered: without containers it is idle since then.
    Load {
        /// Which.
        node: NodeId,
        /// Cores of its containers; zero if it has none.
        busy_cores: u32,
    },
    /// What the queue needs from a type, or what is free of it, has changed.
    Demand {
        /// Which type.
        kind: TypeId,
        /// What now holds.
        demand: Demand,
    },
    /// A node has fallen silent.
    Silent {
        /// Which.
        node: NodeId,
        /// When it was heard last.
        last_ping: SimTime,
    },
    /// A node that was silent is heard again.
    Heard {
        /// Which.
        node: NodeId,
    },
    /// An instance is being stopped.
    Stopping {
        /// Which.
        node: NodeId,
    },
    /// An instance has gone.
    Gone {
        /// Which.
        node: NodeId,
    },
}

impl Notice {
    /// The machine that it changes, if it is about one.
    fn node(self) -> Option<NodeId> {
        match self {
            Self::Granted { node, .. }
            | Self::Running { node }
            | Self::Draining { node }
            | Self::OutOfService { node, .. }
            | Self::Load { node, .. }
            | Self::Silent { node, .. }
            | Self::Heard { node }
            | Self::Stopping { node }
            | Self::Gone { node } => Some(node),
            Self::Demand { .. } => None,
        }
    }
}

/// The nodes that are there from the start have registered; nothing else has happened yet.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Opening;

/// The moment of the policy's poll has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Poll;

mailbox! {
    /// What the policy hears.
    Mail for Policy, in Ctx { Notice, Opening, Poll }
}

/// A node that is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Drain { node: NodeId, reason: DrainReason },
    Stop { node: NodeId, reason: StopReason },
}

/// Which nodes go: what tells one policy from another.
///
/// A poll must cost what has changed since the last one and not what there is: with thousands of nodes, looking at each
/// at every poll was more than half of a run's time.
trait Shrink: fmt::Debug {
    /// Who goes at this poll, by what the picture shows. `changed` are the machines, in order, that have changed in it
    /// since the last poll.
    fn orders(&mut self, picture: &Picture, changed: &[NodeId], now: SimTime) -> Vec<Order>;

    /// The earliest instant after `now`, the time of the last call of [`Self::orders`], from which on a poll may order
    /// something although the picture stays as it is; `None`: never. Polls before it need not be played.
    fn acts_from(&self, picture: &Picture, now: SimTime) -> Option<SimTime>;
}

/// The policy.
#[derive(Debug)]
pub struct Policy {
    rules: PolicyRules,
    node_types: Arc<[NodeType]>,
    /// As things are: growing looks at this.
    present: Picture,
    /// As things were the report's age ago: shrinking looks at this. `None`: it has no age, and shows the present.
    reported: Option<Picture>,
    /// What the report does not show yet.
    unreported: VecDeque<(SimTime, Notice)>,
    /// Machines that have changed in the report since the last poll, as they did.
    changed: Vec<NodeId>,
    /// `None`: this policy does nothing.
    shrink: Option<Box<dyn Shrink>>,
    /// Who was ever ordered to drain or to stop. A report may still show an instance that has gone, and numbers are
    /// never used again.
    drained: BTreeSet<NodeId>,
    stopped: BTreeSet<NodeId>,
}

impl Policy {
    /// A policy that goes by `rules`.
    pub fn new(rules: PolicyRules, node_types: Arc<[NodeType]>) -> Self {
        let shrink: Option<Box<dyn Shrink>> = match rules.kind {
            PolicyKind::NodeManager => {
                Some(Box::new(node_manager::NodeManager::new(rules.clone(), Arc::clone(&node_types))))
            }
            PolicyKind::Surplus => Some(Box::new(surplus::Surplus::new(&rules, &node_types))),
            PolicyKind::None => None,
        };
        let picture = Picture::new(node_types.len());
        let reported = (!rules.report_age.is_zero()).then(|| picture.clone());
        Self {
            rules,
            node_types,
            present: picture,
            reported,
            unreported: VecDeque::new(),
            changed: Vec::new(),
            shrink,
            drained: BTreeSet::new(),
            stopped: BTreeSet::new(),
        }
    }

    /// Brings the report up to what the cluster was at the end of the instant that lies its age before `now`.
    fn bring_report_up(&mut self, now: SimTime) {
        let Some(reported) = &mut self.reported else { return };
        let Some(shown_until) = now.checked_sub(self.rules.report_age) else { return };
        while let Some(&(at, notice)) = self.unreported.front()
            && at <= shown_until
        {
            self.unreported.pop_front();
            reported.apply(notice, at, &self.node_types);
            self.changed.extend(notice.node());
        }
    }

    fn carry_out(&mut self, order: Order, ctx: &mut Ctx) {
        match order {
            Order::Drain { node, reason } => {
                if !self.stopped.contains(&node) && self.drained.insert(node) {
                    let busy_cores = self.present.machine(node).map_or(0, |machine| machine.busy_cores);
                    ctx.record(&Fact::DrainOrdered { node, reason, busy_cores });
                    ctx.tell(to::NodesList, Exclude { node, timeout: None });
                }
            }
            Order::Stop { node, reason } => {
                if self.stopped.insert(node) {
                    ctx.tell(to::Cloud, Stop { node, reason });
                    ctx.tell(to::Policy, Notice::Stopping { node });
                }
            }
        }
    }

    /// Plans the next poll that may order something.
    ///
    /// While the report lags behind, each poll is played: it may order once more what the report does not show yet, and
    /// that is not without effect (the surplus policy takes it off its notes, the node manager off what it has).
    fn plan_next(&self, ctx: &mut Ctx) {
        let now = ctx.now();
        let report = self.reported.as_ref().unwrap_or(&self.present);
        let by_policy = self.shrink.as_ref().and_then(|shrink| shrink.acts_from(report, now));
        let lags = (!self.unreported.is_empty()).then_some(now);
        if let Some(from) = by_policy.into_iter().chain(lags).min() {
            ctx.wake_poll(polls::POLICY, from);
        }
    }
}

impl Actor for Policy {
    type Context = Ctx;

    fn started(&mut self, ctx: &mut Ctx) {
        if self.shrink.is_some() {
            ctx.define_poll(polls::POLICY, ctx.now(), self.rules.poll);
            ctx.wake_poll(polls::POLICY, ctx.now());
        }
    }
}

impl Handler<Notice> for Policy {
    type Result = ();

    fn handle(&mut self, notice: Notice, ctx: &mut Ctx) {
        let now = ctx.now();
        self.present.apply(notice, now, &self.node_types);
        if self.reported.is_some() {
            self.unreported.push_back((now, notice));
        } else {
            self.changed.extend(notice.node());
        }
        ctx.wake_poll(polls::POLICY, now);
    }
}

impl Handler<Opening> for Policy {
    type Result = ();

    fn handle(&mut self, _: Opening, ctx: &mut Ctx) {
        // Until there is an instant that lies the report's age back, the report shows the start.
        self.bring_report_up(ctx.now() + self.rules.report_age);
    }
}

impl Handler<Poll> for Policy {
    type Result = ();

    fn handle(&mut self, _: Poll, ctx: &mut Ctx) {
        let now = ctx.now();
        self.bring_report_up(now);
        let boots = grow::orders(&self.present, &self.rules, &self.node_types);
        self.changed.sort_unstable();
        self.changed.dedup();
        let report = self.reported.as_ref().unwrap_or(&self.present);
        let orders =
            self.shrink.as_mut().map_or_else(Vec::new, |shrink| shrink.orders(report, &self.changed, now));
        self.changed.clear();
        for boot in boots {
            ctx.tell(to::Cloud, boot);
        }
        for order in orders {
            self.carry_out(order, ctx);
        }
        self.plan_next(ctx);
    }
}

/// The first instant after `now` at which `span` since `from` is exceeded in the sense of `>=`; `None` if it is
/// already, or never will be.
fn when_reached(from: SimTime, span: Option<SimSpan>, now: SimTime) -> Option<SimTime> {
    span.map(|span| from + span).filter(|&at| at > now)
}
