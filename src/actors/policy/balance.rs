//! What the queue needs laid against what there is (semantics, policies: *need* and *have*).
//!
//! A job is needed from one type, the cheapest that can hold it, but whatever has as much memory serves as well. So the
//! need at a memory and above is laid against what there is at that memory and above; where no memory is set, that is
//! one sum of all cores.

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

    fn memory(&self, kind: TypeId) -> u64 {
        self.node_types[kind.index()].memory_bytes.unwrap_or(u64::MAX)
    }

    fn kinds(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..).map(TypeId).take(self.node_types.len())
    }

    /// Have less need, of all types that have at least as much memory as this one.
    fn net_at(&self, kind: TypeId) -> i128 {
        let serves = |&other: &TypeId| self.memory(other) >= self.memory(kind);
        self.kinds().filter(serves).map(|other| self.net_cores[other.index()]).sum()
    }

    /// Cores of this type that could go without leaving any job short.
    pub(super) fn spare_cores(&self, kind: TypeId) -> i128 {
        let is_served = |&other: &TypeId| self.memory(other) <= self.memory(kind);
        self.kinds().filter(is_served).map(|other| self.net_at(other)).min().unwrap_or(0)
    }

    /// Cores beyond the need, of all types.
    pub(super) fn surplus_cores(&self) -> u64 {
        u64::try_from(self.net_cores.iter().sum::<i128>()).unwrap_or(0)
    }

    /// A node of this type goes.
    pub(super) fn give_up(&mut self, kind: TypeId) {
        self.net_cores[kind.index()] -= i128::from(self.node_types[kind.index()].cores);
    }

    /// How many nodes of each type the need is short of. Jobs that few types can hold come first. What is rounded up
    /// for them serves no others: each type's cores are asked for of that type.
    pub(super) fn short_nodes(mut self, picture: &Picture) -> Vec<u64> {
        let mut hardest_first: Vec<TypeId> =
            self.kinds().filter(|&kind| picture.need_cores(kind) > 0).collect();
        hardest_first.sort_by_key(|&kind| std::cmp::Reverse(self.memory(kind)));
        let mut short = vec![0; self.node_types.len()];
        for kind in hardest_first {
            let cores = u64::from(self.node_types[kind.index()].cores);
            let lacking = u64::try_from(-self.net_at(kind)).unwrap_or(0);
            short[kind.index()] = lacking.div_ceil(cores);
            self.net_cores[kind.index()] += i128::from(lacking);
        }
        short
    }
}
