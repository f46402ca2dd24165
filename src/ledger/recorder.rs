//! The recorder: the one place that facts go to, and where the ledger's books are kept.

use std::fmt;
use std::sync::Arc;

use crate::ledger::disruption::DrainBook;
use crate::ledger::fact::{Fact, KillFate, RemovalCause};
use crate::ledger::invariants::{self, Broken};
use crate::ledger::levels::{CoreTime, Levels};
use crate::ledger::money::{Cost, Phase};
use crate::ledger::narrate::{Lookup, Sink, narrate};
use crate::ledger::records::{ContainerRecord, InstanceRecord, JobRecord, JobStage, Rejection};
use crate::ledger::waiting::{CauseClock, QueueState, WaitCause};
use crate::rules::billing::Billing;
use crate::rules::container::{ContainerId, ContainerState, ExitStatus};
use crate::rules::machine::{HostNames, NodeId, NodeType};
use crate::rules::rmnode::RmNodeState;
use crate::rules::scheduling::{Gang, JobIndex, Retries};
use crate::time::{SimSpan, SimTime};
use crate::workload::Workload;

/// What the ledger must know of the scenario.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The jobs.
    pub workload: Arc<Workload>,
    /// The kinds of instances.
    pub node_types: Arc<[NodeType]>,
    /// What hosts are called.
    pub hosts: HostNames,
    /// What applications are called.
    pub apps: Arc<[String]>,
    /// How instances are billed.
    pub billing: Billing,
    /// What becomes of killed jobs.
    pub retries: Retries,
    /// Most instances, in any state.
    pub max_nodes: u32,
    /// Whether the invariants are checked at every fact, and not just at the end.
    pub check_every_fact: bool,
}

/// The ledger's books.
pub struct Recorder {
    pub(super) setup: Setup,
    pub(super) now: SimTime,
    pub(super) jobs: Vec<JobRecord>,
    pub(super) instances: Vec<InstanceRecord>,
    pub(super) containers: Vec<ContainerRecord>,
    pub(super) levels: Levels,
    pub(super) core_time: CoreTime,
    pub(super) drains: DrainBook,
    pub(super) nodes_peak: u32,
    pub(super) granted_initially: u64,
    pub(super) lost_core_ms: u128,
    pub(super) completed_core_ms: u128,
    pub(super) jobs_requeued: u64,
    causes: CauseClock,
    head_cores: Option<u32>,
    sink: Option<Box<dyn Sink>>,
    told: Option<Levels>,
    detail: String,
    broken: Option<Broken>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("now", &self.now)
            .field("levels", &self.levels)
            .finish_non_exhaustive()
    }
}

impl Recorder {
    /// Empty books at time 0. The story goes to `sink`, if there is one.
    pub fn new(setup: Setup, sink: Option<Box<dyn Sink>>) -> Self {
        let jobs = vec![JobRecord::default(); setup.workload.jobs.len()];
        Self {
            setup,
            now: SimTime::ZERO,
            jobs,
            instances: Vec::new(),
            containers: Vec::new(),
            levels: Levels::default(),
            core_time: CoreTime::default(),
            drains: DrainBook::default(),
            nodes_peak: 0,
            granted_initially: 0,
            lost_core_ms: 0,
            completed_core_ms: 0,
            jobs_requeued: 0,
            causes: CauseClock::default(),
            head_cores: None,
            sink,
            told: None,
            detail: String::new(),
            broken: None,
        }
    }

    /// A job can never fit and is refused before the run begins.
    pub fn reject(&mut self, job: JobIndex, why: Rejection) {
        self.jobs[job.index()].stage = JobStage::Rejected(why);
    }

    /// Writes `fact` down.
    pub fn record(&mut self, now: SimTime, fact: &Fact) {
        self.advance(now);
        if let Some(sink) = &mut self.sink {
            let lookup = Lookup {
                jobs: &self.setup.workload.jobs,
                node_types: &self.setup.node_types,
                instances: &self.instances,
                hosts: &self.setup.hosts,
                apps: &self.setup.apps,
                containers: &self.containers,
            };
            narrate(fact, now, lookup, &mut self.detail, sink.as_mut());
        }
        self.book(fact);
        if self.setup.check_every_fact {
            self.check();
        }
    }

    /// The instant is over: judges what is judged on settled instants. Returns `false` if an invariant is broken.
    pub fn settle(&mut self, now: SimTime) -> bool {
        self.advance(now);
        let lacking_cores = match self.head_cores {
            Some(cores) => u64::from(cores).saturating_sub(self.levels.cores_free_running),
            None => 0,
        };
        self.drains.settle(lacking_cores, now);
        self.causes.set(self.head_cores.map(|head_cores| {
            WaitCause::of(QueueState {
                head_cores,
                booting: self.levels.nodes_booting,
                instances: self.levels.instances,
                max_nodes: self.setup.max_nodes,
                free_running: self.levels.cores_free_running,
                free_draining: self.levels.cores_free_draining,
            })
        }));
        if let Some(sink) = &mut self.sink
            && self.told != Some(self.levels)
        {
            sink.step(now, &self.levels);
            self.told = Some(self.levels);
        }
        self.broken.is_none()
    }

    /// The run ends: instances that are still up are billed to this instant. Gives the story's sink back.
    pub fn close(&mut self, now: SimTime) -> Option<Box<dyn Sink>> {
        self.advance(now);
        self.drains.close(now);
        for record in &mut self.jobs {
            if record.stage == JobStage::Queued {
                self.causes.end(&mut record.waited);
            }
        }
        for instance in &mut self.instances {
            if instance.gone.is_none() {
                instance.life.enter(instance.life.phase(), instance.containers > 0, now);
            }
        }
        self.check();
        self.check_books();
        let sink = self.sink.take();
        sink.map(|mut sink| {
            if self.told != Some(self.levels) {
                sink.step(now, &self.levels);
            }
            sink
        })
    }

    /// The invariant that broke first, if one did.
    pub fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    /// What became of each job, in the workload's order.
    pub fn jobs(&self) -> &[JobRecord] {
        &self.jobs
    }

    /// What became of each instance, in order of grants.
    pub fn instances(&self) -> &[InstanceRecord] {
        &self.instances
    }

    /// What an instance cost; complete once the run has ended. Not kept, since many instances may come and go.
    pub fn cost_of(&self, instance: &InstanceRecord) -> Cost {
        let kind = &self.setup.node_types[instance.kind.index()];
        Cost::of(&instance.life, kind.price_per_hour_micros, &self.setup.billing)
    }

    /// What became of each container of an application, in the order in which they were asked for.
    pub fn containers(&self) -> &[ContainerRecord] {
        &self.containers
    }

    /// What the ledger knows of the scenario.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What the cluster has now.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    /// When the last fact was recorded, or the run ended.
    pub fn now(&self) -> SimTime {
        self.now
    }

    fn advance(&mut self, now: SimTime) {
        if now > self.now {
            self.core_time.advance(&self.levels, now);
            self.causes.advance(now);
            self.now = now;
        }
    }

    fn book(&mut self, fact: &Fact) {
        match *fact {
            Fact::JobArrived { job } => self.job_waits(job),
            Fact::JobStarted { ref gang, .. } => self.job_starts(gang),
            Fact::JobCompleted { ref gang } => self.job_completes(gang),
            Fact::JobKilled { ref gang, fate, .. } => self.job_is_killed(gang, fate),
            Fact::QueueHead { cores } => self.head_cores = cores,
            Fact::Granted { node, kind, reason } => {
                debug_assert_eq!(node.index(), self.instances.len(), "instances are granted in order");
                let instance = InstanceRecord::begin(kind, self.now);
                self.levels.add(&instance, &self.setup.node_types[kind.index()]);
                self.instances.push(instance);
                self.nodes_peak = self.nodes_peak.max(self.levels.instances);
                self.granted_initially += u64::from(reason == crate::ledger::fact::GrantReason::Initial);
            }
            Fact::StopOrdered { node, .. } => self.change(node, |instance, _| instance.stop_ordered = true),
            Fact::Gone { node } => self.instance_is_gone(node),
            Fact::RmNode { node, from, to, cause, .. } => self.node_changes_state(node, from, to, cause),
            Fact::DrainTimeout { node, timeout } => {
                self.instances[node.index()].drain_timeout = Some(timeout);
            }
            Fact::ContainerAsked { container, app, number, ask_cores, is_master, is_map } => {
                debug_assert_eq!(
                    container.index(),
                    self.containers.len(),
                    "containers are asked for in order"
                );
                self.containers.push(ContainerRecord {
                    app,
                    number,
                    is_master,
                    is_map,
                    cores: ask_cores,
                    node: None,
                    asked: self.now,
                    allocated: None,
                    launched: None,
                    ended: None,
                    exit: None,
                    state: ContainerState::New,
                });
            }
            Fact::ContainerMoved { container, to, node, exit, .. } => {
                self.container_moves(container, to, node, exit);
            }
            Fact::ReclaimNotice { node } => self.instances[node.index()].reclaim_notice = true,
            Fact::DrainStatus { node, to, .. } => {
                self.instances[node.index()].drain_status = to;
                self.drains.status(node, to, self.now);
            }
            Fact::InstanceUp { .. }
            | Fact::BootFailed { .. }
            | Fact::IllegalEvent { .. }
            | Fact::DrainOrdered { .. }
            | Fact::App { .. }
            | Fact::Administration { .. }
            | Fact::Refreshed { .. }
            | Fact::Agent { .. } => {}
        }
    }

    fn node_changes_state(
        &mut self,
        node: NodeId,
        from: RmNodeState,
        to: RmNodeState,
        cause: Option<RemovalCause>,
    ) {
        if from == RmNodeState::Decommissioning {
            self.drain_ends(node);
        }
        if to == RmNodeState::Decommissioning {
            self.drain_begins(node);
        }
        self.change(node, |instance, now| {
            instance.state = to;
            match to {
                RmNodeState::Running => {
                    instance.up = instance.up.or(Some(now));
                    (instance.out_of_service, instance.cause) = (None, None);
                }
                RmNodeState::Decommissioning => instance.drain_start = Some(now),
                _ => (instance.out_of_service, instance.cause) = (Some(now), cause),
            }
        });
    }

    fn job_waits(&mut self, job: JobIndex) {
        let record = &mut self.jobs[job.index()];
        record.stage = JobStage::Queued;
        self.causes.begin(&mut record.waited);
        self.levels.jobs_queued += 1;
        self.levels.cores_queued += u64::from(self.setup.workload.jobs[job.index()].cores);
    }

    fn job_starts(&mut self, gang: &Gang) {
        let record = &mut self.jobs[gang.job.index()];
        (record.stage, record.start) = (JobStage::Running, self.now);
        record.nodes = u32::try_from(gang.shares.len()).expect("a job runs on no more nodes than there are");
        self.causes.end(&mut record.waited);
        self.levels.jobs_queued -= 1;
        self.levels.jobs_running += 1;
        self.levels.cores_queued -= u64::from(self.setup.workload.jobs[gang.job.index()].cores);
        for share in &gang.shares {
            self.load(share.node, 1, share.cores.cast_signed());
        }
    }

    fn job_completes(&mut self, gang: &Gang) {
        let ran = self.attempt_ends(gang);
        self.jobs[gang.job.index()].stage = JobStage::Completed;
        self.completed_core_ms += u128::from(ran.as_ms()) * u128::from(gang.cores());
    }

    fn job_is_killed(&mut self, gang: &Gang, fate: KillFate) {
        let ran = self.attempt_ends(gang);
        let saved = self.setup.retries.saved(ran);
        let cores = u128::from(gang.cores());
        let lost_core_ms = u128::from((ran - saved).as_ms()) * cores;
        let record = &mut self.jobs[gang.job.index()];
        record.lost += ran;
        record.saved += saved;
        record.lost_core_ms =
            record.lost_core_ms.saturating_add(u64::try_from(lost_core_ms).unwrap_or(u64::MAX));
        self.lost_core_ms += lost_core_ms;
        self.completed_core_ms += u128::from(saved.as_ms()) * cores;
        self.drains.containers_killed += gang.shares.len() as u64;
        match fate {
            KillFate::Failed => record.stage = JobStage::Failed,
            KillFate::Requeued => {
                record.requeues += 1;
                self.jobs_requeued += 1;
                self.job_waits(gang.job);
            }
        }
    }

    /// Takes an attempt off its nodes. Returns how long it ran.
    fn attempt_ends(&mut self, gang: &Gang) -> SimSpan {
        for share in &gang.shares {
            self.load(share.node, -1, -share.cores.cast_signed());
        }
        self.levels.jobs_running -= 1;
        let record = &mut self.jobs[gang.job.index()];
        record.end = self.now;
        self.now.since(record.start)
    }

    fn container_moves(
        &mut self,
        container: ContainerId,
        to: ContainerState,
        node: Option<NodeId>,
        exit: Option<ExitStatus>,
    ) {
        let now = self.now;
        let record = &mut self.containers[container.index()];
        let held = record.state.holds();
        (record.state, record.node) = (to, node);
        match to {
            ContainerState::New | ContainerState::Running => {}
            ContainerState::Allocated => record.allocated = Some(now),
            ContainerState::Acquired => record.launched = Some(now),
            ContainerState::Completed | ContainerState::Killed => {
                (record.ended, record.exit) = (Some(now), exit);
                let cores = u128::from(record.cores);
                let held_ms = record.allocated.map_or(0, |since| now.since(since).as_ms());
                let lost_ms = record.lost().as_ms();
                self.lost_core_ms += u128::from(lost_ms) * cores;
                self.completed_core_ms += u128::from(held_ms - lost_ms) * cores;
                self.drains.containers_killed += u64::from(exit == Some(ExitStatus::Aborted));
            }
        }
        let cores = self.containers[container.index()].cores.cast_signed();
        match (held, to.holds(), node) {
            (false, true, Some(node)) => self.load(node, 1, cores),
            (true, false, Some(node)) => self.load(node, -1, -cores),
            _ => {}
        }
    }

    /// A container comes to or leaves a node. The hot path of the ledger: one call per container and direction.
    fn load(&mut self, node: NodeId, containers: i32, cores: i32) {
        let instance = &mut self.instances[node.index()];
        instance.containers = instance.containers.wrapping_add_signed(containers);
        instance.busy_cores = instance.busy_cores.wrapping_add_signed(cores);
        let cores = i64::from(cores);
        match instance.state {
            RmNodeState::Running => {
                self.levels.cores_free_running = self.levels.cores_free_running.wrapping_add_signed(-cores);
                self.levels.cores_allocated = self.levels.cores_allocated.wrapping_add_signed(cores);
            }
            RmNodeState::Decommissioning => {
                self.levels.cores_free_draining = self.levels.cores_free_draining.wrapping_add_signed(-cores);
                self.levels.cores_allocated = self.levels.cores_allocated.wrapping_add_signed(cores);
            }
            _ => {}
        }
        live_on(instance, self.now);
    }

    /// Changes an instance, with the levels and its life following.
    fn change(&mut self, node: NodeId, change: impl FnOnce(&mut InstanceRecord, SimTime)) {
        let instance = &mut self.instances[node.index()];
        let kind = &self.setup.node_types[instance.kind.index()];
        self.levels.remove(instance, kind);
        change(instance, self.now);
        live_on(instance, self.now);
        self.levels.add(instance, kind);
    }

    fn instance_is_gone(&mut self, node: NodeId) {
        self.drains.idle_ends(node, self.now);
        self.change(node, |instance, now| {
            live_on(instance, now);
            instance.gone = Some(now);
            if instance.reclaim_notice && instance.out_of_service.is_none() {
                (instance.out_of_service, instance.cause) = (Some(now), Some(RemovalCause::Reclaimed));
            }
        });
    }

    fn drain_begins(&mut self, node: NodeId) {
        let kind = &self.setup.node_types[self.instances[node.index()].kind.index()];
        self.drains.order(kind.cores, kind.boot.median(), self.now);
    }

    fn drain_ends(&mut self, node: NodeId) {
        self.drains.idle_ends(node, self.now);
        let instance = &self.instances[node.index()];
        if let Some(start) = instance.drain_start {
            self.drains.end(instance.drain_status, self.now.since(start));
        }
    }

    fn check(&mut self) {
        if self.broken.is_none() {
            self.broken = invariants::levels(self).err();
        }
    }

    fn check_books(&mut self) {
        if self.broken.is_none() {
            self.broken = invariants::books(self).err();
        }
    }
}

/// An instance's life goes on in the phase that it is in now. The resource manager may learn that a node is lost after
/// its instance has gone; nothing is paid by then.
fn live_on(instance: &mut InstanceRecord, now: SimTime) {
    if instance.gone.is_none() {
        instance.life.enter(phase_of(instance), instance.containers > 0, now);
    }
}

/// What the present instant of an instance's life is for.
fn phase_of(instance: &InstanceRecord) -> Phase {
    match instance.state {
        RmNodeState::New => Phase::Boot,
        RmNodeState::Decommissioning => Phase::Drain,
        RmNodeState::Running if instance.containers > 0 => Phase::Busy,
        RmNodeState::Running => Phase::Idle,
        RmNodeState::Unhealthy
        | RmNodeState::Decommissioned
        | RmNodeState::Lost
        | RmNodeState::Rebooted
        | RmNodeState::Shutdown => Phase::Down,
    }
}
