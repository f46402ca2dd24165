//! Stories of three named nodes, told by subject.

use std::sync::Arc;

use ebbtide::engine::BeatMode;
use ebbtide::workload::Workload;

use crate::support::scratch::Scratch;
use crate::support::{Played, play_text, scenario};

/// Three nodes h1, h2, h3 that register at 0 and beat each second. Expiry 30 s, so checks at 10, 20, 30 s …
pub(crate) const STAGE: &str = "\
[[node_type]]
name = \"n4\"
cores = 4
[cluster]
max_nodes = 4
[policy]
kind = \"none\"
[heartbeat]
expiry = \"30s\"
[[node]]
name = \"h1\"
[[node]]
name = \"h2\"
[[node]]
name = \"h3\"
";

/// The states that are counted, with the letters of yarn.md 10.
const COUNTERS: [(&str, char); 7] = [
    ("RUNNING", 'A'),
    ("DECOMMISSIONING", 'G'),
    ("DECOMMISSIONED", 'D'),
    ("LOST", 'L'),
    ("UNHEALTHY", 'U'),
    ("REBOOTED", 'B'),
    ("SHUTDOWN", 'S'),
];

/// What is told of each RMNode, agent and list, as `time subject event from>to`.
pub(crate) struct Told {
    rows: Vec<String>,
    played: Played,
}

impl Told {
    pub(crate) fn of(&self, subject: &str) -> Vec<&str> {
        let prefix = format!(" {subject}: ");
        let rows = self.rows.iter().filter(|row| row.contains(&prefix));
        rows.map(String::as_str).collect()
    }

    /// The cluster's counters at the end (yarn.md 1.3), as in `A2 D1`: how many of the nodes h1 to h4 are in each
    /// state, without those that the resource manager has forgotten.
    pub(crate) fn counters(&self) -> String {
        let last = |host: &str| {
            let forgotten = format!(" {host} agent: FORGOTTEN");
            let about = |row: &&String| row.contains(&format!(" {host}: ")) || row.contains(&forgotten);
            self.rows.iter().rev().find(about).map(String::as_str).unwrap_or_default().to_owned()
        };
        let last: Vec<String> = ["h1", "h2", "h3", "h4"].map(last).into();
        let counted = COUNTERS.iter().filter_map(|(state, letter)| {
            let arrives = format!(">{state}");
            let count = last.iter().filter(|row| row.split(' ').any(|word| word.ends_with(&arrives))).count();
            (count > 0).then(|| format!("{letter}{count}"))
        });
        counted.collect::<Vec<_>>().join(" ")
    }

    /// The status log as it is written.
    pub(crate) fn status_log(&self) -> &str {
        self.played.story.status_log()
    }

    /// A column of `summary.csv`.
    pub(crate) fn number(&self, name: &str) -> String {
        self.played.column(name)
    }
}

/// Plays the stage with more lines, in both beat modes, which must give the same. `files` are hosts files beside it.
pub(crate) fn play(lines: &str, files: &[(&str, &str)]) -> Told {
    play_with(&[], lines, files)
}

/// The same with `settings` as in `key=value`.
pub(crate) fn play_with(settings: &[&str], lines: &str, files: &[(&str, &str)]) -> Told {
    let scratch = Scratch::new();
    for (name, text) in files {
        scratch.write(name, text);
    }
    let folder = scratch.path.to_str().expect("a scratch folder lies at a path of text");
    let text = format!("{STAGE}{lines}");
    let lazy = play_text(folder, &text, settings, BeatMode::Lazy);
    assert_eq!(lazy.all(), play_text(folder, &text, settings, BeatMode::All).all(), "lazy and full beats");
    let rows = lazy.story.events.iter().map(|row| {
        let states = if row.to.is_empty() { String::new() } else { format!(" {}>{}", row.from, row.to) };
        format!("{} {}: {}{states} {}", row.time, row.subject, row.event, row.detail).trim_end().to_owned()
    });
    Told { rows: rows.collect(), played: lazy }
}

/// What is said of a story that does not come to an end.
pub(crate) fn refusal(lines: &str, files: &[(&str, &str)]) -> String {
    let scratch = Scratch::new();
    for (name, text) in files {
        scratch.write(name, text);
    }
    let folder = scratch.path.to_str().expect("a scratch folder lies at a path of text");
    let scenario = scenario(folder, &format!("{STAGE}{lines}"), &[]);
    let played = super::play(&scenario, &Arc::new(Workload::empty()), BeatMode::Lazy);
    played.expect_err("it cannot end").to_string()
}

pub(crate) fn at(time: &str, action: &str) -> String {
    format!("[[at]]\ntime = \"{time}\"\n{action}\n")
}
