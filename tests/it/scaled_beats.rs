//! Heartbeats whose interval follows the load (yarn.md 7.6): stories of three nodes of 4 cores, worked out by hand.
//!
//! An unmanaged application registers at 0.5 s and calls each second: it asks for 4 cores on h1 at 1.5 s, gets them at
//! once, and launches at 2.5 s. From 1.5 s on h1 is used to 1, the others to 0, and the cluster to 4/12. The beats at 0
//! find nothing used, so the next ones come 2 s later; their answers are the first ones that scale.

use crate::support::hosts::{at, play_with};

const WORK: &str = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\n\
                    submit = \"0.5s\"\nmaster = \"unmanaged\"\nends = \"10m\"\n\
                    [[app.task]]\nhost = \"h1\"\ncores = 4\nrun = \"10m\"\n";

#[test]
fn a_busy_node_beats_less_often_and_an_idle_one_more_often() {
    // h1: 2 s × (1 + 2/3) = 3.333 s, so it tells of its container at 5.333 s. h2, h3: 2 s × (1 - 1/3) = 1.333 s, so
    // 3.333, 4.666 s; there h2 is READY. From 4 s on it drains, and the cluster is used to 4/8: h3 beats 1 s after
    // 4.666 s, and h1 3 s after 5.333 s. Both are told there that they are decommissioned.
    let lines = [
        at("4s", "refresh_nodes = { exclude = \"one\", graceful = true }"),
        at("5.5s", "refresh_nodes = { exclude = \"two\" }"),
        at("7s", "refresh_nodes = { exclude = \"all\" }"),
    ];
    let files = [("one", "h2\n"), ("two", "h2 h3\n"), ("all", "h1 h2 h3\n")];
    let set = [
        "horizon=10s",
        "heartbeat.interval=2s",
        "heartbeat.scaling=true",
        "heartbeat.scaling_min=1s",
        "heartbeat.scaling_max=4s",
    ];
    let told = play_with(&set, &[WORK, &lines.concat()].concat(), &files);
    assert_eq!(told.of("work/1")[3], "5.333 work/1: LAUNCHED ACQUIRED>RUNNING node=h1");
    assert_eq!(told.of("h2")[2], "4.666 h2: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready");
    assert_eq!(told.of("h3 agent")[0], "5.666 h3 agent: SHUTDOWN");
    assert_eq!(told.of("h1 agent")[0], "8.333 h1 agent: SHUTDOWN");
    // h1: 0, 2, 5.333 and 8.333 s; h2: 0, 2, 3.333 and 4.666 s; h3: these and 5.666 s.
    assert_eq!(told.number("beats_total"), "13");
}

#[test]
fn the_interval_stays_within_its_bounds() {
    // 3.333 s becomes 2.5 s: 4.5 s; 1.333 s becomes 1.5 s: 3.5, 5 s.
    let lines = at("4s", "refresh_nodes = { exclude = \"one\", graceful = true }");
    let set = [
        "horizon=6s",
        "heartbeat.interval=2s",
        "heartbeat.scaling=true",
        "heartbeat.scaling_min=1500ms",
        "heartbeat.scaling_max=2500ms",
    ];
    let told = play_with(&set, &[WORK, &lines].concat(), &[("one", "h2\n")]);
    assert_eq!(told.of("work/1")[3], "4.500 work/1: LAUNCHED ACQUIRED>RUNNING node=h1");
    assert_eq!(told.of("h2")[2], "5.000 h2: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready");
}

#[test]
fn news_are_told_at_once_and_restart_the_scaled_interval() {
    // h1's container ends at 4.1 s, 1.6 s after its launch and before any beat has told of it: a beat at once. When it
    // is answered the scheduler does not know of the end yet, so the next one is 3.333 s later, at 7.433 s. There the
    // answer says 2 s, since nothing is used: the plain refresh of 8 s is told at 9.433 s.
    let work = WORK.replace("run = \"10m\"", "run = \"1600ms\"");
    let lines = at("8s", "refresh_nodes = { exclude = \"one\" }");
    let set = [
        "horizon=10s",
        "heartbeat.interval=2s",
        "heartbeat.scaling=true",
        "heartbeat.scaling_min=1s",
        "heartbeat.scaling_max=4s",
    ];
    let told = play_with(&set, &[work.as_str(), &lines].concat(), &[("one", "h1\n")]);
    assert_eq!(told.of("work/1").last(), Some(&"4.100 work/1: FINISHED ACQUIRED>COMPLETED node=h1 exit=0"));
    assert_eq!(told.of("h1 agent")[0], "9.433 h1 agent: SHUTDOWN");
}

#[test]
fn a_node_that_was_told_to_beat_rarely_is_not_lost_but_left_out_by_asynchronous_placement() {
    // 3 of 4 cores of h1, which is 1/2 more than the cluster's 3/12: 1 s × (1 + 1/2 × 10), at most 5 s. Its beats are
    // at 0, 1, 2, 7 s; at 5.5 s it was heard 3.5 s ago, more than 2 configured intervals (8.1). With an expiry of 6 s,
    // nobody is lost at the checks at 2, 4, 6 … s.
    let work = WORK.replace("cores = 4", "cores = 3");
    let more = "[[app.task]]\nhost = \"h1\"\nasks = \"4s\"\nrun = \"10m\"\n";
    let set = [
        "horizon=20s",
        "heartbeat.expiry=6s",
        "heartbeat.scaling=true",
        "heartbeat.scaling_max=5s",
        "heartbeat.slowdown=10",
    ];
    let told = play_with(&set, &[work.as_str(), more].concat(), &[]);
    assert_eq!(
        told.of("work/2")[..2],
        ["5.500 work/2: ASK >NEW cores=1", "7.000 work/2: ALLOCATE NEW>ALLOCATED node=h1"]
    );
    assert_eq!(told.counters(), "A3");
}
