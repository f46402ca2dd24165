//! Where YARN's documentation page and its source differ: yarn.md 0, row by row, each played under both behaviours.
//!
//! The expected lines are worked out by hand from the row and from the sections that its comment names. Three nodes
//! register at 0 and beat each second; the resource manager looks for silent ones at 10, 20, 30 s …, with an expiry of
//! 30 s, and the watcher polls at 0, 20, 40 s ….

use crate::support::hosts::{at, play_with};

/// How a row shows.
enum How {
    /// In these stories.
    Plays(&'static [Story]),
    /// Not at all, since page and source, or the simulator, have nothing to tell apart.
    Cannot(&'static str),
}

/// Stands among the subjects of a story for the status log.
const STATUS_LOG: &str = "decommissioning.log";

struct Story {
    /// What differs from the stage, as `key=value`.
    set: &'static [&'static str],
    /// More of the scenario file.
    lines: &'static str,
    /// What is done, and when.
    does: &'static [(&'static str, &'static str)],
    /// Hosts files.
    files: &'static [(&'static str, &'static str)],
    /// Of whom something is told …
    of: &'static [&'static str],
    /// … and what, by the source …
    source: &'static [&'static str],
    /// … and by the page.
    page: &'static [&'static str],
}

use How::{Cannot, Plays};

const STORY: Story =
    Story { set: &["horizon=50s"], lines: "", does: &[], files: &[], of: &[], source: &[], page: &[] };

/// An application that registers at 1.5 s and asks for a container on h1 at 2.5 s; it acquires and launches it at
/// 3.5 s, and h1 tells of it at its beat of 4 s. It runs for longer than any story.
const AT_WORK: &str = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\n\
                       submit = \"1.5s\"\nmaster = \"unmanaged\"\nends = \"10m\"\n\
                       [[app.task]]\nhost = \"h1\"\nrun = \"10m\"\n";
/// An application that asks at 10.6 s, and launches its container on h1 at 11.6 s; h1 tells of it at 12 s. It runs
/// until 120.5 s, and the application ends at 149.6 s.
const LATE: &str = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\n\
                    submit = \"9.6s\"\nmaster = \"unmanaged\"\nends = \"149.6s\"\n\
                    [[app.task]]\nhost = \"h1\"\nrun = \"108.9s\"\n";
/// The same with a second container on h1, which ends by itself at 13.5 s: h1 beats at once, and then each second.
const HALF_DONE: &str = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\n\
                         submit = \"1.5s\"\nmaster = \"unmanaged\"\nends = \"10m\"\n\
                         [[app.task]]\nhost = \"h1\"\nrun = \"10m\"\n[[app.task]]\nhost = \"h1\"\nrun = \"10s\"\n";
const SILENT: (&str, &str) = ("4.5s", "node_silence = { node = \"h1\", span = \"20s\" }");
const THREE_SECONDS: &str = "<hosts><host><name>h1</name><timeout>3</timeout></host></hosts>";

#[rustfmt::skip]
const ROWS: &[(&str, How)] = &[
    ("0.1", Plays(&[
        // 4.3: h1 is dead and drains, and comes back by RECOMMISSION. h2 has nothing left at its beat of 6 s, and its
        // agent ends at once (7.1); the page starts it again.
        Story {
            does: &[
                ("4.5s", "node_crash = \"h1\""),
                ("5.5s", r#"refresh_nodes = { exclude = "out", graceful = true }"#),
                ("15s", r#"refresh_nodes = { exclude = "none", graceful = true }"#),
            ],
            files: &[("out", "h1 h2\n"), ("none", "h9\n")],
            set: &["horizon=30s"],
            of: &["h1", "h2", "h2 agent"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "15.000 h1: RECOMMISSION DECOMMISSIONING>RUNNING",
                "0.000 h2: STARTED NEW>RUNNING",
                "5.500 h2: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "6.000 h2: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
                "6.000 h2 agent: SHUTDOWN",
                "6.000 h2 agent: EXIT",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "15.000 h1: RECOMMISSION DECOMMISSIONING>RUNNING",
                "0.000 h2: STARTED NEW>RUNNING",
                "5.500 h2: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "6.000 h2: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
                "15.000 h2: STARTED NEW>RUNNING",
                "6.000 h2 agent: SHUTDOWN",
                "6.000 h2 agent: EXIT",
                "15.000 h2 agent: RECOMMISSION",
            ],
            ..STORY
        },
        // 7.1: told at its beat of 11 s, with an application there, the agent needs 17 s to end. It is recommissioned
        // before that, and starts when it has ended.
        Story {
            lines: AT_WORK,
            does: &[
                ("10.5s", r#"refresh_nodes = { exclude = "out" }"#),
                ("15s", r#"refresh_nodes = { exclude = "none" }"#),
            ],
            files: &[("out", "h1\n"), ("none", "h9\n")],
            of: &["h1", "h1 agent"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "10.500 h1: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
                "11.000 h1 agent: SHUTDOWN",
                "28.000 h1 agent: EXIT",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "10.500 h1: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
                "28.000 h1: STARTED NEW>RUNNING",
                "11.000 h1 agent: SHUTDOWN",
                "15.000 h1 agent: RECOMMISSION",
                "28.000 h1 agent: EXIT",
            ],
            ..STORY
        },
    ])),
    // What a scenario says is what reaches the resource manager: nothing is the configured 10 s, "never" is -1. The
    // source counts from the beat at 6 s (0.5), the page from 5.5 s.
    ("0.2", Plays(&[
        Story {
            set: &["horizon=50s", "decommission.timeout=10s"],
            lines: AT_WORK,
            does: &[("5.5s", r#"refresh_nodes = { exclude = "out", graceful = true }"#)],
            files: &[("out", "h1\n")],
            of: &["h1"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "16.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "15.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
            ],
        },
        Story {
            set: &["horizon=50s", "decommission.timeout=10s"],
            lines: AT_WORK,
            does: &[("5.5s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "never" }"#)],
            files: &[("out", "h1\n")],
            of: &["h1"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            ],
        },
    ])),
    ("0.3", Plays(&[
        // 6.2: the source's resource manager goes by the 3 s of the file, from the beat at 6 s on, and the client finds
        // nothing at 9.5 s. The page's client asks at 6.5, 7.5 … 13.5 s, the eighth time at its timeout, and forces.
        Story {
            lines: AT_WORK,
            does: &[(
                "5.5s",
                r#"refresh_nodes = { exclude = "o.xml", graceful = true, timeout = "8s", tracking = "client" }"#,
            )],
            files: &[("o.xml", THREE_SECONDS)],
            of: &["h1", "administrator"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "9.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
                "5.500 administrator: REFRESH_NODES_GRACEFUL",
                "9.500 administrator: CLIENT_DONE",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "13.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=forced",
                "5.500 administrator: REFRESH_NODES_GRACEFUL",
                "13.500 administrator: CLIENT_FORCES",
            ],
            ..STORY
        },
        // A dead node, which the source's resource manager never watches: the client forces 5 s after its 8 s, or not.
        Story {
            does: &[
                ("4.5s", "node_crash = \"h1\""),
                (
                    "5.5s",
                    r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "8s", tracking = "client" }"#,
                ),
            ],
            files: &[("out", "h1\n")],
            of: &["administrator"],
            source: &[
                "4.500 administrator: NODE_CRASH",
                "5.500 administrator: REFRESH_NODES_GRACEFUL",
                "18.500 administrator: CLIENT_FORCES",
            ],
            page: &[
                "4.500 administrator: NODE_CRASH",
                "5.500 administrator: REFRESH_NODES_GRACEFUL",
                "13.500 administrator: CLIENT_FORCES",
            ],
            ..STORY
        },
        // With a server's tracking the host's own timeout counts on both sides.
        Story {
            lines: AT_WORK,
            does: &[("5.5s", r#"refresh_nodes = { exclude = "o.xml", graceful = true, timeout = "8s" }"#)],
            files: &[("o.xml", THREE_SECONDS)],
            of: &["h1"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "9.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "8.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
            ],
            ..STORY
        },
    ])),
    // 3.5: the poll of 20 s finds h1 draining for 14.5 s of 30 s, heard at 19.5 s, with one of two tasks done; h2 was
    // last heard at 4 s. At 40 s both are gone.
    ("0.4", Plays(&[
        Story {
            lines: HALF_DONE,
            does: &[
                ("4.5s", "node_crash = \"h2\""),
                ("5.5s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "30s" }"#),
            ],
            files: &[("out", "h1 h2\n")],
            of: &[STATUS_LOG],
            source: &[],
            page: &[
                "20.000 h1                                   14s fresh:  0s containers: 1 WAIT_CONTAINER timeout:  15s",
                "  work RUNNING   app  50%    18s",
                "20.000 h2                                   14s fresh: 16s containers: 0           NONE",
            ],
            ..STORY
        },
    ])),
    ("0.5", Plays(&[
        // 3.4 and 7.4: last heard at 4 s and never again, h1 is lost at the check of 40 s, the first after 34 s.
        Story {
            does: &[
                ("4.5s", "node_crash = \"h1\""),
                ("5s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "12s" }"#),
            ],
            files: &[("out", "h1\n")],
            of: &["h1", "h1 drain"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.000 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "40.000 h1: EXPIRE DECOMMISSIONING>LOST cause=lost",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.000 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "17.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
                "17.000 h1 drain: STATUS NONE>TIMEOUT",
                "17.000 h1 drain: STATUS TIMEOUT>DECOMMISSIONED",
            ],
            ..STORY
        },
        // Silent until 24.5 s, h1 is heard at 25 s: READY there in the source; sent away there on the page.
        Story {
            does: &[SILENT, ("5s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "12s" }"#)],
            files: &[("out", "h1\n")],
            of: &["h1", "h1 agent"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.000 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "25.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
                "4.500 h1 agent: SILENCE",
                "24.500 h1 agent: HEARD",
                "25.000 h1 agent: SHUTDOWN",
                "25.000 h1 agent: EXIT",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.000 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "17.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
                "4.500 h1 agent: SILENCE",
                "24.500 h1 agent: HEARD",
                "25.000 h1 agent: SHUTDOWN",
                "25.000 h1 agent: EXIT",
            ],
            ..STORY
        },
        // 2.2, E5: another timeout moves no start. 6 s from 6 s, at a beat; 6 s from 5.5 s.
        Story {
            lines: AT_WORK,
            does: &[
                ("5.5s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "20s" }"#),
                ("8.5s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "6s" }"#),
            ],
            files: &[("out", "h1\n")],
            of: &["h1", "h1 agent"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "12.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
                "12.000 h1 agent: SHUTDOWN",
                "29.000 h1 agent: EXIT",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "11.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
                "12.000 h1 agent: SHUTDOWN",
                "29.000 h1 agent: EXIT",
            ],
            ..STORY
        },
        // 3.2, step 4: recommissioned and drained again between the beats at 7 s and 8 s, h1 keeps its start of 6 s in
        // the source, and has 10 s until 16 s; on the page the second request counts, from 7.8 s to 17.8 s. The timer
        // of the first one, due at 15.5 s, means nothing any more.
        Story {
            lines: AT_WORK,
            does: &[
                ("5.5s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "10s" }"#),
                ("7.4s", r#"refresh_nodes = { exclude = "none", graceful = true }"#),
                ("7.8s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "10s" }"#),
            ],
            files: &[("out", "h1\n"), ("none", "h9\n")],
            of: &["h1"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "7.400 h1: RECOMMISSION DECOMMISSIONING>RUNNING",
                "7.800 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "16.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "7.400 h1: RECOMMISSION DECOMMISSIONING>RUNNING",
                "7.800 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "17.800 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
            ],
            ..STORY
        },
    ])),
    // 3.3: READY at the beat of 6 s, and there the last word of the source.
    ("0.6", Plays(&[
        Story {
            does: &[("5.5s", r#"refresh_nodes = { exclude = "out", graceful = true }"#)],
            files: &[("out", "h1\n")],
            of: &["h1 drain"],
            source: &["6.000 h1 drain: STATUS NONE>READY"],
            page: &["6.000 h1 drain: STATUS NONE>READY", "6.000 h1 drain: STATUS READY>DECOMMISSIONED"],
            ..STORY
        },
    ])),
    ("0.7", Plays(&[
        // 4.3: h3 is on no list though there is an include list; h2 is on the exclude list.
        Story {
            does: &[("5.5s", r#"refresh_nodes = { include = "in", exclude = "out" }"#)],
            files: &[("in", "h1 h2\n"), ("out", "h2\n")],
            of: &["h2", "h3"],
            source: &[
                "0.000 h2: STARTED NEW>RUNNING",
                "5.500 h2: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
                "0.000 h3: STARTED NEW>RUNNING",
                "5.500 h3: SHUTDOWN RUNNING>SHUTDOWN cause=excluded",
            ],
            page: &[
                "0.000 h2: STARTED NEW>RUNNING",
                "5.500 h2: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
                "0.000 h3: STARTED NEW>RUNNING",
                "5.500 h3: DECOMMISSION RUNNING>DECOMMISSIONED cause=excluded",
            ],
            ..STORY
        },
        // 4.4: so it is with the end of a drain by force. The application's container keeps h1 there until then.
        Story {
            lines: AT_WORK,
            does: &[
                ("5.5s", r#"refresh_nodes = { include = "in", graceful = true, timeout = "never" }"#),
                ("9.5s", "forceful = true"),
            ],
            files: &[("in", "h2 h3\n")],
            of: &["h1"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "9.500 h1: SHUTDOWN DECOMMISSIONING>SHUTDOWN cause=forced",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "5.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "9.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=forced",
            ],
            ..STORY
        },
    ])),
    ("0.8", Cannot("each request of a scenario has a timeout or the configured one, so the RMNode always stores one")),
    ("0.9", Cannot("a file with one host on a line, which is all that the page speaks of, says the same to both")),
    ("0.10", Cannot("hosts of a scenario have names and no addresses")),
    // 3.6, R1: at the beat of 12 s path A counts the container, and path B knows of no application yet. Without path B
    // the container ends by itself, h1 waits for the application, and is READY at the first beat after its end: its
    // beats come at 120.5, 121.5 … 150.5 s.
    ("0.11", Plays(&[
        Story {
            set: &["horizon=160s"],
            lines: LATE,
            does: &[("11.8s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "1h" }"#)],
            files: &[("out", "h1\n")],
            of: &["h1", "h1 drain", "work/1"],
            source: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "11.800 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "12.000 h1: STATUS_UPDATE DECOMMISSIONING>DECOMMISSIONED cause=ready",
                "12.000 h1 drain: STATUS NONE>WAIT_CONTAINER",
                "10.600 work/1: ASK >NEW cores=1",
                "10.600 work/1: ALLOCATE NEW>ALLOCATED node=h1",
                "11.600 work/1: ACQUIRE ALLOCATED>ACQUIRED node=h1",
                "12.000 work/1: KILL ACQUIRED>KILLED node=h1 exit=-100",
            ],
            page: &[
                "0.000 h1: STARTED NEW>RUNNING",
                "11.800 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
                "150.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
                "12.000 h1 drain: STATUS NONE>WAIT_CONTAINER",
                "120.500 h1 drain: STATUS WAIT_CONTAINER>WAIT_APP",
                "150.500 h1 drain: STATUS WAIT_APP>READY",
                "150.500 h1 drain: STATUS READY>DECOMMISSIONED",
                "10.600 work/1: ASK >NEW cores=1",
                "10.600 work/1: ALLOCATE NEW>ALLOCATED node=h1",
                "11.600 work/1: ACQUIRE ALLOCATED>ACQUIRED node=h1",
                "12.000 work/1: LAUNCHED ACQUIRED>RUNNING node=h1",
                "120.500 work/1: FINISHED RUNNING>COMPLETED node=h1 exit=0",
            ],
        },
    ])),
];

#[test]
fn each_row_shows_as_page_and_source_say() {
    let stories = ROWS.iter().flat_map(|(id, how)| {
        let stories = match how {
            Plays(stories) => *stories,
            Cannot(_) => &[],
        };
        stories.iter().map(move |story| (id, story))
    });
    let faults: Vec<String> = stories
        .flat_map(|(id, story)| {
            [("source", story.source), ("page", story.page)].map(|side| deviation(id, story, side))
        })
        .flatten()
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// How a story goes otherwise than one side expects.
fn deviation(id: &str, story: &Story, (behaviour, expected): (&str, &[&str])) -> Option<String> {
    let does: String = story.does.iter().map(|(time, action)| at(time, action)).collect();
    let behave = format!("decommission.behaviour={behaviour}");
    let set = [story.set, &[behave.as_str()]].concat();
    let told = play_with(&set, &[story.lines, &does].concat(), story.files);
    let about = |subject: &str| match subject {
        STATUS_LOG => told.status_log().lines().collect(),
        _ => told.of(subject),
    };
    let found: Vec<&str> = story.of.iter().flat_map(|&subject| about(subject)).collect();
    let (expected_lines, found_lines) = (expected.join("\n  "), found.join("\n  "));
    (found != expected)
        .then(|| format!("{id}, {behaviour}: expected\n  {expected_lines}\nfound\n  {found_lines}"))
}

#[test]
fn each_row_is_there_once() {
    let ids: Vec<String> = (1..=11).map(|row| format!("0.{row}")).collect();
    assert!(ROWS.iter().map(|(id, _)| *id).eq(ids.iter().map(String::as_str)));
}

#[test]
fn a_row_that_shows_in_no_story_says_why() {
    let silent = ROWS.iter().filter(|(_, how)| match how {
        Plays(stories) => stories.is_empty(),
        Cannot(why) => why.is_empty(),
    });
    let silent: Vec<&str> = silent.map(|(id, _)| *id).collect();
    assert!(silent.is_empty(), "{silent:?}");
}
