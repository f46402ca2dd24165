//! Small scenarios whose every number is worked out by hand, above the line that asserts it.
//!
//! A second of a node costs 1,000 millionths. The first instants of all: jobs come at 0, and the first poll is at 0.

mod drains;
mod money;
mod placing;
mod policies;

use crate::support::Played;

/// Compares columns with their printed values.
fn columns(played: &Played, expected: &[(&str, &str)]) {
    for (column, value) in expected {
        assert_eq!(played.column(column), *value, "{column}");
    }
}

/// Compares all that is told of a subject, each row as `time event detail`.
fn life(played: &Played, subject: &str, expected: &[&str]) {
    assert_eq!(played.story.of(subject), expected, "{subject}");
}
