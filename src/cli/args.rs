//! What can be typed. Nothing here acts on it.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::engine::BeatMode;
use crate::scenario::{ScenarioErrors, Setting};

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the run failed, an invariant broke, or results could not be written
  2    bad usage or bad input
  130  interrupted";

/// Replays a cluster's job history against a simulated elastic cluster
#[derive(Debug, Parser)]
#[command(name = "ebbtide", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Play a scenario and write its results
    #[command(after_help = EXIT_CODES)]
    Run(RunArgs),
    /// Play a grid of settings, compare them, and write a row for each
    #[command(after_help = EXIT_CODES)]
    Sweep(SweepArgs),
    /// Say what is wrong with a scenario and its job log, or what they are; writes nothing
    #[command(after_help = EXIT_CODES)]
    Check(CheckArgs),
    /// Say whom hosts files name, and what in them is wrong or probably not meant; writes nothing
    #[command(after_help = EXIT_CODES)]
    Hosts(HostsArgs),
}

/// What is printed, for every subcommand.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct OutputArgs {
    /// Print errors only
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print one JSON object on standard output instead of a table
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    #[command(flatten)]
    pub out: OutArgs,
    #[command(flatten)]
    pub play: PlayArgs,
}

#[derive(Debug, Args)]
pub(super) struct SweepArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Vary a key, as in policy.idle_grace=0s,5m,15m (may be repeated; replaces the file's values of that key)
    #[arg(long, value_name = "KEY=V1,V2,…")]
    pub vary: Vec<String>,
    /// Play so many runs at once; default: as many as there are cores. The results are the same
    #[arg(long, value_name = "N", value_parser = workers)]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub out: OutArgs,
    #[command(flatten)]
    pub play: PlayArgs,
}

/// A number of workers, of which there must be one at least.
fn workers(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(workers @ 1..=1024) => Ok(workers),
        _ => Err("give a number from 1 to 1024".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Print every key with its value and where the value comes from, as TOML
    #[arg(long)]
    pub explain: bool,
}

#[derive(Debug, Args)]
pub(super) struct HostsArgs {
    /// Exclude files: XML if the path ends in .xml, plain text otherwise
    #[arg(value_name = "FILE", required_unless_present = "include")]
    pub exclude: Vec<PathBuf>,
    /// An include file, which is plain text whatever its path ends in (may be repeated)
    #[arg(long, value_name = "FILE")]
    pub include: Vec<PathBuf>,
    /// Compare with the nodes of this scenario: which names are none of them, which nodes are left out?
    #[arg(long, value_name = "SCENARIO")]
    pub scenario: Option<PathBuf>,
}

/// Which scenario.
#[derive(Debug, Args)]
pub(super) struct ScenarioArgs {
    /// The scenario, a TOML file
    #[arg(value_name = "SCENARIO")]
    pub path: PathBuf,
    /// Set a key of the scenario, as in policy.idle_grace=5m (may be repeated; the last one holds)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Set the seed: the same as --set seed=N
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl ScenarioArgs {
    /// All settings, the seed's last.
    pub(super) fn settings(&self) -> Result<Vec<Setting>, ScenarioErrors> {
        let seed = self.seed.map(|seed| Setting {
            key: "seed".to_owned(),
            value: seed.to_string(),
            origin: "--seed",
        });
        let set = self.set.iter().map(|argument| Setting::parse(argument, "--set"));
        set.chain(seed.map(Ok)).collect()
    }
}

/// Where results go.
#[derive(Debug, Args)]
pub(super) struct OutArgs {
    /// Write results to this folder, which must be new, empty, or hold results; default: results/ and the
    /// scenario's file name without .toml
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl OutArgs {
    /// The folder for the results of the scenario at `path`.
    pub(super) fn folder(&self, path: &Path) -> PathBuf {
        let default = || Path::new("results").join(path.file_stem().unwrap_or_default());
        self.out.clone().unwrap_or_else(default)
    }
}

/// How a run is played. Nothing here changes its results.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct PlayArgs {
    /// Check the invariants at every event, and not just at the end
    #[arg(long)]
    pub check: bool,
    /// Play each heartbeat, or only those that somebody acts on; the results are the same
    #[arg(long, value_enum, default_value_t = Beats::Lazy)]
    pub beats: Beats,
}

/// Which heartbeats are played one by one.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Beats {
    All,
    Lazy,
}

impl From<Beats> for BeatMode {
    fn from(beats: Beats) -> Self {
        match beats {
            Beats::All => Self::All,
            Beats::Lazy => Self::Lazy,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_options_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn results_go_where_the_scenario_is_called() {
        let path = Path::new("scenarios/night.shift.toml");
        assert_eq!(OutArgs { out: None }.folder(path), Path::new("results/night.shift"));
        assert_eq!(OutArgs { out: Some("x".into()) }.folder(path), Path::new("x"));
    }
}
