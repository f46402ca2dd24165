//! Random quantities as a SYNTH file describes them: constants, distributions, choices (yarn.md 11.3).

use super::draw::Draws;
use super::error::AppFault;
use super::json::{Fields, finite, scalar};

const A_SAMPLE: &str =
    "a sample, as in { \"val\": 5 }, { \"val\": 5, \"std\": 1 } or { \"discrete\": [ 1, 2 ] },";
const A_NUMBER: &str = "a finite number";
const POSITIVE: &str = "a number above 0, which a distribution needs (a constant has no \"std\"),";
const NOT_NEGATIVE: &str = "a finite number of 0 or more";
const A_DIST: &str = "LOGNORM or NORM";
const NO_MIX: &str =
    "nothing, since \"val\" with \"discrete\", and \"dist\" or \"weights\" without what they belong to,";
const NUMBERS: &str = "a list of at least one number";
const WEIGHTS: &str =
    "a list of as many weights as \"discrete\" has numbers, 0 or more and not all of them 0,";

/// A random quantity.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sample {
    /// Always this. Draws nothing.
    Constant(f64),
    /// `exp(mu + sigma z)` with z normal.
    LogNormal {
        /// Mean of the logarithm.
        mu: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// `mean + std z` with z normal.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        std: f64,
    },
    /// One of these.
    Discrete {
        /// What may come.
        values: Vec<f64>,
        /// How likely each is.
        weights: Vec<f64>,
    },
}

impl Sample {
    /// Reads the sample at `key`.
    ///
    /// # Errors
    /// There is none, or it mixes forms, or one of its numbers is no good.
    pub(super) fn read(fields: &Fields<'_>, key: &str) -> Result<Self, AppFault> {
        let sample = fields.object(key, A_SAMPLE)?.ok_or_else(|| fields.fault(key, A_SAMPLE))?;
        let forbidden: &[&str] = match (sample.has("val"), sample.has("std"), sample.has("discrete")) {
            (true, true, _) => &["discrete", "weights"],
            (true, false, _) => &["dist", "discrete", "weights"],
            // YARN reads a choice with them and does not look at them.
            (false, _, true) => &["std", "dist"],
            (false, _, false) => return Err(fields.fault(key, A_SAMPLE)),
        };
        if let Some(key) = forbidden.iter().find(|key| sample.has(key)) {
            return Err(sample.fault(key, NO_MIX));
        }
        let Some(val) = sample.real("val", A_NUMBER)? else { return Self::read_discrete(&sample) };
        let Some(std) = sample.real("std", NOT_NEGATIVE)? else { return Ok(Self::Constant(val)) };
        match sample.text("dist", A_DIST)?.as_deref() {
            None | Some("LOGNORM") => {
                Self::log_normal(val, std).map_err(|bad| bad.fault(&sample, "val", "std"))
            }
            Some("NORM") => Self::normal(val, std).map_err(|bad| bad.fault(&sample, "val", "std")),
            Some(_) => Err(sample.fault("dist", A_DIST)),
        }
    }

    /// Reads the sample that the older flat form spreads over two keys: always log-normal.
    ///
    /// # Errors
    /// One of the numbers is no good.
    pub(super) fn read_flat(fields: &Fields<'_>, val_key: &str, std_key: &str) -> Result<Self, AppFault> {
        let val = fields.real(val_key, A_NUMBER)?.ok_or_else(|| fields.fault(val_key, POSITIVE))?;
        let std = fields.real(std_key, NOT_NEGATIVE)?.unwrap_or(0.0);
        Self::log_normal(val, std).map_err(|bad| bad.fault(fields, val_key, std_key))
    }

    fn read_discrete(sample: &Fields<'_>) -> Result<Self, AppFault> {
        let numbers = |key, expected| {
            let list = sample.list(key, expected)?;
            let number = |value| {
                scalar(value).and_then(|text| finite(&text)).ok_or_else(|| AppFault::Value {
                    key: sample.at(key),
                    found: "a list with something else in it".to_owned(),
                    expected,
                })
            };
            list.map(|list| list.iter().map(number).collect::<Result<Vec<f64>, _>>()).transpose()
        };
        let values = numbers("discrete", NUMBERS)?.filter(|values| !values.is_empty());
        let values = values.ok_or_else(|| sample.fault("discrete", NUMBERS))?;
        let weights = numbers("weights", WEIGHTS)?.unwrap_or_else(|| vec![1.0; values.len()]);
        if weights.len() == values.len() && are_weights(&weights) {
            Ok(Self::Discrete { values, weights })
        } else {
            Err(sample.fault("weights", WEIGHTS))
        }
    }

    /// The log-normal distribution whose mean and standard deviation are `val` and `std`.
    fn log_normal(val: f64, std: f64) -> Result<Self, BadMoment> {
        let std = default_std(val, std)?;
        let ratio = std / val;
        let variance = libm::log1p(ratio * ratio);
        if !variance.is_finite() {
            return Err(BadMoment::Std);
        }
        Ok(Self::LogNormal { mu: libm::log(val) - variance / 2.0, sigma: libm::sqrt(variance) })
    }

    fn normal(val: f64, std: f64) -> Result<Self, BadMoment> {
        Ok(Self::Normal { mean: val, std: default_std(val, std)? })
    }

    /// Draws one number, which may be anything, even infinite.
    pub(super) fn draw(&self, draws: &mut Draws) -> f64 {
        match self {
            Self::Constant(val) => *val,
            Self::LogNormal { mu, sigma } => libm::exp(mu + sigma * draws.normal()),
            Self::Normal { mean, std } => mean + std * draws.normal(),
            Self::Discrete { values, weights } => values[draws.pick(weights)],
        }
    }
}

/// Which moment of a distribution is no good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BadMoment {
    Val,
    Std,
}

impl BadMoment {
    fn fault(self, fields: &Fields<'_>, val_key: &str, std_key: &str) -> AppFault {
        match self {
            Self::Val => fields.fault(val_key, POSITIVE),
            Self::Std => fields.fault(std_key, NOT_NEGATIVE),
        }
    }
}

/// The standard deviation; one of 0 stands for a sixth of the mean, as in YARN.
fn default_std(val: f64, std: f64) -> Result<f64, BadMoment> {
    match (val > 0.0, std >= 0.0) {
        (false, _) => Err(BadMoment::Val),
        (true, false) => Err(BadMoment::Std),
        (true, true) => Ok(if std == 0.0 { val / 6.0 } else { std }),
    }
}

/// Whether one can pick by `weights`: none is negative, one is above 0, and they can be summed.
pub(super) fn are_weights(weights: &[f64]) -> bool {
    let sum: f64 = weights.iter().sum();
    weights.iter().all(|weight| *weight >= 0.0) && sum > 0.0 && sum.is_finite()
}

/// `value` as a whole number, a half rounded up; `None` where an `f64` no longer holds every whole number.
pub(super) fn rounded(value: f64) -> Option<i64> {
    const MOST: f64 = (1_i64 << 53) as f64;
    let rounded = (value + 0.5).floor();
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and less than 2^53")]
    (rounded.abs() < MOST).then_some(rounded as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::*;
    use crate::workload::draw::Purpose;

    fn read(sample: &str) -> Result<Sample, String> {
        let map: Map<String, Value> =
            serde_json::from_str(&format!("{{\"count\": {sample}}}")).expect("JSON");
        Sample::read(&Fields::new(&map), "count").map_err(|fault| fault.to_string())
    }

    /// Mean and standard deviation of 100,000 draws.
    fn moments(sample: &Sample) -> (f64, f64) {
        let mut draws = Draws::new(1, Purpose::Tasks, 0);
        let drawn: Vec<f64> = (0..100_000).map(|_| sample.draw(&mut draws)).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let variance = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / drawn.len() as f64;
        (mean, variance.sqrt())
    }

    #[test]
    fn the_moments_of_a_distribution_are_those_of_the_variable_itself() {
        for (text, mean, std) in [
            (r#"{"val": 120, "std": 20}"#, 120.0, 20.0),
            (r#"{"val": "120", "std": 60, "dist": "LOGNORM"}"#, 120.0, 60.0),
            (r#"{"val": 120, "std": 20, "dist": "NORM"}"#, 120.0, 20.0),
            (r#"{"val": 120, "std": 0}"#, 120.0, 20.0),
            (r#"{"val": 120, "std": 0, "dist": "NORM"}"#, 120.0, 20.0),
            (r#"{"val": -7.5}"#, -7.5, 0.0),
            (r#"{"discrete": [1, "3"]}"#, 2.0, 1.0),
            (r#"{"discrete": [0, 10], "weights": ["0.9", 0.1]}"#, 1.0, 3.0),
        ] {
            let (found_mean, found_std) = moments(&read(text).expect(text));
            // Five standard errors of the mean of 100,000 draws; those of these deviations are below 1 %.
            assert!((found_mean - mean).abs() <= 5.0 * std / 316.0, "{text}: mean {found_mean}");
            assert!((found_std - std).abs() <= 0.03 * std + 1e-9, "{text}: standard deviation {found_std}");
        }
    }

    #[test]
    fn log_normal_parameters_are_those_of_the_text() {
        // By hand: sigma^2 = ln(1 + 1) and mu = ln 4 - sigma^2 / 2, with ln 2 = 0.693147…
        let Ok(Sample::LogNormal { mu, sigma }) = read(r#"{"val": 4, "std": 4}"#) else {
            panic!("log-normal")
        };
        let ln_2 = std::f64::consts::LN_2;
        assert!((sigma * sigma - ln_2).abs() < 1e-15 && (mu - 1.5 * ln_2).abs() < 1e-15, "{mu} {sigma}");
    }

    #[test]
    fn other_mixes_and_bad_numbers_are_refused() {
        for (text, message) in [
            ("5", "count is 5, and a sample, as in"),
            ("null", "count is missing, and a sample, as in"),
            ("{}", "count is an object, and a sample, as in"),
            (r#"{"std": 1}"#, "count is an object, and a sample"),
            (r#"{"val": 1, "dist": "NORM"}"#, "count.dist is \"NORM\", and nothing, since"),
            (r#"{"val": 1, "discrete": [1]}"#, "count.discrete is a list, and nothing, since"),
            (r#"{"val": 1, "std": 1, "weights": [1]}"#, "count.weights is a list, and nothing, since"),
            (r#"{"discrete": [1], "std": 1}"#, "count.std is 1, and nothing, since"),
            (r#"{"val": "NaN"}"#, "count.val is \"NaN\", and a finite number is expected"),
            (r#"{"val": 0, "std": 1}"#, "count.val is 0, and a number above 0, which a distribution needs"),
            (r#"{"val": -1, "std": 1, "dist": "NORM"}"#, "count.val is -1, and a number above 0"),
            (r#"{"val": 1, "std": -1}"#, "count.std is -1, and a finite number of 0 or more"),
            (r#"{"val": 1e-300, "std": 1e300}"#, "count.std is 1e+300, and a finite number of 0 or more"),
            (
                r#"{"val": 1, "std": 1, "dist": "norm"}"#,
                "count.dist is \"norm\", and LOGNORM or NORM is expected",
            ),
            (r#"{"discrete": []}"#, "count.discrete is a list, and a list of at least one number"),
            (
                r#"{"discrete": ["x"]}"#,
                "count.discrete is a list with something else in it, and a list of at",
            ),
            (
                r#"{"discrete": [1, 2], "weights": [1]}"#,
                "count.weights is a list, and a list of as many weights",
            ),
            (
                r#"{"discrete": [1], "weights": [0]}"#,
                "count.weights is a list, and a list of as many weights",
            ),
            (r#"{"discrete": [1, 2], "weights": [-1, 2]}"#, "count.weights is a list, and a list of as many"),
        ] {
            let found = read(text).expect_err(text);
            assert!(found.starts_with(message), "{text}: {found}");
        }
    }

    #[test]
    fn a_half_is_rounded_up_and_what_is_too_large_is_none() {
        assert_eq!(rounded(-0.5), Some(0));
        assert_eq!(rounded(-1.6), Some(-2));
        for out_of_range in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300, 9_007_199_254_740_992.0] {
            assert_eq!(rounded(out_of_range), None);
        }
    }
}
