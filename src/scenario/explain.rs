//! Where each value comes from: what `check --explain` shows, and the resolved scenario as TOML.

use std::fmt;

use super::errors::{Place, ScenarioErrors};
use super::file::{ScenarioFile, Setting};
use super::target::Target;

/// One key, resolved.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Its dotted path; keys of a node type have the type's name in it, and so on.
    pub key: String,
    /// Its value.
    pub value: ExplainedValue,
    /// Where the value comes from.
    pub origin: Origin,
    /// What the key means.
    pub meaning: &'static str,
    /// The table in which it stands: empty for the root, `node_type.` and its name for a node type.
    pub(super) table: String,
    /// What stands above that table.
    pub(super) header: String,
    /// Its name in that table, with quotes where TOML needs them.
    pub(super) leaf: String,
    /// Where the value is, for messages about it.
    pub(super) place: Place,
    pub(super) target: Target,
}

/// A value as it can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplainedValue {
    /// The canonical text, as TOML.
    Toml(String),
    /// There is no value; the words say what that means.
    Absent(&'static str),
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said anything else.
    Default,
    /// This line of the file, counted from 1.
    Line(usize),
    /// A flag of the command line, or a sweep.
    Argument(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Argument(flag) => f.write_str(flag),
        }
    }
}

impl Explained {
    /// The canonical text of the value as TOML; `None` if there is no value.
    pub fn toml(&self) -> Option<&str> {
        match &self.value {
            ExplainedValue::Toml(text) => Some(text),
            ExplainedValue::Absent(_) => None,
        }
    }
}

impl ScenarioFile {
    /// Every key of the scenario, without `[sweep]`, with its value and the value's origin.
    ///
    /// # Errors
    /// The same as those of [`ScenarioFile::resolve`].
    pub fn explain(&self, settings: &[Setting]) -> Result<Vec<Explained>, ScenarioErrors> {
        let (overrides, mut errors) = self.overrides(settings);
        let resolution = self.assemble(&overrides);
        errors.extend(resolution.errors);
        if errors.is_empty() { Ok(resolution.keys) } else { Err(self.errors(errors)) }
    }
}

/// Explained keys as a scenario file: valid TOML that resolves to the same values, each line with its origin.
/// Paths stay as they were written, relative to the folder of the scenario that was explained.
pub fn resolved_toml(keys: &[Explained]) -> String {
    let mut text = String::new();
    let mut table = "";
    for key in keys {
        if key.table != table {
            table = &key.table;
            text.push_str(&format!("\n{}\n", key.header));
        }
        text.push_str(&match &key.value {
            ExplainedValue::Toml(value) => format!("{} = {value}  # {}\n", key.leaf, key.origin),
            ExplainedValue::Absent(what) => format!("# {}: {what}  # {}\n", key.leaf, key.origin),
        });
    }
    text
}
