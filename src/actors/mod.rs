//! The actors: one file each, speaking by messages only.
//!
//! Every actor owns its state, asks `rules` what the rule is, and tells others what happened. [`Cluster`] holds them
//! all and hands each envelope to the actor that it is addressed to; it decides nothing.

pub mod admin;
pub mod app_master;
pub mod cloud;
pub mod cluster;
pub mod node;
pub mod nodes_list;
pub mod policy;
pub mod resource_tracker;
pub mod scheduler;
pub mod submitter;
pub mod watcher;

use crate::engine::{Address, PollSlot, SimContext};
use crate::ledger::{Fact, Recorder};
use crate::rules::container::AppId;
use crate::rules::machine::NodeId;

pub use cluster::{Cluster, Plan};

/// The context of every actor here.
pub type Ctx = SimContext<Envelope, Recorder>;

impl Ctx {
    /// Writes `fact` into the ledger.
    pub fn record(&mut self, fact: &Fact) {
        let now = self.now();
        self.carried.record(now, fact);
    }
}

/// A message with the address of the actor that hears it.
#[derive(Debug)]
pub enum Envelope {
    /// For the submitter.
    Submitter(submitter::Mail),
    /// For the scheduler.
    Scheduler(scheduler::Mail),
    /// For a node.
    Node(NodeId, node::Mail),
    /// For the resource tracker.
    ResourceTracker(resource_tracker::Mail),
    /// For the list of excluded nodes.
    NodesList(nodes_list::Mail),
    /// For the watcher of draining nodes.
    Watcher(watcher::Mail),
    /// For the policy.
    Policy(policy::Mail),
    /// For the cloud.
    Cloud(cloud::Mail),
    /// For the administrator.
    Admin(admin::Mail),
    /// For the master of an application.
    AppMaster(AppId, app_master::Mail),
}

/// Polls, in their order within an instant.
pub mod polls {
    use super::PollSlot;

    /// The watcher's.
    pub const WATCHER: PollSlot = PollSlot(0);
    /// The liveness checker's.
    pub const LIVENESS: PollSlot = PollSlot(1);
    /// The policy's.
    pub const POLICY: PollSlot = PollSlot(2);
    /// That of clients that track a decommission.
    pub const CLIENT: PollSlot = PollSlot(3);
    /// That of the timer which forgets nodes that no list names.
    pub const REMOVAL: PollSlot = PollSlot(4);
}

/// The addresses of the one-of-a-kind actors. A node's address is its [`NodeId`].
pub mod to {
    /// The submitter.
    #[derive(Clone, Copy, Debug)]
    pub struct Submitter;
    /// The scheduler.
    #[derive(Clone, Copy, Debug)]
    pub struct Scheduler;
    /// The resource tracker.
    #[derive(Clone, Copy, Debug)]
    pub struct ResourceTracker;
    /// The list of excluded nodes.
    #[derive(Clone, Copy, Debug)]
    pub struct NodesList;
    /// The watcher of draining nodes.
    #[derive(Clone, Copy, Debug)]
    pub struct Watcher;
    /// The policy.
    #[derive(Clone, Copy, Debug)]
    pub struct Policy;
    /// The cloud.
    #[derive(Clone, Copy, Debug)]
    pub struct Cloud;
    /// The administrator.
    #[derive(Clone, Copy, Debug)]
    pub struct Admin;
}

impl<M: Into<node::Mail>> Address<M> for NodeId {
    type Envelope = Envelope;
    fn envelope(self, message: M) -> Envelope {
        Envelope::Node(self, message.into())
    }
}

impl<M: Into<app_master::Mail>> Address<M> for AppId {
    type Envelope = Envelope;
    fn envelope(self, message: M) -> Envelope {
        Envelope::AppMaster(self, message.into())
    }
}

/// Makes a unit address lead to the actor's mailbox.
macro_rules! addresses {
    ($($actor:ident => $module:ident),* $(,)?) => {
        $(
            impl<M: Into<$module::Mail>> Address<M> for to::$actor {
                type Envelope = Envelope;
                fn envelope(self, message: M) -> Envelope {
                    Envelope::$actor(message.into())
                }
            }
        )*
    };
}

addresses! {
    Submitter => submitter,
    Scheduler => scheduler,
    ResourceTracker => resource_tracker,
    NodesList => nodes_list,
    Watcher => watcher,
    Policy => policy,
    Cloud => cloud,
    Admin => admin,
}
