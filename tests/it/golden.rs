//! Seven elastic scenarios whose every column, and four whose every event, two other programs have computed
//! (`tests/data/golden/README.md`).

use std::collections::BTreeMap;
use std::fs::{self, File};

use ebbtide::engine::BeatMode;
use flate2::read::GzDecoder;

use crate::support::{Event, Played, Story, play_text};

const FOLDER: &str = "tests/data/golden";

/// What happened to each subject, as `time event detail`, in order.
type Lives = BTreeMap<String, Vec<String>>;

fn play(name: &str) -> Played {
    let text = fs::read_to_string(format!("{FOLDER}/{name}.toml")).unwrap();
    play_text(FOLDER, &text, &[], BeatMode::Lazy)
}

/// Lays every expected column beside ours: counts exactly, seconds to the millisecond, all else to two millionths.
fn check_columns(name: &str, played: &Played) {
    let text = fs::read_to_string(format!("{FOLDER}/expected.json")).unwrap();
    let all: BTreeMap<String, BTreeMap<String, serde_json::Value>> = serde_json::from_str(&text).unwrap();
    let expected = &all[name];
    assert_eq!(expected.len(), 36, "{name}");
    for (column, value) in expected {
        let tolerance = match value {
            value if value.is_u64() => 0.0,
            _ if column.ends_with("_s") => 1e-3,
            _ => 2e-6,
        };
        let (got, want) = (played.number(column), value.as_f64().unwrap());
        assert!((got - want).abs() <= tolerance, "{name}: {column} is {got}, should be {want}");
    }
}

/// The others' story. Which drains were wanted is a number of ours, and no event.
fn their_lives(name: &str) -> Lives {
    let file = File::open(format!("{FOLDER}/{name}.events.csv.gz")).unwrap();
    let mut lives = Lives::new();
    for row in csv::Reader::from_reader(GzDecoder::new(file)).records() {
        let row = row.unwrap();
        let [time, subject, event, detail] = [0, 1, 2, 3].map(|place| row.get(place).unwrap());
        if event != "wanted" {
            let line = format!("{time} {event} {detail}").trim_end().to_owned();
            lives.entry(subject.to_owned()).or_default().push(line);
        }
    }
    lives
}

/// The word after `key=` in a detail.
fn word<'d>(detail: &'d str, key: &str) -> &'d str {
    detail.split(' ').find_map(|word| word.strip_prefix(key)).unwrap_or_default()
}

/// `1-3:8 5:2` as `1:8 2:8 3:8 5:2`.
fn each_node(runs: &str) -> String {
    let mut shares = Vec::new();
    for run in runs.split(' ') {
        let (nodes, cores) = run.split_once(':').unwrap();
        let (first, last) = nodes.split_once('-').unwrap_or((nodes, nodes));
        for node in first.parse::<u32>().unwrap()..=last.parse().unwrap() {
            shares.push(format!("{node}:{cores}"));
        }
    }
    shares.join(" ")
}

/// One of our events in their words; `None` for what they do not tell.
fn in_their_words(row: &Event, started: &BTreeMap<&str, u64>) -> Option<String> {
    let (event, detail) = (row.event, row.detail.as_str());
    Some(match event {
        "SUBMIT" => format!("arrive {detail}"),
        "START" => format!("start {}", each_node(detail.split_once("nodes=").unwrap().1)),
        "END" => "end".to_owned(),
        "KILL" => {
            let ran_ms = row.time.as_ms() - started[row.subject.as_str()];
            format!("kill by {} ran {ran_ms} ms nodes {}", word(detail, "by="), word(detail, "nodes="))
        }
        "GRANT" if word(detail, "reason=") == "initial" => "granted initial".to_owned(),
        "GRANT" => "granted".to_owned(),
        "UP" => "up".to_owned(),
        "STARTED" | "GRACEFUL_DECOMMISSION" => format!("rmnode {}>{}", row.from, row.to),
        "DECOMMISSION" => {
            format!("rmnode {}>{} {}", row.from, row.to, word(detail, "cause=").to_uppercase())
        }
        "START_DRAIN" => "drain ordered".to_owned(),
        "START_SHUTDOWN" => "stop ordered".to_owned(),
        "GONE" => "gone".to_owned(),
        _ => return None,
    })
}

fn our_lives(story: &Story) -> Lives {
    let mut lives = Lives::new();
    let mut started = BTreeMap::new();
    for row in &story.events {
        if row.event == "START" {
            started.insert(row.subject.as_str(), row.time.as_ms());
        }
        if let Some(words) = in_their_words(row, &started) {
            let subject = row.subject.split(' ').next().unwrap().to_owned();
            let life = lives.entry(subject).or_default();
            life.push(format!("{} {words}", row.time));
            if row.event == "UP" {
                life.push(format!("{} registered", row.time));
            }
        }
    }
    lives
}

/// Compares life by life, and names the first difference in time.
fn check_story(name: &str, played: &Played) {
    let mut theirs = their_lives(name);
    for life in theirs.values_mut() {
        for line in life.iter_mut().filter(|line| line.contains(" drain ordered")) {
            // Ours does not always say how many cores were busy.
            line.truncate(line.find(" busy_cores").unwrap());
        }
    }
    let ours = our_lives(&played.story);
    assert!(theirs.len() > 2000, "{name}: only {} subjects were read", theirs.len());
    let subjects = theirs.keys().chain(ours.keys());
    let nothing = Vec::new();
    let differing = subjects.filter(|subject| ours.get(*subject) != theirs.get(*subject)).map(|subject| {
        let life = |lives: &Lives| lives.get(subject).unwrap_or(&nothing).clone();
        let (our, their) = (life(&ours), life(&theirs));
        let same = our.iter().zip(&their).take_while(|(one, other)| one == other).count();
        let line = |life: &[String]| life.get(same).cloned().unwrap_or_default();
        format!("{subject}: {:?}, should be {:?}", line(&our), line(&their))
    });
    let differing: Vec<String> = differing.take(10).collect();
    assert!(differing.is_empty(), "{name}: {differing:#?}");
}

#[test]
fn g1_a_fixed_cluster() {
    check_columns("g1-fixed", &play("g1-fixed"));
}

#[test]
fn g2_surplus_that_cuts_at_once() {
    let played = play("g2-surplus-cut");
    check_columns("g2-surplus-cut", &played);
    check_story("g2-surplus-cut", &played);
}

#[test]
fn g3_surplus_with_an_hour_to_drain() {
    let played = play("g3-surplus-limit");
    check_columns("g3-surplus-limit", &played);
    check_story("g3-surplus-limit", &played);
}

#[test]
fn g4_the_node_manager() {
    check_columns("g4-manager", &play("g4-manager"));
}

#[test]
fn g5_shutdown_windows_and_an_old_report() {
    let played = play("g5-windows");
    check_columns("g5-windows", &played);
    check_story("g5-windows", &played);
}

#[test]
fn g6_the_last_matrix() {
    check_columns("g6-final", &play("g6-final"));
}

#[test]
fn g7_spans_below_a_second() {
    let played = play("g7-subsecond");
    check_columns("g7-subsecond", &played);
    check_story("g7-subsecond", &played);
}
