//! What the whole promises: runs through the library's front door, compared with numbers from elsewhere.

#![expect(
    clippy::unwrap_used,
    reason = "all of this crate is a test, and clippy takes only marked functions for one"
)]

mod administration;
mod applications;
mod cli;
mod cli_sweep;
mod command_line;
mod conformance;
mod elastic_apps;
mod fixed_cluster;
mod golden;
mod hosts_command;
mod hosts_in_a_scenario;
mod invariants;
mod lazy_beats;
mod matrix_reach;
mod misfortunes;
mod oracle;
mod page_against_source;
mod recorded;
mod reference;
mod scaled_beats;
mod status_log;
mod stories;
mod support;
mod traces;
