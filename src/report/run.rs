//! The tables of one run: `summary.csv`, `jobs.csv` and `nodes.csv`.
//!
//! A cell is empty where nothing is known or nothing happened; it is never a zero in such a place. In `jobs.csv`:
//!
//! - There is a row for each loaded job, in the workload's order, then one for each application, and after them one
//!   for each skipped line of the log and each skipped application of the trace. A skipped line has its number, its
//!   submit time (negative if before the first loaded job's) and its outcome; a skipped application its name and its
//!   outcome.
//! - `start_s`, `end_s`, `run_s` and `nodes` are those of the attempt that ended the job, or that runs when the run
//!   ends; a job that waits then has none, even if an earlier attempt was killed.
//! - `wait_s` and its parts belong to an attempt that finished: they are empty unless the job completed. The parts add
//!   up to `wait_s`.
//! - An application starts when its first master gets a container (one without a master's container: at its
//!   submission). Its `cores` are the most that it held at once, its `nodes` all that it had containers on, and each
//!   further attempt of its master is a requeue.
//! - `requeues` and `lost_core_s` count for every loaded job, whatever became of it.
//!
//! In `nodes.csv`, `decommissioned_s` is when the node left service, in whatever way (`cause` says which); `up_s` is
//! when its agent registered; `drain_timeout_s` is what its last drain went by (`never`: without limit); what was
//! killed and lost is what went with the node over all its lives; `gone_s` is empty for an instance that was still up
//! when the run ended.

use std::io::{self, Write};

use crate::ledger::money::Phase;
use crate::ledger::waiting::WaitCause;
use crate::ledger::{InstanceRecord, JobRecord, JobStage, Metric, NodeLoss, Recorder, Value};
use crate::report::rows::Rows;
use crate::rules::machine::NodeId;
use crate::time::{SimSpan, SimTime};
use crate::workload::{SkipReason, Skipped, SkippedApp};

/// A table with a row for each run: `summary.csv`, and `runs.csv` of a sweep.
pub struct SummaryRows<W: Write> {
    rows: Rows<W>,
}

impl<W: Write> SummaryRows<W> {
    /// Begins the table: `varied` are the dotted paths of the varied settings, `metrics` the names of the metrics.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn begin<'n>(
        out: W,
        varied: impl IntoIterator<Item = &'n str>,
        metrics: impl IntoIterator<Item = &'n str>,
    ) -> io::Result<Self> {
        let names = ["scenario", "seed"].into_iter().chain(varied).chain(metrics);
        Ok(Self { rows: Rows::begin(out, names)? })
    }

    /// Adds a run: `varied` are the values of the varied settings as written.
    ///
    /// # Errors
    /// If what is written to fails, or the row has more or fewer cells than the header.
    pub fn add<'v>(
        &mut self,
        scenario: &str,
        seed: u64,
        varied: impl IntoIterator<Item = &'v str>,
        metrics: &[Metric],
    ) -> io::Result<()> {
        self.rows.foreign(scenario).count(seed);
        for value in varied {
            self.rows.foreign(value);
        }
        for metric in metrics {
            self.rows.value(metric.value);
        }
        self.rows.end()
    }

    /// Ends the table.
    ///
    /// # Errors
    /// If what is written to fails.
    pub fn finish(self) -> io::Result<()> {
        self.rows.finish()
    }
}

/// Writes `summary.csv` of a single run.
///
/// # Errors
/// If `out` fails.
pub fn summary(out: impl Write, scenario: &str, seed: u64, metrics: &[Metric]) -> io::Result<()> {
    let mut rows = SummaryRows::begin(out, [], metrics.iter().map(|metric| metric.name))?;
    rows.add(scenario, seed, [], metrics)?;
    rows.finish()
}

const JOB_COLUMNS: [&str; 17] = [
    "job",
    "kind",
    "submit_s",
    "start_s",
    "end_s",
    "wait_s",
    "wait_boot_s",
    "wait_drain_s",
    "wait_poll_s",
    "wait_queue_s",
    "wait_lost_s",
    "run_s",
    "cores",
    "nodes",
    "requeues",
    "lost_core_s",
    "outcome",
];

/// Writes `jobs.csv`; `skipped_apps` are the applications of the trace that were left out.
///
/// # Errors
/// If `out` fails.
pub fn jobs(out: impl Write, ledger: &Recorder, skipped_apps: &[SkippedApp]) -> io::Result<()> {
    let workload = &ledger.setup().workload;
    let mut rows = Rows::begin(out, JOB_COLUMNS)?;
    for (job, record) in workload.jobs.iter().zip(ledger.jobs()) {
        let (submit, cores, nodes) = (job.submit, job.cores, record.nodes);
        rows.count(job.id);
        JobRow { kind: "batch", submit, cores, nodes, record }.write(&mut rows)?;
    }
    for (app, record) in ledger.setup().apps.iter().zip(ledger.apps()) {
        let (submit, cores) = (app.submit, record.peak_cores);
        let nodes = u32::try_from(record.nodes.len()).expect("nodes are 32 bits");
        rows.foreign(&app.name);
        JobRow { kind: "app", submit, cores, nodes, record: &record.job }.write(&mut rows)?;
    }
    for skipped in &workload.skipped {
        skipped_row(&mut rows, skipped)?;
    }
    for app in skipped_apps {
        skipped_app_row(&mut rows, app)?;
    }
    rows.finish()
}

/// What a job and an application have alike in a row.
struct JobRow<'a> {
    kind: &'static str,
    submit: SimTime,
    cores: u32,
    nodes: u32,
    record: &'a JobRecord,
}

impl JobRow<'_> {
    /// Writes all but the name.
    fn write<W: Write>(&self, rows: &mut Rows<W>) -> io::Result<()> {
        let record = self.record;
        let ended = matches!(record.stage, JobStage::Completed | JobStage::Failed);
        let started = ended || record.stage == JobStage::Running;
        rows.text(self.kind).instant(self.submit);
        rows.instant_if(started.then_some(record.start)).instant_if(ended.then_some(record.end));
        if record.stage == JobStage::Completed {
            span(rows, record.start.since(self.submit));
            for cause in [WaitCause::Boot, WaitCause::Drain, WaitCause::Poll, WaitCause::Queue] {
                span(rows, record.waited.part(cause));
            }
            span(rows, record.lost);
        } else {
            rows.empty().empty().empty().empty().empty().empty();
        }
        if ended {
            span(rows, record.end.since(record.start));
        } else {
            rows.empty();
        }
        rows.count(self.cores.into());
        if started {
            rows.count(self.nodes.into());
        } else {
            rows.empty();
        }
        rows.count(record.requeues.into()).thousandths(record.lost_core_ms).text(record.stage.outcome());
        rows.end()
    }
}

fn skipped_row<W: Write>(rows: &mut Rows<W>, skipped: &Skipped) -> io::Result<()> {
    let sign = if skipped.submit_ms < 0 { "-" } else { "" };
    let ms = skipped.submit_ms.unsigned_abs();
    rows.count(skipped.id).text("batch").shown(format_args!("{sign}{}.{:03}", ms / 1000, ms % 1000));
    for _ in 3..JOB_COLUMNS.len() - 1 {
        rows.empty();
    }
    rows.text(match skipped.reason {
        SkipReason::NoRunTime => "skipped_no_run_time",
        SkipReason::NoProcessors => "skipped_no_processors",
    });
    rows.end()
}

fn skipped_app_row<W: Write>(rows: &mut Rows<W>, app: &SkippedApp) -> io::Result<()> {
    rows.foreign(&app.name).text("app");
    for _ in 2..JOB_COLUMNS.len() - 1 {
        rows.empty();
    }
    rows.shown(format_args!("skipped_{}", app.reason.reason()));
    rows.end()
}

fn span<W: Write>(rows: &mut Rows<W>, span: SimSpan) {
    rows.thousandths(span.as_ms());
}

fn core_seconds<W: Write>(rows: &mut Rows<W>, core_ms: u128) {
    rows.thousandths(u64::try_from(core_ms).unwrap_or(u64::MAX));
}

/// The columns of `nodes.csv` up to the parts of the cost.
const NODE_COLUMNS: [&str; 16] = [
    "node",
    "type",
    "requested_s",
    "up_s",
    "drain_start_s",
    "drain_timeout_s",
    "drain_status",
    "decommissioned_s",
    "gone_s",
    "cause",
    "containers_killed",
    "masters_killed",
    "lost_core_s",
    "output_lost_core_s",
    "idle_held_s",
    "cost_total",
];

/// Writes `nodes.csv`: a row for each instance, in the order of grants.
///
/// # Errors
/// If `out` fails.
pub fn nodes(out: impl Write, ledger: &Recorder) -> io::Result<()> {
    let parts = Phase::ALL.map(|phase| format!("cost_{}", phase.name()));
    let parts = parts.iter().map(String::as_str).chain(["cost_rounding"]);
    let mut rows = Rows::begin(out, NODE_COLUMNS.into_iter().chain(parts))?;
    for (instance, node) in ledger.instances().iter().zip((0..).map(NodeId)) {
        rows.host(ledger.setup().hosts.of(node));
        node_row(&mut rows, instance, ledger.loss_of(node), ledger)?;
    }
    rows.finish()
}

fn node_row<W: Write>(
    rows: &mut Rows<W>,
    instance: &InstanceRecord,
    loss: NodeLoss,
    ledger: &Recorder,
) -> io::Result<()> {
    let kind = &ledger.setup().node_types[instance.kind.index()];
    rows.foreign(&kind.name).instant(instance.granted).instant_if(instance.up);
    rows.instant_if(instance.drain_start);
    match instance.drain_timeout {
        Some(Some(timeout)) => span(rows, timeout),
        Some(None) => _ = rows.text("never"),
        None => _ = rows.empty(),
    }
    rows.text(if instance.drain_start.is_some() { instance.drain_status.name() } else { "" });
    rows.instant_if(instance.out_of_service).instant_if(instance.gone);
    rows.text(instance.cause.map_or("", |cause| cause.name()));
    rows.count(loss.containers_killed).count(loss.masters_killed);
    core_seconds(rows, loss.lost_core_ms);
    core_seconds(rows, loss.output_lost_core_ms);
    span(rows, loss.idle_held);
    let cost = ledger.cost_of(instance);
    rows.value(Value::money(cost.total_micros));
    for phase in Phase::ALL {
        rows.value(Value::money(cost.part_micros(phase)));
    }
    rows.value(Value::money(cost.rounding_micros));
    rows.end()
}
