//! From a file and settings to a scenario: each key of the list gets its value from the last setting of it,
//! else from the file, else from its default.
//!
//! It goes by the lists of keys and knows none of the keys by name.

use super::check;
use super::draft::{self, Draft};
use super::errors::{Place, Problem, ScenarioError, ScenarioErrors};
use super::explain::{Explained, ExplainedValue, Origin};
use super::file::{ScenarioFile, Setting};
use super::keys::{
    APP, APP_KEYS, AT, AT_KEYS, Fallback, Key, Kind, NODE, NODE_KEYS, NODE_TYPE, NODE_TYPE_KEYS,
    SCENARIO_KEYS, TASK, TASK_KEYS, TableList, list_of,
};
use super::model::Scenario;
use super::read::{Fault, from_argument, quoted, read};
use super::shape;
use super::target::{Item, Target};
use super::tree::Node;

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
    pub draft: Draft,
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
        if errors.is_empty() { Ok(resolution.draft.finished()) } else { Err(self.errors(errors)) }
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
        let mut draft = Draft::blank();
        filling.fill(SCENARIO_KEYS, None, &mut draft);
        if self.lacks_node_type() {
            let error = ScenarioError::new(Problem::NoNodeType, Place::File);
            filling.errors.push(
                error.remedy("add [[node_type]] with a name and cores, as in name = \"m16\", cores = 16"),
            );
        }
        draft.scenario.node_types = filling.tables(NODE_TYPE, None, NODE_TYPE_KEYS, draft::blank_node_type);
        draft.nodes = filling.tables(NODE, None, NODE_KEYS, draft::blank_node);
        for item in self.tables(APP, None) {
            let mut app = draft::blank_app();
            filling.fill(APP_KEYS, Some(item), &mut app);
            app.tasks = filling.tables(TASK, Some(item.index()), TASK_KEYS, draft::blank_task);
            draft.scenario.apps.push(app);
        }
        draft.moments = filling.tables(AT, None, AT_KEYS, draft::blank_moment);
        let mut resolution = Resolution { draft, keys: filling.keys, errors: filling.errors };
        let between = check::between_keys(self, &resolution);
        resolution.errors.extend(between);
        resolution
    }

    /// Whether there is no `[[node_type]]`, nor something else in its place.
    fn lacks_node_type(&self) -> bool {
        let entry = self.root().get(NODE_TYPE.path);
        entry.is_none_or(|entry| entry.node.as_list().is_some_and(<[Node]>::is_empty))
    }

    /// Whether nodes are named, or applications or actions given, so that there is something to play without a log.
    fn is_scripted(&self) -> bool {
        [NODE, APP, AT].into_iter().any(|list| !self.tables(list, None).is_empty())
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

    /// Fills a model for each table of `list`; those of an inner list are in the outer table `outer`.
    fn tables<T>(
        &mut self,
        list: &TableList,
        outer: Option<usize>,
        keys: &[Key<T>],
        blank: fn() -> T,
    ) -> Vec<T> {
        let items = self.file.tables(list, outer).into_iter();
        let fill = |item| {
            let mut model = blank();
            self.fill(keys, Some(item), &mut model);
            model
        };
        items.map(fill).collect()
    }

    /// Gives each key in `list` its value in `model`, the one of the table `item` if there are several.
    pub(super) fn fill<T>(&mut self, list: &[Key<T>], item: Option<Item>, model: &mut T) {
        for key in list.iter().filter(|key| !matches!(key.kind, Kind::Settings)) {
            let target = Target { path: key.path, item };
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
            Fallback::OneOf => return,
            Fallback::Required => return self.errors.push(self.missing(key, target)),
            Fallback::RequiredUnlessScripted(_) if !self.file.is_scripted() => {
                return self.errors.push(self.missing(key, target));
            }
            Fallback::RequiredUnlessScripted(what) | Fallback::Absent(what) => {
                return self.explain(key, target, ExplainedValue::Absent(what), Origin::Default, Place::File);
            }
            Fallback::Toml(toml) => toml.to_owned(),
            Fallback::Follows(path, follow) => {
                let leader = Target { path, item: target.item };
                let leader = self.keys.iter().rfind(|known| known.target == leader);
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
        let (table, header) = self.table(target);
        let leaf = key.leaf().to_owned();
        self.keys.push(Explained {
            key: shape::joined(&table, &leaf),
            table,
            header,
            leaf,
            value,
            origin,
            meaning: key.meaning,
            place,
            target,
        });
    }

    /// The dotted path of the table that `target` is in, with the names of tables in lists, and what stands above it.
    fn table(&self, target: Target) -> (String, String) {
        let table = target.path.rsplit_once('.').map_or("", |(table, _)| table);
        let named =
            list_of(target.path).zip(target.item).and_then(|(list, item)| self.file.item_path(list, item));
        (named.unwrap_or_else(|| table.to_owned()), shape::header(table))
    }

    /// The path of `key` with the name of its table.
    fn name<T>(&self, key: &Key<T>, target: Target) -> String {
        shape::joined(&self.table(target).0, key.leaf())
    }

    /// The error for a key that must be given and is not, at its table if there is one.
    fn missing<T>(&self, key: &Key<T>, target: Target) -> ScenarioError {
        let (table, leaf) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        let opening = || self.file.root().get(table).map(|opening| Place::Span(opening.name_span.clone()));
        let place = match list_of(key.path).zip(target.item) {
            Some((list, item)) => self.file.item_place(list, item),
            None => opening().unwrap_or(Place::File),
        };
        let header = shape::header(table);
        ScenarioError::new(Problem::Missing(self.name(key, target)), place)
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
