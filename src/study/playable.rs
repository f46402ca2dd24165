//! What of a scenario this version reads and does not play. A part that is played is taken out of the table.

use crate::scenario::model::Scenario;
use crate::study::apps::name_taken;
use crate::study::run_once::RunError;
use crate::workload::Loaded;

/// Refuses a scenario with parts that would be left out without a word, and a trace that does not go with it.
///
/// # Errors
/// [`RunError::NotPlayed`] with all such parts; [`RunError::NameTaken`].
pub fn playable(scenario: &Scenario, loaded: &Loaded) -> Result<(), RunError> {
    if let Some((spec, name)) = scenario.workload.as_ref().zip(name_taken(scenario, loaded)) {
        return Err(RunError::NameTaken { trace: spec.trace.clone(), name: name.to_owned() });
    }
    // (what it is called, whether the scenario has it).
    let parts = [("heartbeat.scaling", scenario.heartbeat.scaling.is_some())];
    let unplayed: Vec<_> = parts.iter().filter(|(_, is_there)| *is_there).map(|(what, _)| *what).collect();
    if unplayed.is_empty() { Ok(()) } else { Err(RunError::NotPlayed(unplayed.join(", "))) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::ScenarioFile;
    use crate::workload::load_or_empty;

    const STAGE: &str = "[workload]\ntrace = \"log.swf\"\n[[node_type]]\nname = \"n4\"\ncores = 4\n\
                         [cluster]\nmax_nodes = 3\n";

    fn verdict(lines: &str) -> Result<(), String> {
        let file = ScenarioFile::from_text(Path::new("case.toml"), &format!("{STAGE}{lines}"));
        let scenario = file.and_then(|file| file.resolve(&[])).unwrap_or_else(|errors| panic!("{errors}"));
        let nothing = load_or_empty(None).expect("nothing is read");
        playable(&scenario, &nothing).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_played_is_refused_by_name_and_the_rest_is_not() {
        assert_eq!(verdict(""), Ok(()));
        assert_eq!(verdict("[heartbeat]\ncheck_offset = \"5s\"\nscaling = false\n"), Ok(()));
        for (lines, part) in [("[heartbeat]\nscaling = true", "heartbeat.scaling")] {
            let message = verdict(lines).expect_err(lines);
            assert!(message.contains(part) && message.contains("read but not played"), "{message}");
        }
    }
}
