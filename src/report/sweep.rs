//! The tables of a sweep: `runs.csv`, a row per run, and `sweep.csv`, a row per setting.

use std::io::{self, Write};

use crate::report::rows::Rows;
use crate::report::run::SummaryRows;
use crate::study::{Comparison, Grid, RunRow};

/// Writes `runs.csv`: the finished runs, in the order of the grid.
///
/// # Errors
/// If `out` fails.
pub fn runs(out: impl Write, scenario: &str, grid: &Grid, runs: &[RunRow]) -> io::Result<()> {
    let metrics = runs.first().map_or(&[][..], |run| &run.metrics);
    // A seed that is varied has its column already.
    let is_told = |key: &str| key != "seed";
    let varied = keys(grid).filter(|key| is_told(key));
    let mut rows = SummaryRows::begin(out, varied, metrics.iter().map(|metric| metric.name))?;
    for run in runs {
        let values = keys(grid).zip(grid.values(run.setting)).filter(|(key, _)| is_told(key));
        rows.add(scenario, run.seed, values.map(|(_, value)| value), &run.metrics)?;
    }
    rows.finish()
}

/// Writes `sweep.csv`: the settings in the order of the grid, with the mean of each metric over the seeds.
///
/// `meets_goal` and `is_recommended` are empty, since there is no goal.
///
/// # Errors
/// If `out` fails.
pub fn settings(out: impl Write, grid: &Grid, comparison: &Comparison) -> io::Result<()> {
    let metrics = comparison.settings.first().map_or(&[][..], |row| &row.means);
    let metrics = metrics.iter().map(|metric| metric.name);
    let verdicts = ["is_baseline", "on_front", "meets_goal", "is_recommended"];
    let mut rows = Rows::begin(out, keys(grid).chain(metrics).chain(verdicts))?;
    for row in &comparison.settings {
        for value in grid.values(row.setting) {
            rows.foreign(value);
        }
        for metric in &row.means {
            rows.value(metric.value);
        }
        rows.shown(row.is_baseline).shown(row.on_front).empty().empty();
        rows.end()?;
    }
    rows.finish()
}

fn keys(grid: &Grid) -> impl Iterator<Item = &str> {
    grid.axes().iter().map(|axis| axis.key.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Metric, Value};
    use crate::study::compare;

    #[test]
    fn runs_stand_by_run_and_settings_by_setting() {
        let grid = Grid::over("policy.idle_grace", &["5m", "=1"], 0, 3, 2);
        let run = |setting, seed, drains, cost| {
            let metric = |name, value| Metric { name, value };
            let metrics =
                vec![metric("drains", Value::Count(drains)), metric("cost_total", Value::Micros(cost))];
            RunRow { setting, seed, metrics }
        };
        let done =
            [run(0, 3, 4, 1_000_000), run(0, 4, 5, 2_000_000), run(1, 3, 0, 500_000), run(1, 4, 0, 250_000)];
        let mut out = Vec::new();
        runs(&mut out, "s", &grid, &done).unwrap();
        let expected = "scenario,seed,policy.idle_grace,drains,cost_total\n\
                        s,3,5m,4,1.0\ns,4,5m,5,2.0\ns,3,'=1,0,0.5\ns,4,'=1,0,0.25\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);

        let mut out = Vec::new();
        settings(&mut out, &grid, &compare(&grid, &done, &["cost_total".to_owned()])).unwrap();
        let expected = "policy.idle_grace,drains,cost_total,is_baseline,on_front,meets_goal,is_recommended\n\
                        5m,4.5,1.5,true,false,,\n'=1,0.0,0.375,false,true,,\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
