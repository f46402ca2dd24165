//! The command `sweep` as its users meet it: what is written, what is said, and what is left when it does not end well.

use crate::support::scratch::Scratch;

/// Two jobs of one core that come one after the other; a third needs two nodes.
const LOG: &str = "\
1   0 -1 600 1 -1 -1 1 900 -1 1 1 1 1 1 1 -1 -1
2  60 -1 300 1 -1 -1 1 900 -1 1 1 1 1 1 1 -1 -1
3 120 -1  60 8 -1 -1 8 900 -1 1 1 1 1 1 1 -1 -1
";

const SCENARIO: &str = "\
[workload]
trace = \"log.swf\"
[[node_type]]
name = \"n4\"
cores = 4
price_per_hour = 0.4
boot = \"90s\"
[cluster]
max_nodes = 2
[sweep.vary]
\"policy.idle_grace\" = [\"0s\", \"15m\"]
";

fn prepared() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("s.toml", SCENARIO);
    scratch.write("log.swf", LOG);
    scratch
}

/// The lines of a table, without its header.
fn rows(text: &str) -> Vec<&str> {
    text.lines().skip(1).collect()
}

#[test]
fn a_sweep_writes_a_row_for_each_run_and_each_setting() {
    let scratch = prepared();
    let arguments = ["sweep", "s.toml", "--vary", "decommission.timeout=0s,never", "--set", "sweep.seeds=2"];
    let said = scratch.ebbtide(&arguments).expect(0, &["written to results/s"]);
    assert!(
        said.out.contains("cheapest: idle_grace ") && said.out.contains("least disruptive: "),
        "{}",
        said.out
    );
    let runs = scratch.text("results/s/runs.csv");
    assert!(runs.starts_with("scenario,seed,policy.idle_grace,decommission.timeout,jobs_loaded,"), "{runs}");
    let first: Vec<String> =
        rows(&runs).iter().map(|row| row.split(',').take(4).collect::<Vec<_>>().join(",")).collect();
    // The last axis changes fastest, and seeds come one after the other. The scenario as written, with a timeout of 1h,
    // is outside the grid and stands at its end.
    let expected = [
        "s,1,0s,0s",
        "s,2,0s,0s",
        "s,1,0s,never",
        "s,2,0s,never",
        "s,1,15m,0s",
        "s,2,15m,0s",
        "s,1,15m,never",
        "s,2,15m,never",
        "s,1,15m,1h",
        "s,2,15m,1h",
    ];
    assert_eq!(first, expected);
    let settings = scratch.text("results/s/sweep.csv");
    let baselines: Vec<bool> = rows(&settings).iter().map(|row| row.contains(",true,")).collect();
    assert_eq!(baselines.len(), 5);
    assert!(rows(&settings)[4].starts_with("15m,1h,") && baselines[4], "{settings}");
}

#[test]
fn a_seed_that_is_varied_is_one_column_of_the_runs() {
    let scratch = prepared();
    scratch.ebbtide(&["sweep", "s.toml", "--vary", "seed=7,9", "--out", "out"]).expect(0, &[]);
    let runs = scratch.text("out/runs.csv");
    assert!(runs.starts_with("scenario,seed,policy.idle_grace,jobs_loaded,"), "{runs}");
    let seeds: Vec<&str> = rows(&runs).iter().map(|row| row.split(',').nth(1).unwrap()).collect();
    // The scenario's own seed, 1, is the baseline's.
    assert_eq!(seeds, ["7", "9", "7", "9", "1"]);
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_workers() {
    let scratch = prepared();
    for jobs in ["1", "3"] {
        scratch.ebbtide(&["sweep", "s.toml", "--jobs", jobs, "--out", jobs]).expect(0, &[]);
    }
    for name in ["runs.csv", "sweep.csv"] {
        assert_eq!(scratch.text(&format!("1/{name}")), scratch.text(&format!("3/{name}")), "{name}");
    }
}

#[test]
fn a_setting_that_leaves_work_undone_is_shown_and_does_not_win() {
    // With one node job 3 is rejected, and the bill is smaller: that is no saving.
    let scratch = prepared();
    let said = scratch.ebbtide(&["sweep", "s.toml", "--vary", "cluster.max_nodes=1,2"]).expect(0, &[]);
    assert!(said.out.contains("not done"), "{}", said.out);
    let verdicts = said.out.lines().filter(|line| line.starts_with("cheapest:"));
    let names: Vec<bool> = verdicts.map(|line| line.contains("max_nodes 2")).collect();
    assert_eq!(names, [true], "{}", said.out);
}

#[test]
fn a_run_that_fails_leaves_the_finished_ones() {
    // With policy none and no node, nothing ever starts: the second setting is stuck.
    let scratch = prepared();
    let arguments = ["sweep", "s.toml", "--vary", "policy.kind=surplus,none", "--jobs", "1", "--out", "out"];
    let said =
        scratch.ebbtide(&arguments).expect(1, &["policy.kind=none", "nothing will let it start", "runs.csv"]);
    // One more run may have been handed out by then.
    assert!(said.err.contains(" of 5 runs are finished"), "{}", said.err);
    assert!(rows(&scratch.text("out/runs.csv"))[0].starts_with("s,1,0s,surplus,"));
    assert_eq!(
        scratch.names(),
        ["log.swf", "out", "out/manifest.json", "out/runs.csv", "s.toml"],
        "no sweep.csv, and nothing half-written"
    );
}

#[test]
fn files_of_the_user_outlive_results_that_are_replaced() {
    let scratch = prepared();
    scratch.ebbtide(&["sweep", "s.toml", "--out", "out"]).expect(0, &[]);
    scratch.write("out/notes.txt", "mine");
    scratch.write("out/plots/a.png", "mine too");
    scratch.ebbtide(&["run", "s.toml", "--out", "out"]).expect(0, &[]);
    assert_eq!(scratch.text("out/notes.txt"), "mine");
    assert_eq!(scratch.text("out/plots/a.png"), "mine too");
    assert!(!scratch.names().contains(&"out/sweep.csv".to_owned()), "what was ours is replaced");
}

#[test]
fn a_log_of_which_no_job_fits_is_bad_input() {
    let scratch = prepared();
    scratch.write("log.swf", "1 0 -1 600 9 -1 -1 9 900 -1 1 1 1 1 1 1 -1 -1\n");
    for command in ["run", "check"] {
        scratch.ebbtide(&[command, "s.toml"]).expect(2, &["needs 9 cores", "8 at most", "max_nodes"]);
    }
    assert_eq!(scratch.names(), ["log.swf", "s.toml"]);
}

#[test]
fn what_is_wrong_with_the_axes_is_told_and_leaves_nothing() {
    let scratch = prepared();
    let bad = [
        ("policy.idle_gracee=1m", "did you mean `policy.idle_grace`"),
        ("policy.idle_grace=-5m", "is negative"),
        ("policy.idle_grace=", "varied over no value"),
    ];
    for (axis, words) in bad {
        scratch.ebbtide(&["sweep", "s.toml", "--vary", axis]).expect(2, &[words]);
    }
    scratch.ebbtide(&["sweep", "s.toml", "--jobs", "0"]).expect(2, &["1 to 1024"]);
    assert_eq!(scratch.names(), ["log.swf", "s.toml"]);
}
