//! The books of work: jobs, applications and containers.

use crate::ledger::fact::KillFate;
use crate::ledger::recorder::Recorder;
use crate::ledger::records::{ContainerRecord, JobStage};
use crate::rules::container::{AppId, AppState, ContainerId, ContainerState, ExitStatus, Role};
use crate::rules::machine::NodeId;
use crate::rules::rmnode::RmNodeState;
use crate::rules::scheduling::{Gang, JobIndex};
use crate::time::SimSpan;

impl Recorder {
    pub(super) fn job_waits(&mut self, job: JobIndex) {
        let record = &mut self.jobs[job.index()];
        record.stage = JobStage::Queued;
        self.causes.begin(&mut record.waited);
        self.levels.jobs_queued += 1;
        self.levels.cores_queued += u64::from(self.setup.workload.jobs[job.index()].cores);
    }

    pub(super) fn job_starts(&mut self, gang: &Gang) {
        let record = &mut self.jobs[gang.job.index()];
        (record.stage, record.start) = (JobStage::Running, self.now);
        record.nodes = u32::try_from(gang.shares.len()).expect("a job runs on no more nodes than there are");
        self.causes.end(&mut record.waited);
        self.levels.jobs_queued -= 1;
        self.levels.jobs_running += 1;
        self.levels.cores_queued -= u64::from(self.setup.workload.jobs[gang.job.index()].cores);
        for share in &gang.shares {
            self.load(share.node, 1, share.cores.cast_signed());
        }
    }

    pub(super) fn job_completes(&mut self, gang: &Gang) {
        let ran = self.attempt_ends(gang);
        self.jobs[gang.job.index()].stage = JobStage::Completed;
        self.completed_core_ms += u128::from(ran.as_ms()) * u128::from(gang.cores());
    }

    pub(super) fn job_is_killed(&mut self, gang: &Gang, by: NodeId, fate: KillFate) {
        let ran = self.attempt_ends(gang);
        let saved = self.setup.retries.saved(ran);
        let cores = u128::from(gang.cores());
        let lost_core_ms = u128::from((ran - saved).as_ms()) * cores;
        let record = &mut self.jobs[gang.job.index()];
        record.lost += ran;
        record.saved += saved;
        record.lost_core_ms =
            record.lost_core_ms.saturating_add(u64::try_from(lost_core_ms).unwrap_or(u64::MAX));
        self.lost_core_ms += lost_core_ms;
        self.completed_core_ms += u128::from(saved.as_ms()) * cores;
        let loss = self.drains.losses.entry(by).or_default();
        loss.containers_killed += gang.shares.len() as u64;
        loss.lost_core_ms += lost_core_ms;
        match fate {
            KillFate::Failed => record.stage = JobStage::Failed,
            KillFate::Requeued => {
                record.requeues += 1;
                self.jobs_requeued += 1;
                self.job_waits(gang.job);
            }
        }
    }

    /// Takes an attempt off its nodes. Returns how long it ran.
    fn attempt_ends(&mut self, gang: &Gang) -> SimSpan {
        for share in &gang.shares {
            self.load(share.node, -1, -share.cores.cast_signed());
        }
        self.levels.jobs_running -= 1;
        let record = &mut self.jobs[gang.job.index()];
        record.end = self.now;
        self.now.since(record.start)
    }

    pub(super) fn app_changes_state(&mut self, app: AppId, to: AppState) {
        self.apps[app.index()].state = to;
        let record = &mut self.apps[app.index()].job;
        match to {
            AppState::New => {}
            AppState::Accepted => {
                record.stage = JobStage::Queued;
                self.causes.begin(&mut record.waited);
                self.levels.jobs_queued += 1;
            }
            AppState::Running => self.app_starts(app),
            AppState::Finished | AppState::Failed => {
                record.end = self.now;
                let before = std::mem::replace(
                    &mut record.stage,
                    if to == AppState::Finished { JobStage::Completed } else { JobStage::Failed },
                );
                if before == JobStage::Queued {
                    // Its time was up before it had a master.
                    record.start = self.now;
                    self.causes.end(&mut record.waited);
                    self.levels.jobs_queued -= 1;
                } else {
                    self.levels.jobs_running -= 1;
                }
            }
        }
    }

    /// An application has its first master, or needs none.
    fn app_starts(&mut self, app: AppId) {
        let record = &mut self.apps[app.index()].job;
        if record.stage == JobStage::Queued {
            (record.stage, record.start) = (JobStage::Running, self.now);
            self.causes.end(&mut record.waited);
            self.levels.jobs_queued -= 1;
            self.levels.jobs_running += 1;
        }
    }

    pub(super) fn container_is_asked(&mut self, container: ContainerId, record: ContainerRecord) {
        debug_assert_eq!(container.index(), self.containers.len(), "containers are asked for in order");
        self.levels.cores_queued += u64::from(record.cores);
        if record.role == Role::Master {
            let app = &mut self.apps[record.app.index()];
            app.attempts += 1;
            if app.attempts > 1 {
                app.job.requeues += 1;
                self.jobs_requeued += 1;
            }
        }
        self.containers.push(record);
    }

    pub(super) fn container_moves(
        &mut self,
        container: ContainerId,
        to: ContainerState,
        node: Option<NodeId>,
        exit: Option<ExitStatus>,
    ) {
        let record = &mut self.containers[container.index()];
        let from = std::mem::replace(&mut record.state, to);
        record.node = node;
        match to {
            ContainerState::New | ContainerState::Acquired | ContainerState::Running => {}
            ContainerState::Allocated => record.allocated = Some(self.now),
            ContainerState::Completed | ContainerState::Killed => {
                (record.ended, record.exit) = (Some(self.now), exit);
            }
        }
        let record = *record;
        let is_done = to == ContainerState::Completed && record.role != Role::Master;
        self.apps[record.app.index()].tasks_done += u32::from(is_done);
        if from == ContainerState::New {
            self.levels.cores_queued -= u64::from(record.cores);
        }
        match (from.holds(), to.holds(), node) {
            (false, true, Some(node)) => self.container_comes(&record, node),
            (true, false, Some(node)) => self.container_goes(&record, node),
            _ => {}
        }
    }

    fn container_comes(&mut self, container: &ContainerRecord, node: NodeId) {
        if container.role == Role::Master {
            self.app_starts(container.app);
        }
        let app = &mut self.apps[container.app.index()];
        app.held_cores += container.cores;
        app.peak_cores = app.peak_cores.max(app.held_cores);
        app.nodes.insert(node);
        self.late_allocations +=
            u64::from(self.instances[node.index()].state == RmNodeState::Decommissioning);
        self.load(node, 1, container.cores.cast_signed());
    }

    fn container_goes(&mut self, container: &ContainerRecord, node: NodeId) {
        let cores = u128::from(container.cores);
        let held_ms = container.allocated.map_or(0, |since| self.now.since(since).as_ms());
        let lost_ms = container.lost().as_ms();
        let lost_core_ms = u128::from(lost_ms) * cores;
        self.lost_core_ms += lost_core_ms;
        self.completed_core_ms += u128::from(held_ms - lost_ms) * cores;
        let app = &mut self.apps[container.app.index()];
        app.held_cores -= container.cores;
        if container.exit.is_some_and(ExitStatus::is_loss) {
            app.containers_killed += 1;
            app.job.lost_core_ms =
                app.job.lost_core_ms.saturating_add(u64::try_from(lost_core_ms).unwrap_or(u64::MAX));
            let loss = self.drains.losses.entry(node).or_default();
            loss.containers_killed += 1;
            loss.lost_core_ms += lost_core_ms;
            if container.role == Role::Master {
                loss.masters_killed += 1;
            }
        }
        self.load(node, -1, -container.cores.cast_signed());
    }

    pub(super) fn output_is_lost(&mut self, container: ContainerId) {
        let record = &mut self.containers[container.index()];
        record.output_lost = true;
        self.apps[record.app.index()].tasks_done -= 1;
        let lost_core_ms = u128::from(record.output_lost().as_ms()) * u128::from(record.cores);
        let node = record.node.expect("a map that has ended was on a node");
        self.drains.losses.entry(node).or_default().output_lost_core_ms += lost_core_ms;
    }
}
