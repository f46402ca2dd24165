//! A small scenario with its jobs as plain numbers: what random tests draw, and what an oracle reads.

use std::fmt::Write as _;
use std::sync::Arc;

use ebbtide::engine::BeatMode;
use ebbtide::scenario::model::Scenario;
use ebbtide::study::RunError;
use ebbtide::time::{SimSpan, SimTime};
use ebbtide::workload::{Job, Workload};

use super::{Played, play, scenario};

/// A node type. Spans in milliseconds.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) cores: u32,
    /// `None`: not counted.
    pub(crate) memory_mib: Option<u32>,
    pub(crate) price_millis: u64,
    pub(crate) boot: Boot,
    /// Of 10 boots, how many fail.
    pub(crate) failing_tenths: u32,
    pub(crate) stop_ms: u64,
}

/// A boot time. Spans in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Boot {
    Fixed(u64),
    Uniform(u64, u64),
    LogNormal(u64, u64),
}

/// A job. Spans in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) submit_ms: u64,
    pub(crate) run_ms: u64,
    pub(crate) requested_ms: u64,
    pub(crate) cores: u32,
    pub(crate) memory_mib_per_core: u32,
}

/// A scenario with its jobs. Spans in milliseconds; `None` is never.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) min_nodes: u32,
    pub(crate) max_nodes: u32,
    pub(crate) quantum_ms: u64,
    pub(crate) minimum_ms: u64,
    pub(crate) interval_ms: u64,
    pub(crate) easy: bool,
    pub(crate) placement: &'static str,
    pub(crate) policy: &'static str,
    pub(crate) poll_ms: u64,
    pub(crate) idle_grace_ms: Option<u64>,
    pub(crate) boot_grace_ms: Option<u64>,
    pub(crate) report_age_ms: u64,
    /// Closed and open parts; empty: always open.
    pub(crate) windows_ms: Vec<u64>,
    pub(crate) matrix: &'static str,
    pub(crate) mapping: &'static str,
    pub(crate) drain_timeout_ms: Option<u64>,
    pub(crate) watcher_poll_ms: u64,
    pub(crate) max_requeues: Option<u32>,
    pub(crate) checkpoint_every_ms: Option<u64>,
    pub(crate) horizon_ms: Option<u64>,
}

/// A span as it is written.
pub(crate) fn span(ms: Option<u64>) -> String {
    ms.map_or_else(|| "\"never\"".to_owned(), |ms| format!("\"{ms}ms\""))
}

impl World {
    /// One node of one core, one job of one core for 10 s, a policy that does nothing: to be changed where it matters.
    pub(crate) fn plain() -> Self {
        Self {
            seed: 1,
            kinds: vec![Kind::plain(1)],
            tasks: vec![Task::plain(0, 10, 1)],
            min_nodes: 1,
            max_nodes: 1,
            quantum_ms: 1,
            minimum_ms: 0,
            interval_ms: 1000,
            easy: false,
            placement: "pack",
            policy: "none",
            poll_ms: 60_000,
            idle_grace_ms: Some(900_000),
            boot_grace_ms: Some(600_000),
            report_age_ms: 0,
            windows_ms: Vec::new(),
            matrix: "page",
            mapping: "page",
            drain_timeout_ms: Some(3_600_000),
            watcher_poll_ms: 20_000,
            max_requeues: None,
            checkpoint_every_ms: None,
            horizon_ms: None,
        }
    }

    /// The scenario file.
    pub(crate) fn toml(&self) -> String {
        let mut out = format!("seed = {}\nhorizon = {}\n", self.seed, span(self.horizon_ms));
        let requeues = self.max_requeues.map_or_else(|| "\"never\"".to_owned(), |most| most.to_string());
        write!(
            out,
            "[workload]\ntrace = \"unused.swf\"\nmax_requeues = {requeues}\ncheckpoint_every = {}\n\
             [cluster]\nmin_nodes = {}\nmax_nodes = {}\n[billing]\nquantum = \"{}ms\"\nminimum = \"{}ms\"\n\
             [heartbeat]\ninterval = \"{}ms\"\n[scheduler]\ndiscipline = \"{}\"\nplacement = \"{}\"\n",
            span(self.checkpoint_every_ms),
            self.min_nodes,
            self.max_nodes,
            self.quantum_ms,
            self.minimum_ms,
            self.interval_ms,
            if self.easy { "easy" } else { "fifo" },
            self.placement,
        )
        .unwrap();
        let windows: Vec<String> = self.windows_ms.iter().map(|ms| format!("\"{ms}ms\"")).collect();
        let windows =
            if windows.is_empty() { "\"always\"".to_owned() } else { format!("[{}]", windows.join(", ")) };
        write!(
            out,
            "[policy]\nkind = \"{}\"\npoll = \"{}ms\"\nidle_grace = {}\nboot_grace = {}\nreport_age = \"{}ms\"\n\
             shutdown_windows = {windows}\nmatrix = \"{}\"\nmapping = \"{}\"\n\
             [decommission]\ntimeout = {}\npoll = \"{}ms\"\n",
            self.policy,
            self.poll_ms,
            span(self.idle_grace_ms),
            span(self.boot_grace_ms),
            self.report_age_ms,
            self.matrix,
            self.mapping,
            span(self.drain_timeout_ms),
            self.watcher_poll_ms,
        )
        .unwrap();
        for (kind, number) in self.kinds.iter().zip(1..) {
            kind.write(number, &mut out);
        }
        out
    }

    /// The scenario.
    pub(crate) fn scenario(&self) -> Scenario {
        scenario("tests", &self.toml(), &[])
    }

    /// The jobs: number k of the log is the k-th task.
    pub(crate) fn workload(&self) -> Arc<Workload> {
        let jobs = self.tasks.iter().zip(1..).map(|(task, id)| Job {
            id,
            submit: SimTime::from_ms(task.submit_ms),
            run: SimSpan::from_ms(task.run_ms),
            requested: SimSpan::from_ms(task.requested_ms),
            cores: task.cores,
            memory_per_core_kib: task.memory_mib_per_core * 1024,
        });
        let (skipped, digest) = (Vec::new(), String::new());
        Arc::new(Workload { jobs: jobs.collect(), skipped, unix_start_s: None, digest })
    }

    /// Plays it.
    pub(crate) fn play(&self, beats: BeatMode) -> Result<Played, RunError> {
        play(&self.scenario(), &self.workload(), beats)
    }

    /// Plays it; it must come to its end.
    pub(crate) fn played(&self) -> Played {
        self.play(BeatMode::Lazy).unwrap_or_else(|error| panic!("{error}"))
    }
}

impl Kind {
    /// A type of so many cores that boots and stops at once and costs 3.6 an hour: 1,000 millionths a second.
    pub(crate) fn plain(cores: u32) -> Self {
        let boot = Boot::Fixed(0);
        Self { cores, memory_mib: None, price_millis: 3600, boot, failing_tenths: 0, stop_ms: 0 }
    }

    fn write(&self, number: usize, out: &mut String) {
        let boot = match self.boot {
            Boot::Fixed(ms) => format!("\"{ms}ms\""),
            Boot::Uniform(low, high) => format!("{{ uniform = [\"{low}ms\", \"{high}ms\"] }}"),
            Boot::LogNormal(median, p95) => format!("{{ median = \"{median}ms\", p95 = \"{p95}ms\" }}"),
        };
        let (price, millis) = (self.price_millis / 1000, self.price_millis % 1000);
        write!(
            out,
            "[[node_type]]\nname = \"t{number}\"\ncores = {}\nprice_per_hour = {price}.{millis:03}\n\
             boot = {boot}\nboot_failure = {}.{}\nstop = \"{}ms\"\n",
            self.cores,
            self.failing_tenths / 10,
            self.failing_tenths % 10,
            self.stop_ms,
        )
        .unwrap();
        if let Some(mib) = self.memory_mib {
            writeln!(out, "memory = \"{mib}MiB\"").unwrap();
        }
    }
}

impl Task {
    /// A job of so many cores, submitted at and running for so many seconds, as requested.
    pub(crate) fn plain(submit_s: u64, run_s: u64, cores: u32) -> Self {
        let run_ms = run_s * 1000;
        Self { submit_ms: submit_s * 1000, run_ms, requested_ms: run_ms, cores, memory_mib_per_core: 0 }
    }
}
