//! The run loop: takes the next item off the agenda and has the world play it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::engine::agenda::{Next, PollSlot};
use crate::engine::context::SimContext;
use crate::time::{SimSpan, SimTime};

/// The actors of a run, as the run loop sees them.
pub trait World {
    /// What carries mail to the actors.
    type Envelope;
    /// What the context carries for them.
    type Carried;

    /// Starts the actors at time 0. The mail that they send is delivered before anything else happens.
    fn start(&mut self, ctx: &mut SimContext<Self::Envelope, Self::Carried>);
    /// What is there from the start is in place: the world's story begins.
    fn open(&mut self, ctx: &mut SimContext<Self::Envelope, Self::Carried>);
    /// Delivers mail.
    fn deliver(&mut self, mail: Self::Envelope, ctx: &mut SimContext<Self::Envelope, Self::Carried>);
    /// Lets a node beat.
    fn beat(&mut self, node: u32, ctx: &mut SimContext<Self::Envelope, Self::Carried>);
    /// Runs the scheduling pass.
    fn pass(&mut self, ctx: &mut SimContext<Self::Envelope, Self::Carried>);
    /// Runs a poll.
    fn poll(&mut self, slot: PollSlot, ctx: &mut SimContext<Self::Envelope, Self::Carried>);
    /// Called when an instant is over, before time moves on. Returning `false` ends the run as broken.
    fn settle(&mut self, ctx: &mut SimContext<Self::Envelope, Self::Carried>) -> bool;
}

/// When a run ends at the latest, and who may stop it.
///
/// A run that ends at its horizon ends as one that ends with its last job: the facts of that instant are played, its
/// beats, pass and polls are not.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Where it ends; `None`: when a handler says so.
    pub horizon: Option<SimTime>,
    /// How long it may go on without [`SimContext::note_progress`].
    pub patience: SimSpan,
    /// Set from outside to stop the run at the end of the present instant.
    pub stop: &'a AtomicBool,
    /// Where the run says how far it has come, for a progress bar.
    pub gauge: &'a Gauge,
}

/// How far a run has come, readable from another thread. It never flows back into the run.
#[derive(Debug, Default)]
pub struct Gauge {
    /// The present instant, in milliseconds.
    pub now_ms: AtomicU64,
    /// Items played so far.
    pub items: AtomicU64,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A handler said that all is done.
    Finished,
    /// The horizon was reached.
    Horizon,
    /// Nothing was left to happen, or nothing useful had happened for too long.
    Stuck,
    /// It was stopped from outside.
    Stopped,
    /// The world found itself broken.
    Broken,
}

/// The gauge is written once in so many instants, which costs nothing measurable.
const INSTANTS_PER_GAUGE: u32 = 1024;

/// Plays the world until it ends.
pub fn run<W: World>(
    world: &mut W,
    ctx: &mut SimContext<W::Envelope, W::Carried>,
    limits: Limits<'_>,
) -> Ended {
    world.start(ctx);
    while let Next::Fact(mail) = ctx.agenda().next(true) {
        world.deliver(mail, ctx);
    }
    world.open(ctx);
    let mut instants: u32 = 0;
    while !ctx.is_finished() {
        let only_facts = limits.horizon == Some(ctx.now());
        match ctx.agenda().next(only_facts) {
            Next::Fact(mail) => world.deliver(mail, ctx),
            Next::Beat(node) => world.beat(node, ctx),
            Next::Pass => world.pass(ctx),
            Next::Poll(slot) => world.poll(slot, ctx),
            Next::Later(at) => {
                if !world.settle(ctx) {
                    return Ended::Broken;
                }
                instants = instants.wrapping_add(1);
                if instants.is_multiple_of(INSTANTS_PER_GAUGE) {
                    limits.gauge.now_ms.store(ctx.now().as_ms(), Ordering::Relaxed);
                    limits.gauge.items.store(ctx.agenda().messages(), Ordering::Relaxed);
                    if limits.stop.load(Ordering::Relaxed) {
                        return Ended::Stopped;
                    }
                }
                if let Some(end) = end_before(at, ctx.progress_at(), limits) {
                    return end_at(end, ctx, limits);
                }
                ctx.agenda().advance(at);
            }
            Next::Nothing => {
                // At the horizon the instant is cut off after its facts, so it never settles.
                if !only_facts && !world.settle(ctx) {
                    return Ended::Broken;
                }
                return end_at(limits.horizon.map_or(Ended::Stuck, |_| Ended::Horizon), ctx, limits);
            }
        }
    }
    Ended::Finished
}

/// Whether the run ends before the instant `at` is played.
fn end_before(at: SimTime, progress_at: SimTime, limits: Limits<'_>) -> Option<Ended> {
    if limits.horizon.is_some_and(|horizon| at > horizon) {
        return Some(Ended::Horizon);
    }
    (at > progress_at + limits.patience).then_some(Ended::Stuck)
}

/// Moves the clock to where the run ends.
fn end_at<E, C>(end: Ended, ctx: &mut SimContext<E, C>, limits: Limits<'_>) -> Ended {
    if let (Ended::Horizon, Some(horizon)) = (end, limits.horizon)
        && horizon > ctx.now()
    {
        ctx.agenda().advance(horizon);
    }
    end
}
