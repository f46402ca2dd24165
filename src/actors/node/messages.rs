//! What a node can be told.

use actix::Message;

use crate::rules::container::{AppId, ContainerId};
use crate::rules::machine::TypeId;
use crate::rules::scheduling::JobIndex;
use crate::time::SimSpan;

/// The agent starts and registers.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct PowerOn {
    /// Of which type the instance is.
    pub kind: TypeId,
    /// The interval of the heartbeats.
    pub interval: SimSpan,
}

/// The agent is to run: if it is just ending, it starts again when it has.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct StartAgain;

/// The instance is being stopped: the agent signs off and ends, and with it all that runs on it.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct PowerOff;

/// The agent dies without a word, and its containers with it.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Crash;

/// Nothing that the agent sends arrives.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct FallSilent {
    /// For so long.
    pub span: SimSpan,
}

/// What the agent sends arrives again.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct SilenceEnds;

/// The node's health check fails.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Sicken {
    /// For so long.
    pub span: SimSpan,
}

/// The node's health check passes again.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Recovers;

/// Start a container of a gang job.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Launch {
    /// Whose container it is; a gang job has one on a node.
    pub job: JobIndex,
}

/// The container of a gang job ends here, by itself or killed.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct ContainerEnds {
    /// Whose container it is.
    pub job: JobIndex,
}

/// Start a container of an application.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct LaunchTask {
    /// Which.
    pub container: ContainerId,
    /// Whose.
    pub app: AppId,
    /// Whether its process is the master of the application, which registers.
    pub is_master: bool,
    /// Its process starts so much later.
    pub starts_after: SimSpan,
    /// How long it runs; `None`: until it is killed.
    pub run: Option<SimSpan>,
}

/// The process of a container of an application starts.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct TaskStarts {
    /// Which container.
    pub container: ContainerId,
    /// How long it runs; `None`: until it is killed.
    pub run: Option<SimSpan>,
}

/// End a container of an application.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct KillTask {
    /// Which.
    pub container: ContainerId,
}

/// A container of an application is one of the resource manager's no more: the agent learns it from the next answer
/// that reaches it, and ends the container (containersToClean, yarn.md 2.2 and 2.3).
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct CleanUp {
    /// Which.
    pub container: ContainerId,
}

/// A container of an application has come to its end.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct TaskEnds {
    /// Which.
    pub container: ContainerId,
}

/// An application has ended.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct AppEnded {
    /// Which.
    pub app: AppId,
}

/// The moment of a heartbeat has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Beat;

/// The agent tries to find the resource manager again.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Reconnect;

/// The agent's process ends.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Exit;

/// The resource manager's answer to a registration or a heartbeat (yarn.md 7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[rtype(result = "()")]
pub enum Reply {
    /// Go on.
    Normal {
        /// From this beat to the next.
        interval: SimSpan,
    },
    /// Register again.
    Resync,
    /// Shut down.
    Shutdown,
    /// There is none: the connection is lost.
    Unreachable,
}
