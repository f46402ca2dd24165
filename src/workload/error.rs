//! Why a log cannot be loaded: each message says where, what was found, what was expected, and what to do.
//!
//! The path comes first in every message. Whether a job fits the cluster is no question of this module.

use std::io;
use std::path::{Path, PathBuf};

/// What is read, for messages that refuse something else.
const READABLE: &str =
    "what is read is SWF (Standard Workload Format: 18 columns, times in seconds), plain or gzip";

/// Why a log cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// There is no such file.
    #[error(
        "{}: there is no such file; check workload.trace, which counts from the scenario file's folder",
        .path.display()
    )]
    Missing {
        /// The log.
        path: PathBuf,
    },
    /// A folder where a file is expected.
    #[error("{}: this is a folder, and a job log is expected; name one of the files in it", .path.display())]
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
    #[error("{}: the file is empty, and a job log is expected; get it again, or name another one", .path.display())]
    Empty {
        /// The log.
        path: PathBuf,
    },
    /// A format that is not read.
    #[error("{}: this looks like {looks_like}; {READABLE}; {remedy}", .path.display())]
    NotRead {
        /// The log.
        path: PathBuf,
        /// What the content resembles.
        looks_like: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A line so long that it cannot be one of a log.
    #[error(
        "{}:{line}: the line is longer than {most_bytes} bytes, which no line of a job log is \
         (\"{text}\"); {READABLE}",
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
        "{}: scaled, the times of job {id} are longer than simulated time reaches; check workload.scale_time and \
         workload.scale_load",
        .path.display()
    )]
    ScaledTooFar {
        /// The log.
        path: PathBuf,
        /// The job's number in the log.
        id: u64,
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
