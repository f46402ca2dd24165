//! What files, settings and defaults resolve to.

use std::path::{Path, PathBuf};

use super::script_texts::everything;
use super::{COLUMNS, FULL, LEAST, file, least_with, resolved, settings};
use crate::rules::behaviour::Behaviour;
use crate::rules::billing::Billing;
use crate::rules::drain::{DrainRules, FirstReportRace};
use crate::rules::elastic::{Mapping, PolicyKind};
use crate::rules::heartbeat::HeartbeatRules;
use crate::rules::machine::{BootTime, NodeType};
use crate::rules::scheduling::{Discipline, Placement, Retries, Scheduling, Trigger};
use crate::scenario::explain::resolved_toml;
use crate::scenario::keys::paths;
use crate::scenario::{Explained, ExplainedValue, Origin, ScenarioFile};
use crate::time::SimSpan;
use crate::workload::{AppOptions, HostUse, Overrun, SlsRunner, SynthOptions, WorkloadSpec};

#[test]
fn defaults_are_those_of_the_file_format() {
    let scenario = resolved(LEAST);
    assert_eq!((scenario.name.as_str(), scenario.seed, scenario.horizon), ("case", 1, None));
    let workload = WorkloadSpec {
        trace: PathBuf::from("folder/log.swf"),
        format: None,
        jobs: None,
        from: None,
        until: None,
        scale_load: 1.0,
        scale_time: 1.0,
        overrun: Overrun::Keep,
        apps: AppOptions {
            runner: SlsRunner::default(),
            nodes: Vec::new(),
            synth: SynthOptions { task_time_unit: SimSpan::from_ms(1) },
            hosts: HostUse::Prefer,
        },
    };
    assert_eq!(scenario.workload, Some(workload));
    assert_eq!(scenario.retries, Retries { max_requeues: None, checkpoint_every: None });
    let node_type = NodeType {
        name: "n1".to_owned(),
        cores: 4,
        memory_bytes: None,
        price_per_hour_micros: 0,
        boot: BootTime::Fixed(SimSpan::ZERO),
        boot_failure_ratio: 0.0,
        stop: SimSpan::ZERO,
    };
    assert_eq!(scenario.node_types, [node_type]);
    assert_eq!(scenario.billing, Billing { quantum: SimSpan::from_ms(1), minimum: SimSpan::ZERO });
    let heartbeat = HeartbeatRules {
        interval: SimSpan::from_secs(1),
        expiry: Some(SimSpan::from_mins(10)),
        check_offset: None,
        scaling: None,
    };
    assert_eq!(scenario.heartbeat, heartbeat);
    let scheduling = Scheduling {
        discipline: Discipline::Fifo,
        placement: Placement::Pack,
        trigger: Trigger::Pass,
        late_round: false,
    };
    assert_eq!(scenario.scheduling, scheduling);
    let decommission = DrainRules {
        timeout: Some(SimSpan::from_hours(1)),
        poll: SimSpan::from_secs(20),
        poll_offset: SimSpan::ZERO,
        wait_for_applications: true,
        wait_for_app_masters: true,
        delay: SimSpan::ZERO,
        first_report_race: FirstReportRace::Faithful,
        behaviour: Behaviour::Source,
        status_log: false,
    };
    assert_eq!(scenario.decommission, decommission);
}

#[test]
fn defaults_of_the_policy() {
    let policy = resolved(LEAST).policy;
    assert_eq!((policy.kind, policy.mapping), (PolicyKind::NodeManager, Mapping::Page));
    assert_eq!(policy.poll, SimSpan::from_secs(60));
    assert_eq!(policy.idle_grace, Some(SimSpan::from_mins(15)));
    assert_eq!(policy.boot_grace, Some(SimSpan::from_mins(10)));
    assert_eq!(policy.ping_stale_after, Some(SimSpan::from_mins(10)));
    assert_eq!(policy.report_age, SimSpan::ZERO);
    assert!(!policy.bug_compatible);
    assert_eq!((policy.min_nodes, policy.max_nodes), (0, 10));
    let keys = file(LEAST).explain(&[]).expect("it is fine");
    for (key, toml) in [("policy.shutdown_windows", "\"always\""), ("policy.matrix", "\"page\"")] {
        assert_eq!(value(&keys, key), toml, "{key}");
    }
}

#[test]
fn every_key_is_taken() {
    let scenario = resolved(FULL);
    assert_eq!(scenario.name, "All \"keys\"");
    assert_eq!((scenario.seed, scenario.horizon), (7, Some(SimSpan::from_hours(720))));
    let workload = scenario.workload.expect("it is given");
    assert_eq!(workload.jobs, Some(5000));
    assert_eq!(workload.from, Some(SimSpan::from_hours(1)));
    assert_eq!(workload.until, Some(SimSpan::from_hours(48)));
    assert_eq!((workload.scale_load, workload.scale_time), (1.5, 0.5));
    assert_eq!(workload.overrun, Overrun::Trim);
    let retries = Retries { max_requeues: Some(3), checkpoint_every: Some(SimSpan::from_hours(1)) };
    assert_eq!(scenario.retries, retries);
    let [first, second] = &scenario.node_types[..] else { panic!("there are two types") };
    assert_eq!((first.name.as_str(), first.cores, first.memory_bytes), ("m.16", 16, Some(64 << 30)));
    assert_eq!(first.price_per_hour_micros, 768_000);
    let boot = BootTime::LogNormal { median: SimSpan::from_secs(90), p95: SimSpan::from_mins(4) };
    assert_eq!((first.boot, first.boot_failure_ratio, first.stop), (boot, 0.01, SimSpan::from_secs(20)));
    assert_eq!((second.memory_bytes, second.price_per_hour_micros), (Some(512_000_000_000), 3_000_000));
    assert_eq!(second.boot, BootTime::Uniform(SimSpan::from_secs(60), SimSpan::from_mins(2)));
    assert_eq!(scenario.heartbeat.expiry, None);
    assert_eq!(scenario.scheduling.placement, Placement::Newest);
    assert_eq!((scenario.policy.kind, scenario.policy.mapping), (PolicyKind::Surplus, Mapping::Page));
    assert_eq!((scenario.policy.idle_grace, scenario.policy.bug_compatible), (None, true));
    assert_eq!((scenario.decommission.timeout, scenario.decommission.poll), (None, SimSpan::from_secs(10)));
}

#[test]
fn the_shapes_of_scenarios_that_others_computed_are_taken() {
    let fixed = "name = \"fixed\"\nseed = 1\n[workload]\ntrace = \"/x.swf\"\noverrun = \"trim\"\n[[node_type]]\n\
                 name = \"n1\"\ncores = 1\n[cluster]\nmin_nodes = 100\nmax_nodes = 100\n[scheduler]\n\
                 discipline = \"fifo\"\n[policy]\nkind = \"none\"\n";
    let scenario = resolved(fixed);
    assert_eq!(scenario.workload.expect("it is given").trace, PathBuf::from("/x.swf"));
    assert_eq!(scenario.policy.kind, PolicyKind::None);
    let price = least_with("node_type", "price_per_hour = 0.8\nboot = \"60400ms\"\nstop = \"1500ms\"");
    let node_type = &resolved(&price).node_types[0];
    assert_eq!(node_type.price_per_hour_micros, 800_000);
    assert_eq!(
        (node_type.boot, node_type.stop),
        (BootTime::Fixed(SimSpan::from_ms(60_400)), SimSpan::from_ms(1500))
    );
    let windows = least_with("policy", "shutdown_windows = [\"54m\", \"5m\", \"1m\"]\nreport_age = \"60s\"");
    assert_eq!(resolved(&windows).policy.report_age, SimSpan::from_secs(60));
}

#[test]
fn the_mapping_follows_the_matrix_unless_given() {
    let mapping = |lines: &str| resolved(&least_with("policy", lines)).policy.mapping;
    assert_eq!(mapping("matrix = \"page\""), Mapping::Page);
    assert_eq!(mapping("matrix = \"final\""), Mapping::Code);
    assert_eq!(mapping("matrix = \"final\"\nmapping = \"page\""), Mapping::Page);
    assert_eq!(mapping("mapping = \"code\""), Mapping::Code);
    let set = file(LEAST).resolve(&settings(&["policy.matrix=final"])).expect("it is fine");
    assert_eq!(set.policy.mapping, Mapping::Code);
}

#[test]
fn line_ends_of_any_kind_are_taken() {
    assert_eq!(resolved(&LEAST.replace('\n', "\r\n")).policy.max_nodes, 10);
}

#[test]
fn the_last_setting_wins_over_the_file_and_the_file_over_the_default() {
    let text = least_with("policy", "idle_grace = \"1m\"");
    let grace = |arguments: &[&str]| {
        let keys = file(&text).explain(&settings(arguments)).expect("it is fine");
        let key = keys.into_iter().find(|key| key.key == "policy.idle_grace").expect("it is there");
        (key.toml().map(str::to_owned), key.origin)
    };
    assert_eq!(grace(&[]), (Some("\"1m\"".to_owned()), Origin::Line(9)));
    let set = Origin::Argument("--set");
    assert_eq!(grace(&["policy.idle_grace=2m"]), (Some("\"2m\"".to_owned()), set.clone()));
    assert_eq!(
        grace(&["policy.idle_grace=2m", "policy.idle_grace = \"never\""]),
        (Some("\"never\"".to_owned()), set)
    );
}

#[test]
fn settings_are_written_without_quotes_and_numbers_as_toml() {
    let arguments = [
        "name=5 o'clock",
        "seed=9",
        "cluster.min_nodes=1",
        "workload.max_requeues=never",
        "workload.scale_load=2",
        "policy.bug_compatible=true",
        "policy.shutdown_windows=[\"54m\", \"6m\"]",
        "node_type.price_per_hour=0.123456",
        "node_type.n1.boot={ uniform = [\"1s\", \"2s\"] }",
        "node_type.memory=1.5GiB",
        "workload.trace='other.swf'",
    ];
    let scenario = file(LEAST).resolve(&settings(&arguments)).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!((scenario.name.as_str(), scenario.seed, scenario.policy.min_nodes), ("5 o'clock", 9, 1));
    let workload = scenario.workload.expect("it is given");
    assert_eq!((workload.scale_load, scenario.policy.bug_compatible), (2.0, true));
    let node_type = &scenario.node_types[0];
    assert_eq!((node_type.price_per_hour_micros, node_type.memory_bytes), (123_456, Some(1536 << 20)));
    assert_eq!(node_type.boot, BootTime::Uniform(SimSpan::from_secs(1), SimSpan::from_secs(2)));
    assert_eq!(workload.trace, PathBuf::from("folder/other.swf"));
}

#[test]
fn a_setting_can_give_what_the_file_lacks_or_has_wrong() {
    let text = LEAST.replace("max_nodes = 10\n", "min_nodes = \"x\"\n");
    let given = settings(&["cluster.max_nodes=5", "cluster.min_nodes=5"]);
    assert_eq!(file(&text).resolve(&given).expect("it is fine").policy.max_nodes, 5);
}

#[test]
fn a_sweep_is_ignored_by_a_run() {
    let text = least_with("sweep.vary", "\"policy.idle_grace\" = [\"5 parsecs\"]");
    assert_eq!(resolved(&text).policy.idle_grace, Some(SimSpan::from_mins(15)));
}

#[test]
fn what_is_explained_names_its_origin_and_reads_back_as_itself() {
    for text in [LEAST.to_owned(), FULL.to_owned(), least_with("policy", "matrix = \"final\"")] {
        let given = settings(&["decommission.poll=30s"]);
        let keys = explained(&file(&text), &given);
        let printed = resolved_toml(&keys);
        assert!(printed.contains("poll = \"30s\"  # --set\n"), "{printed}");
        assert!(printed.contains("trace = ") && printed.contains("  # line "), "{printed}");
        for line in printed.lines().filter(|line| !line.is_empty() && !line.starts_with('[')) {
            assert!(line.contains("  # "), "{line}");
        }
        let again = explained(&file(&printed), &[]);
        let values =
            |keys: &[Explained]| keys.iter().map(|k| (k.key.clone(), k.value.clone())).collect::<Vec<_>>();
        assert_eq!(values(&keys), values(&again), "{printed}");
    }
    let printed = resolved_toml(&explained(&file(LEAST), &[]));
    assert!(printed.contains("# jobs: all jobs  # default\n"), "{printed}");
    assert!(printed.contains("idle_grace = \"15m\"  # default\n"), "{printed}");
    assert!(printed.contains("max_nodes = 10  # line 7\n"), "{printed}");
}

#[test]
fn every_key_of_the_list_is_explained_with_a_meaning() {
    // The keys of a list of tables once for each table, but for actions, of which each table has one.
    let keys = explained(&file(&everything()), &[]);
    assert!(keys.iter().all(|key| key.meaning.len() > 10));
    let mut names: Vec<_> = keys.iter().map(|key| key.target.path).collect();
    let mut listed: Vec<_> = paths().map(|(path, _)| path).collect();
    names.sort_unstable();
    names.dedup();
    listed.sort_unstable();
    assert_eq!(names, listed);
    let mut full: Vec<_> = keys.iter().map(|key| key.key.as_str()).collect();
    full.sort_unstable();
    full.dedup();
    assert_eq!(full.len(), keys.len(), "a key is explained twice");
}

#[test]
fn a_matrix_is_read_from_the_scenarios_folder() {
    let folder = std::env::temp_dir().join(format!("ebbtide-matrix-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    std::fs::write(folder.join("holes.csv"), "node_state,billing_window,boot_grace,idle_grace,action\n")
        .expect("the file can be written");
    std::fs::write(folder.join("case.toml"), least_with("policy", "matrix = \"holes.csv\""))
        .expect("and this one");
    let file = ScenarioFile::read(&folder.join("case.toml")).expect("it is TOML");
    let message = file.resolve(&[]).expect_err("the matrix has holes").to_string();
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    assert!(message.contains("case.toml:9:10"), "{message}");
    assert!(message.contains("the matrix \"holes.csv\" has "), "{message}");
    assert!(message.contains("= note: "), "{message}");
}

#[test]
fn a_file_that_is_no_scenario_is_refused() {
    let folder = std::env::temp_dir().join(format!("ebbtide-unreadable-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    std::fs::write(folder.join("log.gz"), [0x1f, 0x8b, 8, 0, 0xff]).expect("the file can be written");
    let no_text = ScenarioFile::read(&folder.join("log.gz")).expect_err("it is no text").to_string();
    let missing = ScenarioFile::read(&folder.join("none.toml")).expect_err("it is not there").to_string();
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    assert!(no_text.contains("log.gz") && no_text.contains("byte 1 is not UTF-8"), "{no_text}");
    assert!(missing.contains("none.toml") && missing.contains("cannot be read"), "{missing}");
}

fn explained(file: &ScenarioFile, given: &[super::Setting]) -> Vec<Explained> {
    let mut keys = file.explain(given).unwrap_or_else(|errors| panic!("{errors}"));
    keys.extend(file.explain_sweep(&[], given, &COLUMNS).unwrap_or_else(|errors| panic!("{errors}")));
    assert_eq!(file.path(), Path::new("folder/case.toml"));
    keys
}

fn value(keys: &[Explained], name: &str) -> String {
    match keys.iter().find(|key| key.key == name).map(|key| key.value.clone()) {
        Some(ExplainedValue::Toml(text)) => text,
        other => panic!("{name} is {other:?}"),
    }
}
