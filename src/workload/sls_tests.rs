//! SLS traces: one small trace for each rule of the format, and the message for each fault of a job.

use super::app::{Ask, Locality, Master, TaskKind};
use super::app_tests::{GIB, node_names, outline, read_bytes, read_text, trace_json};
use super::app_trace::Simplified;
use super::{AppTrace, HostUse, NodeSpec, WorkloadSpec};
use crate::time::SimSpan;

/// Why the only job of an SLS trace is skipped, behind one that is not.
fn skipped_because(job: &str) -> String {
    let good = r#"{"job.id": "good", "job.tasks": [{"duration.ms": 1}]}"#;
    let trace = read_text(&format!("{good}\n  {job}"));
    let [skipped] = trace.skipped.as_slice() else { panic!("{job}: {trace:?}") };
    assert_eq!((trace.apps.len(), skipped.line, skipped.column), (1, 2, 3), "{job}");
    format!("{}: {}", skipped.name, skipped.reason)
}

fn names(trace: &AppTrace) -> Vec<&str> {
    trace.apps.iter().map(|app| app.name.as_str()).collect()
}

#[test]
fn the_example_of_the_specification_is_read() {
    let trace = read_text(
        r#"{ "num.nodes": 6, "num.racks": 2 }
        {
          "job.id": "etl_a", "job.user": "ann", "job.queue.name": "batch", "job.start.ms": 2000,
          "am.memory-mb": 1536, "am.vcores": 1,
          "job.tasks": [
            { "count": 4, "container.duration.ms": 45000, "container.memory-mb": 2048, "container.vcores": 1,
              "container.priority": 20, "container.type": "map" },
            { "container.host": "/rack1/node3", "container.start.ms": 50000, "container.end.ms": 80000,
              "container.priority": 10, "container.type": "reduce" }
          ]
        }"#,
    );
    assert_eq!(node_names(&trace)[3..], ["/rack1/node3", "/rack0/node4", "/rack1/node5"]);
    assert_eq!(trace.skipped, []);
    let [app] = trace.apps.as_slice() else { panic!("{trace:?}") };
    assert_eq!(outline(app), ("etl_a", 2000, 5, 4 * 45_000 + 30_000));
    let master = Ask { cores: 1, memory_kib: 1_572_864 };
    assert_eq!(app.master, Master::Container { ask: master, host: None });
    let [maps, reduce] = app.tasks.as_slice() else { panic!("{app:?}") };
    assert_eq!((maps.kind, maps.count, &maps.locality), (TaskKind::Map, 4, &Locality::Any));
    assert_eq!(maps.ask, Ask { cores: 1, memory_kib: 2_097_152 });
    assert_eq!((reduce.kind, reduce.count, reduce.ask), (TaskKind::Reduce, 1, GIB));
    assert_eq!(reduce.locality, Locality::Prefer("node3".to_owned()));
}

#[test]
fn numbers_may_be_quoted_and_keys_old_or_unknown() {
    let plain = r#"{"yarn.sls.am.type": "dag", "job.start.ms": 5, "job.tasks":
        [{"count": 2, "container.duration.ms": 7, "container.request.delay": 9, "container.memory-mb": 64}]}"#;
    let quoted = r#"{"am.type": "dag", "x": [{}], "job.start.ms": "5", "job.id": null, "job.tasks":
        [{"count": "2", "duration.ms": "7", "container.request.delay": "9", "container.memory": "64", "y": 1.5}]}"#;
    let trace = read_text(plain);
    assert_eq!(trace.apps, read_text(quoted).apps);
    assert_eq!(outline(&trace.apps[0]), ("app-1", 5, 2, 14));
    let task = &trace.apps[0].tasks[0];
    assert_eq!((task.kind, task.asks_after), (TaskKind::Plain, SimSpan::from_ms(9)));
    assert_eq!(task.ask, Ask { cores: 1, memory_kib: 65_536 });
    // The new key wins over the old one, and -1 is as good as absent.
    let run = |times: &str| {
        let trace = read_text(&format!("{{\"job.tasks\": [{{{times}}}]}}"));
        trace.apps[0].tasks[0].run.expect("launched").as_ms()
    };
    let span = r#""container.start.ms": 10, "container.end.ms": 14"#;
    assert_eq!(run(&format!(r#""container.duration.ms": 3, "duration.ms": 4, {span}"#)), 3);
    assert_eq!(run(&format!(r#""container.duration.ms": -1, "duration.ms": 5, {span}"#)), 5);
    assert_eq!(run(&format!(r#""duration.ms": -1, {span}"#)), 4);
    // Numbers below 1 and delays below 0, as in YARN; a map is not delayed.
    let trace = read_text(
        r#"{"job.count": -3, "job.tasks": [{"count": 0, "container.request.delay": 5, "duration.ms": 1}]}"#,
    );
    assert_eq!((trace.apps.len(), trace.apps[0].tasks[0].count), (1, 1));
    assert_eq!(trace.apps[0].tasks[0].asks_after, SimSpan::ZERO);
}

#[test]
fn copies_have_names_of_their_own_and_order_is_that_of_submits() {
    let task =
        r#""job.tasks": [{"duration.ms": 1, "container.execution.type": "OPPORTUNISTIC", "count": 5}]"#;
    let trace = read_text(&format!(
        r#"{{"job.id": "late", "job.start.ms": 9, {task}}}
           {{"job.id": "a", "job.count": 3, "job.label.expression": "gpu", {task}}}
           {{"job.count": 2, {task}}} {{"job.id": 7, {task}}}
           {{"job.id": "a-2", {task}}} {{"job.id": "app-6", {task}}} {{{task}}} {{{task}}}"#
    ));
    let expected = ["a-1", "a-2", "a-3", "app-3-1", "app-3-2", "7", "app-6", "app-7", "app-8", "late"];
    assert_eq!(names(&trace), expected);
    assert_eq!(trace.simplified, Simplified { opportunistic_tasks: 50, labelled_apps: 3, homeless_tasks: 0 });
    let [skipped] = trace.skipped.as_slice() else { panic!("{trace:?}") };
    assert_eq!((skipped.name.as_str(), skipped.reason.reason()), ("a-2", "name_taken"));
}

#[test]
fn a_faulty_job_is_skipped_and_listed_with_its_reason() {
    let expected_ms = "and a whole number of milliseconds";
    for (job, because) in [
        (r#"{"job.id": "x"}"#, "x: job.tasks holds no task, and at least one is expected".to_owned()),
        (r#"{"job.tasks": []}"#, "app-2: job.tasks holds no task".to_owned()),
        (r#"{"job.tasks": {}}"#, "app-2: job.tasks is an object, and a list of tasks is expected".to_owned()),
        (r#"{"job.tasks": [5]}"#, "app-2: job.tasks[0] is 5, and an object is expected".to_owned()),
        ("{}", "app-2: job.tasks holds no task".to_owned()),
        (
            r#"{"job.id": "good", "job.tasks": [{"duration.ms": 1}]}"#,
            "good: its name is that of an".to_owned(),
        ),
        (
            r#"{"job.id": [], "job.tasks": [{"duration.ms": 1}]}"#,
            "app-2: job.id is a list, and a name".to_owned(),
        ),
        (
            r#"{"am.type": "stream"}"#,
            "app-2: its type is \"stream\", and mapreduce or dag is expected".to_owned(),
        ),
        (
            r#"{"job.start.ms": -5}"#,
            format!("app-2: job.start.ms is -5, {expected_ms} of 0 or more is expected"),
        ),
        (r#"{"job.start.ms": 1e30}"#, format!("app-2: job.start.ms is 1e+30, {expected_ms} of 0 or more")),
        (r#"{"job.start.ms": 18446744073709551616}"#, "app-2: job.start.ms is 1.844674407370955".to_owned()),
        (
            r#"{"job.count": 1000001}"#,
            "app-2: job.count is 1000001, and a whole number up to 1000000".to_owned(),
        ),
        (
            r#"{"am.vcores": 0}"#,
            "app-2: am.vcores is 0, and a whole number of virtual cores from 1".to_owned(),
        ),
        (
            r#"{"am.memory-mb": "1 GB"}"#,
            "app-2: am.memory-mb is \"1 GB\", and a whole number of MB".to_owned(),
        ),
    ] {
        let found = skipped_because(job);
        assert!(found.starts_with(&because), "{job}: {found}");
    }
}

#[test]
fn a_job_with_a_faulty_task_is_skipped_and_listed_with_its_reason() {
    for (task, because) in [
        ("", "container.duration.ms is missing, and a duration (or container.start.ms and container.end.ms)"),
        (r#""container.end.ms": 5"#, "container.duration.ms is missing, and a duration"),
        (
            r#""container.duration.ms": 0"#,
            "container.duration.ms gives a run time of 0 ms, and more than 0 is",
        ),
        (r#""container.start.ms": 9, "container.end.ms": 4"#, "container.end.ms gives a run time of -5 ms"),
        (
            r#""container.start.ms": "-9223372036854775808", "container.end.ms": 4"#,
            "container.end.ms gives a run time of 9223372036854775807 ms",
        ),
        (r#""duration.ms": "NaN""#, "duration.ms is \"NaN\", and a whole number of milliseconds is expected"),
        (
            r#""duration.ms": 4611686018427387904"#,
            "duration.ms is 4611686018427387904, and a whole number of",
        ),
        (r#""duration.ms": true"#, "duration.ms is true, and a whole number of milliseconds is expected"),
        (
            r#""duration.ms": 1, "container.type": "shuffle""#,
            "container.type is \"shuffle\", and map or reduce is",
        ),
        (
            r#""duration.ms": 1, "container.host": "/""#,
            "container.host is \"/\", and a host as in /rack1/node3",
        ),
        (
            r#""duration.ms": 1, "count": 5000000000"#,
            "count is 5000000000, and a whole number up to 1000000 is expected",
        ),
        (
            r#""duration.ms": 1, "container.vcores": "-1""#,
            "container.vcores is \"-1\", and a whole number of virtual",
        ),
        (
            r#""duration.ms": 1, "container.execution.type": "BEST""#,
            "container.execution.type is \"BEST\", and GUARANTEED or OPPORTUNISTIC is expected",
        ),
    ] {
        let good = r#"{"duration.ms": 1}"#;
        let found = skipped_because(&format!("{{\"job.id\": \"x\", \"job.tasks\": [{good}, {{{task}}}]}}"));
        assert!(found.starts_with(&format!("x: job.tasks[1].{because}")), "{task}: {found}");
    }
    let host = |host: &str| format!("{{\"duration.ms\": 1, \"container.host\": \"{host}\"}}");
    let job = format!("{{\"job.tasks\": [{}, {}]}}", host("/a/n"), host("/b/n"));
    assert_eq!(
        skipped_because(&job),
        "app-2: job.tasks[1].container.host puts host \"n\" into rack \"b\", and it is expected in \"a\", as before"
    );
}

/// Jobs a to d, submitted at 1, 2, 3 and 4 s; each has a task of 10 ms that is delayed by 6 ms.
fn four_jobs() -> String {
    let job = |(at, id): (u64, &str)| {
        let task = r#"{"duration.ms": 10, "container.request.delay": 6}"#;
        format!(r#"{{"job.id": "{id}", "am.type": "dag", "job.start.ms": {at}000, "job.tasks": [{task}]}}"#)
    };
    (1..).zip(["a", "b", "c", "d"]).map(job).collect()
}

/// Names and submits, in ms, of what a spec loads of the four jobs.
fn part(change: fn(&mut WorkloadSpec)) -> Vec<(String, u64)> {
    let mut spec = trace_json();
    change(&mut spec);
    let trace = read_bytes(four_jobs().as_bytes(), &spec).expect("loads");
    trace.apps.iter().map(|app| (app.name.clone(), app.submit.as_ms())).collect()
}

#[test]
fn a_part_of_a_trace_is_loaded_and_its_times_keep_their_meaning() {
    let app = |name: &str, submit_ms| (name.to_owned(), submit_ms);
    assert_eq!(part(|spec| spec.jobs = Some(2)), [app("a", 1000), app("b", 2000)]);
    // Time 0 of the trace is the scenario's start, unless the part begins later.
    assert_eq!(
        part(|spec| spec.until = Some(SimSpan::from_secs(3))),
        [app("a", 1000), app("b", 2000)],
        "3 s is not before 3 s"
    );
    assert_eq!(
        part(|spec| spec.from = Some(SimSpan::from_ms(2500))),
        [app("c", 500), app("d", 1500)],
        "3 s and 4 s are 0.5 s and 1.5 s after 2.5 s"
    );
    let of_both = part(|spec| (spec.from, spec.jobs) = (Some(SimSpan::from_secs(2)), Some(1)));
    assert_eq!(of_both, [app("b", 0)]);
    let twice_the_load = part(|spec| spec.scale_load = 2.0);
    assert_eq!(twice_the_load, [app("a", 500), app("b", 1000), app("c", 1500), app("d", 2000)]);
    let slower = part(|spec| (spec.scale_time, spec.jobs) = (3.0, Some(1)));
    assert_eq!(slower, [app("a", 3000)]);
    let mut spec = trace_json();
    spec.scale_time = 3.0;
    let task = read_bytes(four_jobs().as_bytes(), &spec).expect("loads").apps[0].tasks[0].clone();
    assert_eq!((task.run, task.asks_after), (Some(SimSpan::from_ms(30)), SimSpan::from_ms(18)));
    spec.from = Some(SimSpan::from_secs(9));
    let message = read_bytes(four_jobs().as_bytes(), &spec).expect_err("too late").to_string();
    assert!(message.contains("0 were skipped, and 4 lie outside of workload.from"), "{message}");
}

#[test]
fn hosts_are_nodes_of_the_cluster_if_those_are_known() {
    let job = r#"{"job.id": "a", "job.tasks": [{"count": 3, "duration.ms": 1, "container.host": "/r/h1"}]}"#;
    let load = |nodes: &[&str], hosts| {
        let mut spec = trace_json();
        spec.apps.nodes = nodes.iter().map(|&name| NodeSpec::named(name)).collect();
        spec.apps.hosts = hosts;
        let trace = read_bytes(format!("\n {job}").as_bytes(), &spec).map_err(|error| error.to_string())?;
        Ok((trace.apps[0].tasks[0].locality.clone(), trace.simplified.homeless_tasks))
    };
    let preferred = Locality::Prefer("h1".to_owned());
    assert_eq!(load(&["h0", "h1"], HostUse::Prefer), Ok((preferred.clone(), 0)));
    assert_eq!(load(&[], HostUse::Prefer), Ok((preferred, 3)), "three tasks prefer what nobody knows");
    assert_eq!(load(&["h0"], HostUse::Ignore), Ok((Locality::Any, 0)));
    let refused: Result<(Locality, u64), String> = Err(
        "trace.json:2:2: in what begins here, job.tasks[0].container.host is \"h1\", and the name of a node of the \
         cluster is expected; name it in workload.nodes or [[node]], or run tasks anywhere with workload.hosts = \
         \"ignore\""
            .to_owned(),
    );
    assert_eq!(load(&["h0"], HostUse::Prefer), refused);
}

#[test]
fn a_name_with_a_slash_is_a_fault_of_its_job() {
    assert!(
        skipped_because(r#"{"job.id": "a/1", "job.tasks": [{"duration.ms": 1}]}"#)
            .starts_with("a/1: its name has a / in it, and one without is expected")
    );
}
