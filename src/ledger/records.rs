//! What is known of each job and each instance at the end of a run: the rows of `jobs.csv` and `nodes.csv`.

use crate::ledger::fact::RemovalCause;
use crate::ledger::money::Life;
use crate::ledger::waiting::WaitAccount;
use crate::rules::container::{AppId, ContainerState, ExitStatus};
use crate::rules::drain::DrainStatus;
use crate::rules::machine::{NodeId, TypeId};
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
            containers: 0,
            busy_cores: 0,
            life: Life::begin(granted),
        }
    }
}

/// What became of a container of an application.
#[derive(Clone, Copy, Debug)]
pub struct ContainerRecord {
    /// Whose.
    pub app: AppId,
    /// Its number within the application.
    pub number: u32,
    /// Whether it is the master's.
    pub is_master: bool,
    /// Whether its output stays on its node.
    pub is_map: bool,
    /// Its cores.
    pub cores: u32,
    /// Where.
    pub node: Option<NodeId>,
    /// When it was asked for.
    pub asked: SimTime,
    /// When it got its node.
    pub allocated: Option<SimTime>,
    /// When its master was told; a task is launched at once then.
    pub launched: Option<SimTime>,
    /// When it ended.
    pub ended: Option<SimTime>,
    /// How.
    pub exit: Option<ExitStatus>,
    /// Where it is.
    pub state: ContainerState,
}

impl ContainerRecord {
    /// How long what it did for nothing took: from its launch to its end, if it went with its node.
    pub fn lost(&self) -> SimSpan {
        match (self.exit, self.launched, self.ended) {
            (Some(ExitStatus::Aborted), Some(launched), Some(ended)) => ended.since(launched),
            _ => SimSpan::ZERO,
        }
    }
}
