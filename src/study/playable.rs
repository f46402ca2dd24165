//! What of a scenario this version reads and does not play. A part that is played is taken out of the table.

use crate::rules::drain::{Behaviour, FirstReportRace};
use crate::rules::scheduling::Trigger;
use crate::scenario::model::Scenario;
use crate::study::run_once::RunError;

/// Refuses a scenario with parts that would be left out without a word.
///
/// # Errors
/// [`RunError::NotPlayed`] with all such parts.
pub fn playable(scenario: &Scenario) -> Result<(), RunError> {
    let script = &scenario.script;
    let drain = &scenario.decommission;
    // (what it is called, whether the scenario has it).
    let parts = [
        ("named nodes ([[node]])", !script.nodes.is_empty()),
        ("applications ([[app]])", !scenario.apps.is_empty()),
        ("actions ([[at]])", !script.actions.is_empty()),
        ("hosts files ([lists])", script.include.is_some() || script.exclude.is_some()),
        ("heartbeat.scaling", scenario.heartbeat.scaling.is_some()),
        ("scheduler.trigger", scenario.trigger != Trigger::Pass),
        ("decommission.poll_offset", !drain.poll_offset.is_zero()),
        ("decommission.wait_for_applications", !drain.wait_for_applications),
        ("decommission.wait_for_app_masters", !drain.wait_for_app_masters),
        ("decommission.delay", !drain.delay.is_zero()),
        ("decommission.first_report_race", drain.first_report_race != FirstReportRace::Faithful),
        ("decommission.behaviour", drain.behaviour != Behaviour::Source),
        ("decommission.status_log", drain.status_log),
    ];
    let unplayed: Vec<_> = parts.iter().filter(|(_, is_there)| *is_there).map(|(what, _)| *what).collect();
    if unplayed.is_empty() { Ok(()) } else { Err(RunError::NotPlayed(unplayed.join(", "))) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::ScenarioFile;

    const STAGE: &str = "[workload]\ntrace = \"log.swf\"\n[[node_type]]\nname = \"n4\"\ncores = 4\n\
                         [cluster]\nmax_nodes = 3\n";

    fn verdict(lines: &str) -> Result<(), String> {
        let file = ScenarioFile::from_text(Path::new("case.toml"), &format!("{STAGE}{lines}"));
        let scenario = file.and_then(|file| file.resolve(&[])).unwrap_or_else(|errors| panic!("{errors}"));
        playable(&scenario).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_played_is_refused_by_name_and_the_rest_is_not() {
        assert_eq!(verdict(""), Ok(()));
        assert_eq!(verdict("[heartbeat]\ncheck_offset = \"5s\"\nscaling = false\n"), Ok(()));
        for (lines, part) in [
            ("[[node]]\nname = \"h1\"", "[[node]]"),
            ("[[app]]\nname = \"work\"", "[[app]]"),
            ("[[at]]\ntime = \"1s\"\nforceful = true", "[[at]]"),
            ("[lists]\ninclude = \"in\"", "[lists]"),
            ("[heartbeat]\nscaling = true", "heartbeat.scaling"),
            ("[scheduler]\ntrigger = \"async\"", "scheduler.trigger"),
            ("[decommission]\npoll_offset = \"1s\"", "poll_offset"),
            ("[decommission]\nwait_for_applications = false", "wait_for_applications"),
            ("[decommission]\nwait_for_app_masters = false", "wait_for_app_masters"),
            ("[decommission]\ndelay = \"1s\"", "delay"),
            ("[decommission]\nfirst_report_race = \"fixed\"", "first_report_race"),
            ("[decommission]\nbehaviour = \"page\"", "behaviour"),
            ("[decommission]\nstatus_log = true", "status_log"),
        ] {
            let message = verdict(lines).expect_err(lines);
            assert!(message.contains(part) && message.contains("read but not played"), "{message}");
        }
        let both = verdict("[[node]]\nname = \"h1\"\n[decommission]\nstatus_log = true");
        let both = both.expect_err("two parts are not played");
        assert!(both.starts_with("named nodes ([[node]]), decommission.status_log: such parts"), "{both}");
    }
}
