//! Ebbtide replays a cluster's job history against a simulated elastic cluster.

pub mod rules;
pub mod scenario;
pub mod time;
pub mod workload;
