//! What must hold whatever happens (semantics, invariants). Checked at the end of every run, and on request at each
//! fact.

use crate::ledger::levels::Levels;
use crate::ledger::recorder::Recorder;
use crate::ledger::records::{JobRecord, JobStage};
use crate::time::SimTime;

/// An invariant that does not hold. It is a defect of the program, never of the input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at {at} s an invariant does not hold: {what}")]
pub struct Broken {
    /// When it was found.
    pub at: SimTime,
    /// Which, and the numbers that disagree.
    pub what: String,
}

fn broken(recorder: &Recorder, what: String) -> Broken {
    Broken { at: recorder.now, what }
}

/// The levels equal a recount over all instances and jobs, and no node runs more than its original total.
pub(super) fn levels(recorder: &Recorder) -> Result<(), Broken> {
    let mut counted = Levels {
        cores_queued: recorder.levels.cores_queued,
        jobs_queued: recorder.levels.jobs_queued,
        jobs_running: recorder.levels.jobs_running,
        ..Levels::default()
    };
    for (instance, index) in recorder.instances.iter().zip(1..) {
        let kind = &recorder.setup.node_types[instance.kind.index()];
        let cores = instance.cores(kind);
        if instance.busy_cores > cores {
            let what = format!("node {index} runs {} cores of its {cores}", instance.busy_cores);
            return Err(broken(recorder, what));
        }
        if (instance.containers == 0) != (instance.busy_cores == 0) {
            let what =
                format!("node {index} has {} containers on {}", instance.containers, instance.busy_cores);
            return Err(broken(recorder, what));
        }
        counted.add(instance, kind);
    }
    if counted != recorder.levels {
        return Err(broken(
            recorder,
            format!("levels are {:?}, a recount says {counted:?}", recorder.levels),
        ));
    }
    if recorder.levels.cores_allocated > recorder.levels.cores_in_service {
        return Err(broken(
            recorder,
            format!("more cores are allocated than in service: {:?}", recorder.levels),
        ));
    }
    if recorder.levels.instances > recorder.setup.max_nodes {
        let what = format!("{} instances, at most {}", recorder.levels.instances, recorder.setup.max_nodes);
        return Err(broken(recorder, what));
    }
    Ok(())
}

/// At the end: the money adds up, lives have no gaps, each job ended once, and no core-second is unaccounted for.
pub(super) fn books(recorder: &Recorder) -> Result<(), Broken> {
    for (instance, index) in recorder.instances.iter().zip(1..) {
        let lived = instance.gone.unwrap_or(recorder.now).since(instance.granted);
        if instance.life.lived() != lived {
            let what =
                format!("node {index} lived {lived}, but its phases add up to {}", instance.life.lived());
            return Err(broken(recorder, what));
        }
        let cost = recorder.cost_of(instance);
        if !cost.adds_up() {
            return Err(broken(recorder, format!("the bill of node {index} does not add up: {cost:?}")));
        }
    }
    waits(recorder)?;
    containers(recorder)?;
    let in_progress: u128 = jobs_with(recorder, JobStage::Running)
        .map(|(cores, job)| u128::from(recorder.now.since(job.start).as_ms()) * u128::from(cores))
        .sum();
    let holding = recorder.containers.iter().filter(|container| container.state.holds());
    let held_ms = |since: Option<SimTime>| since.map_or(0, |since| recorder.now.since(since).as_ms());
    let in_progress = in_progress
        + holding
            .map(|container| u128::from(held_ms(container.allocated)) * u128::from(container.cores))
            .sum::<u128>();
    let delivered = recorder.completed_core_ms + recorder.lost_core_ms + in_progress;
    if delivered != recorder.core_time.allocated_ms {
        let what = format!(
            "{} core-ms were allocated, but {} were completed, {} lost and {in_progress} are in progress",
            recorder.core_time.allocated_ms, recorder.completed_core_ms, recorder.lost_core_ms
        );
        return Err(broken(recorder, what));
    }
    Ok(())
}

/// The five parts of each completed job's and application's wait add up to it.
fn waits(recorder: &Recorder) -> Result<(), Broken> {
    for (job, record) in recorder.setup.workload.jobs.iter().zip(&recorder.jobs) {
        let gap = wait_gap(job.submit, record);
        gap.map_or(Ok(()), |gap| Err(broken(recorder, format!("job {} {gap}", job.id))))?;
    }
    for (app, record) in recorder.setup.apps.iter().zip(&recorder.apps) {
        let gap = wait_gap(app.submit, &record.job);
        gap.map_or(Ok(()), |gap| Err(broken(recorder, format!("application {} {gap}", app.name))))?;
    }
    Ok(())
}

/// How a completed job's wait differs from the sum of its parts, if it does.
fn wait_gap(submit: SimTime, record: &JobRecord) -> Option<String> {
    use crate::ledger::waiting::WaitCause::{Boot, Drain, Poll, Queue};
    if record.stage != JobStage::Completed {
        return None;
    }
    let parts = [Boot, Drain, Poll, Queue].map(|cause| record.waited.part(cause).as_ms());
    let lost = record.lost.as_ms();
    let sum = parts.iter().fold(lost, |sum, part| sum.wrapping_add(*part));
    let wait = record.start.since(submit).as_ms();
    (sum != wait).then(|| format!("waited {wait} ms, but its parts are {parts:?} and {lost} ms lost"))
}

/// A container is asked for, gets its node, starts and ends in this order, and nothing starts that has ended.
fn containers(recorder: &Recorder) -> Result<(), Broken> {
    for container in &recorder.containers {
        let moments = [Some(container.asked), container.allocated, container.launched, container.ended];
        if !moments.iter().flatten().is_sorted() {
            let app = &recorder.setup.apps[container.app.index()].name;
            let what = format!("the moments of {app}/{} are {moments:?}", container.number);
            return Err(broken(recorder, what));
        }
    }
    Ok(())
}

/// Cores and record of each job at `stage`.
fn jobs_with(recorder: &Recorder, stage: JobStage) -> impl Iterator<Item = (u32, &JobRecord)> {
    let jobs = recorder.setup.workload.jobs.iter().zip(&recorder.jobs);
    jobs.filter(move |(_, record)| record.stage == stage).map(|(job, record)| (job.cores, record))
}
