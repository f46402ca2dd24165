//! Simulated time: instants and spans in whole milliseconds, and how people write them.
//!
//! Nothing here reads a clock. A duration that may also be "never" is an `Option<SimSpan>` whose `None` means never.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// An instant of simulated time, in milliseconds since the scenario's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

/// A length of simulated time, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimSpan(u64);

impl SimTime {
    /// The scenario's start.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens: 292 million years after the start.
    pub const MAX: Self = Self(u64::MAX / 2);

    /// The instant `ms` milliseconds after the start.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms)
    }

    /// The instant `seconds` after the start.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * 1000)
    }

    /// Milliseconds since the start.
    pub const fn as_ms(self) -> u64 {
        self.0
    }

    /// How long after `earlier` this is; zero if it is not after it.
    pub const fn since(self, earlier: Self) -> SimSpan {
        SimSpan(self.0.saturating_sub(earlier.0))
    }

    /// This instant moved back by `span`, or `None` before the start.
    pub const fn checked_sub(self, span: SimSpan) -> Option<Self> {
        match self.0.checked_sub(span.0) {
            Some(ms) => Some(Self(ms)),
            None => None,
        }
    }

    /// The first whole multiple of `period` that is not before this instant.
    pub const fn next_multiple_of(self, period: SimSpan) -> Self {
        Self(self.0.next_multiple_of(period.0))
    }
}

impl SimSpan {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The shortest span there is.
    pub const MILLISECOND: Self = Self(1);
    /// Longer than anything that happens.
    pub const MAX: Self = Self(u64::MAX / 4);

    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms)
    }

    /// `seconds` seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * 1000)
    }

    /// `minutes` minutes.
    pub const fn from_mins(minutes: u64) -> Self {
        Self(minutes * 60_000)
    }

    /// `hours` hours.
    pub const fn from_hours(hours: u64) -> Self {
        Self(hours * 3_600_000)
    }

    /// In milliseconds.
    pub const fn as_ms(self) -> u64 {
        self.0
    }

    /// Whether this is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Reads a duration as people write it: `500ms`, `90s`, `0.25s`, `15m`, `1h30m`, `7d`.
    ///
    /// # Errors
    /// Says what is wrong with `text`: a bare number, an unknown unit, units out of order, or a fraction that is not
    /// a whole number of milliseconds.
    pub fn parse(text: &str) -> Result<Self, DurationError> {
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(DurationError::Empty);
        }
        if rest.starts_with('-') {
            return Err(DurationError::Negative(text.to_owned()));
        }
        let mut total_ms: u64 = 0;
        let mut last_unit_ms = u64::MAX;
        while !rest.is_empty() {
            let (number, unit, tail) = split_term(rest);
            let unit_ms = match unit {
                "ms" => 1,
                "s" => 1000,
                "m" => 60_000,
                "h" => 3_600_000,
                "d" => 86_400_000,
                "" if !number.is_empty() => return Err(DurationError::BareNumber(text.to_owned())),
                _ => return Err(DurationError::UnknownUnit(unit.to_owned())),
            };
            if unit_ms >= last_unit_ms {
                return Err(DurationError::UnitsOutOfOrder(text.to_owned()));
            }
            last_unit_ms = unit_ms;
            let term_ms = term_in_ms(number, unit_ms, text)?;
            total_ms =
                total_ms.checked_add(term_ms).ok_or_else(|| DurationError::TooLong(text.to_owned()))?;
            rest = tail;
        }
        if total_ms > Self::MAX.0 {
            return Err(DurationError::TooLong(text.to_owned()));
        }
        Ok(Self(total_ms))
    }
}

/// Splits the first term off a duration: its number, its unit, and what follows.
fn split_term(text: &str) -> (&str, &str, &str) {
    let number_len = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(number_len);
    let unit_len = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
    let (unit, tail) = rest.split_at(unit_len);
    (number, unit.trim(), tail)
}

/// `number` (digits, perhaps with a decimal fraction) times `unit_ms`, exactly.
fn term_in_ms(number: &str, unit_ms: u64, whole: &str) -> Result<u64, DurationError> {
    let (int, fraction) = number.split_once('.').unwrap_or((number, ""));
    let bad = || DurationError::NotANumber(whole.to_owned());
    if int.is_empty() || fraction.contains('.') || number.ends_with('.') {
        return Err(bad());
    }
    let too_long = || DurationError::TooLong(whole.to_owned());
    let int: u64 = int.parse().map_err(|_| too_long())?;
    let int_ms = int.checked_mul(unit_ms).ok_or_else(too_long)?;
    if fraction.len() > 9 {
        return Err(DurationError::NotWholeMilliseconds(whole.to_owned()));
    }
    let scale = 10_u64.pow(u32::try_from(fraction.len()).map_err(|_| bad())?);
    let fraction: u64 = if fraction.is_empty() { 0 } else { fraction.parse().map_err(|_| bad())? };
    let product = fraction * unit_ms;
    if !product.is_multiple_of(scale) {
        return Err(DurationError::NotWholeMilliseconds(whole.to_owned()));
    }
    int_ms.checked_add(product / scale).ok_or_else(too_long)
}

/// Why a text is no duration. Each message names the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// Nothing was written.
    #[error("a duration is missing: write for example \"15m\", \"1h30m\" or \"0s\"")]
    Empty,
    /// Less than no time.
    #[error("\"{0}\" is negative: a duration is zero or more")]
    Negative(String),
    /// A number without a unit.
    #[error("\"{0}\" has no unit: write for example \"{0}s\", \"{0}m\" or \"{0}h\"")]
    BareNumber(String),
    /// A unit that is not one of ours.
    #[error("\"{0}\" is no unit of time: the units are ms, s, m, h and d")]
    UnknownUnit(String),
    /// A smaller unit before a larger one, or one twice.
    #[error("\"{0}\" has its units out of order: write the largest first and each once, as in \"1d2h30m\"")]
    UnitsOutOfOrder(String),
    /// The number itself is malformed.
    #[error("\"{0}\" is no duration: write digits and a unit, as in \"90s\" or \"0.25s\"")]
    NotANumber(String),
    /// A decimal fraction finer than a millisecond.
    #[error("\"{0}\" is not a whole number of milliseconds, the finest step of simulated time")]
    NotWholeMilliseconds(String),
    /// Longer than simulated time reaches.
    #[error(
        "\"{0}\" is longer than simulated time reaches; \"never\" switches a limit off where that makes sense"
    )]
    TooLong(String),
}

impl fmt::Display for SimTime {
    /// Seconds with three decimals, as in `130.400`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

impl fmt::Display for SimSpan {
    /// The canonical way to write it: `1h30m`, `0s`, `1m0.5s` never, but `1m500ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let mut rest = self.0;
        for (unit, unit_ms) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)] {
            if rest >= unit_ms {
                write!(f, "{}{unit}", rest / unit_ms)?;
                rest %= unit_ms;
            }
        }
        Ok(())
    }
}

impl Add<SimSpan> for SimTime {
    type Output = Self;
    fn add(self, span: SimSpan) -> Self {
        Self(self.0.saturating_add(span.0).min(Self::MAX.0))
    }
}

impl AddAssign<SimSpan> for SimTime {
    fn add_assign(&mut self, span: SimSpan) {
        *self = *self + span;
    }
}

impl Add for SimSpan {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0).min(Self::MAX.0))
    }
}

impl AddAssign for SimSpan {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for SimSpan {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for SimSpan {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times).min(Self::MAX.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        // Values by hand.
        for (text, ms) in [
            ("500ms", 500),
            ("90s", 90_000),
            ("0.25s", 250),
            ("15m", 900_000),
            ("1h30m", 5_400_000),
            ("7d", 604_800_000),
            ("0s", 0),
            ("1.5h", 5_400_000),
            ("1m500ms", 60_500),
            (" 2m ", 120_000),
        ] {
            assert_eq!(SimSpan::parse(text), Ok(SimSpan::from_ms(ms)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_with_a_remedy() {
        for (text, hint) in [
            ("", "missing"),
            ("5", "\"5s\""),
            ("5 parsecs", "parsecs"),
            ("-1s", "is negative"),
            ("never", "no unit of time"),
            ("1m2h", "out of order"),
            ("1s1s", "out of order"),
            (".5s", "no duration"),
            ("1.s", "no duration"),
            ("1.2.3s", "no duration"),
            ("0.0001s", "whole number of milliseconds"),
            ("0.5ms", "whole number of milliseconds"),
            ("99999999999999999999d", "longer than"),
            ("9999999999999d", "longer than"),
        ] {
            let message = SimSpan::parse(text).expect_err(text).to_string();
            assert!(message.contains(hint), "{text}: {message}");
        }
    }

    #[test]
    fn what_is_printed_reads_back_as_itself() {
        for ms in [0, 1, 999, 1000, 60_500, 5_400_000, 86_400_000, 90_061_001] {
            let span = SimSpan::from_ms(ms);
            assert_eq!(SimSpan::parse(&span.to_string()), Ok(span));
        }
        assert_eq!(SimTime::from_ms(130_400).to_string(), "130.400");
    }

    #[test]
    fn multiples_and_differences() {
        let minute = SimSpan::from_mins(1);
        assert_eq!(SimTime::from_secs(60).next_multiple_of(minute), SimTime::from_secs(60));
        assert_eq!(SimTime::from_ms(60_001).next_multiple_of(minute), SimTime::from_secs(120));
        assert_eq!(SimTime::from_secs(5).since(SimTime::from_secs(9)), SimSpan::ZERO);
        assert_eq!(SimTime::from_secs(5).checked_sub(SimSpan::from_secs(6)), None);
    }
}
