//! The master of an application: asks for containers, launches tasks in them, hears of their ends.
//!
//! It speaks with the resource manager at its allocate calls alone, a fixed interval apart. A call at which nothing
//! could be said or heard is not played.

use std::sync::Arc;

use actix::{Actor, Handler, Message};

use crate::actors::node::LaunchTask;
use crate::actors::scheduler::apps::{Allocate, Asked, FinishApp, RegisterApp, RequestMaster, SubmitApp};
use crate::actors::{Ctx, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::rules::container::{AppId, ContainerId};
use crate::rules::machine::NodeId;
use crate::time::{SimSpan, SimTime};
use crate::workload::app::{App, Master, TaskKind};

/// The application is submitted.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Submit;

/// The master's process runs, and registers.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct MasterRuns;

/// The master's container is gone; another will be started.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct MasterLost {
    /// Tasks whose containers go on without it, or whose ends the next master will hear of.
    pub kept: Vec<u32>,
}

/// The time has come to ask for a group of tasks.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct AsksDue {
    /// Its place in the application.
    pub group: usize,
    /// The attempt that it belongs to.
    pub attempt: u32,
}

/// The next allocate call would have something to say or to hear.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct News;

/// The moment of an allocate call.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct Call;

/// The application ends, whatever it still does.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct TimeIsUp;

/// The answer to an allocate call.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Heard {
    /// Containers that are the master's now: which, where, and for which task.
    pub acquired: Vec<(ContainerId, NodeId, u32)>,
    /// Tasks whose containers have ended.
    pub ended: Vec<Ended>,
    /// Maps that had ended and whose output has gone with its node.
    pub lost_outputs: Vec<u32>,
}

impl Heard {
    fn is_empty(&self) -> bool {
        self.acquired.is_empty() && self.ended.is_empty() && self.lost_outputs.is_empty()
    }
}

/// The end of a task's container.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Which task.
    pub task: u32,
    /// Which container.
    pub container: ContainerId,
    /// Whether by itself.
    pub by_itself: bool,
}

mailbox! {
    /// What a master hears.
    Mail for AppMaster, in Ctx { Submit, MasterRuns, MasterLost, AsksDue, News, Call, TimeIsUp, Heard }
}

/// Where a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Not asked for yet.
    Ahead,
    /// To be asked for at the next call.
    Due,
    /// Asked for, or running.
    Asked,
    /// It has ended, in this container, and needs not be done again.
    Done(ContainerId),
    /// It will not be done.
    GivenUp,
}

impl Stage {
    fn is_over(self) -> bool {
        matches!(self, Self::Done(_) | Self::GivenUp)
    }
}

/// One task.
#[derive(Clone, Copy, Debug)]
struct Task {
    group: usize,
    stage: Stage,
}

/// The master.
#[derive(Debug)]
pub struct AppMaster {
    id: AppId,
    app: Arc<App>,
    tasks: Vec<Task>,
    /// Since when it is registered; its calls are whole intervals later.
    registered: Option<SimTime>,
    attempt: u32,
    /// The next call that is played.
    call_at: Option<SimTime>,
    /// There is news that the next attempt will hear.
    news_waits: bool,
    /// Whether a task is due.
    any_due: bool,
    /// When the last of its containers that it has launched will have started.
    launches_until: SimTime,
    finished: bool,
}

impl AppMaster {
    /// The master of an application that is not submitted yet.
    pub fn new(id: AppId, app: Arc<App>) -> Self {
        let groups = app.tasks.iter().enumerate();
        let tasks = groups
            .flat_map(|(group, tasks)| (0..tasks.count).map(move |_| Task { group, stage: Stage::Ahead }));
        let tasks = tasks.collect();
        let launches_until = SimTime::ZERO;
        Self {
            id,
            app,
            tasks,
            registered: None,
            attempt: 0,
            call_at: None,
            news_waits: false,
            any_due: false,
            launches_until,
            finished: false,
        }
    }

    fn kind(&self, task: Task) -> TaskKind {
        self.app.tasks[task.group].kind
    }

    fn any_left(&self, kind: TaskKind) -> bool {
        self.tasks.iter().any(|&task| self.kind(task) == kind && !task.stage.is_over())
    }

    /// The output of a map has gone. While reduces are left, the map is done again (yarn.md 8.5, MapReduce).
    fn output_is_lost(&mut self, number: u32, ctx: &mut Ctx) {
        let needed = self.any_left(TaskKind::Reduce);
        let task = &mut self.tasks[number as usize];
        if let (Stage::Done(container), true) = (task.stage, needed) {
            ctx.record(&Fact::OutputLost { container });
            if self.app.rerun {
                task.stage = Stage::Due;
                self.any_due = true;
            }
        }
    }

    /// Plans the first call after now, unless one is planned.
    fn plan_call(&mut self, ctx: &mut Ctx) {
        let (Some(registered), None) = (self.registered, self.call_at) else { return };
        let calls = ctx.now().since(registered).as_ms() / self.app.allocate_interval.as_ms() + 1;
        let at = registered + self.app.allocate_interval * calls;
        self.call_at = Some(at);
        ctx.tell_after(at.since(ctx.now()), self.id, Call);
    }

    /// What is due is asked for.
    fn ask(&mut self) -> Vec<Asked> {
        let due = self.tasks.iter_mut().zip(0..).filter(|(task, _)| task.stage == Stage::Due);
        due.map(|(task, number)| {
            task.stage = Stage::Asked;
            Asked { task: number, group: task.group }
        })
        .collect()
    }

    /// The tasks of a group are to be asked for if their time has come; reduces wait until all maps are done, too.
    fn make_due(&mut self, group: usize, now: SimTime) {
        let tasks = &self.app.tasks[group];
        let too_early = self.registered.is_none_or(|registered| now < registered + tasks.asks_after);
        let waits = too_early || tasks.kind == TaskKind::Reduce && self.any_left(TaskKind::Map);
        for task in self.tasks.iter_mut().filter(|task| task.group == group && task.stage == Stage::Ahead) {
            if !waits {
                task.stage = Stage::Due;
                self.any_due = true;
            }
        }
    }

    /// How long the container that is launched now takes to start.
    ///
    /// The unmanaged masters of the recorded runs launch one container after another; a managed one, as that of
    /// MapReduce, has a thread for each.
    fn next_start(&mut self, now: SimTime) -> SimSpan {
        let begins = match self.app.master {
            Master::Unmanaged => self.launches_until.max(now),
            Master::Container { .. } => now,
        };
        self.launches_until = begins + self.app.launch;
        self.launches_until.since(now)
    }

    fn finish(&mut self, ctx: &mut Ctx) {
        if !std::mem::replace(&mut self.finished, true) {
            ctx.tell(to::Scheduler, FinishApp { app: self.id });
        }
    }
}

impl Actor for AppMaster {
    type Context = Ctx;

    fn started(&mut self, ctx: &mut Ctx) {
        ctx.tell_after(self.app.submit.since(SimTime::ZERO), self.id, Submit);
    }
}

impl Handler<Submit> for AppMaster {
    type Result = ();

    fn handle(&mut self, _: Submit, ctx: &mut Ctx) {
        if let Some(ends) = self.app.ends {
            ctx.tell_after(ends.since(ctx.now()), self.id, TimeIsUp);
        }
        ctx.tell(to::Scheduler, SubmitApp { app: self.id });
        match &self.app.master {
            Master::Unmanaged => ctx.tell(self.id, MasterRuns),
            Master::Container { .. } => ctx.tell(to::Scheduler, RequestMaster { app: self.id }),
        }
    }
}

impl Handler<MasterRuns> for AppMaster {
    type Result = ();

    fn handle(&mut self, _: MasterRuns, ctx: &mut Ctx) {
        if self.finished {
            return;
        }
        ctx.tell(to::Scheduler, RegisterApp { app: self.id });
        self.attempt += 1;
        self.registered = Some(ctx.now());
        self.call_at = None;
        for (group, tasks) in self.app.tasks.iter().enumerate() {
            ctx.tell_after(tasks.asks_after, self.id, AsksDue { group, attempt: self.attempt });
        }
        if std::mem::take(&mut self.news_waits) {
            self.plan_call(ctx);
        }
        if self.tasks.is_empty() && self.app.ends.is_none() {
            self.finish(ctx);
        }
    }
}

impl Handler<MasterLost> for AppMaster {
    type Result = ();

    fn handle(&mut self, message: MasterLost, _: &mut Ctx) {
        self.registered = None;
        // What that call would have heard is heard by the next attempt.
        self.news_waits |= self.call_at.take().is_some();
        self.any_due = false;
        for (task, number) in self.tasks.iter_mut().zip(0..) {
            if !task.stage.is_over() && !message.kept.contains(&number) {
                task.stage = Stage::Ahead;
            }
        }
    }
}

impl Handler<AsksDue> for AppMaster {
    type Result = ();

    fn handle(&mut self, message: AsksDue, ctx: &mut Ctx) {
        if message.attempt == self.attempt && !self.finished {
            self.make_due(message.group, ctx.now());
            self.plan_call(ctx);
        }
    }
}

impl Handler<News> for AppMaster {
    type Result = ();

    fn handle(&mut self, _: News, ctx: &mut Ctx) {
        if !self.finished {
            self.news_waits = self.registered.is_none();
            self.plan_call(ctx);
        }
    }
}

impl Handler<Call> for AppMaster {
    type Result = ();

    fn handle(&mut self, _: Call, ctx: &mut Ctx) {
        if self.finished || self.call_at != Some(ctx.now()) {
            return;
        }
        self.call_at = None;
        let asks = if std::mem::take(&mut self.any_due) { self.ask() } else { Vec::new() };
        ctx.tell(to::Scheduler, Allocate { app: self.id, asks });
    }
}

impl Handler<Heard> for AppMaster {
    type Result = ();

    fn handle(&mut self, message: Heard, ctx: &mut Ctx) {
        // The master went in the instant of its call, and what it would have launched went with it.
        if self.registered.is_none() && !self.app.keep_containers {
            return;
        }
        if message.is_empty() {
            return;
        }
        for (container, node, task) in message.acquired {
            let run = self.app.tasks[self.tasks[task as usize].group].run;
            if run.is_some() {
                let starts_after = self.next_start(ctx.now());
                let (app, is_master) = (self.id, false);
                ctx.tell(node, LaunchTask { container, app, is_master, starts_after, run });
            }
        }
        for Ended { task, container, by_itself } in message.ended {
            let stage = match (by_itself, self.app.rerun) {
                (true, _) => Stage::Done(container),
                (false, true) => Stage::Due,
                (false, false) => Stage::GivenUp,
            };
            self.tasks[task as usize].stage = stage;
            self.any_due |= stage == Stage::Due;
        }
        for task in message.lost_outputs {
            self.output_is_lost(task, ctx);
        }
        for group in 0..self.app.tasks.len() {
            if self.app.tasks[group].kind == TaskKind::Reduce {
                self.make_due(group, ctx.now());
            }
        }
        if self.any_due {
            self.plan_call(ctx);
        }
        if self.app.ends.is_none() && self.tasks.iter().all(|task| task.stage.is_over()) {
            self.finish(ctx);
        }
    }
}

impl Handler<TimeIsUp> for AppMaster {
    type Result = ();

    fn handle(&mut self, _: TimeIsUp, ctx: &mut Ctx) {
        self.finish(ctx);
    }
}
