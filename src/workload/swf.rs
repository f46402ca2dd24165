//! One line of a Standard Workload Format log: a comment, or a job of 18 fields.
//!
//! Reads the format as real files have it: decimals, -1 for what is unknown, `;` as field separator, text in fields
//! that nobody uses, further columns. Which jobs are kept is decided elsewhere.

use std::cmp::Ordering;

use super::assembly::Record;
use super::error::{Malformed, shortened};
use crate::time::SimSpan;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing that is used.
    Comment,
    /// The header line that gives the wall-clock time of the log's time 0, in seconds since 1970.
    UnixStart(i64),
    /// A job.
    Job(Record),
}

/// Fields that every line has.
const FIELDS: usize = 18;

/// Fields of MetaCentrum's extension, which adds CPUs, queue and node specification.
const EXTENDED_FIELDS: usize = 21;

const A_TIME: &str = "a number of seconds, as in 120, 552.21 or -1,";
const A_SUBMIT_TIME: &str = "a number of seconds of 0 or more";
const A_COUNT: &str = "a whole number up to 4294967295, or -1,";
const AN_ID: &str = "a whole number of 0 or more";
const A_MEMORY: &str = "a number of KB for each processor up to 4294967295, or -1,";

/// Whether `line` begins as a line of SWF does: as a comment, or with a number.
pub(super) fn may_be_line(line: &[u8]) -> bool {
    let first = line.split(|b| is_separator(*b)).next().unwrap_or_default();
    line.starts_with(b";") || Decimal::parse(first).is_some()
}

/// Reads one line.
///
/// # Errors
/// Says which field is wrong, or that fields are missing.
pub(super) fn parse_line(line: &[u8]) -> Result<Line, Malformed> {
    let line = line.trim_ascii();
    match line {
        [] => Ok(Line::Comment),
        [b';', comment @ ..] => Ok(unix_start(comment).map_or(Line::Comment, Line::UnixStart)),
        _ => parse_job(&Fields::split(line)?).map(Line::Job),
    }
}

/// The value of a header `UnixStartTime`; -1 and text say nothing.
fn unix_start(comment: &[u8]) -> Option<i64> {
    let colon = comment.iter().position(|b| *b == b':')?;
    let (key, value) = comment.split_at(colon);
    if !key.trim_ascii().eq_ignore_ascii_case(b"UnixStartTime") {
        return None;
    }
    let seconds = Decimal::parse(value[1..].trim_ascii())?;
    let is_known = seconds.sign != Ordering::Less && seconds.milli != Decimal::TOO_LARGE;
    i64::try_from(seconds.milli / 1000).ok().filter(|_| is_known)
}

fn parse_job(fields: &Fields<'_>) -> Result<Record, Malformed> {
    let id = fields.number(1, AN_ID)?.whole_from_0().ok_or_else(|| fields.malformed(1, AN_ID))?;
    let submit = fields.number(2, A_SUBMIT_TIME)?;
    let run_ms = fields.number(4, A_TIME)?.positive_milli();
    let allocated = fields.cores(5)?;
    let used_memory_kib = fields.number(7, A_MEMORY)?.positive_units();
    let wanted = fields.cores(8)?;
    let requested_ms = fields.number(9, A_TIME)?.positive_milli();
    let wanted_memory = fields.number(10, A_MEMORY)?.positive_units();

    if submit.sign == Ordering::Less {
        return Err(fields.malformed(2, A_SUBMIT_TIME));
    }
    let cores = wanted.or(allocated);
    let wanted_memory_kib = match (wanted_memory, cores) {
        (Some(bytes), Some(cores)) if fields.is_extended() => Some(fields.share_of_node_kib(bytes, cores)),
        (memory_kib, _) => memory_kib,
    };
    let memory_field = if wanted_memory_kib.is_some() { 10 } else { 7 };
    let memory_per_core_kib = wanted_memory_kib.or(used_memory_kib).unwrap_or(0);
    Ok(Record {
        id,
        submit_ms: submit.milli,
        run: run_ms.map(SimSpan::from_ms),
        requested: requested_ms.map(SimSpan::from_ms),
        cores,
        memory_per_core_kib: u32::try_from(memory_per_core_kib)
            .map_err(|_| fields.malformed(memory_field, A_MEMORY))?,
    })
}

/// The fields of a job's line; those beyond the ones we know are left alone.
struct Fields<'a> {
    text: [&'a [u8]; EXTENDED_FIELDS],
    count: usize,
}

impl<'a> Fields<'a> {
    fn split(line: &'a [u8]) -> Result<Self, Malformed> {
        let fields = if has_semicolons(line) {
            // Each semicolon counts: between two of them is an empty field.
            Self::collect(line.split(|b| *b == b';').map(<[u8]>::trim_ascii))
        } else {
            Self::collect(line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()))
        };
        if fields.count < FIELDS {
            return Err(Malformed::TooFewFields { found: fields.count });
        }
        Ok(fields)
    }

    fn collect(texts: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut fields = Self { text: [&[]; EXTENDED_FIELDS], count: 0 };
        for (slot, text) in fields.text.iter_mut().zip(texts) {
            *slot = text;
            fields.count += 1;
        }
        fields
    }

    /// Field `number`, from 1, as a number.
    fn number(&self, number: usize, expected: &'static str) -> Result<Decimal, Malformed> {
        Decimal::parse(self.text[number - 1])
            .filter(|decimal| decimal.milli != Decimal::TOO_LARGE)
            .ok_or_else(|| self.malformed(number, expected))
    }

    /// Field `number`, from 1, as a number of processors; `None` if it is not above 0.
    fn cores(&self, number: usize) -> Result<Option<u32>, Malformed> {
        let decimal = self.number(number, A_COUNT)?;
        if decimal.sign != Ordering::Greater {
            return Ok(None);
        }
        let cores = decimal.whole_from_0().and_then(|cores| u32::try_from(cores).ok());
        cores.map(Some).ok_or_else(|| self.malformed(number, A_COUNT))
    }

    fn malformed(&self, number: usize, expected: &'static str) -> Malformed {
        const NAMES: [&str; 10] = [
            "job number",
            "submit time",
            "wait time",
            "run time",
            "allocated processors",
            "average CPU time",
            "used memory",
            "requested processors",
            "requested time",
            "requested memory",
        ];
        let text = shortened(self.text[number - 1]);
        Malformed::Field { number, name: NAMES[number - 1], text, expected }
    }

    /// Whether the line has MetaCentrum's further columns: a list of CPUs in braces, a queue, a node specification.
    fn is_extended(&self) -> bool {
        self.count == EXTENDED_FIELDS && self.text[FIELDS].starts_with(b"{")
    }

    /// Memory for each core where the log gives bytes for each node, as MetaCentrum's does (so Alea, the simulator
    /// that it was made for, reads it). A specification such as `4:ppn=12` or `1:ppn=1+3:ppn=2` begins with how
    /// many nodes there are; the name of a host means one.
    fn share_of_node_kib(&self, node_bytes: u64, cores: u32) -> u64 {
        let nodes: u64 = self.text[EXTENDED_FIELDS - 1]
            .split(|b| *b == b'+')
            .map(|part| {
                let count = part.split(|b| *b == b':').next().and_then(Decimal::parse);
                count.and_then(Decimal::positive_units).unwrap_or(1)
            })
            .fold(0, u64::saturating_add);
        node_bytes.saturating_mul(nodes).div_ceil(1024 * u64::from(cores))
    }
}

/// Whether fields are separated by semicolons: the first one is followed by one.
fn has_semicolons(line: &[u8]) -> bool {
    let end = line.iter().position(|b| is_separator(*b)).unwrap_or(line.len());
    line[end..].trim_ascii_start().starts_with(b";")
}

const fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b';'
}

/// A decimal number, exact to a thousandth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    /// How it compares with 0, whatever is lost in rounding.
    sign: Ordering,
    /// Thousandths without the sign, a half rounded up; [`Self::TOO_LARGE`] if they are more than simulated time holds.
    milli: u64,
}

impl Decimal {
    const TOO_LARGE: u64 = u64::MAX;

    /// Reads digits with an optional minus sign and decimal point; `None` if `text` is anything else.
    fn parse(text: &[u8]) -> Option<Self> {
        let (is_negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let point = digits.iter().position(|b| *b == b'.').unwrap_or(digits.len());
        let (whole, fraction) = (&digits[..point], digits.get(point + 1..).unwrap_or_default());
        let are_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
        if whole.len() + fraction.len() == 0 || !are_digits(whole) || !are_digits(fraction) {
            return None;
        }
        let digit_at = |i: usize| u64::from(fraction.get(i).map_or(0, |b| b - b'0'));
        let rounding = u64::from(digit_at(3) >= 5);
        let fraction_milli = digit_at(0) * 100 + digit_at(1) * 10 + digit_at(2) + rounding;
        let milli = whole
            .iter()
            .try_fold(0_u64, |sum, b| sum.checked_mul(10)?.checked_add(u64::from(b - b'0')))
            .and_then(|whole| whole.checked_mul(1000)?.checked_add(fraction_milli))
            .filter(|milli| *milli <= SimSpan::MAX.as_ms())
            .unwrap_or(Self::TOO_LARGE);
        let sign = match (digits.iter().all(|b| matches!(b, b'0' | b'.')), is_negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        };
        Some(Self { sign, milli })
    }

    /// Thousandths if above 0, and then at least one.
    fn positive_milli(self) -> Option<u64> {
        (self.sign == Ordering::Greater).then_some(self.milli.max(1))
    }

    /// Units if above 0, rounded up so that a need is never understated.
    fn positive_units(self) -> Option<u64> {
        self.positive_milli().map(|milli| milli.div_ceil(1000))
    }

    /// Units if whole and not below 0.
    fn whole_from_0(self) -> Option<u64> {
        (self.sign != Ordering::Less && self.milli.is_multiple_of(1000)).then_some(self.milli / 1000)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn job(line: &str) -> Record {
        match parse_line(line.as_bytes()) {
            Ok(Line::Job(record)) => record,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn refusal(line: &str) -> String {
        parse_line(line.as_bytes()).expect_err(line).to_string()
    }

    fn secs(seconds: u64) -> Option<SimSpan> {
        Some(SimSpan::from_secs(seconds))
    }

    #[test]
    fn a_line_of_the_archive_is_read_by_column() {
        // HPC2N's second job; the meaning of the columns is the archive's definition of the format.
        let record = job(
            "   12   342343      5    553   40 552.21    -1   40  43200    -1  1   4   1  -1 -1  1 -1 -1",
        );
        assert_eq!(
            record,
            Record {
                id: 12,
                submit_ms: 342_343_000,
                run: secs(553),
                requested: secs(43_200),
                cores: Some(40),
                memory_per_core_kib: 0
            }
        );
    }

    #[test]
    fn requested_comes_before_allocated_and_used() {
        let record = job("1 0 -1 10 4 -1 300 8 20 700 1 1 1 1 1 1 1 1");
        assert_eq!((record.cores, record.memory_per_core_kib), (Some(8), 700));
        let record = job("1 0 -1 10 4 -1 300 -1 -1 -1 1 1 1 1 1 1 1 1");
        assert_eq!((record.cores, record.memory_per_core_kib), (Some(4), 300));
        let record = job("1 0 -1 10 4 -1 -1 0 0 0 1 1 1 1 1 1 1 1");
        assert_eq!((record.cores, record.memory_per_core_kib, record.requested), (Some(4), 0, None));
        let record = job("1435  3273240 -1 0 -1 -1 -1 -1 -1 -1  5  14  -1 184 -1  1 -1 -1");
        assert_eq!((record.run, record.cores), (None, None));
    }

    #[test]
    fn decimals_are_exact_to_the_millisecond() {
        // By hand; a half is rounded up, and a run time never becomes 0.
        for (text, run_ms) in [
            ("552.21", Some(552_210)),
            ("0.0005", Some(1)),
            ("0.0004", Some(1)),
            ("1.0004", Some(1000)),
            ("1.0005", Some(1001)),
            ("0.9999", Some(1000)),
            ("0.29", Some(290)),
            (".5", Some(500)),
            ("5.", Some(5000)),
            ("007", Some(7000)),
            ("0", None),
            ("-0.0", None),
            ("-1", None),
            ("-0.0001", None),
        ] {
            let record = job(&format!("1 0.0004 -1 {text} 4 -1 -1 0.0 -1 -1 1 1 1 1 1 1 1 1"));
            assert_eq!(record.run, run_ms.map(SimSpan::from_ms), "{text}");
            assert_eq!(record.submit_ms, 0);
        }
        assert_eq!(job("1 0 -1 1 4.0 -1 99.2 -1 -1 -1 1 1 1 1 1 1 1 1").memory_per_core_kib, 100);
    }

    #[test]
    fn semicolons_separate_fields_and_may_leave_them_empty() {
        // Lines of the Slurm simulator's micro cluster.
        let record = job("1003;60;-1;155;1;-1;500000;-1;960;-1;-1;user4;account2;-1;normal;normal;;-1;\n");
        assert_eq!(
            (record.id, record.submit_ms, record.run, record.requested),
            (1003, 60_000, secs(155), secs(960))
        );
        assert_eq!((record.cores, record.memory_per_core_kib), (Some(1), 500_000));
        assert_eq!(
            job("1007;594;-1;-1;24;-1;-1;-1;1500;-1;-1;user4;account2;-1;normal;normal;;-1;").run,
            None
        );
        let spaced = job("7 ; 1 ; -1 ; 2 ; 3 ; -1 ; -1 ; -1 ; 4 ; -1 ; -1 ; user 4 ; a ; -1 ; n ; n ; ; -1");
        assert_eq!((spaced.id, spaced.run, spaced.cores, spaced.requested), (7, secs(2), Some(3), secs(4)));
        let ordinary = job("7 1 -1 2 3 -1 -1 -1 4 -1 -1 1 1 1 1 1 1 1 ; checked");
        assert_eq!(ordinary, Record { id: 7, ..spaced });
    }

    #[test]
    fn further_columns_of_metacentrum_are_understood() {
        // Lines of MetaCentrum's log, lists of CPUs shortened. Its memory is bytes for each node (Alea's reader):
        // 91268055040 / 1024 / 12 = 7427413.3…, and 4 nodes of 34359738368 bytes for 48 cores are 2796202.6… KiB for
        // each; both are rounded up.
        let line = "1 1356996695 71 1164297 12 1 1024 12 1209600 91268055040 1 101 1 1 -1 1 1 1 {1129} q_2w 1:ppn=12";
        let record = job(line);
        assert_eq!((record.id, record.submit_ms, record.run), (1, 1_356_996_695_000, secs(1_164_297)));
        assert_eq!((record.cores, record.memory_per_core_kib), (Some(12), 7_427_414));
        let memory = |spec: &str, cores: u32, bytes: u64| {
            job(&format!("1 0 0 5 {cores} 1 1024 {cores} 60\t{bytes} 1 1 1 1 -1 1 1 1 {{7,7}} q_2w {spec}"))
                .memory_per_core_kib
        };
        assert_eq!(memory("4:ppn=12:x86_64:nfs4", 48, 34_359_738_368), 2_796_203);
        assert_eq!(memory("zewura19.cerit-sc.cz", 1, 1_048_576), 1024);
        assert_eq!(memory("1:ppn=1+3:ppn=2", 7, 7 * 1024), 4);
    }

    #[test]
    fn comments_give_the_start_and_never_fail() {
        for (line, start) in [
            ("; UnixStartTime: 843480031\r\n", Some(843_480_031)),
            (";unixstarttime :  1.9", Some(1)),
            ("  ;\tUnixStartTime: 0", Some(0)),
            ("; UnixStartTime: -1", None),
            ("; UnixStartTime: about noon", None),
            ("; UnixStartTime:", None),
            ("; UnixStartTime: 99999999999999999999", None),
            ("; MaxNodes: 338 (batch partition; 512 total)", None),
            ("; Note: UnixStartTime: 5", None),
            (";", None),
            ("", None),
            (" \t\r\n", None),
        ] {
            assert_eq!(
                parse_line(line.as_bytes()),
                Ok(start.map_or(Line::Comment, Line::UnixStart)),
                "{line}"
            );
        }
        assert_eq!(parse_line(b"; Installation: \xff\xfe\x00 \xc3"), Ok(Line::Comment));
    }

    #[test]
    fn a_malformed_line_says_what_was_found_and_what_is_expected() {
        let with = |number: usize, text: &str| {
            let mut fields = [
                "1", "0", "-1", "10", "4", "-1", "-1", "4", "20", "-1", "1", "1", "1", "1", "1", "1", "1",
                "1",
            ];
            fields[number - 1] = text;
            fields.join(" ")
        };
        assert_eq!(refusal("1 0 -1 10 4"), "the line has 5 fields where SWF has 18");
        assert_eq!(
            refusal(&with(4, "ten")),
            "field 4 (run time) is \"ten\", and a number of seconds, as in 120, 552.21 or -1, is expected"
        );
        for (number, text, hint) in [
            (1, "-1", "field 1 (job number) is \"-1\", and a whole number of 0 or more is"),
            (1, "1.5", "(job number)"),
            (2, "-1", "field 2 (submit time) is \"-1\", and a number of seconds of 0 or more is"),
            (2, "1e5", "(submit time)"),
            (2, "+5", "(submit time)"),
            (4, "1.2.3", "(run time)"),
            (4, "--1", "(run time)"),
            (4, "-", "(run time)"),
            (4, ".", "(run time)"),
            (4, "99999999999999999999999", "(run time)"),
            (4, "4611686018427387.904", "(run time)"),
            (5, "4294967296", "(allocated processors)"),
            (7, "much", "(used memory)"),
            (7, "4294967296", "(used memory)"),
            (
                8,
                "2.5",
                "field 8 (requested processors) is \"2.5\", and a whole number up to 4294967295, or -1, is",
            ),
            (9, "NaN", "(requested time)"),
            (10, "4294967296", "(requested memory)"),
        ] {
            let message = refusal(&with(number, text));
            assert!(message.contains(hint), "{message}");
        }
        assert!(refusal("1;0;-1;;4;-1;-1;4;20;-1;1;1;1;1;1;1;1;1").contains("field 4 (run time) is \"\""));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_parser_panic(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_line(&line);
            let _ = may_be_line(&line);
        }

        #[test]
        fn nor_do_strange_fields(
            fields in prop::collection::vec("-?[0-9]{0,25}\\.?[0-9]{0,5}|[a-z{;:+=]{1,3}", 18..22),
        ) {
            let _ = parse_line(fields.join(" ").as_bytes());
            let _ = parse_line(fields.join(";").as_bytes());
        }

        #[test]
        fn milliseconds_written_out_are_read_back(ms in 0..=SimSpan::MAX.as_ms(), zeros in 0..5_usize) {
            let text = format!("{}{}.{:03}{}", "0".repeat(zeros), ms / 1000, ms % 1000, "0".repeat(zeros));
            prop_assert_eq!(Decimal::parse(text.as_bytes()).map(|decimal| decimal.milli), Some(ms));
        }
    }
}
