//! Whose behaviour is played where YARN's documentation page and its source differ: the rows of yarn.md 0 that a
//! simulation can show. `tests/it/page_against_source.rs` plays each of them and says why the others are not here.

use crate::rules::agent::CLIENT_GRACE;
use crate::rules::drain::DrainStatus;
use crate::rules::hosts::Standing;
use crate::rules::rmnode::Retirement;
use crate::rules::rmnode::RmNodeState::{
    self, Decommissioned, Decommissioning, Lost, New, Rebooted, Running, Shutdown, Unhealthy,
};
use crate::rules::script::Tracking;
use crate::time::SimSpan;

/// Whose behaviour is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// The source's, which is the real system's.
    Source,
    /// The page's.
    Page,
}

/// Who keeps the time of a drain that was requested (yarn.md 0.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeKeeper {
    /// The resource manager: the host's own timeout, or else the request's, or else the configured one.
    ResourceManager,
    /// The client that asked for it alone, by the timeout of its request.
    Client,
}

/// From when on the timeout of a drain counts (yarn.md 0.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrainStart {
    /// From the first heartbeat of the draining node; it is looked at only at heartbeats and polls.
    FirstBeat,
    /// From the moment at which the node turns DECOMMISSIONING; it ends at its timeout, whether the node is heard or
    /// not.
    Request,
}

impl Behaviour {
    /// Whether a refresh brings back a node that has left service (yarn.md 0.1). Those that still drain come back by
    /// [`crate::rules::refresh::refresh_action`].
    pub const fn brings_back(self, standing: Standing, state: RmNodeState) -> bool {
        match (self, standing, state) {
            (Self::Page, Standing::Valid, Decommissioned) => true,
            (Self::Source, Standing::Valid, Decommissioned)
            | (_, Standing::Excluded | Standing::Untracked, Decommissioned)
            | (_, _, New | Running | Unhealthy | Decommissioning | Lost | Rebooted | Shutdown) => false,
        }
    }

    /// Who keeps the time of a drain that is tracked so (yarn.md 0.3).
    pub const fn time_keeper(self, tracking: Tracking) -> TimeKeeper {
        match (self, tracking) {
            (Self::Page, Tracking::Client) => TimeKeeper::Client,
            (Self::Page, Tracking::Server) | (Self::Source, Tracking::Server | Tracking::Client) => {
                TimeKeeper::ResourceManager
            }
        }
    }

    /// How long after the timeout a client forces (yarn.md 0.3): in the source it leaves the resource manager time to
    /// act first.
    pub const fn client_grace(self) -> SimSpan {
        match self {
            Self::Source => CLIENT_GRACE,
            Self::Page => SimSpan::ZERO,
        }
    }

    /// Whether the status of draining nodes is written at each poll, if it is `asked` for or not (yarn.md 0.4).
    pub const fn logs_status(self, asked: bool) -> bool {
        match self {
            Self::Source => asked,
            Self::Page => true,
        }
    }

    /// From when on the timeout of a drain counts (yarn.md 0.5).
    pub const fn drain_start(self) -> DrainStart {
        match self {
            Self::Source => DrainStart::FirstBeat,
            Self::Page => DrainStart::Request,
        }
    }

    /// The sub-status of a node whose drain ends with this state (yarn.md 0.6); `None`: the last one stays.
    pub const fn final_status(self, state: RmNodeState) -> Option<DrainStatus> {
        match (self, state) {
            (Self::Page, Decommissioned) => Some(DrainStatus::Decommissioned),
            (Self::Source, Decommissioned)
            | (_, New | Running | Unhealthy | Decommissioning | Lost | Rebooted | Shutdown) => None,
        }
    }

    /// Whether nodes that no list names go otherwise than those that the exclude list names (yarn.md 0.7).
    pub const fn tells_untracked_apart(self) -> bool {
        match self {
            Self::Source => true,
            Self::Page => false,
        }
    }

    /// What a refresh takes a node for that stands so with the lists (yarn.md 0.7).
    pub const fn standing(self, by_lists: Standing) -> Standing {
        match by_lists {
            Standing::Untracked if !self.tells_untracked_apart() => Standing::Excluded,
            Standing::Valid | Standing::Excluded | Standing::Untracked => by_lists,
        }
    }

    /// What becomes of a node that path B would let go (yarn.md 0.11): on the page there is one test of readiness, that
    /// of the watcher.
    pub const fn retirement(self, by_path_b: Retirement) -> Retirement {
        match self {
            Self::Source => by_path_b,
            Self::Page => Retirement::NotYet,
        }
    }
}
