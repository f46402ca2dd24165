//! The books of instances, nodes and drains.

use crate::ledger::fact::RemovalCause;
use crate::ledger::money::Phase;
use crate::ledger::recorder::Recorder;
use crate::ledger::records::InstanceRecord;
use crate::rules::drain::DrainStatus;
use crate::rules::machine::{NodeId, NodeType};
use crate::rules::rmnode::RmNodeState;
use crate::time::SimTime;

impl Recorder {
    pub(super) fn node_changes_state(
        &mut self,
        node: NodeId,
        from: RmNodeState,
        to: RmNodeState,
        cause: Option<RemovalCause>,
    ) {
        if from == RmNodeState::Decommissioning {
            let has_work = self.instances[node.index()].containers > 0;
            let early = cause == Some(RemovalCause::Ready) && has_work;
            self.drains.early_exits_with_work += u64::from(early);
            self.drain_ends(node);
        }
        if to == RmNodeState::Decommissioning {
            self.drain_begins(node);
        }
        self.change(node, |instance, _, now| {
            instance.state = to;
            match to {
                RmNodeState::Running => {
                    instance.up = instance.up.or(Some(now));
                    (instance.out_of_service, instance.cause) = (None, None);
                }
                RmNodeState::Decommissioning => {
                    (instance.drain_start, instance.drain_status) = (Some(now), DrainStatus::None);
                }
                // What the resource manager makes of a node whose instance the cloud has taken back comes later.
                _ if instance.cause == Some(RemovalCause::Reclaimed) => {}
                _ => (instance.out_of_service, instance.cause) = (Some(now), cause),
            }
        });
    }

    /// A container comes to or leaves a node. The hot path of the ledger: one call per container and direction.
    pub(super) fn load(&mut self, node: NodeId, containers: i32, cores: i32) {
        let instance = &mut self.instances[node.index()];
        instance.containers = instance.containers.wrapping_add_signed(containers);
        instance.busy_cores = instance.busy_cores.wrapping_add_signed(cores);
        let cores = i64::from(cores);
        match instance.state {
            RmNodeState::Running => {
                self.levels.cores_free_running = self.levels.cores_free_running.wrapping_add_signed(-cores);
                self.levels.cores_allocated = self.levels.cores_allocated.wrapping_add_signed(cores);
            }
            RmNodeState::Decommissioning => {
                self.levels.cores_free_draining = self.levels.cores_free_draining.wrapping_add_signed(-cores);
                self.levels.cores_allocated = self.levels.cores_allocated.wrapping_add_signed(cores);
            }
            _ => {}
        }
        live_on(instance, self.now);
    }

    /// Changes an instance, with the levels and its life following.
    pub(super) fn change(
        &mut self,
        node: NodeId,
        change: impl FnOnce(&mut InstanceRecord, &NodeType, SimTime),
    ) {
        let instance = &mut self.instances[node.index()];
        let kind = &self.setup.node_types[instance.kind.index()];
        self.levels.remove(instance, kind);
        change(instance, kind, self.now);
        live_on(instance, self.now);
        self.levels.add(instance, kind);
    }

    pub(super) fn instance_is_gone(&mut self, node: NodeId) {
        self.drains.idle_ends(node, self.now);
        self.change(node, |instance, _, now| {
            live_on(instance, now);
            instance.gone = Some(now);
            if instance.reclaim_notice && instance.out_of_service.is_none() {
                (instance.out_of_service, instance.cause) = (Some(now), Some(RemovalCause::Reclaimed));
            }
        });
    }

    fn drain_begins(&mut self, node: NodeId) {
        let kind = &self.setup.node_types[self.instances[node.index()].kind.index()];
        self.drains.order(kind.cores, kind.boot.median(), self.now);
    }

    fn drain_ends(&mut self, node: NodeId) {
        self.drains.idle_ends(node, self.now);
        let instance = &self.instances[node.index()];
        if let Some(start) = instance.drain_start {
            self.drains.end(instance.drain_status, self.now.since(start));
        }
    }
}

/// An instance's life goes on in the phase that it is in now. The resource manager may learn that a node is lost after
/// its instance has gone; nothing is paid by then.
fn live_on(instance: &mut InstanceRecord, now: SimTime) {
    if instance.gone.is_none() {
        instance.life.enter(phase_of(instance), instance.containers > 0, now);
    }
}

/// What the present instant of an instance's life is for.
fn phase_of(instance: &InstanceRecord) -> Phase {
    match instance.state {
        RmNodeState::New => Phase::Boot,
        RmNodeState::Decommissioning => Phase::Drain,
        RmNodeState::Running if instance.containers > 0 => Phase::Busy,
        RmNodeState::Running => Phase::Idle,
        RmNodeState::Unhealthy
        | RmNodeState::Decommissioned
        | RmNodeState::Lost
        | RmNodeState::Rebooted
        | RmNodeState::Shutdown => Phase::Down,
    }
}
