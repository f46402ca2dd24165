//! Axes, baselines and what is wrong with them.

use super::{COLUMNS, FULL, LEAST, file, least_with, settings};
use crate::scenario::ScenarioErrors;
use crate::scenario::model::{Axis, SweepSpec};

fn sweep(text: &str, extra_axes: &[&str]) -> Result<SweepSpec, ScenarioErrors> {
    let extra_axes: Vec<_> = extra_axes.iter().map(|&axis| axis.to_owned()).collect();
    file(text).sweep(&extra_axes, &[], &COLUMNS)
}

fn axis(key: &str, values: &[&str]) -> Axis {
    Axis { key: key.to_owned(), values: values.iter().map(|&value| value.to_owned()).collect() }
}

/// [`LEAST`] with one axis.
fn varied(line: &str) -> String {
    least_with("sweep.vary", line)
}

#[test]
fn a_sweep_is_read_in_the_files_order_with_values_as_written() {
    let spec = sweep(FULL, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let expected = [
        axis("policy.idle_grace", &["0s", "2m", "15m", "never"]),
        axis("decommission.timeout", &["0s", "60m"]),
        axis("node_type.m.16.cores", &["16", "32"]),
    ];
    assert_eq!(spec.vary, expected);
    assert_eq!((spec.seeds, spec.front.len()), (3, 2));
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let baseline = [pair("policy.idle_grace", "15m"), pair("decommission.timeout", "1h")];
    assert_eq!(spec.baseline.as_deref(), Some(&baseline[..]));
    // 1h is the axis's 60m, and the cores are those of the scenario as written.
    assert_eq!(spec.baseline_values, ["15m", "60m", "16"]);
    assert_eq!(spec.baseline_cell, Some(vec![2, 1, 0]));
}

#[test]
fn without_a_sweep_one_setting_remains() {
    let spec = sweep(LEAST, &[]).expect("it is fine");
    assert!(spec.vary.is_empty() && spec.baseline.is_none());
    assert_eq!((spec.seeds, spec.baseline_cell), (1, Some(Vec::new())));
    assert_eq!(spec.front, ["cost_total", "wait_p95_s", "lost_core_hours"]);
}

#[test]
fn keys_may_be_written_as_nested_tables() {
    let spec = sweep(&varied("policy.idle_grace = [\"1m\"]"), &[]).expect("it is fine");
    assert_eq!(spec.vary, [axis("policy.idle_grace", &["1m"])]);
}

#[test]
fn axes_of_the_command_line_replace_the_files_or_come_after_them() {
    let text = varied("\"policy.idle_grace\" = [\"1m\"]\n\"node_type.cores\" = [1]");
    let extra = ["scheduler.discipline=fifo, easy", "node_type.n1.cores=2,4"];
    let spec = sweep(&text, &extra).expect("it is fine");
    let expected = [
        axis("policy.idle_grace", &["1m"]),
        axis("node_type.n1.cores", &["2", "4"]),
        axis("scheduler.discipline", &["fifo", "easy"]),
    ];
    assert_eq!(spec.vary, expected);
    // The scenario as written has a grace of 15m, which is not in the grid.
    assert_eq!((spec.baseline, spec.baseline_cell), (None, None));
    assert_eq!(spec.baseline_values, ["15m", "4", "fifo"]);
}

#[test]
fn a_baseline_off_the_axes_is_in_the_grid_only_if_it_changes_nothing() {
    let text = |value: &str| {
        let line = format!("baseline = {{ \"policy.poll\" = \"{value}\" }}\nvary = {{ \"seed\" = [1, 2] }}");
        least_with("sweep", &line)
    };
    assert_eq!(sweep(&text("1m"), &[]).expect("it is fine").baseline_cell, Some(vec![0]));
    assert_eq!(sweep(&text("2m"), &[]).expect("it is fine").baseline_cell, None);
}

#[test]
fn keys_that_are_checked_together_are_tried_together() {
    // 50 nodes are too many for the scenario as written and for none of the grid's settings.
    let text = varied("\"cluster.min_nodes\" = [0, 50]\n\"cluster.max_nodes\" = [50, 100]");
    assert!(sweep(&text, &[]).is_ok());
    let message = sweep(&text, &["cluster.max_nodes=40,100"]).expect_err("40 is too low").to_string();
    assert!(message.contains("`cluster.min_nodes` (50) is above `cluster.max_nodes` (40)"), "{message}");
    assert!(message.contains("case.toml:9:27") && message.contains("comes from --vary"), "{message}");
}

#[test]
fn a_key_that_the_file_lacks_can_be_varied() {
    let text = least_with(
        "sweep",
        "baseline = { \"cluster.max_nodes\" = 5 }\nvary = { \"cluster.max_nodes\" = [5, 6] }",
    );
    let spec = sweep(&text.replace("max_nodes = 10\n", ""), &[]).expect("it is fine");
    assert_eq!(spec.baseline_cell, Some(vec![0]));
}

#[test]
fn windows_and_boot_times_can_be_varied_although_they_have_parts() {
    let text = varied("\"policy.shutdown_windows\" = [\"always\", [\"54m\", \"5m\", \"1m\"]]");
    let axes = ["node_type.boot=90s,{ uniform = [\"1m\", \"2m\"] }"];
    let spec = sweep(&text, &axes).expect("it is fine");
    assert_eq!(spec.vary[0], axis("policy.shutdown_windows", &["always", "[\"54m\", \"5m\", \"1m\"]"]));
    assert_eq!(spec.vary[1], axis("node_type.boot", &["90s", "{ uniform = [\"1m\", \"2m\"] }"]));
}

#[test]
fn seeds_can_be_set() {
    let spec = file(LEAST).sweep(&[], &settings(&["sweep.seeds=5"]), &COLUMNS).expect("it is fine");
    assert_eq!(spec.seeds, 5);
}

#[test]
fn what_is_wrong_with_a_sweep_is_told_with_its_place() {
    for (line, words) in [
        ("\"policy.idle_grace\" = [\"0s\", \"5\"]", &["case.toml:9:30", "\"5s\""][..]),
        ("\"policy.idle_grace\" = [\"60s\", \"1m\"]", &["case.toml:9:31", "1m is the same value as 60s"]),
        ("\"policy.idle_grace\" = []", &["case.toml:9:23", "varied over no value"]),
        ("\"policy.idle_grace\" = \"5m\"", &["case.toml:9:23", "give a list of values"]),
        ("\"policy.idle_grac\" = [\"5m\"]", &["case.toml:9:1", "did you mean `policy.idle_grace`?"]),
        ("\"sweep.front\" = [\"cost_total\"]", &["case.toml:9:1", "cannot be varied"]),
        ("\"policy.shutdown_windows\" = [\"always\", [\"54m\"]]", &["case.toml:9:40", "closed first"]),
        ("\"sweep.seeds\" = [1]", &["cannot be varied"]),
        ("\"node_type.name\" = [\"x\"]", &["cannot be set"]),
        ("\"policy\" = [1]", &["unknown key `policy`"]),
        ("\"node_type.boot\" = [{ median = \"1m\", p95 = \"2m\" }, 3]", &["found \"3\"", "case.toml:9:52"]),
        ("\"node_type.cores\" = [1]\n\"node_type.n1.cores\" = [2]", &["is varied twice", "case.toml:10:1"]),
        ("\"cluster.max_nodes\" = [1, \"x\"]", &["found \"x\"", "a whole number"]),
    ] {
        let message = sweep(&varied(line), &[]).expect_err(line).to_string();
        assert!(message.contains("= help: "), "{message}");
        for word in words {
            assert!(message.contains(word), "{line}: no {word:?} in\n{message}");
        }
    }
}

#[test]
fn what_is_wrong_with_the_rest_of_a_sweep_is_told_too() {
    for (line, words) in [
        ("seeds = 0", &["case.toml:9:9", "from 1 to 10000"][..]),
        ("seeds = 2\nvary = { seed = [1, 2] }", &["`seed` is varied while `sweep.seeds` is 2", "averaged"]),
        ("seeds = 10000\nvary = { seed = [1], \"policy.poll\" = [\"1s\"] }", &["`seed` is varied"]),
        (
            "front = [\"cost_totl\"]",
            &["no column `cost_totl`", "did you mean `cost_total`?", "case.toml:9:9"],
        ),
        ("front = []", &["a list of names"]),
        ("front = [\"cost_total\", \"cost_total\"]", &["each name once", "case.toml:9:24"]),
        ("baseline = 5", &["`sweep.baseline` is no table"]),
        ("baseline = { \"policy.idle\" = \"5m\" }", &["unknown key `policy.idle`", "case.toml:9:14"]),
        ("baseline = { \"policy.idle_grace\" = 5 }", &["\"5s\"", "case.toml:9:36"]),
        ("baseline = { \"cluster.min_nodes\" = 11 }", &["is above", "case.toml:9:36"]),
        ("vary = 5", &["`sweep.vary` is no table"]),
        ("vari = 5", &["did you mean `vary`"]),
    ] {
        // All of [sweep] is read by a sweep; an unknown key in it is wrong in any case.
        let message = sweep(&least_with("sweep", line), &[]).expect_err(line).to_string();
        for word in words {
            assert!(message.contains(word), "{line}: no {word:?} in\n{message}");
        }
    }
}

#[test]
fn a_wrong_axis_of_the_command_line_is_told_by_its_flag() {
    for (argument, words) in [
        ("policy.idle_grace", &["--vary key=value"][..]),
        ("policy.idle_grace=", &["varied over no value"]),
        ("policy.idle_grace=5m,,6m", &["a duration is missing", "in `--vary policy.idle_grace=5m,,6m`"]),
        ("policy.idle_grace=5m,300s", &["300s is the same value as 5m"]),
        ("scheduler.placement=pack,spred", &["did you mean \"spread\"?"]),
    ] {
        let message = sweep(LEAST, &[argument]).expect_err(argument).to_string();
        for word in words {
            assert!(message.contains(word), "{argument}: no {word:?} in\n{message}");
        }
    }
    let twice = sweep(LEAST, &["seed=1", "seed=2"]).expect_err("twice").to_string();
    assert!(twice.contains("`seed` is varied twice"), "{twice}");
}

#[test]
fn a_sweep_has_an_end() {
    let values = (1..=1001).map(|value| value.to_string()).collect::<Vec<_>>().join(",");
    let extra = [format!("seed={values}"), format!("workload.jobs={values}")];
    let message = file(LEAST).sweep(&extra, &[], &COLUMNS).expect_err("1,002,001 runs").to_string();
    assert!(message.contains("more than 1000000 runs"), "{message}");
}
