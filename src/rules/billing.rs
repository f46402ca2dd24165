//! What an instance costs: its life rounded up as the cloud bills it, and the price of that (semantics.md, money).
//!
//! All arithmetic is in integers: milliseconds, and millionths of the currency.

use crate::time::SimSpan;

/// Milliseconds of the hour that prices are for.
const HOUR_MS: u128 = 3_600_000;

/// How the cloud rounds an instance's life up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Billing {
    /// Each begun quantum is paid whole. At least one millisecond.
    pub quantum: SimSpan,
    /// The least that is paid for an instance.
    pub minimum: SimSpan,
}

/// The time that is paid for a life from grant to gone: max(minimum, ceil(life / quantum) × quantum).
///
/// A result beyond what a span holds is [`SimSpan::MAX`]; a quantum of zero rounds nothing.
pub fn billed_span(life: SimSpan, billing: &Billing) -> SimSpan {
    let quantum = billing.quantum.max(SimSpan::MILLISECOND);
    let begun = life.as_ms().div_ceil(quantum.as_ms());
    (quantum * begun).max(billing.minimum)
}

/// The price of `span` in millionths of the currency, rounded down.
///
/// In 128 bits nothing overflows, neither the product nor any sum of such prices.
pub fn price_micros(span: SimSpan, price_per_hour_micros: u64) -> u128 {
    u128::from(span.as_ms()) * u128::from(price_per_hour_micros) / HOUR_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives_are_rounded_up_to_quanta_and_to_the_minimum() {
        let hour = Billing { quantum: SimSpan::from_hours(1), minimum: SimSpan::ZERO };
        let second = Billing { quantum: SimSpan::from_secs(1), minimum: SimSpan::from_secs(60) };
        let odd = Billing { quantum: SimSpan::from_secs(40), minimum: SimSpan::from_secs(60) };
        // Values by hand, in milliseconds.
        for (billing, life_ms, billed_ms) in [
            (hour, 0, 0),
            (hour, 1, 3_600_000),
            (hour, 3_600_000, 3_600_000),
            (hour, 3_600_001, 7_200_000),
            (second, 0, 60_000),
            (second, 59_001, 60_000),
            (second, 60_001, 61_000),
            (second, 90_000, 90_000),
            // The minimum itself is not rounded up to a whole quantum.
            (odd, 30_000, 60_000),
            (odd, 41_000, 80_000),
        ] {
            assert_eq!(
                billed_span(SimSpan::from_ms(life_ms), &billing),
                SimSpan::from_ms(billed_ms),
                "{life_ms} ms"
            );
        }
    }

    #[test]
    fn prices_are_rounded_down() {
        // Values by hand: 0.126 an hour is 126,000 millionths, so 35 millionths a second.
        for (span_ms, price_per_hour_micros, micros) in [
            (3_600_000, 126_000, 126_000),
            (1000, 126_000, 35),
            (28, 126_000, 0),
            (29, 126_000, 1),
            (1, 3_599_999, 0),
            (1, 3_600_000, 1),
            (0, 126_000, 0),
            (3_600_000, 0, 0),
        ] {
            assert_eq!(
                price_micros(SimSpan::from_ms(span_ms), price_per_hour_micros),
                micros,
                "{span_ms} ms"
            );
        }
    }

    #[test]
    fn a_life_beyond_measure_saturates() {
        let hour = Billing { quantum: SimSpan::from_hours(1), minimum: SimSpan::ZERO };
        assert_eq!(billed_span(SimSpan::MAX, &hour), SimSpan::MAX);
        let no_quantum = Billing { quantum: SimSpan::ZERO, minimum: SimSpan::ZERO };
        assert_eq!(billed_span(SimSpan::from_ms(7), &no_quantum), SimSpan::from_ms(7));
    }
}
