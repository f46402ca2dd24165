//! The watcher of draining nodes: one context per DECOMMISSIONING node, judged at its heartbeats and, if it falls
//! silent, at the watcher's own poll (yarn.md 3).

use std::collections::BTreeMap;

use actix::{Actor, Handler, Message};

use crate::actors::resource_tracker::{NodeEvent, Report, Verdict};
use crate::actors::{Ctx, polls, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::ledger::fact::RemovalCause;
use crate::rules::drain::{self, DrainContext, DrainRules, DrainStatus, Observation, PollVerdict};
use crate::rules::machine::NodeId;
use crate::rules::rmnode::{RmNodeEvent, RmNodeState};
use crate::time::SimTime;

/// A node was heard; the watcher answers with a [`Verdict`].
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Update {
    /// Which.
    pub node: NodeId,
    /// What the watcher goes by.
    pub seen: Observation,
    /// What the node reported; it comes back with the verdict.
    pub report: Report,
}

/// A node that may be watched has left service.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NodeLeft {
    /// Which.
    pub node: NodeId,
}

/// The moment of the watcher's poll has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Poll;

mailbox! {
    /// What the watcher hears.
    Mail for Watcher, in Ctx { Update, NodeLeft, Poll }
}

/// One draining node.
#[derive(Clone, Copy, Debug)]
struct Watched {
    context: DrainContext,
    told: DrainStatus,
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
        let Update { node, seen, report } = message;
        let before = self.watched.get(&node).copied();
        let context = drain::update(before.map(|watched| watched.context), ctx.now(), seen);
        let status = context.as_ref().map_or(DrainStatus::None, |context| self.status(context, ctx.now()));
        if let Some(context) = context {
            let told = before.map_or(DrainStatus::None, |watched| watched.told);
            let mut watched = Watched { context, told };
            Self::tell_status(&mut watched, node, status, ctx);
            self.watched.insert(node, watched);
            if !status.is_ready() {
                let delayed = (!self.rules.delay.is_zero()).then(|| context.start() + self.rules.delay);
                let next = context.deadline().into_iter().chain(delayed).filter(|&at| at > ctx.now()).min();
                if let Some(at) = next {
                    ctx.want_beat(node.0, at);
                }
            }
            if Self::may_fall_silent(node, ctx) {
                ctx.wake_poll(polls::WATCHER, ctx.now());
            }
        } else {
            self.watched.remove(&node);
        }
        ctx.tell(to::ResourceTracker, Verdict { node, status, report });
    }
}

impl Handler<NodeLeft> for Watcher {
    type Result = ();

    fn handle(&mut self, message: NodeLeft, _: &mut Ctx) {
        self.watched.remove(&message.node);
    }
}

impl Handler<Poll> for Watcher {
    type Result = ();

    fn handle(&mut self, _: Poll, ctx: &mut Ctx) {
        let now = ctx.now();
        let mut again = false;
        for (&node, watched) in &mut self.watched {
            watched.context.heard_at(ctx.last_beat(node.0));
            match watched.context.poll_verdict(now, Some(RmNodeState::Decommissioning)) {
                PollVerdict::HeardRecently | PollVerdict::Wait | PollVerdict::Forget => {}
                PollVerdict::Decommission => {
                    let status = watched.context.status(now);
                    Self::tell_status(watched, node, status, ctx);
                    let event = RmNodeEvent::Decommission;
                    let cause = Some(RemovalCause::of(status));
                    ctx.tell(to::ResourceTracker, NodeEvent { node, event, timeout: None, cause });
                }
            }
            again |= Self::may_fall_silent(node, ctx);
        }
        if again {
            ctx.wake_poll(polls::WATCHER, now);
        }
    }
}
