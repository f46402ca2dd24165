//! SLS traces: jobs as the load simulator of YARN describes them (yarn.md 11.1).
//!
//! Decisions where the text leaves room:
//!
//! - Start and end of a task are used for their difference alone; a task does not start at its start. A negative one
//!   (YARN writes -1 for "not given") is as good as absent.
//! - A host is preferred, not required. YARN asks for node, rack and any; here a task that does not get its host at its
//!   first chance goes anywhere. The nodes keep their racks.
//! - Copies (`job.count`) of a job with an id are called `id-1`, `id-2` …, where YARN gives running numbers.
//! - Queue, user, priorities, allocation ids and `job.end.ms` change nothing here and are not looked at.
//! - Memory may also be called `container.memory`, as in traces for Hadoop 2.

use super::app::{Ask, Locality, TaskGroup, TaskKind};
use super::app_draft::{Candidate, Draft};
use super::app_trace::{AmType, MOST_MADE, MOST_MS, is_opportunistic};
use super::error::{AppFault, WorkloadError};
use super::json::{Fields, Object, Objects};
use super::nodes::{Host, numbered};
use super::runner::SlsRunner;
use crate::time::{SimSpan, SimTime};

const TASKS: &str = "job.tasks";
const DURATION: &str = "container.duration.ms";
const LEGACY_DURATION: &str = "duration.ms";
const START: &str = "container.start.ms";
const END: &str = "container.end.ms";
const HOST: &str = "container.host";
const DELAY: &str = "container.request.delay";

const A_TYPE: &str = "a type of application master";
const A_COUNT: &str = "a whole number up to 1000000";
const A_TIME: &str = "a whole number of milliseconds";
const A_SUBMIT_TIME: &str = "a whole number of milliseconds of 0 or more";
const A_HOST: &str = "a host as in /rack1/node3";
const A_LIST: &str = "a list of tasks";
const A_NAME: &str = "a name";
const MEMORY: &str = "a whole number of MB from 1 to 4294967295";
const CORES: &str = "a whole number of virtual cores from 1 to 4294967295";

/// Reads all jobs and nodes.
///
/// # Errors
/// The JSON is broken, there are too many tasks, or the nodes are given by numbers that are no good.
pub(super) fn read(objects: Objects<'_>, draft: &mut Draft<'_>) -> Result<(), WorkloadError> {
    let mut number = 0;
    for object in objects {
        if draft.is_full() {
            break;
        }
        let Object { place, map } = object?;
        let fields = Fields::new(&map);
        if fields.has("num.nodes") {
            read_nodes(&fields, draft).map_err(|fault| WorkloadError::Fault {
                path: draft.path.to_owned(),
                line: place.line,
                column: place.column,
                fault: fault.into(),
                remedy: "correct the number of nodes",
            })?;
            if !fields.has(TASKS) {
                continue;
            }
        }
        number += 1;
        let id = fields.text("job.id", A_NAME).ok().flatten().filter(|id| !id.trim().is_empty());
        let name = id.map_or_else(|| draft.name_for(number), |id| id.trim().to_owned());
        let candidate = read_job(&fields, &draft.options.runner);
        draft.add(place, &name, candidate)?;
    }
    Ok(())
}

fn read_nodes(fields: &Fields<'_>, draft: &mut Draft<'_>) -> Result<(), AppFault> {
    let count = |key, default| {
        let count = fields.whole(key, 0..=MOST_MADE, A_COUNT)?.unwrap_or(default);
        Ok(u32::try_from(count).expect("it fits because it is at most a million"))
    };
    let (nodes, racks) = (count("num.nodes", 0)?, count("num.racks", 1)?);
    for host in numbered(nodes, racks) {
        draft.add_node(host);
    }
    Ok(())
}

fn read_job(fields: &Fields<'_>, runner: &SlsRunner) -> Result<Candidate, AppFault> {
    fields.text("job.id", A_NAME)?;
    // The first is what the code reads, the second what its documentation and samples say.
    let am_type = match fields.text("yarn.sls.am.type", A_TYPE)? {
        Some(name) => Some(name),
        None => fields.text("am.type", A_TYPE)?,
    };
    let am_type = am_type.map_or(Ok(AmType::MapReduce), |name| AmType::parse(&name))?;
    let submit_ms = fields.whole("job.start.ms", 0..=MOST_MS, A_SUBMIT_TIME)?.unwrap_or(0);
    let copies = fields.whole("job.count", i64::MIN..=MOST_MADE, A_COUNT)?.unwrap_or(1).max(1);
    let mut candidate = Candidate {
        submit: SimTime::from_ms(submit_ms.unsigned_abs()),
        master: read_ask(fields, &["am.memory-mb", "am.memory"], "am.vcores", runner.master)?,
        tasks: Vec::new(),
        hosts: Vec::new(),
        copies: u32::try_from(copies).expect("it fits because it is at most a million"),
        opportunistic: 0,
        is_labelled: fields
            .text("job.label.expression", A_NAME)?
            .is_some_and(|label| !label.trim().is_empty()),
    };
    for task in fields.objects(TASKS, A_LIST)?.unwrap_or_default() {
        let (group, host) = read_task(&task, am_type, runner)?;
        if is_opportunistic(&task, "container.execution.type")? {
            candidate.opportunistic += u64::from(group.count);
        }
        candidate.tasks.push(group);
        candidate.hosts.extend(host.map(|host| (task.at(HOST), host)));
    }
    if candidate.tasks.is_empty() {
        return Err(AppFault::NoTasks { key: fields.at(TASKS) });
    }
    Ok(candidate)
}

fn read_task(
    task: &Fields<'_>,
    am_type: AmType,
    runner: &SlsRunner,
) -> Result<(TaskGroup, Option<Host>), AppFault> {
    let host = match task.text(HOST, A_HOST)? {
        Some(text) => Some(Host::parse(&text).ok_or_else(|| task.fault(HOST, A_HOST))?),
        None => None,
    };
    let kind = am_type.task_kind(task, "container.type")?;
    let count = task.whole("count", i64::MIN..=MOST_MADE, A_COUNT)?.unwrap_or(1).max(1);
    let delay_ms = task.whole(DELAY, i64::MIN..=MOST_MS, A_TIME)?.unwrap_or(0).max(0);
    let memory_keys = ["container.memory-mb", "container.memory"];
    let group = TaskGroup {
        count: u32::try_from(count).expect("it fits because it is at most a million"),
        kind,
        ask: read_ask(task, &memory_keys, "container.vcores", runner.container)?,
        locality: host.as_ref().map_or(Locality::Any, |host| Locality::Prefer(host.name.clone())),
        // Only the master of a graph of tasks knows delays.
        asks_after: match kind {
            TaskKind::Plain => SimSpan::from_ms(delay_ms.unsigned_abs()),
            TaskKind::Map | TaskKind::Reduce => SimSpan::ZERO,
        },
        run: Some(read_run(task)?),
    };
    Ok((group, host))
}

/// How long a task runs: its duration by the new key, by the old one, or from start to end.
fn read_run(task: &Fields<'_>) -> Result<SimSpan, AppFault> {
    let given = |key| {
        let ms = task.whole(key, i64::MIN..=MOST_MS, A_TIME);
        ms.map(|ms| ms.filter(|ms| *ms != -1))
    };
    let times = [given(DURATION)?, given(LEGACY_DURATION)?, given(START)?, given(END)?];
    let (key, found_ms) = match times {
        [Some(duration), ..] => (DURATION, duration),
        [None, Some(duration), ..] => (LEGACY_DURATION, duration),
        [None, None, Some(start), Some(end)] => (END, end.saturating_sub(start)),
        _ => return Err(task.fault(DURATION, "a duration (or container.start.ms and container.end.ms)")),
    };
    positive_span(found_ms).ok_or_else(|| AppFault::NoRunTime { key: task.at(key), found_ms })
}

/// A span above zero.
pub(super) fn positive_span(ms: i64) -> Option<SimSpan> {
    (1..=MOST_MS).contains(&ms).then(|| SimSpan::from_ms(ms.unsigned_abs()))
}

/// What a container holds, with `default` for what is not said.
fn read_ask(
    fields: &Fields<'_>,
    memory_keys: &[&str],
    cores_key: &str,
    default: Ask,
) -> Result<Ask, AppFault> {
    let memory_key = memory_keys.iter().find(|key| fields.has(key));
    let memory_mb = match memory_key {
        Some(key) => fields.positive(key, MEMORY)?,
        None => None,
    };
    Ok(Ask {
        cores: fields.positive(cores_key, CORES)?.unwrap_or(default.cores),
        memory_kib: memory_mb.map_or(default.memory_kib, |memory_mb| u64::from(memory_mb) * 1024),
    })
}
