//! The command line: what was typed becomes a call of the library, and its outcome an exit code.
//!
//! `args` describes the options, and each subcommand has a file of its own. Data go to standard output, all else to
//! standard error.

mod args;
mod check;
mod hosts;
mod interrupt;
mod progress;
mod run;
mod sweep;
mod terminal;
mod trace;
mod watch;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser as _;

use crate::report::FolderError;
use crate::scenario::ScenarioErrors;
use crate::scenario::model::Scenario;
use crate::study::{RunError, SweepError, app_never_fits, most_cores, never_fits};
use crate::workload::app::App;
use crate::workload::{Job, Loaded, WorkloadError};
use args::{Cli, Command};
use hosts::FileError;
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
    /// One or more, of one or more files.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Hosts(Vec<FileError>),
    #[error("interrupted: nothing was written")]
    Interrupted,
    #[error(
        "{}{done} of {runs} runs are finished and kept in {}; start the sweep again for all of them",
        .why.as_ref().map_or_else(|| "interrupted: ".to_owned(), |why| format!("{why}\n")),
        .rows.display()
    )]
    Cut { done: usize, runs: usize, rows: PathBuf, why: Option<Box<Self>> },
    #[error(
        "no job of the log can ever start: the smallest needs {cores} cores, and the cluster has {most} at most. Raise \
         `cluster.max_nodes` or the cores of a node"
    )]
    NoJobFits { cores: u32, most: u64 },
    #[error(
        "no application of the trace can ever run: each has a container that is larger than any node type. Raise \
         `node_type.cores` or `node_type.memory`"
    )]
    NoAppFits,
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
    fn exit_code(&self) -> u8 {
        match self {
            Self::Scenario(_) | Self::Workload(_) | Self::Hosts(_) => BAD_INPUT,
            Self::NoJobFits { .. } | Self::NoAppFits => BAD_INPUT,
            Self::Run(error) if error.is_bad_input() => BAD_INPUT,
            Self::Cut { why: Some(why), .. } => why.exit_code(),
            Self::Folder(FolderError::Write { .. } | FolderError::Place { .. }) => FAILED,
            Self::Folder(_) => BAD_INPUT,
            Self::Interrupted | Self::Cut { why: None, .. } => INTERRUPTED,
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
            SweepError::Run { error, .. } if error.is_bad_input() => Self::Run(error),
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
        Command::Hosts(args) => hosts::hosts(args, &terminal),
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

/// Refuses a trace of which not one job or application can ever run.
fn expect_a_job_that_fits(scenario: &Scenario, loaded: &Loaded) -> Result<(), Failure> {
    let app_fits = |app: &App| app_never_fits(scenario, app).is_none();
    if !loaded.apps().is_empty() && !loaded.apps().iter().any(app_fits) {
        return Err(Failure::NoAppFits);
    }
    let workload = &loaded.jobs;
    let fits = |job: &Job| never_fits(scenario, job).is_none();
    let smallest = workload.jobs.iter().min_by_key(|job| job.cores);
    match smallest {
        Some(job) if !workload.jobs.iter().any(fits) => {
            Err(Failure::NoJobFits { cores: job.cores, most: most_cores(scenario, job) })
        }
        _ => Ok(()),
    }
}
