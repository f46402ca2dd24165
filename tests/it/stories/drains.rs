//! Drains, kills, and beats.

use super::{columns, life};
use crate::support::world::{Boot, Kind, Task, World};

/// Two nodes of two cores that boot in 60 s and stop in 20 s. At 60 s jobs 1 and 2 get a core on each node (spread),
/// and job 3 the other two, until 90 s. From then on two cores are free, so one node is surplus: noted at 120, 180 and
/// 240 s, and 240 s is the first poll whose notes of the last 120 s hold no zero. Both nodes run one core, so node-1
/// goes.
fn last_hour() -> World {
    let tasks = vec![Task::plain(0, 600, 1), Task::plain(0, 1000, 1), Task::plain(0, 30, 2)];
    World {
        kinds: vec![Kind { boot: Boot::Fixed(60_000), stop_ms: 20_000, ..Kind::plain(2) }],
        tasks,
        min_nodes: 0,
        max_nodes: 2,
        quantum_ms: 3_600_000,
        placement: "spread",
        policy: "surplus",
        idle_grace_ms: Some(120_000),
        drain_timeout_ms: Some(90_000),
        ..World::plain()
    }
}

#[test]
fn one_nodes_last_hour() {
    let played = last_hour().played();
    // It beats each second. The first beat after the order is at 241 s, and the timeout counts from there.
    life(
        &played,
        "node-1 drain",
        &["240.000 START_DRAIN reason=surplus nodes=1 busy_cores=1", "241.000 STATUS", "331.000 STATUS"],
    );
    life(
        &played,
        "node-1",
        &["60.000 STARTED", "240.000 GRACEFUL_DECOMMISSION", "331.000 DECOMMISSION cause=timeout"],
    );
    // Node-2 has a core free, so the killed job starts anew in the same instant, from zero.
    life(
        &played,
        "job-1",
        &[
            "0.000 SUBMIT cores=1",
            "60.000 START reason=head cores=1 nodes=1:1",
            "331.000 KILL by=node-1 cause=timeout nodes=1",
            "331.000 START reason=head cores=1 nodes=2:1",
            "931.000 END",
        ],
    );
    life(
        &played,
        "node-1 instance",
        &[
            "0.000 GRANT type=t1 reason=shortfall",
            "60.000 UP",
            "360.000 START_SHUTDOWN reason=down",
            "380.000 GONE",
        ],
    );
    let expected = [
        // Each node is billed an hour: node-1 for 380 s, node-2 for the 1060 s until the last job's end.
        ("cost_total", "7.2"),
        ("cost_boot", "0.12"),
        // Node-1 from 60 to 240 s, node-2 from 60 s to the end.
        ("cost_busy", "1.18"),
        ("cost_idle", "0.0"),
        ("cost_drain", "0.091"),
        // From 331 to 380 s.
        ("cost_down", "0.049"),
        // 7200 s less 380 and 1060.
        ("cost_rounding", "5.76"),
        // With a container: node-1 from 60 to 331 s, node-2 from 60 to 1060 s.
        ("cost_floor", "1.271"),
        ("drains", "1"),
        ("drains_timed_out", "1"),
        ("drain_p95_s", "91.0"),
        ("containers_killed", "1"),
        ("jobs_requeued", "1"),
        // One core for 271 s.
        ("lost_core_hours", "0.075278"),
        // Job 1 waits 60 s for its first start and loses 271 s; jobs 2 and 3 wait 60 s.
        ("wait_mean_s", "150.333333"),
        ("wait_boot_s", "60.0"),
        ("wait_lost_s", "90.333333"),
        ("wait_max_s", "331.0"),
        ("makespan_s", "1060.0"),
        ("nodes_booted", "2"),
        ("nodes_stopped", "1"),
        ("nodes_peak", "2"),
        // Node-1 from 60 to 331 s, node-2 from 60 to 1059 s: the end's beats are not played.
        ("beats_total", "1272"),
    ];
    columns(&played, &expected);
}

#[test]
fn the_head_waits_for_a_drain_a_stop_a_poll_and_a_boot() {
    // Job 4 comes at 250 s and needs two cores. Node-2 has one, the draining node-1 another: drain, until job 1 is
    // killed at 331 s and takes node-2's core. Two instances are all that there may be: queue, until node-1 has gone
    // at 380 s. Nobody asks before the poll at 420 s: poll. Node-3 boots for 60 s: boot.
    let mut world = last_hour();
    world.tasks.push(Task::plain(250, 10, 2));
    let played = world.played();
    life(
        &played,
        "job-4",
        &["250.000 SUBMIT cores=2", "480.000 START reason=head cores=2 nodes=3:2", "490.000 END"],
    );
    let expected = [
        // Means over four jobs: 81, 49, 40 s; boot is four times 60 s; job 1 loses 271 s.
        ("wait_drain_s", "20.25"),
        ("wait_queue_s", "12.25"),
        ("wait_poll_s", "10.0"),
        ("wait_boot_s", "60.0"),
        ("wait_lost_s", "67.75"),
        // At 250 s, ten seconds after the order and within a boot of it, the head lacks one core; node-1 has two.
        ("wanted_node_stops", "1"),
    ];
    columns(&played, &expected);
}

#[test]
fn checkpoints_save_all_but_what_came_after_the_last() {
    // Of the 271 s that job 1 ran, the checkpoints at 100 and 200 s hold 200. It needs 400 s more: from 331 to 731 s.
    let played = World { checkpoint_every_ms: Some(100_000), ..last_hour() }.played();
    assert_eq!(played.story.of("job-1").last().unwrap(), "731.000 END");
    // 71 s are lost for good; the wait's lost part is still all the time inside the killed attempt.
    columns(&played, &[("lost_core_hours", "0.019722"), ("wait_lost_s", "90.333333")]);
}

#[test]
fn a_job_that_may_not_be_requeued_fails() {
    let played = World { max_requeues: Some(0), ..last_hour() }.played();
    assert_eq!(played.story.of("job-1").last().unwrap(), "331.000 KILL by=node-1 cause=timeout nodes=1");
    let expected = [
        ("jobs_completed", "2"),
        ("jobs_failed", "1"),
        ("jobs_requeued", "0"),
        // Only completed jobs count: jobs 2 and 3.
        ("wait_mean_s", "60.0"),
        ("lost_core_hours", "0.075278"),
    ];
    columns(&played, &expected);
    // One requeue is enough here.
    columns(&World { max_requeues: Some(1), ..last_hour() }.played(), &[("jobs_completed", "3")]);
}

#[test]
fn news_restarts_the_interval() {
    // Beats are due each 10 s from 0 on. Job 1 ends at 4 s: a beat, and the next at 14 s. Job 2 ends at 13 s: a beat,
    // and the next at 23 and 33 s. Job 3 ends the run at 40 s. So 0, 4, 13, 23, 33.
    let tasks = vec![Task::plain(0, 4, 1), Task::plain(0, 13, 1), Task::plain(20, 20, 1)];
    let world = World { kinds: vec![Kind::plain(2)], tasks, interval_ms: 10_000, ..World::plain() };
    columns(&world.played(), &[("beats_total", "5"), ("makespan_s", "40.0")]);
}

#[test]
fn an_empty_node_is_ready_at_its_next_beat() {
    // Up at 10 s, it beats each 7 s: 10, 17, 24, then at the job's end at 30 s, 37, 44, 51, 58, 65. The poll at 60 s
    // finds it idle for 30 s and drains it; at 65 s it is READY. The poll at 120 s stops it. The second job comes at
    // 100 s: it waits for the poll until 120 s, and for the boot until 130 s.
    let world = World {
        kinds: vec![Kind { boot: Boot::Fixed(10_000), stop_ms: 5000, ..Kind::plain(1) }],
        tasks: vec![Task::plain(0, 20, 1), Task::plain(100, 5, 1)],
        min_nodes: 0,
        max_nodes: 2,
        interval_ms: 7000,
        policy: "node-manager",
        idle_grace_ms: Some(0),
        ..World::plain()
    };
    let played = world.played();
    life(
        &played,
        "node-1 drain",
        &["60.000 START_DRAIN reason=matrix state=idle idle_s=30.000", "65.000 STATUS"],
    );
    life(&played, "node-1 agent", &["65.000 SHUTDOWN", "65.000 EXIT"]);
    assert_eq!(played.story.times("GONE"), ["125.000"]);
    let expected = [
        ("drains_ready", "1"),
        ("drain_p95_s", "5.0"),
        // The first job waits 10 s for a boot, the second 20 s for the poll and 10 s for a boot.
        ("wait_boot_s", "10.0"),
        ("wait_poll_s", "10.0"),
        // Nine beats of node-1, and one of node-2 at 130 s; the run ends at 135 s.
        ("beats_total", "10"),
    ];
    columns(&played, &expected);
}

#[test]
fn a_node_that_beats_rarely_is_ended_by_the_watchers_poll() {
    // Beats at 60, 90, 120 s … (interval 30 s, job 3's end at 90 s is one of them). The drain ordered at 240 s, after
    // the beat of that instant, is heard of at 270 s; its 5 s are over at 275 s. The watcher polls each 20 s: at 280 s
    // the node has been silent for 10 s and its time is up. That kills the job, which is news: the node beats at once
    // and is told to shut down; its application has just finished, so the agent takes 5 s.
    let world = World { interval_ms: 30_000, drain_timeout_ms: Some(5000), ..last_hour() };
    let played = world.played();
    assert_eq!(played.story.of("node-1").last().unwrap(), "280.000 DECOMMISSION cause=timeout");
    life(&played, "node-1 agent", &["280.000 SHUTDOWN", "285.000 EXIT"]);
    // The instant had no pass before that poll, so it has one after it.
    assert_eq!(played.story.of("job-1")[3], "280.000 START reason=head cores=1 nodes=2:1");
}
