//! `ebbtide sweep`: plays a grid of settings and says which is cheapest and which disturbs least.

use std::io::Write as _;
use std::path::Path;

use super::args::SweepArgs;
use super::terminal::Terminal;
use super::watch::Watch;
use super::{Failure, interrupt, progress, trace};
use crate::report::{Manifest, ResultFolder, json, manifest, sweep as tables, sweep_table};
use crate::scenario::{ScenarioFile, resolved_toml};
use crate::study::{Comparison, Grid, SweepPlan, columns, compare, names_differ, play_sweep};
use crate::workload::digest;

/// Plays the sweep. The folder is claimed before the log is read, and appears once everything is written.
pub(super) fn sweep(args: &SweepArgs, terminal: &Terminal) -> Result<(), Failure> {
    let watch = Watch::start();
    let stop = interrupt::listen();
    let file = ScenarioFile::read(&args.scenario.path)?;
    let settings = args.scenario.settings()?;
    let spec = file.sweep(&args.vary, &settings, &columns())?;
    let grid = Grid::new(&spec, 0);
    // A key that must be given may be given by the axes alone; then their first values stand in for the scenario's.
    let first = [settings.clone(), grid.overrides(0)].concat();
    let as_written = if file.resolve(&settings).is_ok() { &settings } else { &first };
    let scenario = file.resolve(as_written)?;
    terminal.warn(&file.warnings(as_written));
    let mut explained = file.explain(as_written)?;
    explained.extend(file.explain_sweep(&args.vary, &settings, &columns())?);
    let resolved = resolved_toml(&explained);
    let out = args.out.folder(&args.scenario.path);
    let folder = ResultFolder::claim(&out)?;
    let loaded = trace::load(&scenario, terminal)?;
    names_differ(&scenario, &loaded)?;
    let trace_fnv1a = loaded.digest().to_owned();

    let grid = Grid::new(&spec, scenario.seed);
    let plan = SweepPlan {
        file,
        settings,
        grid: grid.clone(),
        workload: (scenario.workload.clone(), loaded),
        beats: args.play.beats.into(),
        check_every_fact: args.play.check,
        workers: args.jobs.unwrap_or_else(cores),
        stop,
    };
    let loaded_s = watch.seconds();
    let (show, runs) = (terminal.progress, grid.runs());
    let mut result = play_sweep(plan, move || show.then(|| progress::of_sweep(runs)))?;
    let played_s = watch.seconds() - loaded_s;
    if result.rows.is_empty() {
        return Err(result.failed.take().map_or(Failure::Interrupted, Failure::from));
    }

    let manifest = Manifest {
        command: "sweep",
        scenario: scenario.name.clone(),
        resolved_fnv1a: digest(resolved.as_bytes()),
        resolved,
        trace: super::run::trace_name(&scenario),
        trace_fnv1a,
        nodes_fnv1a: scenario.nodes_fnv1a.clone(),
        seeds: (scenario.seed..scenario.seed + u64::from(spec.seeds)).collect(),
        started_unix_s: watch.started_unix_s,
        wall_time_s: watch.seconds(),
        items_per_s: super::run::per_second(result.items, played_s),
        varied: grid.axes().iter().map(|axis| axis.key.clone()).collect(),
    };
    folder.write("runs.csv", |out| tables::runs(out, &scenario.name, &grid, &result.rows))?;
    folder.write(manifest::FILE, |mut file| file.write_all(manifest.to_json().as_bytes()))?;
    let (done, out_rows) = (result.rows.len(), out.join("runs.csv"));
    if let Some(failed) = result.failed {
        folder.commit()?;
        return Err(Failure::Cut { done, runs, rows: out_rows, why: Some(Box::new(failed.into())) });
    }
    if result.interrupted {
        folder.commit()?;
        return Err(Failure::Cut { done, runs, rows: out_rows, why: None });
    }
    let comparison = compare(&grid, &result.rows, &spec.front);
    folder.write("sweep.csv", |out| tables::settings(out, &grid, &comparison))?;
    folder.commit()?;
    tell(&scenario.name, &grid, &comparison, &out, terminal)
}

/// As many workers as this process may use cores.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn tell(
    scenario: &str,
    grid: &Grid,
    comparison: &Comparison,
    out: &Path,
    terminal: &Terminal,
) -> Result<(), Failure> {
    if terminal.json {
        terminal.print(&json::sweep(scenario, grid, comparison))?;
    } else {
        terminal.show(&sweep_table::sweep(grid, comparison, terminal.lines))?;
    }
    terminal.note(&format!("written to {}", out.display()));
    Ok(())
}
