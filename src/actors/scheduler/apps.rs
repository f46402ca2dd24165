//! Containers of applications: asked for, placed, acquired, ended (yarn.md 8).
//!
//! Placement is not tied to the reporting node: a request is served on any open node with room (`async`, the default
//! of the capacity scheduler from 3.5.0 on), in the order in which requests came; one that finds no room holds no
//! other up.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix::{Handler, Message};

use crate::actors::app_master::{Heard, MasterLost, MasterRuns, News};
use crate::actors::node::{KillTask, LaunchTask};
use crate::actors::resource_tracker::{AppEnds, MasterStands};
use crate::actors::scheduler::Scheduler;
use crate::actors::{Ctx, to};
use crate::ledger::Fact;
use crate::rules::container::{AppId, ContainerId, ContainerState, ExitStatus};
use crate::rules::machine::{HostNames, NodeId};
use crate::workload::app::{App, Ask, Locality, Master};

/// What a master asks for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its number of the task.
    pub task: u32,
    /// How much.
    pub ask: Ask,
    /// Where.
    pub locality: Locality,
    /// Whether its output stays on the node.
    pub is_map: bool,
}

/// A master's allocate call.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Allocate {
    /// Whose.
    pub app: AppId,
    /// What is asked for.
    pub asks: Vec<Asked>,
}

/// Start the master of an application.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct RequestMaster {
    /// Whose.
    pub app: AppId,
}

/// An application has unregistered.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct FinishApp {
    /// Which.
    pub app: AppId,
}

/// A heartbeat has told of a container for the first time.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct ContainerRuns {
    /// Which.
    pub container: ContainerId,
}

/// A heartbeat has told of a container's end.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct ContainerCompletes {
    /// Which.
    pub container: ContainerId,
}

/// What a container is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Master,
    Task(u32),
}

impl Purpose {
    fn task(self) -> Option<u32> {
        match self {
            Self::Master => None,
            Self::Task(task) => Some(task),
        }
    }
}

/// A container of the resource manager.
#[derive(Clone, Debug)]
struct RmContainer {
    app: AppId,
    purpose: Purpose,
    ask: Ask,
    locality: Locality,
    is_map: bool,
    state: ContainerState,
    node: Option<NodeId>,
}

/// An application of the resource manager.
#[derive(Clone, Debug)]
struct RmApp {
    app: Arc<App>,
    asked: u32,
    finished: bool,
    /// For the master's next call.
    allocated: Vec<ContainerId>,
    ended: Vec<(u32, bool)>,
    live: Vec<ContainerId>,
}

/// All applications and their containers.
#[derive(Debug)]
pub(super) struct Apps {
    hosts: HostNames,
    apps: Vec<RmApp>,
    containers: Vec<RmContainer>,
    pending: Vec<ContainerId>,
    on_node: BTreeMap<NodeId, Vec<ContainerId>>,
}

impl Apps {
    pub(super) fn new(hosts: HostNames, apps: &[Arc<App>]) -> Self {
        let rm_app = |app: &Arc<App>| RmApp {
            app: Arc::clone(app),
            asked: 0,
            finished: false,
            allocated: Vec::new(),
            ended: Vec::new(),
            live: Vec::new(),
        };
        let apps = apps.iter().map(rm_app).collect();
        Self { hosts, apps, containers: Vec::new(), pending: Vec::new(), on_node: BTreeMap::new() }
    }

    /// Whether any container waits for a node.
    pub(super) fn any_pending(&self) -> bool {
        !self.pending.is_empty()
    }
}

impl Scheduler {
    fn ask_for(
        &mut self,
        app: AppId,
        purpose: Purpose,
        ask: Ask,
        locality: Locality,
        is_map: bool,
        ctx: &mut Ctx,
    ) {
        let container =
            ContainerId(u32::try_from(self.apps.containers.len()).expect("containers are 32 bits"));
        let rm_app = &mut self.apps.apps[app.index()];
        rm_app.asked += 1;
        let (number, is_master) = (rm_app.asked, purpose == Purpose::Master);
        ctx.record(&Fact::ContainerAsked { container, app, number, ask_cores: ask.cores, is_master, is_map });
        let state = ContainerState::New;
        self.apps.containers.push(RmContainer { app, purpose, ask, locality, is_map, state, node: None });
        self.apps.pending.push(container);
    }

    /// Places what waits wherever there is room.
    pub(super) fn place_pending(&mut self, ctx: &mut Ctx) {
        if !self.apps.any_pending() || ctx.now() < self.waits_until {
            return;
        }
        for container in std::mem::take(&mut self.apps.pending) {
            match self.find_room(container) {
                Some(node) => self.allocate(container, node, ctx),
                None => self.apps.pending.push(container),
            }
        }
    }

    fn find_room(&self, container: ContainerId) -> Option<NodeId> {
        let RmContainer { ask, locality, .. } = &self.apps.containers[container.index()];
        let on = |host: &str| self.apps.hosts.find(host).filter(|&node| self.pool.has_room(node, *ask));
        match locality {
            Locality::Any => self.pool.first_with_room(*ask),
            Locality::Prefer(host) => on(host).or_else(|| self.pool.first_with_room(*ask)),
            Locality::Only(host) => on(host),
        }
    }

    fn allocate(&mut self, container: ContainerId, node: NodeId, ctx: &mut Ctx) {
        let it = &mut self.apps.containers[container.index()];
        let (app, purpose, ask) = (it.app, it.purpose, it.ask);
        it.node = Some(node);
        self.pool.take_ask(node, ask);
        self.tell_load(node, ctx);
        self.apps.on_node.entry(node).or_default().push(container);
        self.apps.apps[app.index()].live.push(container);
        self.go(container, "ALLOCATE", ContainerState::Allocated, None, ctx);
        match purpose {
            // The resource manager launches masters itself, and at once.
            Purpose::Master => {
                ctx.tell(to::ResourceTracker, MasterStands { node, stands: true });
                self.go(container, "ACQUIRE", ContainerState::Acquired, None, ctx);
                ctx.tell(node, LaunchTask { container, app, run: None });
                ctx.tell(app, MasterRuns);
            }
            Purpose::Task(_) => {
                self.apps.apps[app.index()].allocated.push(container);
                ctx.tell(app, News);
            }
        }
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
        let it = &mut self.apps.containers[container.index()];
        let from = std::mem::replace(&mut it.state, to);
        ctx.record(&Fact::ContainerMoved { container, event, from, to, node: it.node, exit });
    }

    /// A container that holds a share ends, however; the share is free again.
    fn release(&mut self, container: ContainerId, event: &'static str, exit: ExitStatus, ctx: &mut Ctx) {
        let RmContainer { app, purpose, ask, node, .. } = self.apps.containers[container.index()];
        let node = node.expect("what holds a share has a node");
        let to = if exit == ExitStatus::Success { ContainerState::Completed } else { ContainerState::Killed };
        self.go(container, event, to, Some(exit), ctx);
        self.pool.give_ask(node, ask);
        self.tell_load(node, ctx);
        if let Some(on_node) = self.apps.on_node.get_mut(&node) {
            on_node.retain(|&other| other != container);
        }
        let rm_app = &mut self.apps.apps[app.index()];
        rm_app.live.retain(|&other| other != container);
        rm_app.allocated.retain(|&other| other != container);
        if purpose == Purpose::Master {
            ctx.tell(to::ResourceTracker, MasterStands { node, stands: false });
        }
    }

    /// A container ends and its application's master will hear of it, unless it never knew of the container: then the
    /// request is put back as if nothing had been (yarn.md 8.3).
    fn end(&mut self, container: ContainerId, event: &'static str, exit: ExitStatus, ctx: &mut Ctx) {
        let RmContainer { app, purpose, ask, is_map, state, .. } = self.apps.containers[container.index()];
        if !state.holds() {
            return;
        }
        self.release(container, event, exit, ctx);
        match purpose {
            Purpose::Master => {}
            Purpose::Task(task) if state == ContainerState::Allocated => {
                let locality = self.apps.containers[container.index()].locality.clone();
                self.ask_for(app, Purpose::Task(task), ask, locality, is_map, ctx);
            }
            Purpose::Task(task) => {
                self.apps.apps[app.index()].ended.push((task, exit == ExitStatus::Success));
                ctx.tell(app, News);
            }
        }
    }

    /// All containers on a node go with it.
    pub(super) fn kill_containers_on(&mut self, node: NodeId, ctx: &mut Ctx) {
        for container in self.apps.on_node.remove(&node).unwrap_or_default() {
            self.end(container, "KILL", ExitStatus::Aborted, ctx);
            let it = &self.apps.containers[container.index()];
            if it.purpose == Purpose::Master {
                self.master_is_lost(it.app, ctx);
            }
        }
    }

    /// An attempt has failed. An exit of -100 does not count toward the maximum, unless that is 1 (yarn.md 8.4).
    fn master_is_lost(&mut self, app: AppId, ctx: &mut Ctx) {
        let rm_app = &self.apps.apps[app.index()];
        if rm_app.finished {
            return;
        }
        if rm_app.app.max_attempts == 1 {
            self.app_ends(app, "FAIL", "FAILED", ctx);
            return;
        }
        // A container that the master did not acquire is no container of its, whatever is kept.
        let goes = if rm_app.app.keep_containers { rm_app.allocated.clone() } else { rm_app.live.clone() };
        if !rm_app.app.keep_containers {
            self.apps.apps[app.index()].ended.clear();
        }
        self.take_back(app, &goes, ExitStatus::Aborted, ctx);
        let task_of = |&container: &ContainerId| self.apps.containers[container.index()].purpose.task();
        let kept = self.apps.apps[app.index()].live.iter().filter_map(task_of);
        let heard_later = self.apps.apps[app.index()].ended.iter().map(|&(task, _)| task);
        let kept = kept.chain(heard_later).collect();
        ctx.tell(app, MasterLost { kept });
        ctx.tell(to::Scheduler, RequestMaster { app });
    }

    /// Withdraws what an application waits for, and takes containers from it, on their nodes too.
    fn take_back(&mut self, app: AppId, containers: &[ContainerId], exit: ExitStatus, ctx: &mut Ctx) {
        self.apps.pending.retain(|&container| self.apps.containers[container.index()].app != app);
        for &container in containers {
            if let Some(node) = self.apps.containers[container.index()].node {
                ctx.tell(node, KillTask { container });
            }
            self.release(container, "KILL", exit, ctx);
        }
    }

    fn app_ends(&mut self, app: AppId, event: &'static str, to_state: &'static str, ctx: &mut Ctx) {
        ctx.record(&Fact::App { app, event, from: "RUNNING", to: to_state });
        let live = self.apps.apps[app.index()].live.clone();
        self.take_back(app, &live, ExitStatus::KilledAfterAppEnd, ctx);
        self.apps.apps[app.index()].finished = true;
        ctx.tell(to::ResourceTracker, AppEnds { app });
        self.job_is_over(ctx);
        self.place_pending(ctx);
        self.tell_changes(ctx);
    }
}

impl Handler<RequestMaster> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: RequestMaster, ctx: &mut Ctx) {
        let app = Arc::clone(&self.apps.apps[message.app.index()].app);
        if let Master::Container { ask, host } = &app.master {
            let locality = host.clone().map_or(Locality::Any, Locality::Only);
            self.ask_for(message.app, Purpose::Master, *ask, locality, false, ctx);
            self.place_pending(ctx);
        }
    }
}

impl Handler<Allocate> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: Allocate, ctx: &mut Ctx) {
        let Allocate { app, asks } = message;
        if self.apps.apps[app.index()].finished {
            return;
        }
        let rm_app = &mut self.apps.apps[app.index()];
        let (allocated, completed) =
            (std::mem::take(&mut rm_app.allocated), std::mem::take(&mut rm_app.ended));
        let mut acquired = Vec::new();
        for container in allocated {
            self.go(container, "ACQUIRE", ContainerState::Acquired, None, ctx);
            let it = &self.apps.containers[container.index()];
            if let (Purpose::Task(task), Some(node)) = (it.purpose, it.node) {
                acquired.push((container, node, task));
            }
        }
        for Asked { task, ask, locality, is_map } in asks {
            self.ask_for(app, Purpose::Task(task), ask, locality, is_map, ctx);
        }
        self.place_pending(ctx);
        ctx.tell(app, Heard { acquired, completed });
    }
}

impl Handler<FinishApp> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: FinishApp, ctx: &mut Ctx) {
        if !self.apps.apps[message.app.index()].finished {
            self.app_ends(message.app, "FINISH", "FINISHED", ctx);
        }
    }
}

impl Handler<ContainerRuns> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: ContainerRuns, ctx: &mut Ctx) {
        if self.apps.containers[message.container.index()].state == ContainerState::Acquired {
            self.go(message.container, "LAUNCHED", ContainerState::Running, None, ctx);
        }
    }
}

impl Handler<ContainerCompletes> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: ContainerCompletes, ctx: &mut Ctx) {
        self.end(message.container, "FINISHED", ExitStatus::Success, ctx);
        self.place_pending(ctx);
        self.tell_changes(ctx);
    }
}
