//! A scenario as it is played: every key resolved.

use crate::rules::billing::Billing;
use crate::rules::drain::DrainRules;
use crate::rules::elastic::PolicyRules;
use crate::rules::heartbeat::HeartbeatRules;
use crate::rules::machine::{MinimumAllocation, NodeType};
use crate::rules::scheduling::{Retries, Scheduling};
use crate::rules::script::Script;
use crate::rules::untracked::TrackingRules;
use crate::time::SimSpan;
use crate::workload::WorkloadSpec;
use crate::workload::app::App;

/// One scenario, resolved and checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is called; by default its file's stem.
    pub name: String,
    /// The root of all random streams.
    pub seed: u64,
    /// Where the run ends; `None`: with the end of the last job, or of the script.
    pub horizon: Option<SimSpan>,
    /// The trace to be replayed; `None`: nodes are named, or applications or actions given.
    pub workload: Option<WorkloadSpec>,
    /// The digest of the node file's bytes as stored; empty if there is none.
    pub nodes_fnv1a: String,
    /// The applications, in the file's order.
    pub apps: Vec<App>,
    /// Named nodes, hosts files, and what is done when.
    pub script: Script,
    /// What becomes of killed jobs.
    pub retries: Retries,
    /// The kinds of instances, in the file's order. Never empty.
    pub node_types: Vec<NodeType>,
    /// How instances are billed.
    pub billing: Billing,
    /// How nodes beat.
    pub heartbeat: HeartbeatRules,
    /// How jobs are started.
    pub scheduling: Scheduling,
    /// How the cluster grows and shrinks.
    pub policy: PolicyRules,
    /// How drains are watched.
    pub decommission: DrainRules,
    /// When nodes out of service are forgotten, and whether those that never came are missed.
    pub tracking: TrackingRules,
    /// What a node must have to register.
    pub minimum: MinimumAllocation,
}

/// What `sweep` varies and compares.
#[derive(Clone, Debug, Default)]
pub struct SweepSpec {
    /// Each varied key with its values as written, in the file's order.
    pub vary: Vec<Axis>,
    /// The settings to compare with, as (dotted path, value as written); `None`: the scenario as written.
    pub baseline: Option<Vec<(String, String)>>,
    /// The baseline's value on each axis: as written on the axis if it stands there, else as TOML without
    /// quotes (empty where the key is absent).
    pub baseline_values: Vec<String>,
    /// The baseline's place in the grid, as an index into the values of each axis; `None`: it is outside, and
    /// needs a run of its own.
    pub baseline_cell: Option<Vec<usize>>,
    /// How many seeds each setting is played with.
    pub seeds: u32,
    /// The columns that the Pareto front is over.
    pub front: Vec<String>,
}

/// One varied key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its dotted path, as in `policy.idle_grace`.
    pub key: String,
    /// Its values, as written (text without quotes).
    pub values: Vec<String>,
}
