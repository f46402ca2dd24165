//! A scenario file as text with places: parsed, not yet understood.
//!
//! What the keys mean is in `keys`, where they are found in `target`; how they become a scenario is in `resolve`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::errors::{Place, Problem, ScenarioError, ScenarioErrors};
use super::tree::Table;

/// More text than any scenario has: what is larger is something else, a job log for instance.
const TEXT_BYTES_MOST: usize = 4 << 20;

/// A scenario file, read and parsed.
#[derive(Clone, Debug)]
pub struct ScenarioFile {
    path: PathBuf,
    text: Arc<str>,
    /// Where each line but the first begins, in bytes.
    line_starts: Arc<[usize]>,
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
        let Self { key, value, origin } = self;
        // A flag of a key's own, such as --seed, is followed by the value alone.
        let is_of_its_own = origin.trim_start_matches('-') == key;
        Place::Argument(if is_of_its_own {
            format!("{origin} {value}")
        } else {
            format!("{origin} {key}={value}")
        })
    }
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
        let line_starts = text.match_indices('\n').map(|(end, _)| end + 1).collect();
        let file = Self { path: path.to_owned(), text: Arc::from(text), line_starts, root };
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
        self.path.parent().unwrap_or_else(|| Path::new(""))
    }

    pub(super) fn root(&self) -> &Table {
        &self.root
    }

    /// The line in which a byte stands, counted from 1.
    pub(super) fn line_of(&self, byte: usize) -> usize {
        1 + self.line_starts.partition_point(|&start| start <= byte)
    }

    /// The text at `span`.
    pub(super) fn written(&self, span: Range<usize>) -> &str {
        self.text.get(span).unwrap_or_default()
    }
}
