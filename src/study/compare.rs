//! Comparing settings: means over seeds, the Pareto front, the cheapest setting and the least disruptive one.

use std::cmp::Ordering;

use crate::ledger::{Metric, Value};
use crate::study::grid::Grid;
use crate::study::sweep::RunRow;

/// One setting: a row of `sweep.csv`.
#[derive(Clone, Debug)]
pub struct SettingRow {
    /// Its place in the grid.
    pub setting: usize,
    /// The mean of each metric over its seeds, in the order of the columns.
    pub means: Vec<Metric>,
    /// Whether the others are compared with it.
    pub is_baseline: bool,
    /// Whether no other setting is at least as good in everything that the front is over, and better in something.
    pub on_front: bool,
}

/// What a sweep says.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// All settings, in the order of the grid.
    pub settings: Vec<SettingRow>,
    /// The place in `settings` of the one with the least `cost_total` (ties: least `wait_p95_s`, then the first), among
    /// those that complete the most jobs: leaving work undone is no saving.
    pub cheapest: usize,
    /// The place of the one with the least `lost_core_hours` (ties: least `wait_p95_s`, then least `cost_total`), among
    /// the same.
    pub least_disruptive: usize,
    /// The place of the baseline.
    pub baseline: usize,
}

/// Compares the settings of a finished sweep. `rows` are its runs in the order of the grid; `front` are the columns
/// that the Pareto front is over, in each of which less is better.
pub fn compare(grid: &Grid, rows: &[RunRow], front: &[String]) -> Comparison {
    let mut settings: Vec<SettingRow> = rows
        .chunk_by(|a, b| a.setting == b.setting)
        .map(|runs| SettingRow {
            setting: runs[0].setting,
            means: means(runs),
            is_baseline: runs[0].setting == grid.baseline(),
            on_front: false,
        })
        .collect();
    let points: Vec<Vec<Option<f64>>> =
        settings.iter().map(|row| front.iter().map(|column| row.number(column)).collect()).collect();
    for (row, point) in settings.iter_mut().zip(&points) {
        row.on_front =
            point.iter().all(Option::is_some) && !points.iter().any(|other| dominates(other, point));
    }
    let most_done = settings.iter().filter_map(|row| row.number("jobs_completed")).max_by(f64::total_cmp);
    let does_the_work = |row: &&SettingRow| row.number("jobs_completed") >= most_done;
    let least = |columns: [&str; 3]| {
        let by_columns = |a: &&SettingRow, b: &&SettingRow| {
            let order = columns.iter().map(|column| unknown_last(a.number(column), b.number(column)));
            order.fold(Ordering::Equal, Ordering::then)
        };
        settings.iter().filter(does_the_work).min_by(by_columns).map_or(0, |best| best.setting)
    };
    Comparison {
        cheapest: least(["cost_total", "wait_p95_s", "lost_core_hours"]),
        least_disruptive: least(["lost_core_hours", "wait_p95_s", "cost_total"]),
        baseline: grid.baseline(),
        settings,
    }
}

impl SettingRow {
    /// The mean of a metric.
    pub fn value(&self, column: &str) -> Value {
        self.means.iter().find(|metric| metric.name == column).map_or(Value::Unknown, |metric| metric.value)
    }

    fn number(&self, column: &str) -> Option<f64> {
        self.value(column).as_f64()
    }
}

/// The mean of each column over the runs of a setting; unknown if it is in any of them.
fn means(runs: &[RunRow]) -> Vec<Metric> {
    let column = |place: usize| runs.iter().map(move |run| run.metrics[place].value);
    let columns = runs[0].metrics.iter().enumerate();
    columns.map(|(place, metric)| Metric { name: metric.name, value: Value::mean(column(place)) }).collect()
}

/// Whether `a` is at least as good as `b` everywhere and better somewhere.
fn dominates(a: &[Option<f64>], b: &[Option<f64>]) -> bool {
    let pairs = || a.iter().zip(b);
    pairs().all(|(a, b)| unknown_last(*a, *b).is_le()) && pairs().any(|(a, b)| unknown_last(*a, *b).is_lt())
}

/// Less before more, and what is unknown last.
fn unknown_last(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::model::{Axis, SweepSpec};

    fn micros(number: f64) -> Value {
        Value::decimal(number)
    }

    fn run(setting: usize, seed: u64, cost: f64, wait: f64, lost: f64) -> RunRow {
        let metric = |name, number| Metric { name, value: micros(number) };
        let metrics =
            vec![metric("cost_total", cost), metric("wait_p95_s", wait), metric("lost_core_hours", lost)];
        RunRow { setting, seed, metrics }
    }

    fn grid(values: usize, seeds: u32) -> Grid {
        let values = (0..values).map(|value| value.to_string()).collect();
        let vary = vec![Axis { key: "k".to_owned(), values }];
        Grid::new(&SweepSpec { vary, baseline_cell: Some(vec![1]), seeds, ..SweepSpec::default() }, 1)
    }

    fn front() -> Vec<String> {
        ["cost_total", "wait_p95_s", "lost_core_hours"].map(str::to_owned).to_vec()
    }

    #[test]
    fn the_front_keeps_what_nothing_beats() {
        let rows = [
            run(0, 1, 10.0, 50.0, 0.0),
            run(1, 1, 8.0, 60.0, 3.0),
            run(2, 1, 10.0, 55.0, 0.0),
            run(3, 1, 8.0, 60.0, 3.0),
            run(4, 1, 9.0, 70.0, 4.0),
        ];
        let got = compare(&grid(5, 1), &rows, &front());
        let on_front: Vec<bool> = got.settings.iter().map(|row| row.on_front).collect();
        assert_eq!(on_front, [true, true, false, true, false], "2 is beaten by 0, 4 by 1; equals both stay");
        assert_eq!((got.cheapest, got.least_disruptive, got.baseline), (1, 0, 1));
    }

    #[test]
    fn settings_are_compared_by_their_means_over_seeds() {
        // Means: 10 and 9; the first has the single cheapest run.
        let rows = [
            run(0, 1, 4.0, 0.0, 1.0),
            run(0, 2, 16.0, 0.0, 1.0),
            run(1, 1, 9.0, 0.0, 0.0),
            run(1, 2, 9.0, 0.0, 2.0),
        ];
        let got = compare(&grid(2, 2), &rows, &front());
        assert_eq!(got.settings[0].value("cost_total").to_string(), "10.0");
        assert_eq!(got.cheapest, 1);
        assert_eq!(got.least_disruptive, 1, "equal loss and wait, so the cheaper one");
    }

    #[test]
    fn a_setting_that_leaves_work_undone_is_neither_cheapest_nor_least_disruptive() {
        let run = |setting, completed, cost| {
            let metrics = vec![
                Metric { name: "jobs_completed", value: Value::Count(completed) },
                Metric { name: "cost_total", value: micros(cost) },
                Metric { name: "lost_core_hours", value: micros(cost) },
            ];
            RunRow { setting, seed: 1, metrics }
        };
        let got = compare(&grid(3, 1), &[run(0, 90, 1.0), run(1, 100, 5.0), run(2, 100, 6.0)], &front());
        assert_eq!((got.cheapest, got.least_disruptive), (1, 1));
    }

    #[test]
    fn what_is_unknown_is_never_best() {
        let unknown = RunRow {
            setting: 0,
            seed: 1,
            metrics: vec![Metric { name: "cost_total", value: Value::Unknown }],
        };
        let known =
            RunRow { setting: 1, seed: 1, metrics: vec![Metric { name: "cost_total", value: micros(5.0) }] };
        let got = compare(&grid(2, 1), &[unknown, known], &["cost_total".to_owned()]);
        assert_eq!(got.cheapest, 1);
        assert!(!got.settings[0].on_front && got.settings[1].on_front);
    }
}
