//! What a machine of the cloud is: its size, its price, how long it takes to boot and to stop.

use crate::time::SimSpan;

/// One kind of instance that the cloud can grant.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeType {
    /// Its name, unique in a scenario.
    pub name: String,
    /// Processor cores, at least one.
    pub cores: u32,
    /// Memory in bytes; `None`: memory is not counted on this type.
    pub memory_bytes: Option<u64>,
    /// Price of an hour, in millionths of the currency.
    pub price_per_hour_micros: u64,
    /// From the grant to the registration of the agent.
    pub boot: BootTime,
    /// Probability that a boot fails: the instance is paid but never registers. In [0, 1].
    pub boot_failure_ratio: f64,
    /// From the stop order to the end of the instance.
    pub stop: SimSpan,
}

/// How long a boot takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootTime {
    /// Always the same.
    Fixed(SimSpan),
    /// Anything between the two, both ends included, each millisecond as likely as the other.
    Uniform(SimSpan, SimSpan),
    /// Log-normal, given by its median and its 95th percentile.
    LogNormal {
        /// Half of the boots take no longer than this.
        median: SimSpan,
        /// 95 of 100 boots take no longer than this.
        p95: SimSpan,
    },
}

impl BootTime {
    /// The median boot time: what a scheduler may expect of a node that has been asked for.
    pub fn median(&self) -> SimSpan {
        match *self {
            Self::Fixed(span) => span,
            Self::Uniform(low, high) => SimSpan::from_ms(low.as_ms().midpoint(high.as_ms())),
            Self::LogNormal { median, .. } => median,
        }
    }
}
