//! Whole traces of applications: the samples of Hadoop against counts of another tool, small ones for each rule.
//!
//! What files of nodes, of the configuration and broken JSON say is tested where they are read.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::app::{App, Ask, Locality, Master, TaskKind};
use super::app_trace;
use super::*;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/yarn-sls").join(name)
}

fn load_sample(name: &str) -> AppTrace {
    load_apps(&WorkloadSpec::whole(sample(name))).expect(name)
}

pub(super) fn read_bytes(stored: &[u8], spec: &WorkloadSpec) -> Result<AppTrace, WorkloadError> {
    app_trace::load_from(Log::open(stored, &spec.trace)?, spec)
}

pub(super) fn trace_json() -> WorkloadSpec {
    WorkloadSpec::whole("trace.json")
}

pub(super) fn read_text(text: &str) -> AppTrace {
    read_bytes(text.as_bytes(), &trace_json()).expect(text)
}

fn refusal(text: &str) -> String {
    read_bytes(text.as_bytes(), &trace_json()).expect_err(text).to_string()
}

pub(super) fn node_names(trace: &AppTrace) -> Vec<String> {
    trace.nodes.iter().map(|node| format!("/{}/{}", node.rack, node.name)).collect()
}

/// Name, submit, number of tasks, and their run times together, in ms.
pub(super) fn outline(app: &App) -> (&str, u64, u64, u64) {
    let tasks = app.tasks.iter().map(|group| u64::from(group.count)).sum();
    let run = |group: &app::TaskGroup| u64::from(group.count) * group.run.expect("launched").as_ms();
    (&app.name, app.submit.as_ms(), tasks, app.tasks.iter().map(run).sum())
}

pub(super) const GIB: Ask = Ask { cores: 1, memory_kib: 1_048_576 };

// Counts, sums, hosts and digests of the samples are those of a few lines of Python over the files (json.raw_decode in
// a loop; FNV-1a over the stored bytes).

#[test]
fn hadoops_sls_trace_loads() {
    let trace = load_sample("inputsls.json");
    assert_eq!((trace.format, trace.digest.as_str()), (TraceFormat::Sls, "6e385265ee82f749"));
    // Each of the five tasks names its host, and no node is known.
    assert_eq!((trace.skipped.len(), trace.simplified.homeless_tasks), (0, 5));
    let outlines: Vec<_> = trace.apps.iter().map(outline).collect();
    assert_eq!(outlines, [("job_1", 0, 3, 49_814), ("job_2", 105_204, 2, 41_752)]);
    assert_eq!(node_names(&trace), ["/default-rack/node1", "/default-rack/node3", "/default-rack/node2"]);
    let app = &trace.apps[0];
    assert_eq!(app.master, Master::Container { ask: GIB, host: None });
    assert_eq!((app.ends, app.allocate_interval), (None, SimSpan::from_secs(1)));
    assert_eq!((app.rerun, app.max_attempts, app.keep_containers), (true, 2, false));
    let task = &app.tasks[2];
    assert_eq!((task.kind, task.ask, task.asks_after), (TaskKind::Map, GIB, SimSpan::ZERO));
    assert_eq!(
        (&task.locality, task.run),
        (&Locality::Prefer("node2".into()), Some(SimSpan::from_ms(17_843)))
    );
}

#[test]
fn hadoops_job_history_loads() {
    let trace = load_sample("2jobs2min-rumen-jh.json.gz");
    assert_eq!((trace.format, trace.digest.as_str()), (TraceFormat::Rumen, "eac34561fe7fa10c"));
    let outlines: Vec<_> = trace.apps.iter().map(outline).collect();
    assert_eq!(
        outlines,
        [("job_1369942127770_1205", 0, 96, 2_024_885), ("job_1369942127770_1206", 105_204, 96, 1_961_401)]
    );
    assert_eq!((trace.skipped.len(), trace.nodes.len()), (0, 4));
    assert_eq!(node_names(&trace)[0], "/default-rack/a2118.smile.com");
    assert!(trace.apps[0].tasks.iter().all(|task| task.kind == TaskKind::Map && task.ask == GIB));
}

#[test]
fn hadoops_nodes_and_configuration_load() {
    let file = load_nodes(&sample("nodes-with-resources.json")).expect("nodes");
    assert_eq!(file.digest, "a569750718b94717");
    let nodes: Vec<_> =
        file.nodes.iter().map(|node| (node.name.as_str(), node.memory_kib, node.cores)).collect();
    let expected = [
        ("node1", Some(2_097_152), Some(6)),
        ("node2", None, None),
        ("node3", None, None),
        ("node4", Some(6_291_456), Some(12)),
    ];
    assert_eq!(nodes, expected);
    let labels: Vec<_> =
        file.nodes[3].labels.iter().map(|label| (label.name.as_str(), label.exclusive)).collect();
    assert_eq!(labels, [("label1", true), ("label2", false)]);
    // The sample says what the code takes by default.
    assert_eq!(SlsRunner::load(&sample("sls-runner.xml")).expect("a configuration"), SlsRunner::default());
}

/// A generated job as synth.py prints it.
fn printed(app: &App) -> String {
    let mut groups: Vec<(TaskKind, Ask, u64, u64, u64)> = Vec::new();
    let node = |task: &app::TaskGroup| match &task.locality {
        Locality::Prefer(name) => {
            name.strip_prefix("node").and_then(|n| n.parse::<u64>().ok()).expect("a node")
        }
        other => panic!("{other:?}"),
    };
    for task in &app.tasks {
        let run = task.run.expect("launched").as_ms();
        match groups.last_mut() {
            Some(last) if last.0 == task.kind => {
                last.2 += 1;
                last.3 += run;
                last.4 += node(task);
            }
            _ => groups.push((task.kind, task.ask, 1, run, node(task))),
        }
    }
    let group = |(_, ask, count, run, node): &(TaskKind, Ask, u64, u64, u64)| {
        format!("({count}, {}, {}, {run}, {node})", ask.memory_kib / 1024, ask.cores)
    };
    let first = |task: &app::TaskGroup| format!("({}, {})", task.run.expect("launched").as_ms(), node(task));
    let groups: Vec<_> = groups.iter().map(group).collect();
    let first: Vec<_> = app.tasks.iter().take(3).map(first).collect();
    let submit = app.submit.as_ms() / 1000;
    format!("{} {submit} [{}] [{}]", app.name, groups.join(", "), first.join(", "))
}

#[test]
fn hadoops_generator_file_generates_what_was_computed_elsewhere() {
    // The output of tests/data/yarn-sls/synth.py, sorted by submission.
    let expected = "\
class_1_000004 3 [(5, 1024, 1, 55, 52), (5, 2048, 2, 107, 55)] [(10, 6), (9, 17), (15, 7)]
class_1_000005 4 [(6, 1024, 1, 65, 52), (4, 2048, 2, 81, 32)] [(10, 6), (13, 5), (13, 10)]
class_1_000000 8 [(4, 1024, 1, 40, 52), (5, 2048, 2, 114, 59)] [(9, 17), (8, 16), (11, 10)]
class_1_000007 20 [(5, 1024, 1, 59, 50), (5, 2048, 2, 103, 47)] [(12, 10), (11, 7), (14, 12)]
class_1_000002 21 [(5, 1024, 1, 45, 43), (4, 2048, 2, 78, 52)] [(10, 7), (8, 11), (9, 8)]
class_1_000006 37 [(5, 1024, 1, 43, 14), (4, 2048, 2, 81, 44)] [(10, 0), (8, 3), (8, 4)]
class_1_000009 38 [(5, 1024, 1, 49, 43), (5, 2048, 2, 87, 46)] [(10, 9), (9, 2), (10, 3)]
class_1_000003 39 [(7, 1024, 1, 77, 66), (4, 2048, 2, 77, 38)] [(10, 13), (11, 4), (15, 19)]
class_1_000001 43 [(6, 1024, 1, 69, 61), (5, 2048, 2, 102, 61)] [(14, 13), (10, 17), (12, 14)]
class_1_000008 47 [(4, 1024, 1, 34, 22), (4, 2048, 2, 85, 40)] [(7, 2), (7, 9), (11, 1)]";
    let trace = load_sample("syn.json");
    assert_eq!((trace.format, trace.digest.as_str()), (TraceFormat::Synth, "731ccdc0150c3326"));
    assert_eq!(trace.apps.iter().map(printed).collect::<Vec<_>>().join("\n"), expected);
    assert_eq!((trace.nodes.len(), trace.skipped.len()), (20, 0));
    // 20 nodes in racks of 4 are 5 racks, and node i is in rack i mod 5.
    assert_eq!(node_names(&trace)[6], "/rack1/node6");
    let task = |at: usize| trace.apps[0].tasks[at].kind;
    assert_eq!((task(0), task(5)), (TaskKind::Map, TaskKind::Reduce));

    let mut seconds = WorkloadSpec::whole(sample("syn.json"));
    seconds.apps.synth.task_time_unit = SimSpan::from_secs(1);
    let seconds = load_apps(&seconds).expect("loads");
    assert_eq!(
        printed(&seconds.apps[2]),
        "class_1_000000 8 [(4, 1024, 1, 39412, 52), (5, 2048, 2, 115050, 59)] [(8954, 17), (7914, 16), (10874, 10)]"
    );
}

#[test]
fn every_form_of_sample_generates_what_was_computed_elsewhere() {
    // Lines of the output of tests/data/yarn-sls/synth.py for two-classes.json.
    let trace = load_sample("two-classes.json");
    let lines: Vec<_> = trace.apps.iter().map(printed).collect();
    for line in [
        "long_000000 7 [(3, 1024, 1, 940394, 8)] [(390334, 3), (282427, 1), (267633, 4)]",
        "long_000005 226 [(3, 1024, 6, 823085, 17)] [(339278, 7), (221865, 6), (261942, 4)]",
        "long_000009 143 [(5, 1024, 4, 1579446, 18)] [(339003, 7), (347271, 6), (247567, 1)]",
        "long_000019 63 [(5, 1024, 1, 1673974, 8)] [(320292, 3), (231811, 3), (366415, 1)]",
        "short_000003 138 [(5, 1024, 1, 140962, 20), (1, 2048, 1, 51871, 2)] [(27958, 3), (25272, 6), (26623, 5)]",
        "short_000013 282 [(9, 1024, 1, 255153, 34), (1, 2048, 1, 47922, 5)] [(32620, 4), (33613, 4), (29522, 0)]",
        "short_000018 47 [(4, 1024, 1, 137020, 16), (1, 2048, 1, 45203, 6)] [(31692, 6), (29863, 0), (43125, 4)]",
    ] {
        assert!(lines.iter().any(|found| found == line), "{line}\n{}", lines.join("\n"));
    }
    // Nine long jobs with 3, 3, 5, 3, 3, 5, 5, 3 and 5 tasks.
    assert_eq!((trace.apps.len(), trace.simplified.opportunistic_tasks), (20, 35));
}

#[test]
fn a_generated_job_does_not_depend_on_the_others() {
    let text = std::fs::read_to_string(sample("two-classes.json")).expect("readable");
    let more = read_text(&text.replace("\"num_jobs\": 20", "\"num_jobs\": \"25\""));
    let app = |trace: &AppTrace, name: &str| trace.apps.iter().find(|app| app.name == name).cloned();
    assert_eq!(more.apps.len(), 25);
    for old in load_sample("two-classes.json").apps {
        assert_eq!(app(&more, &old.name), Some(old));
    }
    let anywhere = read_text(&text.replace("\"num_nodes\": 8", "\"num_nodes\": 0"));
    assert!(
        anywhere.apps[0].tasks.iter().all(|task| task.locality == Locality::Any) && anywhere.nodes.is_empty()
    );
    let nodes = load_nodes(&sample("nodes-with-resources.json")).expect("nodes").nodes;
    let mut spec = WorkloadSpec::whole(sample("two-classes.json"));
    spec.apps.nodes.clone_from(&nodes);
    let known = load_apps(&spec).expect("loads");
    assert_eq!(known.nodes, nodes);
    let is_known = |name: &str| nodes.iter().any(|node| node.name == name);
    let mut places = known.apps.iter().flat_map(|app| &app.tasks).map(|task| &task.locality);
    assert!(places.all(|place| matches!(place, Locality::Prefer(name) if is_known(name))));
}

#[test]
fn of_a_task_in_a_history_the_last_successful_attempt_counts() {
    let attempt = |result: &str, start: i64, end: i64| {
        format!(
            r#"{{"result": "{result}", "startTime": {start}, "finishTime": "{end}", "hostName": "/r/h{start}"}}"#
        )
    };
    let job = |id: &str, submit: i64, maps: &str, reduces: &str| {
        format!(
            r#"{{"jobID": "{id}", "submitTime": {submit}, "mapTasks": [{maps}], "reduceTasks": [{reduces}]}}"#
        )
    };
    let task = |attempts: &[String]| format!("{{\"attempts\": [{}]}}", attempts.join(","));
    let text = [
        job("b", 2000, &task(&[attempt("SUCCESS", 1, 4), attempt("KILLED", 2, 9)]), ""),
        job("a", 1500, "", &task(&[attempt("FAILED", 3, 4), attempt("FAILED", 4, 9)])),
        job("early", 1000, &task(&[]), ""),
        job("none", 1000, "", ""),
        job("running", 1000, &task(&[attempt("KILLED", 5, -1)]), ""),
        job("never", -1, &task(&[attempt("SUCCESS", 1, 2)]), ""),
        r#"{"jobID": "when", "mapTasks": []}"#.to_owned(),
    ];
    let trace = read_text(&text.concat());
    let outlines: Vec<_> = trace.apps.iter().map(outline).collect();
    assert_eq!(outlines, [("a", 0, 1, 5), ("b", 500, 1, 3)]);
    assert_eq!(trace.apps[0].tasks[0].kind, TaskKind::Reduce);
    assert_eq!(trace.apps[1].tasks[0].locality, Locality::Prefer("h1".to_owned()));
    let skipped: Vec<_> = trace.skipped.iter().map(|app| format!("{}: {}", app.name, app.reason)).collect();
    let expected = [
        "early: mapTasks[0].attempts is a list, and a list with at least one attempt is expected",
        "none: mapTasks and reduceTasks holds no task, and at least one is expected",
        "running: mapTasks[0].attempts[0].finishTime gives a run time of -6 ms, and more than 0 is expected",
        "never: submitTime is -1, and a whole number of milliseconds since 1970 is expected",
        "when: submitTime is missing, and a whole number of milliseconds since 1970 is expected",
    ];
    assert_eq!(skipped, expected);
}

#[test]
fn files_that_are_no_trace_of_applications_are_refused() {
    for (text, message) in [
        ("", "trace.json: the file is empty"),
        (
            "; Version: 2.2\n1 0 -1",
            "trace.json: this looks like a log of batch jobs in SWF; what is read is JSON",
        ),
        ("{}", "trace.json: this looks like JSON of some other kind; what is read is JSON of YARN's"),
        ("[{\"job.id\": 1}]", "trace.json:1:1: a list stands where an object should: found"),
        (
            "{\"rack\": \"r\"}",
            "trace.json: this looks like JSON: a node file of YARN's load simulator; what is",
        ),
        ("{\"children\": []}", "trace.json: this looks like JSON: a topology file of Rumen; what is read"),
        (
            "{\"num.nodes\": 3}",
            "trace.json: no application that can run was found, and at least one is expected: 0",
        ),
        (
            "{\"num.nodes\": -3}",
            "trace.json:1:1: in what begins here, num.nodes is -3, and a whole number up to",
        ),
        (
            "{\"job.id\": \"x\"}",
            "trace.json: no application that can run was found, and at least one is expected: 1 were skipped, the first \
             one, \"x\" at 1:1, because job.tasks holds no task",
        ),
        (
            "{\"job.id\": 1}\n}",
            "trace.json:2:1: no object begins here: found \"}\", and JSON (objects in braces",
        ),
    ] {
        let found = refusal(text);
        assert!(found.starts_with(message), "{text}: {found}");
    }
    let tasks = [r#"{"duration.ms": 1}"#; 11].join(",");
    let found = refusal(&format!(r#"{{"job.id": "x", "job.count": 1000000, "job.tasks": [{tasks}]}}"#));
    assert!(
        found.starts_with("trace.json: at application \"x\" there are more than 10000000 tasks"),
        "{found}"
    );
    let found = load_apps(&WorkloadSpec::whole(sample(""))).expect_err("a folder").to_string();
    assert!(found.contains("this is a folder"), "{found}");
    let found = load_nodes(&sample("inputsls.json")).expect_err("a trace").to_string();
    assert!(found.contains("looks like JSON: an SLS trace"), "{found}");
    let found = SlsRunner::load(&sample("syn.json")).expect_err("no XML").to_string();
    assert!(found.contains("what is read is an sls-runner.xml"), "{found}");
}

#[test]
fn a_format_can_be_forced_unless_the_content_contradicts() {
    let load = |text: &str, format| {
        let spec = WorkloadSpec { format: Some(format), ..trace_json() };
        read_bytes(text.as_bytes(), &spec).map(|trace| trace.apps.len()).map_err(|error| error.to_string())
    };
    // Nothing tells that this is SLS, and without a task it is not a job; the second object tells it.
    let silent = r#"{"job.user": "ann"}"#;
    let told = r#"{"nodes": 1} {"job.tasks": [{"duration.ms": 1}]}"#;
    let message = load(silent, TraceFormat::Sls).expect_err("no task");
    assert!(message.contains("\"app-1\" at 1:1, because job.tasks holds no task"), "{message}");
    assert_eq!(load(told, TraceFormat::Sls), Ok(1));
    assert!(refusal(told).contains("looks like JSON: a node file"));
    let message = load("{\"job.id\": 1}", TraceFormat::Rumen).expect_err("SLS");
    assert_eq!(
        message,
        "trace.json: this is an SLS trace, and workload.format says that it is a Rumen job history; leave that key out"
    );
    let message = load_with(&TraceFormat::Swf, "{\"job.id\": 1}");
    assert!(
        message.contains("looks like JSON: an SLS trace") && message.contains("leave workload.format out")
    );
}

/// Why a text is not read as a log of jobs.
fn load_with(format: &TraceFormat, text: &str) -> String {
    let spec = WorkloadSpec { format: Some(*format), ..trace_json() };
    let log = Log::open(text.as_bytes(), &spec.trace).expect("readable");
    read(log, &spec).expect_err(text).to_string()
}

#[test]
fn a_key_without_sense_for_the_format_is_refused() {
    let sls = r#"{"job.tasks": [{"duration.ms": 1}]}"#;
    let refused = |change: fn(&mut WorkloadSpec)| {
        let mut spec = trace_json();
        change(&mut spec);
        read_bytes(sls.as_bytes(), &spec).expect_err("a key without sense").to_string()
    };
    assert_eq!(
        refused(|spec| spec.overrun = Overrun::Trim),
        "trace.json: this is an SLS trace, and workload.overrun is for jobs with requested times alone; leave it out"
    );
    assert_eq!(
        refused(|spec| spec.apps.synth.task_time_unit = SimSpan::from_secs(1)),
        "trace.json: this is an SLS trace, and workload.task_time_unit is for SYNTH files alone; leave it out"
    );
    let swf = "1 0 -1 10 4 -1 -1 4 10 -1 1 1 1 1 1 1 -1 -1\n";
    let mut spec = trace_json();
    spec.apps.hosts = HostUse::Ignore;
    let message = read(Log::open(swf.as_bytes(), &spec.trace).expect("readable"), &spec).expect_err("SWF");
    assert!(message.to_string().contains("workload.hosts is for applications alone"), "{message}");
}

#[test]
fn a_part_of_a_history_counts_from_its_first_job() {
    let job = |id: &str, submit: u64| {
        let attempt = r#"{"startTime": 0, "finishTime": 5}"#;
        format!(r#"{{"jobID": "{id}", "submitTime": {submit}, "mapTasks": [{{"attempts": [{attempt}]}}]}}"#)
    };
    let text = [job("a", 7000), job("b", 8000), job("c", 9500)].concat();
    let spec = WorkloadSpec { from: Some(SimSpan::from_secs(1)), scale_load: 0.5, ..trace_json() };
    let trace = read_bytes(text.as_bytes(), &spec).expect("loads");
    let submits: Vec<_> = trace.apps.iter().map(|app| (app.name.as_str(), app.submit.as_ms())).collect();
    // b, a second after a, is the first that is loaded; the gap of 1.5 s to c is divided by a half.
    assert_eq!(submits, [("b", 0), ("c", 3000)]);
}

#[test]
fn a_packed_trace_has_the_digest_of_its_stored_bytes() {
    let plain = std::fs::read(sample("inputsls.json")).expect("readable");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&plain).expect("a vector takes all");
    let packed = encoder.finish().expect("a vector takes all");
    let trace = read_bytes(&packed, &trace_json()).expect("loads");
    let expected = load_sample("inputsls.json");
    assert_ne!(trace.digest, expected.digest);
    assert_eq!(AppTrace { digest: expected.digest.clone(), ..trace }, expected);
}

proptest! {
    #[test]
    fn no_bytes_make_loading_panic(
        name in prop::sample::select(vec![
            "inputsls.json", "syn.json", "two-classes.json", "nodes-with-resources.json", "sls-runner.xml",
        ]),
        at in any::<prop::sample::Index>(),
        removed in 0..20_usize,
        inserted in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..20),
            prop::sample::select(vec!["-1", "1e308", "\"NaN\"", "null", "[]", "{}", "99999999999999999999", "0"])
                .prop_map(|text| text.as_bytes().to_vec()),
        ],
    ) {
        let mut text = std::fs::read(sample(name)).expect("readable");
        let at = at.index(text.len());
        let end = text.len().min(at + removed);
        text.splice(at..end, inserted.iter().copied());
        for text in [text.as_slice(), inserted.as_slice()] {
            if let Err(error) = read_bytes(text, &trace_json()) {
                prop_assert!(error.to_string().starts_with("trace.json:"), "{}", error);
            }
            let path = Path::new("trace.json");
            if let Err(error) = nodes::read(path, text).and_then(|_| SlsRunner::read(path, text)) {
                prop_assert!(error.to_string().starts_with("trace.json:"), "{}", error);
            }
        }
    }
}
