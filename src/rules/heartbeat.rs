//! How nodes beat, and when a silent one is given up.

use crate::time::SimSpan;

/// Scaling of the interval by the node's load (yarn.md 7.6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// The shortest interval.
    pub min: SimSpan,
    /// The longest interval.
    pub max: SimSpan,
    /// How strongly a node that is less loaded than the cluster beats more often.
    pub speedup: f64,
    /// How strongly a node that is more loaded than the cluster beats less often.
    pub slowdown: f64,
}

impl Scaling {
    /// From a beat of a node to its next where the unscaled interval is `interval`, to the nearest millisecond. Both
    /// utilisations are shares between 0 and 1.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an interval has far fewer than 2^53 ms; what is negative or too large is clamped"
    )]
    fn interval(&self, interval: SimSpan, node: f64, cluster: f64) -> SimSpan {
        let factor = if node > cluster {
            1.0 + (node - cluster) * self.slowdown
        } else {
            1.0 - (cluster - node) * self.speedup
        };
        let scaled = SimSpan::from_ms((interval.as_ms() as f64 * factor).round() as u64);
        scaled.clamp(self.min, self.max)
    }
}

/// How nodes beat, and when a silent one is given up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeartbeatRules {
    /// From one beat to the next.
    pub interval: SimSpan,
    /// A node that was last heard longer ago than this is lost; `None`: never.
    pub expiry: Option<SimSpan>,
    /// The moment of the first check for silent nodes; `None`: one period (a third of the expiry) after the start.
    pub check_offset: Option<SimSpan>,
    /// Scaling of the interval; `None`: it is off.
    pub scaling: Option<Scaling>,
}

impl HeartbeatRules {
    /// From a beat of a node to its next (yarn.md 7.6): what the answer to the beat says. Utilisations are shares
    /// between 0 and 1; `None`: that of the node is not known, so it beats as if there were no scaling.
    pub fn next_interval(&self, node: Option<f64>, cluster: f64) -> SimSpan {
        match (self.scaling, node) {
            (Some(scaling), Some(node)) => scaling.interval(self.interval, node, cluster),
            (None, _) | (Some(_), None) => self.interval,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: HeartbeatRules = HeartbeatRules {
        interval: SimSpan::from_secs(2),
        expiry: None,
        check_offset: None,
        scaling: Some(Scaling {
            min: SimSpan::from_ms(1500),
            max: SimSpan::from_ms(2500),
            speedup: 1.0,
            slowdown: 1.0,
        }),
    };

    #[test]
    fn case_rn_43_a_node_beats_by_its_load() {
        // yarn.md 10.2, RN-43: the cluster is at 50 %. (per cent of the node, milliseconds).
        for (percent, expected_ms) in [
            (0, 1500),
            (10, 1500),
            (20, 1500),
            (30, 1600),
            (40, 1800),
            (50, 2000),
            (60, 2200),
            (70, 2400),
            (80, 2500),
            (90, 2500),
            (100, 2500),
        ] {
            let node = Some(f64::from(percent) / 100.0);
            assert_eq!(RULES.next_interval(node, 0.5), SimSpan::from_ms(expected_ms), "RN-43, {percent} %");
        }
    }

    #[test]
    fn factors_weigh_the_two_sides() {
        // 2 s × (1 + 0.1 × 2) and 2 s × (1 - 0.1 × 0.5); a factor below 0 ends at the shortest interval.
        let scaling = RULES.scaling.map(|scaling| Scaling { speedup: 0.5, slowdown: 2.0, ..scaling });
        let weighed = HeartbeatRules { scaling, ..RULES };
        assert_eq!(weighed.next_interval(Some(0.6), 0.5), SimSpan::from_ms(2400));
        assert_eq!(weighed.next_interval(Some(0.4), 0.5), SimSpan::from_ms(1900));
        let scaling = RULES.scaling.map(|scaling| Scaling { speedup: 1000.0, ..scaling });
        let eager = HeartbeatRules { scaling, ..RULES };
        assert_eq!(eager.next_interval(Some(0.0), 1.0), SimSpan::from_ms(1500));
    }

    #[test]
    fn without_scaling_or_data_the_interval_is_the_configured_one() {
        assert_eq!(HeartbeatRules { scaling: None, ..RULES }.next_interval(Some(1.0), 0.0), RULES.interval);
        assert_eq!(RULES.next_interval(None, 0.9), RULES.interval);
    }
}
