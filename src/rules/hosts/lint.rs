//! What YARN reads from hosts files without a word, and hardly anybody means (yarn.md 5.2 to 5.4).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::lists::ListFile;
use super::place::Place;
use super::{Entry, Format, List};

#[cfg(test)]
mod tests;

/// The hosts that the lists are about.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// What each host that is there is called.
    pub hosts: BTreeSet<String>,
    /// Whether a host of this name may join.
    pub may_join: fn(&str) -> bool,
}

impl Cluster {
    fn knows(&self, name: &str) -> bool {
        self.hosts.contains(name) || (self.may_join)(name)
    }
}

/// Something in a hosts file that is allowed and probably not meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{path}:{place}: {surprise}")]
pub struct Warning {
    /// The file.
    pub path: String,
    /// Where in it.
    pub place: Place,
    /// What.
    pub surprise: Surprise,
}

/// What is probably not meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surprise {
    /// A file read as plain text that looks like XML, by its path or by a name of which this is the first.
    XmlReadAsPlain {
        /// Which file it is: the include file is always plain.
        list: List,
        /// The first name with an angle bracket.
        name: Option<String>,
    },
    /// The name stands in this file already, and this entry is the one that holds, for now.
    Duplicate {
        /// Twice the same.
        name: String,
        /// Where the one before stands.
        before: Place,
        /// Its timeout in seconds, without effect.
        before_s: Option<i32>,
        /// The timeout in seconds that holds.
        timeout_s: Option<i32>,
    },
    /// The name is in both lists.
    InBoth {
        /// Of the exclude file, where the warning stands.
        name: String,
        /// The include file.
        include: String,
        /// Where it stands there.
        place: Place,
    },
    /// No host of the cluster is called this.
    NotInCluster(String),
    /// A host of the cluster that is on no list, although this include list is not empty.
    OnNoList(String),
    /// An entry without a name.
    EmptyName,
    /// A byte order mark before the name.
    ByteOrderMark(String),
    /// A character inside a name that looks like a separator and is none.
    FalseSeparator {
        /// The whole name.
        name: String,
        /// The first such character.
        character: char,
    },
    /// A `#` inside a name.
    Hash(String),
    /// A port behind the name.
    Port(String),
    /// A pattern, a range of names, or a range of addresses.
    Pattern(String),
    /// Upper-case letters.
    UpperCase(String),
}

impl fmt::Display for Surprise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::XmlReadAsPlain { list, name } => xml_read_as_plain(f, *list, name.as_deref()),
            Self::Duplicate { name, before, before_s, timeout_s } if before_s == timeout_s => {
                write!(f, "{name:?} stands at {before} already and counts once: remove one of them")
            }
            Self::Duplicate { name, before, before_s, timeout_s } => {
                let (before_s, timeout_s) = (Timeout(*before_s), Timeout(*timeout_s));
                write!(
                    f,
                    "{name:?} stands at {before} already, with {before_s}; the last one wins, which has {timeout_s}: \
                     remove one of them"
                )
            }
            Self::InBoth { name, include, place } => write!(
                f,
                "{name:?} stands in the include file too, at {include}:{place}; the exclude file wins, and the host is \
                 out of service: remove one of them"
            ),
            Self::NotInCluster(name) => {
                write!(f, "no host of the cluster is called {name:?}, so this has no effect: correct or remove it")
            }
            Self::OnNoList(name) => write!(
                f,
                "{name:?} of the cluster is on no list, and with an include list that is not empty it may not be in \
                 service: add it to one of them"
            ),
            Self::EmptyName => f.write_str(
                "two commas in a row, or one in front, make an entry with an empty name, which matches no host: remove \
                 a comma",
            ),
            Self::ByteOrderMark(name) => write!(
                f,
                "the byte order mark becomes a part of the name {name:?}, which matches no host and begins no \
                 comment: save the file as UTF-8 without it"
            ),
            Self::FalseSeparator { name, character } => write!(
                f,
                "{character:?} does not separate names here, so {name:?} is one name, which matches no host: {}",
                if *character == ' ' { "put commas or line ends between them" } else { "put a separator there" }
            ),
            Self::Hash(name) => write!(
                f,
                "\"#\" begins a comment only at the start of a name, so {name:?} is a name, which matches no host, and \
                 so is each word behind it: put a blank before the \"#\""
            ),
            Self::Port(name) => {
                let bare = name.rsplit_once(':').map_or(name.as_str(), |(bare, _)| bare);
                write!(f, "{name:?} is taken as a name, with its port, and matches no host: write {bare:?}")
            }
            Self::Pattern(name) => write!(
                f,
                "{name:?} is taken letter by letter and matches no host, for there are neither patterns nor ranges: \
                 name every host"
            ),
            Self::UpperCase(name) => write!(
                f,
                "upper and lower case differ, so {name:?} matches only a host that registers under just this name: \
                 write it as the host does"
            ),
        }
    }
}

fn xml_read_as_plain(f: &mut fmt::Formatter<'_>, list: List, name: Option<&str>) -> fmt::Result {
    f.write_str("this file is read as plain text")?;
    if let Some(name) = name {
        write!(f, ", so that {name:?} becomes a host")?;
    }
    f.write_str(match list {
        List::Include => {
            ": XML is known for the exclude file only; write bare names, in a file that does not end in .xml"
        }
        List::Exclude => ": give it a path that ends in .xml",
    })
}

/// A timeout of an entry, in seconds, as it is told to people.
#[derive(Clone, Copy, Debug)]
pub struct Timeout(pub Option<i32>);

impl fmt::Display for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("no timeout of its own"),
            Some(seconds @ ..0) => write!(f, "the timeout {seconds} (no limit)"),
            Some(seconds) => write!(f, "the timeout {seconds} s"),
        }
    }
}

/// Everything in the files that is probably not meant, in their order, the include files first. There is one of each in
/// YARN; more are looked at side by side.
///
/// With the hosts of the `cluster`, a name that is none of them is a surprise, and one that is one of them is none,
/// however odd it looks; so is a host that an include list leaves out.
pub fn lint(includes: &[ListFile], excludes: &[ListFile], cluster: Option<&Cluster>) -> Vec<Warning> {
    let in_both = |entry: &Entry| {
        let (include, other) = includes.iter().find_map(|file| Some((file, file.hosts.get(&entry.name)?)))?;
        let (name, include) = (entry.name.clone(), include.path.clone());
        Some(Surprise::InBoth { name, include, place: other.place })
    };
    let mut warnings = Vec::new();
    for file in includes {
        warnings.extend(in_file(file, List::Include, cluster, |_| None));
    }
    warnings.extend(cluster.into_iter().flat_map(|cluster| on_no_list(includes, excludes, cluster)));
    for file in excludes {
        warnings.extend(in_file(file, List::Exclude, cluster, in_both));
    }
    warnings
}

/// The hosts of the cluster that are left out (yarn.md 0.7): told at the beginning of the first include file that is
/// not empty.
fn on_no_list(includes: &[ListFile], excludes: &[ListFile], cluster: &Cluster) -> Vec<Warning> {
    let Some(include) = includes.iter().find(|file| !file.hosts.is_empty()) else { return Vec::new() };
    let is_listed = |host: &str| includes.iter().chain(excludes).any(|file| file.hosts.contains(host));
    let left_out = cluster.hosts.iter().filter(|host| !is_listed(host));
    let warn = |host: &String| Warning {
        path: include.path.clone(),
        place: Place::START,
        surprise: Surprise::OnNoList(host.clone()),
    };
    left_out.map(warn).collect()
}

/// What surprises in one file, with what `more` has to say of each entry with a name.
fn in_file(
    file: &ListFile,
    list: List,
    cluster: Option<&Cluster>,
    more: impl Fn(&Entry) -> Option<Surprise>,
) -> Vec<Warning> {
    let warn = |place, surprise| Warning { path: file.path.clone(), place, surprise };
    let ends_in_xml = Format::of_exclude(&file.path) == Format::Xml;
    let is_plain = list == List::Include || !ends_in_xml;
    let is_markup = |entry: &Entry| is_plain && entry.name.contains(['<', '>']);
    let mut warnings = Vec::new();

    let markup = file.hosts.entries().iter().find(|entry| is_markup(entry));
    if (is_plain && ends_in_xml) || markup.is_some() {
        let name = markup.map(|entry| entry.name.clone());
        let place = markup.map_or(Place::START, |entry| entry.place);
        warnings.push(warn(place, Surprise::XmlReadAsPlain { list, name }));
    }

    let mut seen: BTreeMap<&str, &Entry> = BTreeMap::new();
    for entry in file.hosts.entries().iter().filter(|entry| !is_markup(entry)) {
        warnings.extend(of_name(&entry.name, cluster).map(|surprise| warn(entry.place, surprise)));
        // What has no name is nobody twice.
        if entry.name.is_empty() {
            continue;
        }
        let duplicate = seen.insert(&entry.name, entry).map(|before| Surprise::Duplicate {
            name: entry.name.clone(),
            before: before.place,
            before_s: before.timeout_s,
            timeout_s: entry.timeout_s,
        });
        let surprises = [duplicate, more(entry)];
        warnings.extend(surprises.into_iter().flatten().map(|surprise| warn(entry.place, surprise)));
    }
    warnings
}

/// The first thing that is odd about a name.
fn of_name(name: &str, cluster: Option<&Cluster>) -> Option<Surprise> {
    if cluster.is_some_and(|cluster| cluster.knows(name)) {
        return None;
    }
    let port = || {
        let (host, port) = name.rsplit_once(':')?;
        let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        // A colon among others is one of an address of version 6, unless brackets set it apart.
        (is_port && (!host.contains(':') || host.ends_with(']'))).then(|| Surprise::Port(name.to_owned()))
    };
    let false_separator = || {
        let is_one = |c: char| c.is_whitespace() || c.is_control() || matches!(c, ',' | ';');
        let character = name.chars().find(|&c| is_one(c))?;
        Some(Surprise::FalseSeparator { name: name.to_owned(), character })
    };
    let holds = |odd: &dyn Fn(char) -> bool, surprise: fn(String) -> Surprise| {
        name.contains(odd).then(|| surprise(name.to_owned()))
    };
    let empty = name.is_empty().then_some(Surprise::EmptyName);
    empty
        .or_else(|| holds(&|c| c == '\u{feff}', Surprise::ByteOrderMark))
        .or_else(false_separator)
        .or_else(|| holds(&|c| c == '#', Surprise::Hash))
        .or_else(port)
        .or_else(|| holds(&|c| "*?/[]{}".contains(c), Surprise::Pattern))
        .or_else(|| holds(&char::is_uppercase, Surprise::UpperCase))
        .or_else(|| cluster.map(|_| Surprise::NotInCluster(name.to_owned())))
}
