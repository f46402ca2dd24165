//! The harness: plays a scenario through the library's front door and keeps its story in memory.

pub(crate) mod hosts;
pub(crate) mod random;
pub(crate) mod scratch;
pub(crate) mod scripted;
pub(crate) mod world;

use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ebbtide::engine::BeatMode;
use ebbtide::engine::run::Gauge;
use ebbtide::ledger::{DrainRow, EventRow, Levels, Sink, Value};
use ebbtide::report::story::status_block;
use ebbtide::scenario::model::Scenario;
use ebbtide::scenario::{ScenarioFile, Setting};
use ebbtide::study::{RunError, RunOptions, RunResult, run_once};
use ebbtide::time::SimTime;
use ebbtide::workload::{Loaded, Workload, load_or_empty};
use proptest::test_runner::{Config, RngSeed};

/// One row of the story, kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) time: SimTime,
    pub(crate) subject: String,
    pub(crate) event: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) detail: String,
}

/// All that the ledger told while a run was played.
#[derive(Clone, Debug, Default)]
pub(crate) struct Story {
    pub(crate) events: Vec<Event>,
    pub(crate) steps: Vec<(SimTime, Levels)>,
    /// The same with every column, as text.
    pub(crate) text: String,
    /// The status log.
    pub(crate) status_log: Vec<u8>,
}

impl Story {
    /// The rows about `subject`, each as `time event detail`.
    pub(crate) fn of(&self, subject: &str) -> Vec<String> {
        let rows = self.events.iter().filter(|event| event.subject == subject);
        rows.map(|row| format!("{} {} {}", row.time, row.event, row.detail).trim_end().to_owned()).collect()
    }

    /// The status log as it is written.
    pub(crate) fn status_log(&self) -> &str {
        std::str::from_utf8(&self.status_log).unwrap()
    }

    /// When `event` happened, to whatever, in order.
    pub(crate) fn times(&self, event: &str) -> Vec<String> {
        self.events.iter().filter(|row| row.event == event).map(|row| row.time.to_string()).collect()
    }
}

/// The sink's end that the run holds.
struct Keeper(Rc<RefCell<Story>>);

impl Sink for Keeper {
    fn event(&mut self, row: &EventRow<'_>) {
        let EventRow { time, actor, subject, event, from, to, detail } = *row;
        let mut story = self.0.borrow_mut();
        writeln!(story.text, "{time},{actor},{subject},{event},{from},{to},{detail}").unwrap();
        story.events.push(Event {
            time,
            subject: subject.to_string(),
            event,
            from,
            to,
            detail: detail.to_owned(),
        });
    }

    fn draining(&mut self, row: &DrainRow<'_>) {
        status_block(&mut self.0.borrow_mut().status_log, row).unwrap();
    }

    fn step(&mut self, time: SimTime, levels: &Levels) {
        let mut story = self.0.borrow_mut();
        writeln!(story.text, "{time} {levels:?}").unwrap();
        story.steps.push((time, *levels));
    }
}

/// A run and its story.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) result: RunResult,
    pub(crate) story: Story,
}

impl Played {
    /// The column `name` as a number; 0 if it is empty.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.value(name).as_f64().unwrap_or_default()
    }

    /// The column `name` as it is printed.
    pub(crate) fn column(&self, name: &str) -> String {
        self.value(name).to_string()
    }

    fn value(&self, name: &str) -> Value {
        let metric = self.result.metrics.iter().find(|metric| metric.name == name);
        metric.unwrap_or_else(|| panic!("there is no column `{name}`")).value
    }

    /// Everything that a run gives, as text: equal texts are equal results.
    pub(crate) fn all(&self) -> String {
        let Self { result, story } = self;
        let mut out = format!("{}{}end {}\n", story.text, story.status_log(), result.end);
        for metric in &result.metrics {
            writeln!(out, "{}={}", metric.name, metric.value).unwrap();
        }
        for record in result.ledger.jobs() {
            writeln!(out, "{record:?}").unwrap();
        }
        for record in result.ledger.instances() {
            writeln!(out, "{record:?}").unwrap();
        }
        out
    }
}

/// Plays a scenario that is resolved already, with the invariants checked at every fact.
pub(crate) fn play(
    scenario: &Scenario,
    workload: &Arc<Workload>,
    beats: BeatMode,
) -> Result<Played, RunError> {
    play_loaded(scenario, &Arc::clone(workload).into(), beats)
}

/// The same with whatever the scenario's trace gave.
pub(crate) fn play_loaded(scenario: &Scenario, loaded: &Loaded, beats: BeatMode) -> Result<Played, RunError> {
    let story = Rc::new(RefCell::new(Story::default()));
    let (stop, gauge) = (AtomicBool::new(false), Gauge::default());
    let options = RunOptions { beats, check_every_fact: true, stop: &stop, gauge: &gauge };
    let mut result = run_once(scenario, loaded, Some(Box::new(Keeper(Rc::clone(&story)))), options)?;
    // The sink holds the other end of the story.
    drop(result.sink.take());
    let story = Rc::into_inner(story).expect("the run gave its sink back").into_inner();
    Ok(Played { result, story })
}

/// Plays a scenario and keeps no story: for long logs.
pub(crate) fn play_silently(scenario: &Scenario, workload: &Arc<Workload>) -> RunResult {
    let (stop, gauge) = (AtomicBool::new(false), Gauge::default());
    let options = RunOptions { beats: BeatMode::Lazy, check_every_fact: false, stop: &stop, gauge: &gauge };
    run_once(scenario, &Arc::clone(workload).into(), None, options).unwrap_or_else(|error| panic!("{error}"))
}

/// The scenario that `text` says, as if it stood in `folder`, with `settings` as in `key=value`.
pub(crate) fn scenario(folder: &str, text: &str, settings: &[&str]) -> Scenario {
    let path = Path::new(folder).join("case.toml");
    let settings: Vec<Setting> =
        settings.iter().map(|setting| Setting::parse(setting, "--set").expect("a setting is good")).collect();
    let file = ScenarioFile::from_text(&path, text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    file.resolve(&settings).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// Plays the scenario that `text` says, with its log, as if it stood in `folder`.
pub(crate) fn play_text(folder: &str, text: &str, settings: &[&str], beats: BeatMode) -> Played {
    let scenario = scenario(folder, text, settings);
    let loaded = load_or_empty(scenario.workload.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    play_loaded(&scenario, &loaded, beats).unwrap_or_else(|error| panic!("{error}"))
}

/// A random test's configuration: always the same cases, so that a failure comes again.
pub(crate) fn cases(cases: u32, seed: u64) -> Config {
    let rng_seed = RngSeed::Fixed(seed);
    Config { cases, rng_seed, failure_persistence: None, max_shrink_iters: 4000, ..Config::default() }
}
