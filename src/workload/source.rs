//! A log's bytes on their way in: digested as stored, unpacked if gzip, and cut into lines.
//!
//! Holds one line and a few buffers, never the whole text. What the lines mean is for the formats to say.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::digest::Fnv1a;
use super::error::{WorkloadError, shortened};

/// The longest line that is read; the longest seen in a real log is a tenth of it.
pub(super) const MAX_LINE_BYTES: usize = 64 * 1024;

/// How much of the text is looked at to tell its format; as long as the longest line, so that a longer first line
/// is recognised for what it is.
const HEAD_BYTES: usize = MAX_LINE_BYTES;

/// Large enough that system calls do not show in the time it takes to load a log.
const BUFFER_BYTES: usize = 64 * 1024;

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const UTF8_BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// A log being read.
pub(super) struct Log<'a, R: Read> {
    path: &'a Path,
    text: Chain<Cursor<Vec<u8>>, BufReader<Stored<R>>>,
    line: Vec<u8>,
    lines: u64,
}

impl<'a, R: Read> Log<'a, R> {
    /// Starts to read what `stored` holds; `path` is for messages.
    ///
    /// # Errors
    /// The beginning cannot be read or unpacked.
    pub(super) fn open(stored: R, path: &'a Path) -> Result<Self, WorkloadError> {
        let failed = |e| WorkloadError::reading(path, 0, e);
        let stored = Stored::open(stored).map_err(failed)?;
        let mut text = BufReader::with_capacity(BUFFER_BYTES, stored);
        let mut head = Vec::new();
        (&mut text).take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(failed)?;
        if head.starts_with(UTF8_BYTE_ORDER_MARK) {
            head.drain(..UTF8_BYTE_ORDER_MARK.len());
        }
        Ok(Self { path, text: Cursor::new(head).chain(text), line: Vec::new(), lines: 0 })
    }

    /// The beginning of the text, enough to tell its format.
    pub(super) fn head(&self) -> &[u8] {
        self.text.get_ref().0.get_ref()
    }

    /// Number of the line read last, from 1; 0 before the first.
    pub(super) const fn line_number(&self) -> u64 {
        self.lines
    }

    /// The next line, perhaps with its end-of-line characters; `None` after the last.
    ///
    /// # Errors
    /// The line is too long, or it cannot be read or unpacked.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, WorkloadError> {
        self.line.clear();
        let most = MAX_LINE_BYTES as u64 + 1;
        let read = (&mut self.text).take(most).read_until(b'\n', &mut self.line);
        let len = read.map_err(|e| WorkloadError::reading(self.path, self.lines, e))?;
        if len == 0 {
            return Ok(None);
        }
        self.lines += 1;
        if len > MAX_LINE_BYTES {
            return Err(WorkloadError::LineTooLong {
                path: self.path.to_owned(),
                line: self.lines,
                most_bytes: MAX_LINE_BYTES,
                text: shortened(&self.line),
            });
        }
        Ok(Some(&self.line))
    }

    /// All of the text, of at most `most_bytes`, and the digest of all stored bytes.
    ///
    /// # Errors
    /// The text is longer, or it cannot be read or unpacked.
    pub(super) fn into_text(mut self, most_bytes: u64) -> Result<(Vec<u8>, String), WorkloadError> {
        let mut text = Vec::new();
        let read = (&mut self.text).take(most_bytes.saturating_add(1)).read_to_end(&mut text);
        read.map_err(|e| {
            let lines = text.iter().filter(|b| **b == b'\n').count() as u64;
            WorkloadError::reading(self.path, lines, e)
        })?;
        if text.len() as u64 > most_bytes {
            return Err(WorkloadError::TextTooLong { path: self.path.to_owned(), most_bytes });
        }
        Ok((text, self.into_digest()?))
    }

    /// The digest of all stored bytes, including those that nobody needed to look at.
    ///
    /// # Errors
    /// The rest cannot be read.
    pub(super) fn into_digest(self) -> Result<String, WorkloadError> {
        let (_, text) = self.text.into_inner();
        let mut raw = match text.into_inner() {
            Stored::Plain(raw) => raw,
            Stored::Gzip(decoder) => decoder.into_inner(),
        };
        io::copy(&mut raw, &mut io::sink()).map_err(|e| WorkloadError::reading(self.path, self.lines, e))?;
        Ok(raw.get_ref().digest.to_string())
    }
}

/// Text as it is stored.
enum Stored<R: Read> {
    Plain(BufReader<Digesting<R>>),
    /// One member or several, one after another.
    Gzip(MultiGzDecoder<BufReader<Digesting<R>>>),
}

impl<R: Read> Stored<R> {
    fn open(inner: R) -> io::Result<Self> {
        let digesting = Digesting { inner, digest: Fnv1a::default() };
        let mut raw = BufReader::with_capacity(BUFFER_BYTES, digesting);
        let is_gzip = raw.fill_buf()?.starts_with(GZIP_MAGIC);
        Ok(if is_gzip { Self::Gzip(MultiGzDecoder::new(raw)) } else { Self::Plain(raw) })
    }
}

impl<R: Read> Read for Stored<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(raw) => raw.read(buf),
            Self::Gzip(decoder) => decoder.read(buf),
        }
    }
}

/// Digests whatever is read through it.
struct Digesting<R> {
    inner: R,
    digest: Fnv1a,
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buf)?;
        self.digest.update(&buf[..len]);
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::workload::digest;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).expect("a vector takes all");
        encoder.finish().expect("a vector takes all")
    }

    fn lines_of(stored: &[u8]) -> Result<Vec<Vec<u8>>, WorkloadError> {
        let mut log = Log::open(stored, Path::new("a.swf"))?;
        let mut lines = Vec::new();
        while let Some(line) = log.next_line()? {
            lines.push(line.to_vec());
        }
        Ok(lines)
    }

    fn digest_of(stored: &[u8]) -> String {
        Log::open(stored, Path::new("a.swf")).and_then(Log::into_digest).expect("bytes are readable")
    }

    #[test]
    fn the_digest_covers_the_stored_bytes_even_if_no_line_is_read() {
        let text = b"1 2 3\n".repeat(100_000);
        assert_eq!(digest_of(&text), digest(&text));
        assert_ne!(digest_of(&gzip(&text)), digest_of(&text));
    }

    #[test]
    fn plain_and_gzip_of_one_or_more_members_have_the_same_lines() {
        let expected = [b"one\r\n".to_vec(), b"\n".to_vec(), b"two".to_vec()];
        assert_eq!(lines_of(b"one\r\n\ntwo").expect("plain"), expected);
        assert_eq!(lines_of(b"\xef\xbb\xbfone\r\n\ntwo").expect("byte order mark"), expected);
        assert_eq!(lines_of(&gzip(b"one\r\n\ntwo")).expect("gzip"), expected);
        let members = [gzip(b"on"), gzip(b""), gzip(b"e\r\n\ntwo")].concat();
        assert_eq!(lines_of(&members).expect("members"), expected);
        assert!(lines_of(b"").expect("nothing").is_empty());
    }

    #[test]
    fn gzip_that_is_cut_off_anywhere_is_damaged() {
        let whole = gzip(&b"1 2 3\n".repeat(20));
        for len in 2..whole.len() {
            let error = lines_of(&whole[..len]).expect_err("cut off");
            assert!(matches!(error, WorkloadError::DamagedGzip { .. }), "{len}: {error}");
        }
        let mut wrong_checksum = whole;
        let checksum = wrong_checksum.len() - 8;
        wrong_checksum[checksum] ^= 1;
        assert!(matches!(lines_of(&wrong_checksum), Err(WorkloadError::DamagedGzip { .. })));
    }

    #[test]
    fn a_cut_is_reported_with_the_last_line_before_it() {
        // Stored without compression, one line takes 8 bytes, so the cut is far beyond the head.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(&b"1234567\n".repeat(50_000)).expect("a vector takes all");
        let whole = encoder.finish().expect("a vector takes all");
        let message = lines_of(&whole[..200_000]).expect_err("cut off").to_string();
        let line = message.split("after line ").nth(1).and_then(|rest| rest.split(' ').next());
        let line: u64 = line.and_then(|n| n.parse().ok()).expect("a line number");
        assert!((16_384..25_000).contains(&line), "{message}");
        assert!(message.starts_with("a.swf: the gzip data are cut off"), "{message}");
    }

    #[test]
    fn a_text_comes_whole_or_not_at_all() {
        let text =
            |stored: &[u8], most| Log::open(stored, Path::new("a.json")).and_then(|log| log.into_text(most));
        let (whole, digest) = text(&gzip(b"foobar"), 6).expect("fits");
        assert_eq!((whole.as_slice(), digest), (b"foobar".as_slice(), digest_of(&gzip(b"foobar"))));
        assert_eq!(text(b"foobar", 6).expect("fits").1, "85944171f73967e8");
        let message = text(b"foobar", 5).expect_err("too long").to_string();
        assert!(message.starts_with("a.json: the text is longer than 5 bytes"), "{message}");
        // Compressed to next to nothing, all but the checksum is there.
        let cut_off = gzip(&b"1234567\n".repeat(50_000));
        let message = text(&cut_off[..cut_off.len() - 1], 500_000).expect_err("cut off").to_string();
        assert!(
            message.starts_with("a.json: the gzip data are cut off or damaged after line 50000 "),
            "{message}"
        );
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let fits = b"x".repeat(MAX_LINE_BYTES);
        assert_eq!(lines_of(&fits).expect("fits"), [fits]);
        let message = lines_of(&[b"1\n".to_vec(), b"x".repeat(MAX_LINE_BYTES + 1)].concat())
            .expect_err("too long")
            .to_string();
        assert!(message.starts_with("a.swf:2: the line is longer than 65536 bytes"), "{message}");
        assert!(message.len() < 400, "{message}");
    }
}
