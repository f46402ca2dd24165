//! One run: a scenario and its workload go in, a closed ledger comes out.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::actors::{Cluster, Plan};
use crate::engine::run::Gauge;
use crate::engine::{BeatMode, Ended, Limits, SimContext, run};
use crate::ledger::{Broken, ContainerRecord, JobStage, Metric, Recorder, Setup, Sink, metrics};
use crate::rules::container::{AppId, ContainerState};
use crate::rules::machine::{HostNames, NodeType, TypeId};
use crate::scenario::model::Scenario;
use crate::study::apps::{names_differ, played, skipped_apps};
use crate::study::rejects::{reject, reject_apps};
use crate::time::{SimSpan, SimTime};
use crate::workload::app::App;
use crate::workload::{Loaded, Workload};

/// How a run is played and watched. Nothing here changes its results.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions<'a> {
    /// Which beats are played one by one; all of them, whatever it says, if their interval is scaled.
    pub beats: BeatMode,
    /// Check the invariants at every fact, and not just at the end.
    pub check_every_fact: bool,
    /// Set from outside to stop the run.
    pub stop: &'a AtomicBool,
    /// Where the run says how far it has come.
    pub gauge: &'a Gauge,
}

/// What a run gives.
pub struct RunResult {
    /// The columns of `summary.csv`.
    pub metrics: Vec<Metric>,
    /// The closed ledger.
    pub ledger: Recorder,
    /// Where the story went, if it was told.
    pub sink: Option<Box<dyn Sink>>,
    /// When the run ended.
    pub end: SimTime,
    /// Items that the run loop played.
    pub items: u64,
}

impl fmt::Debug for RunResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunResult")
            .field("end", &self.end)
            .field("metrics", &self.metrics)
            .finish_non_exhaustive()
    }
}

/// Why a run gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// Jobs wait, and none has ended for longer than ten times the workload's span and a year.
    #[error(
        "job {job} waits at {at} s and nothing will let it start: it needs {cores} cores, {free} are free on \
         {running} running nodes, {booting} nodes boot, and there are {instances} instances of at most {max_nodes}. \
         Set `horizon` to end such a run, or let the policy boot nodes"
    )]
    Stuck {
        /// The head of the queue, by its number in the log.
        job: u64,
        /// When the run was given up.
        at: SimTime,
        /// What the job needs.
        cores: u32,
        /// Free cores of RUNNING nodes.
        free: u64,
        /// RUNNING nodes.
        running: u32,
        /// Instances that boot.
        booting: u32,
        /// Instances in any state.
        instances: u32,
        /// The most that there may be.
        max_nodes: u32,
    },
    /// An application is left, and nothing will ever happen to it.
    #[error(
        "application {app} has not ended at {at} s, and nothing will let it: {}. Let the policy boot nodes, or end \
         such a run with the application's `ends` or with `horizon`",
        of_container(*.waiting)
    )]
    AppStuck {
        /// Its name.
        app: String,
        /// When the run came to rest.
        at: SimTime,
        /// Number and cores of its first container that waits for a node, if one does.
        waiting: Option<(u32, u32)>,
    },
    /// An application of the trace has the name of one of the scenario's.
    #[error(
        "{}: its application \"{name}\" has the name of an [[app]] of the scenario. Give the [[app]] another name",
        .trace.display()
    )]
    NameTaken {
        /// The trace.
        trace: PathBuf,
        /// The name.
        name: String,
    },
    /// Nothing waits and yet not all jobs have ended.
    #[error("the run came to rest at {0} s although jobs are left: this is a defect of the program")]
    AtRest(SimTime),
    /// An invariant does not hold.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// The run was stopped from outside.
    #[error("interrupted")]
    Interrupted,
}

/// What an application waits for.
fn of_container(waiting: Option<(u32, u32)>) -> String {
    match waiting {
        Some((number, cores)) => {
            format!("its container {number} finds no node with room for its {cores} cores")
        }
        None => "it has a task that is never launched, or a node that is never given up".to_owned(),
    }
}

impl RunError {
    /// Whether what was given is at fault, and not what came of it.
    pub const fn is_bad_input(&self) -> bool {
        match self {
            Self::NameTaken { .. } => true,
            Self::Stuck { .. }
            | Self::AppStuck { .. }
            | Self::AtRest(_)
            | Self::Broken(_)
            | Self::Interrupted => false,
        }
    }
}

/// A year: how long a run may go on without a job's end, besides ten times the workload's span.
const YEAR: SimSpan = SimSpan::from_hours(365 * 24);

/// Plays `scenario` with what its trace gave.
///
/// # Errors
/// If two applications have one name, or the run gets stuck, breaks an invariant or is interrupted.
pub fn run_once(
    scenario: &Scenario,
    loaded: &Loaded,
    sink: Option<Box<dyn Sink>>,
    options: RunOptions<'_>,
) -> Result<RunResult, RunError> {
    names_differ(scenario, loaded)?;
    let (workload, apps) = (&loaded.jobs, played(scenario, loaded));
    let node_types: Arc<[NodeType]> = scenario.node_types.clone().into();
    let hosts = HostNames::new(scenario.script.nodes.iter().map(|node| node.name.clone()));
    let horizon = horizon(scenario, workload, &apps);
    let mut ledger = Recorder::new(
        Setup {
            workload: Arc::clone(workload),
            node_types: Arc::clone(&node_types),
            hosts: hosts.clone(),
            apps: Arc::clone(&apps),
            billing: scenario.billing,
            retries: scenario.retries,
            max_nodes: scenario.policy.max_nodes,
            check_every_fact: options.check_every_fact,
        },
        sink,
    );
    let rejected = reject(scenario, workload, &mut ledger);
    let rejected_apps = reject_apps(scenario, &apps, &mut ledger);
    let mut cluster = Cluster::new(Plan {
        workload: Arc::clone(workload),
        rejected,
        retries: scenario.retries,
        node_types,
        heartbeat: scenario.heartbeat,
        scheduling: scenario.scheduling,
        policy: scenario.policy.clone(),
        drain: scenario.decommission,
        tracking: scenario.tracking.clone(),
        minimum: scenario.minimum,
        hosts,
        initial: initial(scenario),
        script: scenario.script.clone(),
        apps: Arc::clone(&apps),
        rejected_apps,
        ends_with_last_job: horizon.is_none(),
    });
    // An interval that each beat may change is known one beat ahead.
    let beats = scenario.heartbeat.scaling.map_or(options.beats, |_| BeatMode::All);
    let mut ctx = SimContext::new(scenario.seed, beats, ledger);
    let patience = patience(horizon, workload, &apps);
    let limits = Limits { horizon, patience, stop: options.stop, gauge: options.gauge };
    let ended = run(&mut cluster, &mut ctx, limits);
    let (end, beats_total, items) = (ctx.now(), ctx.beats_total(), ctx.items());
    let mut ledger = ctx.carried;
    match ended {
        Ended::Finished | Ended::Horizon | Ended::Broken => {}
        Ended::Stopped => return Err(RunError::Interrupted),
        Ended::Stuck => return Err(stuck(&cluster, &ledger, end)),
    }
    let sink = ledger.close(end);
    if let Some(broken) = ledger.broken() {
        return Err(broken.clone().into());
    }
    let mut metrics = metrics::metrics(&ledger, beats_total);
    metrics.extend(skipped_apps(loaded));
    Ok(RunResult { metrics, ledger, sink, end, items })
}

/// A scenario without jobs ends so long after its last action.
const AFTER_LAST_ACTION: SimSpan = SimSpan::from_secs(60);

/// Where a run ends, unless it is with its last job.
fn horizon(scenario: &Scenario, workload: &Workload, apps: &[Arc<App>]) -> Option<SimTime> {
    let last_action = || scenario.script.actions.last().map_or(SimTime::ZERO, |scripted| scripted.at);
    let given = scenario.horizon.map(|span| SimTime::ZERO + span);
    let nothing_to_end = workload.jobs.is_empty() && apps.is_empty();
    given.or_else(|| nothing_to_end.then(|| last_action() + AFTER_LAST_ACTION))
}

/// The instances that are there from the start, and when their agents register.
fn initial(scenario: &Scenario) -> Vec<(TypeId, SimSpan)> {
    if scenario.script.nodes.is_empty() {
        return vec![(TypeId(0), SimSpan::ZERO); scenario.policy.min_nodes as usize];
    }
    let named = scenario.script.nodes.iter();
    named.map(|node| (node.kind, node.registers_at.since(SimTime::ZERO))).collect()
}

/// How long a run may go on without a job's end.
fn patience(horizon: Option<SimTime>, workload: &Workload, apps: &[Arc<App>]) -> SimSpan {
    if horizon.is_some() {
        return SimSpan::MAX;
    }
    let jobs = workload.jobs.iter();
    let submits = jobs.clone().map(|job| job.submit).chain(apps.iter().map(|app| app.submit));
    let last_submit = submits.max().unwrap_or_default();
    // A job that runs is no job that waits, however long it takes.
    let longest = jobs.map(|job| job.run).chain(apps.iter().map(|app| work_of(app))).max();
    last_submit.since(SimTime::ZERO) * 10 + YEAR + longest.unwrap_or_default()
}

/// How long an application is at work at most, one group of tasks after the other.
fn work_of(app: &App) -> SimSpan {
    let groups = app.tasks.iter();
    groups.fold(SimSpan::ZERO, |sum, group| sum + group.asks_after + group.run.unwrap_or_default())
}

/// The first application that has not ended.
fn app_stuck(ledger: &Recorder, at: SimTime) -> Option<RunError> {
    let apps = (0..).map(AppId).zip(ledger.apps());
    let mut left = apps.filter(|(_, app)| matches!(app.job.stage, JobStage::Queued | JobStage::Running));
    let (id, _) = left.next()?;
    let waits = |container: &&ContainerRecord| container.app == id && container.state == ContainerState::New;
    let waiting = ledger.containers().iter().find(waits).map(|container| (container.number, container.cores));
    Some(RunError::AppStuck { app: ledger.setup().apps[id.index()].name.clone(), at, waiting })
}

fn stuck(cluster: &Cluster, ledger: &Recorder, at: SimTime) -> RunError {
    let Some(head) = cluster.head() else {
        return app_stuck(ledger, at).unwrap_or(RunError::AtRest(at));
    };
    let job = &ledger.setup().workload.jobs[head.index()];
    let levels = ledger.levels();
    RunError::Stuck {
        job: job.id,
        at,
        cores: job.cores,
        free: levels.cores_free_running,
        running: levels.nodes_running,
        booting: levels.nodes_booting,
        instances: levels.instances,
        max_nodes: ledger.setup().max_nodes,
    }
}
