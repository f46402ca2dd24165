//! Tells from a file's beginning and name whether it is a format that is read, and what it looks like if not.
//!
//! Content decides; the name only breaks the tie for a text that could be anything.

use std::path::Path;

use super::error::{JOB_LOGS, WorkloadError, shortened};
use super::swf;

const UNPACK: &str = "unpack it, or pack it with gzip instead";
const CONVERT: &str = "convert it to what is read";

/// What a file of JSON is, as the tools of YARN write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonKind {
    /// A trace of YARN's load simulator (yarn.md 11.1).
    Sls,
    /// A file of nodes (yarn.md 11.2).
    Nodes,
    /// An input of its generator (yarn.md 11.3).
    Synth,
    /// A job history as Rumen extracts it (yarn.md 11.4).
    Rumen,
    /// The other file that Rumen writes.
    RumenTopology,
}

/// Keys that give a kind away, the surest ones first.
const JSON_KEYS: &[(&str, JsonKind)] = &[
    ("job.tasks", JsonKind::Sls),
    ("job.id", JsonKind::Sls),
    ("job.start.ms", JsonKind::Sls),
    ("job.count", JsonKind::Sls),
    ("num.nodes", JsonKind::Sls),
    ("am.type", JsonKind::Sls),
    ("yarn.sls.am.type", JsonKind::Sls),
    ("workloads", JsonKind::Synth),
    ("num_jobs", JsonKind::Synth),
    ("mapTasks", JsonKind::Rumen),
    ("reduceTasks", JsonKind::Rumen),
    ("jobID", JsonKind::Rumen),
    ("nodes", JsonKind::Nodes),
    ("rack", JsonKind::Nodes),
    ("children", JsonKind::RumenTopology),
];

impl JsonKind {
    /// The kind whose key `has` finds.
    pub(super) fn of(has: impl Fn(&str) -> bool) -> Option<Self> {
        JSON_KEYS.iter().find(|(key, _)| has(key)).map(|(_, kind)| *kind)
    }

    /// Whether `has` finds a key of this kind, whatever else it would find.
    pub(super) fn is_told(self, has: impl Fn(&str) -> bool) -> bool {
        JSON_KEYS.iter().any(|(key, kind)| *kind == self && has(key))
    }

    /// What it is, for messages.
    pub(super) const fn looks_like(self) -> &'static str {
        match self {
            Self::Sls => "JSON: an SLS trace of YARN applications",
            Self::Nodes => "JSON: a node file of YARN's load simulator",
            Self::Synth => "JSON: a SYNTH file, from which YARN applications are generated",
            Self::Rumen => "JSON: a Rumen job history of YARN applications",
            Self::RumenTopology => "JSON: a topology file of Rumen",
        }
    }

    /// What to do with it where it is not read.
    pub(super) const fn remedy(self) -> &'static str {
        match self {
            Self::Sls | Self::Synth | Self::Rumen => {
                "load it as a trace of applications: leave workload.format out"
            }
            Self::Nodes => "give it as the node file (workload.nodes), beside a trace of applications",
            Self::RumenTopology => "name the job history that was written with it",
        }
    }
}

/// First bytes that give a format away: the bytes, the format, the remedy.
const MAGIC: &[(&[u8], &str, &str)] = &[
    (b"\x1f\x8b", "gzip inside of gzip", "unpack it once"),
    (b"\xfd7zXZ\0", "xz-compressed data", UNPACK),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data", UNPACK),
    (b"BZh", "bzip2-compressed data", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"\x04\x22\x4d\x18", "lz4-compressed data", UNPACK),
    (b"PAR1", "a Parquet file", CONVERT),
    (b"ARROW1", "an Arrow file", CONVERT),
    (b"Obj\x01", "an Avro file", CONVERT),
    (b"SQLite format 3\0", "an SQLite database", CONVERT),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8"),
];

/// Whether a text begins as JSON does; what is wrong with it is said by whoever reads it.
pub(super) fn begins_as_json(head: &[u8]) -> bool {
    matches!(head.trim_ascii_start(), [b'{' | b'[', ..])
}

/// Refuses a log whose beginning `head` is no SWF. `is_forced`: somebody has said that it is.
///
/// # Errors
/// The file is empty, or looks like something else.
pub(super) fn expect_swf(head: &[u8], path: &Path, is_forced: bool) -> Result<(), WorkloadError> {
    let first_line = first_text_line(head, path, JOB_LOGS)?;
    if first_line.contains(&b'\r') {
        // Read as it is, all of the file would be one line, and only its first job would be seen.
        return not_read(path, "text whose lines end in CR alone", JOB_LOGS, "end its lines in LF");
    }
    if swf::may_be_line(first_line) {
        return Ok(());
    }
    let json_kind = match first_line {
        [b'{' | b'[', ..] => JsonKind::of(|key| has(head, format!("\"{key}\"").as_bytes())),
        _ => None,
    };
    match (json_kind, looks_like(first_line)) {
        (Some(kind), _) => not_read(path, kind.looks_like(), JOB_LOGS, kind.remedy()),
        (None, Some(looks_like)) => not_read(path, looks_like, JOB_LOGS, CONVERT),
        (None, None) if is_forced || is_named_swf(path) => Ok(()),
        (None, None) => not_read(path, &unknown(first_line), JOB_LOGS, CONVERT),
    }
}

/// Refuses a file whose beginning `head` is no JSON; `readable` says what would be read.
///
/// # Errors
/// The file is empty, or looks like something else.
pub(super) fn expect_json(head: &[u8], path: &Path, readable: &'static str) -> Result<(), WorkloadError> {
    let first_line = first_text_line(head, path, readable)?;
    match first_line {
        // What is wrong with a list is said with its place by whoever reads it.
        [b'{' | b'[', ..] => Ok(()),
        [b'<', ..] if has(head, b"yarn.sls.") => {
            let looks_like = "XML: a configuration of YARN's load simulator";
            not_read(
                path,
                looks_like,
                readable,
                "give it as the configuration (workload.runner), beside a trace of applications",
            )
        }
        _ if swf::may_be_line(first_line) => not_read(
            path,
            "a log of batch jobs in SWF",
            readable,
            "load it as a log of jobs: leave workload.format out",
        ),
        _ => match looks_like(first_line) {
            Some(looks_like) => not_read(path, looks_like, readable, CONVERT),
            None => not_read(path, &unknown(first_line), readable, CONVERT),
        },
    }
}

/// The first line that is not blank.
///
/// # Errors
/// There is none, or the first bytes are those of something that is no text.
pub(super) fn first_text_line<'a>(
    head: &'a [u8],
    path: &Path,
    readable: &'static str,
) -> Result<&'a [u8], WorkloadError> {
    if let Some((_, looks_like, remedy)) = MAGIC.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return not_read(path, looks_like, readable, remedy);
    }
    let text = head.trim_ascii_start();
    let first_line = text.split(|b| *b == b'\n').next().unwrap_or_default().trim_ascii_end();
    if first_line.is_empty() {
        return Err(WorkloadError::Empty { path: path.to_owned() });
    }
    Ok(first_line)
}

/// The refusal of a file that is something else.
pub(super) fn not_read<T>(
    path: &Path,
    looks_like: &str,
    readable: &'static str,
    remedy: &'static str,
) -> Result<T, WorkloadError> {
    let (path, looks_like) = (path.to_owned(), looks_like.to_owned());
    Err(WorkloadError::NotRead { path, looks_like, readable, remedy })
}

fn unknown(first_line: &[u8]) -> String {
    format!("no format known here (it begins \"{}\")", shortened(first_line))
}

fn has(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|w| w == wanted)
}

/// What a first line that is none of what is read is typical of.
fn looks_like(first_line: &[u8]) -> Option<&'static str> {
    let count = |wanted: u8| first_line.iter().filter(|b| **b == wanted).count();
    let is_control = |b: &u8| b.is_ascii_control() && !b.is_ascii_whitespace();
    Some(match first_line {
        line if line.iter().any(is_control) => "binary data",
        [b'{' | b'[', ..] => "JSON (as YARN's SLS and Rumen write it)",
        [b'<', ..] => "XML or HTML",
        line if has(line, b"submit_batch_job") => "an event file of the Slurm simulator",
        line if has(line, b"JobID") || count(b'|') >= 2 => "a table of Slurm's sacct",
        _ if count(b',') >= 2 => "CSV",
        _ if count(b';') >= 2 => "CSV with semicolons and a header",
        [b'#', ..] => "a text with # comments, as the Grid Workload Format has them",
        _ => return None,
    })
}

/// Whether the name says SWF, as in `log.swf` or `log.swf.gz`.
fn is_named_swf(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".gz").unwrap_or(&name).ends_with(".swf")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::error::APP_TRACES;

    fn sniff(head: &[u8], path: &str) -> Result<(), String> {
        expect_swf(head, Path::new(path), false).map_err(|e| e.to_string())
    }

    #[test]
    fn what_begins_like_swf_is_let_through_whatever_its_name() {
        for head in [
            "; Version: 2.2\n",
            "\r\n\n  ;\n",
            "    1        0 964980  97225   56 ",
            "1001;0;-1;15;12;-1;",
            "0\t1356996147 0 56011 64",
            "-1 0",
        ] {
            assert_eq!(sniff(head.as_bytes(), "jobs.csv"), Ok(()), "{head}");
        }
    }

    #[test]
    fn a_name_breaks_the_tie_only_where_content_says_nothing() {
        assert_eq!(sniff(b"job submit wait", "a.swf"), Ok(()));
        assert_eq!(sniff(b"job submit wait", "A.SWF.gz"), Ok(()));
        let message = sniff(b"job submit wait", "a.txt").expect_err("unknown");
        assert!(message.contains("begins \"job submit wait\""), "{message}");
        assert!(sniff(b"{\"am.type\": 1}", "a.swf").is_err());
    }

    #[test]
    fn other_formats_are_refused_by_name_and_with_what_is_read() {
        // First bytes of real files: SLS, its configuration, sacct, the Slurm simulator, Google's and OpenDC's tables.
        let cases: &[(&[u8], &str)] = &[
            (b"{\n  \"am.type\": \"mapreduce\",", "JSON"),
            (b"[\n {", "JSON"),
            (b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "XML"),
            (b"JobID|JobIDRaw|Cluster|Partition|Account", "sacct"),
            (b"1|1|ubhpc|general compute|account001", "sacct"),
            (b"       JobID    JobName  Partition    Account ", "sacct"),
            (
                b"-dt          10.50 -e submit_batch_job | -sim-walltime   84805.00 --uid=user001",
                "Slurm simulator",
            ),
            (b"#Time stamp (microseconds),Machine ID,Event type (0-ADD 1-REMOVE 2-UPDATE)", "CSV"),
            (b"id,submission_time_ms,duration_ms,cpu_count\n1519830,1", "CSV"),
            (b"1,0,-1,15", "CSV"),
            (b"id;submit;run\n", "CSV with semicolons"),
            (b"# Grid workload\n", "Grid Workload Format"),
            (b"PAR1\x15\x04\x15", "Parquet"),
            (b"\xfd7zXZ\0\0", "xz"),
            (b"\x28\xb5\x2f\xfd\x04", "zstd"),
            (b"PK\x03\x04\x14", "zip"),
            (b"BZh91AY&SY", "bzip2"),
            (b"\x1f\x8b\x08", "gzip inside of gzip"),
            (b"\xff\xfe1\0 \0", "UTF-16"),
            (b"; Version: 2.2\r1 0 -1 10 1\r", "text whose lines end in CR alone"),
            (b"\x7fELF\x02\x01\x01\0", "binary"),
        ];
        for (head, looks_like) in cases {
            let message = sniff(head, "logs/a.dat").expect_err(looks_like);
            assert!(message.starts_with("logs/a.dat: this looks like "), "{message}");
            assert!(message.contains(looks_like), "{looks_like}: {message}");
            assert!(message.contains("what is read is SWF (Standard Workload Format"), "{message}");
        }
    }

    #[test]
    fn the_wrong_reader_says_which_one_is_right() {
        for (head, looks_like, remedy) in [
            (
                "{\n  \"am.type\": \"mapreduce\",",
                "an SLS trace of YARN applications",
                "as a trace of applications",
            ),
            ("{\"description\": \"\", \"num_jobs\": 1", "a SYNTH file", "as a trace of applications"),
            ("{\n \"priority\" : \"NORMAL\",\n \"jobID\" : \"job_1\"", "a Rumen job history", "as a trace"),
            (
                "{\"rack\": \"r1\", \"nodes\": [",
                "a node file of YARN's load simulator",
                "give it as the node file",
            ),
        ] {
            let message = sniff(head.as_bytes(), "a.json").expect_err(looks_like);
            assert!(message.contains(looks_like) && message.contains(remedy), "{message}");
            assert_eq!(expect_json(head.as_bytes(), Path::new("a.json"), APP_TRACES).map_err(drop), Ok(()));
        }
        for (head, looks_like, remedy) in [
            ("; Version: 2.2\n", "a log of batch jobs in SWF", "load it as a log of jobs"),
            ("  1 0 -1 10 4 -1 -1 4", "a log of batch jobs in SWF", "load it as a log of jobs"),
            (
                "<?xml?>\n<name>yarn.sls.nm.vcores</name>",
                "a configuration of YARN's load",
                "as the configuration",
            ),
            ("<?xml?>\n", "XML or HTML", "convert it"),
            ("JobID|JobIDRaw|Cluster", "sacct", "convert it"),
            ("something", "no format known here (it begins \"something\")", "convert it"),
            ("PAR1", "a Parquet file", "convert it"),
        ] {
            let refused = expect_json(head.as_bytes(), Path::new("a.json"), APP_TRACES);
            let message = refused.expect_err(looks_like).to_string();
            assert!(message.starts_with("a.json: this looks like "), "{message}");
            assert!(message.contains(looks_like) && message.contains(remedy), "{message}");
            assert!(message.contains("what is read is JSON of YARN's load simulator"), "{message}");
        }
        let empty = expect_json(b" \n", Path::new("a.json"), APP_TRACES).expect_err("empty").to_string();
        assert!(empty.starts_with("a.json: the file is empty"), "{empty}");
    }

    #[test]
    fn nothing_but_blanks_is_empty() {
        for head in ["", "\n", " \t\r\n\n"] {
            let message = sniff(head.as_bytes(), "a.swf").expect_err("empty");
            assert!(message.starts_with("a.swf: the file is empty"), "{message}");
        }
    }
}
