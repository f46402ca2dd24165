//! The cloud: grants instances, boots them, stops them.

use std::sync::Arc;

use actix::{Actor, Handler, Message};

use crate::actors::node::{Crash, PowerOff, PowerOn, StartAgain};
use crate::actors::nodes_list::{Exclude, Forget};
use crate::actors::policy::Notice;
use crate::actors::scheduler::{InstanceBoots, InstanceEnds, InstanceLeaves};
use crate::actors::{Ctx, to};
use crate::engine::random::Purpose;
use crate::engine::{Ticket, mailbox};
use crate::ledger::Fact;
use crate::ledger::fact::{GrantReason, InstanceStage, StopReason};
use crate::rules::machine::{BootTime, NodeId, NodeType, TypeId};
use crate::time::SimSpan;

/// Grant instances.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Boot {
    /// Of which type.
    pub kind: TypeId,
    /// How many.
    pub count: u32,
    /// Why.
    pub reason: GrantReason,
}

/// Stop an instance. An order given twice counts once.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Stop {
    /// Which.
    pub node: NodeId,
    /// Why.
    pub reason: StopReason,
}

/// An instance's boot is over.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct BootEnds {
    /// Which.
    pub node: NodeId,
}

/// A boot has failed; the instance stays, and nobody hears of it.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct BootFails {
    /// Which.
    pub node: NodeId,
}

/// The agent on an instance has ended by itself.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct AgentExits {
    /// Where.
    pub node: NodeId,
}

/// Start the agent on an instance again, if it has ended.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct StartAgent {
    /// Where.
    pub node: NodeId,
}

/// A node that was decommissioned is recommissioned: start its agent, now or when it has ended.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct BringBack {
    /// Which node.
    pub node: NodeId,
}

/// The cloud wants an instance back.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Reclaim {
    /// Which.
    pub node: NodeId,
    /// It goes so long after the notice.
    pub notice: SimSpan,
}

/// An instance is taken back.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Reclaimed {
    /// Which.
    pub node: NodeId,
}

/// An instance's stop is over.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct StopEnds {
    /// Which.
    pub node: NodeId,
}

mailbox! {
    /// What the cloud hears.
    Mail for Cloud, in Ctx {
        Boot, Stop, BootEnds, BootFails, AgentExits, StartAgent, BringBack, Reclaim, Reclaimed, StopEnds,
    }
}

/// Where an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The ticket takes the end of the boot back.
    Booting(Ticket),
    BootFailed,
    Up,
    /// Its agent has gone before it.
    AgentGone,
    Stopping,
    Gone,
}

impl Stage {
    /// What the ledger calls it.
    const fn told(self) -> InstanceStage {
        match self {
            Self::Booting(_) | Self::BootFailed => InstanceStage::Booting,
            Self::Up | Self::AgentGone => InstanceStage::Up,
            Self::Stopping => InstanceStage::Stopping,
            Self::Gone => InstanceStage::Gone,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Instance {
    kind: TypeId,
    stage: Stage,
}

impl Instance {
    /// Whether it is paid for and not yet on its way out.
    fn is_there(&self) -> bool {
        !matches!(self.stage, Stage::Stopping | Stage::Gone)
    }
}

/// The cloud.
#[derive(Debug)]
pub struct Cloud {
    node_types: Arc<[NodeType]>,
    heartbeat_interval: SimSpan,
    /// The instances that are there from the start, and when their agents register.
    initial: Vec<(TypeId, SimSpan)>,
    instances: Vec<Instance>,
}

impl Cloud {
    /// A cloud of these types. The `initial` instances are granted at time 0; their agents register when it says.
    pub fn new(
        node_types: Arc<[NodeType]>,
        heartbeat_interval: SimSpan,
        initial: Vec<(TypeId, SimSpan)>,
    ) -> Self {
        Self { node_types, heartbeat_interval, initial, instances: Vec::new() }
    }

    /// Grants an instance. Boots of those that are asked for take their own time and may fail.
    fn grant(&mut self, kind: TypeId, reason: GrantReason, ctx: &mut Ctx) {
        let node = self.next();
        let node_type = &self.node_types[kind.index()];
        let boot = boot_time(&node_type.boot, node, ctx);
        let fails = node_type.boot_failure_ratio > 0.0
            && ctx
                .random()
                .stream(Purpose::BootFailure, u64::from(node.0))
                .chance(node_type.boot_failure_ratio);
        let median = node_type.boot.median();
        self.begin(kind, reason, median, ctx);
        let ticket = if fails {
            ctx.tell_after(boot, to::Cloud, BootFails { node })
        } else {
            ctx.tell_after(boot, to::Cloud, BootEnds { node })
        };
        self.instances.push(Instance { kind, stage: Stage::Booting(ticket) });
    }

    /// Grants an instance that is there from the start.
    fn grant_initial(&mut self, kind: TypeId, registers_after: SimSpan, ctx: &mut Ctx) {
        let node = self.next();
        self.begin(kind, GrantReason::Initial, registers_after, ctx);
        let ticket = ctx.tell_after(registers_after, to::Cloud, BootEnds { node });
        self.instances.push(Instance { kind, stage: Stage::Booting(ticket) });
    }

    /// An instance is gone.
    fn end(&mut self, node: NodeId, ctx: &mut Ctx) {
        let stage = std::mem::replace(&mut self.instances[node.index()].stage, Stage::Gone);
        ctx.record(&Fact::Gone { node, from: stage.told() });
        ctx.tell(to::Policy, Notice::Gone { node });
        ctx.tell(to::Scheduler, InstanceEnds);
        ctx.tell(to::NodesList, Forget { node });
        ctx.request_pass();
    }

    fn next(&self) -> NodeId {
        NodeId(u32::try_from(self.instances.len()).expect("a run grants fewer than 2^32 instances"))
    }

    /// Tells of the next instance, which is expected to register after `expected`.
    fn begin(&self, kind: TypeId, reason: GrantReason, expected: SimSpan, ctx: &mut Ctx) {
        let node = self.next();
        ctx.record(&Fact::Granted { node, kind, reason });
        ctx.tell(to::Policy, Notice::Granted { node, kind });
        ctx.tell(to::Scheduler, InstanceBoots { node, kind, expected });
    }
}

/// The boot time of an instance: its own draw, whatever else happens in the run.
fn boot_time(boot: &BootTime, node: NodeId, ctx: &Ctx) -> SimSpan {
    let stream = || ctx.random().stream(Purpose::BootTime, u64::from(node.0));
    match *boot {
        BootTime::Fixed(span) => span,
        BootTime::Uniform(low, high) => stream().uniform_ms(low, high),
        BootTime::LogNormal { median, p95 } => stream().log_normal_ms(median, p95),
    }
}

impl Actor for Cloud {
    type Context = Ctx;

    fn started(&mut self, ctx: &mut Ctx) {
        for (kind, registers_after) in std::mem::take(&mut self.initial) {
            self.grant_initial(kind, registers_after, ctx);
        }
    }
}

impl Handler<Boot> for Cloud {
    type Result = ();

    fn handle(&mut self, message: Boot, ctx: &mut Ctx) {
        for _ in 0..message.count {
            self.grant(message.kind, message.reason, ctx);
        }
        ctx.request_pass();
    }
}

impl Handler<BootEnds> for Cloud {
    type Result = ();

    fn handle(&mut self, message: BootEnds, ctx: &mut Ctx) {
        let instance = &mut self.instances[message.node.index()];
        instance.stage = Stage::Up;
        let kind = instance.kind;
        ctx.record(&Fact::InstanceUp { node: message.node });
        ctx.tell(message.node, PowerOn { kind, interval: self.heartbeat_interval });
        ctx.request_pass();
    }
}

impl Handler<BootFails> for Cloud {
    type Result = ();

    fn handle(&mut self, message: BootFails, ctx: &mut Ctx) {
        self.instances[message.node.index()].stage = Stage::BootFailed;
        ctx.record(&Fact::BootFailed { node: message.node });
    }
}

impl Handler<AgentExits> for Cloud {
    type Result = ();

    fn handle(&mut self, message: AgentExits, _: &mut Ctx) {
        let instance = &mut self.instances[message.node.index()];
        if instance.stage == Stage::Up {
            instance.stage = Stage::AgentGone;
        }
    }
}

impl Handler<Stop> for Cloud {
    type Result = ();

    fn handle(&mut self, message: Stop, ctx: &mut Ctx) {
        let node = message.node;
        let instance = &mut self.instances[node.index()];
        match instance.stage {
            Stage::Stopping | Stage::Gone => return,
            Stage::Booting(ticket) => {
                ctx.cancel(ticket);
                ctx.tell(to::Scheduler, InstanceLeaves { node });
            }
            Stage::BootFailed => ctx.tell(to::Scheduler, InstanceLeaves { node }),
            Stage::Up => ctx.tell(node, PowerOff),
            Stage::AgentGone => {}
        }
        let stage = std::mem::replace(&mut instance.stage, Stage::Stopping);
        ctx.record(&Fact::StopOrdered { node, from: stage.told(), reason: message.reason });
        let stop = self.node_types[instance.kind.index()].stop;
        ctx.tell_after(stop, to::Cloud, StopEnds { node });
        ctx.request_pass();
    }
}

impl Handler<StartAgent> for Cloud {
    type Result = ();

    fn handle(&mut self, message: StartAgent, ctx: &mut Ctx) {
        let Some(instance) = self.instances.get_mut(message.node.index()) else { return };
        if instance.stage == Stage::AgentGone {
            instance.stage = Stage::Up;
            ctx.tell(message.node, PowerOn { kind: instance.kind, interval: self.heartbeat_interval });
        }
    }
}

impl Handler<BringBack> for Cloud {
    type Result = ();

    fn handle(&mut self, message: BringBack, ctx: &mut Ctx) {
        let node = message.node;
        match self.instances[node.index()].stage {
            Stage::AgentGone => ctx.tell(to::Cloud, StartAgent { node }),
            Stage::Up => ctx.tell(node, StartAgain),
            Stage::Booting(_) | Stage::BootFailed | Stage::Stopping | Stage::Gone => return,
        }
        ctx.record(&Fact::Agent { node, event: "RECOMMISSION" });
    }
}

impl Handler<Reclaim> for Cloud {
    type Result = ();

    /// With the notice, the node is drained for as long as there is time.
    fn handle(&mut self, message: Reclaim, ctx: &mut Ctx) {
        let Reclaim { node, notice } = message;
        if self.instances.get(node.index()).is_some_and(Instance::is_there) {
            ctx.record(&Fact::ReclaimNotice { node });
            ctx.tell(to::NodesList, Exclude { node, timeout: Some(Some(notice)) });
            ctx.tell_after(notice, to::Cloud, Reclaimed { node });
        }
    }
}

impl Handler<Reclaimed> for Cloud {
    type Result = ();

    fn handle(&mut self, message: Reclaimed, ctx: &mut Ctx) {
        let node = message.node;
        let instance = self.instances[node.index()];
        if !instance.is_there() {
            return;
        }
        match instance.stage {
            Stage::Booting(ticket) => {
                ctx.cancel(ticket);
                ctx.tell(to::Scheduler, InstanceLeaves { node });
            }
            Stage::BootFailed => ctx.tell(to::Scheduler, InstanceLeaves { node }),
            Stage::Up => ctx.tell(node, Crash),
            Stage::AgentGone | Stage::Stopping | Stage::Gone => {}
        }
        self.end(node, ctx);
    }
}

impl Handler<StopEnds> for Cloud {
    type Result = ();

    fn handle(&mut self, message: StopEnds, ctx: &mut Ctx) {
        if self.instances[message.node.index()].stage == Stage::Stopping {
            self.end(message.node, ctx);
        }
    }
}
