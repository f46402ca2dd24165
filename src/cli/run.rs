//! `ebbtide run`: plays one scenario and writes its results.

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::args::{PlayArgs, RunArgs};
use super::terminal::Terminal;
use super::watch::Watch;
use super::{Failure, expect_a_job_that_fits, interrupt, progress, trace};
use crate::engine::run::Gauge;
use crate::ledger::Sink;
use crate::report::containers::containers;
use crate::report::{
    FolderError, Manifest, ResultFolder, Story, json, manifest, run as tables, story, table,
};
use crate::scenario::model::Scenario;
use crate::scenario::{ScenarioFile, resolved_toml};
use crate::study::{RunOptions, RunResult, names_differ, run_once};
use crate::time::SimSpan;
use crate::workload::{Loaded, SkippedApp, digest};

/// Plays the scenario. The folder is claimed before the log is read, and appears once everything is written.
pub(super) fn run(args: &RunArgs, terminal: &Terminal) -> Result<(), Failure> {
    let watch = Watch::start();
    let stop = interrupt::listen();
    let file = ScenarioFile::read(&args.scenario.path)?;
    let settings = args.scenario.settings()?;
    let scenario = file.resolve(&settings)?;
    terminal.warn(&file.warnings(&settings));
    let resolved = resolved_toml(&file.explain(&settings)?);
    let out = args.out.folder(&args.scenario.path);
    let folder = ResultFolder::claim(&out)?;
    let loaded = trace::load(&scenario, terminal)?;
    names_differ(&scenario, &loaded)?;
    expect_a_job_that_fits(&scenario, &loaded)?;

    let loaded_s = watch.seconds();
    let result = play(&scenario, &loaded, &folder, args.play, stop, terminal.progress)?;
    let played_s = watch.seconds() - loaded_s;

    write_tables(&folder, &scenario, &result, loaded.skipped_apps())?;
    let manifest = Manifest {
        command: "run",
        scenario: scenario.name.clone(),
        resolved_fnv1a: digest(resolved.as_bytes()),
        resolved,
        trace: trace_name(&scenario),
        trace_fnv1a: loaded.digest().to_owned(),
        nodes_fnv1a: scenario.nodes_fnv1a.clone(),
        seeds: vec![scenario.seed],
        started_unix_s: watch.started_unix_s,
        wall_time_s: watch.seconds(),
        items_per_s: per_second(result.items, played_s),
        varied: Vec::new(),
    };
    folder.write(manifest::FILE, |mut file| file.write_all(manifest.to_json().as_bytes()))?;
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted);
    }
    folder.commit()?;
    tell(&scenario, &result, &out, terminal)
}

/// The trace of a scenario as the manifest names it; empty if it replays none.
pub(super) fn trace_name(scenario: &Scenario) -> String {
    scenario.workload.as_ref().map_or(String::new(), |spec| spec.trace.display().to_string())
}

/// Plays the run, while its story is written into the folder.
fn play(
    scenario: &Scenario,
    loaded: &Loaded,
    folder: &ResultFolder,
    how: PlayArgs,
    stop: &AtomicBool,
    show_progress: bool,
) -> Result<RunResult, Failure> {
    let in_folder = |error: story::StoryError| folder.failed(error.file, error.source);
    let files = Story::begin(folder.create(story::EVENTS)?, folder.create(story::TIMELINE)?);
    let mut files = files.map_err(in_folder)?;
    if scenario.decommission.logs_status() {
        files = files.with_status_log(folder.create(story::STATUS_LOG)?);
    }
    let sink: Box<dyn Sink> = Box::new(files);
    let gauge = Gauge::default();
    let options = RunOptions { beats: how.beats.into(), check_every_fact: how.check, stop, gauge: &gauge };
    let play = || run_once(scenario, loaded, Some(sink), options);
    let mut result =
        if show_progress { progress::shown(&gauge, expected_span(scenario, loaded), play) } else { play() }?;
    let files: Option<Story<std::fs::File>> = Story::taken_back(result.sink.take());
    files.expect("the run gives the story back because it was given one").finish().map_err(in_folder)?;
    Ok(result)
}

/// How much simulated time the run will take at least: to the horizon, or to the end of the last job if none waits.
fn expected_span(scenario: &Scenario, loaded: &Loaded) -> SimSpan {
    let ends = loaded.jobs.jobs.iter().map(|job| job.submit + job.run);
    let last_end = || ends.chain(loaded.apps().iter().map(|app| app.submit)).max().unwrap_or_default();
    scenario.horizon.unwrap_or_else(|| SimSpan::from_ms(last_end().as_ms()))
}

fn write_tables(
    folder: &ResultFolder,
    scenario: &Scenario,
    result: &RunResult,
    skipped_apps: &[SkippedApp],
) -> Result<(), FolderError> {
    folder
        .write("summary.csv", |out| tables::summary(out, &scenario.name, scenario.seed, &result.metrics))?;
    folder.write("jobs.csv", |out| tables::jobs(out, &result.ledger, skipped_apps))?;
    folder.write("nodes.csv", |out| tables::nodes(out, &result.ledger))?;
    if result.ledger.setup().apps.is_empty() {
        return Ok(());
    }
    folder.write("containers.csv", |out| containers(out, &result.ledger))
}

#[expect(clippy::cast_precision_loss, reason = "a pace needs no more than 53 bits")]
pub(super) fn per_second(items: u64, seconds: f64) -> f64 {
    (items as f64 / seconds.max(1e-6)).round()
}

fn tell(scenario: &Scenario, result: &RunResult, out: &Path, terminal: &Terminal) -> Result<(), Failure> {
    if terminal.json {
        terminal.print(&json::run(&scenario.name, scenario.seed, &result.metrics))?;
    } else {
        terminal.show(&table::run(&result.metrics, terminal.lines))?;
    }
    terminal.note(&format!("written to {}", out.display()));
    Ok(())
}
