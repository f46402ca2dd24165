//! A toy world: one actor that writes down what it hears, and what the run loop and the mail do around it.

#![expect(unreachable_pub, reason = "a mailbox is public, and so is what it holds")]

use std::sync::atomic::{AtomicBool, Ordering};

use actix::{Actor, ActorContext as _, ActorState, Handler, Message, Running};

use super::run::Gauge;
use super::*;
use crate::time::{SimSpan, SimTime};

type Ctx = SimContext<Mail, Vec<String>>;

/// Says something to the scribe.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Say(&'static str);

mailbox! {
    /// What the scribe hears.
    Mail for Scribe, in Ctx { Say }
}

/// The address of the scribe.
struct ToScribe;

impl<M: Into<Mail>> Address<M> for ToScribe {
    type Envelope = Mail;
    fn envelope(self, message: M) -> Mail {
        message.into()
    }
}

/// Writes down what it hears, and what happens to itself.
#[derive(Default)]
pub struct Scribe {
    refuses_to_stop: bool,
    stopped: bool,
    /// What it does when it is started.
    opening: Option<fn(&mut Ctx)>,
    broken_at: Option<SimTime>,
}

fn note(ctx: &mut Ctx, what: &str) {
    let line = format!("{} {what}", ctx.now().as_ms() / 1000);
    ctx.carried.push(line);
}

impl Actor for Scribe {
    type Context = Ctx;

    fn started(&mut self, ctx: &mut Ctx) {
        note(ctx, "started");
        if let Some(opening) = self.opening {
            opening(ctx);
        }
    }

    fn stopping(&mut self, ctx: &mut Ctx) -> Running {
        assert_eq!(ctx.state(), ActorState::Stopping);
        note(ctx, "stopping");
        if self.refuses_to_stop { Running::Continue } else { Running::Stop }
    }

    fn stopped(&mut self, ctx: &mut Ctx) {
        assert_eq!(ctx.state(), ActorState::Stopped);
        note(ctx, "stopped");
    }
}

impl Handler<Say> for Scribe {
    type Result = ();

    fn handle(&mut self, Say(what): Say, ctx: &mut Ctx) {
        assert_eq!(ctx.state(), ActorState::Running, "every message finds its actor running");
        note(ctx, what);
        match what {
            "stop" => ctx.stop(),
            "terminate" => ctx.terminate(),
            "terminate and stop" => {
                ctx.terminate();
                ctx.stop();
            }
            "finish" => ctx.finish(),
            "progress" => ctx.note_progress(),
            _ => {}
        }
    }
}

impl World for Scribe {
    type Envelope = Mail;
    type Carried = Vec<String>;

    fn start(&mut self, ctx: &mut Ctx) {
        self.started(ctx);
    }

    fn open(&mut self, ctx: &mut Ctx) {
        note(ctx, "open");
    }

    fn deliver(&mut self, mail: Mail, ctx: &mut Ctx) {
        if !self.stopped {
            self.stopped = mail.deliver(self, ctx) == Served::Stopped;
        }
    }

    fn beat(&mut self, node: u32, ctx: &mut Ctx) {
        note(ctx, &format!("beat {node}"));
    }

    fn pass(&mut self, ctx: &mut Ctx) {
        note(ctx, "pass");
    }

    fn poll(&mut self, slot: PollSlot, ctx: &mut Ctx) {
        note(ctx, &format!("poll {}", slot.0));
    }

    fn settle(&mut self, ctx: &mut Ctx) -> bool {
        note(ctx, "settled");
        self.broken_at != Some(ctx.now())
    }
}

/// A run of the scribe: how it ended, when, and what was written.
fn play(scribe: Scribe, horizon_s: Option<u64>) -> (Ended, u64, String) {
    let (stop, gauge) = (AtomicBool::new(false), Gauge::default());
    let limits = Limits {
        horizon: horizon_s.map(SimTime::from_secs),
        patience: SimSpan::from_secs(100),
        stop: &stop,
        gauge: &gauge,
    };
    play_within(scribe, limits)
}

fn play_within(mut scribe: Scribe, limits: Limits<'_>) -> (Ended, u64, String) {
    let mut ctx = SimContext::new(1, BeatMode::Lazy, Vec::new());
    let ended = run(&mut scribe, &mut ctx, limits);
    (ended, ctx.now().as_ms() / 1000, ctx.carried.join(", "))
}

fn opening(opening: fn(&mut Ctx)) -> Scribe {
    Scribe { opening: Some(opening), ..Scribe::default() }
}

fn say_after(ctx: &mut Ctx, seconds: u64, what: &'static str) {
    ctx.tell_after(SimSpan::from_secs(seconds), ToScribe, Say(what));
}

#[test]
fn what_the_start_sends_is_delivered_before_the_story_begins() {
    let scribe = opening(|ctx| {
        ctx.tell(ToScribe, Say("a"));
        ctx.start_beats(1, SimSpan::from_secs(10));
        ctx.request_pass();
        say_after(ctx, 3, "finish");
    });
    let told = "0 started, 0 a, 0 open, 0 beat 1, 0 pass, 0 settled, 3 finish";
    assert_eq!(
        play(scribe, None),
        (Ended::Finished, 3, told.to_owned()),
        "it ends with the fact that ends it"
    );
}

#[test]
fn at_the_horizon_facts_are_played_and_nothing_else() {
    let scribe = || {
        opening(|ctx| {
            ctx.start_beats(1, SimSpan::from_secs(10));
            ctx.want_beat(1, SimTime::from_secs(10));
            ctx.define_poll(PollSlot(0), SimTime::from_secs(10), SimSpan::from_secs(10));
            ctx.wake_poll(PollSlot(0), SimTime::ZERO);
            say_after(ctx, 10, "a");
            say_after(ctx, 11, "b");
        })
    };
    let until_ten = "0 started, 0 open, 0 beat 1, 0 settled, 10 a";
    assert_eq!(play(scribe(), Some(10)), (Ended::Horizon, 10, until_ten.to_owned()));
    let until_nine = "0 started, 0 open, 0 beat 1, 0 settled";
    assert_eq!(
        play(scribe(), Some(9)),
        (Ended::Horizon, 9, until_nine.to_owned()),
        "the clock is moved there"
    );
    let at_once = "0 started, 0 open";
    assert_eq!(play(scribe(), Some(0)), (Ended::Horizon, 0, at_once.to_owned()));
}

#[test]
fn a_horizon_after_all_has_happened_is_still_reached() {
    let scribe = opening(|ctx| say_after(ctx, 3, "a"));
    let (ended, end_s, _) = play(scribe, Some(1000));
    assert_eq!((ended, end_s), (Ended::Horizon, 1000), "patience is for runs without a horizon and longer");
}

#[test]
fn a_run_without_anything_left_is_stuck_where_it_is() {
    let scribe = opening(|ctx| say_after(ctx, 3, "a"));
    let told = "0 started, 0 open, 0 settled, 3 a, 3 settled";
    assert_eq!(play(scribe, None), (Ended::Stuck, 3, told.to_owned()));
}

#[test]
fn patience_counts_from_the_last_progress() {
    for (says, end_s) in [("a", 90), ("progress", 190)] {
        let scribe = match says {
            "progress" => opening(|ctx| {
                say_after(ctx, 90, "progress");
                say_after(ctx, 190, "b");
                say_after(ctx, 191, "c");
            }),
            _ => opening(|ctx| {
                say_after(ctx, 90, "a");
                say_after(ctx, 101, "b");
            }),
        };
        let (ended, at_s, _) = play(scribe, None);
        assert_eq!((ended, at_s), (Ended::Stuck, end_s), "{says}");
    }
}

#[test]
fn a_broken_world_ends_the_run_with_its_instant() {
    let mut scribe = opening(|ctx| {
        say_after(ctx, 3, "a");
        say_after(ctx, 4, "b");
    });
    scribe.broken_at = Some(SimTime::from_secs(3));
    let (ended, at_s, told) = play(scribe, None);
    assert_eq!((ended, at_s), (Ended::Broken, 3));
    assert!(told.ends_with("3 a, 3 settled"), "{told}");
}

#[test]
fn a_run_is_stopped_from_outside_and_says_how_far_it_has_come() {
    let (stop, gauge) = (AtomicBool::new(true), Gauge::default());
    let limits = Limits { horizon: None, patience: SimSpan::from_hours(24), stop: &stop, gauge: &gauge };
    let scribe = opening(|ctx| {
        for seconds in 1..=10_000 {
            say_after(ctx, seconds, "a");
        }
    });
    let (ended, at_s, _) = play_within(scribe, limits);
    assert_eq!(ended, Ended::Stopped);
    assert_eq!(gauge.now_ms.load(Ordering::Relaxed), at_s * 1000);
    assert_eq!(gauge.items.load(Ordering::Relaxed), at_s, "one fact a second");
}

/// What is written when the scribe hears this and then "more".
fn hears(what: &'static str, refuses_to_stop: bool) -> (Served, String) {
    let mut scribe = Scribe { refuses_to_stop, ..Scribe::default() };
    let mut ctx = SimContext::new(1, BeatMode::Lazy, Vec::new());
    let served = hand_over(&mut scribe, Say(what), &mut ctx);
    // The context serves another actor now.
    assert_eq!(hand_over(&mut Scribe::default(), Say("more"), &mut ctx), Served::Running);
    (served, ctx.carried.join(", "))
}

#[test]
fn actors_stop_as_actix_says() {
    for (what, refuses_to_stop, served, told) in [
        ("nothing", false, Served::Running, "0 nothing, 0 more"),
        ("stop", false, Served::Stopped, "0 stop, 0 stopping, 0 stopped, 0 more"),
        ("stop", true, Served::Running, "0 stop, 0 stopping, 0 more"),
        ("terminate", false, Served::Stopped, "0 terminate, 0 stopped, 0 more"),
        ("terminate", true, Served::Stopped, "0 terminate, 0 stopped, 0 more"),
        ("terminate and stop", true, Served::Stopped, "0 terminate and stop, 0 stopped, 0 more"),
    ] {
        assert_eq!(hears(what, refuses_to_stop), (served, told.to_owned()), "{what} {refuses_to_stop}");
    }
}

#[test]
fn a_stopped_actor_hears_nothing_more() {
    let scribe = opening(|ctx| {
        ctx.tell(ToScribe, Say("stop"));
        ctx.tell(ToScribe, Say("a"));
    });
    let (_, _, told) = play(scribe, None);
    assert_eq!(told, "0 started, 0 stop, 0 stopping, 0 stopped, 0 open, 0 settled");
}
