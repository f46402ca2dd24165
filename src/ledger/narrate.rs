//! The story: each fact as a row of `events.csv`.

use std::any::Any;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::ledger::fact::{DrainReason, Fact, InstanceStage};
use crate::ledger::levels::Levels;
use crate::ledger::records::{AppRecord, ContainerRecord, InstanceRecord, JobRecord};
use crate::rules::container::{AppId, AppState, Application, ContainerId, ContainerState};
use crate::rules::drain::StatusLine;
use crate::rules::machine::{HostName, HostNames, NodeId, NodeType};
use crate::rules::rmnode::RmNodeState;
use crate::rules::scheduling::{Gang, JobIndex};
use crate::time::SimTime;
use crate::workload::Job;
use crate::workload::app::App;

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A job, by its number in the log.
    Job(u64),
    /// An RMNode.
    Node(HostName<'a>),
    /// An instance of the cloud.
    Instance(HostName<'a>),
    /// A drain.
    Drain(HostName<'a>),
    /// A node's agent.
    Agent(HostName<'a>),
    /// An application.
    App(&'a str),
    /// A container of an application, by its number.
    Container(&'a str, u32),
    /// Those who administer the cluster.
    Administrator,
    /// The include and exclude lists.
    Lists,
}

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job(id) => write!(f, "job-{id}"),
            Self::Node(host) => write!(f, "{host}"),
            Self::Instance(host) => write!(f, "{host} instance"),
            Self::Drain(host) => write!(f, "{host} drain"),
            Self::Agent(host) => write!(f, "{host} agent"),
            Self::App(name) => f.write_str(name),
            Self::Container(name, number) => write!(f, "{name}/{number}"),
            Self::Administrator => f.write_str("administrator"),
            Self::Lists => f.write_str("lists"),
        }
    }
}

/// One row of `events.csv`.
#[derive(Clone, Copy, Debug)]
pub struct EventRow<'a> {
    /// When.
    pub time: SimTime,
    /// The actor that did it.
    pub actor: &'static str,
    /// What it is about.
    pub subject: Subject<'a>,
    /// What happened.
    pub event: &'static str,
    /// The state before; empty if there was none.
    pub from: &'static str,
    /// The state after; empty if it does not change.
    pub to: &'static str,
    /// Why, in `key=value` words.
    pub detail: &'a str,
}

/// One block of the status log: a draining node as the watcher's poll finds it (yarn.md 3.5).
#[derive(Clone, Debug)]
pub struct DrainRow<'a> {
    /// When.
    pub time: SimTime,
    /// The node.
    pub host: HostName<'a>,
    /// How it stands.
    pub line: StatusLine,
    /// What runs on it.
    pub applications: Vec<AppRow<'a>>,
}

/// An application of a draining node in the status log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppRow<'a> {
    /// Which.
    pub subject: Subject<'a>,
    /// Its state.
    pub state: AppState,
    /// `app` or `batch`, as in `jobs.csv`.
    pub kind: &'static str,
    /// Tasks done, in percent of all, cut off; `None`: it has none, or is a batch job.
    pub progress_percent: Option<u64>,
    /// Whole seconds since its submission, cut off.
    pub age_s: u64,
}

/// Where the story goes while the run is played. It is given back at the end, and whoever gave it knows its type.
pub trait Sink: Any {
    /// Something happened.
    fn event(&mut self, row: &EventRow<'_>);
    /// The watcher's poll found a draining node so.
    fn draining(&mut self, row: &DrainRow<'_>);
    /// From this instant on the levels are these.
    fn step(&mut self, time: SimTime, levels: &Levels);
}

/// What the narrator looks things up in.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'a> {
    pub jobs: &'a [Job],
    pub node_types: &'a [NodeType],
    pub instances: &'a [InstanceRecord],
    pub hosts: &'a HostNames,
    pub apps: &'a [Arc<App>],
    pub containers: &'a [ContainerRecord],
    pub job_records: &'a [JobRecord],
    pub app_records: &'a [AppRecord],
}

impl<'a> Lookup<'a> {
    fn app_name(&self, app: AppId) -> &'a str {
        &self.apps[app.index()].name
    }

    fn container(&self, container: ContainerId) -> Subject<'a> {
        let record = &self.containers[container.index()];
        Subject::Container(self.app_name(record.app), record.number)
    }

    fn app_row(&self, application: Application, now: SimTime) -> AppRow<'a> {
        let age_s = |submit: SimTime| now.since(submit).as_ms() / 1000;
        match application {
            Application::Job(index) => {
                let job = &self.jobs[index.index()];
                let state = self.job_records[index.index()].stage.app_state();
                let (subject, age_s) = (Subject::Job(job.id), age_s(job.submit));
                AppRow { subject, state, kind: "batch", progress_percent: None, age_s }
            }
            Application::App(id) => {
                let (app, record) = (&self.apps[id.index()], &self.app_records[id.index()]);
                let tasks = app.tasks.iter().map(|group| u64::from(group.count)).sum();
                let percent = (u64::from(record.tasks_done).min(tasks) * 100).checked_div(tasks);
                let (subject, age_s) = (Subject::App(&app.name), age_s(app.submit));
                AppRow { subject, state: record.state, kind: "app", progress_percent: percent, age_s }
            }
        }
    }
}

/// Tells `fact` to `sink`, with `detail` as a buffer. Called before the fact changes the records.
pub(super) fn narrate(
    fact: &Fact,
    time: SimTime,
    lookup: Lookup<'_>,
    detail: &mut String,
    sink: &mut dyn Sink,
) {
    if let Fact::DrainPolled { node, line, applications } = fact {
        let (host, line) = (lookup.hosts.of(*node), *line);
        let applications =
            applications.iter().map(|&application| lookup.app_row(application, time)).collect();
        sink.draining(&DrainRow { time, host, line, applications });
        return;
    }
    detail.clear();
    let Some((actor, subject, event, from, to)) = words(fact, lookup) else { return };
    describe(fact, time, lookup, detail).expect("writing to a string cannot fail");
    sink.event(&EventRow { time, actor, subject, event, from, to, detail });
}

type Words<'a> = (&'static str, Subject<'a>, &'static str, &'static str, &'static str);

/// Actor, subject, event, state before and state after; `None` for what is not a change of state.
fn words<'a>(fact: &Fact, lookup: Lookup<'a>) -> Option<Words<'a>> {
    use InstanceStage::{Booting, Gone, Stopping, Up};
    let host = |node| lookup.hosts.of(node);
    let instance = |node| Subject::Instance(host(node));
    let job = |index: JobIndex| Subject::Job(lookup.jobs[index.index()].id);
    Some(match *fact {
        Fact::JobArrived { job: index } => ("submitter", job(index), "SUBMIT", "", "QUEUED"),
        Fact::JobStarted { ref gang, .. } => ("scheduler", job(gang.job), "START", "QUEUED", "RUNNING"),
        Fact::JobCompleted { ref gang } => ("scheduler", job(gang.job), "END", "RUNNING", "COMPLETED"),
        Fact::JobKilled { ref gang, fate, .. } => {
            ("scheduler", job(gang.job), "KILL", "RUNNING", fate.state())
        }
        Fact::QueueHead { .. }
        | Fact::ContainerStarts { .. }
        | Fact::EventDropped
        | Fact::DrainPolled { .. } => return None,
        Fact::Granted { node, .. } => ("cloud", instance(node), "GRANT", "", Booting.name()),
        Fact::InstanceUp { node } => ("cloud", instance(node), "UP", Booting.name(), Up.name()),
        Fact::BootFailed { node } => ("cloud", instance(node), "BOOT_FAIL", Booting.name(), Booting.name()),
        Fact::StopOrdered { node, from, .. } => {
            ("policy", instance(node), "START_SHUTDOWN", from.name(), Stopping.name())
        }
        Fact::Gone { node, from } => ("cloud", instance(node), "GONE", from.name(), Gone.name()),
        Fact::RmNode { node, event, from, to, .. } => {
            ("resource_tracker", Subject::Node(host(node)), event, from.name(), to.name())
        }
        Fact::Resized { node, state, .. } => {
            ("resource_tracker", Subject::Node(host(node)), "RESOURCE_UPDATE", state.name(), state.name())
        }
        Fact::IllegalEvent { node, event, state } => {
            ("resource_tracker", Subject::Node(host(node)), event, state.name(), state.name())
        }
        Fact::DrainOrdered { node, .. } => ("policy", Subject::Drain(host(node)), "START_DRAIN", "", "NONE"),
        // The first one belongs to the order of the drain; told are those that change a drain under way.
        Fact::DrainTimeout { node, .. }
            if lookup.instances[node.index()].state == RmNodeState::Decommissioning =>
        {
            ("resource_tracker", Subject::Drain(host(node)), "TIMEOUT_UPDATE", "", "")
        }
        Fact::DrainTimeout { .. } => return None,
        Fact::App { app, from, to } => {
            let before = if from == AppState::New { "" } else { from.name() };
            ("resource_manager", Subject::App(lookup.app_name(app)), to.event(), before, to.name())
        }
        Fact::NodeTold { app, update, .. } => {
            ("resource_manager", Subject::App(lookup.app_name(app)), update.name(), "", "")
        }
        Fact::ContainerAsked { app, number, .. } => {
            let subject = Subject::Container(lookup.app_name(app), number);
            ("app_master", subject, "ASK", "", ContainerState::New.name())
        }
        Fact::ContainerMoved { container, event, from, to, .. } => {
            ("scheduler", lookup.container(container), event, from.name(), to.name())
        }
        Fact::OutputLost { container } => ("app_master", lookup.container(container), "OUTPUT_LOST", "", ""),
        Fact::Administration { event } => ("admin", Subject::Administrator, event, "", ""),
        Fact::Refreshed { .. } => ("nodes_list", Subject::Lists, "REFRESH", "", ""),
        Fact::ReclaimNotice { node } => ("cloud", instance(node), "RECLAIM_NOTICE", "", ""),
        Fact::DrainStatus { node, from, to } => {
            ("watcher", Subject::Drain(host(node)), "STATUS", from.name(), to.name())
        }
        Fact::Agent { node, event } => {
            let was_told = matches!(event, "SHUTDOWN" | "RESYNC" | "RECOMMISSION");
            let actor = if was_told { "resource_tracker" } else { "node" };
            (actor, Subject::Agent(host(node)), event, "", "")
        }
    })
}

/// Writes why it happened.
fn describe(fact: &Fact, time: SimTime, lookup: Lookup<'_>, out: &mut String) -> fmt::Result {
    match fact {
        Fact::JobArrived { job } => write!(out, "cores={}", lookup.jobs[job.index()].cores),
        Fact::JobStarted { gang, reason } => {
            write!(out, "reason={} cores={} nodes=", reason.name(), gang.cores())?;
            write_nodes(gang, out)
        }
        Fact::JobKilled { gang, by, cause, .. } => {
            write!(out, "by={} cause={} nodes={}", lookup.hosts.of(*by), cause.name(), gang.shares.len())
        }
        Fact::Granted { kind, reason, .. } => {
            write!(out, "type={} reason={}", lookup.node_types[kind.index()].name, reason.name())
        }
        Fact::StopOrdered { reason, .. } => write!(out, "reason={}", reason.name()),
        Fact::RmNode { cause: Some(cause), .. } => write!(out, "cause={}", cause.name()),
        Fact::DrainOrdered { reason, busy_cores, .. } => match reason {
            DrainReason::Matrix { node_state, idle_since } => {
                write!(out, "reason=matrix state={node_state} idle_s={}", seconds(time, *idle_since))
            }
            DrainReason::Surplus { nodes } => {
                write!(out, "reason=surplus nodes={nodes} busy_cores={busy_cores}")
            }
        },
        Fact::IllegalEvent { .. } => out.write_str("illegal"),
        Fact::Resized { total, .. } => {
            write!(out, "cores={}", total.cores)?;
            total.memory_bytes.map_or(Ok(()), |bytes| write!(out, " memory_bytes={bytes}"))
        }
        Fact::DrainTimeout { timeout: Some(timeout), .. } => write!(out, "timeout={timeout}"),
        Fact::DrainTimeout { timeout: None, .. } => out.write_str("timeout=never"),
        Fact::ContainerMoved { node, exit, .. } => {
            if let Some(node) = node {
                write!(out, "node={}", lookup.hosts.of(*node))?;
            }
            exit.map_or(Ok(()), |exit| write!(out, " exit={}", exit.code()))
        }
        Fact::NodeTold { node, report, .. } => write!(out, "node={} {report}", lookup.hosts.of(*node)),
        Fact::ContainerAsked { ask_cores, .. } => write!(out, "cores={ask_cores}"),
        Fact::Refreshed { outcome } => write!(out, "outcome={outcome}"),
        Fact::JobCompleted { .. }
        | Fact::QueueHead { .. }
        | Fact::ContainerStarts { .. }
        | Fact::EventDropped
        | Fact::InstanceUp { .. }
        | Fact::BootFailed { .. }
        | Fact::Gone { .. }
        | Fact::RmNode { cause: None, .. }
        | Fact::DrainStatus { .. }
        | Fact::DrainPolled { .. }
        | Fact::App { .. }
        | Fact::OutputLost { .. }
        | Fact::Administration { .. }
        | Fact::ReclaimNotice { .. }
        | Fact::Agent { .. } => Ok(()),
    }
}

/// The span between two instants, in seconds.
fn seconds(later: SimTime, earlier: SimTime) -> SimTime {
    SimTime::from_ms(later.since(earlier).as_ms())
}

/// The nodes of a gang as `first-last:cores`, runs of equal shares taken together: `1-7:8 9:4`.
fn write_nodes(gang: &Gang, out: &mut String) -> fmt::Result {
    let number = |node: NodeId| u64::from(node.0) + 1;
    let mut shares = gang.shares.iter().peekable();
    let mut first_run = true;
    while let Some(first) = shares.next() {
        let mut last = first;
        while let Some(next) =
            shares.next_if(|next| next.node.0 == last.node.0 + 1 && next.cores == first.cores)
        {
            last = next;
        }
        if !first_run {
            out.push(' ');
        }
        first_run = false;
        write!(out, "{}", number(first.node))?;
        if last.node != first.node {
            write!(out, "-{}", number(last.node))?;
        }
        write!(out, ":{}", first.cores)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::scheduling::{JobIndex, Share};

    #[test]
    fn equal_shares_of_neighbours_are_taken_together() {
        let share = |node, cores| Share { node: NodeId(node), cores };
        let shares = vec![share(0, 8), share(1, 8), share(2, 8), share(4, 8), share(5, 4), share(3, 4)];
        let mut out = String::new();
        write_nodes(&Gang { job: JobIndex(0), shares }, &mut out).expect("a string takes all");
        assert_eq!(out, "1-3:8 5:8 6:4 4:4");
    }
}
