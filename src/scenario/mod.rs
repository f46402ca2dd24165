//! The scenario file: from text to a resolved and checked [`Scenario`](model::Scenario), with an error
//! message for everything that is wrong, all at once, each with its place and a remedy.
//!
//! `keys` is the one list of keys. `tree` and `file` parse, `shape` looks at the names of keys, `read` reads
//! one value by its kind, `resolve` gives every key its value, `check` compares keys, `sweep` reads
//! `[sweep]`, `explain` shows where values come from, `errors` says what is wrong. Nothing here opens the job
//! log or runs anything.

mod check;
mod errors;
mod explain;
mod file;
mod keys;
pub mod model;
mod quantity;
mod read;
mod resolve;
mod shape;
mod suggest;
mod sweep;
#[cfg(test)]
mod tests;
mod tree;

pub use errors::{Place, Problem, ScenarioError, ScenarioErrors, ValueError};
pub use explain::{Explained, ExplainedValue, Origin, resolved_toml};
pub use file::{ScenarioFile, Setting};
pub use quantity::QuantityError;
