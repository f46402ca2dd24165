//! Reads an XML hosts file (yarn.md 5.3), and says everything that is wrong with it at once.

use std::fmt;
use std::num::IntErrorKind;

use roxmltree::{Document, Error, Node};

use super::place::{Place, Places};
use super::{Entry, HostsFile};

/// How many characters of a malformed text an error shows.
const EXCERPT: usize = 30;

/// What to do about a text that is no XML.
const MEND: &str = "correct it, or give a plain list of names a path that does not end in .xml";

/// What is wrong with an XML hosts file, and where. YARN throws an unchecked exception for each (yarn.md 5.4).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct HostsError {
    /// Where.
    pub place: Place,
    /// What.
    pub fault: Fault,
}

/// What can be wrong with an XML hosts file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is no XML.
    Malformed {
        /// What the parser says.
        why: String,
        /// What stands there; empty at the end of the text.
        found: String,
    },
    /// It has a DOCTYPE, which is refused whatever it says.
    Doctype {
        /// What stands there.
        found: String,
    },
    /// A timeout that would be a number but for the blanks around it.
    BlanksAroundTimeout(String),
    /// A timeout that is an integer of more than 32 bits.
    TimeoutOutOfRange(String),
    /// A timeout that is nothing of the kind, or empty.
    NoTimeout(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { why, found } if found.is_empty() => {
                write!(f, "this is no well-formed XML, for the text ends here: {why}: {MEND}")
            }
            Self::Malformed { why, found } => {
                write!(f, "this is no well-formed XML: {why}, at {found:?}: {MEND}")
            }
            Self::Doctype { found } => {
                write!(f, "a DOCTYPE is refused, here {found:?}: remove it, a hosts file needs none")
            }
            Self::BlanksAroundTimeout(text) => {
                write!(
                    f,
                    "the timeout {text:?} has blanks around the number, which is refused: write {:?}",
                    text.trim()
                )
            }
            Self::TimeoutOutOfRange(text) => write!(
                f,
                "the timeout {text:?} is out of range: write {} to {} seconds, or -1 for no limit",
                i32::MIN,
                i32::MAX
            ),
            Self::NoTimeout(text) => write!(
                f,
                "the timeout {text:?} is no whole number of seconds: write one such as 600, or -1 for no limit; for \
                 the request's timeout leave the element out"
            ),
        }
    }
}

/// Reads an XML hosts file.
///
/// Every element `host` below the root is a group: the first `name` inside lists its hosts, the first `timeout` inside
/// is theirs. All else is ignored, the root's name included.
///
/// YARN knows no name spaces; neither do element names here, but a prefix that is not declared is refused as malformed
/// although YARN would not mind.
///
/// # Errors
/// A text that is malformed or has a DOCTYPE is refused with that alone; otherwise every timeout that YARN refuses is
/// named, in the order of their hosts.
pub fn parse_xml(text: &str) -> Result<HostsFile, Vec<HostsError>> {
    let document = Document::parse(text).map_err(|error| vec![refusal(&error, text)])?;
    let mut places = Places::new(text);
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    for host in inside(document.root_element(), "host") {
        let timeout_s = inside(host, "timeout").next().and_then(|element| {
            let fault = match seconds(&content(element)) {
                Ok(seconds) => return Some(seconds),
                Err(fault) => fault,
            };
            errors.push(HostsError { place: places.at(content_start(element)), fault });
            None
        });
        let names = inside(host, "name").next().map(names).unwrap_or_default();
        entries.extend(names.into_iter().map(|(byte, name)| Entry {
            name,
            timeout_s,
            place: places.at(byte),
        }));
    }
    // A group around another one may have the same first timeout as that.
    errors.dedup();
    if errors.is_empty() { Ok(entries.into_iter().collect()) } else { Err(errors) }
}

/// The elements below `node` that are called `name`, in the order of the text.
fn inside<'a, 'input>(node: Node<'a, 'input>, name: &'static str) -> impl Iterator<Item = Node<'a, 'input>> {
    node.descendants().skip(1).filter(move |node| node.is_element() && is_written(*node, name))
}

/// Whether the element is called `name` in the text itself: `x:host` is not `host`, whatever `x` stands for.
fn is_written(element: Node<'_, '_>, name: &str) -> bool {
    let tag = &element.document().input_text()[element.range()];
    let rest = tag.strip_prefix('<').and_then(|tag| tag.strip_prefix(name));
    rest.is_some_and(|rest| rest.starts_with(['>', '/', ' ', '\t', '\r', '\n']))
}

/// All text inside an element, however deep.
fn content(element: Node<'_, '_>) -> String {
    element.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect()
}

/// The byte at which the content begins, or the element if it has none.
fn content_start(element: Node<'_, '_>) -> usize {
    element.first_child().unwrap_or(element).range().start
}

/// The hosts that an element `name` lists, and at which byte each of them stands.
fn names(element: Node<'_, '_>) -> Vec<(usize, String)> {
    let source = element.document().input_text();
    let mut byte = content_start(element);
    let content = content(element);
    let found = split_names(&content).into_iter().map(|name| {
        // A name that is written with an entity is not found; the end of the one before it is near enough.
        let skipped = source[byte..element.range().end].find(name);
        let start = byte + skipped.unwrap_or(0);
        byte = skipped.map_or(byte, |_| start + name.len());
        (start, name.to_owned())
    });
    found.collect()
}

/// Splits a list of hosts as YARN does: at each comma, and at line ends between two names; blanks around are trimmed.
/// Two commas in a row, or one in front, leave an empty name, but commas at the end leave none.
fn split_names(content: &str) -> Vec<&str> {
    let mut names: Vec<&str> = content.split(',').map(str::trim_ascii).flat_map(split_lines).collect();
    while names.last().is_some_and(|name| name.is_empty()) {
        names.pop();
    }
    names
}

/// The names between two commas: one in each line that is not blank, but a single empty one if nothing is there.
fn split_lines(part: &str) -> impl Iterator<Item = &str> {
    part.split('\n').map(str::trim_ascii).filter(move |name| part.is_empty() || !name.is_empty())
}

/// Reads a timeout: a signed decimal of 32 bits with nothing around it.
fn seconds(text: &str) -> Result<i32, Fault> {
    text.parse().map_err(|error: std::num::ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => Fault::TimeoutOutOfRange(text.to_owned()),
        _ if text.trim().parse::<i32>().is_ok() => Fault::BlanksAroundTimeout(text.to_owned()),
        _ => Fault::NoTimeout(text.to_owned()),
    })
}

/// What an error of the parser means for a hosts file.
fn refusal(error: &Error, text: &str) -> HostsError {
    let mut places = Places::new(text);
    let place = match error {
        Error::DtdDetected => {
            let byte = doctype(text);
            let found = text[byte..].lines().next().unwrap_or_default().chars().take(EXCERPT).collect();
            return HostsError { place: places.at(byte), fault: Fault::Doctype { found } };
        }
        // For these the parser has no place, but they are found at the end.
        Error::NoRootNode | Error::UnclosedRootNode | Error::UnexpectedEndOfStream => places.at(text.len()),
        error => {
            let index =
                |count: u32| usize::try_from(count).expect("it fits because it counts what is in memory");
            Place { line: index(error.pos().row), column: index(error.pos().col) }
        }
    };
    let lines = text.split_inclusive('\n').skip(place.line - 1);
    let found = lines.flat_map(str::chars).skip(place.column - 1).take(EXCERPT).collect();
    let why = error.to_string().replace(&format!(" at {}", error.pos()), "");
    HostsError { place, fault: Fault::Malformed { why, found } }
}

/// The byte at which the DOCTYPE begins, for which the parser gives no place: behind a byte order mark, comments (which
/// may say the word too) and processing instructions.
fn doctype(text: &str) -> usize {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some(end) =
        [("<!--", "-->"), ("<?", "?>")].iter().find_map(|(start, end)| rest.starts_with(start).then_some(end))
    {
        rest = rest.split_once(end).map_or("", |(_, behind)| behind).trim_start();
    }
    text.len() - rest.len()
}
