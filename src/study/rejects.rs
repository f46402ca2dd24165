//! Jobs and applications that can never fit: they are refused before a run begins, so that they do not block it.

use std::sync::Arc;

use crate::ledger::{Recorder, Rejection};
use crate::rules::container::AppId;
use crate::rules::elastic::PolicyKind;
use crate::rules::machine::{HostNames, NodeType, TypeId, cheapest_for, fit};
use crate::rules::scheduling::JobIndex;
use crate::scenario::model::Scenario;
use crate::workload::app::{App, Ask, Locality, Master};
use crate::workload::{Job, Workload};

/// Refuses the jobs that can never fit, so that they do not block the queue.
pub(super) fn reject(scenario: &Scenario, workload: &Workload, ledger: &mut Recorder) -> Vec<JobIndex> {
    let mut rejected = Vec::new();
    for (job, index) in workload.jobs.iter().zip((0..).map(JobIndex)) {
        if let Some(why) = never_fits(scenario, job) {
            ledger.reject(index, why);
            rejected.push(index);
        }
    }
    rejected
}

/// Why a job can never start, if it cannot.
pub fn never_fits(scenario: &Scenario, job: &Job) -> Option<Rejection> {
    let needed = u64::from(job.cores);
    if needed > most_cores(scenario, job) {
        return Some(Rejection::TooLarge);
    }
    let fits = |node_type: &NodeType| {
        fit(node_type.cores, node_type.memory_bytes.map(|bytes| bytes / 1024), job.memory_per_core_kib)
    };
    (needed > at_most(scenario, job, fits)).then_some(Rejection::TooMuchMemory)
}

/// The most cores that there can be for a job, whatever memory it needs.
pub fn most_cores(scenario: &Scenario, job: &Job) -> u64 {
    at_most(scenario, job, |node_type| node_type.cores)
}

/// The most that there can be for a job of what `cores_of` counts of a node. The nodes that are there from the start
/// are kept, or replaced by what is asked for once the policy has drained them, so the job must fit beside either; and
/// all nodes that are asked for it are of the cheapest type that can hold it. Named nodes without a policy are all that
/// there will ever be; otherwise `max_nodes` counts (semantics, jobs).
fn at_most(scenario: &Scenario, job: &Job, cores_of: impl Fn(&NodeType) -> u32) -> u64 {
    let grows = scenario.policy.kind != PolicyKind::None;
    let cores_of = |kind: TypeId| cores_of(&scenario.node_types[kind.index()]);
    let asked_for = cores_of(cheapest_for(&scenario.node_types, job.memory_per_core_kib));
    let at_start = at_start(scenario);
    let kept: u64 = at_start.iter().map(|&(_, count)| count).sum();
    let are_named = !scenario.script.nodes.is_empty();
    let others = if are_named && !grows { 0 } else { u64::from(scenario.policy.max_nodes) - kept };
    let kept_cores = |kind| if grows { cores_of(kind).min(asked_for) } else { cores_of(kind) };
    let of_start = at_start.iter().map(|&(kind, count)| count * u64::from(kept_cores(kind)));
    of_start.sum::<u64>() + others * u64::from(asked_for)
}

/// The nodes that are there from the start, as how many of which type.
fn at_start(scenario: &Scenario) -> Vec<(TypeId, u64)> {
    match scenario.script.nodes.as_slice() {
        [] => vec![(TypeId(0), u64::from(scenario.policy.min_nodes))],
        named => named.iter().map(|node| (node.kind, 1)).collect(),
    }
}

/// Refuses the applications that have a container which no node can hold.
pub(super) fn reject_apps(scenario: &Scenario, apps: &[Arc<App>], ledger: &mut Recorder) -> Vec<AppId> {
    let mut rejected = Vec::new();
    for (app, id) in apps.iter().zip((0..).map(AppId)) {
        if let Some(why) = app_never_fits(scenario, app) {
            ledger.reject_app(id, why);
            rejected.push(id);
        }
    }
    rejected
}

/// Why an application can never do all that it wants to, if it cannot.
pub fn app_never_fits(scenario: &Scenario, app: &App) -> Option<Rejection> {
    let master = match &app.master {
        Master::Container { ask, host } => Some((*ask, host.as_deref())),
        Master::Unmanaged => None,
    };
    let tasks = app.tasks.iter().map(|group| match &group.locality {
        Locality::Only(host) => (group.ask, Some(host.as_str())),
        Locality::Any | Locality::Prefer(_) => (group.ask, None),
    });
    master.into_iter().chain(tasks).find_map(|(ask, host)| container_never_fits(scenario, ask, host))
}

/// Why no node that there may be holds a container, if none does.
fn container_never_fits(scenario: &Scenario, ask: Ask, host: Option<&str>) -> Option<Rejection> {
    let kinds = kinds_for(scenario, host);
    let of = |kind: &TypeId| &scenario.node_types[kind.index()];
    let holds_cores = |kind: &TypeId| of(kind).cores >= ask.cores;
    let holds_memory =
        |kind: &TypeId| of(kind).memory_bytes.is_none_or(|bytes| bytes / 1024 >= ask.memory_kib);
    match (kinds.iter().any(holds_cores), kinds.iter().any(|kind| holds_cores(kind) && holds_memory(kind))) {
        (false, _) => Some(Rejection::TooLarge),
        (true, false) => Some(Rejection::TooMuchMemory),
        (true, true) => None,
    }
}

/// Of which types a node may be that a container runs on.
fn kinds_for(scenario: &Scenario, host: Option<&str>) -> Vec<TypeId> {
    let named = &scenario.script.nodes;
    let hosts = HostNames::new(named.iter().map(|node| node.name.clone()));
    let its_own = host.and_then(|host| named.get(hosts.find(host)?.index()));
    if let Some(node) = its_own {
        return vec![node.kind];
    }
    if scenario.policy.kind != PolicyKind::None {
        return (0..).map(TypeId).take(scenario.node_types.len()).collect();
    }
    at_start(scenario).into_iter().map(|(kind, _)| kind).collect()
}
