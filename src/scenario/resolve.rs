//! From a file and settings to a scenario: each key of the list gets its value from the last setting of it,
//! else from the file, else from its default.
//!
//! It goes by the list of keys and knows none of them by name, but for those that a node type is told by.

use std::sync::Arc;

use super::check;
use super::errors::{Place, Problem, ScenarioError, ScenarioErrors};
use super::explain::{Explained, ExplainedValue, Origin};
use super::file::{ScenarioFile, Setting, Target};
use super::keys::{Fallback, Key, Kind, NODE_TYPE_KEYS, SCENARIO_KEYS};
use super::model::{Decommission, Heartbeat, Scenario};
use super::read::{Fault, from_argument, quoted, read};
use super::shape;
use super::tree::Node;
use crate::rules::billing::Billing;
use crate::rules::elastic::{Mapping, PolicyKind, PolicyRules};
use crate::rules::machine::{BootTime, NodeType};
use crate::rules::matrix::Matrix;
use crate::rules::scheduling::{Discipline, Placement, Retries, Scheduling};
use crate::rules::windows::ShutdownWindows;
use crate::time::SimSpan;
use crate::workload::{Overrun, WorkloadSpec};

/// A setting whose key is known.
#[derive(Clone, Debug)]
pub(super) struct Override {
    pub target: Target,
    /// The value as written.
    pub text: String,
    pub place: Place,
    pub origin: Origin,
}

/// A scenario with what was found out on the way. It means nothing while there are errors.
pub(super) struct Resolution {
    pub scenario: Scenario,
    pub keys: Vec<Explained>,
    pub errors: Vec<ScenarioError>,
}

impl Resolution {
    /// How `target` was resolved; `None` if its value is missing or wrong.
    pub(super) fn key(&self, target: Target) -> Option<&Explained> {
        self.keys.iter().find(|key| key.target == target)
    }
}

impl ScenarioFile {
    /// The scenario with `settings` applied; of several settings of a key the last holds. `[sweep]` is
    /// ignored, but for unknown keys in it.
    ///
    /// # Errors
    /// All that is wrong with the file's keys and values and with the settings.
    pub fn resolve(&self, settings: &[Setting]) -> Result<Scenario, ScenarioErrors> {
        let (overrides, mut errors) = self.overrides(settings);
        let resolution = self.assemble(&overrides);
        errors.extend(resolution.errors);
        if errors.is_empty() { Ok(resolution.scenario) } else { Err(self.errors(errors)) }
    }

    /// The settings whose keys are known, and an error for each other one.
    pub(super) fn overrides(&self, settings: &[Setting]) -> (Vec<Override>, Vec<ScenarioError>) {
        let (mut overrides, mut errors) = (Vec::new(), Vec::new());
        for setting in settings {
            let place = setting.place();
            match self.target(&setting.key, &place) {
                Ok(target) => overrides.push(Override {
                    target,
                    text: setting.value.clone(),
                    place,
                    origin: Origin::Argument(setting.origin),
                }),
                Err(error) => errors.push(error),
            }
        }
        (overrides, errors)
    }

    /// Resolves every key of the scenario and checks the whole.
    pub(super) fn assemble(&self, overrides: &[Override]) -> Resolution {
        let mut filling = Filling::new(self, overrides);
        filling.errors = shape::errors(self.root());
        let mut scenario = blank_scenario();
        filling.fill(SCENARIO_KEYS, None, &mut scenario);
        let types = self.node_types();
        if types.is_empty() && self.root().get("node_type").is_none_or(|entry| entry.node.as_list().is_some())
        {
            let error = ScenarioError::new(Problem::NoNodeType, Place::File);
            filling.errors.push(
                error.remedy("add [[node_type]] with a name and cores, as in name = \"m16\", cores = 16"),
            );
        }
        for index in 0..types.len() {
            let mut node_type = blank_node_type();
            filling.fill(NODE_TYPE_KEYS, Some(index), &mut node_type);
            scenario.node_types.push(node_type);
        }
        let mut resolution = Resolution { scenario, keys: filling.keys, errors: filling.errors };
        let between = check::between_keys(&resolution);
        resolution.errors.extend(between);
        resolution
    }
}

/// The filling of models key by key.
pub(super) struct Filling<'f> {
    file: &'f ScenarioFile,
    overrides: &'f [Override],
    pub keys: Vec<Explained>,
    pub errors: Vec<ScenarioError>,
}

impl<'f> Filling<'f> {
    pub(super) fn new(file: &'f ScenarioFile, overrides: &'f [Override]) -> Self {
        Self { file, overrides, keys: Vec::new(), errors: Vec::new() }
    }

    /// Gives each key in `list` its value in `model`, the node type `node_type` if that is what is filled.
    pub(super) fn fill<T>(&mut self, list: &[Key<T>], node_type: Option<usize>, model: &mut T) {
        for key in list.iter().filter(|key| !matches!(key.kind, Kind::Settings)) {
            let target = Target { path: key.path, node_type };
            let file = self.file;
            if let Some(set) = self.overrides.iter().rfind(|set| set.target == target) {
                let value = from_argument(&key.kind, &set.text);
                self.take(key, target, &value, Some(set.place.clone()), set.origin.clone(), model);
            } else if let Some(entry) = file.find(target) {
                let line = file.line_of(entry.name_span.start);
                self.take(key, target, &entry.node, None, Origin::Line(line), model);
            } else {
                self.fall_back(key, target, model);
            }
        }
    }

    /// Reads a value of `key` into the model. `place` is where it is unless it stands in the file.
    fn take<T>(
        &mut self,
        key: &Key<T>,
        target: Target,
        value: &Node,
        place: Option<Place>,
        origin: Origin,
        model: &mut T,
    ) {
        match read(&key.kind, value, self.file.folder(), model) {
            Ok(text) => {
                let place = place.unwrap_or_else(|| Place::Span(value.span.clone()));
                self.explain(key, target, ExplainedValue::Toml(text), origin, place);
            }
            Err(fault) => self.errors.push(fault_error(self.name(key, target), key.meaning, fault, place)),
        }
    }

    /// Gives `key` its default.
    fn fall_back<T>(&mut self, key: &Key<T>, target: Target, model: &mut T) {
        let toml = match key.fallback {
            Fallback::Required => return self.errors.push(self.missing(key, target)),
            Fallback::Absent(what) => {
                return self.explain(key, target, ExplainedValue::Absent(what), Origin::Default, Place::File);
            }
            Fallback::Toml(toml) => toml.to_owned(),
            Fallback::Follows(path, follow) => {
                let leader = self.keys.iter().find(|known| known.target.path == path);
                follow(leader.and_then(Explained::toml).unwrap_or_default()).to_owned()
            }
            Fallback::FileStem => {
                let stem = self.file.path().file_stem().map(|stem| stem.to_string_lossy().into_owned());
                quoted(stem.unwrap_or_else(|| "scenario".to_owned()))
            }
        };
        let value =
            Node::parse(&toml).expect("a default is TOML because the list of keys and `quoted` write it so");
        self.take(key, target, &value, Some(Place::File), Origin::Default, model);
    }

    fn explain<T>(
        &mut self,
        key: &Key<T>,
        target: Target,
        value: ExplainedValue,
        origin: Origin,
        place: Place,
    ) {
        let full = self.name(key, target);
        let (table, leaf) = full.rsplit_once('.').unwrap_or(("", &full));
        let (table, leaf) = (table.to_owned(), leaf.to_owned());
        self.keys.push(Explained {
            key: full,
            table,
            leaf,
            value,
            origin,
            meaning: key.meaning,
            place,
            target,
        });
    }

    /// The path of `key` with the name of its node type.
    fn name<T>(&self, key: &Key<T>, target: Target) -> String {
        match target.node_type.and_then(|index| self.file.node_type_name(index)) {
            Some(name) => format!("node_type.{name}.{}", key.leaf()),
            None => key.path.to_owned(),
        }
    }

    /// The error for a key that must be given and is not, at its table if there is one.
    fn missing<T>(&self, key: &Key<T>, target: Target) -> ScenarioError {
        let (table, leaf) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        let span = match target.node_type {
            Some(index) => self.file.node_types().get(index).map(|(span, _)| span.clone()),
            None => self.file.root().get(table).map(|opening| opening.name_span.clone()),
        };
        let header =
            if target.node_type.is_some() { "[[node_type]]".to_owned() } else { format!("[{table}]") };
        ScenarioError::new(Problem::Missing(self.name(key, target)), span.map_or(Place::File, Place::Span))
            .remedy(format!("add `{leaf} = …` to {header}: {}", key.meaning))
    }
}

/// The error of the key `name` whose value is not taken. `place` is where the value is unless it stands in
/// the file.
pub(super) fn fault_error(name: String, meaning: &str, fault: Fault, place: Option<Place>) -> ScenarioError {
    let place = place.unwrap_or(Place::Span(fault.span));
    let remedy = fault.remedy.unwrap_or_else(|| format!("`{name}` means: {meaning}"));
    let problem = Problem::Value { key: name, error: fault.error };
    ScenarioError { notes: fault.notes, ..ScenarioError::new(problem, place) }.remedy(remedy)
}

/// A scenario to be filled: each of its fields has a key, so nothing of this is left in the end.
pub(super) fn blank_scenario() -> Scenario {
    Scenario {
        name: String::new(),
        seed: 0,
        horizon: None,
        workload: WorkloadSpec {
            trace: std::path::PathBuf::new(),
            jobs: None,
            from: None,
            until: None,
            scale_load: 1.0,
            scale_time: 1.0,
            overrun: Overrun::Keep,
        },
        retries: Retries { max_requeues: None, checkpoint_every: None },
        node_types: Vec::new(),
        billing: Billing { quantum: SimSpan::MILLISECOND, minimum: SimSpan::ZERO },
        heartbeat: Heartbeat { interval: SimSpan::MILLISECOND, expiry: None },
        scheduling: Scheduling { discipline: Discipline::Fifo, placement: Placement::Pack },
        policy: PolicyRules {
            kind: PolicyKind::None,
            poll: SimSpan::MILLISECOND,
            idle_grace: None,
            boot_grace: None,
            ping_stale_after: None,
            report_age: SimSpan::ZERO,
            windows: ShutdownWindows::always(),
            matrix: Arc::new(Matrix::page()),
            mapping: Mapping::Page,
            bug_compatible: false,
            min_nodes: 0,
            max_nodes: 0,
        },
        decommission: Decommission { timeout: None, poll: SimSpan::MILLISECOND },
    }
}

/// A node type to be filled.
pub(super) fn blank_node_type() -> NodeType {
    NodeType {
        name: String::new(),
        cores: 0,
        memory_bytes: None,
        price_per_hour_micros: 0,
        boot: BootTime::Fixed(SimSpan::ZERO),
        boot_failure_ratio: 0.0,
        stop: SimSpan::ZERO,
    }
}
