//! Named streams of random numbers that are the same on every machine and in every release.
//!
//! Each stream belongs to one (seed, purpose, index), and no two share a number. So the boot time of the k-th
//! instance is the same whatever else happens in the run, and two settings of a sweep meet the same luck.
//!
//! Three things make the values stable, and tests pin each of them:
//!
//! - The generator is ChaCha with eight rounds, whose output its authors define and which rand promises to keep
//!   (unlike its `StdRng`). Its 32-byte seed is four little-endian 64-bit words: the seed, the purpose's number,
//!   the index, and zero. Nothing is hashed: different triples are different seeds by construction.
//! - A sample is computed here from the generator's words, by inverse transform, and not by a library that may
//!   change how it does so. Larger words give larger samples, so that a changed parameter moves each sample a
//!   little instead of drawing anew.
//! - Logarithm and exponential are libm's. Those of the standard library differ between platforms in the last bit.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::time::SimSpan;

/// What random numbers are drawn for. Purposes never share a stream.
///
/// The numbers are part of every result: a new purpose takes the next free one, and none is ever used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// How long an instance takes to boot; the index is the instance's number.
    BootTime = 1,
    /// Whether an instance's boot fails; the index is the instance's number.
    BootFailure = 2,
}

impl Purpose {
    /// Every purpose there is, by number.
    pub const ALL: [Self; 2] = [Self::BootTime, Self::BootFailure];

    /// Its number in the generator's seed.
    pub const fn number(self) -> u64 {
        self as u64
    }

    /// Its name, as in a log of events.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BootTime => "boot_time",
            Self::BootFailure => "boot_failure",
        }
    }
}

/// All the random numbers of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomStreams {
    seed: u64,
}

impl RandomStreams {
    /// The streams of the run with this seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The run's seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The stream of the `index`-th thing that needs random numbers for `purpose`, from its beginning.
    pub fn stream(&self, purpose: Purpose, index: u64) -> Stream {
        let mut seed = [0; 32];
        let words = [self.seed, purpose.number(), index, 0];
        for (bytes, word) in seed.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Stream { generator: ChaCha8Rng::from_seed(seed) }
    }
}

/// One stream of random numbers.
///
/// Every sample takes one 64-bit word of the generator, except that [`uniform_ms`](Self::uniform_ms) takes another
/// one in the rare case that it must draw again.
#[derive(Debug)]
pub struct Stream {
    generator: ChaCha8Rng,
}

impl Stream {
    /// A number in the open interval from 0 to 1: never 0, never 1.
    ///
    /// It is `((word >> 11) | 1) / 2^53`: the upper 53 bits of a word, the last of them set. These are the middles
    /// of 2^52 equal parts of the interval, all of them exact as an `f64`, and as far from 0 as from 1.
    pub fn unit(&mut self) -> f64 {
        unit_of(self.generator.next_u64())
    }

    /// Whether something happens whose probability is `ratio`: never at 0, always at 1.
    pub fn chance(&mut self, ratio: f64) -> bool {
        self.unit() < ratio
    }

    /// A span from `low` to `high`, both included, each millisecond exactly as likely as the other.
    ///
    /// # Panics
    /// If `low` is longer than `high`.
    pub fn uniform_ms(&mut self, low: SimSpan, high: SimSpan) -> SimSpan {
        assert!(low <= high, "a uniform span needs low <= high, not {low} and {high}");
        // The upper word of word × count is the sample, the lower one what is left of it (Lemire, "Fast Random
        // Integer Generation in an Interval", 2019). The smallest (2^64 mod count) remainders are the surplus that
        // would make some samples likelier than others.
        const WORDS: u128 = 1 << 64;
        let count = u128::from(high.as_ms() - low.as_ms()) + 1;
        let surplus = WORDS % count;
        loop {
            let product = u128::from(self.generator.next_u64()) * count;
            if product % WORDS >= surplus {
                return SimSpan::from_ms(low.as_ms() + (product / WORDS) as u64);
            }
        }
    }

    /// A number of the standard normal distribution: mean 0, standard deviation 1.
    pub fn normal(&mut self) -> f64 {
        normal_quantile(self.unit())
    }

    /// A log-normally distributed span, given by its median and its 95th percentile, to the nearest millisecond
    /// and at most [`SimSpan::MAX`].
    ///
    /// It is median × e^(σz) with z [normal](Self::normal) and σ = ln(p95 / median) / z95, where z95 is the 95th
    /// percentile of the standard normal distribution.
    ///
    /// # Panics
    /// If `median` is zero or longer than `p95`.
    pub fn log_normal_ms(&mut self, median: SimSpan, p95: SimSpan) -> SimSpan {
        /// As published: 1.644853626951472714863848907991632…
        const Z95: f64 = 1.644_853_626_951_472_7;
        assert!(
            !median.is_zero() && median <= p95,
            "a log-normal span needs 0 < median <= p95, not {median} and {p95}"
        );
        let median_ms = median.as_ms() as f64;
        let sigma = libm::log(p95.as_ms() as f64 / median_ms) / Z95;
        let sample_ms = libm::round(median_ms * libm::exp(sigma * self.normal()));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is whole and not negative, and what does not fit becomes the largest there is"
        )]
        SimSpan::from_ms(sample_ms as u64).min(SimSpan::MAX)
    }
}

/// The number between 0 and 1 that [`Stream::unit`] makes of a word.
fn unit_of(word: u64) -> f64 {
    const TWO_TO_MINUS_53: f64 = 1.0 / (1_u64 << 53) as f64;
    ((word >> 11) | 1) as f64 * TWO_TO_MINUS_53
}

/// The number that a standard normal variable is below with probability `p`, which must lie between 0 and 1.
///
/// Accurate to about 16 digits: routine PPND16 of M. J. Wichura, "Algorithm AS 241: The Percentage Points of the
/// Normal Distribution", Applied Statistics 37(3), 1988, pages 477 to 484.
fn normal_quantile(p: f64) -> f64 {
    let [centre, shoulder, tail] = &PPND16;
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * quotient(centre, 0.180_625 - q * q);
    }
    let tail_ratio = if q < 0.0 { p } else { 1.0 - p };
    let r = libm::sqrt(-libm::log(tail_ratio));
    let magnitude = if r <= 5.0 { quotient(shoulder, r - 1.6) } else { quotient(tail, r - 5.0) };
    if q < 0.0 { -magnitude } else { magnitude }
}

/// The quotient of two polynomials at `x`, given by their coefficients, the constant ones first.
fn quotient([numerator, denominator]: &[[f64; 8]; 2], x: f64) -> f64 {
    let value = |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
    value(numerator) / value(denominator)
}

/// The polynomials of PPND16, numerator and denominator, for three ranges of p.
#[expect(clippy::excessive_precision, reason = "the digits are those that the paper prints")]
const PPND16: [[[f64; 8]; 2]; 3] = [
    // For p from 0.075 to 0.925, in 0.425² - (p - 0.5)².
    [
        [
            3.38713_28727_96366_6080,
            1.33141_66789_17843_7745e2,
            1.97159_09503_06551_4427e3,
            1.37316_93765_50946_1125e4,
            4.59219_53931_54987_1457e4,
            6.72657_70927_00870_0853e4,
            3.34305_75583_58812_8105e4,
            2.50908_09287_30122_6727e3,
        ],
        [
            1.0,
            4.23133_30701_60091_1252e1,
            6.87187_00749_20579_0830e2,
            5.39419_60214_24751_1077e3,
            2.12137_94301_58659_5867e4,
            3.93078_95800_09271_0610e4,
            2.87290_85735_72194_2674e4,
            5.22649_52788_52854_5610e3,
        ],
    ],
    // For p with a tail of at least e^-25, in √(-ln tail) - 1.6.
    [
        [
            1.42343_71107_49683_57734,
            4.63033_78461_56545_29590,
            5.76949_72214_60691_40550,
            3.64784_83247_63204_60504,
            1.27045_82524_52368_38258,
            2.41780_72517_74506_11770e-1,
            2.27238_44989_26918_45833e-2,
            7.74545_01427_83414_07640e-4,
        ],
        [
            1.0,
            2.05319_16266_37758_82187,
            1.67638_48301_83803_84940,
            6.89767_33498_51000_04550e-1,
            1.48103_97642_74800_74590e-1,
            1.51986_66563_61645_71966e-2,
            5.47593_80849_95344_94600e-4,
            1.05075_00716_44416_84324e-9,
        ],
    ],
    // For p with a smaller tail, in √(-ln tail) - 5.
    [
        [
            6.65790_46435_01103_77720,
            5.46378_49111_64114_36990,
            1.78482_65399_17291_33580,
            2.96560_57182_85048_91230e-1,
            2.65321_89526_57612_30930e-2,
            1.24266_09473_88078_43860e-3,
            2.71155_55687_43487_57815e-5,
            2.01033_43992_92288_13265e-7,
        ],
        [
            1.0,
            5.99832_20655_58879_37690e-1,
            1.36929_88092_27358_05310e-1,
            1.48753_61290_85061_48525e-2,
            7.86869_13114_56132_59100e-4,
            1.84631_83175_10054_68180e-5,
            1.42151_17583_16445_88870e-7,
            2.04426_31033_89939_78564e-15,
        ],
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    // The words of the generator and what follows from them were computed by a ChaCha of our own in Python, written
    // from Bernstein's paper and checked against the all-zero key's keystream for eight rounds in
    // draft-strombergson-chacha-test-vectors-01 (3e00ef2f 895f40d6 7f5bb8e8 1f09a5a1 …).

    /// The stream of the first instance's boot time under seed 1.
    fn boot_stream() -> Stream {
        RandomStreams::new(1).stream(Purpose::BootTime, 0)
    }

    #[test]
    fn the_generator_is_chacha8_with_the_documented_seed() {
        // (seed, purpose, index), words 0 to 2, and word 39, which lies beyond the generator's first buffer.
        let golden = [
            (
                (0, Purpose::BootTime, 0),
                [0x3feb_e7d0_52d7_6565, 0x519d_89fd_b939_a805, 0x5eec_aa33_8221_96c6],
                0xe9ed_0be0_0343_85f1,
            ),
            (
                (1, Purpose::BootTime, 0),
                [0x3c4b_894a_58c9_7f4b, 0xd468_5641_8a3d_4738, 0x7e11_b1dc_2915_ec19],
                0xa597_7a31_1878_2c15,
            ),
            (
                (1, Purpose::BootFailure, 0),
                [0x546a_768e_304f_f33a, 0x46c9_d70c_448a_8735, 0x7a4f_26d6_afa6_741c],
                0x7650_cc43_594f_8620,
            ),
            (
                (1, Purpose::BootTime, 1),
                [0x64d3_8fa8_b1e3_b022, 0x734b_bdd6_903f_ceae, 0xa919_e941_7d15_92b0],
                0xc7b8_8b11_3a21_61b6,
            ),
            (
                (u64::MAX, Purpose::BootFailure, u64::MAX),
                [0x7013_4b72_c6c5_7057, 0x0659_ecc6_0777_dfb4, 0xdf68_da56_0c71_180d],
                0x6343_8637_3332_0a1b_u64,
            ),
        ];
        for ((seed, purpose, index), first, fortieth) in golden {
            let mut stream = RandomStreams::new(seed).stream(purpose, index);
            let words: Vec<u64> = (0..40).map(|_| stream.generator.next_u64()).collect();
            assert_eq!(words[..3], first, "seed {seed}, {purpose:?} {index}");
            assert_eq!(words[39], fortieth, "seed {seed}, {purpose:?} {index}");
        }
    }

    #[test]
    fn purposes_keep_their_numbers_and_names() {
        let table: Vec<_> = Purpose::ALL.iter().map(|purpose| (purpose.number(), purpose.name())).collect();
        assert_eq!(table, [(1, "boot_time"), (2, "boot_failure")]);
    }

    #[test]
    fn a_stream_always_begins_anew() {
        let streams = RandomStreams::new(7);
        let mut once = streams.stream(Purpose::BootTime, 3);
        let first = once.unit();
        assert_ne!(once.unit(), first);
        assert_eq!(streams.stream(Purpose::BootTime, 3).unit(), first);
    }

    #[test]
    fn unit_numbers_are_pinned_and_open_at_both_ends() {
        let mut stream = boot_stream();
        let units: Vec<f64> = (0..4).map(|_| stream.unit()).collect();
        assert_eq!(
            units,
            [0.23552759232624065, 0.8297170553216705, 0.49245750069629646, 0.35144525361827494]
        );
        // By hand.
        assert_eq!(unit_of(0), 1.0 / 9_007_199_254_740_992.0);
        assert_eq!(unit_of(u64::MAX), 1.0 - unit_of(0));
        assert!(unit_of(u64::MAX) < 1.0);
    }

    #[test]
    fn uniform_spans_are_pinned() {
        let mut stream = boot_stream();
        let (low, high) = (SimSpan::from_secs(60), SimSpan::from_secs(180));
        let spans: Vec<u64> = (0..6).map(|_| stream.uniform_ms(low, high).as_ms()).collect();
        assert_eq!(spans, [88_263, 159_566, 119_095, 102_173, 166_937, 73_001]);
    }

    #[test]
    fn a_word_that_would_bias_a_uniform_span_is_passed_over() {
        // 2^63 + 1 values: nearly every second word is surplus; of this stream's first ten, words 4 to 8 are.
        let mut stream = boot_stream();
        let high = SimSpan::from_ms(1 << 63);
        let spans: Vec<u64> = (0..5).map(|_| stream.uniform_ms(SimSpan::ZERO, high).as_ms()).collect();
        assert_eq!(
            spans[..4],
            [2172358608969580453, 7652789086555382684, 4542118741261612556, 3241510324708132364]
        );
        let mut words = boot_stream();
        let tenth = (0..10).map(|_| words.generator.next_u64()).last().expect("there are ten");
        assert_eq!(spans[4], ((u128::from(tenth) * ((1 << 63) + 1)) >> 64) as u64);
        // All 2^64 values: no word is surplus.
        let whole = boot_stream().uniform_ms(SimSpan::ZERO, SimSpan::from_ms(u64::MAX));
        assert_eq!(whole.as_ms(), boot_stream().generator.next_u64());
    }

    #[test]
    fn uniform_spans_reach_both_ends_evenly() {
        let mut stream = RandomStreams::new(11).stream(Purpose::BootTime, 0);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            let span = stream.uniform_ms(SimSpan::from_ms(10), SimSpan::from_ms(15));
            counts[usize::try_from(span.as_ms() - 10).expect("it is at most 5")] += 1;
        }
        // 10,000 of each are expected; five standard deviations are 456.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 456), "{counts:?}");
        let span = SimSpan::from_secs(5);
        assert_eq!(stream.uniform_ms(span, span), span);
    }

    #[test]
    #[should_panic(expected = "needs low <= high, not 2s and 1s")]
    fn a_uniform_span_upside_down_is_a_defect() {
        boot_stream().uniform_ms(SimSpan::from_secs(2), SimSpan::from_secs(1));
    }

    #[test]
    fn normal_quantiles_are_those_of_the_published_algorithm() {
        // From mpmath with 50 digits, by its inverse error function or by a root of its erfc: not this algorithm.
        // The first, third and sixth also stand in Wichura's paper, as tests of PPND16.
        let exact = [
            (1e-20, -9.262_340_089_798_408),
            (1e-10, -6.361_340_902_404_056),
            (0.001, -3.090_232_306_167_813_5),
            (0.025, -1.959_963_984_540_054),
            (0.07, -1.475_791_028_179_171),
            (0.25, -0.674_489_750_196_081_7),
            (0.4, -0.253_347_103_135_799_8),
            (0.5, 0.0),
            (0.6, 0.253_347_103_135_799_8),
            (0.95, 1.644_853_626_951_472_7),
            (0.975, 1.959_963_984_540_054),
            (0.99, 2.326_347_874_040_841),
        ];
        for (p, z) in exact {
            let found = normal_quantile(p);
            assert!((found - z).abs() <= 1e-15 * z.abs(), "{p}: {found} instead of {z}");
        }
    }

    #[test]
    fn normal_numbers_are_pinned() {
        // From Python's statistics.NormalDist().inv_cdf on the units above; that is another writing of PPND16 over
        // the C library's logarithm, so the last digit may differ.
        let golden = [
            -0.720763258292486,
            0.9530477271349042,
            -0.01890736848370355,
            -0.38142150368124517,
            1.2326168273035427,
            -1.2353726771427134,
        ];
        let mut stream = boot_stream();
        for expected in golden {
            let found = stream.normal();
            assert!((found - expected).abs() <= 1e-15, "{found} instead of {expected}");
        }
    }

    #[test]
    fn log_normal_spans_are_pinned() {
        // 120 s × e^(σz) with σ = ln 2 / z95, in Python: 88567.0, 179308.8, 119047.7, 102182.4, 201728.1, 71300.4.
        let mut stream = boot_stream();
        let (median, p95) = (SimSpan::from_secs(120), SimSpan::from_secs(240));
        let spans: Vec<u64> = (0..6).map(|_| stream.log_normal_ms(median, p95).as_ms()).collect();
        assert_eq!(spans, [88_567, 179_309, 119_048, 102_182, 201_728, 71_300]);
    }

    #[test]
    fn log_normal_spans_have_their_median_and_p95() {
        let (median, p95) = (SimSpan::from_secs(120), SimSpan::from_secs(300));
        let streams = RandomStreams::new(2026);
        // One stream for each, as instances draw them.
        let mut spans: Vec<u64> = (0..100_000)
            .map(|index| streams.stream(Purpose::BootTime, index).log_normal_ms(median, p95).as_ms())
            .collect();
        spans.sort_unstable();
        // Four standard errors of the quantiles of 100,000 samples are below 0.9 % and 1.5 %.
        assert!(spans[50_000].abs_diff(120_000) < 1_080, "median {}", spans[50_000]);
        assert!(spans[95_000].abs_diff(300_000) < 4_500, "p95 {}", spans[95_000]);
    }

    #[test]
    fn log_normal_spans_at_the_edges() {
        let span = SimSpan::from_secs(90);
        assert_eq!(boot_stream().log_normal_ms(span, span), span);
        assert_eq!(boot_stream().log_normal_ms(SimSpan::MAX, SimSpan::MAX), SimSpan::MAX);
        // Half of the samples exceed their median, here the longest span there is.
        let mut stream = boot_stream();
        let longest = (0..100).map(|_| stream.log_normal_ms(SimSpan::MAX, SimSpan::from_ms(u64::MAX))).max();
        assert_eq!(longest, Some(SimSpan::MAX));
    }

    #[test]
    #[should_panic(expected = "needs 0 < median <= p95, not 0s and 1s")]
    fn a_log_normal_span_without_a_median_is_a_defect() {
        boot_stream().log_normal_ms(SimSpan::ZERO, SimSpan::from_secs(1));
    }

    #[test]
    #[should_panic(expected = "needs 0 < median <= p95, not 2s and 1s")]
    fn a_log_normal_span_upside_down_is_a_defect() {
        boot_stream().log_normal_ms(SimSpan::from_secs(2), SimSpan::from_secs(1));
    }

    #[test]
    fn a_chance_comes_as_often_as_its_ratio_says() {
        let streams = RandomStreams::new(7);
        let failures =
            (0..10_000).filter(|&index| streams.stream(Purpose::BootFailure, index).chance(0.05)).count();
        // Counted by the same in Python; 500 are expected.
        assert_eq!(failures, 504);
        let mut stream = boot_stream();
        assert!((0..10_000).all(|_| !stream.chance(0.0)));
        assert!((0..10_000).all(|_| stream.chance(1.0)));
    }
}
