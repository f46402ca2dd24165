//! What must hold between the keys of a scripted cluster: names that exist, moments in order, one action each.

use std::collections::{BTreeMap, BTreeSet};

use super::{pair_error, scenario_key};
use crate::scenario::errors::{Problem, ScenarioError};
use crate::scenario::explain::Explained;
use crate::scenario::file::ScenarioFile;
use crate::scenario::keys::{APP, AT, list_of};
use crate::scenario::read::is_granted;
use crate::scenario::resolve::Resolution;
use crate::scenario::suggest::nearest;
use crate::scenario::target::{Item, Target};
use crate::scenario::tree::Node;

/// All that is wrong between the keys of a script.
pub(super) fn errors(file: &ScenarioFile, resolution: &Resolution) -> Vec<ScenarioError> {
    let mut errors = Vec::new();
    errors.extend(too_many_named(resolution));
    errors.extend(min_beside_named(resolution));
    errors.extend(interval_outside(resolution));
    errors.extend(unknown_types(resolution));
    errors.extend(unknown_nodes(resolution));
    errors.extend(early_ends(file, resolution));
    errors.extend(numbers_of_actions(file, resolution));
    errors
}

/// The text that a key has as its value; `None` if it is something else than text.
pub(super) fn text(key: &Explained) -> Option<String> {
    Node::parse(key.toml()?)?.as_text().map(str::to_owned)
}

fn too_many_named(resolution: &Resolution) -> Option<ScenarioError> {
    let key = scenario_key(resolution, "cluster.max_nodes")?;
    let (named, max) = (resolution.draft.node_names().count(), resolution.draft.scenario.policy.max_nodes);
    (named > max as usize).then(|| {
        ScenarioError::new(Problem::TooManyNamed { named, max }, key.place.clone())
            .remedy(format!("raise `max_nodes` to at least {named}, or name fewer nodes"))
    })
}

fn min_beside_named(resolution: &Resolution) -> Option<ScenarioError> {
    let key = scenario_key(resolution, "cluster.min_nodes")?;
    let min = resolution.draft.scenario.policy.min_nodes;
    (min > 0 && resolution.draft.node_names().next().is_some()).then(|| {
        ScenarioError::new(Problem::MinBesideNamed(min), key.place.clone())
            .remedy("named nodes stand in min_nodes' place: leave it out, or make it 0")
    })
}

fn interval_outside(resolution: &Resolution) -> Option<ScenarioError> {
    let key = scenario_key(resolution, "heartbeat.interval")?;
    let interval = resolution.draft.scenario.heartbeat.interval;
    let (min, max) = resolution.draft.scaling_bounds();
    let bound = if interval < min { "heartbeat.scaling_min" } else { "heartbeat.scaling_max" };
    let bound_key = scenario_key(resolution, bound)?;
    (resolution.draft.scaling.is_on && !(min <= interval && interval <= max)).then(|| {
        let problem = Problem::IntervalOutside { interval, min, max };
        pair_error(problem, key, bound_key, "a bound of the scaled interval")
            .remedy("make `scaling_min` no longer and `scaling_max` no shorter than `interval`")
    })
}

fn unknown_types(resolution: &Resolution) -> Vec<ScenarioError> {
    let types = || resolution.draft.scenario.node_types.iter().map(|node_type| node_type.name.as_str());
    let mut errors = Vec::new();
    for key in resolution.keys.iter().filter(|key| key.target.path == "node.type") {
        let Some(name) = text(key).filter(|name| types().all(|known| known != name)) else { continue };
        let remedy = match nearest(&name, types()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("the node types are {}", types().collect::<Vec<_>>().join(", ")),
        };
        let problem = Problem::NoSuchName { key: key.key.clone(), what: "node type", name };
        errors.push(ScenarioError::new(problem, key.place.clone()).remedy(remedy));
    }
    errors
}

/// Hosts of tasks and masters, and nodes of actions, that are neither named nor can be granted.
fn unknown_nodes(resolution: &Resolution) -> Vec<ScenarioError> {
    let named: BTreeSet<&str> = resolution.draft.node_names().collect();
    let mut errors = Vec::new();
    for key in &resolution.keys {
        let Some(name) = node_of(key).filter(|name| !named.contains(name.as_str()) && !is_granted(name))
        else {
            continue;
        };
        let remedy = match nearest(&name, named.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => {
                "name it with [[node]]; instances that are granted are called node-1, node-2 …".to_owned()
            }
        };
        let problem = Problem::NoSuchName { key: key.key.clone(), what: "node", name };
        errors.push(ScenarioError::new(problem, key.place.clone()).remedy(remedy));
    }
    errors
}

/// The node that the value of a key names, if it names one.
fn node_of(key: &Explained) -> Option<String> {
    let part = match key.target.path {
        "app.task.host" | "at.node_crash" | "at.node_start" | "at.node_stop" => return text(key),
        "app.master" => "host",
        path if list_of(path) == Some(AT) => "node",
        _ => return None,
    };
    let value = Node::parse(key.toml()?)?;
    value.as_table()?.get(part)?.node.as_text().map(str::to_owned)
}

fn early_ends(file: &ScenarioFile, resolution: &Resolution) -> Vec<ScenarioError> {
    let items = file.tables(APP, None).into_iter();
    let early = items.zip(&resolution.draft.scenario.apps).filter_map(|(item, app)| {
        let ends = app.ends.filter(|&ends| ends <= app.submit)?;
        let key = |path| resolution.key(Target { path, item: Some(item) });
        let problem = Problem::EndsBeforeSubmit { app: app.name.clone(), submit: app.submit, ends };
        Some(
            pair_error(problem, key("app.ends")?, key("app.submit")?, "it is submitted here")
                .remedy("both count from the scenario's start: make `ends` the later one"),
        )
    });
    early.collect()
}

/// Entries that have no action or several.
fn numbers_of_actions(file: &ScenarioFile, resolution: &Resolution) -> Vec<ScenarioError> {
    let is_action = |key: &&Explained| list_of(key.target.path) == Some(AT) && key.target.path != "at.time";
    let mut by_item: BTreeMap<usize, Vec<&Explained>> = BTreeMap::new();
    for key in resolution.keys.iter().filter(is_action) {
        by_item.entry(key.target.item.map_or(0, Item::index)).or_default().push(key);
    }
    let mut errors = Vec::new();
    for (item, moment) in file.tables(AT, None).into_iter().zip(&resolution.draft.moments) {
        match by_item.get(&item.index()).map(Vec::as_slice) {
            Some([_]) => {}
            Some([first, second, ..]) => {
                let problem = Problem::SeveralActions(first.leaf.clone(), second.leaf.clone());
                let error = pair_error(problem, second, first, "the first of them");
                errors.push(error.remedy("write an [[at]] for each action; they may have the same time"));
            }
            // What is there has been found wrong already.
            _ if file.is_more_than(AT, item, "time") => {}
            _ => {
                let place = file.item_place(AT, item);
                let actions: Vec<_> =
                    crate::scenario::keys::leaves_of(AT).filter(|&leaf| leaf != "time").collect();
                let remedy = format!("add one of {}", actions.join(", "));
                errors.push(ScenarioError::new(Problem::NoAction(moment.at), place).remedy(remedy));
            }
        }
    }
    errors
}
