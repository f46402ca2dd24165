//! The applications of a run: those of the scenario beside those of its trace, and what is counted of the latter when
//! the trace is loaded. What becomes of them is for the ledger to say.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ledger::{Metric, Value, metrics};
use crate::rules::machine::NodeType;
use crate::scenario::model::Scenario;
use crate::time::SimTime;
use crate::workload::Loaded;
use crate::workload::app::{App, Ask, Master};

/// Each word of [`crate::workload::AppFault::reason`] with the column of `summary.csv` that counts it.
const SKIPPED: [(&str, &str); 9] = [
    ("bad_value", "apps_skipped_bad_value"),
    ("missing_value", "apps_skipped_missing_value"),
    ("no_tasks", "apps_skipped_no_tasks"),
    ("no_run_time", "apps_skipped_no_run_time"),
    ("not_simulated", "apps_skipped_not_simulated"),
    ("bad_name", "apps_skipped_bad_name"),
    ("name_taken", "apps_skipped_name_taken"),
    ("rack_conflict", "apps_skipped_rack_conflict"),
    ("bad_sample", "apps_skipped_bad_sample"),
];

/// All applications that are played: the scenario's, and those of the trace that fit.
pub(super) fn played(scenario: &Scenario, loaded: &Loaded) -> Arc<[Arc<App>]> {
    let of_trace = loaded.apps().iter().filter(|app| !app_never_fits(scenario, app));
    scenario.apps.iter().chain(of_trace).cloned().map(Arc::new).collect()
}

/// Whether a container of an application is larger than any node, so that the application could never end.
pub fn app_never_fits(scenario: &Scenario, app: &App) -> bool {
    let holds = |ask: Ask, node_type: &NodeType| {
        let memory_kib = node_type.memory_bytes.map(|bytes| bytes / 1024);
        ask.cores <= node_type.cores && memory_kib.is_none_or(|kib| ask.memory_kib <= kib)
    };
    let fits = |ask: Ask| scenario.node_types.iter().any(|node_type| holds(ask, node_type));
    let master_fits = match app.master {
        Master::Unmanaged => true,
        Master::Container { ask, .. } => fits(ask),
    };
    !(master_fits && app.tasks.iter().all(|group| fits(group.ask)))
}

/// An application of the trace that has the name of one of the scenario's.
pub(super) fn name_taken<'l>(scenario: &Scenario, loaded: &'l Loaded) -> Option<&'l str> {
    let taken: BTreeSet<&str> = scenario.apps.iter().map(|app| app.name.as_str()).collect();
    loaded.apps().iter().map(|app| app.name.as_str()).find(|name| taken.contains(name))
}

/// An application of the trace that is not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut<'l> {
    /// Its name.
    pub name: &'l str,
    /// When it would have been submitted, if that is known.
    pub submit: Option<SimTime>,
    /// `skipped` or `rejected`.
    pub verdict: &'static str,
    /// Why, in one word.
    pub reason: &'static str,
}

/// The applications of the trace that are not played: those that never fit, then those that were skipped.
pub fn left_out<'l>(scenario: &Scenario, loaded: &'l Loaded) -> Vec<LeftOut<'l>> {
    let rejected = loaded.apps().iter().filter(|app| app_never_fits(scenario, app)).map(|app| LeftOut {
        name: &app.name,
        submit: Some(app.submit),
        verdict: "rejected",
        reason: "too_large",
    });
    let skipped = loaded.skipped_apps().iter().map(|app| LeftOut {
        name: &app.name,
        submit: None,
        verdict: "skipped",
        reason: app.reason.reason(),
    });
    rejected.chain(skipped).collect()
}

/// What is counted of the trace's applications: columns of `summary.csv` behind the ledger's.
pub fn app_counts(scenario: &Scenario, loaded: &Loaded) -> Vec<Metric> {
    let left_out = left_out(scenario, loaded);
    let rejected = loaded.apps().iter().filter(|app| app_never_fits(scenario, app)).count();
    let skipped = |reason| left_out.iter().filter(|app| app.reason == reason).count();
    let totals = [loaded.apps().len(), rejected, loaded.skipped_apps().len()];
    let counts = totals.into_iter().chain(SKIPPED.map(|(reason, _)| skipped(reason)));
    let metric = |(name, count): (_, usize)| Metric { name, value: Value::Count(count as u64) };
    app_columns().zip(counts).map(metric).collect()
}

/// The columns of [`app_counts`].
fn app_columns() -> impl Iterator<Item = &'static str> {
    let totals = ["apps_loaded", "apps_rejected_too_large", "apps_skipped"];
    totals.into_iter().chain(SKIPPED.map(|(_, column)| column))
}

/// The columns of `summary.csv`, in order: the ledger's, then those of the trace's applications.
pub fn columns() -> Vec<&'static str> {
    metrics::columns().into_iter().chain(app_columns()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::AppFault;

    #[test]
    fn every_fault_is_counted_in_one_column() {
        let text = String::new;
        let faults = [
            AppFault::Value { key: text(), found: text(), expected: "" },
            AppFault::Missing { key: text(), expected: "" },
            AppFault::NoTasks { key: text() },
            AppFault::NoRunTime { key: text(), found_ms: 0 },
            AppFault::NotSimulated { kind: text() },
            AppFault::BadName,
            AppFault::NameTaken,
            AppFault::RackConflict { key: text(), host: text(), rack: text(), earlier: text() },
            AppFault::Sampled { key: text(), found: text(), expected: "" },
        ];
        let mut counted: Vec<_> = SKIPPED.iter().map(|(reason, _)| *reason).collect();
        for (fault, (reason, column)) in faults.iter().zip(SKIPPED) {
            assert_eq!(fault.reason(), reason);
            assert_eq!(column, format!("apps_skipped_{reason}"));
        }
        counted.dedup();
        assert_eq!(counted.len(), faults.len());
    }
}
