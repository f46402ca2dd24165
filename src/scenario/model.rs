//! A scenario as it is played: every key resolved.

use crate::rules::billing::Billing;
use crate::rules::elastic::PolicyRules;
use crate::rules::machine::NodeType;
use crate::rules::scheduling::{Retries, Scheduling};
use crate::time::SimSpan;
use crate::workload::WorkloadSpec;

/// One scenario, resolved and checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is called; by default its file's stem.
    pub name: String,
    /// The root of all random streams.
    pub seed: u64,
    /// Where the run ends; `None`: with the end of the last job.
    pub horizon: Option<SimSpan>,
    /// The log to be replayed.
    pub workload: WorkloadSpec,
    /// What becomes of killed jobs.
    pub retries: Retries,
    /// The kinds of instances, in the file's order. Never empty.
    pub node_types: Vec<NodeType>,
    /// How instances are billed.
    pub billing: Billing,
    /// How nodes beat.
    pub heartbeat: Heartbeat,
    /// How jobs are started.
    pub scheduling: Scheduling,
    /// How the cluster grows and shrinks.
    pub policy: PolicyRules,
    /// How drains are watched.
    pub decommission: Decommission,
}

/// How nodes beat, and when a silent one is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// From one beat to the next.
    pub interval: SimSpan,
    /// A node that was last heard longer ago than this is lost; `None`: never.
    pub expiry: Option<SimSpan>,
}

/// How drains are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decommission {
    /// How long a drain may take; `None`: for ever.
    pub timeout: Option<SimSpan>,
    /// Time between two polls of the watcher.
    pub poll: SimSpan,
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
