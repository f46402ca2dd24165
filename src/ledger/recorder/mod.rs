//! The recorder: the one place that facts go to, and where the ledger's books are kept.

mod nodes;
mod work;

use std::fmt;
use std::sync::Arc;

use crate::ledger::disruption::DrainBook;
use crate::ledger::fact::Fact;
use crate::ledger::invariants::{self, Broken};
use crate::ledger::levels::{CoreTime, Levels};
use crate::ledger::money::Cost;
use crate::ledger::narrate::{Lookup, Sink, narrate};
use crate::ledger::records::{
    AppRecord, ContainerRecord, InstanceRecord, JobRecord, JobStage, NodeLoss, Rejection,
};
use crate::ledger::waiting::{CauseClock, QueueState, WaitCause};
use crate::rules::billing::Billing;
use crate::rules::container::AppId;
use crate::rules::machine::{HostNames, NodeId, NodeType};
use crate::rules::scheduling::{JobIndex, Retries};
use crate::time::SimTime;
use crate::workload::Workload;
use crate::workload::app::App;

/// What the ledger must know of the scenario.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The jobs.
    pub workload: Arc<Workload>,
    /// The kinds of instances.
    pub node_types: Arc<[NodeType]>,
    /// What hosts are called.
    pub hosts: HostNames,
    /// The applications.
    pub apps: Arc<[Arc<App>]>,
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
    pub(super) apps: Vec<AppRecord>,
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
    pub(super) late_allocations: u64,
    pub(super) events_dropped: u64,
    pub(super) events_illegal: u64,
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
        let apps = vec![AppRecord::default(); setup.apps.len()];
        Self {
            setup,
            now: SimTime::ZERO,
            jobs,
            apps,
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
            late_allocations: 0,
            events_dropped: 0,
            events_illegal: 0,
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

    /// The same for an application, one of whose containers fits no node.
    pub fn reject_app(&mut self, app: AppId, why: Rejection) {
        self.apps[app.index()].job.stage = JobStage::Rejected(why);
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
                job_records: &self.jobs,
                app_records: &self.apps,
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
        let apps = self.apps.iter_mut().map(|app| &mut app.job);
        for record in self.jobs.iter_mut().chain(apps) {
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

    /// What became of each application, in the scenario's order.
    pub fn apps(&self) -> &[AppRecord] {
        &self.apps
    }

    /// What a node that left service took with it.
    pub fn loss_of(&self, node: NodeId) -> NodeLoss {
        self.drains.losses.get(&node).copied().unwrap_or_default()
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
            Fact::JobKilled { ref gang, by, fate, .. } => self.job_is_killed(gang, by, fate),
            Fact::QueueHead { cores } => self.head_cores = cores,
            Fact::Granted { node, kind, reason } => {
                debug_assert_eq!(node.index(), self.instances.len(), "instances are granted in order");
                let instance = InstanceRecord::begin(kind, self.now);
                self.levels.add(&instance, &self.setup.node_types[kind.index()]);
                self.instances.push(instance);
                self.nodes_peak = self.nodes_peak.max(self.levels.instances);
                self.granted_initially += u64::from(reason == crate::ledger::fact::GrantReason::Initial);
            }
            Fact::StopOrdered { node, .. } => {
                self.change(node, |instance, _, _| instance.stop_ordered = true);
            }
            Fact::Gone { node, .. } => self.instance_is_gone(node),
            Fact::RmNode { node, from, to, cause, .. } => self.node_changes_state(node, from, to, cause),
            Fact::Resized { node, total, .. } => self.change(node, |instance, kind, _| {
                instance.extra_cores = instance.extra_cores.max(total.cores.saturating_sub(kind.cores));
            }),
            Fact::DrainTimeout { node, timeout } => {
                self.instances[node.index()].drain_timeout = Some(timeout);
            }
            Fact::ContainerAsked { container, app, number, ask_cores, role } => {
                let record = ContainerRecord::begin(app, number, ask_cores, role, self.now);
                self.container_is_asked(container, record);
            }
            Fact::ContainerStarts { container } => {
                self.containers[container.index()].launched = Some(self.now);
            }
            Fact::OutputLost { container } => self.output_is_lost(container),
            Fact::App { app, to, .. } => self.app_changes_state(app, to),
            Fact::ContainerMoved { container, to, node, exit, .. } => {
                self.container_moves(container, to, node, exit);
            }
            Fact::IllegalEvent { .. } => self.events_illegal += 1,
            Fact::EventDropped => self.events_dropped += 1,
            Fact::ReclaimNotice { node } => self.instances[node.index()].reclaim_notice = true,
            Fact::DrainStatus { node, to, .. } => {
                self.instances[node.index()].drain_status = to;
                self.drains.status(node, to, self.now);
            }
            Fact::InstanceUp { .. }
            | Fact::BootFailed { .. }
            | Fact::DrainOrdered { .. }
            | Fact::Administration { .. }
            | Fact::Refreshed { .. }
            | Fact::NodeTold { .. }
            | Fact::DrainPolled { .. }
            | Fact::Agent { .. } => {}
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
