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
    /// RUNNING.
    pub nodes_running: u32,
    /// DECOMMISSIONING.
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
    /// Price of all instances that are not gone, in millionths of the currency.
    pub price_per_hour_micros: u64,
}

impl Levels {
    /// Instances in any state.
    pub fn instances(&self) -> u32 {
        self.nodes_booting + self.nodes_running + self.nodes_decommissioning + self.nodes_down
    }

    /// Counts an instance in.
    pub fn add(&mut self, instance: &InstanceRecord, kind: &NodeType) {
        *self.nodes_like(instance) += 1;
        self.price_per_hour_micros += kind.price_per_hour_micros;
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
        *self.nodes_like(instance) -= 1;
        self.price_per_hour_micros -= kind.price_per_hour_micros;
        let free = u64::from(instance.cores(kind)) - u64::from(instance.busy_cores);
        match instance.state {
            RmNodeState::Running => self.cores_free_running -= free,
            RmNodeState::Decommissioning => self.cores_free_draining -= free,
            _ => return,
        }
        self.cores_in_service -= u64::from(instance.cores(kind));
        self.cores_allocated -= u64::from(instance.busy_cores);
    }

    fn nodes_like(&mut self, instance: &InstanceRecord) -> &mut u32 {
        match instance.state {
            RmNodeState::New if !instance.stop_ordered => &mut self.nodes_booting,
            RmNodeState::Running => &mut self.nodes_running,
            RmNodeState::Decommissioning => &mut self.nodes_decommissioning,
            RmNodeState::New
            | RmNodeState::Unhealthy
            | RmNodeState::Decommissioned
            | RmNodeState::Lost
            | RmNodeState::Rebooted
            | RmNodeState::Shutdown => &mut self.nodes_down,
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
