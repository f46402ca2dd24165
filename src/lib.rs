//! Ebbtide replays a cluster's job history against a simulated elastic cluster, and shows what every idle-grace and
//! timeout setting would have cost, and whom it would have disturbed.
//!
//! ```text
//! scenarios/*.toml ─► scenario ─┐
//!                               ├─► study ─► engine + actors ─► ledger ─► report ─► results/*.csv
//! traces (SWF …) ─► workload ───┘                │
//!                                           rules (pure)
//! ```
//!
//! A scenario is read and checked by [`scenario`], a job log by [`workload`]. [`study`] builds a cluster of [`actors`]
//! from them and has the [`engine`] play it in simulated time; what happens is told to the [`ledger`], which turns it
//! into money, disruption and waiting. What a node, a drain or a policy does at each step is said by the [`rules`].
//!
//! One run, from a scenario's text to a number:
//!
//! ```
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//!
//! use ebbtide::engine::{BeatMode, run::Gauge};
//! use ebbtide::scenario::ScenarioFile;
//! use ebbtide::study::{RunOptions, run_once};
//! use ebbtide::workload;
//!
//! let text = r#"
//!     [workload]
//!     trace = "scenarios/traces/KTH-SP2-1996-2.1.swf.gz"
//!     jobs = 100
//!     [[node_type]]
//!     name = "n8"
//!     cores = 8
//!     price_per_hour = 0.40
//!     boot = "3m"
//!     [cluster]
//!     max_nodes = 13
//!     [policy]
//!     idle_grace = "10m"
//! "#;
//! let file = ScenarioFile::from_text(Path::new("example.toml"), text)?;
//! let scenario = file.resolve(&[])?;
//! let loaded = workload::load_or_empty(scenario.workload.as_ref())?;
//! let options = RunOptions {
//!     beats: BeatMode::Lazy,
//!     check_every_fact: false,
//!     stop: &AtomicBool::new(false),
//!     gauge: &Gauge::default(),
//! };
//! let result = run_once(&scenario, &loaded, None, options)?;
//! let metric = |name| result.metrics.iter().find(|metric| metric.name == name).map(|metric| metric.value);
//! assert_eq!(metric("jobs_completed").map(|value| value.to_string()), Some("100".to_owned()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod actors;
pub mod cli;
pub mod engine;
pub mod ledger;
pub mod report;
pub mod rules;
pub mod scenario;
pub mod study;
pub mod time;
pub mod workload;
