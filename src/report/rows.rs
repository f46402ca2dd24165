//! Rows of CSV (RFC 4180, LF): cells are formatted into a record that is used again for each row, and the `csv` crate
//! writes it.
//!
//! A log of 200,000 jobs makes more than ten million cells, so numbers are formatted here, without allocation.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use csv::{ByteRecord, QuoteStyle, Writer, WriterBuilder};

use crate::ledger::Value;
use crate::rules::machine::HostName;
use crate::time::SimTime;

/// Large enough that system calls do not show in the time it takes to write a file.
const BUFFER_BYTES: usize = 256 * 1024;

/// A table on its way out, row by row.
pub(super) struct Rows<W: Write> {
    out: Writer<W>,
    record: ByteRecord,
    text: String,
}

impl<W: Write> Rows<W> {
    /// Begins a table with its header.
    pub(super) fn begin<'n>(out: W, names: impl IntoIterator<Item = &'n str>) -> io::Result<Self> {
        Self::quoting(QuoteStyle::Necessary, out, names)
    }

    /// The same for a table without text, where no cell needs to be looked at for characters to be quoted.
    pub(super) fn begin_numbers<'n>(out: W, names: impl IntoIterator<Item = &'n str>) -> io::Result<Self> {
        Self::quoting(QuoteStyle::Never, out, names)
    }

    fn quoting<'n>(style: QuoteStyle, out: W, names: impl IntoIterator<Item = &'n str>) -> io::Result<Self> {
        let out = WriterBuilder::new().buffer_capacity(BUFFER_BYTES).quote_style(style).from_writer(out);
        let mut rows = Self { out, record: ByteRecord::new(), text: String::new() };
        for name in names {
            rows.text(name);
        }
        rows.end()?;
        Ok(rows)
    }

    /// Text of our own.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.record.push_field(text.as_bytes());
        self
    }

    /// Text from a user's file, made harmless for spreadsheets.
    pub(super) fn foreign(&mut self, text: &str) -> &mut Self {
        if !is_formula(text) {
            return self.text(text);
        }
        self.text.clear();
        self.text.push('\'');
        self.text.push_str(text);
        self.record.push_field(self.text.as_bytes());
        self
    }

    /// Whatever can be printed, made of our own words and numbers.
    pub(super) fn shown(&mut self, what: impl fmt::Display) -> &mut Self {
        self.text.clear();
        write!(self.text, "{what}").expect("writing to a string cannot fail");
        self.record.push_field(self.text.as_bytes());
        self
    }

    /// What a host is called.
    pub(super) fn host(&mut self, host: HostName<'_>) -> &mut Self {
        match host {
            HostName::Given(name) => self.foreign(name),
            HostName::Numbered(number) => self.numbered("node-", number),
        }
    }

    /// What nobody knows.
    pub(super) fn empty(&mut self) -> &mut Self {
        self.text("")
    }

    /// A whole number.
    pub(super) fn count(&mut self, count: u64) -> &mut Self {
        self.numbered("", count)
    }

    /// A word and a number, as `job-12`.
    pub(super) fn numbered(&mut self, word: &str, number: u64) -> &mut Self {
        let mut cell = Cell::default();
        cell.prepend_digits(number);
        cell.prepend(word.as_bytes());
        self.record.push_field(cell.written());
        self
    }

    /// An instant, in seconds with three decimals.
    pub(super) fn instant(&mut self, at: SimTime) -> &mut Self {
        self.thousandths(at.as_ms())
    }

    /// An instant that may not be known.
    pub(super) fn instant_if(&mut self, at: Option<SimTime>) -> &mut Self {
        match at {
            Some(at) => self.instant(at),
            None => self.empty(),
        }
    }

    /// A number of thousandths as a decimal with three places: milliseconds as seconds.
    pub(super) fn thousandths(&mut self, number: u64) -> &mut Self {
        let mut cell = Cell::default();
        cell.prepend_places(number % 1000, 3);
        cell.prepend(b".");
        cell.prepend_digits(number / 1000);
        self.record.push_field(cell.written());
        self
    }

    /// A number of millionths as [`Value`] prints it.
    pub(super) fn millionths(&mut self, number: u64) -> &mut Self {
        let mut cell = Cell::default();
        let (mut part, mut places) = (number % 1_000_000, 6);
        while places > 1 && part.is_multiple_of(10) {
            part /= 10;
            places -= 1;
        }
        cell.prepend_places(part, places);
        cell.prepend(b".");
        cell.prepend_digits(number / 1_000_000);
        self.record.push_field(cell.written());
        self
    }

    /// A number of a result.
    pub(super) fn value(&mut self, value: Value) -> &mut Self {
        self.shown(value)
    }

    /// Ends the row.
    pub(super) fn end(&mut self) -> io::Result<()> {
        let written = self.out.write_byte_record(&self.record);
        self.record.clear();
        Ok(written?)
    }

    /// Ends the table. Everything has been handed to what it was written to.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether a spreadsheet would take `text` for a formula. A number is one however it begins.
fn is_formula(text: &str) -> bool {
    let is_number = || text.parse().is_ok_and(f64::is_finite);
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number()
}

/// A cell that is written from its end, which is how the digits of a number come.
struct Cell {
    bytes: [u8; Self::CAPACITY],
    start: usize,
}

impl Default for Cell {
    fn default() -> Self {
        Self { bytes: [0; Self::CAPACITY], start: Self::CAPACITY }
    }
}

impl Cell {
    /// The longest cell is a word of some letters with the longest number.
    const CAPACITY: usize = 40;

    fn prepend(&mut self, bytes: &[u8]) {
        let start = self.start - bytes.len();
        self.bytes[start..self.start].copy_from_slice(bytes);
        self.start = start;
    }

    /// The last digit of `number`.
    fn prepend_digit(&mut self, number: u64) {
        self.start -= 1;
        self.bytes[self.start] = b'0' + (number % 10) as u8;
    }

    fn prepend_digits(&mut self, mut number: u64) {
        self.prepend_digit(number);
        while number >= 10 {
            number /= 10;
            self.prepend_digit(number);
        }
    }

    /// The last `places` digits of `number`, zeros included.
    fn prepend_places(&mut self, mut number: u64, places: usize) {
        for _ in 0..places {
            self.prepend_digit(number);
            number /= 10;
        }
    }

    fn written(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(fill: impl FnOnce(&mut Rows<&mut Vec<u8>>)) -> String {
        let mut out = Vec::new();
        let mut rows = Rows::begin(&mut out, ["a", "b"]).expect("a vector takes all");
        fill(&mut rows);
        rows.end().expect("a vector takes all");
        rows.finish().expect("a vector takes all");
        String::from_utf8(out).expect("the cells are UTF-8")
    }

    #[test]
    fn a_table_has_a_header_and_lines_end_with_a_line_feed() {
        let text = written(|rows| {
            rows.text("one, \"two\"").text("three\nfour");
        });
        assert_eq!(text, "a,b\n\"one, \"\"two\"\"\",\"three\nfour\"\n");
    }

    #[test]
    fn numbers_are_printed_as_everywhere() {
        for number in [0, 7, 10, 999, 1000, 130_400, 1_000_001, 98_765_432_101, u64::MAX] {
            let text = written(|rows| {
                rows.count(number).numbered("job-", number);
            });
            assert_eq!(text, format!("a,b\n{number},job-{number}\n"));
            let at = SimTime::from_ms(number);
            let text = written(|rows| {
                rows.instant(at).instant_if(None);
            });
            assert_eq!(text, format!("a,b\n{at},\n"));
            let text = written(|rows| {
                rows.millionths(number).value(Value::Count(number));
            });
            assert_eq!(text, format!("a,b\n{},{number}\n", Value::Micros(i128::from(number))));
        }
    }

    #[test]
    fn no_text_of_a_user_becomes_a_formula_and_no_number_is_touched() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-x", "'-x"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            ("-inf", "'-inf"),
            ("-5", "-5"),
            ("+0.25", "+0.25"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            let row = written(|rows| {
                rows.foreign(text).count(1);
            });
            assert_eq!(row, format!("a,b\n{cell},1\n"));
        }
    }
}
