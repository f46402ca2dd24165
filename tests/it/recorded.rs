//! Timelines recorded on real daemons of Hadoop 3.5.0 (`tests/data/yarn-recorded/README.md`), played: the same changes
//! in the same order, each within one beat.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use ebbtide::engine::BeatMode;
use ebbtide::time::SimSpan;

use crate::support::{Event, play_text};

const FOLDER: &str = "tests/data/yarn-recorded";
/// Second 0 of a recording is this moment of its scenario.
const BEGINS_MS: i64 = 2000;
const BEAT_MS: i64 = 1000;

/// The recordings, and how many changes each holds, as counted by grep.
const RECORDINGS: [(&str, usize); 8] = [
    ("client_tracking_forces", 18),
    ("container_killed_at_timeout", 18),
    ("idle_node_leaves_at_once", 14),
    ("manager_dies_while_draining", 16),
    ("node_lost_without_drain", 14),
    ("ready_when_application_ends", 17),
    ("timeouts_per_host", 36),
    ("wait_app_times_out", 18),
];

/// Something that happened to somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    /// Containers go by their node, since each has one at most, and the two sides number them differently.
    subject: String,
    what: String,
    /// Milliseconds since the recording's second 0.
    at_ms: i64,
}

impl Change {
    fn new(at_ms: i64, subject: impl Into<String>, what: impl Into<String>) -> Self {
        Self { subject: subject.into(), what: what.into(), at_ms }
    }

    /// Whether this, played, is what was recorded. The recorded period is up to 1.005 s, so it drifts off.
    fn is(&self, recorded: &Self) -> bool {
        let drift_ms = recorded.at_ms.max(0) / 200;
        self.what == recorded.what && (self.at_ms - recorded.at_ms).abs() <= BEAT_MS + drift_ms
    }

    fn told(&self) -> String {
        format!("{} at {} ms", self.what, self.at_ms)
    }
}

/// The changes of a recording.
fn recorded(name: &str) -> Vec<Change> {
    let mut reader = csv::Reader::from_path(format!("{FOLDER}/{name}.csv")).unwrap();
    let rows: Vec<(f64, String, String, String)> = reader.deserialize().map(Result::unwrap).collect();
    let runs = rows.iter().filter(|(.., event, _)| event == "runs");
    let nodes: BTreeMap<&str, &str> =
        runs.map(|(_, agent, _, container)| (container.as_str(), agent.trim_end_matches(" agent"))).collect();
    let changes = rows.iter().filter_map(|(time_s, subject, event, detail)| {
        let (subject, what) = recorded_change(&nodes, subject, event, detail)?;
        #[expect(clippy::cast_possible_truncation, reason = "the recordings take minutes")]
        let at_ms = (time_s * 1000.0).round() as i64;
        Some(Change::new(at_ms, subject, what))
    });
    changes.collect()
}

/// Who a recorded row is about and what happened; `None` for what a scenario is given, or does not show.
fn recorded_change(
    nodes: &BTreeMap<&str, &str>,
    subject: &str,
    event: &str,
    detail: &str,
) -> Option<(String, String)> {
    match (subject, event) {
        ("operator" | "lists" | "watcher" | "application" | "attempt", _)
        | ("master", "registered" | "asks" | "unregistered")
        | ("h1" | "h2" | "h3", "registers" | "beat refused" | "expired")
        | ("h1 agent" | "h2 agent" | "h3 agent", "runs" | "KILLING" | "EXITED_WITH_SUCCESS") => None,
        ("h1 agent" | "h2 agent" | "h3 agent", "told SHUTDOWN") => Some((subject.into(), "SHUTDOWN".into())),
        ("h1 agent" | "h2 agent" | "h3 agent", "exits") => Some((subject.into(), "EXIT".into())),
        ("h1" | "h2" | "h3", _) if event.contains(" -> ") => Some((subject.into(), event.into())),
        ("c1" | "c2" | "c3", _) if event.contains(" -> ") => {
            Some((format!("container on {}", nodes[subject]), event.into()))
        }
        ("master", "told completed") => {
            let (container, exit) = detail.split_once(' ').unwrap();
            Some((format!("container on {}", nodes[container]), exit.into()))
        }
        // Detail: `h1 DECOMMISSIONING timeout 30`.
        ("master", _) if event.starts_with("told NODE_") => {
            let [node, state, _, timeout] = detail.split(' ').collect::<Vec<_>>().try_into().unwrap();
            let timeout_s = timeout.parse::<u64>().ok();
            Some((format!("master about {node}"), told_of_node(&event["told ".len()..], state, timeout_s)))
        }
        _ => panic!("nobody knows the row `{subject}, {event}, {detail}`"),
    }
}

/// What a master was told of a node. The real one has seconds, and `null` for a node that has never drained.
fn told_of_node(update: &str, state: &str, timeout_s: Option<u64>) -> String {
    format!("{update} {state} {timeout_s:?}")
}

/// The changes of the same kinds in a row of ours.
fn played_changes(row: &Event) -> Vec<Change> {
    let at_ms = i64::try_from(row.time.as_ms()).unwrap() - BEGINS_MS;
    let word = |key: &str| row.detail.split(' ').find_map(|word| word.strip_prefix(key));
    let states = format!("{} -> {}", row.from, row.to);
    match (row.subject.as_str(), row.event) {
        ("h1" | "h2" | "h3", _) => vec![Change::new(at_ms, &row.subject, states)],
        ("h1 agent" | "h2 agent" | "h3 agent", "SHUTDOWN" | "EXIT") => {
            vec![Change::new(at_ms, &row.subject, row.event)]
        }
        (container, event) if container.starts_with("work/") && event != "ASK" => {
            let subject = format!("container on {}", word("node=").unwrap());
            let exit = word("exit=").map(|code| Change::new(at_ms, &subject, format!("exit {code}")));
            [Change::new(at_ms, &subject, states)].into_iter().chain(exit).collect()
        }
        ("work", update) if update.starts_with("NODE_") => {
            let [node, state, timeout] = ["node=", "state=", "timeout="].map(|key| word(key).unwrap());
            let timeout = (timeout != "none").then(|| SimSpan::parse(timeout).unwrap());
            let told = told_of_node(update, state, timeout.map(|span| span.as_ms() / 1000));
            vec![Change::new(at_ms, format!("master about {node}"), told)]
        }
        _ => Vec::new(),
    }
}

/// Each change that one of the two has and the other has not, or not then.
fn differences(recorded: &[Change], played: &[Change]) -> Vec<String> {
    let subjects: BTreeSet<&str> =
        recorded.iter().chain(played).map(|change| change.subject.as_str()).collect();
    let of_subject = |subject: &str| {
        let of = |changes: &[Change]| -> Vec<Change> {
            changes.iter().filter(|change| change.subject == subject).cloned().collect()
        };
        let (recorded, played) = (of(recorded), of(played));
        let pairs =
            (0..recorded.len().max(played.len())).map(|place| (recorded.get(place), played.get(place)));
        let differ = pairs.filter_map(|pair| match pair {
            (Some(recorded), Some(played)) if played.is(recorded) => None,
            (recorded, played) => {
                let told =
                    |change: Option<&Change>| change.map_or_else(|| "nothing".to_owned(), Change::told);
                Some(format!("{subject}: recorded {}, played {}", told(recorded), told(played)))
            }
        });
        differ.collect::<Vec<_>>()
    };
    subjects.into_iter().flat_map(of_subject).collect()
}

#[test]
fn recorded_timelines_go_the_same_way_here() {
    let mut faults = Vec::new();
    for (name, count) in RECORDINGS {
        let recorded = recorded(name);
        assert_eq!(recorded.len(), count, "{name}: not all of it was read");
        let text = fs::read_to_string(format!("{FOLDER}/{name}.toml")).unwrap();
        let [lazy, all] = [BeatMode::Lazy, BeatMode::All].map(|beats| play_text(FOLDER, &text, &[], beats));
        assert!(lazy.all() == all.all(), "{name}: a run with every beat played differs");
        let played: Vec<Change> = lazy.story.events.iter().flat_map(played_changes).collect();
        faults.extend(differences(&recorded, &played).iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_recording_is_played() {
    let mut names: Vec<String> = fs::read_dir(FOLDER)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".csv").map(str::to_owned))
        .collect();
    names.sort();
    assert_eq!(names, RECORDINGS.map(|(name, _)| name));
}

#[test]
fn a_change_that_is_late_early_missing_or_too_many_is_told() {
    // At 100 s the real period may have drifted by 500 ms.
    let at = |at_ms| Change::new(at_ms, "h1", "RUNNING -> LOST");
    let recorded = [at(100_000)];
    for near in [98_500, 101_500] {
        assert!(differences(&recorded, &[at(near)]).is_empty(), "{near}");
    }
    for far in [98_499, 101_501] {
        let told = format!("h1: recorded RUNNING -> LOST at 100000 ms, played RUNNING -> LOST at {far} ms");
        assert_eq!(differences(&recorded, &[at(far)]), [told]);
    }
    let missing = "h1: recorded RUNNING -> LOST at 100000 ms, played nothing";
    assert_eq!(differences(&recorded, &[]), [missing]);
    let too_many = "h1: recorded nothing, played RUNNING -> LOST at 100000 ms";
    assert_eq!(differences(&[], &recorded), [too_many]);
}
