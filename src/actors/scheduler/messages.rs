//! What the scheduler can be told.

use actix::Message;

use crate::ledger::fact::RemovalCause;
use crate::rules::machine::{NodeId, Total, TypeId};
use crate::rules::scheduling::JobIndex;
use crate::time::SimSpan;

/// A job was submitted.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct JobArrives {
    /// Which.
    pub job: JobIndex,
}

/// A job's attempt has come to its end.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct JobEnds {
    /// Whose.
    pub job: JobIndex,
}

/// A job's attempt will never come to its end: one of its containers has died, and nobody knows.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct JobHangs {
    /// Whose.
    pub job: JobIndex,
}

/// Start nothing for a while.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Wait {
    /// For how long.
    pub span: SimSpan,
}

/// The wait is over.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct WaitEnds;

/// A node is RUNNING and takes work.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NodeAdded {
    /// Which.
    pub node: NodeId,
    /// Of which type it is.
    pub kind: TypeId,
}

/// A node drains: its work goes on, but it gets none.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NodeCloses {
    /// Which.
    pub node: NodeId,
}

/// A node drains no more and takes work again.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NodeOpens {
    /// Which.
    pub node: NodeId,
}

/// A node is out of service, and its containers with it.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NodeRemoved {
    /// Which.
    pub node: NodeId,
    /// Why.
    pub cause: RemovalCause,
}

/// A node has another total.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Resize {
    /// Which node.
    pub node: NodeId,
    /// What it has now; `None`: what its type has.
    pub total: Option<Total>,
    /// When containers beyond it are killed; `None`: never.
    pub overcommit_timeout: Option<SimSpan>,
}

/// An instance was granted and boots.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct InstanceBoots {
    /// Which.
    pub node: NodeId,
    /// Of which type.
    pub kind: TypeId,
    /// When it is expected to register, from now on.
    pub expected: SimSpan,
}

/// An instance that was booting will not come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct InstanceLeaves {
    /// Which.
    pub node: NodeId,
}

/// An instance has gone.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct InstanceEnds;

/// The moment of the scheduling pass has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Pass;
