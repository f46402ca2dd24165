//! The lists of tables, such as `[[node_type]]`, and the keys of their tables.

use super::{Fallback, Key, Kind, MILLION, NOT_ZERO, narrow};
use crate::rules::machine::NodeType;
use crate::rules::script::Action;
use crate::scenario::action::Form;
use crate::scenario::draft::{Moment, NodeDraft};
use crate::time::{SimSpan, SimTime};
use crate::workload::app::{App, Locality, TaskGroup, TaskKind};

/// A list of tables, each under a header with two brackets.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::scenario) struct TableList {
    /// Its dotted path. If it has two parts, the tables are inside those of the list that the first part names.
    pub path: &'static str,
    /// The key whose value tells the tables apart; `None`: they are told apart by their number, from 1.
    pub named_by: Option<&'static str>,
    /// What one table describes.
    pub what: &'static str,
}

impl TableList {
    /// The list inside whose tables the tables of this one are.
    pub(in crate::scenario) fn parent(&self) -> Option<&'static Self> {
        super::list_of(self.path)
    }

    /// The name of the list in the table that it is in.
    pub(in crate::scenario) fn leaf(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }

    /// What stands above each table.
    pub(in crate::scenario) fn header(&self) -> String {
        format!("[[{}]]", self.path)
    }
}

/// `[[node_type]]`.
pub(in crate::scenario) const NODE_TYPE: &TableList =
    &TableList { path: "node_type", named_by: Some("name"), what: "node type" };
/// `[[node]]`.
pub(in crate::scenario) const NODE: &TableList =
    &TableList { path: "node", named_by: Some("name"), what: "node" };
/// `[[app]]`.
pub(in crate::scenario) const APP: &TableList =
    &TableList { path: "app", named_by: Some("name"), what: "application" };
/// `[[app.task]]`.
pub(in crate::scenario) const TASK: &TableList =
    &TableList { path: "app.task", named_by: None, what: "group of tasks" };
/// `[[at]]`.
pub(in crate::scenario) const AT: &TableList = &TableList { path: "at", named_by: None, what: "action" };

/// All lists of tables, in the order in which they are printed.
pub(in crate::scenario) const TABLE_LISTS: [&TableList; 5] = [NODE_TYPE, NODE, APP, TASK, AT];

/// The keys of one `[[node_type]]`.
pub(in crate::scenario) const NODE_TYPE_KEYS: &[Key<NodeType>] = &[
    Key {
        path: "node_type.name",
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

/// The keys of one `[[node]]`.
pub(in crate::scenario) const NODE_KEYS: &[Key<NodeDraft>] = &[
    Key {
        path: "node.name",
        kind: Kind::NodeName(|n, name| n.name = name),
        fallback: Fallback::Required,
        meaning: "the node's host name; unique in the scenario",
    },
    Key {
        path: "node.type",
        kind: Kind::Text(|n, name| n.type_name = Some(name)),
        fallback: Fallback::Absent("the first node type"),
        meaning: "of which node type the node is",
    },
    Key {
        path: "node.registers_at",
        kind: Kind::Span { least: SimSpan::ZERO, set: |n, span| n.registers_at = SimTime::ZERO + span },
        fallback: Fallback::Toml("\"0s\""),
        meaning: "when the node's agent registers; its beats count from here",
    },
];

/// The keys of one `[[app]]`.
pub(in crate::scenario) const APP_KEYS: &[Key<App>] =
    &[
        Key {
            path: "app.name",
            kind: Kind::AppName(|a, name| a.name = name),
            fallback: Fallback::Required,
            meaning: "what the application is called; unique in the scenario",
        },
        Key {
            path: "app.submit",
            kind: Kind::Span { least: SimSpan::ZERO, set: |a, span| a.submit = SimTime::ZERO + span },
            fallback: Fallback::Toml("\"0s\""),
            meaning: "when the application is submitted, after the scenario's start",
        },
        Key {
            path: "app.master",
            kind: Kind::Master(|a, master| a.master = master),
            fallback: Fallback::Toml("{ cores = 1 }"),
            meaning: "who speaks for the application: a container of the cluster, or a process outside it",
        },
        Key {
            path: "app.ends",
            kind: Kind::Span { least: NOT_ZERO, set: |a, span| a.ends = Some(SimTime::ZERO + span) },
            fallback: Fallback::Absent("when its last task has ended"),
            meaning: "when the application ends, after the scenario's start",
        },
        Key {
            path: "app.allocate_interval",
            kind: Kind::Span { least: NOT_ZERO, set: |a, span| a.allocate_interval = span },
            fallback: Fallback::Toml("\"1s\""),
            meaning: "how often the application's master asks and hears",
        },
        Key {
            path: "app.launch",
            kind: Kind::Span { least: SimSpan::ZERO, set: |a, span| a.launch = span },
            fallback: Fallback::Toml("\"800ms\""),
            meaning: "how long the start of a container takes; an unmanaged master starts one after another",
        },
        Key {
            path: "app.rerun",
            kind: Kind::Switch(|a, on| a.rerun = on),
            fallback: Fallback::Follows("app.master", |master| {
                if master == "\"unmanaged\"" { "false" } else { "true" }
            }),
            meaning: "whether killed tasks are asked for again, and maps whose output was lost",
        },
        Key {
            path: "app.max_attempts",
            kind: Kind::Count { low: 1, high: MILLION, set: |a, most| a.max_attempts = narrow(most) },
            fallback: Fallback::Toml("2"),
            meaning: "how many attempts the application has, of those that count",
        },
        Key {
            path: "app.keep_containers",
            kind: Kind::Switch(|a, on| a.keep_containers = on),
            fallback: Fallback::Toml("false"),
            meaning: "whether the application's containers outlive an attempt of its master",
        },
    ];

/// The keys of one `[[app.task]]`.
pub(in crate::scenario) const TASK_KEYS: &[Key<TaskGroup>] = &[
    Key {
        path: "app.task.count",
        kind: Kind::Count { low: 1, high: MILLION, set: |t, count| t.count = narrow(count) },
        fallback: Fallback::Toml("1"),
        meaning: "how many tasks like this there are",
    },
    Key {
        path: "app.task.kind",
        kind: Kind::Choice(&[
            ("plain", |t| t.kind = TaskKind::Plain),
            ("map", |t| t.kind = TaskKind::Map),
            ("reduce", |t| t.kind = TaskKind::Reduce),
        ]),
        fallback: Fallback::Toml("\"plain\""),
        meaning: "what the tasks are: a map's output stays on its node, a reduce reads all of it",
    },
    Key {
        path: "app.task.host",
        kind: Kind::Text(|t, host| t.locality = Locality::Only(host)),
        fallback: Fallback::Absent("anywhere"),
        meaning: "the only node that the tasks may run on",
    },
    Key {
        path: "app.task.cores",
        kind: Kind::Count { low: 1, high: MILLION, set: |t, cores| t.ask.cores = narrow(cores) },
        fallback: Fallback::Toml("1"),
        meaning: "cores of each task's container",
    },
    Key {
        path: "app.task.memory",
        kind: Kind::Memory(|t, bytes| t.ask.memory_kib = bytes.div_ceil(1024)),
        fallback: Fallback::Absent("its memory is not counted"),
        meaning: "memory of each task's container",
    },
    Key {
        path: "app.task.asks",
        kind: Kind::Span { least: SimSpan::ZERO, set: |t, span| t.asks_after = span },
        fallback: Fallback::Toml("\"0s\""),
        meaning: "when the tasks are asked for, after the registration of the application's master",
    },
    Key {
        path: "app.task.run",
        kind: Kind::SpanOrNever { least: NOT_ZERO, set: |t, span| t.run = span },
        fallback: Fallback::Required,
        meaning: "how long each task runs; never: its container is allocated and not launched",
    },
];

/// The keys of one `[[at]]`: its moment, and the actions.
pub(in crate::scenario) const AT_KEYS: &[Key<Moment>] = &[
    Key {
        path: "at.time",
        kind: Kind::Span { least: SimSpan::ZERO, set: |m, span| m.at = SimTime::ZERO + span },
        fallback: Fallback::Required,
        meaning: "when it is done, after the scenario's start",
    },
    action("at.refresh_nodes", Form::RefreshNodes, "the hosts files are read again, or others from now on"),
    action("at.forceful", Form::True(|| Action::Forceful), "every draining node goes at once"),
    action("at.resource_update", Form::ResourceUpdate, "a node's total of cores and memory is set"),
    action(
        "at.node_crash",
        Form::Node(|node| Action::NodeCrash { node }),
        "the node's agent dies without a word, and its containers with it",
    ),
    action(
        "at.node_start",
        Form::Node(|node| Action::NodeStart { node }),
        "the node's agent is started and registers",
    ),
    action(
        "at.node_stop",
        Form::Node(|node| Action::NodeStop { node }),
        "the node's agent is stopped: it signs off and ends, and its containers with it",
    ),
    action(
        "at.node_silence",
        Form::NodeSpan {
            span: "span",
            least: NOT_ZERO,
            make: |node, span| Action::NodeSilence { node, span },
        },
        "the node's agent lives, but nothing that it sends arrives for this long",
    ),
    action(
        "at.node_unhealthy",
        Form::NodeSpan {
            span: "span",
            least: NOT_ZERO,
            make: |node, span| Action::NodeUnhealthy { node, span },
        },
        "the node's health check fails for this long",
    ),
    action(
        "at.rm_restart",
        Form::Span(|away| Action::RmRestart { away }),
        "the resource manager goes away, for this long",
    ),
    action(
        "at.rm_failover",
        Form::True(|| Action::RmFailover),
        "another resource manager takes over at once",
    ),
    action(
        "at.reclaim",
        Form::NodeSpan {
            span: "notice",
            least: SimSpan::ZERO,
            make: |node, notice| Action::Reclaim { node, notice },
        },
        "the cloud takes the node's instance back, with this notice",
    ),
];

/// The key of an action.
const fn action(path: &'static str, form: Form, meaning: &'static str) -> Key<Moment> {
    Key {
        path,
        kind: Kind::Action(form, |m, action| m.actions.push(action)),
        fallback: Fallback::OneOf,
        meaning,
    }
}
