//! The resource manager's state machine of a node (yarn.md 2): what an event makes of it, and which steps follow.
//!
//! [`transition`] is the table of yarn.md 2.1. The steps it names are carried out by the resource tracker, which alone
//! knows the node's mailboxes, containers and totals.

#[cfg(test)]
mod tests;

use crate::rules::notice::UpdateType;

/// What the resource manager holds a node for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RmNodeState {
    /// Created, not started yet.
    New,
    /// In service.
    Running,
    /// Its health check fails.
    Unhealthy,
    /// It gets no new work and is watched until it may go.
    Decommissioning,
    /// Taken out of service by an administrator.
    Decommissioned,
    /// Not heard of for too long.
    Lost,
    /// Its answers were out of step; it is told to register anew.
    Rebooted,
    /// It signed off, or no list names it.
    Shutdown,
}

impl RmNodeState {
    /// Every state, in the order of the table.
    pub const ALL: &'static [Self] = &[
        Self::New,
        Self::Running,
        Self::Unhealthy,
        Self::Decommissioning,
        Self::Decommissioned,
        Self::Lost,
        Self::Rebooted,
        Self::Shutdown,
    ];

    /// YARN's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "NEW",
            Self::Running => "RUNNING",
            Self::Unhealthy => "UNHEALTHY",
            Self::Decommissioning => "DECOMMISSIONING",
            Self::Decommissioned => "DECOMMISSIONED",
            Self::Lost => "LOST",
            Self::Rebooted => "REBOOTED",
            Self::Shutdown => "SHUTDOWN",
        }
    }

    /// Whether a node in this state is in the active map. Events are delivered to those alone; for a node in the
    /// inactive map they vanish without a trace (yarn.md 1.1).
    pub const fn is_active(self) -> bool {
        match self {
            Self::New | Self::Running | Self::Unhealthy | Self::Decommissioning => true,
            Self::Decommissioned | Self::Lost | Self::Rebooted | Self::Shutdown => false,
        }
    }

    /// The cluster counter that counts nodes in this state; NEW is counted nowhere (yarn.md 1.3).
    pub const fn counter(self) -> Option<Counter> {
        match self {
            Self::New => None,
            Self::Running => Some(Counter::Active),
            Self::Unhealthy => Some(Counter::Unhealthy),
            Self::Decommissioning => Some(Counter::Decommissioning),
            Self::Decommissioned => Some(Counter::Decommissioned),
            Self::Lost => Some(Counter::Lost),
            Self::Rebooted => Some(Counter::Rebooted),
            Self::Shutdown => Some(Counter::Shutdown),
        }
    }
}

/// One of the seven cluster counters (yarn.md 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// Nodes that are RUNNING.
    Active,
    /// Nodes that are DECOMMISSIONING: neither active nor decommissioned.
    Decommissioning,
    /// Nodes that are DECOMMISSIONED.
    Decommissioned,
    /// Nodes that are LOST.
    Lost,
    /// Nodes that are UNHEALTHY.
    Unhealthy,
    /// Nodes that are REBOOTED.
    Rebooted,
    /// Nodes that are SHUTDOWN.
    Shutdown,
}

/// What a change of state does to the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterChange {
    /// This one loses a node.
    pub minus: Option<Counter>,
    /// This one gains a node.
    pub plus: Option<Counter>,
}

/// What going `from` one state `to` another does to the counters (yarn.md 2.4).
///
/// A registration over an inactive entry takes that entry off its counter: it is a change from the entry's state to
/// NEW, and then one from NEW.
pub fn counter_change(from: RmNodeState, to: RmNodeState) -> CounterChange {
    if from == to {
        CounterChange { minus: None, plus: None }
    } else {
        CounterChange { minus: from.counter(), plus: to.counter() }
    }
}

/// What a node's report says of its health.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It may work. A registration without a status counts as this.
    Healthy,
    /// It should get no work.
    Unhealthy,
}

/// Whether there are any of what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// There are none.
    Absent,
    /// There is at least one.
    Present,
}

/// Whether a draining node may retire upon a report: path B of yarn.md 3.6, see [`crate::rules::drain::may_retire`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retirement {
    /// Nothing holds it.
    Due,
    /// Something on it still has to end.
    NotYet,
}

/// What can happen to a node (yarn.md 2.1), with the circumstances that choose between two outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmNodeEvent {
    /// A new node has registered.
    Started {
        /// Of the registration.
        health: Health,
    },
    /// A heartbeat has been answered and its report is handed on.
    StatusUpdate {
        /// Of the report.
        health: Health,
        /// Looked at only while the node is DECOMMISSIONING.
        retirement: Retirement,
    },
    /// Take it out of service at once.
    Decommission,
    /// Take it out of service when its work is done.
    GracefulDecommission,
    /// Leave it in service after all.
    Recommission,
    /// It has been silent for too long.
    Expire,
    /// Its report was out of step.
    Rebooting,
    /// A known node has registered again. With a changed HTTP port and without applications it is replaced by a new
    /// node instead (yarn.md 7.3), so the port is no circumstance here.
    Reconnected {
        /// Running applications in the registration.
        applications: Presence,
    },
    /// It has signed off, or is on no list.
    Shutdown,
    /// An administrator has set its total.
    ResourceUpdate,
    /// One of its applications has ended.
    CleanupApp,
    /// One of its containers must go.
    CleanupContainer,
    /// An application master has taken note of containers that ended here.
    FinishedContainersPulledByAm,
    /// A container shall be resized.
    UpdateContainer,
    /// A container shall get a signal.
    SignalContainer,
    /// Declared, but accepted in no state.
    ContainerAllocated,
}

impl RmNodeEvent {
    /// YARN's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Started { .. } => "STARTED",
            Self::StatusUpdate { .. } => "STATUS_UPDATE",
            Self::Decommission => "DECOMMISSION",
            Self::GracefulDecommission => "GRACEFUL_DECOMMISSION",
            Self::Recommission => "RECOMMISSION",
            Self::Expire => "EXPIRE",
            Self::Rebooting => "REBOOTING",
            Self::Reconnected { .. } => "RECONNECTED",
            Self::Shutdown => "SHUTDOWN",
            Self::ResourceUpdate => "RESOURCE_UPDATE",
            Self::CleanupApp => "CLEANUP_APP",
            Self::CleanupContainer => "CLEANUP_CONTAINER",
            Self::FinishedContainersPulledByAm => "FINISHED_CONTAINERS_PULLED_BY_AM",
            Self::UpdateContainer => "UPDATE_CONTAINER",
            Self::SignalContainer => "SIGNAL_CONTAINER",
            Self::ContainerAllocated => "CONTAINER_ALLOCATED",
        }
    }
}

/// A step that the resource tracker carries out (yarn.md 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Drop the inactive entry of the same node, or else its placeholders, and take over the registration's containers
    /// and applications (E1, steps 1 to 3).
    TakeOverRegistration,
    /// Let the scheduler know the node, with its containers.
    AddToScheduler,
    /// Make the scheduler forget the node, which kills its containers.
    RemoveFromScheduler,
    /// Drop the changes that the scheduler has not pulled yet.
    ClearUpdateQueue,
    /// Move the node from the active to the inactive map.
    MoveToInactive,
    /// Tell applications what the node is to them from now on.
    Notice(UpdateType),
    /// Keep the timeout that the event carries, if it differs from the one kept. The clock goes on.
    StoreTimeout,
    /// Keep the total as the original, unless one is kept already.
    StoreOriginalTotal,
    /// Make the kept original the total again, if there is one, and keep none.
    RestoreOriginalTotal,
    /// Make the total that the event carries the node's.
    TakeTotal,
    /// Send the total with the next reply.
    TellTotal,
    /// Tell the scheduler the node's total. The overcommit timeout is the event's for RESOURCE_UPDATE and 0 for
    /// RECOMMISSION; for RECONNECTED there is none, and the scheduler is told only if the total has changed.
    ResizeInScheduler,
    /// Merge the report's containers (yarn.md 2.3).
    MergeReport,
    /// If the scheduler waits for news of the node, give it what is queued.
    NotifyScheduler,
    /// Append each reported application to the running ones, even if it is there already.
    AddApplications,
    /// Take the application off the running ones once, and tell the node to clean it up.
    CleanUpApplication,
    /// Tell the node to clean the container up.
    CleanUpContainer,
    /// Tell the node that it may forget the containers.
    ForgetContainers,
    /// Tell the node to resize the container.
    ResizeContainer,
    /// Tell the node to signal the container.
    SignalContainer,
}

/// What an event does to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The effects are carried out in their order, then the state changes: notices of the change are raised while the
    /// node still reads its old state. The counters change by [`counter_change`].
    Transition {
        /// The state afterwards.
        to: RmNodeState,
        /// What is done on the way.
        effects: &'static [Effect],
    },
    /// The event is recorded as an error and changes nothing.
    Illegal,
}

const NOTHING: &[Effect] = &[];
const E1_USABLE: &[Effect] =
    &[Effect::TakeOverRegistration, Effect::AddToScheduler, Effect::Notice(UpdateType::Usable)];
const E1_UNUSABLE: &[Effect] = &[
    Effect::TakeOverRegistration,
    Effect::ClearUpdateQueue,
    Effect::RemoveFromScheduler,
    Effect::Notice(UpdateType::Unusable),
];
/// E2: a node is deactivated. A placeholder with port -1 only changes the counters.
const E2: &[Effect] = &[
    Effect::ClearUpdateQueue,
    Effect::RemoveFromScheduler,
    Effect::Notice(UpdateType::Unusable),
    Effect::MoveToInactive,
];
/// E2 of an unhealthy node: the scheduler forgot it when it became unhealthy.
const E2_UNHEALTHY: &[Effect] =
    &[Effect::ClearUpdateQueue, Effect::Notice(UpdateType::Unusable), Effect::MoveToInactive];
const E3_UNUSABLE: &[Effect] =
    &[Effect::ClearUpdateQueue, Effect::RemoveFromScheduler, Effect::Notice(UpdateType::Unusable)];
const E3_MERGE: &[Effect] = &[Effect::MergeReport, Effect::NotifyScheduler];
const E4_USABLE: &[Effect] = &[Effect::AddToScheduler, Effect::Notice(UpdateType::Usable)];
const E5: &[Effect] =
    &[Effect::StoreTimeout, Effect::Notice(UpdateType::Decommissioning), Effect::StoreOriginalTotal];
const E5_AGAIN: &[Effect] = &[Effect::StoreTimeout];
const E6: &[Effect] = &[
    Effect::RestoreOriginalTotal,
    Effect::TellTotal,
    Effect::ResizeInScheduler,
    Effect::Notice(UpdateType::Usable),
];
const E7_EMPTY_RUNNING: &[Effect] =
    &[Effect::ClearUpdateQueue, Effect::RemoveFromScheduler, Effect::TakeTotal, Effect::AddToScheduler];
const E7_EMPTY_UNHEALTHY: &[Effect] =
    &[Effect::ClearUpdateQueue, Effect::RemoveFromScheduler, Effect::TakeTotal];
const E7_RUNNING: &[Effect] =
    &[Effect::TakeTotal, Effect::MergeReport, Effect::AddApplications, Effect::ResizeInScheduler];
const E7: &[Effect] = &[Effect::TakeTotal, Effect::MergeReport, Effect::AddApplications];
const E8_RUNNING: &[Effect] = &[Effect::TakeTotal, Effect::TellTotal, Effect::ResizeInScheduler];
const E8_UNSCHEDULED: &[Effect] = &[Effect::TakeTotal, Effect::TellTotal];
const CLEANUP_APP: &[Effect] = &[Effect::CleanUpApplication];
const CLEANUP_CONTAINER: &[Effect] = &[Effect::CleanUpContainer];
const PULLED_BY_AM: &[Effect] = &[Effect::ForgetContainers];
const UPDATE_CONTAINER: &[Effect] = &[Effect::ResizeContainer];
const SIGNAL_CONTAINER: &[Effect] = &[Effect::SignalContainer];

/// What `event` does to a node in `state`: both tables of yarn.md 2.1, row by row.
///
/// One long match, because it is a table: each row ends with the events that are illegal in it.
#[rustfmt::skip]
pub const fn transition(state: RmNodeState, event: RmNodeEvent) -> Outcome {
    use Health::{Healthy, Unhealthy as Sick};
    use Presence::{Absent, Present};
    use Retirement::{Due, NotYet};
    use RmNodeEvent as Event;
    use RmNodeState::{Decommissioned, Decommissioning, Lost, New, Rebooted, Running, Shutdown, Unhealthy};
    match (state, event) {
        (New, Event::Started { health: Healthy }) => to(Running, E1_USABLE),
        (New, Event::Started { health: Sick }) => to(Unhealthy, E1_UNUSABLE),
        (New, Event::Decommission) => to(Decommissioned, E2),
        (New, Event::Expire) => to(Lost, E2),
        (New, Event::ResourceUpdate) => to(New, E8_UNSCHEDULED),
        (New, Event::FinishedContainersPulledByAm) => to(New, PULLED_BY_AM),
        (New, Event::StatusUpdate { .. } | Event::GracefulDecommission | Event::Recommission | Event::Rebooting
            | Event::Reconnected { .. } | Event::Shutdown | Event::CleanupApp | Event::CleanupContainer
            | Event::UpdateContainer | Event::SignalContainer | Event::ContainerAllocated) => Outcome::Illegal,

        (Running, Event::StatusUpdate { health: Healthy, .. }) => to(Running, E3_MERGE),
        (Running, Event::StatusUpdate { health: Sick, .. }) => to(Unhealthy, E3_UNUSABLE),
        (Running, Event::Decommission) => to(Decommissioned, E2),
        (Running, Event::GracefulDecommission) => to(Decommissioning, E5),
        (Running, Event::Expire) => to(Lost, E2),
        (Running, Event::Rebooting) => to(Rebooted, E2),
        (Running, Event::Reconnected { applications: Absent }) => to(Running, E7_EMPTY_RUNNING),
        (Running, Event::Reconnected { applications: Present }) => to(Running, E7_RUNNING),
        (Running, Event::Shutdown) => to(Shutdown, E2),
        (Running, Event::ResourceUpdate) => to(Running, E8_RUNNING),
        (Running, Event::CleanupApp) => to(Running, CLEANUP_APP),
        (Running, Event::CleanupContainer) => to(Running, CLEANUP_CONTAINER),
        (Running, Event::FinishedContainersPulledByAm) => to(Running, PULLED_BY_AM),
        (Running, Event::UpdateContainer) => to(Running, UPDATE_CONTAINER),
        (Running, Event::SignalContainer) => to(Running, SIGNAL_CONTAINER),
        (Running, Event::Started { .. } | Event::Recommission | Event::ContainerAllocated) => Outcome::Illegal,

        (Unhealthy, Event::StatusUpdate { health: Healthy, .. }) => to(Running, E4_USABLE),
        (Unhealthy, Event::StatusUpdate { health: Sick, .. }) => to(Unhealthy, NOTHING),
        (Unhealthy, Event::Decommission) => to(Decommissioned, E2_UNHEALTHY),
        (Unhealthy, Event::GracefulDecommission) => to(Decommissioning, E5),
        (Unhealthy, Event::Expire) => to(Lost, E2_UNHEALTHY),
        (Unhealthy, Event::Rebooting) => to(Rebooted, E2_UNHEALTHY),
        (Unhealthy, Event::Reconnected { applications: Absent }) => to(Unhealthy, E7_EMPTY_UNHEALTHY),
        (Unhealthy, Event::Reconnected { applications: Present }) => to(Unhealthy, E7),
        (Unhealthy, Event::Shutdown) => to(Shutdown, E2_UNHEALTHY),
        (Unhealthy, Event::ResourceUpdate) => to(Unhealthy, E8_UNSCHEDULED),
        (Unhealthy, Event::CleanupApp) => to(Unhealthy, CLEANUP_APP),
        (Unhealthy, Event::CleanupContainer) => to(Unhealthy, CLEANUP_CONTAINER),
        (Unhealthy, Event::FinishedContainersPulledByAm) => to(Unhealthy, PULLED_BY_AM),
        (Unhealthy, Event::SignalContainer) => to(Unhealthy, SIGNAL_CONTAINER),
        (Unhealthy, Event::Started { .. } | Event::Recommission | Event::UpdateContainer
            | Event::ContainerAllocated) => Outcome::Illegal,

        // A due retirement comes before everything else, even for a node that reports itself unhealthy.
        (Decommissioning, Event::StatusUpdate { retirement: Due, .. }) => to(Decommissioned, E2),
        (Decommissioning, Event::StatusUpdate { health: Healthy, retirement: NotYet }) => to(Decommissioning, E3_MERGE),
        // The containers of an unhealthy report are not looked at, not even those that completed.
        (Decommissioning, Event::StatusUpdate { health: Sick, retirement: NotYet }) => to(Decommissioning, NOTHING),
        (Decommissioning, Event::Decommission) => to(Decommissioned, E2),
        (Decommissioning, Event::GracefulDecommission) => to(Decommissioning, E5_AGAIN),
        (Decommissioning, Event::Recommission) => to(Running, E6),
        (Decommissioning, Event::Expire) => to(Lost, E2),
        (Decommissioning, Event::Rebooting) => to(Rebooted, E2),
        (Decommissioning, Event::Reconnected { applications: Absent }) => to(Decommissioned, E2),
        (Decommissioning, Event::Reconnected { applications: Present }) => to(Decommissioning, E7),
        (Decommissioning, Event::Shutdown) => to(Shutdown, E2),
        (Decommissioning, Event::ResourceUpdate) => to(Decommissioning, E8_RUNNING),
        (Decommissioning, Event::CleanupApp) => to(Decommissioning, CLEANUP_APP),
        (Decommissioning, Event::CleanupContainer) => to(Decommissioning, CLEANUP_CONTAINER),
        (Decommissioning, Event::FinishedContainersPulledByAm) => to(Decommissioning, PULLED_BY_AM),
        (Decommissioning, Event::Started { .. } | Event::UpdateContainer | Event::SignalContainer
            | Event::ContainerAllocated) => Outcome::Illegal,

        // The inactive states are terminal: the host comes back as a new node.
        (Decommissioned | Lost | Rebooted | Shutdown, Event::ResourceUpdate) => to(state, E8_UNSCHEDULED),
        (Decommissioned | Lost | Shutdown, Event::FinishedContainersPulledByAm) => to(state, PULLED_BY_AM),
        (Rebooted, Event::FinishedContainersPulledByAm) => Outcome::Illegal,
        (Decommissioned | Lost | Rebooted | Shutdown, Event::Started { .. } | Event::StatusUpdate { .. }
            | Event::Decommission | Event::GracefulDecommission | Event::Recommission | Event::Expire
            | Event::Rebooting | Event::Reconnected { .. } | Event::Shutdown | Event::CleanupApp
            | Event::CleanupContainer | Event::UpdateContainer | Event::SignalContainer
            | Event::ContainerAllocated) => Outcome::Illegal,
    }
}

const fn to(to: RmNodeState, effects: &'static [Effect]) -> Outcome {
    Outcome::Transition { to, effects }
}
