//! The status of draining nodes as the watcher's polls find it (yarn.md 3.5): a story worked out by hand, and the file.

use crate::support::hosts::{STAGE, at, play_with};
use crate::support::scratch::Scratch;

/// An application that launches a container of 10 s on h1 and one that outlives the story on h2 at 3.5 s.
const WORK: &str = "[scheduler]\ntrigger = \"async\"\n[[app]]\nname = \"work\"\nlaunch = \"0s\"\n\
                    submit = \"1.5s\"\nmaster = \"unmanaged\"\nends = \"10m\"\n\
                    [[app.task]]\nhost = \"h1\"\nrun = \"10s\"\n[[app.task]]\nhost = \"h2\"\nrun = \"10m\"\n";
/// h1 may drain for ever, h2 for 30 s, and h3 as long as the request says.
const OUT: &str = "<hosts><host><name>h1</name><timeout>-1</timeout></host>\
                   <host><name>h2</name><timeout>30</timeout></host><host><name>h3</name></host></hosts>";
const DRAIN: &str = "refresh_nodes = { exclude = \"out.xml\", graceful = true, timeout = \"1h\" }";

/// Drains begin with the beats at 6 s; h3 is READY there and gone before any poll. At 20 s h1 waits for its
/// application, whose container ended at 13.5 s, so that it was heard at 19.5 s; h2 has 16 of its 30 s left. Those are
/// over at 36 s, so the poll of 40 s finds h1 alone.
const EXPECTED: [&str; 6] = [
    "20.000 h1                                   14s fresh:  0s containers: 0       WAIT_APP timeout:  -1s",
    "  work RUNNING   app  50%    18s",
    "20.000 h2                                   14s fresh:  0s containers: 1 WAIT_CONTAINER timeout:  16s",
    "  work RUNNING   app  50%    18s",
    "40.000 h1                                   34s fresh:  0s containers: 0       WAIT_APP timeout:  -1s",
    "  work RUNNING   app  50%    38s",
];

#[test]
fn each_poll_finds_each_draining_node() {
    let lines = [WORK, &at("5.5s", DRAIN)].concat();
    let told = |log| play_with(&["horizon=50s", log], &lines, &[("out.xml", OUT)]);
    let on = told("decommission.status_log=true");
    assert_eq!(on.status_log().lines().collect::<Vec<_>>(), EXPECTED);
    let off = told("decommission.status_log=false");
    assert_eq!(off.status_log(), "");
    assert_eq!(on.of("h2"), off.of("h2"), "the log changes nothing");
}

#[test]
fn an_application_that_is_first_reported_by_a_draining_node_is_in_the_next_report() {
    // The container is launched at 3.5 s, GRACEFUL comes at 3.7 s, and h2 tells of it at 4 s, when it is not yet in the
    // list that the watcher is given (3.6); the beat at 5 s has it, before the poll of 5.5 s.
    let race = "decommission.first_report_race=fixed";
    let set = ["horizon=10s", "decommission.status_log=true", "decommission.poll=5500ms", race];
    let told = play_with(&set, &[WORK, &at("3.7s", DRAIN)].concat(), &[("out.xml", OUT)]);
    assert_eq!(
        told.status_log().lines().skip(2).collect::<Vec<_>>(),
        [
            "5.500 h2                                    1s fresh:  0s containers: 1 WAIT_CONTAINER timeout:  28s",
            "  work RUNNING   app   0%     4s",
        ]
    );
}

#[test]
fn the_log_is_a_file_of_the_results_if_it_is_asked_for() {
    let scratch = Scratch::new();
    scratch.write("out.xml", OUT);
    scratch.write("s.toml", [STAGE, WORK, &at("5.5s", DRAIN)].concat());
    let run = |log: &str| {
        let run = ["run", "s.toml", "--out", "o", "-q", "--set", "horizon=50s", "--set", log];
        scratch.ebbtide(&run).expect(0, &[]);
        scratch.names().contains(&"o/decommissioning.log".to_owned())
    };
    assert!(run("decommission.status_log=true"));
    assert_eq!(scratch.text("o/decommissioning.log").lines().collect::<Vec<_>>(), EXPECTED);
    assert!(!run("decommission.status_log=false"), "that of an older run is replaced by none");
}
