//! The table of a sweep for a terminal: a row per setting, and in words which one is cheapest and which disturbs least.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment};

use crate::ledger::Value;
use crate::report::table::{Lines, grouped};
use crate::study::{Comparison, Grid, SettingRow};

/// The columns: metric, heading, decimals.
const COLUMNS: [(&str, &str, u32); 9] = [
    ("cost_total", "cost", 2),
    ("wait_mean_s", "wait s", 0),
    ("wait_p95_s", "p95 wait s", 0),
    ("wait_boot_s", "for boots s", 1),
    ("nodes_booted", "boots", 0),
    ("drains_timed_out", "timed out", 0),
    ("jobs_requeued", "requeued", 0),
    ("lost_core_hours", "lost core h", 1),
    ("utilisation_ratio", "utilisation", 3),
];

/// The settings of a sweep, and what they come to.
pub fn sweep(grid: &Grid, comparison: &Comparison, lines: Lines) -> String {
    let mut table = lines.table();
    let keys = grid.axes().iter().map(|axis| leaf(&axis.key).to_owned());
    let headings = COLUMNS.iter().map(|&(_, heading, _)| heading.to_owned());
    let some_undone = comparison.settings.iter().any(|row| undone(row) != Some(0.0));
    let undone_heading = some_undone.then(|| "not done".to_owned());
    table.set_header(keys.chain(headings).chain(undone_heading).chain([String::new()]));
    for row in &comparison.settings {
        let mut cells: Vec<Cell> = grid.values(row.setting).into_iter().map(Cell::new).collect();
        for (metric, _, decimals) in COLUMNS {
            let text = rounded(row.value(metric), decimals);
            cells.push(Cell::new_owned(text).set_alignment(CellAlignment::Right));
        }
        if some_undone {
            let text = undone(row).map_or_else(|| "-".to_owned(), |jobs| rounded(Value::decimal(jobs), 0));
            cells.push(Cell::new_owned(text).set_alignment(CellAlignment::Right));
        }
        cells.push(Cell::new_owned(marks(row, comparison)));
        table.add_row(cells);
    }
    let mut text = format!("{table}\n");
    for (title, place) in
        [("cheapest", comparison.cheapest), ("least disruptive", comparison.least_disruptive)]
    {
        writeln!(text, "{}", verdict(title, place, grid, comparison))
            .expect("writing to a string cannot fail");
    }
    text.push_str(
        "least disruptive: fewest core hours lost, then least p95 wait, then least cost; like the cheapest, among the \
         settings that complete the most jobs\n\
         front: no other setting is at least as good in everything and better in something\n",
    );
    text
}

/// Jobs that a setting rejected, failed or left unfinished, on average.
fn undone(row: &SettingRow) -> Option<f64> {
    let columns = ["jobs_rejected", "jobs_failed", "jobs_unfinished"];
    columns.iter().map(|column| row.value(column).as_f64()).sum()
}

/// The last word of a dotted path.
fn leaf(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, leaf)| leaf)
}

/// What is worth saying of a setting.
fn marks(row: &SettingRow, comparison: &Comparison) -> String {
    let marks = [
        (row.setting == comparison.cheapest, "cheapest"),
        (row.setting == comparison.least_disruptive, "least disruptive"),
        (row.on_front, "front"),
        (row.is_baseline, "baseline"),
    ];
    let said: Vec<&str> = marks.into_iter().filter(|&(holds, _)| holds).map(|(_, mark)| mark).collect();
    said.join(", ")
}

/// A setting in a sentence, laid beside the baseline.
fn verdict(title: &str, place: usize, grid: &Grid, comparison: &Comparison) -> String {
    let Some(row) = comparison.settings.get(place) else { return format!("{title}: none") };
    let baseline = comparison.settings.get(comparison.baseline);
    let beside = baseline.filter(|baseline| baseline.setting != row.setting).and_then(|baseline| {
        let (cost, base) = (row.value("cost_total").as_f64()?, baseline.value("cost_total").as_f64()?);
        (base > 0.0).then(|| format!(", {:+.1} % against the baseline", (cost / base - 1.0) * 100.0))
    });
    format!(
        "{title}: {}: cost {}{}, 95 % wait no longer than {} s, {} core hours lost",
        words(grid, place),
        rounded(row.value("cost_total"), 2),
        beside.unwrap_or_default(),
        rounded(row.value("wait_p95_s"), 0),
        rounded(row.value("lost_core_hours"), 1),
    )
}

/// A setting in words, as in `idle_grace 5m, timeout 1h`.
fn words(grid: &Grid, setting: usize) -> String {
    let pairs = grid.axes().iter().zip(grid.values(setting));
    let words: Vec<String> = pairs.map(|(axis, value)| format!("{} {value}", leaf(&axis.key))).collect();
    if words.is_empty() { "the scenario as written".to_owned() } else { words.join(", ") }
}

/// A value to so many decimals, for reading; the files have all of them.
fn rounded(value: Value, decimals: u32) -> String {
    let Value::Micros(micros) = value else { return grouped(value) };
    let places = 10_i128.pow(decimals);
    let unit = 1_000_000 / places;
    let steps = (micros * 2 + unit).div_euclid(unit * 2);
    let (whole, part) = (steps / places, steps % places);
    let whole = u64::try_from(whole).map_or_else(|_| whole.to_string(), |whole| grouped(Value::Count(whole)));
    match decimals {
        0 => whole,
        _ => format!("{whole}.{part:0width$}", width = decimals as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Metric;
    use crate::study::{RunRow, compare};

    #[test]
    fn the_verdicts_name_the_settings_and_lay_them_beside_the_baseline() {
        let grid = Grid::over("policy.idle_grace", &["0s", "5m"], 0, 1, 1);
        let run = |setting, cost, lost| {
            let metric = |name, micros| Metric { name, value: Value::Micros(micros) };
            let metrics = vec![
                metric("cost_total", cost),
                metric("wait_p95_s", 61_400_000),
                metric("lost_core_hours", lost),
            ];
            RunRow { setting, seed: 1, metrics }
        };
        let runs = [run(0, 2_000_000_000, 0), run(1, 1_900_000_000, 2_500_000)];
        let front = ["cost_total", "lost_core_hours"].map(str::to_owned);
        let text = sweep(&grid, &compare(&grid, &runs, &front), Lines::Ascii);
        let cheapest = "cheapest: idle_grace 5m: cost 1,900.00, -5.0 % against the baseline, \
                        95 % wait no longer than 61 s, 2.5 core hours lost";
        assert!(text.contains(cheapest), "{text}");
        assert!(text.contains("least disruptive: idle_grace 0s: cost 2,000.00, 95 %"), "{text}");
        assert!(text.contains("least disruptive, front, baseline"), "{text}");
    }

    #[test]
    fn what_is_shown_is_rounded_to_the_nearest() {
        assert_eq!(rounded(Value::Micros(1_449_999), 1), "1.4");
        assert_eq!(rounded(Value::Micros(1_450_000), 1), "1.5");
        assert_eq!(rounded(Value::Micros(1_040_000), 2), "1.04");
        assert_eq!(rounded(Value::Micros(1_234_999_500_000), 0), "1,235,000");
        assert_eq!(rounded(Value::Count(7), 0), "7");
        assert_eq!(rounded(Value::Unknown, 2), "-");
    }
}
