//! The scheduler: the queue of gang jobs, its own picture of the nodes, and one pass per instant.

pub mod apps;
mod easy;
mod messages;
mod node_set;
mod overcommit;
mod pass;
mod pool;
mod queue;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use actix::{Actor, Handler};

use crate::actors::node::{ContainerEnds, Launch};
use crate::actors::policy::{Demand, Notice};
use crate::actors::resource_tracker::{GangEnds, GangStarts, Utilised};
use crate::actors::{Ctx, to};
use crate::engine::{Ticket, mailbox};
use crate::ledger::Fact;
use crate::ledger::fact::{KillFate, RemovalCause};
use crate::rules::machine::{HostNames, NodeId, NodeType, TypeId, cheapest_for, needed_cores};
use crate::rules::scheduling::{Discipline, Gang, JobIndex, Retries, Scheduling, Share, StartReason};
use crate::time::{SimSpan, SimTime};
use crate::workload::Workload;
use crate::workload::app::App;

use apps::{
    Allocate, Apps, ContainerCompletes, ContainerRuns, FinishApp, NodeReads, NodeUpdate, RegisterApp,
    RequestMaster, SubmitApp,
};
use easy::ExpectedEnds;
pub use messages::*;
use pool::{Pool, Request};
use queue::{Queue, Waiting};

mailbox! {
    /// What the scheduler hears.
    Mail for Scheduler, in Ctx {
        JobArrives, JobEnds, JobHangs, Wait, WaitEnds, NodeAdded, NodeCloses, NodeOpens, NodeRemoved, Resize,
        InstanceBoots, InstanceLeaves, InstanceEnds, Pass, SubmitApp, RegisterApp, RequestMaster, Allocate, FinishApp,
        NodeUpdate, NodeReads, ContainerRuns, ContainerCompletes,
    }
}

/// What the scheduler goes by.
#[derive(Clone, Debug)]
pub struct SchedulerSetup {
    /// The jobs.
    pub workload: Arc<Workload>,
    /// The kinds of instances.
    pub node_types: Arc<[NodeType]>,
    /// Discipline and placement.
    pub scheduling: Scheduling,
    /// What becomes of killed jobs.
    pub retries: Retries,
    /// Most instances, in any state.
    pub max_nodes: u32,
    /// What hosts are called.
    pub hosts: HostNames,
    /// Time between two heartbeats of a node, as configured.
    pub beat_interval: SimSpan,
    /// The applications.
    pub apps: Arc<[Arc<App>]>,
    /// Jobs and applications that will be submitted.
    pub jobs_to_come: u64,
    /// Whether the run is over when all jobs are.
    pub ends_with_last_job: bool,
    /// Whether the policy wants to hear of loads and needs.
    pub policy_listens: bool,
    /// Whether the resource tracker wants to hear of loads.
    pub tracker_listens: bool,
}

/// An attempt that runs.
#[derive(Debug)]
struct Running {
    gang: Rc<Gang>,
    started: SimTime,
    expected_end: SimTime,
    /// Takes its end back; `None`: it will never end.
    end: Option<Ticket>,
}

/// An instance that is on its way.
#[derive(Clone, Copy, Debug)]
struct Booting {
    expected: SimTime,
    cores: u32,
}

/// The scheduler.
#[derive(Debug)]
pub struct Scheduler {
    setup: SchedulerSetup,
    pool: Pool,
    apps: Apps,
    queue: Queue,
    running: BTreeMap<JobIndex, Running>,
    expected_ends: ExpectedEnds,
    booting: BTreeMap<NodeId, Booting>,
    instances: u32,
    /// Draining nodes that may still be given containers once.
    late_rounds: BTreeSet<NodeId>,
    /// Nodes that run more than their total, and from when on some of it is killed.
    overcommitted: BTreeMap<NodeId, SimTime>,
    jobs_left: u64,
    /// Run time that checkpoints have saved, of jobs that were killed.
    saved: BTreeMap<JobIndex, SimSpan>,
    requeues: BTreeMap<JobIndex, u32>,
    /// No pass starts anything before this instant.
    waits_until: SimTime,
    told_head_cores: Option<u32>,
    told_demand: Vec<Demand>,
}

impl Scheduler {
    /// A scheduler without nodes and jobs.
    pub fn new(setup: SchedulerSetup) -> Self {
        let types = setup.node_types.len();
        Self {
            pool: Pool::new(Arc::clone(&setup.node_types), setup.scheduling.placement),
            apps: Apps::new(&setup.hosts, &setup.apps),
            queue: Queue::new(types),
            running: BTreeMap::new(),
            expected_ends: ExpectedEnds::new(),
            booting: BTreeMap::new(),
            instances: 0,
            late_rounds: BTreeSet::new(),
            overcommitted: BTreeMap::new(),
            jobs_left: setup.jobs_to_come,
            saved: BTreeMap::new(),
            requeues: BTreeMap::new(),
            waits_until: SimTime::ZERO,
            told_head_cores: None,
            told_demand: vec![Demand::default(); types],
            setup,
        }
    }

    /// The job that heads the queue, if one waits.
    pub fn head(&self) -> Option<JobIndex> {
        self.queue.head().map(|waiting| waiting.job)
    }

    fn request(&self, job: JobIndex) -> Request {
        let job = &self.setup.workload.jobs[job.index()];
        Request { cores: job.cores, memory_per_core_kib: job.memory_per_core_kib }
    }

    fn waiting(&self, index: JobIndex) -> Waiting {
        let job = &self.setup.workload.jobs[index.index()];
        let saved = self.saved.get(&index).copied().unwrap_or_default();
        let requested = (job.requested - saved).max(SimSpan::MILLISECOND);
        let kind = cheapest_for(&self.setup.node_types, job.memory_per_core_kib);
        let need_cores =
            needed_cores(&self.setup.node_types[kind.index()], job.cores, job.memory_per_core_kib);
        Waiting { job: index, cores: job.cores, need_cores, requested, kind }
    }

    /// Ends this handler's turn: tells whoever listens what has changed.
    fn tell_changes(&mut self, ctx: &mut Ctx) {
        let head_cores = self.queue.head().map(|waiting| waiting.cores).or_else(|| self.apps.head_cores());
        if head_cores != self.told_head_cores {
            self.told_head_cores = head_cores;
            ctx.record(&Fact::QueueHead { cores: head_cores });
        }
        if !self.setup.policy_listens {
            return;
        }
        let containers = self.apps.needs(&self.pool, &self.setup.node_types, self.setup.max_nodes);
        for (kind, told) in (0..).map(TypeId).zip(&mut self.told_demand) {
            let containers = containers.get(kind.index()).copied().unwrap_or_default();
            let demand = Demand {
                need_cores: self.queue.need_cores(kind),
                free_cores: self.pool.free_cores_of(kind),
                promised_cores: containers.free_cores,
                whole_nodes: containers.nodes,
            };
            if *told != demand {
                *told = demand;
                ctx.tell(to::Policy, Notice::Demand { kind, demand });
            }
        }
    }

    fn tell_load(&self, node: NodeId, ctx: &mut Ctx) {
        if self.setup.policy_listens {
            ctx.tell(to::Policy, Notice::Load { node, busy_cores: self.pool.busy_cores(node) });
        }
        self.tell_utilisation(node, ctx);
    }

    fn tell_utilisation(&self, node: NodeId, ctx: &mut Ctx) {
        if self.setup.tracker_listens {
            let (allocated, total) = (self.pool.busy_cores(node), self.pool.total_cores(node));
            ctx.tell(to::ResourceTracker, Utilised { node, allocated, total });
        }
    }

    /// Starts an attempt on `shares`.
    fn start(&mut self, waiting: Waiting, shares: Vec<Share>, reason: StartReason, ctx: &mut Ctx) {
        let job = waiting.job;
        let request = self.request(job);
        let run = self.setup.workload.jobs[job.index()].run;
        let run = run - self.saved.get(&job).copied().unwrap_or_default();
        let gang = Rc::new(Gang { job, shares });
        ctx.record(&Fact::JobStarted { gang: Rc::clone(&gang), reason });
        ctx.tell(to::ResourceTracker, GangStarts { gang: Rc::clone(&gang) });
        for &share in &gang.shares {
            self.pool.take(job, share, request);
            ctx.tell(share.node, Launch { job });
            self.tell_load(share.node, ctx);
        }
        let end = ctx.tell_after(run, to::Scheduler, JobEnds { job });
        let expected_end = ctx.now() + waiting.requested;
        if self.setup.scheduling.discipline == Discipline::Easy {
            self.expected_ends.insert((expected_end, job), gang.cores());
        }
        self.running.insert(job, Running { gang, started: ctx.now(), expected_end, end: Some(end) });
    }

    /// Takes an attempt off its nodes.
    fn take_off(&mut self, job: JobIndex, ctx: &mut Ctx) -> Running {
        let running = self.running.remove(&job).expect("an attempt that ends is running");
        let request = self.request(job);
        self.expected_ends.remove(&(running.expected_end, job));
        ctx.tell(to::ResourceTracker, GangEnds { gang: Rc::clone(&running.gang) });
        for &share in &running.gang.shares {
            // News on each of its nodes, even on one that is out of service: its agent, if there is one, beats.
            ctx.tell(share.node, ContainerEnds { job });
            if self.pool.give_back(job, share, request) {
                self.tell_load(share.node, ctx);
            }
        }
        running
    }

    /// Kills an attempt everywhere, since `by` has gone.
    fn kill(&mut self, job: JobIndex, by: NodeId, cause: RemovalCause, ctx: &mut Ctx) {
        let Running { gang, started, end, .. } = self.take_off(job, ctx);
        if let Some(end) = end {
            ctx.cancel(end);
        }
        let saved = self.setup.retries.saved(ctx.now().since(started));
        if !saved.is_zero() {
            *self.saved.entry(job).or_default() += saved;
        }
        let requeues = self.requeues.entry(job).or_default();
        let fate = match self.setup.retries.max_requeues {
            Some(most) if *requeues >= most => KillFate::Failed,
            _ => KillFate::Requeued,
        };
        *requeues += 1;
        ctx.record(&Fact::JobKilled { gang, by, cause, fate });
        match fate {
            KillFate::Failed => self.job_is_over(ctx),
            KillFate::Requeued => {
                let waiting = self.waiting(job);
                self.queue.push_front(waiting, ctx.now());
            }
        }
    }

    fn job_is_over(&mut self, ctx: &mut Ctx) {
        ctx.note_progress();
        self.jobs_left -= 1;
        if self.jobs_left == 0 && self.setup.ends_with_last_job {
            ctx.finish();
        }
    }

    /// Cores of a draining node never come back to new work, and those of a recommissioned one do.
    fn expect_back(&mut self, node: NodeId, coming_back: bool) {
        for job in self.pool.containers(node) {
            let running = &self.running[job];
            let share = running.gang.shares.iter().find(|share| share.node == node);
            let cores = share.expect("a container belongs to a share of its gang").cores;
            if let Some(expected) = self.expected_ends.get_mut(&(running.expected_end, *job)) {
                *expected = if coming_back { *expected + cores } else { *expected - cores };
            }
        }
    }
}

impl Actor for Scheduler {
    type Context = Ctx;

    fn started(&mut self, ctx: &mut Ctx) {
        if self.jobs_left == 0 && self.setup.ends_with_last_job {
            ctx.finish();
        }
    }
}

impl Handler<JobArrives> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: JobArrives, ctx: &mut Ctx) {
        let waiting = self.waiting(message.job);
        self.queue.push_back(waiting);
        ctx.request_pass();
        self.tell_changes(ctx);
    }
}

impl Handler<JobEnds> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: JobEnds, ctx: &mut Ctx) {
        let Running { gang, .. } = self.take_off(message.job, ctx);
        ctx.record(&Fact::JobCompleted { gang });
        ctx.request_pass();
        self.job_is_over(ctx);
        self.seek_room(ctx);
        self.tell_changes(ctx);
    }
}

impl Handler<JobHangs> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: JobHangs, ctx: &mut Ctx) {
        if let Some(end) = self.running.get_mut(&message.job).and_then(|running| running.end.take()) {
            ctx.cancel(end);
        }
    }
}

impl Handler<Wait> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: Wait, ctx: &mut Ctx) {
        self.waits_until = ctx.now() + message.span;
        ctx.tell_after(message.span, to::Scheduler, WaitEnds);
    }
}

impl Handler<WaitEnds> for Scheduler {
    type Result = ();

    fn handle(&mut self, _: WaitEnds, ctx: &mut Ctx) {
        self.seek_room(ctx);
        ctx.request_pass();
    }
}

impl Handler<NodeAdded> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: NodeAdded, ctx: &mut Ctx) {
        self.booting.remove(&message.node);
        if self.pool.is_closed(message.node) {
            // It was there before the resource manager restarted, and its containers are still on it.
            self.expect_back(message.node, true);
            self.pool.open(message.node);
        } else {
            self.pool.add(message.node, message.kind, ctx.now());
        }
        self.tell_load(message.node, ctx);
        // A node that boots in no time registers in the instant of the poll that asked for it. If that instant has had
        // its pass, nothing else need ever happen, and the job that the node was asked for would wait for ever.
        ctx.request_late_pass();
        self.seek_room(ctx);
        self.tell_changes(ctx);
    }
}

impl Handler<NodeCloses> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: NodeCloses, ctx: &mut Ctx) {
        if self.pool.is_open(message.node) {
            self.expect_back(message.node, false);
            self.pool.close(message.node);
            if self.setup.scheduling.late_round {
                self.late_rounds.insert(message.node);
            }
            self.tell_changes(ctx);
        }
    }
}

impl Handler<NodeOpens> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: NodeOpens, ctx: &mut Ctx) {
        if self.pool.is_closed(message.node) {
            self.expect_back(message.node, true);
            self.pool.open(message.node);
            self.late_rounds.remove(&message.node);
            self.seek_room(ctx);
            self.tell_changes(ctx);
        }
    }
}

impl Handler<NodeRemoved> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: NodeRemoved, ctx: &mut Ctx) {
        self.late_rounds.remove(&message.node);
        self.overcommitted.remove(&message.node);
        let mut jobs = self.pool.remove(message.node);
        jobs.sort_unstable();
        for job in jobs {
            self.kill(job, message.node, message.cause, ctx);
        }
        self.lose_containers_on(message.node, ctx);
        self.tell_load(message.node, ctx);
        self.seek_room(ctx);
        ctx.request_pass();
        self.tell_changes(ctx);
    }
}

impl Handler<InstanceBoots> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: InstanceBoots, ctx: &mut Ctx) {
        let node_type = &self.setup.node_types[message.kind.index()];
        let booting = Booting { expected: ctx.now() + message.expected, cores: node_type.cores };
        self.booting.insert(message.node, booting);
        self.instances += 1;
    }
}

impl Handler<InstanceLeaves> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: InstanceLeaves, _: &mut Ctx) {
        self.booting.remove(&message.node);
    }
}

impl Handler<InstanceEnds> for Scheduler {
    type Result = ();

    fn handle(&mut self, _: InstanceEnds, _: &mut Ctx) {
        self.instances -= 1;
    }
}
