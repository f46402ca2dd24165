//! The cases of yarn.md 10.5, the administrator's command line, as far as a scenario has what they are about.

use crate::support::hosts::{STAGE, at, play};
use crate::support::scratch::Scratch;

/// A row of 10.5 here.
enum Case {
    /// These lines are played. The administrator's rows, and the last one of h1.
    Plays(&'static str, &'static [&'static str], &'static str),
    /// A request like this is refused before anything runs, with these words.
    Refused(&'static str, &'static [&'static str]),
    /// There is nothing like it in a scenario, and why.
    NotHere(&'static str),
}

use Case::{NotHere, Plays, Refused};

const H1_STARTED: &str = "0.000 h1: STARTED NEW>RUNNING";

/// h1 is dead when it is asked to go at 5.3 s, so it drains until somebody forces it. The client asks at 6.3 s and then
/// each second (6.2).
const DEAD: &str = "[[at]]\ntime = \"4.5s\"\nnode_crash = \"h1\"\n";
/// h1 is not heard from 4.5 s to 9.2 s, so the beat that ends its drain is that at 10 s: it drains at the four polls
/// from 6.3 s to 9.3 s, and no more at the fifth.
const SILENT: &str = "[[at]]\ntime = \"4.5s\"\nnode_silence = { node = \"h1\", span = \"4.7s\" }\n";
const AFTER_FOUR_POLLS: &[&str] = &[
    "4.500 administrator: NODE_SILENCE",
    "5.300 administrator: REFRESH_NODES_GRACEFUL",
    "10.300 administrator: CLIENT_DONE",
];
const READY: &str = "10.000 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=ready";

/// (id, what comes before, the request at 5.3 s, what follows).
const CASES: [(&str, &str, Case); 10] = [
    ("CL-01", "", Plays("exclude = \"nobody\"", &["5.300 administrator: REFRESH_NODES"], H1_STARTED)),
    (
        "CL-02",
        "",
        Plays(
            "exclude = \"nobody\", graceful = true, timeout = \"1s\", tracking = \"client\"",
            &["5.300 administrator: REFRESH_NODES_GRACEFUL", "6.300 administrator: CLIENT_DONE"],
            H1_STARTED,
        ),
    ),
    (
        "CL-03",
        DEAD,
        // Six polls: w goes from 0 to 1 + 5.
        Plays(
            "exclude = \"out\", graceful = true, timeout = \"1s\", tracking = \"client\"",
            &[
                "4.500 administrator: NODE_CRASH",
                "5.300 administrator: REFRESH_NODES_GRACEFUL",
                "11.300 administrator: CLIENT_FORCES",
            ],
            "11.300 h1: DECOMMISSION DECOMMISSIONING>DECOMMISSIONED cause=forced",
        ),
    ),
    (
        "CL-04",
        SILENT,
        Plays(
            "exclude = \"out\", graceful = true, timeout = \"never\", tracking = \"client\"",
            AFTER_FOUR_POLLS,
            READY,
        ),
    ),
    // Without a number the client waits for ever; the request itself takes the configured default here, which
    // the test sets to never, since rmadmin always sends a number (0.2).
    (
        "CL-05",
        SILENT,
        Plays("exclude = \"out\", graceful = true, tracking = \"client\"", AFTER_FOUR_POLLS, READY),
    ),
    (
        "CL-06",
        "",
        NotHere("-gTEXT without a blank is a way to spell -g TEXT, whose outcome is that of CL-07"),
    ),
    (
        "CL-07",
        "",
        Refused(
            "graceful = true, timeout = \"invalid\", tracking = \"client\"",
            &["`at.1.refresh_nodes`: ", "\"invalid\"", "durations are written like"],
        ),
    ),
    (
        "CL-08",
        "",
        Refused(
            "graceful = true, timeout = \"-1000s\", tracking = \"client\"",
            &["`at.1.refresh_nodes`: ", "\"-1000s\"", "durations are written like"],
        ),
    ),
    (
        "CL-09",
        "",
        Refused(
            "graceful = true, timeout = \"1s\", foo = true",
            &["`at.1.refresh_nodes`: `foo` is no part of it", "the parts are include, exclude, graceful"],
        ),
    ),
    (
        "CL-10",
        "",
        NotHere("the usage error is rmadmin's own: a scenario without `tracking` means the server's"),
    ),
];

#[test]
fn conformance_cases_of_the_command_line() {
    for (id, before, case) in CASES {
        match case {
            Plays(request, administrator, h1) => {
                let request = at("5.3s", &format!("refresh_nodes = {{ {request} }}"));
                let lines = format!("{before}{request}[decommission]\ntimeout = \"never\"\n");
                let told = play(&lines, &[("nobody", ""), ("out", "h1\n")]);
                assert_eq!(told.of("administrator"), administrator, "{id}");
                assert_eq!(told.of("lists")[0], "5.300 lists: REFRESH outcome=applied", "{id}");
                assert_eq!(told.of("h1").last(), Some(&h1), "{id}");
            }
            Refused(request, words) => {
                let scratch = Scratch::new();
                let request = at("5.3s", &format!("refresh_nodes = {{ {request} }}"));
                scratch.write("s.toml", format!("{STAGE}{request}"));
                scratch.ebbtide(&["run", "s.toml"]).expect(2, words);
                assert_eq!(scratch.names(), ["s.toml"], "{id}");
            }
            NotHere(reason) => assert!(!reason.is_empty(), "{id}"),
        }
    }
    let ids: Vec<String> = (1..=10).map(|number| format!("CL-{number:02}")).collect();
    assert_eq!(CASES.map(|(id, ..)| id).to_vec(), ids);
}
