//! The beat clock: heartbeats that are exact without being played one by one.
//!
//! A node that registered at r with interval h beats at r, r+h, r+2h …; news makes it beat at once and restarts the
//! interval (yarn.md 7.1). A beat is *played* (handed to the node) only if somebody would act on it; every other
//! reading of a beat, such as its number or the time of the last one, is computed here. [`BeatMode::All`] plays each
//! beat and must give the same results: that is how the laziness is tested.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::time::{SimSpan, SimTime};

/// Which beats are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BeatMode {
    /// Only those that somebody would act on.
    #[default]
    Lazy,
    /// Each one, and each poll.
    All,
}

/// How far the beats of the present instant have come: nodes with a lower number have beaten.
///
/// It only grows within an instant. [`BeatFront::PAST`] stands for "all of them".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BeatFront(u32);

impl BeatFront {
    /// No node has beaten in this instant yet.
    pub const START: Self = Self(0);
    /// Every beat of this instant has been played.
    pub const PAST: Self = Self(u32::MAX);

    /// Just after the beat of `node`.
    pub const fn after(node: u32) -> Self {
        Self(node.saturating_add(1))
    }

    const fn has_passed(self, node: u32) -> bool {
        node < self.0
    }
}

/// No beat of a node is planned to be played.
const NEVER: SimTime = SimTime::MAX;

/// One node's beats.
#[derive(Clone, Copy, Debug)]
struct Clock {
    interval: SimSpan,
    /// Beats come at this instant plus whole intervals: the last one that was played, the registration, or the last one
    /// of a silent node, sent or not.
    phase: SimTime,
    /// The last beat up to `phase` that arrived; the registration counts as one.
    heard: SimTime,
    /// Beats that arrived up to `phase`.
    count: u64,
    /// The next beat that is to be played, or [`NEVER`].
    wake: SimTime,
    beating: bool,
}

impl Clock {
    /// Beats after the last played one that are over by now without having been played.
    fn unplayed(&self, node: u32, now: SimTime, front: BeatFront) -> u64 {
        if !self.beating {
            return 0;
        }
        let elapsed_ms = now.since(self.phase).as_ms();
        let beats = elapsed_ms / self.interval.as_ms();
        let one_is_due_now = beats > 0 && elapsed_ms.is_multiple_of(self.interval.as_ms());
        beats - u64::from(one_is_due_now && !front.has_passed(node))
    }

    /// The first regular beat at or after `not_before` that is not over yet.
    fn first_at_or_after(&self, node: u32, not_before: SimTime, now: SimTime, front: BeatFront) -> SimTime {
        let over = self.unplayed(node, now, front);
        let wanted = not_before.since(self.phase).as_ms().div_ceil(self.interval.as_ms());
        self.phase + self.interval * wanted.max(over + 1)
    }
}

/// The beats of all nodes, and the order in which the planned ones are played.
#[derive(Debug, Default)]
pub struct BeatClocks {
    mode: BeatMode,
    clocks: Vec<Option<Clock>>,
    lane: Lane,
}

impl BeatClocks {
    /// No node beats yet.
    pub fn new(mode: BeatMode) -> Self {
        Self { mode, ..Self::default() }
    }

    /// Which beats are played.
    pub fn mode(&self) -> BeatMode {
        self.mode
    }

    fn clock(&self, node: u32) -> &Clock {
        self.clocks[node as usize].as_ref().expect("a node's beats are asked for after it registered")
    }

    fn clock_mut(&mut self, node: u32) -> &mut Clock {
        self.clocks[node as usize].as_mut().expect("a node's beats are asked for after it registered")
    }

    /// `node` registered now: it beats in this very instant, and then each `interval`. Beats of an earlier
    /// registration stay counted.
    pub fn start(&mut self, node: u32, interval: SimSpan, now: SimTime, front: BeatFront) {
        let index = node as usize;
        if self.clocks.len() <= index {
            self.clocks.resize(index + 1, None);
        }
        let count = self.clocks[index].map_or(0, |clock| clock.count + clock.unplayed(node, now, front));
        self.clocks[index] =
            Some(Clock { interval, phase: now, heard: now, count, wake: NEVER, beating: true });
        self.plan(node, now);
    }

    /// `node` has news: it beats in this instant, and the interval starts anew. The beat of a silent node is lost, but
    /// its interval starts anew, too.
    pub fn news(&mut self, node: u32, now: SimTime) {
        let clock = self.clock_mut(node);
        if clock.beating {
            self.plan(node, now);
        } else {
            clock.phase = now;
        }
    }

    /// Somebody will act on the first beat of `node` at or after `not_before`. Any beat that is played in between uses
    /// the wish up: whoever acts on beats says at each of them which one comes next.
    pub fn want(&mut self, node: u32, not_before: SimTime, now: SimTime, front: BeatFront) {
        let clock = self.clock(node);
        if clock.beating {
            self.plan(node, clock.first_at_or_after(node, not_before, now, front));
        }
    }

    /// `node` has just beaten, and beats at another interval from this beat on. Beats that somebody wants are
    /// forgotten, so the interval may change only where each one is played.
    pub fn change_interval(&mut self, node: u32, interval: SimSpan, now: SimTime) {
        let clock = self.clock_mut(node);
        if clock.interval == interval {
            return;
        }
        clock.interval = interval;
        // One that is planned for this very instant is news, and comes before the interval.
        if clock.beating && clock.wake > now {
            clock.wake = NEVER;
            let at = clock.phase + interval;
            self.plan(node, at);
        }
    }

    /// `node` beats no more.
    pub fn stop(&mut self, node: u32, now: SimTime, front: BeatFront) {
        let clock = self.clock_mut(node);
        let unplayed = clock.unplayed(node, now, front);
        if unplayed > 0 {
            clock.count += unplayed;
            clock.phase += clock.interval * unplayed;
            clock.heard = clock.phase;
        }
        clock.beating = false;
        clock.wake = NEVER;
    }

    /// `node` is heard again, at the moments at which it has gone on beating. What it sent meanwhile is lost.
    pub fn resume(&mut self, node: u32, now: SimTime, front: BeatFront) {
        let mode = self.mode;
        let clock = self.clock_mut(node);
        if clock.beating {
            return;
        }
        clock.beating = true;
        let lost = clock.unplayed(node, now, front);
        clock.phase += clock.interval * lost;
        if mode == BeatMode::All {
            let at = clock.phase + clock.interval;
            self.plan(node, at);
        }
    }

    /// Plans a beat of `node`, unless an earlier one is planned.
    fn plan(&mut self, node: u32, at: SimTime) {
        let clock = self.clock_mut(node);
        if at < clock.wake {
            clock.wake = at;
            self.lane.push(at, node);
        }
    }

    /// The earliest planned beat.
    pub fn earliest(&mut self) -> Option<(SimTime, u32)> {
        while let Some((at, node)) = self.lane.first() {
            if self.clock(node).wake == at {
                return Some((at, node));
            }
            self.lane.pop();
        }
        None
    }

    /// Takes the beat that [`Self::earliest`] named: it is being played now.
    pub fn take(&mut self, node: u32, now: SimTime, front: BeatFront) {
        self.lane.pop();
        let mode = self.mode;
        let clock = self.clock_mut(node);
        let before_this_one = clock.unplayed(node, now, front);
        clock.count += before_this_one + 1;
        (clock.phase, clock.heard) = (now, now);
        clock.wake = NEVER;
        if mode == BeatMode::All {
            let at = now + clock.interval;
            self.plan(node, at);
        }
    }

    /// When `node` beat last (its registration counts as one), and whether it still beats.
    pub fn last_beat(&self, node: u32, now: SimTime, front: BeatFront) -> SimTime {
        let clock = self.clock(node);
        match clock.unplayed(node, now, front) {
            0 => clock.heard,
            unplayed => clock.phase + clock.interval * unplayed,
        }
    }

    /// Time between two beats of `node`; `None` if it is silent.
    pub fn interval(&self, node: u32) -> Option<SimSpan> {
        let clock = self.clock(node);
        clock.beating.then_some(clock.interval)
    }

    /// All beats of all nodes up to now.
    pub fn total(&self, now: SimTime, front: BeatFront) -> u64 {
        let numbered = self.clocks.iter().zip(0_u32..);
        numbered
            .filter_map(|(clock, node)| {
                clock.as_ref().map(|clock| clock.count + clock.unplayed(node, now, front))
            })
            .sum()
    }
}

/// Planned beats in order of (time, node).
///
/// When every beat is played, each pop at t is followed by a push at t + interval, so pushes arrive in order and a
/// plain queue holds them; only pushes out of order pay for a heap.
#[derive(Debug, Default)]
struct Lane {
    in_order: VecDeque<(SimTime, u32)>,
    out_of_order: BinaryHeap<Reverse<(SimTime, u32)>>,
}

impl Lane {
    fn push(&mut self, at: SimTime, node: u32) {
        if self.in_order.back().is_none_or(|&last| last <= (at, node)) {
            self.in_order.push_back((at, node));
        } else {
            self.out_of_order.push(Reverse((at, node)));
        }
    }

    fn first(&self) -> Option<(SimTime, u32)> {
        match (self.in_order.front(), self.out_of_order.peek()) {
            (Some(&a), Some(&Reverse(b))) => Some(a.min(b)),
            (Some(&a), None) => Some(a),
            (None, Some(&Reverse(b))) => Some(b),
            (None, None) => None,
        }
    }

    fn pop(&mut self) {
        let queued = self.in_order.front().copied();
        match self.out_of_order.peek() {
            Some(&Reverse(heaped)) if queued.is_none_or(|queued| heaped < queued) => {
                self.out_of_order.pop();
            }
            _ => {
                self.in_order.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests;
