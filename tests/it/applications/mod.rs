//! Applications and their containers: stories worked out by hand from the specification of YARN (sections are of
//! yarn.md).

mod placing;

use crate::support::hosts::{at, play, play_with, refusal};

/// An application without a master's container that registers at 9.6 s and calls each second: it asks at 10.6 s, has
/// its container from 11.6 s, and that runs for `run` on h1.
fn unmanaged(run: &str, ends: &str) -> String {
    format!(
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nsubmit = \"9.6s\"\nmaster = \"unmanaged\"\n\
         ends = \"{ends}\"\nlaunch = \"0s\"\n[[app.task]]\nhost = \"h1\"\nrun = \"{run}\"\n"
    )
}

fn graceful(time: &str, timeout: &str) -> String {
    at(time, &format!("refresh_nodes = {{ exclude = \"out\", graceful = true, timeout = \"{timeout}\" }}"))
}

/// An application whose master stands on h2 and whose two tasks run for 50 s, on h1 and on h3.
fn managed(more: &str) -> String {
    format!(
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nsubmit = \"2.5s\"\n\
         master = {{ cores = 1, host = \"h2\" }}\nlaunch = \"0s\"\n{more}[[app.task]]\nhost = \"h1\"\nrun = \"50s\"\n\
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
    // is kept, both tasks after 16 s of work. The next master needs h2, which is back at 50.5 s: it asks at 51.5 s
    // and is told the last that happened to h2 (4.6), acquires at 52.5 s, and hears at 103.5 s that the 50 s have
    // passed.
    let told = play(&[managed(""), master_goes()].concat(), LISTS);
    assert_eq!(
        told.of("work"),
        [
            "2.500 work: SUBMIT >ACCEPTED",
            "2.500 work: REGISTER ACCEPTED>RUNNING",
            "51.500 work: NODE_USABLE node=h2 state=RUNNING timeout=none",
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
    // Its containers go as those of any attempt, and their work is lost: 2 × 16 s are 0.008889 hours. Nothing is tried
    // again.
    assert_eq!(told.of("work/2").last(), Some(&"20.500 work/2: KILL RUNNING>KILLED node=h1 exit=-100"));
    assert_eq!((told.number("jobs_requeued"), told.number("jobs_failed")), ("0".into(), "1".into()));
}

/// A job of two maps on h1 and h2, and of one reduce on h3, whose master stands on h3. It registers at 0.5 s.
fn map_reduce() -> String {
    let map = |host: &str| format!("[[app.task]]\nkind = \"map\"\nhost = \"{host}\"\nrun = \"10s\"\n");
    format!(
        "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"etl\"\nsubmit = \"0.5s\"\n\
         master = {{ host = \"h3\" }}\nlaunch = \"0s\"\n{}{}[[app.task]]\nkind = \"reduce\"\nhost = \"h3\"\n\
         run = \"40s\"\n",
        map("h1"),
        map("h2"),
    )
}

#[test]
fn a_map_is_done_again_when_its_node_goes_while_reduces_need_its_output() {
    // 8.5: asked at 1.5 s, acquired at 2.5 s, the maps end at 12.5 s, the master hears at 13.5 s and asks for the
    // reduce at 14.5 s; that runs from 15.5 s. h1 goes at 20 s with the output of 10 core-seconds: 0.002778 hours. The
    // master hears at 20.5 s and asks again at 21.5 s, but h1 is the only node for it. Its agent needs 17 s to end
    // (7.1) and is started at 40 s: allocated then, acquired at 40.5 s, run to 50.5 s. The reduce ends at 55.5 s, heard
    // at 56.5 s.
    let lines = [
        map_reduce(),
        at("20s", "refresh_nodes = { exclude = \"out\" }"),
        at("25s", "refresh_nodes = { exclude = \"none\" }"),
        at("40s", "node_start = \"h1\""),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n"), ("none", "")]);
    assert_eq!(told.of("etl/2").last(), Some(&"20.500 etl/2: OUTPUT_LOST"));
    assert_eq!(
        told.of("etl/4")[..3],
        [
            "14.500 etl/4: ASK >NEW cores=1",
            "14.500 etl/4: ALLOCATE NEW>ALLOCATED node=h3",
            "15.500 etl/4: ACQUIRE ALLOCATED>ACQUIRED node=h3",
        ]
    );
    assert_eq!(
        told.of("etl/5"),
        [
            "21.500 etl/5: ASK >NEW cores=1",
            "40.000 etl/5: ALLOCATE NEW>ALLOCATED node=h1",
            "40.500 etl/5: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "41.000 etl/5: LAUNCHED ACQUIRED>RUNNING node=h1",
            "50.500 etl/5: FINISHED RUNNING>COMPLETED node=h1 exit=0",
        ]
    );
    assert_eq!(told.of("etl").last(), Some(&"56.500 etl: FINISH RUNNING>FINISHED"));
    assert_eq!(
        (told.number("output_lost_core_hours"), told.number("lost_core_hours")),
        ("0.002778".into(), "0.0".into())
    );
}

#[test]
fn a_reduce_is_asked_for_when_its_time_has_come_and_all_maps_are_done() {
    // Registered at 0.5 s; the master hears at 13.5 s that the maps are done. A reduce that asks 30 s after the
    // registration is due at 30.5 s, so the call after that asks for it; one that asks after 5 s at the call of 14.5 s.
    for (asks, asked) in [("30s", "31.500"), ("5s", "14.500")] {
        let told = play(&[map_reduce(), format!("asks = \"{asks}\"\n")].concat(), &[]);
        assert_eq!(told.of("etl/4")[0], format!("{asked} etl/4: ASK >NEW cores=1"));
    }
}

#[test]
fn an_application_that_waits_for_ever_is_told_by_name() {
    let lines = [map_reduce(), at("20s", "refresh_nodes = { exclude = \"out\" }")];
    let told = refusal(&lines.concat(), &[("out", "h1\n")]);
    // The master hears of the reduce's end at 56.5 s. The last thing that happens is the check at 60 s, the first one
    // at which h1, told to shut down at its beat of 20 s, has been silent for more than 30 s.
    assert!(told.contains("application etl has not ended at 60.000 s"), "{told}");
    assert!(told.contains("its container 5 finds no node with room for its 1 cores"), "{told}");
    // It was allocated and will not be launched, and the application has no time at which it ends.
    let lines = unmanaged("never", "1s").replace("ends = \"1s\"\n", "");
    let told = refusal(&lines, &[]);
    assert!(told.contains("application work has not ended"), "{told}");
    assert!(told.contains("a task that is never launched"), "{told}");
}

#[test]
fn a_map_whose_output_nobody_needs_is_not_done_again() {
    // The same node goes at 60 s, after the application's end; and without reduces nothing is ever needed again.
    let later = "[[app]]\nname = \"later\"\nmaster = \"unmanaged\"\nends = \"70s\"\n";
    let gone = at("60s", "refresh_nodes = { exclude = \"out\" }");
    let told = play(&[&map_reduce(), later, &gone].concat(), &[("out", "h1\n")]);
    assert_eq!(told.of("etl").last(), Some(&"56.500 etl: FINISH RUNNING>FINISHED"));
    assert_eq!(told.number("output_lost_core_hours"), "0.0");
    let maps = map_reduce().replace("kind = \"reduce\"", "kind = \"map\"");
    let gone = at("20s", "refresh_nodes = { exclude = \"out\" }");
    let told = play(&[maps, gone].concat(), &[("out", "h1\n")]);
    // All three maps are asked for at 1.5 s: the last one, of 40 s, is heard of at 43.5 s.
    assert_eq!(told.of("etl").last(), Some(&"43.500 etl: FINISH RUNNING>FINISHED"));
    assert_eq!(told.number("output_lost_core_hours"), "0.0");
}

#[test]
fn a_master_hears_the_last_of_each_node_and_how_the_node_reads_at_the_call() {
    // 4.6: it registers at 9.6 s and calls at 10.6 s, 11.6 s … The container that it acquires at 11.6 s keeps h1. At
    // 20.1 s h1 is to go, at 20.3 s it need not, so at 20.6 s it is only usable, with the timeout that it keeps (E6).
    // Between 30.1 s and the call of 30.6 s its timeout changes, which is no update of its own (E5), nor is the change
    // of 31.1 s.
    let lines = [
        unmanaged("100s", "60s"),
        graceful("20.1s", "30s"),
        at("20.3s", "refresh_nodes = { exclude = \"none\" }"),
        graceful("30.1s", "1m"),
        at("30.3s", "refresh_nodes = { exclude = \"out\", graceful = true, timeout = \"never\" }"),
        graceful("31.1s", "2m"),
    ];
    let told = play(&lines.concat(), &[("out", "h1\n"), ("none", "")]);
    assert_eq!(
        told.of("work")[2..],
        [
            "20.600 work: NODE_USABLE node=h1 state=RUNNING timeout=30s",
            "30.600 work: NODE_DECOMMISSIONING node=h1 state=DECOMMISSIONING timeout=never",
            "60.000 work: FINISH RUNNING>FINISHED",
        ]
    );
}

#[test]
fn a_master_that_starts_late_hears_what_befell_nodes_since_its_submission() {
    // 4.6: submitted at 2.5 s, its final state is not stored, so it is told of h1, which is sick from 4.2 s on, and of
    // h2, which registers at 15.2 s with room for its master. That begins its calls at 16.2 s. What h3 did before 2.5
    // s is none of its news.
    let sick = |node: &str| format!("node_unhealthy = {{ node = \"{node}\", span = \"1m\" }}");
    let lines = [managed("ends = \"50s\"\n"), at("1.2s", &sick("h3")), at("4.2s", &sick("h1"))];
    let told = play_with(&["node.h2.registers_at=15.2s"], &lines.concat(), &[]);
    assert_eq!(
        told.of("work"),
        [
            "2.500 work: SUBMIT >ACCEPTED",
            "15.200 work: REGISTER ACCEPTED>RUNNING",
            "16.200 work: NODE_UNUSABLE node=h1 state=UNHEALTHY timeout=none",
            "16.200 work: NODE_USABLE node=h2 state=RUNNING timeout=none",
            "50.000 work: FINISH RUNNING>FINISHED",
        ]
    );
}

#[test]
fn the_next_attempt_of_a_master_hears_what_the_last_one_did_not() {
    // 4.6: the news are the application's. h1 turns sick at 20.1 s, and the master goes with h2 at 20.4 s, before its
    // call of 20.5 s. The next one stands on h2 from 50.5 s on; its tasks are asked for 30 s later, and it calls at
    // 51.5 s all the same.
    let sick = at("20.1s", "node_unhealthy = { node = \"h1\", span = \"1h\" }");
    let tasks = managed("ends = \"60s\"\n").replace("run = \"50s\"", "run = \"50s\"\nasks = \"30s\"");
    let goes = master_goes().replace("20.5s", "20.4s");
    let told = play(&[tasks, sick, goes].concat(), LISTS);
    assert_eq!(
        told.of("work")[2..],
        [
            "51.500 work: NODE_UNUSABLE node=h1 state=UNHEALTHY timeout=none",
            "51.500 work: NODE_USABLE node=h2 state=RUNNING timeout=none",
            "60.000 work: FINISH RUNNING>FINISHED",
        ]
    );
}

#[test]
fn an_application_whose_time_is_up_early_ends_from_where_it_is() {
    // `ends` comes before a master has a container (no node has 9 cores), and in the instant at which one starts: the
    // application was ACCEPTED, and never runs.
    let app = |cores: u32, ends: &str| {
        format!(
            "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nsubmit = \"2s\"\n\
             master = {{ cores = {cores}, host = \"h1\" }}\nends = \"{ends}\"\n"
        )
    };
    let crowd = "[[app]]\nname = \"crowd\"\nmaster = { cores = 4, host = \"h1\" }\nends = \"20s\"\n";
    let told = play(&[app(4, "10s"), crowd.to_owned()].concat(), &[]);
    assert_eq!(told.of("work"), ["2.000 work: SUBMIT >ACCEPTED", "10.000 work: FINISH ACCEPTED>FINISHED"]);
    let told = play(&app(1, "2.8s"), &[]);
    assert_eq!(told.of("work"), ["2.000 work: SUBMIT >ACCEPTED", "2.800 work: FINISH ACCEPTED>FINISHED"]);
}
