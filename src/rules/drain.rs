//! When a draining node may go: the rules of the decommissioning watcher (yarn.md 3.2 to 3.4), which are path A, and
//! of the node's own status update, which are path B (3.6).

use crate::rules::behaviour::Behaviour;
use crate::rules::rmnode::{Presence, Retirement, RmNodeState};
use crate::time::{SimSpan, SimTime};

/// A node heard this recently is judged by its own heartbeats, not by the poll.
pub const LIVE: SimSpan = SimSpan::from_secs(5);
/// What is left of a drain that has ended is forgotten after more than this.
const FORGET_AFTER: SimSpan = SimSpan::from_secs(60);

/// Whether a container that is first reported after the decommission began holds its node (yarn.md 3.6, R1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstReportRace {
    /// As in YARN: path B does not see it, and the node goes with it.
    Faithful,
    /// It holds the node.
    Fixed,
}

/// How drains are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrainRules {
    /// How long a drain may take where nothing else says so; `None`: for ever.
    pub timeout: Option<SimSpan>,
    /// Time between two polls of the watcher.
    pub poll: SimSpan,
    /// The moment of the first poll.
    pub poll_offset: SimSpan,
    /// Whether a node waits for applications that ran on it (YARN-9608; EMR switches it off).
    pub wait_for_applications: bool,
    /// Whether path B waits for application masters (YARN-10873).
    pub wait_for_app_masters: bool,
    /// A node that has nothing left goes only when it has drained for this long (the YARN-11421 proposal).
    pub delay: SimSpan,
    /// Whether a container that is first reported after the decommission began holds its node.
    pub first_report_race: FirstReportRace,
    /// Whose behaviour is played where page and source differ.
    pub behaviour: Behaviour,
    /// Whether the watcher writes the status of each draining node at each poll (yarn.md 3.5).
    pub status_log: bool,
}

impl DrainRules {
    /// Whether the status of each draining node is written at each poll.
    pub const fn logs_status(&self) -> bool {
        self.behaviour.logs_status(self.status_log)
    }
}

/// How far a drain has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DrainStatus {
    /// The node is not being watched.
    None,
    /// Containers run on it.
    WaitContainer,
    /// No container runs, but an application that ran here has not ended.
    WaitApp,
    /// Something is left, and the timeout has passed.
    Timeout,
    /// Nothing is left.
    Ready,
    /// It has been decommissioned.
    Decommissioned,
}

impl DrainStatus {
    /// YARN's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::WaitContainer => "WAIT_CONTAINER",
            Self::WaitApp => "WAIT_APP",
            Self::Timeout => "TIMEOUT",
            Self::Ready => "READY",
            Self::Decommissioned => "DECOMMISSIONED",
        }
    }

    /// Whether the node may be decommissioned now: READY or TIMEOUT.
    pub const fn is_ready(self) -> bool {
        match self {
            Self::Ready | Self::Timeout => true,
            Self::None | Self::WaitContainer | Self::WaitApp | Self::Decommissioned => false,
        }
    }
}

/// What a heartbeat tells the watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The node's state before the heartbeat's consequences.
    pub state: RmNodeState,
    /// The timeout kept with the node; `None`: it may drain for ever.
    pub timeout: Option<SimSpan>,
    /// Containers of this report that are RUNNING or NEW.
    pub active_containers: u32,
    /// Applications that run on the node, before this report is merged.
    pub applications: Presence,
}

/// What the watcher keeps of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrainContext {
    /// When it was first heard while DECOMMISSIONING, or when it turned so ([`DrainContext::unheard`]): the timeout
    /// counts from here, and nothing moves it.
    start: SimTime,
    /// `None`: it may drain for ever.
    timeout: Option<SimSpan>,
    /// When it was last heard while DECOMMISSIONING.
    last_update: SimTime,
    /// RUNNING or NEW in its last report; `None`: there was none yet.
    active_containers: Option<u32>,
    applications: Presence,
    /// When it was first heard as DECOMMISSIONED, if it was.
    decommissioned: Option<SimTime>,
}

/// What the status log says of a draining node, besides its name and its applications (yarn.md 3.5). Seconds are whole
/// ones, cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusLine {
    /// Since the timeout began to count.
    pub draining_s: u64,
    /// Since the last heartbeat.
    pub fresh_s: u64,
    /// Containers of the last report.
    pub active_containers: u32,
    /// How far the drain has come.
    pub status: DrainStatus,
    /// Until the timeout, of a node that waits; -1: it waits for ever.
    pub remaining_s: Option<i64>,
}

/// What the watcher's poll makes of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollVerdict {
    /// It was heard less than five seconds ago and is judged by its heartbeats.
    HeardRecently,
    /// It is silent, but its timeout has not passed or it has none.
    Wait,
    /// Its drain has ended otherwise: drop the context.
    Forget,
    /// It is silent and its timeout has passed: send DECOMMISSION.
    Decommission,
}

/// What the watcher keeps of a node after a heartbeat (yarn.md 3.2); `None`: nothing.
pub fn update(context: Option<DrainContext>, now: SimTime, seen: Observation) -> Option<DrainContext> {
    match seen.state {
        RmNodeState::Decommissioning => Some(DrainContext {
            start: context.map_or(now, |context| context.start),
            timeout: seen.timeout,
            last_update: now,
            active_containers: Some(seen.active_containers),
            applications: seen.applications,
            decommissioned: None,
        }),
        RmNodeState::Decommissioned => {
            let context = context?;
            let since = context.decommissioned.unwrap_or(now);
            let keep = now.since(since) <= FORGET_AFTER;
            keep.then_some(DrainContext { decommissioned: Some(since), ..context })
        }
        RmNodeState::New
        | RmNodeState::Running
        | RmNodeState::Unhealthy
        | RmNodeState::Lost
        | RmNodeState::Rebooted
        | RmNodeState::Shutdown => None,
    }
}

/// How far the drain of a node has come whose context may not exist (yarn.md 3.3).
pub fn status(context: Option<&DrainContext>, now: SimTime) -> DrainStatus {
    context.map_or(DrainStatus::None, |context| context.status(now))
}

impl DrainContext {
    /// What is kept of a node that drains from now on and has not been heard since
    /// ([`DrainStart::Request`](crate::rules::behaviour::DrainStart)).
    pub const fn unheard(now: SimTime, timeout: Option<SimSpan>) -> Self {
        Self {
            start: now,
            timeout,
            last_update: now,
            active_containers: None,
            applications: Presence::Absent,
            decommissioned: None,
        }
    }

    /// The same with another timeout.
    pub const fn within(self, timeout: Option<SimSpan>) -> Self {
        Self { timeout, ..self }
    }

    /// From when on the timeout counts.
    pub fn start(&self) -> SimTime {
        self.start
    }

    /// The node was last heard at this instant, with the same report as before. Beats that change nothing need not be
    /// handed on one by one.
    pub fn heard_at(&mut self, last_update: SimTime) {
        self.last_update = last_update;
    }

    /// How far the drain has come, by what the last heartbeat told (yarn.md 3.3).
    pub fn status(&self, now: SimTime) -> DrainStatus {
        if self.decommissioned.is_some() {
            return DrainStatus::Decommissioned;
        }
        let waiting = match (self.active_containers, self.applications) {
            (None, Presence::Absent | Presence::Present) => DrainStatus::None,
            (Some(0), Presence::Absent) => return DrainStatus::Ready,
            (Some(0), Presence::Present) => DrainStatus::WaitApp,
            (Some(1..), Presence::Absent | Presence::Present) => DrainStatus::WaitContainer,
        };
        let in_time = self.timeout.is_none_or(|timeout| now.since(self.start) < timeout);
        if in_time { waiting } else { DrainStatus::Timeout }
    }

    /// What the status log says of the node (yarn.md 3.5), whose drain has come as far as `status`.
    pub fn status_line(&self, now: SimTime, status: DrainStatus) -> StatusLine {
        let waits = matches!(status, DrainStatus::WaitContainer | DrainStatus::WaitApp);
        StatusLine {
            draining_s: now.since(self.start).as_ms() / 1000,
            fresh_s: now.since(self.last_update).as_ms() / 1000,
            active_containers: self.active_containers.unwrap_or_default(),
            status,
            remaining_s: waits.then(|| self.remaining_s(now)),
        }
    }

    /// Whole seconds until the timeout; 0 if nothing is left to wait for, -1 without a timeout.
    fn remaining_s(&self, now: SimTime) -> i64 {
        match (self.active_containers, self.applications, self.deadline()) {
            (None | Some(0), Presence::Absent, _) => 0,
            (_, _, None) => -1,
            (_, _, Some(deadline)) => (deadline.since(now).as_ms() / 1000).cast_signed(),
        }
    }

    /// What the poll makes of the node (yarn.md 3.4, steps 2 and 3). `state` is that of the node's object in either
    /// map; `None` if there is none any more.
    ///
    /// A node on the stale list always passes the second look at its status: one without work is READY, any other is
    /// at its TIMEOUT.
    pub fn poll_verdict(&self, now: SimTime, state: Option<RmNodeState>) -> PollVerdict {
        let silence = now.since(self.last_update);
        if silence < LIVE {
            return PollVerdict::HeardRecently;
        }
        let ended = state == Some(RmNodeState::Decommissioned) && silence > FORGET_AFTER;
        if self.decommissioned.is_some() || ended {
            return PollVerdict::Forget;
        }
        // Strict, unlike the status: at the very deadline a silent node is left for the next poll.
        let stale = self.deadline().is_some_and(|deadline| deadline < now);
        match (stale, state) {
            (false, _) => PollVerdict::Wait,
            (true, Some(RmNodeState::Decommissioning)) => PollVerdict::Decommission,
            (true, _) => PollVerdict::Forget,
        }
    }

    /// The first instant at which the status can be TIMEOUT; `None`: it never can.
    pub fn deadline(&self) -> Option<SimTime> {
        self.timeout.map(|timeout| self.start + timeout)
    }
}

/// Whether a draining node may retire upon a status update: path B of yarn.md 3.6.
///
/// It looks at the applications that run on the node before the report is merged, at those that the report asks to
/// keep alive, and at application masters that the scheduler has placed there; neither at containers nor at the
/// timeout.
pub fn may_retire(applications: Presence, kept_alive: Presence, masters: Presence) -> Retirement {
    match (applications, kept_alive, masters) {
        (Presence::Absent, Presence::Absent, Presence::Absent) => Retirement::Due,
        (Presence::Present, _, _) | (_, Presence::Present, _) | (_, _, Presence::Present) => {
            Retirement::NotYet
        }
    }
}

#[cfg(test)]
mod tests;
