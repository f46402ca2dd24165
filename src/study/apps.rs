//! The applications of a run: those of the scenario beside those of its trace, and what is counted of the latter when
//! the trace is loaded. What becomes of them is for the ledger to say.

use std::collections::BTreeSet;
use std::iter;
use std::sync::Arc;

use crate::ledger::{Metric, Value, metrics};
use crate::scenario::model::Scenario;
use crate::study::run_once::RunError;
use crate::workload::Loaded;
use crate::workload::app::App;

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

/// All applications: the scenario's, and those of the trace.
pub(super) fn played(scenario: &Scenario, loaded: &Loaded) -> Arc<[Arc<App>]> {
    scenario.apps.iter().chain(loaded.apps()).cloned().map(Arc::new).collect()
}

/// Refuses a trace with an application that has the name of one of the scenario's.
///
/// # Errors
/// [`RunError::NameTaken`] with the first one.
pub fn names_differ(scenario: &Scenario, loaded: &Loaded) -> Result<(), RunError> {
    let own: BTreeSet<&str> = scenario.apps.iter().map(|app| app.name.as_str()).collect();
    let taken = loaded.apps().iter().find(|app| own.contains(app.name.as_str()));
    match (&scenario.workload, taken) {
        (Some(spec), Some(app)) => {
            Err(RunError::NameTaken { trace: spec.trace.clone(), name: app.name.clone() })
        }
        (_, None) | (None, Some(_)) => Ok(()),
    }
}

/// The applications of the trace that were skipped, counted by reason: columns of `summary.csv` behind the ledger's.
pub fn skipped_apps(loaded: &Loaded) -> Vec<Metric> {
    let skipped = loaded.skipped_apps();
    let for_reason = |reason| skipped.iter().filter(|app| app.reason.reason() == reason).count();
    let counts = iter::once(skipped.len()).chain(SKIPPED.map(|(reason, _)| for_reason(reason)));
    let metric = |(name, count): (_, usize)| Metric { name, value: Value::Count(count as u64) };
    app_columns().zip(counts).map(metric).collect()
}

/// The columns of [`skipped_apps`].
fn app_columns() -> impl Iterator<Item = &'static str> {
    iter::once("apps_skipped").chain(SKIPPED.map(|(_, column)| column))
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
