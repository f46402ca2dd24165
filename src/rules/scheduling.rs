//! In which order jobs start and on which nodes: the disciplines and placements of the batch scheduler.

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

/// How the scheduler works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduling {
    /// Which queued job may start next.
    pub discipline: Discipline,
    /// Which nodes give their free cores first.
    pub placement: Placement,
}

/// What becomes of a job whose attempt was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// How often a job may be requeued before it counts as failed; `None`: without limit.
    pub max_requeues: Option<u32>,
    /// A job writes a checkpoint each time it has run for this long; `None`: it restarts from zero.
    pub checkpoint_every: Option<crate::time::SimSpan>,
}
