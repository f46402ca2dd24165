//! Who starts when and where.

use super::{columns, life};
use crate::support::world::{Boot, Kind, Task, World};

#[test]
fn nodes_to_come_are_of_the_type_that_the_head_needs() {
    // t1 is cheap, has eight cores, 1 MiB and boots in 10 s; t2 has four cores, 64 MiB and boots in 500 s. All jobs
    // need 4 MiB a core. Job 1 runs on a t2 from 500 to 5,500 s. Job 2 needs all twelve cores of three t2: it can start
    // at 5,500 s and not before. Job 3 would hold three cores until 10,610 s, so it does not overtake.
    let kinds = vec![
        Kind { memory_mib: Some(1), boot: Boot::Fixed(10_000), price_millis: 1, ..Kind::plain(8) },
        Kind { memory_mib: Some(64), boot: Boot::Fixed(500_000), price_millis: 9, ..Kind::plain(4) },
    ];
    let tasks = [Task::plain(0, 5000, 1), Task::plain(605, 100, 12), Task::plain(610, 10_000, 3)];
    let world = World {
        kinds,
        tasks: tasks.map(|task| Task { memory_mib_per_core: 4, ..task }).to_vec(),
        min_nodes: 0,
        max_nodes: 3,
        easy: true,
        policy: "surplus",
        idle_grace_ms: None,
        ..World::plain()
    };
    let played = world.played();
    assert!(played.story.of("job-2")[1].starts_with("5500.000 START"), "{:?}", played.story.of("job-2"));
    assert!(played.story.of("job-3")[1].starts_with("5600.000 START"), "{:?}", played.story.of("job-3"));
}

#[test]
fn easy_fills_the_time_until_a_boot() {
    // One node of four cores, another boots for 100 s once the poll at 60 s has asked for it: cores at 160 s. Job 1
    // holds two cores for good; job 2 needs six and is to start at 160 s, when nothing is left beside it.
    let tasks = vec![
        Task::plain(0, 1000, 2),
        Task::plain(1, 40, 6),
        // 2 + 158 s is 160 s: it may. 3 + 158 s is 161 s: it may not, though a core is free. 70 + 90 s is 160 s again.
        Task::plain(2, 158, 1),
        Task::plain(3, 158, 1),
        Task::plain(70, 90, 1),
    ];
    let world = World {
        kinds: vec![Kind { boot: Boot::Fixed(100_000), ..Kind::plain(4) }],
        tasks,
        max_nodes: 2,
        easy: true,
        policy: "surplus",
        ..World::plain()
    };
    let played = world.played();
    let starts = |job: &str| played.story.of(job)[1].clone();
    assert_eq!(starts("job-3"), "2.000 START reason=ends_before_reservation cores=1 nodes=1:1");
    assert_eq!(starts("job-5"), "70.000 START reason=ends_before_reservation cores=1 nodes=1:1");
    // Pack: two cores are free on node-1, four on node-2.
    assert_eq!(starts("job-2"), "160.000 START reason=head cores=6 nodes=1:2 2:4");
    assert_eq!(starts("job-4"), "200.000 START reason=head cores=1 nodes=1:1");
}

#[test]
fn easy_gives_away_what_the_head_leaves_over() {
    // Five cores. Job 1 holds three until 100 s, job 2 needs four then: one is left over. Job 3 wants one core for
    // long and gets that one. Job 4 wants another, also for long: none is left beside the head.
    let tasks =
        vec![Task::plain(0, 100, 3), Task::plain(1, 10, 4), Task::plain(2, 500, 1), Task::plain(3, 500, 1)];
    let played = World { kinds: vec![Kind::plain(5)], tasks, easy: true, ..World::plain() }.played();
    let starts = |job: &str| played.story.of(job)[1].clone();
    assert_eq!(starts("job-3"), "2.000 START reason=fits_beside_reservation cores=1 nodes=1:1");
    assert_eq!(starts("job-2"), "100.000 START reason=head cores=4 nodes=1:4");
    assert_eq!(starts("job-4"), "110.000 START reason=head cores=1 nodes=1:1");
}

#[test]
fn memory_limits_what_a_node_takes() {
    // Two nodes with four cores and 4 MiB each. Job 1: four cores of 2 MiB each fit two by two. Job 2 needs no memory
    // and takes two of the cores left. Job 3 needs 1 MiB, which nobody has before job 1 has ended at 10 s.
    let with_memory = |task: Task, memory_mib_per_core| Task { memory_mib_per_core, ..task };
    let world = World {
        kinds: vec![Kind { memory_mib: Some(4), ..Kind::plain(4) }],
        tasks: vec![
            with_memory(Task::plain(0, 10, 4), 2),
            Task::plain(0, 50, 2),
            with_memory(Task::plain(1, 10, 1), 1),
        ],
        min_nodes: 2,
        max_nodes: 2,
        ..World::plain()
    };
    let played = world.played();
    let starts = |job: &str| played.story.of(job)[1].clone();
    assert_eq!(starts("job-1"), "0.000 START reason=head cores=4 nodes=1-2:2");
    assert_eq!(starts("job-2"), "0.000 START reason=head cores=2 nodes=1:2");
    // Pack: node-1 has two cores free, node-2 four.
    assert_eq!(starts("job-3"), "10.000 START reason=head cores=1 nodes=1:1");
}

#[test]
fn placements_differ_in_who_gives_first() {
    // Node-1 is there at 0, nodes 2 and 3 boot for 60 s; all have two cores. Job 1 takes all six from 60 to 70 s, job
    // 2 five from 71 to 80 s, job 3 the last one from 72 s on: on node-3, but with `newest` on node-1, since then
    // nodes 2 and 3 gave first. So at 81 s two, two and one cores are free, or with `newest` one, two and two.
    let places = |placement| {
        let tasks = vec![
            Task::plain(0, 10, 6),
            Task::plain(71, 9, 5),
            Task::plain(72, 100, 1),
            Task::plain(81, 100, 1),
            Task::plain(82, 100, 1),
        ];
        let kinds = vec![Kind { boot: Boot::Fixed(60_000), ..Kind::plain(2) }];
        let world = World { kinds, tasks, max_nodes: 3, policy: "surplus", placement, ..World::plain() };
        let played = world.played();
        let nodes = |job: &str| played.story.of(job)[1].split_once("nodes=").unwrap().1.to_owned();
        ["job-3", "job-4", "job-5"].map(nodes)
    };
    assert_eq!(places("pack"), ["3:1", "3:1", "1:1"], "the one that is nearly full, then the lowest");
    assert_eq!(places("oldest"), ["3:1", "1:1", "1:1"], "node-1 is older");
    assert_eq!(places("spread"), ["3:1", "1:1", "2:1"], "the lowest of the emptiest, each time");
    assert_eq!(places("newest"), ["1:1", "2:1", "2:1"], "nodes 2 and 3 are equally new");
}

#[test]
fn a_killed_job_goes_before_those_that_waited() {
    // As in the first story of drains, but the place on node-2 is taken at 250 s by job 4. At 331 s job 1 is killed. It
    // stands before job 5, which waits since 260 s, and gets the core that comes free at 350 s.
    let world = World {
        kinds: vec![Kind { boot: Boot::Fixed(60_000), stop_ms: 20_000, ..Kind::plain(2) }],
        tasks: vec![
            Task::plain(0, 600, 1),
            Task::plain(0, 1000, 1),
            Task::plain(0, 30, 2),
            Task::plain(250, 100, 1),
            Task::plain(260, 10, 1),
        ],
        min_nodes: 0,
        max_nodes: 2,
        placement: "spread",
        policy: "surplus",
        idle_grace_ms: Some(120_000),
        drain_timeout_ms: Some(90_000),
        ..World::plain()
    };
    let played = world.played();
    life(
        &played,
        "job-1",
        &[
            "0.000 SUBMIT cores=1",
            "60.000 START reason=head cores=1 nodes=1:1",
            "331.000 KILL by=node-1 cause=timeout nodes=1",
            "350.000 START reason=head cores=1 nodes=2:1",
            "950.000 END",
        ],
    );
    // Node-1 has gone at 380 s; the poll at 420 s asks for node-3, which boots until 480 s.
    assert_eq!(played.story.of("job-5")[1], "480.000 START reason=head cores=1 nodes=3:1");
}

#[test]
fn all_killed_in_one_instant_stand_in_submit_order() {
    // Three nodes of three cores. Job 1 has all until 70 s. Job 2 fills node-1 from 71 to 76 s, so job 3 goes to
    // node-2, job 4 to node-1 and job 5 to node-3. At 120 s six cores are free, two nodes are surplus, and 1 and 2 go:
    // their beats at 121 s kill job 4 and then job 3. Both fit beside job 5, and job 3 is the first.
    let world = World {
        kinds: vec![Kind { boot: Boot::Fixed(60_000), ..Kind::plain(3) }],
        tasks: vec![
            Task::plain(0, 10, 9),
            Task::plain(71, 5, 3),
            Task::plain(72, 500, 1),
            Task::plain(77, 500, 1),
            Task::plain(78, 500, 1),
        ],
        min_nodes: 0,
        max_nodes: 3,
        placement: "spread",
        policy: "surplus",
        idle_grace_ms: Some(0),
        drain_timeout_ms: Some(0),
        ..World::plain()
    };
    let played = world.played();
    let at_121 = played.story.events.iter().filter(|row| row.time.as_ms() == 121_000);
    let jobs = at_121.filter(|row| row.subject.starts_with("job"));
    let told: Vec<String> = jobs.map(|row| format!("{} {}", row.event, row.subject)).collect();
    assert_eq!(told, ["KILL job-4", "KILL job-3", "START job-3", "START job-4"]);
}

#[test]
fn a_node_that_boots_in_no_time_takes_the_job_that_it_was_asked_for() {
    // The job comes at 0 and finds nothing: that is the pass of the instant. The poll at 0 asks for a node, which
    // registers at 0 too. Without a late pass nothing would ever happen again.
    let world = World {
        kinds: vec![Kind { boot: Boot::Fixed(0), ..Kind::plain(1) }],
        min_nodes: 0,
        policy: "node-manager",
        ..World::plain()
    };
    let played = world.played();
    let expected = ["0.000 SUBMIT cores=1", "0.000 START reason=head cores=1 nodes=1:1", "10.000 END"];
    life(&played, "job-1", &expected);
}

#[test]
fn a_job_that_memory_spreads_gets_nodes_enough() {
    // Nodes of 4 cores and 4 MiB; 4 cores of 2 MiB each need two of them, although one has the cores. Both are asked
    // for at the poll at 0 and boot for 60 s.
    let world = World {
        kinds: vec![Kind { memory_mib: Some(4), boot: Boot::Fixed(60_000), ..Kind::plain(4) }],
        tasks: vec![Task { memory_mib_per_core: 2, ..Task::plain(0, 10, 4) }],
        min_nodes: 0,
        max_nodes: 3,
        policy: "node-manager",
        ..World::plain()
    };
    let played = world.played();
    let expected = ["0.000 SUBMIT cores=4", "60.000 START reason=head cores=4 nodes=1-2:2", "70.000 END"];
    life(&played, "job-1", &expected);
    columns(&played, &[("nodes_booted", "2")]);
}
