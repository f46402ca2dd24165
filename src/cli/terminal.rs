//! What the user sees: where it goes, and whether it may be coloured or drawn.

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};

use super::Failure;
use crate::report::table::Lines;
use crate::rules::hosts::Warning;
use crate::scenario::ScenarioWarnings;

/// The two streams of the process and how they may be used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminal {
    /// Errors only.
    quiet: bool,
    /// One JSON object on standard output.
    pub json: bool,
    /// What tables are drawn with.
    pub lines: Lines,
    /// Whether a progress bar may be drawn on standard error.
    pub progress: bool,
    colour: bool,
}

impl Terminal {
    pub(super) fn new(quiet: bool, json: bool) -> Self {
        let seen = io::stderr().is_terminal();
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        let no_colour = env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
        Self {
            quiet,
            json,
            lines: if dumb { Lines::Ascii } else { Lines::Light },
            progress: seen && !dumb && !quiet && !json,
            colour: seen && !dumb && !no_colour,
        }
    }

    /// Prints what was asked for on standard output. That nobody reads it is no error: it ends here.
    pub(super) fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            printed => Ok(printed?),
        }
    }

    /// Prints a table or a text, unless it is to be quiet.
    pub(super) fn show(&self, text: &str) -> Result<(), Failure> {
        if self.quiet { Ok(()) } else { self.print(text) }
    }

    /// Says something beside the data, unless it is to be quiet.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            to_stderr(text);
        }
    }

    /// Says what in a scenario is probably not meant, unless it is to be quiet.
    pub(super) fn warn(&self, warnings: &ScenarioWarnings) {
        if !warnings.warnings().is_empty() {
            self.note(&warnings.render(self.colour));
        }
    }

    /// Says what in a hosts file is probably not meant, unless it is to be quiet.
    pub(super) fn warn_of(&self, warning: &Warning) {
        self.note(&if self.colour {
            format!("\x1b[1;33mwarning\x1b[0m: {warning}")
        } else {
            format!("warning: {warning}")
        });
    }

    /// Says why the command failed.
    pub(super) fn fail(&self, failure: &Failure) {
        match failure {
            Failure::Scenario(errors) => to_stderr(&errors.render(self.colour)),
            Failure::Hosts(errors) => errors.iter().for_each(|error| self.error(error)),
            other => self.error(other),
        }
    }

    fn error(&self, error: &dyn Display) {
        to_stderr(&if self.colour {
            format!("\x1b[1;31merror\x1b[0m: {error}")
        } else {
            format!("error: {error}")
        });
    }
}

/// Nobody is left to be told if this fails.
fn to_stderr(text: &str) {
    writeln!(io::stderr(), "{text}").ok();
}
