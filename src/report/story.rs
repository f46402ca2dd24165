//! The story of a run as it is played: `events.csv` and `timeline.csv`, row by row, and `decommissioning.log`.
//!
//! The log has a block for each draining node at each poll of the watcher (yarn.md 3.5): a line with the instant, the
//! host, whole seconds since the timeout began to count and since the last heartbeat, the containers, the status, and,
//! while the node waits, the seconds that are left; and a line for each application with its name, state, kind,
//! progress and age.

use std::any::Any;
use std::io::{self, BufWriter, Write};

use crate::ledger::{DrainRow, EventRow, Levels, Sink, Subject};
use crate::report::rows::Rows;
use crate::time::SimTime;

/// The file of events.
pub const EVENTS: &str = "events.csv";
/// The file of levels.
pub const TIMELINE: &str = "timeline.csv";

/// The file of the status log.
pub const STATUS_LOG: &str = "decommissioning.log";

const EVENT_COLUMNS: [&str; 7] = ["time_s", "actor", "subject", "event", "from", "to", "detail"];

const TIMELINE_COLUMNS: [&str; 11] = [
    "time_s",
    "nodes_booting",
    "nodes_running",
    "nodes_decommissioning",
    "nodes_down",
    "cores_in_service",
    "cores_allocated",
    "cores_queued",
    "jobs_queued",
    "jobs_running",
    "cost_per_hour",
];

/// A file of the story could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {source}")]
pub struct StoryError {
    /// Which.
    pub file: &'static str,
    /// What the system says.
    pub source: io::Error,
}

/// A sink that writes the story down. A run is not stopped by an error of writing: the first one is kept, nothing more
/// is written, and [`Story::finish`] returns it.
pub struct Story<W: Write> {
    events: Rows<W>,
    timeline: Rows<W>,
    status_log: Option<BufWriter<W>>,
    failed: Option<StoryError>,
}

impl<W: Write + 'static> Story<W> {
    /// Begins both files.
    ///
    /// # Errors
    /// If one of them fails.
    pub fn begin(events: W, timeline: W) -> Result<Self, StoryError> {
        Ok(Self {
            events: Rows::begin(events, EVENT_COLUMNS).map_err(in_file(EVENTS))?,
            timeline: Rows::begin_numbers(timeline, TIMELINE_COLUMNS).map_err(in_file(TIMELINE))?,
            status_log: None,
            failed: None,
        })
    }

    /// Writes the status log, too.
    #[must_use]
    pub fn with_status_log(self, out: W) -> Self {
        Self { status_log: Some(BufWriter::new(out)), ..self }
    }

    /// The story that a run gives back; `None` if it was not such a story that the run was given.
    pub fn taken_back(sink: Option<Box<dyn Sink>>) -> Option<Self> {
        let sink: Box<dyn Any> = sink?;
        sink.downcast().ok().map(|story| *story)
    }

    /// Ends all files. Everything has been handed to what it was written to.
    ///
    /// # Errors
    /// The first error of the whole story.
    pub fn finish(self) -> Result<(), StoryError> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        self.events.finish().map_err(in_file(EVENTS))?;
        self.timeline.finish().map_err(in_file(TIMELINE))?;
        self.status_log.map_or(Ok(()), |mut log| log.flush()).map_err(in_file(STATUS_LOG))
    }
}

fn in_file(file: &'static str) -> impl FnOnce(io::Error) -> StoryError {
    move |source| StoryError { file, source }
}

impl<W: Write + 'static> Sink for Story<W> {
    fn event(&mut self, row: &EventRow<'_>) {
        if self.failed.is_some() {
            return;
        }
        self.events.instant(row.time).text(row.actor);
        subject(&mut self.events, row.subject);
        self.events.text(row.event).text(row.from).text(row.to).text(row.detail);
        self.failed = self.events.end().map_err(in_file(EVENTS)).err();
    }

    fn draining(&mut self, row: &DrainRow<'_>) {
        if let (Some(log), None) = (&mut self.status_log, &self.failed) {
            self.failed = status_block(log, row).map_err(in_file(STATUS_LOG)).err();
        }
    }

    fn step(&mut self, time: SimTime, levels: &Levels) {
        if self.failed.is_some() {
            return;
        }
        let row = self.timeline.instant(time);
        for nodes in
            [levels.nodes_booting, levels.nodes_running, levels.nodes_decommissioning, levels.nodes_down]
        {
            row.count(nodes.into());
        }
        row.count(levels.cores_in_service).count(levels.cores_allocated).count(levels.cores_queued);
        row.count(levels.jobs_queued.into()).count(levels.jobs_running.into());
        row.millionths(levels.price_per_hour_micros);
        self.failed = self.timeline.end().map_err(in_file(TIMELINE)).err();
    }
}

/// Writes one block of the status log.
///
/// # Errors
/// If `out` fails.
pub fn status_block(out: &mut impl Write, row: &DrainRow<'_>) -> io::Result<()> {
    let (host, line, status) = (row.host.to_string(), row.line, row.line.status.name());
    write!(
        out,
        "{} {host:<34} {:>4}s fresh:{:>3}s containers:{:>2} {status:>14}",
        row.time, line.draining_s, line.fresh_s, line.active_containers
    )?;
    if let Some(remaining_s) = line.remaining_s {
        write!(out, " timeout:{remaining_s:>4}s")?;
    }
    writeln!(out)?;
    for app in &row.applications {
        let progress = app.progress_percent.map_or(String::new(), |percent| format!("{percent}%"));
        let (subject, state, kind) = (app.subject, app.state.name(), app.kind);
        writeln!(out, "  {subject} {state} {kind:>5} {progress:>4} {:>5}s", app.age_s)?;
    }
    Ok(())
}

/// Writes a subject as it displays itself, without the machinery of formatting for the kinds that are frequent.
fn subject<W: Write>(rows: &mut Rows<W>, subject: Subject<'_>) {
    match subject {
        Subject::Job(id) => rows.numbered("job-", id),
        Subject::Node(host) => rows.host(host),
        Subject::Instance(_)
        | Subject::Drain(_)
        | Subject::Agent(_)
        | Subject::App(_)
        | Subject::Container(..)
        | Subject::Administrator
        | Subject::Lists => rows.shown(subject),
    };
}
