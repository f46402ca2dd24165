//! What a machine of the cloud is: its size, its price, how long it takes to boot and to stop.

use std::fmt;
use std::sync::Arc;

use crate::time::SimSpan;

/// An instance and the node on it, by its index in the order of grants. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Its place in tables of all instances.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What hosts are called: those that a scenario names by its names, all others by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostNames {
    given: Arc<[String]>,
}

/// What one host is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostName<'a> {
    /// A name of the scenario.
    Given(&'a str),
    /// `node-N`: the N-th instance that was granted.
    Numbered(u64),
}

impl HostNames {
    /// The first hosts are called so.
    pub fn new(given: impl IntoIterator<Item = String>) -> Self {
        Self { given: given.into_iter().collect() }
    }

    /// What a host is called.
    pub fn of(&self, node: NodeId) -> HostName<'_> {
        match self.given.get(node.index()) {
            Some(name) => HostName::Given(name),
            None => HostName::Numbered(u64::from(node.0) + 1),
        }
    }

    /// The hosts that a scenario names. They are there from the start.
    pub fn given(&self) -> impl Iterator<Item = NodeId> + use<> {
        let count = u32::try_from(self.given.len()).expect("a scenario names fewer than 2^32 nodes");
        (0..count).map(NodeId)
    }

    /// The host of a name. A numbered one need not have been granted yet.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        let given =
            self.given.iter().zip(0..).find(|(given, _)| *given == name).map(|(_, index)| NodeId(index));
        given.or_else(|| {
            let number: u32 = name.strip_prefix("node-")?.parse().ok()?;
            number.checked_sub(1).map(NodeId).filter(|node| node.index() >= self.given.len())
        })
    }
}

impl fmt::Display for HostName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(name) => f.write_str(name),
            Self::Numbered(number) => write!(f, "node-{number}"),
        }
    }
}

/// A node type, by its place in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypeId(pub u8);

impl TypeId {
    /// Most node types that a scenario may have.
    pub const MOST: usize = 200;

    /// Its place in the scenario's list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an operator says that a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// Its cores.
    pub cores: u32,
    /// Its memory in bytes; `None`: as it was.
    pub memory_bytes: Option<u64>,
}

/// One kind of instance that the cloud can grant.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeType {
    /// Its name, unique in a scenario.
    pub name: String,
    /// Processor cores, at least one.
    pub cores: u32,
    /// Memory in bytes; `None`: memory is not counted on this type.
    pub memory_bytes: Option<u64>,
    /// Price of an hour, in millionths of the currency.
    pub price_per_hour_micros: u64,
    /// From the grant to the registration of the agent.
    pub boot: BootTime,
    /// Probability that a boot fails: the instance is paid but never registers. In [0, 1].
    pub boot_failure_ratio: f64,
    /// From the stop order to the end of the instance.
    pub stop: SimSpan,
}

/// The scheduler's minimum allocation: a node with less than it is refused as it registers (yarn.md 7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinimumAllocation {
    /// Processor cores.
    pub cores: u32,
    /// Memory in bytes; `None`: no node is refused for its memory.
    pub memory_bytes: Option<u64>,
}

impl MinimumAllocation {
    /// Whether nodes of this type may register. Where memory is not counted, there is enough of it.
    pub fn admits(&self, node_type: &NodeType) -> bool {
        let memory = self.memory_bytes.zip(node_type.memory_bytes);
        node_type.cores >= self.cores && memory.is_none_or(|(least, bytes)| bytes >= least)
    }
}

/// How long a boot takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootTime {
    /// Always the same.
    Fixed(SimSpan),
    /// Anything between the two, both ends included, each millisecond as likely as the other.
    Uniform(SimSpan, SimSpan),
    /// Log-normal, given by its median and its 95th percentile.
    LogNormal {
        /// Half of the boots take no longer than this.
        median: SimSpan,
        /// 95 of 100 boots take no longer than this.
        p95: SimSpan,
    },
}

impl BootTime {
    /// A time that no boot is shorter than.
    pub fn shortest(&self) -> SimSpan {
        match *self {
            Self::Fixed(span) => span,
            Self::Uniform(low, _) => low,
            Self::LogNormal { .. } => SimSpan::ZERO,
        }
    }

    /// The median boot time: what a scheduler may expect of a node that has been asked for.
    pub fn median(&self) -> SimSpan {
        match *self {
            Self::Fixed(span) => span,
            Self::Uniform(low, high) => SimSpan::from_ms(low.as_ms().midpoint(high.as_ms())),
            Self::LogNormal { median, .. } => median,
        }
    }
}

/// The cheapest type that can hold one core of a job that needs so much memory for each (ties: the first in the
/// scenario). If none can, the first is named; such a job is rejected before it can ask.
pub fn cheapest_for(node_types: &[NodeType], memory_per_core_kib: u32) -> TypeId {
    let holds = |node_type: &NodeType| {
        node_type.memory_bytes.is_none_or(|bytes| bytes / 1024 >= u64::from(memory_per_core_kib))
    };
    let candidates = (0..).map(TypeId).zip(node_types).filter(|(_, node_type)| holds(node_type));
    candidates
        .min_by_key(|(_, node_type)| node_type.price_per_hour_micros)
        .map_or(TypeId(0), |(kind, _)| kind)
}

/// The cheapest type that holds so much on one node (ties: the first in the scenario); `None`: no type does.
pub fn cheapest_holding(node_types: &[NodeType], cores: u32, memory_kib: u64) -> Option<TypeId> {
    let holds = |node_type: &NodeType| {
        let memory_fits = node_type.memory_bytes.is_none_or(|bytes| bytes / 1024 >= memory_kib);
        node_type.cores >= cores && memory_fits
    };
    let candidates = (0..).map(TypeId).zip(node_types).filter(|(_, node_type)| holds(node_type));
    candidates.min_by_key(|(_, node_type)| node_type.price_per_hour_micros).map(|(kind, _)| kind)
}

/// How many cores of a job fit into so many cores and so much memory (`None`: not counted).
pub fn fit(cores: u32, memory_kib: Option<u64>, memory_per_core_kib: u32) -> u32 {
    let by_memory = memory_kib.and_then(|free| free.checked_div(u64::from(memory_per_core_kib)));
    by_memory.map_or(cores, |by_memory| u32::try_from(by_memory).map_or(cores, |most| most.min(cores)))
}

/// Cores of nodes of a type that a job of so many cores needs. More than its own if a node's memory holds fewer of them
/// than the node has: each node then counts whole. The job must fit the type at all.
pub fn needed_cores(node_type: &NodeType, cores: u32, memory_per_core_kib: u32) -> u64 {
    let memory_kib = node_type.memory_bytes.map(|bytes| bytes / 1024);
    match fit(node_type.cores, memory_kib, memory_per_core_kib) {
        held if held == node_type.cores || held == 0 => u64::from(cores),
        held => u64::from(cores.div_ceil(held)) * u64::from(node_type.cores),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(list: &[(u32, u64, u64)]) -> Vec<NodeType> {
        let node_type = |&(cores, memory_kib, price)| NodeType {
            name: String::new(),
            cores,
            memory_bytes: (memory_kib > 0).then_some(memory_kib * 1024),
            price_per_hour_micros: price,
            boot: BootTime::Fixed(SimSpan::ZERO),
            boot_failure_ratio: 0.0,
            stop: SimSpan::ZERO,
        };
        list.iter().map(node_type).collect()
    }

    #[test]
    fn a_job_that_memory_spreads_needs_whole_nodes() {
        // Nodes of 4 cores and 8 MiB hold 2 cores of 4 MiB each: 5 cores need 3 nodes, 12 cores of nodes.
        let node = &types(&[(4, 8192, 0)])[0];
        assert_eq!(fit(4, Some(8192), 4096), 2);
        assert_eq!(needed_cores(node, 5, 4096), 12);
        assert_eq!(needed_cores(node, 5, 2048), 5, "all 4 cores of a node can be used");
        assert_eq!(needed_cores(node, 5, 0), 5);
        assert_eq!(needed_cores(&types(&[(4, 0, 0)])[0], 5, 1 << 30), 5, "memory is not counted there");
    }

    #[test]
    fn a_node_whose_memory_is_not_counted_has_enough_of_it() {
        // The rows of RT-17 are played as a whole; their nodes all have some memory.
        let minimum = MinimumAllocation { cores: 4, memory_bytes: Some(2 << 30) };
        let admitted =
            types(&[(4, 0, 0), (3, 0, 0)]).iter().map(|kind| minimum.admits(kind)).collect::<Vec<_>>();
        assert_eq!(admitted, [true, false]);
    }

    #[test]
    fn hosts_are_called_by_their_names_or_by_their_numbers() {
        let names = HostNames::new(["h1".to_owned(), "h2".to_owned()]);
        let told: Vec<String> = (0..4).map(|index| names.of(NodeId(index)).to_string()).collect();
        assert_eq!(told, ["h1", "h2", "node-3", "node-4"]);
        assert_eq!(names.find("h2"), Some(NodeId(1)));
        assert_eq!(names.find("node-4"), Some(NodeId(3)));
        for stranger in ["h3", "node-2", "node-0", "node-x", ""] {
            assert_eq!(names.find(stranger), None, "{stranger}");
        }
    }

    #[test]
    fn the_cheapest_type_that_holds_a_core_is_taken() {
        let types = types(&[(8, 1024, 30), (4, 512, 10), (4, 4096, 20), (2, 4096, 20)]);
        assert_eq!(cheapest_for(&types, 0), TypeId(1));
        assert_eq!(cheapest_for(&types, 512), TypeId(1));
        assert_eq!(cheapest_for(&types, 513), TypeId(2), "of equals the first");
        assert_eq!(cheapest_for(&types, 9999), TypeId(0), "none holds it");
    }
}
