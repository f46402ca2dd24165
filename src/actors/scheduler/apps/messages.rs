//! What applications and heartbeats tell the scheduler of containers.

use actix::Message;

use crate::rules::container::{AppId, ContainerId, ExitStatus};
use crate::rules::machine::NodeId;
use crate::rules::notice::{NodeReport, UpdateType};

/// What a master asks for: one container for one of its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its number of the task.
    pub task: u32,
    /// The group of tasks that it belongs to, which says how much is needed and where.
    pub group: usize,
}

/// A master's allocate call.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Allocate {
    /// Whose.
    pub app: AppId,
    /// What is asked for.
    pub asks: Vec<Asked>,
}

/// An application was submitted. From now on it is told of nodes.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct SubmitApp {
    /// Which.
    pub app: AppId,
}

/// The first master of an application has registered.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct RegisterApp {
    /// Whose.
    pub app: AppId,
}

/// Start the master of an application.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct RequestMaster {
    /// Whose.
    pub app: AppId,
}

/// An application has unregistered.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct FinishApp {
    /// Which.
    pub app: AppId,
}

/// A node was heard, and its news are merged: `NODE_UPDATE`.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NodeUpdate {
    /// Which.
    pub node: NodeId,
}

/// An RMNode reads otherwise than before.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NodeReads {
    /// Which.
    pub node: NodeId,
    /// How it reads now.
    pub report: NodeReport,
    /// What applications are told of it, if they are.
    pub update: Option<UpdateType>,
}

/// A heartbeat has told of a container for the first time.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct ContainerRuns {
    /// Which.
    pub container: ContainerId,
}

/// A heartbeat has told of a container's end, or has not told of the container any more.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct ContainerCompletes {
    /// Which.
    pub container: ContainerId,
    /// How it has ended; one that is missed has been aborted.
    pub exit: ExitStatus,
}
