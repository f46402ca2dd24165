//! The roll-call: every case of yarn.md 10 is named in some test of this repository.

use std::fs;
use std::path::{Path, PathBuf};

/// The cases of yarn.md 10 that must be here: the letters of a table and its numbers, which have gaps.
const CASES: &[(&str, &str)] = &[
    ("HF", "01 02 03 04 05 06 07 08 09 10 11 12 13 14 16 18 19 21"),
    (
        "RN",
        "01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 36 37 \
         38 39 40 41 42 43 45 47 48",
    ),
    ("DW", "01 02 03 04 05 06 07 08 09 11 12 13 15 16 17"),
    (
        "RT",
        "01 02 03 04 05 06 08 09 10 11 12 13 14 15 16 17 18 20 21 22 23 24 25 26 27 28 29 30 31 32 34 35 36 37 38 39 \
         40 41 42 43 44 45 46 48 49 50 51 52 53 54 56 57 58 59 60 61",
    ),
    ("CL", "01 02 03 04 05 06 07 08 09 10"),
    ("SC", "01 02 03 04 05 06 08 09 10 11 12"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the repository.
pub(super) fn source(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The cases of a table.
pub(super) fn cases_of(table: &str) -> Vec<String> {
    let of_table = CASES.iter().filter(|(name, _)| *name == table);
    let numbers = of_table.flat_map(|(_, numbers)| numbers.split_whitespace());
    numbers.map(|number| format!("{table}-{number}")).collect()
}

/// The sources below `folder` that hold nothing but tests, this one left out.
fn tests_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder can be listed").path());
    paths
        .flat_map(|path| if path.is_dir() { tests_in(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| {
            let path = path.strip_prefix(root()).expect("it is in the repository").to_string_lossy();
            path.contains("tests") && !path.ends_with("rollcall.rs")
        })
        .collect()
}

#[test]
fn every_row_of_the_specification_is_somewhere() {
    let tests: String = ["src", "tests"]
        .iter()
        .flat_map(|folder| tests_in(&root().join(folder)))
        .map(|path| fs::read_to_string(path).expect("a source is text"))
        .collect();
    let ids = CASES.iter().flat_map(|(table, _)| cases_of(table));
    let missing: Vec<String> = ids.filter(|id| !tests.contains(id.as_str())).collect();
    assert!(missing.is_empty(), "no test names these cases of yarn.md 10: {}", missing.join(", "));
}
