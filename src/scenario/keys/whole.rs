//! The keys of the scenario as a whole: those that stand in no list of tables.

use std::sync::Arc;

use super::{Fallback, Key, Kind, MILLION, NOT_ZERO, SEED_MOST, narrow};
use crate::rules::behaviour::Behaviour;
use crate::rules::drain::FirstReportRace;
use crate::rules::elastic::{Mapping, PolicyKind};
use crate::rules::scheduling::{Discipline, Placement, Trigger};
use crate::scenario::draft::Draft;
use crate::time::SimSpan;
use crate::workload::{HostUse, Overrun, TraceFormat};

/// Silent nodes are looked for each third of the expiry, so a shorter one would leave no time between two
/// looks.
const EXPIRY_LEAST: SimSpan = SimSpan::from_ms(3);

/// Nodes to be forgotten are looked for each half of the timeout.
const REMOVAL_LEAST: SimSpan = SimSpan::from_ms(2);

/// The keys of the scenario as a whole, in the order in which they are printed: each table in one piece.
pub(in crate::scenario) const SCENARIO_KEYS: &[Key<Draft>] = &[
    Key {
        path: "name",
        kind: Kind::Text(|s, name| s.scenario.name = name),
        fallback: Fallback::FileStem,
        meaning: "what the scenario is called",
    },
    Key {
        path: "seed",
        kind: Kind::Count { low: 0, high: SEED_MOST, set: |s, seed| s.scenario.seed = seed },
        fallback: Fallback::Toml("1"),
        meaning: "the root of all random streams",
    },
    Key {
        path: "horizon",
        kind: Kind::SpanOrNever { least: NOT_ZERO, set: |s, span| s.scenario.horizon = span },
        fallback: Fallback::Toml("\"never\""),
        meaning: "when the run ends, after the scenario's start; never: with the last job's end, or the script's",
    },
    Key {
        path: "workload.trace",
        kind: Kind::Path(|s, path| s.workload.trace = path),
        fallback: Fallback::RequiredUnlessScripted("no log is replayed"),
        meaning: "the job log or trace of applications, as a path relative to the scenario's folder",
    },
    Key {
        path: "workload.format",
        kind: Kind::Choice(&[
            ("swf", |s| s.workload.format = Some(TraceFormat::Swf)),
            ("sls", |s| s.workload.format = Some(TraceFormat::Sls)),
            ("synth", |s| s.workload.format = Some(TraceFormat::Synth)),
            ("rumen", |s| s.workload.format = Some(TraceFormat::Rumen)),
        ]),
        fallback: Fallback::Absent("told from the trace's content and name"),
        meaning: "the format of the trace: swf has batch jobs, the others applications of YARN",
    },
    Key {
        path: "workload.jobs",
        kind: Kind::Count { low: 1, high: SEED_MOST, set: |s, jobs| s.workload.jobs = Some(jobs) },
        fallback: Fallback::Absent("all jobs"),
        meaning: "how many jobs or applications are loaded; reading stops with the last of them",
    },
    Key {
        path: "workload.from",
        kind: Kind::Span { least: SimSpan::ZERO, set: |s, span| s.workload.from = Some(span) },
        fallback: Fallback::Absent("from the first submit"),
        meaning: "what is submitted earlier than this is left out; it counts from the trace's first submit, in sls and \
                  synth from its time 0",
    },
    Key {
        path: "workload.until",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.workload.until = Some(span) },
        fallback: Fallback::Absent("to the end of the log"),
        meaning: "what is submitted at this or later is left out; it counts as `from` does",
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
        meaning: "what happens to run time above the requested time, which batch jobs alone have",
    },
    Key {
        path: "workload.nodes",
        kind: Kind::NodeFile(|s, file| s.node_file = file),
        fallback: Fallback::Absent("no further nodes are named"),
        meaning: "a node file of YARN's load simulator: its nodes are there from the start, each of the first \
                  node type that has its cores and memory",
    },
    Key {
        path: "workload.runner",
        kind: Kind::Runner(|s, runner| s.workload.apps.runner = runner),
        fallback: Fallback::Absent("the values that YARN's code has"),
        meaning: "an sls-runner.xml: what containers and nodes hold where trace and node file do not say, and how \
                  often masters ask; nodes beat each heartbeat.interval",
    },
    Key {
        path: "workload.hosts",
        kind: Kind::Choice(&[
            ("prefer", |s| s.workload.apps.hosts = HostUse::Prefer),
            ("ignore", |s| s.workload.apps.hosts = HostUse::Ignore),
        ]),
        fallback: Fallback::Toml("\"prefer\""),
        meaning: "whether tasks of a trace prefer the hosts that it gives them; named nodes must have all of these",
    },
    Key {
        path: "workload.task_time_unit",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.workload.apps.synth.task_time_unit = span },
        fallback: Fallback::Toml("\"1ms\""),
        meaning: "what a task's time of 1 means in a SYNTH file: 1ms as in YARN's code, 1s as in its documentation",
    },
    Key {
        path: "workload.max_requeues",
        kind: Kind::CountOrNever {
            high: MILLION,
            set: |s, most| s.scenario.retries.max_requeues = most.map(narrow),
        },
        fallback: Fallback::Toml("\"never\""),
        meaning: "how often a killed batch job is requeued before it counts as failed; never: there is no limit",
    },
    Key {
        path: "workload.checkpoint_every",
        kind: Kind::SpanOrNever {
            least: NOT_ZERO,
            set: |s, span| s.scenario.retries.checkpoint_every = span,
        },
        fallback: Fallback::Toml("\"never\""),
        meaning: "run time between two checkpoints of a batch job; never: a killed job restarts from zero",
    },
    Key {
        path: "cluster.min_nodes",
        kind: Kind::Count {
            low: 0,
            high: MILLION,
            set: |s, nodes| s.scenario.policy.min_nodes = narrow(nodes),
        },
        fallback: Fallback::Toml("0"),
        meaning: "nodes of the first type that are up at time 0; never fewer are kept",
    },
    Key {
        path: "cluster.max_nodes",
        kind: Kind::Count {
            low: 1,
            high: MILLION,
            set: |s, nodes| s.scenario.policy.max_nodes = narrow(nodes),
        },
        fallback: Fallback::Required,
        meaning: "the most instances, in any state",
    },
    Key {
        path: "billing.quantum",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.scenario.billing.quantum = span },
        fallback: Fallback::Toml("\"1ms\""),
        meaning: "the step in which instance time is paid: each begun quantum is paid whole",
    },
    Key {
        path: "billing.minimum",
        kind: Kind::Span { least: SimSpan::ZERO, set: |s, span| s.scenario.billing.minimum = span },
        fallback: Fallback::Toml("\"0s\""),
        meaning: "the least time that is paid for an instance",
    },
    Key {
        path: "heartbeat.interval",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.scenario.heartbeat.interval = span },
        fallback: Fallback::Toml("\"1s\""),
        meaning: "time between two beats of a node",
    },
    Key {
        path: "heartbeat.expiry",
        kind: Kind::SpanOrNever { least: EXPIRY_LEAST, set: |s, span| s.scenario.heartbeat.expiry = span },
        fallback: Fallback::Toml("\"10m\""),
        meaning: "a node that was last heard longer ago than this is lost",
    },
    Key {
        path: "heartbeat.check_offset",
        kind: Kind::Span {
            least: SimSpan::ZERO,
            set: |s, span| s.scenario.heartbeat.check_offset = Some(span),
        },
        fallback: Fallback::Absent("one period, a third of the expiry"),
        meaning: "the moment of the first look for silent nodes",
    },
    Key {
        path: "heartbeat.scaling",
        kind: Kind::Switch(|s, on| s.scaling.is_on = on),
        fallback: Fallback::Toml("false"),
        meaning: "whether a node's interval follows how loaded it is, compared with the cluster",
    },
    Key {
        path: "heartbeat.scaling_min",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.scaling.min = Some(span) },
        fallback: Fallback::Absent("the interval itself"),
        meaning: "the shortest interval that scaling makes",
    },
    Key {
        path: "heartbeat.scaling_max",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.scaling.max = Some(span) },
        fallback: Fallback::Absent("the interval itself"),
        meaning: "the longest interval that scaling makes",
    },
    Key {
        path: "heartbeat.speedup",
        kind: Kind::Number { low: 0.0, high: 1000.0, set: |s, factor| s.scaling.speedup = factor },
        fallback: Fallback::Toml("1"),
        meaning: "how strongly a node that is less loaded than the cluster beats more often",
    },
    Key {
        path: "heartbeat.slowdown",
        kind: Kind::Number { low: 0.0, high: 1000.0, set: |s, factor| s.scaling.slowdown = factor },
        fallback: Fallback::Toml("1"),
        meaning: "how strongly a node that is more loaded than the cluster beats less often",
    },
    Key {
        path: "scheduler.discipline",
        kind: Kind::Choice(&[
            ("fifo", |s| s.scenario.scheduling.discipline = Discipline::Fifo),
            ("easy", |s| s.scenario.scheduling.discipline = Discipline::Easy),
        ]),
        fallback: Fallback::Toml("\"fifo\""),
        meaning: "which queued job may start next",
    },
    Key {
        path: "scheduler.placement",
        kind: Kind::Choice(&[
            ("pack", |s| s.scenario.scheduling.placement = Placement::Pack),
            ("spread", |s| s.scenario.scheduling.placement = Placement::Spread),
            ("oldest", |s| s.scenario.scheduling.placement = Placement::Oldest),
            ("newest", |s| s.scenario.scheduling.placement = Placement::Newest),
        ]),
        fallback: Fallback::Toml("\"pack\""),
        meaning: "which nodes give their free cores first",
    },
    Key {
        path: "scheduler.trigger",
        kind: Kind::Choice(&[
            ("pass", |s| s.scenario.scheduling.trigger = Trigger::Pass),
            ("async", |s| s.scenario.scheduling.trigger = Trigger::Async),
            ("heartbeat", |s| s.scenario.scheduling.trigger = Trigger::Heartbeat),
        ]),
        fallback: Fallback::Toml("\"pass\""),
        meaning: "when containers of applications are placed; batch jobs keep the pass",
    },
    Key {
        path: "scheduler.late_round",
        kind: Kind::Switch(|s, on| s.scenario.scheduling.late_round = on),
        fallback: Fallback::Toml("false"),
        meaning: "whether a draining node gets containers once more, at its first heartbeat (YARN's FIFO scheduler)",
    },
    Key {
        path: "scheduler.minimum_cores",
        kind: Kind::Count { low: 1, high: MILLION, set: |s, cores| s.scenario.minimum.cores = narrow(cores) },
        fallback: Fallback::Toml("1"),
        meaning: "the smallest allocation: a node with fewer cores is refused as it registers",
    },
    Key {
        path: "scheduler.minimum_memory",
        kind: Kind::Memory(|s, bytes| s.scenario.minimum.memory_bytes = Some(bytes)),
        fallback: Fallback::Absent("no node is refused for its memory"),
        meaning: "the smallest allocation: a node with less memory is refused as it registers",
    },
    Key {
        path: "policy.kind",
        kind: Kind::Choice(&[
            ("node-manager", |s| s.scenario.policy.kind = PolicyKind::NodeManager),
            ("surplus", |s| s.scenario.policy.kind = PolicyKind::Surplus),
            ("none", |s| s.scenario.policy.kind = PolicyKind::None),
        ]),
        fallback: Fallback::Toml("\"node-manager\""),
        meaning: "which policy makes the cluster grow and shrink",
    },
    Key {
        path: "policy.poll",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.scenario.policy.poll = span },
        fallback: Fallback::Toml("\"60s\""),
        meaning: "time between two polls of the policy; the first is at 0",
    },
    Key {
        path: "policy.idle_grace",
        kind: Kind::SpanOrNever { least: SimSpan::ZERO, set: |s, span| s.scenario.policy.idle_grace = span },
        fallback: Fallback::Toml("\"15m\""),
        meaning: "how long a node stands idle, or a surplus lasts, before nodes are drained",
    },
    Key {
        path: "policy.boot_grace",
        kind: Kind::SpanOrNever { least: SimSpan::ZERO, set: |s, span| s.scenario.policy.boot_grace = span },
        fallback: Fallback::Toml("\"10m\""),
        meaning: "how long after its grant an instance may be without a registered agent",
    },
    Key {
        path: "policy.ping_stale_after",
        kind: Kind::SpanOrNever {
            least: SimSpan::ZERO,
            set: |s, span| s.scenario.policy.ping_stale_after = span,
        },
        fallback: Fallback::Toml("\"10m\""),
        meaning: "a node whose last ping is older than this is down",
    },
    Key {
        path: "policy.report_age",
        kind: Kind::Span { least: SimSpan::ZERO, set: |s, span| s.scenario.policy.report_age = span },
        fallback: Fallback::Toml("\"0s\""),
        meaning: "how old the picture is by which nodes are chosen to go",
    },
    Key {
        path: "policy.shutdown_windows",
        kind: Kind::Windows(|s, windows| s.scenario.policy.windows = windows),
        fallback: Fallback::Toml("\"always\""),
        meaning: "when in its paid hour a node may be stopped: closed, open, closed … parts",
    },
    Key {
        path: "policy.matrix",
        kind: Kind::Matrix(|s, matrix| s.scenario.policy.matrix = Arc::new(matrix)),
        fallback: Fallback::Toml("\"page\""),
        meaning: "the node manager's decision table",
    },
    Key {
        path: "policy.mapping",
        kind: Kind::Choice(&[
            ("page", |s| s.scenario.policy.mapping = Mapping::Page),
            ("code", |s| s.scenario.policy.mapping = Mapping::Code),
        ]),
        fallback: Fallback::Follows("policy.matrix", |matrix| {
            if matrix == "\"final\"" { "\"code\"" } else { "\"page\"" }
        }),
        meaning: "how the states of nodes are classified for the matrix",
    },
    Key {
        path: "policy.bug_compatible",
        kind: Kind::Switch(|s, on| s.scenario.policy.bug_compatible = on),
        fallback: Fallback::Toml("false"),
        meaning: "whether the known defects of the node manager are played too",
    },
    Key {
        path: "decommission.timeout",
        kind: Kind::SpanOrNever {
            least: SimSpan::ZERO,
            set: |s, span| s.scenario.decommission.timeout = span,
        },
        fallback: Fallback::Toml("\"1h\""),
        meaning: "how long a drain may take before work is killed; never: it waits for ever",
    },
    Key {
        path: "decommission.poll",
        kind: Kind::Span { least: NOT_ZERO, set: |s, span| s.scenario.decommission.poll = span },
        fallback: Fallback::Toml("\"20s\""),
        meaning: "time between two looks at the draining nodes",
    },
    Key {
        path: "decommission.poll_offset",
        kind: Kind::Span { least: SimSpan::ZERO, set: |s, span| s.scenario.decommission.poll_offset = span },
        fallback: Fallback::Toml("\"0s\""),
        meaning: "the moment of the first look at the draining nodes",
    },
    Key {
        path: "decommission.wait_for_applications",
        kind: Kind::Switch(|s, on| s.scenario.decommission.wait_for_applications = on),
        fallback: Fallback::Toml("true"),
        meaning: "whether a draining node waits for the applications that ran on it",
    },
    Key {
        path: "decommission.wait_for_app_masters",
        kind: Kind::Switch(|s, on| s.scenario.decommission.wait_for_app_masters = on),
        fallback: Fallback::Toml("true"),
        meaning: "whether a draining node waits for masters that were placed on it and do not run yet",
    },
    Key {
        path: "decommission.delay",
        kind: Kind::Span { least: SimSpan::ZERO, set: |s, span| s.scenario.decommission.delay = span },
        fallback: Fallback::Toml("\"0s\""),
        meaning: "a draining node with nothing left goes only when it has drained for this long",
    },
    Key {
        path: "decommission.first_report_race",
        kind: Kind::Choice(&[
            ("faithful", |s| s.scenario.decommission.first_report_race = FirstReportRace::Faithful),
            ("fixed", |s| s.scenario.decommission.first_report_race = FirstReportRace::Fixed),
        ]),
        fallback: Fallback::Toml("\"faithful\""),
        meaning: "whether a container first reported after the drain began holds its node: fixed, it does",
    },
    Key {
        path: "decommission.behaviour",
        kind: Kind::Choice(&[
            ("source", |s| s.scenario.decommission.behaviour = Behaviour::Source),
            ("page", |s| s.scenario.decommission.behaviour = Behaviour::Page),
        ]),
        fallback: Fallback::Toml("\"source\""),
        meaning: "whose behaviour is played where YARN's documentation page and its source differ",
    },
    Key {
        path: "decommission.status_log",
        kind: Kind::Switch(|s, on| s.scenario.decommission.status_log = on),
        fallback: Fallback::Toml("false"),
        meaning: "whether the status of each draining node is written to decommissioning.log at each look",
    },
    Key {
        path: "lists.include",
        kind: Kind::HostsFile(|s, list| s.scenario.script.include = Some(list)),
        fallback: Fallback::Absent("every host may register"),
        meaning: "the include file at the start, as a path relative to the scenario's folder",
    },
    Key {
        path: "lists.exclude",
        kind: Kind::HostsFile(|s, list| s.scenario.script.exclude = Some(list)),
        fallback: Fallback::Absent("no host is excluded"),
        meaning: "the exclude file at the start, as a path relative to the scenario's folder",
    },
    Key {
        path: "lists.removal_timeout",
        kind: Kind::Span { least: REMOVAL_LEAST, set: |s, span| s.scenario.tracking.removal_timeout = span },
        fallback: Fallback::Toml("\"60s\""),
        meaning: "a node out of service that no list has named for longer than this is forgotten",
    },
    Key {
        path: "lists.removal_states",
        kind: Kind::RemovalStates(|s, states| s.scenario.tracking.removal_states = states),
        fallback: Fallback::Absent("nodes in any of them"),
        meaning: "which nodes out of service may be forgotten, by their states",
    },
    Key {
        path: "lists.untracked_without_include",
        kind: Kind::Switch(|s, on| s.scenario.tracking.even_without_include = on),
        fallback: Fallback::Toml("false"),
        meaning: "whether nodes are forgotten too where no include file is configured",
    },
    Key {
        path: "lists.track_unregistered",
        kind: Kind::Switch(|s, on| s.scenario.tracking.misses_unregistered = on),
        fallback: Fallback::Toml("false"),
        meaning: "whether an included named node that has never registered is lost after a refresh",
    },
];
