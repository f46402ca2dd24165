//! The agenda: what happens next.
//!
//! **The order is a contract.** Items are taken by (time, class, order in class); the classes of one instant are facts
//! in the order in which they were sent, then beats by node number, then at most one scheduling pass, then polls by
//! slot. (One exception: see [`Agenda::request_late_pass`].) Whatever follows from a beat, a pass or a poll is a fact
//! again and comes before the next item of a later class. Nothing else decides.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use crate::engine::beats::{BeatClocks, BeatFront, BeatMode};
use crate::time::{SimSpan, SimTime};

/// Most kinds of polls that an agenda can hold.
pub const POLL_SLOTS: usize = 8;

/// One kind of poll; lower slots come first within an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PollSlot(pub u8);

/// Names a fact that was sent for later, so that it can be cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// What the agenda gives out.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<E> {
    /// Mail for an actor.
    Fact(E),
    /// A node's heartbeat.
    Beat(u32),
    /// The scheduling pass of this instant.
    Pass,
    /// A poll.
    Poll(PollSlot),
    /// This instant is over; the next one is at the given time.
    Later(SimTime),
    /// Nothing is left to happen, ever.
    Nothing,
}

/// A fact that was sent for later.
#[derive(Debug)]
struct Timer<E> {
    at: SimTime,
    sent: u64,
    envelope: E,
}

impl<E> Ord for Timer<E> {
    /// Reversed, since the standard heap gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.sent).cmp(&(self.at, self.sent))
    }
}

impl<E> PartialOrd for Timer<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Timer<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Timer<E> {}

/// A poll that ticks at `first`, `first + period` …, and is played only where somebody asked for it.
#[derive(Clone, Copy, Debug)]
struct Poll {
    first: SimTime,
    period: SimSpan,
    next: SimTime,
    /// Whether [`BeatMode::All`] plays each tick.
    every_tick: bool,
}

/// Whether the scheduling pass of this instant is still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    NotAsked,
    Asked,
    Done,
}

/// The future event list.
#[derive(Debug)]
pub struct Agenda<E> {
    now: SimTime,
    front: BeatFront,
    /// The last slot that was played in this instant.
    polled: Option<PollSlot>,
    pass: Pass,
    /// Facts of this instant in the order in which they were sent. They come after the timers that are due now, which
    /// were all sent earlier; measured, a plain queue is two to four times as fast as one heap for everything.
    mail: VecDeque<E>,
    timers: BinaryHeap<Timer<E>>,
    timers_due: bool,
    cancelled: BTreeSet<Ticket>,
    sent: u64,
    beats: BeatClocks,
    polls: [Option<Poll>; POLL_SLOTS],
    messages: u64,
}

impl<E> Agenda<E> {
    /// Nothing is planned; it is time 0.
    pub fn new(mode: BeatMode) -> Self {
        Self {
            now: SimTime::ZERO,
            front: BeatFront::START,
            polled: None,
            pass: Pass::NotAsked,
            mail: VecDeque::new(),
            timers: BinaryHeap::new(),
            timers_due: false,
            cancelled: BTreeSet::new(),
            sent: 0,
            beats: BeatClocks::new(mode),
            polls: [None; POLL_SLOTS],
            messages: 0,
        }
    }

    /// The present instant.
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Items given out so far.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Sends a fact for this instant.
    pub fn send(&mut self, envelope: E) {
        self.mail.push_back(envelope);
    }

    /// Sends a fact for `span` from now.
    pub fn send_after(&mut self, span: SimSpan, envelope: E) -> Ticket {
        self.sent += 1;
        if span.is_zero() {
            self.mail.push_back(envelope);
        } else {
            self.timers.push(Timer { at: self.now + span, sent: self.sent, envelope });
        }
        Ticket(self.sent)
    }

    /// Takes a fact back that was sent for later and is not due yet.
    pub fn cancel(&mut self, ticket: Ticket) {
        self.cancelled.insert(ticket);
    }

    /// Asks for the scheduling pass of this instant. Nothing happens if it is over.
    pub fn request_pass(&mut self) {
        if self.pass == Pass::NotAsked {
            self.pass = Pass::Asked;
        }
    }

    /// Asks for a scheduling pass of this instant even if it has had one. An exception: it is for capacity that appears
    /// after the pass, and that no later fact would bring to the scheduler's mind.
    pub fn request_late_pass(&mut self) {
        self.pass = Pass::Asked;
    }

    /// Sets up the ticks of a poll. It is not played before [`Self::wake_poll`] asks for it, except in
    /// [`BeatMode::All`], where each tick is played.
    pub fn define_poll(&mut self, slot: PollSlot, first: SimTime, period: SimSpan) {
        let next = if self.beats.mode() == BeatMode::All { first } else { SimTime::MAX };
        self.polls[slot.0 as usize] = Some(Poll { first, period, next, every_tick: true });
    }

    /// Sets up a poll that is played at just those moments that [`Self::wake_poll`] asks for.
    pub fn define_poll_on_demand(&mut self, slot: PollSlot) {
        let (first, period) = (SimTime::ZERO, SimSpan::MILLISECOND);
        self.polls[slot.0 as usize] = Some(Poll { first, period, next: SimTime::MAX, every_tick: false });
    }

    /// Asks for the first tick of a poll at or after `not_before` that is not over yet.
    pub fn wake_poll(&mut self, slot: PollSlot, not_before: SimTime) {
        let tick = self.tick_at_or_after(slot, not_before);
        if let Some(poll) = &mut self.polls[slot.0 as usize] {
            poll.next = poll.next.min(tick);
        }
    }

    /// The first tick of a poll at or after `not_before` that is not over yet; [`SimTime::MAX`] if it has none.
    pub fn tick_at_or_after(&self, slot: PollSlot, not_before: SimTime) -> SimTime {
        let Some(poll) = &self.polls[slot.0 as usize] else { return SimTime::MAX };
        let over_now = self.polled.is_some_and(|polled| polled >= slot);
        let earliest = if over_now { self.now + SimSpan::MILLISECOND } else { self.now };
        let ticks = not_before.max(earliest).since(poll.first).as_ms().div_ceil(poll.period.as_ms());
        poll.first + poll.period * ticks
    }

    /// What happens next; with `only_facts` nothing happens after the facts of this instant. After [`Next::Later`] the
    /// caller moves on with [`Self::advance`].
    pub fn next(&mut self, only_facts: bool) -> Next<E> {
        if let Some(envelope) = self.next_fact() {
            self.messages += 1;
            return Next::Fact(envelope);
        }
        if only_facts {
            return Next::Nothing;
        }
        let beat = self.beats.earliest();
        if let Some((at, node)) = beat
            && at == self.now
        {
            self.messages += 1;
            self.beats.take(node, self.now, self.front);
            self.front = self.front.max(BeatFront::after(node));
            return Next::Beat(node);
        }
        if self.pass == Pass::Asked {
            self.pass = Pass::Done;
            self.front = BeatFront::PAST;
            return Next::Pass;
        }
        let (poll_at, slot) = self.next_poll();
        if poll_at == self.now {
            self.take_poll(slot);
            return Next::Poll(slot);
        }
        let timer_at = self.timers.peek().map_or(SimTime::MAX, |timer| timer.at);
        let beat_at = beat.map_or(SimTime::MAX, |(at, _)| at);
        match timer_at.min(beat_at).min(poll_at) {
            SimTime::MAX => Next::Nothing,
            at => Next::Later(at),
        }
    }

    /// Moves on to `at`, which [`Next::Later`] named or which lies before it.
    pub fn advance(&mut self, at: SimTime) {
        debug_assert!(at > self.now, "time only moves forward");
        self.now = at;
        self.front = BeatFront::START;
        self.polled = None;
        self.pass = Pass::NotAsked;
        self.timers_due = true;
    }

    fn next_fact(&mut self) -> Option<E> {
        while self.timers_due {
            match self.timers.peek() {
                Some(timer) if timer.at == self.now => {
                    let timer = self.timers.pop().expect("a timer was just seen");
                    if self.cancelled.is_empty() || !self.cancelled.remove(&Ticket(timer.sent)) {
                        return Some(timer.envelope);
                    }
                }
                _ => self.timers_due = false,
            }
        }
        self.mail.pop_front()
    }

    fn next_poll(&self) -> (SimTime, PollSlot) {
        let mut earliest = (SimTime::MAX, PollSlot(0));
        for (poll, slot) in self.polls.iter().zip(0..) {
            if let Some(poll) = poll
                && poll.next < earliest.0
            {
                earliest = (poll.next, PollSlot(slot));
            }
        }
        earliest
    }

    fn take_poll(&mut self, slot: PollSlot) {
        self.messages += 1;
        self.front = BeatFront::PAST;
        self.polled = self.polled.max(Some(slot));
        let again = self.beats.mode() == BeatMode::All;
        if let Some(poll) = &mut self.polls[slot.0 as usize] {
            poll.next = if again && poll.every_tick { self.now + poll.period } else { SimTime::MAX };
        }
    }

    /// See [`BeatClocks::start`].
    pub fn start_beats(&mut self, node: u32, interval: SimSpan) {
        self.beats.start(node, interval, self.now, self.front);
    }

    /// See [`BeatClocks::news`].
    pub fn beat_now(&mut self, node: u32) {
        self.beats.news(node, self.now);
    }

    /// See [`BeatClocks::want`].
    pub fn want_beat(&mut self, node: u32, not_before: SimTime) {
        self.beats.want(node, not_before, self.now, self.front);
    }

    /// See [`BeatClocks::change_interval`].
    pub fn change_beat_interval(&mut self, node: u32, interval: SimSpan) {
        self.beats.change_interval(node, interval, self.now);
    }

    /// See [`BeatClocks::stop`].
    pub fn stop_beats(&mut self, node: u32) {
        self.beats.stop(node, self.now, self.front);
    }

    /// See [`BeatClocks::resume`].
    pub fn resume_beats(&mut self, node: u32) {
        self.beats.resume(node, self.now, self.front);
    }

    /// See [`BeatClocks::last_beat`].
    pub fn last_beat(&self, node: u32) -> SimTime {
        self.beats.last_beat(node, self.now, self.front)
    }

    /// See [`BeatClocks::interval`].
    pub fn beat_interval(&self, node: u32) -> Option<SimSpan> {
        self.beats.interval(node)
    }

    /// See [`BeatClocks::total`].
    pub fn beats_total(&self) -> u64 {
        self.beats.total(self.now, self.front)
    }
}

#[cfg(test)]
mod tests;
