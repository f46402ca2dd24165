//! What follows from both files together, and the cases of yarn.md 10.1 that are about missing files.

use super::*;
use FailureOutcome::{EmptyLists, RequestFails, StartFails};

/// A file of this name; without text there is none.
fn file(name: &str, text: Option<&str>) -> Option<Arc<ListFile>> {
    Some(Arc::new(ListFile { path: name.into(), text: text.map(str::to_owned) }))
}

fn names(list: Option<hosts::ListFile>) -> Vec<String> {
    list.iter().flat_map(|list| list.hosts.hosts()).map(|entry| entry.name.clone()).collect()
}

#[test]
fn the_first_file_that_cannot_be_read_decides() {
    const BAD: &str = "<hosts>";
    // (what, include, exclude, at the start, at a NORMAL and at a GRACEFUL refresh): yarn.md 4.2, 4.5. HF-04 is the
    // start, HF-05 a refresh, of readers whose error is then taken in the ways of those sections.
    let rows = [
        ("HF-04: both missing", None, None, [EmptyLists, EmptyLists, RequestFails]),
        ("HF-05: the include file is deleted", None, Some("h1"), [EmptyLists, EmptyLists, RequestFails]),
        ("the exclude file is missing", Some("h1"), None, [EmptyLists, EmptyLists, RequestFails]),
        ("the exclude file is malformed", Some("h1"), Some(BAD), [StartFails, RequestFails, RequestFails]),
        // The include file is read first, and the malformed one never.
        ("missing, and malformed", None, Some(BAD), [EmptyLists, EmptyLists, RequestFails]),
    ];
    for (what, include, exclude, expected) in rows {
        let files = Configured { include: file("in", include), exclude: file("ex.xml", exclude) };
        let found = [ReadAt::Start, ReadAt::Normal, ReadAt::Graceful].map(|at| files.read(at));
        assert_eq!(found, expected.map(Err), "{what}");
    }
}

#[test]
fn a_request_names_what_is_new_and_the_rest_is_read_again() {
    let before = Configured { include: file("in", Some("h1")), exclude: file("ex", Some("h2")) };
    let named = Configured { include: None, exclude: file("newer", Some("h3 h4")) };
    let read = before.with(&named).read(ReadAt::Normal).expect("both are there");
    assert_eq!(
        (names(read.include), names(read.exclude)),
        (vec!["h1".to_owned()], vec!["h3".into(), "h4".into()])
    );
    let nothing = Configured::default().read(ReadAt::Start);
    assert_eq!(nothing, Ok(Understood { include: None, exclude: None }));
}
