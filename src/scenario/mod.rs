//! The scenario file: from text to a resolved and checked [`Scenario`](model::Scenario), with an error
//! message for everything that is wrong, all at once, each with its place and a remedy.
//!
//! `keys` is the one list of keys. `tree` and `file` parse, `target` finds keys in tables and lists of tables,
//! `shape` looks at the names of keys, `read` reads one value by its kind (`action` those that a script is
//! written with), `resolve` gives every key its value in a `draft`, `check` compares keys, `hosts` judges the
//! hosts files, `warn` tells what is allowed and probably not meant, `sweep` reads `[sweep]`, `explain` shows
//! where values come from, `errors` says what is wrong. Nothing here opens the job log or runs anything.

mod action;
mod check;
mod draft;
mod errors;
mod explain;
mod file;
pub mod hosts;
mod keys;
pub mod model;
mod quantity;
mod read;
mod resolve;
mod shape;
mod suggest;
mod sweep;
mod target;
#[cfg(test)]
mod tests;
mod tree;
mod warn;

pub use errors::{Place, Problem, ScenarioError, ScenarioErrors, ScenarioWarnings, ValueError};
pub use explain::{Explained, ExplainedValue, Origin, resolved_toml};
pub use file::{ScenarioFile, Setting};
pub use quantity::QuantityError;
