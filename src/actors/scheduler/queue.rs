//! The queue of jobs that wait, in the order in which they may start.

use std::collections::VecDeque;

use crate::rules::machine::TypeId;
use crate::rules::scheduling::JobIndex;
use crate::time::{SimSpan, SimTime};

/// A job that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    pub job: JobIndex,
    pub cores: u32,
    /// Cores that it makes the policy ask for: more than its own if memory keeps some of a node's from it.
    pub need_cores: u64,
    /// How long its next attempt is expected to run.
    pub requested: SimSpan,
    /// The cheapest type that can hold it.
    pub kind: TypeId,
}

/// The queue.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: VecDeque<Waiting>,
    need_cores: Vec<u64>,
    /// How many at the head were requeued in the instant beside it and are not settled yet.
    requeued: (SimTime, usize),
}

impl Queue {
    pub(super) fn new(types: usize) -> Self {
        Self { waiting: VecDeque::new(), need_cores: vec![0; types], requeued: (SimTime::ZERO, 0) }
    }

    pub(super) fn head(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    /// The first from `place` on that is wanted, with its place.
    pub(super) fn find(&self, place: usize, wanted: impl Fn(&Waiting) -> bool) -> Option<(usize, &Waiting)> {
        let found = self.waiting.range(place..).position(wanted)?;
        Some((place + found, &self.waiting[place + found]))
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Cores of all waiting jobs for which `kind` is the cheapest type.
    pub(super) fn need_cores(&self, kind: TypeId) -> u64 {
        self.need_cores[kind.index()]
    }

    pub(super) fn push_back(&mut self, waiting: Waiting) {
        self.need_cores[waiting.kind.index()] += waiting.need_cores;
        self.waiting.push_back(waiting);
    }

    /// A killed job waits again, before those that waited. All that are requeued in one instant stand in submit order.
    pub(super) fn push_front(&mut self, waiting: Waiting, now: SimTime) {
        self.need_cores[waiting.kind.index()] += waiting.need_cores;
        if self.requeued.0 != now {
            self.requeued = (now, 0);
        }
        let (_, count) = &mut self.requeued;
        let place =
            self.waiting.iter().take(*count).position(|other| other.job > waiting.job).unwrap_or(*count);
        self.waiting.insert(place, waiting);
        *count += 1;
    }

    /// The order at the head is final: the pass begins.
    pub(super) fn settle_head(&mut self) {
        self.requeued.1 = 0;
    }

    pub(super) fn pop_head(&mut self) {
        if let Some(waiting) = self.waiting.pop_front() {
            self.need_cores[waiting.kind.index()] -= waiting.need_cores;
        }
    }

    pub(super) fn remove(&mut self, place: usize) {
        if let Some(waiting) = self.waiting.remove(place) {
            self.need_cores[waiting.kind.index()] -= waiting.need_cores;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(job: u32) -> Waiting {
        Waiting {
            job: JobIndex(job),
            cores: 2,
            need_cores: 2,
            requested: SimSpan::from_secs(1),
            kind: TypeId(0),
        }
    }

    fn order(queue: &Queue) -> Vec<u32> {
        queue.waiting.iter().map(|waiting| waiting.job.0).collect()
    }

    #[test]
    fn jobs_killed_in_one_instant_stand_in_submit_order_before_those_that_waited() {
        let mut queue = Queue::new(1);
        queue.push_back(waiting(9));
        queue.push_front(waiting(5), SimTime::from_secs(10));
        queue.push_front(waiting(2), SimTime::from_secs(10));
        queue.push_front(waiting(7), SimTime::from_secs(10));
        assert_eq!(order(&queue), [2, 5, 7, 9]);
        queue.push_front(waiting(6), SimTime::from_secs(20));
        assert_eq!(
            order(&queue),
            [6, 2, 5, 7, 9],
            "what was killed later stands before what was killed earlier"
        );
        assert_eq!(queue.need_cores(TypeId(0)), 10);
        queue.pop_head();
        queue.remove(1);
        assert_eq!(order(&queue), [2, 7, 9]);
        assert_eq!(queue.need_cores(TypeId(0)), 6);
    }
}
