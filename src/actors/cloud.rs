//! The cloud: grants instances, boots them, stops them.

use std::sync::Arc;

use actix::{Actor, Handler, Message};

use crate::actors::node::{PowerOff, PowerOn};
use crate::actors::nodes_list::Forget;
use crate::actors::policy::Notice;
use crate::actors::scheduler::{InstanceBoots, InstanceEnds, InstanceLeaves};
use crate::actors::{Ctx, to};
use crate::engine::random::Purpose;
use crate::engine::{Ticket, mailbox};
use crate::ledger::Fact;
use crate::ledger::fact::{GrantReason, StopReason};
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

/// An instance's stop is over.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct StopEnds {
    /// Which.
    pub node: NodeId,
}

mailbox! {
    /// What the cloud hears.
    Mail for Cloud, in Ctx { Boot, Stop, BootEnds, BootFails, AgentExits, StopEnds }
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
}

#[derive(Clone, Copy, Debug)]
struct Instance {
    kind: TypeId,
    stage: Stage,
}

/// The cloud.
#[derive(Debug)]
pub struct Cloud {
    node_types: Arc<[NodeType]>,
    heartbeat_interval: SimSpan,
    /// How many instances of the first type are up at time 0.
    initial: u32,
    instances: Vec<Instance>,
}

impl Cloud {
    /// A cloud of these types; `initial` nodes of the first are up, registered and idle at time 0.
    pub fn new(node_types: Arc<[NodeType]>, heartbeat_interval: SimSpan, initial: u32) -> Self {
        Self { node_types, heartbeat_interval, initial, instances: Vec::new() }
    }

    fn grant(&mut self, kind: TypeId, reason: GrantReason, ctx: &mut Ctx) {
        let node =
            NodeId(u32::try_from(self.instances.len()).expect("a run grants fewer than 2^32 instances"));
        ctx.record(&Fact::Granted { node, kind, reason });
        ctx.tell(to::Policy, Notice::Granted { node, kind });
        let node_type = &self.node_types[kind.index()];
        ctx.tell(to::Scheduler, InstanceBoots { node, kind });
        let boot = match reason {
            GrantReason::Initial => SimSpan::ZERO,
            GrantReason::Shortfall | GrantReason::BelowMinimum => boot_time(&node_type.boot, node, ctx),
        };
        let fails = reason != GrantReason::Initial
            && node_type.boot_failure_ratio > 0.0
            && ctx
                .random()
                .stream(Purpose::BootFailure, u64::from(node.0))
                .chance(node_type.boot_failure_ratio);
        let ticket = if fails {
            ctx.tell_after(boot, to::Cloud, BootFails { node })
        } else {
            ctx.tell_after(boot, to::Cloud, BootEnds { node })
        };
        self.instances.push(Instance { kind, stage: Stage::Booting(ticket) });
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
        for _ in 0..self.initial {
            self.grant(TypeId(0), GrantReason::Initial, ctx);
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
        self.instances[message.node.index()].stage = Stage::AgentGone;
    }
}

impl Handler<Stop> for Cloud {
    type Result = ();

    fn handle(&mut self, message: Stop, ctx: &mut Ctx) {
        let node = message.node;
        let instance = &mut self.instances[node.index()];
        match instance.stage {
            Stage::Stopping => return,
            Stage::Booting(ticket) => {
                ctx.cancel(ticket);
                ctx.tell(to::Scheduler, InstanceLeaves { node });
            }
            Stage::BootFailed => ctx.tell(to::Scheduler, InstanceLeaves { node }),
            Stage::Up => ctx.tell(node, PowerOff),
            Stage::AgentGone => {}
        }
        instance.stage = Stage::Stopping;
        ctx.record(&Fact::StopOrdered { node, reason: message.reason });
        let stop = self.node_types[instance.kind.index()].stop;
        ctx.tell_after(stop, to::Cloud, StopEnds { node });
        ctx.request_pass();
    }
}

impl Handler<StopEnds> for Cloud {
    type Result = ();

    fn handle(&mut self, message: StopEnds, ctx: &mut Ctx) {
        ctx.record(&Fact::Gone { node: message.node });
        ctx.tell(to::Policy, Notice::Gone { node: message.node });
        ctx.tell(to::Scheduler, InstanceEnds);
        ctx.tell(to::NodesList, Forget { node: message.node });
        ctx.request_pass();
    }
}
