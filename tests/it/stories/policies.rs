//! What the policies see, and when.

use super::{columns, life};
use crate::support::world::{Boot, Kind, Task, World};

#[test]
fn an_old_report_drains_a_node_that_has_work_again() {
    // Node-1 is up at 10 s and idle from 30 s on. The poll at 120 s sees it as it was at 60 s, idle, and by the
    // present's clock that is 90 s, more than the grace. But job 2 runs on it since 100 s: killed at the first beat of
    // which the timeout of 30 s has passed, 121 + 30 s.
    let world = World {
        kinds: vec![Kind { boot: Boot::Fixed(10_000), stop_ms: 20_000, ..Kind::plain(1) }],
        tasks: vec![Task::plain(0, 20, 1), Task::plain(100, 500, 1)],
        min_nodes: 0,
        max_nodes: 1,
        policy: "node-manager",
        idle_grace_ms: Some(60_000),
        report_age_ms: 60_000,
        drain_timeout_ms: Some(30_000),
        ..World::plain()
    };
    let played = world.played();
    life(
        &played,
        "node-1",
        &["10.000 STARTED", "120.000 GRACEFUL_DECOMMISSION", "151.000 DECOMMISSION cause=timeout"],
    );
    // The poll at 180 s sees 120 s, when it drained; the one at 240 s sees that it is down. Growing looks at the
    // present, but one instance is all that there may be until 260 s.
    assert_eq!(
        played.story.of("node-1 instance")[2..],
        ["240.000 START_SHUTDOWN reason=down", "260.000 GONE"]
    );
    life(
        &played,
        "job-2",
        &[
            "100.000 SUBMIT cores=1",
            "100.000 START reason=head cores=1 nodes=1:1",
            "151.000 KILL by=node-1 cause=timeout nodes=1",
            "310.000 START reason=head cores=1 nodes=2:1",
            "810.000 END",
        ],
    );
    let expected = [
        // Of job 2's 210 s: 51 inside the killed attempt, 109 at the maximum (151 to 260 s), 40 until the poll at 300
        // s, 10 for the boot; job 1 waits 10 s for a boot.
        ("wait_lost_s", "25.5"),
        ("wait_queue_s", "54.5"),
        ("wait_poll_s", "20.0"),
        ("wait_boot_s", "10.0"),
    ];
    columns(&played, &expected);
}

#[test]
fn windows_are_open_at_their_first_instant_and_closed_at_their_end() {
    // Open from 120 to 180 s and from 300 to 360 s of each life. A node that is idle from 30 s on is drained at the
    // first open instant. One that is idle from 130 s on is not at 180 s, when the window has closed, but at 300 s.
    let drained = |run_s| {
        let world = World {
            kinds: vec![Kind { boot: Boot::Fixed(10_000), ..Kind::plain(1) }],
            tasks: vec![Task::plain(0, run_s, 1)],
            min_nodes: 0,
            policy: "node-manager",
            idle_grace_ms: Some(0),
            windows_ms: vec![120_000, 60_000],
            horizon_ms: Some(400_000),
            ..World::plain()
        };
        world.played().story.times("START_DRAIN")
    };
    assert_eq!(drained(20), ["120.000"]);
    assert_eq!(drained(120), ["300.000"]);
}

#[test]
fn idle_grace_is_a_time_to_the_page_and_polls_to_the_code() {
    // Idle from 60 s on, with a grace of 120 s. To the page 180 s is not more than 120 s later: 240 s. To the code the
    // polls at 60 and 120 s are two in a row, and two are enough.
    let drained = |mapping| {
        let world = World {
            kinds: vec![Kind { boot: Boot::Fixed(10_000), ..Kind::plain(1) }],
            tasks: vec![Task::plain(0, 50, 1)],
            min_nodes: 0,
            policy: "node-manager",
            idle_grace_ms: Some(120_000),
            mapping,
            horizon_ms: Some(400_000),
            ..World::plain()
        };
        world.played().story.times("START_DRAIN")
    };
    assert_eq!(drained("page"), ["240.000"]);
    assert_eq!(drained("code"), ["120.000"]);
}

#[test]
fn work_between_two_polls_is_not_noticed_by_the_code() {
    // Idle from 30 s on, but for job 2 from 65 to 75 s. To the page 180 s is the first poll more than 100 s after 75
    // s. To the code the polls at 60 and 120 s both find it idle.
    let drained = |mapping| {
        let world = World {
            kinds: vec![Kind { boot: Boot::Fixed(10_000), ..Kind::plain(1) }],
            tasks: vec![Task::plain(0, 20, 1), Task::plain(65, 10, 1)],
            min_nodes: 0,
            policy: "node-manager",
            idle_grace_ms: Some(100_000),
            mapping,
            horizon_ms: Some(400_000),
            ..World::plain()
        };
        world.played().story.times("START_DRAIN")
    };
    assert_eq!(drained("page"), ["180.000"]);
    assert_eq!(drained("code"), ["120.000"]);
}

#[test]
fn the_minimum_is_kept() {
    // Two nodes of one core are there, and the job of four cores brings two more: at 60 s four are free. All four are
    // surplus, but two stay; fewest busy cores, then lowest number: 1 and 2 go.
    let world = World {
        kinds: vec![Kind { boot: Boot::Fixed(5000), ..Kind::plain(1) }],
        tasks: vec![Task::plain(0, 10, 4)],
        min_nodes: 2,
        max_nodes: 4,
        policy: "surplus",
        idle_grace_ms: Some(0),
        horizon_ms: Some(400_000),
        ..World::plain()
    };
    let played = world.played();
    for (node, drained) in [("node-1 drain", true), ("node-2 drain", true), ("node-3 drain", false)] {
        assert_eq!(!played.story.of(node).is_empty(), drained, "{node}");
    }
    assert_eq!(played.story.times("START_DRAIN"), ["60.000", "60.000"]);
    assert!(played.story.steps.iter().all(|(_, levels)| levels.nodes_running >= 2));
    columns(&played, &[("nodes_peak", "4"), ("nodes_booted", "2"), ("nodes_stopped", "2")]);
}

#[test]
fn what_is_there_counts_for_the_need_whatever_its_type() {
    // Two dear nodes of four cores are there from the start and boot for 60 s. A job of 12 cores needs 12, there are 8
    // on their way: one more, of the cheap type.
    let kinds = vec![
        Kind { boot: Boot::Fixed(60_000), ..Kind::plain(4) },
        Kind { boot: Boot::Fixed(60_000), price_millis: 1, ..Kind::plain(4) },
    ];
    for policy in ["surplus", "node-manager"] {
        let tasks = vec![Task::plain(0, 100, 12)];
        let world =
            World { kinds: kinds.clone(), tasks, min_nodes: 2, max_nodes: 6, policy, ..World::plain() };
        columns(&world.played(), &[("nodes_booted", "1"), ("wait_mean_s", "60.0"), ("jobs_completed", "1")]);
    }
}

#[test]
fn a_surplus_of_small_nodes_is_no_surplus_of_the_large_one_that_a_job_waits_for() {
    // t1 has 16 cores and much memory, t2 two cores and little. Job 1 fills node-1 until 100 s. Job 2 needs 4 cores and
    // no memory: two t2 that boot for 10 s, until 110 s. Job 3 needs 20 cores that only t1 can hold, the cluster is at
    // its maximum, and all three nodes are idle. The 4 cores of the two t2 are no help to it and go after the idle
    // grace; node-1, idle as well and first in order, must not: without it still more would be short.
    let kinds = vec![
        Kind { memory_mib: Some(256), ..Kind::plain(16) },
        Kind { memory_mib: Some(2), boot: Boot::Fixed(10_000), price_millis: 1, ..Kind::plain(2) },
    ];
    for policy in ["surplus", "node-manager"] {
        let hard = |task| Task { memory_mib_per_core: 4, ..task };
        let world = World {
            kinds: kinds.clone(),
            tasks: vec![hard(Task::plain(0, 100, 16)), Task::plain(0, 100, 4), hard(Task::plain(50, 50, 20))],
            min_nodes: 1,
            max_nodes: 3,
            policy,
            idle_grace_ms: Some(30_000),
            drain_timeout_ms: Some(10_000),
            ..World::plain()
        };
        let played = world.played();
        let drained = |node: &str| !played.story.of(node).is_empty();
        let drains = ["node-1 drain", "node-2 drain", "node-3 drain"].map(drained);
        assert_eq!(drains, [false, true, true], "{policy}");
        columns(&played, &[("jobs_requeued", "0"), ("jobs_completed", "3"), ("nodes_booted", "3")]);
    }
}

#[test]
fn a_job_gets_the_cheapest_type_that_can_hold_it() {
    // t1 has eight cores with 64 MiB and is dear, t2 two cores with 2 MiB and is cheap. Job 1 needs two cores and no
    // memory: one t2. Job 2 needs two cores of 4 MiB, which only t1 has: one t1. One boots 10 s, the other 20 s.
    let kinds = vec![
        Kind { memory_mib: Some(64), boot: Boot::Fixed(10_000), ..Kind::plain(8) },
        Kind { memory_mib: Some(2), boot: Boot::Fixed(20_000), price_millis: 900, ..Kind::plain(2) },
    ];
    let memory_mib_per_core = 4;
    let tasks = vec![Task { memory_mib_per_core, ..Task::plain(0, 50, 2) }, Task::plain(0, 50, 2)];
    let world = World { kinds, tasks, min_nodes: 0, max_nodes: 4, policy: "surplus", ..World::plain() };
    let played = world.played();
    let granted = |node: &str| played.story.of(node)[0].clone();
    assert_eq!(granted("node-1 instance"), "0.000 GRANT type=t1 reason=shortfall");
    assert_eq!(granted("node-2 instance"), "0.000 GRANT type=t2 reason=shortfall");
    columns(&played, &[("nodes_booted", "2"), ("jobs_completed", "2")]);
}

#[test]
fn an_instance_that_has_gone_is_not_drained() {
    // Reports are 21 s old and polls 10 s apart. The one at 30 s shows 9 s, when node-1 still booted, beyond a grace of
    // nothing: stopped, and gone at once. The one at 40 s shows 19 s, when it was idle: the order finds nobody.
    let world = World {
        kinds: vec![Kind { boot: Boot::Fixed(10_000), ..Kind::plain(1) }],
        tasks: vec![Task::plain(0, 1, 1)],
        min_nodes: 0,
        policy: "node-manager",
        poll_ms: 10_000,
        idle_grace_ms: Some(0),
        boot_grace_ms: Some(0),
        report_age_ms: 21_000,
        horizon_ms: Some(49_000),
        ..World::plain()
    };
    let played = world.played();
    assert_eq!(played.story.times("GONE"), ["30.000"]);
    columns(&played, &[("drains", "0"), ("nodes_stopped", "1"), ("cost_total", "0.03")]);
}

#[test]
fn a_boot_grace_that_runs_out_opens_the_window_to_a_node_that_is_down() {
    // Idle from 2 s on, so the poll at 11 s is the first to find a grace of 8 s exceeded; READY at the beat at 12 s.
    // The window is closed from 12 to 16 s, and to the last matrix a node that is down and may still be booting waits
    // for it. From 14 s on this one may not be booting any more, and is stopped at once.
    let stopped = |boot_grace_ms| {
        let world = World {
            kinds: vec![Kind { boot: Boot::Fixed(1000), ..Kind::plain(1) }],
            tasks: vec![Task::plain(0, 1, 1)],
            min_nodes: 0,
            policy: "node-manager",
            poll_ms: 1000,
            idle_grace_ms: Some(8000),
            boot_grace_ms,
            windows_ms: vec![4000, 8000],
            matrix: "final",
            horizon_ms: Some(100_000),
            ..World::plain()
        };
        world.played().story.times("START_SHUTDOWN")
    };
    assert_eq!(stopped(Some(14_000)), ["14.000"]);
    assert_eq!(stopped(None), ["16.000"]);
}
