//! How long the NodeManager takes for what it does (yarn.md 7.1 and 7.5, as observed on real daemons).

use crate::time::SimSpan;

/// From SHUTDOWN to the end of the process, if an application has just finished.
pub const EXIT_AFTER_END: SimSpan = SimSpan::from_secs(5);
/// The same if an application, with or without a container, is still there.
pub const EXIT_AT_WORK: SimSpan = SimSpan::from_secs(17);
/// An agent that has lost its resource manager tries again after this.
pub const RECONNECT: SimSpan = SimSpan::from_secs(30);
/// It gives up after this.
pub const RECONNECT_GIVES_UP: SimSpan = SimSpan::from_mins(15);
/// A resource manager that has come back waits so long before it allocates again.
pub const SCHEDULING_WAIT: SimSpan = SimSpan::from_secs(10);
/// The administrator's client asks so often.
pub const CLIENT_POLL: SimSpan = SimSpan::from_secs(1);
/// The client forces so much later than the timeout (yarn.md 6.2, in the source).
pub const CLIENT_GRACE: SimSpan = SimSpan::from_secs(5);
