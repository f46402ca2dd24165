//! In which order jobs start and on which nodes: the disciplines and placements of the batch scheduler.

use crate::rules::machine::NodeId;
use crate::time::SimSpan;

/// A job, by its place in the workload (which is the order of submission).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobIndex(pub u32);

impl JobIndex {
    /// Its place in tables of all jobs.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a gang job holds on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Where.
    pub node: NodeId,
    /// How many cores, at least one.
    pub cores: u32,
}

/// One attempt of a gang job: all its cores at once, over one or several nodes.
#[derive(Debug, PartialEq, Eq)]
pub struct Gang {
    /// Whose attempt it is.
    pub job: JobIndex,
    /// What it holds; one container per node.
    pub shares: Vec<Share>,
}

impl Gang {
    /// Cores over all nodes.
    pub fn cores(&self) -> u32 {
        self.shares.iter().map(|share| share.cores).sum()
    }
}

/// Why a job was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartReason {
    /// It was the head of the queue and its cores were free.
    Head,
    /// It overtook the head, since it ends before the head's reservation.
    EndsBeforeReservation,
    /// It overtook the head, since it fits into cores that the head will leave over.
    FitsBesideReservation,
    /// It overtook the head, since no time is known at which the head could start.
    NoReservation,
}

impl StartReason {
    /// The word for it in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::EndsBeforeReservation => "ends_before_reservation",
            Self::FitsBesideReservation => "fits_beside_reservation",
            Self::NoReservation => "no_reservation",
        }
    }
}

/// Which queued job may start next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// First come, first served: nobody overtakes the head of the queue.
    Fifo,
    /// EASY backfilling (Lifka 1995): later jobs may start if they do not delay the head job's reservation.
    Easy,
}

/// Which nodes give their free cores first. Ties go to the lower node number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Fewest free cores first: fills nodes up, so that others run empty.
    Pack,
    /// Most free cores first.
    Spread,
    /// Longest registered first.
    Oldest,
    /// Last registered first.
    Newest,
}

/// When containers of applications are placed (yarn.md 8.1). Batch jobs keep the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// In the scheduling pass, as batch jobs are.
    Pass,
    /// As soon as they are asked for or room appears, on any node: the capacity scheduler's default from 3.5.0 on.
    Async,
    /// At a node's heartbeat, on that node: the default up to 3.4.
    Heartbeat,
}

/// How the scheduler works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduling {
    /// Which queued job may start next.
    pub discipline: Discipline,
    /// Which nodes give their free cores first.
    pub placement: Placement,
    /// When containers of applications are placed.
    pub trigger: Trigger,
    /// Whether a draining node is given containers once more, at its first heartbeat: YARN's FIFO scheduler does so,
    /// since it learns of the drain after it has placed (yarn.md 8.1).
    pub late_round: bool,
}

/// What becomes of a job whose attempt was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// How often a job may be requeued before it counts as failed; `None`: without limit.
    pub max_requeues: Option<u32>,
    /// A job writes a checkpoint each time it has run for this long; `None`: it restarts from zero.
    pub checkpoint_every: Option<SimSpan>,
}

impl Retries {
    /// How much of an attempt that ran for `ran` its checkpoints have saved.
    pub fn saved(&self, ran: SimSpan) -> SimSpan {
        match self.checkpoint_every {
            Some(every) => every * (ran.as_ms() / every.as_ms()),
            None => SimSpan::ZERO,
        }
    }
}
