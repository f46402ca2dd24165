//! Traces of YARN's load simulator as the workload of a scenario: stories worked out by hand (yarn.md 11; how masters
//! ask and hear is that of `applications`), and what is said of traces that cannot be played.

use std::path::Path;

use ebbtide::engine::BeatMode;

use crate::support::scratch::Scratch;
use crate::support::{Played, play_text};

/// Two nodes of 2 cores and 4 GiB, named by a node file.
const NODES: &str = r#"{ "rack": "r", "nodes": [
    { "node": "n1", "vcores": 2, "memory-mb": 4096 }, { "node": "n2", "vcores": 2, "memory-mb": 4096 } ] }"#;

/// A graph of two tasks: one prefers n2; the other prefers n1 and is asked for 2.2 s after the registration.
const DAG: &str = r#"
{ "num.nodes": 2 }
{ "job.id": "etl", "am.type": "dag", "job.start.ms": 2500, "am.memory-mb": 1024, "am.vcores": 1,
  "job.tasks": [
    { "container.host": "/r/n2", "duration.ms": 5000 },
    { "container.host": "/r/n1", "duration.ms": "4700", "container.request.delay": 2200 } ] }
"#;

/// Three jobs of a class with two tasks of 30.5 (of whatever unit), all submitted at 7 s.
const SYNTH: &str = r#"{ "num_jobs": 3, "num_nodes": 9, "rand_seed": 1, "workloads": [ { "workload_weight": 1,
    "job_classes": [ { "class_name": "c", "class_weight": 1, "type": "dag", "tasks": [
        { "type": "t", "count": { "val": 2 }, "time": { "val": 30.5 }, "max_memory": { "val": 1024 },
          "max_vcores": { "val": 1 } } ] } ],
    "time_distribution": [ { "time": 7, "weight": 1 } ] } ] }"#;

/// A scenario of the two nodes; an instance's hour costs 3.6, so that a second costs 0.001.
fn stage(workload: &str) -> String {
    format!(
        "[workload]\n{workload}\n[[node_type]]\nname = \"t\"\ncores = 2\nmemory = \"4GiB\"\nprice_per_hour = 3.6\n\
         [cluster]\nmax_nodes = 2\n[scheduler]\ntrigger = \"async\"\n[policy]\nkind = \"none\"\n"
    )
}

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/yarn-sls").join(name);
    std::fs::read(path).unwrap()
}

fn prepared(workload: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("nodes.json", NODES);
    scratch.write("dag.json", DAG);
    scratch.write("synth.json", SYNTH);
    for name in ["inputsls.json", "syn.json", "2jobs2min-rumen-jh.json.gz", "sls-runner.xml"] {
        scratch.write(name, sample(name));
    }
    scratch.write("real-nodes.json", sample("nodes-with-resources.json"));
    scratch.write("s.toml", stage(workload));
    scratch
}

/// Plays a scenario in both beat modes, which must give the same.
fn played(scratch: &Scratch, text: &str, settings: &[&str]) -> Played {
    let folder = scratch.path.to_str().unwrap();
    let lazy = play_text(folder, text, settings, BeatMode::Lazy);
    assert_eq!(lazy.all(), play_text(folder, text, settings, BeatMode::All).all(), "lazy and full beats");
    lazy
}

fn play_dag(settings: &[&str]) -> Played {
    let workload = "trace = \"dag.json\"\nnodes = \"nodes.json\"";
    played(&prepared(workload), &stage(workload), settings)
}

#[test]
fn a_graph_of_tasks_runs_on_the_nodes_of_the_node_file() {
    // The master is placed and registers at the submission, on n1, the first of equals. It asks at 3.5 s, acquires at
    // 4.5 s, and the first task ends 5 s later. The second is due at 4.7 s, asked for at 5.5 s, acquired at 6.5 s,
    // and ends at 11.2 s, which the master hears at 11.5 s.
    let dag = play_dag(&[]);
    assert_eq!(dag.story.of("etl"), ["2.500 SUBMIT", "2.500 REGISTER", "11.500 FINISH"]);
    assert_eq!(dag.story.of("etl/1")[1], "2.500 ALLOCATE node=n1");
    let first = dag.story.of("etl/2");
    assert_eq!(first[..3], ["3.500 ASK cores=1", "3.500 ALLOCATE node=n2", "4.500 ACQUIRE node=n2"]);
    assert_eq!(first.last().unwrap(), "9.500 FINISHED node=n2 exit=0");
    let second = dag.story.of("etl/3");
    assert_eq!(second[..3], ["5.500 ASK cores=1", "5.500 ALLOCATE node=n1", "6.500 ACQUIRE node=n1"]);
    assert_eq!(second.last().unwrap(), "11.200 FINISHED node=n1 exit=0");
    assert_eq!((dag.column("jobs_loaded"), dag.column("apps_skipped")), ("1".into(), "0".into()));
    // Two nodes from 0 to 11.5 s.
    assert_eq!(dag.column("cost_total"), "0.023");
}

#[test]
fn the_times_of_a_trace_can_be_scaled() {
    // Submitted at 5 s, asked at 6 s, acquired at 7 s; 10 s are run. The beat of masters stays as it is.
    let slow = play_dag(&["workload.scale_time=2"]);
    assert_eq!(slow.story.of("etl")[0], "5.000 SUBMIT");
    assert_eq!(slow.story.of("etl/2").last().unwrap(), "17.000 FINISHED node=n2 exit=0");
    // Due 4.4 s after 5 s, asked at 10 s, acquired at 11 s; 9.4 s are run.
    assert_eq!(slow.story.of("etl/3").last().unwrap(), "20.400 FINISHED node=n1 exit=0");
}

#[test]
fn hosts_that_are_ignored_hold_nobody_back() {
    // Fewest free cores first: the first task goes to n1 beside the master, the second to n2.
    let anywhere = play_dag(&["workload.hosts=ignore"]);
    assert_eq!(anywhere.story.of("etl/2")[1], "3.500 ALLOCATE node=n1");
    assert_eq!(anywhere.story.of("etl/3")[1], "5.500 ALLOCATE node=n2");
}

#[test]
fn hadoops_own_trace_and_nodes_run_to_the_millisecond() {
    // As a graph of tasks: the first master stands on node1, which has the fewest cores, asks at 1 s and acquires at
    // 2 s. The tasks' times are differences of the file: 23.707 - 6.664, 21.593 - 6.665 and 24.613 - 6.770 s.
    let workload = "trace = \"graph.json\"\nnodes = \"real-nodes.json\"\nrunner = \"sls-runner.xml\"";
    let scratch = prepared(workload);
    let text = String::from_utf8(sample("inputsls.json")).unwrap();
    scratch.write("graph.json", text.replace("mapreduce", "dag"));
    let scenario = format!(
        "[workload]\n{workload}\n[[node_type]]\nname = \"small\"\ncores = 6\nmemory = \"2GiB\"\n[[node_type]]\n\
         name = \"usual\"\ncores = 10\nmemory = \"10GiB\"\n[[node_type]]\nname = \"large\"\ncores = 12\n\
         [cluster]\nmax_nodes = 4\n[scheduler]\ntrigger = \"async\"\n[policy]\nkind = \"none\"\n"
    );
    let told = played(&scratch, &scenario, &[]);
    let end = |container: &str| told.story.of(container).last().unwrap().clone();
    assert_eq!(end("job_1/2"), "19.043 FINISHED node=node1 exit=0");
    assert_eq!(end("job_1/3"), "16.928 FINISHED node=node3 exit=0");
    assert_eq!(end("job_1/4"), "19.843 FINISHED node=node2 exit=0");
    assert_eq!(told.story.of("job_1").last().unwrap(), "20.000 FINISH");
    assert_eq!(told.story.of("job_2")[0], "105.204 SUBMIT");
    assert_eq!((told.column("jobs_loaded"), told.column("nodes_peak")), ("2".into(), "4".into()));
}

#[test]
fn the_time_of_a_synth_task_counts_milliseconds_unless_said_otherwise() {
    // Submitted at 7 s, asked for at 8 s, acquired at 9 s: 30.5 ms are 31 as Java rounds. Two nodes of 8 cores hold
    // three masters and six tasks at once.
    let workload = "trace = \"synth.json\"";
    let text = format!(
        "[workload]\n{workload}\n[[node_type]]\nname = \"t\"\ncores = 8\n[cluster]\nmin_nodes = 2\nmax_nodes = 2\n\
         [scheduler]\ntrigger = \"async\"\n[policy]\nkind = \"none\"\n"
    );
    let scratch = prepared(workload);
    let finish = |unit: &str| {
        let told = played(&scratch, &text, &[&format!("workload.task_time_unit={unit}")]);
        let last = |subject: &str| told.story.of(subject).last().unwrap().clone();
        (last("c_000002/2").split(' ').next().unwrap().to_owned(), last("c_000002"))
    };
    assert_eq!(finish("1ms"), ("9.031".to_owned(), "10.000 FINISH".to_owned()));
    assert_eq!(finish("1s"), ("39.500".to_owned(), "40.000 FINISH".to_owned()));
    assert_eq!(finish("100ms"), ("12.050".to_owned(), "13.000 FINISH".to_owned()));
}

#[test]
fn a_trace_stands_beside_applications_of_the_scenario() {
    let workload = "trace = \"dag.json\"\nnodes = \"nodes.json\"";
    let app = "[[app]]\nname = \"mine\"\nmaster = \"unmanaged\"\n[[app.task]]\nhost = \"n1\"\nrun = \"1s\"\n";
    let told = played(&prepared(workload), &format!("{}{app}", stage(workload)), &[]);
    // Asked at 1 s, acquired at 2 s, heard of at the call after 3 s.
    assert_eq!(told.story.of("mine"), ["0.000 SUBMIT", "0.000 REGISTER", "4.000 FINISH"]);
    assert_eq!(told.story.of("etl").last().unwrap(), "11.500 FINISH");
    let scratch = prepared(workload);
    scratch.write("s.toml", format!("{}{}", stage(workload), app.replace("mine", "etl")));
    for command in ["run", "check", "sweep"] {
        scratch
            .ebbtide(&[command, "s.toml"])
            .expect(2, &["dag.json: its application \"etl\" has the name of an [[app]]", "another name"]);
    }
}

#[test]
fn what_is_left_out_is_counted_and_listed() {
    let scratch = prepared("trace = \"faulty.json\"\nnodes = \"nodes.json\"");
    let faulty = format!(
        "{DAG} {{\"job.id\": \"none\"}}\n{{\"job.id\": \"etl\", \"job.tasks\": [{{\"duration.ms\": 1}}]}}\n\
         {{\"job.id\": \"zero\", \"job.tasks\": [{{\"duration.ms\": 0}}]}}\n\
         {{\"job.id\": \"service\", \"am.type\": \"stream\"}}\n\
         {{\"job.id\": \"big\", \"job.start.ms\": 1500, \"am.type\": \"dag\", \"job.tasks\": [{{\"duration.ms\": 1, \
         \"container.vcores\": 3}}]}}"
    );
    scratch.write("faulty.json", faulty);
    let said = scratch.ebbtide(&["run", "s.toml"]).expect(
        0,
        &[
            "faulty.json: skipped: \"none\" at 7:2, because job.tasks holds no task",
            "faulty.json: skipped: \"etl\" at 8:1, because its name is that of an earlier application",
            "faulty.json: skipped: 1 more applications",
            "faulty.json: 1 applications are rejected",
        ],
    );
    assert!(said.out.contains("Jobs"), "{}", said.out);
    let jobs = scratch.text("results/s/jobs.csv");
    let columns = |row: &str| {
        let cells: Vec<_> = row.split(',').collect();
        [cells[0], cells[1], cells[2], cells[cells.len() - 1]].join(" ")
    };
    assert_eq!(
        jobs.lines().skip(1).map(columns).collect::<Vec<_>>(),
        [
            "big app 1.500 rejected_too_large",
            "etl app 2.500 completed",
            "none app  skipped_no_tasks",
            "etl app  skipped_name_taken",
            "zero app  skipped_no_run_time",
            "service app  skipped_not_simulated",
        ]
    );
    let summary = scratch.text("results/s/summary.csv");
    // Skipped; then by reason, in the order of the columns.
    assert!(summary.ends_with(",4,0,0,1,1,1,0,1,0,0\n"), "{summary}");
    assert!(scratch.text("results/s/containers.csv").contains("\netl,"));
    let manifest = scratch.text("results/s/manifest.json");
    let digest = |name: &str| ebbtide::workload::digest(scratch.text(name).as_bytes());
    assert!(manifest.contains(&format!("\"trace_fnv1a\": \"{}\"", digest("faulty.json"))), "{manifest}");
    assert!(manifest.contains(&format!("\"nodes_fnv1a\": \"{}\"", digest("nodes.json"))), "{manifest}");
    let said = scratch.ebbtide(&["check", "s.toml"]).expect(0, &[]);
    assert!(said.out.contains("2 loaded, of which rejected: 1 (too large: 1"), "{}", said.out);
    assert!(said.out.contains("applications skipped: 4, skipped no tasks: 1"), "{}", said.out);
}

#[test]
fn check_explains_every_key_of_a_trace() {
    let scratch = prepared("trace = \"synth.json\"\nnodes = \"nodes.json\"\nformat = \"synth\"");
    let said = scratch.ebbtide(&["check", "s.toml", "--explain"]).expect(0, &[]);
    for line in [
        "format = \"synth\"  # line 4",
        "nodes = \"nodes.json\"  # line 3",
        "# runner: the values that YARN's code has  # default",
        "hosts = \"prefer\"  # default",
        "task_time_unit = \"1ms\"  # default",
    ] {
        assert!(said.out.lines().any(|found| found == line), "no {line:?} in:\n{}", said.out);
    }
}

#[test]
fn a_sweep_varies_the_keys_of_a_trace() {
    let scratch = prepared("trace = \"synth.json\"\njobs = 1\nnodes = \"nodes.json\"");
    let vary = ["--vary", "workload.task_time_unit=1ms,1s", "--vary", "workload.jobs=1,3"];
    scratch.ebbtide(&[&["sweep", "s.toml"][..], &vary].concat()).expect(0, &[]);
    let runs = scratch.text("results/s/runs.csv");
    let mut lines = runs.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let columns = ["workload.task_time_unit", "workload.jobs", "jobs_loaded", "cost_total"];
    let places = columns.map(|name| names.iter().position(|known| *known == name).unwrap());
    let rows: Vec<_> = lines.map(|cells| places.map(|place| cells[place].to_owned())).collect();
    // One job ends at 10 s or 40 s, and two nodes cost 0.002 a second.
    assert_eq!(rows[0], ["1ms", "1", "1", "0.02"]);
    assert_eq!(rows[1][..3], ["1ms", "3", "3"]);
    assert_eq!(rows[2], ["1s", "1", "1", "0.08"]);
    assert_eq!(rows[3][..3], ["1s", "3", "3"]);
}

/// What is wrong: the lines of `[workload]`, a file that is written, and what must be said.
const WRONG: &[(&str, &str, &str, &[&str])] = &[
    (
        "trace = \"no.json\"",
        "x",
        "",
        &["no.json: there is no such file", "check workload.trace", "scenario file's folder"],
    ),
    ("trace = \"x.json\"", "x.json", "", &["x.json: the file is empty", "name another one"]),
    ("trace = \"x.json\"", "x.json", "hello", &["x.json: this looks like", "an SLS trace, a SYNTH file"]),
    ("trace = \"x.json\"", "x.json", "{\"a\": ", &["x.json:1:", "EOF", "correct it there"]),
    ("trace = \"x.json\"", "x.json", "{\"a\": 1}", &["JSON of some other kind", "convert it"]),
    ("trace = \"nodes.json\"", "x", "", &["a node file of YARN's load simulator", "(workload.nodes)"]),
    ("trace = \"dag.json\"\nformat = \"swf\"", "x", "", &["an SLS trace", "leave workload.format out"]),
    ("trace = \"dag.json\"\nformat = \"rumen\"", "x", "", &["an SLS trace", "leave that key out"]),
    ("trace = \"dag.json\"\noverrun = \"trim\"", "x", "", &["workload.overrun is for jobs", "leave it out"]),
    (
        "trace = \"dag.json\"\ntask_time_unit = \"1s\"",
        "x",
        "",
        &["dag.json: this is an SLS trace", "is for SYNTH files alone"],
    ),
    (
        "trace = \"x.json\"",
        "x.json",
        r#"{"job.count": 5000000000, "job.tasks": [{"duration.ms": 1}]}"#,
        &["job.count is 5000000000, and a whole number up to 1000000 is expected", "\"app-1\" at 1:1"],
    ),
    (
        "trace = \"x.json\"",
        "x.json",
        r#"{"job.tasks": [{"count": 4000000000, "duration.ms": 1}]}"#,
        &["job.tasks[0].count is 4000000000, and a whole number up to 1000000 is expected"],
    ),
    (
        "trace = \"x.json\"",
        "x.json",
        r#"{"job.count": 1000000, "job.tasks": [{"count": 1000000, "duration.ms": 1}]}"#,
        &["at application \"app-1\" there are more than 10000000 tasks", "ask for fewer"],
    ),
    (
        "trace = \"x.json\"",
        "x.json",
        r#"{"job.tasks": [{"duration.ms": -5}]}"#,
        &["job.tasks[0].duration.ms gives a run time of -5 ms, and more than 0 is expected"],
    ),
    (
        "trace = \"x.json\"",
        "x.json",
        r#"{"am.type": "dag", "job.tasks": [{"duration.ms": 1, "container.vcores": 99}]}"#,
        &["no application of the trace can ever run", "Raise `node_type.cores`"],
    ),
    (
        "trace = \"dag.json\"\nnodes = \"x.json\"",
        "x.json",
        r#"{"rack": "r", "nodes": [{"node": "n1", "vcores": 2, "memory-mb": 4096}]}"#,
        &["dag.json:3:1: ", "container.host is \"n2\"", "workload.hosts = \"ignore\""],
    ),
    (
        "trace = \"dag.json\"\nnodes = \"no.json\"",
        "x",
        "",
        &["s.toml:3:9", "no.json: there is no such file; check workload.nodes"],
    ),
    ("trace = \"dag.json\"\nnodes = \"x.json\"", "x.json", "", &["s.toml:3:9", "the file is empty"]),
    (
        "trace = \"dag.json\"\nnodes = \"x.json\"",
        "x.json",
        "{\"rack\": \"r\", \"nodes\": []}",
        &["s.toml:3:9", "x.json: no node is named, and at least one is expected", "leave workload.nodes out"],
    ),
    ("trace = \"dag.json\"\nnodes = \"dag.json\"", "x", "", &["s.toml:3:9", "an SLS trace", "node file"]),
    (
        "trace = \"dag.json\"\nnodes = \"x.json\"",
        "x.json",
        r#"{"rack": "r", "nodes": [{"node": "n1"}, {"node": "n1"}]}"#,
        &["s.toml:3:9", "nodes[1].node is \"n1\", and a name that no earlier node has is expected"],
    ),
    (
        "trace = \"dag.json\"\nnodes = \"x.json\"",
        "x.json",
        r#"{"rack": "r", "nodes": [{"node": "n1"}, {"node": "n2"}]}"#,
        &["s.toml:3:9", "\"n1\" has 10 cores and 10GiB of memory", "add a [[node_type]] with cores = 10"],
    ),
    (
        "trace = \"dag.json\"\nnodes = \"x.json\"",
        "x.json",
        r#"{"rack": "r", "nodes": [{"node": "node-7", "vcores": 2, "memory-mb": 4096}]}"#,
        &["s.toml:3:9", "no node can be called \"node-7\"", "call it otherwise"],
    ),
    (
        "trace = \"dag.json\"\nnodes = \"x.json\"",
        "x.json",
        r#"{"rack": "r", "nodes": [{"node": "n1", "vcores": 2, "memory-mb": 4096}, {"node": "n2", "vcores": 2,
            "memory-mb": 4096}, {"node": "n3", "vcores": 2, "memory-mb": 4096}]}"#,
        &["3 nodes are named, more than `cluster.max_nodes` (2)", "raise `max_nodes` to at least 3"],
    ),
    (
        "trace = \"dag.json\"\nrunner = \"x.xml\"",
        "x.xml",
        "<a><property><name>yarn.sls.nm.vcores</name><value>0</value></property></a>",
        &["s.toml:3:10", "x.xml:1:4: ", "yarn.sls.nm.vcores is \"0\", and a whole number from 1"],
    ),
    (
        "trace = \"dag.json\"\nrunner = \"dag.json\"",
        "x",
        "",
        &["s.toml:3:10", "no XML", "what is read is an sls-runner.xml"],
    ),
];

#[test]
fn what_is_wrong_with_a_trace_is_told_with_its_place_and_a_remedy() {
    for (workload, name, content, words) in WRONG {
        let scratch = prepared(workload);
        scratch.write(name, content);
        for command in ["run", "check", "sweep"] {
            // A sweep gives rejected jobs their rows.
            if command == "sweep" && words[0].starts_with("no application of the trace") {
                continue;
            }
            scratch.ebbtide(&[command, "s.toml"]).expect(2, words);
        }
        assert!(!scratch.names().iter().any(|name| name.starts_with("results/")), "{workload}");
    }
}

#[test]
fn a_node_of_the_node_file_and_one_of_the_scenario_have_names_of_their_own() {
    let scratch = prepared("");
    let workload = "trace = \"dag.json\"\nnodes = \"nodes.json\"";
    scratch.write("s.toml", format!("{}[[node]]\nname = \"n2\"\n", stage(workload)));
    scratch
        .ebbtide(&["check", "s.toml"])
        .expect(2, &["s.toml:3:9", "two nodes are called \"n2\"", "leave the [[node]] out"]);
    // Actions may be done to nodes of the file, and to no others.
    let crash = |node: &str| format!("[[at]]\ntime = \"1s\"\nnode_crash = \"{node}\"\n");
    scratch.write("s.toml", format!("{}{}", stage(workload), crash("n2")));
    scratch.ebbtide(&["check", "s.toml"]).expect(0, &[]);
    scratch.write("s.toml", format!("{}{}", stage(workload), crash("n9")));
    scratch.ebbtide(&["check", "s.toml"]).expect(2, &["there is no node \"n9\""]);
}

#[test]
fn hadoops_own_traces_run_to_their_end_on_an_elastic_cluster() {
    // Jobs and tasks of each file, as counted by a few lines of Python (see `workload/app_tests.rs`).
    for (trace, jobs) in [("inputsls.json", "2"), ("syn.json", "10"), ("2jobs2min-rumen-jh.json.gz", "2")] {
        let scratch = prepared("");
        let text = stage(&format!("trace = \"{trace}\"")).replace("kind = \"none\"", "kind = \"surplus\"");
        let text = text.replace("max_nodes = 2", "max_nodes = 40");
        let run = played(&scratch, &text, &[]);
        assert_eq!(
            (run.column("jobs_loaded"), run.column("jobs_completed")),
            (jobs.into(), jobs.into()),
            "{trace}"
        );
        assert!(run.number("nodes_booted") > 0.0 && run.number("jobs_requeued") == 0.0, "{trace}");
    }
}
