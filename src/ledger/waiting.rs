//! Why jobs wait: at each instant the cluster has one cause, and a job's waiting is cut along them (semantics,
//! waiting).

use crate::time::{SimSpan, SimTime};

/// Why the queue does not move. The first that holds is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCause {
    /// An instance is on its way.
    Boot,
    /// The free cores of draining nodes would let the head job start.
    Drain,
    /// The cluster could grow, and nobody has asked for a node yet.
    Poll,
    /// The cluster is at its maximum, or the head job waits by discipline.
    Queue,
}

/// How many causes there are.
pub const CAUSES: usize = 4;

/// What decides the cause, once an instant is settled.
#[derive(Clone, Copy, Debug)]
pub struct QueueState {
    /// Cores of the head job.
    pub head_cores: u32,
    /// Instances that are booting.
    pub booting: u32,
    /// Instances in any state.
    pub instances: u32,
    /// Most instances in any state.
    pub max_nodes: u32,
    /// Free cores of RUNNING nodes.
    pub free_running: u64,
    /// Free cores of DECOMMISSIONING nodes.
    pub free_draining: u64,
}

impl WaitCause {
    /// The cause that holds.
    pub fn of(state: QueueState) -> Self {
        if state.booting > 0 {
            Self::Boot
        } else if u64::from(state.head_cores) <= state.free_running + state.free_draining {
            Self::Drain
        } else if state.instances < state.max_nodes {
            Self::Poll
        } else {
            Self::Queue
        }
    }
}

/// How long each cause has held so far. A job that begins to wait subtracts this from its account, and adds it when it
/// starts: so that a change of cause costs the same however many jobs wait.
#[derive(Clone, Copy, Debug, Default)]
pub struct CauseClock {
    held_ms: [u64; CAUSES],
    cause: Option<WaitCause>,
    since: SimTime,
}

impl CauseClock {
    /// Runs the clock up to `now`.
    pub fn advance(&mut self, now: SimTime) {
        if let Some(cause) = self.cause {
            self.held_ms[cause as usize] += now.since(self.since).as_ms();
        }
        self.since = now;
    }

    /// From now on this is the cause; `None`: no job queues.
    pub fn set(&mut self, cause: Option<WaitCause>) {
        self.cause = cause;
    }

    /// A job begins to wait.
    pub fn begin(&self, account: &mut WaitAccount) {
        for (part, held) in account.by_cause_ms.iter_mut().zip(self.held_ms) {
            *part = part.wrapping_sub(held);
        }
    }

    /// A job stops waiting.
    pub fn end(&self, account: &mut WaitAccount) {
        for (part, held) in account.by_cause_ms.iter_mut().zip(self.held_ms) {
            *part = part.wrapping_add(held);
        }
    }
}

/// One job's waiting by cause. While the job waits, the parts are meaningless (they owe the clock's reading).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitAccount {
    by_cause_ms: [u64; CAUSES],
}

impl WaitAccount {
    /// The part that `cause` has.
    pub fn part(&self, cause: WaitCause) -> SimSpan {
        SimSpan::from_ms(self.by_cause_ms[cause as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: QueueState = QueueState {
        head_cores: 8,
        booting: 0,
        instances: 4,
        max_nodes: 4,
        free_running: 3,
        free_draining: 0,
    };

    #[test]
    fn the_first_cause_that_holds_is_taken() {
        assert_eq!(WaitCause::of(FULL), WaitCause::Queue);
        let could_grow = QueueState { instances: 3, ..FULL };
        assert_eq!(WaitCause::of(could_grow), WaitCause::Poll);
        let drain_holds = QueueState { free_draining: 5, ..could_grow };
        assert_eq!(WaitCause::of(drain_holds), WaitCause::Drain);
        assert_eq!(WaitCause::of(QueueState { free_draining: 4, ..FULL }), WaitCause::Queue, "3 + 4 < 8");
        assert_eq!(WaitCause::of(QueueState { booting: 1, ..drain_holds }), WaitCause::Boot);
    }

    #[test]
    fn a_wait_is_cut_where_the_cause_changes() {
        // Queue until 10 s, boot until 25 s, nothing queues after. One job waits from 4 s to 25 s, one from 10 s on.
        let mut clock = CauseClock::default();
        let (mut early, mut late) = (WaitAccount::default(), WaitAccount::default());
        clock.set(Some(WaitCause::Queue));
        clock.advance(SimTime::from_secs(4));
        clock.begin(&mut early);
        clock.advance(SimTime::from_secs(10));
        clock.set(Some(WaitCause::Boot));
        clock.begin(&mut late);
        clock.advance(SimTime::from_secs(25));
        clock.end(&mut early);
        clock.end(&mut late);
        assert_eq!(early.part(WaitCause::Queue), SimSpan::from_secs(6));
        assert_eq!(early.part(WaitCause::Boot), SimSpan::from_secs(15));
        assert_eq!(late.part(WaitCause::Queue), SimSpan::ZERO);
        assert_eq!(late.part(WaitCause::Boot), SimSpan::from_secs(15));
    }
}
