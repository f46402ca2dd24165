//! Which entries of the inactive map are forgotten, and which hosts have an entry although they never registered
//! (yarn.md 4.2, 4.3 steps 5 and 6, and 4.6).

use crate::rules::hosts::HostLists;
use crate::rules::rmnode::RmNodeState;
use crate::time::{SimSpan, SimTime};

/// The timer looks at least this often.
const LONGEST_PERIOD: SimSpan = SimSpan::from_mins(10);

/// When the resource manager forgets hosts that no list names, and whether it misses those that never came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackingRules {
    /// An entry is forgotten when it has been untracked for longer than this.
    pub removal_timeout: SimSpan,
    /// Only entries in these states are forgotten; empty: in any.
    pub removal_states: Vec<RmNodeState>,
    /// Whether hosts can be untracked although no include file is configured (YARN-10854).
    pub even_without_include: bool,
    /// Whether included hosts that never registered are LOST after a refresh (YARN-11730).
    pub misses_unregistered: bool,
}

/// What the timer does with an entry of the inactive map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upkeep {
    /// Nothing.
    Keep,
    /// Note that it is untracked from now on.
    Stamp,
    /// It is tracked again: the note goes.
    Clear,
    /// Drop it, and take it off its counter.
    Forget,
}

impl TrackingRules {
    /// Time between two looks of the timer, and until the first one (yarn.md 4.2, step 3).
    pub fn period(&self) -> SimSpan {
        SimSpan::from_ms(self.removal_timeout.as_ms() / 2).min(LONGEST_PERIOD)
    }

    /// What the timer does with an entry that is `untracked` or not, and was noted as untracked at `since`
    /// (yarn.md 4.6).
    pub fn upkeep(
        &self,
        untracked: bool,
        state: RmNodeState,
        since: Option<SimTime>,
        now: SimTime,
    ) -> Upkeep {
        let is_meant = self.removal_states.is_empty() || self.removal_states.contains(&state);
        match (untracked && is_meant, since) {
            (true, None) => Upkeep::Stamp,
            (true, Some(since)) if now.since(since) > self.removal_timeout => Upkeep::Forget,
            (true, Some(_)) | (false, None) => Upkeep::Keep,
            (false, Some(_)) => Upkeep::Clear,
        }
    }

    /// The state of the entry that a host has which never registered; `None`: it has none.
    ///
    /// An excluded one gets its entry when the resource manager starts (yarn.md 4.2), an included one, if that is
    /// switched on, with a refresh (4.3, step 6).
    pub fn placeholder(&self, lists: &HostLists, host: &str, at: ListsRead) -> Option<RmNodeState> {
        match at {
            ListsRead::AtStart => lists.exclude.hosts.contains(host).then_some(RmNodeState::Decommissioned),
            ListsRead::AtRefresh => {
                let is_missed =
                    self.misses_unregistered && lists.include.hosts.contains(host) && lists.is_valid(host);
                is_missed.then_some(RmNodeState::Lost)
            }
        }
    }
}

/// When the lists were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListsRead {
    /// As the resource manager started.
    AtStart,
    /// At a refresh.
    AtRefresh,
}

#[cfg(test)]
mod tests;
