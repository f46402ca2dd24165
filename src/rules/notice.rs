//! What the masters of applications are told of nodes (yarn.md 4.6).

use std::fmt;

use crate::rules::rmnode::RmNodeState;
use crate::time::SimSpan;

/// What a node is to applications from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateType {
    /// It may run containers.
    Usable,
    /// What ran there is gone.
    Unusable,
    /// It drains.
    Decommissioning,
}

impl UpdateType {
    /// YARN's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Usable => "NODE_USABLE",
            Self::Unusable => "NODE_UNUSABLE",
            Self::Decommissioning => "NODE_DECOMMISSIONING",
        }
    }
}

/// How a node reads at the moment of the call that tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeReport {
    /// The RMNode's state.
    pub state: RmNodeState,
    /// Of its last drain; `Some(None)`: for ever, `None`: it has never drained.
    pub timeout: Option<Option<SimSpan>>,
}

impl fmt::Display for NodeReport {
    /// As it stands in `events.csv`: `state=DECOMMISSIONING timeout=30s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "state={} timeout=", self.state.name())?;
        match self.timeout {
            Some(Some(timeout)) => write!(f, "{timeout}"),
            Some(None) => f.write_str("never"),
            None => f.write_str("none"),
        }
    }
}
