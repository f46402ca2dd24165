//! What the resource tracker can be told.

use std::rc::Rc;

use actix::Message;

use crate::ledger::fact::RemovalCause;
use crate::rules::behaviour::TimeKeeper;
use crate::rules::container::{AppId, Application, ContainerId, ExitStatus};
use crate::rules::drain::DrainStatus;
use crate::rules::hosts::HostLists;
use crate::rules::machine::{NodeId, Total, TypeId};
use crate::rules::refresh::Refresh;
use crate::rules::rmnode::{Health, RmNodeEvent};
use crate::rules::scheduling::Gang;
use crate::time::SimSpan;

/// A node's agent has started, or was told to register again.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Register {
    /// Which.
    pub node: NodeId,
    /// Of which type it is.
    pub kind: TypeId,
    /// What it reports of itself.
    pub report: Report,
    /// The applications that it has containers of.
    pub applications: Vec<Application>,
}

/// A node's agent signs off.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Unregister {
    /// Which.
    pub node: NodeId,
}

/// A node was heard.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Heartbeat {
    /// Which.
    pub node: NodeId,
    /// What it says.
    pub report: Report,
    /// Containers of applications that it has not told of before; `None`: there are none.
    pub news: Option<Box<Vec<Status>>>,
}

/// A container of an application in a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Which.
    pub container: ContainerId,
    /// Whose.
    pub app: AppId,
    /// How it has ended; `None`: it runs.
    pub exit: Option<ExitStatus>,
}

/// What a heartbeat says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Containers that are running.
    pub containers: u32,
    /// Whether the node is fit for work.
    pub health: Health,
}

/// The watcher's answer to an [`Update`](crate::actors::watcher::Update).
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Verdict {
    /// Of which node.
    pub node: NodeId,
    /// How far its drain has come.
    pub status: DrainStatus,
    /// What it reported.
    pub report: Report,
}

/// An event for an RMNode.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NodeEvent {
    /// For which.
    pub node: NodeId,
    /// What happens to it.
    pub event: RmNodeEvent,
    /// Of a graceful decommission: how long it may take; `None`: for ever.
    pub timeout: Option<SimSpan>,
    /// Why, if the node leaves service by it.
    pub cause: Option<RemovalCause>,
}

/// The policy put a host on the list of excluded hosts, or its entry went.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct SetExcluded {
    /// Which.
    pub node: NodeId,
    /// With which timeout it is on the list; `None`: it is not.
    pub excluded: Option<Option<SimSpan>>,
}

/// The resource manager has started with these lists.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct StartWith {
    /// The administrator's.
    pub lists: Rc<HostLists>,
}

/// The lists could not be read, and nothing is on them any more.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct LoseLists {
    /// The administrator's.
    pub lists: Rc<HostLists>,
}

/// The lists were refreshed.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Relist {
    /// The administrator's, from now on.
    pub lists: Rc<HostLists>,
    /// How excluded nodes go.
    pub how: Refresh<Option<SimSpan>>,
    /// Who keeps the time of drains: whether the timeouts of hosts count.
    pub time_keeper: TimeKeeper,
}

/// An operator gives a node another total.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct UpdateResource {
    /// Which node.
    pub node: NodeId,
    /// What it has from now on.
    pub total: Total,
    /// When containers beyond it are killed; `None`: never.
    pub overcommit_timeout: Option<SimSpan>,
}

/// Every drain ends now (yarn.md 4.4).
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct ForceAll;

/// The resource manager goes away.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct GoAway {
    /// Whether another takes over, which nodes find only when the connection to the old one has failed.
    pub failover: bool,
    /// For how long there is none.
    pub away: SimSpan,
}

/// A resource manager is there again, and knows nothing.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct ComeBack;

/// A client asks whether anything drains.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct AskDraining {
    /// Which client.
    pub client: u32,
}

/// A gang job runs on its nodes: it is one application without a master, and stands on each of them.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct GangStarts {
    /// Where.
    pub gang: Rc<Gang>,
}

/// A gang job has ended, and its application with it.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct GangEnds {
    /// Where it was.
    pub gang: Rc<Gang>,
}

/// An application has ended.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct AppEnds {
    /// Which.
    pub app: AppId,
}

/// The scheduler has allocated more or fewer cores of a node, or it has another total.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Utilised {
    /// Which node.
    pub node: NodeId,
    /// Its allocated cores.
    pub allocated: u32,
    /// All its cores.
    pub total: u32,
}

/// The scheduler has placed a master on a node, or it has ended.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct MasterStands {
    /// Where.
    pub node: NodeId,
    /// Whether it stands there now.
    pub stands: bool,
}

/// The moment to look for entries that may be forgotten has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct CheckUntracked;

/// The moment to look for silent nodes has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct CheckLiveness;
