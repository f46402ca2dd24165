//! Job histories as Rumen extracts them from Hadoop's (yarn.md 11.4).
//!
//! Every job is a MapReduce application whose tasks run as long as their last successful attempt did, and prefer its
//! host; of a task without a successful attempt the last one counts (YARN always takes the last one). What containers
//! hold is not in a history. Submit times count from the first loaded submit: the code of YARN leaves the time that it
//! counts from at 0, so that there a trace with absolute times starts decades in the future.

use super::app::{Ask, Locality, TaskGroup, TaskKind};
use super::app_draft::{Candidate, Draft};
use super::app_trace::MOST_MS;
use super::error::{AppFault, WorkloadError};
use super::json::{Fields, Object, Objects};
use super::nodes::Host;
use super::runner::SlsRunner;
use super::sls::positive_span;
use crate::time::{SimSpan, SimTime};

const A_TIME: &str = "a whole number of milliseconds since 1970";
const A_LIST: &str = "a list of tasks";
const ATTEMPTS: &str = "a list with at least one attempt";
const A_HOST: &str = "a host as in /rack1/node3";
const A_NAME: &str = "a name";

/// Reads all jobs.
///
/// # Errors
/// The JSON is broken, or there are too many tasks.
pub(super) fn read(objects: Objects<'_>, draft: &mut Draft<'_>) -> Result<(), WorkloadError> {
    for (number, object) in (1..).zip(objects) {
        if draft.is_full() {
            break;
        }
        let Object { place, map } = object?;
        let fields = Fields::new(&map);
        let id = fields.text("jobID", A_NAME).ok().flatten().filter(|id| !id.trim().is_empty());
        let name = id.map_or_else(|| draft.name_for(number), |id| id.trim().to_owned());
        let candidate = read_job(&fields, &draft.options.runner);
        draft.add(place, &name, candidate)?;
    }
    Ok(())
}

fn read_job(fields: &Fields<'_>, runner: &SlsRunner) -> Result<Candidate, AppFault> {
    fields.text("jobID", A_NAME)?;
    let submit_ms = fields.whole("submitTime", 0..=MOST_MS, A_TIME)?;
    let submit_ms = submit_ms.ok_or_else(|| fields.fault("submitTime", A_TIME))?;
    let mut candidate = Candidate {
        submit: SimTime::from_ms(submit_ms.unsigned_abs()),
        master: runner.master,
        tasks: Vec::new(),
        hosts: Vec::new(),
        copies: 1,
        opportunistic: 0,
        is_labelled: false,
    };
    for (key, kind) in [("mapTasks", TaskKind::Map), ("reduceTasks", TaskKind::Reduce)] {
        for task in fields.objects(key, A_LIST)?.unwrap_or_default() {
            let (group, host) = read_task(&task, kind, runner.container)?;
            candidate.tasks.push(group);
            candidate.hosts.extend(host);
        }
    }
    if candidate.tasks.is_empty() {
        return Err(AppFault::NoTasks { key: "mapTasks and reduceTasks".to_owned() });
    }
    Ok(candidate)
}

fn read_task(
    task: &Fields<'_>,
    kind: TaskKind,
    ask: Ask,
) -> Result<(TaskGroup, Option<(String, Host)>), AppFault> {
    let attempts = task.objects("attempts", ATTEMPTS)?.unwrap_or_default();
    let succeeded = |attempt: &&Fields<'_>| {
        attempt.text("result", A_NAME).is_ok_and(|result| result.as_deref() == Some("SUCCESS"))
    };
    let attempt = attempts.iter().rfind(succeeded).or_else(|| attempts.last());
    let attempt = attempt.ok_or_else(|| task.fault("attempts", ATTEMPTS))?;

    let time = |key| attempt.whole(key, -1..=MOST_MS, A_TIME)?.ok_or_else(|| attempt.fault(key, A_TIME));
    let found_ms = time("finishTime")? - time("startTime")?;
    let no_run_time = || AppFault::NoRunTime { key: attempt.at("finishTime"), found_ms };
    let run = positive_span(found_ms).ok_or_else(no_run_time)?;
    let host = match attempt.text("hostName", A_HOST)? {
        Some(text) => Some(Host::parse(&text).ok_or_else(|| attempt.fault("hostName", A_HOST))?),
        None => None,
    };
    let group = TaskGroup {
        count: 1,
        kind,
        ask,
        locality: host.as_ref().map_or(Locality::Any, |host| Locality::Prefer(host.name.clone())),
        asks_after: SimSpan::ZERO,
        run: Some(run),
    };
    Ok((group, host.map(|host| (attempt.at("hostName"), host))))
}
