//! What is known of each job and each instance at the end of a run: the rows of `jobs.csv` and `nodes.csv`.

use std::collections::BTreeSet;

use crate::ledger::fact::RemovalCause;
use crate::ledger::money::Life;
use crate::ledger::waiting::WaitAccount;
use crate::rules::container::{AppId, AppState, ContainerState, ExitStatus, Role};
use crate::rules::drain::DrainStatus;
use crate::rules::machine::{NodeId, NodeType, TypeId};
use crate::rules::rmnode::RmNodeState;
use crate::time::{SimSpan, SimTime};

/// Where a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobStage {
    /// Not submitted yet.
    #[default]
    Ahead,
    /// In the queue.
    Queued,
    /// On its nodes.
    Running,
    /// It ran to its end.
    Completed,
    /// It was requeued as often as allowed.
    Failed,
    /// It could never fit and was refused at load.
    Rejected(Rejection),
}

impl JobStage {
    /// What the job is as an application.
    pub const fn app_state(self) -> AppState {
        match self {
            Self::Ahead => AppState::New,
            Self::Queued => AppState::Accepted,
            Self::Running => AppState::Running,
            Self::Completed => AppState::Finished,
            Self::Failed | Self::Rejected(_) => AppState::Failed,
        }
    }

    /// The word for it in outputs. A job that has not ended when the run does is `unfinished`.
    pub const fn outcome(self) -> &'static str {
        match self {
            Self::Ahead | Self::Queued | Self::Running => "unfinished",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Rejected(Rejection::TooLarge) => "rejected_too_large",
            Self::Rejected(Rejection::TooMuchMemory) => "rejected_too_much_memory",
        }
    }
}

/// Why a job could never start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It needs more cores than `max_nodes` nodes could give.
    TooLarge,
    /// One of its processors needs more memory than any node has, or all of them more than all nodes.
    TooMuchMemory,
}

/// What became of a job. Times are those of the last attempt.
#[derive(Clone, Copy, Debug, Default)]
pub struct JobRecord {
    /// Where it is.
    pub stage: JobStage,
    /// When the last attempt started.
    pub start: SimTime,
    /// When it ended.
    pub end: SimTime,
    /// Waiting by cause.
    pub waited: WaitAccount,
    /// Time inside attempts that were killed.
    pub lost: SimSpan,
    /// Cores × time since the attempt's start or last checkpoint, over killed attempts.
    pub lost_core_ms: u64,
    /// Run time that checkpoints have saved so far.
    pub saved: SimSpan,
    /// Nodes of the last attempt.
    pub nodes: u32,
    /// How often it was requeued.
    pub requeues: u32,
}

/// What became of an instance and its node.
#[derive(Clone, Copy, Debug)]
pub struct InstanceRecord {
    /// Its type.
    pub kind: TypeId,
    /// When it was granted.
    pub granted: SimTime,
    /// When its agent registered first.
    pub up: Option<SimTime>,
    /// When its last drain was ordered.
    pub drain_start: Option<SimTime>,
    /// The timeout of its last drain; `Some(None)`: for ever.
    pub drain_timeout: Option<Option<SimSpan>>,
    /// Whether the cloud wants it back.
    pub reclaim_notice: bool,
    /// The watcher's last word on it.
    pub drain_status: DrainStatus,
    /// When it left service.
    pub out_of_service: Option<SimTime>,
    /// Why it left service.
    pub cause: Option<RemovalCause>,
    /// Whether the policy has ordered it to stop.
    pub stop_ordered: bool,
    /// When it was gone.
    pub gone: Option<SimTime>,
    /// Its RMNode's state.
    pub state: RmNodeState,
    /// The most cores that an operator has ever given it beyond its type's.
    pub extra_cores: u32,
    /// Containers on it.
    pub containers: u32,
    /// Their cores.
    pub busy_cores: u32,
    /// How its life was spent.
    pub life: Life,
}

impl InstanceRecord {
    /// A record that begins with the grant.
    pub fn begin(kind: TypeId, granted: SimTime) -> Self {
        Self {
            kind,
            granted,
            up: None,
            drain_start: None,
            drain_timeout: None,
            reclaim_notice: false,
            drain_status: DrainStatus::None,
            out_of_service: None,
            cause: None,
            stop_ordered: false,
            gone: None,
            state: RmNodeState::New,
            extra_cores: 0,
            containers: 0,
            busy_cores: 0,
            life: Life::begin(granted),
        }
    }

    /// The most that may run on it: what its type has, or more if an operator has said so. A smaller total is the
    /// scheduler's affair: the machine, and what is paid for it, stays.
    pub fn cores(&self, kind: &NodeType) -> u32 {
        kind.cores + self.extra_cores
    }
}

/// What became of an application: as a job, and what it held.
#[derive(Clone, Debug, Default)]
pub struct AppRecord {
    /// As a job. It starts when its first master gets its container, or at once if it has none; each further attempt
    /// counts as a requeue.
    pub job: JobRecord,
    /// Its state for the resource manager.
    pub state: AppState,
    /// Tasks whose containers have ended by themselves and whose output has not been lost. A task that is done again
    /// for a new master counts each time.
    pub tasks_done: u32,
    /// Attempts of its master.
    pub attempts: u32,
    /// Cores of its containers now.
    pub held_cores: u32,
    /// The most cores that it held at once.
    pub peak_cores: u32,
    /// Nodes that it has had containers on.
    pub nodes: BTreeSet<NodeId>,
    /// Containers of it that were killed by no fault of their own.
    pub containers_killed: u64,
}

/// What nodes that left service took with them, over all of a node's lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeLoss {
    /// Containers that were killed, one for each gang job.
    pub containers_killed: u64,
    /// Those of masters among them.
    pub masters_killed: u64,
    /// Cores × time for nothing, of containers that were killed. The loss of a gang job is that of the node that it was
    /// killed by.
    pub lost_core_ms: u128,
    /// Cores × run time of maps whose output was lost.
    pub output_lost_core_ms: u128,
    /// Time during which nothing ran and only applications were waited for.
    pub idle_held: SimSpan,
}

impl NodeLoss {
    /// Adds what another node took.
    pub fn add(&mut self, other: &Self) {
        self.containers_killed += other.containers_killed;
        self.masters_killed += other.masters_killed;
        self.lost_core_ms += other.lost_core_ms;
        self.output_lost_core_ms += other.output_lost_core_ms;
        self.idle_held += other.idle_held;
    }
}

/// What became of a container of an application.
#[derive(Clone, Copy, Debug)]
pub struct ContainerRecord {
    /// Whose.
    pub app: AppId,
    /// Its number within the application.
    pub number: u32,
    /// What it is to its application.
    pub role: Role,
    /// Its cores.
    pub cores: u32,
    /// Where.
    pub node: Option<NodeId>,
    /// When it was asked for.
    pub asked: SimTime,
    /// When it got its node.
    pub allocated: Option<SimTime>,
    /// When its process started.
    pub launched: Option<SimTime>,
    /// When it ended.
    pub ended: Option<SimTime>,
    /// How.
    pub exit: Option<ExitStatus>,
    /// Whether it was a map whose output was lost while it was needed.
    pub output_lost: bool,
    /// Where it is.
    pub state: ContainerState,
}

impl ContainerRecord {
    /// A record that begins with the request.
    pub fn begin(app: AppId, number: u32, cores: u32, role: Role, asked: SimTime) -> Self {
        Self {
            app,
            number,
            role,
            cores,
            node: None,
            asked,
            allocated: None,
            launched: None,
            ended: None,
            exit: None,
            output_lost: false,
            state: ContainerState::New,
        }
    }

    /// How long what it did for nothing took: from its launch to its end, if it went with its node.
    pub fn lost(&self) -> SimSpan {
        match (self.exit, self.launched, self.ended) {
            (Some(exit), Some(launched), Some(ended)) if exit.is_loss() => ended.since(launched),
            _ => SimSpan::ZERO,
        }
    }

    /// How long the map ran whose output was lost.
    pub fn output_lost(&self) -> SimSpan {
        match (self.launched, self.ended) {
            (Some(launched), Some(ended)) if self.output_lost => ended.since(launched),
            _ => SimSpan::ZERO,
        }
    }

    /// From the request to the node; `None`: it has got none.
    pub fn waited(&self) -> Option<SimSpan> {
        self.allocated.map(|allocated| allocated.since(self.asked))
    }
}
