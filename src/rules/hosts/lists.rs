//! The include and the exclude list: who is valid, who is untracked (yarn.md 4.1), and how both lists are exchanged
//! for new ones (4.3, 5).

use super::{Format, HostsError, HostsFile, List, parse_plain, parse_xml};

/// One of the two lists, and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListFile {
    /// As configured; empty: there is no such file.
    pub path: String,
    /// What it says; with an empty path, what it said when there was one.
    pub hosts: HostsFile,
}

impl ListFile {
    /// The file of a list, with this text.
    ///
    /// # Errors
    /// Those of [`ListFile::exclude`]; an include file has none.
    pub fn of(list: List, path: &str, text: &str) -> Result<Self, Vec<HostsError>> {
        match list {
            List::Include => Ok(Self::include(path, text)),
            List::Exclude => Self::exclude(path, text),
        }
    }

    /// An include file with this text: it is always read as plain.
    pub fn include(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), hosts: parse_plain(text) }
    }

    /// An exclude file with this text: its path decides how it is read.
    ///
    /// # Errors
    /// Those of [`parse_xml`]. They do not say the path.
    pub fn exclude(path: &str, text: &str) -> Result<Self, Vec<HostsError>> {
        let hosts = match Format::of_exclude(path) {
            Format::Plain => parse_plain(text),
            Format::Xml => parse_xml(text)?,
        };
        Ok(Self { path: path.to_owned(), hosts })
    }
}

/// A host that is looked for in the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host<'a> {
    /// As it registers.
    pub name: &'a str,
    /// What the name resolves to, which the lists may say instead; `None`: the name itself.
    pub ip: Option<&'a str>,
}

impl<'a> From<&'a str> for Host<'a> {
    /// A host of this name that has no address of its own.
    fn from(name: &'a str) -> Self {
        Self { name, ip: None }
    }
}

impl Host<'_> {
    fn is_in(&self, list: &ListFile) -> bool {
        list.hosts.contains(self.name) || self.ip.is_some_and(|ip| list.hosts.contains(ip))
    }
}

/// What the lists make of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It may be in service.
    Valid,
    /// It may not, and the exclude list says so.
    Excluded,
    /// It may not, because no list says anything of it.
    Untracked,
}

/// Both lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostLists {
    /// Who may be in service; if it is empty, everybody.
    pub include: ListFile,
    /// Who may not, whatever the include list says.
    pub exclude: ListFile,
}

impl HostLists {
    /// Whether the host may be in service (yarn.md 4.1).
    pub fn is_valid<'a>(&self, host: impl Into<Host<'a>>) -> bool {
        let host = host.into();
        (self.include.hosts.is_empty() || host.is_in(&self.include)) && !host.is_in(&self.exclude)
    }

    /// Whether the host is on no list where one is kept (yarn.md 4.1): such a host is forgotten some time after it has
    /// left. `even_without_include` is YARN's `enable-node-untracked-without-include-path`: without a configured
    /// include path too; by default nobody is untracked then.
    pub fn is_untracked<'a>(&self, host: impl Into<Host<'a>>, even_without_include: bool) -> bool {
        let host = host.into();
        let kept = !self.include.hosts.is_empty() || (even_without_include && self.include.path.is_empty());
        kept && !host.is_in(&self.include) && !host.is_in(&self.exclude)
    }

    /// What a refresh has to know of the host: a valid host is that, untracked or not.
    ///
    /// A host that is not valid is untracked exactly if it is on no list: then the include list is not empty, and no
    /// setting matters.
    pub fn standing<'a>(&self, host: impl Into<Host<'a>>) -> Standing {
        let host = host.into();
        match (self.is_valid(host), self.is_untracked(host, false)) {
            (true, _) => Standing::Valid,
            (false, false) => Standing::Excluded,
            (false, true) => Standing::Untracked,
        }
    }

    /// The timeout of the host in the exclude file, in seconds. It is looked for by name alone, so a host that is
    /// excluded by its address has none (yarn.md 0.10).
    pub fn timeout_s_of(&self, name: &str) -> Option<i32> {
        self.exclude.hosts.get(name)?.timeout_s
    }

    /// The lists after reading both files again. `None`: no path is configured any more, so that nothing is read and
    /// the previous list stays (yarn.md 5.1).
    #[must_use]
    pub fn read_again(&self, include: Option<ListFile>, exclude: Option<ListFile>) -> Self {
        let unread = |list: &ListFile| ListFile { path: String::new(), hosts: list.hosts.clone() };
        Self {
            include: include.unwrap_or_else(|| unread(&self.include)),
            exclude: exclude.unwrap_or_else(|| unread(&self.exclude)),
        }
    }
}

/// The lists in force, and those that a graceful refresh has loaded aside (yarn.md 4.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostsReader {
    current: HostLists,
    pending: Option<HostLists>,
}

/// A refresh was to be finished that nobody has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are no lists loaded aside to make visible: `lazy_refresh` comes before `finish_refresh`")]
pub struct NothingPending;

impl HostsReader {
    /// The lists in force.
    pub fn current(&self) -> &HostLists {
        &self.current
    }

    /// The lists that are loaded aside.
    pub fn pending(&self) -> Option<&HostLists> {
        self.pending.as_ref()
    }

    /// New lists, in force at once: a NORMAL refresh. See [`HostLists::read_again`].
    pub fn refresh(&mut self, include: Option<ListFile>, exclude: Option<ListFile>) {
        self.current = self.current.read_again(include, exclude);
    }

    /// New lists, loaded aside: the first half of a GRACEFUL refresh. See [`HostLists::read_again`].
    pub fn lazy_refresh(&mut self, include: Option<ListFile>, exclude: Option<ListFile>) {
        self.pending = Some(self.current.read_again(include, exclude));
    }

    /// Puts the lists in force that are loaded aside: the second half of a GRACEFUL refresh.
    ///
    /// # Errors
    /// Nothing is loaded aside; the lists in force stay.
    pub fn finish_refresh(&mut self) -> Result<(), NothingPending> {
        self.current = self.pending.take().ok_or(NothingPending)?;
        Ok(())
    }

    /// No lists and no paths: what a missing file leaves at the start and after a NORMAL refresh (yarn.md 4.5).
    pub fn disable(&mut self) {
        *self = Self::default();
    }
}
