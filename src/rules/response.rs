//! The ids of heartbeats and their answers: how the resource manager notices that the two have lost step (yarn.md 7.2,
//! step 4).
//!
//! Nothing in a simulation makes them lose it. An agent counts on with each answer that it gets, a registration begins
//! at 0 on both sides, and a beat that is lost (`node_silence`) changes neither count. So the actors do not carry ids;
//! the rule is here because it is a part of the contract.

/// What the resource manager makes of the id of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is the one that was due: the answer has this id.
    Next(i32),
    /// The answer to it has been given already and is sent again; nothing else changes.
    Duplicate,
    /// The node is out of step: REBOOTING, and it is told to register again.
    Lost,
}

/// The id that follows: after 2^31 - 1 comes 0.
pub const fn next_id(id: i32) -> i32 {
    id.wrapping_add(1) & i32::MAX
}

/// What becomes of a report with the id `reported` when the last answer had the id `last`.
pub const fn step(last: i32, reported: i32) -> Step {
    if next_id(reported) == last {
        Step::Duplicate
    } else if reported == last {
        Step::Next(next_id(last))
    } else {
        Step::Lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_answered_in_step() {
        // (id, last answer, reported, what becomes of it): yarn.md 7.2 and 10.4.
        for (id, last, reported, expected) in [
            ("RT-18", 0, -100, Step::Lost),
            ("RT-20", i32::MAX, i32::MAX, Step::Next(0)),
            ("RT-20", 0, 0, Step::Next(1)),
            ("RT-35", 5, -100, Step::Lost),
            ("RT-43", 0, 0, Step::Next(1)),
            ("RT-43, had the id not been reset", 3, 0, Step::Lost),
            ("7.2: sent again", 3, 2, Step::Duplicate),
            ("7.2: sent again across the overflow", 0, i32::MAX, Step::Duplicate),
            ("7.2: two behind", 3, 1, Step::Lost),
            ("7.2: ahead", 3, 4, Step::Lost),
        ] {
            assert_eq!(step(last, reported), expected, "{id}");
        }
    }
}
