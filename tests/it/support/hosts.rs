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

    /// A column of `summary.csv`.
    pub(crate) fn number(&self, name: &str) -> String {
        self.played.column(name)
    }
}

/// Plays the stage with more lines, in both beat modes, which must give the same. `files` are hosts files beside it.
pub(crate) fn play(lines: &str, files: &[(&str, &str)]) -> Told {
    let scratch = Scratch::new();
    for (name, text) in files {
        scratch.write(name, text);
    }
    let folder = scratch.path.to_str().expect("a scratch folder lies at a path of text");
    let text = format!("{STAGE}{lines}");
    let lazy = play_text(folder, &text, &[], BeatMode::Lazy);
    assert_eq!(lazy.all(), play_text(folder, &text, &[], BeatMode::All).all(), "lazy and full beats");
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
    played.err().expect("it cannot end").to_string()
}

pub(crate) fn at(time: &str, action: &str) -> String {
    format!("[[at]]\ntime = \"{time}\"\n{action}\n")
}
