//! Scripted clusters: what they resolve to, what follows from hosts files, and how they are set and explained.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::script_texts::{IDLE_REPLAY, REPLAY, STAGE, everything, story};
use super::{COLUMNS, LEAST, file, resolved, settings};
use crate::rules::behaviour::Behaviour;
use crate::rules::drain::{DrainRules, FirstReportRace};
use crate::rules::heartbeat::{HeartbeatRules, Scaling};
use crate::rules::machine::{MinimumAllocation, TypeId};
use crate::rules::rmnode::RmNodeState;
use crate::rules::scheduling::Trigger;
use crate::rules::script::{
    Action, ListFile, NamedNode, RefreshMode, RequestTimeout, Script, Scripted, Tracking,
};
use crate::rules::untracked::TrackingRules;
use crate::scenario::{Explained, ScenarioFile, resolved_toml};
use crate::time::{SimSpan, SimTime};
use crate::workload::app::{App, Ask, Locality, Master, TaskGroup, TaskKind};

/// A hosts file beside the scenario that does not exist.
fn missing(name: &str) -> Option<Arc<ListFile>> {
    Some(Arc::new(ListFile { path: Path::new("folder").join(name), text: None }))
}

fn graceful(timeout: RequestTimeout, tracking: Tracking) -> RefreshMode {
    RefreshMode::Graceful { timeout, tracking }
}

fn task(locality: Locality, run: Option<SimSpan>) -> TaskGroup {
    let ask = Ask { cores: 1, memory_kib: 0 };
    TaskGroup { count: 1, kind: TaskKind::Plain, ask, locality, asks_after: SimSpan::ZERO, run }
}

#[test]
fn the_example_of_the_file_format_is_taken_to_the_letter() {
    let scenario = resolved(&story());
    assert_eq!(scenario.workload, None);
    let timeout = RequestTimeout::After(SimSpan::from_secs(30));
    let refresh = Action::RefreshNodes {
        include: None,
        exclude: missing("exclude.xml"),
        mode: graceful(timeout, Tracking::Server),
    };
    let node = NamedNode { name: "h1".to_owned(), kind: TypeId(0), registers_at: SimTime::from_ms(556) };
    let script = Script {
        nodes: vec![node],
        include: None,
        exclude: None,
        actions: vec![Scripted { at: SimTime::from_ms(11_900), action: refresh }],
    };
    assert_eq!(scenario.script, script);
    let ask = Ask { cores: 1, memory_kib: 1 << 20 };
    let tasks = TaskGroup { ask, ..task(Locality::Only("h1".to_owned()), Some(SimSpan::from_secs(20))) };
    let app = App {
        name: "work".to_owned(),
        submit: SimTime::from_secs(2),
        master: Master::Unmanaged,
        ends: Some(SimTime::from_secs(77)),
        allocate_interval: SimSpan::from_secs(1),
        launch: SimSpan::from_ms(800),
        rerun: true,
        max_attempts: 2,
        keep_containers: false,
        tasks: vec![tasks],
    };
    assert_eq!(scenario.apps, [app]);
}

#[test]
fn defaults_of_a_script_are_those_of_the_file_format() {
    let least = "[[node]]\nname = \"h1\"\n[[app]]\nname = \"a\"\n[[app.task]]\nrun = \"5s\"\n\
                 [[app]]\nname = \"b\"\nmaster = \"unmanaged\"\n";
    let scenario = resolved(&format!("{STAGE}{least}"));
    let node = NamedNode { name: "h1".to_owned(), kind: TypeId(0), registers_at: SimTime::ZERO };
    assert_eq!(scenario.script, Script { nodes: vec![node], ..Script::default() });
    let master = Master::Container { ask: Ask { cores: 1, memory_kib: 0 }, host: None };
    let first = App {
        name: "a".to_owned(),
        submit: SimTime::ZERO,
        master,
        ends: None,
        allocate_interval: SimSpan::from_secs(1),
        launch: SimSpan::from_ms(800),
        rerun: true,
        max_attempts: 2,
        keep_containers: false,
        tasks: vec![task(Locality::Any, Some(SimSpan::from_secs(5)))],
    };
    assert_eq!(scenario.apps[0], first);
    let (name, master) = ("b".to_owned(), Master::Unmanaged);
    let second = App { name, master, rerun: false, tasks: Vec::new(), ..first };
    assert_eq!(scenario.apps[1..], [second]);
    // A scenario without a script has all of this at rest.
    let scenario = resolved(LEAST);
    assert_eq!((scenario.script, scenario.apps), (Script::default(), Vec::new()));
    assert_eq!(scenario.scheduling.trigger, Trigger::Pass);
    // The defaults of yarn.md 9; no node is refused for its memory.
    let tracking = TrackingRules {
        removal_timeout: SimSpan::from_secs(60),
        removal_states: Vec::new(),
        even_without_include: false,
        misses_unregistered: false,
    };
    assert_eq!(scenario.tracking, tracking);
    assert_eq!(scenario.minimum, MinimumAllocation { cores: 1, memory_bytes: None });
}

#[test]
fn every_key_of_a_script_is_taken() {
    let scenario = resolved(&everything());
    let heartbeat = HeartbeatRules {
        interval: SimSpan::from_secs(1),
        expiry: Some(SimSpan::from_mins(10)),
        check_offset: Some(SimSpan::from_secs(3)),
        scaling: Some(Scaling {
            min: SimSpan::from_ms(500),
            max: SimSpan::from_secs(2),
            speedup: 0.5,
            slowdown: 2.0,
        }),
    };
    assert_eq!((scenario.heartbeat, scenario.scheduling.trigger), (heartbeat, Trigger::Heartbeat));
    let drain = DrainRules {
        timeout: Some(SimSpan::from_hours(1)),
        poll: SimSpan::from_secs(20),
        poll_offset: SimSpan::from_ms(7852),
        wait_for_applications: false,
        wait_for_app_masters: false,
        delay: SimSpan::from_secs(5),
        first_report_race: FirstReportRace::Fixed,
        behaviour: Behaviour::Page,
        status_log: true,
    };
    assert_eq!(scenario.decommission, drain);
    let tracking = TrackingRules {
        removal_timeout: SimSpan::from_secs(90),
        removal_states: vec![RmNodeState::Lost, RmNodeState::Shutdown],
        even_without_include: true,
        misses_unregistered: true,
    };
    assert_eq!(scenario.tracking, tracking);
    assert_eq!(scenario.minimum, MinimumAllocation { cores: 2, memory_bytes: Some(2 << 30) });
    assert_eq!(scenario.script.include, missing("include"));
    assert_eq!(scenario.script.exclude, missing("exclude.xml"));
    let types: Vec<_> = scenario.script.nodes.iter().map(|node| (node.name.as_str(), node.kind)).collect();
    assert_eq!(types, [("h1", TypeId(0)), ("h2", TypeId(1))]);
    let [first, second] = &scenario.apps[..] else { panic!("there are two applications") };
    let ask = Ask { cores: 1, memory_kib: 512 << 10 };
    assert_eq!(first.master, Master::Container { ask, host: Some("h2".to_owned()) });
    assert_eq!((first.max_attempts, first.keep_containers), (3, true));
    let maps = TaskGroup { kind: TaskKind::Map, ..task(Locality::Any, Some(SimSpan::from_secs(20))) };
    // A thousand bytes are a kibibyte, rounded up.
    let ask = Ask { cores: 1, memory_kib: 1 };
    let reduces = TaskGroup { count: 2, kind: TaskKind::Reduce, ask, ..task(Locality::Any, None) };
    assert_eq!(first.tasks, [maps, reduces]);
    assert_eq!(second.tasks, [task(Locality::Only("node-7".to_owned()), Some(SimSpan::from_ms(1)))]);
}

#[test]
fn actions_are_taken_in_order_of_time_and_then_of_the_file() {
    let refresh = |include, exclude, mode| Action::RefreshNodes { include, exclude, mode };
    let h1 = || "h1".to_owned();
    let update = |node: &str, cores, memory_bytes, overcommit_timeout| Action::ResourceUpdate {
        node: node.to_owned(),
        cores,
        memory_bytes,
        overcommit_timeout,
    };
    let expected = [
        (0, refresh(None, None, graceful(RequestTimeout::Unset, Tracking::Server))),
        (0, refresh(None, None, RefreshMode::Normal)),
        (
            1,
            refresh(
                missing("include"),
                missing("exclude"),
                graceful(RequestTimeout::Never, Tracking::Client),
            ),
        ),
        (2, Action::Reclaim { node: h1(), notice: SimSpan::from_mins(2) }),
        (3, Action::RmRestart { away: SimSpan::from_secs(3) }),
        (3, Action::RmFailover),
        (4, Action::NodeUnhealthy { node: h1(), span: SimSpan::from_mins(10) }),
        (5, Action::NodeSilence { node: h1(), span: SimSpan::from_secs(60) }),
        (6, Action::NodeStart { node: h1() }),
        (6, Action::NodeStop { node: "h2".to_owned() }),
        (7, Action::NodeCrash { node: h1() }),
        (8, update("node-1", 0, None, None)),
        (9, update("h1", 2, Some(2 << 30), Some(SimSpan::ZERO))),
        (10, Action::Forceful),
    ]
    .map(|(second, action)| Scripted { at: SimTime::from_secs(second), action });
    assert_eq!(resolved(&everything()).script.actions, expected);
}

#[test]
fn replays_of_recordings_are_taken() {
    let scenario = resolved(REPLAY);
    assert_eq!(scenario.horizon, Some(SimSpan::from_ms(80_490)));
    assert_eq!(scenario.heartbeat.check_offset, Some(SimSpan::ZERO));
    assert_eq!((scenario.scheduling.trigger, scenario.apps[0].tasks.len()), (Trigger::Async, 3));
    assert_eq!(scenario.apps[0].tasks[2].asks_after, SimSpan::from_ms(24));
    let scenario = resolved(IDLE_REPLAY);
    assert!(scenario.apps.is_empty() && scenario.workload.is_none());
    let never = graceful(RequestTimeout::Never, Tracking::Server);
    let refresh = |name, mode| Action::RefreshNodes { include: None, exclude: missing(name), mode };
    let actions = [
        (6868, refresh("exclude0.xml", never)),
        (19_326, refresh("exclude1.xml", RefreshMode::Normal)),
        (30_057, Action::NodeStart { node: "h2".to_owned() }),
    ]
    .map(|(ms, action)| Scripted { at: SimTime::from_ms(ms), action });
    assert_eq!(scenario.script.actions, actions);
}

#[test]
fn a_script_goes_with_or_without_a_log() {
    let with_log = resolved(&format!("{LEAST}[[at]]\ntime = \"1s\"\nnode_crash = \"node-1\"\n"));
    assert!(with_log.workload.is_some_and(|log| log.trace == Path::new("folder/log.swf")));
    for script in
        ["[[node]]\nname = \"a\"\n", "[[app]]\nname = \"a\"\n", "[[at]]\ntime = \"1s\"\nforceful = true\n"]
    {
        assert_eq!(resolved(&format!("{STAGE}{script}")).workload, None, "{script}");
    }
    // What becomes of killed jobs can be said all the same.
    let retries = resolved(&format!("{STAGE}[workload]\nmax_requeues = 2\n[[node]]\nname = \"a\"\n")).retries;
    assert_eq!(retries.max_requeues, Some(2));
}

#[test]
fn a_scripts_keys_are_set_by_name_and_by_number() {
    let given = [
        "node.h2.registers_at=5s",
        "app.first.master=unmanaged",
        "app.first.task.2.run=7s",
        "app.second.task.run=8s",
        "at.1.time=20s",
        "at.4.node_crash=h2",
        "at.14.refresh_nodes={ graceful = true, timeout = \"9s\" }",
        "decommission.behaviour=source",
        "heartbeat.scaling=false",
    ];
    let scenario = file(&everything()).resolve(&settings(&given)).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(scenario.script.nodes[1].registers_at, SimTime::from_secs(5));
    // The rerun follows the master.
    assert_eq!((&scenario.apps[0].master, scenario.apps[0].rerun), (&Master::Unmanaged, false));
    assert_eq!(scenario.apps[0].tasks[1].run, Some(SimSpan::from_secs(7)));
    assert_eq!(scenario.apps[1].tasks[0].run, Some(SimSpan::from_secs(8)));
    let actions = &scenario.script.actions;
    assert_eq!(actions[13], Scripted { at: SimTime::from_secs(20), action: Action::Forceful });
    assert_eq!(actions[10].action, Action::NodeCrash { node: "h2".to_owned() });
    let nine = graceful(RequestTimeout::After(SimSpan::from_secs(9)), Tracking::Server);
    assert_eq!(actions[1].action, Action::RefreshNodes { include: None, exclude: None, mode: nine });
    assert_eq!(scenario.heartbeat.scaling, None);
    // With one application and one group of tasks, neither needs to be told.
    let one = file(&story()).resolve(&settings(&["app.task.run=never", "app.ends=80s"])).expect("it is fine");
    assert_eq!((one.apps[0].tasks[0].run, one.apps[0].ends), (None, Some(SimTime::from_secs(80))));
}

#[test]
fn a_scripts_keys_can_be_varied() {
    let axes = ["app.task.run=10s,never", "at.1.time=5s,6s", "app.work.ends=50s,60s"].map(str::to_owned);
    let spec = file(&story()).sweep(&axes, &[], &COLUMNS).unwrap_or_else(|errors| panic!("{errors}"));
    let keys: Vec<_> = spec.vary.iter().map(|axis| axis.key.as_str()).collect();
    assert_eq!(keys, ["app.task.run", "at.1.time", "app.work.ends"]);
    assert_eq!(spec.baseline_values, ["20s", "11s900ms", "1m17s"]);
    for (axis, word) in [
        ("app.ends=50s,1s", "no later than it is submitted"),
        ("app.task.host=h1,h9", "there is no node \"h9\""),
        ("heartbeat.interval=1s,2s", "not within the bounds"),
        ("node.h1.name=a,b", "`node.h1.name` cannot be set"),
    ] {
        let text = story().replace("[[node]]", "[heartbeat]\nscaling = true\nscaling_max = \"1s\"\n[[node]]");
        let message = file(&text).sweep(&[axis.to_owned()], &[], &COLUMNS).expect_err(axis).to_string();
        assert!(message.contains(word), "{axis}: {message}");
    }
}

#[test]
fn a_script_that_is_explained_reads_back_as_itself() {
    for text in [story(), everything(), REPLAY.to_owned(), IDLE_REPLAY.to_owned()] {
        let keys = file(&text).explain(&settings(&["policy.kind=none"])).expect("it is fine");
        let printed = resolved_toml(&keys);
        for line in printed.lines().filter(|line| !line.is_empty() && !line.starts_with('[')) {
            assert!(line.contains("  # "), "{line}");
        }
        let again = file(&printed).explain(&[]).unwrap_or_else(|errors| panic!("{errors}\n{printed}"));
        let values = |keys: &[Explained]| -> Vec<_> {
            keys.iter().map(|key| (key.key.clone(), key.value.clone())).collect()
        };
        assert_eq!(values(&keys), values(&again), "{printed}");
        let (first, second) = (resolved(&text), resolved(&printed));
        assert_eq!((first.script, first.apps), (second.script, second.apps));
    }
    let keys = file(&story()).explain(&[]).expect("it is fine");
    let printed = resolved_toml(&keys);
    for line in [
        "[workload]\n# trace: no log is replayed  # default\n",
        "\n[[node]]\nname = \"h1\"  # line 9\n",
        "registers_at = \"556ms\"  # line 11\n",
        "\n[[app.task]]\ncount = 1  # line 20\nkind = \"plain\"  # default\nhost = \"h1\"  # line 21\n",
        "\n[[at]]\ntime = \"11s900ms\"  # line 27\nrefresh_nodes = { exclude = \"exclude.xml\", graceful = true, \
         timeout = \"30s\", tracking = \"server\" }  # line 28\n",
    ] {
        assert!(printed.contains(line), "no {line:?} in\n{printed}");
    }
    let names: Vec<_> = keys.iter().map(|key| key.key.as_str()).collect();
    for name in ["node.h1.type", "app.work.rerun", "app.work.task.1.run", "at.1.refresh_nodes"] {
        assert!(names.contains(&name), "{name}");
    }
}

/// Plays `then` with a scenario of [`STAGE`] and `script` in a folder with `files`.
fn in_folder<R>(name: &str, files: &[(&str, &[u8])], script: &str, then: impl Fn(&ScenarioFile) -> R) -> R {
    let folder = std::env::temp_dir().join(format!("ebbtide-{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("dir")).expect("the folder can be made");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("the file can be written");
    }
    let file = ScenarioFile::from_text(&folder.join("case.toml"), &format!("{STAGE}{script}"));
    let result = then(&file.expect("it is TOML"));
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    result
}

const WITH_LISTS: &str = "[lists]\ninclude = \"in.xml\"\nexclude = \"out.xml\"\n[[node]]\nname = \"h1\"\n\
                          [[at]]\ntime = \"1s\"\nrefresh_nodes = { exclude = \"plain\" }\n";

#[test]
fn hosts_files_are_read_with_the_scenario() {
    let files: [(&str, &[u8]); 2] = [("in.xml", b"h1"), ("plain", b"")];
    let scenario = in_folder("lists", &files, WITH_LISTS, |file| file.resolve(&[])).expect("it is fine");
    let text = |list: &Option<Arc<ListFile>>| list.as_ref().expect("it is given").text.clone();
    assert_eq!(text(&scenario.script.include).as_deref(), Some("h1"));
    assert_eq!(text(&scenario.script.exclude), None);
    let path: PathBuf = scenario.script.exclude.expect("it is given").path.clone();
    assert!(path.ends_with("out.xml") && path.is_absolute());
    let Action::RefreshNodes { exclude, .. } = &scenario.script.actions[0].action else {
        panic!("it is a refresh")
    };
    assert_eq!(text(exclude).as_deref(), Some(""));
}

#[test]
fn hosts_files_that_cannot_be_read_are_errors() {
    let files: [(&str, &[u8]); 1] = [("plain", b"h1 \xff")];
    let script = WITH_LISTS.replace("in.xml", "dir");
    let message = in_folder("unread", &files, &script, |file| file.resolve(&[])).expect_err("two are wrong");
    let message = message.to_string();
    for words in [
        "`lists.include`: the hosts file \"dir\" cannot be read",
        "case.toml:8:11",
        "`at.1.refresh_nodes`: the hosts file \"plain\" cannot be read: byte 3 is not UTF-8",
        "case.toml:14:29",
        "help: a hosts file is UTF-8 text",
    ] {
        assert!(message.contains(words), "no {words:?} in\n{message}");
    }
}

#[test]
fn missing_files_and_what_is_odd_in_the_others_is_warned_of() {
    // The include file is plain whatever its name; out.xml does not exist.
    let files: [(&str, &[u8]); 2] = [("in.xml", b"h1 h2 node-3 node-0 # h9\nh2"), ("plain", b"h1\nhost5\n")];
    let warnings = in_folder("warned", &files, WITH_LISTS, |file| file.warnings(&[]));
    let message = warnings.render(false);
    // The missing file, the include file's name, h2 twice and once more as a duplicate, node-0; then h1 on both lists
    // and host5.
    assert_eq!(warnings.warnings().len(), 8, "{message}");
    for words in [
        "warning: `lists.exclude`: there is no file \"",
        "note: the resource manager goes on with empty lists",
        "case.toml:9:11",
        "in.xml:1:1: this file is read as plain text",
        "in.xml:1:4: no host of the cluster is called \"h2\"",
        "in.xml:1:14: no host of the cluster is called \"node-0\"",
        "in.xml:2:1: no host of the cluster is called \"h2\"",
        "in.xml:2:1: \"h2\" stands at 1:4 already",
        "warning: `at.1.refresh_nodes`: ",
        "plain:1:1: \"h1\" stands in the include file too",
        "plain:2:1: no host of the cluster is called \"host5\"",
        "case.toml:14:17",
        "help: nodes are called as [[node]] names them",
    ] {
        assert!(message.contains(words), "no {words:?} in\n{message}");
    }
    // A scenario with errors is not warned of; its errors say enough.
    assert!(file("seed = -1").warnings(&[]).warnings().is_empty());
}

#[test]
fn a_malformed_file_is_an_error_at_the_start_alone() {
    // yarn.md 4.2: the resource manager does not start.
    let files: [(&str, &[u8]); 3] = [("in.xml", b"h1"), ("out.xml", b"<hosts>\n<h"), ("plain", b"h1")];
    let message = in_folder("malformed", &files, WITH_LISTS, |file| {
        assert!(file.warnings(&[]).warnings().is_empty());
        file.resolve(&[]).expect_err("the start fails").to_string()
    });
    for words in [
        "error: `lists.exclude`: ",
        "out.xml:2:3: this is no well-formed XML",
        "case.toml:9:11",
        "note: the resource manager does not start",
    ] {
        assert!(message.contains(words), "no {words:?} in\n{message}");
    }
    // With a missing include file, which is read first, it starts with empty lists, and never reads the other one.
    let message = in_folder("unseen", &files[1..], WITH_LISTS, |file| {
        file.resolve(&[]).expect("it starts");
        file.warnings(&[]).render(false)
    });
    for words in ["`lists.include`: there is no file", "out.xml:2:3: ", "note: the resource manager goes on"]
    {
        assert!(message.contains(words), "no {words:?} in\n{message}");
    }
    // In a refresh it is the request that fails.
    let script = WITH_LISTS.replace("exclude = \"out.xml\"\n", "").replace("\"plain\"", "\"out.xml\"");
    let message = in_folder("later", &files, &script, |file| {
        file.resolve(&[]).expect("it starts");
        file.warnings(&[]).render(false)
    });
    for words in ["warning: `at.1.refresh_nodes`: ", "out.xml:2:3: ", "note: the request fails"] {
        assert!(message.contains(words), "no {words:?} in\n{message}");
    }
}

#[test]
fn each_value_of_a_varied_list_is_tried() {
    let files: [(&str, &[u8]); 3] = [("in.xml", b"h1"), ("bad.xml", b"<hosts>"), ("plain", b"h1")];
    let script = format!("{WITH_LISTS}[sweep.vary]\n\"lists.exclude\" = [\"plain\", \"bad.xml\"]\n");
    let message = in_folder("varied", &files, &script, |file| file.sweep(&[], &[], &COLUMNS))
        .expect_err("one value keeps the resource manager from starting")
        .to_string();
    assert!(message.contains("error: `lists.exclude`: ") && message.contains("bad.xml:1:8: "), "{message}");
}
