//! `ebbtide check`: reads a scenario and its job log and says what they are. It writes nothing.

use serde_json::{Map, json};

use super::args::CheckArgs;
use super::terminal::Terminal;
use super::{Failure, expect_a_job_that_fits, trace};
use crate::ledger::{Metric, Rejection, Value};
use crate::report::json::SCHEMA;
use crate::report::table::grouped;
use crate::rules::machine::{BootTime, NodeType};
use crate::scenario::model::{Scenario, SweepSpec};
use crate::scenario::{Explained, ScenarioFile, resolved_toml};
use crate::study::{app_never_fits, columns, names_differ, never_fits, skipped_apps};
use crate::workload::{Loaded, SkipReason};

/// Checks what a run or a sweep of the scenario would check before it begins.
pub(super) fn check(args: &CheckArgs, terminal: &Terminal) -> Result<(), Failure> {
    let file = ScenarioFile::read(&args.scenario.path)?;
    let settings = args.scenario.settings()?;
    let scenario = file.resolve(&settings)?;
    terminal.warn(&file.warnings(&settings));
    let columns = columns();
    let sweep = file.sweep(&[], &settings, &columns)?;
    let mut keys = file.explain(&settings)?;
    if args.explain {
        keys.extend(file.explain_sweep(&[], &settings, &columns)?);
        terminal.print(&resolved_toml(&keys))?;
    }
    let loaded = trace::load(&scenario, terminal)?;
    expect_a_job_that_fits(&scenario, &loaded)?;
    if args.explain {
        return Ok(());
    }
    names_differ(&scenario, &loaded)?;
    let counts = counts(&scenario, &loaded);
    let skipped_apps = skipped_apps(&loaded);
    if terminal.json {
        let of_jobs = counts.iter().map(|&(name, count)| (name.to_owned(), count.into()));
        let of_apps = skipped_apps.iter().map(|metric| (metric.name.to_owned(), count_of(metric).into()));
        let counts: Map<_, _> = of_jobs.chain(of_apps).collect();
        let object = json!({
            "schema": SCHEMA,
            "scenario": scenario.name,
            "workload": counts,
            "sweep_runs": sweep_runs(&sweep),
        });
        return terminal.print(&format!("{object}\n"));
    }
    terminal.show(&format!(
        "{}: can be played\n\
         jobs       {}{}\n\
         nodes      {} to {}{}\n\
         scheduler  {}, {}\n\
         policy     {}, polls each {}\n\
         sweep      {}\n",
        scenario.name,
        jobs_in_words(&counts),
        apps_in_words(&skipped_apps),
        scenario.policy.min_nodes,
        scenario.policy.max_nodes,
        scenario.node_types.iter().map(type_in_words).collect::<String>(),
        word(&keys, "scheduler.discipline"),
        word(&keys, "scheduler.placement"),
        word(&keys, "policy.kind"),
        scenario.policy.poll,
        sweep_in_words(&sweep),
    ))
}

/// The columns of `summary.csv` that are known before a run.
type Counts = [(&'static str, u64); 7];

fn counts(scenario: &Scenario, loaded: &Loaded) -> Counts {
    let workload = &loaded.jobs;
    let skipped = |reason| workload.skipped.iter().filter(|skipped| skipped.reason == reason).count() as u64;
    let jobs = workload.jobs.iter().filter_map(|job| never_fits(scenario, job));
    let apps = || scenario.apps.iter().chain(loaded.apps());
    let rejections: Vec<_> = jobs.chain(apps().filter_map(|app| app_never_fits(scenario, app))).collect();
    let rejected = |why| rejections.iter().filter(|rejection| **rejection == why).count() as u64;
    [
        ("jobs_loaded", (workload.jobs.len() + apps().count()) as u64),
        ("jobs_skipped", workload.skipped.len() as u64),
        ("jobs_skipped_no_run_time", skipped(SkipReason::NoRunTime)),
        ("jobs_skipped_no_processors", skipped(SkipReason::NoProcessors)),
        ("jobs_rejected", rejections.len() as u64),
        ("jobs_rejected_too_large", rejected(Rejection::TooLarge)),
        ("jobs_rejected_too_much_memory", rejected(Rejection::TooMuchMemory)),
    ]
}

fn jobs_in_words(counts: &Counts) -> String {
    let [loaded, skipped, no_run_time, no_processors, rejected, too_large, too_much_memory] =
        counts.map(|(_, count)| grouped(Value::Count(count)));
    format!(
        "{loaded} loaded, of which rejected: {rejected} (too large: {too_large}, too much memory: \
         {too_much_memory})\n           lines left out: {skipped} (no run time: {no_run_time}, no processors: \
         {no_processors})"
    )
}

fn count_of(metric: &Metric) -> u64 {
    match metric.value {
        Value::Count(count) => count,
        Value::Micros(_) | Value::Unknown => 0,
    }
}

/// The applications of the trace that were skipped, with each count that is not zero; nothing if there are none.
fn apps_in_words(counts: &[Metric]) -> String {
    let some = counts.iter().filter(|metric| count_of(metric) > 0);
    let words = some.map(|metric| {
        let what = metric.name.trim_start_matches("apps_").replace('_', " ");
        format!("{what}: {}", grouped(metric.value))
    });
    let words: Vec<_> = words.collect();
    if words.is_empty() { String::new() } else { format!("\n           applications {}", words.join(", ")) }
}

fn type_in_words(node_type: &NodeType) -> String {
    let price = Value::money(node_type.price_per_hour_micros.into());
    let boot = match node_type.boot {
        BootTime::Fixed(span) => span.to_string(),
        BootTime::Uniform(low, high) => format!("{low} to {high}"),
        BootTime::LogNormal { median, p95 } => format!("{median} (median; 95 % within {p95})"),
    };
    let (name, stop) = (&node_type.name, node_type.stop);
    let cores = if node_type.cores == 1 { "1 core".to_owned() } else { format!("{} cores", node_type.cores) };
    let memory = node_type
        .memory_bytes
        .map_or(String::new(), |bytes| format!(", {} bytes of memory", grouped(Value::Count(bytes))));
    format!("\n           {name}: {cores}{memory}, {price} an hour, boots in {boot}, stops in {stop}")
}

/// The word that a key has in the scenario.
fn word<'k>(keys: &'k [Explained], path: &str) -> &'k str {
    let key = keys.iter().find(|key| key.key == path).and_then(Explained::toml);
    key.unwrap_or_default().trim_matches('"')
}

/// How many runs a sweep has, with those of a baseline outside the grid.
fn sweep_runs(sweep: &SweepSpec) -> u64 {
    let grid: u64 = sweep.vary.iter().map(|axis| axis.values.len() as u64).product();
    let outside = u64::from(sweep.baseline_cell.is_none());
    (grid + outside) * u64::from(sweep.seeds)
}

fn sweep_in_words(sweep: &SweepSpec) -> String {
    if sweep.vary.is_empty() {
        return "nothing is varied".to_owned();
    }
    let axes: Vec<_> = sweep.vary.iter().map(|axis| format!("{} {}", axis.values.len(), axis.key)).collect();
    let outside = if sweep.baseline_cell.is_none() { " and the baseline" } else { "" };
    let seeds = if sweep.seeds == 1 { "1 seed".to_owned() } else { format!("{} seeds", sweep.seeds) };
    let runs = grouped(Value::Count(sweep_runs(sweep)));
    format!("{}{outside}, {seeds}: {runs} runs", axes.join(" × "))
}
