//! What is said when something is wrong: what, where, and what to do about it.

use super::{LEAST, file, least_with, messages, resolved, settings};
use crate::scenario::{Place, ScenarioFile, Setting};
use std::path::Path;

/// One wrong line in a table, where its error is (line:column), and words that the message must have.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

const WRONG_LINES: &[Case] = &[
    (
        "scheduler",
        "disciplin = \"fifo\"",
        "9:1",
        &["unknown key `scheduler.disciplin`", "did you mean `discipline`"],
    ),
    ("scheduler", "quantum = \"1h\"", "9:1", &["unknown key", "belongs in [billing]"]),
    ("scheduler", "colour = 1", "9:1", &["the keys of scheduler are discipline, placement"]),
    (
        "node_type",
        "heartbeat = 1",
        "4:1",
        &["unknown key `node_type.heartbeat`", "the keys of node_type are name,"],
    ),
    ("polcy", "x = 1", "8:2", &["unknown key `polcy`", "did you mean [policy]?"]),
    (
        "scheduler",
        "discipline = \"fifi\"",
        "9:14",
        &["found \"fifi\"", "\"fifo\" or \"easy\"", "mean \"fifo\"?"],
    ),
    ("scheduler", "discipline = true", "9:14", &["found true", "\"fifo\" or \"easy\"", "which queued job"]),
    ("cluster", "min_nodes = -1", "7:13", &["`cluster.min_nodes`", "the number -1", "from 0 to 1000000"]),
    ("cluster", "min_nodes = 1.5", "7:13", &["the number 1.5", "a whole number"]),
    ("cluster", "min_nodes = \"2\"", "7:13", &["found \"2\"", "a whole number", "up at time 0"]),
    ("heartbeat", "interval = 5", "9:12", &["`heartbeat.interval`", "the number 5", "with a unit", "\"5s\""]),
    ("heartbeat", "interval = \"0s\"", "9:12", &["found \"0s\"", "at least \"1ms\""]),
    ("heartbeat", "interval = \"5 parsecs\"", "9:12", &["\"parsecs\" is no unit", "\"1h30m\""]),
    ("heartbeat", "interval = \"never\"", "9:12", &["found \"never\"", "cannot be switched off"]),
    ("heartbeat", "expiry = \"1ms\"", "9:10", &["at least \"3ms\""]),
    ("policy", "poll = \"0s\"", "9:8", &["at least \"1ms\""]),
    (
        "policy",
        "idle_grace = -1",
        "9:14",
        &["the number -1", "\"0s\" is at once, \"never\" is without limit"],
    ),
    ("policy", "idle_grace = 300", "9:14", &["write \"300s\"", "\"never\" is without limit"]),
    ("policy", "idle_grace = \"101000d\"", "9:14", &["at most a hundred years", "check the unit"]),
    ("policy", "idle_grace = 2020-01-01", "9:14", &["the date 2020-01-01", "a duration in quotes"]),
    ("policy", "kind = \"manager\"", "9:8", &["\"node-manager\" or \"surplus\" or \"none\""]),
    ("policy", "bug_compatible = \"yes\"", "9:18", &["found \"yes\"", "true or false"]),
    ("policy", "shutdown_windows = [\"54m\"]", "9:20", &["`policy.shutdown_windows`", "closed first"]),
    ("policy", "shutdown_windows = \"54m\"", "9:20", &["found \"54m\"", "\"always\" or a list"]),
    ("policy", "shutdown_windows = [\"54m\", 5]", "9:28", &["the number 5", "\"5m\""]),
    ("policy", "matrix = \"nope.csv\"", "9:10", &["\"nope.csv\" cannot be read", "the scenario's folder"]),
    ("billing", "quantum = \"0s\"", "9:11", &["at least \"1ms\""]),
    ("decommission", "poll = \"0s\"", "9:8", &["at least \"1ms\""]),
    ("decommission", "timeout = \"\"", "9:11", &["a duration is missing"]),
    ("workload", "max_requeues = -1", "2:16", &["\"never\" for no limit"]),
    (
        "workload",
        "format = \"csv\"",
        "2:10",
        &["found \"csv\"", "\"swf\" or \"sls\" or \"synth\" or \"rumen\""],
    ),
    ("workload", "scale_load = 0", "2:14", &["a number from 0.001 to 1000"]),
    ("workload", "scale_load = nan", "2:14", &["a number from 0.001 to 1000"]),
    ("workload", "jobs = 0", "2:8", &["a whole number from 1"]),
    ("node_type", "memory = 64", "4:10", &["`node_type.n1.memory`", "\"64GiB\""]),
    ("node_type", "memory = \"64gigs\"", "4:10", &["\"gigs\" is no unit of memory"]),
    ("node_type", "price_per_hour = -0.1", "4:18", &["cannot be negative"]),
    ("node_type", "price_per_hour = 0.1234567", "4:18", &["millionths"]),
    ("node_type", "price_per_hour = 1000000001", "4:18", &["the most"]),
    ("node_type", "price_per_hour = 1e3", "4:18", &["no plain number"]),
    ("node_type", "price_per_hour = \"0.8\"", "4:18", &["found \"0.8\"", "without quotes"]),
    ("node_type", "boot_failure = 1.1", "4:16", &["a number from 0 to 1", "never registers"]),
    ("node_type", "boot = 90", "4:8", &["the number 90", "\"90s\""]),
    (
        "node_type",
        "boot = { median = \"4m\", p95 = \"90s\" }",
        "4:31",
        &["p95", "(1m30s) is below the median (4m)"],
    ),
    ("node_type", "boot = { median = \"0s\", p95 = \"90s\" }", "4:19", &["at least \"1ms\""]),
    (
        "node_type",
        "boot = { median = \"4m\" }",
        "4:8",
        &["found a table", "{ median = \"90s\", p95 = \"4m\" }"],
    ),
    ("node_type", "boot = { uniform = [\"2m\", \"60s\"] }", "4:20", &["ends (1m) before it begins (2m)"]),
    ("node_type", "boot = { uniform = [\"2m\"] }", "4:20", &["two durations"]),
    ("sweep.goal", "minimise = \"cost_total\"", "8:8", &["([sweep.goal]) is not read by this version"]),
];

#[test]
fn each_wrong_line_is_told_with_its_place_and_a_remedy() {
    for &(table, line, place, words) in WRONG_LINES {
        let result = file(&least_with(table, line)).resolve(&[]);
        let errors = result.expect_err(line);
        let message = errors.to_string();
        assert_eq!(errors.errors().len(), 1, "{message}");
        assert!(
            message.contains(&format!("folder/case.toml:{place}\n")),
            "{line}: not at {place}\n{message}"
        );
        assert!(message.contains("^") && message.contains("= help: "), "{message}");
        for word in words {
            assert!(message.contains(word), "{line}: no {word:?} in\n{message}");
        }
    }
}

#[test]
fn what_must_be_given_is_asked_for() {
    for (left_out, key, place) in [
        ("trace = \"log.swf\"\n", "`workload.trace` is missing", "case.toml:1:2"),
        ("name = \"n1\"\n", "`node_type.name` is missing", "case.toml:3:1"),
        ("cores = 4\n", "`node_type.n1.cores` is missing", "case.toml:3:1"),
        ("max_nodes = 10\n", "`cluster.max_nodes` is missing", "case.toml:6:2"),
        ("[cluster]\nmax_nodes = 10\n", "`cluster.max_nodes` is missing", "in folder/case.toml"),
        ("[[node_type]]\nname = \"n1\"\ncores = 4\n", "there is no node type", "in folder/case.toml"),
    ] {
        let message = messages(file(&LEAST.replace(left_out, "")).resolve(&[]));
        assert!(
            message.contains(key) && message.contains(place) && message.contains("help: add"),
            "{message}"
        );
    }
}

#[test]
fn tables_of_the_wrong_shape_are_told() {
    let one = messages(file(&LEAST.replace("[[node_type]]", "[node_type]")).resolve(&[]));
    assert!(one.contains("case.toml:3:2") && one.contains("write [[node_type]], with two brackets"), "{one}");
    let number = messages(file(&format!("policy = 5\n{LEAST}")).resolve(&[]));
    assert!(number.contains("`policy` is no table") && number.contains("case.toml:1:1"), "{number}");
}

#[test]
fn too_many_node_types_are_refused_at_the_first_too_many() {
    let types = |count| (2..=count).map(|n| format!("[[node_type]]\nname = \"n{n}\"\ncores = 1\n"));
    let with = |count: usize| format!("{LEAST}{}", types(count).collect::<String>());
    assert_eq!(resolved(&with(200)).node_types.len(), 200);
    let message = messages(file(&with(300)).resolve(&[]));
    // Seven lines, 199 types of three lines, and the 201st begins.
    assert!(message.contains("there are 300 node types") && message.contains("case.toml:605:"), "{message}");
    assert!(message.contains("help: keep at most 200"), "{message}");
}

#[test]
fn keys_that_contradict_each_other_are_shown_together() {
    let nodes = messages(file(&least_with("cluster", "min_nodes = 200")).resolve(&[]));
    assert!(nodes.contains("`cluster.min_nodes` (200) is above `cluster.max_nodes` (10)"), "{nodes}");
    assert!(
        nodes.contains("case.toml:7:13") && nodes.contains("-- the most nodes that there may be"),
        "{nodes}"
    );
    let part = messages(file(&least_with("workload", "from = \"2h\"\nuntil = \"120m\"")).resolve(&[]));
    assert!(part.contains("case.toml:3:9") && part.contains("no job would be loaded"), "{part}");
    let twice = format!("{LEAST}[[node_type]]\nname = \"n1\"\ncores = 1\n");
    let names = messages(file(&twice).resolve(&[]));
    assert!(names.contains("two node types are called \"n1\"") && names.contains("case.toml:9:8"), "{names}");
    let by_setting =
        messages(file(&least_with("cluster", "min_nodes = 5")).resolve(&settings(&["cluster.max_nodes=2"])));
    assert!(by_setting.contains("`cluster.max_nodes` comes from --set"), "{by_setting}");
}

#[test]
fn beats_and_pings_that_make_live_nodes_look_dead_are_refused() {
    let beats = |lines: &str| file(&least_with("heartbeat", lines)).resolve(&[]);
    let rare = messages(beats("interval = \"10m\"\n[policy]\nkind = \"none\""));
    assert!(rare.contains("(10m) is not shorter than `heartbeat.expiry` (10m)"), "{rare}");
    assert!(rare.contains("would look lost") && rare.contains("case.toml:9:12"), "{rare}");
    assert!(rare.contains("= help: shorten `heartbeat.interval`"), "{rare}");
    let longer = "interval = \"9m\"\n[policy]\nkind = \"none\"";
    assert_eq!(beats(longer).expect("9 min are shorter").heartbeat.interval.to_string(), "9m");
    let scaled = messages(beats("scaling = true\nscaling_max = \"10m\"\n[policy]\nkind = \"none\""));
    assert!(scaled.contains("`heartbeat.scaling_max` (10m) is not shorter"), "{scaled}");
    beats("scaling = false\nscaling_max = \"10m\"").expect("nothing is scaled");
    beats("interval = \"1h\"\nexpiry = \"never\"\n[policy]\nping_stale_after = \"never\"").expect("no limit");

    let policy = |lines: &str| file(&least_with("policy", lines)).resolve(&[]);
    let old = messages(policy("report_age = \"9m59s\""));
    assert!(old.contains("(9m59s) and `heartbeat.interval` (1s)") && old.contains("look down"), "{old}");
    assert!(old.contains("= help: raise `ping_stale_after`"), "{old}");
    let scaled = messages(beats("scaling = true\nscaling_max = \"10m\"\nexpiry = \"1h\""));
    assert!(scaled.contains("(0s) and `heartbeat.scaling_max` (10m) together"), "{scaled}");
    policy("report_age = \"9m58s\"").expect("9 min 59 s are shorter than 10 min");
    policy("report_age = \"1h\"\nping_stale_after = \"never\"").expect("pings never are too old");
    policy("report_age = \"1h\"\nkind = \"none\"").expect("nobody looks at the pings");
    let surplus = messages(policy("kind = \"surplus\"\nping_stale_after = \"1s\""));
    assert!(surplus.contains("case.toml:10:20") && surplus.contains("(0s) and"), "{surplus}");
}

#[test]
fn boots_that_are_all_given_up_are_warned_of() {
    // Given up at the first poll after the grace of 5 min, so at 6 min at the latest.
    let warned = |boot: &str, more: &str| {
        let text = format!("{}[policy]\nboot_grace = \"5m\"\n{more}", least_with("node_type", boot));
        file(&text).warnings(&[]).render(false)
    };
    let message = warned("boot = \"361s\"", "");
    for words in
        ["warning: `node_type.", ".boot`: no boot is shorter than 6m1s", "given up after 5m", "boot_grace"]
    {
        assert!(message.contains(words), "no {words:?} in\n{message}");
    }
    assert!(warned("boot = { uniform = [\"7m\", \"9m\"] }", "").contains("no boot is shorter than 7m"));
    for (boot, more) in [
        ("boot = \"6m\"", ""),
        ("boot = { uniform = [\"1m\", \"9m\"] }", ""),
        ("boot = { median = \"9m\", p95 = \"20m\" }", ""),
        ("boot = \"361s\"", "kind = \"none\"\n"),
    ] {
        let text = format!("{}[policy]\nboot_grace = \"5m\"\n{more}", least_with("node_type", boot));
        resolved(&text);
        assert_eq!(warned(boot, more), "", "{boot} {more}");
    }
}

#[test]
fn nodes_that_are_all_refused_are_warned_of() {
    let warned = |memory: &str| {
        let lines = format!("{}[scheduler]\nminimum_memory = \"2GiB\"\n", least_with("node_type", memory));
        file(&lines).warnings(&[]).render(false)
    };
    let message = warned("memory = \"2047MiB\"");
    for words in
        ["warning: `node_type.", ".name`: nodes of this type", "will ever register", "minimum_memory"]
    {
        assert!(message.contains(words), "no {words:?} in\n{message}");
    }
    assert_eq!(warned("memory = \"2GiB\""), "");
    assert_eq!(warned(""), "", "memory is not counted");
}

#[test]
fn all_errors_are_told_at_once_in_the_order_of_the_file() {
    let text = "nme = \"x\"\n[workload]\ntrace = 5\n[[node_type]]\nname = \"n1\"\ncores = 0\n[cluster]\n\
                min_nodes = 3\nmax_nodes = 2\n[policy]\npoll = 60\n[[app]]\nname = \"a/b\"\n";
    let errors = file(text).resolve(&settings(&["policy.idle_grace=5"])).expect_err("much is wrong");
    let starts: Vec<_> = errors
        .errors()
        .iter()
        .map(|error| match &error.place {
            Place::Span(span) => Some(1 + text[..span.start].matches('\n').count()),
            _ => None,
        })
        .collect();
    assert_eq!(starts, [Some(1), Some(3), Some(6), Some(8), Some(11), Some(13), None], "{errors}");
}

#[test]
fn a_whole_message_reads_like_this() {
    let message = messages(file(&least_with("heartbeat", "interval = 5")).resolve(&[]));
    let expected = "\
error: `heartbeat.interval`: found the number 5, expected a duration in quotes, with a unit
 --> folder/case.toml:9:12
  |
9 | interval = 5
  |            ^
  |
  = help: write \"5s\" for seconds, \"5m\" for minutes";
    assert_eq!(message, expected);
    let errors = file(&least_with("heartbeat", "interval = 5")).resolve(&[]).expect_err("it is wrong");
    assert!(errors.render(true).contains("\u{1b}["));
}

#[test]
fn text_that_is_not_toml_is_told_with_its_line() {
    for (text, place) in [
        ("name = \"x\n", "bad.toml:1:10"),
        ("seed = 1\nseed = 2\n", "bad.toml:2:1"),
        ("seed 1\n", "bad.toml:1:"),
        ("seed = 1\n[cluster\n", "bad.toml:2:"),
    ] {
        let errors = ScenarioFile::from_text(Path::new("bad.toml"), text).expect_err(text).to_string();
        assert!(errors.contains("this is not TOML") && errors.contains(place), "{errors}");
    }
}

#[test]
fn a_wrong_setting_is_told_by_its_flag() {
    let two = format!("{LEAST}[[node_type]]\nname = \"n2\"\ncores = 1\n");
    for (text, argument, words) in [
        (
            LEAST,
            "policy.idle_grace=5",
            &["in `--set policy.idle_grace=5`", "\"5s\"", "`policy.idle_grace`"][..],
        ),
        (
            LEAST,
            "policy.idle_grac=5m",
            &["unknown key `policy.idle_grac`", "did you mean `policy.idle_grace`?"],
        ),
        (LEAST, "idle_grace=5m", &["did you mean `policy.idle_grace`?"]),
        (LEAST, "xyzzy=5m", &["unknown key `xyzzy`", "as in `policy.idle_grace`"]),
        (LEAST, "cluster.max_nodes=many", &["found \"many\"", "a whole number"]),
        (LEAST, "policy.bug_compatible=yes", &["found \"yes\"", "true or false"]),
        (LEAST, "node_type.core=2", &["did you mean `node_type.cores`?"]),
        (LEAST, "node_type.n9.cores=2", &["unknown key `node_type.n9.cores`", "one of the names: n1"]),
        (LEAST, "node_type.name=x", &["`node_type.name` cannot be set", "change it in the file"]),
        (LEAST, "sweep.vary=x", &["`sweep.vary` cannot be set", "--vary"]),
        (LEAST, "sweep.goal=x", &["not read by this version"]),
        (
            LEAST,
            "cluster.min_nodes=11",
            &["is above", "in `--set cluster.min_nodes=11`", "comes from line 7"],
        ),
        (&two, "node_type.cores=2", &["does not say which node type", "one of the names: n1, n2"]),
    ] {
        let message = messages(file(text).resolve(&settings(&[argument])));
        for word in words {
            assert!(message.contains(word), "{argument}: no {word:?} in\n{message}");
        }
    }
    for argument in ["policy.idle_grace", "=5m", ""] {
        let message = Setting::parse(argument, "--set").expect_err(argument).to_string();
        assert!(message.contains("--set key=value"), "{message}");
    }
}
