//! The cluster: all actors of a run. It hands each envelope to the actor that it is addressed to, and decides nothing.

use std::sync::Arc;

use actix::Actor as _;

use crate::actors::admin::{self, Admin};
use crate::actors::app_master::AppMaster;
use crate::actors::cloud::Cloud;
use crate::actors::node::{self, Node};
use crate::actors::nodes_list::{self, NodesList};
use crate::actors::policy::{self, Policy};
use crate::actors::resource_tracker::{self, ResourceTracker};
use crate::actors::scheduler::{self, Scheduler, SchedulerSetup};
use crate::actors::submitter::Submitter;
use crate::actors::watcher::{self, Watcher};
use crate::actors::{Ctx, Envelope, polls, to};
use crate::engine::{PollSlot, Served, World};
use crate::ledger::Recorder;
use crate::rules::container::AppId;
use crate::rules::drain::DrainRules;
use crate::rules::elastic::{PolicyKind, PolicyRules};
use crate::rules::heartbeat::HeartbeatRules;
use crate::rules::machine::{HostNames, MinimumAllocation, NodeId, NodeType, TypeId};
use crate::rules::reading::Configured;
use crate::rules::scheduling::{JobIndex, Retries, Scheduling, Trigger};
use crate::rules::script::{Action, Script, Scripted};
use crate::rules::untracked::TrackingRules;
use crate::time::SimSpan;
use crate::workload::Workload;
use crate::workload::app::App;

/// What a cluster is made of.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The jobs.
    pub workload: Arc<Workload>,
    /// Jobs that can never fit, in order; they are not submitted.
    pub rejected: Vec<JobIndex>,
    /// What becomes of killed jobs.
    pub retries: Retries,
    /// The kinds of instances.
    pub node_types: Arc<[NodeType]>,
    /// How nodes beat.
    pub heartbeat: HeartbeatRules,
    /// How jobs are started.
    pub scheduling: Scheduling,
    /// How the cluster grows and shrinks.
    pub policy: PolicyRules,
    /// How drains are watched.
    pub drain: DrainRules,
    /// When nodes out of service are forgotten.
    pub tracking: TrackingRules,
    /// What a node must have to register.
    pub minimum: MinimumAllocation,
    /// What hosts are called.
    pub hosts: HostNames,
    /// Hosts files at the start, and what is done at which moment.
    pub script: Script,
    /// The applications.
    pub apps: Arc<[Arc<App>]>,
    /// Those that can never fit, in order; they are not submitted.
    pub rejected_apps: Vec<AppId>,
    /// The instances that are there from the start, and when their agents register.
    pub initial: Vec<(TypeId, SimSpan)>,
    /// Whether the run is over when all jobs are.
    pub ends_with_last_job: bool,
}

impl Plan {
    /// Whether the scheduler acts on heartbeats: it places containers there, or kills what is beyond a new total.
    fn scheduler_listens(&self) -> bool {
        let resizes = |scripted: &Scripted| matches!(scripted.action, Action::ResourceUpdate { .. });
        let places = self.scheduling.trigger != Trigger::Pass && !self.apps.is_empty();
        places || self.script.actions.iter().any(resizes)
    }

    /// Jobs and applications that will be submitted.
    fn jobs_to_come(&self) -> u64 {
        let jobs = self.workload.jobs.len() - self.rejected.len();
        let apps = self.apps.len() - self.rejected_apps.len();
        (jobs + apps) as u64
    }
}

/// All actors.
#[derive(Debug)]
pub struct Cluster {
    submitter: Submitter,
    scheduler: Scheduler,
    /// `None`: no agent runs there. Mail for it is dropped, as a call to a dead host is. Boxed, since an elastic
    /// cluster has far more instances in its past than agents.
    nodes: Vec<Option<Box<Node>>>,
    resource_tracker: ResourceTracker,
    nodes_list: NodesList,
    watcher: Watcher,
    policy: Policy,
    cloud: Cloud,
    admin: Admin,
    app_masters: Vec<AppMaster>,
    rejected_apps: Vec<AppId>,
}

impl Cluster {
    /// A cluster at time 0, with nothing started.
    pub fn new(plan: Plan) -> Self {
        let scheduler_listens = plan.scheduler_listens();
        let scheduler = Scheduler::new(SchedulerSetup {
            workload: Arc::clone(&plan.workload),
            node_types: Arc::clone(&plan.node_types),
            scheduling: plan.scheduling,
            retries: plan.retries,
            max_nodes: plan.policy.max_nodes,
            hosts: plan.hosts.clone(),
            beat_interval: plan.heartbeat.interval,
            apps: Arc::clone(&plan.apps),
            jobs_to_come: plan.jobs_to_come(),
            ends_with_last_job: plan.ends_with_last_job,
            policy_listens: plan.policy.kind != PolicyKind::None,
            tracker_listens: plan.heartbeat.scaling.is_some(),
        });
        let types = (0..).map(TypeId).zip(plan.node_types.iter());
        let too_small = types.filter(|(_, node_type)| !plan.minimum.admits(node_type));
        let too_small = too_small.map(|(kind, _)| kind).collect();
        Self {
            submitter: Submitter::new(plan.workload, plan.rejected),
            scheduler,
            nodes: Vec::new(),
            resource_tracker: ResourceTracker::new(
                plan.heartbeat,
                plan.drain,
                plan.tracking,
                too_small,
                plan.hosts.clone(),
                scheduler_listens,
            ),
            nodes_list: NodesList::new(plan.drain, Configured::from(&plan.script)),
            watcher: Watcher::new(plan.drain),
            app_masters: (0..)
                .map(AppId)
                .zip(plan.apps.iter())
                .map(|(id, app)| AppMaster::new(id, Arc::clone(app)))
                .collect(),
            rejected_apps: plan.rejected_apps,
            admin: Admin::new(plan.hosts, plan.script.actions.into(), plan.drain.behaviour),
            cloud: Cloud::new(Arc::clone(&plan.node_types), plan.heartbeat.interval, plan.initial),
            policy: Policy::new(plan.policy, plan.node_types),
        }
    }

    /// The job that heads the queue, if one waits.
    pub fn head(&self) -> Option<JobIndex> {
        self.scheduler.head()
    }

    fn deliver_to_node(&mut self, id: NodeId, mail: node::Mail, ctx: &mut Ctx) {
        if self.nodes.len() <= id.index() {
            self.nodes.resize_with(id.index() + 1, || None);
        }
        let place = &mut self.nodes[id.index()];
        if place.is_none() && matches!(mail, node::Mail::PowerOn(_)) {
            let node = place.insert(Box::new(Node::new(id)));
            node.started(ctx);
        }
        if let Some(node) = place
            && mail.deliver(node.as_mut(), ctx) == Served::Stopped
        {
            *place = None;
        }
    }
}

impl World for Cluster {
    type Envelope = Envelope;
    type Carried = Recorder;

    fn start(&mut self, ctx: &mut Ctx) {
        self.scheduler.started(ctx);
        self.resource_tracker.started(ctx);
        self.nodes_list.started(ctx);
        self.watcher.started(ctx);
        self.policy.started(ctx);
        ctx.tell(to::NodesList, nodes_list::ReadAtStart);
        self.cloud.started(ctx);
    }

    fn open(&mut self, ctx: &mut Ctx) {
        ctx.tell(to::Policy, policy::Opening);
        self.admin.started(ctx);
        for (master, app) in self.app_masters.iter_mut().zip((0..).map(AppId)) {
            if self.rejected_apps.binary_search(&app).is_err() {
                master.started(ctx);
            }
        }
        self.submitter.started(ctx);
    }

    fn deliver(&mut self, mail: Envelope, ctx: &mut Ctx) {
        let served = match mail {
            Envelope::Node(id, mail) => return self.deliver_to_node(id, mail, ctx),
            Envelope::Submitter(mail) => mail.deliver(&mut self.submitter, ctx),
            Envelope::Scheduler(mail) => mail.deliver(&mut self.scheduler, ctx),
            Envelope::ResourceTracker(mail) => mail.deliver(&mut self.resource_tracker, ctx),
            Envelope::NodesList(mail) => mail.deliver(&mut self.nodes_list, ctx),
            Envelope::Watcher(mail) => mail.deliver(&mut self.watcher, ctx),
            Envelope::Policy(mail) => mail.deliver(&mut self.policy, ctx),
            Envelope::Cloud(mail) => mail.deliver(&mut self.cloud, ctx),
            Envelope::AppMaster(app, mail) => mail.deliver(&mut self.app_masters[app.index()], ctx),
            Envelope::Admin(mail) => mail.deliver(&mut self.admin, ctx),
        };
        debug_assert_eq!(served, Served::Running, "only nodes stop");
    }

    fn beat(&mut self, node: u32, ctx: &mut Ctx) {
        self.deliver_to_node(NodeId(node), node::Beat.into(), ctx);
    }

    fn pass(&mut self, ctx: &mut Ctx) {
        self.deliver(Envelope::Scheduler(scheduler::Pass.into()), ctx);
    }

    fn poll(&mut self, slot: PollSlot, ctx: &mut Ctx) {
        match slot {
            polls::WATCHER => self.deliver(Envelope::Watcher(watcher::Poll.into()), ctx),
            polls::LIVENESS => {
                self.deliver(Envelope::ResourceTracker(resource_tracker::CheckLiveness.into()), ctx);
            }
            polls::REMOVAL => {
                self.deliver(Envelope::ResourceTracker(resource_tracker::CheckUntracked.into()), ctx);
            }
            polls::CLIENT => self.deliver(Envelope::Admin(admin::Poll.into()), ctx),
            polls::POLICY => self.deliver(Envelope::Policy(policy::Poll.into()), ctx),
            PollSlot(other) => unreachable!("no poll is defined in slot {other}"),
        }
    }

    fn settle(&mut self, ctx: &mut Ctx) -> bool {
        let now = ctx.now();
        ctx.carried.settle(now)
    }
}
