//! Models that are being filled key by key. All of their fields have keys, so nothing of a blank one is left.

use std::path::PathBuf;
use std::sync::Arc;

use super::model::Scenario;
use crate::rules::behaviour::Behaviour;
use crate::rules::billing::Billing;
use crate::rules::drain::{DrainRules, FirstReportRace};
use crate::rules::elastic::{Mapping, PolicyKind, PolicyRules};
use crate::rules::heartbeat::{HeartbeatRules, Scaling};
use crate::rules::machine::{BootTime, MinimumAllocation, NodeType, TypeId};
use crate::rules::matrix::Matrix;
use crate::rules::scheduling::{Discipline, Placement, Retries, Scheduling, Trigger};
use crate::rules::script::{Action, NamedNode, Script, Scripted};
use crate::rules::untracked::TrackingRules;
use crate::rules::windows::ShutdownWindows;
use crate::time::{SimSpan, SimTime};
use crate::workload::app::{App, Ask, Locality, Master, TaskGroup, TaskKind};
use crate::workload::{NodeFile, NodeSpec, WorkloadSpec};

/// A scenario to be filled.
pub(super) struct Draft {
    /// What goes to its final place at once.
    pub scenario: Scenario,
    /// The log; without a trace there is none.
    pub workload: WorkloadSpec,
    pub scaling: ScalingDraft,
    /// Further nodes, from a node file; none without one.
    pub node_file: NodeFile,
    pub nodes: Vec<NodeDraft>,
    pub moments: Vec<Moment>,
}

/// Scaling of the heartbeat, to be filled. A bound that is `None` is the interval itself.
pub(super) struct ScalingDraft {
    pub is_on: bool,
    pub min: Option<SimSpan>,
    pub max: Option<SimSpan>,
    pub speedup: f64,
    pub slowdown: f64,
}

/// A named node to be filled. Without a type it is of the first one.
pub(super) struct NodeDraft {
    pub name: String,
    pub type_name: Option<String>,
    pub registers_at: SimTime,
}

/// One `[[at]]` to be filled, with all actions that it has.
pub(super) struct Moment {
    pub at: SimTime,
    pub actions: Vec<Action>,
}

impl Draft {
    /// A scenario of which nothing is known yet.
    pub(super) fn blank() -> Self {
        Self {
            scenario: blank_scenario(),
            workload: WorkloadSpec::whole(PathBuf::new()),
            scaling: ScalingDraft { is_on: false, min: None, max: None, speedup: 1.0, slowdown: 1.0 },
            node_file: NodeFile { nodes: Vec::new(), digest: String::new() },
            nodes: Vec::new(),
            moments: Vec::new(),
        }
    }

    /// The bounds of the scaled interval.
    pub(super) fn scaling_bounds(&self) -> (SimSpan, SimSpan) {
        let interval = self.scenario.heartbeat.interval;
        (self.scaling.min.unwrap_or(interval), self.scaling.max.unwrap_or(interval))
    }

    /// The longest time between two beats, and the key that says so.
    pub(super) fn longest_interval(&self) -> (&'static str, SimSpan) {
        match self.scaling {
            ScalingDraft { is_on: true, max: Some(max), .. } => ("heartbeat.scaling_max", max),
            ScalingDraft { .. } => ("heartbeat.interval", self.scenario.heartbeat.interval),
        }
    }

    /// The names of all nodes that are there from the start, in order.
    pub(super) fn node_names(&self) -> impl Iterator<Item = &str> {
        let of_tables = self.nodes.iter().map(|node| node.name.as_str());
        of_tables.chain(self.node_file.nodes.iter().map(|node| node.name.as_str()))
    }

    /// Cores and KiB of memory of a node of the node file; what it does not say is the runner's.
    pub(super) fn size_of(&self, node: &NodeSpec) -> (u32, u64) {
        let unsaid = self.workload.apps.runner.node;
        (node.cores.unwrap_or(unsaid.cores), node.memory_kib.unwrap_or(unsaid.memory_kib))
    }

    /// The first node type of a node's size; one that counts no memory has any.
    pub(super) fn type_like(&self, node: &NodeSpec) -> Option<TypeId> {
        let (cores, memory_kib) = self.size_of(node);
        let is_like = |node_type: &NodeType| {
            let memory = node_type.memory_bytes;
            node_type.cores == cores && memory.is_none_or(|bytes| bytes == memory_kib * 1024)
        };
        type_id(self.scenario.node_types.iter().position(is_like))
    }

    /// The nodes of the node file, once each is known to have a type.
    fn file_nodes(&self) -> Vec<NamedNode> {
        let nodes = self.node_file.nodes.iter();
        let named = nodes.filter_map(|node| {
            let kind = self.type_like(node)?;
            Some(NamedNode { name: node.name.clone(), kind, registers_at: SimTime::ZERO })
        });
        named.collect()
    }

    /// The scenario, once everything is filled and found right.
    pub(super) fn finished(mut self) -> Scenario {
        // A trace may prefer any node that is there from the start.
        let of_tables = self.nodes.iter().map(|node| NodeSpec::named(&node.name));
        self.workload.apps.nodes = of_tables.chain(self.node_file.nodes.iter().cloned()).collect();
        let file_nodes = self.file_nodes();
        let (min, max) = self.scaling_bounds();
        let ScalingDraft { is_on, speedup, slowdown, .. } = self.scaling;
        let mut scenario = self.scenario;
        scenario.heartbeat.scaling = is_on.then_some(Scaling { min, max, speedup, slowdown });
        scenario.workload = Some(self.workload).filter(|workload| workload.trace != PathBuf::new());
        let type_of = |node: &NodeDraft| {
            let named =
                |node_type: &NodeType| node.type_name.as_ref().is_none_or(|name| *name == node_type.name);
            type_id(scenario.node_types.iter().position(named)).unwrap_or(TypeId(0))
        };
        let named = |node: &NodeDraft| NamedNode {
            name: node.name.clone(),
            kind: type_of(node),
            registers_at: node.registers_at,
        };
        scenario.script.nodes = self.nodes.iter().map(named).chain(file_nodes).collect();
        scenario.nodes_fnv1a = self.node_file.digest;
        let actions = self.moments.into_iter().flat_map(|Moment { at, actions }| {
            actions.into_iter().map(move |action| Scripted { at, action })
        });
        scenario.script.actions = actions.collect();
        scenario.script.actions.sort_by_key(|scripted| scripted.at);
        scenario
    }
}

/// The type at a place in the scenario's list.
fn type_id(place: Option<usize>) -> Option<TypeId> {
    place.and_then(|place| u8::try_from(place).ok()).map(TypeId)
}

fn blank_scenario() -> Scenario {
    Scenario {
        name: String::new(),
        seed: 0,
        horizon: None,
        workload: None,
        nodes_fnv1a: String::new(),
        apps: Vec::new(),
        script: Script::default(),
        retries: Retries { max_requeues: None, checkpoint_every: None },
        node_types: Vec::new(),
        billing: Billing { quantum: SimSpan::MILLISECOND, minimum: SimSpan::ZERO },
        heartbeat: HeartbeatRules {
            interval: SimSpan::MILLISECOND,
            expiry: None,
            check_offset: None,
            scaling: None,
        },
        scheduling: Scheduling {
            discipline: Discipline::Fifo,
            placement: Placement::Pack,
            trigger: Trigger::Pass,
            late_round: false,
        },
        policy: PolicyRules {
            kind: PolicyKind::None,
            poll: SimSpan::MILLISECOND,
            idle_grace: None,
            boot_grace: None,
            ping_stale_after: None,
            report_age: SimSpan::ZERO,
            windows: ShutdownWindows::always(),
            matrix: Arc::new(Matrix::page()),
            mapping: Mapping::Page,
            bug_compatible: false,
            min_nodes: 0,
            max_nodes: 0,
        },
        decommission: DrainRules {
            timeout: None,
            poll: SimSpan::MILLISECOND,
            poll_offset: SimSpan::ZERO,
            wait_for_applications: true,
            wait_for_app_masters: true,
            delay: SimSpan::ZERO,
            first_report_race: FirstReportRace::Faithful,
            behaviour: Behaviour::Source,
            status_log: false,
        },
        tracking: TrackingRules {
            removal_timeout: SimSpan::MILLISECOND,
            removal_states: Vec::new(),
            even_without_include: false,
            misses_unregistered: false,
        },
        minimum: MinimumAllocation { cores: 0, memory_bytes: None },
    }
}

/// A node type to be filled.
pub(super) fn blank_node_type() -> NodeType {
    NodeType {
        name: String::new(),
        cores: 0,
        memory_bytes: None,
        price_per_hour_micros: 0,
        boot: BootTime::Fixed(SimSpan::ZERO),
        boot_failure_ratio: 0.0,
        stop: SimSpan::ZERO,
    }
}

/// A named node to be filled.
pub(super) fn blank_node() -> NodeDraft {
    NodeDraft { name: String::new(), type_name: None, registers_at: SimTime::ZERO }
}

/// An application to be filled.
pub(super) fn blank_app() -> App {
    App {
        name: String::new(),
        submit: SimTime::ZERO,
        master: Master::Unmanaged,
        ends: None,
        allocate_interval: SimSpan::MILLISECOND,
        launch: SimSpan::ZERO,
        rerun: false,
        max_attempts: 0,
        keep_containers: false,
        tasks: Vec::new(),
    }
}

/// Equal tasks to be filled.
pub(super) fn blank_task() -> TaskGroup {
    TaskGroup {
        count: 0,
        kind: TaskKind::Plain,
        ask: Ask { cores: 0, memory_kib: 0 },
        locality: Locality::Any,
        asks_after: SimSpan::ZERO,
        run: None,
    }
}

/// An `[[at]]` to be filled.
pub(super) fn blank_moment() -> Moment {
    Moment { at: SimTime::ZERO, actions: Vec::new() }
}
