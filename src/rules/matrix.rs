//! The node manager's policy matrix (node_manager.md 5): which action a node's classification calls for.
//!
//! [`crate::rules::classify`] says how a node comes by its classification. The words are those of the published
//! table, and a table of one's own is read from a CSV with the same words.

mod from_csv;
#[cfg(test)]
mod tests;

pub use from_csv::MatrixError;

/// Declares one column of the matrix: an enum, its values in order, and their words, each written once.
macro_rules! column {
    ($(#[$enum_doc:meta])* $name:ident = $column:literal { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$enum_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word for it in the published table.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl Word for $name {
            const COLUMN: &'static str = $column;
            const VALUES: &'static [Self] = Self::ALL;
            fn word(self) -> &'static str { self.name() }
        }
    };
}

/// A value that stands in one column of the matrix's CSV.
trait Word: Copy + 'static {
    const COLUMN: &'static str;
    const VALUES: &'static [Self];
    fn word(self) -> &'static str;
}

column! {
    /// What the node manager takes a node for.
    NodeState = "node_state" {
        /// Work stands on it.
        Busy = "busy",
        /// It cannot do useful work.
        Down = "down",
        /// It waits for work.
        Idle = "idle",
        /// Its instance is granted, its agent has not been heard of.
        Unpaired = "unpaired",
        /// Slurm's `fail`: jobs keep failing on it.
        Fail = "fail",
    }
}

column! {
    /// Whether the paid hour lets an instance be stopped now.
    Window = "billing_window" {
        /// Not now.
        Closed = "closed",
        /// Now.
        Open = "open",
    }
}

column! {
    /// Whether the instance has had the time to boot.
    BootGrace = "boot_grace" {
        /// It may still be booting.
        Wait = "boot wait",
        /// It should be up by now.
        Exceeded = "boot exceeded",
    }
}

column! {
    /// Whether the node has been idle for long enough.
    IdleGrace = "idle_grace" {
        /// It is not idle.
        NotIdle = "not idle",
        /// Idle, but not for long enough.
        Wait = "idle wait",
        /// Idle for long enough.
        Exceeded = "idle exceeded",
    }
}

column! {
    /// What the matrix calls for.
    Action = "action" {
        /// Nothing.
        None = "",
        /// Give the node no more work, then stop it.
        StartDrain = "START_DRAIN",
        /// Stop the instance.
        StartShutdown = "START_SHUTDOWN",
    }
}

/// A node's classification: the key of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tuple {
    /// What the node is taken for.
    pub state: NodeState,
    /// Whether its paid hour lets it go.
    pub window: Window,
    /// Whether it has had the time to boot.
    pub boot: BootGrace,
    /// Whether it has been idle for long enough.
    pub idle: IdleGrace,
}

impl Tuple {
    /// How many there are.
    pub const COUNT: usize = 60;

    /// Every tuple, ordered by its columns from left to right.
    pub fn all() -> impl Iterator<Item = Self> {
        NodeState::ALL.iter().flat_map(|&state| {
            Window::ALL.iter().flat_map(move |&window| {
                BootGrace::ALL.iter().flat_map(move |&boot| {
                    IdleGrace::ALL.iter().map(move |&idle| Self { state, window, boot, idle })
                })
            })
        })
    }

    /// Its place among [`Tuple::all`].
    const fn index(self) -> usize {
        ((self.state as usize * 2 + self.window as usize) * 2 + self.boot as usize) * 3 + self.idle as usize
    }
}

impl std::fmt::Display for Tuple {
    /// As a row of the CSV begins: `down,closed,boot wait,not idle`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{},{},{}", self.state.name(), self.window.name(), self.boot.name(), self.idle.name())
    }
}

/// A decision table. Equal ones decide alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    actions: [Action; Tuple::COUNT],
}

impl Matrix {
    /// The policy page's table of 2016-04-14, 48 rows.
    pub fn page() -> Self {
        Self::from_rule(page_rule)
    }

    /// The table of the last code, 60 rows.
    pub fn last() -> Self {
        Self::from_rule(last_rule)
    }

    /// What to do with a node so classified.
    ///
    /// A table without rows for `fail` takes it for `down`, as the page's own classification does (node_manager.md
    /// 2.0).
    pub const fn action(&self, tuple: Tuple) -> Action {
        self.actions[tuple.index()]
    }

    fn from_rule(rule: impl Fn(Tuple) -> Action) -> Self {
        let mut actions = [Action::None; Tuple::COUNT];
        for tuple in Tuple::all() {
            actions[tuple.index()] = rule(tuple);
        }
        Self { actions }
    }
}

/// The 48 rows of the policy page in the order of policy_matrix_48.csv, to be laid beside it.
#[rustfmt::skip]
fn page_rule(tuple: Tuple) -> Action {
    use self::Action::{None as Nothing, StartDrain, StartShutdown};
    use self::BootGrace as Boot;
    use self::IdleGrace as Grace;
    use self::NodeState::{Busy, Down, Fail, Idle, Unpaired};
    use self::Window::{Closed, Open};
    match (tuple.state, tuple.window, tuple.boot, tuple.idle) {
        (Busy, Closed, Boot::Exceeded, Grace::Exceeded) => Nothing,
        (Busy, Closed, Boot::Exceeded, Grace::Wait) => Nothing,
        (Busy, Closed, Boot::Exceeded, Grace::NotIdle) => Nothing,
        (Busy, Closed, Boot::Wait, Grace::Exceeded) => Nothing,
        (Busy, Closed, Boot::Wait, Grace::Wait) => Nothing,
        (Busy, Closed, Boot::Wait, Grace::NotIdle) => Nothing,
        (Busy, Open, Boot::Exceeded, Grace::Exceeded) => Nothing,
        (Busy, Open, Boot::Exceeded, Grace::Wait) => Nothing,
        (Busy, Open, Boot::Exceeded, Grace::NotIdle) => Nothing,
        (Busy, Open, Boot::Wait, Grace::Exceeded) => Nothing,
        (Busy, Open, Boot::Wait, Grace::Wait) => Nothing,
        (Busy, Open, Boot::Wait, Grace::NotIdle) => Nothing,
        (Down, Closed, Boot::Exceeded, Grace::Exceeded) => StartShutdown,
        (Down, Closed, Boot::Exceeded, Grace::Wait) => StartShutdown,
        (Down, Closed, Boot::Exceeded, Grace::NotIdle) => StartShutdown,
        (Down, Closed, Boot::Wait, Grace::Exceeded) => StartShutdown,
        (Down, Closed, Boot::Wait, Grace::Wait) => StartShutdown,
        (Down, Closed, Boot::Wait, Grace::NotIdle) => StartShutdown,
        (Down, Open, Boot::Exceeded, Grace::Exceeded) => StartShutdown,
        (Down, Open, Boot::Exceeded, Grace::Wait) => StartShutdown,
        (Down, Open, Boot::Exceeded, Grace::NotIdle) => StartShutdown,
        (Down, Open, Boot::Wait, Grace::Exceeded) => StartShutdown,
        (Down, Open, Boot::Wait, Grace::Wait) => StartShutdown,
        (Down, Open, Boot::Wait, Grace::NotIdle) => StartShutdown,
        (Idle, Closed, Boot::Exceeded, Grace::Exceeded) => Nothing,
        (Idle, Closed, Boot::Exceeded, Grace::Wait) => Nothing,
        (Idle, Closed, Boot::Exceeded, Grace::NotIdle) => Nothing,
        (Idle, Closed, Boot::Wait, Grace::Exceeded) => Nothing,
        (Idle, Closed, Boot::Wait, Grace::Wait) => Nothing,
        (Idle, Closed, Boot::Wait, Grace::NotIdle) => Nothing,
        (Idle, Open, Boot::Exceeded, Grace::Exceeded) => StartDrain,
        (Idle, Open, Boot::Exceeded, Grace::Wait) => Nothing,
        (Idle, Open, Boot::Exceeded, Grace::NotIdle) => Nothing,
        (Idle, Open, Boot::Wait, Grace::Exceeded) => StartDrain,
        (Idle, Open, Boot::Wait, Grace::Wait) => Nothing,
        (Idle, Open, Boot::Wait, Grace::NotIdle) => Nothing,
        (Unpaired, Closed, Boot::Exceeded, Grace::Exceeded) => StartShutdown,
        (Unpaired, Closed, Boot::Exceeded, Grace::Wait) => StartShutdown,
        (Unpaired, Closed, Boot::Exceeded, Grace::NotIdle) => StartShutdown,
        (Unpaired, Closed, Boot::Wait, Grace::Exceeded) => Nothing,
        (Unpaired, Closed, Boot::Wait, Grace::Wait) => Nothing,
        (Unpaired, Closed, Boot::Wait, Grace::NotIdle) => Nothing,
        (Unpaired, Open, Boot::Exceeded, Grace::Exceeded) => StartShutdown,
        (Unpaired, Open, Boot::Exceeded, Grace::Wait) => StartShutdown,
        (Unpaired, Open, Boot::Exceeded, Grace::NotIdle) => StartShutdown,
        (Unpaired, Open, Boot::Wait, Grace::Exceeded) => Nothing,
        (Unpaired, Open, Boot::Wait, Grace::Wait) => Nothing,
        (Unpaired, Open, Boot::Wait, Grace::NotIdle) => Nothing,
        // The page has no such rows: it takes a failing node for down.
        (Fail, Closed | Open, Boot::Wait | Boot::Exceeded, Grace::NotIdle | Grace::Wait | Grace::Exceeded) => {
            page_rule(Tuple { state: Down, ..tuple })
        }
    }
}

/// The 60 rows of the last code: the page's, but for three cells changed on 2016-04-20 so that a slow boot is not
/// killed, and the twelve rows for `fail` added on 2017-12-12.
fn last_rule(tuple: Tuple) -> Action {
    match (tuple.state, tuple.window, tuple.boot) {
        (NodeState::Down, Window::Closed, BootGrace::Wait) => Action::None,
        (NodeState::Fail, Window::Closed | Window::Open, BootGrace::Wait | BootGrace::Exceeded) => {
            Action::StartShutdown
        }
        (
            NodeState::Busy | NodeState::Down | NodeState::Idle | NodeState::Unpaired,
            Window::Closed | Window::Open,
            BootGrace::Wait | BootGrace::Exceeded,
        ) => page_rule(tuple),
    }
}
