//! Hosts files of a scenario with something wrong in them: what the real system makes of it happens in the simulation
//! (sections are of yarn.md), and the command says so before it plays.

use crate::support::hosts::{STAGE, at};
use crate::support::scratch::{Said, Scratch};

/// A hosts file: its name, empty if there is none, and its text.
type File = (&'static str, &'static str);

/// A run of the stage with more lines in a folder with these hosts files.
fn run(lines: &str, files: &[(&str, &str)]) -> (Scratch, Said) {
    let scratch = Scratch::new();
    for (name, text) in files {
        scratch.write(name, text);
    }
    scratch.write("s.toml", format!("{STAGE}{lines}"));
    let said = scratch.ebbtide(&["run", "s.toml", "--out", "o"]);
    (scratch, said)
}

/// The rows of the run's `events.csv` about `subject`, each as `time event to detail`.
fn events(scratch: &Scratch, subject: &str) -> Vec<String> {
    let text = scratch.text("o/events.csv");
    let rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let told = rows.filter(|row| row[2] == subject).map(|row| [row[0], row[3], row[5], row[6]].join(" "));
    told.map(|row| row.trim_end().to_owned()).collect()
}

const EMPTY: &str = "outcome=empty_lists";
const FAILED: &str = "outcome=request_failed";
const GOES_ON: &str = "note: the resource manager goes on with empty lists";
const FAILS: &str = "note: the request fails, and the lists stay as they were";

#[test]
fn a_file_that_cannot_be_read_in_a_refresh_is_taken_as_the_real_system_takes_it() {
    // (file, text, plain outcome, graceful outcome, words of the warning): 4.5, 5.3, 5.4.
    let rows: [(&str, Option<&str>, [&str; 2], &str); 6] = [
        ("gone.xml", None, [EMPTY, FAILED], "there is no file \"gone.xml\""),
        ("bad.xml", Some("<hosts>\n<host></hosts>"), [FAILED; 2], "bad.xml:2:7: this is no well-formed XML"),
        (
            "bad.xml",
            Some("<r><host><timeout>1h</timeout></host></r>"),
            [FAILED; 2],
            "bad.xml:1:19: the timeout \"1h\" is no whole number of seconds",
        ),
        (
            "bad.xml",
            Some("<r><host><timeout>2147483648</timeout></host></r>"),
            [FAILED; 2],
            "bad.xml:1:19: the timeout \"2147483648\" is out of range",
        ),
        (
            "bad.xml",
            Some("<r>\n<host><timeout> 60 </timeout></host></r>"),
            [FAILED; 2],
            "bad.xml:2:16: the timeout \" 60 \" has blanks around the number",
        ),
        ("bad.xml", Some("<!DOCTYPE r><r/>"), [FAILED; 2], "bad.xml:1:1: a DOCTYPE is refused"),
    ];
    for (file, text, outcomes, words) in rows {
        for (more, outcome) in ["", ", graceful = true"].into_iter().zip(outcomes) {
            // h3 is put on the list at 2 s and has gone by 4 s, when the list is exchanged for the bad one. At 6 s its
            // agent is started again, and h3 is in service if it is on the list no more.
            let lines = [
                at("2s", "refresh_nodes = { exclude = \"good\" }"),
                at("4s", &format!("refresh_nodes = {{ exclude = \"{file}\"{more} }}")),
                at("6s", "node_start = \"h3\""),
            ];
            let mut files = vec![("good", "h3")];
            files.extend(text.map(|text| (file, text)));
            let (scratch, said) = run(&lines.concat(), &files);
            let (note, comes_back) = if outcome == EMPTY { (GOES_ON, true) } else { (FAILS, false) };
            let said = said.expect(0, &["warning: `at.2.refresh_nodes`: ", words, note]);
            assert_eq!(said.err.matches("warning: ").count(), 1, "{}", said.err);
            let lists = events(&scratch, "lists");
            assert_eq!(
                lists,
                ["2.000 REFRESH  outcome=applied", &format!("4.000 REFRESH  {outcome}")],
                "{words}"
            );
            let in_service = events(&scratch, "h3").contains(&"6.000 STARTED RUNNING".to_owned());
            assert_eq!(in_service, comes_back, "{words}{more}");
        }
    }
}

#[test]
fn a_request_that_fails_leaves_the_paths_too() {
    // The refresh at 6 s names no file, so that of 2 s is read again, and not the one that failed at 4 s: h3, whose
    // agent is started at 7 s, stays out.
    let lines = [
        at("2s", "refresh_nodes = { exclude = \"good\" }"),
        at("4s", "refresh_nodes = { exclude = \"bad.xml\" }"),
        at("6s", "refresh_nodes = {}"),
        at("7s", "node_start = \"h3\""),
    ];
    let (scratch, said) = run(&lines.concat(), &[("good", "h3"), ("bad.xml", "<r>")]);
    let said = said.expect(0, &["`at.2.refresh_nodes`: bad.xml:1:4: "]);
    assert_eq!(said.err.matches("warning: ").count(), 1, "{}", said.err);
    assert_eq!(events(&scratch, "lists")[2], "6.000 REFRESH  outcome=applied");
    assert!(!events(&scratch, "h3").contains(&"7.000 STARTED RUNNING".to_owned()));
}

#[test]
fn a_file_of_the_start_is_missing_with_a_warning_and_malformed_with_an_error() {
    // 4.2: without the files everybody is in service.
    let (scratch, said) = run("[lists]\ninclude = \"in\"\nexclude = \"out.xml\"\n", &[]);
    said.expect(
        0,
        &["`lists.include`: there is no file \"in\"", "`lists.exclude`: there is no file", GOES_ON],
    );
    for host in ["h1", "h2", "h3"] {
        assert_eq!(events(&scratch, host), ["0.000 STARTED RUNNING"]);
    }
    // 4.2: the resource manager does not start.
    for (text, words) in [
        ("<hosts>\n<host></hosts>", "out.xml:2:7: this is no well-formed XML"),
        ("<r><host><timeout/></host></r>", "out.xml:1:10: the timeout \"\""),
        ("<r><host><timeout> 60</timeout></host></r>", "out.xml:1:19: the timeout \" 60\" has blanks"),
    ] {
        let (scratch, said) = run("[lists]\nexclude = \"out.xml\"\n", &[("out.xml", text)]);
        let words =
            ["error: `lists.exclude`: ", words, "s.toml:", "note: the resource manager does not start"];
        said.expect(2, &words);
        assert_eq!(scratch.names(), ["out.xml", "s.toml"]);
    }
}

const MARKUP: &str = "<r><host><name>h1</name></host></r>";
const TWICE: &str =
    "<r><host><name>h1,h1</name><timeout>60</timeout></host>\n<host><name>h1</name></host></r>";
/// (include, exclude, who leaves at the plain refresh at 2 s, words of warnings): 5.1 to 5.4, 4.1, 0.7.
const ODD: [(File, File, &[&str], &[&str]); 10] = [
    (("", ""), ("ex", "h1 # h2\nh3"), &["h1 DECOMMISSIONED", "h3 DECOMMISSIONED"], &[]),
    (("", ""), ("ex", "h2 h1:8041"), &["h2 DECOMMISSIONED"], &["ex:1:4: \"h1:8041\" is taken as a name"]),
    (
        ("in.xml", MARKUP),
        ("", ""),
        &["h1 SHUTDOWN", "h2 SHUTDOWN", "h3 SHUTDOWN"],
        &[
            "in.xml:1:1: this file is read as plain text",
            "in.xml:1:1: \"h1\" of the cluster is on no list",
            "in.xml:1:1: \"h2\" of the cluster is on no list",
            "in.xml:1:1: \"h3\" of the cluster is on no list",
        ],
    ),
    (
        ("", ""),
        ("ex.xml", TWICE),
        &["h1 DECOMMISSIONED"],
        &[
            "ex.xml:1:19: \"h1\" stands at 1:16 already and counts once",
            "ex.xml:2:13: \"h1\" stands at 1:19 already, with the timeout 60 s; the last one wins",
        ],
    ),
    (
        ("in", "h1 h2\nh3"),
        ("ex", "h3"),
        &["h3 DECOMMISSIONED"],
        &["ex:1:1: \"h3\" stands in the include file too, at in:2:1"],
    ),
    (("", ""), ("ex", "h4"), &[], &["ex:1:1: no host of the cluster is called \"h4\""]),
    (("in", "h1 h3 node-7"), ("", ""), &["h2 SHUTDOWN"], &["in:1:1: \"h2\" of the cluster is on no list"]),
    (
        ("", ""),
        ("ex", "\u{feff}h1 h2"),
        &["h2 DECOMMISSIONED"],
        &["ex:1:1: the byte order mark becomes a part of the name"],
    ),
    (
        ("", ""),
        ("ex.xml", "<r><host><name>h1,,h2</name></host></r>"),
        &["h1 DECOMMISSIONED", "h2 DECOMMISSIONED"],
        &["ex.xml:1:18: two commas in a row"],
    ),
    (("", ""), ("ex", "h1,h2"), &[], &["ex:1:1: ',' does not separate names here"]),
];

#[test]
fn what_is_odd_in_a_file_is_warned_of_and_taken_letter_by_letter() {
    for ((include, in_text), (exclude, ex_text), leave, warnings) in ODD {
        let files: Vec<_> = [(include, in_text), (exclude, ex_text)]
            .into_iter()
            .filter(|(name, _)| !name.is_empty())
            .collect();
        let named =
            |key, name: &str| if name.is_empty() { String::new() } else { format!("{key} = \"{name}\",") };
        let paths = [named("include", include), named("exclude", exclude)].concat();
        let refresh = at("2s", &format!("refresh_nodes = {{ {} }}", paths.trim_end_matches(',')));
        let (scratch, said) = run(&refresh, &files);
        let said = said.expect(0, warnings);
        assert_eq!(
            said.err.matches("warning: `at.1.refresh_nodes`: ").count(),
            warnings.len(),
            "{}",
            said.err
        );
        let mut left = Vec::new();
        for host in ["h1", "h2", "h3"] {
            for row in events(&scratch, host).iter().filter(|row| row.starts_with("2.000 ")) {
                left.push(format!("{host} {}", row.split(' ').nth(2).unwrap()));
            }
        }
        assert_eq!(left, leave, "{in_text:?} {ex_text:?}");
    }
}

#[test]
fn what_was_told_once_is_not_told_again() {
    // The file of the start is read again at 2 s, and with an include file at 3 s, where one thing is new.
    let lines = [
        "[lists]\nexclude = \"ex\"\n".to_owned(),
        at("3s", "refresh_nodes = { include = \"in\" }"),
        at("2s", "refresh_nodes = {}"),
    ];
    let (_scratch, said) = run(&lines.concat(), &[("ex", "h4 h1"), ("in", "h1 h2 h3")]);
    let said = said.expect(
        0,
        &[
            "`lists.exclude`: ex:1:1: no host",
            "`at.1.refresh_nodes`: ex:1:4: \"h1\" stands in the include file",
        ],
    );
    assert_eq!(said.err.matches("warning: ").count(), 2, "{}", said.err);
}
