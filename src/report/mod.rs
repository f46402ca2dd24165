//! Results for people and their tools: CSV files, a manifest, terminal tables, JSON.
//!
//! What a number means is said where it is computed, in the ledger. Here it is only written down: the writers are
//! functions into any [`std::io::Write`], and [`folder`] alone knows of files.

pub mod containers;
pub mod folder;
pub mod json;
pub mod manifest;
mod rows;
pub mod run;
pub mod story;
pub mod sweep;
pub mod sweep_table;
pub mod table;
#[cfg(test)]
mod tests;

pub use folder::{FolderError, ResultFolder};
pub use manifest::Manifest;
pub use run::SummaryRows;
pub use story::{Story, StoryError};
