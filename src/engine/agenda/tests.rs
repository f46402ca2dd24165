//! The order contract, item by item: facts are letters, and a whole run of items is compared at once.

use super::*;

const H: SimSpan = SimSpan::from_secs(1);

fn agenda() -> Agenda<char> {
    Agenda::new(BeatMode::Lazy)
}

fn at(seconds: u64) -> SimTime {
    SimTime::from_secs(seconds)
}

/// An item in two or three characters: a fact's letter, `b3` a beat, `pass`, `p1` a poll.
fn name(item: &Next<char>) -> String {
    match item {
        Next::Fact(letter) => letter.to_string(),
        Next::Beat(node) => format!("b{node}"),
        Next::Pass => "pass".to_owned(),
        Next::Poll(slot) => format!("p{}", slot.0),
        Next::Later(at) => format!("later {at}"),
        Next::Nothing => "nothing".to_owned(),
    }
}

/// Plays the present instant; `follow` says what follows from each item.
fn play(agenda: &mut Agenda<char>, mut follow: impl FnMut(&str, &mut Agenda<char>)) -> String {
    let mut played = Vec::new();
    loop {
        let item = name(&agenda.next(false));
        if item.starts_with("later") || item == "nothing" {
            return played.join(" ");
        }
        follow(&item, agenda);
        played.push(item);
    }
}

fn play_alone(agenda: &mut Agenda<char>) -> String {
    play(agenda, |_, _| {})
}

#[test]
fn facts_come_in_the_order_in_which_they_were_sent() {
    let mut agenda = agenda();
    agenda.send_after(SimSpan::from_secs(3), 'c');
    agenda.send_after(SimSpan::from_secs(2), 'a');
    agenda.send('x');
    agenda.send_after(SimSpan::from_secs(3), 'd');
    agenda.send_after(SimSpan::ZERO, 'y');
    agenda.send('z');
    assert_eq!(play_alone(&mut agenda), "x y z", "a span of zero is this instant, in its turn");
    assert_eq!(agenda.next(false), Next::Later(at(2)));
    agenda.advance(at(2));
    agenda.send_after(SimSpan::from_secs(1), 'e');
    assert_eq!(play_alone(&mut agenda), "a");
    agenda.advance(at(3));
    let follow = |item: &str, agenda: &mut Agenda<char>| {
        if item == "c" {
            agenda.send('f');
        }
    };
    assert_eq!(play(&mut agenda, follow), "c d e f", "all that was sent earlier comes before new mail");
    assert_eq!(agenda.next(false), Next::Nothing);
    assert_eq!(agenda.messages(), 8);
}

#[test]
fn the_classes_come_one_after_another_whatever_was_asked_for_first() {
    let mut agenda = agenda();
    for node in [7, 2, 5] {
        agenda.start_beats(node, H);
    }
    agenda.define_poll(PollSlot(1), at(0), SimSpan::from_mins(1));
    agenda.define_poll(PollSlot(0), at(0), SimSpan::from_secs(20));
    agenda.wake_poll(PollSlot(1), at(0));
    agenda.wake_poll(PollSlot(0), at(0));
    agenda.request_pass();
    agenda.send('a');
    assert_eq!(play_alone(&mut agenda), "a b2 b5 b7 pass p0 p1");
}

#[test]
fn what_follows_from_an_item_comes_before_the_next_item_of_a_later_class() {
    let mut agenda = agenda();
    agenda.start_beats(1, H);
    agenda.start_beats(2, H);
    for slot in [0, 1] {
        agenda.define_poll(PollSlot(slot), at(0), SimSpan::from_mins(1));
        agenda.wake_poll(PollSlot(slot), at(0));
    }
    let follow = |item: &str, agenda: &mut Agenda<char>| match item {
        "b1" => agenda.send('a'),
        "a" => agenda.request_pass(),
        "b2" => agenda.send('b'),
        "pass" => agenda.send('c'),
        "c" => agenda.beat_now(1),
        "p0" => agenda.send('d'),
        _ => {}
    };
    // News that follows from the pass makes node 1 beat once more; its `a` asks for a second pass in vain.
    assert_eq!(play(&mut agenda, follow), "b1 a b2 b pass c b1 a p0 d p1");
}

#[test]
fn there_is_at_most_one_pass_in_an_instant_and_none_unasked() {
    let mut agenda = agenda();
    agenda.request_pass();
    agenda.request_pass();
    let again = |item: &str, agenda: &mut Agenda<char>| {
        if item == "pass" {
            agenda.request_pass();
        }
    };
    assert_eq!(play(&mut agenda, again), "pass");
    agenda.advance(at(1));
    assert_eq!(play_alone(&mut agenda), "", "what was asked for in vain is not made up for");
    agenda.advance(at(2));
    agenda.define_poll(PollSlot(1), at(0), H);
    agenda.wake_poll(PollSlot(1), at(2));
    let poll_orders = |item: &str, agenda: &mut Agenda<char>| {
        if item == "p1" {
            agenda.request_pass();
        }
    };
    assert_eq!(play(&mut agenda, poll_orders), "p1 pass", "what a poll orders causes one");
}

#[test]
fn a_fact_that_was_taken_back_does_not_come() {
    let mut agenda = agenda();
    let early = agenda.send_after(SimSpan::from_secs(1), 'a');
    agenda.send_after(SimSpan::from_secs(1), 'b');
    let due_now = agenda.send_after(SimSpan::from_secs(1), 'c');
    agenda.cancel(early);
    agenda.next(false);
    agenda.advance(at(1));
    let b_cancels_c = |item: &str, agenda: &mut Agenda<char>| {
        if item == "b" {
            agenda.cancel(due_now);
        }
    };
    assert_eq!(
        play(&mut agenda, b_cancels_c),
        "b",
        "one that is due but has not come yet can be taken back too"
    );
    assert!(agenda.cancelled.is_empty(), "what was taken back is forgotten with its instant");
}

#[test]
fn a_poll_is_woken_at_its_ticks_only() {
    let mut agenda = agenda();
    agenda.define_poll(PollSlot(1), at(5), SimSpan::from_secs(60));
    assert_eq!(agenda.next(false), Next::Nothing, "nobody asked for a tick");
    agenda.wake_poll(PollSlot(1), at(5));
    assert_eq!(agenda.next(false), Next::Later(at(5)));
    agenda.advance(at(5));
    agenda.wake_poll(PollSlot(1), at(66));
    agenda.wake_poll(PollSlot(1), at(300));
    assert_eq!(play_alone(&mut agenda), "p1", "asking for a later tick does not move an earlier one");
    agenda.wake_poll(PollSlot(1), at(66));
    assert_eq!(agenda.next(false), Next::Later(at(125)), "the first tick at or after 66 s");
    agenda.wake_poll(PollSlot(1), at(0));
    assert_eq!(agenda.next(false), Next::Later(at(65)), "the tick at 5 s is over");
    assert_eq!(agenda.tick_at_or_after(PollSlot(1), at(5)), at(65));
    assert_eq!(agenda.tick_at_or_after(PollSlot(1), at(65)), at(65));
    assert_eq!(agenda.tick_at_or_after(PollSlot(2), at(0)), SimTime::MAX, "there is no such poll");
}

#[test]
fn a_tick_is_over_once_it_or_a_later_slot_was_played() {
    let mut agenda = agenda();
    for slot in [0, 1] {
        agenda.define_poll(PollSlot(slot), at(0), SimSpan::from_secs(60));
    }
    agenda.wake_poll(PollSlot(1), at(0));
    let wake_both = |item: &str, agenda: &mut Agenda<char>| match item {
        "p1" => {
            // Slot 0 had its turn in this instant when slot 1 was played.
            agenda.wake_poll(PollSlot(0), at(0));
            agenda.wake_poll(PollSlot(1), at(0));
        }
        _ => unreachable!("nothing else was asked for"),
    };
    assert_eq!(play(&mut agenda, wake_both), "p1");
    assert_eq!(agenda.next(false), Next::Later(at(60)));
    agenda.advance(at(60));
    assert_eq!(play_alone(&mut agenda), "p0 p1");
    agenda.advance(at(120));
    agenda.wake_poll(PollSlot(0), at(0));
    let wake_later_slot = |item: &str, agenda: &mut Agenda<char>| {
        if item == "p0" {
            agenda.wake_poll(PollSlot(1), at(0));
        }
    };
    assert_eq!(play(&mut agenda, wake_later_slot), "p0 p1", "a later slot's tick of this instant is to come");
}

#[test]
fn with_all_beats_every_tick_is_played() {
    let mut agenda: Agenda<char> = Agenda::new(BeatMode::All);
    agenda.define_poll(PollSlot(0), at(0), SimSpan::from_secs(20));
    for tick in [0, 20, 40] {
        if tick > 0 {
            assert_eq!(agenda.next(false), Next::Later(at(tick)));
            agenda.advance(at(tick));
        }
        assert_eq!(play_alone(&mut agenda), "p0");
    }
}

#[test]
fn only_facts_are_given_where_the_run_ends() {
    let mut agenda = agenda();
    agenda.start_beats(1, H);
    agenda.request_pass();
    agenda.send('a');
    assert_eq!(agenda.next(true), Next::Fact('a'));
    assert_eq!(agenda.next(true), Next::Nothing);
    assert_eq!(agenda.next(false), Next::Beat(1), "the rest is still there");
}

#[test]
fn the_next_instant_is_the_earliest_of_timers_beats_and_polls() {
    for (timer_s, beat_s, poll_s) in [(4, 5, 6), (6, 4, 5), (5, 6, 4)] {
        let mut agenda = agenda();
        agenda.start_beats(3, SimSpan::from_secs(beat_s));
        play_alone(&mut agenda);
        agenda.want_beat(3, at(1));
        agenda.send_after(SimSpan::from_secs(timer_s), 'a');
        agenda.define_poll(PollSlot(0), at(poll_s), SimSpan::from_secs(60));
        agenda.wake_poll(PollSlot(0), at(0));
        assert_eq!(agenda.next(false), Next::Later(at(4)), "{timer_s} {beat_s} {poll_s}");
    }
}
