//! Why a log cannot be loaded: each message says where, what was found, what was expected, and what to do.
//!
//! The path comes first in every message. Whether a job fits the cluster is no question of this module.

use std::io;
use std::path::{Path, PathBuf};

/// What is read as a log of jobs, for messages that refuse something else.
pub(super) const JOB_LOGS: &str = "what is read is SWF (Standard Workload Format: 18 columns, times in seconds) or \
                                   JSON of YARN's load simulator (an SLS trace, a SYNTH file, a Rumen job history), \
                                   plain or gzip";

/// What is read as a trace of applications.
pub(super) const APP_TRACES: &str = "what is read is JSON of YARN's load simulator (an SLS trace, a SYNTH file, a \
                                     Rumen job history), plain or gzip";

/// What is read as a file of nodes.
pub(super) const NODE_FILES: &str = "what is read is the node file of YARN's load simulator (JSON: { \"rack\": …, \
                                     \"nodes\": [ … ] }), plain or gzip";

/// What is read as a configuration of YARN's load simulator.
pub(super) const RUNNER_FILES: &str =
    "what is read is an sls-runner.xml (a <configuration> of <property> elements)";

/// Why a log cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// There is no such file.
    #[error(
        "{}: there is no such file; check {key}, which counts from the scenario file's folder",
        .path.display()
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// The scenario's key that names it.
        key: &'static str,
    },
    /// A folder where a file is expected.
    #[error("{}: this is a folder, and a file is expected; name one of the files in it", .path.display())]
    Directory {
        /// The log.
        path: PathBuf,
    },
    /// The system does not let the file be read.
    #[error("{}: cannot be read after line {lines}: {source}; check the file and its permissions", .path.display())]
    Unreadable {
        /// The log.
        path: PathBuf,
        /// Lines read before.
        lines: u64,
        /// What the system says.
        source: io::Error,
    },
    /// The compressed data stop too early or do not decode.
    #[error(
        "{}: the gzip data are cut off or damaged after line {lines} ({source}); get the file again, and \
         try it with `gzip -t`",
        .path.display()
    )]
    DamagedGzip {
        /// The log.
        path: PathBuf,
        /// Lines read before.
        lines: u64,
        /// What the decoder says.
        source: io::Error,
    },
    /// Nothing is in the file.
    #[error(
        "{}: the file is empty, and something to be read is expected; get it again, or name another one",
        .path.display()
    )]
    Empty {
        /// The log.
        path: PathBuf,
    },
    /// A format that is not read.
    #[error("{}: this looks like {looks_like}; {readable}; {remedy}", .path.display())]
    NotRead {
        /// The log.
        path: PathBuf,
        /// What the content resembles.
        looks_like: String,
        /// What would be read.
        readable: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A line so long that it cannot be one of a log.
    #[error(
        "{}:{line}: the line is longer than {most_bytes} bytes, which no line of a job log is \
         (\"{text}\"); {JOB_LOGS}",
        .path.display()
    )]
    LineTooLong {
        /// The log.
        path: PathBuf,
        /// Its number, from 1.
        line: u64,
        /// The longest that is read.
        most_bytes: usize,
        /// How it begins.
        text: String,
    },
    /// A line that is no job.
    #[error(
        "{}:{line}: {what}; correct the line, or make it a comment with \";\" in front: \"{text}\"",
        .path.display()
    )]
    Malformed {
        /// The log.
        path: PathBuf,
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        what: Malformed,
        /// How it begins.
        text: String,
    },
    /// Nothing is left to be played.
    #[error(
        "{}: no job that can run was found: {no_run_time} lines without run time, {no_processors} without processors, \
         {outside} outside of workload.from and workload.until; expected is at least one job with a run time (field 4) \
         and processors (field 8 or 5) above 0; check the file, workload.jobs, workload.from and workload.until",
        .path.display()
    )]
    NoJobs {
        /// The log.
        path: PathBuf,
        /// Lines skipped because the run time is not above 0.
        no_run_time: u64,
        /// Lines skipped because the number of processors is not above 0.
        no_processors: u64,
        /// Lines left out by `from` and `until`.
        outside: u64,
    },
    /// A text that breaks the rules of JSON or XML.
    #[error(
        "{}:{line}:{column}: {message}: found \"{found}\", and {expected} is expected; correct it there, or get the \
         file again",
        .path.display()
    )]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Counts from 1.
        line: u64,
        /// Counts bytes, from 1.
        column: u64,
        /// What the parser says.
        message: String,
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// A value without which the file says nothing.
    #[error("{}:{line}:{column}: in what begins here, {fault}; {remedy}", .path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// Where the object begins that holds the value; counts from 1.
        line: u64,
        /// Counts bytes, from 1.
        column: u64,
        /// What is wrong with it.
        fault: Box<AppFault>,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A text too long to be held.
    #[error(
        "{}: the text is longer than {most_bytes} bytes, the most that is read of an application trace; split it",
        .path.display()
    )]
    TextTooLong {
        /// The file.
        path: PathBuf,
        /// The longest that is read.
        most_bytes: u64,
    },
    /// More tasks than can be held.
    #[error(
        "{}: at application \"{name}\" there are more than {most} tasks, the most that is loaded; ask for fewer \
         jobs, copies or tasks",
        .path.display()
    )]
    TooManyTasks {
        /// The trace.
        path: PathBuf,
        /// The application that is too much.
        name: String,
        /// The most tasks in all applications together.
        most: u64,
    },
    /// No application is left to be played.
    #[error(
        "{}: no application that can run was found, and at least one is expected: {skipped} were skipped{first}, \
         and {outside} lie outside of workload.from and workload.until; check the file and these keys",
        .path.display()
    )]
    NoApps {
        /// The trace.
        path: PathBuf,
        /// How many were skipped.
        skipped: usize,
        /// The first of them and why, to be put behind the number; empty if there is none.
        first: String,
        /// How many `from` and `until` left out.
        outside: u64,
    },
    /// A node file without a node.
    #[error(
        "{}: no node is named, and at least one is expected; add one, or leave workload.nodes out",
        .path.display()
    )]
    NoNodes {
        /// The node file.
        path: PathBuf,
    },
    /// A trace that is surely of another format than the scenario says.
    #[error("{}: this is {format}, and workload.format says that it is {forced}; leave that key out", .path.display())]
    OtherFormat {
        /// The trace.
        path: PathBuf,
        /// What it is.
        format: &'static str,
        /// What it was said to be.
        forced: &'static str,
    },
    /// A key that says how something is read that is not in the trace.
    #[error("{}: this is {format}, and workload.{key} is for {belongs_to} alone; leave it out", .path.display())]
    NoSense {
        /// The trace.
        path: PathBuf,
        /// What it is.
        format: &'static str,
        /// The scenario's key.
        key: &'static str,
        /// What has a use for the key.
        belongs_to: &'static str,
    },
    /// A factor that times cannot be scaled with.
    #[error(
        "{}: cannot be scaled with workload.{key} = {value}; write a number above 0, as in 1.0",
        .path.display()
    )]
    Scale {
        /// The log.
        path: PathBuf,
        /// The scenario's key.
        key: &'static str,
        /// What it says.
        value: f64,
    },
    /// Scaling leads beyond simulated time.
    #[error(
        "{}: scaled, the times of job {job} are longer than simulated time reaches; check workload.scale_time and \
         workload.scale_load",
        .path.display()
    )]
    ScaledTooFar {
        /// The log.
        path: PathBuf,
        /// The job's number in the log, or the application's name.
        job: String,
    },
}

impl WorkloadError {
    /// Sorts an error of reading: the decoder of gzip has kinds of its own, which a plain file never gives.
    pub(super) fn reading(path: &Path, lines: u64, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                Self::DamagedGzip { path, lines, source }
            }
            _ => Self::Unreadable { path, lines, source },
        }
    }
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It ends too early.
    #[error("the line has {found} fields where SWF has 18")]
    TooFewFields {
        /// How many it has.
        found: usize,
    },
    /// A field that does not say what it should.
    #[error("field {number} ({name}) is \"{text}\", and {expected} is expected")]
    Field {
        /// Counts from 1.
        number: usize,
        /// What SWF calls it.
        name: &'static str,
        /// What it says.
        text: String,
        /// What it should say.
        expected: &'static str,
    },
}

/// What is wrong with an application of a trace, or with a value that a trace needs.
///
/// Keys are written as paths, as in `job.tasks[3].container.vcores`; lists count from 0, as in JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppFault {
    /// A value that does not say what it should.
    #[error("{key} is {found}, and {expected} is expected")]
    Value {
        /// Where it stands.
        key: String,
        /// What it says.
        found: String,
        /// What it should say.
        expected: &'static str,
    },
    /// A value that is not there.
    #[error("{key} is missing, and {expected} is expected")]
    Missing {
        /// Where it should stand.
        key: String,
        /// What it should say.
        expected: &'static str,
    },
    /// It has no task.
    #[error("{key} holds no task, and at least one is expected")]
    NoTasks {
        /// Where tasks should stand.
        key: String,
    },
    /// A task that would not take any time.
    #[error("{key} gives a run time of {found_ms} ms, and more than 0 is expected")]
    NoRunTime {
        /// Where its times stand.
        key: String,
        /// What they amount to, in milliseconds.
        found_ms: i64,
    },
    /// A kind of application that is not simulated.
    #[error(
        "its type is \"{kind}\", and mapreduce or dag is expected (a stream keeps its tasks running until it is \
         stopped, which is not simulated)"
    )]
    NotSimulated {
        /// The kind that it says it is.
        kind: String,
    },
    /// A name that its containers could not be called by.
    #[error(
        "its name has a / in it, and one without is expected, because its containers are called name/1, name/2 …"
    )]
    BadName,
    /// A host that the cluster does not have.
    #[error("{key} is \"{host}\", and the name of a node of the cluster is expected")]
    NoSuchHost {
        /// Where it stands.
        key: String,
        /// The host.
        host: String,
    },
    /// Another application has its name.
    #[error("its name is that of an earlier application, and names of their own are expected")]
    NameTaken,
    /// A host that stands in two racks.
    #[error(
        "{key} puts host \"{host}\" into rack \"{rack}\", and it is expected in \"{earlier}\", as before"
    )]
    RackConflict {
        /// Where it stands; the job if the trace does not number its tasks.
        key: String,
        /// The host.
        host: String,
        /// Where it is put.
        rack: String,
        /// Where it was put before.
        earlier: String,
    },
    /// A random number that cannot be used.
    #[error("a sample of {key} came out as {found}, and {expected} is expected")]
    Sampled {
        /// What was drawn.
        key: String,
        /// What came out.
        found: String,
        /// What it should have been.
        expected: &'static str,
    },
}

impl AppFault {
    /// The kind of fault in one word, to count by.
    pub const fn reason(&self) -> &'static str {
        match self {
            // A host that is not there is no fault of its application alone: the trace is refused.
            Self::Value { .. } | Self::NoSuchHost { .. } => "bad_value",
            Self::Missing { .. } => "missing_value",
            Self::NoTasks { .. } => "no_tasks",
            Self::NoRunTime { .. } => "no_run_time",
            Self::NotSimulated { .. } => "not_simulated",
            Self::BadName => "bad_name",
            Self::NameTaken => "name_taken",
            Self::RackConflict { .. } => "rack_conflict",
            Self::Sampled { .. } => "bad_sample",
        }
    }
}

/// The beginning of `text`, fit for a message: at most 80 characters, nothing that a terminal would obey.
pub(super) fn shortened(text: &[u8]) -> String {
    const MOST_CHARS: usize = 80;
    // A character takes at most 4 bytes; one that is cut through at the end is among those not taken.
    let text = text.trim_ascii();
    let beginning = String::from_utf8_lossy(&text[..text.len().min(4 * (MOST_CHARS + 1))]);
    let mut short: String = beginning
        .chars()
        .take(MOST_CHARS)
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => char::REPLACEMENT_CHARACTER,
            c => c,
        })
        .collect();
    if beginning.chars().nth(MOST_CHARS).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_strange_texts_are_made_fit_for_a_message() {
        assert_eq!(shortened(b"  1\t2  \r"), "1 2");
        assert_eq!(shortened(b"a\x1b[31m\xff"), "a\u{fffd}[31m\u{fffd}");
        assert_eq!(shortened("ö".repeat(80).as_bytes()), "ö".repeat(80));
        assert_eq!(shortened("€".repeat(5000).as_bytes()), format!("{}…", "€".repeat(80)));
    }
}
