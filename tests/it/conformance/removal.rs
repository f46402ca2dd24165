//! Untracked nodes and when they are forgotten, and included ones that never come.
//!
//! With a removal timeout of 500 ms the timer looks at 0.25 s, 0.5 s, 0.75 s … (4.2), and forgets what has been
//! untracked for *longer* than the timeout.

use super::{How, Row, STORY, Story};
use How::{Elsewhere, Plays};

const INCLUDED: &str = "[lists]\ninclude = \"all\"\nremoval_timeout = \"500ms\"\n";
const WITHOUT_H2: &[(&str, &str)] = &[("all", "h1 h2 h3\n"), ("rest", "h1 h3\n")];
const DROP_H2: &str = r#"refresh_nodes = { include = "rest" }"#;
/// No include file, h1 excluded from 5.5 s to 8.5 s; h2 is lost, h3 signs off, and h4 stays.
const FOUR: &str = "[[node]]\nname = \"h4\"\n";
const BEFALL: &[(&str, &str)] = &[
    ("5.5s", r#"refresh_nodes = { exclude = "out" }"#),
    ("5.5s", r#"node_crash = "h2""#),
    ("5.5s", r#"node_stop = "h3""#),
    ("8.5s", r#"refresh_nodes = { exclude = "empty" }"#),
];
const OUT: &[(&str, &str)] = &[("out", "h1\n"), ("empty", "")];
/// Hosts h1 to h4 are included, h4 is excluded too, and only those register that a story lets.
const MISSED: &str = "[lists]\ninclude = \"all\"\nexclude = \"out\"\ntrack_unregistered = true\n\
                      [[node]]\nname = \"h4\"\nregisters_at = \"1h\"\n";
const MISSED_FILES: &[(&str, &str)] = &[("all", "h1 h2 h3 h4\n"), ("out", "h4\n")];

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // E2: noted at 5.5 s; 500 ms later it is not yet longer than 500 ms, at 6.25 s it is.
    ("RT-30", Plays(Story {
        lines: INCLUDED,
        does: &[("5.5s", DROP_H2)],
        files: WITHOUT_H2,
        of: &["h2", "h2 agent"],
        told: &[
            "0.000 h2: STARTED NEW>RUNNING",
            "5.500 h2: SHUTDOWN RUNNING>SHUTDOWN cause=excluded",
            "6.000 h2 agent: SHUTDOWN",
            "6.000 h2 agent: EXIT",
            "6.250 h2 agent: FORGOTTEN",
        ],
        counters: "A2",
        ..STORY
    })),
    // It leaves at its beat of 6 s, and is noted then: 6.5 s is too early.
    ("RT-31", Plays(Story {
        lines: INCLUDED,
        does: &[("5.5s", r#"refresh_nodes = { include = "rest", graceful = true }"#)],
        files: WITHOUT_H2,
        of: &["h2", "h2 agent"],
        told: &[
            "0.000 h2: STARTED NEW>RUNNING",
            "5.500 h2: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "6.000 h2: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "6.000 h2 agent: SHUTDOWN",
            "6.000 h2 agent: EXIT",
            "6.750 h2 agent: FORGOTTEN",
        ],
        counters: "A2",
        ..STORY
    })),
    // With the default of 60 s it is listed again long before: a new node, and nothing to forget, though the story goes
    // on for a minute after its start.
    ("RT-32", Plays(Story {
        lines: "[lists]\ninclude = \"all\"\n",
        does: &[
            ("5.5s", DROP_H2),
            ("10.5s", r#"refresh_nodes = { include = "all" }"#),
            ("12.5s", r#"node_start = "h2""#),
        ],
        files: WITHOUT_H2,
        of: &["h2", "h2 agent"],
        told: &[
            "0.000 h2: STARTED NEW>RUNNING",
            "5.500 h2: SHUTDOWN RUNNING>SHUTDOWN cause=excluded",
            "12.500 h2: STARTED NEW>RUNNING",
            "6.000 h2 agent: SHUTDOWN",
            "6.000 h2 agent: EXIT",
        ],
        ..STORY
    })),
    // 7.4: last heard at 5 s, so lost at the first check after 7 s; checks are each 666 ms, the eleventh is at 7.326 s.
    // 4.3, step 5: it is noted with the refresh at 10.5 s; 11 s is too early.
    ("RT-34", Plays(Story {
        set: &["heartbeat.expiry=2s"],
        lines: INCLUDED,
        does: &[("5.5s", r#"node_crash = "h2""#), ("10.5s", DROP_H2)],
        files: WITHOUT_H2,
        of: &["h2", "h2 agent"],
        told: &[
            "0.000 h2: STARTED NEW>RUNNING",
            "7.326 h2: EXPIRE RUNNING>LOST cause=lost",
            "5.500 h2 agent: CRASH",
            "11.250 h2 agent: FORGOTTEN",
        ],
        counters: "A2",
    })),
    // Nothing makes a node send a wrong id, so none is ever REBOOTED: the rule and its reason are in that file.
    ("RT-35", Elsewhere("src/rules/response.rs", "reports_are_answered_in_step")),
    // Its failing check makes it beat at 4.2 s, 5.2 s, 6.2 s: there it hears of it.
    ("RT-36", Plays(Story {
        lines: INCLUDED,
        does: &[("4.2s", r#"node_unhealthy = { node = "h2", span = "60s" }"#), ("5.5s", DROP_H2)],
        files: WITHOUT_H2,
        of: &["h2", "h2 agent"],
        told: &[
            "0.000 h2: STARTED NEW>RUNNING",
            "4.200 h2: STATUS_UPDATE RUNNING>UNHEALTHY cause=unhealthy",
            "5.500 h2: SHUTDOWN UNHEALTHY>SHUTDOWN cause=excluded",
            "4.200 h2 agent: UNHEALTHY",
            "6.200 h2 agent: SHUTDOWN",
            "6.200 h2 agent: EXIT",
            "6.250 h2 agent: FORGOTTEN",
        ],
        counters: "A2",
        ..STORY
    })),
    // h1 is tracked while it is excluded, so its time begins at 8.5 s. h2 is lost as in RT-34 and untracked from then
    // on: 7.75 s is too early. h3 signs off at 5.5 s; 6 s is too early.
    ("RT-37", Plays(Story {
        set: &["heartbeat.expiry=2s", "lists.untracked_without_include=true", "lists.removal_timeout=500ms"],
        lines: FOUR,
        does: BEFALL,
        files: OUT,
        of: &["h1", "h1 agent", "h2", "h2 agent", "h3", "h3 agent", "h4", "h4 agent"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "5.500 h1: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
            "6.000 h1 agent: SHUTDOWN",
            "6.000 h1 agent: EXIT",
            "9.250 h1 agent: FORGOTTEN",
            "0.000 h2: STARTED NEW>RUNNING",
            "7.326 h2: EXPIRE RUNNING>LOST cause=lost",
            "5.500 h2 agent: CRASH",
            "8.000 h2 agent: FORGOTTEN",
            "0.000 h3: STARTED NEW>RUNNING",
            "5.500 h3: SHUTDOWN RUNNING>SHUTDOWN cause=stopped",
            "5.500 h3 agent: EXIT",
            "6.250 h3 agent: FORGOTTEN",
            "0.000 h4: STARTED NEW>RUNNING",
        ],
        counters: "A1",
    })),
    // RT-37, but the lost one is kept.
    ("RT-38", Plays(Story {
        set: &["heartbeat.expiry=2s"],
        lines: "[lists]\nuntracked_without_include = true\nremoval_timeout = \"500ms\"\n\
                removal_states = [\"DECOMMISSIONED\", \"SHUTDOWN\"]\n[[node]]\nname = \"h4\"\n",
        does: BEFALL,
        files: OUT,
        of: &["h1 agent", "h2 agent", "h3 agent", "h4 agent"],
        told: &[
            "6.000 h1 agent: SHUTDOWN",
            "6.000 h1 agent: EXIT",
            "9.250 h1 agent: FORGOTTEN",
            "5.500 h2 agent: CRASH",
            "5.500 h3 agent: EXIT",
            "6.250 h3 agent: FORGOTTEN",
        ],
        counters: "A1 L1",
    })),
    // 4.2: h4 has its entry from the start. 4.3, step 6: the refresh misses h2 and h3.
    ("RT-39", Plays(Story {
        set: &["node.h2.registers_at=1h", "node.h3.registers_at=1h"],
        lines: MISSED,
        does: &[("5.5s", "refresh_nodes = {}")],
        files: MISSED_FILES,
        of: &["h1", "h2", "h3", "h4"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "5.500 h2: EXPIRE NEW>LOST cause=lost",
            "5.500 h3: EXPIRE NEW>LOST cause=lost",
            "0.000 h4: DECOMMISSION NEW>DECOMMISSIONED cause=excluded",
        ],
        counters: "A1 D1 L2",
    })),
    // E1: its registration takes the entry off.
    ("RT-40", Plays(Story {
        set: &["node.h2.registers_at=1h", "node.h3.registers_at=10s"],
        lines: MISSED,
        does: &[("5.5s", "refresh_nodes = {}")],
        files: MISSED_FILES,
        of: &["h3"],
        told: &["5.500 h3: EXPIRE NEW>LOST cause=lost", "10.000 h3: STARTED NEW>RUNNING"],
        counters: "A2 D1 L1",
    })),
];
