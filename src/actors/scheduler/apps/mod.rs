//! Containers of applications: asked for, placed, acquired, ended (yarn.md 8).

mod messages;
mod notices;
mod packing;
mod pending;
mod placing;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actix::Handler;

use crate::actors::app_master::{Ended, Heard, MasterLost, News};
use crate::actors::node::{CleanUp, KillTask};
use crate::actors::resource_tracker::{AppEnds, MasterStands};
use crate::actors::scheduler::Scheduler;
use crate::actors::scheduler::overcommit::{KillOrder, Victim};
use crate::actors::scheduler::pool::Pool;
use crate::actors::{Ctx, to};
use crate::ledger::Fact;
use crate::rules::container::{
    AppId, AppState, ContainerId, ContainerState, Disposition, ExitStatus, Role, after_failed_attempt,
};
use crate::rules::machine::{HostNames, NodeId, NodeType};
use crate::rules::scheduling::Trigger;
use crate::time::SimTime;
use crate::workload::app::{App, Locality, Master, TaskKind};

pub use messages::*;
use notices::Notices;
pub(super) use packing::{ContainerNeed, Room};
use pending::{Pending, Shape};

/// What a container is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Master,
    Task(Asked),
}

/// Where a container wants to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wish {
    Anywhere,
    Prefer(NodeId),
    /// On this node alone; `None`: on one that never comes.
    Only(Option<NodeId>),
}

impl Wish {
    fn of(locality: &Locality, hosts: &HostNames) -> Self {
        match locality {
            Locality::Any => Self::Anywhere,
            Locality::Prefer(host) => hosts.find(host).map_or(Self::Anywhere, Self::Prefer),
            Locality::Only(host) => Self::Only(hosts.find(host)),
        }
    }
}

/// A container of the resource manager. It is forgotten when it has ended.
#[derive(Clone, Copy, Debug)]
struct RmContainer {
    app: AppId,
    purpose: Purpose,
    shape: Shape,
    state: ContainerState,
    node: Option<NodeId>,
    /// When it got its node, or was asked for.
    since: SimTime,
}

/// An application of the resource manager.
#[derive(Debug)]
struct RmApp {
    app: Arc<App>,
    /// Where the tasks of each group want to run.
    wishes: Vec<Wish>,
    asked: u32,
    state: AppState,
    /// Attempts that have failed and count.
    failures: u32,
    /// For the master's next call.
    allocated: Vec<ContainerId>,
    ended: Vec<Ended>,
    /// Maps whose output has gone with its node, for the master's next call.
    lost_outputs: Vec<u32>,
    live: BTreeSet<ContainerId>,
    /// Maps that have ended, by the node that keeps their output.
    outputs: BTreeMap<NodeId, Vec<u32>>,
}

impl RmApp {
    /// No attempt will ever hear of the tasks that have ended since the last call: they are done again.
    fn forget_ended(&mut self) {
        for Ended { task, .. } in std::mem::take(&mut self.ended) {
            for kept in self.outputs.values_mut() {
                kept.retain(|&other| other != task);
            }
        }
    }
}

/// All applications and their containers.
#[derive(Debug)]
pub(super) struct Apps {
    apps: Vec<RmApp>,
    asked: u32,
    containers: BTreeMap<ContainerId, RmContainer>,
    pending: Pending,
    on_node: BTreeMap<NodeId, BTreeSet<ContainerId>>,
    notices: Notices,
}

impl Apps {
    pub(super) fn new(hosts: &HostNames, apps: &[Arc<App>]) -> Self {
        let rm_app = |app: &Arc<App>| RmApp {
            app: Arc::clone(app),
            wishes: app.tasks.iter().map(|group| Wish::of(&group.locality, hosts)).collect(),
            asked: 0,
            state: AppState::New,
            failures: 0,
            allocated: Vec::new(),
            ended: Vec::new(),
            lost_outputs: Vec::new(),
            live: BTreeSet::new(),
            outputs: BTreeMap::new(),
        };
        Self {
            apps: apps.iter().map(rm_app).collect(),
            asked: 0,
            containers: BTreeMap::new(),
            pending: Pending::default(),
            on_node: BTreeMap::new(),
            notices: Notices::default(),
        }
    }

    /// Cores of the container that has waited longest, if one waits.
    pub(super) fn head_cores(&self) -> Option<u32> {
        self.pending.first().map(|shape| shape.ask.cores)
    }

    /// What all containers that wait need of each type, beside what `pool` has free; nothing at all if none waits.
    /// There are at most `most` new nodes.
    pub(super) fn needs(&self, pool: &Pool, node_types: &[NodeType], most: u32) -> Vec<ContainerNeed> {
        let sizes = self.pending.sizes();
        if sizes.is_empty() {
            return Vec::new();
        }
        packing::lay_out(&sizes, pool.rooms().collect(), node_types, most)
    }

    /// What can be killed on a node, with the order of kills.
    pub(super) fn victims_on(&self, node: NodeId) -> impl Iterator<Item = KillOrder> {
        self.on_node.get(&node).into_iter().flatten().map(|&container| {
            let it = &self.containers[&container];
            (it.purpose == Purpose::Master, Reverse(it.since), Reverse(Victim::Container(container)))
        })
    }
}

impl Scheduler {
    fn ask_for(&mut self, app: AppId, purpose: Purpose, shape: Shape, ctx: &mut Ctx) {
        let container = ContainerId(self.apps.asked);
        self.apps.asked = self.apps.asked.checked_add(1).expect("a run has fewer than 2^32 containers");
        let rm_app = &mut self.apps.apps[app.index()];
        rm_app.asked += 1;
        let number = rm_app.asked;
        let role = match purpose {
            Purpose::Master => Role::Master,
            Purpose::Task(Asked { group, .. }) => match rm_app.app.tasks[group].kind {
                TaskKind::Plain => Role::Task,
                TaskKind::Map => Role::Map,
                TaskKind::Reduce => Role::Reduce,
            },
        };
        ctx.record(&Fact::ContainerAsked { container, app, number, ask_cores: shape.ask.cores, role });
        let state = ContainerState::New;
        let (node, since) = (None, ctx.now());
        self.apps.containers.insert(container, RmContainer { app, purpose, shape, state, node, since });
        self.apps.pending.push(container, shape);
    }

    fn ask_for_task(&mut self, app: AppId, asked: Asked, ctx: &mut Ctx) {
        let rm_app = &self.apps.apps[app.index()];
        let shape = Shape { wish: rm_app.wishes[asked.group], ask: rm_app.app.tasks[asked.group].ask };
        self.ask_for(app, Purpose::Task(asked), shape, ctx);
    }

    /// A container goes to another state.
    fn go(
        &mut self,
        container: ContainerId,
        event: &'static str,
        to: ContainerState,
        exit: Option<ExitStatus>,
        ctx: &mut Ctx,
    ) {
        let it = self.apps.containers.get_mut(&container).expect("a container that has not ended is there");
        let from = std::mem::replace(&mut it.state, to);
        ctx.record(&Fact::ContainerMoved { container, event, from, to, node: it.node, exit });
    }

    /// A container that holds a share ends, however; the share is free again. Returns what it was.
    fn release(
        &mut self,
        container: ContainerId,
        event: &'static str,
        exit: ExitStatus,
        ctx: &mut Ctx,
    ) -> RmContainer {
        let to = if exit == ExitStatus::Success { ContainerState::Completed } else { ContainerState::Killed };
        self.go(container, event, to, Some(exit), ctx);
        let it = self.apps.containers.remove(&container).expect("it has just moved");
        let node = it.node.expect("what holds a share has a node");
        self.pool.give_ask(node, it.shape.ask);
        self.tell_load(node, ctx);
        if let Some(on_node) = self.apps.on_node.get_mut(&node) {
            on_node.remove(&container);
        }
        let rm_app = &mut self.apps.apps[it.app.index()];
        rm_app.live.remove(&container);
        rm_app.allocated.retain(|&other| other != container);
        if it.purpose == Purpose::Master {
            ctx.tell(to::ResourceTracker, MasterStands { node, stands: false });
        }
        it
    }

    /// A container ends and its application's master will hear of it, unless it never knew of the container: then the
    /// request is put back as if nothing had been (yarn.md 8.3).
    fn end(&mut self, container: ContainerId, event: &'static str, exit: ExitStatus, ctx: &mut Ctx) {
        let Some(&RmContainer { state, .. }) = self.apps.containers.get(&container) else { return };
        let it = self.release(container, event, exit, ctx);
        match it.purpose {
            Purpose::Master => self.master_is_lost(it.app, exit, ctx),
            Purpose::Task(asked) if state == ContainerState::Allocated => {
                self.ask_for_task(it.app, asked, ctx);
            }
            Purpose::Task(Asked { task, group }) => {
                let rm_app = &mut self.apps.apps[it.app.index()];
                let by_itself = exit == ExitStatus::Success;
                rm_app.ended.push(Ended { task, container, by_itself });
                if let (true, TaskKind::Map, Some(node)) = (by_itself, rm_app.app.tasks[group].kind, it.node)
                {
                    rm_app.outputs.entry(node).or_default().push(task);
                }
                ctx.tell(it.app, News);
            }
        }
    }

    /// A container makes room on its node.
    pub(super) fn preempt(&mut self, container: ContainerId, ctx: &mut Ctx) {
        if let Some(node) = self.apps.containers.get(&container).and_then(|it| it.node) {
            ctx.tell(node, KillTask { container });
            self.end(container, "KILL", ExitStatus::Preempted, ctx);
        }
    }

    /// All containers on a node go with it, and the output of maps that is kept there. An agent that lives on is to
    /// end them when it is heard.
    pub(super) fn lose_containers_on(&mut self, node: NodeId, ctx: &mut Ctx) {
        for container in self.apps.on_node.remove(&node).unwrap_or_default() {
            ctx.tell(node, CleanUp { container });
            self.end(container, "KILL", ExitStatus::Aborted, ctx);
        }
        for app in self.apps.notices.live() {
            let rm_app = &mut self.apps.apps[app.index()];
            if let Some(lost) = rm_app.outputs.remove(&node) {
                rm_app.lost_outputs.extend(lost);
                ctx.tell(app, News);
            }
        }
    }

    /// The attempt of a master has failed.
    fn master_is_lost(&mut self, app: AppId, exit: ExitStatus, ctx: &mut Ctx) {
        let rm_app = &mut self.apps.apps[app.index()];
        if rm_app.state.is_over() {
            return;
        }
        rm_app.failures += u32::from(exit.counts_as_failure());
        match after_failed_attempt(rm_app.failures, rm_app.app.max_attempts) {
            Disposition::Fails => self.app_ends(app, AppState::Failed, ctx),
            Disposition::TriesAgain => self.start_over(app, ctx),
        }
    }

    /// Another attempt follows. Containers that the old one held are killed, unless they are kept.
    fn start_over(&mut self, app: AppId, ctx: &mut Ctx) {
        let rm_app = &mut self.apps.apps[app.index()];
        // A container that the master did not acquire is no container of its, whatever is kept.
        let goes: Vec<_> = if rm_app.app.keep_containers {
            rm_app.allocated.clone()
        } else {
            rm_app.forget_ended();
            rm_app.live.iter().copied().collect()
        };
        self.take_back(app, &goes, ExitStatus::Aborted, ctx);
        let rm_app = &self.apps.apps[app.index()];
        let task_of = |container: &ContainerId| match self.apps.containers[container].purpose {
            Purpose::Master => None,
            Purpose::Task(Asked { task, .. }) => Some(task),
        };
        let heard_later = rm_app.ended.iter().map(|ended| ended.task);
        let kept = rm_app.live.iter().filter_map(task_of).chain(heard_later).collect();
        ctx.tell(app, MasterLost { kept });
        ctx.tell(to::Scheduler, RequestMaster { app });
    }

    /// Withdraws what an application waits for, and takes containers from it, on their nodes too.
    fn take_back(&mut self, app: AppId, containers: &[ContainerId], exit: ExitStatus, ctx: &mut Ctx) {
        self.withdraw(app, ctx);
        for &container in containers {
            let it = self.release(container, "KILL", exit, ctx);
            if let Some(node) = it.node {
                ctx.tell(node, KillTask { container });
            }
        }
    }

    /// An application goes to another state.
    fn turn(&mut self, app: AppId, to: AppState, ctx: &mut Ctx) {
        let from = std::mem::replace(&mut self.apps.apps[app.index()].state, to);
        ctx.record(&Fact::App { app, from, to });
    }

    fn app_ends(&mut self, app: AppId, to_state: AppState, ctx: &mut Ctx) {
        self.turn(app, to_state, ctx);
        let live: Vec<_> = self.apps.apps[app.index()].live.iter().copied().collect();
        // The containers of an attempt that fails go as those of any other.
        let exit =
            if to_state == AppState::Failed { ExitStatus::Aborted } else { ExitStatus::KilledAfterAppEnd };
        self.take_back(app, &live, exit, ctx);
        self.apps.apps[app.index()].outputs.clear();
        self.apps.notices.end(app);
        ctx.tell(to::ResourceTracker, AppEnds { app });
        self.job_is_over(ctx);
        self.seek_room(ctx);
        self.tell_changes(ctx);
    }
}

impl Handler<SubmitApp> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: SubmitApp, ctx: &mut Ctx) {
        self.turn(message.app, AppState::Accepted, ctx);
        self.apps.notices.begin(message.app);
    }
}

impl Handler<RegisterApp> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: RegisterApp, ctx: &mut Ctx) {
        if self.apps.apps[message.app.index()].state == AppState::Accepted {
            self.turn(message.app, AppState::Running, ctx);
        }
    }
}

impl Handler<RequestMaster> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: RequestMaster, ctx: &mut Ctx) {
        let app = Arc::clone(&self.apps.apps[message.app.index()].app);
        if let Master::Container { ask, host } = &app.master {
            let locality = host.clone().map_or(Locality::Any, Locality::Only);
            let wish = Wish::of(&locality, &self.setup.hosts);
            self.ask_for(message.app, Purpose::Master, Shape { wish, ask: *ask }, ctx);
            self.seek_room(ctx);
            self.tell_changes(ctx);
        }
    }
}

impl Handler<Allocate> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: Allocate, ctx: &mut Ctx) {
        let Allocate { app, asks } = message;
        if self.apps.apps[app.index()].state.is_over() {
            return;
        }
        self.tell_of_nodes(app, ctx);
        let rm_app = &mut self.apps.apps[app.index()];
        let (allocated, ended, lost_outputs) = (
            std::mem::take(&mut rm_app.allocated),
            std::mem::take(&mut rm_app.ended),
            std::mem::take(&mut rm_app.lost_outputs),
        );
        let mut acquired = Vec::new();
        for container in allocated {
            self.go(container, "ACQUIRE", ContainerState::Acquired, None, ctx);
            let it = &self.apps.containers[&container];
            if let (Purpose::Task(asked), Some(node)) = (it.purpose, it.node) {
                acquired.push((container, node, asked.task));
            }
        }
        // A call at which the master only listens changes nothing of what waits and of what is free.
        if !asks.is_empty() {
            for asked in asks {
                self.ask_for_task(app, asked, ctx);
            }
            self.seek_room(ctx);
            self.tell_changes(ctx);
        }
        ctx.tell(app, Heard { acquired, ended, lost_outputs });
    }
}

impl Handler<FinishApp> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: FinishApp, ctx: &mut Ctx) {
        if !self.apps.apps[message.app.index()].state.is_over() {
            self.app_ends(message.app, AppState::Finished, ctx);
        }
    }
}

impl Handler<NodeUpdate> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: NodeUpdate, ctx: &mut Ctx) {
        self.end_overcommit(message.node, ctx);
        match self.setup.scheduling.trigger {
            Trigger::Pass => {}
            // A node that was not heard for long may be again.
            Trigger::Async => self.seek_room(ctx),
            Trigger::Heartbeat => {
                self.place_on(message.node, ctx);
                self.late_rounds.remove(&message.node);
                self.seek_room(ctx);
            }
        }
        self.tell_changes(ctx);
    }
}

impl Handler<ContainerRuns> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: ContainerRuns, ctx: &mut Ctx) {
        let state = self.apps.containers.get(&message.container).map(|it| it.state);
        if state == Some(ContainerState::Acquired) {
            self.go(message.container, "LAUNCHED", ContainerState::Running, None, ctx);
        }
    }
}

impl Handler<ContainerCompletes> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: ContainerCompletes, ctx: &mut Ctx) {
        self.end(message.container, "FINISHED", message.exit, ctx);
        self.seek_room(ctx);
        self.tell_changes(ctx);
    }
}
