//! What is allowed in a scenario and probably not meant: boots that are all given up, nodes that are all refused, and
//! what `hosts` finds in hosts files.

use super::errors::{Problem, ScenarioError, ScenarioWarnings};
use super::file::{ScenarioFile, Setting};
use super::hosts;
use super::resolve::Resolution;
use crate::rules::elastic::PolicyKind;
use crate::rules::machine::NodeType;

impl ScenarioFile {
    /// What is probably not meant in the scenario with `settings` applied. Nothing, if the scenario has errors:
    /// those are told by [`ScenarioFile::resolve`].
    pub fn warnings(&self, settings: &[Setting]) -> ScenarioWarnings {
        let (overrides, errors) = self.overrides(settings);
        let resolution = self.assemble(&overrides);
        let is_right = errors.is_empty() && resolution.errors.is_empty();
        let mut warnings = Vec::new();
        if is_right {
            warnings.extend(boot_warnings(&resolution));
            warnings.extend(hosts::warnings(self, &resolution));
            warnings.extend(size_warnings(&resolution));
        }
        ScenarioWarnings::new(self.errors(warnings))
    }
}

/// Types of which no node will ever register, since each boot is given up first, at the first poll after the grace.
fn boot_warnings(resolution: &Resolution) -> Vec<ScenarioError> {
    let scenario = &resolution.draft.scenario;
    let policy = &scenario.policy;
    let Some(grace) = policy.boot_grace.filter(|_| policy.kind != PolicyKind::None) else {
        return Vec::new();
    };
    let keys = resolution.keys.iter().filter(|key| key.target.path == "node_type.boot");
    let is_hopeless = |node_type: &NodeType| node_type.boot.shortest() > grace + policy.poll;
    let hopeless = keys.zip(&scenario.node_types).filter(|(_, node_type)| is_hopeless(node_type));
    hopeless
        .map(|(key, node_type)| {
            let shortest = node_type.boot.shortest();
            let problem = Problem::NoBootInTime { key: key.key.clone(), shortest, grace };
            let warning = ScenarioError::new(problem, key.place.clone());
            warning.remedy("raise `policy.boot_grace` above the longest boot")
        })
        .collect()
}

/// Types whose nodes are refused as they register, since they have less than the smallest allocation.
fn size_warnings(resolution: &Resolution) -> Vec<ScenarioError> {
    let scenario = &resolution.draft.scenario;
    let keys = resolution.keys.iter().filter(|key| key.target.path == "node_type.name");
    let refused = keys.zip(&scenario.node_types).filter(|(_, kind)| !scenario.minimum.admits(kind));
    refused
        .map(|(key, _)| {
            let warning = ScenarioError::new(Problem::TypeTooSmall(key.key.clone()), key.place.clone());
            warning
                .remedy("lower `scheduler.minimum_cores` or `scheduler.minimum_memory`, or let it be larger")
        })
        .collect()
}
