//! Graceful decommission under applications.

use super::{How, Row, STORY, Story};
use How::Plays;

/// A master on h1 from 2.5 s on, and two containers of 10 s there: asked for at 3.5 s, acquired and launched at 4.5 s.
/// The application ends at 60.3 s, and the story at 70 s.
const ON_H1: &str = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\nsubmit = \"2.5s\"\n\
                     master = { cores = 1, host = \"h1\" }\nends = \"60.3s\"\n\
                     [[app.task]]\ncount = 2\nhost = \"h1\"\nrun = \"10s\"\n";
/// An application without a master's container that registers at 9.6 s: it asks at 10.6 s, acquires and launches at
/// 11.6 s, and is told of h1 at its beat of 12 s. The container runs until 120.5 s.
const UNMANAGED: &str = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\n\
                         submit = \"9.6s\"\nmaster = \"unmanaged\"\nends = \"149.6s\"\n\
                         [[app.task]]\nhost = \"h1\"\nrun = \"108.9s\"\n";
const GRACEFUL: &str = r#"refresh_nodes = { exclude = "out", graceful = true }"#;

const TRACKED: &str =
    r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "10m", tracking = "client" }"#;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // 3.3, path A: both are READY at their next beat, and that beat's answer is SHUTDOWN; h1 is not touched.
    ("RT-05", Plays(Story {
        does: &[("5.5s", GRACEFUL)],
        files: &[("out", "h2 h3\n")],
        of: &["h1", "h1 agent", "h2", "h2 agent", "h3", "h3 agent"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "0.000 h2: STARTED NEW>RUNNING",
            "5.500 h2: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "6.000 h2: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "6.000 h2 agent: SHUTDOWN",
            "6.000 h2 agent: EXIT",
            "0.000 h3: STARTED NEW>RUNNING",
            "5.500 h3: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "6.000 h3: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "6.000 h3 agent: SHUTDOWN",
            "6.000 h3 agent: EXIT",
        ],
        counters: "A1 D2",
        ..STORY
    })),
    // Until 13 s: h3 is READY at 7 s, h1 has three containers.
    ("RT-08", Plays(Story {
        set: &["horizon=13s"],
        lines: ON_H1,
        does: &[("6.5s", GRACEFUL)],
        files: &[("out", "h1 h3\n")],
        of: &["h1", "h1 drain", "h1 agent", "h3"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "6.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "7.000 h1 drain: STATUS NONE>WAIT_CONTAINER",
            "0.000 h3: STARTED NEW>RUNNING",
            "6.500 h3: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "7.000 h3: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
        ],
        counters: "A1 G1 D1",
    })),
    // Until 60 s: both containers have ended at 14.5 s, the master has not; beats are answered and nothing is said.
    ("RT-09", Plays(Story {
        set: &["horizon=60s"],
        lines: ON_H1,
        does: &[("6.5s", GRACEFUL)],
        files: &[("out", "h1 h3\n")],
        of: &["h1", "h1 agent", "work/2", "work/3"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "6.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "3.500 work/2: ASK >NEW cores=1",
            "3.500 work/2: ALLOCATE NEW>ALLOCATED node=h1",
            "4.500 work/2: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "5.000 work/2: LAUNCHED ACQUIRED>RUNNING node=h1",
            "14.500 work/2: FINISHED RUNNING>COMPLETED node=h1 exit=0",
            "3.500 work/3: ASK >NEW cores=1",
            "3.500 work/3: ALLOCATE NEW>ALLOCATED node=h1",
            "4.500 work/3: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "5.000 work/3: LAUNCHED ACQUIRED>RUNNING node=h1",
            "14.500 work/3: FINISHED RUNNING>COMPLETED node=h1 exit=0",
        ],
        counters: "A1 G1 D1",
    })),
    // The application's end takes the master's container off h1, which is news: the node beats at once (7.1) and is
    // READY. An application has just finished there, so its agent needs 5 s to end.
    ("RT-10", Plays(Story {
        set: &["horizon=70s"],
        lines: ON_H1,
        does: &[("6.5s", GRACEFUL)],
        files: &[("out", "h1 h3\n")],
        of: &["h1", "h1 agent"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "6.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "60.300 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "60.300 h1 agent: SHUTDOWN",
            "65.300 h1 agent: EXIT",
        ],
        counters: "A1 D2",
    })),
    // 3.6: the master stands on h1 from 2.5 s, GRACEFUL comes at 2.7 s, and the beat at 3 s tells of it for the first
    // time. Path A counts it, path B finds no application yet but the scheduler's master: the node stays.
    ("RT-11", Plays(Story {
        set: &["horizon=70s"],
        lines: ON_H1,
        does: &[("2.7s", GRACEFUL)],
        files: &[("out", "h1 h3\n")],
        of: &["h1", "h1 drain", "h3"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "2.700 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "60.300 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "3.000 h1 drain: STATUS NONE>WAIT_CONTAINER",
            "60.300 h1 drain: STATUS WAIT_CONTAINER>READY",
            "0.000 h3: STARTED NEW>RUNNING",
            "2.700 h3: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "3.000 h3: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready",
        ],
        counters: "A1 D2",
    })),
    // 6.2: the client asks the resource manager each second. The drain begins with the beat at 21 s and has 600 s,
    // which have passed at the beat of 621 s; until then the client was told of h1, and at 621.5 s, before its own
    // 605 s are over, of nothing. An agent at work needs 17 s to end, so the story goes on until 640 s.
    ("RT-48", Plays(Story {
        set: &["horizon=640s"],
        lines: "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\n\
                master = \"unmanaged\"\nends = \"700s\"\n\
                [[app.task]]\nhost = \"h1\"\nrun = \"700s\"\n",
        does: &[("20.5s", TRACKED)],
        files: &[("out", "h1\n")],
        of: &["h1", "administrator"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "20.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "621.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
            "20.500 administrator: REFRESH_NODES_GRACEFUL",
            "621.500 administrator: CLIENT_DONE",
        ],
        counters: "A2 D1",
    })),
    // 7.5: nothing of the drain outlives the failover. h1's beat at 21 s finds nobody; it looks again 30 s later and is
    // sent away, with an application there that takes 17 s.
    ("RT-57", Plays(Story {
        lines: UNMANAGED,
        does: &[
            ("15.5s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "never" }"#),
            ("20.5s", "rm_failover = true"),
        ],
        files: &[("out", "h1\n")],
        of: &["h1", "h1 agent", "work/1"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "15.500 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "20.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=failover",
            "51.000 h1 agent: SHUTDOWN",
            "68.000 h1 agent: EXIT",
            "10.600 work/1: ASK >NEW cores=1",
            "10.600 work/1: ALLOCATE NEW>ALLOCATED node=h1",
            "11.600 work/1: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "12.000 work/1: LAUNCHED ACQUIRED>RUNNING node=h1",
            "20.500 work/1: KILL RUNNING>KILLED node=h1 exit=-100",
        ],
        counters: "A2 D1",
        ..STORY
    })),
    // 3.6, R3: the drain begins with the beat at 100 s, and its 20 s have passed at 120 s, which is a beat too; so
    // h1 is silent from 119.6 s to 120.4 s, and the first beat from then on is that of the container's end at 120.5
    // s. Its report is not looked at.
    ("RT-60", Plays(Story {
        lines: UNMANAGED,
        does: &[
            ("99.6s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "20s" }"#),
            ("119.6s", r#"node_silence = { node = "h1", span = "800ms" }"#),
        ],
        files: &[("out", "h1\n")],
        of: &["h1", "h1 agent", "work/1"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "99.600 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "120.500 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=timeout",
            "119.600 h1 agent: SILENCE",
            "120.400 h1 agent: HEARD",
            "120.500 h1 agent: SHUTDOWN",
            "137.500 h1 agent: EXIT",
            "10.600 work/1: ASK >NEW cores=1",
            "10.600 work/1: ALLOCATE NEW>ALLOCATED node=h1",
            "11.600 work/1: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "12.000 work/1: LAUNCHED ACQUIRED>RUNNING node=h1",
            "120.500 work/1: KILL RUNNING>KILLED node=h1 exit=-100",
        ],
        counters: "A2 D1",
        ..STORY
    })),
    // 3.6, R1: launched at 11.6 s, GRACEFUL at 11.8 s, first told of at 12 s. Path A says WAIT_CONTAINER; path B
    // knows of no application on h1 yet and of no master, and takes the node. Its agent hears so at its next beat.
    ("RT-61", Plays(Story {
        lines: UNMANAGED,
        does: &[("11.8s", r#"refresh_nodes = { exclude = "out", graceful = true, timeout = "1h" }"#)],
        files: &[("out", "h1\n")],
        of: &["h1", "h1 agent", "work/1"],
        told: &[
            "0.000 h1: STARTED NEW>RUNNING",
            "11.800 h1: GRACEFUL_DECOMMISSION RUNNING>DECOMMISSIONING",
            "12.000 h1: STATUS_UPDATE DECOMMISSIONING>DECOMMISSIONED cause=ready",
            "13.000 h1 agent: SHUTDOWN",
            "30.000 h1 agent: EXIT",
            "10.600 work/1: ASK >NEW cores=1",
            "10.600 work/1: ALLOCATE NEW>ALLOCATED node=h1",
            "11.600 work/1: ACQUIRE ALLOCATED>ACQUIRED node=h1",
            "12.000 work/1: KILL ACQUIRED>KILLED node=h1 exit=-100",
        ],
        counters: "A2 D1",
        ..STORY
    })),
];
