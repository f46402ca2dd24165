//! Heartbeats and polls are played only where somebody would act on them, and nothing shows it: a run in which each one
//! is played gives the same bytes.

use ebbtide::engine::BeatMode;
use proptest::prelude::*;

use crate::support::random::{Range, world};
use crate::support::world::{Kind, Task, World};
use crate::support::{cases, play_text};

const GOLDEN: &str = "tests/data/golden";

/// Plays `world` both ways and compares all that a run gives.
fn compare(world: &World) -> Result<(), TestCaseError> {
    let lazy = world.play(BeatMode::Lazy);
    let all = world.play(BeatMode::All);
    match (lazy, all) {
        (Ok(lazy), Ok(all)) => {
            let (lazy, all) = (lazy.all(), all.all());
            if lazy != all {
                let differing = lazy.lines().zip(all.lines()).enumerate().find(|(_, (a, b))| a != b);
                prop_assert!(false, "{differing:#?}\n{}", world.toml());
            }
        }
        (lazy, all) => prop_assert_eq!(lazy.map(|_| ()), all.map(|_| ())),
    }
    Ok(())
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
