//! Whole job logs, from the file to the closed ledger, without result files: processor seconds per run.
//!
//! `cargo bench --bench whole_trace` prints the median of several runs of each case, and what becomes of it when the
//! gaps between jobs are doubled. A run must cost what happens in it and not simulated seconds times nodes: beats of
//! one second on 240 nodes for 1,264 days would be 26 thousand million.
//!
//! The goals are 0.6 s and 60 MB for the first case, and 0.3 s for the others. Measured when this was written, on one
//! core of a shared virtual machine:
//!
//! | case | jobs | log | run | items | gaps doubled: time, items |
//! | --- | --- | --- | --- | --- | --- |
//! | HPC2N, EASY, 240 nodes that stay (31 MB) | 202,871 | 0.07 s | 0.23 s | 7.4 million | × 1.0, × 1.0 |
//! | KTH, EASY, at most 13 nodes, surplus (9 MB) | 28,481 | 0.01 s | 0.05 s | 0.9 million | × 1.3, × 1.3 |
//! | KTH, FIFO, at most 100 nodes, node manager (15 MB) | 28,481 | 0.01 s | 0.13 s | 2.2 million | × 2.6, × 2.3 |
//!
//! In the last case more happens when the gaps are doubled: nodes run empty more often, so that nearly eight times
//! as many instances are granted and stopped, and the story has four times as many events.

mod timing;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use ebbtide::engine::BeatMode;
use ebbtide::engine::run::Gauge;
use ebbtide::scenario::{ScenarioFile, Setting};
use ebbtide::study::{RunOptions, run_once};
use ebbtide::workload;

const HPC2N_FIXED: &str = r#"
[workload]
trace = "traces/HPC2N-2002-2.2-cln.swf.gz"
overrun = "trim"
[[node_type]]
name = "n1"
cores = 1
[cluster]
min_nodes = 240
max_nodes = 240
[heartbeat]
interval = "1s"
[scheduler]
discipline = "easy"
[policy]
kind = "none"
"#;

const KTH_SURPLUS: &str = r#"
[workload]
trace = "traces/KTH-SP2-1996-2.1.swf.gz"
overrun = "trim"
[[node_type]]
name = "n8"
cores = 8
price_per_hour = 0.8
boot = "3m"
stop = "20s"
[cluster]
min_nodes = 1
max_nodes = 13
[heartbeat]
interval = "1s"
[scheduler]
discipline = "easy"
[policy]
kind = "surplus"
idle_grace = "5m"
[decommission]
timeout = "0s"
"#;

const KTH_MANAGER: &str = r#"
[workload]
trace = "traces/KTH-SP2-1996-2.1.swf.gz"
overrun = "trim"
[[node_type]]
name = "n1"
cores = 1
price_per_hour = 0.8
boot = "152s"
[cluster]
max_nodes = 100
[heartbeat]
interval = "1s"
[policy]
kind = "node-manager"
idle_grace = "10m"
[decommission]
timeout = "1h"
"#;

/// What a case takes.
#[derive(Default)]
struct Took {
    load_s: f64,
    run_s: f64,
    jobs: usize,
    items: u64,
}

fn measure(scenario: &str, settings: &[Setting]) -> Took {
    // Paths in a scenario are relative to its file; `cargo bench` runs in the root of the package.
    let file =
        ScenarioFile::from_text(Path::new("scenarios/bench.toml"), scenario).expect("the text is TOML");
    let scenario = file.resolve(settings).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    let log = scenario.workload.as_ref().expect("the scenario names a log");
    let load = || workload::load(log).expect("the repository has the log");
    let loaded = load();
    let (stop, gauge) = (AtomicBool::new(false), Gauge::default());
    let options = RunOptions { beats: BeatMode::Lazy, check_every_fact: false, stop: &stop, gauge: &gauge };
    let mut items = 0;
    let load_s = timing::median_seconds(|| drop(load()));
    let run_s = timing::median_seconds(|| {
        items = run_once(&scenario, &loaded, None, options).expect("the run ends").items;
    });
    Took { load_s, run_s, jobs: loaded.jobs.jobs.len(), items }
}

#[expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "a bench prints rates")]
fn main() {
    let gaps_doubled = Setting::parse("workload.scale_load=0.5", "the bench").expect("it is key=value");
    for (name, scenario) in
        [("KTH surplus", KTH_SURPLUS), ("KTH node manager", KTH_MANAGER), ("HPC2N fixed, EASY", HPC2N_FIXED)]
    {
        let once = measure(scenario, &[]);
        let doubled = measure(scenario, std::slice::from_ref(&gaps_doubled));
        let whole_s = once.load_s + once.run_s;
        println!(
            "{name}: {} jobs in {:.3} + {:.3} s ({:.0} jobs per second), {:.1} million items ({:.1} million per \
             second of the run); gaps doubled: {:.2} times as long, {:.2} times as many items; {:.0} MB at most so far",
            once.jobs,
            once.load_s,
            once.run_s,
            once.jobs as f64 / whole_s,
            once.items as f64 / 1e6,
            once.items as f64 / 1e6 / once.run_s,
            (doubled.load_s + doubled.run_s) / whole_s,
            doubled.items as f64 / once.items as f64,
            timing::peak_megabytes().unwrap_or(f64::NAN),
        );
    }
}
