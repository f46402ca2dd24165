//! The resource tracker: the RMNodes, and the answers to registrations and heartbeats (yarn.md 2 and 7).
//!
//! `effects` carries out the steps of a transition, `totals` those about totals; `applications` is about what stands on
//! nodes, `lists` about what a refresh sends, `outage` about what a restart does, `upkeep` about when entries of nodes
//! that have left are forgotten, `utilisation` about how loaded nodes are.

mod applications;
mod effects;
mod lists;
mod messages;
mod outage;
mod totals;
mod upkeep;
mod utilisation;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use actix::{Actor, Handler};

use crate::actors::node::Reply;
use crate::actors::policy::Notice;
use crate::actors::watcher::{NodeTurns, Update};
use crate::actors::{Ctx, polls, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::ledger::fact::RemovalCause;
use crate::rules::container::{AppId, Application, ExitStatus};
use crate::rules::drain::{DrainRules, DrainStatus, FirstReportRace, Observation, may_retire};
use crate::rules::heartbeat::HeartbeatRules;
use crate::rules::hosts::HostLists;
use crate::rules::machine::{HostNames, NodeId, TypeId};
use crate::rules::rmnode::{
    Effect, Health, Outcome, Presence, Retirement, RmNodeEvent, RmNodeState, transition,
};
use crate::rules::untracked::TrackingRules;
use crate::time::{SimSpan, SimTime};

pub use messages::*;
use totals::{Offer, Totals};
use utilisation::Utilisation;

mailbox! {
    /// What the resource tracker hears.
    Mail for ResourceTracker, in Ctx {
        Register, Unregister, Heartbeat, Verdict, NodeEvent, SetExcluded, StartWith, LoseLists, Relist, UpdateResource,
        ForceAll, GoAway, ComeBack, AskDraining, GangStarts, GangEnds, AppEnds, MasterStands, Utilised,
        CheckLiveness, CheckUntracked,
    }
}

/// What the resource manager holds a node for.
#[derive(Debug)]
struct RmNode {
    kind: TypeId,
    state: RmNodeState,
    /// Of its last drain; `Some(None)`: for ever, `None`: it has never drained.
    timeout: Option<Option<SimSpan>>,
    /// In the order in which they came. An application stays until it ends, not until its last container does.
    running_applications: Vec<Application>,
    /// Masters that the scheduler has placed there.
    masters: u32,
    /// What heartbeats have told of containers since the last one that was merged.
    news: Vec<Status>,
    /// Whether the watcher may have a context for it.
    watched: bool,
    /// Whether the liveness monitor looks after it.
    monitored: bool,
}

impl RmNode {
    /// CLEANUP_APP: takes the first entry of an application off.
    fn clean_up(&mut self, application: Application) -> bool {
        let place = self.running_applications.iter().position(|&other| other == application);
        place.map(|place| self.running_applications.remove(place)).is_some()
    }

    /// Takes up what a heartbeat tells of containers. Ends of which an earlier one has told that was not merged are
    /// past hearing: their containers are missed at the next merge (yarn.md 2.2, E3, step 3; 2.3).
    fn hear(&mut self, news: Vec<Status>) {
        for unmerged in &mut self.news {
            unmerged.exit = unmerged.exit.map(|_| ExitStatus::Aborted);
        }
        self.news.extend(news);
    }

    fn applications(&self) -> Presence {
        presence(&self.running_applications)
    }
}

fn presence(applications: &[Application]) -> Presence {
    if applications.is_empty() { Presence::Absent } else { Presence::Present }
}

/// The node, if it is in the active map. Events for any other are dropped, and counted (yarn.md 1.1).
fn active(nodes: &mut [Option<RmNode>], node: NodeId) -> Option<&mut RmNode> {
    nodes.get_mut(node.index())?.as_mut().filter(|rm| rm.state.is_active())
}

/// The keeper of the RMNodes. Active and inactive ones share one table: which map a node is in follows from its state.
#[derive(Debug)]
pub struct ResourceTracker {
    heartbeat: HeartbeatRules,
    drain: DrainRules,
    tracking: TrackingRules,
    /// Types whose nodes have less than the scheduler's minimum allocation.
    too_small: Vec<TypeId>,
    hosts: HostNames,
    /// Whether the scheduler places containers at heartbeats.
    scheduler_listens: bool,
    nodes: Vec<Option<RmNode>>,
    /// Nodes of the scenario that have not registered yet, nor been given an entry by a list.
    unheard: BTreeSet<NodeId>,
    /// Entries of the inactive map that a list has made, not a registration.
    placeholders: BTreeMap<NodeId, RmNodeState>,
    /// Since when entries of the inactive map are untracked.
    untracked_since: BTreeMap<NodeId, SimTime>,
    lists: Rc<HostLists>,
    /// The policy's own entries of the exclude list, with their timeouts.
    policy_entries: BTreeMap<NodeId, Option<SimSpan>>,
    ended_apps: BTreeSet<AppId>,
    totals: Totals,
    /// Told if the interval of heartbeats depends on it.
    utilisation: Utilisation,
    /// Whether there is no resource manager at present.
    away: bool,
    /// Nodes whose connection was lost with a resource manager that has another in its place by now.
    disconnected: Vec<NodeId>,
    /// When this resource manager began.
    began: SimTime,
    /// Nodes of the one before that have not registered with this one yet, and how they stood.
    awaited: BTreeMap<NodeId, RmNodeState>,
}

impl ResourceTracker {
    /// A tracker without nodes.
    pub fn new(
        heartbeat: HeartbeatRules,
        drain: DrainRules,
        tracking: TrackingRules,
        too_small: Vec<TypeId>,
        hosts: HostNames,
        scheduler_listens: bool,
    ) -> Self {
        Self {
            heartbeat,
            drain,
            tracking,
            too_small,
            nodes: hosts.given().map(|_| None).collect(),
            unheard: hosts.given().collect(),
            placeholders: BTreeMap::new(),
            untracked_since: BTreeMap::new(),
            hosts,
            scheduler_listens,
            lists: Rc::default(),
            policy_entries: BTreeMap::new(),
            ended_apps: BTreeSet::new(),
            totals: Totals::default(),
            utilisation: Utilisation::default(),
            away: false,
            disconnected: Vec::new(),
            began: SimTime::ZERO,
            awaited: BTreeMap::new(),
        }
    }

    fn node(&mut self, node: NodeId) -> Option<&mut RmNode> {
        self.nodes.get_mut(node.index())?.as_mut()
    }

    fn active(&mut self, node: NodeId) -> Option<&mut RmNode> {
        active(&mut self.nodes, node)
    }

    /// Lets `event` happen to a node.
    fn apply(&mut self, message: NodeEvent, ctx: &mut Ctx) {
        self.apply_with(Offer::of(message.event), message, ctx);
    }

    /// Lets an event that carries a total happen to a node.
    fn apply_with(&mut self, offer: Offer, message: NodeEvent, ctx: &mut Ctx) {
        let NodeEvent { node, event, timeout, cause } = message;
        let Self { nodes, totals, utilisation, scheduler_listens, .. } = self;
        let Some(rm) = active(nodes, node) else {
            ctx.record(&Fact::EventDropped);
            return;
        };
        let from = rm.state;
        let Outcome::Transition { to, effects } = transition(from, event) else {
            ctx.record(&Fact::IllegalEvent { node, event: event.name(), state: from });
            return;
        };
        let heeded = |effect: &&Effect| *scheduler_listens || **effect != Effect::NotifyScheduler;
        for &effect in effects.iter().filter(heeded) {
            effects::carry_out(effect, node, rm, timeout, cause, ctx);
        }
        totals.carry_out(effects, offer, node, ctx);
        rm.state = to;
        effects::tell_reading(effects, node, rm, ctx);
        if from != to {
            // A node that stays in service has no cause of leaving it.
            let leaves = !to.is_active() || to == RmNodeState::Unhealthy;
            let cause = cause.filter(|_| leaves);
            ctx.record(&Fact::RmNode { node, event: event.name(), from, to, cause });
            effects::tell_standing(node, from, to, ctx);
            utilisation.turn(node, to);
            rm.watched |= to == RmNodeState::Decommissioning;
            if rm.watched {
                rm.watched = to.is_active();
                ctx.tell(to::Watcher, NodeTurns { node, to, timeout: rm.timeout.flatten() });
            }
            ctx.request_pass();
            if !to.is_active() {
                self.note_untracked(node, ctx);
            }
        }
    }

    /// What is left of a heartbeat once the watcher has spoken: yarn.md 7.2, steps 5 to 7.
    fn answer(&mut self, node: NodeId, status: DrainStatus, report: Report, ctx: &mut Ctx) {
        let drain = self.drain;
        let interval = self.heartbeat.next_interval(self.utilisation.of(node), self.utilisation.of_cluster());
        let Some(rm) = self.active(node) else { return };
        if rm.state == RmNodeState::Decommissioning && status.is_ready() {
            rm.monitored = false;
            let cause = Some(RemovalCause::of(status));
            self.apply(NodeEvent { node, event: RmNodeEvent::Decommission, timeout: None, cause }, ctx);
            effects::shut_down(node, ctx);
            return;
        }
        ctx.tell(node, Reply::Normal { interval });
        // An application that is not waited for counts as long as containers run.
        let is_waited_for = drain.wait_for_applications || report.containers > 0;
        let applications = if is_waited_for { rm.applications() } else { Presence::Absent };
        let masters =
            if drain.wait_for_app_masters && rm.masters > 0 { Presence::Present } else { Presence::Absent };
        // Only clusters with security switched on keep applications alive.
        let kept_alive = Presence::Absent;
        let retirement = match may_retire(applications, kept_alive, masters) {
            // Path B does not look at the report's containers; the fix does, and so does the delay.
            Retirement::Due if drain.first_report_race == FirstReportRace::Fixed && report.containers > 0 => {
                Retirement::NotYet
            }
            Retirement::Due if !drain.delay.is_zero() => Retirement::NotYet,
            due => drain.behaviour.retirement(due),
        };
        let event = RmNodeEvent::StatusUpdate { health: report.health, retirement };
        let cause = match (rm.state, report.health) {
            (RmNodeState::Running, Health::Unhealthy) => RemovalCause::Unhealthy,
            _ => RemovalCause::Ready,
        };
        self.apply(NodeEvent { node, event, timeout: None, cause: Some(cause) }, ctx);
    }

    /// When the liveness monitor must look next: at the first check after a silent node has expired.
    fn plan_liveness(&self, ctx: &mut Ctx) {
        let Some(expiry) = self.heartbeat.expiry else { return };
        let now = ctx.now();
        // One that was silent for a while and beats again may still expire before its next beat.
        let is_late = |node: NodeId, every| every >= expiry || now > ctx.last_beat(node.0) + every;
        let silent = self
            .monitored()
            .filter(|&node| ctx.beat_interval(node.0).is_none_or(|every| is_late(node, every)));
        let expires =
            silent.map(|node| ctx.last_beat(node.0) + expiry).chain(self.awaits_until(expiry)).min();
        if let Some(at) = expires {
            ctx.wake_poll(polls::LIVENESS, at + SimSpan::MILLISECOND);
        }
    }

    /// The nodes that the liveness monitor looks after.
    fn monitored(&self) -> impl Iterator<Item = NodeId> {
        let numbered = (0..).map(NodeId).zip(&self.nodes);
        numbered.filter(|(_, rm)| rm.as_ref().is_some_and(|rm| rm.monitored)).map(|(node, _)| node)
    }
}

impl Actor for ResourceTracker {
    type Context = Ctx;

    fn started(&mut self, ctx: &mut Ctx) {
        if let Some(expiry) = self.heartbeat.expiry {
            let period = SimSpan::from_ms(expiry.as_ms() / 3);
            let first = SimTime::ZERO + self.heartbeat.check_offset.unwrap_or(period);
            ctx.define_poll(polls::LIVENESS, first, period);
        }
        let period = self.tracking.period();
        ctx.define_poll(polls::REMOVAL, SimTime::ZERO + period, period);
    }
}

impl Handler<Register> for ResourceTracker {
    type Result = ();

    /// yarn.md 7.3.
    fn handle(&mut self, message: Register, ctx: &mut Ctx) {
        let Register { node, kind, report, mut applications } = message;
        // An agent that registers has found its way by itself, to wherever a resource manager is.
        self.disconnected.retain(|&lost| lost != node);
        if self.away {
            ctx.tell(node, Reply::Unreachable);
            return;
        }
        if !self.may_speak(node) || self.too_small.contains(&kind) {
            self.send_away(node, ctx);
            return;
        }
        let reported = presence(&applications);
        self.find_again(node, reported, ctx);
        applications.retain(|&application| match application {
            Application::Job(_) => true,
            Application::App(app) => self.may_stand(app, node, ctx),
        });
        if let Some(rm) = self.active(node) {
            rm.monitored = true;
            ctx.tell(to::Policy, Notice::Heard { node });
            let event = RmNodeEvent::Reconnected { applications: reported };
            // Each reconnection appends without looking (yarn.md 2.2, E7): a node whose agent restarted under an
            // application keeps an entry that nobody takes off.
            rm.running_applications.extend(applications);
            let cause = Some(RemovalCause::Reregistered);
            self.apply(NodeEvent { node, event, timeout: None, cause }, ctx);
            return;
        }
        if self.nodes.len() <= node.index() {
            self.nodes.resize_with(node.index() + 1, || None);
        }
        self.drop_entry(node);
        self.unheard.remove(&node);
        self.nodes[node.index()] = Some(RmNode {
            kind,
            state: RmNodeState::New,
            timeout: None,
            running_applications: applications,
            masters: 0,
            news: Vec::new(),
            watched: false,
            monitored: true,
        });
        let event = RmNodeEvent::Started { health: report.health };
        let cause = (report.health == Health::Unhealthy).then_some(RemovalCause::Unhealthy);
        self.apply(NodeEvent { node, event, timeout: None, cause }, ctx);
    }
}

impl Handler<Unregister> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: Unregister, ctx: &mut Ctx) {
        if let Some(rm) = self.node(message.node) {
            rm.monitored = false;
        }
        let cause = Some(RemovalCause::Stopped);
        let event = RmNodeEvent::Shutdown;
        self.apply(NodeEvent { node: message.node, event, timeout: None, cause }, ctx);
    }
}

impl Handler<Heartbeat> for ResourceTracker {
    type Result = ();

    /// yarn.md 7.2, steps 1 to 3.
    fn handle(&mut self, message: Heartbeat, ctx: &mut Ctx) {
        let Heartbeat { node, report, news } = message;
        let mut news = news.map(|news| *news).unwrap_or_default();
        if self.is_unreachable_for(node) {
            ctx.tell(node, Reply::Unreachable);
            return;
        }
        if !self.may_speak(node) {
            self.send_away(node, ctx);
            return;
        }
        news.retain(|status| self.may_stand(status.app, node, ctx));
        let (waits, logs) = (self.drain.wait_for_applications, self.drain.logs_status());
        let Some(rm) = self.active(node) else {
            ctx.record(&Fact::Agent { node, event: "RESYNC" });
            ctx.tell(node, Reply::Resync);
            return;
        };
        rm.hear(news);
        if rm.watched {
            let seen = Observation {
                state: rm.state,
                timeout: rm.timeout.flatten(),
                active_containers: report.containers,
                applications: if waits { rm.applications() } else { Presence::Absent },
            };
            // The watcher drops its context at the first beat of a node that no longer drains, and not before.
            rm.watched = rm.state == RmNodeState::Decommissioning;
            let applications = if logs { rm.running_applications.clone() } else { Vec::new() };
            ctx.tell(to::Watcher, Update { node, seen, report, applications });
        } else {
            self.answer(node, DrainStatus::None, report, ctx);
        }
    }
}

impl Handler<Verdict> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: Verdict, ctx: &mut Ctx) {
        self.answer(message.node, message.status, message.report, ctx);
    }
}

impl Handler<NodeEvent> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: NodeEvent, ctx: &mut Ctx) {
        self.apply(message, ctx);
    }
}

impl Handler<CheckLiveness> for ResourceTracker {
    type Result = ();

    /// yarn.md 7.4.
    fn handle(&mut self, _: CheckLiveness, ctx: &mut Ctx) {
        let Some(expiry) = self.heartbeat.expiry else { return };
        if self.away {
            return;
        }
        let now = ctx.now();
        let expired: Vec<NodeId> =
            self.monitored().filter(|node| now > ctx.last_beat(node.0) + expiry).collect();
        for node in expired {
            if let Some(rm) = self.node(node) {
                rm.monitored = false;
            }
            let cause = Some(RemovalCause::Lost);
            self.apply(NodeEvent { node, event: RmNodeEvent::Expire, timeout: None, cause }, ctx);
        }
        if self.awaits_until(expiry).is_some_and(|until| now > until) {
            self.give_up(ctx);
        }
        self.plan_liveness(ctx);
    }
}
