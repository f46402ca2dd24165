//! Workloads: readers of job logs, and the one type that all of them end in.

use std::path::PathBuf;

use crate::time::{SimSpan, SimTime};

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
    /// Neither requested nor allocated processors are given.
    NoProcessors,
}

/// A line of the log that was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The job's number in the log.
    pub id: u64,
    /// Its submit time, as an offset to the first loaded submit in milliseconds (negative if before it).
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
    /// Keep the first so many loaded jobs; `None`: all.
    pub jobs: Option<u64>,
    /// Leave out what is submitted before this long after the log's first submit.
    pub from: Option<SimSpan>,
    /// Leave out what is submitted at or after this long after the log's first submit.
    pub until: Option<SimSpan>,
    /// Gaps between submits are divided by this: 2 is twice the load.
    pub scale_load: f64,
    /// Submits and run times are multiplied by this.
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
    /// Wall-clock start of the log in seconds since 1970, if it says.
    pub unix_start_s: Option<i64>,
    /// FNV-1a digest (64 bits, hexadecimal) of the log's bytes as stored, for the manifest.
    pub digest: String,
}
