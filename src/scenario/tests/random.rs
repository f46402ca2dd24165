//! No text makes the reader panic, and every error can be drawn.

use std::path::Path;

use proptest::prelude::*;

use super::script_texts::everything;
use super::{COLUMNS, FULL};
use crate::scenario::{ScenarioFile, Setting, resolved_toml};

/// Reads `text` in every way there is.
fn exercise(text: &str, argument: &str) {
    let file = match ScenarioFile::from_text(Path::new("case.toml"), text) {
        Ok(file) => file,
        Err(errors) => {
            assert!(!errors.to_string().is_empty());
            return;
        }
    };
    let settings: Vec<_> = Setting::parse(argument, "--set").into_iter().collect();
    match file.explain(&settings) {
        Ok(keys) => {
            let printed = resolved_toml(&keys);
            let again =
                ScenarioFile::from_text(Path::new("case.toml"), &printed).and_then(|file| file.explain(&[]));
            let again = again.unwrap_or_else(|errors| panic!("{errors}"));
            assert!(keys.iter().map(|key| &key.value).eq(again.iter().map(|key| &key.value)), "{printed}");
        }
        Err(errors) => assert!(!errors.render(true).is_empty()),
    }
    if let Err(errors) = file.sweep(&[argument.to_owned()], &settings, &COLUMNS) {
        assert!(!errors.to_string().is_empty());
    }
}

/// What a slip of the pen may put in.
fn scrap() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "\\PC{0,6}",
        "[-+0-9.a-z\"'\\[\\]{}=,_ \n\r\t]{0,8}",
        Just("never".to_owned()),
        Just("\u{feff}é\u{0}".to_owned()),
        Just("99999999999999999999".to_owned()),
    ]
}

/// `text` with some of it replaced.
fn mutated(mut text: String, cuts: Vec<(usize, usize, String)>) -> String {
    for (start, length, scrap) in cuts {
        let start = text.floor_char_boundary(start);
        let end = text.ceil_char_boundary(start + length);
        text.replace_range(start..end, &scrap);
    }
    text
}

proptest! {
    #[test]
    fn random_text_is_refused_or_read(text in "\\PC{0,200}", argument in "\\PC{0,30}") {
        exercise(&text, &argument);
    }

    #[test]
    fn random_toml_like_text_is_refused_or_read(
        text in "([\\[\\]a-z_.\"]{1,12} ?= ?[-0-9a-z\"\\[\\]{},. ]{0,12}\n){0,12}",
    ) {
        exercise(&text, "policy.poll=1s");
    }

    #[test]
    fn mutated_scenarios_are_refused_or_read(
        cuts in prop::collection::vec((0..FULL.len(), 0_usize..8, scrap()), 1..4),
        argument in "(policy|node_type|cluster|m\\.16|big|\\.|_|[a-z]{0,5}){0,4}=[-0-9a-z\",\\[{}]{0,6}",
    ) {
        exercise(&mutated(FULL.to_owned(), cuts), &argument);
    }

    #[test]
    fn mutated_scripts_are_refused_or_read(
        cuts in prop::collection::vec((0..everything().len(), 0_usize..8, scrap()), 1..4),
        argument in "(node|app|at|task|first|h1|[0-9]|time|run|\\.|_|[a-z]{0,5}){0,6}=[-0-9a-z\",\\[{}]{0,6}",
    ) {
        exercise(&mutated(everything(), cuts), &argument);
    }

    #[test]
    fn a_key_takes_or_refuses_any_value(key in 0_usize..200, value in scrap()) {
        let paths: Vec<_> = crate::scenario::keys::paths().map(|(path, _)| path).collect();
        let path = paths[key % paths.len()];
        exercise(super::LEAST, &format!("{path}={value}"));
        exercise(&everything(), &format!("{}={value}", path.replace("at.", "at.2.")));
    }
}
