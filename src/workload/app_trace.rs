//! Traces of YARN applications: one entry point for the formats of YARN's load simulator, and what they end in.
//!
//! The formats read their own files; here applications are named, counted and put in order. Whether one fits the
//! cluster is no question of a trace, and is not asked here. How they are read is yarn.md section 11.

use std::collections::BTreeSet;
use std::path::Path;

use super::app::{App, Ask, Master, TaskGroup, TaskKind};
use super::error::{APP_TRACES, AppFault, WorkloadError};
use super::json::{Fields, Objects, Place};
use super::nodes::{Host, NodeSet, NodeSpec};
use super::runner::SlsRunner;
use super::sniff::{self, JsonKind};
use super::synth::SynthOptions;
use super::{MOST_TEXT_BYTES, read_json, rumen, sls, synth};
use crate::time::{SimSpan, SimTime};

/// The most groups of equal tasks that are held: a few GB of memory.
const MOST_TASK_GROUPS: usize = 10_000_000;

/// How many attempts an application has (YARN's default, yarn.md 8.4).
const MAX_ATTEMPTS: u32 = 2;

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
}

/// What a trace of applications was written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppFormat {
    /// SLS, the load simulator's own (yarn.md 11.1).
    Sls,
    /// SYNTH, the input of its generator (yarn.md 11.3).
    Synth,
    /// Rumen's job history (yarn.md 11.4).
    Rumen,
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

/// What a trace says and applications here do not know; counted so that nothing is passed over in silence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simplified {
    /// Tasks that ask for opportunistic containers. They are played as guaranteed ones.
    pub opportunistic_tasks: u64,
    /// Applications that ask for nodes with a label. They may run on any node.
    pub labelled_apps: u64,
}

/// A trace of applications, ready to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct AppTrace {
    /// What it was written as.
    pub format: AppFormat,
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

/// Loads a trace of YARN applications: SLS, SYNTH or Rumen (yarn.md 11.1, 11.3, 11.4), plain or gzip.
///
/// The format is told by the first object with a telling key; the file's name says nothing about JSON. A faulty
/// application is skipped with its reason, and the rest is loaded; a faulty SYNTH file is an error, since all of its
/// applications come from it.
///
/// Applications ask again for killed tasks, have two attempts and lose their containers with an attempt of their
/// master, as those of SLS do. They end with their last task.
///
/// # Errors
/// The file is missing, unreadable, a folder, empty, damaged, too large or of another format; its JSON is broken; a
/// SYNTH file cannot be generated from; or no application is left to be played. Each message names the file, the place,
/// what was found, what is expected, and a remedy.
pub fn load_apps(path: &Path, options: &AppOptions) -> Result<AppTrace, WorkloadError> {
    let (text, digest) = read_json(path, APP_TRACES, MOST_TEXT_BYTES)?;
    read(path, &text, digest, options)
}

/// Loads a trace from its text.
pub(super) fn read(
    path: &Path,
    text: &[u8],
    digest: String,
    options: &AppOptions,
) -> Result<AppTrace, WorkloadError> {
    let mut draft = Draft::new(path, options);
    let objects = Objects::new(path, text);
    let format = match kind(objects.clone())? {
        Some(JsonKind::Sls) => sls::read(objects, &mut draft).map(|()| AppFormat::Sls),
        Some(JsonKind::Synth) => synth::read(objects, &mut draft).map(|()| AppFormat::Synth),
        Some(JsonKind::Rumen) => rumen::read(objects, &mut draft).map(|()| AppFormat::Rumen),
        Some(other) => sniff::not_read(path, other.looks_like(), APP_TRACES, other.remedy()),
        None => sniff::not_read(path, "JSON of some other kind", APP_TRACES, "convert it to what is read"),
    };
    draft.finish(format?, digest)
}

/// What kind of JSON this is, by the first object that gives it away.
fn kind(objects: Objects<'_>) -> Result<Option<JsonKind>, WorkloadError> {
    for object in objects {
        let object = object?;
        if let Some(kind) = JsonKind::of(|key| object.map.contains_key(key)) {
            return Ok(Some(kind));
        }
    }
    Ok(None)
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

/// An application as its trace describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// When it is submitted.
    pub submit: SimTime,
    /// What its master holds.
    pub master: Ask,
    /// What it does.
    pub tasks: Vec<TaskGroup>,
    /// The hosts that its tasks prefer, each with where it stands.
    pub hosts: Vec<(String, Host)>,
    /// How often it is submitted, at least once.
    pub copies: u32,
    /// How many of its tasks are opportunistic.
    pub opportunistic: u64,
    /// Whether it asks for nodes with a label.
    pub is_labelled: bool,
}

/// A trace that is being put together.
pub(super) struct Draft<'a> {
    /// The trace's name.
    pub path: &'a Path,
    /// How it is read.
    pub options: &'a AppOptions,
    apps: Vec<App>,
    skipped: Vec<SkippedApp>,
    nodes: NodeSet,
    names: BTreeSet<String>,
    task_groups: usize,
    simplified: Simplified,
}

impl<'a> Draft<'a> {
    pub(super) fn new(path: &'a Path, options: &'a AppOptions) -> Self {
        Self {
            path,
            options,
            apps: Vec::new(),
            skipped: Vec::new(),
            nodes: NodeSet::default(),
            names: BTreeSet::new(),
            task_groups: 0,
            simplified: Simplified::default(),
        }
    }

    /// Takes in a node that the trace numbers.
    pub(super) fn add_node(&mut self, host: Host) {
        self.nodes.mention(host);
    }

    /// The name of an application that has none: `app-N`, with the first number from `number` on that is free.
    pub(super) fn name_for(&self, number: u64) -> String {
        let mut names = (number..).map(|number| format!("app-{number}"));
        names.find(|name| !self.names.contains(name)).expect("a name is free because numbers do not end")
    }

    /// Takes in an application, or the reason why it is left out.
    ///
    /// # Errors
    /// The trace has more tasks than can be held.
    pub(super) fn add(
        &mut self,
        place: Place,
        name: &str,
        candidate: Result<Candidate, AppFault>,
    ) -> Result<(), WorkloadError> {
        let candidate = match candidate.and_then(|candidate| self.check_racks(candidate)) {
            Ok(candidate) => candidate,
            Err(fault) => {
                self.skip(place, name.to_owned(), fault);
                return Ok(());
            }
        };
        let groups = candidate.tasks.len().saturating_mul(candidate.copies as usize);
        self.task_groups = self.task_groups.saturating_add(groups);
        if self.task_groups > MOST_TASK_GROUPS {
            let (path, name) = (self.path.to_owned(), name.to_owned());
            return Err(WorkloadError::TooManyTasks { path, name, most: MOST_TASK_GROUPS });
        }
        for copy in 1..=candidate.copies {
            let name = if candidate.copies == 1 { name.to_owned() } else { format!("{name}-{copy}") };
            if !self.names.insert(name.clone()) {
                self.skip(place, name, AppFault::NameTaken);
                continue;
            }
            self.simplified.opportunistic_tasks += candidate.opportunistic;
            self.simplified.labelled_apps += u64::from(candidate.is_labelled);
            self.apps.push(self.app(name, &candidate));
        }
        for (_, host) in candidate.hosts {
            self.nodes.mention(host);
        }
        Ok(())
    }

    /// A host is known by its name alone, so that it cannot stand in two racks.
    fn check_racks(&self, candidate: Candidate) -> Result<Candidate, AppFault> {
        let mut seen = NodeSet::default();
        for (key, host) in &candidate.hosts {
            let earlier = self.nodes.rack_of(&host.name).or_else(|| seen.rack_of(&host.name));
            match earlier.filter(|earlier| *earlier != host.rack) {
                None => seen.mention(host.clone()),
                Some(earlier) => {
                    return Err(AppFault::RackConflict {
                        key: key.clone(),
                        host: host.name.clone(),
                        rack: host.rack.clone(),
                        earlier: earlier.to_owned(),
                    });
                }
            }
        }
        Ok(candidate)
    }

    fn skip(&mut self, place: Place, name: String, reason: AppFault) {
        self.skipped.push(SkippedApp { name, line: place.line, column: place.column, reason });
    }

    fn app(&self, name: String, candidate: &Candidate) -> App {
        App {
            name,
            submit: candidate.submit,
            master: Master::Container { ask: candidate.master, host: None },
            ends: None,
            allocate_interval: self.options.runner.allocate_interval,
            // The run times of a trace are those of containers, their starts included.
            launch: SimSpan::ZERO,
            rerun: true,
            max_attempts: MAX_ATTEMPTS,
            keep_containers: false,
            tasks: candidate.tasks.clone(),
        }
    }

    /// Counts submit times from the first one.
    pub(super) fn count_from_first_submit(&mut self) {
        let Some(first) = self.apps.iter().map(|app| app.submit).min() else { return };
        for app in &mut self.apps {
            app.submit = SimTime::from_ms(app.submit.since(first).as_ms());
        }
    }

    /// The trace, in order of submit time.
    ///
    /// # Errors
    /// No application was loaded.
    fn finish(mut self, format: AppFormat, digest: String) -> Result<AppTrace, WorkloadError> {
        if self.apps.is_empty() {
            let first = self.skipped.first().map(|app| {
                format!(
                    ", the first one, \"{}\" at {}:{}, because {}",
                    app.name, app.line, app.column, app.reason
                )
            });
            return Err(WorkloadError::NoApps {
                path: self.path.to_owned(),
                skipped: self.skipped.len(),
                first: first.unwrap_or_default(),
            });
        }
        self.apps.sort_by_key(|app| app.submit);
        let nodes = match self.options.nodes.as_slice() {
            [] => self.nodes.into_list(),
            known => known.to_vec(),
        };
        let (apps, skipped, simplified) = (self.apps, self.skipped, self.simplified);
        Ok(AppTrace { format, apps, nodes, skipped, simplified, digest })
    }
}

/// The longest time that is read, in milliseconds.
pub(super) const MOST_MS: i64 = SimSpan::MAX.as_ms().cast_signed();
