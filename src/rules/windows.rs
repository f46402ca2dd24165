//! When within its paid hour an instance may be stopped (node_manager.md 3).
//!
//! A life is cut into parts that are closed, open, closed, open … and repeat for ever. Ages count from the grant.

use crate::time::SimSpan;

/// Closed and open parts of a node's life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShutdownWindows {
    /// `None`: the window never closes.
    cycle: Option<Cycle>,
}

/// The open parts of one period, and where the first period begins.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cycle {
    first_opening: SimSpan,
    period: SimSpan,
    /// Offsets from the start of the period, ascending; the first one starts at zero.
    open: Vec<OpenPart>,
}

/// One open part: [start, end).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OpenPart {
    start: SimSpan,
    end: SimSpan,
}

/// Which of its two ends belong to an open part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WindowEnds {
    /// The first instant is open, the end is closed.
    #[default]
    HalfOpen,
    /// Both are closed, as the original compares them (node_manager.md 3.1, step 4).
    Exclusive,
}

/// Why a list of parts is no shutdown window. Each message names the remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowsError {
    /// Fewer than two parts.
    #[error(
        "shutdown windows need at least a closed and an open part, as in [\"54m\", \"5m\", \"1m\"] (parts given: \
         {found}); \"always\" never closes"
    )]
    TooFew {
        /// How many were given.
        found: usize,
    },
    /// A part without length.
    #[error("part {position} of the shutdown windows is 0s: each part needs some length")]
    EmptyPart {
        /// Which one, from 1 on.
        position: usize,
    },
    /// All parts together are longer than simulated time reaches.
    #[error("the shutdown windows together are longer than simulated time reaches: shorten them")]
    TooLong,
}

impl ShutdownWindows {
    /// A window that never closes.
    pub const fn always() -> Self {
        Self { cycle: None }
    }

    /// Windows from their parts: closed, open, closed … from the grant on, normalised as node_manager.md 3.1 step 2
    /// says. After the last part the list starts again, with the first part as the closed time in between.
    ///
    /// # Errors
    /// Fewer than two parts, a part of no length, or parts that are too long together.
    pub fn new(parts: &[SimSpan]) -> Result<Self, WindowsError> {
        let [first_opening, rest @ ..] = parts else {
            return Err(WindowsError::TooFew { found: 0 });
        };
        if rest.is_empty() {
            return Err(WindowsError::TooFew { found: 1 });
        }
        if let Some(index) = parts.iter().position(|part| part.is_zero()) {
            return Err(WindowsError::EmptyPart { position: index + 1 });
        }
        // `rest` starts with an open part. If it ends with one too, the first closed part follows it; if it ends with
        // a closed one, the first closed part prolongs that. Either way the period is the sum of all parts.
        let mut open = Vec::with_capacity(rest.len().div_ceil(2));
        let mut offset = SimSpan::ZERO;
        for pair in rest.chunks(2) {
            open.push(OpenPart { start: offset, end: offset + pair[0] });
            offset = pair.iter().fold(offset, |end, part| end + *part);
        }
        let period = offset + *first_opening;
        if period == SimSpan::MAX {
            return Err(WindowsError::TooLong);
        }
        Ok(Self { cycle: Some(Cycle { first_opening: *first_opening, period, open }) })
    }

    /// Whether a node of this age may be stopped.
    pub fn is_open(&self, age: SimSpan, ends: WindowEnds) -> bool {
        let Some(cycle) = &self.cycle else { return true };
        let Some((_, offset)) = cycle.locate(age) else { return false };
        cycle.open.iter().any(|part| {
            offset < part.end
                && match ends {
                    WindowEnds::HalfOpen => part.start <= offset,
                    WindowEnds::Exclusive => part.start < offset,
                }
        })
    }

    /// The age at which the half-open window next turns from closed to open, strictly after `age`; `None` if it is
    /// always open.
    ///
    /// The next opening of node_manager.md 3.2 at age t is the one after t − 1 ms: at the very instant of an opening
    /// it still names that instant.
    pub fn next_opening_after(&self, age: SimSpan) -> Option<SimSpan> {
        let cycle = self.cycle.as_ref()?;
        let Some((start, offset)) = cycle.locate(age) else { return Some(cycle.first_opening) };
        let later = cycle.open.iter().map(|part| part.start).find(|opening| *opening > offset);
        Some(start + later.unwrap_or(cycle.period))
    }

    /// The earliest age, not before `age`, at which the window is open.
    ///
    /// [`SimSpan::MAX`], "later than anything", if no open part holds an instant: with [`WindowEnds::Exclusive`] one of
    /// a single millisecond holds none.
    pub fn first_open_at_or_after(&self, age: SimSpan, ends: WindowEnds) -> SimSpan {
        if self.is_open(age, ends) {
            return age;
        }
        let Some(cycle) = &self.cycle else { return age };
        let (start, offset) = match cycle.locate(age) {
            Some((start, offset)) => (start, Some(offset)),
            None => (cycle.first_opening, None),
        };
        let delay = match ends {
            WindowEnds::HalfOpen => SimSpan::ZERO,
            WindowEnds::Exclusive => SimSpan::MILLISECOND,
        };
        let mut entries =
            cycle.open.iter().filter(|part| part.start + delay < part.end).map(|part| part.start + delay);
        let Some(first) = entries.clone().next() else { return SimSpan::MAX };
        let this_period = entries.find(|entry| offset.is_none_or(|offset| *entry > offset));
        start + this_period.unwrap_or(cycle.period + first)
    }
}

impl Cycle {
    /// The age at which the period of this age began, and how far into it the age is; `None` before the first opening.
    fn locate(&self, age: SimSpan) -> Option<(SimSpan, SimSpan)> {
        let since_first = age.as_ms().checked_sub(self.first_opening.as_ms())?;
        let offset = SimSpan::from_ms(since_first % self.period.as_ms());
        Some((age - offset, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(parts: &[u64]) -> ShutdownWindows {
        let parts: Vec<SimSpan> = parts.iter().map(|part| SimSpan::from_mins(*part)).collect();
        ShutdownWindows::new(&parts).expect("the test's windows are good")
    }

    /// The next opening as node_manager.md 3.2 reads it at an age above zero.
    fn next_opening_at(windows: &ShutdownWindows, age: SimSpan) -> Option<SimSpan> {
        windows.next_opening_after(age - SimSpan::MILLISECOND)
    }

    /// A row of node_manager.md 3.2: parts, first open intervals, and the next opening seen at the start in seconds.
    type Row = (&'static [u64], &'static [(u64, u64)], u64);

    const TABLE_3_2: &[Row] = &[
        (&[54, 5, 1], &[(54, 59), (114, 119), (174, 179)], 3240),
        (&[52, 6, 2], &[(52, 58), (112, 118)], 3120),
        (&[20, 999_999], &[(20, 1_000_019), (1_000_039, 2_000_038)], 1200),
        (&[8, 2], &[(8, 10), (18, 20), (28, 30)], 480),
        (&[6, 3, 1], &[(6, 9), (16, 19), (26, 29)], 360),
        (&[1, 1], &[(1, 2), (3, 4), (5, 6)], 60),
        (&[10, 5, 20, 5], &[(10, 15), (35, 40), (50, 55), (75, 80)], 600),
        (&[10, 5, 20, 5, 3], &[(10, 15), (35, 40), (53, 58), (78, 83)], 600),
    ];

    #[test]
    fn table_3_2_to_the_millisecond() {
        for (parts, intervals, seen_at_start) in TABLE_3_2 {
            let windows = minutes(parts);
            let mut closed_since = SimSpan::ZERO;
            assert_eq!(windows.next_opening_after(SimSpan::ZERO), Some(SimSpan::from_secs(*seen_at_start)));
            for (start, end) in *intervals {
                let (start, end) = (SimSpan::from_mins(*start), SimSpan::from_mins(*end));
                let before = start - SimSpan::MILLISECOND;
                let inside = start + SimSpan::MILLISECOND;
                let last = end - SimSpan::MILLISECOND;
                let open = |age, ends| windows.is_open(age, ends);
                for (age, half_open, exclusive) in [
                    (closed_since, false, false),
                    (before, false, false),
                    (start, true, false),
                    (inside, true, true),
                    (last, true, true),
                    (end, false, false),
                ] {
                    assert_eq!(open(age, WindowEnds::HalfOpen), half_open, "{parts:?} at {age}");
                    assert_eq!(open(age, WindowEnds::Exclusive), exclusive, "{parts:?} at {age}");
                }
                assert_eq!(windows.next_opening_after(before), Some(start), "{parts:?}");
                assert_eq!(next_opening_at(&windows, start), Some(start), "{parts:?}");
                assert!(windows.next_opening_after(start) > Some(end), "{parts:?}");
                for age in [closed_since, before, start] {
                    assert_eq!(windows.first_open_at_or_after(age, WindowEnds::HalfOpen), start, "{parts:?}");
                    assert_eq!(
                        windows.first_open_at_or_after(age, WindowEnds::Exclusive),
                        inside,
                        "{parts:?}"
                    );
                }
                assert_eq!(windows.first_open_at_or_after(last, WindowEnds::Exclusive), last, "{parts:?}");
                closed_since = end;
            }
        }
    }

    #[test]
    fn case_a1_two_length_window() {
        // The node starts at 1 s; ages are the clock less that.
        let windows = minutes(&[8, 2]);
        for (clock, next, open) in [(1, 481, false), (501, 1081, true), (701, 1081, false)] {
            let age = SimSpan::from_secs(clock - 1);
            assert_eq!(windows.next_opening_after(age), Some(SimSpan::from_secs(next - 1)), "A1 at {clock}");
            assert_eq!(windows.is_open(age, WindowEnds::HalfOpen), open, "A1 at {clock}");
            assert_eq!(windows.is_open(age, WindowEnds::Exclusive), open, "A1 at {clock}");
        }
    }

    #[test]
    fn case_x12_the_original_is_closed_at_both_ends() {
        let windows = minutes(&[54, 5, 1]);
        for (age_ms, open) in [(3_240_000, false), (3_240_001, true), (3_540_000, false)] {
            assert_eq!(
                windows.is_open(SimSpan::from_ms(age_ms), WindowEnds::Exclusive),
                open,
                "X12 at {age_ms} ms"
            );
        }
        // node_manager.md 3.2: "3240 for t <= 3240, 6840 for 3240 < t <= 6840".
        for (age_ms, next_s) in
            [(1, 3240), (3_240_000, 3240), (3_240_001, 6840), (6_840_000, 6840), (6_840_001, 10_440)]
        {
            assert_eq!(next_opening_at(&windows, SimSpan::from_ms(age_ms)), Some(SimSpan::from_secs(next_s)));
        }
    }

    #[test]
    fn always_is_always() {
        let windows = ShutdownWindows::always();
        for age in [SimSpan::ZERO, SimSpan::from_hours(7)] {
            assert!(
                windows.is_open(age, WindowEnds::HalfOpen) && windows.is_open(age, WindowEnds::Exclusive)
            );
            assert_eq!(windows.first_open_at_or_after(age, WindowEnds::Exclusive), age);
        }
        assert_eq!(windows.next_opening_after(SimSpan::ZERO), None);
    }

    #[test]
    fn far_ages_cost_no_more_than_near_ones() {
        let windows = minutes(&[1, 1]);
        let age = SimSpan::from_mins(2 * 1_000_000_000_000);
        assert!(!windows.is_open(age, WindowEnds::HalfOpen));
        assert_eq!(windows.next_opening_after(age), Some(age + SimSpan::from_mins(1)));
        assert_eq!(windows.first_open_at_or_after(age, WindowEnds::HalfOpen), age + SimSpan::from_mins(1));
    }

    #[test]
    fn an_open_part_of_one_millisecond_has_no_inside() {
        let ms = SimSpan::from_ms;
        let never = ShutdownWindows::new(&[ms(5), ms(1)]).expect("the windows are good");
        assert_eq!(never.first_open_at_or_after(ms(0), WindowEnds::Exclusive), SimSpan::MAX);
        assert_eq!(never.first_open_at_or_after(ms(6), WindowEnds::HalfOpen), ms(11));
        // Open at 5, at 11 and 12, then again at 18: for the original only at 12, 25 …
        let some = ShutdownWindows::new(&[ms(5), ms(1), ms(5), ms(2)]).expect("the windows are good");
        for (age, entry) in [(0, 12), (5, 12), (12, 12), (13, 25), (24, 25)] {
            assert_eq!(some.first_open_at_or_after(ms(age), WindowEnds::Exclusive), ms(entry), "at {age}");
        }
    }

    /// Whether the original finds a node of this age open: node_manager.md 3.1 step by step, in milliseconds.
    fn original_is_open(parts: &[u64], age: u64) -> bool {
        let mut rest = parts[1..].to_vec();
        if rest.len() % 2 == 1 {
            rest.push(parts[0]);
        } else {
            *rest.last_mut().expect("there are two parts") += parts[0];
        }
        let (mut next_opening, mut opened, mut turn) = (parts[0], None, 0);
        while next_opening < age {
            opened = Some((next_opening, rest[turn]));
            next_opening += rest[turn] + rest[turn + 1];
            turn = (turn + 2) % rest.len();
        }
        opened.is_some_and(|(start, open)| 0 < age - start && age - start < open)
    }

    #[test]
    fn arithmetic_agrees_with_the_original_and_with_a_walk_over_all_instants() {
        let ms = SimSpan::from_ms;
        for parts in [&[5, 3][..], &[1, 1], &[5, 3, 1], &[4, 2, 7, 3], &[4, 2, 7, 3, 2], &[2, 1, 3, 4, 1, 2]]
        {
            let spans: Vec<SimSpan> = parts.iter().copied().map(ms).collect();
            let windows = ShutdownWindows::new(&spans).expect("the windows are good");
            for age in 0..100 {
                let exclusive = windows.is_open(ms(age), WindowEnds::Exclusive);
                assert_eq!(exclusive, original_is_open(parts, age), "{parts:?} at {age}");
                for ends in [WindowEnds::HalfOpen, WindowEnds::Exclusive] {
                    let walked = (age..age + 100).map(ms).find(|age| windows.is_open(*age, ends));
                    let found = windows.first_open_at_or_after(ms(age), ends);
                    assert_eq!(found, walked.unwrap_or(SimSpan::MAX), "{parts:?} at {age} {ends:?}");
                }
                let open = |age| windows.is_open(ms(age), WindowEnds::HalfOpen);
                let walked = (age + 1..age + 100).find(|age| open(*age) && !open(age - 1)).map(ms);
                assert_eq!(windows.next_opening_after(ms(age)), walked, "{parts:?} at {age}");
            }
        }
    }

    #[test]
    fn what_is_no_window_is_refused() {
        let ms = SimSpan::from_ms;
        for (parts, error) in [
            (vec![], WindowsError::TooFew { found: 0 }),
            (vec![ms(1)], WindowsError::TooFew { found: 1 }),
            (vec![ms(0), ms(1)], WindowsError::EmptyPart { position: 1 }),
            (vec![ms(1), ms(2), ms(0)], WindowsError::EmptyPart { position: 3 }),
            (
                vec![SimSpan::MAX, SimSpan::MAX, SimSpan::MAX, SimSpan::MAX, SimSpan::MAX],
                WindowsError::TooLong,
            ),
        ] {
            assert_eq!(ShutdownWindows::new(&parts), Err(error), "{parts:?}");
        }
        assert!(WindowsError::TooFew { found: 1 }.to_string().contains("parts given: 1"));
    }
}
