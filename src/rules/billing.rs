//! What an instance costs.

use crate::time::SimSpan;

/// How the cloud rounds an instance's life up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Billing {
    /// Each begun quantum is paid whole. At least one millisecond.
    pub quantum: SimSpan,
    /// The least that is paid for an instance.
    pub minimum: SimSpan,
}
