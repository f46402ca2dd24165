//! Bills, horizons, and jobs that are never played.

use ebbtide::engine::BeatMode;

use super::{columns, life};
use crate::support::play_text;
use crate::support::world::{Boot, Kind, Task, World};

#[test]
fn a_failed_boot_is_paid_until_it_is_given_up() {
    // Granted at 0, the boot fails unheard at 50 s. From 100 s on it is late; the poll at 120 s stops it, and counts
    // it as a node to come for the last time. It has gone at 125 s, the poll at 180 s asks anew, and the horizon is at
    // 200 s.
    let world = World {
        kinds: vec![Kind { boot: Boot::Fixed(50_000), failing_tenths: 10, stop_ms: 5000, ..Kind::plain(1) }],
        min_nodes: 0,
        policy: "surplus",
        boot_grace_ms: Some(100_000),
        horizon_ms: Some(200_000),
        ..World::plain()
    };
    let played = world.played();
    life(
        &played,
        "node-1 instance",
        &[
            "0.000 GRANT type=t1 reason=shortfall",
            "50.000 BOOT_FAIL",
            "120.000 START_SHUTDOWN reason=never_registered",
            "125.000 GONE",
        ],
    );
    let expected = [
        // 125 s and 20 s, and no second of them registered.
        ("cost_total", "0.145"),
        ("cost_boot", "0.145"),
        ("nodes_booted", "2"),
        ("nodes_stopped", "1"),
        ("jobs_unfinished", "1"),
        ("wait_mean_s", ""),
        ("beats_total", "0"),
    ];
    columns(&played, &expected);
}

#[test]
fn a_boot_grace_ends_with_its_last_instant() {
    // At a poll that comes exactly 60 s after the grant, a boot grace of 60 s is over, and one of 1 ms more is not.
    let late = |boot_grace_ms| {
        let world = World {
            kinds: vec![Kind { boot: Boot::Fixed(100_000), ..Kind::plain(1) }],
            min_nodes: 0,
            policy: "surplus",
            boot_grace_ms: Some(boot_grace_ms),
            horizon_ms: Some(90_000),
            ..World::plain()
        };
        world.played().story.times("START_SHUTDOWN")
    };
    assert_eq!(late(60_000), ["60.000"]);
    assert_eq!(late(60_001), [""; 0]);
}

#[test]
fn the_horizon_cuts_jobs_and_bills() {
    // One node for 60 s, billed in steps of 45 s: 90 s. Beats at 0 to 59 s; at the horizon only facts are played.
    let cut = |run_s| {
        let tasks = vec![Task::plain(0, run_s, 1), Task::plain(5, 10, 1)];
        World { tasks, quantum_ms: 45_000, horizon_ms: Some(60_000), ..World::plain() }.played()
    };
    let expected = [
        ("jobs_completed", "0"),
        ("jobs_unfinished", "2"),
        ("cost_total", "0.09"),
        ("cost_busy", "0.06"),
        ("cost_rounding", "0.03"),
        ("utilisation_ratio", "1.0"),
        ("beats_total", "60"),
    ];
    columns(&cut(100), &expected);
    // A job that ends exactly there has ended; the other one gets no pass any more.
    columns(&cut(60), &[("jobs_completed", "1"), ("jobs_unfinished", "1"), ("makespan_s", "60.0")]);
}

#[test]
fn the_minimum_is_billed_to_the_shortest_life() {
    let bill = |minimum_ms| World { minimum_ms, ..World::plain() }.played().column("cost_total");
    assert_eq!(bill(0), "0.01");
    assert_eq!(bill(25_000), "0.025");
}

#[test]
fn what_cannot_run_is_counted_and_does_not_block_the_queue() {
    // Of the log's four lines the first has no run time, the second no processors, the third needs five of four cores.
    // Times count from the third: it is loaded, though rejected. So the fourth comes at 30 s and ends at 40 s.
    let text = "[workload]\ntrace = \"odd-jobs.swf\"\n[[node_type]]\nname = \"n4\"\ncores = 4\n\
                [cluster]\nmin_nodes = 1\nmax_nodes = 1\n[policy]\nkind = \"none\"\n";
    let played = play_text("tests/data/stories", text, &[], BeatMode::Lazy);
    let expected = [
        ("jobs_loaded", "2"),
        ("jobs_skipped", "2"),
        ("jobs_skipped_no_run_time", "1"),
        ("jobs_skipped_no_processors", "1"),
        ("jobs_rejected", "1"),
        ("jobs_rejected_too_large", "1"),
        ("jobs_completed", "1"),
        ("wait_max_s", "0.0"),
        ("makespan_s", "40.0"),
    ];
    columns(&played, &expected);
    life(&played, "job-3", &[]);
    life(
        &played,
        "job-4",
        &["30.000 SUBMIT cores=4", "30.000 START reason=head cores=4 nodes=1:4", "40.000 END"],
    );
}

#[test]
fn the_instant_of_the_horizon_is_not_judged() {
    // Two nodes of two cores, the second up at 100 s. Both are free from 110 s on, and the poll at 120 s drains node-1.
    // At 150 s, less than a boot later, a job of three cores lacks one: node-1 would have helped. But nothing of an
    // instant is judged before its pass, and at the horizon there is none.
    let world = |horizon_ms| World {
        kinds: vec![Kind { boot: Boot::Fixed(100_000), ..Kind::plain(2) }],
        tasks: vec![Task::plain(0, 10, 4), Task::plain(150, 10, 3)],
        max_nodes: 2,
        policy: "surplus",
        idle_grace_ms: Some(0),
        horizon_ms: Some(horizon_ms),
        ..World::plain()
    };
    columns(&world(150_000).played(), &[("drains", "1"), ("wanted_node_stops", "0")]);
    columns(&world(150_001).played(), &[("drains", "1"), ("wanted_node_stops", "1")]);
}
