//! A sweep on actix as it ships: a `SyncArbiter` of workers plays runs on all cores, and a foreman hands them out and
//! keeps their rows in the order of the grid, whatever the order in which they finish.
//!
//! Nothing here can change a result: a run is played by [`run_once`] on one thread, from its scenario and seed alone.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use actix::{
    Actor, Addr, AsyncContext, Context, Handler, Message, Recipient, SyncArbiter, SyncContext, System,
};

use crate::engine::BeatMode;
use crate::engine::run::Gauge;
use crate::ledger::Metric;
use crate::scenario::model::Scenario;
use crate::scenario::{ScenarioErrors, ScenarioFile, Setting};
use crate::study::grid::Grid;
use crate::study::run_once::{RunError, RunOptions, run_once};
use crate::time::{SimSpan, SimTime};
use crate::workload::{self, Loaded, WorkloadError, WorkloadSpec};

/// What is played, and how.
#[derive(Debug)]
pub struct SweepPlan {
    /// The scenario file.
    pub file: ScenarioFile,
    /// Settings that stand above the file in every run.
    pub settings: Vec<Setting>,
    /// The runs.
    pub grid: Grid,
    /// The workload as the scenario has it (`None`: it replays no log); runs that do not vary it share this copy.
    pub workload: (Option<WorkloadSpec>, Loaded),
    /// Which beats are played one by one.
    pub beats: BeatMode,
    /// Check the invariants at every fact.
    pub check_every_fact: bool,
    /// How many workers play at once.
    pub workers: usize,
    /// Set from outside to stop the sweep. It is set here too when a run fails, so that the others end.
    pub stop: &'static AtomicBool,
}

/// One finished run: a row of `runs.csv`.
#[derive(Clone, Debug)]
pub struct RunRow {
    /// Its setting's place in the grid.
    pub setting: usize,
    /// Its seed.
    pub seed: u64,
    /// Its metrics, in the order of the columns.
    pub metrics: Vec<Metric>,
}

/// A run has finished: told to whoever shows the progress.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct CellFinished {
    /// Items that it played.
    pub items: u64,
    /// How much simulated time it played.
    pub simulated: SimSpan,
}

/// What a sweep gives.
#[derive(Debug)]
pub struct SweepResult {
    /// The finished runs, in the order of the grid. All of them, unless the sweep was interrupted.
    pub rows: Vec<RunRow>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// The first run, in the order in which they finish, that failed for another reason than an interruption. The runs
    /// that were not finished by then are left out.
    pub failed: Option<SweepError>,
    /// Items that all runs played.
    pub items: u64,
}

/// Why a sweep gave no result.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A setting makes no scenario.
    #[error(transparent)]
    Scenario(#[from] ScenarioErrors),
    /// A setting's workload cannot be read.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A run failed.
    #[error("{setting}, seed {seed}: {error}")]
    Run {
        /// Its setting in words.
        setting: String,
        /// Its seed.
        seed: u64,
        /// Why.
        error: RunError,
    },
    /// A run panicked.
    #[error("{setting}, seed {seed}: a defect of the program stopped the run: {panic}")]
    Panic {
        /// Its setting in words.
        setting: String,
        /// Its seed.
        seed: u64,
        /// What the panic said.
        panic: String,
    },
    /// actix ended before the sweep did.
    #[error("the sweep's actors ended before their work was done: this is a defect of the program")]
    Lost,
}

/// Plays all runs of a sweep. Each finished run is told to `progress`, whose actors are started within the sweep's
/// system.
///
/// # Errors
/// If its actors end before their work is done. A run that fails is told in the result.
pub fn play_sweep(
    plan: SweepPlan,
    progress: impl FnOnce() -> Option<Recipient<CellFinished>> + 'static,
) -> Result<SweepResult, SweepError> {
    let outcome = Arc::new(Mutex::new(None));
    let told = Arc::clone(&outcome);
    let system = System::new();
    system.block_on(async move {
        let runs = plan.grid.runs();
        let workers = plan.workers.min(runs).max(1);
        let stage = Arc::new(Stage { plan, shelf: Mutex::default() });
        let for_workers = Arc::clone(&stage);
        let workers_address = SyncArbiter::start(workers, move || Worker { stage: Arc::clone(&for_workers) });
        let progress = progress();
        let next = 0;
        let rows = BTreeMap::new();
        Foreman {
            stage,
            workers,
            workers_address,
            progress,
            told,
            next,
            playing: 0,
            items: 0,
            failed: None,
            rows,
        }
        .start();
    });
    // The foreman stops the system when the last run is in.
    system.run().map_err(|_| SweepError::Lost)?;
    let outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner).take();
    outcome.ok_or(SweepError::Lost)
}

/// What all workers share.
#[derive(Debug)]
struct Stage {
    plan: SweepPlan,
    /// Workloads of runs that vary them: the last one of each worker at most.
    shelf: Mutex<Vec<(Option<WorkloadSpec>, Loaded)>>,
}

impl Stage {
    /// A run's setting in words, as in `policy.idle_grace=5m`.
    fn words(&self, run: usize) -> String {
        let grid = &self.plan.grid;
        let values = grid.values(grid.setting_of(run));
        let pairs = grid.axes().iter().zip(values).map(|(axis, value)| format!("{}={value}", axis.key));
        let words: Vec<String> = pairs.collect();
        if words.is_empty() { "the scenario as written".to_owned() } else { words.join(" ") }
    }

    fn scenario(&self, run: usize) -> Result<Scenario, ScenarioErrors> {
        let grid = &self.plan.grid;
        let mut settings = self.plan.settings.clone();
        settings.extend(grid.overrides(grid.setting_of(run)));
        let mut scenario = self.plan.file.resolve(&settings)?;
        if !grid.axes().iter().any(|axis| axis.key == "seed") {
            scenario.seed = grid.seed_of(run);
        }
        Ok(scenario)
    }

    /// The workload of a scenario: one shared copy of each that is in use.
    fn workload(&self, spec: &Option<WorkloadSpec>) -> Result<Loaded, WorkloadError> {
        let (shared_spec, shared) = &self.plan.workload;
        if spec == shared_spec {
            return Ok(shared.clone());
        }
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, workload)) = shelf.iter().find(|(known, _)| known == spec) {
            return Ok(workload.clone());
        }
        shelf.retain(|(_, workload)| workload.is_in_use());
        let workload = workload::load_or_empty(spec.as_ref())?;
        shelf.push((spec.clone(), workload.clone()));
        Ok(workload)
    }

    fn play(&self, run: usize) -> Outcome {
        let scenario = self.scenario(run)?;
        let workload = self.workload(&scenario.workload)?;
        let options = RunOptions {
            beats: self.plan.beats,
            check_every_fact: self.plan.check_every_fact,
            stop: self.plan.stop,
            gauge: &Gauge::default(),
        };
        let result = run_once(&scenario, &workload, None, options).map_err(|error| SweepError::Run {
            setting: self.words(run),
            seed: scenario.seed,
            error,
        })?;
        let setting = self.plan.grid.setting_of(run);
        let told = CellFinished { items: result.items, simulated: result.end.since(SimTime::ZERO) };
        Ok(Finished { row: RunRow { setting, seed: scenario.seed, metrics: result.metrics }, told })
    }
}

/// Plays runs, one at a time, on a thread of its own.
#[derive(Debug)]
struct Worker {
    stage: Arc<Stage>,
}

impl Actor for Worker {
    type Context = SyncContext<Self>;
}

/// Play a run and tell the foreman.
#[derive(Debug, Message)]
#[rtype(result = "()")]
struct Play {
    run: usize,
    foreman: Addr<Foreman>,
}

impl Handler<Play> for Worker {
    type Result = ();

    fn handle(&mut self, message: Play, _: &mut SyncContext<Self>) {
        let Play { run, foreman } = message;
        // A panic would end this thread without a word, and the sweep would wait for ever.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.stage.play(run))).unwrap_or_else(|panic| {
            let panic = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            Err(SweepError::Panic {
                setting: self.stage.words(run),
                seed: self.stage.plan.grid.seed_of(run),
                panic: panic.unwrap_or("without a message").to_owned(),
            })
        });
        foreman.do_send(Played { run, outcome: Box::new(outcome) });
    }
}

/// A run is over.
#[derive(Debug, Message)]
#[rtype(result = "()")]
struct Played {
    run: usize,
    outcome: Box<Outcome>,
}

/// What a worker gives back.
type Outcome = Result<Finished, SweepError>;

/// A finished run with what its progress is told by.
#[derive(Debug)]
struct Finished {
    row: RunRow,
    told: CellFinished,
}

/// Hands runs out and keeps their rows in the order of the grid, whatever the order in which they finish.
struct Foreman {
    stage: Arc<Stage>,
    workers: usize,
    workers_address: Addr<Worker>,
    progress: Option<Recipient<CellFinished>>,
    told: Arc<Mutex<Option<SweepResult>>>,
    /// The next run to hand out.
    next: usize,
    /// Runs that are being played.
    playing: usize,
    items: u64,
    failed: Option<SweepError>,
    rows: BTreeMap<usize, RunRow>,
}

impl Foreman {
    fn is_stopping(&self) -> bool {
        self.failed.is_some() || self.stage.plan.stop.load(Ordering::Relaxed)
    }

    fn hand_out(&mut self, ctx: &Context<Self>) {
        // One run more than workers, so that none waits for the foreman.
        while self.playing <= self.workers && self.next < self.stage.plan.grid.runs() && !self.is_stopping() {
            self.workers_address.do_send(Play { run: self.next, foreman: ctx.address() });
            self.next += 1;
            self.playing += 1;
        }
        if self.playing == 0 {
            self.finish();
        }
    }

    fn take(&mut self, run: usize, outcome: Outcome) {
        match outcome {
            Ok(Finished { row, told }) => {
                self.items += told.items;
                if let Some(progress) = &self.progress {
                    progress.do_send(told);
                }
                self.rows.insert(run, row);
            }
            Err(SweepError::Run { error: RunError::Interrupted, .. }) => {}
            Err(error) => {
                self.failed.get_or_insert(error);
                // Runs of the other workers are of no use to anybody now.
                self.stage.plan.stop.store(true, Ordering::Relaxed);
            }
        }
    }

    /// All that will come has come.
    fn finish(&mut self) {
        let rows: Vec<RunRow> = std::mem::take(&mut self.rows).into_values().collect();
        let failed = self.failed.take();
        let interrupted = rows.len() < self.stage.plan.grid.runs() && failed.is_none();
        let outcome = SweepResult { rows, interrupted, failed, items: self.items };
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        System::current().stop();
    }
}

impl Actor for Foreman {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        self.hand_out(ctx);
    }
}

impl Handler<Played> for Foreman {
    type Result = ();

    fn handle(&mut self, message: Played, ctx: &mut Context<Self>) {
        self.playing -= 1;
        self.take(message.run, *message.outcome);
        self.hand_out(ctx);
    }
}
