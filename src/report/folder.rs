//! A result folder that appears whole or not at all.
//!
//! Files are written into a hidden folder beside the one that is asked for, and the two change places at the end. What
//! a process that was killed leaves behind is such a hidden folder, which harms nobody and may be removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use crate::report::{manifest, story};

/// A manifest is some pages of text; what is larger is somebody else's file.
const MANIFEST_BYTES_MOST: u64 = 16 << 20;

/// A folder that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The path ends in no name.
    #[error("{}: this names no new folder; give one, as in --out results/mine", .0.display())]
    NoName(PathBuf),
    /// Something that is no folder stands there.
    #[error("{}: there is a file where the results should go; name another folder with --out", .0.display())]
    NotAFolder(PathBuf),
    /// A folder with somebody else's files.
    #[error(
        "{}: this folder holds files and no manifest.json of ebbtide, so nothing in it is replaced; \
         name another folder with --out, or empty this one",
        .0.display()
    )]
    Foreign(PathBuf),
    /// Nothing can be created there.
    #[error("{}: the results cannot be written here: {source}; name another folder with --out", .path.display())]
    Unwritable {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file could not be written.
    #[error(
        "{}: cannot be written: {source}; make room there, or name another folder with --out; \
         nothing was left half-written",
        .path.display()
    )]
    Write {
        /// Where the file would have stood.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// All files were written, and then they could not be put in place.
    #[error("{}: the results cannot be put in place: {source}; name another folder with --out", .path.display())]
    Place {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A result folder in the making. Dropped before it is committed, it leaves no trace.
#[derive(Debug)]
pub struct ResultFolder {
    /// As the user wrote it, for messages.
    shown: PathBuf,
    /// Where it will stand; its parent exists.
    target: PathBuf,
    staging: PathBuf,
    /// Parents that were missing, the deepest first.
    created: Vec<PathBuf>,
    committed: bool,
}

impl ResultFolder {
    /// Claims `path`: it must not exist, be empty, or hold results of ours, which will be replaced. Missing parents are
    /// created.
    ///
    /// # Errors
    /// If `path` is something else or cannot be written.
    pub fn claim(path: &Path) -> Result<Self, FolderError> {
        let unwritable = |source| FolderError::Unwritable { path: path.to_owned(), source };
        if path.file_name().is_none() {
            return Err(FolderError::NoName(path.to_owned()));
        }
        let is_there = may_be_replaced(path)?;
        let target = if is_there { fs::canonicalize(path) } else { std::path::absolute(path) };
        let target = target.map_err(unwritable)?;
        let parent = target.parent().ok_or_else(|| FolderError::NoName(path.to_owned()))?;
        let mut folder = Self {
            shown: path.to_owned(),
            created: parent.ancestors().take_while(|parent| !parent.exists()).map(Path::to_owned).collect(),
            staging: PathBuf::new(),
            target: target.clone(),
            committed: false,
        };
        fs::create_dir_all(parent).map_err(unwritable)?;
        folder.staging = create_beside(&target, "partial").map_err(unwritable)?;
        Ok(folder)
    }

    /// Creates the file `name`.
    ///
    /// # Errors
    /// If the system does not let it be created.
    pub fn create(&self, name: &str) -> Result<File, FolderError> {
        File::create(self.staging.join(name)).map_err(|source| self.failed(name, source))
    }

    /// Writes the file `name` whole.
    ///
    /// # Errors
    /// If the file cannot be created, or `write` fails.
    pub fn write(&self, name: &str, write: impl FnOnce(File) -> io::Result<()>) -> Result<(), FolderError> {
        write(self.create(name)?).map_err(|source| self.failed(name, source))
    }

    /// The error that the file `name` could not be written.
    pub fn failed(&self, name: &str, source: io::Error) -> FolderError {
        FolderError::Write { path: self.shown.join(name), source }
    }

    /// Puts the folder in place. What stood there is set aside first and removed last.
    ///
    /// # Errors
    /// If somebody has put files of their own there in the meantime, or the system does not let it be done; then
    /// what stood there stands there again.
    pub fn commit(mut self) -> Result<(), FolderError> {
        let is_there = may_be_replaced(&self.target)?;
        let placed = if is_there { self.swap() } else { fs::rename(&self.staging, &self.target) };
        placed.map_err(|source| FolderError::Place { path: self.shown.clone(), source })?;
        self.committed = true;
        Ok(())
    }

    /// Has the new folder and the one that stands there change places.
    fn swap(&self) -> io::Result<()> {
        let aside = create_beside(&self.target, "replaced")?;
        let old = aside.join("old");
        let swapped = fs::rename(&self.target, &old).and_then(|()| {
            fs::rename(&self.staging, &self.target)
                .or_else(|error| fs::rename(&old, &self.target).and(Err(error)))
        });
        // What cannot be removed is hidden and harms nobody; what could not be put back is never removed.
        match swapped {
            Ok(()) if carry_over(&old, &self.target).is_ok() => fs::remove_dir_all(&aside).ok(),
            Ok(()) => None,
            Err(_) => fs::remove_dir(&aside).ok(),
        };
        swapped
    }
}

impl Drop for ResultFolder {
    fn drop(&mut self) {
        if self.committed {
            return;
        }
        // Nobody is left to be told of an error, and what stays behind is hidden.
        if !self.staging.as_os_str().is_empty() {
            fs::remove_dir_all(&self.staging).ok();
        }
        for parent in &self.created {
            // It stays if somebody else has put something into it.
            fs::remove_dir(parent).ok();
        }
    }
}

/// The files that we write. What else lies in a folder of ours is the user's, and stays.
const OUR_FILES: [&str; 10] = [
    manifest::FILE,
    "summary.csv",
    "jobs.csv",
    "nodes.csv",
    "containers.csv",
    "events.csv",
    "timeline.csv",
    story::STATUS_LOG,
    "runs.csv",
    "sweep.csv",
];

/// Moves what is not ours from the old folder to the new one.
fn carry_over(old: &Path, new: &Path) -> io::Result<()> {
    for entry in fs::read_dir(old)? {
        let name = entry?.file_name();
        if !OUR_FILES.iter().any(|ours| name == *ours) {
            fs::rename(old.join(&name), new.join(&name))?;
        }
    }
    Ok(())
}

/// Whether a folder stands at `path`; it is empty or one of ours.
fn may_be_replaced(path: &Path) -> Result<bool, FolderError> {
    let unwritable = |source| FolderError::Unwritable { path: path.to_owned(), source };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(unwritable(error)),
        Ok(_) => {}
    }
    if !fs::metadata(path).map_err(unwritable)?.is_dir() {
        return Err(FolderError::NotAFolder(path.to_owned()));
    }
    let is_empty = fs::read_dir(path).map_err(unwritable)?.next().is_none();
    if is_empty || holds_our_manifest(path) { Ok(true) } else { Err(FolderError::Foreign(path.to_owned())) }
}

fn holds_our_manifest(folder: &Path) -> bool {
    let path = folder.join(manifest::FILE);
    let small = fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= MANIFEST_BYTES_MOST);
    small && fs::read_to_string(&path).is_ok_and(|text| manifest::is_ours(&text))
}

/// Creates a hidden folder beside `target`, with a name that no other process uses.
fn create_beside(target: &Path, what: &str) -> io::Result<PathBuf> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let pid = process::id();
    for attempt in 1_u64.. {
        // A number is only needed where a process of the same id was killed, or claims the folder twice.
        let number = if attempt == 1 { String::new() } else { format!("-{attempt}") };
        let path = target.with_file_name(format!(".{name}.{what}-{pid}{number}"));
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|()| path),
        }
    }
    unreachable!("there are more numbers than files")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::report::Manifest;

    /// A folder of a test's own, removed at its end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new() -> Self {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let name = format!("ebbtide-folder-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let path = std::env::temp_dir().join(name);
            fs::create_dir(&path).unwrap();
            Self(path)
        }

        /// All that is in it, hidden or not, by name.
        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<_> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }

        /// A folder `out` as a run leaves it, with one more file.
        fn results(&self, file: &str) -> PathBuf {
            let out = self.0.join("out");
            fs::create_dir(&out).unwrap();
            fs::write(out.join(manifest::FILE), Manifest::default().to_json()).unwrap();
            fs::write(out.join(file), "").unwrap();
            out
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn write_text(folder: &ResultFolder, text: &str) {
        folder.write("a.csv", |mut file| file.write_all(text.as_bytes())).unwrap();
    }

    #[test]
    fn it_appears_whole() {
        let scratch = Scratch::new();
        let out = scratch.0.join("results/deep/out");
        let folder = ResultFolder::claim(&out).unwrap();
        write_text(&folder, "a\n");
        assert!(!out.exists(), "nothing stands there before the end");
        folder.commit().unwrap();
        assert_eq!(fs::read_to_string(out.join("a.csv")).unwrap(), "a\n");
        assert_eq!(fs::read_dir(scratch.0.join("results/deep")).unwrap().count(), 1);
    }

    #[test]
    fn or_not_at_all() {
        let scratch = Scratch::new();
        let folder = ResultFolder::claim(&scratch.0.join("results/deep/out")).unwrap();
        write_text(&folder, "a\n");
        drop(folder);
        assert!(scratch.names().is_empty(), "{:?}", scratch.names());

        // A parent stays if somebody else has begun to use it.
        let folder = ResultFolder::claim(&scratch.0.join("results/deep/out")).unwrap();
        fs::write(scratch.0.join("results/notes"), "").unwrap();
        drop(folder);
        assert!(scratch.0.join("results/notes").exists() && !scratch.0.join("results/deep").exists());
    }

    #[test]
    fn our_folder_and_an_empty_one_are_replaced() {
        let scratch = Scratch::new();
        let out = scratch.results("runs.csv");
        fs::write(out.join("notes.txt"), "").unwrap();
        let folder = ResultFolder::claim(&out).unwrap();
        write_text(&folder, "");
        assert!(out.join("runs.csv").exists(), "the old results stand until the new ones do");
        folder.commit().unwrap();
        assert!(out.join("a.csv").exists() && !out.join("runs.csv").exists());
        assert!(out.join("notes.txt").exists(), "what is the user's stays");

        let empty = scratch.0.join("empty");
        fs::create_dir(&empty).unwrap();
        let folder = ResultFolder::claim(&empty).unwrap();
        write_text(&folder, "");
        folder.commit().unwrap();
        assert!(empty.join("a.csv").exists());
        assert_eq!(scratch.names(), ["empty", "out"]);
    }

    #[test]
    fn what_is_not_ours_is_refused_with_a_remedy() {
        let scratch = Scratch::new();
        fs::write(scratch.0.join("manifest.json"), "{\"name\": \"a web app\"}").unwrap();
        for (path, words) in [
            ("", "name another folder with --out, or empty this one"),
            ("manifest.json", "there is a file where the results should go"),
            ("manifest.json/out", "cannot be written here"),
            ("..", "this names no new folder"),
        ] {
            let message = ResultFolder::claim(&scratch.0.join(path)).expect_err(path).to_string();
            assert!(message.contains(words) && message.contains("--out"), "{message}");
        }
        assert_eq!(scratch.names(), ["manifest.json"]);
    }

    #[test]
    fn what_others_put_there_in_the_meantime_is_left_alone() {
        let scratch = Scratch::new();
        let out = scratch.0.join("out");
        let folder = ResultFolder::claim(&out).unwrap();
        fs::create_dir(&out).unwrap();
        fs::write(out.join("thesis.txt"), "").unwrap();
        assert!(matches!(folder.commit(), Err(FolderError::Foreign(_))));
        assert!(out.join("thesis.txt").exists());
        assert_eq!(scratch.names(), ["out"]);
    }

    #[test]
    fn leftovers_of_a_killed_process_are_in_nobodys_way() {
        let scratch = Scratch::new();
        let leftover = format!(".out.partial-{}", process::id());
        fs::create_dir(scratch.0.join(&leftover)).unwrap();
        let folder = ResultFolder::claim(&scratch.0.join("out")).unwrap();
        let twice = ResultFolder::claim(&scratch.0.join("out")).unwrap();
        write_text(&folder, "");
        folder.commit().unwrap();
        drop(twice);
        assert_eq!(scratch.names(), [leftover, "out".to_owned()]);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named_where_it_would_have_stood() {
        let scratch = Scratch::new();
        let folder = ResultFolder::claim(&scratch.0.join("out")).unwrap();
        let full = folder.write("jobs.csv", |_| Err(io::Error::from(io::ErrorKind::StorageFull)));
        let message = full.expect_err("the disk is full").to_string();
        assert!(message.contains("out/jobs.csv: cannot be written: no storage space"), "{message}");
    }
}
