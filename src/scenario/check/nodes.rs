//! What must hold of the nodes that a node file names: names of their own, and a node type for each.

use std::collections::BTreeSet;

use super::scenario_key;
use crate::scenario::errors::{Problem, ScenarioError};
use crate::scenario::quantity::memory_text;
use crate::scenario::read::is_reserved;
use crate::scenario::resolve::Resolution;
use crate::workload::NodeSpec;

/// All that is wrong with the nodes of the node file.
pub(super) fn errors(resolution: &Resolution) -> Vec<ScenarioError> {
    let mut errors = Vec::new();
    let Some(key) = scenario_key(resolution, "workload.nodes") else { return errors };
    let taken: BTreeSet<&str> = resolution.draft.nodes.iter().map(|node| node.name.as_str()).collect();
    let mut shapes = BTreeSet::new();
    for node in &resolution.draft.node_file.nodes {
        let error = |problem| ScenarioError::new(problem, key.place.clone());
        if taken.contains(node.name.as_str()) {
            let problem = Problem::SameName("node", node.name.clone());
            errors.push(error(problem).remedy("the node file names it too: leave the [[node]] out"));
        }
        if is_reserved(&node.name) || node.name.contains(char::is_whitespace) {
            errors.push(error(Problem::BadHost(node.name.clone())).remedy(
                "call it otherwise, in one word; node-1, node-2 … are the instances that are granted",
            ));
        }
        errors.extend(
            missing_type(resolution, node, &mut shapes)
                .map(|(problem, remedy)| error(problem).remedy(remedy)),
        );
    }
    errors
}

/// What is said of a node that no node type is like, once for each size.
fn missing_type(
    resolution: &Resolution,
    node: &NodeSpec,
    told: &mut BTreeSet<(u32, u64)>,
) -> Option<(Problem, String)> {
    let draft = &resolution.draft;
    // A node type that is missing altogether is told elsewhere.
    if draft.scenario.node_types.is_empty() || draft.type_like(node).is_some() {
        return None;
    }
    let shape = draft.size_of(node);
    if !told.insert(shape) {
        return None;
    }
    let (cores, memory_kib) = shape;
    let memory = memory_text(memory_kib * 1024);
    let remedy = format!(
        "add a [[node_type]] with cores = {cores} and memory = \"{memory}\" (or without memory, if it is not to be \
         counted); what the file does not say is taken from workload.runner"
    );
    Some((Problem::NoTypeLike { node: node.name.clone(), cores, memory }, remedy))
}
