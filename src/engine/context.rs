//! The context that actors run in: actix's `ActorContext`, in simulated time.

use actix::{ActorContext, ActorState};

use crate::engine::agenda::{Agenda, PollSlot, Ticket};
use crate::engine::beats::BeatMode;
use crate::engine::mail::Address;
use crate::engine::random::RandomStreams;
use crate::time::{SimSpan, SimTime};

/// What a handler gets: the present instant, the agenda, the random streams, and what else the run carries for its
/// actors (`C`; here the ledger's recorder). `E` is the envelope that carries mail.
#[derive(Debug)]
pub struct SimContext<E, C> {
    agenda: Agenda<E>,
    random: RandomStreams,
    /// Of the actor that is being served.
    state: ActorState,
    finished: bool,
    progress_at: SimTime,
    /// What the run carries for its actors.
    pub carried: C,
}

impl<E, C> SimContext<E, C> {
    /// A context at time 0 with nothing planned.
    pub fn new(seed: u64, mode: BeatMode, carried: C) -> Self {
        Self {
            agenda: Agenda::new(mode),
            random: RandomStreams::new(seed),
            state: ActorState::Running,
            finished: false,
            progress_at: SimTime::ZERO,
            carried,
        }
    }

    /// The present instant.
    pub fn now(&self) -> SimTime {
        self.agenda.now()
    }

    /// The random streams of this run.
    pub fn random(&self) -> &RandomStreams {
        &self.random
    }

    /// Sends `message` for this instant.
    pub fn tell<A, M>(&mut self, to: A, message: M)
    where
        A: Address<M, Envelope = E>,
    {
        self.agenda.send(to.envelope(message));
    }

    /// Sends `message` for `span` from now. The ticket takes it back.
    pub fn tell_after<A, M>(&mut self, span: SimSpan, to: A, message: M) -> Ticket
    where
        A: Address<M, Envelope = E>,
    {
        self.agenda.send_after(span, to.envelope(message))
    }

    /// Takes a message back that is not due yet.
    pub fn cancel(&mut self, ticket: Ticket) {
        self.agenda.cancel(ticket);
    }

    /// Asks for this instant's scheduling pass.
    pub fn request_pass(&mut self) {
        self.agenda.request_pass();
    }

    /// Asks for a scheduling pass of this instant even if it has had one.
    pub fn request_late_pass(&mut self) {
        self.agenda.request_late_pass();
    }

    /// Asks for the first tick of a poll at or after `not_before` that is not over yet.
    pub fn wake_poll(&mut self, slot: PollSlot, not_before: SimTime) {
        self.agenda.wake_poll(slot, not_before);
    }

    /// The first tick of a poll at or after now that is not over yet; [`SimTime::MAX`] if it has none.
    pub fn next_tick(&self, slot: PollSlot) -> SimTime {
        self.agenda.tick_at_or_after(slot, self.now())
    }

    /// Sets up the ticks of a poll.
    pub fn define_poll(&mut self, slot: PollSlot, first: SimTime, period: SimSpan) {
        self.agenda.define_poll(slot, first, period);
    }

    /// Sets up a poll that is played at just those moments that [`Self::wake_poll`] asks for.
    pub fn define_poll_on_demand(&mut self, slot: PollSlot) {
        self.agenda.define_poll_on_demand(slot);
    }

    /// `node` registered: it beats now and then each `interval`.
    pub fn start_beats(&mut self, node: u32, interval: SimSpan) {
        self.agenda.start_beats(node, interval);
    }

    /// `node` has news: it beats in this instant, and the interval starts anew.
    pub fn beat_now(&mut self, node: u32) {
        self.agenda.beat_now(node);
    }

    /// Somebody will act on the first beat of `node` at or after `not_before`.
    pub fn want_beat(&mut self, node: u32, not_before: SimTime) {
        self.agenda.want_beat(node, not_before);
    }

    /// `node` has just beaten, and beats at another interval from now on; only where each beat is played.
    pub fn change_beat_interval(&mut self, node: u32, interval: SimSpan) {
        self.agenda.change_beat_interval(node, interval);
    }

    /// `node` beats no more.
    pub fn stop_beats(&mut self, node: u32) {
        self.agenda.stop_beats(node);
    }

    /// `node` is heard again, at the moments at which it has gone on beating.
    pub fn resume_beats(&mut self, node: u32) {
        self.agenda.resume_beats(node);
    }

    /// When `node` was last heard.
    pub fn last_beat(&self, node: u32) -> SimTime {
        self.agenda.last_beat(node)
    }

    /// Time between two beats of `node`; `None` if it is silent.
    pub fn beat_interval(&self, node: u32) -> Option<SimSpan> {
        self.agenda.beat_interval(node)
    }

    /// All beats of all nodes up to now.
    pub fn beats_total(&self) -> u64 {
        self.agenda.beats_total()
    }

    /// Items that the run loop has played so far.
    pub fn items(&self) -> u64 {
        self.agenda.messages()
    }

    /// Ends the run with the fact that is being handled.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// Something that the run is for has happened; a run without any for too long is given up.
    pub fn note_progress(&mut self) {
        self.progress_at = self.now();
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    pub(crate) fn progress_at(&self) -> SimTime {
        self.progress_at
    }

    pub(crate) fn agenda(&mut self) -> &mut Agenda<E> {
        &mut self.agenda
    }

    /// The state of the actor that is being served.
    pub(crate) fn set_state(&mut self, state: ActorState) {
        self.state = state;
    }
}

impl<E, C> ActorContext for SimContext<E, C> {
    /// An actor that has terminated stays so.
    fn stop(&mut self) {
        if self.state == ActorState::Running {
            self.state = ActorState::Stopping;
        }
    }

    fn terminate(&mut self) {
        self.state = ActorState::Stopped;
    }

    fn state(&self) -> ActorState {
        self.state
    }
}
