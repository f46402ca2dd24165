//! The study: from one run to many.
//!
//! [`run_once()`] plays one scenario. A [`Grid`] lays out the runs of a sweep, [`play_sweep`] plays them on all cores,
//! and [`compare()`] says which setting is cheapest, which disturbs least, and which are worth a look.

pub mod apps;
pub mod compare;
pub mod grid;
pub mod rejects;
pub mod run_once;
pub mod sweep;

pub use apps::{columns, names_differ, skipped_apps};
pub use compare::{Comparison, SettingRow, compare};
pub use grid::Grid;
pub use rejects::{app_never_fits, most_cores, never_fits};
pub use run_once::{RunError, RunOptions, RunResult, run_once};
pub use sweep::{CellFinished, RunRow, SweepError, SweepPlan, SweepResult, play_sweep};
