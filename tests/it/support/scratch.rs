//! A folder of a test's own, and the command played in it.

use std::fs;
use std::path::PathBuf;
use std::process::{self, Command};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed at the end of its test.
pub(crate) struct Scratch {
    pub(crate) path: PathBuf,
}

/// What a command has said and how it ended.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ebbtide-test-{}-{number}", process::id()));
        fs::create_dir(&path).expect("a new folder can be created");
        Self { path }
    }

    /// Writes a file, in a folder that is created.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path.join(name);
        let parent = path.parent().expect("it is in the scratch folder");
        fs::create_dir_all(parent).expect("a folder can be created");
        fs::write(path, content).expect("a file can be written");
    }

    /// The text of a file.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// All files and folders in it, hidden or not, with their paths from here, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let (mut names, mut folders) = (Vec::new(), vec![self.path.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder can be read") {
                let path = entry.expect("a folder can be read").path();
                let name = path.strip_prefix(&self.path).expect("it is in the scratch folder");
                names.push(name.to_string_lossy().into_owned());
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        names.sort();
        names
    }

    /// The command, to be played in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ebbtide"));
        command.args(arguments).current_dir(&self.path);
        command
    }

    /// Plays the command to its end.
    pub(crate) fn ebbtide(&self, arguments: &[&str]) -> Said {
        Said::of(&mut self.command(arguments))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.path).expect("a folder of our own can be removed");
    }
}

impl Said {
    /// Plays a command to its end.
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the command can be started");
        let text = |bytes| String::from_utf8(bytes).expect("what is printed is UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Fails unless it ended with `code` and all `words` are in its errors.
    pub(crate) fn expect(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "no {word:?} in:\n{}", self.err);
        }
        self
    }
}
