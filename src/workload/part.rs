//! Which part of a trace is loaded, and how its times are scaled: the same for logs of jobs and traces of applications.

use super::WorkloadSpec;
use super::error::WorkloadError;
use crate::time::SimSpan;

impl WorkloadSpec {
    /// Refuses factors that times cannot be scaled with.
    ///
    /// # Errors
    /// A factor is not a number above 0.
    pub(super) fn check_scale(&self) -> Result<(), WorkloadError> {
        for (key, value) in [("scale_load", self.scale_load), ("scale_time", self.scale_time)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(WorkloadError::Scale { path: self.trace.clone(), key, value });
            }
        }
        Ok(())
    }

    /// Whether so many jobs are as many as were asked for.
    pub(super) fn is_full(&self, loaded: usize) -> bool {
        self.jobs.is_some_and(|most| loaded as u64 >= most)
    }

    /// Whether what is submitted at this (unscaled) offset lies between `from` and `until`.
    pub(super) fn is_in_window(&self, offset_ms: i64) -> bool {
        let from_ms = self.from.map(|from| from.as_ms().cast_signed());
        let until_ms = self.until.map(|until| until.as_ms().cast_signed());
        from_ms.is_none_or(|from_ms| offset_ms >= from_ms)
            && until_ms.is_none_or(|until_ms| offset_ms < until_ms)
    }

    /// The gap between two submits, scaled; `None` beyond simulated time.
    pub(super) fn scaled_gap_ms(&self, ms: u64) -> Option<u64> {
        scaled_ms(ms, self.scale_time / self.scale_load)
    }

    /// A delay, scaled; `None` beyond simulated time.
    pub(super) fn scaled_delay(&self, span: SimSpan) -> Option<SimSpan> {
        scaled_ms(span.as_ms(), self.scale_time).map(SimSpan::from_ms)
    }

    /// How long something runs, scaled: what takes any time at all still does. `None` beyond simulated time.
    pub(super) fn scaled_run(&self, span: SimSpan) -> Option<SimSpan> {
        self.scaled_delay(span).map(|span| span.max(SimSpan::MILLISECOND))
    }

    /// The refusal of times that scaling leads beyond simulated time.
    pub(super) fn too_far(&self, job: impl ToString) -> WorkloadError {
        WorkloadError::ScaledTooFar { path: self.trace.clone(), job: job.to_string() }
    }
}

/// `ms` times `factor`, to the nearest millisecond; `None` beyond simulated time.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is whole, and between 0 and what simulated time holds"
)]
fn scaled_ms(ms: u64, factor: f64) -> Option<u64> {
    // Nothing may change where nothing is scaled, not even times that a float cannot hold exactly.
    if factor == 1.0 {
        return Some(ms);
    }
    let scaled = (ms as f64 * factor).round();
    (scaled < SimSpan::MAX.as_ms() as f64).then_some(scaled as u64)
}
