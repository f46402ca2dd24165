//! Heartbeats and polls are played only where somebody would act on them, and nothing shows it: a run in which each one
//! is played gives the same bytes.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Debug;

use ebbtide::engine::BeatMode;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::support::random::{Range, world};
use crate::support::scripted::{Scripted, scripted};
use crate::support::world::{Kind, Task, World};
use crate::support::{Played, cases, play_text};

const GOLDEN: &str = "tests/data/golden";

/// Fails if two runs of `scenario` gave different bytes.
fn same(one: &Played, other: &Played, scenario: &dyn Debug) -> Result<(), TestCaseError> {
    let (one, other) = (one.all(), other.all());
    if one != other {
        let differing = one.lines().zip(other.lines()).enumerate().find(|(_, (a, b))| a != b);
        prop_assert!(false, "{differing:#?}\n{scenario:#?}");
    }
    Ok(())
}

/// Plays `world` both ways and compares all that a run gives.
fn compare(world: &World) -> Result<(), TestCaseError> {
    match (world.play(BeatMode::Lazy), world.play(BeatMode::All)) {
        (Ok(lazy), Ok(all)) => same(&lazy, &all, world)?,
        (lazy, all) => prop_assert_eq!(lazy.map(|_| ()), all.map(|_| ())),
    }
    Ok(())
}

/// Plays a scripted world both ways, and once again. Each run keeps the invariants, and they are all the same.
fn compare_scripted(scripted: &Scripted) -> Result<Played, TestCaseError> {
    let play = |beats| {
        let played = scripted.play(beats);
        played.map_err(|error| TestCaseError::fail(format!("{beats:?}: {error}\n{}", scripted.toml())))
    };
    let lazy = play(BeatMode::Lazy)?;
    same(&lazy, &play(BeatMode::Lazy)?, scripted)?;
    same(&lazy, &play(BeatMode::All)?, scripted)?;
    Ok(lazy)
}

proptest! {
    #![proptest_config(cases(400, 11))]

    #[test]
    fn coarse_worlds_are_the_same_with_every_beat_played(
        world in world(Range { tick_ms: 1000, rich: true }),
    ) {
        compare(&world)?;
    }

    #[test]
    fn worlds_with_odd_intervals_are_the_same_with_every_beat_played(
        world in world(Range { tick_ms: 300, rich: true }),
        interval_ms in 300..30_000_u64,
        watcher_poll_ms in 1000..30_000_u64,
    ) {
        compare(&World { interval_ms, watcher_poll_ms, ..world })?;
    }
}

/// What the scripted worlds are for: each of these words is an event, a state or a reason in some row of their stories.
const REACHED: &str = "LOST SHUTDOWN UNHEALTHY RECOMMISSION RESYNC READY TIMEOUT WAIT_APP WAIT_CONTAINER \
    TIMEOUT_UPDATE CLIENT_DONE CLIENT_FORCES CRASH SILENCE HEARD RM_RESTART RM_FAILOVER RECLAIM START_DRAIN \
    NODE_USABLE NODE_UNUSABLE NODE_DECOMMISSIONING \
    START_SHUTDOWN cause=excluded cause=failover cause=forced cause=lost cause=ready cause=reregistered cause=stopped \
    cause=timeout cause=unhealthy cause=overcommitted exit=0 exit=-100 exit=-102 exit=-107 FAIL FINISH OUTPUT_LOST \
    WITHDRAW RESOURCE_UPDATE outcome=applied outcome=empty_lists outcome=request_failed decommissioning.log";

/// Plays random scripted worlds; together they reach all that they are for.
fn scripted_worlds(tick_ms: u64, beats_and_polls_ms: impl Strategy<Value = Option<(u64, u64)>>, seed: u64) {
    let reached = RefCell::new(BTreeSet::new());
    let worlds = scripted(Range { tick_ms, rich: true }, beats_and_polls_ms);
    let outcome = TestRunner::new(cases(400, seed)).run(&worlds, |scripted| {
        let Played { story, .. } = compare_scripted(&scripted)?;
        let words =
            story.events.iter().flat_map(|row| [row.event, row.to].into_iter().chain(row.detail.split(' ')));
        let log = (!story.status_log().is_empty()).then_some("decommissioning.log");
        reached.borrow_mut().extend(words.chain(log).map(str::to_owned));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let missing: Vec<&str> = REACHED.split(' ').filter(|&word| !reached.borrow().contains(word)).collect();
    assert!(missing.is_empty(), "no world reaches {missing:?}");
}

#[test]
fn scripted_worlds_are_the_same_with_every_beat_played() {
    scripted_worlds(1000, Just(None), 12);
}

#[test]
fn scripted_worlds_with_odd_intervals_are_the_same_with_every_beat_played() {
    scripted_worlds(700, (300..20_000_u64, 1000..30_000_u64).prop_map(Some), 13);
}

/// Loads change all the time, and so do the intervals. The longest one is the configured one, so that no live node
/// expires.
#[test]
fn scripted_worlds_with_scaled_beats_keep_the_invariants_and_are_the_same_again() {
    let worlds = scripted(Range { tick_ms: 1000, rich: true }, Just(None)).prop_map(|mut scripted| {
        let least_ms = (scripted.world.interval_ms / 4).max(1);
        let scaled = ["heartbeat.scaling=true".to_owned(), format!("heartbeat.scaling_min={least_ms}ms")];
        scripted.settings.extend(scaled);
        scripted
    });
    let beats = RefCell::new((0, 0));
    let outcome = TestRunner::new(cases(40, 14)).run(&worlds, |mut scripted| {
        let scaled = compare_scripted(&scripted)?;
        scripted.settings.truncate(scripted.settings.len() - 2);
        let unscaled = compare_scripted(&scripted)?;
        let mut beats = beats.borrow_mut();
        beats.0 += u64::from(scaled.number("beats_total") > unscaled.number("beats_total"));
        beats.1 += 1;
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let (more, all) = *beats.borrow();
    assert!(more * 2 > all, "in {more} of {all} worlds alone nodes beat more often");
}

/// Found by the scripted worlds. The failover at 0.5 s finds h1 and h2, which lose the connection at their beats at
/// 1 s and find the new resource manager at 31 s; h3 registers with it at 0.7 s. A surplus is noted at 0 s, of all
/// three, and at 1 and 2 s, of h3: it is the only node that is there, and goes at 2 s. That of the two others is noted
/// from 31 s on, and they go at 33 s.
#[test]
fn a_node_that_a_new_resource_manager_does_not_know_is_not_drained() {
    let nodes = "[[node]]\nname = \"h1\"\n[[node]]\nname = \"h2\"\n[[node]]\nname = \"h3\"\n\
                 registers_at = \"0.7s\"\n[[at]]\ntime = \"0.5s\"\nrm_failover = true\n";
    let world = World {
        tasks: Vec::new(),
        min_nodes: 0,
        max_nodes: 3,
        policy: "surplus",
        poll_ms: 1000,
        idle_grace_ms: Some(2000),
        horizon_ms: Some(60_000),
        ..World::plain()
    };
    let (settings, tables, files) = (Vec::new(), nodes.to_owned(), Vec::new());
    let played = compare_scripted(&Scripted { world, settings, tables, files }).unwrap();
    let drains = played.story.events.iter().filter(|row| row.event == "START_DRAIN");
    let drains: Vec<String> = drains.map(|row| format!("{} {}", row.time, row.subject)).collect();
    assert_eq!(drains, ["2.000 h3 drain", "33.000 h1 drain", "33.000 h2 drain"]);
}

/// Found by the random worlds: the report shows each order 16 polls late, so the polls from the fifth after it on order
/// the same drains again and take them off their notes again.
#[test]
fn orders_that_the_report_does_not_show_are_given_again() {
    let tasks = [(0, 11, 3), (1, 6, 2), (1, 1, 1), (1, 5, 2), (25, 15, 1), (26, 5, 2)];
    let world = World {
        kinds: vec![Kind::plain(2)],
        tasks: tasks.map(|(submit_s, run_s, cores)| Task::plain(submit_s, run_s, cores)).to_vec(),
        min_nodes: 3,
        max_nodes: 4,
        policy: "surplus",
        poll_ms: 1000,
        idle_grace_ms: Some(4000),
        report_age_ms: 16_000,
        horizon_ms: Some(53_000),
        ..World::plain()
    };
    compare(&world).unwrap();
}

/// A real day, with beats rare enough that the watcher's poll ends drains too.
#[test]
fn a_day_of_kth_is_the_same_with_every_beat_played() {
    let text = std::fs::read_to_string(format!("{GOLDEN}/g7-subsecond.toml")).unwrap();
    let settings = ["workload.from=40d", "workload.until=41d", "heartbeat.interval=7s"];
    let [lazy, all] = [BeatMode::Lazy, BeatMode::All].map(|beats| play_text(GOLDEN, &text, &settings, beats));
    assert!(lazy.number("drains_timed_out") > 0.0, "the day has drains that run out of time");
    assert!(all.result.items > 10 * lazy.result.items, "each beat was played in one run alone");
    assert!(lazy.all() == all.all(), "a run with every beat played differs");
}
