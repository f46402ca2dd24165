//! The parameters of the policies that make a cluster grow and shrink.

use std::sync::Arc;

use crate::rules::matrix::Matrix;
use crate::rules::windows::{ShutdownWindows, WindowEnds};
use crate::time::SimSpan;

/// Which policy decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyKind {
    /// The Arvados node manager's matrix: a node goes when it has been idle for long enough.
    NodeManager,
    /// Capacity above the need is taken away whether or not the node is empty, as EMR and Dataproc do.
    Surplus,
    /// Nothing grows and nothing shrinks.
    None,
}

/// How the words of the policy matrix are used (spec node_manager.md, 2.0 against 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// As the policy page of 2016-04-14 defines them: idle grace is a time.
    Page,
    /// As the final code does: idle grace counts polls, and an unpaired node past its boot grace is down.
    Code,
}

/// What a policy goes by. A span that is `None` is "never".
#[derive(Clone, Debug)]
pub struct PolicyRules {
    /// Which policy decides.
    pub kind: PolicyKind,
    /// Time between two polls; the first is at 0.
    pub poll: SimSpan,
    /// How long a node may stand idle, or a surplus last, before nodes are drained.
    pub idle_grace: Option<SimSpan>,
    /// How long after its grant an instance may be without a registered agent.
    pub boot_grace: Option<SimSpan>,
    /// A node whose last ping is this old is down.
    pub ping_stale_after: Option<SimSpan>,
    /// How old the picture is by which nodes are chosen to go.
    pub report_age: SimSpan,
    /// When a node of the node manager may be stopped within its paid hour.
    pub windows: ShutdownWindows,
    /// The node manager's decision table.
    pub matrix: Arc<Matrix>,
    /// How its words are used.
    pub mapping: Mapping,
    /// Whether the known defects of the node manager are played too.
    pub bug_compatible: bool,
    /// Nodes that are up at time 0 and never given up.
    pub min_nodes: u32,
    /// Most instances, in any state.
    pub max_nodes: u32,
}

impl PolicyRules {
    /// Which of its ends belong to a shutdown window.
    pub const fn window_ends(&self) -> WindowEnds {
        if self.bug_compatible { WindowEnds::Exclusive } else { WindowEnds::HalfOpen }
    }
}
