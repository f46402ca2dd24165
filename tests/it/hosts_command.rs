//! `ebbtide hosts` as its users meet it (sections are of yarn.md).

use crate::support::hosts::STAGE;
use crate::support::scratch::Scratch;

const XML: &str = "<hosts>
<host><name>h1</name></host>
<host><name>h2</name><timeout>123</timeout></host>
<host><name>host4, host5</name><timeout>-1</timeout></host>
</hosts>
";

fn with(files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    for (name, text) in files {
        scratch.write(name, text);
    }
    scratch
}

#[test]
fn entries_are_listed_with_their_places_and_timeouts() {
    // 5.1: the extension of an exclude file decides, in any case; an include file is plain. 5.2, 5.3.
    let scratch = with(&[("X.XML", XML), ("plain", "h7 # h8\n\th9:80\n"), ("in", "h1\n")]);
    let before = scratch.names();
    let said = scratch.ebbtide(&["hosts", "X.XML", "plain", "--include", "in"]).expect(0, &[]);
    let expected = "\
in: include file, entries: 1
  1:1  \"h1\"  no timeout of its own
X.XML: exclude file, entries: 4
  2:13  \"h1\"     no timeout of its own
  3:13  \"h2\"     the timeout 123 s
  4:13  \"host4\"  the timeout -1 (no limit)
  4:20  \"host5\"  the timeout -1 (no limit)
plain: exclude file, entries: 2
  1:1  \"h7\"     no timeout of its own
  2:2  \"h9:80\"  no timeout of its own
";
    assert_eq!(said.out, expected);
    assert_eq!(scratch.names(), before);
}

#[test]
fn json_is_one_object_even_if_some_files_are_wrong() {
    let scratch = with(&[("x.xml", XML), ("bad.xml", "<r>")]);
    let said = scratch.ebbtide(&["hosts", "--json", "bad.xml", "x.xml"]).expect(2, &["error: bad.xml:1:4: "]);
    let object: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(object["schema"], 1);
    assert_eq!(object["files"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&object["files"][0]["path"], &object["files"][0]["list"]),
        (&"x.xml".into(), &"exclude".into())
    );
    let entries = &object["files"][0]["entries"];
    let host5 = serde_json::json!({ "name": "host5", "timeout_s": -1, "line": 4, "column": 20 });
    assert_eq!((&entries[0]["timeout_s"], &entries[3]), (&serde_json::Value::Null, &host5));
}

#[test]
fn all_files_are_looked_at_and_every_error_is_told() {
    let timeouts = "<r><host><name>h1</name><timeout> 60 </timeout></host>\n\
                    <host><timeout>9999999999</timeout></host></r>";
    let scratch = with(&[("1.xml", timeouts), ("2.xml", "<hosts>\n<host></hosts>"), ("good", "h1")]);
    scratch.write("latin1", b"h\xe9");
    let said = scratch
        .ebbtide(&["hosts", "1.xml", "gone", "2.xml", "latin1", "good", "--include", "gone.xml"])
        .expect(2, &[]);
    // HF-04: both are missing. 5.4: the others.
    let expected = [
        "error: gone.xml: there is no such file: correct the path",
        "error: 1.xml:1:34: the timeout \" 60 \" has blanks around the number, which is refused: write \"60\"",
        "error: 1.xml:2:16: the timeout \"9999999999\" is out of range: write -2147483648 to 2147483647 seconds",
        "error: gone: there is no such file: correct the path",
        "error: 2.xml:2:7: this is no well-formed XML: ",
        "error: latin1: the file cannot be read: byte 1 is not UTF-8; a hosts file is UTF-8 text",
    ];
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{}", said.err);
    for (line, begin) in lines.iter().zip(expected) {
        assert!(line.starts_with(begin), "no {begin:?} in:\n{}", said.err);
    }
    assert_eq!(said.out, "good: exclude file, entries: 1\n  1:1  \"h1\"  no timeout of its own\n");
    let quiet = scratch.ebbtide(&["hosts", "-q", "2.xml", "good"]).expect(2, &["error: 2.xml:2:7: "]);
    assert_eq!((quiet.out.as_str(), quiet.err.lines().count()), ("", 1));
}

#[test]
fn what_yarn_takes_without_a_word_is_warned_of_with_its_place() {
    // (arguments, beginnings of the warnings): 5.4, with the stage's h1, h2 and h3 for a cluster.
    let rows: [(&[&str], &[&str]); 5] = [
        (&["clean", "--include", "all"], &["clean:1:1: \"h1\" stands in the include file too, at all:1:1"]),
        (
            &["odd", "--include", "in.xml"],
            &[
                "in.xml:1:1: this file is read as plain text: XML is known for the exclude file only",
                "odd:1:1: the byte order mark becomes a part of the name",
                "odd:1:5: \"h2:80\" is taken as a name, with its port",
                "odd:2:1: \"h3\" stands in the include file too, at in.xml:1:4",
                "odd:2:4: \"h3\" stands at 2:1 already and counts once",
                "odd:2:4: \"h3\" stands in the include file too, at in.xml:1:4",
            ],
        ),
        (
            &["odd.xml"],
            &[
                "odd.xml:1:18: two commas in a row, or one in front, make an entry with an empty name",
                "odd.xml:2:13: \"h1\" stands at 1:16 already, with the timeout 60 s; the last one wins, which has no",
            ],
        ),
        (
            &["--include", "in.xml", "--scenario", "s.toml"],
            &[
                "in.xml:1:1: this file is read as plain text",
                "in.xml:1:7: no host of the cluster is called \"h4\", so this has no effect",
                "in.xml:1:1: \"h1\" of the cluster is on no list, and with an include list that is not empty",
            ],
        ),
        (&["clean", "--scenario", "s.toml"], &["clean:1:4: no host of the cluster is called \"h9\""]),
    ];
    let odd_xml =
        "<r><host><name>h1,,h2</name><timeout>60</timeout></host>\n<host><name>h1</name></host></r>";
    let scratch = with(&[
        ("clean", "h1 h9"),
        ("all", "h1 h2 h3 h4"),
        ("in.xml", "h2 h3 h4"),
        ("odd", "\u{feff}h1 h2:80\nh3 h3"),
        ("odd.xml", odd_xml),
        ("s.toml", STAGE),
    ]);
    for (arguments, warnings) in rows {
        let all: Vec<&str> = ["hosts"].iter().chain(arguments).copied().collect();
        let said = scratch.ebbtide(&all).expect(0, &[]);
        let lines: Vec<&str> = said.err.lines().collect();
        assert_eq!(lines.len(), warnings.len(), "{}", said.err);
        for (line, begin) in lines.iter().zip(warnings) {
            assert!(line.starts_with(&format!("warning: {begin}")), "no {begin:?} in:\n{}", said.err);
        }
    }
    scratch.ebbtide(&["hosts", "clean", "--scenario", "gone.toml"]).expect(2, &["gone.toml"]);
    scratch.ebbtide(&["hosts"]).expect(2, &["<FILE>..."]);
}
