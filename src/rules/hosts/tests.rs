//! The conformance cases of yarn.md 10.1, the remarks of both grammars, and random texts.

use proptest::prelude::*;

use super::*;

/// A hosts file: its path, and its text.
type File<'a> = (&'a str, &'a str);

/// No path is configured.
const NO_PATH: File<'static> = ("", "");
// The texts of the cases below.
const HF_01: &str = "# excluded\nsomehost1\n# more\nsomehost2\nsomehost3 # host3\nsomehost4\n\
                     somehost4 somehost5\n";
const HF_02: &str = "# included\nsomehost1\n# more\nsomehost2\nsomehost3\nsomehost4 # host3\n\
                     somehost4 somehost5\n";
const HF_10: &str = "<?xml version=\"1.0\"?>
<hosts>
<host><name>h1</name></host>
<host><name>h2</name><timeout>123</timeout></host>
<host><name>h3</name><timeout>-1</timeout></host>
<host><name>10000</name></host>
<host><name>10001</name><timeout>123</timeout></host>
<host><name>10002</name><timeout>-1</timeout></host>
<host><name>host4,host5, host6</name><timeout>1800</timeout></host>
</hosts>
";
const HF_16: &str = "<hosts><host><name>h1</name><timeout> 60 </timeout></host></hosts>";
const HF_21: &str = "<hosts><host><name>h1</name><timeout>60</timeout></host></hosts>";

enum Step {
    /// A NORMAL refresh, or the first reading, of the include and the exclude file.
    Refresh(File<'static>, File<'static>),
    Lazy(File<'static>, File<'static>),
    Finish,
}

/// What is played, and what the reader then holds; or why there is nothing to play here.
enum Case {
    Plays(&'static [Step], &'static str),
    NotHere(&'static str),
}

use Case::{NotHere, Plays};
use Step::{Finish, Lazy, Refresh};

const CALLER_READS: &str =
    "no file is opened here; what a missing one leads to is tested in rules::reading, with this id";

/// (id, case). A list reads "path: names", with "name=seconds" if it has a timeout.
const CASES: [(&str, Case); 18] = [
    (
        "HF-01",
        Plays(
            &[Refresh(("in", ""), ("ex", HF_01))],
            "in: | ex: somehost1 somehost2 somehost3 somehost4 somehost5",
        ),
    ),
    (
        "HF-02",
        Plays(
            &[Refresh(("in", HF_02), ("ex", ""))],
            "in: somehost1 somehost2 somehost3 somehost4 somehost5 | ex:",
        ),
    ),
    (
        "HF-03",
        Plays(
            &[Refresh(("in", "h1"), ("ex", "h2")), Refresh(("newin", "node2"), ("newex", "node1"))],
            "newin: node2 | newex: node1",
        ),
    ),
    ("HF-04", NotHere(CALLER_READS)),
    ("HF-05", NotHere(CALLER_READS)),
    ("HF-06", Plays(&[Refresh(("in", ""), ("ex", ""))], "in: | ex:")),
    ("HF-07", Plays(&[Refresh(("in", "# included\n"), ("ex", "# excluded\n"))], "in: | ex:")),
    (
        "HF-08",
        Plays(
            &[Refresh(NO_PATH, ("ex", "#comment\n   somehost somehost2   somehost3 # somehost4\n"))],
            ": | ex: somehost somehost2 somehost3",
        ),
    ),
    (
        "HF-09",
        Plays(
            &[Refresh(
                NO_PATH,
                ("ex", "     \nsomehost \t somehost2\n somehost4   somehost3 \t # somehost5\n"),
            )],
            ": | ex: somehost somehost2 somehost3 somehost4",
        ),
    ),
    (
        "HF-10",
        Plays(
            &[Refresh(NO_PATH, ("ex.xml", HF_10))],
            ": | ex.xml: 10000 10001=123 10002=-1 h1 h2=123 h3=-1 host4=1800 host5=1800 host6=1800",
        ),
    ),
    (
        "HF-11",
        Plays(
            &[Refresh(("in", "h3\nh4"), ("ex", "h1\nh2")), Lazy(("in", ""), ("ex", "h1\nh2\nh3\nh4"))],
            "in: h3 h4 | ex: h1 h2; pending in: | ex: h1 h2 h3 h4",
        ),
    ),
    (
        "HF-12",
        Plays(
            &[
                Refresh(("in", "h3\nh4"), ("ex", "h1\nh2")),
                Lazy(("in", ""), ("ex", "h1\nh2\nh3\nh4")),
                Finish,
            ],
            "in: | ex: h1 h2 h3 h4",
        ),
    ),
    (
        "HF-13",
        Plays(
            &[Refresh(("in", "h3"), ("ex", "h1")), Finish],
            "there are no lists loaded aside to make visible: `lazy_refresh` comes before `finish_refresh`",
        ),
    ),
    ("HF-14", Plays(&[Refresh(NO_PATH, ("ex", "0.0.0.0:123"))], ": | ex: 0.0.0.0:123")),
    (
        "HF-16",
        Plays(
            &[Refresh(NO_PATH, ("ex.xml", HF_16))],
            "1:38: the timeout \" 60 \" has blanks around the number, which is refused: write \"60\"",
        ),
    ),
    ("HF-18", Plays(&[Refresh(NO_PATH, ("ex", "h1")), Refresh(NO_PATH, NO_PATH)], ": | : h1")),
    (
        "HF-19",
        Plays(
            &[Refresh(("hosts.xml", "<hosts>\n <host>\n  <name> h1 </name>"), NO_PATH)],
            "hosts.xml: </name> <host> <hosts> <name> h1 | :",
        ),
    ),
    ("HF-21", Plays(&[Refresh(NO_PATH, ("X.XML", HF_21))], ": | X.XML: h1=60")),
];

fn both((in_path, in_text): File, (ex_path, ex_text): File) -> Result<[Option<ListFile>; 2], String> {
    let include = (!in_path.is_empty()).then(|| ListFile::include(in_path, in_text));
    let exclude = (!ex_path.is_empty()).then(|| ListFile::exclude(ex_path, ex_text)).transpose();
    Ok([include, exclude.map_err(|errors| shown(&errors).join("; "))?])
}

fn play(steps: &[Step]) -> Result<HostsReader, String> {
    let mut reader = HostsReader::default();
    for step in steps {
        match *step {
            Refresh(include, exclude) => {
                let [include, exclude] = both(include, exclude)?;
                reader.refresh(include, exclude);
            }
            Lazy(include, exclude) => {
                let [include, exclude] = both(include, exclude)?;
                reader.lazy_refresh(include, exclude);
            }
            Finish => reader.finish_refresh().map_err(|error| error.to_string())?,
        }
    }
    Ok(reader)
}

fn shown<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

/// The names that hold, each behind a blank, with their timeouts.
fn names(file: &HostsFile) -> String {
    let name = |entry: &Entry| {
        let timeout = entry.timeout_s.map(|seconds| format!("={seconds}"));
        format!(" {}{}", entry.name, timeout.unwrap_or_default())
    };
    file.hosts().map(name).collect()
}

fn lists(lists: &HostLists) -> String {
    let list = |list: &ListFile| format!("{}:{}", list.path, names(&list.hosts));
    format!("{} | {}", list(&lists.include), list(&lists.exclude))
}

#[test]
fn conformance_cases_of_hosts_files() {
    for (id, case) in CASES {
        match case {
            NotHere(reason) => assert!(!reason.is_empty(), "{id}"),
            Plays(steps, expected) => {
                let found = play(steps).map(|reader| {
                    let pending = reader.pending().map(|pending| format!("; pending {}", lists(pending)));
                    lists(reader.current()) + &pending.unwrap_or_default()
                });
                assert_eq!(found.unwrap_or_else(|error| error), expected, "{id}");
            }
        }
    }
}

/// Each entry as "name@line:column".
fn placed(file: &HostsFile) -> Vec<String> {
    file.entries().iter().map(|entry| format!("{}@{}", entry.name, entry.place)).collect()
}

#[test]
fn plain_files_are_read_as_their_grammar_says() {
    // (text, entries): yarn.md 5.2.
    let cases: [(&str, &[&str]); 12] = [
        ("a b\tc\x0cd\re\nf\r\ng", &["a@1:1", "b@1:3", "c@1:5", "d@1:7", "e@1:9", "f@2:1", "g@3:1"]),
        ("a#b c #d e\nf", &["a#b@1:1", "c@1:5", "f@2:1"]),
        ("#a\rb # c\r\nd", &["b@1:4", "d@2:1"]),
        ("# a\n#\n\n \t\n", &[]),
        ("", &[]),
        ("h1:123", &["h1:123@1:1"]),
        ("H1 h1 h* 10.0.0.0/8", &["H1@1:1", "h1@1:4", "h*@1:7", "10.0.0.0/8@1:10"]),
        ("h1,h2", &["h1,h2@1:1"]),
        // [V]
        ("\u{feff}h1 h2", &["\u{feff}h1@1:1", "h2@1:5"]),
        ("\u{feff}# h1", &["\u{feff}#@1:1", "h1@1:4"]),
        ("h1\x0bh2\u{a0}h3", &["h1\x0bh2\u{a0}h3@1:1"]),
        ("é ü", &["é@1:1", "ü@1:3"]),
    ];
    for (text, expected) in cases {
        assert_eq!(placed(&parse_plain(text)), expected, "{text:?}");
    }
    let twice = parse_plain("h1 h2 h1");
    assert_eq!((twice.len(), twice.entries().len(), twice.get("h1").unwrap().place.column), (2, 3, 7));
    assert!(!twice.contains("H1") && !twice.contains("h"));
}

#[test]
fn only_an_exclude_file_whose_path_ends_in_xml_is_xml() {
    for (path, format) in [
        ("a.xml", Format::Xml),
        ("A.XmL", Format::Xml),
        (".xml", Format::Xml),
        ("a.xml.txt", Format::Plain),
        ("axml", Format::Plain),
        ("", Format::Plain),
    ] {
        assert_eq!(Format::of_exclude(path), format, "{path}");
    }
}

#[test]
fn xml_files_are_read_as_their_grammar_says() {
    // (text, names and timeouts that hold): yarn.md 5.3.
    let cases = [
        // [V]: any root, even one called host, which is no group itself; groups at any depth.
        ("<anything><host><name>a</name></host></anything>", " a"),
        ("<host><name>a</name><x><host><name>b</name><timeout>1</timeout></host></x></host>", " b=1"),
        // [V]: the first descendant counts, further ones do not.
        ("<r><host><x><name>a</name></x><name>b</name></host></r>", " a"),
        ("<r><host><name>a</name><x><timeout>1</timeout></x><timeout>2</timeout></host></r>", " a=1"),
        ("<r><host><name>a</name><host><name>b</name><timeout>3</timeout></host></host></r>", " a=3 b=3"),
        // Commas and line ends separate, blanks are trimmed; [V]: a space alone does not separate.
        ("<r><host><name>\n a , b\n\tc\n\n,\nd\r\ne </name></host></r>", " a b c d e"),
        ("<r><host><name>h1 h2,h3</name></host></r>", " h1 h2 h3"),
        // [V]: two commas in a row. The reader's split drops what is empty at the end, and only there.
        ("<r><host><name>a,,b</name></host></r>", "  a b"),
        ("<r><host><name>,a,</name></host></r>", "  a"),
        ("<r><host><name>,</name></host></r>", ""),
        // No name, or a blank one.
        (
            "<r><host/><host><timeout>1</timeout></host><host><name> \n </name></host><host><name/></host></r>",
            "",
        ),
        // [V]: a sign is fine, and any number of 32 bits.
        ("<r><host><name>a</name><timeout>+30</timeout></host></r>", " a=30"),
        ("<r><host><name>a</name><timeout>-2147483648</timeout></host></r>", " a=-2147483648"),
        ("<r><host><name>a</name><timeout>2147483647</timeout></host></r>", " a=2147483647"),
        ("<r><host><name>a</name><timeout>007</timeout></host></r>", " a=7"),
        // The last one wins, even with none over a number.
        ("<r><host><name>a,b,a</name><timeout>1</timeout></host><host><name>a</name></host></r>", " a b=1"),
        // Unknown elements and attributes; text as the parser joins it; names are compared with their prefix and case.
        ("<r a='1'><host b='2'>x<name c='3'>a</name><y/></host>z<Host><name>b</name></Host></r>", " a"),
        ("<r><host><name>a<!-- , --><b>b</b><![CDATA[,c]]>&#44;d</name></host></r>", " ab c d"),
        ("<r xmlns:x='u'><x:host><name>a</name></x:host><host><x:name>b</x:name></host></r>", ""),
        ("<r xmlns='u'><host ><name\n>a</name></host><hosts><name>b</name></hosts></r>", " a"),
        ("\u{feff}<?xml version='1.0'?>\n<r><host><name>a</name></host></r>", " a"),
    ];
    for (text, expected) in cases {
        let file = parse_xml(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        assert_eq!(names(&file), expected, "{text}");
    }
}

#[test]
fn names_in_xml_know_their_place() {
    let text = "<r>\n<host><name>h1,\n  h10, h1&#48;0</name></host>\n<host><name>é,</name></host></r>";
    let found = placed(&parse_xml(text).unwrap());
    // The third is written with an entity: the end of the one before it serves.
    assert_eq!(found, ["h1@2:13", "h10@3:3", "h100@3:6", "é@4:13"]);
    let bom = parse_xml("\u{feff}<r><host><name>a</name></host></r>").unwrap();
    assert_eq!(placed(&bom), ["a@1:17"]);
}

#[test]
fn what_is_wrong_with_an_xml_file_is_said_with_its_place() {
    let timeouts = "<r><host><timeout/></host><host><timeout>1h</timeout></host>\n\
                    <host><name>a</name><timeout>2147483648</timeout></host><host><timeout>\n5</timeout></host></r>";
    // (text, what each error begins with and what it names): yarn.md 5.3, 5.4.
    let cases: [(&str, &[(&str, &str)]); 14] = [
        (
            timeouts,
            &[
                ("1:10: the timeout \"\"", "leave the element out"),
                ("1:42: the timeout \"1h\"", "600"),
                ("2:30: the timeout \"2147483648\"", "2147483647"),
                ("2:72: the timeout \"\\n5\" has blanks", "write \"5\""),
            ],
        ),
        // One timeout that is the first of two groups is one error.
        (
            "<r><host><host><timeout>-</timeout></host></host></r>",
            &[("1:25: the timeout \"-\"", "whole number")],
        ),
        (
            "<r><host><timeout>1<!-- -->x</timeout></host></r>",
            &[("1:19: the timeout \"1x\"", "whole number")],
        ),
        ("<r><host><timeout>-2147483649</timeout></host></r>", &[("1:19: the timeout", "out of range")]),
        ("", &[("1:1: ", "the text ends here")]),
        ("h1\nh2", &[("1:1: ", "at \"h1\\nh2\"")]),
        ("<r>\n<host>", &[("2:7: ", "the text ends here")]),
        ("<r>\n <host></name></r>", &[("2:8: ", "expected 'host' tag, not 'name', at \"</name></r>\"")]),
        ("<r>\n é & b</r>", &[("2:4: ", "at \"& b</r>\"")]),
        ("<r a\n=1/>", &[("2:2: ", "at \"1/>\"")]),
        ("<r a=\n", &[("2:1: ", "the text ends here")]),
        ("<r/><r/>", &[("1:5: ", "at \"<r/>\"")]),
        (
            "<?xml version='1.0'?>\n<!-- <!DOCTYPE no> -->\n  <!DOCTYPE hosts [\n]><hosts/>",
            &[("3:3: a DOCTYPE is refused", "\"<!DOCTYPE hosts [\"")],
        ),
        ("<!DOCTYPE hosts><hosts/>", &[("1:1: a DOCTYPE is refused", "remove it")]),
    ];
    for (text, expected) in cases {
        let errors = shown(&parse_xml(text).expect_err(text));
        let same = errors.len() == expected.len()
            && errors
                .iter()
                .zip(expected)
                .all(|(error, (begin, part))| error.starts_with(begin) && error.contains(part));
        assert!(same, "{text}\n{errors:#?}");
    }
}

#[test]
fn a_timeout_amounts_to_none_for_ever_or_a_span() {
    for (timeout_s, expected) in [
        (None, HostTimeout::NotGiven),
        (Some(-1), HostTimeout::Never),
        (Some(i32::MIN), HostTimeout::Never),
        (Some(0), HostTimeout::After(SimSpan::ZERO)),
        (Some(90), HostTimeout::After(SimSpan::from_secs(90))),
    ] {
        assert_eq!(HostTimeout::from(timeout_s), expected);
    }
}

#[test]
fn validity_and_being_untracked() {
    use Standing::{Excluded, Untracked, Valid};
    // (include, exclude, name, ip, standing, untracked by default and with the setting): yarn.md 4.1.
    let cases = [
        ("", "", "h1", None, Valid, [false, true]),
        ("", "h1", "h1", None, Excluded, [false, false]),
        ("", "h1", "h2", None, Valid, [false, true]),
        ("h1", "", "h1", None, Valid, [false, false]),
        ("h1", "", "h2", None, Untracked, [true, true]),
        ("h1", "h1", "h1", None, Excluded, [false, false]),
        ("h1", "h2", "h2", None, Excluded, [false, false]),
        ("10.0.0.1", "", "h1", Some("10.0.0.1"), Valid, [false, false]),
        ("10.0.0.1", "", "h1", Some("10.0.0.2"), Untracked, [true, true]),
        ("h1", "10.0.0.1", "h1", Some("10.0.0.1"), Excluded, [false, false]),
        ("", "10.0.0.1", "h1", Some("10.0.0.1"), Excluded, [false, false]),
        ("h1", "", "H1", None, Untracked, [true, true]),
    ];
    for (include, exclude, name, ip, standing, untracked) in cases {
        let list = |text| ListFile { path: String::new(), hosts: parse_plain(text) };
        let lists = HostLists { include: list(include), exclude: list(exclude) };
        let host = Host { name, ip };
        let about = format!("{include:?} {exclude:?} {host:?}");
        assert_eq!(lists.standing(host), standing, "{about}");
        assert_eq!(lists.is_valid(host), standing == Valid, "{about}");
        assert_eq!([false, true].map(|even| lists.is_untracked(host, even)), untracked, "{about}");
    }
    // The setting asks for the path, not for the list: an empty include file is a configured path.
    let lists = HostLists { include: ListFile::include("in", ""), exclude: ListFile::default() };
    assert!(lists.is_valid("h1") && !lists.is_untracked("h1", true));
}

#[test]
fn a_disabled_reader_has_neither_lists_nor_paths_nor_pending() {
    let mut reader = play(&[Refresh(("in", "h1"), ("ex", "h2")), Lazy(("in", ""), NO_PATH)]).unwrap();
    assert_eq!(lists(reader.pending().unwrap()), "in: | : h2");
    reader.disable();
    assert_eq!((lists(reader.current()).as_str(), reader.pending()), (": | :", None));
}

/// Names that a plain file can hold, with much that looks like more.
fn plain_name() -> impl Strategy<Value = String> {
    "[a-c.:*/,<>é\u{a0}\u{feff}\x0b-][a-c.:*/#,<>é\u{a0}\u{feff}\x0b-]{0,4}"
}

/// Names that an XML file can hold between two commas, blanks inside and all.
fn xml_name() -> impl Strategy<Value = String> {
    "[a-c.:*/#<>&é\u{a0}]([a-c.:*/#<>&é\u{a0} \t]{0,4}[a-c.:*/#<>&é\u{a0}])?"
}

/// Blanks behind a name of a plain file.
const BLANKS: &str = "[ \t\x0c]{1,2}";
/// The end of a line, perhaps with a comment before it.
const LINE_END: &str = "(#[a-c# ]{0,3})?(\n|\r|\r\n)";
/// Pieces of XML in any order.
const LIKE_XML: &str =
    "(<r>|<host>|</host>|<name>|</name>|<timeout>|</timeout>|</r>|<!DOCTYPE|<!--|-->|[a1é, \n-]){0,20}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

proptest! {
    #[test]
    fn no_text_is_too_much(text in any::<String>(), like_xml in LIKE_XML) {
        for text in [text, like_xml.clone(), format!("<r><host>{like_xml}</host></r>"), format!("\u{feff}{like_xml}")] {
            let include = ListFile::include("in.xml", &text);
            let exclude = ListFile::exclude("ex.xml", &text).unwrap_or_default();
            for warning in lint(&[include], &[exclude], None) {
                prop_assert!(!warning.to_string().is_empty());
            }
            for error in parse_xml(&text).err().unwrap_or_default() {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    #[test]
    fn a_printed_plain_file_reads_back(
        lines in prop::collection::vec((prop::collection::vec((plain_name(), BLANKS), 0..4), LINE_END), 0..6)
    ) {
        let mut text = String::new();
        let mut expected = Vec::new();
        for (names, end) in &lines {
            for (name, blanks) in names {
                text += name;
                text += blanks;
                expected.push(name.as_str());
            }
            text += end;
        }
        let found = parse_plain(&text);
        let names: Vec<&str> = found.entries().iter().map(|entry| entry.name.as_str()).collect();
        prop_assert_eq!(names, expected);
    }

    #[test]
    fn a_printed_xml_file_reads_back(
        groups in prop::collection::vec((prop::collection::vec(xml_name(), 1..4), any::<Option<i32>>()), 0..6)
    ) {
        let mut text = "<hosts>\n".to_owned();
        let mut expected = Vec::new();
        for (names, timeout_s) in &groups {
            let timeout = timeout_s.map(|seconds| format!("<timeout>{seconds}</timeout>")).unwrap_or_default();
            text += &format!("<host><name>{}</name>{timeout}</host>\n", escaped(&names.join(", ")));
            expected.extend(names.iter().map(|name| (name.clone(), *timeout_s)));
        }
        text += "</hosts>";
        let found = parse_xml(&text).expect("it is well formed");
        let entries: Vec<_> = found.entries().iter().map(|entry| (entry.name.clone(), entry.timeout_s)).collect();
        prop_assert_eq!(&entries, &expected);
        for (name, _) in &expected {
            let last = expected.iter().rev().find(|(other, _)| other == name).map(|(_, timeout_s)| *timeout_s);
            prop_assert_eq!(found.get(name).map(|entry| entry.timeout_s), last);
        }
    }
}
