//! Models that are being filled key by key. All of their fields have keys, so nothing of a blank one is left.

use std::path::PathBuf;
use std::sync::Arc;

use super::model::Scenario;
use crate::rules::billing::Billing;
use crate::rules::drain::{Behaviour, DrainRules, FirstReportRace};
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
use crate::workload::{Overrun, WorkloadSpec};

/// A scenario to be filled.
pub(super) struct Draft {
    /// What goes to its final place at once.
    pub scenario: Scenario,
    /// The log; without a trace there is none.
    pub workload: WorkloadSpec,
    pub scaling: ScalingDraft,
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
            workload: blank_workload(),
            scaling: ScalingDraft { is_on: false, min: None, max: None, speedup: 1.0, slowdown: 1.0 },
            nodes: Vec::new(),
            moments: Vec::new(),
        }
    }

    /// The bounds of the scaled interval.
    pub(super) fn scaling_bounds(&self) -> (SimSpan, SimSpan) {
        let interval = self.scenario.heartbeat.interval;
        (self.scaling.min.unwrap_or(interval), self.scaling.max.unwrap_or(interval))
    }

    /// The scenario, once everything is filled and found right.
    pub(super) fn finished(self) -> Scenario {
        let (min, max) = self.scaling_bounds();
        let ScalingDraft { is_on, speedup, slowdown, .. } = self.scaling;
        let mut scenario = self.scenario;
        scenario.heartbeat.scaling = is_on.then_some(Scaling { min, max, speedup, slowdown });
        scenario.workload = Some(self.workload).filter(|workload| workload.trace != PathBuf::new());
        let type_of = |node: &NodeDraft| {
            let named =
                |node_type: &NodeType| node.type_name.as_ref().is_none_or(|name| *name == node_type.name);
            let index = scenario.node_types.iter().position(named);
            TypeId(index.and_then(|index| u8::try_from(index).ok()).unwrap_or_default())
        };
        let named = |node: &NodeDraft| NamedNode {
            name: node.name.clone(),
            kind: type_of(node),
            registers_at: node.registers_at,
        };
        scenario.script.nodes = self.nodes.iter().map(named).collect();
        let actions = self.moments.into_iter().flat_map(|Moment { at, actions }| {
            actions.into_iter().map(move |action| Scripted { at, action })
        });
        scenario.script.actions = actions.collect();
        scenario.script.actions.sort_by_key(|scripted| scripted.at);
        scenario
    }
}

fn blank_scenario() -> Scenario {
    Scenario {
        name: String::new(),
        seed: 0,
        horizon: None,
        workload: None,
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

fn blank_workload() -> WorkloadSpec {
    WorkloadSpec {
        trace: PathBuf::new(),
        jobs: None,
        from: None,
        until: None,
        scale_load: 1.0,
        scale_time: 1.0,
        overrun: Overrun::Keep,
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
