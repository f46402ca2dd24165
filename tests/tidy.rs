//! The fence: what holds for all sources and neither the compiler nor clippy can see.
//!
//! Every complaint names the file, the line and the remedy. The tables at the top are the rules; the last test
//! feeds each check a sample of what it must catch, so that none of them can quietly check nothing.

// In a folder, so that cargo does not take it for a test crate of its own.
#[path = "tidy/source.rs"]
mod source;

use source::{Source, sources};

/// Longest line, in characters.
const LINE_LIMIT: usize = 120;
/// Longest line that is a row of a table in a test, where one row on one line is what can be laid beside the text.
const ROW_LIMIT: usize = 210;
/// Longest function, in lines from its `fn` to its closing brace.
const FUNCTION_LIMIT: usize = 70;
/// Longest file, in lines.
const FILE_LIMIT: usize = 500;

/// The ratchet: what is longer than its limit, and how long: (file, function or "" for the file itself, lines).
/// It only shrinks. When you shorten one, lower its number here; at the limit, remove its line.
const RATCHET: &[(&str, &str, usize)] = &[
    // The transition table of the RMNode, row by row.
    ("src/rules/rmnode.rs", "transition", 82),
];

/// Each top-level module with those that it may use; the same table stands in ARCHITECTURE.md.
/// `lib.rs` and `main.rs` are the doors and may name all of them.
const LAYERS: &[(&str, &[&str])] = &[
    ("time", &[]),
    ("rules", &["time"]),
    ("engine", &["time"]),
    ("workload", &["time"]),
    ("scenario", &["time", "rules", "workload"]),
    ("ledger", &["time", "rules", "workload"]),
    ("actors", &["time", "engine", "rules", "workload", "ledger"]),
    ("study", &["time", "rules", "engine", "actors", "workload", "scenario", "ledger"]),
    ("report", &["time", "rules", "workload", "ledger", "study"]),
    ("cli", &["time", "rules", "engine", "actors", "workload", "scenario", "ledger", "study", "report"]),
];

/// Crates that only some modules may know: the rules know no actor, and randomness comes from the engine's streams.
const KEPT_CRATES: &[(&str, &[&str])] =
    &[("actix", &["engine", "actors", "study", "cli"]), ("rand", &["engine", "workload", "study"])];

/// Modules that see nothing of the world but what they are given, …
const PURE: &[&str] = &["time", "rules", "engine", "actors", "ledger"];
/// … so that these parts of `std` and these macros are out of their reach.
const WORLD: &[&str] = &["env", "fs", "io", "net", "process", "thread", "time"];
const PRINTING: &[&str] = &["dbg", "eprint", "eprintln", "print", "println"];

#[test]
fn every_file_says_what_it_is_for() {
    report(&sources(), module_doc);
}

#[test]
fn lines_are_short_and_end_clean() {
    report(&sources(), lines);
}

#[test]
fn comments_hold_no_dead_code_and_no_orphaned_reminder() {
    report(&sources(), comments);
}

#[test]
fn modules_use_only_what_the_map_allows() {
    report(&sources(), layers);
}

#[test]
fn pure_modules_see_nothing_of_the_world() {
    report(&sources(), purity);
}

#[test]
fn functions_and_files_are_short() {
    let sizes: Vec<Size> = sources().iter().flat_map(sizes).collect();
    assert!(sizes.len() > 60, "only {} files and functions were found: the counting is broken", sizes.len());
    fail_with(&ratchet(&sizes, RATCHET));
}

/// A file (without a name) or a function, and its length.
struct Size {
    path: String,
    name: String,
    line: usize,
    lines: usize,
}

/// Every file begins with a module doc.
fn module_doc(source: &Source) -> Vec<String> {
    let says = source.text.strip_prefix("//! ").is_some_and(|rest| !rest.starts_with("TBD"));
    let complaint = format!("{}:1: begin the file with a line `//! …` that says what it is for", source.path);
    if says { Vec::new() } else { vec![complaint] }
}

/// No line is too long or ends in white space.
fn lines(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for (place, line) in (1..).zip(source.text.split('\n')) {
        let length = line.chars().count();
        let in_test = source.path.ends_with("tests.rs") || source.path.starts_with("tests/");
        let is_row = line.trim_start().starts_with(['(', '"', '|'])
            || line.contains(" | ")
            || line.contains("case(\"");
        let limit = if in_test && is_row { ROW_LIMIT } else { LINE_LIMIT };
        if length > limit {
            let path = &source.path;
            found.push(format!("{path}:{place}: {length} characters: break the line at {limit}"));
        }
        if line.ends_with(char::is_whitespace) {
            found.push(format!("{}:{place}: remove the white space at the end of the line", source.path));
        }
    }
    found
}

/// No code is kept in comments (documentation may show some), and every reminder has an owner.
fn comments(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for (place, line) in (1..).zip(source.comments.lines()) {
        for word in ["TODO", "FIXME"] {
            let owned = |rest: &str| rest.starts_with('(') && rest.find(')').is_some_and(|end| end > 1);
            if line.split(word).skip(1).any(|rest| !owned(rest)) {
                found.push(format!("{}:{place}: name an owner, `{word}(name)`, or do it now", source.path));
            }
        }
        let Some(comment) = line.trim().strip_prefix("//") else { continue };
        if !comment.starts_with(['/', '!']) && looks_like_code(comment.trim()) {
            found.push(format!("{}:{place}: remove the code in the comment; git keeps it", source.path));
        }
    }
    found
}

fn looks_like_code(comment: &str) -> bool {
    let keywords = ["let ", "use ", "pub ", "return", "mod ", "const ", "self."];
    let statement = |text: &str| {
        text.ends_with(')') || text.contains(" = ") || keywords.iter().any(|word| text.starts_with(word))
    };
    comment.ends_with(" {") || comment == "}" || comment.strip_suffix(';').is_some_and(statement)
}

/// Modules and kept crates are used only where the tables allow it.
fn layers(source: &Source) -> Vec<String> {
    let Some(module) = source.module() else { return Vec::new() };
    let path = &source.path;
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else {
        return vec![format!(
            "{path}:1: give `{module}` its place in LAYERS in tests/tidy.rs and on the map"
        )];
    };
    let mut found = Vec::new();
    let mut used = source.members("crate");
    for (line, name) in source.members("super") {
        if name == "super" {
            found.push(format!("{path}:{line}: write the path from `crate::`, not `super::super::`"));
        } else if source.is_module_root() && LAYERS.iter().any(|(layer, _)| *layer == name) {
            used.push((line, name));
        }
    }
    for (line, name) in used {
        if name != module && !allowed.contains(&name) {
            let may = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
            found.push(format!(
                "{path}:{line}: `{module}` may use {may}, not `{name}`: move the code, or pass the value in"
            ));
        }
    }
    for (name, users) in KEPT_CRATES.iter().filter(|(_, users)| !users.contains(&module)) {
        for (line, _) in source.members(name) {
            found.push(format!(
                "{path}:{line}: `{name}` is known only to {}: move the code",
                users.join(", ")
            ));
        }
    }
    found
}

/// The pure modules reach for no file, clock, thread or terminal.
fn purity(source: &Source) -> Vec<String> {
    let Some(module) = source.module().filter(|module| PURE.contains(module)) else { return Vec::new() };
    let mut found = Vec::new();
    for (line, name) in source.members("std") {
        if WORLD.contains(&name) {
            let path = &source.path;
            found.push(format!("{path}:{line}: `{module}` is pure: pass in what you want of `std::{name}`"));
        }
    }
    for pair in source.tokens.windows(2) {
        let [(line, name), (_, mark)] = pair else { continue };
        if mark == "!" && PRINTING.contains(&name.as_str()) {
            found.push(format!("{}:{line}: `{module}` is pure: return it instead of `{name}!`", source.path));
        }
    }
    found
}

/// The lengths of a file and of its functions.
fn sizes(source: &Source) -> Vec<Size> {
    let size =
        |name: &str, line, lines| Size { path: source.path.clone(), name: name.to_owned(), line, lines };
    let mut found = vec![size("", 1, source.text.lines().count())];
    for (at, pair) in source.tokens.windows(2).enumerate() {
        let [(line, word), (_, name)] = pair else { continue };
        if word != "fn" || !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            continue;
        }
        if let Some(last) = body_end(&source.tokens[at..]) {
            found.push(size(name, *line, last + 1 - line));
        }
    }
    found
}

/// The line of the brace that closes the body of the function at the beginning of `tokens`, if it has a body.
fn body_end(tokens: &[(usize, String)]) -> Option<usize> {
    let (mut braces, mut others) = (0, 0);
    for (line, mark) in tokens {
        match mark.as_str() {
            "(" | "[" => others += 1,
            ")" | "]" => others -= 1,
            ";" if braces == 0 && others == 0 => return None,
            "{" => braces += 1,
            "}" => {
                braces -= 1;
                if braces == 0 {
                    return Some(*line);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether all is within its limit or the ratchet, and the ratchet as tight as it can be.
fn ratchet(sizes: &[Size], table: &[(&str, &str, usize)]) -> Vec<String> {
    let limit = |name: &str| if name.is_empty() { FILE_LIMIT } else { FUNCTION_LIMIT };
    let what = |name: &str| if name.is_empty() { "the file".to_owned() } else { format!("`{name}`") };
    let mut found = Vec::new();
    for Size { path, name, line, lines } in sizes {
        let entry = table.iter().find(|(file, function, _)| file == path && function == name);
        let most = entry.map_or_else(|| limit(name), |(_, _, most)| *most);
        if lines > &most {
            found.push(format!(
                "{path}:{line}: {} has {lines} lines: split it, {most} is the most",
                what(name)
            ));
        }
    }
    for (path, name, most) in table {
        let of_entry = sizes.iter().filter(|size| size.path == *path && size.name == *name);
        let longest = of_entry.map(|size| size.lines).max().unwrap_or(0);
        let entry = format!("{path}: {} has {longest} lines: in RATCHET in tests/tidy.rs", what(name));
        if longest <= limit(name) {
            found.push(format!("{entry}, remove its line"));
        } else if longest < *most {
            found.push(format!("{entry}, lower its number from {most} to {longest}"));
        }
    }
    found
}

/// Fails with every complaint that `check` has about the sources.
fn report(sources: &[Source], check: fn(&Source) -> Vec<String>) {
    fail_with(&sources.iter().flat_map(check).collect::<Vec<_>>());
}

fn fail_with(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn each_check_catches_what_it_is_for_and_nothing_else() {
    type Check = fn(&Source) -> Vec<String>;
    // (check, file, text, the complaints' lines in order).
    let samples: [(Check, &str, &str, &[usize]); 17] = [
        (module_doc, "src/a.rs", "//! What it is for.\n", &[]),
        (module_doc, "src/a.rs", "use b;\n//! Too late.\n", &[1]),
        (lines, "src/a.rs", &format!("{}\n{}\nx \n", "é".repeat(120), "x".repeat(121)), &[2, 3]),
        (comments, "src/a.rs", "// TODO\n// TODO(ann): x\n// FIXME(): y\n\"TODO\"", &[1, 3]),
        (comments, "src/a.rs", "// let a = 1;\n/// let a = 1;\n// one;\n// if a {\n// f(x);", &[1, 4, 5]),
        (layers, "src/time.rs", "use crate::rules::A;\nuse super::cli;\nuse std::fmt;", &[1, 2]),
        (layers, "src/engine/a.rs", "use crate::{time::{A, B}, actors, engine::C,\n ledger::*};", &[1, 2]),
        (
            layers,
            "src/engine/a.rs",
            "fn a() { $crate::time::b(crate::cli::c()); super::super::d() }",
            &[1, 1],
        ),
        (layers, "src/rules/mod.rs", "use super::super::a;\nuse actix::Actor;\nuse rand::Rng;", &[1, 2, 3]),
        (
            layers,
            "src/rules/a.rs",
            "// crate::cli\n/* crate::cli /* */ crate::cli */ r#\"\"crate::cli\"#",
            &[],
        ),
        (
            layers,
            "src/rules/a.rs",
            "let a = ('\"', '\\'', \"\\\"\", b'x', &'a b, r\"\\\");\ncrate::cli::d();",
            &[2],
        ),
        (layers, "src/lib.rs", "pub use crate::cli::a;", &[]),
        (layers, "src/misc/a.rs", "", &[1]),
        (purity, "src/rules/a.rs", "use std::{fmt, fs};\nstd::io::stdin();\nprintln!(\"\");", &[1, 2, 3]),
        (purity, "src/cli/a.rs", "use std::fs;\nprintln!();", &[]),
        (purity, "src/ledger/a.rs", "use std::fmt;\nfn println() { my::std::fmt() }", &[]),
        (purity, "src/engine/a.rs", "use std::time::Instant;", &[1]),
    ];
    for (check, path, text, places) in samples {
        let complaints = check(&Source::new(path, text));
        let begin = |place: &usize| format!("{path}:{place}: ");
        let same = complaints.len() == places.len()
            && complaints.iter().zip(places).all(|(complaint, place)| complaint.starts_with(&begin(place)));
        assert!(same, "{text}\nshould be complained about in lines {places:?}, not: {complaints:#?}");
    }
}

#[test]
fn lengths_are_counted_and_the_ratchet_only_shrinks() {
    let text = "trait T { fn a(x: [u8; 2]); }\nfn b() -> fn() {\n    // }\n    \"}\";\n    fn c() {}\n}\n";
    let sizes = sizes(&Source::new("src/a.rs", text));
    let found: Vec<_> = sizes.iter().map(|size| (size.name.as_str(), size.line, size.lines)).collect();
    assert_eq!(found, [("", 1, 6), ("b", 2, 5), ("c", 5, 1)]);

    let long = |lines| [Size { path: "src/a.rs".to_owned(), name: "a".to_owned(), line: 7, lines }];
    for (lines, entry, complaint) in [
        (70, None, ""),
        (71, None, "src/a.rs:7: `a` has 71 lines: split it, 70 is the most"),
        (80, Some(80), ""),
        (81, Some(80), "src/a.rs:7: `a` has 81 lines: split it, 80 is the most"),
        (
            79,
            Some(80),
            "src/a.rs: `a` has 79 lines: in RATCHET in tests/tidy.rs, lower its number from 80 to 79",
        ),
        (70, Some(80), "src/a.rs: `a` has 70 lines: in RATCHET in tests/tidy.rs, remove its line"),
    ] {
        let table: Vec<_> = entry.iter().map(|&most| ("src/a.rs", "a", most)).collect();
        assert_eq!(ratchet(&long(lines), &table).concat(), complaint);
    }
}
