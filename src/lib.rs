//! Ebbtide replays a cluster's job history against a simulated elastic cluster.

pub mod actors;
pub mod engine;
pub mod ledger;
pub mod rules;
pub mod scenario;
pub mod study;
pub mod time;
pub mod workload;
