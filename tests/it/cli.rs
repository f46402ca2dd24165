//! The command as its users meet it: exit codes, messages, and what it leaves on the disk.

use std::io::Write as _;
use std::process::Stdio;

use crate::support::scratch::{Said, Scratch};
use flate2::Compression;
use flate2::write::GzEncoder;

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
";

/// Jobs 1, 2 and 5 run; 3 has no run time; 4 needs 16 cores, and there are 8 at most.
const LOG: &str = "\
; Version: 2.2
1   0 -1 600  4 -1 -1  4 900 -1 1 1 1 1 1 1 -1 -1
2  60 -1 300  8 -1 -1  8 900 -1 1 1 1 1 1 1 -1 -1
3 120 -1  -1  2 -1 -1  2 900 -1 1 1 1 1 1 1 -1 -1
4 200 -1  60 16 -1 -1 16 900 -1 1 1 1 1 1 1 -1 -1
5 300 -1  60  1 -1 -1  1 900 -1 1 1 1 1 1 1 -1 -1
";

const FILES: [&str; 6] =
    ["events.csv", "jobs.csv", "manifest.json", "nodes.csv", "summary.csv", "timeline.csv"];

/// A folder with a scenario `s.toml` and its log.
fn prepared() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("s.toml", SCENARIO);
    scratch.write("log.swf", LOG);
    scratch
}

/// The names of a folder `out` with results in it, beside a scenario and its log.
fn with_results(out: &str) -> Vec<String> {
    let mut names: Vec<_> = FILES.iter().map(|file| format!("{out}/{file}")).collect();
    names.extend([out, "s.toml", "log.swf"].map(str::to_owned));
    names.sort();
    names
}

#[test]
fn a_run_writes_its_results_and_shows_them() {
    let scratch = prepared();
    let said = scratch.ebbtide(&["run", "s.toml"]).expect(0, &["written to results/s"]);
    assert!(said.out.contains("│ Jobs ") && said.out.contains("core hours"), "{}", said.out);
    let mut expected = with_results("results/s");
    expected.insert(1, "results".to_owned());
    assert_eq!(scratch.names(), expected);
    // Job 1 waits 90 s for a node; then 4 cores are free from 690 s on, and job 2 needs 8: it waits for job 1.
    let jobs = scratch.text("results/s/jobs.csv");
    assert!(
        jobs.contains("\n1,batch,0.000,90.000,690.000,90.000,90.000,0.000,0.000,0.000,0.000,600.000,4,"),
        "{jobs}"
    );
    assert!(jobs.contains("\n4,batch,200.000,,,,,,,,,,16,,0,0.000,rejected_too_large\n"), "{jobs}");
    assert!(jobs.ends_with("\n3,batch,120.000,,,,,,,,,,,,,,skipped_no_run_time\n"), "{jobs}");
    let manifest = scratch.text("results/s/manifest.json");
    assert!(
        manifest.contains("\"program\": \"ebbtide\"") && manifest.contains("\"trace\": \"log.swf\""),
        "{manifest}"
    );
}

#[test]
fn a_summary_has_the_promised_columns_in_the_promised_order() {
    let scratch = prepared();
    scratch.ebbtide(&["run", "s.toml", "--out", "o", "--quiet"]).expect(0, &[]);
    let summary = scratch.text("o/summary.csv");
    let mut columns = summary.lines().next().unwrap().split(',');
    let promised = "scenario seed jobs_loaded jobs_skipped jobs_rejected jobs_completed jobs_failed jobs_unfinished \
        wait_mean_s wait_p50_s wait_p95_s wait_p99_s wait_max_s wait_boot_s wait_drain_s wait_poll_s wait_queue_s \
        wait_lost_s bounded_slowdown_mean makespan_s utilisation_ratio nodes_booted nodes_stopped nodes_peak \
        cost_total cost_busy cost_idle cost_boot cost_drain cost_down cost_rounding cost_floor containers_killed \
        jobs_requeued lost_core_hours output_lost_core_hours wanted_node_stops idle_held_hours drains drains_ready \
        drains_timed_out drain_p95_s beats_total";
    for name in promised.split_whitespace() {
        assert!(columns.any(|column| column == name), "{name} is missing or out of order: {summary}");
    }
    assert!(summary.contains("\ns,1,4,1,1,0,1,1,0,3,0,0,"), "{summary}");
}

#[test]
fn two_runs_give_the_same_bytes_and_replace_each_other() {
    let scratch = prepared();
    scratch.ebbtide(&["run", "s.toml", "--out", "o", "-q"]).expect(0, &[]);
    let first: Vec<_> = FILES.map(|file| scratch.text(&format!("o/{file}"))).into();
    scratch.write("o/runs.csv", "of an older sweep");
    scratch.ebbtide(&["run", "s.toml", "--out", "o", "-q", "--check", "--beats", "all"]).expect(0, &[]);
    assert_eq!(scratch.names(), with_results("o"));
    for (file, first) in FILES.iter().zip(first) {
        assert!(*file == "manifest.json" || scratch.text(&format!("o/{file}")) == first, "{file} differs");
    }
}

#[test]
fn json_is_one_object_on_standard_output_and_quiet_says_nothing() {
    let scratch = prepared();
    let said = scratch.ebbtide(&["run", "--json", "s.toml", "--seed", "7"]).expect(0, &[]);
    let object: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        (&object["schema"], &object["scenario"], &object["seed"]),
        (&1.into(), &"s".into(), &7.into())
    );
    assert_eq!(object["metrics"]["jobs_loaded"], 4);
    assert_eq!(object["metrics"]["drain_p95_s"], serde_json::Value::Null);
    let said = scratch.ebbtide(&["--quiet", "run", "s.toml"]).expect(0, &[]);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn what_is_wrong_with_the_input_is_told_with_its_place_and_leaves_nothing() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(LOG.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let with = |from: &str, to: &str| SCENARIO.replace(from, to);
    let cases: [(&str, String, &[&str]); 10] = [
        (
            "unknown key",
            with("max_nodes = 2", "max_nodes = 2\nmin_node = 1"),
            &["s.toml:10:1", "did you mean `min_nodes`"],
        ),
        ("broken TOML", with("[cluster]", "[cluster"), &["s.toml:8:", "not TOML"]),
        ("bare duration", with("\"90s\"", "90"), &["s.toml:7:8", "\"90s\""]),
        (
            "min above max",
            with("max_nodes = 2", "max_nodes = 2\nmin_nodes = 3"),
            &["s.toml:10:13", "lower `min_nodes`"],
        ),
        (
            "beats too rare",
            format!("{SCENARIO}[heartbeat]\ninterval = \"10m\"\n"),
            &["s.toml:11:12", "shorten `heartbeat.interval`"],
        ),
        (
            "no log",
            with("log.swf", "nowhere.swf"),
            &["nowhere.swf: there is no such file", "check workload.trace"],
        ),
        (
            "half a gzip",
            with("log.swf", "half.swf.gz"),
            &["half.swf.gz: the gzip data are cut off", "get the file again"],
        ),
        ("a bad line", with("log.swf", "bad.swf"), &["bad.swf:2: field 2", "correct the line"]),
        ("an empty log", with("log.swf", "empty.swf"), &["empty.swf: the file is empty", "get it again"]),
        ("a picture", with("log.swf", "x.png"), &["x.png: this looks like", "what is read is SWF"]),
    ];
    for (name, scenario, words) in cases {
        let scratch = prepared();
        scratch.write("s.toml", scenario);
        scratch.write("half.swf.gz", &gzip[..gzip.len() / 2]);
        scratch.write("bad.swf", "; x\n1 x -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n");
        scratch.write("empty.swf", "");
        scratch.write("x.png", b"\x89PNG\r\n\x1a\n");
        let before = scratch.names();
        for arguments in [["run", "s.toml"], ["check", "s.toml"]] {
            let said = scratch.ebbtide(&arguments).expect(2, words);
            assert!(said.err.starts_with("error: ") && said.out.is_empty(), "{name}: {}", said.err);
        }
        assert_eq!(scratch.names(), before, "{name}");
    }
}

#[test]
fn what_is_wrong_with_the_arguments_is_told_and_leaves_nothing() {
    let scratch = prepared();
    let before = scratch.names();
    let cases: [(&[&str], &[&str]); 10] = [
        (&[], &["Usage: ebbtide"]),
        (&["fly"], &["unrecognized subcommand 'fly'"]),
        (&["run"], &["<SCENARIO>"]),
        (
            &["run", "nowhere.toml"],
            &["the scenario cannot be read", "in nowhere.toml", "give the path of a scenario"],
        ),
        (&["run", "log.swf"], &["log.swf:1:", "not TOML"]),
        (&["run", "s.toml", "--seed", "x"], &["'x'", "--seed <N>"]),
        (
            &["run", "s.toml", "--seed", "18446744073709551615"],
            &["`seed`: found", "in `--seed 18446744073709551615`"],
        ),
        (&["run", "s.toml", "--set", "seed"], &["--set seed", "write --set key=value"]),
        (&["run", "s.toml", "--set", "policy.idle_grac=5m"], &["did you mean `policy.idle_grace`?"]),
        (&["run", "s.toml", "--beats", "some"], &["all, lazy"]),
    ];
    for (arguments, words) in cases {
        scratch.ebbtide(arguments).expect(2, words);
    }
    assert_eq!(scratch.names(), before);
}

#[test]
fn a_folder_that_is_not_ours_is_refused_before_the_log_is_read() {
    let scratch = prepared();
    scratch.write("s.toml", SCENARIO.replace("log.swf", "never-read.swf"));
    scratch.write("thesis/chapter.tex", "");
    scratch.write("app/manifest.json", "{\"name\": \"a web app\"}");
    let before = scratch.names();
    for (out, words) in [
        (
            "thesis",
            ["thesis: this folder holds files and no manifest.json of ebbtide", "name another folder"],
        ),
        ("app", ["app: this folder holds files and no manifest.json of ebbtide", "empty this one"]),
        (".", ["this names no new folder", "--out results/mine"]),
        ("log.swf", ["log.swf: there is a file where the results should go", "name another folder"]),
        ("log.swf/out", ["log.swf/out: the results cannot be written here", "name another folder"]),
        ("log.swf/deep/out", ["log.swf/deep/out: the results cannot be written here", "name another folder"]),
    ] {
        scratch.ebbtide(&["run", "s.toml", "--out", out]).expect(2, &words);
    }
    assert_eq!(scratch.names(), before);
}

#[test]
fn a_run_that_gets_nowhere_fails_and_leaves_what_was_there() {
    let scratch = prepared();
    scratch.ebbtide(&["run", "s.toml", "--out", "o"]).expect(0, &[]);
    let summary = scratch.text("o/summary.csv");
    let stuck = ["run", "s.toml", "--out", "o", "--set", "policy.kind=none"];
    scratch.ebbtide(&stuck).expect(1, &["error: job 1 waits at", "Set `horizon` to end such a run"]);
    assert_eq!(scratch.names(), with_results("o"));
    assert_eq!(scratch.text("o/summary.csv"), summary);
}

/// Any file that grows beyond 512 bytes fails, as on a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_is_one_clear_message_and_leaves_nothing() {
    let scratch = prepared();
    let before = scratch.names();
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" run s.toml --out o";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", limited, env!("CARGO_BIN_EXE_ebbtide")]).current_dir(&scratch.path);
    let said = Said::of(&mut shell).expect(1, &["error: o/", ".csv: cannot be written: ", "make room there"]);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    assert_eq!(scratch.names(), before);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_run_and_leaves_nothing() {
    let scratch = prepared();
    scratch.ebbtide(&["run", "s.toml", "--out", "o"]).expect(0, &[]);
    let summary = scratch.text("o/summary.csv");
    // Far more beats than anybody waits for.
    let endless = ["run", "s.toml", "--out", "o", "--beats", "all", "--set", "horizon=30000d"];
    let mut run = scratch.command(&endless);
    let mut child = run
        .args(["--set", "cluster.min_nodes=1000", "--set", "cluster.max_nodes=1000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The folder is claimed after Ctrl-C is listened to.
    while scratch.names() == with_results("o") && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert_eq!(err, "error: interrupted: nothing was written\n");
    assert_eq!(scratch.names(), with_results("o"));
    assert_eq!(scratch.text("o/summary.csv"), summary);
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let scratch = prepared();
    for arguments in [&["check", "s.toml", "--explain"][..], &["run", "s.toml"], &["--help"]] {
        let mut child =
            scratch.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{err}");
        assert!(!err.contains("panicked") && !err.contains("error"), "{err}");
    }
}

#[test]
fn check_says_what_the_scenario_is_and_writes_nothing() {
    let scratch = prepared();
    let sweep = "[sweep]\nseeds = 3\nvary = { \"policy.idle_grace\" = [\"5m\", \"1h\"] }\n";
    scratch.write("s.toml", format!("{SCENARIO}{sweep}"));
    let before = scratch.names();
    let said = scratch.ebbtide(&["check", "s.toml"]).expect(0, &[]);
    for words in [
        "s: can be played",
        "4 loaded, of which rejected: 1 (too large: 1, too much memory: 0)",
        "lines left out: 1 (no run time: 1, no processors: 0)",
        "0 to 2\n",
        "n4: 4 cores, 0.4 an hour, boots in 1m30s, stops in 0s",
        "fifo, pack",
        "node-manager, polls each 1m",
        "2 policy.idle_grace and the baseline, 3 seeds: 9 runs",
    ] {
        assert!(said.out.contains(words), "no {words:?} in:\n{}", said.out);
    }
    let said = scratch.ebbtide(&["check", "s.toml", "--json"]).expect(0, &[]);
    let object: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(object["workload"]["jobs_rejected_too_large"], 1);
    assert_eq!(object["sweep_runs"], 9);
    assert_eq!(scratch.names(), before);
}

#[test]
fn what_is_explained_names_each_origin_and_is_a_scenario_itself() {
    let scratch = prepared();
    let said = scratch
        .ebbtide(&["check", "--explain", "s.toml", "--set", "policy.poll=30s", "--seed", "9"])
        .expect(0, &[]);
    for line in [
        "seed = 9  # --seed\n",
        "cores = 4  # line 5\n",
        "poll = \"30s\"  # --set\n",
        "idle_grace = \"15m\"  # default\n",
        "[sweep]\nseeds = 1  # default\n",
    ] {
        assert!(said.out.contains(line), "no {line:?} in:\n{}", said.out);
    }
    scratch.write("again.toml", &said.out);
    let again = scratch.ebbtide(&["check", "--explain", "again.toml"]).expect(0, &[]);
    let values = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split("  # ").next().unwrap().to_owned()).collect()
    };
    assert_eq!(values(&said.out), values(&again.out));
}

#[test]
fn a_scripted_cluster_is_explained_and_played_with_warnings() {
    let scratch = Scratch::new();
    let stage = SCENARIO.replace("[workload]\ntrace = \"log.swf\"\n", "");
    let script = "[lists]\nexclude = \"gone.xml\"\n[[node]]\nname = \"h1\"\n[heartbeat]\nscaling = true\n";
    scratch.write("s.toml", format!("{stage}{script}"));
    let warning =
        ["warning: `lists.exclude`: there is no file \"gone.xml\"", "s.toml:9:11", "correct the path"];
    let said = scratch.ebbtide(&["check", "--explain", "s.toml"]).expect(0, &warning);
    assert!(said.out.contains("[[node]]\nname = \"h1\"  # line 11\n"), "{}", said.out);
    scratch.ebbtide(&["check", "s.toml"]).expect(0, &warning);
    assert_eq!(scratch.names(), ["s.toml"]);
    scratch.ebbtide(&["run", "s.toml", "--out", "o"]).expect(0, &warning);
    assert!(scratch.text("o/events.csv").contains(",h1,STARTED,NEW,RUNNING,"));
}

#[test]
fn a_run_with_applications_lists_their_containers() {
    // As the story of a container that is killed at its limit: h1 is asked to go at 99.6 s with 20 s, so what was
    // acquired at 11.6 s and runs 0.8 s later goes at 120 s after 107.6 s. The second task needs all four cores of h1
    // and never gets them.
    let scratch = Scratch::new();
    let stage = SCENARIO.replace("[workload]\ntrace = \"log.swf\"\n", "");
    let script = "[[node]]\nname = \"h1\"\n[[app]]\nname = \"=work\"\nsubmit = \"9.6s\"\nmaster = \"unmanaged\"\n\
                  ends = \"149.6s\"\n[[app.task]]\nhost = \"h1\"\nrun = \"5m\"\n\
                  [[app.task]]\nhost = \"h1\"\ncores = 4\nrun = \"1s\"\n\
                  [[at]]\ntime = \"99.6s\"\n\
                  refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"20s\" }\n";
    scratch.write("s.toml", format!("{stage}{script}"));
    scratch.write("out", "h1\n");
    scratch.ebbtide(&["run", "s.toml", "--out", "out.d"]).expect(0, &[]);
    let expected = [
        "app,container,kind,node,cores,asked_s,allocated_s,launched_s,ended_s,state,exit_status,lost_core_s,\
         output_lost_core_s",
        "'=work,1,task,h1,1,10.600,10.600,12.400,120.000,KILLED,-100,107.600,0.000",
        "'=work,2,task,,4,10.600,,,149.600,KILLED,,0.000,0.000",
    ];
    assert_eq!(scratch.text("out.d/containers.csv").lines().collect::<Vec<_>>(), expected);
}

#[test]
fn help_and_version_are_no_errors() {
    let scratch = Scratch::new();
    let said = scratch.ebbtide(&["--help"]).expect(0, &[]);
    assert!(said.out.contains("Exit codes:") && said.out.contains("check"), "{}", said.out);
    let said = scratch.ebbtide(&["--version"]).expect(0, &[]);
    assert!(said.out.starts_with("ebbtide "), "{}", said.out);
}
