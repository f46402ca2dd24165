//! Sizes of memory and amounts of money: exact decimal arithmetic on what is written, never a float.

/// The most that a price may be, in units of the currency.
const PRICE_MOST: u64 = 1_000_000_000;
/// The most memory that a node may have: an exbibyte.
const MEMORY_BYTES_MOST: u64 = 1 << 60;
const MICROS: u64 = 1_000_000;

/// The units of memory and their bytes.
const MEMORY_UNITS: [(&str, u64); 8] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1000),
];

/// Why a text is no size of memory or no amount of money.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// No digits, or something else between them.
    #[error("\"{0}\" is no plain number: write digits, and a point if need be")]
    NotANumber(String),
    /// A size without a unit.
    #[error("\"{0}\" has no unit: write for example \"{0}GiB\" or \"{0}MB\"")]
    NoUnit(String),
    /// A unit that is not one of ours.
    #[error(
        "\"{0}\" is no unit of memory: they are KiB, MiB, GiB, TiB, and kB, MB, GB, TB for powers of 1000"
    )]
    UnknownUnit(String),
    /// A fraction of the smallest step.
    #[error("\"{0}\" is not a whole number of {1}")]
    TooFine(String, &'static str),
    /// No memory at all.
    #[error("a node needs some memory: leave the key out if memory is not to be counted")]
    NoMemory,
    /// A price below zero.
    #[error("a price cannot be negative, as {0} is")]
    Negative(String),
    /// More than a scenario can mean.
    #[error("\"{0}\" is more than {1}, the most that is taken")]
    TooMuch(String, &'static str),
}

/// Reads a size of memory such as `64GiB` or `1.5GB`, in bytes.
///
/// # Errors
/// A bare number, an unknown unit, a fraction of a kilobyte, nothing, or more than an exbibyte.
pub(super) fn memory_bytes(text: &str) -> Result<u64, QuantityError> {
    let text = text.trim();
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    if number.is_empty() {
        return Err(QuantityError::NotANumber(text.to_owned()));
    }
    let unit = unit.trim();
    if unit.is_empty() {
        return Err(QuantityError::NoUnit(number.to_owned()));
    }
    let Some(&(_, unit_bytes)) = MEMORY_UNITS.iter().find(|&&(name, _)| name == unit) else {
        return Err(QuantityError::UnknownUnit(unit.to_owned()));
    };
    let too_fine = || QuantityError::TooFine(text.to_owned(), "kilobytes (kB or KiB)");
    let bytes = match scaled(number, unit_bytes)? {
        Scaled::Whole(bytes) if bytes % 1024 == 0 || bytes % 1000 == 0 => bytes,
        Scaled::Whole(_) | Scaled::Fraction => return Err(too_fine()),
        Scaled::TooMuch => u64::MAX,
    };
    match bytes {
        0 => Err(QuantityError::NoMemory),
        bytes if bytes > MEMORY_BYTES_MOST => Err(QuantityError::TooMuch(text.to_owned(), "1048576TiB")),
        bytes => Ok(bytes),
    }
}

/// The canonical way to write a size: as the smallest whole number of a unit.
pub(super) fn memory_text(bytes: u64) -> String {
    let fitting = MEMORY_UNITS.iter().filter(|&&(_, unit_bytes)| bytes.is_multiple_of(unit_bytes));
    let &(name, unit_bytes) = fitting
        .max_by_key(|&&(_, unit_bytes)| unit_bytes)
        .expect("a unit divides every size because others are refused when read");
    format!("{}{name}", bytes / unit_bytes)
}

/// Reads an amount of money from the digits of a number, in millionths.
///
/// # Errors
/// A negative amount, an exponent, more than six decimals, or more than a thousand million.
pub(super) fn money_micros(digits: &str) -> Result<u64, QuantityError> {
    if digits.starts_with('-') {
        return Err(QuantityError::Negative(digits.to_owned()));
    }
    let too_much = || QuantityError::TooMuch(digits.to_owned(), "1000000000");
    match scaled(digits.trim_start_matches('+'), MICROS)? {
        Scaled::Whole(micros) if micros <= PRICE_MOST * MICROS => Ok(micros),
        Scaled::Whole(_) | Scaled::TooMuch => Err(too_much()),
        Scaled::Fraction => Err(QuantityError::TooFine(digits.to_owned(), "millionths (six decimals)")),
    }
}

/// The canonical way to write an amount: no more decimals than it needs.
pub(super) fn money_text(micros: u64) -> String {
    let decimals = format!("{:06}", micros % MICROS);
    let text = format!("{}.{}", micros / MICROS, decimals.trim_end_matches('0'));
    text.trim_end_matches('.').to_owned()
}

/// A decimal number times a unit.
enum Scaled {
    Whole(u64),
    Fraction,
    TooMuch,
}

/// `number` (digits, perhaps with decimals) times `unit`, exactly.
fn scaled(number: &str, unit: u64) -> Result<Scaled, QuantityError> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || number.ends_with('.') || !all_digits(whole) || !all_digits(decimals) {
        return Err(QuantityError::NotANumber(number.to_owned()));
    }
    // Trailing zeros say nothing; 18 significant decimals are finer than any unit can resolve and fit into
    // u128.
    let decimals = decimals.trim_end_matches('0');
    let Ok(places @ 0..=18) = u32::try_from(decimals.len()) else { return Ok(Scaled::Fraction) };
    let digits: u128 = match format!("{whole}{decimals}").parse() {
        Ok(digits) => digits,
        Err(_) => return Ok(Scaled::TooMuch),
    };
    let scale = 10_u128.pow(places);
    let Some(product) = digits.checked_mul(u128::from(unit)) else { return Ok(Scaled::TooMuch) };
    if product % scale != 0 {
        return Ok(Scaled::Fraction);
    }
    Ok(u64::try_from(product / scale).map_or(Scaled::TooMuch, Scaled::Whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_exactly_and_printed_shortest() {
        for (text, bytes, canonical) in [
            ("64GiB", 64 << 30, "64GiB"),
            ("1.5GiB", 1536 << 20, "1536MiB"),
            ("1024 MiB", 1 << 30, "1GiB"),
            ("2kB", 2000, "2kB"),
            ("0.5TB", 500_000_000_000, "500GB"),
        ] {
            assert_eq!(memory_bytes(text), Ok(bytes), "{text}");
            assert_eq!(memory_text(bytes), canonical, "{text}");
            assert_eq!(memory_bytes(canonical), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_memory_is_refused() {
        for (text, hint) in [
            ("64", "\"64GiB\""),
            ("64gb", "no unit of memory"),
            ("GiB", "no plain number"),
            ("-1GiB", "no plain number"),
            ("", "no plain number"),
            ("1.2.3GiB", "no plain number"),
            ("0GiB", "leave the key out"),
            ("0.0001kB", "kilobytes"),
            ("99999999999999999999999999999TiB", "the most"),
            ("99999999999999999999999999999999999999999999TiB", "the most"),
        ] {
            let message = memory_bytes(text).expect_err(text).to_string();
            assert!(message.contains(hint), "{text}: {message}");
        }
    }

    #[test]
    fn money_is_exact_to_the_millionth() {
        for (text, micros, canonical) in [
            ("0", 0, "0"),
            ("0.8", 800_000, "0.8"),
            ("+1.250000", 1_250_000, "1.25"),
            ("0.000001", 1, "0.000001"),
            ("1000000000", 1_000_000_000_000_000, "1000000000"),
        ] {
            assert_eq!(money_micros(text), Ok(micros), "{text}");
            assert_eq!(money_text(micros), canonical);
        }
        for (text, hint) in [
            ("-0.1", "negative"),
            ("0.0000001", "millionths"),
            ("1e3", "no plain number"),
            ("nan", "no plain number"),
            ("1000000000.000001", "the most"),
            ("99999999999999999999999999999999999999999999", "the most"),
        ] {
            let message = money_micros(text).expect_err(text).to_string();
            assert!(message.contains(hint), "{text}: {message}");
        }
    }
}
