//! The shipped scenarios, played again elsewhere and compared byte for byte with `results/reference/`.
//!
//! The references of sweeps are written by a release build with as many workers as there were cores, and compared here
//! by a debug build with one worker: the same bytes in debug and release, and whatever the number of workers. That of
//! `yarn-timeline` was written by hand; the scenario argues each row.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::scratch::Scratch;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Plays the sweep of a shipped scenario and compares its reference.
fn check_sweep(stem: &str) {
    check(stem, &["sweep", "--jobs", "1"], &["runs.csv", "sweep.csv"]);
}

/// Plays a shipped scenario by a command and compares each file of its reference, which are these.
fn check(stem: &str, command: &[&str], expected: &[&str]) {
    let scratch = Scratch::new();
    let scenario = root().join(format!("scenarios/{stem}.toml"));
    let scenario = scenario.to_str().expect("the project lies at a path of text");
    let said = scratch.ebbtide(&[command, &[scenario, "--quiet", "--out", "out"]].concat());
    assert_eq!(said.code, Some(0), "{}", said.err);
    let reference = root().join(format!("results/reference/{stem}"));
    let names = files(&reference);
    assert_eq!(names, expected, "{}", reference.display());
    for name in names {
        let kept = fs::read_to_string(reference.join(&name)).expect("the reference can be read");
        let played = scratch.text(&format!("out/{name}"));
        assert!(
            kept == played,
            "{stem}/{name} differs from its reference:\n{}",
            first_difference(&kept, &played)
        );
    }
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a folder can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The first cell in which two tables differ, with its column.
fn first_difference(kept: &str, played: &str) -> String {
    let header: Vec<&str> = kept.lines().next().unwrap_or_default().split(',').collect();
    for (line, (a, b)) in (1..).zip(kept.lines().zip(played.lines())) {
        for (place, (a, b)) in a.split(',').zip(b.split(',')).enumerate() {
            if a != b {
                let column = header.get(place).unwrap_or(&"?");
                return format!("line {line}, {column}: kept {a}, played {b}");
            }
        }
    }
    "one has more rows or columns than the other".to_owned()
}

#[test]
fn quickstart() {
    check_sweep("quickstart");
}

#[test]
fn fixed_cluster() {
    check_sweep("fixed-cluster");
}

#[test]
fn hourly_billing() {
    check_sweep("hourly-billing");
}

#[test]
fn slow_boots() {
    check_sweep("slow-boots");
}

#[test]
fn stale_reports() {
    check_sweep("stale-reports");
}

#[test]
fn yarn_scale_in() {
    check_sweep("yarn-scale-in");
}

#[test]
fn yarn_failover() {
    check_sweep("yarn-failover");
}

#[test]
fn spot_reclaim() {
    check_sweep("spot-reclaim");
}

#[test]
fn yarn_timeline() {
    for beats in ["lazy", "all"] {
        check("yarn-timeline", &["run", "--beats", beats], &["events.csv"]);
    }
}

#[test]
fn every_shipped_scenario_has_a_reference_and_opens_with_its_question() {
    let scenarios: Vec<String> =
        files(&root().join("scenarios")).into_iter().filter(|name| name.ends_with(".toml")).collect();
    let stems: Vec<&str> = scenarios.iter().filter_map(|name| name.strip_suffix(".toml")).collect();
    assert_eq!(files(&root().join("results/reference")), stems);
    for name in &scenarios {
        let text = fs::read_to_string(root().join("scenarios").join(name)).expect("a scenario can be read");
        let opening: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
        assert!(opening.iter().any(|line| line.contains('?')), "{name} does not open with a question");
        assert!(opening.len() >= 5, "{name} does not say what to expect");
    }
}
