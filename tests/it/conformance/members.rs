//! Registrations, heartbeats and silence.

use super::{How, Row, STORY, Story};
use How::{Cannot, Elsewhere, Plays};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // 7.1: with 4 s from beat to beat, nodes that are to go are seen at 8 s (the beats are at 0, 4, 8 …), not at 6 s.
    ("RT-01", Plays(Story {
        set: &["heartbeat.interval=4s"],
        does: &[("5.5s", r#"refresh_nodes = { exclude = "out", graceful = true }"#)],
        files: &[("out", "h1 h2\n")],
        of: &["h1", "h2"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "8.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "0.000 h2: STARTED NEW>RUNNING",
            "5.500 h2: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "8.000 h2: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
        ],
        counters: "A1 D2",
        ..STORY
    })),
    // 7.3: h2 is on the include list, and the others are not.
    ("RT-14", Plays(Story {
        lines: "[lists]\ninclude = \"in\"\n",
        files: &[("in", "h2\n")],
        of: &["h2", "h2 agent"],
        told: &["0.000 h2: STARTED NEW>RUNNING"],
        counters: "A1",
        ..STORY
    })),
    // 7.3: h2 is refused as it registers, and ends at once, since no application ever was there (7.1).
    ("RT-15", Plays(Story {
        lines: "[lists]\ninclude = \"in\"\n",
        files: &[("in", "h1\n")],
        of: &["h2", "h2 agent"],
        told: &["0.000 h2 agent: SHUTDOWN", "0.000 h2 agent: EXIT"],
        counters: "A1",
        ..STORY
    })),
    ("RT-16", Cannot("agents and the resource manager are one program here: there are no versions of them")),
    // 7.3: less memory, fewer cores, or both than the smallest allocation: three are refused.
    ("RT-17", Plays(Story {
        set: &["node.h1.type=small", "node.h2.type=wide", "node.h3.type=deep"],
        lines: "[scheduler]\nminimum_memory = \"2GiB\"\nminimum_cores = 4\n\
                [[node_type]]\nname = \"small\"\ncores = 1\nmemory = \"1GiB\"\n\
                [[node_type]]\nname = \"deep\"\ncores = 1\nmemory = \"2GiB\"\n\
                [[node_type]]\nname = \"wide\"\ncores = 4\nmemory = \"1GiB\"\n\
                [[node_type]]\nname = \"both\"\ncores = 4\nmemory = \"2GiB\"\n\
                [[node]]\nname = \"h4\"\ntype = \"both\"\n",
        of: &["h1", "h1 agent", "h2", "h2 agent", "h3", "h3 agent", "h4", "h4 agent"],
        told: &[
            "0.000 h1 agent: SHUTDOWN",
            "0.000 h1 agent: EXIT",
            "0.000 h2 agent: SHUTDOWN",
            "0.000 h2 agent: EXIT",
            "0.000 h3 agent: SHUTDOWN",
            "0.000 h3 agent: EXIT",
            "0.000 h4: STARTED NEW>RUNNING",
        ],
        counters: "A1",
        ..STORY
    })),
    // Nothing makes a node send a wrong id: the rule and its reason are in that file.
    ("RT-18", Elsewhere("src/rules/response.rs", "reports_are_answered_in_step")),
    ("RT-20", Elsewhere("src/rules/response.rs", "reports_are_answered_in_step")),
    ("RT-21", Elsewhere("tests/it/administration.rs", "an_unhealthy_node_leaves_and_comes_back")),
    // 7.3: h1 signs off at 5.7 s. An agent that has signed off beats no more; the answer to one that is not in the
    // active map is RESYNC (7.2, step 2), which a lost h2 hears: it is silent from 12.5 to 57.5 s, and its next
    // beat is at 58 s.
    ("RT-22", Plays(Story {
        does: &[
            ("5.7s", r#"node_stop = "h1""#),
            ("12.5s", r#"node_silence = { node = "h2", span = "45s" }"#),
        ],
        of: &["h1", "h1 agent", "h2 agent"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "5.700 h1: SHUTDOWN RUNNING>SHUTDOWN cause=stopped",
            "5.700 h1 agent: EXIT",
            "12.500 h2 agent: SILENCE",
            "57.500 h2 agent: HEARD",
            "58.000 h2 agent: RESYNC",
        ],
        counters: "A2 S1",
        ..STORY
    })),
    // 2.1: SHUTDOWN is accepted in UNHEALTHY too.
    ("RT-23", Plays(Story {
        does: &[
            ("4.2s", r#"node_unhealthy = { node = "h1", span = "60s" }"#),
            ("5.7s", r#"node_stop = "h1""#),
        ],
        of: &["h1"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "4.200 h1: STATUS_UPDATE RUNNING>UNHEALTHY cause=unhealthy",
            "5.700 h1: SHUTDOWN UNHEALTHY>SHUTDOWN cause=stopped",
        ],
        counters: "A2 S1",
        ..STORY
    })),
    // 7.3: h1 is silent for 45 s and LOST at 50 s (as in 7.4's story); heard again from 57.5 s on, it signs off before
    // its first beat. It is in no active map, and nothing follows.
    ("RT-24", Plays(Story {
        does: &[
            ("12.5s", r#"node_silence = { node = "h1", span = "45s" }"#),
            ("57.7s", r#"node_stop = "h1""#),
        ],
        of: &["h1", "h1 agent"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "50.000 h1: EXPIRE RUNNING>LOST cause=lost",
            "12.500 h1 agent: SILENCE",
            "57.500 h1 agent: HEARD",
            "57.700 h1 agent: EXIT",
        ],
        counters: "A2 L1",
        ..STORY
    })),
    // 4.3 and 7.3: both are SHUTDOWN with the refresh. h3 hears so at its beat; h1 signs off before its own, which
    // changes nothing any more.
    ("RT-25", Plays(Story {
        does: &[("5.5s", r#"refresh_nodes = { include = "in" }"#), ("5.7s", r#"node_stop = "h1""#)],
        files: &[("in", "h2\n")],
        of: &["h1", "h1 agent", "h3", "h3 agent"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "5.500 h1: SHUTDOWN RUNNING>SHUTDOWN cause=excluded",
            "5.700 h1 agent: EXIT",
            "0.000 h3: STARTED NEW>RUNNING",
            "5.500 h3: SHUTDOWN RUNNING>SHUTDOWN cause=excluded",
            "6.000 h3 agent: SHUTDOWN",
            "6.000 h3 agent: EXIT",
        ],
        counters: "A1 S2",
        ..STORY
    })),
    // E7: h1 drains with a container of an application that goes on; its agent dies at 15.2 s and registers again at
    // 17.5 s with nothing. It is taken in, since it drains (RECONNECTED, no refusal), and that ends the drain; so its
    // beat of the same instant is answered with SHUTDOWN.
    ("RT-41", Plays(Story {
        lines: WORK,
        does: &[
            ("13.5s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "never" }"#),
            ("15.2s", r#"node_crash = "h1""#),
            ("17.5s", r#"node_start = "h1""#),
        ],
        files: &[("out", "h1\n")],
        of: &["h1", "h1 agent"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "13.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "17.500 h1: RECONNECTED DECOMMISSIONING>DECOMMISSIONED cause=reregistered",
            "15.200 h1 agent: CRASH",
            "17.500 h1 agent: SHUTDOWN",
            "17.500 h1 agent: EXIT",
        ],
        counters: "A2 D1",
        ..STORY
    })),
    // E7: the second registration is no STARTED. It comes without the application's container, which the resource
    // manager gives up with it (NODE_REMOVED, -100), and the node stays RUNNING.
    ("RT-42", Plays(Story {
        lines: WORK,
        does: &[("15.2s", r#"node_crash = "h1""#), ("17.5s", r#"node_start = "h1""#)],
        of: &["h1", "h1 agent", "work/1"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "15.200 h1 agent: CRASH",
            "2.500 work/1: ASK >NEW cores=1",
            "2.500 work/1: ALLOCATE NEW>ALLOCATED node=h1",
            "3.500 work/1: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "4.000 work/1: LAUNCHED ACQUIRED>RUNNING node=h1",
            "17.500 work/1: KILL RUNNING>KILLED node=h1 exit=-100",
        ],
        ..STORY
    })),
    // 7.3: beats at 1, 2 and 3 s; a new process registers at 5.5 s and is answered as any other: no RESYNC, and when it
    // is to go, it hears so at its beat of 11.5 s.
    ("RT-43", Plays(Story {
        does: &[
            ("3.5s", r#"node_crash = "h1""#),
            ("5.5s", r#"node_start = "h1""#),
            ("10.7s", r#"refresh_nodes = { exclude = "out", graceful = true }"#),
        ],
        files: &[("out", "h1\n")],
        of: &["h1", "h1 agent"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "10.700 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "11.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "3.500 h1 agent: CRASH",
            "11.500 h1 agent: SHUTDOWN",
            "11.500 h1 agent: EXIT",
        ],
        counters: "A2 D1",
        ..STORY
    })),
    // 7.4: h1 and h2 are last heard at 5 s; checks are each 333 ms (a third, whole milliseconds), so the first one
    // later than 6 s is the nineteenth, at 6.327 s. Nodes beat twice as often as in the row, since an interval of a
    // whole expiry is refused.
    ("RT-44", Plays(Story {
        set: &["heartbeat.expiry=1s", "heartbeat.interval=500ms"],
        does: &[("5.2s", r#"node_crash = "h1""#), ("5.2s", r#"node_crash = "h2""#)],
        of: &["h1", "h2", "h3"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "6.327 h1: EXPIRE RUNNING>LOST cause=lost",
            "0.000 h2: STARTED NEW>RUNNING",
            "6.327 h2: EXPIRE RUNNING>LOST cause=lost",
            "0.000 h3: STARTED NEW>RUNNING",
        ],
        counters: "A1 L2",
        ..STORY
    })),
    // Of the row, what does not change a node's total or port, which here are its type's and none. E7: a node that is
    // UNHEALTHY when it registers again stays so and is not given to the scheduler, so what is asked for on h1 gets its
    // place only when the check passes again: at 24.2 s, told by the beat of 24.5 s.
    ("RT-45", Plays(Story {
        lines: "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\n\
                submit = \"9.5s\"\nmaster = \"unmanaged\"\n\
                ends = \"40s\"\n[[app.task]]\nhost = \"h1\"\nrun = \"5s\"\n",
        does: &[
            ("4.2s", r#"node_unhealthy = { node = "h1", span = "20s" }"#),
            ("6.4s", r#"node_crash = "h1""#),
            ("8.5s", r#"node_start = "h1""#),
        ],
        of: &["h1", "work/1"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "4.200 h1: STATUS_UPDATE RUNNING>UNHEALTHY cause=unhealthy",
            "24.500 h1: STATUS_UPDATE UNHEALTHY>RUNNING",
            "10.500 work/1: ASK >NEW cores=1",
            "24.500 work/1: ALLOCATE NEW>ALLOCATED node=h1",
            "25.500 work/1: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "25.500 work/1: LAUNCHED ACQUIRED>RUNNING node=h1",
            "30.500 work/1: FINISHED RUNNING>COMPLETED node=h1 exit=0",
        ],
        ..STORY
    })),
];

/// An application that asks for a container on h1 at 2.5 s and would hold it until 60 s; it calls each second.
const WORK: &str = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\nsubmit = \"1.5s\"\n\
                    master = \"unmanaged\"\nends = \"60s\"\n[[app.task]]\nhost = \"h1\"\nrun = \"300s\"\n";
