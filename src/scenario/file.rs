//! A scenario file as text with places: parsed, not yet understood.
//!
//! What the keys mean is in `keys`; how they become a scenario is in `resolve`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::errors::{Place, Problem, ScenarioError, ScenarioErrors};
use super::keys::{NODE_TYPE_KEYS, NODE_TYPE_NAME, SCENARIO_KEYS, SWEEP_KEYS, not_yet, variable_paths};
use super::suggest::nearest;
use super::tree::{Entry, Table};

/// More text than any scenario has: what is larger is something else, a job log for instance.
const TEXT_BYTES_MOST: usize = 4 << 20;

/// A scenario file, read and parsed.
#[derive(Clone, Debug)]
pub struct ScenarioFile {
    path: PathBuf,
    text: Arc<str>,
    root: Table,
}

/// One key set from outside the file's own line for it: on the command line, or by a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key's dotted path, as in `policy.idle_grace` or `node_type.m16.cores`.
    pub key: String,
    /// The value as written; text needs no quotes.
    pub value: String,
    /// What sets it, for messages: `--set`, `--vary`, `sweep.vary` …
    pub origin: &'static str,
}

impl Setting {
    /// Reads `key=value`, an argument of the flag `origin`.
    ///
    /// # Errors
    /// There is no `=`, or nothing before it.
    pub fn parse(argument: &str, origin: &'static str) -> Result<Self, ScenarioErrors> {
        match argument.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                Ok(Self { key: key.trim().to_owned(), value: value.trim().to_owned(), origin })
            }
            _ => {
                let place = Place::Argument(format!("{origin} {argument}"));
                let error = ScenarioError::new(Problem::NoEquals(argument.to_owned()), place)
                    .remedy(format!("write {origin} key=value, as in {origin} policy.idle_grace=5m"));
                Err(ScenarioErrors::new(String::new(), Arc::from(""), vec![error]))
            }
        }
    }

    /// Where it is, for messages.
    pub(super) fn place(&self) -> Place {
        Place::Argument(format!("{} {}={}", self.origin, self.key, self.value))
    }
}

/// One key of one scenario: its path in the list of keys, and for a node type's key which of the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub path: &'static str,
    pub node_type: Option<usize>,
}

impl ScenarioFile {
    /// Reads and parses the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read, is not UTF-8 text, or is not TOML.
    pub fn read(path: &Path) -> Result<Self, ScenarioErrors> {
        let unreadable = |reason: String, remedy: &str| {
            let error = ScenarioError::new(Problem::Unreadable(reason), Place::File).remedy(remedy);
            ScenarioErrors::new(path.display().to_string(), Arc::from(""), vec![error])
        };
        let bytes = std::fs::read(path)
            .map_err(|error| unreadable(error.to_string(), "give the path of a scenario, a TOML file"))?;
        if bytes.len() > TEXT_BYTES_MOST {
            return Err(unreadable(
                "it is larger than 4 MiB".to_owned(),
                "is it a job log? A scenario names its log",
            ));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let reason = format!("byte {} is not UTF-8", error.utf8_error().valid_up_to());
            unreadable(reason, "save it as UTF-8 text; is it a scenario at all?")
        })?;
        Self::from_text(path, &text)
    }

    /// Parses `text` as if it stood in a file at `path`, whose folder is what paths in it are relative to.
    ///
    /// # Errors
    /// `text` is not TOML.
    pub fn from_text(path: &Path, text: &str) -> Result<Self, ScenarioErrors> {
        let (root, syntax) = Table::parse(text);
        let file = Self { path: path.to_owned(), text: Arc::from(text), root };
        if syntax.is_empty() {
            return Ok(file);
        }
        let errors = syntax.iter().map(|error| {
            let place = error.span().map_or(Place::File, Place::Span);
            ScenarioError::new(Problem::Syntax(error.message().to_owned()), place)
                .remedy("the file is TOML (https://toml.io): `key = value` lines, text in double quotes")
        });
        Err(file.errors(errors.collect()))
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text as read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// `errors` as errors of this file.
    pub(super) fn errors(&self, errors: Vec<ScenarioError>) -> ScenarioErrors {
        ScenarioErrors::new(self.path.display().to_string(), Arc::clone(&self.text), errors)
    }

    /// What paths in the scenario are relative to.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    pub(super) fn root(&self) -> &Table {
        &self.root
    }

    /// The line in which a byte stands, counted from 1.
    pub(super) fn line_of(&self, byte: usize) -> usize {
        1 + self.text.bytes().take(byte).filter(|&byte| byte == b'\n').count()
    }

    /// The text at `span`.
    pub(super) fn written(&self, span: Range<usize>) -> &str {
        self.text.get(span).unwrap_or_default()
    }

    /// The node types, as far as they are tables, each with its bytes.
    pub(super) fn node_types(&self) -> Vec<(Range<usize>, &Table)> {
        let list = self.root.get("node_type").and_then(|entry| entry.node.as_list());
        let tables = list.into_iter().flatten().map(|item| (item.span.clone(), item.as_table()));
        tables.filter_map(|(span, table)| Some((span, table?))).collect()
    }

    /// How the node type at `index` is called, if it has a name.
    pub(super) fn node_type_name(&self, index: usize) -> Option<&str> {
        self.node_types().get(index)?.1.get("name")?.node.as_text()
    }

    /// The entry of a key, if the file has it.
    pub(super) fn find(&self, target: Target) -> Option<&Entry> {
        let (table, leaf) = target.path.rsplit_once('.').unwrap_or(("", target.path));
        match target.node_type {
            Some(index) => self.node_types().get(index)?.1.get(leaf),
            None if table.is_empty() => self.root.get(leaf),
            None => self.root.get(table)?.node.as_table()?.get(leaf),
        }
    }

    /// The key that a setting's dotted path means. `place` is where the setting is.
    pub(super) fn target(&self, path: &str, place: &Place) -> Result<Target, ScenarioError> {
        let error = |problem| ScenarioError::new(problem, place.clone());
        if let Some(rest) = path.strip_prefix("node_type.") {
            return self.node_type_target(path, rest, place);
        }
        if path == "sweep.vary" || path == "sweep.baseline" {
            return Err(error(Problem::NotASetting(path.to_owned(), "set"))
                .remedy("write it in the file, or add an axis with --vary key=value,value"));
        }
        let whole = SCENARIO_KEYS.iter().map(|key| key.path).chain(SWEEP_KEYS.iter().map(|key| key.path));
        for known in whole {
            if known == path {
                return Ok(Target { path: known, node_type: None });
            }
        }
        if let Some(what) = not_yet(path) {
            return Err(error(Problem::NotYet(what)).remedy("leave it out"));
        }
        let unknown = error(Problem::UnknownKey(path.to_owned()));
        let same_leaf = variable_paths().find(|known| known.rsplit('.').next() == Some(path));
        Err(match same_leaf.or_else(|| nearest(path, variable_paths())) {
            Some(known) => unknown.remedy(format!("did you mean `{known}`?")),
            None => unknown.remedy("a key is named by its table and its name, as in `policy.idle_grace`"),
        })
    }

    /// The key of a node type that `rest`, the path without `node_type.`, means.
    fn node_type_target(&self, path: &str, rest: &str, place: &Place) -> Result<Target, ScenarioError> {
        let error = |problem| ScenarioError::new(problem, place.clone());
        let (name, leaf) = rest.rsplit_once('.').map_or((None, rest), |(name, leaf)| (Some(name), leaf));
        let Some(key) = NODE_TYPE_KEYS.iter().find(|key| key.leaf() == leaf) else {
            let unknown = error(Problem::UnknownKey(path.to_owned()));
            let leaves = || NODE_TYPE_KEYS.iter().map(super::keys::Key::leaf).filter(|&leaf| leaf != "name");
            let remedy = match nearest(leaf, leaves()) {
                Some(known) => format!("did you mean `{}`?", path.replace(leaf, known)),
                None => format!("the keys of a node type are {}", leaves().collect::<Vec<_>>().join(", ")),
            };
            return Err(unknown.remedy(remedy));
        };
        if key.path == NODE_TYPE_NAME {
            return Err(error(Problem::NotASetting(path.to_owned(), "set: it tells the node types apart"))
                .remedy("change it in the file"));
        }
        let count = self.node_types().len();
        let index = match name {
            None if count <= 1 => Some(0),
            None => None,
            Some(name) => (0..count).find(|&index| self.node_type_name(index) == Some(name)),
        };
        let names: Vec<_> = (0..count).filter_map(|index| self.node_type_name(index)).collect();
        let remedy = || format!("write node_type.NAME.{leaf} with one of the names: {}", names.join(", "));
        match (index, name) {
            (Some(index), _) => Ok(Target { path: key.path, node_type: Some(index) }),
            (None, None) => Err(error(Problem::WhichNodeType(path.to_owned())).remedy(remedy())),
            (None, Some(_)) => Err(error(Problem::UnknownKey(path.to_owned())).remedy(remedy())),
        }
    }
}
