//! Levels: what the cluster has at an instant. The rows of `timeline.csv`, and the integrals over them.

use crate::ledger::records::InstanceRecord;
use crate::rules::machine::NodeType;
use crate::rules::rmnode::RmNodeState;
use crate::time::SimTime;

/// What the cluster has at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// Granted, not registered, not ordered to stop.
    pub nodes_booting: u32,
    /// RUNNING. The resource manager may take a node for that after its instance has gone, until it is lost.
    pub nodes_running: u32,
    /// DECOMMISSIONING, and as with RUNNING.
    pub nodes_decommissioning: u32,
    /// Not gone, and none of the others: out of service, or ordered to stop.
    pub nodes_down: u32,
    /// Original totals of RUNNING and DECOMMISSIONING nodes.
    pub cores_in_service: u64,
    /// Cores with a container.
    pub cores_allocated: u64,
    /// Cores without a container on RUNNING nodes.
    pub cores_free_running: u64,
    /// Cores without a container on DECOMMISSIONING nodes.
    pub cores_free_draining: u64,
    /// Cores of all queued jobs.
    pub cores_queued: u64,
    /// Queued jobs.
    pub jobs_queued: u32,
    /// Running jobs.
    pub jobs_running: u32,
    /// Instances in any state that are not gone.
    pub instances: u32,
    /// Their price, in millionths of the currency.
    pub price_per_hour_micros: u64,
}

impl Levels {
    /// Counts an instance in.
    pub fn add(&mut self, instance: &InstanceRecord, kind: &NodeType) {
        if instance.gone.is_none() {
            self.instances += 1;
            self.price_per_hour_micros += kind.price_per_hour_micros;
        }
        if let Some(nodes) = self.nodes_like(instance) {
            *nodes += 1;
        }
        let free = u64::from(instance.cores(kind)) - u64::from(instance.busy_cores);
        match instance.state {
            RmNodeState::Running => self.cores_free_running += free,
            RmNodeState::Decommissioning => self.cores_free_draining += free,
            _ => return,
        }
        self.cores_in_service += u64::from(instance.cores(kind));
        self.cores_allocated += u64::from(instance.busy_cores);
    }

    /// Counts an instance out, as it was counted in.
    pub fn remove(&mut self, instance: &InstanceRecord, kind: &NodeType) {
        if instance.gone.is_none() {
            self.instances -= 1;
            self.price_per_hour_micros -= kind.price_per_hour_micros;
        }
        if let Some(nodes) = self.nodes_like(instance) {
            *nodes -= 1;
        }
        let free = u64::from(instance.cores(kind)) - u64::from(instance.busy_cores);
        match instance.state {
            RmNodeState::Running => self.cores_free_running -= free,
            RmNodeState::Decommissioning => self.cores_free_draining -= free,
            _ => return,
        }
        self.cores_in_service -= u64::from(instance.cores(kind));
        self.cores_allocated -= u64::from(instance.busy_cores);
    }

    /// The level that counts such an instance, if one does.
    fn nodes_like(&mut self, instance: &InstanceRecord) -> Option<&mut u32> {
        match instance.state {
            RmNodeState::Running => Some(&mut self.nodes_running),
            RmNodeState::Decommissioning => Some(&mut self.nodes_decommissioning),
            _ if instance.gone.is_some() => None,
            RmNodeState::New if !instance.stop_ordered => Some(&mut self.nodes_booting),
            RmNodeState::New
            | RmNodeState::Unhealthy
            | RmNodeState::Decommissioned
            | RmNodeState::Lost
            | RmNodeState::Rebooted
            | RmNodeState::Shutdown => Some(&mut self.nodes_down),
        }
    }
}

/// Core-time so far, in core-milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoreTime {
    /// Of cores with a container.
    pub allocated_ms: u128,
    /// Of RUNNING and DECOMMISSIONING nodes.
    pub in_service_ms: u128,
    /// Of DECOMMISSIONING nodes, without a container.
    pub free_draining_ms: u128,
    since: SimTime,
}

impl CoreTime {
    /// The levels have held until now.
    pub fn advance(&mut self, levels: &Levels, now: SimTime) {
        let elapsed_ms = u128::from(now.since(self.since).as_ms());
        self.allocated_ms += elapsed_ms * u128::from(levels.cores_allocated);
        self.in_service_ms += elapsed_ms * u128::from(levels.cores_in_service);
        self.free_draining_ms += elapsed_ms * u128::from(levels.cores_free_draining);
        self.since = now;
    }
}
