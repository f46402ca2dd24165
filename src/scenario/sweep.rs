//! `[sweep]`: what is varied over which values, and what the settings are compared with.
//!
//! Each value is read as its key would be read, and keys that are checked together are tried together, so
//! that no run of the sweep fails for its scenario. The grid itself is laid out elsewhere.

use super::check::CHECKED_TOGETHER;
use super::draft::{Draft, blank_app, blank_moment, blank_node, blank_node_type, blank_task};
use super::errors::{Place, Problem, ScenarioError, ScenarioErrors};
use super::explain::{Explained, ExplainedValue, Origin};
use super::file::{ScenarioFile, Setting};
use super::keys::{
    APP_KEYS, AT_KEYS, Fallback, Key, NODE_KEYS, NODE_TYPE_KEYS, SCENARIO_KEYS, SWEEP_KEYS, TASK_KEYS,
    variable_paths,
};
use super::model::{Axis, SweepSpec};
use super::read::{from_argument, quoted, read};
use super::resolve::{Filling, Override, Resolution, fault_error};
use super::shape::{header, joined};
use super::suggest::nearest;
use super::target::Target;
use super::tree::{Entry, Node, Table, Value};

/// More runs than a sweep can have.
const RUNS_MOST: u64 = 1_000_000;
/// The flag that adds axes.
const VARY_FLAG: &str = "--vary";

/// An axis while it is checked.
struct DraftAxis {
    target: Target,
    /// Its dotted path as written.
    key: String,
    place: Place,
    origin: Origin,
    values: Vec<DraftValue>,
}

/// A value of an axis or of the baseline.
#[derive(Clone)]
struct DraftValue {
    /// As written, without quotes.
    text: String,
    place: Place,
    /// As TOML; equal for values that mean the same.
    canonical: String,
}

/// A value where it is written, not yet read.
#[derive(Clone, Copy)]
struct Written<'w> {
    target: Target,
    /// What the key is called there.
    name: &'w str,
    text: &'w str,
    place: &'w Place,
}

/// A key of the baseline and its value.
struct BaselineEntry {
    target: Target,
    key: String,
    origin: Origin,
    value: DraftValue,
}

impl ScenarioFile {
    /// What `[sweep]` says, with an axis added for each of `extra_axes`, written `key=value,value…`. Such an axis
    /// replaces one of the file for the same key, and an axis stands above a setting of its key. `columns` are
    /// those that the front may be over.
    ///
    /// # Errors
    /// All that is wrong with the axes, the baseline and the scenarios that they lead to.
    pub fn sweep(
        &self,
        extra_axes: &[String],
        settings: &[Setting],
        columns: &[&str],
    ) -> Result<SweepSpec, ScenarioErrors> {
        self.read_sweep(extra_axes, settings, columns).map(|(spec, _)| spec)
    }

    /// The keys of `[sweep]` as [`ScenarioFile::explain`] gives those of the scenario.
    ///
    /// # Errors
    /// The same as those of [`ScenarioFile::sweep`].
    pub fn explain_sweep(
        &self,
        extra_axes: &[String],
        settings: &[Setting],
        columns: &[&str],
    ) -> Result<Vec<Explained>, ScenarioErrors> {
        self.read_sweep(extra_axes, settings, columns).map(|(_, keys)| keys)
    }

    fn read_sweep(
        &self,
        extra_axes: &[String],
        settings: &[Setting],
        columns: &[&str],
    ) -> Result<(SweepSpec, Vec<Explained>), ScenarioErrors> {
        let (overrides, mut errors) = self.overrides(settings);
        let mut filling = Filling::new(self, &overrides);
        let mut spec = SweepSpec::default();
        filling.fill(SWEEP_KEYS, None, &mut spec);
        errors.append(&mut filling.errors);
        errors.extend(unknown_columns(&spec, &filling.keys, columns));
        let axes = self.axes(extra_axes, &mut errors);
        let baseline = self.baseline(&mut errors);
        errors.extend(size_errors(&spec, &axes));
        if errors.is_empty() {
            errors = self.clashes(&overrides, &axes);
        } else {
            errors.extend(self.assemble(&overrides).errors);
        }
        let mut with_baseline = overrides.clone();
        with_baseline.extend(baseline.iter().map(|entry| set(entry.target, &entry.value, &entry.origin)));
        if errors.is_empty() {
            let compared = self.assemble(&with_baseline);
            place_baseline(&mut spec, &axes, &baseline, &compared, &self.assemble(&overrides));
            errors = compared.errors;
        }
        if !errors.is_empty() {
            return Err(self.errors(errors));
        }
        let keys = explained(filling.keys, &axes, &baseline);
        spec.baseline = if baseline.is_empty() {
            None
        } else {
            Some(baseline.into_iter().map(|entry| (entry.key, entry.value.text)).collect())
        };
        let texts = |values: Vec<DraftValue>| values.into_iter().map(|value| value.text).collect();
        spec.vary = axes.into_iter().map(|axis| Axis { key: axis.key, values: texts(axis.values) }).collect();
        Ok((spec, keys))
    }

    /// The axes of the file and of the command line.
    fn axes(&self, extra_axes: &[String], errors: &mut Vec<ScenarioError>) -> Vec<DraftAxis> {
        let mut axes: Vec<DraftAxis> = Vec::new();
        for (key, entry) in self.sweep_entries("sweep.vary", errors) {
            match self.file_axis(&key, entry, errors) {
                Some(axis) if axes.iter().any(|known| known.target == axis.target) => {
                    errors.push(twice(&axis));
                }
                Some(axis) => axes.push(axis),
                None => {}
            }
        }
        let from_file = axes.len();
        for argument in extra_axes {
            let Some(axis) = self.argument_axis(argument, errors) else { continue };
            match axes.iter().position(|known| known.target == axis.target) {
                Some(index) if index < from_file && axes[index].origin != axis.origin => axes[index] = axis,
                Some(_) => errors.push(twice(&axis)),
                None => axes.push(axis),
            }
        }
        for axis in &axes {
            errors.extend(same_values(axis));
        }
        axes
    }

    /// The entries of a table under `[sweep]` by dotted path, in the file's order.
    fn sweep_entries(&self, path: &'static str, errors: &mut Vec<ScenarioError>) -> Vec<(String, &Entry)> {
        let Some(entry) = self.find(Target::whole(path)) else { return Vec::new() };
        let mut entries = Vec::new();
        match entry.node.as_table() {
            Some(table) => flatten(table, "", &mut entries),
            None => {
                let place = Place::Span(entry.name_span.clone());
                let error = ScenarioError::new(Problem::NotATable(path.to_owned(), "table"), place);
                let remedy =
                    format!("write [{path}] on a line of its own, then lines as \"policy.idle_grace\" = …");
                errors.push(error.remedy(remedy));
            }
        }
        entries
    }

    fn file_axis(&self, key: &str, entry: &Entry, errors: &mut Vec<ScenarioError>) -> Option<DraftAxis> {
        let place = Place::Span(entry.name_span.clone());
        let target = self.variable(key, &place).map_err(|error| errors.push(error)).ok()?;
        let items = entry.node.as_list().filter(|items| !items.is_empty());
        let Some(items) = items else {
            let error =
                ScenarioError::new(Problem::EmptyAxis(key.to_owned()), Place::Span(entry.node.span.clone()));
            errors.push(error.remedy("give a list of values, as in [\"5m\", \"15m\"]"));
            return None;
        };
        let mut values = Vec::new();
        for item in items {
            values.extend(self.file_value(target, key, item).map_err(|error| errors.push(error)));
        }
        let origin = Origin::Line(self.line_of(entry.name_span.start));
        Some(DraftAxis { target, key: key.to_owned(), place, origin, values })
    }

    /// A value that stands in the file under `[sweep]`.
    fn file_value(&self, target: Target, key: &str, item: &Node) -> Result<DraftValue, ScenarioError> {
        let text = match &item.value {
            Value::Text(text) => text.clone(),
            // Numbers, switches, windows and boot times as they stand there.
            _ => self.written(item.span.clone()).to_owned(),
        };
        self.value(target, key, text, Place::Span(item.span.clone()))
    }

    /// An axis of the command line: `key=value,value…`.
    fn argument_axis(&self, argument: &str, errors: &mut Vec<ScenarioError>) -> Option<DraftAxis> {
        let setting = Setting::parse(argument, VARY_FLAG);
        let setting = setting.map_err(|parse| errors.extend(parse.into_errors())).ok()?;
        let place = setting.place();
        let target = self.variable(&setting.key, &place).map_err(|error| errors.push(error)).ok()?;
        if setting.value.is_empty() {
            let error = ScenarioError::new(Problem::EmptyAxis(setting.key), place);
            errors.push(error.remedy("give values with commas between them, as in policy.idle_grace=5m,15m"));
            return None;
        }
        let mut values = Vec::new();
        for text in split_values(&setting.value).map(unquoted) {
            let value = self.value(target, &setting.key, text, place.clone());
            values.extend(value.map_err(|error| errors.push(error)));
        }
        Some(DraftAxis { target, key: setting.key, place, origin: Origin::Argument(VARY_FLAG), values })
    }

    /// `text` as a value of `target`, which is called `name` where it is written.
    fn value(
        &self,
        target: Target,
        name: &str,
        text: String,
        place: Place,
    ) -> Result<DraftValue, ScenarioError> {
        let written = Written { target, name, text: &text, place: &place };
        let canonical = self
            .tried(SCENARIO_KEYS, Draft::blank, written)
            .or_else(|| self.tried(NODE_TYPE_KEYS, blank_node_type, written))
            .or_else(|| self.tried(NODE_KEYS, blank_node, written))
            .or_else(|| self.tried(APP_KEYS, blank_app, written))
            .or_else(|| self.tried(TASK_KEYS, blank_task, written))
            .or_else(|| self.tried(AT_KEYS, blank_moment, written));
        let canonical = canonical.expect("the key is in a list because only such keys can be varied")?;
        Ok(DraftValue { text, place, canonical })
    }

    /// The canonical text of what is written, tried on a model that is then dropped; `None`: its key is not in `list`.
    fn tried<T>(
        &self,
        list: &[Key<T>],
        blank: fn() -> T,
        written: Written<'_>,
    ) -> Option<Result<String, ScenarioError>> {
        let key = list.iter().find(|key| key.path == written.target.path)?;
        let value = from_argument(&key.kind, written.text);
        Some(read(&key.kind, &value, self.folder(), &mut blank()).map_err(|fault| {
            fault_error(written.name.to_owned(), key.meaning, fault, Some(written.place.clone()))
        }))
    }

    /// The key that `path` means, if it can be varied.
    fn variable(&self, path: &str, place: &Place) -> Result<Target, ScenarioError> {
        let target = self.target(path, place)?;
        if variable_paths().any(|known| known == target.path) {
            return Ok(target);
        }
        let error = ScenarioError::new(Problem::NotASetting(path.to_owned(), "varied"), place.clone());
        Err(error
            .remedy("only keys of the scenario with a single value can be varied; write a scenario for each"))
    }

    fn baseline(&self, errors: &mut Vec<ScenarioError>) -> Vec<BaselineEntry> {
        let mut baseline: Vec<BaselineEntry> = Vec::new();
        for (key, entry) in self.sweep_entries("sweep.baseline", errors) {
            let place = Place::Span(entry.name_span.clone());
            let read = self.variable(&key, &place).and_then(|target| {
                let value = self.file_value(target, &key, &entry.node)?;
                Ok(BaselineEntry {
                    target,
                    key,
                    origin: Origin::Line(self.line_of(entry.name_span.start)),
                    value,
                })
            });
            baseline.extend(read.map_err(|error| errors.push(error)));
        }
        baseline
    }

    /// What is wrong with the first setting of the grid that does not resolve. Of keys that are not checked
    /// against others one value is enough: each has been read by itself.
    fn clashes(&self, overrides: &[Override], axes: &[DraftAxis]) -> Vec<ScenarioError> {
        for group in CHECKED_TOGETHER {
            let tried = |axis: &DraftAxis| {
                if group.contains(&axis.target.path) { axis.values.len() } else { 1 }
            };
            let settings: usize = axes.iter().map(tried).product();
            for setting in 0..settings {
                let mut rest = setting;
                let mut all = overrides.to_vec();
                for axis in axes {
                    all.push(set(axis.target, &axis.values[rest % tried(axis)], &axis.origin));
                    rest /= tried(axis);
                }
                let errors = self.assemble(&all).errors;
                if !errors.is_empty() {
                    return errors;
                }
            }
        }
        Vec::new()
    }
}

/// `target` set to `value`.
fn set(target: Target, value: &DraftValue, origin: &Origin) -> Override {
    Override { target, text: value.text.clone(), place: value.place.clone(), origin: origin.clone() }
}

/// The entries of a table and of the tables in it that stand for dotted paths.
fn flatten<'t>(table: &'t Table, path: &str, entries: &mut Vec<(String, &'t Entry)>) {
    for entry in table.entries() {
        let full = joined(path, &entry.name);
        match entry.node.as_table() {
            Some(inner) => flatten(inner, &full, entries),
            None => entries.push((full, entry)),
        }
    }
}

/// The values of an axis on the command line: what stands between commas that are outside brackets.
fn split_values(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    text.split(move |letter| {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    })
}

/// A word of the command line without the quotes that it may have.
fn unquoted(word: &str) -> String {
    let word = word.trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| word.strip_prefix(quote)?.strip_suffix(quote));
    quoted.unwrap_or(word).to_owned()
}

fn twice(axis: &DraftAxis) -> ScenarioError {
    ScenarioError::new(Problem::SameAxis(axis.key.clone()), axis.place.clone())
        .remedy("put all values into one list")
}

fn same_values(axis: &DraftAxis) -> Vec<ScenarioError> {
    let mut errors = Vec::new();
    for (index, second) in axis.values.iter().enumerate() {
        if let Some(first) = axis.values[..index].iter().find(|first| first.canonical == second.canonical) {
            let (first, text) = (first.text.clone(), second.text.clone());
            let problem = Problem::SameValue { key: axis.key.clone(), first, second: text };
            errors.push(ScenarioError::new(problem, second.place.clone()).remedy("leave one of them out"));
        }
    }
    errors
}

fn size_errors(spec: &SweepSpec, axes: &[DraftAxis]) -> Vec<ScenarioError> {
    let mut errors = Vec::new();
    let runs =
        axes.iter().fold(u64::from(spec.seeds), |runs, axis| runs.saturating_mul(axis.values.len() as u64));
    if runs > RUNS_MOST {
        let error = ScenarioError::new(Problem::TooManyRuns(RUNS_MOST), Place::File);
        errors.push(error.remedy("vary fewer keys, over fewer values, or with fewer seeds"));
    }
    if let Some(axis) = axes.iter().find(|axis| axis.target.path == "seed" && spec.seeds > 1) {
        let error = ScenarioError::new(Problem::SeedVaried(spec.seeds), axis.place.clone());
        errors.push(error.remedy(
            "seeds of one setting are averaged, so a seed cannot be a setting as well: take one out",
        ));
    }
    errors
}

fn unknown_columns(spec: &SweepSpec, keys: &[Explained], columns: &[&str]) -> Vec<ScenarioError> {
    let place =
        keys.iter().find(|key| key.target.path == "sweep.front").map_or(Place::File, |key| key.place.clone());
    let unknown = spec.front.iter().filter(|name| !columns.contains(&name.as_str()));
    unknown
        .map(|name| {
            let error = ScenarioError::new(Problem::UnknownColumn(name.clone()), place.clone());
            error.remedy(match nearest(name, columns.iter().copied()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => "the columns are those of summary.csv".to_owned(),
            })
        })
        .collect()
}

/// Finds the baseline's value on each axis, and its place in the grid if it has one. `compared` is the
/// baseline, `written` the scenario as written.
fn place_baseline(
    spec: &mut SweepSpec,
    axes: &[DraftAxis],
    baseline: &[BaselineEntry],
    compared: &Resolution,
    written: &Resolution,
) {
    let toml =
        |resolution: &Resolution, target| resolution.key(target).and_then(Explained::toml).map(str::to_owned);
    let mut cell = Some(Vec::new());
    for axis in axes {
        let canonical = toml(compared, axis.target);
        let index = axis.values.iter().position(|value| Some(&value.canonical) == canonical.as_ref());
        let value = match index {
            Some(index) => axis.values[index].text.clone(),
            None => unquoted(&canonical.unwrap_or_default()),
        };
        spec.baseline_values.push(value);
        cell = cell.zip(index).map(|(mut cell, index)| {
            cell.push(index);
            cell
        });
    }
    let off_axes = baseline.iter().filter(|entry| axes.iter().all(|axis| axis.target != entry.target));
    let as_written =
        |entry: &BaselineEntry| toml(written, entry.target).as_ref() == Some(&entry.value.canonical);
    spec.baseline_cell = if off_axes.into_iter().all(as_written) { cell } else { None };
}

/// The keys of `[sweep]` as they are explained: first those of one line, then the tables.
fn explained(mut keys: Vec<Explained>, axes: &[DraftAxis], baseline: &[BaselineEntry]) -> Vec<Explained> {
    let toml = |value: &DraftValue| {
        // Text is put into quotes again, also text that stands for a table.
        if value.canonical.starts_with(['"', '{']) { quoted(&value.text) } else { value.text.clone() }
    };
    if baseline.is_empty() {
        keys.push(absent("sweep.baseline"));
    }
    if axes.is_empty() {
        keys.push(absent("sweep.vary"));
    }
    for entry in baseline {
        keys.push(table_line(
            "sweep.baseline",
            &entry.key,
            toml(&entry.value),
            &entry.origin,
            &entry.value.place,
        ));
    }
    for axis in axes {
        let values = axis.values.iter().map(toml).collect::<Vec<_>>().join(", ");
        keys.push(table_line("sweep.vary", &axis.key, format!("[{values}]"), &axis.origin, &axis.place));
    }
    keys
}

/// One line of a table under `[sweep]`.
fn table_line(path: &'static str, key: &str, toml: String, origin: &Origin, place: &Place) -> Explained {
    Explained {
        key: format!("{path}.{key}"),
        table: path.to_owned(),
        header: header(path),
        leaf: quoted(key),
        value: ExplainedValue::Toml(toml),
        origin: origin.clone(),
        meaning: table_key(path).meaning,
        place: place.clone(),
        target: Target::whole(path),
    }
}

/// A table under `[sweep]` that is not there.
fn absent(path: &'static str) -> Explained {
    let key = table_key(path);
    let Fallback::Absent(what) = key.fallback else {
        unreachable!("tables of [sweep] have no default value")
    };
    Explained {
        key: path.to_owned(),
        table: "sweep".to_owned(),
        header: header("sweep"),
        leaf: key.leaf().to_owned(),
        value: ExplainedValue::Absent(what),
        origin: Origin::Default,
        meaning: key.meaning,
        place: Place::File,
        target: Target::whole(path),
    }
}

/// The key of a table under `[sweep]`.
fn table_key(path: &str) -> &'static Key<SweepSpec> {
    let key = SWEEP_KEYS.iter().find(|key| key.path == path);
    key.expect("the list has the key because this file names only such tables")
}
