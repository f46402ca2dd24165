//! A node: the agent on an instance, with its containers and its heartbeats.

mod messages;
mod spells;

use actix::{Actor, ActorContext as _, Handler};

use crate::actors::app_master::MasterRuns;
use crate::actors::cloud::{AgentExits, StartAgent};
use crate::actors::policy::Notice;
use crate::actors::resource_tracker::{Heartbeat, Register, Report, Status, Unregister};
use crate::actors::scheduler::JobHangs;
use crate::actors::{Ctx, polls, to};
use crate::engine::{Ticket, mailbox};
use crate::ledger::Fact;
use crate::rules::agent::{EXIT_AFTER_END, EXIT_AT_WORK, RECONNECT, RECONNECT_GIVES_UP};
use crate::rules::container::{AppId, Application, ContainerId, ExitStatus};
use crate::rules::machine::{NodeId, TypeId};
use crate::rules::rmnode::Health;
use crate::rules::scheduling::JobIndex;
use crate::time::{SimSpan, SimTime};

pub use messages::*;

mailbox! {
    /// What a node hears.
    Mail for Node, in Ctx {
        PowerOn, StartAgain, PowerOff, Crash, FallSilent, SilenceEnds, Sicken, Recovers, Launch, ContainerEnds,
        LaunchTask, TaskStarts, KillTask, CleanUp, TaskEnds, AppEnded, Beat, Reconnect, Exit,
        Reply,
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
    /// It was told to shut down; the ticket takes its end back.
    Ending(Ticket),
}

/// A container of an application.
#[derive(Clone, Copy, Debug)]
struct Task {
    container: ContainerId,
    app: AppId,
    is_master: bool,
    /// Takes its start, or then its end, back; `None`: it will not end.
    next: Option<Ticket>,
    /// Whether its process has started. Until then no heartbeat tells of it.
    started: bool,
    /// Whether a heartbeat that tells of it has been answered.
    reported: bool,
    /// Whether the next answer ends it. No heartbeat has news of it any more.
    condemned: bool,
}

/// A node's agent. It is never told that it is draining; it learns only that it must shut down.
#[derive(Debug)]
pub struct Node {
    id: NodeId,
    kind: TypeId,
    /// From its registration to its first beats; what it is told at a beat is known to the beat clock.
    interval: SimSpan,
    stage: Stage,
    health: Health,
    running: Vec<JobIndex>,
    tasks: Vec<Task>,
    /// Containers that have ended, until a heartbeat that tells of them is answered.
    completed: Vec<(ContainerId, AppId)>,
    /// Applications that have had a container here and have not ended.
    apps: Vec<AppId>,
    /// An application has ended here since the last answer of the resource manager.
    application_just_ended: bool,
    /// Whether it starts again once it has ended.
    starts_again: bool,
    /// Whether it was silent, and nothing that it sent has arrived since.
    unheard: bool,
    /// When its silence ends.
    silent_until: SimTime,
    /// When its health check passes again.
    sick_until: SimTime,
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
            tasks: Vec::new(),
            completed: Vec::new(),
            apps: Vec::new(),
            application_just_ended: false,
            starts_again: false,
            unheard: false,
            silent_until: SimTime::ZERO,
            sick_until: SimTime::ZERO,
        }
    }

    fn register(&mut self, ctx: &mut Ctx) {
        self.stage = Stage::Up;
        ctx.start_beats(self.id.0, self.interval);
        let (node, kind, report) = (self.id, self.kind, self.report());
        let jobs = self.running.iter().map(|&job| Application::Job(job));
        let applications = jobs.chain(self.apps.iter().map(|&app| Application::App(app))).collect();
        for task in &mut self.tasks {
            task.reported = false;
        }
        ctx.tell(to::ResourceTracker, Register { node, kind, report, applications });
    }

    fn report(&self) -> Report {
        let containers = self.running.len() + self.tasks.iter().filter(|task| task.started).count();
        let containers = u32::try_from(containers).expect("a node runs no more containers than cores");
        Report { containers, health: self.health }
    }

    /// Sends a heartbeat.
    fn speak(&self, ctx: &mut Ctx) {
        let runs = self.tasks.iter().filter(|task| task.started && !task.reported && !task.condemned);
        let runs = runs.map(|task| Status { container: task.container, app: task.app, exit: None });
        let exit = Some(ExitStatus::Success);
        let completed = self.completed.iter().map(|&(container, app)| Status { container, app, exit });
        let news: Vec<Status> = runs.chain(completed).collect();
        let news = (!news.is_empty()).then(|| Box::new(news));
        ctx.tell(to::ResourceTracker, Heartbeat { node: self.id, report: self.report(), news });
    }

    /// All that runs here dies.
    fn drop_work(&mut self, ctx: &mut Ctx) {
        for next in self.tasks.drain(..).filter_map(|task| task.next) {
            ctx.cancel(next);
        }
        self.running.clear();
        self.completed.clear();
    }

    /// Takes a container of an application off, if it is there.
    fn end_task(&mut self, container: ContainerId) -> Option<Task> {
        let place = self.tasks.iter().position(|task| task.container == container)?;
        Some(self.tasks.swap_remove(place))
    }

    /// Ends the containers that the resource manager wants cleaned up. Returns whether there were any.
    fn clean_up(&mut self, ctx: &mut Ctx) -> bool {
        let (condemned, others): (Vec<_>, _) = self.tasks.drain(..).partition(|task| task.condemned);
        self.tasks = others;
        for next in condemned.iter().filter_map(|task| task.next) {
            ctx.cancel(next);
        }
        !condemned.is_empty()
    }

    /// Its beats stop to arrive; whoever looks for silent nodes shall look.
    fn mute(&self, ctx: &mut Ctx) {
        ctx.stop_beats(self.id.0);
        let now = ctx.now();
        ctx.wake_poll(polls::LIVENESS, now);
        ctx.wake_poll(polls::WATCHER, now);
    }

    /// The policy counts how long it has been silent.
    fn tell_silence(&mut self, ctx: &mut Ctx) {
        self.unheard = true;
        let last_ping = ctx.last_beat(self.id.0);
        ctx.tell(to::Policy, Notice::Silent { node: self.id, last_ping });
    }

    /// The resource manager has told it to shut down: its containers die, and it ends a while later (yarn.md 7.1).
    fn shut_down(&mut self, ctx: &mut Ctx) {
        self.mute(ctx);
        let no_application = self.running.is_empty() && self.apps.is_empty();
        let takes = match (no_application, self.application_just_ended) {
            (true, false) => SimSpan::ZERO,
            (true, true) => EXIT_AFTER_END,
            (false, _) => EXIT_AT_WORK,
        };
        self.drop_work(ctx);
        self.stage = Stage::Ending(ctx.tell_after(takes, self.id, Exit));
    }

    fn exit(&mut self, ctx: &mut Ctx) {
        self.drop_work(ctx);
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

impl Handler<StartAgain> for Node {
    type Result = ();

    fn handle(&mut self, _: StartAgain, _: &mut Ctx) {
        self.starts_again = matches!(self.stage, Stage::Ending(_));
    }
}

impl Handler<PowerOff> for Node {
    type Result = ();

    fn handle(&mut self, _: PowerOff, ctx: &mut Ctx) {
        match self.stage {
            Stage::Off => {}
            Stage::Ending(_) => self.exit(ctx),
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
        match self.stage {
            Stage::Off => return,
            // Its work is gone, and nobody looks for its beats.
            Stage::Ending(exit) => ctx.cancel(exit),
            Stage::Up | Stage::Silent | Stage::Searching(_) => {
                for job in self.running.drain(..) {
                    ctx.tell(to::Scheduler, JobHangs { job });
                }
                self.drop_work(ctx);
                self.mute(ctx);
                self.tell_silence(ctx);
            }
        }
        self.stage = Stage::Off;
        self.silent_until = SimTime::ZERO;
        self.starts_again = false;
        self.apps.clear();
        ctx.record(&Fact::Agent { node: self.id, event: "CRASH" });
        ctx.tell(to::Cloud, AgentExits { node: self.id });
    }
}

impl Handler<Launch> for Node {
    type Result = ();

    fn handle(&mut self, message: Launch, ctx: &mut Ctx) {
        match self.stage {
            Stage::Off | Stage::Ending(_) => ctx.tell(to::Scheduler, JobHangs { job: message.job }),
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

impl Handler<LaunchTask> for Node {
    type Result = ();

    fn handle(&mut self, message: LaunchTask, ctx: &mut Ctx) {
        if matches!(self.stage, Stage::Off | Stage::Ending(_)) {
            return;
        }
        let LaunchTask { container, app, is_master, starts_after, run } = message;
        let start = ctx.tell_after(starts_after, self.id, TaskStarts { container, run });
        let next = Some(start);
        let (started, reported, condemned) = (false, false, false);
        self.tasks.push(Task { container, app, is_master, next, started, reported, condemned });
        if !self.apps.contains(&app) {
            self.apps.push(app);
        }
    }
}

impl Handler<TaskStarts> for Node {
    type Result = ();

    fn handle(&mut self, message: TaskStarts, ctx: &mut Ctx) {
        let TaskStarts { container, run } = message;
        let Some(task) = self.tasks.iter_mut().find(|task| task.container == container) else { return };
        task.started = true;
        task.next = run.map(|run| ctx.tell_after(run, self.id, TaskEnds { container }));
        if task.is_master {
            ctx.tell(task.app, MasterRuns);
        }
        ctx.record(&Fact::ContainerStarts { container });
        ctx.want_beat(self.id.0, ctx.now());
    }
}

impl Handler<KillTask> for Node {
    type Result = ();

    fn handle(&mut self, message: KillTask, ctx: &mut Ctx) {
        if let Some(task) = self.end_task(message.container) {
            if let Some(next) = task.next {
                ctx.cancel(next);
            }
            ctx.beat_now(self.id.0);
        }
    }
}

impl Handler<CleanUp> for Node {
    type Result = ();

    fn handle(&mut self, message: CleanUp, ctx: &mut Ctx) {
        self.completed.retain(|&(container, _)| container != message.container);
        let Some(task) = self.tasks.iter_mut().find(|task| task.container == message.container) else {
            return;
        };
        task.condemned = true;
        // The resource manager would turn away a process that starts only now.
        if !task.started
            && let Some(start) = task.next.take()
        {
            ctx.cancel(start);
        }
        ctx.want_beat(self.id.0, ctx.now());
    }
}

impl Handler<TaskEnds> for Node {
    type Result = ();

    fn handle(&mut self, message: TaskEnds, ctx: &mut Ctx) {
        if let Some(task) = self.end_task(message.container) {
            if !task.condemned {
                self.completed.push((task.container, task.app));
            }
            ctx.beat_now(self.id.0);
        }
    }
}

impl Handler<AppEnded> for Node {
    type Result = ();

    fn handle(&mut self, message: AppEnded, _: &mut Ctx) {
        let before = self.apps.len();
        self.apps.retain(|&app| app != message.app);
        self.application_just_ended |= self.apps.len() < before;
    }
}

impl Handler<Beat> for Node {
    type Result = ();

    fn handle(&mut self, _: Beat, ctx: &mut Ctx) {
        if std::mem::take(&mut self.unheard) {
            ctx.tell(to::Policy, Notice::Heard { node: self.id });
        }
        self.speak(ctx);
    }
}

impl Handler<Reconnect> for Node {
    type Result = ();

    fn handle(&mut self, _: Reconnect, ctx: &mut Ctx) {
        if matches!(self.stage, Stage::Searching(_)) {
            self.speak(ctx);
        }
    }
}

impl Handler<Exit> for Node {
    type Result = ();

    fn handle(&mut self, _: Exit, ctx: &mut Ctx) {
        if matches!(self.stage, Stage::Ending(_)) {
            ctx.tell(to::Cloud, AgentExits { node: self.id });
            if self.starts_again {
                ctx.tell(to::Cloud, StartAgent { node: self.id });
            }
            self.exit(ctx);
        }
    }
}

impl Handler<Reply> for Node {
    type Result = ();

    fn handle(&mut self, reply: Reply, ctx: &mut Ctx) {
        match (reply, self.stage) {
            // It has died between the question and the answer.
            (_, Stage::Off | Stage::Silent | Stage::Ending(_)) => {}
            (Reply::Normal { interval }, Stage::Up | Stage::Searching(_)) => {
                ctx.change_beat_interval(self.id.0, interval);
                self.application_just_ended = false;
                self.completed.clear();
                for task in self.tasks.iter_mut().filter(|task| task.started) {
                    task.reported = true;
                }
                if self.clean_up(ctx) {
                    ctx.beat_now(self.id.0);
                }
            }
            (Reply::Resync, Stage::Up | Stage::Searching(_)) => {
                self.clean_up(ctx);
                self.register(ctx);
            }
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
