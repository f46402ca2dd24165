//! SYNTH files: applications drawn at random from described classes (yarn.md 11.3).
//!
//! The load simulator of YARN draws with the generator of Java and the distributions of one of its libraries; its
//! numbers are not reproduced. Those drawn here are a contract: the same file and nodes give the same applications
//! everywhere and in every release.
//!
//! # The algorithm
//!
//! Job i (from 0) has three streams of its own (`draw.rs`), seeded by `rand_seed`, so that a job is the same whatever
//! `num_jobs` is and whatever the others draw:
//!
//! - **Story**: pick a workload by `workload_weight`; pick an entry of its `time_distribution` by `weight`; draw the
//!   second below the entry's width, which is the next entry's `time` minus its own (0 for the last one, or if that is
//!   negative; drawn even then); pick a class by `class_weight`.
//! - **Tasks**: for each entry of the class's `tasks`: its `count`, `max_memory` and `max_vcores`, then `time` once for
//!   each task. A constant draws nothing, a choice one number, a distribution two.
//! - **Places**: for each task, in order, the node that it prefers, uniformly. Without nodes nothing is drawn, and
//!   tasks run anywhere.
//!
//! Samples are rounded as by Java's `Math.round` (half up). A count below 0 is 0; memory is at least 1024 MB, and
//! virtual cores are at least 1. A job without tasks is skipped, and so is one with a task that takes no time, as in
//! YARN. Job i of class c is called `c_` and i in six digits.
//!
//! Queue, user, `duration`, `reservation` and `deadline_factor` change nothing here and are not drawn; the last three
//! are checked all the same.
//!
//! # Units
//!
//! Submission is in seconds. The `time` of a task is in milliseconds, because YARN's code uses it so, although its
//! documentation says seconds: see [`SynthOptions`].

use std::path::Path;

use super::app::{Ask, Locality, TaskGroup, TaskKind};
use super::app_draft::{Candidate, Draft};
use super::app_trace::{AmType, MOST_MADE, is_opportunistic};
use super::draw::{Draws, Purpose};
use super::error::{AppFault, WorkloadError};
use super::json::{Fields, Object, Objects, Place};
use super::nodes::numbered;
use super::sample::{Sample, are_weights, rounded};
use super::sls::positive_span;
use crate::time::{SimSpan, SimTime};

const A_COUNT: &str = "a whole number from 0 to 1000000";
const A_RACK_SIZE: &str = "a whole number up to 1000000";
const A_SEED: &str = "a whole number of 64 bits";
const A_SECOND: &str = "a whole number of seconds from 0 to 2147483647";
const A_WEIGHT: &str = "a weight of 0 or more";
const WEIGHTS: &str = "a sum of weights above 0";
const A_TIME: &str = "a time below 2^53 ms (each counts workload.task_time_unit)";
const A_NAME: &str = "a name";
const A_LIST: &str = "a list with at least one entry";

/// How a SYNTH file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynthOptions {
    /// How long a task with a `time` of 1 runs: a millisecond by default, as in YARN's code; a second is what YARN's
    /// documentation says (yarn.md 11.3). Applied before rounding to milliseconds.
    pub task_time_unit: SimSpan,
}

impl Default for SynthOptions {
    fn default() -> Self {
        Self { task_time_unit: SimSpan::MILLISECOND }
    }
}

/// Entries with their weights.
struct Weighted<T> {
    entries: Vec<T>,
    weights: Vec<f64>,
}

impl<T> Weighted<T> {
    fn pick(&self, draws: &mut Draws) -> &T {
        &self.entries[draws.pick(&self.weights)]
    }
}

struct Workload {
    times: Weighted<Bucket>,
    classes: Weighted<Class>,
}

/// Seconds in which jobs are submitted.
struct Bucket {
    start_s: u64,
    width_s: u64,
}

struct Class {
    name: String,
    /// The fault of a type that is not simulated meets the jobs of the class, not the file.
    am_type: Result<AmType, AppFault>,
    tasks: Vec<Task>,
}

/// Equal tasks as described.
struct Task {
    /// Where it stands, for messages.
    at: String,
    kind: TaskKind,
    count: Sample,
    time: Sample,
    memory_mb: Sample,
    cores: Sample,
    is_opportunistic: bool,
}

/// Generates all jobs.
///
/// # Errors
/// The JSON is broken, a value that is needed is missing or no good, or there are too many tasks.
pub(super) fn read(mut objects: Objects<'_>, draft: &mut Draft<'_>) -> Result<(), WorkloadError> {
    let Some(object) = objects.next() else { return Ok(()) };
    let Object { place, map } = object?;
    objects.expect_end("a SYNTH file holds one object, and more follows")?;
    let fields = Fields::new(&map);
    let fault = |fault| file_fault(draft.path, place, fault);
    let (seed, jobs, nodes, racks) = read_head(&fields).map_err(fault)?;
    let workloads = weighted(&fields, "workloads", "workload_weight", read_workload).map_err(fault)?;
    for host in numbered(nodes, racks) {
        draft.add_node(host);
    }
    let options = draft.options;
    let names: Vec<String> = match options.nodes.as_slice() {
        [] => numbered(nodes, racks).map(|host| host.name).collect(),
        known => known.iter().map(|node| node.name.clone()).collect(),
    };
    for job in 0..jobs {
        if draft.is_full() {
            break;
        }
        let mut story = Draws::new(seed, Purpose::Story, job);
        let workload = workloads.pick(&mut story);
        let bucket = workload.times.pick(&mut story);
        let submit = SimTime::from_secs(bucket.start_s + story.below(bucket.width_s));
        let class = workload.classes.pick(&mut story);
        let tasks = draw_tasks(class, seed, job, options.synth.task_time_unit, &names);
        let candidate = tasks.map(|(tasks, opportunistic)| Candidate {
            submit,
            master: options.runner.master,
            tasks,
            hosts: Vec::new(),
            copies: 1,
            opportunistic,
            is_labelled: false,
        });
        draft.add(place, &format!("{}_{job:06}", class.name), candidate)?;
    }
    Ok(())
}

fn file_fault(path: &Path, place: Place, fault: AppFault) -> WorkloadError {
    let Place { line, column } = place;
    WorkloadError::Fault {
        path: path.to_owned(),
        line,
        column,
        fault: fault.into(),
        remedy: "correct the SYNTH file",
    }
}

/// The seed, and how many jobs, nodes and racks there are.
fn read_head(fields: &Fields<'_>) -> Result<(u64, u64, u32, u32), AppFault> {
    let seed = fields.whole("rand_seed", i64::MIN..=i64::MAX, A_SEED)?.unwrap_or(0).cast_unsigned();
    let jobs = fields.whole("num_jobs", 0..=MOST_MADE, A_COUNT)?;
    let jobs = jobs.ok_or_else(|| fields.fault("num_jobs", A_COUNT))?.unsigned_abs();
    let nodes = fields.whole("num_nodes", 0..=MOST_MADE, A_COUNT)?.unwrap_or(0);
    let rack_size = fields.whole("nodes_per_rack", i64::MIN..=MOST_MADE, A_RACK_SIZE)?.unwrap_or(0).max(1);
    let small = |count: i64| u32::try_from(count).expect("it fits because it is at most a million");
    Ok((seed, jobs, small(nodes), small(nodes / rack_size)))
}

/// The entries of the list at `key`, each read by `read`.
fn weighted<T>(
    fields: &Fields<'_>,
    key: &str,
    weight_key: &str,
    read: fn(&Fields<'_>) -> Result<T, AppFault>,
) -> Result<Weighted<T>, AppFault> {
    let objects = fields.objects(key, A_LIST)?.filter(|objects| !objects.is_empty());
    let objects = objects.ok_or_else(|| fields.fault(key, A_LIST))?;
    let weight = |object: &Fields<'_>| {
        let weight = object.real(weight_key, A_WEIGHT)?.filter(|weight| *weight >= 0.0);
        weight.ok_or_else(|| object.fault(weight_key, A_WEIGHT))
    };
    let weights: Vec<f64> = objects.iter().map(weight).collect::<Result<_, _>>()?;
    if !are_weights(&weights) {
        let key = format!("{}[…].{weight_key}", fields.at(key));
        let found = format!("{} in all", weights.iter().sum::<f64>());
        return Err(AppFault::Value { key, found, expected: WEIGHTS });
    }
    let entries = objects.iter().map(read).collect::<Result<_, _>>()?;
    Ok(Weighted { entries, weights })
}

fn read_workload(fields: &Fields<'_>) -> Result<Workload, AppFault> {
    let second = |entry: &Fields<'_>| {
        let second = entry.whole("time", 0..=i64::from(i32::MAX), A_SECOND)?;
        Ok(second.ok_or_else(|| entry.fault("time", A_SECOND))?.unsigned_abs())
    };
    let Weighted { entries: starts, weights } = weighted(fields, "time_distribution", "weight", second)?;
    let end_s = |at: usize| starts.get(at + 1).copied().unwrap_or(0);
    let bucket = |(at, start_s): (usize, &u64)| Bucket {
        start_s: *start_s,
        width_s: end_s(at).saturating_sub(*start_s),
    };
    let entries = starts.iter().enumerate().map(bucket).collect();
    let classes = weighted(fields, "job_classes", "class_weight", read_class)?;
    Ok(Workload { times: Weighted { entries, weights }, classes })
}

fn read_class(fields: &Fields<'_>) -> Result<Class, AppFault> {
    let name = fields.text("class_name", A_NAME)?.filter(|name| !name.trim().is_empty());
    let name = name.ok_or_else(|| fields.fault("class_name", A_NAME))?.trim().to_owned();
    let Some(tasks) = fields.objects("tasks", A_LIST)? else {
        let tasks = vec![read_flat_task(fields, TaskKind::Map)?, read_flat_task(fields, TaskKind::Reduce)?];
        return Ok(Class { name, am_type: Ok(AmType::MapReduce), tasks });
    };
    for key in ["duration", "reservation", "deadline_factor"] {
        if fields.has(key) {
            Sample::read(fields, key)?;
        }
    }
    let am_type = fields.text("type", A_NAME)?.map_or(Ok(AmType::MapReduce), |name| AmType::parse(&name));
    let read = |task: &Fields<'_>| read_task(task, am_type.as_ref().map_or(AmType::Dag, |am_type| *am_type));
    let tasks = tasks.iter().map(read).collect::<Result<_, _>>()?;
    Ok(Class { name, am_type, tasks })
}

fn read_task(fields: &Fields<'_>, am_type: AmType) -> Result<Task, AppFault> {
    Ok(Task {
        at: fields.here("the task"),
        kind: am_type.task_kind(fields, "type")?,
        count: Sample::read(fields, "count")?,
        time: Sample::read(fields, "time")?,
        memory_mb: Sample::read(fields, "max_memory")?,
        cores: Sample::read(fields, "max_vcores")?,
        is_opportunistic: is_opportunistic(fields, "execution_type")?,
    })
}

/// The older form: one key for each number of the maps and of the reduces.
fn read_flat_task(fields: &Fields<'_>, kind: TaskKind) -> Result<Task, AppFault> {
    let (short, long) = if kind == TaskKind::Map { ("m", "map") } else { ("r", "reduce") };
    let sample = |stem: String| Sample::read_flat(fields, &format!("{stem}_avg"), &format!("{stem}_stddev"));
    Ok(Task {
        at: format!("{}: {long} tasks", fields.here("the class")),
        kind,
        count: sample(format!("{short}tasks"))?,
        time: sample(format!("{short}time"))?,
        memory_mb: sample(format!("{long}_max_memory"))?,
        cores: sample(format!("{long}_max_vcores"))?,
        is_opportunistic: is_opportunistic(fields, &format!("{long}_execution_type"))?,
    })
}

/// The tasks of a job, and how many of them are opportunistic.
fn draw_tasks(
    class: &Class,
    seed: u64,
    job: u64,
    unit: SimSpan,
    nodes: &[String],
) -> Result<(Vec<TaskGroup>, u64), AppFault> {
    if let Err(fault) = &class.am_type {
        return Err(fault.clone());
    }
    let mut draws = Draws::new(seed, Purpose::Tasks, job);
    let mut places = Draws::new(seed, Purpose::Places, job);
    let (mut groups, mut opportunistic) = (Vec::new(), 0);
    for task in &class.tasks {
        let mut whole = |sample: &Sample, factor: u64, name: &str, most: i64, expected| {
            let value = sample.draw(&mut draws) * factor as f64;
            let rounded = rounded(value).filter(|value| *value <= most);
            let key = || format!("{}.{name}", task.at);
            rounded.ok_or_else(|| AppFault::Sampled { key: key(), found: format!("{value:e}"), expected })
        };
        let most_tasks = MOST_MADE - i64::try_from(groups.len()).unwrap_or(MOST_MADE);
        let count = whole(&task.count, 1, "count", most_tasks, "at most 1000000 tasks in a job")?.max(0);
        let most = i64::from(u32::MAX);
        let memory_mb = whole(&task.memory_mb, 1, "max_memory", most, "at most 4294967295 MB")?.max(1024);
        let cores = whole(&task.cores, 1, "max_vcores", most, "at most 4294967295")?.max(1);
        let ask = Ask {
            cores: u32::try_from(cores).expect("it fits because more is refused"),
            memory_kib: memory_mb.unsigned_abs() * 1024,
        };
        for _ in 0..count {
            let found_ms = whole(&task.time, unit.as_ms(), "time", i64::MAX, A_TIME)?;
            let no_run_time = || AppFault::NoRunTime { key: format!("{}.time", task.at), found_ms };
            let run = positive_span(found_ms).ok_or_else(no_run_time)?;
            groups.push(task_group(task.kind, ask, place(&mut places, nodes), run));
        }
        opportunistic += if task.is_opportunistic { count.unsigned_abs() } else { 0 };
    }
    if groups.is_empty() {
        return Err(AppFault::NoTasks { key: format!("class {}", class.name) });
    }
    Ok((groups, opportunistic))
}

fn task_group(kind: TaskKind, ask: Ask, locality: Locality, run: SimSpan) -> TaskGroup {
    TaskGroup { count: 1, kind, ask, locality, asks_after: SimSpan::ZERO, run: Some(run) }
}

/// Where a task wants to run.
fn place(places: &mut Draws, nodes: &[String]) -> Locality {
    if nodes.is_empty() {
        return Locality::Any;
    }
    let at = places.below(nodes.len() as u64);
    usize::try_from(at)
        .ok()
        .and_then(|at| nodes.get(at))
        .map_or(Locality::Any, |name| Locality::Prefer(name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::WorkloadSpec;
    use crate::workload::app_trace::{self, AppTrace};

    /// A SYNTH file of ten jobs of one class with these tasks.
    fn file(head: &str, class: &str, times: &str) -> String {
        format!(
            r#" {{"num_jobs": 10, "rand_seed": -1{head}, "workloads": [{{"workload_weight": 1,
                "job_classes": [{{"class_name": "c", "class_weight": 1{class}}}], "time_distribution": [{times}]}}]}}"#
        )
    }

    fn read_text(text: &str) -> Result<AppTrace, String> {
        let read = app_trace::read(&WorkloadSpec::whole("syn.json"), text.as_bytes(), String::new());
        read.map_err(|e| e.to_string())
    }

    const ONCE: &str = r#"{"time": 7, "weight": 1}"#;

    fn task(count: &str, time: &str) -> String {
        let constant = |val: &str| format!("{{\"val\": {val}}}");
        format!(
            r#", "tasks": [{{"type": "map", "count": {}, "time": {}, "max_memory": {}, "max_vcores": {}}}]"#,
            constant(count),
            constant(time),
            constant("2000"),
            constant("0"),
        )
    }

    #[test]
    fn constants_are_rounded_and_bounded() {
        let trace = read_text(&file("", &task("2.5", "1.4"), ONCE)).expect("loads");
        assert_eq!((trace.apps.len(), trace.skipped.len()), (10, 0));
        let app = &trace.apps[3];
        assert_eq!((app.name.as_str(), app.submit), ("c_000003", SimTime::from_secs(7)));
        assert_eq!((app.tasks.len(), app.tasks[0].run), (3, Some(SimSpan::from_ms(1))));
        assert_eq!(app.tasks[0].ask, Ask { cores: 1, memory_kib: 2000 * 1024 });
    }

    #[test]
    fn submits_lie_within_their_bucket() {
        let times = r#"{"time": 10, "weight": 0}, {"time": 20, "weight": 1}, {"time": 25, "weight": 0}"#;
        let class = task("1", "5");
        let trace = read_text(&file("", &class, times)).expect("loads");
        assert!(trace.apps.iter().all(|app| (20_000..25_000).contains(&app.submit.as_ms())));
        // The last bucket has no width, and neither has one that ends before it begins.
        for times in [
            r#"{"time": 9, "weight": 0}, {"time": 8, "weight": 1}"#,
            r#"{"time": 8, "weight": 1}, {"time": 3, "weight": 0}"#,
        ] {
            let trace = read_text(&file("", &class, times)).expect("loads");
            assert!(trace.apps.iter().all(|app| app.submit == SimTime::from_secs(8)));
        }
    }

    #[test]
    fn jobs_that_cannot_run_are_skipped_with_their_reason() {
        let at = "workloads[0].job_classes[0].tasks[0]";
        for (class, because) in [
            (task("0", "5"), "class c holds no task, and at least one is expected".to_owned()),
            (task("-3", "5"), "class c holds no task".to_owned()),
            (task("1", "0.4"), format!("{at}.time gives a run time of 0 ms, and more than 0 is expected")),
            (task("1", "-5"), format!("{at}.time gives a run time of -5 ms")),
            (
                task("1", "1e300"),
                format!(
                    "a sample of {at}.time came out as 1e300, and a time below 2^53 ms (each counts \
                     workload.task_time_unit)"
                ),
            ),
            (
                task("1e7", "5"),
                format!("a sample of {at}.count came out as 1e7, and at most 1000000 tasks in a job"),
            ),
            (
                task("1", "5") + r#", "type": "stream""#,
                "its type is \"stream\", and mapreduce or dag is expected".to_owned(),
            ),
        ] {
            let message = read_text(&file("", &class, ONCE)).expect_err(&class);
            let begin = "syn.json: no application that can run was found, and at least one is expected: 10 were \
                         skipped, the first one, \"c_000000\" at 1:2, because ";
            assert!(message.starts_with(&format!("{begin}{because}")), "{message}");
        }
    }

    #[test]
    fn faults_of_the_file_are_errors_with_their_place() {
        let good = task("1", "5");
        for (text, message) in [
            (
                file("", &good, ""),
                "workloads[0].time_distribution is a list, and a list with at least one entry",
            ),
            (
                file("", &good, "{}"),
                "workloads[0].time_distribution[0].weight is missing, and a weight of 0 or more",
            ),
            (
                file("", &good, r#"{"weight": 1}"#),
                "workloads[0].time_distribution[0].time is missing, and a whole",
            ),
            (
                file("", &good, r#"{"time": 1, "weight": 0}"#),
                "workloads[0].time_distribution[…].weight is 0 in all, and a sum of weights above 0 is expected",
            ),
            (
                file("", &good, r#"{"time": 1, "weight": 1e308}, {"time": 1, "weight": 1e308}"#),
                "workloads[0].time_distribution[…].weight is inf in all, and a sum",
            ),
            (
                file("", &good, r#"{"time": 1, "weight": "inf"}"#),
                "workloads[0].time_distribution[0].weight is \"inf\", and a weight",
            ),
            (
                file(r#", "num_jobs": -1"#, &good, ONCE),
                "num_jobs is -1, and a whole number from 0 to 1000000",
            ),
            (
                file(r#", "num_nodes": 1e9"#, &good, ONCE),
                "num_nodes is 1000000000.0, and a whole number from 0",
            ),
            (file(r#", "rand_seed": 1.5"#, &good, ONCE), "rand_seed is 1.5, and a whole number of 64 bits"),
            (
                file("", r#", "tasks": [{"type": "x"}]"#, ONCE),
                "workloads[0].job_classes[0].tasks[0].type is \"x\", and map or reduce is expected",
            ),
            (
                file("", r#", "tasks": [{}]"#, ONCE),
                "workloads[0].job_classes[0].tasks[0].count is missing, and a sample, as in",
            ),
            (
                file("", &format!("{good}, \"duration\": {{\"val\": 1, \"dist\": \"NORM\"}}"), ONCE),
                "workloads[0].job_classes[0].duration.dist is \"NORM\", and nothing, since",
            ),
            // The older form: YARN fails there too, when it draws.
            (
                file("", r#", "mtasks_avg": 1, "mtime_avg": 1, "map_max_memory_avg": 0"#, ONCE),
                "workloads[0].job_classes[0].map_max_memory_avg is 0, and a number above 0, which a distribution needs",
            ),
        ] {
            let found = read_text(&text).expect_err(message);
            assert!(found.starts_with(&format!("syn.json:1:2: in what begins here, {message}")), "{found}");
            assert!(found.ends_with("; correct the SYNTH file"), "{found}");
        }
        let found = read_text(&(file("", &good, ONCE) + "\n{}")).expect_err("two");
        assert!(
            found.starts_with("syn.json:3:1: a SYNTH file holds one object, and more follows: found \"{}\""),
            "{found}"
        );
    }
}
