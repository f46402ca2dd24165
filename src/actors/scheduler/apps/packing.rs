//! How the containers that wait would lie on nodes, and how many nodes they lack. A container lies on one node, so sums
//! of cores would not do: ten of 3 cores need ten nodes of 4.

use std::collections::BTreeMap;

use crate::rules::machine::{NodeType, TypeId, cheapest_holding};
use crate::workload::app::Ask;

/// What is free of a node.
#[derive(Clone, Copy, Debug)]
pub(in crate::actors::scheduler) struct Room {
    pub kind: TypeId,
    pub cores: u32,
    /// `None`: memory is not counted there.
    pub memory_kib: Option<u64>,
}

impl Room {
    fn of_new_node(kind: TypeId, node_types: &[NodeType]) -> Self {
        let node_type = &node_types[kind.index()];
        let memory_kib = node_type.memory_bytes.map(|bytes| bytes / 1024);
        Self { kind, cores: node_type.cores, memory_kib }
    }

    /// Puts as many of `count` equal containers there as fit, and says how many.
    fn put(&mut self, ask: Ask, count: u64) -> u64 {
        let by_cores = u64::from(self.cores / ask.cores);
        let by_memory = self.memory_kib.and_then(|free| free.checked_div(ask.memory_kib));
        let held = count.min(by_cores).min(by_memory.unwrap_or(count));
        self.cores -= u32::try_from(held).expect("no more than its cores") * ask.cores;
        self.memory_kib = self.memory_kib.map(|free| free - held * ask.memory_kib);
        held
    }
}

/// What containers that wait need of a type of node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::actors::scheduler) struct ContainerNeed {
    /// Cores that are free now, and that they are about to take.
    pub free_cores: u64,
    /// New nodes.
    pub nodes: u64,
}

/// Lays containers out, largest first: where there is room, else on new nodes, each of the cheapest type that holds it.
/// There are no more than `most` new nodes. Gives what they need, by type.
pub(super) fn lay_out(
    waiting: &BTreeMap<Ask, u64>,
    mut rooms: Vec<Room>,
    node_types: &[NodeType],
    most: u32,
) -> Vec<ContainerNeed> {
    let mut needs = vec![ContainerNeed::default(); node_types.len()];
    let mut new_rooms: Vec<Room> = Vec::new();
    for (&ask, &count) in waiting.iter().rev() {
        let mut left = count;
        for room in &mut rooms {
            let held = room.put(ask, left);
            needs[room.kind.index()].free_cores += held * u64::from(ask.cores);
            left -= held;
        }
        for room in &mut new_rooms {
            left -= room.put(ask, left);
        }
        let Some(kind) = cheapest_holding(node_types, ask.cores, ask.memory_kib) else { continue };
        while left > 0 && new_rooms.len() < most as usize {
            let mut room = Room::of_new_node(kind, node_types);
            left -= room.put(ask, left);
            needs[kind.index()].nodes += 1;
            new_rooms.push(room);
        }
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::machine::BootTime;
    use crate::time::SimSpan;

    const GIB: u64 = 1 << 20;

    /// Types of so many cores and GiB, at so much.
    fn types(list: &[(u32, u64, u64)]) -> Vec<NodeType> {
        let node_type = |&(cores, gib, price_per_hour_micros): &(u32, u64, u64)| NodeType {
            name: String::new(),
            cores,
            memory_bytes: Some(gib << 30),
            price_per_hour_micros,
            boot: BootTime::Fixed(SimSpan::ZERO),
            boot_failure_ratio: 0.0,
            stop: SimSpan::ZERO,
        };
        list.iter().map(node_type).collect()
    }

    fn room(kind: u8, cores: u32, gib: u64) -> Room {
        Room { kind: TypeId(kind), cores, memory_kib: Some(gib * GIB) }
    }

    /// What containers, given as how many of how many cores and GiB, need of each type: free cores and new nodes.
    fn needs(waiting: &[(u64, u32, u64)], rooms: &[Room], types: &[NodeType], most: u32) -> Vec<(u64, u64)> {
        let waiting = waiting
            .iter()
            .map(|&(count, cores, gib)| (Ask { cores, memory_kib: gib * GIB }, count))
            .collect();
        let needs = lay_out(&waiting, rooms.to_vec(), types, most);
        needs.into_iter().map(|need| (need.free_cores, need.nodes)).collect()
    }

    #[test]
    fn what_a_node_holds_is_a_whole_number_of_containers() {
        let n4 = types(&[(4, 16, 1)]);
        assert_eq!(needs(&[(10, 1, 9)], &[], &n4, 20), [(0, 10)], "one of 9 GiB on 16");
        assert_eq!(needs(&[(10, 3, 1)], &[], &n4, 20), [(0, 10)], "one of 3 cores on 4");
        assert_eq!(needs(&[(10, 1, 5)], &[], &n4, 20), [(0, 4)], "three of 5 GiB on 16");
        assert_eq!(needs(&[(10, 1, 5)], &[], &n4, 3), [(0, 3)], "no more than there may be");
    }

    #[test]
    fn room_that_is_there_is_taken_first_if_it_can_be_used() {
        let n4 = types(&[(4, 16, 1)]);
        // Two of three containers of 2 cores lie on a free node, and the third one needs a new one. So it does if two
        // nodes have a core each.
        assert_eq!(needs(&[(3, 2, 1)], &[room(0, 4, 16)], &n4, 20), [(4, 1)]);
        assert_eq!(needs(&[(1, 2, 1)], &[room(0, 1, 8), room(0, 1, 8)], &n4, 20), [(0, 1)]);
        // The small one goes beside the large one, on the same new node.
        assert_eq!(needs(&[(1, 1, 1), (1, 3, 1)], &[], &n4, 20), [(0, 1)]);
    }

    #[test]
    fn each_container_asks_for_the_cheapest_type_that_holds_it() {
        let kinds = types(&[(2, 16, 1), (8, 64, 4)]);
        let idle = [room(0, 2, 16), room(0, 2, 16), room(0, 2, 16)];
        assert_eq!(needs(&[(1, 4, 1)], &idle, &kinds, 6), [(0, 0), (0, 1)]);
        // The large one leaves room for two of the small ones; one lies on the node that is there, one needs another.
        assert_eq!(needs(&[(1, 4, 1), (4, 2, 1)], &idle[..1], &kinds, 6), [(2, 1), (0, 1)]);
    }
}
