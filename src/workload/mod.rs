//! Workloads: readers of job logs, and the one type that all of them end in.
//!
//! [`load`] reads a log of batch jobs as a [`WorkloadSpec`] says. [`load_apps`] reads a trace of YARN applications as
//! [`AppOptions`] say, [`load_nodes`] the nodes that belong to it. Whether a job fits the cluster is no question of a
//! log, and is not asked here.

pub mod app;
#[cfg(test)]
mod app_tests;
mod app_trace;
mod assembly;
mod digest;
mod draw;
mod error;
mod json;
mod nodes;
mod rumen;
mod runner;
mod sample;
mod sls;
#[cfg(test)]
mod sls_tests;
mod sniff;
mod source;
mod swf;
mod synth;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::time::{SimSpan, SimTime};

pub use app_trace::{AppFormat, AppOptions, AppTrace, Simplified, SkippedApp, load_apps};
use assembly::Assembly;
pub use digest::digest;
pub use error::{AppFault, Malformed, WorkloadError};
pub use nodes::{NodeFile, NodeLabel, NodeSpec, load_nodes};
pub use runner::SlsRunner;
use source::Log;
use swf::Line;
pub use synth::{SynthOptions, TaskTimeUnit};

/// The longest text that is held at once; a log of batch jobs is not.
const MOST_TEXT_BYTES: u64 = 1 << 30;

/// One batch job as loaded: times count from the first loaded submit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number in the log.
    pub id: u64,
    /// When it is submitted.
    pub submit: SimTime,
    /// How long it runs when nothing disturbs it. Never zero.
    pub run: SimSpan,
    /// How long its owner said that it runs; what EASY plans with.
    pub requested: SimSpan,
    /// Cores that it needs at once. Never zero.
    pub cores: u32,
    /// Memory that it needs for each core, in KiB; 0 if the log does not say.
    pub memory_per_core_kib: u32,
}

/// Why a line of a log is not a job that can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// Its run time is absent, zero or negative.
    NoRunTime,
    /// Neither requested nor allocated processors are above zero (and the run time is).
    NoProcessors,
}

/// A line of the log that was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The job's number in the log.
    pub id: u64,
    /// Its submit time, as an offset to the first loaded submit in milliseconds (negative if before it), scaled as
    /// the jobs' are.
    pub submit_ms: i64,
    /// Why.
    pub reason: SkipReason,
}

/// What happens to run time beyond the requested time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overrun {
    /// The job is taken to end at its requested time.
    Trim,
    /// The job runs on.
    Keep,
}

/// Which jobs of which log, and how they are read.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadSpec {
    /// The log.
    pub trace: PathBuf,
    /// Stop reading with so many jobs loaded, in the log's order; `None`: never.
    pub jobs: Option<u64>,
    /// Leave out what is submitted before this long (unscaled) after the log's first line; left out is not skipped.
    pub from: Option<SimSpan>,
    /// Leave out what is submitted at or after this long (unscaled) after the log's first line.
    pub until: Option<SimSpan>,
    /// Gaps between submits are divided by this: 2 is twice the load. Above 0.
    pub scale_load: f64,
    /// Submits, run times and requested times are multiplied by this. Above 0.
    pub scale_time: f64,
    /// What happens to run time beyond the requested time.
    pub overrun: Overrun,
}

/// A workload ready to be played; shared, never changed.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The jobs in order of submit time (ties: as in the log).
    pub jobs: Vec<Job>,
    /// What was left out, in the log's order.
    pub skipped: Vec<Skipped>,
    /// Wall-clock time of the log's own time 0 in seconds since 1970, if it says; the first loaded submit may be later.
    pub unix_start_s: Option<i64>,
    /// FNV-1a digest (64 bits, hexadecimal) of the log's bytes as stored, for the manifest; empty if there
    /// is no log.
    pub digest: String,
}

impl Workload {
    /// No job at all: the workload of a scenario that replays no log.
    pub fn empty() -> Self {
        Self { jobs: Vec::new(), skipped: Vec::new(), unix_start_s: None, digest: String::new() }
    }
}

/// Loads the jobs that `spec` asks for.
///
/// The format is told by content and name: SWF is read, plain or gzip (of one or more members), line by line. Lines
/// without run time or processors are recorded as skipped.
///
/// # Errors
/// The file is missing, unreadable, a folder, empty, damaged or of another format; a line is malformed; no job is left
/// to be played; or scaling is impossible. Each message names the file, the line, what is expected, and a remedy.
pub fn load(spec: &WorkloadSpec) -> Result<Workload, WorkloadError> {
    read(open(&spec.trace)?, spec)
}

/// Opens a file.
fn open(path: &Path) -> Result<File, WorkloadError> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.is_dir(), file)));
    let path = || path.to_owned();
    match opened {
        Ok((true, _)) => Err(WorkloadError::Directory { path: path() }),
        Ok((false, file)) => Ok(file),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Err(WorkloadError::Missing { path: path() }),
        Err(source) => Err(WorkloadError::Unreadable { path: path(), lines: 0, source }),
    }
}

/// The text of a file of JSON, and the digest of its stored bytes; `readable` says what would be read.
fn read_json(
    path: &Path,
    readable: &'static str,
    most_bytes: u64,
) -> Result<(Vec<u8>, String), WorkloadError> {
    read_json_from(open(path)?, path, readable, most_bytes)
}

/// As [`read_json`], from stored bytes.
fn read_json_from(
    stored: impl Read,
    path: &Path,
    readable: &'static str,
    most_bytes: u64,
) -> Result<(Vec<u8>, String), WorkloadError> {
    let log = Log::open(stored, path)?;
    sniff::expect_json(log.head(), path, readable)?;
    log.into_text(most_bytes)
}

/// Loads the jobs that `spec` asks for, if there is one; else no job at all.
///
/// # Errors
/// Those of [`load`].
pub fn load_or_empty(spec: Option<&WorkloadSpec>) -> Result<Workload, WorkloadError> {
    spec.map_or_else(|| Ok(Workload::empty()), load)
}

/// Loads a log from its stored bytes; `spec.trace` is but its name.
fn read(stored: impl Read, spec: &WorkloadSpec) -> Result<Workload, WorkloadError> {
    let mut assembly = Assembly::new(spec)?;
    let mut log = Log::open(stored, &spec.trace)?;
    sniff::expect_swf(log.head(), &spec.trace)?;
    let mut unix_start_s = None;
    while !assembly.is_full() {
        let Some(line) = log.next_line()? else { break };
        match swf::parse_line(line) {
            Ok(Line::Job(record)) => assembly.add(&record),
            Ok(Line::UnixStart(seconds)) => unix_start_s = Some(seconds),
            Ok(Line::Comment) => {}
            Err(what) => {
                let (path, text) = (spec.trace.clone(), error::shortened(line));
                return Err(WorkloadError::Malformed { path, line: log.line_number(), what, text });
            }
        }
    }
    assembly.finish(unix_start_s, log.into_digest()?)
}
