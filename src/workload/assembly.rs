//! From a log's lines to a workload: which jobs are kept, and how their times are shifted, scaled and trimmed.
//!
//! Knows no format; every reader hands its lines over as [`Record`]s.

use super::error::WorkloadError;
use super::{Job, Overrun, SkipReason, Skipped, Workload, WorkloadSpec};
use crate::time::{SimSpan, SimTime};

/// One job as its log describes it; `None` where the log gives nothing above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Its number in the log.
    pub id: u64,
    /// When it was submitted, in the log's own time.
    pub submit_ms: u64,
    /// How long it ran.
    pub run: Option<SimSpan>,
    /// How long its owner said that it runs.
    pub requested: Option<SimSpan>,
    /// Cores that it needs at once.
    pub cores: Option<u32>,
    /// Memory that it needs for each core, in KiB; 0 if unknown.
    pub memory_per_core_kib: u32,
}

/// A workload that is being put together.
pub(super) struct Assembly<'a> {
    spec: &'a WorkloadSpec,
    /// In the log's own time and order until the end.
    jobs: Vec<Job>,
    skipped: Vec<Skipped>,
    /// The submit time of the log's first line, from which `from` and `until` count.
    first_submit_ms: Option<i64>,
    outside: u64,
}

impl<'a> Assembly<'a> {
    /// Nothing read yet.
    ///
    /// # Errors
    /// A factor of `spec` is not a number above 0.
    pub(super) fn new(spec: &'a WorkloadSpec) -> Result<Self, WorkloadError> {
        spec.check_scale()?;
        Ok(Self { spec, jobs: Vec::new(), skipped: Vec::new(), first_submit_ms: None, outside: 0 })
    }

    /// Whether as many jobs are loaded as were asked for.
    pub(super) fn is_full(&self) -> bool {
        self.spec.is_full(self.jobs.len())
    }

    /// Takes the log's next line: as a job, as one that is skipped, or not at all.
    pub(super) fn add(&mut self, record: &Record) {
        let submit_ms = record.submit_ms.cast_signed();
        let first_submit_ms = *self.first_submit_ms.get_or_insert(submit_ms);
        if !self.spec.is_in_window(submit_ms - first_submit_ms) {
            self.outside += 1;
            return;
        }
        let (run, cores) = match (record.run, record.cores) {
            (Some(run), Some(cores)) => (run, cores),
            (None, _) => return self.skip(record, SkipReason::NoRunTime),
            (_, None) => return self.skip(record, SkipReason::NoProcessors),
        };
        let requested = record.requested.unwrap_or(run);
        let run = match self.spec.overrun {
            Overrun::Trim => run.min(requested),
            Overrun::Keep => run,
        };
        self.jobs.push(Job {
            id: record.id,
            submit: SimTime::from_ms(record.submit_ms),
            run,
            requested,
            cores,
            memory_per_core_kib: record.memory_per_core_kib,
        });
    }

    fn skip(&mut self, record: &Record, reason: SkipReason) {
        self.skipped.push(Skipped { id: record.id, submit_ms: record.submit_ms.cast_signed(), reason });
    }

    /// The workload: in order, with times that count from the first loaded submit, scaled.
    ///
    /// # Errors
    /// No job was loaded, or scaling leads beyond simulated time.
    pub(super) fn finish(
        mut self,
        unix_start_s: Option<i64>,
        digest: String,
    ) -> Result<Workload, WorkloadError> {
        // Real logs are sorted but for a few lines; the sort finds that out in one go.
        self.jobs.sort_by_key(|job| job.submit);
        let Some(first) = self.jobs.first() else {
            return Err(self.no_jobs());
        };
        let origin = first.submit;
        let spec = self.spec;
        for job in &mut self.jobs {
            let offset_ms = job.submit.since(origin).as_ms();
            let too_far = || spec.too_far(job.id);
            job.submit = SimTime::from_ms(spec.scaled_gap_ms(offset_ms).ok_or_else(too_far)?);
            job.run = spec.scaled_run(job.run).ok_or_else(too_far)?;
            job.requested = spec.scaled_run(job.requested).ok_or_else(too_far)?;
        }
        for skipped in &mut self.skipped {
            let offset_ms = skipped.submit_ms - origin.as_ms().cast_signed();
            let scaled = spec.scaled_gap_ms(offset_ms.unsigned_abs());
            let scaled = scaled.ok_or_else(|| spec.too_far(skipped.id))?;
            skipped.submit_ms = offset_ms.signum() * scaled.cast_signed();
        }
        Ok(Workload { jobs: self.jobs, skipped: self.skipped, unix_start_s, digest })
    }

    fn no_jobs(&self) -> WorkloadError {
        let count = |reason| self.skipped.iter().filter(|skipped| skipped.reason == reason).count() as u64;
        WorkloadError::NoJobs {
            path: self.spec.trace.clone(),
            no_run_time: count(SkipReason::NoRunTime),
            no_processors: count(SkipReason::NoProcessors),
            outside: self.outside,
        }
    }
}
