//! What the queue needs laid against what there is (semantics, policies: *need* and *have*).
//!
//! A job is needed from one type, the cheapest that can hold it, but whatever has as much memory serves as well: what
//! jobs that need more memory leave over serves those that need less. Where no memory is set, that is one sum of all
//! cores.
//!
//! Containers that find no room lack whole nodes of a type, whatever is free elsewhere: those are counted beside the
//! sums. Of the instances that boot they get what jobs leave.

use crate::actors::policy::picture::Picture;
use crate::rules::machine::{NodeType, TypeId};

/// Need and have, by type.
pub(super) struct Balance<'a> {
    node_types: &'a [NodeType],
    /// Have less need, of each type alone.
    net_cores: Vec<i128>,
}

impl<'a> Balance<'a> {
    pub(super) fn of(picture: &Picture, node_types: &'a [NodeType]) -> Self {
        let kinds = (0..).map(TypeId).take(node_types.len());
        let net = |kind| i128::from(picture.have_cores(kind)) - i128::from(picture.need_cores(kind));
        Self { node_types, net_cores: kinds.map(net).collect() }
    }

    /// The same for judging who may go. While containers lack nodes of a type, what is free of it serves no one but
    /// jobs, and of what boots they get their nodes first.
    pub(super) fn without_what_containers_lack(picture: &Picture, node_types: &'a [NodeType]) -> Self {
        let mut balance = Self::of(picture, node_types);
        for kind in balance.kinds() {
            let lacking = i128::from(picture.whole_nodes(kind)) * i128::from(balance.cores(kind));
            let booting = i128::from(picture.booting_cores(kind));
            let net = &mut balance.net_cores[kind.index()];
            if lacking > 0 {
                *net = (*net - booting).min(0) + (booting - lacking).max(0);
            }
        }
        balance
    }

    fn memory(&self, kind: TypeId) -> u64 {
        self.node_types[kind.index()].memory_bytes.unwrap_or(u64::MAX)
    }

    fn cores(&self, kind: TypeId) -> u64 {
        u64::from(self.node_types[kind.index()].cores)
    }

    fn kinds(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..).map(TypeId).take(self.node_types.len())
    }

    /// What is left at each memory, most first: what is there of that memory, and what the jobs that need more have
    /// left over, less what jobs need there. Jobs that are short take nothing from types that cannot help them.
    fn left_over(&self) -> Vec<(u64, i128)> {
        let mut memories: Vec<u64> = self.kinds().map(|kind| self.memory(kind)).collect();
        memories.sort_unstable_by_key(|&memory| std::cmp::Reverse(memory));
        memories.dedup();
        let mut left = 0_i128;
        let at = |memory| {
            let of_it = self.kinds().filter(|&kind| self.memory(kind) == memory);
            left = left.max(0) + of_it.map(|kind| self.net_cores[kind.index()]).sum::<i128>();
            (memory, left)
        };
        memories.into_iter().map(at).collect()
    }

    /// Cores of this type that could go without leaving any job short.
    pub(super) fn spare_cores(&self, kind: TypeId) -> i128 {
        let left_over = self.left_over().into_iter();
        left_over.filter(|&(memory, _)| memory <= self.memory(kind)).map(|(_, left)| left).min().unwrap_or(0)
    }

    /// Cores beyond the need, of all types.
    pub(super) fn surplus_cores(&self) -> u64 {
        self.left_over().last().map_or(0, |&(_, left)| u64::try_from(left).unwrap_or(0))
    }

    /// A node of this type goes.
    pub(super) fn give_up(&mut self, kind: TypeId) {
        self.net_cores[kind.index()] -= i128::from(self.cores(kind));
    }

    /// How many nodes of each type jobs and containers are short of. What is rounded up for some jobs serves no others:
    /// each type's cores are asked for of that type.
    pub(super) fn short_nodes(&self, picture: &Picture) -> Vec<u64> {
        let left_over = self.left_over();
        let short = |kind: TypeId| {
            let is_needed = picture.need_cores(kind) > 0;
            let left = left_over.iter().find(|&&(memory, _)| is_needed && memory == self.memory(kind));
            let lacking = left.map_or(0, |&(_, left)| u64::try_from(-left).unwrap_or(0));
            lacking.div_ceil(self.cores(kind)) + self.short_of_whole_nodes(picture, kind)
        };
        self.kinds().map(short).collect()
    }

    /// Nodes that containers lack, less those of the type that boot and that no job will need.
    fn short_of_whole_nodes(&self, picture: &Picture, kind: TypeId) -> u64 {
        let spare_cores = u64::try_from(self.spare_cores(kind)).unwrap_or(0);
        let coming = spare_cores.min(picture.booting_cores(kind)) / self.cores(kind);
        picture.whole_nodes(kind).saturating_sub(coming)
    }
}
