//! Which hosts files a resource manager is configured with, and what comes of reading them (yarn.md 4.2, 4.3, 4.5).
//!
//! The files were read with the scenario; here they are understood.

use std::sync::Arc;

use crate::rules::hosts::{self, HostsError, List};
use crate::rules::refresh::{FailureOutcome, ReadAt, ReadFailure, failure_outcome};
use crate::rules::script::{ListFile, Script};

#[cfg(test)]
mod tests;

/// The configured files; `None`: there is no path, so nothing is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configured {
    /// The include file.
    pub include: Option<Arc<ListFile>>,
    /// The exclude file.
    pub exclude: Option<Arc<ListFile>>,
}

/// Both files as they were understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Understood {
    /// The include file, if one is configured.
    pub include: Option<hosts::ListFile>,
    /// The exclude file, if one is configured.
    pub exclude: Option<hosts::ListFile>,
}

/// Why a file cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// There is no such file.
    Missing,
    /// All that is wrong with it.
    Malformed(Vec<HostsError>),
}

impl From<&Unread> for ReadFailure {
    fn from(unread: &Unread) -> Self {
        match unread {
            Unread::Missing => Self::Missing,
            Unread::Malformed(_) => Self::Malformed,
        }
    }
}

impl From<&Script> for Configured {
    /// The files at the start.
    fn from(script: &Script) -> Self {
        Self { include: script.include.clone(), exclude: script.exclude.clone() }
    }
}

impl Configured {
    /// The files of a request that names `newer` ones: a file that it does not name is the last one, read again.
    #[must_use]
    pub fn with(&self, newer: &Self) -> Self {
        let either = |new: &Option<Arc<_>>, old: &Option<Arc<_>>| new.as_ref().or(old.as_ref()).cloned();
        Self {
            include: either(&newer.include, &self.include),
            exclude: either(&newer.exclude, &self.exclude),
        }
    }

    /// The file of one list, if one is configured.
    pub fn file(&self, list: List) -> Option<&ListFile> {
        match list {
            List::Include => self.include.as_deref(),
            List::Exclude => self.exclude.as_deref(),
        }
    }

    /// What the file of one list says; `None`: none is configured.
    ///
    /// # Errors
    /// There is no such file, or it says what its format does not allow.
    pub fn understood(&self, list: List) -> Option<Result<hosts::ListFile, Unread>> {
        let file = self.file(list)?;
        Some(file.text.as_deref().ok_or(Unread::Missing).and_then(|text| {
            hosts::ListFile::of(list, &file.path.to_string_lossy(), text).map_err(Unread::Malformed)
        }))
    }

    /// Reads both files, the include file first; the first that cannot be read decides what follows.
    ///
    /// # Errors
    /// A file cannot be read; that is what follows from it ([`failure_outcome`]).
    pub fn read(&self, at: ReadAt) -> Result<Understood, FailureOutcome> {
        let one = |list| {
            let read = self.understood(list).transpose();
            read.map_err(|unread| failure_outcome(ReadFailure::from(&unread), at))
        };
        Ok(Understood { include: one(List::Include)?, exclude: one(List::Exclude)? })
    }
}
