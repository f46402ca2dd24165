//! How loaded nodes and the cluster are, for the interval of heartbeats (yarn.md 7.6). The real system measures
//! processors; here what is allocated counts as used.

use std::collections::BTreeMap;

use actix::Handler;

use crate::actors::Ctx;
use crate::actors::resource_tracker::{ResourceTracker, Utilised};
use crate::rules::machine::NodeId;
use crate::rules::rmnode::RmNodeState;

/// Cores of one node.
#[derive(Clone, Copy, Debug)]
struct Load {
    allocated: u32,
    total: u32,
    /// Whether it is a part of the cluster's: the node is RUNNING.
    counts: bool,
}

/// What is allocated, as far as the scheduler has said.
#[derive(Debug, Default)]
pub(super) struct Utilisation {
    nodes: BTreeMap<NodeId, Load>,
    cluster_allocated: u64,
    cluster_total: u64,
}

impl Utilisation {
    /// The share of a node's cores that is allocated; `None`: the scheduler does not have it.
    pub(super) fn of(&self, node: NodeId) -> Option<f64> {
        let load = self.nodes.get(&node)?;
        Some(share(load.allocated.into(), load.total.into()))
    }

    /// The share of the cores of all RUNNING nodes that is allocated.
    pub(super) fn of_cluster(&self) -> f64 {
        share(self.cluster_allocated, self.cluster_total)
    }

    /// A node has another state.
    pub(super) fn turn(&mut self, node: NodeId, to: RmNodeState) {
        let load = self.nodes.get(&node).copied();
        match to {
            RmNodeState::Running => self.put(node, load.map(|load| Load { counts: true, ..load })),
            RmNodeState::Decommissioning => self.put(node, load.map(|load| Load { counts: false, ..load })),
            RmNodeState::New
            | RmNodeState::Unhealthy
            | RmNodeState::Decommissioned
            | RmNodeState::Lost
            | RmNodeState::Rebooted
            | RmNodeState::Shutdown => self.forget(node),
        }
    }

    /// A node is not there any more.
    pub(super) fn forget(&mut self, node: NodeId) {
        self.put(node, None);
    }

    fn put(&mut self, node: NodeId, load: Option<Load>) {
        let before = match load {
            Some(load) => self.nodes.insert(node, load),
            None => self.nodes.remove(&node),
        };
        if let Some(before) = before.filter(|before| before.counts) {
            self.cluster_allocated -= u64::from(before.allocated);
            self.cluster_total -= u64::from(before.total);
        }
        if let Some(load) = load.filter(|load| load.counts) {
            self.cluster_allocated += u64::from(load.allocated);
            self.cluster_total += u64::from(load.total);
        }
    }
}

/// More may be allocated than there is, where an operator has made a node smaller.
#[expect(clippy::cast_precision_loss, reason = "a cluster has far fewer than 2^53 cores")]
fn share(allocated: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { (allocated as f64 / total as f64).min(1.0) }
}

impl Handler<Utilised> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: Utilised, _: &mut Ctx) {
        let Utilised { node, allocated, total } = message;
        let counts = match self.active(node).map(|rm| rm.state) {
            Some(RmNodeState::Running) => true,
            Some(RmNodeState::Decommissioning) => false,
            _ => return,
        };
        self.utilisation.put(node, Some(Load { allocated, total, counts }));
    }
}
