//! Tables for a terminal: the metrics of a run in groups, with units. The numbers are those of the CSV; a second look
//! at a number (a span in hours and minutes) stands beside it, never in its place.

use comfy_table::presets::{ASCII_BORDERS_ONLY_CONDENSED, UTF8_BORDERS_ONLY};
use comfy_table::{Cell, CellAlignment, LineStyle, Table};

use crate::ledger::{Metric, Value};
use crate::time::SimSpan;

/// What a table is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Box drawing characters of Unicode.
    Light,
    /// What every terminal has.
    Ascii,
}

impl Lines {
    /// An empty table of this kind.
    pub fn table(self) -> Table {
        let mut table = Table::new();
        table.load_style(match self {
            Self::Light => UTF8_BORDERS_ONLY.header_separator(LineStyle::new('├', '─', '─', '┤')),
            Self::Ascii => ASCII_BORDERS_ONLY_CONDENSED,
        });
        table
    }
}

/// A metric's name, what it is called here, and its unit.
type Row = (&'static str, &'static str, &'static str);

/// The rows of a run's table by group.
const GROUPS: &[(&str, &[Row])] = &[
    (
        "Jobs",
        &[
            ("jobs_loaded", "loaded", "jobs"),
            ("jobs_skipped", "skipped lines of the log", "lines"),
            ("jobs_rejected", "rejected: can never fit", "jobs"),
            ("jobs_completed", "completed", "jobs"),
            ("jobs_failed", "failed", "jobs"),
            ("jobs_unfinished", "unfinished", "jobs"),
            ("makespan_s", "first submit to last end", "s"),
            ("bounded_slowdown_mean", "bounded slowdown, mean", "ratio"),
        ],
    ),
    (
        "Waiting",
        &[
            ("wait_mean_s", "mean", "s"),
            ("wait_boot_s", "  for an instance to boot", "s"),
            ("wait_drain_s", "  for cores of draining nodes", "s"),
            ("wait_poll_s", "  for somebody to ask for a node", "s"),
            ("wait_queue_s", "  in the queue of a full cluster", "s"),
            ("wait_lost_s", "  lost in killed attempts", "s"),
            ("wait_p50_s", "half wait no longer than", "s"),
            ("wait_p95_s", "95 % wait no longer than", "s"),
            ("wait_p99_s", "99 % wait no longer than", "s"),
            ("wait_max_s", "longest", "s"),
        ],
    ),
    (
        "Nodes",
        &[
            ("nodes_booted", "booted", "instances"),
            ("nodes_stopped", "stopped", "instances"),
            ("nodes_peak", "most at once", "instances"),
            ("utilisation_ratio", "utilisation", "ratio"),
        ],
    ),
    (
        "Money",
        &[
            ("cost_total", "total", "currency"),
            ("cost_busy", "  nodes at work", "currency"),
            ("cost_idle", "  idle nodes", "currency"),
            ("cost_boot", "  boots", "currency"),
            ("cost_drain", "  drains", "currency"),
            ("cost_down", "  nodes out of service", "currency"),
            ("cost_rounding", "  billed beyond time lived", "currency"),
            ("cost_floor", "if only work were paid", "currency"),
        ],
    ),
    (
        "Disruption",
        &[
            ("drains", "drains", "drains"),
            ("drains_ready", "  ended with nothing left to wait for", "drains"),
            ("drains_timed_out", "  ran out of time", "drains"),
            ("drain_p95_s", "95 % of drains take no longer than", "s"),
            ("jobs_requeued", "requeued", "times"),
            ("containers_killed", "killed", "containers"),
            ("lost_core_hours", "work lost", "core hours"),
            ("output_lost_core_hours", "finished maps lost", "core hours"),
            ("idle_held_hours", "held for applications alone", "node hours"),
            ("wanted_node_stops", "drains that the queue then missed", "drains"),
        ],
    ),
];

/// The metrics of a run as a table. A metric that the run does not have is left out.
pub fn run(metrics: &[Metric], lines: Lines) -> String {
    let mut table = lines.table();
    for &(group, rows) in GROUPS {
        let mut title = group;
        for &(name, label, unit) in rows {
            let Some(metric) = metrics.iter().find(|metric| metric.name == name) else { continue };
            let right = |text: String| Cell::new_owned(text).set_alignment(CellAlignment::Right);
            let second_look = if unit == "s" { clock(metric.value) } else { String::new() };
            let value = right(grouped(metric.value));
            table.add_row([Cell::new(title), Cell::new(label), value, Cell::new(unit), right(second_look)]);
            title = "";
        }
    }
    format!("{table}\n")
}

/// A number as in the CSV, with its thousands separated; `-` if it is unknown.
pub fn grouped(value: Value) -> String {
    let text = value.to_string();
    if text.is_empty() {
        return "-".to_owned();
    }
    let (sign, rest) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, part) = rest.split_once('.').map_or((rest, None), |(whole, part)| (whole, Some(part)));
    let mut out = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(part) = part {
        out.push('.');
        out.push_str(part);
    }
    out
}

/// A number of seconds as a span, from a minute on: `4d2h57m36s`, without fractions of a second.
fn clock(value: Value) -> String {
    let Value::Micros(micros) = value else { return String::new() };
    match u64::try_from(micros / 1_000_000) {
        Ok(seconds @ 60..) => SimSpan::from_secs(seconds).to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::metrics::columns;

    #[test]
    fn every_row_is_a_metric() {
        let columns = columns();
        for (name, ..) in GROUPS.iter().flat_map(|(_, rows)| *rows) {
            assert!(columns.contains(name), "{name}");
        }
    }

    #[test]
    fn thousands_are_separated_and_nothing_else_changes() {
        for (value, text) in [
            (Value::Count(0), "0"),
            (Value::Count(999), "999"),
            (Value::Count(1_000), "1,000"),
            (Value::Count(12_345_678), "12,345,678"),
            (Value::Micros(353_776_409_123), "353,776.409123"),
            (Value::Micros(-1_234_500_000), "-1,234.5"),
            (Value::Micros(0), "0.0"),
            (Value::Unknown, "-"),
        ] {
            assert_eq!(grouped(value), text);
        }
    }

    #[test]
    fn a_table_looks_like_this() {
        let metrics = [
            Metric { name: "jobs_loaded", value: Value::Count(28_481) },
            Metric { name: "wait_mean_s", value: Value::Micros(353_776_409_123) },
            Metric { name: "drain_p95_s", value: Value::Unknown },
        ];
        let expected = "\
┌──────────────────────────────────────────────────────────────────────────────────────┐
│ Jobs         loaded                                       28,481   jobs              │
│ Waiting      mean                                 353,776.409123   s      4d2h16m16s │
│ Disruption   95 % of drains take no longer than                -   s                 │
└──────────────────────────────────────────────────────────────────────────────────────┘
";
        assert_eq!(run(&metrics, Lines::Light), expected);
        assert!(run(&metrics, Lines::Ascii).is_ascii());
    }
}
