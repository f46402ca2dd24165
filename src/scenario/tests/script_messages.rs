//! What is said when something is wrong with a script.

use super::script_texts::STAGE;
use super::{file, messages, settings};

/// A piece of a script, where its error is (line:column in the piece), and words that the message must have.
type Case = (&'static str, &'static str, &'static [&'static str]);

const WRONG: &[Case] = &[
    // Names.
    ("[[node]]\ntype = \"n4\"", "1:1", &["`node.name` is missing", "add `name = …` to [[node]]"]),
    (
        "[[node]]\nname = \"node-7\"",
        "2:8",
        &["`node.node-7.name`", "for instances that are granted", "choose another"],
    ),
    ("[[node]]\nname = \"h 1\"", "2:8", &["found \"h 1\"", "without blanks", "as one word"]),
    ("[[node]]\nname = \"\"", "2:8", &["not empty"]),
    (
        "[[node]]\nname = \"h\"\n[[node]]\nname = \"h\"",
        "4:8",
        &["two nodes are called \"h\"", "-- the first of"],
    ),
    (
        "[[node]]\nname = \"h\"\ntype = \"n5\"",
        "3:8",
        &["`node.h.type`: there is no node type \"n5\"", "mean \"n4\"?"],
    ),
    ("[[node]]\nname = \"h\"\ntype = \"xylophone\"", "3:8", &["the node types are n4"]),
    ("[[app]]\nsubmit = \"2s\"", "1:1", &["`app.name` is missing"]),
    ("[[app]]\nname = \"a/b\"", "2:8", &["found \"a/b\"", "a name without /", "name/1"]),
    ("[[app]]\nname = \"\"", "2:8", &["not empty"]),
    (
        "[[app]]\nname = \"a\"\n[[app]]\nname = \"a\"",
        "4:8",
        &["two applications are called \"a\"", "of its own"],
    ),
    // Applications.
    (
        "[[app]]\nname = \"a\"\nends = \"2s\"\nsubmit = \"2s\"",
        "3:8",
        &["\"a\" ends (at 2.000 s) no later", "submitted here"],
    ),
    ("[[app]]\nname = \"a\"\nallocate_interval = \"0s\"", "3:21", &["at least \"1ms\""]),
    ("[[app]]\nname = \"a\"\nmax_attempts = 0", "3:16", &["from 1 to 1000000"]),
    (
        "[[app]]\nname = \"a\"\nmaster = \"managed\"",
        "3:10",
        &["found \"managed\"", "\"unmanaged\" or a table", "cores = 1"],
    ),
    (
        "[[app]]\nname = \"a\"\nmaster = { core = 1 }",
        "3:12",
        &["`core` is no part of it", "did you mean `cores`?"],
    ),
    (
        "[[app]]\nname = \"a\"\nmaster = { host = \"h8\" }",
        "3:10",
        &["`app.a.master`: there is no node \"h8\"", "[[node]]"],
    ),
    ("[[app]]\nname = \"a\"\nrerun = 1", "3:9", &["true or false", "killed tasks"]),
    ("[[app]]\nname = \"a\"\nmasters = 1", "3:1", &["unknown key `app.masters`", "did you mean `master`"]),
    ("[[app]]\nname = \"a\"\ntsk = 1", "3:1", &["unknown key `app.tsk`", "did you mean [[app.task]]?"]),
    ("[[app]]\nname = \"a\"\ntask = 5", "3:1", &["`app.task` is no list of tables", "write [[app.task]]"]),
    (
        "[[app]]\nname = \"a\"\n[[app.task]]\ncount = 1",
        "3:1",
        &["`app.a.task.1.run` is missing", "to [[app.task]]"],
    ),
    ("[[app]]\nname = \"a\"\n[[app.task]]\nrun = \"0s\"", "4:7", &["`app.a.task.1.run`", "at least \"1ms\""]),
    ("[[app]]\nname = \"a\"\n[[app.task]]\nrun = \"1s\"\ncount = 0", "5:9", &["from 1 to"]),
    (
        "[[app]]\nname = \"a\"\n[[app.task]]\nrun = \"1s\"\nhost = \"h2\"",
        "5:8",
        &["`app.a.task.1.host`: there is no node \"h2\""],
    ),
    ("[[app]]\nname = \"a\"\n[[app.task]]\nrun = \"1s\"\nkind = \"mop\"", "5:8", &["did you mean \"map\"?"]),
    (
        "[[app]]\nname = \"a\"\n[[app.task]]\nrun = \"1s\"\nsubmit = \"1s\"",
        "5:1",
        &["unknown key", "belongs in [[app]]"],
    ),
    // Lists.
    ("[lists]\nremoval_timeout = \"1ms\"\n[[node]]\nname = \"h1\"", "2:19", &["at least \"2ms\""]),
    ("[lists]\nremoval_states = []\n[[node]]\nname = \"h1\"", "2:18", &["a list of names"]),
    (
        "[lists]\nremoval_states = [\"LOST\", \"RUNNING\"]\n[[node]]\nname = \"h1\"",
        "2:27",
        &["found \"RUNNING\"", "one of DECOMMISSIONED, LOST, REBOOTED, SHUTDOWN"],
    ),
    ("[lists]\nremoval_states = [\"LOST\", \"LOST\"]\n[[node]]\nname = \"h1\"", "2:27", &["each name once"]),
    // Actions.
    ("[[at]]\nforceful = true", "1:1", &["`at.1.time` is missing"]),
    ("[[at]]\ntime = \"1s\"", "1:1", &["nothing is done at 1.000 s", "add one of refresh_nodes, forceful,"]),
    (
        "[[at]]\ntime = \"1s\"\nforceful = true\nrm_failover = true",
        "4:15",
        &["two actions, `forceful` and `rm_failover`", "an [[at]] for each"],
    ),
    ("[[at]]\ntime = \"1s\"\nforceful = false", "3:12", &["found false, expected true", "left out"]),
    (
        "[[at]]\ntime = \"1s\"\nnode_crsh = \"h1\"",
        "3:1",
        &["unknown key `at.node_crsh`", "did you mean `node_crash`"],
    ),
    ("[[at]]\ntime = \"1s\"\nnode_crash = \"h1\"", "3:14", &["`at.1.node_crash`: there is no node \"h1\""]),
    ("[[at]]\ntime = \"1s\"\nnode_stop = \"h1\"", "3:13", &["`at.1.node_stop`: there is no node \"h1\""]),
    ("[[at]]\ntime = \"1s\"\nnode_crash = \"node-0\"", "3:14", &["no node \"node-0\"", "node-1, node-2 …"]),
    ("[[at]]\ntime = \"1s\"\nnode_start = true", "3:14", &["text in quotes"]),
    (
        "[[at]]\ntime = \"1s\"\nnode_silence = \"h1\"",
        "3:16",
        &["a table in braces", "the parts are node, span"],
    ),
    (
        "[[at]]\ntime = \"1s\"\nnode_silence = { node = \"node-1\" }",
        "3:16",
        &["`span` is missing in it", "add `span = …`"],
    ),
    (
        "[[at]]\ntime = \"1s\"\nnode_unhealthy = { node = \"node-1\", span = \"0s\" }",
        "3:44",
        &["at least \"1ms\""],
    ),
    (
        "[[at]]\ntime = \"1s\"\nreclaim = { node = \"node-1\", span = \"1s\" }",
        "3:30",
        &["`span` is no part of it", "node, notice"],
    ),
    (
        "[[at]]\ntime = \"1s\"\nreclaim = { node = \"g\", notice = \"0s\" }",
        "3:11",
        &["`at.1.reclaim`: there is no node \"g\""],
    ),
    ("[[at]]\ntime = \"1s\"\nrm_restart = \"0s\"", "3:14", &["at least \"1ms\""]),
    ("[[at]]\ntime = \"1s\"\nresource_update = { node = \"node-1\" }", "3:19", &["`cores` is missing"]),
    ("[[at]]\ntime = \"1s\"\nresource_update = { node = \"node-1\", cores = -1 }", "3:46", &["from 0 to"]),
    (
        "[[at]]\ntime = \"1s\"\nrefresh_nodes = { exlude = \"x\" }",
        "3:19",
        &["`exlude` is no part", "did you mean `exclude`?"],
    ),
    (
        "[[at]]\ntime = \"1s\"\nrefresh_nodes = { timeout = \"5s\" }",
        "3:29",
        &["`timeout` belongs to a graceful refresh", "add graceful = true"],
    ),
    (
        "[[at]]\ntime = \"1s\"\nrefresh_nodes = { graceful = false, tracking = \"server\" }",
        "3:48",
        &["`tracking` belongs to"],
    ),
    (
        "[[at]]\ntime = \"1s\"\nrefresh_nodes = { graceful = true, timeout = \"1.5s\" }",
        "3:46",
        &["1s500ms is no whole number of seconds", "YARN's unit"],
    ),
    (
        "[[at]]\ntime = \"1s\"\nrefresh_nodes = { graceful = true, timeout = -1 }",
        "3:46",
        &["\"never\" is without limit"],
    ),
    (
        "[[at]]\ntime = \"1s\"\nrefresh_nodes = { graceful = true, tracking = \"both\" }",
        "3:47",
        &["\"server\" or \"client\"", "watches"],
    ),
    ("[[at]]\ntime = \"1s\"\nrefresh_nodes = { graceful = \"yes\" }", "3:30", &["true or false"]),
    (
        "[at]\ntime = \"1s\"\n[[node]]\nname = \"h\"",
        "1:2",
        &["write [[at]], with two brackets, above the keys of each action"],
    ),
    // The keys that come with a script.
    ("[scheduler]\ntrigger = \"asinc\"\n[[node]]\nname = \"h\"", "2:11", &["did you mean \"async\"?"]),
    ("[decommission]\nbehaviour = \"spec\"\n[[node]]\nname = \"h\"", "2:13", &["\"source\" or \"page\""]),
    ("[decommission]\nfirst_report_race = 1\n[[node]]\nname = \"h\"", "2:21", &["\"faithful\" or \"fixed\""]),
    ("[heartbeat]\nspeedup = -1\n[[node]]\nname = \"h\"", "2:11", &["a number from 0 to 1000"]),
    (
        "[heartbeat]\nscaling = true\nscaling_min = \"2s\"\n[[node]]\nname = \"h\"",
        "in folder",
        &[
            "(1s) is not within the bounds of its scaling (2s to 1s)",
            "comes from line 9",
            "help: make `scaling_min`",
        ],
    ),
    (
        "[heartbeat]\ninterval = \"3s\"\nscaling = true\nscaling_max = \"2s\"\n[[node]]\nname = \"h\"",
        "2:12",
        &["(3s to 2s)", "-- a bound"],
    ),
    ("[lists]\nexclude = 5\n[[node]]\nname = \"h\"", "2:11", &["text in quotes", "the exclude file"]),
];

#[test]
fn each_wrong_piece_is_told_with_its_place_and_a_remedy() {
    let lines_before = STAGE.lines().count();
    for &(piece, place, words) in WRONG {
        let errors = file(&format!("{STAGE}{piece}\n")).resolve(&[]).expect_err(piece);
        let message = errors.to_string();
        assert_eq!(errors.errors().len(), 1, "{piece}\n{message}");
        let place = match place.split_once(':') {
            Some((line, column)) => {
                let line: usize = line.parse().expect("a number");
                format!("folder/case.toml:{}:{column}\n", line + lines_before)
            }
            None => place.to_owned(),
        };
        assert!(
            message.contains(&place) && message.contains("= help: "),
            "{piece}: not at {place}\n{message}"
        );
        for word in words {
            assert!(message.contains(word), "{piece}: no {word:?} in\n{message}");
        }
    }
}

#[test]
fn named_nodes_and_numbers_of_nodes_go_together() {
    let nodes = |count: usize| -> String {
        (0..count).map(|index| format!("[[node]]\nname = \"h{index}\"\n")).collect()
    };
    assert!(file(&format!("{STAGE}{}", nodes(3))).resolve(&[]).is_ok());
    let many = messages(file(&format!("{STAGE}{}", nodes(4))).resolve(&[]));
    assert!(many.contains("4 nodes are named, more than `cluster.max_nodes` (3)"), "{many}");
    assert!(many.contains("case.toml:6:13") && many.contains("raise `max_nodes` to at least 4"), "{many}");
    let with_min = |min: u32| STAGE.replace("max_nodes", &format!("min_nodes = {min}\nmax_nodes"));
    assert!(file(&format!("{}{}", with_min(0), nodes(1))).resolve(&[]).is_ok());
    let both = messages(file(&format!("{}{}", with_min(1), nodes(1))).resolve(&[]));
    assert!(both.contains("`cluster.min_nodes` (1) is given although nodes are named"), "{both}");
    assert!(both.contains("case.toml:6:13") && both.contains("stand in min_nodes' place"), "{both}");
}

#[test]
fn a_log_is_asked_for_when_there_is_no_script() {
    for script in ["", "[lists]\nexclude = \"x\"\n", "[scheduler]\ntrigger = \"async\"\n"] {
        let message = messages(file(&format!("{STAGE}{script}")).resolve(&[]));
        assert!(message.contains("`workload.trace` is missing"), "{message}");
    }
}

#[test]
fn a_wrong_setting_of_a_script_is_told_by_its_flag() {
    let two = "[[app]]\nname = \"a\"\n[[app.task]]\nrun = \"1s\"\n[[app.task]]\nrun = \"2s\"\n[[app]]\nname = \"b\"\n\
               [[at]]\ntime = \"1s\"\nforceful = true\n";
    for (argument, words) in [
        (
            "app.ends=5s",
            &["does not say which application it means", "write app.NAME.ends", "names: a, b"][..],
        ),
        ("app.c.ends=5s", &["unknown key `app.c.ends`", "names: a, b"]),
        ("app.a.name=x", &["`app.a.name` cannot be set", "change it in the file"]),
        ("app.a.end=5s", &["did you mean `app.a.ends`?"]),
        ("app.a.task.run=5s", &["which group of tasks", "write app.a.task.NUMBER.run", "numbers: 1, 2"]),
        ("app.a.task.3.run=5s", &["unknown key", "numbers: 1, 2"]),
        ("app.a.task.1.runs=5s", &["did you mean `app.a.task.1.run`?"]),
        ("app.a.task.1.xyzzy=5s", &["the keys of [[app.task]] are count, kind,"]),
        ("app.b.task.run=5s", &["there is no [[app.task]]", "write [[app.task]] into the file"]),
        ("node.registers_at=5s", &["`node.registers_at` means nothing: there is no [[node]]"]),
        (
            "at.1.node_crash=node-1",
            &["two actions, `forceful` and `node_crash`", "in `--set at.1.node_crash=node-1`"],
        ),
        ("at.1.forceful=false", &["expected true"]),
        ("lists.includ=x", &["did you mean `lists.include`?"]),
    ] {
        let message = messages(file(&format!("{STAGE}{two}")).resolve(&settings(&[argument])));
        for word in words {
            assert!(message.contains(word), "{argument}: no {word:?} in\n{message}");
        }
    }
}

#[test]
fn items_that_are_no_tables_are_told_alone() {
    let text = format!("node = [1]\n{STAGE}[[at]]\ntime = \"1s\"\nforceful = true\n");
    let errors = file(&text).resolve(&[]).expect_err("a number is no node");
    assert_eq!(errors.errors().len(), 1, "{errors}");
    assert!(errors.to_string().contains("write [[node]], with two brackets"), "{errors}");
}
