//! The study: from one run to many.
//!
//! [`run_once()`] plays one scenario. A [`Grid`] lays out the runs of a sweep, [`play_sweep`] plays them on all cores,
//! and [`compare()`] says which setting is cheapest, which disturbs least, and which are worth a look.

pub mod apps;
pub mod compare;
pub mod grid;
pub mod playable;
pub mod run_once;
pub mod sweep;

pub use apps::{LeftOut, app_counts, app_never_fits, columns, left_out};
pub use compare::{Comparison, SettingRow, compare};
pub use grid::Grid;
pub use playable::playable;
pub use run_once::{RunError, RunOptions, RunResult, never_fits, run_once};
pub use sweep::{CellFinished, RunRow, SweepError, SweepPlan, SweepResult, play_sweep};
