//! The watcher of draining nodes: one context per DECOMMISSIONING node, judged at its heartbeats and, if it falls
//! silent, at the watcher's own poll (yarn.md 3), or, as the documentation page has it, when its time is up (0.5).

use std::collections::BTreeMap;

use actix::{Actor, Handler, Message};

use crate::actors::resource_tracker::{NodeEvent, Report, Verdict};
use crate::actors::{Ctx, polls, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::ledger::fact::RemovalCause;
use crate::rules::behaviour::DrainStart;
use crate::rules::container::Application;
use crate::rules::drain::{self, DrainContext, DrainRules, DrainStatus, Observation, PollVerdict};
use crate::rules::machine::NodeId;
use crate::rules::rmnode::{RmNodeEvent, RmNodeState};
use crate::time::{SimSpan, SimTime};

/// A node was heard; the watcher answers with a [`Verdict`].
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Update {
    /// Which.
    pub node: NodeId,
    /// What the watcher goes by.
    pub seen: Observation,
    /// What the node reported; it comes back with the verdict.
    pub report: Report,
    /// Applications that run on it, if the status is logged.
    pub applications: Vec<Application>,
}

/// A node that may be watched has another state, or drains on with another timeout.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NodeTurns {
    /// Which.
    pub node: NodeId,
    /// Its state now.
    pub to: RmNodeState,
    /// The timeout kept with it; `None`: it may drain for ever.
    pub timeout: Option<SimSpan>,
}

/// Nobody watches a node any more.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Unwatch {
    /// Which.
    pub node: NodeId,
}

/// The time of a drain that counts from its request may be up.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct TimeIsUp {
    /// Of which node.
    pub node: NodeId,
}

/// The moment of the watcher's poll has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Poll;

mailbox! {
    /// What the watcher hears.
    Mail for Watcher, in Ctx { Update, NodeTurns, Unwatch, TimeIsUp, Poll }
}

/// One draining node.
#[derive(Debug)]
struct Watched {
    context: DrainContext,
    /// Of its RMNode. One that is recommissioned stays watched until it is heard.
    state: RmNodeState,
    told: DrainStatus,
    /// By its last heartbeat, for the log.
    applications: Vec<Application>,
}

/// The watcher.
#[derive(Debug)]
pub struct Watcher {
    rules: DrainRules,
    watched: BTreeMap<NodeId, Watched>,
}

impl Watcher {
    /// A watcher that goes by these rules.
    pub fn new(rules: DrainRules) -> Self {
        Self { rules, watched: BTreeMap::new() }
    }

    /// How far a drain has come. With a delay, a node that has nothing left is kept until it has drained for so long.
    fn status(&self, context: &DrainContext, now: SimTime) -> DrainStatus {
        match context.status(now) {
            DrainStatus::Ready if now < context.start() + self.rules.delay => DrainStatus::WaitApp,
            status => status,
        }
    }

    /// Records a change of a node's sub-status.
    fn tell_status(watched: &mut Watched, node: NodeId, to: DrainStatus, ctx: &mut Ctx) {
        if watched.told != to {
            ctx.record(&Fact::DrainStatus { node, from: watched.told, to });
            watched.told = to;
        }
    }

    /// The time of a drain is up.
    fn decommission(watched: &mut Watched, node: NodeId, ctx: &mut Ctx) {
        let status = watched.context.status(ctx.now());
        Self::tell_status(watched, node, status, ctx);
        let (event, cause) = (RmNodeEvent::Decommission, Some(RemovalCause::of(status)));
        ctx.tell(to::ResourceTracker, NodeEvent { node, event, timeout: None, cause });
    }

    /// A drain whose timeout counts from its request begins, or goes on with another timeout.
    fn time(&mut self, node: NodeId, timeout: Option<SimSpan>, ctx: &mut Ctx) {
        let (now, state) = (ctx.now(), RmNodeState::Decommissioning);
        let going_on = self.watched.remove(&node).filter(|watched| watched.state == state);
        let watched = match going_on {
            Some(watched) => Watched { context: watched.context.within(timeout), ..watched },
            None => {
                let context = DrainContext::unheard(now, timeout);
                Watched { context, state, told: DrainStatus::None, applications: Vec::new() }
            }
        };
        if let Some(deadline) = watched.context.deadline() {
            ctx.tell_after(deadline.since(now), to::Watcher, TimeIsUp { node });
        }
        self.watched.insert(node, watched);
        self.plan_poll(node, ctx);
    }

    /// The next poll matters for a node that may fall silent, and for any if it is written down.
    fn plan_poll(&self, node: NodeId, ctx: &mut Ctx) {
        if self.rules.logs_status() || Self::may_fall_silent(node, ctx) {
            ctx.wake_poll(polls::WATCHER, ctx.now());
        }
    }

    /// Writes down how all drains stand (yarn.md 3.5).
    fn log(&self, ctx: &mut Ctx) {
        let now = ctx.now();
        for (&node, watched) in &self.watched {
            let line = watched.context.status_line(now, self.status(&watched.context, now));
            ctx.record(&Fact::DrainPolled { node, line, applications: watched.applications.clone() });
        }
    }

    /// A node has left service.
    fn let_go(&mut self, node: NodeId, state: RmNodeState, ctx: &mut Ctx) {
        let Some(mut watched) = self.watched.remove(&node) else { return };
        if let Some(status) = self.rules.behaviour.final_status(state) {
            Self::tell_status(&mut watched, node, status, ctx);
        }
    }

    /// A node that beats more often than this is never judged by the poll, so the poll need not be played for it; but
    /// one that was silent for a while may be, until its next beat.
    fn may_fall_silent(node: NodeId, ctx: &Ctx) -> bool {
        let is_late = |interval| ctx.now() > ctx.last_beat(node.0) + interval;
        ctx.beat_interval(node.0).is_none_or(|interval| interval >= drain::LIVE || is_late(interval))
    }
}

impl Actor for Watcher {
    type Context = Ctx;

    fn started(&mut self, ctx: &mut Ctx) {
        let first = SimTime::ZERO + self.rules.poll_offset;
        ctx.define_poll(polls::WATCHER, first, self.rules.poll);
    }
}

impl Handler<Update> for Watcher {
    type Result = ();

    fn handle(&mut self, message: Update, ctx: &mut Ctx) {
        let Update { node, seen, report, applications } = message;
        let before = self.watched.remove(&node);
        let context = drain::update(before.as_ref().map(|watched| watched.context), ctx.now(), seen);
        let status = context.as_ref().map_or(DrainStatus::None, |context| self.status(context, ctx.now()));
        if let Some(context) = context {
            let told = before.map_or(DrainStatus::None, |watched| watched.told);
            let mut watched = Watched { context, state: seen.state, told, applications };
            Self::tell_status(&mut watched, node, status, ctx);
            self.watched.insert(node, watched);
            if !status.is_ready() {
                let delayed = (!self.rules.delay.is_zero()).then(|| context.start() + self.rules.delay);
                let next = context.deadline().into_iter().chain(delayed).filter(|&at| at > ctx.now()).min();
                if let Some(at) = next {
                    ctx.want_beat(node.0, at);
                }
            }
            self.plan_poll(node, ctx);
        }
        ctx.tell(to::ResourceTracker, Verdict { node, status, report });
    }
}

impl Handler<NodeTurns> for Watcher {
    type Result = ();

    fn handle(&mut self, message: NodeTurns, ctx: &mut Ctx) {
        let NodeTurns { node, to, timeout } = message;
        match (to, self.rules.behaviour.drain_start()) {
            (RmNodeState::Decommissioning, DrainStart::Request) => self.time(node, timeout, ctx),
            (
                RmNodeState::New
                | RmNodeState::Running
                | RmNodeState::Unhealthy
                | RmNodeState::Decommissioning,
                _,
            ) => {
                if let Some(watched) = self.watched.get_mut(&node) {
                    watched.state = to;
                    // Another drain goes on from the old context (yarn.md 3.2, step 4), and is told of anew.
                    if to == RmNodeState::Decommissioning {
                        watched.told = DrainStatus::None;
                    }
                }
            }
            (
                RmNodeState::Decommissioned
                | RmNodeState::Lost
                | RmNodeState::Rebooted
                | RmNodeState::Shutdown,
                _,
            ) => self.let_go(node, to, ctx),
        }
    }
}

impl Handler<Unwatch> for Watcher {
    type Result = ();

    fn handle(&mut self, message: Unwatch, _: &mut Ctx) {
        self.watched.remove(&message.node);
    }
}

impl Handler<TimeIsUp> for Watcher {
    type Result = ();

    fn handle(&mut self, message: TimeIsUp, ctx: &mut Ctx) {
        let (node, now) = (message.node, ctx.now());
        let Some(watched) = self.watched.get_mut(&node) else { return };
        let is_up = watched.context.deadline().is_some_and(|deadline| deadline <= now);
        if is_up && watched.state == RmNodeState::Decommissioning {
            Self::decommission(watched, node, ctx);
        }
    }
}

impl Handler<Poll> for Watcher {
    type Result = ();

    fn handle(&mut self, _: Poll, ctx: &mut Ctx) {
        let now = ctx.now();
        for (&node, watched) in &mut self.watched {
            watched.context.heard_at(ctx.last_beat(node.0));
        }
        if self.rules.logs_status() {
            self.log(ctx);
        }
        self.watched.retain(|&node, watched| match watched.context.poll_verdict(now, Some(watched.state)) {
            PollVerdict::HeardRecently | PollVerdict::Wait => true,
            PollVerdict::Forget => false,
            PollVerdict::Decommission => {
                Self::decommission(watched, node, ctx);
                true
            }
        });
        for &node in self.watched.keys() {
            self.plan_poll(node, ctx);
        }
    }
}
