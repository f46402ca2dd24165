//! Hosts lists: refreshes, restarts, and what the resource manager knows of hosts that it has never heard.

use super::{How, Row, STORY, Story};
use How::{Cannot, Elsewhere, Plays};

/// The table of refreshes and failures.
const REFRESH: &str = "src/rules/refresh/tests.rs";
const CASES: &str = "conformance_cases_of_refreshes";
const NO_ADDRESSES: &str = "hosts have names and no addresses here: nothing is resolved, and nothing cached";

const EXCLUDED: &str = "[lists]\nexclude = \"out\"\n";
const LISTS: &[(&str, &str)] = &[("out", "h1\n"), ("empty", "")];

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // Addresses exist in the rule alone: a scenario's hosts have none.
    ("RT-02", Elsewhere(REFRESH, CASES)),
    ("RT-03", Elsewhere(REFRESH, CASES)),
    // 0.1: an empty list changes nothing for a DECOMMISSIONED node; it comes back by registering again, at 12.5 s.
    ("RT-04", Plays(Story {
        does: &[
            ("5.5s", r#"refresh_nodes = { exclude = "out" }"#),
            ("10.5s", r#"refresh_nodes = { exclude = "empty" }"#),
            ("12.5s", r#"node_start = "h3""#),
        ],
        files: &[("out", "h2 h3\n"), ("empty", "")],
        of: &["h1", "h2", "h3", "h3 agent"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "0.000 h2: STARTED NEW>RUNNING",
            "5.500 h2: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
            "0.000 h3: STARTED NEW>RUNNING",
            "5.500 h3: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
            "12.500 h3: STARTED NEW>RUNNING",
            "6.000 h3 agent: SHUTDOWN",
            "6.000 h3 agent: EXIT",
        ],
        counters: "A2 D1",
        ..STORY
    })),
    ("RT-06", Elsewhere(REFRESH, CASES)),
    ("RT-12", Elsewhere(REFRESH, CASES)),
    ("RT-13", Elsewhere(REFRESH, CASES)),
    // 4.2: h1 has its entry as the resource manager starts, and is refused as it registers.
    ("RT-26", Plays(Story {
        lines: EXCLUDED,
        files: LISTS,
        of: &["h1", "h1 agent", "h2"],
        told: &[
            "0.000 h1: DECOMMISSION NEW>DECOMMISSIONED cause=excluded",
            "0.000 h1 agent: SHUTDOWN",
            "0.000 h1 agent: EXIT",
            "0.000 h2: STARTED NEW>RUNNING",
        ],
        counters: "A2 D1",
        ..STORY
    })),
    // E1: the registration takes the entry off.
    ("RT-27", Plays(Story {
        lines: EXCLUDED,
        does: &[("5.5s", r#"refresh_nodes = { exclude = "empty" }"#), ("7.5s", r#"node_start = "h1""#)],
        files: LISTS,
        of: &["h1"],
        told: &[
            "0.000 h1: DECOMMISSION NEW>DECOMMISSIONED cause=excluded",
            "7.500 h1: STARTED NEW>RUNNING",
        ],
        ..STORY
    })),
    // 4.2: the refresh visits those that registered, h2 alone; only the start makes an entry for h3, at 13.5 s.
    ("RT-28", Plays(Story {
        set: &["node.h3.registers_at=1h"],
        does: &[
            ("5.5s", r#"refresh_nodes = { include = "in", exclude = "out" }"#),
            ("10.5s", r#"rm_restart = "3s""#),
        ],
        files: &[("in", "h1 h2\n"), ("out", "h3 h2\n")],
        of: &["h2", "h3"],
        told: &[
            "0.000 h2: STARTED NEW>RUNNING",
            "5.500 h2: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
            "13.500 h3: DECOMMISSION NEW>DECOMMISSIONED cause=excluded",
        ],
        counters: "A1 D2",
        ..STORY
    })),
    ("RT-29", Elsewhere(REFRESH, CASES)),
    // 7.5: they are DECOMMISSIONED before and after; the resource manager is away from 10.5 to 13.5 s, so h1 finds it
    // again 30 s after its beat at 11 s. The agents that are started at 50.5 s are refused.
    ("RT-46", Plays(Story {
        does: &[
            ("5.5s", r#"refresh_nodes = { exclude = "out" }"#),
            ("10.5s", r#"rm_restart = "3s""#),
            ("50.5s", r#"node_start = "h2""#),
        ],
        files: &[("out", "h2 h3\n")],
        of: &["h1", "h2", "h2 agent", "h3"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "41.000 h1: STARTED NEW>RUNNING",
            "0.000 h2: STARTED NEW>RUNNING",
            "5.500 h2: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
            "6.000 h2 agent: SHUTDOWN",
            "6.000 h2 agent: EXIT",
            "50.500 h2 agent: SHUTDOWN",
            "50.500 h2 agent: EXIT",
            "0.000 h3: STARTED NEW>RUNNING",
            "5.500 h3: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
        ],
        counters: "A1 D2",
        ..STORY
    })),
    ("RT-49", Elsewhere(REFRESH, "what_follows_from_files_that_cannot_be_read")),
    // 4.6: h2 is usable again at 10.2 s (as in RT-21), when the application's final state is stored.
    ("RT-50", Plays(Story {
        set: &["horizon=20s"],
        lines: "[[app]]\nname = \"work\"\nmaster = \"unmanaged\"\nsubmit = \"2.5s\"\nends = \"4.1s\"\n",
        does: &[("4.2s", r#"node_unhealthy = { node = "h2", span = "5.5s" }"#)],
        of: &["h2", "work"],
        told: &[
            "0.000 h2: STARTED NEW>RUNNING",
            "4.200 h2: STATUS_UPDATE RUNNING>UNHEALTHY cause=unhealthy",
            "10.200 h2: STATUS_UPDATE UNHEALTHY>RUNNING",
            "2.500 work: SUBMIT >ACCEPTED",
            "2.500 work: REGISTER ACCEPTED>RUNNING",
            "4.100 work: FINISH RUNNING>FINISHED",
        ],
        ..STORY
    })),
    ("RT-51", Cannot(NO_ADDRESSES)),
    ("RT-52", Cannot(NO_ADDRESSES)),
    ("RT-53", Cannot(NO_ADDRESSES)),
    ("RT-54", Elsewhere(REFRESH, CASES)),
    ("RT-56", Elsewhere(REFRESH, CASES)),
    ("RT-58", Elsewhere(REFRESH, CASES)),
    ("RT-59", Elsewhere(REFRESH, "what_follows_from_files_that_cannot_be_read")),
];
