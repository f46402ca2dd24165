//! `ebbtide hosts`: reads hosts files as YARN does and says whom they name, what YARN refuses, and what it takes
//! without a word although hardly anybody means it. It writes nothing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::Failure;
use super::args::HostsArgs;
use super::terminal::Terminal;
use crate::report::json::SCHEMA;
use crate::rules::hosts::{Cluster, Entry, HostsError, List, ListFile, Timeout, lint};
use crate::scenario::ScenarioFile;
use crate::scenario::hosts::{cluster, text_of};

/// Why a hosts file cannot be read: one of the reasons.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("{0}: there is no such file: correct the path")]
    Missing(String),
    #[error("{path}: the file cannot be read: {reason}; a hosts file is UTF-8 text")]
    Unreadable { path: String, reason: String },
    #[error("{path}:{error}")]
    Malformed { path: String, error: HostsError },
}

/// Looks at all files before it fails.
pub(super) fn hosts(args: &HostsArgs, terminal: &Terminal) -> Result<(), Failure> {
    let cluster = args.scenario.as_deref().map(cluster_of).transpose()?;
    let mut errors = Vec::new();
    let includes = read_all(List::Include, &args.include, &mut errors);
    let excludes = read_all(List::Exclude, &args.exclude, &mut errors);
    let files = [(List::Include, includes.as_slice()), (List::Exclude, excludes.as_slice())];
    if terminal.json {
        terminal.print(&as_json(&files))?;
    } else {
        terminal.show(&as_text(&files))?;
    }
    for warning in lint(&includes, &excludes, cluster.as_ref()) {
        terminal.warn_of(&warning);
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::Hosts(errors)) }
}

fn cluster_of(scenario: &Path) -> Result<Cluster, Failure> {
    let scenario = ScenarioFile::read(scenario)?.resolve(&[])?;
    Ok(cluster(scenario.script.nodes.iter().map(|node| node.name.as_str())))
}

/// The files that can be read; what is wrong with the others is added to the errors.
fn read_all(list: List, paths: &[PathBuf], errors: &mut Vec<FileError>) -> Vec<ListFile> {
    let mut read = Vec::new();
    for path in paths {
        match read_one(list, path) {
            Ok(file) => read.push(file),
            Err(found) => errors.extend(found),
        }
    }
    read
}

fn read_one(list: List, path: &Path) -> Result<ListFile, Vec<FileError>> {
    let name = path.display().to_string();
    let text = match text_of(path) {
        Ok(Some(text)) => text,
        Ok(None) => return Err(vec![FileError::Missing(name)]),
        Err(reason) => return Err(vec![FileError::Unreadable { path: name, reason }]),
    };
    ListFile::of(list, &name, &text).map_err(|errors| {
        let malformed = |error| FileError::Malformed { path: name.clone(), error };
        errors.into_iter().map(malformed).collect()
    })
}

/// The files of each list.
type Lists<'a> = [(List, &'a [ListFile]); 2];

fn as_text(lists: &Lists<'_>) -> String {
    let mut text = String::new();
    for (list, files) in lists {
        for file in *files {
            let entries = file.hosts.entries();
            let (path, list, count) = (&file.path, list.name(), entries.len());
            writeln!(text, "{path}: {list} file, entries: {count}").expect("text takes all");
            let rows: Vec<_> = entries.iter().map(row).collect();
            let width = |cell: fn(&[String; 3]) -> &String| {
                rows.iter().map(|row| cell(row).chars().count()).max().unwrap_or_default()
            };
            let (places, names) = (width(|row| &row[0]), width(|row| &row[1]));
            for [place, name, timeout] in &rows {
                writeln!(text, "  {place:places$}  {name:names$}  {timeout}").expect("text takes all");
            }
        }
    }
    text
}

/// Where an entry stands, its name, and its timeout.
fn row(entry: &Entry) -> [String; 3] {
    [entry.place.to_string(), format!("{:?}", entry.name), Timeout(entry.timeout_s).to_string()]
}

fn as_json(lists: &Lists<'_>) -> String {
    let entry = |entry: &Entry| {
        json!({
            "name": entry.name,
            "timeout_s": entry.timeout_s,
            "line": entry.place.line,
            "column": entry.place.column,
        })
    };
    let files = lists.iter().flat_map(|(list, files)| {
        files.iter().map(move |file| {
            let entries: Vec<_> = file.hosts.entries().iter().map(entry).collect();
            json!({ "path": file.path, "list": list.name(), "entries": entries })
        })
    });
    let files: Vec<_> = files.collect();
    format!("{}\n", json!({ "schema": SCHEMA, "files": files }))
}
