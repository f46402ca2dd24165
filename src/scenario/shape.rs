//! Which keys a file has: those that are unknown, not read yet, or of the wrong shape are told here.
//!
//! It looks at names and tables only; values are read in `resolve`.

use super::errors::{Place, Problem, ScenarioError};
use super::keys::{TableList, list_at, not_yet, paths};
use super::suggest::nearest;
use super::tree::{Entry, Table};

/// All that is wrong with the names of keys in `root` and with its tables.
pub(super) fn errors(root: &Table) -> Vec<ScenarioError> {
    let mut errors = Vec::new();
    walk(root, "", &mut errors);
    errors
}

/// Looks at the table at `path`. It goes down into known tables only, so three steps at most.
fn walk(table: &Table, path: &str, errors: &mut Vec<ScenarioError>) {
    for entry in table.entries() {
        let place = Place::Span(entry.name_span.clone());
        let full = joined(path, &entry.name);
        if let Some(what) = not_yet(&full) {
            errors.push(ScenarioError::new(Problem::NotYet(what), place).remedy("leave it out"));
        } else if let Some(list) = list_at(&full) {
            tables(list, entry, errors);
        } else if paths().any(|(known, _)| known == full) {
            // A known key: its value is read elsewhere.
        } else if !is_table(&full) {
            errors.push(unknown(path, &entry.name, place));
        } else if let Some(inner) = entry.node.as_table() {
            walk(inner, &full, errors);
        } else {
            let remedy = format!("write [{full}] on a line of its own, then its keys");
            errors.push(ScenarioError::new(Problem::NotATable(full, "table"), place).remedy(remedy));
        }
    }
}

/// Looks at all tables of a list.
fn tables(list: &TableList, entry: &Entry, errors: &mut Vec<ScenarioError>) {
    let no_list = |span| {
        let problem = Problem::NotATable(list.path.to_owned(), "list of tables");
        let header = list.header();
        ScenarioError::new(problem, Place::Span(span))
            .remedy(format!("write {header}, with two brackets, above the keys of each {}", list.what))
    };
    let Some(items) = entry.node.as_list() else {
        errors.push(no_list(entry.name_span.clone()));
        return;
    };
    for item in items {
        match item.as_table() {
            Some(table) => walk(table, list.path, errors),
            None => errors.push(no_list(item.span.clone())),
        }
    }
}

/// Whether keys are known under `path`.
fn is_table(path: &str) -> bool {
    paths().any(|(known, _)| known.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
}

/// The error for the unknown key `leaf` of the table `table`, with the likeliest remedy.
fn unknown(table: &str, leaf: &str, place: Place) -> ScenarioError {
    let error = ScenarioError::new(Problem::UnknownKey(joined(table, leaf)), place);
    let siblings = || paths().filter_map(|(path, meaning)| Some((child(table, path)?, meaning)));
    if let Some(near) = nearest(leaf, siblings().map(|(name, _)| name)) {
        let meaning = siblings().find(|&(name, _)| name == near && !is_table(&joined(table, name)));
        return error.remedy(match meaning {
            Some((_, meaning)) => format!("did you mean `{near}`: {meaning}?"),
            None => format!("did you mean {}?", header(&joined(table, near))),
        });
    }
    // The right word in the wrong table.
    let elsewhere = paths().find_map(|(path, _)| path.rsplit_once('.').filter(|&(_, name)| name == leaf));
    if let Some((home, _)) = elsewhere {
        return error.remedy(format!("`{leaf}` belongs in {}", header(home)));
    }
    let mut names: Vec<_> = siblings().map(|(name, _)| name).collect();
    names.dedup();
    let here = if table.is_empty() { "the file" } else { table };
    error.remedy(format!("the keys of {here} are {}", names.join(", ")))
}

/// What stands above the keys of the table, or of each table of the list, at `path`.
pub(super) fn header(path: &str) -> String {
    list_at(path).map_or_else(|| format!("[{path}]"), TableList::header)
}

/// The dotted path of a key in a table; the root's path is empty.
pub(super) fn joined(table: &str, leaf: &str) -> String {
    if table.is_empty() { leaf.to_owned() } else { format!("{table}.{leaf}") }
}

/// The name right under `table` on the way to `path`.
fn child<'p>(table: &str, path: &'p str) -> Option<&'p str> {
    let rest = if table.is_empty() { path } else { path.strip_prefix(table)?.strip_prefix('.')? };
    rest.split('.').next()
}
