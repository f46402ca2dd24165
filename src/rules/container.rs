//! Containers of applications as the resource manager sees them (yarn.md 8).

use crate::rules::scheduling::JobIndex;

/// An application, by its place in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AppId(pub u32);

impl AppId {
    /// Its place in tables of all applications.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A container, by the order in which all containers were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContainerId(pub u32);

impl ContainerId {
    /// Its place in tables of all containers.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What stands in a node's `runningApplications` (yarn.md 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Application {
    /// A batch job: an application without a master.
    Job(JobIndex),
    /// One with or without.
    App(AppId),
}

/// What a container is to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It runs the master.
    Master,
    /// A task without ties to others.
    Task,
    /// A task whose output stays on its node.
    Map,
    /// A task that reads the output of all maps.
    Reduce,
}

impl Role {
    /// The word for it in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Master => "master",
            Self::Task => "task",
            Self::Map => "map",
            Self::Reduce => "reduce",
        }
    }
}

/// Where a container is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerState {
    /// Asked for.
    New,
    /// It has a node, and its master does not know yet.
    Allocated,
    /// Its master knows.
    Acquired,
    /// A heartbeat has told that it runs.
    Running,
    /// It has ended by itself.
    Completed,
    /// It has not.
    Killed,
}

impl ContainerState {
    /// YARN's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "NEW",
            Self::Allocated => "ALLOCATED",
            Self::Acquired => "ACQUIRED",
            Self::Running => "RUNNING",
            Self::Completed => "COMPLETED",
            Self::Killed => "KILLED",
        }
    }

    /// Whether it holds its share of a node.
    pub const fn holds(self) -> bool {
        match self {
            Self::Allocated | Self::Acquired | Self::Running => true,
            Self::New | Self::Completed | Self::Killed => false,
        }
    }
}

/// How a container ended (yarn.md 8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// By itself, and well.
    Success,
    /// With its node, or released, expired or vanished.
    Aborted,
    /// The disks of its node failed.
    DisksFailed,
    /// To make room, or since its node's total became smaller.
    Preempted,
    /// It took more virtual memory than it may.
    ExceededVirtualMemory,
    /// It took more memory than it may.
    ExceededPhysicalMemory,
    /// By its application's master.
    KilledByMaster,
    /// By the resource manager.
    KilledByResourceManager,
    /// After its application had ended.
    KilledAfterAppEnd,
    /// By its node's own scheduler of containers.
    KilledByContainerScheduler,
    /// Since it wrote too much of a log.
    KilledForExcessLogs,
    /// By itself, and not well.
    Failure,
}

impl ExitStatus {
    /// YARN's number of it. A failure has that of its process; 1 stands for all of them.
    pub const fn code(self) -> i32 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Aborted => -100,
            Self::DisksFailed => -101,
            Self::Preempted => -102,
            Self::ExceededVirtualMemory => -103,
            Self::ExceededPhysicalMemory => -104,
            Self::KilledByMaster => -105,
            Self::KilledByResourceManager => -106,
            Self::KilledAfterAppEnd => -107,
            Self::KilledByContainerScheduler => -108,
            Self::KilledForExcessLogs => -109,
        }
    }

    /// Whether an attempt whose master ended so counts toward the most that an application has (yarn.md 8.4).
    pub const fn counts_as_failure(self) -> bool {
        match self {
            Self::Aborted | Self::DisksFailed | Self::Preempted | Self::KilledByResourceManager => false,
            Self::Success
            | Self::ExceededVirtualMemory
            | Self::ExceededPhysicalMemory
            | Self::KilledByMaster
            | Self::KilledAfterAppEnd
            | Self::KilledByContainerScheduler
            | Self::KilledForExcessLogs
            | Self::Failure => true,
        }
    }

    /// Whether the work of a container that ended so was for nothing, by no fault of its own: what is not held against
    /// a master is not held against a task.
    pub const fn is_loss(self) -> bool {
        !self.counts_as_failure()
    }
}

/// What follows the failed attempt of an application's master.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// Another attempt.
    TriesAgain,
    /// The application fails.
    Fails,
}

/// What follows an attempt that has failed, after so many `failures` that count. If an application has a single
/// attempt, any failed one ends it, whether it counts or not (yarn.md 8.4).
pub const fn after_failed_attempt(failures: u32, max_attempts: u32) -> Disposition {
    if max_attempts <= 1 || failures >= max_attempts { Disposition::Fails } else { Disposition::TriesAgain }
}

/// Where an application is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppState {
    /// Not submitted yet.
    #[default]
    New,
    /// Submitted; no attempt of its master has registered.
    Accepted,
    /// Its master has registered.
    Running,
    /// It has ended by itself.
    Finished,
    /// It has used its attempts up.
    Failed,
}

impl AppState {
    /// YARN's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "NEW",
            Self::Accepted => "ACCEPTED",
            Self::Running => "RUNNING",
            Self::Finished => "FINISHED",
            Self::Failed => "FAILED",
        }
    }

    /// Whether nothing more will come of it.
    pub const fn is_over(self) -> bool {
        match self {
            Self::Finished | Self::Failed => true,
            Self::New | Self::Accepted | Self::Running => false,
        }
    }

    /// The word for what led to it.
    pub const fn event(self) -> &'static str {
        match self {
            Self::New => "",
            Self::Accepted => "SUBMIT",
            Self::Running => "REGISTER",
            Self::Finished => "FINISH",
            Self::Failed => "FAIL",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_as_the_specification_says() {
        use Disposition::{Fails, TriesAgain};
        use ExitStatus::{Aborted, DisksFailed, Failure, Preempted};
        // (id of yarn.md 10.6, most attempts, how each attempt ended, what follows each).
        let ends = [Preempted, Preempted, DisksFailed, Aborted, Failure, Failure];
        let follows = [TriesAgain, TriesAgain, TriesAgain, TriesAgain, TriesAgain, Fails];
        let rows: [(&str, u32, &[ExitStatus], &[Disposition]); 2] =
            [("SC-11", 2, &ends, &follows), ("SC-12", 1, &[Preempted], &[Fails])];
        for (id, max_attempts, ends, follows) in rows {
            let mut failures = 0;
            for (exit, wanted) in ends.iter().zip(follows) {
                failures += u32::from(exit.counts_as_failure());
                assert_eq!(after_failed_attempt(failures, max_attempts), *wanted, "{id}, {exit:?}");
            }
        }
    }
}
