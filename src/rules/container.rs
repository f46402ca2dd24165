//! Containers of applications as the resource manager sees them (yarn.md 8).

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
    /// By itself.
    Success,
    /// With its node, or released.
    Aborted,
    /// After its application had ended.
    KilledAfterAppEnd,
}

impl ExitStatus {
    /// YARN's number of it.
    pub const fn code(self) -> i32 {
        match self {
            Self::Success => 0,
            Self::Aborted => -100,
            Self::KilledAfterAppEnd => -107,
        }
    }
}
