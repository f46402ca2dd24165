//! A node: the agent on an instance, with its containers and its heartbeats.

use actix::{Actor, ActorContext as _, Handler, Message};

use crate::actors::cloud::AgentExits;
use crate::actors::resource_tracker::{Heartbeat, Register, Report, Unregister};
use crate::actors::{Ctx, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::rules::machine::{NodeId, TypeId};
use crate::rules::scheduling::JobIndex;
use crate::time::SimSpan;

/// The instance is up: the agent starts and registers.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct PowerOn {
    /// Of which type the instance is.
    pub kind: TypeId,
    /// The interval of the heartbeats.
    pub interval: SimSpan,
}

/// The instance is being stopped: the agent signs off and ends, and with it all that runs on it.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct PowerOff;

/// Start a container of a gang job.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Launch {
    /// Whose container it is; a gang job has one on a node.
    pub job: JobIndex,
}

/// The container of a gang job ends here, by itself or killed.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct ContainerEnds {
    /// Whose container it is.
    pub job: JobIndex,
}

/// The moment of a heartbeat has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Beat;

/// The resource manager's answer to a registration or a heartbeat (yarn.md 7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[rtype(result = "()")]
pub enum Reply {
    /// Go on.
    Normal,
    /// Register again.
    Resync,
    /// Shut down.
    Shutdown,
}

mailbox! {
    /// What a node hears.
    Mail for Node, in Ctx { PowerOn, PowerOff, Launch, ContainerEnds, Beat, Reply }
}

/// A node's agent. It is never told that it is draining; it learns only that it must shut down.
#[derive(Debug)]
pub struct Node {
    id: NodeId,
    kind: TypeId,
    interval: SimSpan,
    running: Vec<JobIndex>,
}

impl Node {
    /// An agent that has not started yet.
    pub fn new(id: NodeId) -> Self {
        Self { id, kind: TypeId(0), interval: SimSpan::ZERO, running: Vec::new() }
    }

    fn register(&mut self, ctx: &mut Ctx) {
        self.running.clear();
        ctx.start_beats(self.id.0, self.interval);
        ctx.tell(to::ResourceTracker, Register { node: self.id, kind: self.kind });
    }

    fn exit(&mut self, ctx: &mut Ctx) {
        self.running.clear();
        ctx.stop_beats(self.id.0);
        ctx.record(&Fact::Agent { node: self.id, event: "EXIT" });
        ctx.stop();
    }
}

impl Actor for Node {
    type Context = Ctx;
}

impl Handler<PowerOn> for Node {
    type Result = ();

    fn handle(&mut self, message: PowerOn, ctx: &mut Ctx) {
        (self.kind, self.interval) = (message.kind, message.interval);
        self.register(ctx);
    }
}

impl Handler<PowerOff> for Node {
    type Result = ();

    fn handle(&mut self, _: PowerOff, ctx: &mut Ctx) {
        ctx.tell(to::ResourceTracker, Unregister { node: self.id });
        self.exit(ctx);
    }
}

impl Handler<Launch> for Node {
    type Result = ();

    fn handle(&mut self, message: Launch, _: &mut Ctx) {
        self.running.push(message.job);
    }
}

impl Handler<ContainerEnds> for Node {
    type Result = ();

    fn handle(&mut self, message: ContainerEnds, ctx: &mut Ctx) {
        if let Some(place) = self.running.iter().position(|&job| job == message.job) {
            self.running.swap_remove(place);
            ctx.beat_now(self.id.0);
        }
    }
}

impl Handler<Beat> for Node {
    type Result = ();

    fn handle(&mut self, _: Beat, ctx: &mut Ctx) {
        let containers =
            u32::try_from(self.running.len()).expect("a node runs no more containers than cores");
        ctx.tell(to::ResourceTracker, Heartbeat { node: self.id, report: Report { containers } });
    }
}

impl Handler<Reply> for Node {
    type Result = ();

    fn handle(&mut self, reply: Reply, ctx: &mut Ctx) {
        match reply {
            Reply::Normal => {}
            Reply::Resync => self.register(ctx),
            Reply::Shutdown => {
                ctx.tell(to::Cloud, AgentExits { node: self.id });
                self.exit(ctx);
            }
        }
    }
}
