//! The trace of a scenario on its way in: loaded, with what was made of it told.

use super::Failure;
use super::terminal::Terminal;
use crate::ledger::Value;
use crate::report::table::grouped;
use crate::scenario::model::Scenario;
use crate::study::app_never_fits;
use crate::workload::{self, AppTrace, Loaded};

/// How many of the applications that are left out are told one by one; `jobs.csv` has them all.
const TOLD: usize = 3;

/// Loads what the scenario replays, and says what is not played as the trace has it.
pub(super) fn load(scenario: &Scenario, terminal: &Terminal) -> Result<Loaded, Failure> {
    let loaded = workload::load_or_empty(scenario.workload.as_ref())?;
    if let Some((spec, trace)) = scenario.workload.as_ref().zip(loaded.trace.as_ref()) {
        for remark in remarks(scenario, trace) {
            terminal.note(&format!("{}: {remark}", spec.trace.display()));
        }
    }
    Ok(loaded)
}

/// What of a trace is left out or made simpler, a sentence each.
fn remarks(scenario: &Scenario, trace: &AppTrace) -> Vec<String> {
    let counted = |count: u64| grouped(Value::Count(count));
    let mut remarks = Vec::new();
    for app in trace.skipped.iter().take(TOLD) {
        remarks.push(format!("skipped: {app}"));
    }
    if trace.skipped.len() > TOLD {
        let more = counted((trace.skipped.len() - TOLD) as u64);
        remarks.push(format!("skipped: {more} more applications, which `run` lists in jobs.csv"));
    }
    let rejected = trace.apps.iter().filter(|app| app_never_fits(scenario, app).is_some()).count() as u64;
    let simple = trace.simplified;
    // (how many, what of them).
    let counts = [
        (rejected, "applications are rejected: a container of theirs is larger than any node type"),
        (
            simple.homeless_tasks,
            "tasks prefer hosts of the trace, and no node is named: they run anywhere (workload.nodes names nodes)",
        ),
        (simple.opportunistic_tasks, "opportunistic tasks are played as guaranteed ones"),
        (simple.labelled_apps, "applications ask for nodes with a label: they may run on any node"),
    ];
    let some = counts.iter().filter(|(count, _)| *count > 0);
    remarks.extend(some.map(|&(count, what)| format!("{} {what}", counted(count))));
    remarks
}
