//! YARN applications as loaded: a master and tasks, each task one container.

use crate::time::{SimSpan, SimTime};

/// What one container holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ask {
    /// Virtual cores, at least one.
    pub cores: u32,
    /// Memory in KiB; counted only on node types that have memory.
    pub memory_kib: u64,
}

/// Who speaks for an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Master {
    /// A process outside the cluster, which is there at the submission.
    Unmanaged,
    /// A container of the cluster.
    Container {
        /// What it holds.
        ask: Ask,
        /// The only host that it may run on; `None`: anywhere.
        host: Option<String>,
    },
}

/// What a task is to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// Independent of the others.
    Plain,
    /// Its output stays on its node until the application ends.
    Map,
    /// It is asked for when all maps are done, and reads their output.
    Reduce,
}

/// Where a task wants to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locality {
    /// Anywhere.
    Any,
    /// On this host if there is room at its first chance, else anywhere.
    Prefer(String),
    /// On this host alone.
    Only(String),
}

/// Equal tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskGroup {
    /// How many, at least one.
    pub count: u32,
    /// What they are.
    pub kind: TaskKind,
    /// What each holds.
    pub ask: Ask,
    /// Where they want to run.
    pub locality: Locality,
    /// When they are asked for, after the registration of the master.
    pub asks_after: SimSpan,
    /// How long each runs; `None`: it is allocated and never launched.
    pub run: Option<SimSpan>,
}

/// One application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Its name, unique in a workload.
    pub name: String,
    /// When it is submitted.
    pub submit: SimTime,
    /// Who speaks for it.
    pub master: Master,
    /// When it ends; `None`: when its last task has.
    pub ends: Option<SimTime>,
    /// How often its master asks and hears.
    pub allocate_interval: SimSpan,
    /// From the master's hearing of a container to the start of its process.
    pub launch: SimSpan,
    /// Whether killed tasks are asked for again, and maps whose output was lost.
    pub rerun: bool,
    /// How many attempts it has, of those that count.
    pub max_attempts: u32,
    /// Whether its containers outlive an attempt of its master.
    pub keep_containers: bool,
    /// What it does.
    pub tasks: Vec<TaskGroup>,
}
