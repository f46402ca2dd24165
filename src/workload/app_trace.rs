//! Traces of YARN applications: one entry point for the formats of YARN's load simulator, and what they end in.
//!
//! The formats read their own files, and `app_draft` puts together what they find. Whether one fits the
//! cluster is no question of a trace, and is not asked here. How they are read is yarn.md section 11.

use std::fmt;
use std::io::Read;

use super::app::{App, TaskKind};
use super::app_draft::Draft;
use super::error::{APP_TRACES, AppFault, WorkloadError};
use super::json::{Fields, Objects};
use super::nodes::NodeSpec;
use super::runner::SlsRunner;
use super::sniff::{self, JsonKind};
use super::source::Log;
use super::synth::SynthOptions;
use super::{TraceFormat, WorkloadSpec, open, read_json, rumen, sls, synth};
use crate::time::SimSpan;

/// The most of whatever a file gives as a number and is then made one by one: nodes, jobs, copies, tasks.
pub(super) const MOST_MADE: i64 = 1_000_000;

/// How a trace of applications is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AppOptions {
    /// What tasks and masters hold that do not say so, and how often masters ask.
    pub runner: SlsRunner,
    /// The cluster's nodes, if they are known otherwise (as from a node file). They stand in place of the nodes that
    /// the trace names. Empty: not known.
    pub nodes: Vec<NodeSpec>,
    /// How a SYNTH file is read.
    pub synth: SynthOptions,
    /// What becomes of the hosts of tasks.
    pub hosts: HostUse,
}

/// What becomes of the hosts that tasks of a trace name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostUse {
    /// They are preferred, and must be nodes of the cluster if those are known.
    #[default]
    Prefer,
    /// Tasks run anywhere.
    Ignore,
}

/// An application of a trace that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedApp {
    /// Its name; `app-N` if it has none, with N its number in the trace.
    pub name: String,
    /// Where the object that describes it begins: the line, from 1.
    pub line: u64,
    /// The column, in bytes, from 1.
    pub column: u64,
    /// Why; [`AppFault::reason`] names the kind of it, to count by.
    pub reason: AppFault,
}

impl fmt::Display for SkippedApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, line, column, reason } = self;
        write!(f, "\"{name}\" at {line}:{column}, because {reason}")
    }
}

/// What a trace says and applications here do not know; counted so that nothing is passed over in silence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simplified {
    /// Tasks that ask for opportunistic containers. They are played as guaranteed ones.
    pub opportunistic_tasks: u64,
    /// Applications that ask for nodes with a label. They may run on any node.
    pub labelled_apps: u64,
    /// Tasks that prefer a host of the trace's while the cluster's nodes are not known. They run anywhere.
    pub homeless_tasks: u64,
}

/// A trace of applications, ready to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct AppTrace {
    /// What it was written as.
    pub format: TraceFormat,
    /// The applications in order of submit time (ties: as in the trace).
    pub apps: Vec<App>,
    /// The nodes of [`AppOptions::nodes`] if there are any; else those that the trace numbers or names, in the order
    /// in which it does. Each host that a task prefers is among the latter.
    pub nodes: Vec<NodeSpec>,
    /// What was left out, in the trace's order.
    pub skipped: Vec<SkippedApp>,
    /// What was read as something simpler.
    pub simplified: Simplified,
    /// FNV-1a digest (64 bits, hexadecimal) of the trace's bytes as stored, for the manifest.
    pub digest: String,
}

/// Loads the applications that `spec` asks for from an SLS, SYNTH or Rumen trace (yarn.md 11.1, 11.3, 11.4), plain or
/// gzip.
///
/// The format is told by the first object with a telling key, unless `spec` says it; the file's name says nothing about
/// JSON. A faulty application is skipped with its reason, and the rest is loaded; a faulty SYNTH file is an error,
/// since all of its applications come from it.
///
/// Submit times of SLS and SYNTH count from the scenario's start, or from `from` if that is given; those of a history
/// count from the first loaded submit.
///
/// Applications ask again for killed tasks, have two attempts and lose their containers with an attempt of their
/// master, as those of SLS do. They end with their last task.
///
/// # Errors
/// The file is missing, unreadable, a folder, empty, damaged, too large or of another format; its JSON is broken; a
/// SYNTH file cannot be generated from; a task prefers a host that the cluster does not have; scaling is impossible; or
/// no application is left to be played. Each message names the file, the place, what was found, what is expected, and
/// a remedy.
pub fn load_apps(spec: &WorkloadSpec) -> Result<AppTrace, WorkloadError> {
    load_from(Log::open(open(&spec.trace, "workload.trace")?, &spec.trace)?, spec)
}

/// As [`load_apps`], from an opened file.
pub(super) fn load_from<R: Read>(log: Log<'_, R>, spec: &WorkloadSpec) -> Result<AppTrace, WorkloadError> {
    let (text, digest) = read_json(log, &spec.trace, APP_TRACES)?;
    read(spec, &text, digest)
}

/// Reads the objects of one format.
type Reader = fn(Objects<'_>, &mut Draft<'_>) -> Result<(), WorkloadError>;

/// Loads a trace from its text.
pub(super) fn read(spec: &WorkloadSpec, text: &[u8], digest: String) -> Result<AppTrace, WorkloadError> {
    let path = spec.trace.as_path();
    let objects = Objects::new(path, text);
    let (format, read): (_, Reader) = match kind(objects.clone(), spec.format)? {
        Some(JsonKind::Sls) => (TraceFormat::Sls, sls::read),
        Some(JsonKind::Synth) => (TraceFormat::Synth, synth::read),
        Some(JsonKind::Rumen) => (TraceFormat::Rumen, rumen::read),
        Some(other) => return sniff::not_read(path, other.looks_like(), APP_TRACES, other.remedy()),
        None => {
            return sniff::not_read(
                path,
                "JSON of some other kind",
                APP_TRACES,
                "convert it to what is read",
            );
        }
    };
    if let Some(forced) = spec.format.filter(|forced| *forced != format) {
        return Err(WorkloadError::OtherFormat {
            path: path.to_owned(),
            format: format.name(),
            forced: forced.name(),
        });
    }
    spec.check_sense(format)?;
    let mut draft = Draft::new(spec, format)?;
    read(objects, &mut draft)?;
    draft.finish(digest)
}

/// What kind of JSON this is: the forced one if any object fits it, or none tells; else by the first object that gives
/// it away.
fn kind(objects: Objects<'_>, forced: Option<TraceFormat>) -> Result<Option<JsonKind>, WorkloadError> {
    let forced = forced.and_then(TraceFormat::json_kind);
    let mut told = None;
    for object in objects {
        let map = object?.map;
        let has = |key: &str| map.contains_key(key);
        told = told.or_else(|| JsonKind::of(has));
        match forced {
            None if told.is_some() => return Ok(told),
            Some(kind) if kind.is_told(has) => return Ok(forced),
            None | Some(_) => {}
        }
    }
    Ok(told.or(forced))
}

/// What an application does with its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AmType {
    /// Reduces are asked for when all maps are done.
    MapReduce,
    /// Each task is asked for after its own delay.
    Dag,
}

impl AmType {
    /// The type called `name`.
    pub(super) fn parse(name: &str) -> Result<Self, AppFault> {
        match name {
            "mapreduce" => Ok(Self::MapReduce),
            "dag" => Ok(Self::Dag),
            other => Err(AppFault::NotSimulated { kind: other.to_owned() }),
        }
    }

    /// What the task is whose type stands at `key`; SLS takes one without a type for a map.
    pub(super) fn task_kind(self, fields: &Fields<'_>, key: &str) -> Result<TaskKind, AppFault> {
        const EXPECTED: &str = "map or reduce";
        let text = fields.text(key, EXPECTED)?;
        match (self, text.as_deref()) {
            (Self::Dag, _) => Ok(TaskKind::Plain),
            (Self::MapReduce, None | Some("map")) => Ok(TaskKind::Map),
            (Self::MapReduce, Some("reduce")) => Ok(TaskKind::Reduce),
            (Self::MapReduce, Some(_)) => Err(fields.fault(key, EXPECTED)),
        }
    }
}

/// Whether the task whose execution type stands at `key` is an opportunistic one.
pub(super) fn is_opportunistic(fields: &Fields<'_>, key: &str) -> Result<bool, AppFault> {
    const EXPECTED: &str = "GUARANTEED or OPPORTUNISTIC";
    match fields.text(key, EXPECTED)?.as_deref() {
        None | Some("GUARANTEED") => Ok(false),
        Some("OPPORTUNISTIC") => Ok(true),
        Some(_) => Err(fields.fault(key, EXPECTED)),
    }
}

/// The longest time that is read, in milliseconds.
pub(super) const MOST_MS: i64 = SimSpan::MAX.as_ms().cast_signed();
