//! A month of a large YARN cluster: 10,000 nodes that beat each second, 50,000 containers a day, and each hour a
//! graceful scale-in of ten nodes with half an hour to go.
//!
//! `cargo bench --bench large_cluster` prints state events (rows of `events.csv`), processor seconds, wall time and
//! memory. The goals are 60 processor seconds and 1 GB. Beat by beat it would be 26 thousand million heartbeats.
//!
//! Measured when this was written, on one core of a shared virtual machine: 6.8 s and 205 MB for 1,499,962 containers,
//! 7.6 million state events and 14.6 million items of the run loop.

mod timing;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ebbtide::engine::BeatMode;
use ebbtide::engine::run::Gauge;
use ebbtide::ledger::{DrainRow, EventRow, Levels, Sink};
use ebbtide::scenario::ScenarioFile;
use ebbtide::scenario::model::Scenario;
use ebbtide::study::{RunOptions, run_once};
use ebbtide::time::{SimSpan, SimTime};
use ebbtide::workload;
use ebbtide::workload::app::{App, Ask, Locality, Master, TaskGroup, TaskKind};

const DAYS: u64 = 30;
const APPS_A_DAY: u64 = 500;
/// With its master an application has 100 containers.
const MAPS: u32 = 80;
const REDUCES: u32 = 19;
const NODES_AN_HOUR: u64 = 10;

const CLUSTER: &str = r#"
horizon = "30d"
[[node_type]]
name = "n8"
cores = 8
memory = "32GiB"
price_per_hour = 0.4
[cluster]
min_nodes = 10000
max_nodes = 10000
[heartbeat]
interval = "1s"
[scheduler]
trigger = "async"
[policy]
kind = "none"
"#;

/// Counts the rows of `events.csv` without writing them.
#[derive(Default)]
struct Counter {
    events: u64,
}

impl Sink for Counter {
    fn event(&mut self, _: &EventRow<'_>) {
        self.events += 1;
    }

    fn step(&mut self, _: SimTime, _: &Levels) {}

    fn draining(&mut self, _: &DrainRow<'_>) {}
}

/// The cluster, with an exclude file for each hour in `folder`.
fn scenario(folder: &Path) -> Scenario {
    let mut text = CLUSTER.to_owned();
    for hour in 1..DAYS * 24 {
        let first = hour * NODES_AN_HOUR;
        let hosts: Vec<String> = (first..first + NODES_AN_HOUR).map(|node| format!("node-{node}")).collect();
        fs::write(folder.join(format!("exclude-{hour}")), hosts.join("\n")).expect("the folder takes files");
        text += &format!(
            "[[at]]\ntime = \"{hour}h\"\n\
             refresh_nodes = {{ exclude = \"exclude-{hour}\", graceful = true, timeout = \"30m\" }}\n"
        );
    }
    let file = ScenarioFile::from_text(&folder.join("bench.toml"), &text).expect("the text is TOML");
    let mut scenario = file.resolve(&[]).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    scenario.apps = (0..DAYS * APPS_A_DAY).map(app).collect();
    scenario
}

/// Applications come evenly over the day; their tasks take from 2 to 12 minutes.
fn app(number: u64) -> App {
    let gap_ms = 86_400_000 / APPS_A_DAY;
    let group = |kind, count, run_s| TaskGroup {
        count,
        kind,
        ask: Ask { cores: 1, memory_kib: 4 << 20 },
        locality: Locality::Any,
        asks_after: SimSpan::ZERO,
        run: Some(SimSpan::from_secs(run_s)),
    };
    App {
        name: format!("app-{number}"),
        submit: SimTime::from_ms(number * gap_ms),
        master: Master::Container { ask: Ask { cores: 1, memory_kib: 2 << 20 }, host: None },
        ends: None,
        allocate_interval: SimSpan::from_secs(1),
        launch: SimSpan::from_ms(800),
        rerun: true,
        max_attempts: 2,
        keep_containers: false,
        tasks: vec![
            group(TaskKind::Map, MAPS, 120 + number * 37 % 300),
            group(TaskKind::Reduce, REDUCES, 300 + number * 101 % 420),
        ],
    }
}

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ebbtide-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder for temporary files takes one");
    folder
}

#[expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "a bench prints rates")]
fn main() {
    let folder = folder();
    let scenario = scenario(&folder);
    fs::remove_dir_all(&folder).expect("what was made can be removed");
    let loaded = workload::load_or_empty(None).expect("there is nothing to be loaded");
    let (stop, gauge) = (AtomicBool::new(false), Gauge::default());
    let options = RunOptions { beats: BeatMode::Lazy, check_every_fact: false, stop: &stop, gauge: &gauge };
    let (begin, begin_of_day) = (timing::stopwatch(), timing::seconds_of_day());
    let result = run_once(&scenario, &loaded, Some(Box::<Counter>::default()), options).expect("it ends");
    let (took_s, wall_s) = (timing::stopwatch() - begin, timing::seconds_of_day() - begin_of_day);
    let sink: Box<dyn std::any::Any> = result.sink.expect("the run gives its sink back");
    let events = sink.downcast::<Counter>().expect("it is the one that was given").events;
    let column = |name| {
        let metric = result.metrics.iter().find(|metric| metric.name == name);
        metric.expect("there is such a column").value
    };
    println!(
        "{DAYS} days: {} containers, {events} state events, {} drains ({} timed out), {} heartbeats, {:.1} million \
         items in {took_s:.1} s of a processor, {wall_s:.1} s by the clock ({:.0} simulated days a minute), {:.0} MB",
        result.ledger.containers().len(),
        column("drains"),
        column("drains_timed_out"),
        column("beats_total"),
        result.items as f64 / 1e6,
        DAYS as f64 / took_s * 60.0,
        timing::peak_megabytes().unwrap_or(f64::NAN),
    );
}
