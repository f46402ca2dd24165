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
