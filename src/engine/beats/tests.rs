//! Exactness: the clocks against a naive list of every beat, and lazy against full.

use proptest::prelude::*;

use super::*;
use crate::engine::agenda::{Agenda, Next};

const NODES: u32 = 4;

/// What happens to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It registers, with this interval.
    Start(u32, u64),
    News(u32),
    Stop(u32),
    /// Somebody will act on its first beat that is no earlier than so many seconds from now.
    Want(u32, u64),
}

/// A step at an instant (in seconds): as a fact, or as what follows from the beat of a node at that instant.
#[derive(Clone, Copy, Debug)]
struct Event {
    at_s: u64,
    after_beat_of: Option<u32>,
    step: Step,
}

/// Last beats and the number of beats, as they read at one moment.
type Reading = (Vec<SimTime>, u64);

/// Every beat of every node, listed one by one.
struct Naive {
    /// Interval and next beat of each node that beats.
    beating: Vec<Option<(u64, u64)>>,
    last_s: Vec<u64>,
    total: u64,
}

impl Naive {
    fn new() -> Self {
        Self { beating: vec![None; NODES as usize], last_s: vec![0; NODES as usize], total: 0 }
    }

    fn apply(&mut self, step: Step, now_s: u64) {
        match step {
            Step::Start(node, interval_s) => {
                self.beating[node as usize] = Some((interval_s, now_s));
                self.last_s[node as usize] = now_s;
            }
            Step::News(node) => {
                if let Some((_, next_s)) = &mut self.beating[node as usize] {
                    *next_s = now_s;
                }
            }
            Step::Stop(node) => self.beating[node as usize] = None,
            Step::Want(..) => {}
        }
    }

    fn reading(&self) -> Reading {
        (self.last_s.iter().map(|&last_s| SimTime::from_secs(last_s)).collect(), self.total)
    }

    /// Plays all instants. Reads after the facts, after each beat and what follows from it, and at the end of each.
    fn play(mut self, events: &[Event], until_s: u64) -> (Vec<(u64, u32)>, Vec<Reading>) {
        let (mut beats, mut readings) = (Vec::new(), Vec::new());
        for now_s in 0..=until_s {
            let mut followed = vec![false; events.len()];
            for event in events.iter().filter(|event| event.at_s == now_s && event.after_beat_of.is_none()) {
                self.apply(event.step, now_s);
            }
            readings.push(self.reading());
            while let Some(node) = (0..NODES)
                .find(|&node| self.beating[node as usize].is_some_and(|(_, next_s)| next_s == now_s))
            {
                let (interval_s, _) = self.beating[node as usize].expect("it was just found to beat");
                self.beating[node as usize] = Some((interval_s, now_s + interval_s));
                self.last_s[node as usize] = now_s;
                self.total += 1;
                beats.push((now_s, node));
                for (event, done) in events.iter().zip(&mut followed) {
                    if event.at_s == now_s && event.after_beat_of == Some(node) && !*done {
                        *done = true;
                        self.apply(event.step, now_s);
                    }
                }
                readings.push(self.reading());
            }
            readings.push(self.reading());
        }
        (beats, readings)
    }
}

fn apply(step: Step, registered: &mut [bool], agenda: &mut Agenda<Event>) {
    let (Step::Start(node, _) | Step::News(node) | Step::Stop(node) | Step::Want(node, _)) = step;
    match step {
        Step::Start(_, interval_s) => {
            registered[node as usize] = true;
            agenda.start_beats(node, SimSpan::from_secs(interval_s));
        }
        _ if !registered[node as usize] => {}
        Step::News(_) => agenda.beat_now(node),
        Step::Stop(_) => agenda.stop_beats(node),
        Step::Want(_, in_s) => agenda.want_beat(node, agenda.now() + SimSpan::from_secs(in_s)),
    }
}

fn reading(registered: &[bool], agenda: &Agenda<Event>) -> Reading {
    let last = (0..NODES).zip(registered).map(
        |(node, &known)| {
            if known { agenda.last_beat(node) } else { SimTime::ZERO }
        },
    );
    (last.collect(), agenda.beats_total())
}

/// Plays the same with an agenda. Reads after the facts, after each played beat and what follows from it, and at the
/// end of each instant.
fn play(mode: BeatMode, events: &[Event], until_s: u64) -> (Vec<(u64, u32)>, Vec<Reading>) {
    let mut agenda = Agenda::new(mode);
    let mut registered = vec![false; NODES as usize];
    let (mut beats, mut readings) = (Vec::new(), Vec::new());
    for now_s in 0..=until_s {
        if now_s > 0 {
            agenda.advance(SimTime::from_secs(now_s));
        }
        for event in events.iter().filter(|event| event.at_s == now_s && event.after_beat_of.is_none()) {
            agenda.send(*event);
        }
        while let Next::Fact(event) = agenda.next(true) {
            apply(event.step, &mut registered, &mut agenda);
        }
        readings.push(reading(&registered, &agenda));
        let mut followed = vec![false; events.len()];
        while let Next::Beat(node) = agenda.next(false) {
            beats.push((now_s, node));
            for (event, done) in events.iter().zip(&mut followed) {
                if event.at_s == now_s && event.after_beat_of == Some(node) && !*done {
                    *done = true;
                    apply(event.step, &mut registered, &mut agenda);
                }
            }
            readings.push(reading(&registered, &agenda));
        }
        // The pass means that all beats of the instant are over.
        agenda.request_pass();
        assert_eq!(agenda.next(false), Next::Pass);
        readings.push(reading(&registered, &agenda));
    }
    (beats, readings)
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        (self.at_s, self.after_beat_of, self.step) == (other.at_s, other.after_beat_of, other.step)
    }
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..NODES, 1..8_u64).prop_map(|(node, interval_s)| Step::Start(node, interval_s)),
        4 => (0..NODES).prop_map(Step::News),
        1 => (0..NODES).prop_map(Step::Stop),
        3 => (0..NODES, 0..12_u64).prop_map(|(node, in_s)| Step::Want(node, in_s)),
    ]
}

/// Facts at any instant, over nodes that all register early.
fn facts() -> impl Strategy<Value = Vec<Event>> {
    let event = (0..40_u64, steps()).prop_map(|(at_s, step)| Event { at_s, after_beat_of: None, step });
    prop::collection::vec(event, 0..40).prop_map(|mut events| {
        events.extend((0..NODES).map(|node| Event {
            at_s: u64::from(node % 2),
            after_beat_of: None,
            step: Step::Start(node, u64::from(node) + 2),
        }));
        events
    })
}

/// The same, with steps that follow from beats.
fn facts_and_consequences() -> impl Strategy<Value = Vec<Event>> {
    let follows = (0..40_u64, 0..NODES, steps()).prop_map(|(at_s, node, step)| Event {
        at_s,
        after_beat_of: Some(node),
        step,
    });
    (facts(), prop::collection::vec(follows, 0..20)).prop_map(|(mut facts, follow)| {
        facts.extend(follow);
        facts
    })
}

proptest! {
    #[test]
    fn every_beat_is_played_when_and_in_the_order_that_the_definition_says(events in facts_and_consequences()) {
        let (naive_beats, naive_readings) = Naive::new().play(&events, 50);
        let (beats, readings) = play(BeatMode::All, &events, 50);
        prop_assert_eq!(beats, naive_beats);
        prop_assert_eq!(readings, naive_readings);
    }

    #[test]
    fn lazy_beats_read_as_full_ones_do(events in facts()) {
        let (all_beats, _) = play(BeatMode::All, &events, 50);
        let (lazy_beats, _) = play(BeatMode::Lazy, &events, 50);
        prop_assert!(lazy_beats.iter().all(|beat| all_beats.contains(beat)), "a beat that is none was played");
        for event in &events {
            // What somebody wants to act on is played, unless the node is silent or starts anew before.
            if let Step::Want(node, in_s) = event.step {
                let due = all_beats.iter().find(|&&(at_s, of)| of == node && at_s >= event.at_s + in_s);
                let disturbed = events.iter().any(|other| {
                    matches!(other.step, Step::Stop(of) | Step::Start(of, _) if of == node)
                        && other.at_s >= event.at_s
                });
                if let (Some(due), false) = (due, disturbed) {
                    let earlier_news = lazy_beats.iter().any(|&(at_s, of)| {
                        of == node && at_s >= event.at_s && at_s < due.0
                    });
                    prop_assert!(lazy_beats.contains(due) || earlier_news, "{event:?} wants {due:?}");
                }
            }
        }
        // Readings at the two moments of each instant that both have: after the facts, and at the end.
        for until_s in [0, 1, 7, 23, 50] {
            let (_, all) = play(BeatMode::All, &events, until_s);
            let (_, lazy) = play(BeatMode::Lazy, &events, until_s);
            prop_assert_eq!(all.last(), lazy.last());
        }
        prop_assert_eq!(after_facts(BeatMode::All, &events), after_facts(BeatMode::Lazy, &events));
    }
}

/// The readings after the facts of each instant, before its beats.
fn after_facts(mode: BeatMode, events: &[Event]) -> Vec<Reading> {
    (0..=50)
        .map(|until_s| {
            let (beats, readings) = play(mode, events, until_s);
            let of_last_instant = beats.iter().filter(|(at_s, _)| *at_s == until_s).count();
            readings[readings.len() - 2 - of_last_instant].clone()
        })
        .collect()
}

/// A node that registered at 0 with an interval of 10 s; its first beat is over.
fn clocks() -> BeatClocks {
    let mut clocks = BeatClocks::new(BeatMode::Lazy);
    clocks.start(3, SimSpan::from_secs(10), SimTime::ZERO, BeatFront::START);
    clocks.take(3, SimTime::ZERO, BeatFront::START);
    clocks
}

#[test]
fn a_beat_counts_from_its_own_turn_on() {
    let clocks = clocks();
    let now = SimTime::from_secs(30);
    // The beats at 0, 10 and 20 s are over; the one at 30 s is over once the front has passed node 3.
    for (front, last_s, total) in [
        (BeatFront::START, 20, 3),
        (BeatFront::after(2), 20, 3),
        (BeatFront::after(3), 30, 4),
        (BeatFront::PAST, 30, 4),
    ] {
        assert_eq!(clocks.last_beat(3, now, front), SimTime::from_secs(last_s), "{front:?}");
        assert_eq!(clocks.total(now, front), total, "{front:?}");
    }
}

#[test]
fn a_wanted_beat_is_the_first_that_is_not_over() {
    for (not_before_s, front, beat_s) in [
        (0, BeatFront::START, 30),
        (30, BeatFront::after(2), 30),
        (30, BeatFront::after(3), 40),
        (31, BeatFront::START, 40),
        (55, BeatFront::PAST, 60),
    ] {
        let mut clocks = clocks();
        clocks.want(3, SimTime::from_secs(not_before_s), SimTime::from_secs(30), front);
        let expected = Some((SimTime::from_secs(beat_s), 3));
        assert_eq!(clocks.earliest(), expected, "from {not_before_s} s on, {front:?}");
    }
}

#[test]
fn news_restart_the_interval_and_a_later_wish_does_not_hold_them_up() {
    let mut clocks = clocks();
    clocks.want(3, SimTime::from_secs(25), SimTime::from_secs(14), BeatFront::START);
    clocks.news(3, SimTime::from_secs(14));
    clocks.news(3, SimTime::from_secs(14));
    assert_eq!(clocks.earliest(), Some((SimTime::from_secs(14), 3)));
    clocks.take(3, SimTime::from_secs(14), BeatFront::START);
    assert_eq!(
        clocks.earliest(),
        None,
        "two news make one beat, and whoever wanted a later one hears it first"
    );
    assert_eq!(clocks.last_beat(3, SimTime::from_secs(33), BeatFront::PAST), SimTime::from_secs(24));
    assert_eq!(clocks.total(SimTime::from_secs(34), BeatFront::PAST), 5, "at 0, 10, 14, 24 and 34 s");
}

#[test]
fn a_silent_node_keeps_its_beats_and_makes_none() {
    let mut clocks = clocks();
    clocks.stop(3, SimTime::from_secs(30), BeatFront::START);
    clocks.news(3, SimTime::from_secs(40));
    clocks.want(3, SimTime::from_secs(40), SimTime::from_secs(40), BeatFront::START);
    assert_eq!(clocks.earliest(), None);
    assert_eq!(clocks.interval(3), None);
    assert_eq!(clocks.last_beat(3, SimTime::from_secs(90), BeatFront::START), SimTime::from_secs(20));
    assert_eq!(clocks.total(SimTime::from_secs(90), BeatFront::PAST), 3, "its turn at 30 s had not come");
    clocks.start(3, SimSpan::from_secs(5), SimTime::from_secs(90), BeatFront::START);
    assert_eq!(clocks.interval(3), Some(SimSpan::from_secs(5)));
    clocks.take(3, SimTime::from_secs(90), BeatFront::START);
    assert_eq!(clocks.total(SimTime::from_secs(100), BeatFront::PAST), 6, "at 90, 95 and 100 s too");
}

#[test]
fn a_plan_that_was_overtaken_is_dropped() {
    let mut clocks = clocks();
    clocks.want(3, SimTime::from_secs(40), SimTime::from_secs(1), BeatFront::START);
    clocks.want(3, SimTime::from_secs(20), SimTime::from_secs(1), BeatFront::START);
    assert_eq!(clocks.earliest(), Some((SimTime::from_secs(20), 3)));
    clocks.take(3, SimTime::from_secs(20), BeatFront::START);
    assert_eq!(clocks.earliest(), None);
}

/// One node with each beat played, until `until_s`. `changes` are new intervals, each told in the answer to the beat of
/// an instant; `news` asks for a second beat at the instant of one, before the answer.
fn beats_with_changes(changes: &[(u64, u64)], news: Option<u64>, until_s: u64) -> Vec<u64> {
    let mut agenda: Agenda<()> = Agenda::new(BeatMode::All);
    agenda.start_beats(0, SimSpan::from_secs(2));
    let (mut beats, mut news) = (Vec::new(), news);
    loop {
        let now_s = agenda.now().as_ms() / 1000;
        match agenda.next(false) {
            Next::Beat(_) => {
                beats.push(now_s);
                if news.take_if(|at_s| *at_s == now_s).is_some() {
                    agenda.beat_now(0);
                }
                if let Some((_, interval_s)) = changes.iter().find(|(at_s, _)| *at_s == now_s) {
                    agenda.change_beat_interval(0, SimSpan::from_secs(*interval_s));
                }
            }
            Next::Later(at) if at <= SimTime::from_secs(until_s) => agenda.advance(at),
            _ => {
                assert_eq!(agenda.beats_total(), beats.len() as u64);
                return beats;
            }
        }
    }
}

#[test]
fn an_interval_that_is_told_at_a_beat_counts_from_it() {
    assert_eq!(beats_with_changes(&[], None, 6), [0, 2, 4, 6]);
    assert_eq!(beats_with_changes(&[(2, 5), (7, 1)], None, 9), [0, 2, 7, 8, 9], "longer, then shorter");
    assert_eq!(
        beats_with_changes(&[(2, 1), (3, 2)], None, 9),
        [0, 2, 3, 5, 7, 9],
        "its old place is free again"
    );
    assert_eq!(
        beats_with_changes(&[(2, 3)], Some(2), 9),
        [0, 2, 2, 5, 8],
        "news of the instant is not put off"
    );
}
