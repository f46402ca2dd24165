//! A node: the agent on an instance, with its containers and its heartbeats.

use actix::{Actor, ActorContext as _, Handler, Message};

use crate::actors::cloud::AgentExits;
use crate::actors::resource_tracker::{Heartbeat, Register, Report, Unregister};
use crate::actors::scheduler::JobHangs;
use crate::actors::{Ctx, polls, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::rules::agent::{EXIT_AFTER_END, EXIT_AT_WORK, RECONNECT, RECONNECT_GIVES_UP};
use crate::rules::machine::{NodeId, TypeId};
use crate::rules::rmnode::Health;
use crate::rules::scheduling::JobIndex;
use crate::time::{SimSpan, SimTime};

/// The agent starts and registers.
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

/// The agent dies without a word, and its containers with it.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Crash;

/// Nothing that the agent sends arrives.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct FallSilent {
    /// For so long.
    pub span: SimSpan,
}

/// What the agent sends arrives again.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct SilenceEnds;

/// The node's health check fails.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Sicken {
    /// For so long.
    pub span: SimSpan,
}

/// The node's health check passes again.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Recovers;

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

/// The agent tries to find the resource manager again.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Reconnect;

/// The agent's process ends.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Exit;

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
    /// There is none: the connection is lost.
    Unreachable,
}

mailbox! {
    /// What a node hears.
    Mail for Node, in Ctx {
        PowerOn, PowerOff, Crash, FallSilent, SilenceEnds, Sicken, Recovers, Launch, ContainerEnds, Beat, Reconnect,
        Exit, Reply,
    }
}

/// What the agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It has not started, or is dead.
    Off,
    /// It beats.
    Up,
    /// It beats, but nothing arrives.
    Silent,
    /// It looks for a resource manager that it lost at this instant.
    Searching(SimTime),
    /// It was told to shut down.
    Ending,
}

/// A node's agent. It is never told that it is draining; it learns only that it must shut down.
#[derive(Debug)]
pub struct Node {
    id: NodeId,
    kind: TypeId,
    interval: SimSpan,
    stage: Stage,
    health: Health,
    running: Vec<JobIndex>,
    /// An application has ended here since the last answer of the resource manager.
    application_just_ended: bool,
}

impl Node {
    /// An agent that has not started yet.
    pub fn new(id: NodeId) -> Self {
        Self {
            id,
            kind: TypeId(0),
            interval: SimSpan::ZERO,
            stage: Stage::Off,
            health: Health::Healthy,
            running: Vec::new(),
            application_just_ended: false,
        }
    }

    fn register(&mut self, ctx: &mut Ctx) {
        self.stage = Stage::Up;
        ctx.start_beats(self.id.0, self.interval);
        let (node, kind, report) = (self.id, self.kind, self.report());
        ctx.tell(to::ResourceTracker, Register { node, kind, report, applications: self.running.clone() });
    }

    fn report(&self) -> Report {
        let containers =
            u32::try_from(self.running.len()).expect("a node runs no more containers than cores");
        Report { containers, health: self.health }
    }

    /// Its beats stop to arrive; whoever looks for silent nodes shall look.
    fn mute(&self, ctx: &mut Ctx) {
        ctx.stop_beats(self.id.0);
        let now = ctx.now();
        ctx.wake_poll(polls::LIVENESS, now);
        ctx.wake_poll(polls::WATCHER, now);
    }

    /// The resource manager has told it to shut down: its containers die, and it ends a while later (yarn.md 7.1).
    fn shut_down(&mut self, ctx: &mut Ctx) {
        self.stage = Stage::Ending;
        ctx.stop_beats(self.id.0);
        let takes = match (self.running.is_empty(), self.application_just_ended) {
            (true, false) => SimSpan::ZERO,
            (true, true) => EXIT_AFTER_END,
            (false, _) => EXIT_AT_WORK,
        };
        self.running.clear();
        ctx.tell_after(takes, self.id, Exit);
    }

    fn exit(&mut self, ctx: &mut Ctx) {
        self.running.clear();
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
        if self.stage == Stage::Off {
            (self.kind, self.interval) = (message.kind, message.interval);
            self.register(ctx);
        }
    }
}

impl Handler<PowerOff> for Node {
    type Result = ();

    fn handle(&mut self, _: PowerOff, ctx: &mut Ctx) {
        match self.stage {
            Stage::Off => {}
            Stage::Ending => self.exit(ctx),
            Stage::Up | Stage::Silent | Stage::Searching(_) => {
                if self.stage == Stage::Up {
                    ctx.tell(to::ResourceTracker, Unregister { node: self.id });
                }
                self.mute(ctx);
                self.exit(ctx);
            }
        }
    }
}

impl Handler<Crash> for Node {
    type Result = ();

    fn handle(&mut self, _: Crash, ctx: &mut Ctx) {
        if matches!(self.stage, Stage::Off | Stage::Ending) {
            return;
        }
        self.stage = Stage::Off;
        for job in self.running.drain(..) {
            ctx.tell(to::Scheduler, JobHangs { job });
        }
        self.mute(ctx);
        ctx.record(&Fact::Agent { node: self.id, event: "CRASH" });
        ctx.tell(to::Cloud, AgentExits { node: self.id });
    }
}

impl Handler<FallSilent> for Node {
    type Result = ();

    fn handle(&mut self, message: FallSilent, ctx: &mut Ctx) {
        if self.stage == Stage::Up {
            self.stage = Stage::Silent;
            self.mute(ctx);
            ctx.record(&Fact::Agent { node: self.id, event: "SILENCE" });
            ctx.tell_after(message.span, self.id, SilenceEnds);
        }
    }
}

impl Handler<SilenceEnds> for Node {
    type Result = ();

    fn handle(&mut self, _: SilenceEnds, ctx: &mut Ctx) {
        if self.stage == Stage::Silent {
            self.stage = Stage::Up;
            ctx.record(&Fact::Agent { node: self.id, event: "HEARD" });
            ctx.resume_beats(self.id.0);
            ctx.want_beat(self.id.0, ctx.now());
        }
    }
}

impl Handler<Sicken> for Node {
    type Result = ();

    fn handle(&mut self, message: Sicken, ctx: &mut Ctx) {
        if matches!(self.stage, Stage::Off | Stage::Ending) {
            return;
        }
        self.health = Health::Unhealthy;
        ctx.record(&Fact::Agent { node: self.id, event: "UNHEALTHY" });
        ctx.beat_now(self.id.0);
        ctx.tell_after(message.span, self.id, Recovers);
    }
}

impl Handler<Recovers> for Node {
    type Result = ();

    fn handle(&mut self, _: Recovers, ctx: &mut Ctx) {
        self.health = Health::Healthy;
        ctx.record(&Fact::Agent { node: self.id, event: "HEALTHY" });
        ctx.want_beat(self.id.0, ctx.now());
    }
}

impl Handler<Launch> for Node {
    type Result = ();

    fn handle(&mut self, message: Launch, ctx: &mut Ctx) {
        match self.stage {
            Stage::Off | Stage::Ending => ctx.tell(to::Scheduler, JobHangs { job: message.job }),
            Stage::Up | Stage::Silent | Stage::Searching(_) => self.running.push(message.job),
        }
    }
}

impl Handler<ContainerEnds> for Node {
    type Result = ();

    fn handle(&mut self, message: ContainerEnds, ctx: &mut Ctx) {
        if let Some(place) = self.running.iter().position(|&job| job == message.job) {
            self.running.swap_remove(place);
            self.application_just_ended = true;
            ctx.beat_now(self.id.0);
        }
    }
}

impl Handler<Beat> for Node {
    type Result = ();

    fn handle(&mut self, _: Beat, ctx: &mut Ctx) {
        ctx.tell(to::ResourceTracker, Heartbeat { node: self.id, report: self.report() });
    }
}

impl Handler<Reconnect> for Node {
    type Result = ();

    fn handle(&mut self, _: Reconnect, ctx: &mut Ctx) {
        if matches!(self.stage, Stage::Searching(_)) {
            ctx.tell(to::ResourceTracker, Heartbeat { node: self.id, report: self.report() });
        }
    }
}

impl Handler<Exit> for Node {
    type Result = ();

    fn handle(&mut self, _: Exit, ctx: &mut Ctx) {
        if self.stage == Stage::Ending {
            ctx.tell(to::Cloud, AgentExits { node: self.id });
            self.exit(ctx);
        }
    }
}

impl Handler<Reply> for Node {
    type Result = ();

    fn handle(&mut self, reply: Reply, ctx: &mut Ctx) {
        match (reply, self.stage) {
            // It has died between the question and the answer.
            (_, Stage::Off | Stage::Silent | Stage::Ending) => {}
            (Reply::Normal, Stage::Up | Stage::Searching(_)) => self.application_just_ended = false,
            (Reply::Resync, Stage::Up | Stage::Searching(_)) => self.register(ctx),
            (Reply::Shutdown, Stage::Up | Stage::Searching(_)) => self.shut_down(ctx),
            (Reply::Unreachable, Stage::Up) => {
                self.stage = Stage::Searching(ctx.now());
                ctx.stop_beats(self.id.0);
                ctx.tell_after(RECONNECT, self.id, Reconnect);
            }
            (Reply::Unreachable, Stage::Searching(since)) => {
                if ctx.now().since(since) >= RECONNECT_GIVES_UP {
                    self.shut_down(ctx);
                } else {
                    ctx.tell_after(RECONNECT, self.id, Reconnect);
                }
            }
        }
    }
}
