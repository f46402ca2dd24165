//! The scheduler's own picture of the nodes: what each has, what is free, and which gives its cores first.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::actors::scheduler::apps::Room;
use crate::actors::scheduler::node_set::NodeSet;
use crate::rules::machine::{NodeId, NodeType, Total, TypeId, fit};
use crate::rules::scheduling::{JobIndex, Placement, Share};
use crate::time::SimTime;
use crate::workload::app::Ask;

/// What a job asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub cores: u32,
    pub memory_per_core_kib: u32,
}

/// Whether a node takes work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// The scheduler does not have it.
    Absent,
    /// RUNNING: it takes new work.
    Open,
    /// DECOMMISSIONING: its work goes on, its free capacity is gone from the scheduler (yarn.md 8.1).
    Draining,
}

#[derive(Debug)]
struct PoolNode {
    kind: TypeId,
    standing: Standing,
    registered: SimTime,
    total_cores: u32,
    used_cores: u32,
    /// `None`: memory is not counted on this node.
    total_memory_kib: Option<u64>,
    used_memory_kib: u64,
    containers: Vec<JobIndex>,
}

impl PoolNode {
    /// None are free while an operator has made the total smaller than what is used.
    fn free_cores(&self) -> u32 {
        self.total_cores.saturating_sub(self.used_cores)
    }

    fn free_memory_kib(&self) -> Option<u64> {
        self.total_memory_kib.map(|total| total.saturating_sub(self.used_memory_kib))
    }

    /// How many of the request's cores fit here.
    fn fits(&self, request: Request) -> u32 {
        fit(self.free_cores(), self.free_memory_kib(), request.memory_per_core_kib)
    }

    /// Cores on offer: those that are free, if the node takes work.
    fn offered_cores(&self) -> u32 {
        if self.standing == Standing::Open { self.free_cores() } else { 0 }
    }
}

/// Open nodes with a free core, in the order in which they give cores. Ties go to the lower number.
#[derive(Debug)]
enum Offer {
    Pack(BTreeMap<u32, NodeSet>),
    Spread(BTreeMap<Reverse<u32>, NodeSet>),
    Oldest(BTreeSet<(SimTime, NodeId)>),
    Newest(BTreeSet<(Reverse<SimTime>, NodeId)>),
}

impl Offer {
    fn new(placement: Placement) -> Self {
        match placement {
            Placement::Pack => Self::Pack(BTreeMap::new()),
            Placement::Spread => Self::Spread(BTreeMap::new()),
            Placement::Oldest => Self::Oldest(BTreeSet::new()),
            Placement::Newest => Self::Newest(BTreeSet::new()),
        }
    }

    /// The node's free cores have changed.
    fn shift(&mut self, node: NodeId, registered: SimTime, from: u32, to: u32) {
        match self {
            Self::Pack(levels) => {
                shift_level(levels, node, (from > 0).then_some(from), (to > 0).then_some(to));
            }
            Self::Spread(levels) => {
                let level = |free: u32| (free > 0).then_some(Reverse(free));
                shift_level(levels, node, level(from), level(to));
            }
            Self::Oldest(nodes) => shift_member(nodes, (registered, node), from, to),
            Self::Newest(nodes) => shift_member(nodes, (Reverse(registered), node), from, to),
        }
    }

    fn iter(&self) -> Box<dyn Iterator<Item = NodeId> + '_> {
        match self {
            Self::Pack(levels) => Box::new(levels.values().flat_map(NodeSet::iter)),
            Self::Spread(levels) => Box::new(levels.values().flat_map(NodeSet::iter)),
            Self::Oldest(nodes) => Box::new(nodes.iter().map(|&(_, node)| node)),
            Self::Newest(nodes) => Box::new(nodes.iter().map(|&(_, node)| node)),
        }
    }
}

fn shift_level<K: Ord>(levels: &mut BTreeMap<K, NodeSet>, node: NodeId, from: Option<K>, to: Option<K>) {
    if let Some(from) = from {
        levels.get_mut(&from).expect("a node stands at the level of its free cores").remove(node);
    }
    if let Some(to) = to {
        levels.entry(to).or_default().insert(node);
    }
}

fn shift_member<K: Ord>(nodes: &mut BTreeSet<K>, key: K, from: u32, to: u32) {
    match (from > 0, to > 0) {
        (false, true) => {
            nodes.insert(key);
        }
        (true, false) => {
            nodes.remove(&key);
        }
        (true, true) | (false, false) => {}
    }
}

/// All nodes that the scheduler has.
#[derive(Debug)]
pub(super) struct Pool {
    node_types: Arc<[NodeType]>,
    nodes: Vec<PoolNode>,
    offer: Offer,
    /// Free cores of open nodes, by type.
    free_by_type: Vec<u64>,
}

impl Pool {
    pub(super) fn new(node_types: Arc<[NodeType]>, placement: Placement) -> Self {
        let free_by_type = vec![0; node_types.len()];
        Self { node_types, nodes: Vec::new(), offer: Offer::new(placement), free_by_type }
    }

    /// Free cores of open nodes.
    pub(super) fn free_cores(&self) -> u64 {
        self.free_by_type.iter().sum()
    }

    /// Free cores of open nodes of a type.
    pub(super) fn free_cores_of(&self, kind: TypeId) -> u64 {
        self.free_by_type[kind.index()]
    }

    /// Whether the node takes new work.
    pub(super) fn is_open(&self, node: NodeId) -> bool {
        self.nodes.get(node.index()).is_some_and(|node| node.standing == Standing::Open)
    }

    /// Whether the node is there and takes no new work.
    pub(super) fn is_closed(&self, node: NodeId) -> bool {
        self.nodes.get(node.index()).is_some_and(|node| node.standing == Standing::Draining)
    }

    /// Cores of the containers on a node; none are on one that is not there.
    pub(super) fn busy_cores(&self, node: NodeId) -> u32 {
        self.nodes.get(node.index()).map_or(0, |node| node.used_cores)
    }

    /// All cores of a node; none if it has never been there.
    pub(super) fn total_cores(&self, node: NodeId) -> u32 {
        self.nodes.get(node.index()).map_or(0, |node| node.total_cores)
    }

    /// A node has registered.
    pub(super) fn add(&mut self, node: NodeId, kind: TypeId, now: SimTime) {
        while self.nodes.len() <= node.index() {
            self.nodes.push(PoolNode {
                kind,
                standing: Standing::Absent,
                registered: now,
                total_cores: 0,
                used_cores: 0,
                total_memory_kib: None,
                used_memory_kib: 0,
                containers: Vec::new(),
            });
        }
        let node_type = &self.node_types[kind.index()];
        self.nodes[node.index()] = PoolNode {
            kind,
            standing: Standing::Draining,
            registered: now,
            total_cores: node_type.cores,
            used_cores: 0,
            total_memory_kib: node_type.memory_bytes.map(|bytes| bytes / 1024),
            used_memory_kib: 0,
            containers: Vec::new(),
        };
        self.open(node);
    }

    /// Changes a node, with what is on offer following.
    fn change(&mut self, node: NodeId, change: impl FnOnce(&mut PoolNode)) {
        let it = &mut self.nodes[node.index()];
        let before = it.offered_cores();
        change(it);
        let after = it.offered_cores();
        let free = &mut self.free_by_type[it.kind.index()];
        *free = *free - u64::from(before) + u64::from(after);
        self.offer.shift(node, it.registered, before, after);
    }

    /// The node takes new work.
    pub(super) fn open(&mut self, node: NodeId) {
        self.change(node, |it| {
            if it.standing == Standing::Draining {
                it.standing = Standing::Open;
            }
        });
    }

    /// The node takes no new work: what is free of it is gone from the scheduler, as if its total had shrunk to what is
    /// used (yarn.md 8.1).
    pub(super) fn close(&mut self, node: NodeId) {
        self.change(node, |it| {
            if it.standing == Standing::Open {
                it.standing = Standing::Draining;
            }
        });
    }

    /// An operator has given the node another total; `None`: what its type has.
    pub(super) fn resize(&mut self, node: NodeId, total: Option<Total>) {
        let node_type = &self.node_types[self.nodes[node.index()].kind.index()];
        let memory_bytes = total.and_then(|total| total.memory_bytes).or(node_type.memory_bytes);
        let cores = total.map_or(node_type.cores, |total| total.cores);
        self.change(node, |it| {
            it.total_cores = cores;
            it.total_memory_kib = memory_bytes.map(|bytes| bytes / 1024);
        });
    }

    /// Whether more of a node is used than it has.
    pub(super) fn is_overcommitted(&self, node: NodeId) -> bool {
        let it = &self.nodes[node.index()];
        let memory_is = it.total_memory_kib.is_some_and(|total| it.used_memory_kib > total);
        it.standing != Standing::Absent && (it.used_cores > it.total_cores || memory_is)
    }

    /// The node is gone. Returns whose containers were on it.
    pub(super) fn remove(&mut self, node: NodeId) -> Vec<JobIndex> {
        if self.nodes.len() <= node.index() {
            return Vec::new();
        }
        self.close(node);
        let it = &mut self.nodes[node.index()];
        (it.standing, it.used_cores, it.used_memory_kib) = (Standing::Absent, 0, 0);
        std::mem::take(&mut it.containers)
    }

    /// Whose containers are on a node.
    pub(super) fn containers(&self, node: NodeId) -> &[JobIndex] {
        &self.nodes[node.index()].containers
    }

    /// Where a gang's cores would be taken: free cores node by node in the order of the placement, any split allowed.
    /// `None` if they are not free.
    pub(super) fn place(&self, request: Request) -> Option<Vec<Share>> {
        if u64::from(request.cores) > self.free_cores() {
            return None;
        }
        let mut missing = request.cores;
        let mut shares = Vec::new();
        for node in self.offer.iter() {
            let cores = self.nodes[node.index()].fits(request).min(missing);
            if cores > 0 {
                shares.push(Share { node, cores });
                missing -= cores;
            }
            if missing == 0 {
                return Some(shares);
            }
        }
        None
    }

    /// A container takes its share of a node.
    pub(super) fn take(&mut self, job: JobIndex, share: Share, request: Request) {
        self.change(share.node, |it| {
            it.containers.push(job);
            it.used_cores += share.cores;
            it.used_memory_kib += memory_kib(share, request);
        });
    }

    /// Whether an open node has room for a container of an application.
    pub(super) fn has_room(&self, node: NodeId, ask: Ask) -> bool {
        self.is_open(node) && self.would_hold(node, ask)
    }

    /// Whether a node, open or not, has so much left.
    pub(super) fn would_hold(&self, node: NodeId, ask: Ask) -> bool {
        let it = &self.nodes[node.index()];
        let memory_fits = it.free_memory_kib().is_none_or(|free| free >= ask.memory_kib);
        it.free_cores() >= ask.cores && memory_fits
    }

    /// Open nodes with a free core, in the order of the placement.
    pub(super) fn in_order(&self) -> impl Iterator<Item = NodeId> {
        self.offer.iter()
    }

    /// What is free of each of them, in that order.
    pub(super) fn rooms(&self) -> impl Iterator<Item = Room> {
        self.in_order().map(|node| {
            let it = &self.nodes[node.index()];
            Room { kind: it.kind, cores: it.free_cores(), memory_kib: it.free_memory_kib() }
        })
    }

    /// A container of an application takes its share of a node.
    pub(super) fn take_ask(&mut self, node: NodeId, ask: Ask) {
        self.change(node, |it| {
            it.used_cores += ask.cores;
            it.used_memory_kib += ask.memory_kib;
        });
    }

    /// A container of an application gives its share back; nothing happens if its node has gone.
    pub(super) fn give_ask(&mut self, node: NodeId, ask: Ask) {
        if self.nodes[node.index()].standing != Standing::Absent {
            self.change(node, |it| {
                it.used_cores -= ask.cores;
                it.used_memory_kib -= ask.memory_kib;
            });
        }
    }

    /// A container gives its share back. Returns whether its node is still there.
    pub(super) fn give_back(&mut self, job: JobIndex, share: Share, request: Request) -> bool {
        if self.nodes[share.node.index()].standing == Standing::Absent {
            return false;
        }
        self.change(share.node, |it| {
            let place = it.containers.iter().position(|&container| container == job);
            it.containers.swap_remove(place.expect("a container is on the node of its share"));
            it.used_cores -= share.cores;
            it.used_memory_kib -= memory_kib(share, request);
        });
        true
    }
}

fn memory_kib(share: Share, request: Request) -> u64 {
    u64::from(share.cores) * u64::from(request.memory_per_core_kib)
}
