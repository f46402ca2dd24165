//! The hosts files of a scenario: how they are read from the disk, and what is told of them before anything runs.
//!
//! What follows from a file that cannot be understood is asked of the rule that the simulation asks too. Where the
//! resource manager would not start it is an error; otherwise it happens in the simulation, and is warned of.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use super::errors::{Problem, ScenarioError};
use super::explain::Explained;
use super::file::ScenarioFile;
use super::keys::AT;
use super::read::is_granted;
use super::resolve::Resolution;
use super::target::Target;
use crate::rules::hosts::{Cluster, List, ListFile, Surprise, Warning, lint};
use crate::rules::reading::{Configured, Unread};
use crate::rules::refresh::{FailureOutcome, ReadAt};
use crate::rules::script::{Action, RefreshMode};

/// The text of the file at `path`; `None`: there is no such file.
///
/// # Errors
/// It is there and cannot be read, or is not UTF-8; in words.
pub fn text_of(path: &Path) -> Result<Option<String>, String> {
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|error| format!("byte {} is not UTF-8", error.utf8_error().valid_up_to())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// The hosts of a scenario with these named nodes; what is granted joins as `node-1`, `node-2` …
pub fn cluster<'n>(named: impl Iterator<Item = &'n str>) -> Cluster {
    Cluster { hosts: named.map(str::to_owned).collect(), may_join: is_granted }
}

/// What keeps the resource manager from starting.
pub(super) fn errors(resolution: &Resolution) -> Vec<ScenarioError> {
    let start = Reading::at_start(resolution);
    let is_error = start.files.read(start.at) == Err(FailureOutcome::StartFails);
    if is_error { start.failures() } else { Vec::new() }
}

/// What is told of the hosts files of a scenario that has no errors, reading by reading.
pub(super) fn warnings(file: &ScenarioFile, resolution: &Resolution) -> Vec<ScenarioError> {
    let cluster = cluster(resolution.draft.nodes.iter().map(|node| node.name.as_str()));
    let mut told = BTreeSet::new();
    let mut warnings = Vec::new();
    for reading in readings(file, resolution) {
        warnings.extend(reading.failures());
        let found = reading.surprises(&cluster).into_iter();
        let news = found.filter(|(_, warning)| told.insert(warning.clone()));
        warnings.extend(news.map(|(key, warning)| odd(key, warning)));
    }
    warnings
}

/// The files are read, at one moment.
struct Reading<'r> {
    at: ReadAt,
    files: Configured,
    /// The key that has the include file read, and that of the exclude file.
    keys: [Option<&'r Explained>; 2],
}

/// All readings, in order of time.
fn readings<'r>(file: &ScenarioFile, resolution: &'r Resolution) -> Vec<Reading<'r>> {
    let mut moments: Vec<_> = file.tables(AT, None).into_iter().zip(&resolution.draft.moments).collect();
    moments.sort_by_key(|(_, moment)| moment.at);
    let mut readings = vec![Reading::at_start(resolution)];
    let mut in_force = readings[0].files.clone();
    for (item, moment) in moments {
        let key = resolution.key(Target { path: "at.refresh_nodes", item: Some(item) });
        for action in &moment.actions {
            let Action::RefreshNodes { include, exclude, mode } = action else { continue };
            let at = match mode {
                RefreshMode::Normal => ReadAt::Normal,
                RefreshMode::Graceful { .. } => ReadAt::Graceful,
            };
            let files = in_force.with(&Configured { include: include.clone(), exclude: exclude.clone() });
            if files.read(at) != Err(FailureOutcome::RequestFails) {
                in_force = files.clone();
            }
            readings.push(Reading { at, files, keys: [key; 2] });
        }
    }
    readings
}

impl<'r> Reading<'r> {
    fn at_start(resolution: &'r Resolution) -> Self {
        let keys = ["lists.include", "lists.exclude"].map(|path| resolution.key(Target::whole(path)));
        Self { at: ReadAt::Start, files: Configured::from(&resolution.draft.scenario.script), keys }
    }

    fn key(&self, list: List) -> Option<&'r Explained> {
        let [include, exclude] = self.keys;
        match list {
            List::Include => include,
            List::Exclude => exclude,
        }
    }

    /// The files that cannot be understood, and what follows.
    fn failures(&self) -> Vec<ScenarioError> {
        let Err(outcome) = self.files.read(self.at) else { return Vec::new() };
        let failed = |list| {
            let (key, file) = (self.key(list)?, self.files.file(list)?);
            let unread = self.files.understood(list)?.err()?;
            Some(failure(key, &file.path.display().to_string(), unread))
        };
        let mut failures: Vec<_> =
            [List::Include, List::Exclude].into_iter().filter_map(failed).flatten().collect();
        for failure in &mut failures {
            failure.notes.push(consequence(outcome).to_owned());
        }
        failures
    }

    /// What is odd in the files that can be understood, each with the key that has the file read.
    fn surprises(&self, cluster: &Cluster) -> Vec<(&'r Explained, Warning)> {
        let understood = |list| self.files.understood(list).and_then(Result::ok);
        let (include, exclude) = (understood(List::Include), understood(List::Exclude));
        let warnings = lint(include.as_slice(), exclude.as_slice(), Some(cluster));
        let is_of = |file: &Option<ListFile>, path: &str| file.as_ref().is_some_and(|file| file.path == path);
        let keyed = warnings.into_iter().filter_map(|warning| {
            let list = if is_of(&include, &warning.path) { List::Include } else { List::Exclude };
            Some((self.key(list)?, warning))
        });
        keyed.collect()
    }
}

fn failure(key: &Explained, file: &str, unread: Unread) -> Vec<ScenarioError> {
    let at_key = |problem| ScenarioError::new(problem, key.place.clone());
    match unread {
        Unread::Missing => {
            let warning = at_key(Problem::NoHostsFile(key.key.clone(), file.to_owned()));
            vec![warning.remedy("if that is not what the story is about, correct the path")]
        }
        Unread::Malformed(errors) => {
            let bad = |error| Problem::BadHostsFile { key: key.key.clone(), file: file.to_owned(), error };
            errors.into_iter().map(|error| at_key(bad(error))).collect()
        }
    }
}

const fn consequence(outcome: FailureOutcome) -> &'static str {
    match outcome {
        FailureOutcome::EmptyLists => "the resource manager goes on with empty lists",
        FailureOutcome::RequestFails => "the request fails, and the lists stay as they were",
        FailureOutcome::StartFails => "the resource manager does not start",
    }
}

fn odd(key: &Explained, warning: Warning) -> ScenarioError {
    let is_name = matches!(warning.surprise, Surprise::NotInCluster(_));
    let warning = Problem::OddHostsFile { key: key.key.clone(), warning };
    let warning = ScenarioError::new(warning, key.place.clone());
    if is_name {
        return warning
            .remedy("nodes are called as [[node]] names them; instances that are granted node-1, node-2 …");
    }
    warning
}
