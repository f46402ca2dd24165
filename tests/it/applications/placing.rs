//! When and where containers get their nodes, and what happens to them if a node's total changes (yarn.md 8.1).

use super::{graceful, unmanaged};
use crate::support::hosts::{at, play};

#[test]
fn an_unmanaged_master_starts_its_containers_one_after_another() {
    // As recorded on real daemons: acquired at 11.6 s, the two processes start at 12.4 and 13.2 s, and the first beats
    // from then on are at 13 and 14 s. They run for 20 s, so they end at 32.4 and 33.2 s. Nodes are gone through from
    // the last to the first, so h2 has the first.
    let task = |host: &str| format!("[[app.task]]\nhost = \"{host}\"\nrun = \"20s\"\n");
    let lines = format!(
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nsubmit = \"9.6s\"\nmaster = \"unmanaged\"\n{}{}",
        task("h1"),
        task("h2"),
    );
    let told = play(&lines, &[]);
    let last = |subject: &str| told.of(subject)[3..].iter().map(|row| (*row).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        last("work/2"),
        [
            "13.000 work/2: LAUNCHED ACQUIRED>RUNNING node=h2",
            "32.400 work/2: FINISHED RUNNING>COMPLETED node=h2 exit=0"
        ]
    );
    assert_eq!(
        last("work/1"),
        [
            "14.000 work/1: LAUNCHED ACQUIRED>RUNNING node=h1",
            "33.200 work/1: FINISHED RUNNING>COMPLETED node=h1 exit=0"
        ]
    );
}

#[test]
fn containers_placed_at_heartbeats_wait_for_the_beat_of_a_node_with_room() {
    // 8.1, up to 3.4: asked at 10.6 s; h1 beats at 11 s and gets it; the master hears at 11.6 s.
    let lines = unmanaged("100s", "149.6s").replace("async", "heartbeat");
    let told = play(&lines, &[]);
    assert_eq!(
        told.of("work/1")[..4],
        [
            "10.600 work/1: ASK >NEW cores=1",
            "11.000 work/1: ALLOCATE NEW>ALLOCATED node=h1",
            "11.600 work/1: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "12.000 work/1: LAUNCHED ACQUIRED>RUNNING node=h1",
        ]
    );
}

#[test]
fn a_scheduler_that_learns_of_drains_late_gives_a_draining_node_one_more_round() {
    // 8.1, FIFO: a container of 2 cores runs on h1 (of 4) when a second application asks for one of its cores at
    // 21.5 s. GRACEFUL comes at 21.7 s, so the beat at 22 s is the first that finds the node draining, and the last
    // that gives it anything.
    let app = |name: &str, submit: &str, cores: u32| {
        format!(
            "[[app]]\nname = \"{name}\"\nsubmit = \"{submit}\"\nmaster = \"unmanaged\"\nends = \"60s\"\n\
             launch = \"0s\"\n[[app.task]]\nhost = \"h1\"\ncores = {cores}\nrun = \"30s\"\n"
        )
    };
    let story = |late: bool| {
        let lines = [
            format!("[scheduler]\ntrigger = \"heartbeat\"\nlate_round = {late}\n"),
            app("first", "9.5s", 2),
            app("second", "20.5s", 1),
            app("third", "22.5s", 1),
            graceful("21.7s", "never"),
        ];
        play(&lines.concat(), &[("out", "h1\n")])
    };
    let told = story(true);
    assert_eq!(told.of("second/1")[1], "22.000 second/1: ALLOCATE NEW>ALLOCATED node=h1");
    // The third asks at 23.5 s, when the total has followed.
    assert_eq!(told.of("third/1")[1..], ["60.000 third/1: WITHDRAW NEW>KILLED"]);
    assert_eq!(told.number("late_allocations"), "1");
    let told = story(false);
    assert_eq!(told.of("second/1")[1..], ["60.000 second/1: WITHDRAW NEW>KILLED"]);
    assert_eq!(told.number("late_allocations"), "0");
}

/// A master on h1 and one of its tasks beside it, 2 cores each: the node is full.
fn full_node() -> String {
    "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nsubmit = \"2.5s\"\n\
     master = { cores = 2, host = \"h1\" }\nlaunch = \"0s\"\nends = \"60s\"\nrerun = false\n\
     [[app.task]]\nhost = \"h1\"\ncores = 2\nrun = \"30s\"\n"
        .to_owned()
}

#[test]
fn a_smaller_total_kills_tasks_before_masters() {
    // SC-06: at once with an overcommit timeout of 0, with exit -102; the master lives.
    let update = |timeout: &str| {
        at(
            "10.3s",
            &format!("resource_update = {{ node = \"h1\", cores = 2, overcommit_timeout = \"{timeout}\" }}"),
        )
    };
    let told = play(&[full_node(), update("0s")].concat(), &[]);
    assert_eq!(told.of("work/2").last(), Some(&"10.300 work/2: KILL RUNNING>KILLED node=h1 exit=-102"));
    assert_eq!(told.of("work/1").last(), Some(&"60.000 work/1: KILL RUNNING>KILLED node=h1 exit=-107"));
    assert_eq!(told.of("h1").last(), Some(&"10.300 h1: RESOURCE_UPDATE RUNNING>RUNNING cores=2"));
    // It ran from 4.5 s on: 5.8 s of 2 cores are 0.003222 hours.
    assert_eq!(told.number("lost_core_hours"), "0.003222");
    // With 5 s at the first beat at or after 15.3 s, whatever other beats come before it; without limit never: it ends
    // at 34.5 s by itself.
    let told = play(&[full_node(), update("5s")].concat(), &[]);
    assert_eq!(told.of("work/2").last(), Some(&"16.000 work/2: KILL RUNNING>KILLED node=h1 exit=-102"));
    let told = play(&[full_node(), update("never")].concat(), &[]);
    assert_eq!(told.of("work/2").last(), Some(&"34.500 work/2: FINISHED RUNNING>COMPLETED node=h1 exit=0"));
}

#[test]
fn a_larger_total_holds_more() {
    // 2.2, E8: 4 of the 4 cores of h1 are used; with 9 it has 5 for another application, which asks at 12.5 s.
    let second = "[[app]]\nname = \"more\"\nsubmit = \"11.5s\"\nmaster = \"unmanaged\"\nends = \"60s\"\n\
                  [[app.task]]\nhost = \"h1\"\ncores = 4\nrun = \"10s\"\n";
    let told = play(&[&full_node(), second].concat(), &[]);
    assert_eq!(told.of("more/1")[1], "60.000 more/1: ALLOCATE NEW>ALLOCATED node=h1", "both end at 60 s");
    let update = at("10.3s", "resource_update = { node = \"h1\", cores = 9 }");
    let told = play(&[&full_node(), second, &update].concat(), &[]);
    assert_eq!(told.of("more/1")[1], "12.500 more/1: ALLOCATE NEW>ALLOCATED node=h1");
}

#[test]
fn a_total_that_grows_and_shrinks_again_leaves_what_runs_on_the_books() {
    // Found by the random scripted worlds: 4 cores of h1 run a task of its type's size and 1 of the 5 more that it has
    // been given runs another. The second one is the younger, and the first to go when the total is 1.
    let task = |cores: u32, asks: &str| {
        format!("[[app.task]]\nhost = \"h1\"\ncores = {cores}\nasks = \"{asks}\"\nrun = \"50s\"\n")
    };
    let lines = [
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nmaster = \"unmanaged\"\nends = \"60s\"\n\
         launch = \"0s\"\n"
            .to_owned(),
        task(4, "0s"),
        task(1, "5s"),
        at("3s", "resource_update = { node = \"h1\", cores = 9 }"),
        at("20.5s", "resource_update = { node = \"h1\", cores = 1, overcommit_timeout = \"0s\" }"),
    ];
    let told = play(&lines.concat(), &[]);
    assert_eq!(told.of("work/2").last(), Some(&"20.500 work/2: KILL RUNNING>KILLED node=h1 exit=-102"));
    assert_eq!(told.of("work/1").last(), Some(&"20.500 work/1: KILL RUNNING>KILLED node=h1 exit=-102"));
}

#[test]
fn a_master_that_goes_in_the_instant_of_its_call_launches_nothing() {
    // It registers on h1 at 2 s and asks at 3 s; at 4 s it would hear of its container on h2, but h1 is given a total
    // of no use to it first. Both are gone, and the second attempt waits for h1 until the end.
    let lines = [
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nsubmit = \"2s\"\nends = \"30s\"\n\
         master = { cores = 2, host = \"h1\" }\nlaunch = \"0s\"\n[[app.task]]\nhost = \"h2\"\nrun = \"9s\"\n"
            .to_owned(),
        at("4s", "resource_update = { node = \"h1\", cores = 1, overcommit_timeout = \"0s\" }"),
    ];
    let told = play(&lines.concat(), &[]);
    assert_eq!(told.of("work/2").last().unwrap()[..17], *"4.000 work/2: KIL");
    assert_eq!(
        told.number("lost_core_hours"),
        "0.001111",
        "2 s of the master's 2 cores, and nothing of the task"
    );
}
