//! The study: from one run to many.

pub mod run_once;

pub use run_once::{RunError, RunOptions, RunResult, run_once};
