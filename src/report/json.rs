//! What `--json` prints: one object, in a shape that has a version.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use crate::ledger::{Metric, Value};
use crate::study::{Comparison, Grid};

/// The version of the shape. It changes when a reader of the old one would go wrong.
pub const SCHEMA: u32 = 1;

/// The result of one run.
#[derive(Serialize)]
struct RunJson<'a> {
    schema: u32,
    scenario: &'a str,
    seed: u64,
    #[serde(serialize_with = "by_name")]
    metrics: &'a [Metric],
}

/// The result of one run as one line of JSON: `schema`, `scenario`, `seed`, and `metrics` by name, `null` where a
/// number is unknown.
pub fn run(scenario: &str, seed: u64, metrics: &[Metric]) -> String {
    let json = serde_json::to_string(&RunJson { schema: SCHEMA, scenario, seed, metrics });
    json.expect("a result is JSON because its keys are names and its values text and numbers") + "\n"
}

/// The result of a sweep.
#[derive(Serialize)]
struct SweepJson<'a> {
    schema: u32,
    scenario: &'a str,
    varied: Vec<&'a str>,
    settings: Vec<SettingJson<'a>>,
    cheapest: usize,
    least_disruptive: usize,
    baseline: usize,
}

/// One setting of a sweep.
#[derive(Serialize)]
struct SettingJson<'a> {
    values: Vec<&'a str>,
    on_front: bool,
    #[serde(serialize_with = "by_name")]
    means: &'a [Metric],
}

/// The result of a sweep as one line of JSON: the settings in the order of the grid, and the places of the cheapest,
/// the least disruptive and the baseline among them.
pub fn sweep(scenario: &str, grid: &Grid, comparison: &Comparison) -> String {
    let settings = comparison.settings.iter().map(|row| SettingJson {
        values: grid.values(row.setting),
        on_front: row.on_front,
        means: &row.means,
    });
    let json = serde_json::to_string(&SweepJson {
        schema: SCHEMA,
        scenario,
        varied: grid.axes().iter().map(|axis| axis.key.as_str()).collect(),
        settings: settings.collect(),
        cheapest: comparison.cheapest,
        least_disruptive: comparison.least_disruptive,
        baseline: comparison.baseline,
    });
    json.expect("a result is JSON because its keys are names and its values text and numbers") + "\n"
}

/// The metrics as an object, in the order of the columns.
fn by_name<S: Serializer>(metrics: &&[Metric], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(metrics.len()))?;
    for metric in *metrics {
        match metric.value {
            Value::Count(count) => map.serialize_entry(metric.name, &count)?,
            Value::Micros(_) | Value::Unknown => map.serialize_entry(metric.name, &metric.value.as_f64())?,
        }
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_of_the_csv_and_unknown_is_null() {
        let metrics = [
            Metric { name: "jobs_loaded", value: Value::Count(u64::MAX) },
            Metric { name: "wait_mean_s", value: Value::Micros(353_776_409_123) },
            Metric { name: "cost_total", value: Value::Micros(-1_500_000) },
            Metric { name: "drain_p95_s", value: Value::Unknown },
        ];
        let expected = "{\"schema\":1,\"scenario\":\"a \\\"b\\\"\",\"seed\":7,\"metrics\":{\
                        \"jobs_loaded\":18446744073709551615,\"wait_mean_s\":353776.409123,\
                        \"cost_total\":-1.5,\"drain_p95_s\":null}}\n";
        assert_eq!(run("a \"b\"", 7, &metrics), expected);
    }
}
