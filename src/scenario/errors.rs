//! What can be wrong with a scenario, where, and what to do about it; and how that is shown.
//!
//! The errors are data; nothing here decides whether something is wrong.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::quantity::QuantityError;
use crate::rules::hosts::{self, HostsError};
use crate::rules::windows::WindowsError;
use crate::time::{DurationError, SimSpan, SimTime};

/// All that is wrong with a scenario, in the order of the file.
#[derive(Clone, Debug)]
pub struct ScenarioErrors {
    path: String,
    text: Arc<str>,
    errors: Vec<ScenarioError>,
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct ScenarioError {
    /// What is wrong. In a box, to keep results small.
    pub problem: Box<Problem>,
    /// Where.
    pub place: Place,
    /// Another place in the file that has to do with it, and why.
    pub context: Option<(Range<usize>, String)>,
    /// More about it, a sentence each.
    pub notes: Vec<String>,
    /// What to do about it.
    pub remedy: Option<String>,
}

/// Where something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// At these bytes of the file.
    Span(Range<usize>),
    /// In this argument of the command line, or in a setting of a sweep, as written.
    Argument(String),
    /// Nowhere in particular: something is missing, or the file as a whole cannot be read.
    File,
}

/// What is wrong with a scenario.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Problem {
    /// The file cannot be read at all.
    #[error("the scenario cannot be read: {0}")]
    Unreadable(String),
    /// The text is not TOML.
    #[error("this is not TOML: {0}")]
    Syntax(String),
    /// A key that is none of ours.
    #[error("unknown key `{0}`")]
    UnknownKey(String),
    /// A part of the file format that this version leaves out.
    #[error("{0} not read by this version")]
    NotYet(&'static str),
    /// A key without a default is absent.
    #[error("`{0}` is missing")]
    Missing(String),
    /// There is no `[[node_type]]`.
    #[error("there is no node type")]
    NoNodeType,
    /// More `[[node_type]]` than are numbered.
    #[error("there are {0} node types")]
    TooManyNodeTypes(usize),
    /// Something other than a table, or than a list of tables, stands where one belongs.
    #[error("`{0}` is no {1}")]
    NotATable(String, &'static str),
    /// A value that its key does not take.
    #[error("`{key}`: {error}")]
    Value {
        /// The key.
        key: String,
        /// What is wrong with its value.
        error: ValueError,
    },
    /// More nodes are always up than there may be.
    #[error("`cluster.min_nodes` ({min}) is above `cluster.max_nodes` ({max})")]
    MinAboveMax {
        /// Nodes that are always up.
        min: u32,
        /// Most nodes.
        max: u32,
    },
    /// The part of the log that is loaded ends before it begins.
    #[error("`workload.until` ({until}) is not after `workload.from` ({from}): no job would be loaded")]
    EmptyPart {
        /// Where the part begins, as written.
        from: String,
        /// Where it ends, as written.
        until: String,
    },
    /// Nodes that beat so rarely that they are given up in between.
    #[error(
        "`{key}` ({interval}) is not shorter than `heartbeat.expiry` ({expiry}): every live node \
         would look lost between two beats"
    )]
    BeatsTooRare {
        /// The key of the interval.
        key: &'static str,
        /// From one beat to the next.
        interval: SimSpan,
        /// After how long a silent node is lost.
        expiry: SimSpan,
    },
    /// A policy whose picture is so old that no ping in it is recent.
    #[error(
        "`policy.report_age` ({age}) and `{key}` ({interval}) together are not shorter than \
         `policy.ping_stale_after` ({stale}): every live node would look down at times"
    )]
    PingsTooOld {
        /// How old the policy's picture is.
        age: SimSpan,
        /// The key of the interval.
        key: &'static str,
        /// From one beat to the next, at the longest.
        interval: SimSpan,
        /// How old a ping may be.
        stale: SimSpan,
    },
    /// Two node types, two nodes or two applications of one name.
    #[error("two {0}s are called \"{1}\"")]
    SameName(&'static str, String),
    /// A key of a node type is set, and there are several types; or the same of other lists of tables.
    #[error("`{0}` does not say which {1} it means")]
    WhichTable(String, &'static str),
    /// A key of a table is set, and there is no such table.
    #[error("`{0}` means nothing: there is no {1}")]
    NoSuchTable(String, String),
    /// A name that nothing has.
    #[error("`{key}`: there is no {what} \"{name}\"")]
    NoSuchName {
        /// The key that has it.
        key: String,
        /// What should have the name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// More nodes are named than there may be.
    #[error("{named} nodes are named, more than `cluster.max_nodes` ({max})")]
    TooManyNamed {
        /// Named nodes.
        named: usize,
        /// Most nodes.
        max: u32,
    },
    /// Nodes are both named and counted.
    #[error("`cluster.min_nodes` ({0}) is given although nodes are named")]
    MinBesideNamed(u32),
    /// An application that ends before it begins.
    #[error("\"{app}\" ends (at {ends} s) no later than it is submitted (at {submit} s)")]
    EndsBeforeSubmit {
        /// Its name.
        app: String,
        /// When it is submitted.
        submit: SimTime,
        /// When it ends.
        ends: SimTime,
    },
    /// An `[[at]]` without an action.
    #[error("nothing is done at {0} s")]
    NoAction(SimTime),
    /// An `[[at]]` with several actions.
    #[error("this [[at]] has two actions, `{0}` and `{1}`")]
    SeveralActions(String, String),
    /// The interval of beats lies outside the bounds of its scaling.
    #[error("`heartbeat.interval` ({interval}) is not within the bounds of its scaling ({min} to {max})")]
    IntervalOutside {
        /// From one beat to the next.
        interval: SimSpan,
        /// The shortest scaled interval.
        min: SimSpan,
        /// The longest scaled interval.
        max: SimSpan,
    },
    /// A node of a node file whose name a node cannot have.
    #[error("`workload.nodes`: no node can be called \"{0}\"")]
    BadHost(String),
    /// A node of a node file that is like no node type.
    #[error("`workload.nodes`: \"{node}\" has {cores} cores and {memory} of memory, and no node type has")]
    NoTypeLike {
        /// Its name.
        node: String,
        /// Its cores.
        cores: u32,
        /// Its memory, as it is written.
        memory: String,
    },
    /// A warning: every boot of a type is given up before its node can register.
    #[error("`{key}`: no boot is shorter than {shortest}, and each is given up after {grace}")]
    NoBootInTime {
        /// The key of the boot time.
        key: String,
        /// The shortest boot.
        shortest: SimSpan,
        /// How long the policy waits for a boot.
        grace: SimSpan,
    },
    /// A warning: the nodes of a type are refused as they register.
    #[error("`{0}`: nodes of this type have less than the smallest allocation, so none will ever register")]
    TypeTooSmall(String),
    /// A warning: a hosts file that does not exist.
    #[error("`{0}`: there is no file \"{1}\"")]
    NoHostsFile(String, String),
    /// A hosts file that says what its format does not allow: an error at the start, else a warning.
    #[error("`{key}`: {file}:{error}")]
    BadHostsFile {
        /// The key that has it read.
        key: String,
        /// The file.
        file: String,
        /// What is wrong with it, and where.
        error: HostsError,
    },
    /// A warning: what a hosts file says and probably does not mean.
    #[error("`{key}`: {warning}")]
    OddHostsFile {
        /// The key that has it read.
        key: String,
        /// What is odd, and where.
        warning: hosts::Warning,
    },
    /// A key that cannot be set or varied.
    #[error("`{0}` cannot be {1}")]
    NotASetting(String, &'static str),
    /// An axis of a sweep without a value.
    #[error("`{0}` is varied over no value")]
    EmptyAxis(String),
    /// An axis of a sweep that is given twice.
    #[error("`{0}` is varied twice")]
    SameAxis(String),
    /// A value that stands twice on an axis.
    #[error("`{key}`: {second} is the same value as {first}")]
    SameValue {
        /// The varied key.
        key: String,
        /// The first of the two, as written.
        first: String,
        /// The second, as written.
        second: String,
    },
    /// The seed is varied in two ways at once.
    #[error("`seed` is varied while `sweep.seeds` is {0}")]
    SeedVaried(u32),
    /// A sweep of more runs than anybody can wait for.
    #[error("the sweep has more than {0} runs")]
    TooManyRuns(u64),
    /// A column that no result has.
    #[error("`sweep.front`: there is no column `{0}`")]
    UnknownColumn(String),
    /// An argument without `=`.
    #[error("\"{0}\" sets nothing")]
    NoEquals(String),
}

/// What is wrong with a value.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ValueError {
    /// Something else than what the key takes.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// What stands there.
        found: String,
        /// What the key takes.
        expected: String,
    },
    /// No duration.
    #[error(transparent)]
    Duration(#[from] DurationError),
    /// No size of memory, or no amount of money.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// Windows that do not make sense.
    #[error("{0}")]
    Windows(#[from] WindowsError),
    /// The 95th percentile of boot times below their median.
    #[error("the 95th percentile ({p95}) is below the median ({median})")]
    PercentileBelowMedian {
        /// The median, as written.
        median: String,
        /// The percentile, as written.
        p95: String,
    },
    /// A range that ends before it begins.
    #[error("the range ends ({high}) before it begins ({low})")]
    RangeReversed {
        /// Its lower end, as written.
        low: String,
        /// Its upper end, as written.
        high: String,
    },
    /// A table with a part that it cannot have.
    #[error("`{0}` is no part of it")]
    UnknownPart(String),
    /// A table without a part that it must have.
    #[error("`{0}` is missing in it")]
    PartMissing(&'static str),
    /// A part of a refresh that only a graceful one has.
    #[error("`{0}` belongs to a graceful refresh, and this one is not")]
    OnlyGraceful(&'static str),
    /// A time of a refresh that is no whole number of seconds.
    #[error("{0} is no whole number of seconds")]
    NotWholeSeconds(SimSpan),
    /// A name that is kept for instances.
    #[error("\"{0}\" is a name for instances that are granted")]
    ReservedName(String),
    /// A hosts file that is there and cannot be read.
    #[error("the hosts file \"{0}\" cannot be read: {1}")]
    HostsFileUnreadable(String, String),
    /// A file beside a trace that cannot be read; its reader says all.
    #[error("{0}")]
    Input(String),
    /// A matrix whose file cannot be read.
    #[error("the matrix \"{0}\" cannot be read: {1}")]
    MatrixUnreadable(String, String),
    /// A matrix with holes or other defects; the notes list them.
    #[error("the matrix \"{0}\" has {1}")]
    MatrixDefective(String, String),
}

impl ScenarioError {
    /// `problem` at `place`, with nothing more to say about it.
    pub(super) fn new(problem: Problem, place: Place) -> Self {
        Self { problem: Box::new(problem), place, context: None, notes: Vec::new(), remedy: None }
    }

    /// The same with a remedy.
    pub(super) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Bytes of the file at which to list this error: arguments and the file as a whole come last.
    fn position(&self) -> usize {
        match &self.place {
            Place::Span(span) => span.start,
            Place::Argument(_) | Place::File => usize::MAX,
        }
    }

    fn group<'a>(&'a self, level: Level<'a>, path: &'a str, text: &'a str) -> Group<'a> {
        let title = level.primary_title(self.problem.to_string());
        let mut notes = self.notes.clone();
        let mut group = match &self.place {
            Place::Span(span) => {
                let mut snippet = Snippet::source(text).path(path);
                snippet = snippet.annotation(AnnotationKind::Primary.span(within(text, span)));
                if let Some((span, label)) = &self.context {
                    let context = AnnotationKind::Context.span(within(text, span)).label(label);
                    snippet = snippet.annotation(context);
                }
                title.element(snippet)
            }
            Place::Argument(argument) => {
                notes.insert(0, format!("in `{argument}`"));
                Group::with_title(title)
            }
            Place::File => {
                notes.insert(0, format!("in {path}"));
                Group::with_title(title)
            }
        };
        group = group.elements(notes.into_iter().map(|note| Level::NOTE.message(note)));
        group.elements(self.remedy.iter().map(|remedy| Level::HELP.message(remedy)))
    }
}

impl ScenarioErrors {
    /// All errors of the scenario `path`, whose text is `text`. There is at least one, unless they are warnings.
    pub(super) fn new(path: String, text: Arc<str>, mut errors: Vec<ScenarioError>) -> Self {
        errors.sort_by_key(ScenarioError::position);
        Self { path, text, errors }
    }

    /// The errors by themselves, to be told with those of a file.
    pub(super) fn into_errors(self) -> Vec<ScenarioError> {
        self.errors
    }

    /// The errors, those at a place in the file first and in its order.
    pub fn errors(&self) -> &[ScenarioError] {
        &self.errors
    }

    /// All errors for people: each with its place, the line, and a remedy. `colour` adds terminal colours.
    pub fn render(&self, colour: bool) -> String {
        self.render_as(&Level::ERROR, colour)
    }

    fn render_as(&self, level: &Level<'static>, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let group =
            |error: &ScenarioError| renderer.render(&[error.group(level.clone(), &self.path, &self.text)]);
        self.errors.iter().map(group).collect::<Vec<_>>().join("\n\n")
    }
}

impl fmt::Display for ScenarioErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for ScenarioErrors {}

/// What is probably not meant in a scenario that can be played, in the order of the file. There may be nothing.
#[derive(Clone, Debug)]
pub struct ScenarioWarnings(ScenarioErrors);

impl ScenarioWarnings {
    pub(super) fn new(warnings: ScenarioErrors) -> Self {
        Self(warnings)
    }

    /// The warnings, in the order of the file.
    pub fn warnings(&self) -> &[ScenarioError] {
        &self.0.errors
    }

    /// All warnings for people, as [`ScenarioErrors::render`] shows errors; empty if there is none.
    pub fn render(&self, colour: bool) -> String {
        self.0.render_as(&Level::WARNING, colour)
    }
}

/// `span` cut to the text and to whole characters, so that no message can fail to be drawn.
fn within(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start);
    let end = text.ceil_char_boundary(span.end).max(start);
    start..end
}
