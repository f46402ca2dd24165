//! A trace of applications while it is being put together: they are named, counted, scaled and put in order.

use std::collections::BTreeSet;
use std::path::Path;

use super::app::{App, Ask, Locality, Master, TaskGroup};
use super::app_trace::{AppOptions, AppTrace, HostUse, Simplified, SkippedApp};
use super::error::{AppFault, WorkloadError};
use super::json::Place;
use super::nodes::{Host, NodeSet};
use super::{TraceFormat, WorkloadSpec};
use crate::time::{SimSpan, SimTime};

/// The most tasks that are held: a few GB of memory.
const MOST_TASKS: u64 = 10_000_000;

/// How many attempts an application has (YARN's default, yarn.md 8.4).
const MAX_ATTEMPTS: u32 = 2;

/// An application as its trace describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// When it is submitted.
    pub submit: SimTime,
    /// What its master holds.
    pub master: Ask,
    /// What it does.
    pub tasks: Vec<TaskGroup>,
    /// The hosts that its tasks prefer, each with where it stands.
    pub hosts: Vec<(String, Host)>,
    /// How often it is submitted, at least once.
    pub copies: u32,
    /// How many of its tasks are opportunistic.
    pub opportunistic: u64,
    /// Whether it asks for nodes with a label.
    pub is_labelled: bool,
}

impl Candidate {
    /// How many tasks it has in the groups that are wanted.
    fn count(&self, is_wanted: impl Fn(&TaskGroup) -> bool) -> u64 {
        self.tasks.iter().filter(|group| is_wanted(group)).map(|group| u64::from(group.count)).sum()
    }
}

/// A trace that is being put together.
pub(super) struct Draft<'a> {
    /// The trace's name.
    pub path: &'a Path,
    /// How it is read.
    pub options: &'a AppOptions,
    spec: &'a WorkloadSpec,
    format: TraceFormat,
    /// The cluster's nodes, if they are known.
    known: BTreeSet<&'a str>,
    /// The submit time from which `from` and `until` count, once it is known.
    origin: Option<SimTime>,
    apps: Vec<App>,
    skipped: Vec<SkippedApp>,
    outside: u64,
    nodes: NodeSet,
    names: BTreeSet<String>,
    tasks: u64,
    simplified: Simplified,
}

impl<'a> Draft<'a> {
    /// Nothing read yet.
    ///
    /// # Errors
    /// A factor of `spec` is not a number above 0.
    pub(super) fn new(spec: &'a WorkloadSpec, format: TraceFormat) -> Result<Self, WorkloadError> {
        spec.check_scale()?;
        Ok(Self {
            path: &spec.trace,
            options: &spec.apps,
            spec,
            format,
            known: spec.apps.nodes.iter().map(|node| node.name.as_str()).collect(),
            origin: (format != TraceFormat::Rumen).then_some(SimTime::ZERO),
            apps: Vec::new(),
            skipped: Vec::new(),
            outside: 0,
            nodes: NodeSet::default(),
            names: BTreeSet::new(),
            tasks: 0,
            simplified: Simplified::default(),
        })
    }

    /// Whether as many applications are loaded as were asked for.
    pub(super) fn is_full(&self) -> bool {
        self.spec.is_full(self.apps.len())
    }

    /// Takes in a node that the trace numbers.
    pub(super) fn add_node(&mut self, host: Host) {
        self.nodes.mention(host);
    }

    /// The name of an application that has none: `app-N`, with the first number from `number` on that is free.
    pub(super) fn name_for(&self, number: u64) -> String {
        let mut names = (number..).map(|number| format!("app-{number}"));
        names.find(|name| !self.names.contains(name)).expect("a name is free because numbers do not end")
    }

    /// Takes in an application, or the reason why it is left out.
    ///
    /// # Errors
    /// The trace has more tasks than can be held, or prefers a host that the cluster does not have.
    pub(super) fn add(
        &mut self,
        place: Place,
        name: &str,
        candidate: Result<Candidate, AppFault>,
    ) -> Result<(), WorkloadError> {
        let is_good = || if name.contains('/') { Err(AppFault::BadName) } else { Ok(()) };
        let checked = candidate.and_then(|candidate| is_good().and_then(|()| self.check_racks(candidate)));
        let candidate = match checked {
            Ok(candidate) => candidate,
            Err(fault) => {
                self.skip(place, name.to_owned(), fault);
                return Ok(());
            }
        };
        let origin = *self.origin.get_or_insert(candidate.submit);
        let ms = |at: SimTime| at.as_ms().cast_signed();
        if !self.spec.is_in_window(ms(candidate.submit) - ms(origin)) {
            self.outside += u64::from(candidate.copies);
            return Ok(());
        }
        self.check_hosts(place, &candidate)?;
        self.check_size(name, &candidate)?;
        for copy in 1..=candidate.copies {
            if self.is_full() {
                break;
            }
            let name = if candidate.copies == 1 { name.to_owned() } else { format!("{name}-{copy}") };
            self.add_copy(place, name, &candidate);
        }
        for (_, host) in candidate.hosts {
            self.nodes.mention(host);
        }
        Ok(())
    }

    /// Counts the tasks of all copies that are wanted, before any of them is made.
    fn check_size(&mut self, name: &str, candidate: &Candidate) -> Result<(), WorkloadError> {
        let wanted = self.spec.jobs.map_or(u64::MAX, |most| most.saturating_sub(self.apps.len() as u64));
        let copies = u64::from(candidate.copies).min(wanted);
        self.tasks = self.tasks.saturating_add(candidate.count(|_| true).saturating_mul(copies));
        if self.tasks > MOST_TASKS {
            let (path, name) = (self.path.to_owned(), name.to_owned());
            return Err(WorkloadError::TooManyTasks { path, name, most: MOST_TASKS });
        }
        Ok(())
    }

    /// Takes in one copy of an application.
    fn add_copy(&mut self, place: Place, name: String, candidate: &Candidate) {
        if !self.names.insert(name.clone()) {
            return self.skip(place, name, AppFault::NameTaken);
        }
        self.simplified.opportunistic_tasks += candidate.opportunistic;
        self.simplified.labelled_apps += u64::from(candidate.is_labelled);
        if self.known.is_empty() && self.options.hosts == HostUse::Prefer {
            self.simplified.homeless_tasks +=
                candidate.count(|group| matches!(group.locality, Locality::Prefer(_)));
        }
        self.apps.push(self.app(name, candidate));
    }

    /// Where the cluster's nodes are known, a task prefers one of them.
    fn check_hosts(&self, place: Place, candidate: &Candidate) -> Result<(), WorkloadError> {
        if self.known.is_empty() || self.options.hosts == HostUse::Ignore {
            return Ok(());
        }
        let mut hosts = candidate.hosts.iter();
        let Some((key, host)) = hosts.find(|(_, host)| !self.known.contains(host.name.as_str())) else {
            return Ok(());
        };
        let fault = AppFault::NoSuchHost { key: key.clone(), host: host.name.clone() };
        Err(WorkloadError::Fault {
            path: self.path.to_owned(),
            line: place.line,
            column: place.column,
            fault: fault.into(),
            remedy: "name it in workload.nodes or [[node]], or run tasks anywhere with workload.hosts = \"ignore\"",
        })
    }

    /// A host is known by its name alone, so that it cannot stand in two racks.
    fn check_racks(&self, candidate: Candidate) -> Result<Candidate, AppFault> {
        let mut seen = NodeSet::default();
        for (key, host) in &candidate.hosts {
            let earlier = self.nodes.rack_of(&host.name).or_else(|| seen.rack_of(&host.name));
            match earlier.filter(|earlier| *earlier != host.rack) {
                None => seen.mention(host.clone()),
                Some(earlier) => {
                    return Err(AppFault::RackConflict {
                        key: key.clone(),
                        host: host.name.clone(),
                        rack: host.rack.clone(),
                        earlier: earlier.to_owned(),
                    });
                }
            }
        }
        Ok(candidate)
    }

    fn skip(&mut self, place: Place, name: String, reason: AppFault) {
        self.skipped.push(SkippedApp { name, line: place.line, column: place.column, reason });
    }

    fn app(&self, name: String, candidate: &Candidate) -> App {
        let mut tasks = candidate.tasks.clone();
        if self.options.hosts == HostUse::Ignore {
            tasks.iter_mut().for_each(|group| group.locality = Locality::Any);
        }
        App {
            name,
            submit: candidate.submit,
            master: Master::Container { ask: candidate.master, host: None },
            ends: None,
            allocate_interval: self.options.runner.allocate_interval,
            // The run times of a trace are those of containers, their starts included.
            launch: SimSpan::ZERO,
            rerun: true,
            max_attempts: MAX_ATTEMPTS,
            keep_containers: false,
            tasks,
        }
    }

    /// The instant of the trace's time that is the scenario's start.
    fn start(&self) -> SimTime {
        match self.format {
            TraceFormat::Rumen => self.apps.iter().map(|app| app.submit).min().unwrap_or_default(),
            TraceFormat::Swf | TraceFormat::Sls | TraceFormat::Synth => {
                SimTime::ZERO + self.spec.from.unwrap_or_default()
            }
        }
    }

    /// Counts times from the scenario's start, and scales them.
    ///
    /// # Errors
    /// Scaling leads beyond simulated time.
    fn scale(&mut self) -> Result<(), WorkloadError> {
        let (start, spec) = (self.start(), self.spec);
        for App { name, submit, tasks, .. } in &mut self.apps {
            let too_far = || spec.too_far(&*name);
            let gap_ms = spec.scaled_gap_ms(submit.since(start).as_ms());
            *submit = SimTime::from_ms(gap_ms.ok_or_else(too_far)?);
            for group in tasks {
                group.asks_after = spec.scaled_delay(group.asks_after).ok_or_else(too_far)?;
                if let Some(run) = &mut group.run {
                    *run = spec.scaled_run(*run).ok_or_else(too_far)?;
                }
            }
        }
        Ok(())
    }

    /// The trace, in order of submit time.
    ///
    /// # Errors
    /// No application was loaded, or scaling leads beyond simulated time.
    pub(super) fn finish(mut self, digest: String) -> Result<AppTrace, WorkloadError> {
        if self.apps.is_empty() {
            return Err(self.no_apps());
        }
        self.scale()?;
        self.apps.sort_by_key(|app| app.submit);
        let nodes = match self.options.nodes.as_slice() {
            [] => self.nodes.into_list(),
            known => known.to_vec(),
        };
        let Self { format, apps, skipped, simplified, .. } = self;
        Ok(AppTrace { format, apps, nodes, skipped, simplified, digest })
    }

    fn no_apps(&self) -> WorkloadError {
        let first = self.skipped.first().map(|app| format!(", the first one, {app}"));
        WorkloadError::NoApps {
            path: self.path.to_owned(),
            skipped: self.skipped.len(),
            first: first.unwrap_or_default(),
            outside: self.outside,
        }
    }
}
