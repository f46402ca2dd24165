//! What must hold between the keys of a scenario; for what a script needs see `script`. What must hold of one value
//! alone is in `keys` and `read`.

mod nodes;
mod script;

use std::collections::BTreeMap;

use super::errors::{Place, Problem, ScenarioError};
use super::explain::Explained;
use super::file::ScenarioFile;
use super::hosts;
use super::keys::{NODE_TYPE, is_naming, list_of};
use super::resolve::Resolution;
use super::target::Target;
use crate::rules::elastic::PolicyKind;
use crate::rules::machine::TypeId;

/// The keys that are checked against each other, group by group. A sweep that varies several of a group has to
/// try them together.
pub(super) const CHECKED_TOGETHER: &[&[&str]] = &[
    &["cluster.min_nodes", "cluster.max_nodes"],
    &["workload.from", "workload.until"],
    &["heartbeat.interval", "heartbeat.expiry", "heartbeat.scaling", "heartbeat.scaling_max"],
    &[
        "policy.kind",
        "policy.report_age",
        "policy.ping_stale_after",
        "heartbeat.interval",
        "heartbeat.scaling",
        "heartbeat.scaling_max",
    ],
    &["heartbeat.interval", "heartbeat.scaling", "heartbeat.scaling_min", "heartbeat.scaling_max"],
    &["app.submit", "app.ends"],
    &["lists.include", "lists.exclude"],
    &["workload.nodes", "workload.runner", "node_type.cores", "node_type.memory", "cluster.max_nodes"],
    // These are checked against names, which cannot be varied.
    &["node.type"],
    &["app.master"],
    &["app.task.host"],
    &["at.node_crash"],
    &["at.node_start"],
    &["at.node_stop"],
    &["at.node_silence"],
    &["at.node_unhealthy"],
    &["at.resource_update"],
    &["at.reclaim"],
];

/// All that is wrong between keys whose values are fine by themselves.
pub(super) fn between_keys(file: &ScenarioFile, resolution: &Resolution) -> Vec<ScenarioError> {
    let mut errors = Vec::new();
    errors.extend(min_above_max(resolution));
    errors.extend(empty_part(resolution));
    errors.extend(beats_too_rare(resolution));
    errors.extend(pings_too_old(resolution));
    errors.extend(same_names(resolution));
    errors.extend(too_many_node_types(file));
    errors.extend(hosts::errors(resolution));
    errors.extend(nodes::errors(resolution));
    errors.extend(script::errors(file, resolution));
    errors
}

fn too_many_node_types(file: &ScenarioFile) -> Option<ScenarioError> {
    let types = file.tables(NODE_TYPE, None);
    let first_too_many = *types.get(TypeId::MOST)?;
    let problem = Problem::TooManyNodeTypes(types.len());
    let error = ScenarioError::new(problem, file.item_place(NODE_TYPE, first_too_many));
    Some(error.remedy(format!("keep at most {} of them", TypeId::MOST)))
}

fn scenario_key<'r>(resolution: &'r Resolution, path: &'static str) -> Option<&'r Explained> {
    resolution.key(Target::whole(path))
}

fn min_above_max(resolution: &Resolution) -> Option<ScenarioError> {
    let min_key = scenario_key(resolution, "cluster.min_nodes")?;
    let max_key = scenario_key(resolution, "cluster.max_nodes")?;
    let (min, max) = (resolution.draft.scenario.policy.min_nodes, resolution.draft.scenario.policy.max_nodes);
    (min > max).then(|| {
        pair_error(Problem::MinAboveMax { min, max }, min_key, max_key, "the most nodes that there may be")
            .remedy("lower `min_nodes` or raise `max_nodes`")
    })
}

fn empty_part(resolution: &Resolution) -> Option<ScenarioError> {
    let from_key = scenario_key(resolution, "workload.from")?;
    let until_key = scenario_key(resolution, "workload.until")?;
    let (from, until) = (resolution.draft.workload.from?, resolution.draft.workload.until?);
    (until <= from).then(|| {
        let problem = Problem::EmptyPart { from: from.to_string(), until: until.to_string() };
        pair_error(problem, until_key, from_key, "the part begins here")
            .remedy("both count from the log's first submit: make `until` the later one")
    })
}

/// Between two beats of a live node it must not be given up.
fn beats_too_rare(resolution: &Resolution) -> Option<ScenarioError> {
    let (key, interval) = resolution.draft.longest_interval();
    let interval_key = scenario_key(resolution, key)?;
    let expiry_key = scenario_key(resolution, "heartbeat.expiry")?;
    let expiry = resolution.draft.scenario.heartbeat.expiry?;
    (interval >= expiry).then(|| {
        let problem = Problem::BeatsTooRare { key, interval, expiry };
        pair_error(problem, interval_key, expiry_key, "a node that was silent for longer is lost")
            .remedy(format!("shorten `{key}`, or raise `heartbeat.expiry` well above it"))
    })
}

/// The last ping of a live node is up to one beat older than the picture by which the policy judges it.
fn pings_too_old(resolution: &Resolution) -> Option<ScenarioError> {
    let (key, interval) = resolution.draft.longest_interval();
    let interval_key = scenario_key(resolution, key)?;
    let age_key = scenario_key(resolution, "policy.report_age")?;
    let stale_key = scenario_key(resolution, "policy.ping_stale_after")?;
    let policy = &resolution.draft.scenario.policy;
    let (age, stale) = (policy.report_age, policy.ping_stale_after?);
    (policy.kind != PolicyKind::None && age + interval >= stale).then(|| {
        let problem = Problem::PingsTooOld { age, key, interval, stale };
        let older_key = if age >= interval { age_key } else { interval_key };
        pair_error(problem, stale_key, older_key, "pings are this old at times")
            .remedy("raise `ping_stale_after` above the two together, or shorten one of them")
    })
}

fn same_names(resolution: &Resolution) -> Vec<ScenarioError> {
    let mut firsts: BTreeMap<(&str, &str), &Explained> = BTreeMap::new();
    let mut errors = Vec::new();
    for second in resolution.keys.iter().filter(|key| is_naming(key.target.path)) {
        let (Some(list), Some(toml)) = (list_of(second.target.path), second.toml()) else { continue };
        let Some(first) = firsts.get(&(list.path, toml)) else {
            firsts.insert((list.path, toml), second);
            continue;
        };
        let name = script::text(second).unwrap_or_default();
        errors.push(
            pair_error(Problem::SameName(list.what, name), second, first, "the first of that name")
                .remedy(format!("give each {} a name of its own", list.what)),
        );
    }
    errors
}

/// An error at `key`, with `other` shown as what it clashes with.
fn pair_error(problem: Problem, key: &Explained, other: &Explained, why: &str) -> ScenarioError {
    let mut error = ScenarioError::new(problem, key.place.clone());
    match (&key.place, &other.place) {
        (Place::Span(_), Place::Span(span)) => error.context = Some((span.clone(), why.to_owned())),
        (_, Place::Span(_) | Place::Argument(_)) => {
            error.notes.push(format!("`{}` comes from {}", other.key, other.origin));
        }
        (_, Place::File) => {}
    }
    error
}
