//! The command line: what was typed becomes a call of the library, and its outcome an exit code.
//!
//! `args` describes the options, and each subcommand has a file of its own. Data go to standard output, all else to
//! standard error.

mod args;
mod check;
mod interrupt;
mod progress;
mod run;
mod sweep;
mod terminal;
mod watch;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser as _;

use crate::report::FolderError;
use crate::scenario::ScenarioErrors;
use crate::study::{RunError, SweepError};
use crate::workload::WorkloadError;
use args::{Cli, Command};
use terminal::Terminal;

/// The run failed, an invariant broke, or results could not be written.
const FAILED: u8 = 1;
/// Bad usage or bad input.
const BAD_INPUT: u8 = 2;
/// Interrupted by Ctrl-C, as shells count it.
const INTERRUPTED: u8 = 130;

/// Why a command did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Scenario(#[from] ScenarioErrors),
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    #[error("interrupted: nothing was written")]
    Interrupted,
    #[error(
        "interrupted: {done} of {runs} runs are finished and kept in {}; start the sweep again for all of them",
        .out.join("runs.csv").display()
    )]
    Cut { done: usize, runs: usize, out: PathBuf },
    #[error(transparent)]
    Run(RunError),
    #[error("{0}")]
    Sweep(String),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("standard output cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    const fn exit_code(&self) -> u8 {
        match self {
            Self::Scenario(_) | Self::Workload(_) | Self::Run(RunError::NotPlayed(_)) => BAD_INPUT,
            Self::Folder(FolderError::Write { .. } | FolderError::Place { .. }) => FAILED,
            Self::Folder(_) => BAD_INPUT,
            Self::Interrupted | Self::Cut { .. } => INTERRUPTED,
            Self::Run(_) | Self::Sweep(_) | Self::Output(_) => FAILED,
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Interrupted => Self::Interrupted,
            other => Self::Run(other),
        }
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Scenario(errors) => Self::Scenario(errors),
            SweepError::Workload(error) => Self::Workload(error),
            other @ (SweepError::Run { .. } | SweepError::Panic { .. } | SweepError::Lost) => {
                Self::Sweep(other.to_string())
            }
        }
    }
}

/// Does what the arguments of the process say, and reports to its terminal.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            // If nobody reads it, nobody is to be told.
            usage.print().ok();
            return if usage.use_stderr() { BAD_INPUT.into() } else { ExitCode::SUCCESS };
        }
    };
    let terminal = Terminal::new(cli.output.quiet, cli.output.json);
    // A panic is a defect, and its message has been printed when it arrives here. What is half-written was dropped.
    let done = catch_unwind(AssertUnwindSafe(|| match &cli.command {
        Command::Run(args) => run::run(args, &terminal),
        Command::Sweep(args) => sweep::sweep(args, &terminal),
        Command::Check(args) => check::check(args, &terminal),
    }));
    match done {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => {
            terminal.fail(&failure);
            failure.exit_code().into()
        }
        Err(_) => FAILED.into(),
    }
}
