//! Random numbers of generated workloads: named streams that are the same on every machine and in every release.
//!
//! Each stream belongs to one (seed, purpose, index), as those of a run do (`engine::random`), and shares no number
//! with any of them whatever the seeds. The arithmetic is a contract, and tests pin it:
//!
//! - The generator is ChaCha with eight rounds. Its 32-byte seed is four little-endian 64-bit words: the seed, the
//!   purpose's number, the index, and 1 (where the streams of a run have 0).
//! - `unit` takes one word w and is `((w >> 11) | 1) / 2^53`, a number between 0 and 1 that is neither.
//! - `below(n)` takes one word w and is the upper word of `w * n`; that a number is likelier than another by up to
//!   n / 2^64 shows in no sample.
//! - `pick` takes one `unit` u, even where there is no choice: the first entry at which the weights, summed from the
//!   front, exceed u times their sum. If rounding lets none, the last entry with a weight.
//! - `normal` takes two units u and v and is `sqrt(-2 ln u) * cos(2 pi v)` (Box and Muller 1958), with libm's logarithm
//!   and cosine, since those of the standard library differ between platforms in the last bit.

use std::f64::consts::TAU;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// What is drawn. The numbers are part of every result: a new purpose takes the next free one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Which workload, when, and which class; the index is the job's number.
    Story = 1,
    /// How many tasks, how large and how long; the index is the job's number.
    Tasks = 2,
    /// Which nodes the tasks prefer; the index is the job's number.
    Places = 3,
}

/// One stream.
#[derive(Debug)]
pub(super) struct Draws {
    generator: ChaCha8Rng,
}

impl Draws {
    /// Sets these streams apart from those of a run.
    const OF_A_WORKLOAD: u64 = 1;

    /// The stream of the `index`-th thing that is drawn for `purpose`, from its beginning.
    pub(super) fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        let mut bytes = [0; 32];
        let words = [seed, purpose as u64, index, Self::OF_A_WORKLOAD];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Self { generator: ChaCha8Rng::from_seed(bytes) }
    }

    /// A number between 0 and 1, neither of them included.
    pub(super) fn unit(&mut self) -> f64 {
        const TWO_TO_MINUS_53: f64 = 1.0 / (1_u64 << 53) as f64;
        ((self.generator.next_u64() >> 11) | 1) as f64 * TWO_TO_MINUS_53
    }

    /// A whole number from 0 to `count`, without `count`; 0 if that is 0.
    pub(super) fn below(&mut self, count: u64) -> u64 {
        ((u128::from(self.generator.next_u64()) * u128::from(count)) >> 64) as u64
    }

    /// The number of an entry of `weights`; none of them is negative, and one is above 0.
    pub(super) fn pick(&mut self, weights: &[f64]) -> usize {
        let mark = self.unit() * weights.iter().sum::<f64>();
        let mut sum = 0.0;
        let exceeds = |weight: &f64| {
            sum += weight;
            sum > mark
        };
        let last = || weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
        weights.iter().position(exceeds).unwrap_or_else(last)
    }

    /// A number of the standard normal distribution.
    pub(super) fn normal(&mut self) -> f64 {
        let (u, v) = (self.unit(), self.unit());
        libm::sqrt(-2.0 * libm::log(u)) * libm::cos(TAU * v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // All numbers are those of tests/data/yarn-sls/synth.py, whose ChaCha is its own; it also gives the words that
    // `engine::random` pins when its last seed word is 0.

    #[test]
    fn the_generator_is_chacha8_with_the_documented_seed() {
        let words = |seed, purpose, index| {
            let mut draws = Draws::new(seed, purpose, index);
            (0..40).map(|_| draws.generator.next_u64()).collect::<Vec<_>>()
        };
        let story = words(2, Purpose::Story, 0);
        assert_eq!(story[..3], [0xcbff_b0a0_2b41_28d2, 0xfadc_6989_1213_7862, 0x207b_1be9_e201_472b]);
        assert_eq!(words(2, Purpose::Tasks, 0)[0], 0x9d25_b54e_de7e_6add);
        assert_eq!(words(2, Purpose::Places, 9)[0], 0x78f0_9894_aed1_62c5);
        // Beyond the generator's first buffer.
        assert_eq!(words(u64::MAX, Purpose::Places, 5)[39], 0xbd6f_db83_ba4a_418e);
    }

    #[test]
    fn each_kind_of_draw_is_pinned() {
        let mut draws = Draws::new(2, Purpose::Story, 0);
        assert_eq!(draws.unit(), 0.796_870_268_920_660_7);
        assert_eq!(draws.below(1000), 979);
        let normal = draws.normal();
        assert!((normal + 1.506_904_138_274_046_7).abs() < 1e-15, "{normal}");
        assert_eq!(draws.pick(&[1.0, 0.0, 2.0, 0.0]), 2);
        assert_eq!(draws.below(0), 0);
        assert_eq!(draws.below(1), 0);
    }

    #[test]
    fn picks_follow_their_weights() {
        let mut counts = [0_u32; 4];
        let mut draws = Draws::new(1, Purpose::Story, 0);
        for _ in 0..60_000 {
            counts[draws.pick(&[1.0, 0.0, 2.0, 3.0])] += 1;
        }
        // 10,000, 0, 20,000 and 30,000 are expected; five standard deviations are below 620.
        assert!(counts[0].abs_diff(10_000) < 620 && counts[2].abs_diff(20_000) < 620, "{counts:?}");
        assert_eq!(counts[1], 0);
        assert!((0..1000).all(|_| draws.pick(&[0.0, 1e-300, 0.0]) == 1));
    }
}
