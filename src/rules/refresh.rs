//! What a refresh of the hosts files does to each node (yarn.md 4.3, 4.4), and what follows if they cannot be read
//! (4.2, 4.5).
//!
//! A timeout `T` is whatever the caller keeps: YARN compares numbers of seconds, so that -1 and -2, both without end,
//! differ there.

use crate::rules::hosts::Standing;
use crate::rules::rmnode::RmNodeState;

#[cfg(test)]
mod tests;

/// How the files are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh<T> {
    /// Excluded nodes go at once.
    Normal,
    /// Excluded nodes are drained.
    Graceful {
        /// For how long at most, by [`effective_timeout`].
        timeout: T,
    },
}

/// The event that a refresh sends to a node. All RECOMMISSIONs go out before any of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshAction<T> {
    /// RECOMMISSION.
    Recommission,
    /// GRACEFUL_DECOMMISSION, with the timeout; the node is in the set of those whose heartbeats are borne although
    /// they are excluded. A node that is NEW cannot take it.
    GracefulDecommission(T),
    /// DECOMMISSION.
    Decommission,
    /// SHUTDOWN. A node that is NEW cannot take it.
    Shutdown,
}

impl<T> RefreshAction<T> {
    /// YARN's name of the event.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Recommission => "RECOMMISSION",
            Self::GracefulDecommission(_) => "GRACEFUL_DECOMMISSION",
            Self::Decommission => "DECOMMISSION",
            Self::Shutdown => "SHUTDOWN",
        }
    }
}

/// The timeout of a graceful refresh for one host (yarn.md 0.2, 4.3): that of its name in the exclude file, or else the
/// request's, or else the one configured when the request was made.
pub fn effective_timeout<T>(of_host: Option<T>, of_request: Option<T>, configured: T) -> T {
    of_host.or(of_request).unwrap_or(configured)
}

/// What a refresh sends to a node, given its `stored` timeout, which is looked at only while it drains: the table of
/// yarn.md 4.3, step 3.
#[rustfmt::skip]
pub fn refresh_action<T: PartialEq>(
    standing: Standing,
    refresh: Refresh<T>,
    state: RmNodeState,
    stored: &T,
) -> Option<RefreshAction<T>> {
    use Refresh::{Graceful, Normal};
    use RefreshAction::{Decommission, GracefulDecommission, Recommission, Shutdown};
    use RmNodeState as State;
    use Standing::{Excluded, Untracked, Valid};
    match (standing, refresh, state) {
        (Valid, Normal | Graceful { .. }, State::Decommissioning) => Some(Recommission),
        (Valid, Normal | Graceful { .. }, State::New | State::Running | State::Unhealthy) => None,
        (Excluded | Untracked, Graceful { timeout }, State::New | State::Running | State::Unhealthy) =>
            Some(GracefulDecommission(timeout)),
        (Excluded | Untracked, Graceful { timeout }, State::Decommissioning) =>
            (*stored != timeout).then_some(GracefulDecommission(timeout)),
        (Untracked, Normal, State::New | State::Running | State::Unhealthy | State::Decommissioning) => Some(Shutdown),
        (Excluded, Normal, State::New | State::Running | State::Unhealthy | State::Decommissioning) =>
            Some(Decommission),
        // The inactive map is never visited.
        (_, _, State::Decommissioned | State::Lost | State::Rebooted | State::Shutdown) => None,
    }
}

/// What a FORCEFUL request sends to a node (yarn.md 4.4): it ends every drain, whoever began it, and reads no file.
///
/// `untracked` is by the lists in force and the setting ([`crate::rules::hosts::HostLists::is_untracked`]); whether the
/// node is excluded does not matter.
pub const fn forceful_action<T>(untracked: bool, state: RmNodeState) -> Option<RefreshAction<T>> {
    match state {
        RmNodeState::Decommissioning if untracked => Some(RefreshAction::Shutdown),
        RmNodeState::Decommissioning => Some(RefreshAction::Decommission),
        RmNodeState::New
        | RmNodeState::Running
        | RmNodeState::Unhealthy
        | RmNodeState::Decommissioned
        | RmNodeState::Lost
        | RmNodeState::Rebooted
        | RmNodeState::Shutdown => None,
    }
}

/// Why a hosts file cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFailure {
    /// There is no such file, or it cannot be opened: an I/O or YARN exception.
    Missing,
    /// It says what its format does not allow ([`crate::rules::hosts::HostsError`]): an unchecked exception.
    Malformed,
}

/// When the hosts files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAt {
    /// As the resource manager starts.
    Start,
    /// At a NORMAL refresh.
    Normal,
    /// At a GRACEFUL refresh.
    Graceful,
}

/// What follows from hosts files that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureOutcome {
    /// A warning, and it goes on with empty lists and no paths ([`crate::rules::hosts::HostsReader::disable`]). A
    /// request succeeds but sends nothing to any node; excluded hosts may register again.
    EmptyLists,
    /// The request fails, and the lists stay as they were.
    RequestFails,
    /// The resource manager does not start.
    StartFails,
}

/// What follows from hosts files that cannot be read (yarn.md 4.2, 4.5).
pub const fn failure_outcome(failure: ReadFailure, at: ReadAt) -> FailureOutcome {
    match (failure, at) {
        (ReadFailure::Missing, ReadAt::Start | ReadAt::Normal) => FailureOutcome::EmptyLists,
        (ReadFailure::Missing, ReadAt::Graceful) => FailureOutcome::RequestFails,
        (ReadFailure::Malformed, ReadAt::Start) => FailureOutcome::StartFails,
        (ReadFailure::Malformed, ReadAt::Normal | ReadAt::Graceful) => FailureOutcome::RequestFails,
    }
}
