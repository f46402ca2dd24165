//! The node manager's policy: every node is classified and looked up in the matrix (node_manager.md 2 to 6).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::actors::policy::balance::Balance;
use crate::actors::policy::picture::{Machine, Picture, Standing};
use crate::actors::policy::{Order, Shrink, grow, when_reached};
use crate::ledger::fact::{DrainReason, StopReason};
use crate::rules::classify::{Sighting, View, classify, idle_polls_needed};
use crate::rules::elastic::{Mapping, PolicyRules};
use crate::rules::machine::{NodeId, NodeType, TypeId, cheapest_for};
use crate::rules::matrix::{Action, Tuple, Window};
use crate::rules::wishlist::excess;
use crate::time::{SimSpan, SimTime};

/// The policy.
#[derive(Debug)]
pub(super) struct NodeManager {
    rules: PolicyRules,
    node_types: Arc<[NodeType]>,
    /// Since which poll each idle node has been found idle at every poll. Work that came and went between two polls is
    /// not noticed.
    idle_from_poll: BTreeMap<NodeId, u64>,
    /// For whom the matrix called for a drain when they were judged last. It is withheld while no node can be spared.
    to_drain: BTreeSet<NodeId>,
    /// When the matrix has another order for each machine that stays as it is. Until then nobody else need be judged.
    due: DueList,
}

/// Machines by the time at which something is due.
#[derive(Debug, Default)]
struct DueList {
    by_time: BTreeSet<(SimTime, NodeId)>,
    by_node: BTreeMap<NodeId, SimTime>,
}

impl DueList {
    fn set(&mut self, node: NodeId, at: Option<SimTime>) {
        let before = match at {
            Some(at) => self.by_node.insert(node, at),
            None => self.by_node.remove(&node),
        };
        if before == at {
            return;
        }
        if let Some(before) = before {
            self.by_time.remove(&(before, node));
        }
        if let Some(at) = at {
            self.by_time.insert((at, node));
        }
    }

    fn first(&self) -> Option<SimTime> {
        self.by_time.first().map(|&(at, _)| at)
    }

    /// For whom something is due by `now`.
    fn until(&self, now: SimTime) -> impl Iterator<Item = NodeId> {
        self.by_time.iter().take_while(move |&&(at, _)| at <= now).map(|&(_, node)| node)
    }
}

impl NodeManager {
    pub(super) fn new(rules: PolicyRules, node_types: Arc<[NodeType]>) -> Self {
        Self {
            rules,
            node_types,
            idle_from_poll: BTreeMap::new(),
            to_drain: BTreeSet::new(),
            due: DueList::default(),
        }
    }

    /// The number of the last poll that is not after `now`.
    fn poll_number(&self, now: SimTime) -> u64 {
        now.as_ms() / self.rules.poll.as_ms()
    }

    /// Counts in how many polls in a row each node was found idle.
    fn count_idle_polls(&mut self, picture: &Picture, changed: &[NodeId], now: SimTime) {
        let this_poll = self.poll_number(now);
        for &node in changed {
            if picture.machine(node).is_some_and(is_idle) {
                self.idle_from_poll.entry(node).or_insert(this_poll);
            } else {
                self.idle_from_poll.remove(&node);
            }
        }
    }

    fn tuple(&self, node: NodeId, machine: &Machine, at: SimTime) -> Tuple {
        let view = match machine.standing {
            Standing::Booting => View::Unpaired,
            Standing::Running if machine.busy_cores > 0 => View::Busy,
            Standing::Running => {
                let polls =
                    self.idle_from_poll.get(&node).map_or(1, |first| self.poll_number(at) - first + 1);
                View::Idle { since: machine.idle_since, polls }
            }
            Standing::Draining => View::Busy,
            Standing::OutOfService { drained: true } => View::Drained,
            Standing::OutOfService { drained: false } | Standing::Stopping => View::OutOfService,
        };
        classify(Sighting { view, granted: machine.granted, last_ping: machine.last_ping }, at, &self.rules)
    }

    /// Judges a machine: what the matrix calls for, and when it may call for something else.
    fn judge(&mut self, node: NodeId, picture: &Picture, now: SimTime, called_for: &mut CalledFor) {
        self.to_drain.remove(&node);
        let there = picture.machine(node).filter(|machine| machine.standing != Standing::Stopping);
        let Some(machine) = there else {
            self.due.set(node, None);
            return;
        };
        let tuple = self.tuple(node, machine, now);
        let action = self.rules.matrix.action(tuple);
        match action {
            Action::None => {}
            Action::StartShutdown => called_for.stops.push((node, tuple.state.name())),
            Action::StartDrain if machine.standing == Standing::Running => {
                called_for.drain(node, machine, tuple, now);
                self.to_drain.insert(node);
            }
            Action::StartDrain => {}
        }
        let next = self.order_from(node, machine, action == Action::StartDrain, now);
        self.due.set(node, next);
    }

    /// Looks once more at those that were to be drained. They have not changed, but a window may have closed.
    fn judge_again(
        &mut self,
        nodes: Vec<NodeId>,
        picture: &Picture,
        now: SimTime,
        called_for: &mut CalledFor,
    ) {
        for node in nodes {
            let machine = picture.machine(node).expect("a machine that has not changed is in the picture");
            let tuple = self.tuple(node, machine, now);
            if self.rules.matrix.action(tuple) == Action::StartDrain {
                called_for.drain(node, machine, tuple, now);
            } else {
                self.judge(node, picture, now, called_for);
            }
        }
    }

    /// The earliest instant after `now` at which the matrix has an order for a machine that stays as it is; `withheld`
    /// says that it calls for a drain now, which then stays withheld as long as the picture stays as it is.
    ///
    /// Between the instants at which a grace runs out only the window changes, so it is enough to ask the matrix once
    /// per stretch and window. A stretch may name an opening beyond its end, so the earliest of all counts.
    fn order_from(&self, node: NodeId, machine: &Machine, withheld: bool, now: SimTime) -> Option<SimTime> {
        let next_tick = now + SimSpan::MILLISECOND;
        let boot_over = when_reached(machine.granted, self.rules.boot_grace, now);
        let idle_over = is_idle(machine).then(|| self.idle_grace_over(node, machine, now)).flatten();
        let ping_stale = machine.last_ping.and_then(|at| when_reached(at, self.rules.ping_stale_after, now));
        let stretches = [Some(next_tick), boot_over, idle_over, ping_stale].into_iter().flatten();
        let orders = stretches.filter_map(|start| {
            let tuple = self.tuple(node, machine, start);
            let orders_while = |window| match self.rules.matrix.action(Tuple { window, ..tuple }) {
                Action::None => false,
                Action::StartDrain => machine.standing == Standing::Running && !withheld,
                Action::StartShutdown => true,
            };
            match (orders_while(Window::Closed), orders_while(Window::Open)) {
                (false, false) => None,
                (true, _) => Some(start),
                (false, true) => {
                    let age = start.since(machine.granted);
                    let open_at = self.rules.windows.first_open_at_or_after(age, self.rules.window_ends());
                    Some(machine.granted + open_at)
                }
            }
        });
        orders.min()
    }

    /// When the idle grace of an idle machine is exceeded, if that is still to come.
    fn idle_grace_over(&self, node: NodeId, machine: &Machine, now: SimTime) -> Option<SimTime> {
        let grace = self.rules.idle_grace?;
        let at = match self.rules.mapping {
            Mapping::Page => machine.idle_since + grace + SimSpan::MILLISECOND,
            Mapping::Code => {
                let first =
                    self.idle_from_poll.get(&node).copied().unwrap_or_else(|| self.poll_number(now) + 1);
                let polls = idle_polls_needed(grace, self.rules.poll) - 1;
                SimTime::ZERO + self.rules.poll * (first + polls)
            }
        };
        (at > now).then_some(at)
    }
}

/// What the matrix calls for at a poll, with the state in which it sees each node.
#[derive(Default)]
struct CalledFor {
    stops: Vec<(NodeId, &'static str)>,
    /// Longest idle first.
    drains: Vec<(Reverse<u64>, NodeId, &'static str)>,
}

impl CalledFor {
    /// Nodes that are not idle, which only a table of the user's own drains, come last.
    fn drain(&mut self, node: NodeId, machine: &Machine, tuple: Tuple, now: SimTime) {
        let idle_ms = if is_idle(machine) { now.since(machine.idle_since).as_ms() } else { 0 };
        self.drains.push((Reverse(idle_ms), node, tuple.state.name()));
    }
}

fn is_idle(machine: &Machine) -> bool {
    machine.standing == Standing::Running && machine.busy_cores == 0
}

impl Shrink for NodeManager {
    fn orders(&mut self, picture: &Picture, changed: &[NodeId], now: SimTime) -> Vec<Order> {
        self.count_idle_polls(picture, changed, now);
        let mut fresh: Vec<NodeId> = changed.iter().copied().chain(self.due.until(now)).collect();
        fresh.sort_unstable();
        fresh.dedup();
        let mut called_for = CalledFor::default();
        let node_types = Arc::clone(&self.node_types);
        let mut spare = Spare::of(picture, &self.rules, &node_types);
        // As long as nothing is spared, what is held back is not looked at. With it, 10,000 idle nodes that `min_nodes`
        // keeps made a run of the KTH log take 300 times as long.
        if spare.is_any(self.rules.min_nodes) {
            let unchanged = |node: &&NodeId| fresh.binary_search(node).is_err();
            let held_back = self.to_drain.iter().filter(unchanged).copied().collect();
            self.judge_again(held_back, picture, now, &mut called_for);
        }
        for node in fresh {
            self.judge(node, picture, now, &mut called_for);
        }
        let CalledFor { mut stops, mut drains } = called_for;
        stops.sort_unstable();
        drains.sort_unstable();
        let stop = |(node, state)| Order::Stop { node, reason: StopReason::Matrix(state) };
        let mut orders: Vec<Order> = stops.into_iter().map(stop).collect();
        for (_, node, node_state) in drains {
            let machine = picture.machine(node).expect("a drain is ordered of a machine in the picture");
            if spare.give_up(machine.kind, &node_types, self.rules.min_nodes) {
                let idle_since = if is_idle(machine) { machine.idle_since } else { now };
                let reason = DrainReason::Matrix { node_state, idle_since };
                orders.push(Order::Drain { node, reason });
            }
        }
        orders
    }

    fn acts_from(&self, _: &Picture, _: SimTime) -> Option<SimTime> {
        self.due.first()
    }
}

/// What may still be drained at this poll.
enum Spare<'a> {
    /// A node may go while as many cores are left as the queue needs, and more nodes than `min_nodes`.
    ByCores { balance: Balance<'a>, running: u32 },
    /// The node manager's own counting: so many nodes of each type.
    ByNodes(Vec<u64>),
}

impl<'a> Spare<'a> {
    fn of(picture: &Picture, rules: &PolicyRules, node_types: &'a [NodeType]) -> Self {
        if grow::counts_nodes(rules) {
            let quota = picture.quota(rules);
            let cheapest = cheapest_for(node_types, 0);
            let wishes = grow::wishes(picture, rules, node_types).into_iter();
            return Self::ByNodes(
                wishes.map(|(kind, counts, kept)| excess(counts, kept, kind == cheapest, quota)).collect(),
            );
        }
        Self::ByCores {
            balance: Balance::without_what_containers_lack(picture, node_types),
            running: picture.running(),
        }
    }

    /// Whether there is anything to spare.
    fn is_any(&self, min_nodes: u32) -> bool {
        match self {
            Self::ByCores { balance, running } => *running > min_nodes && balance.surplus_cores() > 0,
            Self::ByNodes(nodes) => nodes.iter().any(|&nodes| nodes > 0),
        }
    }

    /// Takes a node of a type off what is spare, if it is.
    fn give_up(&mut self, kind: TypeId, node_types: &[NodeType], min_nodes: u32) -> bool {
        match self {
            Self::ByCores { balance, running } => {
                let cores = i128::from(node_types[kind.index()].cores);
                let goes = balance.spare_cores(kind) >= cores && *running > min_nodes;
                if goes {
                    balance.give_up(kind);
                    *running -= 1;
                }
                goes
            }
            Self::ByNodes(nodes) => {
                let spare = &mut nodes[kind.index()];
                let goes = *spare > 0;
                *spare = spare.saturating_sub(1);
                goes
            }
        }
    }
}
