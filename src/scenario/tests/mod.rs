//! Whole scenario files: what they resolve to, what is said when something is wrong, sweeps, and random text.

mod messages;
mod random;
mod script;
mod script_messages;
mod script_texts;
mod sweep;
mod values;

use std::path::Path;

use super::model::Scenario;
use super::{ScenarioErrors, ScenarioFile, Setting};

/// The least that a scenario needs.
const LEAST: &str = "\
[workload]
trace = \"log.swf\"
[[node_type]]
name = \"n1\"
cores = 4
[cluster]
max_nodes = 10
";

/// Every key, none at its default.
const FULL: &str = r#"name = "All \"keys\""
seed = 7
horizon = "30d"
[workload]
trace = "traces/log.swf.gz"
format = "swf"
jobs = 5000
from = "1h"
until = "2d"
scale_load = 1.5
scale_time = 0.5
overrun = "trim"
max_requeues = 3
checkpoint_every = "1h"
[[node_type]]
name = "m.16"
cores = 16
memory = "64GiB"
price_per_hour = 0.768
boot = { median = "90s", p95 = "4m" }
boot_failure = 0.01
stop = "20s"
[[node_type]]
name = "big"
cores = 64
memory = "512GB"
price_per_hour = 3
boot = { uniform = ["60s", "2m"] }
[cluster]
min_nodes = 2
max_nodes = 64
[billing]
quantum = "1h"
minimum = "1m"
[heartbeat]
interval = "4s"
expiry = "never"
[scheduler]
discipline = "easy"
placement = "newest"
[policy]
kind = "surplus"
poll = "45s"
idle_grace = "never"
boot_grace = "5m"
ping_stale_after = "30m"
report_age = "60s"
shutdown_windows = ["54m", "5m", "1m"]
matrix = "final"
mapping = "page"
bug_compatible = true
[decommission]
timeout = "never"
poll = "10s"
[sweep]
seeds = 3
front = ["cost_total", "wait_p99_s"]
baseline = { "policy.idle_grace" = "15m", "decommission.timeout" = "1h" }
[sweep.vary]
"policy.idle_grace" = ["0s", "2m", "15m", "never"]
"decommission.timeout" = ["0s", "60m"]
"node_type.m.16.cores" = [16, 32]
"#;

/// The columns of the results, as far as these tests go.
const COLUMNS: [&str; 4] = ["cost_total", "wait_p95_s", "wait_p99_s", "lost_core_hours"];

fn file(text: &str) -> ScenarioFile {
    ScenarioFile::from_text(Path::new("folder/case.toml"), text).expect("the text is TOML")
}

fn settings(arguments: &[&str]) -> Vec<Setting> {
    arguments.iter().map(|argument| Setting::parse(argument, "--set").expect("it has an =")).collect()
}

fn resolved(text: &str) -> Scenario {
    file(text).resolve(&[]).unwrap_or_else(|errors| panic!("{errors}"))
}

/// [`LEAST`] with `line` added to `table`, which may be one that it has.
fn least_with(table: &str, line: &str) -> String {
    let header = if table == "node_type" { "[[node_type]]\n".to_owned() } else { format!("[{table}]\n") };
    match LEAST.split_once(&header) {
        Some((before, after)) => format!("{before}{header}{line}\n{after}"),
        None => format!("{LEAST}{header}{line}\n"),
    }
}

fn messages(result: Result<Scenario, ScenarioErrors>) -> String {
    result.expect_err("there is something wrong").to_string()
}
