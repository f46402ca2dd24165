//! The scheduler and applications, yarn.md 10.6.

use super::{How, Row, STORY, Story};
use How::{Elsewhere, Plays};

/// The table of the scheduler's picture of nodes.
const POOL: &str = "src/actors/scheduler/pool/tests.rs";

const GRACEFUL: &str = r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "10m" }"#;
const BACK: &str = r#"refresh_nodes = { exclude = "none" }"#;
const LISTS: &[(&str, &str)] = &[("out", "h1\n"), ("none", "")];

/// h1 has 4 cores and 8 GiB. A container of one core and 1 GiB runs there from 4.5 s to 34.5 s, and its application
/// ends when its master hears of that, at 35.5 s. Another application asks for as much at 8.5 s, on h1.
const ONE_OF_FOUR: &str = "[[node_type]]\nname = \"n8\"\ncores = 4\nmemory = \"8GiB\"\n\
    [[app]]\nname = \"work\"\nlaunch = \"0s\"\nsubmit = \"2.5s\"\nmaster = \"unmanaged\"\n\
    [[app.task]]\nhost = \"h1\"\nmemory = \"1GiB\"\nrun = \"30s\"\n\
    [[app]]\nname = \"more\"\nlaunch = \"0s\"\nsubmit = \"7.5s\"\nmaster = \"unmanaged\"\nends = \"50s\"\n\
    [[app.task]]\nhost = \"h1\"\nmemory = \"1GiB\"\nrun = \"30s\"\n";

/// A container on h1 from 4.5 s on; its application ends at 60.2 s. Another one asks for h1 at 30.5 s.
const ASKS_LATE: &str = "[scheduler]\ntrigger = \"heartbeat\"\n\
    [[app]]\nname = \"work\"\nlaunch = \"0s\"\nsubmit = \"2.5s\"\nmaster = \"unmanaged\"\nends = \"60.2s\"\n\
    [[app.task]]\nhost = \"h1\"\nrun = \"10s\"\n\
    [[app]]\nname = \"more\"\nlaunch = \"0s\"\nsubmit = \"29.5s\"\nmaster = \"unmanaged\"\nends = \"50s\"\n\
    [[app.task]]\nhost = \"h1\"\nrun = \"10s\"\n";

/// Nine nodes of 4 cores. From 4.5 s on a container of one core stands on each of the first five. Another application
/// asks at 8.5 s for five containers of 3 cores.
const NINE: &str = "[[node]]\nname = \"h4\"\n[[node]]\nname = \"h5\"\n[[node]]\nname = \"h6\"\n\
    [[node]]\nname = \"h7\"\n[[node]]\nname = \"h8\"\n[[node]]\nname = \"h9\"\n[scheduler]\ntrigger = \"async\"\n\
    [[app]]\nname = \"work\"\nlaunch = \"0s\"\nsubmit = \"2.5s\"\nmaster = \"unmanaged\"\n\
    [[app.task]]\nhost = \"h1\"\nrun = \"1h\"\n[[app.task]]\nhost = \"h2\"\nrun = \"1h\"\n\
    [[app.task]]\nhost = \"h3\"\nrun = \"1h\"\n[[app.task]]\nhost = \"h4\"\nrun = \"1h\"\n\
    [[app.task]]\nhost = \"h5\"\nrun = \"1h\"\n\
    [[app]]\nname = \"more\"\nsubmit = \"7.5s\"\nmaster = \"unmanaged\"\n\
    [[app.task]]\ncount = 5\ncores = 3\nrun = \"1h\"\n";

/// A master on h2 that registers at 2.5 s and calls each second, and a container on h1 that outlasts the story.
const CALLS: &str = "[scheduler]\ntrigger = \"async\"\n\
    [[app]]\nname = \"work\"\nlaunch = \"0s\"\nsubmit = \"2.5s\"\nmaster = { host = \"h2\" }\nends = \"30s\"\n\
    [[app.task]]\nhost = \"h1\"\nrun = \"1h\"\n";
/// The same, and another application, submitted at 12.5 s, that calls from 13.5 s on.
const CALLS_LATER: &str = "[scheduler]\ntrigger = \"async\"\n\
    [[app]]\nname = \"work\"\nlaunch = \"0s\"\nsubmit = \"2.5s\"\nmaster = { host = \"h2\" }\nends = \"30s\"\n\
    [[app.task]]\nhost = \"h2\"\nrun = \"1h\"\n\
    [[app]]\nname = \"later\"\nsubmit = \"12.5s\"\nmaster = \"unmanaged\"\nends = \"20s\"\n\
    [[app.task]]\nhost = \"h2\"\nrun = \"1h\"\n";

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // 8.1: of 4 cores and 8 GiB, one core and 1 GiB are used when the drain begins at 6.5 s, and that is the total from
    // then on: there is no room for as much again, nor when the container has ended. h1 is READY at the beat of its
    // application's end.
    ("SC-01", Plays(Story {
        set: &["scheduler.trigger=async", "node.h1.type=n8"],
        lines: ONE_OF_FOUR,
        does: &[("6.5s", GRACEFUL)],
        files: LISTS,
        of: &["h1", "more/1"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "6.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "35.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "8.500 more/1: ASK >NEW cores=1",
            "50.000 more/1: WITHDRAW NEW>KILLED",
        ],
        counters: "A2 D1",
    })),
    ("SC-02", Elsewhere(POOL, "a_draining_node_has_what_is_used_and_no_more")),
    // 1.1: the scheduler forgets h1 as it turns unhealthy; GRACEFUL comes at 23.5 s, and from 25.2 s on its beats are
    // healthy ones: NODE_UPDATE for a node that the scheduler has not. Its list of applications outlives all
    // that (1.2), so it waits until 60.2 s.
    ("SC-03", Plays(Story {
        set: &["horizon=70s"],
        lines: ASKS_LATE,
        does: &[("20.2s", r#"node_unhealthy = { node = "h1", span = "5s" }"#), ("23.5s", GRACEFUL)],
        files: LISTS,
        of: &["h1", "more/1"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "20.200 h1: STATUS_UPDATE RUNNING>UNHEALTHY cause=unhealthy",
            "23.500 h1: GRACEFUL_DECOMMISSION UNHEALTHY>DECOMMISSIONING",
            "60.200 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "30.500 more/1: ASK >NEW cores=1",
            "50.000 more/1: WITHDRAW NEW>KILLED",
        ],
        counters: "A2 D1",
    })),
    // FIFO and fair place at heartbeats. The one round that FIFO may still give to a draining node (8.1) is the beat at
    // 7 s, when nothing waits yet.
    ("SC-04", Plays(Story {
        set: &["scheduler.trigger=heartbeat", "scheduler.late_round=true", "node.h1.type=n8"],
        lines: ONE_OF_FOUR,
        does: &[("6.5s", GRACEFUL)],
        files: LISTS,
        of: &["h1", "more/1"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "6.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "35.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "8.500 more/1: ASK >NEW cores=1",
            "50.000 more/1: WITHDRAW NEW>KILLED",
        ],
        counters: "A2 D1",
    })),
    // Each node would hold one of the five. The first five drain and are skipped, so the fifth container waits.
    ("SC-05", Plays(Story {
        set: &["horizon=9s", "cluster.max_nodes=9"],
        lines: NINE,
        does: &[("6.5s", GRACEFUL)],
        files: &[("out", "h1 h2 h3 h4 h5\n")],
        of: &["more/1", "more/2", "more/3", "more/4", "more/5"],
        told: &[
            "8.500 more/1: ASK >NEW cores=3",
            "8.500 more/1: ALLOCATE NEW>ALLOCATED node=h6",
            "8.500 more/2: ASK >NEW cores=3",
            "8.500 more/2: ALLOCATE NEW>ALLOCATED node=h7",
            "8.500 more/3: ASK >NEW cores=3",
            "8.500 more/3: ALLOCATE NEW>ALLOCATED node=h8",
            "8.500 more/4: ASK >NEW cores=3",
            "8.500 more/4: ALLOCATE NEW>ALLOCATED node=h9",
            "8.500 more/5: ASK >NEW cores=3",
        ],
        counters: "G4",
    })),
    ("SC-06", Elsewhere("tests/it/applications/placing.rs", "a_smaller_total_kills_tasks_before_masters")),
    // 4.6: the call after 10.3 s is at 10.5 s, and the next ones return it no more.
    ("SC-08", Plays(Story {
        lines: CALLS,
        does: &[("10.3s", GRACEFUL)],
        files: LISTS,
        of: &["work"],
        told: &[
            "2.500 work: SUBMIT >ACCEPTED",
            "2.500 work: REGISTER ACCEPTED>RUNNING",
            "10.500 work: NODE_DECOMMISSIONING node=h1 state=DECOMMISSIONING timeout=10m",
            "30.000 work: FINISH RUNNING>FINISHED",
        ],
        counters: "A2 G1",
        ..STORY
    })),
    // E6 restores the total and leaves the timeout.
    ("SC-09", Plays(Story {
        lines: CALLS,
        does: &[("10.3s", GRACEFUL), ("12.3s", BACK)],
        files: LISTS,
        of: &["work"],
        told: &[
            "2.500 work: SUBMIT >ACCEPTED",
            "2.500 work: REGISTER ACCEPTED>RUNNING",
            "10.500 work: NODE_DECOMMISSIONING node=h1 state=DECOMMISSIONING timeout=10m",
            "12.500 work: NODE_USABLE node=h1 state=RUNNING timeout=10m",
            "30.000 work: FINISH RUNNING>FINISHED",
        ],
        ..STORY
    })),
    // h1's health check fails at 4.2 s and passes again at 9.7 s: its beats are then at 10.2 s … h3 was last heard at
    // 5 s, so it is LOST at the first check after 7 s; checks are each 666 ms, and the eleventh is at 7.326 s. No
    // answer is lost on its way here, so none is sent twice.
    ("SC-10", Plays(Story {
        set: &["heartbeat.expiry=2s"],
        lines: CALLS_LATER,
        does: &[
            ("4.2s", r#"node_unhealthy = { node = "h1", span = "5.5s" }"#),
            ("5.5s", r#"node_crash = "h3""#),
        ],
        of: &["work", "later"],
        told: &[
            "2.500 work: SUBMIT >ACCEPTED",
            "2.500 work: REGISTER ACCEPTED>RUNNING",
            "4.500 work: NODE_UNUSABLE node=h1 state=UNHEALTHY timeout=none",
            "7.500 work: NODE_UNUSABLE node=h3 state=LOST timeout=none",
            "10.500 work: NODE_USABLE node=h1 state=RUNNING timeout=none",
            "30.000 work: FINISH RUNNING>FINISHED",
            "12.500 later: SUBMIT >ACCEPTED",
            "12.500 later: REGISTER ACCEPTED>RUNNING",
            "20.000 later: FINISH RUNNING>FINISHED",
        ],
        counters: "A2 L1",
        ..STORY
    })),
    ("SC-11", Elsewhere("src/rules/container.rs", "attempts_are_counted_as_the_specification_says")),
    ("SC-12", Elsewhere("src/rules/container.rs", "attempts_are_counted_as_the_specification_says")),
];
