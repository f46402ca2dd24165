//! What a scenario's trace gives: the jobs of a log or the applications of a trace, told apart by content.

use std::sync::Arc;

use super::app::App;
use super::app_trace::{self, AppTrace, HostUse, SkippedApp};
use super::error::WorkloadError;
use super::sniff::{self, JsonKind};
use super::source::Log;
use super::synth::SynthOptions;
use super::{Overrun, Workload, WorkloadSpec, open, read};

/// What a trace is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// The Standard Workload Format, a log of batch jobs.
    Swf,
    /// SLS, the format of YARN's load simulator (yarn.md 11.1).
    Sls,
    /// SYNTH, the input of its generator (yarn.md 11.3).
    Synth,
    /// Rumen's job history (yarn.md 11.4).
    Rumen,
}

impl TraceFormat {
    /// What it is called in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Swf => "a log of batch jobs in SWF",
            Self::Sls => "an SLS trace",
            Self::Synth => "a SYNTH file",
            Self::Rumen => "a Rumen job history",
        }
    }

    /// What it is among files of JSON.
    pub(super) const fn json_kind(self) -> Option<JsonKind> {
        match self {
            Self::Swf => None,
            Self::Sls => Some(JsonKind::Sls),
            Self::Synth => Some(JsonKind::Synth),
            Self::Rumen => Some(JsonKind::Rumen),
        }
    }
}

/// A trace as loaded; shared, never changed.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The batch jobs; none at all if the trace is one of applications.
    pub jobs: Arc<Workload>,
    /// The applications with what was left out; `None` if the trace is a log of jobs, or there is none.
    pub trace: Option<Arc<AppTrace>>,
}

impl Loaded {
    /// The applications.
    pub fn apps(&self) -> &[App] {
        self.trace.as_ref().map_or(&[], |trace| &trace.apps)
    }

    /// The applications that were left out.
    pub fn skipped_apps(&self) -> &[SkippedApp] {
        self.trace.as_ref().map_or(&[], |trace| &trace.skipped)
    }

    /// Whether anybody else holds it too.
    pub fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.jobs) > 1
    }

    /// The digest of the trace's bytes as stored; empty if there is none.
    pub fn digest(&self) -> &str {
        self.trace.as_ref().map_or(&self.jobs.digest, |trace| &trace.digest)
    }
}

impl From<Arc<Workload>> for Loaded {
    fn from(jobs: Arc<Workload>) -> Self {
        Self { jobs, trace: None }
    }
}

impl From<AppTrace> for Loaded {
    fn from(trace: AppTrace) -> Self {
        Self { jobs: Arc::new(Workload::empty()), trace: Some(Arc::new(trace)) }
    }
}

/// Loads what `spec` asks for. What begins as JSON is a trace of applications, anything else a log of jobs, unless
/// `spec` says the format.
///
/// # Errors
/// Those of [`super::load_jobs`] and [`super::load_apps`].
pub fn load(spec: &WorkloadSpec) -> Result<Loaded, WorkloadError> {
    let log = Log::open(open(&spec.trace, "workload.trace")?, &spec.trace)?;
    let has_apps = match spec.format {
        Some(format) => format != TraceFormat::Swf,
        None => sniff::begins_as_json(log.head()),
    };
    Ok(if has_apps { app_trace::load_from(log, spec)?.into() } else { Arc::new(read(log, spec)?).into() })
}

/// Loads what `spec` asks for, if there is one; else nothing at all.
///
/// # Errors
/// Those of [`load`].
pub fn load_or_empty(spec: Option<&WorkloadSpec>) -> Result<Loaded, WorkloadError> {
    spec.map_or_else(|| Ok(Arc::new(Workload::empty()).into()), load)
}

impl WorkloadSpec {
    /// Refuses a key that has no sense for `format`. Others have it for every format, or for the cluster.
    ///
    /// # Errors
    /// There is one, and it is not at its default.
    pub(super) fn check_sense(&self, format: TraceFormat) -> Result<(), WorkloadError> {
        let is_log = format == TraceFormat::Swf;
        // (the key, what it belongs to, whether it stands in the way).
        let keys = [
            ("overrun", "jobs with requested times", !is_log && self.overrun != Overrun::Keep),
            ("hosts", "applications", is_log && self.apps.hosts != HostUse::default()),
            (
                "task_time_unit",
                "SYNTH files",
                format != TraceFormat::Synth && self.apps.synth != SynthOptions::default(),
            ),
        ];
        let senseless = keys.iter().find(|(.., stands)| *stands);
        senseless.map_or(Ok(()), |&(key, belongs_to, _)| {
            let path = self.trace.clone();
            Err(WorkloadError::NoSense { path, format: format.name(), key, belongs_to })
        })
    }
}
