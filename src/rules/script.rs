//! A scripted cluster: named nodes, hosts files, and what an administrator or bad luck does at which moment.

use std::path::PathBuf;
use std::sync::Arc;

use crate::rules::machine::TypeId;
use crate::time::{SimSpan, SimTime};

/// A node that is there from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedNode {
    /// Its host name, unique in a scenario.
    pub name: String,
    /// Of which type it is.
    pub kind: TypeId,
    /// When its agent registers; its beats count from here.
    pub registers_at: SimTime,
}

/// A hosts file, read when the scenario was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListFile {
    /// Where it was looked for. Whether it is XML is told by its name (yarn.md 5.1).
    pub path: PathBuf,
    /// What stands in it; `None`: there is no such file, which the real system takes in its own way (yarn.md 4.5).
    pub text: Option<String>,
}

/// How long a requested graceful decommission may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestTimeout {
    /// The request does not say: the configured default holds.
    Unset,
    /// For ever: what the command line sends when no number is given (yarn.md 0.2).
    Never,
    /// So long.
    After(SimSpan),
}

/// Who watches a graceful decommission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// The resource manager alone.
    Server,
    /// The administrator's client too: it polls each second, and forces after timeout + 5 s (yarn.md 6.2).
    Client,
}

/// How a refresh treats excluded nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshMode {
    /// They go at once.
    Normal,
    /// They drain.
    Graceful {
        /// How long that may take, where the file does not say for a host.
        timeout: RequestTimeout,
        /// Who watches.
        tracking: Tracking,
    },
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `rmadmin -refreshNodes`.
    RefreshNodes {
        /// The include file from now on; `None`: the last one, read again.
        include: Option<Arc<ListFile>>,
        /// The exclude file from now on; `None`: the last one, read again.
        exclude: Option<Arc<ListFile>>,
        /// How excluded nodes go.
        mode: RefreshMode,
    },
    /// A forceful refresh: every draining node goes at once (yarn.md 4.4).
    Forceful,
    /// `rmadmin -updateNodeResource`.
    ResourceUpdate {
        /// Whose total.
        node: String,
        /// Its new cores.
        cores: u32,
        /// Its new memory in bytes; `None`: as it is.
        memory_bytes: Option<u64>,
        /// When containers beyond the new total are killed; `None`: never.
        overcommit_timeout: Option<SimSpan>,
    },
    /// The agent dies without a word, and its containers with it.
    NodeCrash {
        /// Whose.
        node: String,
    },
    /// The agent is started (again) and registers.
    NodeStart {
        /// Whose.
        node: String,
    },
    /// The agent is stopped in good order: it signs off, and its containers die with it.
    NodeStop {
        /// Whose.
        node: String,
    },
    /// The agent lives, but nothing that it sends arrives.
    NodeSilence {
        /// Whose.
        node: String,
        /// For how long.
        span: SimSpan,
    },
    /// The node's health check fails.
    NodeUnhealthy {
        /// Whose.
        node: String,
        /// For how long.
        span: SimSpan,
    },
    /// The resource manager goes away and comes back.
    RmRestart {
        /// For how long it is away.
        away: SimSpan,
    },
    /// Another resource manager takes over at once.
    RmFailover,
    /// The cloud takes an instance back.
    Reclaim {
        /// Whose instance.
        node: String,
        /// How long before it is gone the cluster is told.
        notice: SimSpan,
    },
}

impl Action {
    /// The word for it in outputs.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::RefreshNodes { mode: RefreshMode::Normal, .. } => "REFRESH_NODES",
            Self::RefreshNodes { mode: RefreshMode::Graceful { .. }, .. } => "REFRESH_NODES_GRACEFUL",
            Self::Forceful => "REFRESH_NODES_FORCEFUL",
            Self::ResourceUpdate { .. } => "UPDATE_NODE_RESOURCE",
            Self::NodeCrash { .. } => "NODE_CRASH",
            Self::NodeStart { .. } => "NODE_START",
            Self::NodeStop { .. } => "NODE_STOP",
            Self::NodeSilence { .. } => "NODE_SILENCE",
            Self::NodeUnhealthy { .. } => "NODE_UNHEALTHY",
            Self::RmRestart { .. } => "RM_RESTART",
            Self::RmFailover => "RM_FAILOVER",
            Self::Reclaim { .. } => "RECLAIM",
        }
    }
}

/// An action and its moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scripted {
    /// When.
    pub at: SimTime,
    /// What.
    pub action: Action,
}

/// What a scenario scripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Nodes that are there from the start, in the scenario's order. If there are any, they stand in the place of
    /// `min_nodes`.
    pub nodes: Vec<NamedNode>,
    /// The include file at the resource manager's start.
    pub include: Option<Arc<ListFile>>,
    /// The exclude file at the resource manager's start.
    pub exclude: Option<Arc<ListFile>>,
    /// What happens, in order of time (ties: the scenario's order).
    pub actions: Vec<Scripted>,
}
