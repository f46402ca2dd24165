//! The metrics of a run: the columns of `summary.csv`, in order. README says what they mean in words.

use std::fmt;
use std::sync::Arc;

use crate::ledger::money::{Cost, Phase};
use crate::ledger::recorder::{Recorder, Setup};
use crate::ledger::records::{AppRecord, ContainerRecord, JobRecord, JobStage, Rejection};
use crate::ledger::waiting::WaitCause;
use crate::rules::billing::Billing;
use crate::rules::machine::HostNames;
use crate::rules::scheduling::Retries;
use crate::time::{SimSpan, SimTime};
use crate::workload::{SkipReason, Workload};

/// A number of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A count.
    Count(u64),
    /// A decimal number in millionths: seconds, hours, ratios, money. Whole numbers of millionths make sums exact and
    /// printing the same everywhere.
    Micros(i128),
    /// Nothing to compute it from; an empty cell, never a zero.
    Unknown,
}

impl Value {
    /// A span in seconds.
    pub fn seconds(span: SimSpan) -> Self {
        Self::Micros(i128::from(span.as_ms()) * 1000)
    }

    /// `numerator / denominator`, rounded to the nearest millionth; unknown if nothing is divided by.
    pub fn ratio(numerator: u128, denominator: u128) -> Self {
        if denominator == 0 {
            return Self::Unknown;
        }
        let micros = (numerator * 1_000_000 * 2 + denominator) / (denominator * 2);
        i128::try_from(micros).map_or(Self::Unknown, Self::Micros)
    }

    /// Money in millionths of the currency.
    pub fn money(micros: u128) -> Self {
        i128::try_from(micros).map_or(Self::Unknown, Self::Micros)
    }

    /// A floating-point number, rounded to the nearest millionth.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates, which is as good as any for 10^32"
    )]
    pub fn decimal(number: f64) -> Self {
        if number.is_finite() { Self::Micros((number * 1e6).round() as i128) } else { Self::Unknown }
    }

    /// The mean of several values; unknown if one of them is. A single value is its own mean.
    pub fn mean(values: impl ExactSizeIterator<Item = Self>) -> Self {
        let count = values.len() as i128;
        let mut sum_micros: i128 = 0;
        for value in values {
            match value {
                Self::Count(_) if count == 1 => return value,
                Self::Count(number) => sum_micros += i128::from(number) * 1_000_000,
                Self::Micros(micros) => sum_micros += micros,
                Self::Unknown => return Self::Unknown,
            }
        }
        if count == 0 {
            return Self::Unknown;
        }
        // To the nearest millionth; all our values are positive.
        Self::Micros((sum_micros * 2 + count).div_euclid(count * 2))
    }

    /// As a floating-point number, for statistics.
    #[expect(clippy::cast_precision_loss, reason = "statistics need no more than 53 bits")]
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(count as f64),
            Self::Micros(micros) => Some(micros as f64 / 1e6),
            Self::Unknown => None,
        }
    }
}

impl fmt::Display for Value {
    /// As it stands in CSV: `.` as decimal point, no needless zeros at the end, nothing where it is unknown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Micros(micros) => write_micros(micros, f),
            Self::Unknown => Ok(()),
        }
    }
}

fn write_micros(micros: i128, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let sign = if micros < 0 { "-" } else { "" };
    let (whole, mut part) = (micros.unsigned_abs() / 1_000_000, micros.unsigned_abs() % 1_000_000);
    if part == 0 {
        return write!(f, "{sign}{whole}.0");
    }
    let mut digits = 6;
    while part.is_multiple_of(10) {
        part /= 10;
        digits -= 1;
    }
    write!(f, "{sign}{whole}.{part:0digits$}")
}

/// A named number of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The column's name; its unit is its last word.
    pub name: &'static str,
    /// The number.
    pub value: Value,
}

const fn metric(name: &'static str, value: Value) -> Metric {
    Metric { name, value }
}

/// All metrics of a closed ledger, in the order of the columns. `beats_total` comes from the beat clocks.
pub fn metrics(recorder: &Recorder, beats_total: u64) -> Vec<Metric> {
    let mut all = job_counts(recorder);
    all.extend(waiting(recorder));
    all.extend(container_waits(recorder));
    all.extend(cluster(recorder));
    all.extend(money(recorder));
    all.extend(disruption(recorder));
    all.push(metric("beats_total", Value::Count(beats_total)));
    all
}

/// The names of all metrics, in the order of the columns.
pub fn columns() -> Vec<&'static str> {
    let nothing = Workload { jobs: vec![], skipped: vec![], unix_start_s: None, digest: String::new() };
    let setup = Setup {
        workload: Arc::new(nothing),
        node_types: Arc::new([]),
        hosts: HostNames::default(),
        apps: Arc::new([]),
        billing: Billing { quantum: SimSpan::MILLISECOND, minimum: SimSpan::ZERO },
        retries: Retries { max_requeues: None, checkpoint_every: None },
        max_nodes: 0,
        check_every_fact: false,
    };
    metrics(&Recorder::new(setup, None), 0).iter().map(|metric| metric.name).collect()
}

/// A job or an application with what became of it.
struct Ran<'a> {
    submit: SimTime,
    /// How long a job runs if nothing disturbs it, and how long an application ran.
    run: SimSpan,
    record: &'a JobRecord,
}

impl Ran<'_> {
    fn wait(&self) -> SimSpan {
        self.record.start.since(self.submit)
    }
}

/// All jobs, and after them all applications.
fn all(recorder: &Recorder) -> impl Iterator<Item = Ran<'_>> {
    let jobs = recorder.setup.workload.jobs.iter().zip(&recorder.jobs);
    let jobs = jobs.map(|(job, record)| Ran { submit: job.submit, run: job.run, record });
    let apps = recorder.setup.apps.iter().zip(&recorder.apps);
    jobs.chain(apps.map(|(app, AppRecord { job: record, .. })| {
        let run = record.end.since(record.start);
        Ran { submit: app.submit, run, record }
    }))
}

fn job_counts(recorder: &Recorder) -> Vec<Metric> {
    let skipped =
        |reason| recorder.setup.workload.skipped.iter().filter(|s| s.reason == reason).count() as u64;
    let at = |wanted: &dyn Fn(JobStage) -> bool| {
        Value::Count(all(recorder).filter(|ran| wanted(ran.record.stage)).count() as u64)
    };
    let rejected_for = |why| at(&|stage| stage == JobStage::Rejected(why));
    vec![
        metric("jobs_loaded", at(&|_| true)),
        metric("jobs_skipped", Value::Count(recorder.setup.workload.skipped.len() as u64)),
        metric("jobs_skipped_no_run_time", Value::Count(skipped(SkipReason::NoRunTime))),
        metric("jobs_skipped_no_processors", Value::Count(skipped(SkipReason::NoProcessors))),
        metric("jobs_rejected", at(&|stage| matches!(stage, JobStage::Rejected(_)))),
        metric("jobs_rejected_too_large", rejected_for(Rejection::TooLarge)),
        metric("jobs_rejected_too_much_memory", rejected_for(Rejection::TooMuchMemory)),
        metric("jobs_completed", at(&|stage| stage == JobStage::Completed)),
        metric("jobs_failed", at(&|stage| stage == JobStage::Failed)),
        metric("jobs_unfinished", at(&|stage| stage.outcome() == "unfinished")),
    ]
}

/// Waiting over completed jobs, of the attempt that finished.
fn waiting(recorder: &Recorder) -> Vec<Metric> {
    let completed = || all(recorder).filter(|ran| ran.record.stage == JobStage::Completed);
    let mut waits_ms: Vec<u64> = completed().map(|ran| ran.wait().as_ms()).collect();
    waits_ms.sort_unstable();
    let mean = |part: &dyn Fn(&JobRecord) -> SimSpan| {
        let sum_ms: u128 = completed().map(|ran| u128::from(part(ran.record).as_ms())).sum();
        Value::ratio(sum_ms, waits_ms.len() as u128 * 1000)
    };
    let mean_cause = |cause| mean(&|record| record.waited.part(cause));
    let wait_sum_ms: u128 = waits_ms.iter().map(|&ms| u128::from(ms)).sum();
    let nearest_rank = |percent| Value::percentile_seconds(&waits_ms, percent);
    vec![
        metric("wait_mean_s", Value::ratio(wait_sum_ms, waits_ms.len() as u128 * 1000)),
        metric("wait_p50_s", nearest_rank(50)),
        metric("wait_p95_s", nearest_rank(95)),
        metric("wait_p99_s", nearest_rank(99)),
        metric("wait_max_s", nearest_rank(100)),
        metric("wait_boot_s", mean_cause(WaitCause::Boot)),
        metric("wait_drain_s", mean_cause(WaitCause::Drain)),
        metric("wait_poll_s", mean_cause(WaitCause::Poll)),
        metric("wait_queue_s", mean_cause(WaitCause::Queue)),
        metric("wait_lost_s", mean(&|record| record.lost)),
        metric("bounded_slowdown_mean", bounded_slowdown_mean(completed())),
    ]
}

/// From the request of a container to its node, over all that got one.
fn container_waits(recorder: &Recorder) -> Vec<Metric> {
    let waited = recorder.containers.iter().filter_map(ContainerRecord::waited);
    let mut waits_ms: Vec<u64> = waited.map(SimSpan::as_ms).collect();
    waits_ms.sort_unstable();
    let sum_ms: u128 = waits_ms.iter().map(|&ms| u128::from(ms)).sum();
    vec![
        metric("container_wait_mean_s", Value::ratio(sum_ms, waits_ms.len() as u128 * 1000)),
        metric("container_wait_p95_s", Value::percentile_seconds(&waits_ms, 95)),
    ]
}

impl Value {
    /// The nearest-rank percentile of sorted milliseconds, in seconds.
    pub(super) fn percentile_seconds(sorted_ms: &[u64], percent: usize) -> Self {
        let rank = (sorted_ms.len() * percent).div_ceil(100);
        match rank.checked_sub(1).and_then(|index| sorted_ms.get(index)) {
            Some(&ms) => Self::seconds(SimSpan::from_ms(ms)),
            None => Self::Unknown,
        }
    }
}

/// Run times below this count as this in the bounded slowdown (Feitelson and Rudolph 1998).
const SLOWDOWN_BOUND_MS: u64 = 10_000;

#[expect(clippy::cast_precision_loss, reason = "a mean of ratios needs no more than 53 bits")]
fn bounded_slowdown_mean<'a>(completed: impl Iterator<Item = Ran<'a>>) -> Value {
    let (mut sum, mut count) = (0.0, 0_u64);
    for ran in completed {
        let (wait_ms, run_ms) = (ran.wait().as_ms(), ran.run.as_ms());
        sum += ((wait_ms + run_ms) as f64 / run_ms.max(SLOWDOWN_BOUND_MS) as f64).max(1.0);
        count += 1;
    }
    if count == 0 { Value::Unknown } else { Value::decimal(sum / count as f64) }
}

fn cluster(recorder: &Recorder) -> Vec<Metric> {
    let first_submit = all(recorder).map(|ran| ran.submit).min();
    let ended = |ran: &Ran<'_>| matches!(ran.record.stage, JobStage::Completed | JobStage::Failed);
    let last_end = all(recorder).filter(ended).map(|ran| ran.record.end).max();
    let makespan = match (first_submit, last_end) {
        (Some(first), Some(last)) => Value::seconds(last.since(first)),
        _ => Value::Unknown,
    };
    let stopped =
        recorder.instances.iter().filter(|instance| instance.gone.is_some_and(|gone| gone < recorder.now));
    vec![
        metric("makespan_s", makespan),
        metric(
            "utilisation_ratio",
            Value::ratio(recorder.core_time.allocated_ms, recorder.core_time.in_service_ms),
        ),
        metric("nodes_booted", Value::Count(recorder.instances.len() as u64 - recorder.granted_initially)),
        metric("nodes_stopped", Value::Count(stopped.count() as u64)),
        metric("nodes_peak", Value::Count(u64::from(recorder.nodes_peak))),
    ]
}

fn money(recorder: &Recorder) -> Vec<Metric> {
    let mut sum = Cost::default();
    for instance in &recorder.instances {
        sum.add(&recorder.cost_of(instance));
    }
    let part = |phase| Value::money(sum.part_micros(phase));
    vec![
        metric("cost_total", Value::money(sum.total_micros)),
        metric("cost_busy", part(Phase::Busy)),
        metric("cost_idle", part(Phase::Idle)),
        metric("cost_boot", part(Phase::Boot)),
        metric("cost_drain", part(Phase::Drain)),
        metric("cost_down", part(Phase::Down)),
        metric("cost_rounding", Value::money(sum.rounding_micros)),
        metric("cost_floor", Value::money(sum.floor_micros)),
    ]
}

/// Milliseconds in an hour.
const HOUR_MS: u128 = 3_600_000;

fn disruption(recorder: &Recorder) -> Vec<Metric> {
    let drains = &recorder.drains;
    let mut spans_ms: Vec<u64> = drains.spans.iter().map(|span| span.as_ms()).collect();
    spans_ms.sort_unstable();
    let loss = drains.total_loss();
    let hours = |ms: u128| Value::ratio(ms, HOUR_MS);
    let drained_ms = spans_ms.iter().map(|&ms| u128::from(ms)).sum();
    let apps = |wanted: &dyn Fn(&AppRecord) -> bool| {
        Value::Count(recorder.apps.iter().filter(|app| wanted(app)).count() as u64)
    };
    vec![
        metric("containers_killed", Value::Count(loss.containers_killed)),
        metric("masters_killed", Value::Count(loss.masters_killed)),
        metric("apps_touched", apps(&|app| app.containers_killed > 0)),
        metric("apps_failed", apps(&|app| app.job.stage == JobStage::Failed)),
        metric("jobs_requeued", Value::Count(recorder.jobs_requeued)),
        metric("lost_core_hours", hours(recorder.lost_core_ms)),
        metric("output_lost_core_hours", hours(loss.output_lost_core_ms)),
        metric("wanted_node_stops", Value::Count(drains.wanted_node_stops)),
        metric("idle_held_hours", hours(u128::from(loss.idle_held.as_ms()))),
        metric("wasted_core_hours", hours(recorder.core_time.free_draining_ms)),
        metric("drains", Value::Count(drains.ordered)),
        metric("drains_ready", Value::Count(drains.ready)),
        metric("drains_timed_out", Value::Count(drains.timed_out)),
        metric("early_exits_with_work", Value::Count(drains.early_exits_with_work)),
        metric("late_allocations", Value::Count(recorder.late_allocations)),
        metric("drain_hours", hours(drained_ms)),
        metric("drain_timed_out_hours", hours(u128::from(drains.timed_out_span.as_ms()))),
        metric("drain_p95_s", Value::percentile_seconds(&spans_ms, 95)),
        metric("node_events_dropped", Value::Count(recorder.events_dropped)),
        metric("node_events_illegal", Value::Count(recorder.events_illegal)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_print_as_spreadsheets_read_them() {
        for (value, text) in [
            (Value::Count(7), "7"),
            (Value::Micros(0), "0.0"),
            (Value::Micros(1_500_000), "1.5"),
            (Value::Micros(-250_000), "-0.25"),
            (Value::Micros(49), "0.000049"),
            (Value::Unknown, ""),
            (Value::ratio(2, 3), "0.666667"),
            (Value::ratio(1, 0), ""),
            (Value::decimal(f64::NAN), ""),
        ] {
            assert_eq!(value.to_string(), text);
        }
    }

    #[test]
    fn means_are_exact_and_unknown_spreads() {
        let mean = |values: &[Value]| Value::mean(values.iter().copied()).to_string();
        assert_eq!(mean(&[Value::Count(3)]), "3");
        assert_eq!(mean(&[Value::Count(3), Value::Count(4)]), "3.5");
        assert_eq!(
            mean(&[Value::Micros(1), Value::Micros(2), Value::Micros(2)]),
            "0.000002",
            "1.67 rounds to 2"
        );
        assert_eq!(mean(&[Value::Count(3), Value::Unknown]), "");
        assert_eq!(mean(&[]), "");
    }

    #[test]
    fn percentiles_are_nearest_rank() {
        // Of 1..=20 s the 95th percentile is the 19th value, the median the 10th (by hand: ceil(p/100 × 20)).
        let sorted_ms: Vec<u64> = (1..=20).map(|s| s * 1000).collect();
        assert_eq!(Value::percentile_seconds(&sorted_ms, 95).to_string(), "19.0");
        assert_eq!(Value::percentile_seconds(&sorted_ms, 50).to_string(), "10.0");
        assert_eq!(Value::percentile_seconds(&sorted_ms, 100).to_string(), "20.0");
        assert_eq!(Value::percentile_seconds(&[], 50), Value::Unknown);
    }
}
