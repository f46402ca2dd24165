//! The list of keys: the one home of each key's path, kind, default, meaning, and place in the model.
//!
//! Reading, suggestions for misspelt keys, `--set`, `--vary` and `--explain` all go by this list. It says
//! what a key is; how a value of its kind is read is in `read`, and what must hold between keys is in
//! `check`. The keys of the scenario as a whole are in `whole`, those of `[[node_type]]`, `[[node]]` and the
//! other lists of tables in `lists`.

mod lists;
mod whole;

use std::path::PathBuf;
use std::sync::Arc;

use super::action::Form;
use super::model::SweepSpec;
use crate::rules::machine::BootTime;
use crate::rules::matrix::Matrix;
use crate::rules::rmnode::RmNodeState;
use crate::rules::script::{Action, ListFile};
use crate::rules::windows::ShutdownWindows;
use crate::time::SimSpan;
use crate::workload::app::Master;
use crate::workload::{NodeFile, SlsRunner};

pub(super) use lists::{
    APP, APP_KEYS, AT, AT_KEYS, NODE, NODE_KEYS, NODE_TYPE, NODE_TYPE_KEYS, TABLE_LISTS, TASK, TASK_KEYS,
    TableList,
};
pub(super) use whole::SCENARIO_KEYS;

/// One key of a scenario file that fills a part of `T`.
pub(super) struct Key<T: 'static> {
    /// Its dotted path; the keys of all node types are under `node_type`, and so on.
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
    /// The name of a node: no blanks, and not one that a granted instance will have.
    NodeName(fn(&mut T, String)),
    /// The name of an application: no `/`.
    AppName(fn(&mut T, String)),
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
    /// The path of a node file of YARN's load simulator, which is read at once.
    NodeFile(fn(&mut T, NodeFile)),
    /// The path of an `sls-runner.xml`, which is read at once.
    Runner(fn(&mut T, SlsRunner)),
    /// The path of a hosts file, which is read at once.
    HostsFile(fn(&mut T, Arc<ListFile>)),
    /// A list of states of nodes that are out of service.
    RemovalStates(fn(&mut T, Vec<RmNodeState>)),
    /// `"unmanaged"`, or what the master's container holds and where.
    Master(fn(&mut T, Master)),
    /// Something that is done, in one of the forms that actions have.
    Action(Form, fn(&mut T, Action)),
    /// A list of column names.
    Names(fn(&mut T, Vec<String>)),
    /// A table of settings by dotted path, which `sweep` reads.
    Settings,
}

impl<T> Kind<T> {
    /// Whether one word of the command line, or one element of a list of values, can say it.
    pub(super) fn is_one_value(&self) -> bool {
        !matches!(self, Self::Names(_) | Self::RemovalStates(_) | Self::Settings)
    }
}

/// What holds where a key is absent.
pub(super) enum Fallback {
    /// The key must be given.
    Required,
    /// The key must be given unless nodes, applications or actions are: then nothing, which means what the words
    /// say.
    RequiredUnlessScripted(&'static str),
    /// The key is one of several of which exactly one is given. Of the others nothing is said.
    OneOf,
    /// This value, as TOML.
    Toml(&'static str),
    /// Nothing; the words say what that means.
    Absent(&'static str),
    /// The stem of the file's name.
    FileStem,
    /// A value that follows from another key's, both as TOML. That key stands earlier in the same list.
    Follows(&'static str, fn(&str) -> &'static str),
}

const NOT_ZERO: SimSpan = SimSpan::MILLISECOND;
/// The most nodes, and the most cores of a node, that a scenario can have.
pub(super) const MILLION: u64 = 1_000_000;
/// The largest whole number of TOML, so that a seed can be printed as it is read.
const SEED_MOST: u64 = i64::MAX as u64;

/// Counts are bounded by this list far below the limit, so nothing is ever cut off here.
pub(super) fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

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
const NOT_YET: &[(&str, &str)] =
    &[("start", "a wall-clock start (start) is"), ("sweep.goal", "a goal ([sweep.goal]) is")];

/// What `path`, or the table that it is in, would be for in a later version, as the start of a sentence.
pub(super) fn not_yet(path: &str) -> Option<&'static str> {
    let within =
        |table: &str| path.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    NOT_YET.iter().find(|(table, _)| within(table)).map(|&(_, what)| what)
}

/// What is known of a key whatever it fills.
#[derive(Clone, Copy)]
pub(super) struct Summary {
    /// Its dotted path.
    pub path: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Whether it can be varied: it has a single value, and names nothing.
    is_variable: bool,
}

/// The keys of one list, summarised.
fn summaries<T>(keys: &'static [Key<T>]) -> impl Iterator<Item = Summary> {
    keys.iter().map(|key| Summary {
        path: key.path,
        meaning: key.meaning,
        is_variable: key.kind.is_one_value() && !is_naming(key.path),
    })
}

/// The keys of all lists, in the order in which they are printed.
fn all() -> impl Iterator<Item = Summary> {
    let tables = summaries(NODE_TYPE_KEYS).chain(summaries(NODE_KEYS)).chain(summaries(APP_KEYS));
    let tables = tables.chain(summaries(TASK_KEYS)).chain(summaries(AT_KEYS));
    let sweep = summaries(SWEEP_KEYS).map(|key| Summary { is_variable: false, ..key });
    summaries(SCENARIO_KEYS).chain(tables).chain(sweep)
}

/// Every path with its meaning, in the order of the lists.
pub(super) fn paths() -> impl Iterator<Item = (&'static str, &'static str)> {
    all().map(|key| (key.path, key.meaning))
}

/// The paths of all keys that can be varied.
pub(super) fn variable_paths() -> impl Iterator<Item = &'static str> {
    all().filter(|key| key.is_variable).map(|key| key.path)
}

/// The list of tables that is at `path`.
pub(super) fn list_at(path: &str) -> Option<&'static TableList> {
    TABLE_LISTS.iter().copied().find(|list| list.path == path)
}

/// The list of tables whose keys `path` is one of.
pub(super) fn list_of(path: &str) -> Option<&'static TableList> {
    path.rsplit_once('.').and_then(|(table, _)| list_at(table))
}

/// The names of the keys of a list's tables.
pub(super) fn leaves_of(list: &'static TableList) -> impl Iterator<Item = &'static str> {
    let here = paths().filter(move |&(path, _)| list_of(path) == Some(list));
    here.filter_map(|(path, _)| path.rsplit('.').next())
}

/// Whether the tables of a list are told apart by the key at `path`; it names something and so is no setting.
pub(super) fn is_naming(path: &str) -> bool {
    let leaf = path.rsplit('.').next();
    list_of(path).is_some_and(|list| list.named_by.is_some() && list.named_by == leaf)
}
