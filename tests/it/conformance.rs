//! The conformance cases of the specification of YARN (yarn.md 10): those of the resource tracker, the scheduler and
//! applications played as a whole, and a roll-call of all.
//!
//! Sections are of yarn.md. A row's expected lines are worked out by hand from the row and the sections that its
//! comment names; the counters are those of 1.3 as they must stand at the end.

mod drains;
mod lists;
mod members;
mod removal;
mod rollcall;
mod scheduler;

use crate::support::hosts::{at, play_with};

/// A row of 10.4 or 10.6.
type Row = (&'static str, How);

/// How a row is met.
enum How {
    /// It is played.
    Plays(Story),
    /// A test elsewhere says it: the file and the test's name.
    Elsewhere(&'static str, &'static str),
    /// It cannot apply to a simulator, and why.
    Cannot(&'static str),
}

/// Three nodes h1, h2, h3 that register at 0 and beat each second, and what befalls them.
struct Story {
    /// What differs from the stage, as `key=value`.
    set: &'static [&'static str],
    /// More of the scenario file.
    lines: &'static str,
    /// What is done, and when.
    does: &'static [(&'static str, &'static str)],
    /// Hosts files.
    files: &'static [(&'static str, &'static str)],
    /// Of whom something is told …
    of: &'static [&'static str],
    /// … and what, subject by subject.
    told: &'static [&'static str],
    /// The cluster's counters at the end.
    counters: &'static str,
}

/// Nothing happens.
const STORY: Story = Story { set: &[], lines: "", does: &[], files: &[], of: &[], told: &[], counters: "A3" };

/// The rows of 10.4.
const RESOURCE_TRACKER: &[&[Row]] = &[members::ROWS, lists::ROWS, removal::ROWS, drains::ROWS];
/// The rows of 10.6.
const SCHEDULER: &[&[Row]] = &[scheduler::ROWS];

#[test]
fn the_rows_of_the_resource_tracker() {
    assert_met(RESOURCE_TRACKER);
}

#[test]
fn the_rows_of_the_scheduler_and_of_applications() {
    assert_met(SCHEDULER);
}

#[test]
fn each_row_is_there_once() {
    for (table, rows) in [("RT", RESOURCE_TRACKER), ("SC", SCHEDULER)] {
        let mut ids: Vec<&str> = rows.iter().copied().flatten().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        assert_eq!(ids, rollcall::cases_of(table));
    }
}

fn assert_met(rows: &[&[Row]]) {
    let faults: Vec<String> = rows.iter().copied().flatten().filter_map(|(id, how)| fault(id, how)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// What is wrong with a row.
fn fault(id: &str, how: &How) -> Option<String> {
    match how {
        How::Plays(story) => deviation(story).map(|deviation| format!("{id}: {deviation}")),
        How::Elsewhere(file, test) => {
            let text = rollcall::source(file);
            let is_there = text.contains(id) && text.contains(&format!("fn {test}("));
            (!is_there).then(|| format!("{id}: {file} has no {test} that names it"))
        }
        How::Cannot(why) => why.is_empty().then(|| format!("{id}: needs a reason")),
    }
}

/// How a story goes otherwise than expected.
fn deviation(story: &Story) -> Option<String> {
    let does: String = story.does.iter().map(|(time, action)| at(time, action)).collect();
    let told = play_with(story.set, &[story.lines, &does].concat(), story.files);
    let found: Vec<&str> = story.of.iter().flat_map(|subject| told.of(subject)).collect();
    let is_as_expected = found == story.told && told.counters() == story.counters;
    (!is_as_expected).then(|| {
        let (expected, counters) = (story.told.join("\n  "), story.counters);
        format!("expected {counters}\n  {expected}\nfound {}\n  {}", told.counters(), found.join("\n  "))
    })
}
