//! Facts: what actors tell the ledger, and the words for them in `events.csv`.

use std::rc::Rc;

use crate::rules::container::{AppId, AppState, Application, ContainerId, ContainerState, ExitStatus, Role};
use crate::rules::drain::{DrainStatus, StatusLine};
use crate::rules::machine::{NodeId, Total, TypeId};
use crate::rules::notice::{NodeReport, UpdateType};
use crate::rules::rmnode::RmNodeState;
use crate::rules::scheduling::{Gang, JobIndex, StartReason};
use crate::time::{SimSpan, SimTime};

/// Something that happened and is worth money, pain or an explanation.
#[derive(Clone, Debug)]
pub enum Fact {
    /// A job was submitted.
    JobArrived {
        /// Which.
        job: JobIndex,
    },
    /// An attempt of a job was started.
    JobStarted {
        /// The attempt and where it runs.
        gang: Rc<Gang>,
        /// Why now.
        reason: StartReason,
    },
    /// An attempt ran to its end.
    JobCompleted {
        /// The attempt.
        gang: Rc<Gang>,
    },
    /// An attempt was killed everywhere, since one of its nodes went.
    JobKilled {
        /// The attempt.
        gang: Rc<Gang>,
        /// The node that went.
        by: NodeId,
        /// Why it went.
        cause: RemovalCause,
        /// What becomes of the job.
        fate: KillFate,
    },
    /// Another job heads the queue now, or none.
    QueueHead {
        /// The cores that it needs; `None`: the queue is empty.
        cores: Option<u32>,
    },
    /// The cloud granted an instance.
    Granted {
        /// Which.
        node: NodeId,
        /// Of which type.
        kind: TypeId,
        /// Why it was asked for.
        reason: GrantReason,
    },
    /// The instance's boot is over and its agent starts.
    InstanceUp {
        /// Which.
        node: NodeId,
    },
    /// The boot has failed: no agent will ever start. Nobody in the cluster is told.
    BootFailed {
        /// Which.
        node: NodeId,
    },
    /// The policy ordered an instance to stop.
    StopOrdered {
        /// Which.
        node: NodeId,
        /// Its stage before.
        from: InstanceStage,
        /// Why.
        reason: StopReason,
    },
    /// The instance is gone, and its billing ends.
    Gone {
        /// Which.
        node: NodeId,
        /// Its stage before.
        from: InstanceStage,
    },
    /// The RMNode went from one state to another.
    RmNode {
        /// Which.
        node: NodeId,
        /// YARN's name of the event that did it.
        event: &'static str,
        /// The state before.
        from: RmNodeState,
        /// The state after.
        to: RmNodeState,
        /// Why the node left service, if it did.
        cause: Option<RemovalCause>,
    },
    /// An RMNode was sent an event that its state does not accept. It changes nothing (yarn.md 2.1).
    IllegalEvent {
        /// Which.
        node: NodeId,
        /// YARN's name of the event.
        event: &'static str,
        /// Its state.
        state: RmNodeState,
    },
    /// An event was for a node that is not in the active map, so that nothing came of it (yarn.md 1.1).
    EventDropped,
    /// The policy ordered a drain.
    DrainOrdered {
        /// Which node.
        node: NodeId,
        /// Why.
        reason: DrainReason,
        /// Cores that were busy on it at the order.
        busy_cores: u32,
    },
    /// An operator has given a node another total.
    Resized {
        /// Which node.
        node: NodeId,
        /// Its state, which stays.
        state: RmNodeState,
        /// What it has from now on.
        total: Total,
    },
    /// The timeout that a drain goes by was set or changed.
    DrainTimeout {
        /// Of which node.
        node: NodeId,
        /// How long it may take; `None`: for ever.
        timeout: Option<SimSpan>,
    },
    /// An administrator, a client of one, or bad luck did something.
    Administration {
        /// What.
        event: &'static str,
    },
    /// The hosts files were read again.
    Refreshed {
        /// `applied`, `empty_lists`, `request_failed` or `forced`.
        outcome: &'static str,
    },
    /// The cloud has given notice that it takes an instance back.
    ReclaimNotice {
        /// Which.
        node: NodeId,
    },
    /// An application has gone to another state.
    App {
        /// Which.
        app: AppId,
        /// The state before.
        from: AppState,
        /// The state after.
        to: AppState,
    },
    /// The master of an application heard of a node that has changed.
    NodeTold {
        /// Which application.
        app: AppId,
        /// Of which node.
        node: NodeId,
        /// What the node is to it from now on.
        update: UpdateType,
        /// How the node reads.
        report: NodeReport,
    },
    /// The output of a map that had ended went with its node while its application still needed it.
    OutputLost {
        /// The map's container.
        container: ContainerId,
    },
    /// A container of an application was asked for.
    ContainerAsked {
        /// Which. Containers are numbered over all applications.
        container: ContainerId,
        /// Whose.
        app: AppId,
        /// Its number within the application.
        number: u32,
        /// Its cores.
        ask_cores: u32,
        /// What it is to its application.
        role: Role,
    },
    /// The process of a container of an application has started on its node.
    ContainerStarts {
        /// Which container.
        container: ContainerId,
    },
    /// A container of an application has gone to another state.
    ContainerMoved {
        /// Which.
        container: ContainerId,
        /// By what.
        event: &'static str,
        /// The state before.
        from: ContainerState,
        /// The state after.
        to: ContainerState,
        /// Its node.
        node: Option<NodeId>,
        /// How it ended, if it did.
        exit: Option<ExitStatus>,
    },
    /// The watcher judged a draining node.
    DrainStatus {
        /// Which node.
        node: NodeId,
        /// Its sub-status before.
        from: DrainStatus,
        /// Its sub-status now.
        to: DrainStatus,
    },
    /// The watcher's poll found a draining node so. It changes nothing and goes to the status log alone.
    DrainPolled {
        /// Which node.
        node: NodeId,
        /// How it stands.
        line: StatusLine,
        /// Applications that run on it, by its last heartbeat.
        applications: Vec<Application>,
    },
    /// The resource manager told an agent something, or the agent ended.
    Agent {
        /// Whose agent.
        node: NodeId,
        /// What: `SHUTDOWN`, `RESYNC` or `RECOMMISSION`, which it was told, or `EXIT`, `CRASH`, `SILENCE` and so on,
        /// which befell it.
        event: &'static str,
    },
}

/// Why a node left service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalCause {
    /// Its drain found nothing left to wait for.
    Ready,
    /// Its drain ran out of time.
    Timeout,
    /// Its instance was stopped under it.
    Stopped,
    /// A forceful refresh ended its drain.
    Forced,
    /// A plain refresh found it excluded.
    Excluded,
    /// It was silent for too long.
    Lost,
    /// Its agent registered again without what it had run.
    Reregistered,
    /// Its health check failed.
    Unhealthy,
    /// Another resource manager took over, which knows nothing of drains.
    Failover,
    /// The cloud took its instance back.
    Reclaimed,
    /// An operator made its total smaller than what runs there. It stays in service, but work goes.
    Overcommitted,
}

impl RemovalCause {
    /// Why a node went whose drain ended with this sub-status.
    pub const fn of(status: DrainStatus) -> Self {
        match status {
            DrainStatus::Timeout => Self::Timeout,
            DrainStatus::None
            | DrainStatus::WaitContainer
            | DrainStatus::WaitApp
            | DrainStatus::Ready
            | DrainStatus::Decommissioned => Self::Ready,
        }
    }

    /// The word for it in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Timeout => "timeout",
            Self::Stopped => "stopped",
            Self::Forced => "forced",
            Self::Excluded => "excluded",
            Self::Lost => "lost",
            Self::Reregistered => "reregistered",
            Self::Unhealthy => "unhealthy",
            Self::Failover => "failover",
            Self::Reclaimed => "reclaimed",
            Self::Overcommitted => "overcommitted",
        }
    }
}

/// Where an instance of the cloud is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceStage {
    /// It was granted, and its agent has not been started: its boot goes on or has failed.
    Booting,
    /// Its agent has been started, whatever has become of it.
    Up,
    /// It was ordered to stop.
    Stopping,
    /// It is paid for no more.
    Gone,
}

impl InstanceStage {
    /// What it is called in `events.csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Booting => "BOOTING",
            Self::Up => "UP",
            Self::Stopping => "STOPPING",
            Self::Gone => "GONE",
        }
    }
}

/// What becomes of a job whose attempt was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillFate {
    /// It waits again at the head of the queue.
    Requeued,
    /// It was requeued as often as allowed, and counts as failed.
    Failed,
}

impl KillFate {
    /// The state that the job is in then.
    pub const fn state(self) -> &'static str {
        match self {
            Self::Requeued => "QUEUED",
            Self::Failed => "FAILED",
        }
    }
}

/// Why an instance was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantReason {
    /// It is one of `min_nodes` at the start.
    Initial,
    /// The queue needs more cores than there are.
    Shortfall,
    /// Fewer nodes than `min_nodes` are in service or booting.
    BelowMinimum,
}

impl GrantReason {
    /// The word for it in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Shortfall => "shortfall",
            Self::BelowMinimum => "below_minimum",
        }
    }
}

/// Why an instance was ordered to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Its node is out of service.
    Down,
    /// It did not register in time.
    NeverRegistered,
    /// The policy's table says so for the state it was seen in.
    Matrix(&'static str),
}

impl StopReason {
    /// The word for it in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::NeverRegistered => "never_registered",
            Self::Matrix(state) => state,
        }
    }
}

/// Why a node was ordered to drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrainReason {
    /// The policy matrix says so.
    Matrix {
        /// The node's state as the node manager saw it.
        node_state: &'static str,
        /// Since when it has been idle.
        idle_since: SimTime,
    },
    /// More cores are free than the queue has needed for the idle grace.
    Surplus {
        /// How many nodes are to go at this poll.
        nodes: u32,
    },
}
