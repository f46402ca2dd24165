//! The wall clock, for the manifest alone.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Measures how long a command takes.
pub(super) struct Watch {
    /// When the command began, in seconds since 1970.
    pub started_unix_s: u64,
    start: Instant,
}

impl Watch {
    #[expect(
        clippy::disallowed_methods,
        reason = "the manifest says when a result was made and how long it took"
    )]
    pub(super) fn start() -> Self {
        let started_unix_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self { started_unix_s, start: Instant::now() }
    }

    /// Seconds since the start.
    pub(super) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}
