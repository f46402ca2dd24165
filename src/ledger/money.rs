//! Money: what each instant of an instance's life was for, and what it cost (semantics, money).

use crate::rules::billing::{Billing, billed_span, price_micros};
use crate::time::{SimSpan, SimTime};

/// What an instant of an instance's life is for. The first that holds is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not yet registered.
    Boot,
    /// DECOMMISSIONING.
    Drain,
    /// At least one container.
    Busy,
    /// In service, without a container.
    Idle,
    /// Out of service, not yet gone.
    Down,
}

/// How many phases there are.
pub const PHASES: usize = 5;

impl Phase {
    /// All, in the order of the columns `cost_busy` … that the outputs have.
    pub const ALL: [Self; PHASES] = [Self::Busy, Self::Idle, Self::Boot, Self::Drain, Self::Down];

    /// The word for it in column names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boot => "boot",
            Self::Drain => "drain",
            Self::Busy => "busy",
            Self::Idle => "idle",
            Self::Down => "down",
        }
    }
}

/// How an instance's life has been spent so far. Every instant belongs to one phase, so the phases neither overlap nor
/// leave gaps.
#[derive(Clone, Copy, Debug)]
pub struct Life {
    phase: Phase,
    since: SimTime,
    spent_ms: [u64; PHASES],
    /// Time with at least one container, in whatever phase.
    loaded_ms: u64,
    loaded: bool,
}

impl Life {
    /// A life that begins with its grant.
    pub fn begin(granted: SimTime) -> Self {
        Self { phase: Phase::Boot, since: granted, spent_ms: [0; PHASES], loaded_ms: 0, loaded: false }
    }

    /// From now on the instance is in `phase`, with or without containers.
    pub fn enter(&mut self, phase: Phase, loaded: bool, now: SimTime) {
        let elapsed_ms = now.since(self.since).as_ms();
        self.spent_ms[self.phase as usize] += elapsed_ms;
        if self.loaded {
            self.loaded_ms += elapsed_ms;
        }
        (self.phase, self.loaded, self.since) = (phase, loaded, now);
    }

    /// The present phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Time spent in `phase` until the last change.
    pub fn spent(&self, phase: Phase) -> SimSpan {
        SimSpan::from_ms(self.spent_ms[phase as usize])
    }

    /// All time until the last change.
    pub fn lived(&self) -> SimSpan {
        SimSpan::from_ms(self.spent_ms.iter().sum())
    }
}

/// What an instance cost, in millionths of the currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The bill.
    pub total_micros: u128,
    /// Its parts by phase, each rounded down.
    by_phase_micros: [u128; PHASES],
    /// What is billed beyond the time lived, and the parts' rounding.
    pub rounding_micros: u128,
    /// What it would be if only time with at least one container were paid, by the millisecond.
    pub floor_micros: u128,
}

impl Cost {
    /// The bill for a life.
    pub fn of(life: &Life, price_per_hour_micros: u64, billing: &Billing) -> Self {
        let total_micros = price_micros(billed_span(life.lived(), billing), price_per_hour_micros);
        let by_phase_micros =
            life.spent_ms.map(|ms| price_micros(SimSpan::from_ms(ms), price_per_hour_micros));
        let rounding_micros = total_micros - by_phase_micros.iter().sum::<u128>();
        let floor_micros = price_micros(SimSpan::from_ms(life.loaded_ms), price_per_hour_micros);
        Self { total_micros, by_phase_micros, rounding_micros, floor_micros }
    }

    /// What the time in `phase` cost.
    pub fn part_micros(&self, phase: Phase) -> u128 {
        self.by_phase_micros[phase as usize]
    }

    /// Adds another instance's cost.
    pub fn add(&mut self, other: &Self) {
        self.total_micros += other.total_micros;
        self.rounding_micros += other.rounding_micros;
        self.floor_micros += other.floor_micros;
        for (sum, part) in self.by_phase_micros.iter_mut().zip(other.by_phase_micros) {
            *sum += part;
        }
    }

    /// Whether the parts add up to the bill.
    pub fn adds_up(&self) -> bool {
        self.by_phase_micros.iter().sum::<u128>() + self.rounding_micros == self.total_micros
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hourly_bill_is_split_by_what_the_time_was_for() {
        // Granted at 0, up at 180 s, busy 600 s to 2,400 s, draining from 3,000 s with a container until 3,060 s, down
        // until 3,080 s. At 3.6 an hour a second costs 1,000 millionths; the hour is paid whole.
        let hourly = Billing { quantum: SimSpan::from_hours(1), minimum: SimSpan::ZERO };
        let mut life = Life::begin(SimTime::ZERO);
        life.enter(Phase::Idle, false, SimTime::from_secs(180));
        life.enter(Phase::Busy, true, SimTime::from_secs(600));
        life.enter(Phase::Idle, false, SimTime::from_secs(2400));
        life.enter(Phase::Drain, true, SimTime::from_secs(3000));
        life.enter(Phase::Down, false, SimTime::from_secs(3060));
        life.enter(Phase::Down, false, SimTime::from_secs(3080));
        let cost = Cost::of(&life, 3_600_000, &hourly);
        assert_eq!(cost.total_micros, 3_600_000);
        assert_eq!(cost.part_micros(Phase::Boot), 180_000);
        assert_eq!(cost.part_micros(Phase::Busy), 1_800_000);
        assert_eq!(cost.part_micros(Phase::Idle), 420_000 + 600_000);
        assert_eq!(cost.part_micros(Phase::Drain), 60_000);
        assert_eq!(cost.part_micros(Phase::Down), 20_000);
        assert_eq!(cost.rounding_micros, 3_600_000 - 3_080_000);
        assert_eq!(cost.floor_micros, 1_860_000);
        assert!(cost.adds_up());
    }

    #[test]
    fn parts_are_rounded_down_and_rounding_takes_the_rest() {
        // 1 ms busy and 1 ms idle at 1.0 an hour: 0.277… millionths each, 0.555… together: all round down to 0.
        // With 4 ms the bill is 1.11 -> 1, the parts 0 + 0, so rounding is 1.
        let by_ms = Billing { quantum: SimSpan::MILLISECOND, minimum: SimSpan::ZERO };
        let mut life = Life::begin(SimTime::ZERO);
        life.enter(Phase::Busy, true, SimTime::ZERO);
        life.enter(Phase::Idle, false, SimTime::from_ms(2));
        life.enter(Phase::Idle, false, SimTime::from_ms(4));
        let cost = Cost::of(&life, 1_000_000, &by_ms);
        assert_eq!((cost.total_micros, cost.rounding_micros), (1, 1));
        assert!(cost.adds_up());
    }
}
