//! Workloads: readers of job logs, and the one type that all of them end in.
//!
//! [`load`] reads what a [`WorkloadSpec`] names: [`load_jobs`] a log of batch jobs, [`load_apps`] a trace of YARN
//! applications. [`load_nodes`] reads the nodes that belong to such a trace. Whether a job fits the cluster is no
//! question of a log, and is not asked here.

pub mod app;
mod app_draft;
#[cfg(test)]
mod app_tests;
mod app_trace;
mod assembly;
mod digest;
mod draw;
mod error;
mod json;
mod loaded;
mod nodes;
mod part;
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

pub use app_trace::{AppOptions, AppTrace, HostUse, Simplified, SkippedApp, load_apps};
use assembly::Assembly;
pub use digest::digest;
pub use error::{AppFault, Malformed, WorkloadError};
pub use loaded::{Loaded, TraceFormat, load, load_or_empty};
pub use nodes::{NodeFile, NodeLabel, NodeSpec, load_nodes};
pub use runner::SlsRunner;
use source::Log;
use swf::Line;
pub use synth::SynthOptions;

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

/// Which jobs or applications of which trace, and how they are read.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadSpec {
    /// The log of jobs, or the trace of applications.
    pub trace: PathBuf,
    /// What it is written as; `None`: that is told from its content and name.
    pub format: Option<TraceFormat>,
    /// Stop reading with so many loaded, in the trace's order; `None`: never.
    pub jobs: Option<u64>,
    /// Leave out what is submitted before this; left out is not skipped. It is unscaled and counts from the first line
    /// of a log, the first job of a history, or time 0 of an SLS trace or a SYNTH file.
    pub from: Option<SimSpan>,
    /// Leave out what is submitted at or after this, which counts as `from` does.
    pub until: Option<SimSpan>,
    /// Gaps between submits are divided by this: 2 is twice the load. Above 0.
    pub scale_load: f64,
    /// Submits, run times, requested times and delays are multiplied by this. Above 0.
    pub scale_time: f64,
    /// What happens to run time beyond the requested time; applications have none.
    pub overrun: Overrun,
    /// How applications are read.
    pub apps: AppOptions,
}

impl WorkloadSpec {
    /// All of `trace`, as it is.
    pub fn whole(trace: impl Into<PathBuf>) -> Self {
        Self {
            trace: trace.into(),
            format: None,
            jobs: None,
            from: None,
            until: None,
            scale_load: 1.0,
            scale_time: 1.0,
            overrun: Overrun::Keep,
            apps: AppOptions::default(),
        }
    }
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
/// SWF is read, plain or gzip (of one or more members), line by line. Lines without run time or processors are recorded
/// as skipped.
///
/// # Errors
/// The file is missing, unreadable, a folder, empty, damaged or of another format; a line is malformed; no job is left
/// to be played; or scaling is impossible. Each message names the file, the line, what is expected, and a remedy.
pub fn load_jobs(spec: &WorkloadSpec) -> Result<Workload, WorkloadError> {
    read(Log::open(open(&spec.trace, "workload.trace")?, &spec.trace)?, spec)
}

/// Opens a file that the scenario names under `key`.
fn open(path: &Path, key: &'static str) -> Result<File, WorkloadError> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.is_dir(), file)));
    let path = || path.to_owned();
    match opened {
        Ok((true, _)) => Err(WorkloadError::Directory { path: path() }),
        Ok((false, file)) => Ok(file),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Err(WorkloadError::Missing { path: path(), key }),
        Err(source) => Err(WorkloadError::Unreadable { path: path(), lines: 0, source }),
    }
}

/// The text of a file of JSON, and the digest of its stored bytes; `readable` says what would be read.
fn read_json<R: Read>(
    log: Log<'_, R>,
    path: &Path,
    readable: &'static str,
) -> Result<(Vec<u8>, String), WorkloadError> {
    sniff::expect_json(log.head(), path, readable)?;
    log.into_text(MOST_TEXT_BYTES)
}

/// Reads a log of jobs; `spec.trace` is but its name.
fn read<R: Read>(mut log: Log<'_, R>, spec: &WorkloadSpec) -> Result<Workload, WorkloadError> {
    let mut assembly = Assembly::new(spec)?;
    sniff::expect_swf(log.head(), &spec.trace, spec.format == Some(TraceFormat::Swf))?;
    spec.check_sense(TraceFormat::Swf)?;
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
