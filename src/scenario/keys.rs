//! The list of keys: the one home of each key's path, kind, default, meaning, and place in the model.
//!
//! Reading, suggestions for misspelt keys, `--set`, `--vary` and `--explain` all go by this list. It says
//! what a key is; how a value of its kind is read is in `read`, and what must hold between keys is in
//! `check`.

use std::path::PathBuf;
use std::sync::Arc;

use super::model::{Scenario, SweepSpec};
use crate::rules::elastic::{Mapping, PolicyKind};
use crate::rules::machine::{BootTime, NodeType};
use crate::rules::matrix::Matrix;
use crate::rules::scheduling::{Discipline, Placement};
use crate::rules::windows::ShutdownWindows;
use crate::time::SimSpan;
use crate::workload::Overrun;

/// One key of a scenario file that fills a part of `T`.
pub(super) struct Key<T: 'static> {
    /// Its dotted path; the keys of a node type are all under `node_type`.
    pub path: &'static str,
    /// What its values are, and where in `T` they go.
    pub kind: Kind<T>,
    /// What holds where the key is absent.
    pub fallback: Fallback,
    /// What it means, in a sentence with the unit.
    pub meaning: &'static str,
}

impl<T> Key<T> {
    /// The path without its table.
    pub(super) fn leaf(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }
}

/// A word of a choice, and what it does to the model.
pub(super) type Word<T> = (&'static str, fn(&mut T));

/// What a key's values are. The function puts a value into its place.
pub(super) enum Kind<T: 'static> {
    /// A name for people.
    Text(fn(&mut T, String)),
    /// A path relative to the scenario's folder.
    Path(fn(&mut T, PathBuf)),
    /// True or false.
    Switch(fn(&mut T, bool)),
    /// One of several words.
    Choice(&'static [Word<T>]),
    /// A whole number from `low` to `high`.
    Count { low: u64, high: u64, set: fn(&mut T, u64) },
    /// A whole number up to `high`, or `"never"` for no limit.
    CountOrNever { high: u64, set: fn(&mut T, Option<u64>) },
    /// A number from `low` to `high`.
    Number { low: f64, high: f64, set: fn(&mut T, f64) },
    /// A duration of at least `least`.
    Span { least: SimSpan, set: fn(&mut T, SimSpan) },
    /// A duration of at least `least`, or `"never"`.
    SpanOrNever { least: SimSpan, set: fn(&mut T, Option<SimSpan>) },
    /// A size of memory in bytes.
    Memory(fn(&mut T, u64)),
    /// An amount of money in millionths of the currency.
    Money(fn(&mut T, u64)),
    /// A boot time: fixed, uniform or log-normal.
    Boot(fn(&mut T, BootTime)),
    /// `"always"`, or the closed and open parts of a paid hour.
    Windows(fn(&mut T, ShutdownWindows)),
    /// `"page"`, `"final"`, or the path of a CSV.
    Matrix(fn(&mut T, Matrix)),
    /// A list of column names.
    Names(fn(&mut T, Vec<String>)),
    /// A table of settings by dotted path, which `sweep` reads.
    Settings,
}

impl<T> Kind<T> {
    /// Whether one word of the command line, or one element of a list of values, can say it.
    pub(super) fn is_one_value(&self) -> bool {
        !matches!(self, Self::Names(_) | Self::Settings)
    }
}

/// What holds where a key is absent.
pub(super) enum Fallback {
    /// The key must be given.
    Required,
    /// This value, as TOML.
    Toml(&'static str),
    /// Nothing; the words say what that means.
    Absent(&'static str),
    /// The stem of the file's name.
    FileStem,
    /// A value that follows from another key's, both as TOML. That key stands earlier in the list.
    Follows(&'static str, fn(&str) -> &'static str),
}

const NOT_ZERO: SimSpan = SimSpan::MILLISECOND;
/// Silent nodes are looked for each third of the expiry, so a shorter one would leave no time between two
/// looks.
const EXPIRY_LEAST: SimSpan = SimSpan::from_ms(3);
/// The most nodes, and the most cores of a node, that a scenario can have.
const MILLION: u64 = 1_000_000;
/// The largest whole number of TOML, so that a seed can be printed as it is read.
const SEED_MOST: u64 = i64::MAX as u64;

/// Counts are bounded by this list far below the limit, so nothing is ever cut off here.
fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The keys of the scenario as a whole, in the order in which they are printed: each table in one piece.
pub(super) const SCENARIO_KEYS: &[Key<Scenario>] = &[
    Key {
        path: "name",
        kind: Kind::Text(|s, name| s.name = name),
        fallback: Fallback::FileStem,
        meaning: "what the scenario is called",
    },
    Key {
        path: "seed",
        kind: Kind::Count { low: 0, high: SEED_MOST, set: |s, seed| s.seed = seed },
        fallback: Fallback::Toml("1"),
        meaning: "the root of all random streams",
    },
    Key {
        path: "horizon",
        kind: Kind::SpanOrNever { least: NOT_ZERO, set: |s, span| s.horizon = span },
        fallback: Fallback::Toml("\"never\""),
        meaning: "when the run ends, after the scenario's start; never: with the end of the last job",
    },
    Key {
        path: "workload.trace",
        kind: Kind::Path(|s, path| s.workload.trace = path),
        fallback: Fallback::Required,
        meaning: "the job log, as a path relative to the scenario's folder",
    },
    Key {
        path: "workload.format",
        // There is one format so far, so there is nothing to keep.
        kind: Kind::Choice(&[("swf", |_| {})]),
        fallback: Fallback::Absent("told from the log's content and name"),
        meaning: "the format of the log",
    },
    Key {
        path: "workload.jobs",
        kind: Kind::Count { low: 1, high: SEED_MOST, set: |s, jobs| s.workload.jobs = Some(jobs) },
        fallback: Fallback::Absent("all jobs"),
        meaning: "how many jobs are loaded; reading stops with the last of them",
    },
    Key {
        path: "workload.from",
        kind: Kind::Span { least: SimSpan::ZERO, set: |s, span| s.workload.from = Some(span) },
        fallback: Fallback::Absent("from the first submit"),
        meaning: "what is submitted earlier than this long after the log's first submit is left out",
    },
    Key {
        path: "workload.until",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.workload.until = Some(span) },
        fallback: Fallback::Absent("to the end of the log"),
        meaning: "what is submitted this long after the log's first submit, or later, is left out",
    },
    Key {
        path: "workload.scale_load",
        kind: Kind::Number { low: 0.001, high: 1000.0, set: |s, factor| s.workload.scale_load = factor },
        fallback: Fallback::Toml("1"),
        meaning: "gaps between submits are divided by this: 2 is twice the load",
    },
    Key {
        path: "workload.scale_time",
        kind: Kind::Number { low: 0.001, high: 1000.0, set: |s, factor| s.workload.scale_time = factor },
        fallback: Fallback::Toml("1"),
        meaning: "submit and run times are multiplied by this",
    },
    Key {
        path: "workload.overrun",
        kind: Kind::Choice(&[
            ("trim", |s| s.workload.overrun = Overrun::Trim),
            ("keep", |s| s.workload.overrun = Overrun::Keep),
        ]),
        fallback: Fallback::Toml("\"keep\""),
        meaning: "what happens to run time above the requested time",
    },
    Key {
        path: "workload.max_requeues",
        kind: Kind::CountOrNever { high: MILLION, set: |s, most| s.retries.max_requeues = most.map(narrow) },
        fallback: Fallback::Toml("\"never\""),
        meaning: "how often a killed job is requeued before it counts as failed; never: there is no limit",
    },
    Key {
        path: "workload.checkpoint_every",
        kind: Kind::SpanOrNever { least: NOT_ZERO, set: |s, span| s.retries.checkpoint_every = span },
        fallback: Fallback::Toml("\"never\""),
        meaning: "run time between two checkpoints of a job; never: a killed job restarts from zero",
    },
    Key {
        path: "cluster.min_nodes",
        kind: Kind::Count { low: 0, high: MILLION, set: |s, nodes| s.policy.min_nodes = narrow(nodes) },
        fallback: Fallback::Toml("0"),
        meaning: "nodes of the first type that are up at time 0; never fewer are kept",
    },
    Key {
        path: "cluster.max_nodes",
        kind: Kind::Count { low: 1, high: MILLION, set: |s, nodes| s.policy.max_nodes = narrow(nodes) },
        fallback: Fallback::Required,
        meaning: "the most instances, in any state",
    },
    Key {
        path: "billing.quantum",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.billing.quantum = span },
        fallback: Fallback::Toml("\"1ms\""),
        meaning: "the step in which instance time is paid: each begun quantum is paid whole",
    },
    Key {
        path: "billing.minimum",
        kind: Kind::Span { least: SimSpan::ZERO, set: |s, span| s.billing.minimum = span },
        fallback: Fallback::Toml("\"0s\""),
        meaning: "the least time that is paid for an instance",
    },
    Key {
        path: "heartbeat.interval",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.heartbeat.interval = span },
        fallback: Fallback::Toml("\"1s\""),
        meaning: "time between two beats of a node",
    },
    Key {
        path: "heartbeat.expiry",
        kind: Kind::SpanOrNever { least: EXPIRY_LEAST, set: |s, span| s.heartbeat.expiry = span },
        fallback: Fallback::Toml("\"10m\""),
        meaning: "a node that was last heard longer ago than this is lost",
    },
    Key {
        path: "scheduler.discipline",
        kind: Kind::Choice(&[
            ("fifo", |s| s.scheduling.discipline = Discipline::Fifo),
            ("easy", |s| s.scheduling.discipline = Discipline::Easy),
        ]),
        fallback: Fallback::Toml("\"fifo\""),
        meaning: "which queued job may start next",
    },
    Key {
        path: "scheduler.placement",
        kind: Kind::Choice(&[
            ("pack", |s| s.scheduling.placement = Placement::Pack),
            ("spread", |s| s.scheduling.placement = Placement::Spread),
            ("oldest", |s| s.scheduling.placement = Placement::Oldest),
            ("newest", |s| s.scheduling.placement = Placement::Newest),
        ]),
        fallback: Fallback::Toml("\"pack\""),
        meaning: "which nodes give their free cores first",
    },
    Key {
        path: "policy.kind",
        kind: Kind::Choice(&[
            ("node-manager", |s| s.policy.kind = PolicyKind::NodeManager),
            ("surplus", |s| s.policy.kind = PolicyKind::Surplus),
            ("none", |s| s.policy.kind = PolicyKind::None),
        ]),
        fallback: Fallback::Toml("\"node-manager\""),
        meaning: "which policy makes the cluster grow and shrink",
    },
    Key {
        path: "policy.poll",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.policy.poll = span },
        fallback: Fallback::Toml("\"60s\""),
        meaning: "time between two polls of the policy; the first is at 0",
    },
    Key {
        path: "policy.idle_grace",
        kind: Kind::SpanOrNever { least: SimSpan::ZERO, set: |s, span| s.policy.idle_grace = span },
        fallback: Fallback::Toml("\"15m\""),
        meaning: "how long a node stands idle, or a surplus lasts, before nodes are drained",
    },
    Key {
        path: "policy.boot_grace",
        kind: Kind::SpanOrNever { least: SimSpan::ZERO, set: |s, span| s.policy.boot_grace = span },
        fallback: Fallback::Toml("\"10m\""),
        meaning: "how long after its grant an instance may be without a registered agent",
    },
    Key {
        path: "policy.ping_stale_after",
        kind: Kind::SpanOrNever { least: SimSpan::ZERO, set: |s, span| s.policy.ping_stale_after = span },
        fallback: Fallback::Toml("\"10m\""),
        meaning: "a node whose last ping is older than this is down",
    },
    Key {
        path: "policy.report_age",
        kind: Kind::Span { least: SimSpan::ZERO, set: |s, span| s.policy.report_age = span },
        fallback: Fallback::Toml("\"0s\""),
        meaning: "how old the picture is by which nodes are chosen to go",
    },
    Key {
        path: "policy.shutdown_windows",
        kind: Kind::Windows(|s, windows| s.policy.windows = windows),
        fallback: Fallback::Toml("\"always\""),
        meaning: "when in its paid hour a node may be stopped: closed, open, closed … parts",
    },
    Key {
        path: "policy.matrix",
        kind: Kind::Matrix(|s, matrix| s.policy.matrix = Arc::new(matrix)),
        fallback: Fallback::Toml("\"page\""),
        meaning: "the node manager's decision table",
    },
    Key {
        path: "policy.mapping",
        kind: Kind::Choice(&[
            ("page", |s| s.policy.mapping = Mapping::Page),
            ("code", |s| s.policy.mapping = Mapping::Code),
        ]),
        fallback: Fallback::Follows("policy.matrix", |matrix| {
            if matrix == "\"final\"" { "\"code\"" } else { "\"page\"" }
        }),
        meaning: "how the states of nodes are classified for the matrix",
    },
    Key {
        path: "policy.bug_compatible",
        kind: Kind::Switch(|s, on| s.policy.bug_compatible = on),
        fallback: Fallback::Toml("false"),
        meaning: "whether the known defects of the node manager are played too",
    },
    Key {
        path: "decommission.timeout",
        kind: Kind::SpanOrNever { least: SimSpan::ZERO, set: |s, span| s.decommission.timeout = span },
        fallback: Fallback::Toml("\"1h\""),
        meaning: "how long a drain may take before work is killed; never: it waits for ever",
    },
    Key {
        path: "decommission.poll",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.decommission.poll = span },
        fallback: Fallback::Toml("\"20s\""),
        meaning: "time between two looks at the draining nodes",
    },
];

/// The path of the key that tells node types apart; it names a type and so is no setting.
pub(super) const NODE_TYPE_NAME: &str = "node_type.name";

/// The keys of one `[[node_type]]`.
pub(super) const NODE_TYPE_KEYS: &[Key<NodeType>] = &[
    Key {
        path: NODE_TYPE_NAME,
        kind: Kind::Text(|t, name| t.name = name),
        fallback: Fallback::Required,
        meaning: "what the type is called; unique in the scenario",
    },
    Key {
        path: "node_type.cores",
        kind: Kind::Count { low: 1, high: MILLION, set: |t, cores| t.cores = narrow(cores) },
        fallback: Fallback::Required,
        meaning: "processor cores of a node",
    },
    Key {
        path: "node_type.memory",
        kind: Kind::Memory(|t, bytes| t.memory_bytes = Some(bytes)),
        fallback: Fallback::Absent("memory is not counted"),
        meaning: "memory of a node",
    },
    Key {
        path: "node_type.price_per_hour",
        kind: Kind::Money(|t, micros| t.price_per_hour_micros = micros),
        fallback: Fallback::Toml("0"),
        meaning: "price of an instance's hour, in the currency of your choice",
    },
    Key {
        path: "node_type.boot",
        kind: Kind::Boot(|t, boot| t.boot = boot),
        fallback: Fallback::Toml("\"0s\""),
        meaning: "time from the grant to the registration of the agent",
    },
    Key {
        path: "node_type.boot_failure",
        kind: Kind::Number { low: 0.0, high: 1.0, set: |t, ratio| t.boot_failure_ratio = ratio },
        fallback: Fallback::Toml("0"),
        meaning: "probability that an instance is paid but never registers",
    },
    Key {
        path: "node_type.stop",
        kind: Kind::Span { least: SimSpan::ZERO, set: |t, span| t.stop = span },
        fallback: Fallback::Toml("\"0s\""),
        meaning: "time from the stop order to the end of the instance",
    },
];

/// The keys of `[sweep]`.
pub(super) const SWEEP_KEYS: &[Key<SweepSpec>] = &[
    Key {
        path: "sweep.seeds",
        kind: Kind::Count { low: 1, high: 10_000, set: |s, seeds| s.seeds = narrow(seeds) },
        fallback: Fallback::Toml("1"),
        meaning: "how many seeds each setting is played with: seed, seed + 1 …",
    },
    Key {
        path: "sweep.front",
        kind: Kind::Names(|s, names| s.front = names),
        fallback: Fallback::Toml("[\"cost_total\", \"wait_p95_s\", \"lost_core_hours\"]"),
        meaning: "the columns that the Pareto front is over; less is better",
    },
    Key {
        path: "sweep.baseline",
        kind: Kind::Settings,
        fallback: Fallback::Absent("the scenario as written"),
        meaning: "the setting that the others are compared with",
    },
    Key {
        path: "sweep.vary",
        kind: Kind::Settings,
        fallback: Fallback::Absent("nothing is varied"),
        meaning: "each varied key with its values",
    },
];

/// What the file format has and this version does not read: path and what it is for.
const NOT_YET: &[(&str, &str)] = &[
    ("at", "scripted actions ([[at]]) are"),
    ("node", "named nodes ([[node]]) are"),
    ("app", "applications ([[app]]) are"),
    ("lists", "the include and exclude files ([lists]) are"),
    ("start", "a wall-clock start (start) is"),
    ("sweep.goal", "a goal ([sweep.goal]) is"),
    ("scheduler.trigger", "the trigger of the scheduler (scheduler.trigger) is"),
    ("decommission.wait_for_applications", "wait_for_applications is"),
    ("decommission.wait_for_app_masters", "wait_for_app_masters is"),
    ("decommission.delay", "decommission.delay is"),
    ("decommission.first_report_race", "first_report_race is"),
    ("decommission.behaviour", "decommission.behaviour is"),
    ("decommission.poll_offset", "decommission.poll_offset is"),
    ("heartbeat.check_offset", "heartbeat.check_offset is"),
    ("heartbeat.scaling", "scaling of the heartbeat is"),
    ("heartbeat.scaling_min", "scaling of the heartbeat is"),
    ("heartbeat.scaling_max", "scaling of the heartbeat is"),
    ("heartbeat.speedup", "scaling of the heartbeat is"),
    ("heartbeat.slowdown", "scaling of the heartbeat is"),
];

/// What `path`, or the table that it is in, would be for in a later version, as the start of a sentence.
pub(super) fn not_yet(path: &str) -> Option<&'static str> {
    let within =
        |table: &str| path.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    NOT_YET.iter().find(|(table, _)| within(table)).map(|&(_, what)| what)
}

/// Every path with its meaning, in the order of the lists.
pub(super) fn paths() -> impl Iterator<Item = (&'static str, &'static str)> {
    let scenario = SCENARIO_KEYS.iter().map(|key| (key.path, key.meaning));
    let node_type = NODE_TYPE_KEYS.iter().map(|key| (key.path, key.meaning));
    let sweep = SWEEP_KEYS.iter().map(|key| (key.path, key.meaning));
    scenario.chain(node_type).chain(sweep)
}

/// The paths of all keys that can be varied.
pub(super) fn variable_paths() -> impl Iterator<Item = &'static str> {
    let scenario = SCENARIO_KEYS.iter().filter(|key| key.kind.is_one_value()).map(|key| key.path);
    let node_type = NODE_TYPE_KEYS.iter().filter(|key| key.kind.is_one_value()).map(|key| key.path);
    scenario.chain(node_type.filter(|&path| path != NODE_TYPE_NAME))
}
