//! Applications and their containers: stories worked out by hand from the specification of YARN (sections are of
//! yarn.md).

use crate::support::hosts::{at, play};

/// An application without a master's container that registers at 9.6 s and calls each second: it asks at 10.6 s, has
/// its container from 11.6 s, and that runs for `run` on h1.
fn unmanaged(run: &str, ends: &str) -> String {
    format!(
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nsubmit = \"9.6s\"\nmaster = \"unmanaged\"\n\
         ends = \"{ends}\"\n[[app.task]]\nhost = \"h1\"\nrun = \"{run}\"\n"
    )
}

fn graceful(time: &str, timeout: &str) -> String {
    at(time, &format!("refresh_nodes = {{ exclude = \"out\", graceful = true, timeout = \"{timeout}\" }}"))
}

/// An application whose master stands on h2 and whose two tasks run for 50 s, on h1 and on h3.
fn managed(more: &str) -> String {
    format!(
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nsubmit = \"2.5s\"\n\
         master = {{ cores = 1, host = \"h2\" }}\n{more}[[app.task]]\nhost = \"h1\"\nrun = \"50s\"\n\
         [[app.task]]\nhost = \"h3\"\nrun = \"50s\"\n"
    )
}

#[test]
fn the_worked_time_line_to_the_millisecond() {
    // 3.7, with everything 0.4 s earlier, since these nodes beat on whole seconds. The container's end makes the node
    // beat at once and restarts its interval: 111.6, 112.6 … The limit counts from the first beat, 100.0, so it has
    // passed at 130.0, and the first beat at which that is seen is at 130.6. The agent needs 17 s to end: it was at
    // work (7.1).
    let told = play(&[unmanaged("100s", "149.6s"), graceful("99.6s", "30s")].concat(), &[("out", "h1\n")]);
    assert_eq!(
        told.of("h1"),
        [
            "0.000 h1: STARTED NEW>RUNNING",
            "99.600 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "130.600 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
        ]
    );
    assert_eq!(
        told.of("h1 drain"),
        [
            "100.000 h1 drain: STATUS NONE>WAIT_CONTAINER",
            "111.600 h1 drain: STATUS WAIT_CONTAINER>WAIT_APP",
            "130.600 h1 drain: STATUS WAIT_APP>TIMEOUT",
        ]
    );
    assert_eq!(told.of("h1 agent"), ["130.600 h1 agent: SHUTDOWN", "147.600 h1 agent: EXIT"]);
    assert_eq!(
        told.of("work/1"),
        [
            "10.600 work/1: ASK >NEW cores=1",
            "10.600 work/1: ALLOCATE NEW>ALLOCATED node=h1",
            "11.600 work/1: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "12.000 work/1: LAUNCHED ACQUIRED>RUNNING node=h1",
            "111.600 work/1: FINISHED RUNNING>COMPLETED node=h1 exit=0",
        ]
    );
}

#[test]
fn a_node_that_waits_for_an_application_is_ready_at_the_beat_of_its_end() {
    // 3.7: with 60 s the limit would pass at 160.0. 149.6 is a beat, and the events of an instant come before it.
    let later = "[[app]]\nname = \"later\"\nmaster = \"unmanaged\"\nends = \"170s\"\n";
    let lines = [&unmanaged("100s", "149.6s"), later, &graceful("99.6s", "60s")];
    let told = play(&lines.concat(), &[("out", "h1\n")]);
    assert_eq!(
        told.of("h1").last(),
        Some(&"149.600 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready")
    );
    // Nothing ran from 111.6 to 149.6: 38 s are 0.010556 hours.
    assert_eq!(told.number("idle_held_hours"), "0.010556");
    // Without waiting for applications it is ready when its container has ended, at 111.6.
    let lines = [&lines.concat(), "[decommission]\nwait_for_applications = false\n"].concat();
    let told = play(&lines, &[("out", "h1\n")]);
    assert_eq!(
        told.of("h1").last(),
        Some(&"111.600 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready")
    );
    assert_eq!(told.number("idle_held_hours"), "0.0");
}

#[test]
fn a_container_that_runs_too_long_is_killed_at_the_first_beat_at_its_limit() {
    // 8.3: the context begins at 100.0, and 120.0 is a beat.
    let told = play(&[unmanaged("300s", "149.6s"), graceful("99.6s", "20s")].concat(), &[("out", "h1\n")]);
    assert_eq!(told.of("work/1").last(), Some(&"120.000 work/1: KILL RUNNING>KILLED node=h1 exit=-100"));
    // From 11.6 on: 108.4 s of one core.
    assert_eq!(
        (told.number("containers_killed"), told.number("lost_core_hours")),
        ("1".into(), "0.030111".into())
    );
    assert_eq!(
        told.of("h1").last(),
        Some(&"120.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout")
    );
}

#[test]
fn a_container_that_was_never_launched_holds_no_node() {
    // 3.6, R2: the node's report is empty and no application is known on it, so it is READY at its first beat, and
    // what was allocated there is lost.
    let told = play(&[unmanaged("never", "149.6s"), graceful("99.6s", "20s")].concat(), &[("out", "h1\n")]);
    assert_eq!(
        told.of("h1").last(),
        Some(&"100.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready")
    );
    assert_eq!(told.of("work/1").last(), Some(&"100.000 work/1: KILL ACQUIRED>KILLED node=h1 exit=-100"));
}

/// h2 is taken at once at 20.5 s, is off the list at 30.5 s, and its agent is started at 50.5 s.
fn master_goes() -> String {
    [
        at("20.5s", "refresh_nodes = { exclude = \"out\" }"),
        at("30.5s", "refresh_nodes = { exclude = \"none\" }"),
        at("50.5s", "node_start = \"h2\""),
    ]
    .concat()
}

const LISTS: &[(&str, &str)] = &[("out", "h2\n"), ("none", "")];

#[test]
fn a_master_that_goes_with_its_node_takes_its_containers_and_another_begins_anew() {
    // 8.4: the master registers at 2.5 s, asks at 3.5 s, acquires at 4.5 s. With h2 go the attempt and, since nothing
    // is kept, both tasks after 16 s of work. The next master needs h2, which is back at 50.5 s: it asks at 51.5 s,
    // acquires at 52.5 s, and hears at 103.5 s that the 50 s have passed.
    let told = play(&[managed(""), master_goes()].concat(), LISTS);
    assert_eq!(
        told.of("work"),
        [
            "2.500 work: SUBMIT >ACCEPTED",
            "2.500 work: REGISTER ACCEPTED>RUNNING",
            "103.500 work: FINISH RUNNING>FINISHED",
        ]
    );
    assert_eq!(
        told.of("work/1"),
        [
            "2.500 work/1: ASK >NEW cores=1",
            "2.500 work/1: ALLOCATE NEW>ALLOCATED node=h2",
            "2.500 work/1: ACQUIRE ALLOCATED>ACQUIRED node=h2",
            "3.000 work/1: LAUNCHED ACQUIRED>RUNNING node=h2",
            "20.500 work/1: KILL RUNNING>KILLED node=h2 exit=-100",
        ]
    );
    assert_eq!(told.of("work/2").last(), Some(&"20.500 work/2: KILL RUNNING>KILLED node=h1 exit=-100"));
    assert_eq!(told.of("work/4")[1], "50.500 work/4: ALLOCATE NEW>ALLOCATED node=h2");
    assert_eq!(
        told.of("work/5")[1..],
        [
            "51.500 work/5: ALLOCATE NEW>ALLOCATED node=h1",
            "52.500 work/5: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "52.500 work/5: LAUNCHED ACQUIRED>RUNNING node=h1",
            "102.500 work/5: FINISHED RUNNING>COMPLETED node=h1 exit=0",
        ]
    );
}

#[test]
fn kept_containers_outlive_their_master() {
    // 8.4: they were launched at 4.5 s and end at 54.5 s. The second master, registered at 50.5 s, calls each second
    // and hears of them at 55.5 s; it asks for nothing again.
    let told = play(&[managed("keep_containers = true\n"), master_goes()].concat(), LISTS);
    assert_eq!(told.of("work/2").last(), Some(&"54.500 work/2: FINISHED RUNNING>COMPLETED node=h1 exit=0"));
    assert_eq!(told.of("work").last(), Some(&"55.500 work: FINISH RUNNING>FINISHED"));
    assert_eq!(told.of("work/4").last(), Some(&"55.500 work/4: KILL RUNNING>KILLED node=h2 exit=-107"));
    assert!(told.of("work/5").is_empty());
}

#[test]
fn an_application_with_a_single_attempt_fails_with_its_master() {
    // 8.4: -100 does not count toward the maximum, except where the maximum is 1.
    let told = play(&[managed("max_attempts = 1\n"), master_goes()].concat(), LISTS);
    assert_eq!(told.of("work").last(), Some(&"20.500 work: FAIL RUNNING>FAILED"));
    assert_eq!(told.of("work/2").last(), Some(&"20.500 work/2: KILL RUNNING>KILLED node=h1 exit=-107"));
}
