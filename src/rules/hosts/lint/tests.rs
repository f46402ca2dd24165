//! What surprises, where, and what the messages say of it.

use super::*;

/// The warnings about an include and an exclude file, both given as (path, text).
fn warnings(
    (in_path, in_text): (&str, &str),
    (ex_path, ex_text): (&str, &str),
    cluster: Option<&[&str]>,
) -> Vec<String> {
    let include = ListFile::include(in_path, in_text);
    let exclude = ListFile::exclude(ex_path, ex_text).expect("the exclude file is well formed");
    let cluster = cluster.map(|names| Cluster {
        hosts: names.iter().map(ToString::to_string).collect(),
        may_join: |name| name == "late",
    });
    let found = lint(&[include], &[exclude], cluster.as_ref());
    found.iter().map(Warning::to_string).collect()
}

/// Whether the warnings begin and go on as expected.
fn assert_warnings(found: &[String], expected: &[(&str, &str)], about: &str) {
    let same = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(found, (begin, part))| found.starts_with(begin) && found.contains(part));
    assert!(same, "{about}\n{found:#?}");
}

#[test]
fn names_that_match_no_host_are_told() {
    // (text of a plain exclude file, what each warning begins with and what it names).
    let cases: [(&str, &[(&str, &str)]); 15] = [
        ("h1 node-2.example.com 10.0.0.1 fe80::1", &[]),
        ("h1\n h1:123", &[("ex:2:2: \"h1:123\" is taken as a name", "write \"h1\"")]),
        ("[fe80::1]:80", &[("ex:1:1: ", "write \"[fe80::1]\"")]),
        ("h1: :80x", &[]),
        (
            "node* h?",
            &[("ex:1:1: \"node*\"", "name every host"), ("ex:1:7: \"h?\"", "neither patterns nor ranges")],
        ),
        ("10.0.0.0/8 n[1-5]", &[("ex:1:1: \"10.0.0.0/8\"", "ranges"), ("ex:1:12: \"n[1-5]\"", "ranges")]),
        ("H1", &[("ex:1:1: upper and lower case differ, so \"H1\"", "as the host does")]),
        ("\u{feff}h1", &[("ex:1:1: the byte order mark", "UTF-8 without it")]),
        ("\u{feff}# h1\nh2", &[("ex:1:1: the byte order mark", "begins no comment")]),
        ("h1\x0bh2", &[("ex:1:1: '\\u{b}' does not separate", "one name")]),
        ("h1\u{a0}h2", &[("ex:1:1: '\\u{a0}' does not separate", "one name")]),
        ("h1,h2;h3", &[("ex:1:1: ',' does not separate", "\"h1,h2;h3\" is one name")]),
        ("h1#old", &[("ex:1:1: \"#\" begins a comment only", "put a blank before")]),
        ("h1 h1 h1", &[("ex:1:4: \"h1\" stands at 1:1 already", "counts once"), ("ex:1:7: ", "at 1:4")]),
        ("<host> <x>", &[("ex:1:1: this file is read as plain text, so that \"<host>\"", "ends in .xml")]),
    ];
    for (text, expected) in cases {
        assert_warnings(&warnings(("", ""), ("ex", text), None), expected, text);
    }
}

#[test]
fn xml_names_and_timeouts() {
    let text = "<r><host><name>h1 h2,,h3</name><timeout>60</timeout></host>\n<host><name>h3\n,h4</name></host>\n\
                <host><name>h4</name><timeout>-1</timeout></host></r>";
    let expected = [
        ("ex.xml:1:16: ' ' does not separate", "put commas or line ends"),
        ("ex.xml:1:21: two commas", "empty name"),
        ("ex.xml:2:13: \"h3\" stands at 1:23 already, with the timeout 60 s", "has no timeout of its own"),
        ("ex.xml:4:13: \"h4\" stands at 3:2 already, with no timeout", "has the timeout -1 (no limit)"),
    ];
    let found = warnings(("", ""), ("ex.xml", text), None);
    assert_warnings(&found, &expected, text);

    // An empty name is told where its commas begin, here at 17 and 20, and is no host that stands there twice. A byte
    // order mark is no part of a name in XML (yarn.md 5.2, 5.3).
    let text = "\u{feff}<r><host><name>,h1,,h2</name></host></r>";
    let expected =
        [("ex.xml:1:17: two commas in a row, or one in front", "remove a comma"), ("ex.xml:1:20: two", "")];
    assert_warnings(&warnings(("", ""), ("ex.xml", text), None), &expected, text);
}

#[test]
fn an_include_file_is_never_xml() {
    let found = warnings(("in.XML", "# hosts\n<host>\n<host>H1"), ("", ""), None);
    assert_warnings(&found, &[("in.XML:2:1: ", "bare names")], "markup");
    let found = warnings(("in.xml", "h1 h2:1"), ("", ""), None);
    assert_warnings(
        &found,
        &[("in.xml:1:1: this file is read", "bare names"), ("in.xml:1:4: ", "port")],
        "bare",
    );
}

#[test]
fn the_lists_together_and_the_cluster() {
    let found = warnings(("in", "h1\nh2"), ("ex", "h3 h2"), None);
    let expected = [("ex:1:4: \"h2\" stands in the include file too, at in:2:1", "the exclude file wins")];
    assert_warnings(&found, &expected, "both");

    // A name of the cluster is right, however it looks; what is odd is told rather than that it is not there.
    let found = warnings(("in", "H1 h2:1 late"), ("ex", "h3 h4:1 H5"), Some(&["H1", "h2"]));
    let expected = [
        ("in:1:4: ", "write \"h2\""),
        // yarn.md 0.7: h2 is on no list, since "h2:1" is another host.
        ("in:1:1: \"h2\" of the cluster is on no list", "may not be in service"),
        ("ex:1:1: no host of the cluster is called \"h3\"", "correct or remove it"),
        ("ex:1:4: ", "write \"h4\""),
        ("ex:1:9: upper and lower case differ", "H5"),
    ];
    assert_warnings(&found, &expected, "cluster");

    // Without a name in the include file nobody is left out; what is excluded is on a list.
    assert_warnings(&warnings(("in", "# none"), ("ex", "h1"), Some(&["h1", "h2"])), &[], "empty include");
    let found = warnings(("in", "h1"), ("ex", "h2"), Some(&["h1", "h2"]));
    assert_warnings(&found, &[], "one list each");
}

#[test]
fn several_files_are_looked_at_side_by_side() {
    let plain = |path, text| ListFile::include(path, text);
    let includes = [plain("in1", "h1"), plain("in2", "h2\nh3")];
    let found = lint(&includes, &[plain("ex1", "h3"), plain("ex2", "h4 h1")], None);
    let found: Vec<String> = found.iter().map(Warning::to_string).collect();
    let expected = [
        ("ex1:1:1: \"h3\" stands in the include file too, at in2:2:1", ""),
        ("ex2:1:4: \"h1\" stands in the include file too, at in1:1:1", ""),
    ];
    assert_warnings(&found, &expected, "two and two");
}
