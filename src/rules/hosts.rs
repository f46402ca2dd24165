//! Hosts files exactly as YARN reads them (yarn.md 5), the lists that they make (4.1), and what in them surprises.
//!
//! Nothing here opens a file: whoever does hands over path and text, and asks [`crate::rules::refresh`] what follows
//! when it cannot be read.

mod lint;
mod lists;
mod place;
mod xml;

#[cfg(test)]
mod tests;

pub use lint::{Cluster, Surprise, Timeout, Warning, lint};
pub use lists::{Host, HostLists, HostsReader, ListFile, NothingPending, Standing};
pub use place::Place;
pub use xml::{Fault, HostsError, parse_xml};

use std::collections::BTreeMap;

use crate::time::SimSpan;
use place::Places;

/// What separates the names of a plain file. A vertical tab and a no-break space do not.
const SEPARATORS: [char; 5] = [' ', '\t', '\x0c', '\r', '\n'];

/// Which of the two lists a hosts file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// Who may be in service.
    Include,
    /// Who may not.
    Exclude,
}

impl List {
    /// Its name in a scenario and in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Include => "include",
            Self::Exclude => "exclude",
        }
    }
}

/// One host as a hosts file names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Taken letter by letter: no port, pattern or range in it means anything. Empty between two commas of an XML
    /// file; such an entry matches nothing.
    pub name: String,
    /// How long a graceful drain of this host may take, in seconds; negative: for ever; `None`: the file does not say.
    /// See [`HostTimeout`] for what it amounts to.
    pub timeout_s: Option<i32>,
    /// Where the name stands.
    pub place: Place,
}

/// What the timeout of an entry amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostTimeout {
    /// The entry has none: the request's holds, or else the configured default.
    NotGiven,
    /// The drain may take for ever.
    Never,
    /// The drain may take this long.
    After(SimSpan),
}

impl From<Option<i32>> for HostTimeout {
    /// From the number of seconds of an [`Entry`].
    fn from(timeout_s: Option<i32>) -> Self {
        timeout_s.map_or(Self::NotGiven, |seconds| {
            u64::try_from(seconds).map_or(Self::Never, |seconds| Self::After(SimSpan::from_secs(seconds)))
        })
    }
}

/// What a hosts file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostsFile {
    entries: Vec<Entry>,
    /// The entry of each name that holds, by its index.
    by_name: BTreeMap<String, usize>,
}

impl FromIterator<Entry> for HostsFile {
    /// The entries in the order of the file. Of those with the same name the last one holds, even if it has no timeout
    /// and an earlier one has (yarn.md 5.3).
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        let entries: Vec<Entry> = entries.into_iter().collect();
        let by_name = entries.iter().enumerate().map(|(index, entry)| (entry.name.clone(), index)).collect();
        Self { entries, by_name }
    }
}

impl HostsFile {
    /// Everything that the file names, in its order, with repetitions.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry that holds for each name, by name.
    pub fn hosts(&self) -> impl Iterator<Item = &Entry> {
        self.by_name.values().map(|&index| &self.entries[index])
    }

    /// The entry that holds for `name`, compared letter by letter.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(name).map(|&index| &self.entries[index])
    }

    /// Whether the file names `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// How many different names there are.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether the file names nobody.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// How a hosts file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Names between blanks, without timeouts: [`parse_plain`].
    Plain,
    /// Names with timeouts: [`parse_xml`].
    Xml,
}

impl Format {
    /// How an exclude file is read: as XML if its path ends in `.xml`, in upper or lower case (yarn.md 5.1). An include
    /// file is always [`Format::Plain`], whatever its path ends in.
    pub fn of_exclude(path: &str) -> Self {
        if path.to_lowercase().ends_with(".xml") { Self::Xml } else { Self::Plain }
    }
}

/// Reads a plain hosts file (yarn.md 5.2), which every text is.
///
/// Names are separated by blanks, tabs, form feeds and line ends, and by nothing else. A `#` at the start of a name
/// begins a comment, which goes to the end of the line; anywhere else it is a letter like any other. A byte order mark
/// is a part of the first name.
pub fn parse_plain(text: &str) -> HostsFile {
    let mut places = Places::new(text);
    let mut entries = Vec::new();
    let mut in_comment = false;
    let mut byte = 0;
    for piece in text.split_inclusive(SEPARATORS) {
        let name = piece.trim_end_matches(SEPARATORS);
        in_comment |= name.starts_with('#');
        if !in_comment && !name.is_empty() {
            entries.push(Entry { name: name.to_owned(), timeout_s: None, place: places.at(byte) });
        }
        in_comment &= !piece.ends_with(['\r', '\n']);
        byte += piece.len();
    }
    entries.into_iter().collect()
}
