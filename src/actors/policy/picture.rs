//! The policy's picture of the cluster, kept by notices of change and never by asking around.

use std::collections::BTreeMap;

use crate::actors::policy::{Demand, Notice};
use crate::rules::elastic::PolicyRules;
use crate::rules::machine::{NodeId, NodeType, TypeId};
use crate::rules::wishlist::{Quota, SizeCounts};
use crate::time::SimTime;

/// How a machine stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Granted; its agent has not registered.
    Booting,
    /// Its node is RUNNING.
    Running,
    /// Its node is DECOMMISSIONING, or awaited by a new resource manager: it takes no new work.
    Draining,
    /// Its node is out of service.
    OutOfService {
        /// Because it was drained.
        drained: bool,
    },
    /// It is being stopped.
    Stopping,
}

/// One instance and its node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    pub kind: TypeId,
    pub granted: SimTime,
    pub standing: Standing,
    pub busy_cores: u32,
    /// Since when it has had no container; meaningful while it has none.
    pub idle_since: SimTime,
    /// When it was heard last; `None`: it beats.
    pub last_ping: Option<SimTime>,
}

/// All that the policy knows.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    machines: BTreeMap<NodeId, Machine>,
    running: u32,
    booting: u32,
    /// Cores of instances that are booting, by type.
    booting_cores: Vec<u64>,
    /// As the scheduler has told, by type.
    demand: Vec<Demand>,
}

impl Picture {
    pub(super) fn new(types: usize) -> Self {
        Self {
            machines: BTreeMap::new(),
            running: 0,
            booting: 0,
            booting_cores: vec![0; types],
            demand: vec![Demand::default(); types],
        }
    }

    /// All machines that have not gone, lowest number first.
    pub(super) fn machines(&self) -> impl Iterator<Item = (NodeId, &Machine)> {
        self.machines.iter().map(|(&node, machine)| (node, machine))
    }

    pub(super) fn machine(&self, node: NodeId) -> Option<&Machine> {
        self.machines.get(&node)
    }

    /// RUNNING nodes.
    pub(super) fn running(&self) -> u32 {
        self.running
    }

    /// RUNNING nodes and instances that boot.
    pub(super) fn in_sight(&self) -> u32 {
        self.running + self.booting
    }

    /// Instances in any state.
    pub(super) fn instances(&self) -> u32 {
        u32::try_from(self.machines.len()).expect("there are no more instances than the cluster may have")
    }

    /// The node manager's own counts of a type, in nodes. A node with any work is busy to it.
    pub(super) fn size_counts(&self, kind: TypeId, node_type: &NodeType) -> SizeCounts {
        let standing = |wanted: Standing| {
            self.machines.values().filter(move |machine| machine.kind == kind && machine.standing == wanted)
        };
        let (idle, busy): (Vec<&Machine>, Vec<&Machine>) =
            standing(Standing::Running).partition(|machine| machine.busy_cores == 0);
        let wished_cores = self.need_cores(kind) + self.demand[kind.index()].promised_cores;
        SizeCounts {
            wished: wished_cores.div_ceil(u64::from(node_type.cores)) + self.whole_nodes(kind),
            booting: standing(Standing::Booting).count() as u64,
            idle: idle.len() as u64,
            busy: (busy.len() + standing(Standing::Draining).count()) as u64,
        }
    }

    /// What the node manager counts of all types.
    pub(super) fn quota(&self, rules: &PolicyRules) -> Quota {
        Quota {
            max_nodes: u64::from(rules.max_nodes),
            min_nodes: u64::from(rules.min_nodes),
            nodes: self.machines.len() as u64,
        }
    }

    /// Cores of all queued jobs that this type is for.
    pub(super) fn need_cores(&self, kind: TypeId) -> u64 {
        self.demand[kind.index()].need_cores
    }

    /// Nodes of this type that containers lack, those that boot included.
    pub(super) fn whole_nodes(&self, kind: TypeId) -> u64 {
        self.demand[kind.index()].whole_nodes
    }

    /// Cores of instances that boot, of this type.
    pub(super) fn booting_cores(&self, kind: TypeId) -> u64 {
        self.booting_cores[kind.index()]
    }

    /// Free cores of RUNNING nodes that no container is about to take, and cores of instances that boot, of this type.
    pub(super) fn have_cores(&self, kind: TypeId) -> u64 {
        let Demand { free_cores, promised_cores, .. } = self.demand[kind.index()];
        free_cores - promised_cores + self.booting_cores(kind)
    }

    pub(super) fn apply(&mut self, notice: Notice, at: SimTime, node_types: &[NodeType]) {
        match notice {
            Notice::Granted { node, kind } => {
                let standing = Standing::Booting;
                let (granted, busy_cores, idle_since, last_ping) = (at, 0, at, None);
                let machine = Machine { kind, granted, standing, busy_cores, idle_since, last_ping };
                self.machines.insert(node, machine);
                self.count(standing, kind, node_types, true);
            }
            Notice::Running { node } => self.stand(node, Standing::Running, node_types),
            Notice::Draining { node } => self.stand(node, Standing::Draining, node_types),
            Notice::OutOfService { node, drained } => {
                self.stand(node, Standing::OutOfService { drained }, node_types);
            }
            Notice::Stopping { node } => self.stand(node, Standing::Stopping, node_types),
            Notice::Load { node, busy_cores } => {
                if let Some(machine) = self.machines.get_mut(&node) {
                    if busy_cores == 0 {
                        machine.idle_since = at;
                    }
                    machine.busy_cores = busy_cores;
                }
            }
            Notice::Silent { node, last_ping } => self.hear(node, Some(last_ping)),
            Notice::Heard { node } => self.hear(node, None),
            Notice::Demand { kind, demand } => self.demand[kind.index()] = demand,
            Notice::Gone { node } => {
                if let Some(machine) = self.machines.remove(&node) {
                    self.count(machine.standing, machine.kind, node_types, false);
                }
            }
        }
    }

    fn hear(&mut self, node: NodeId, last_ping: Option<SimTime>) {
        if let Some(machine) = self.machines.get_mut(&node) {
            machine.last_ping = last_ping;
        }
    }

    /// A machine stands otherwise now. One that is being stopped stays so, whatever its node does.
    fn stand(&mut self, node: NodeId, standing: Standing, node_types: &[NodeType]) {
        let Some(machine) = self.machines.get_mut(&node) else { return };
        if machine.standing == Standing::Stopping {
            return;
        }
        if standing == Standing::Running {
            machine.last_ping = None;
        }
        let (before, kind) = (std::mem::replace(&mut machine.standing, standing), machine.kind);
        self.count(before, kind, node_types, false);
        self.count(standing, kind, node_types, true);
    }

    fn count(&mut self, standing: Standing, kind: TypeId, node_types: &[NodeType], coming: bool) {
        let cores = u64::from(node_types[kind.index()].cores);
        match (standing, coming) {
            (Standing::Running, true) => self.running += 1,
            (Standing::Running, false) => self.running -= 1,
            (Standing::Booting, true) => {
                self.booting += 1;
                self.booting_cores[kind.index()] += cores;
            }
            (Standing::Booting, false) => {
                self.booting -= 1;
                self.booting_cores[kind.index()] -= cores;
            }
            (Standing::Draining | Standing::OutOfService { .. } | Standing::Stopping, _) => {}
        }
    }
}
