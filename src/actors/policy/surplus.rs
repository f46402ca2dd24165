//! The surplus policy: capacity above the need is taken away whether or not the node is empty, as EMR and Dataproc do,
//! and the drain timeout is the promise to its work.
//!
//! The surplus is noted at each poll; what has been there at every poll of the idle grace goes.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::actors::policy::balance::Balance;
use crate::actors::policy::picture::{Picture, Standing};
use crate::actors::policy::{Order, Shrink, when_reached};
use crate::ledger::fact::{DrainReason, StopReason};
use crate::rules::elastic::PolicyRules;
use crate::rules::machine::{NodeId, NodeType, TypeId};
use crate::time::{SimSpan, SimTime};

/// A surplus that was noted.
#[derive(Clone, Copy, Debug)]
struct Note {
    /// At which poll it was noted last.
    at: SimTime,
    cores: u64,
}

/// The policy.
#[derive(Debug)]
pub(super) struct Surplus {
    idle_grace: Option<SimSpan>,
    boot_grace: Option<SimSpan>,
    poll: SimSpan,
    min_nodes: u32,
    node_types: Arc<[NodeType]>,
    /// The notes that can still be the smallest, in order of time and of size: each is smaller than all that follow.
    notes: VecDeque<Note>,
    /// Machines that boot. Numbers follow the order of grants, so those that are late come first.
    booting: BTreeSet<NodeId>,
    /// Machines out of service that are not being stopped.
    down: BTreeSet<NodeId>,
}

impl Surplus {
    pub(super) fn new(rules: &PolicyRules, node_types: &Arc<[NodeType]>) -> Self {
        Self {
            idle_grace: rules.idle_grace,
            boot_grace: rules.boot_grace,
            poll: rules.poll,
            min_nodes: rules.min_nodes,
            node_types: Arc::clone(node_types),
            notes: VecDeque::new(),
            booting: BTreeSet::new(),
            down: BTreeSet::new(),
        }
    }

    /// Notes the surplus of this poll. Polls that were not played since the last one would have noted the same as it.
    fn note(&mut self, cores: u64, now: SimTime) {
        if let Some(last) = self.notes.back_mut()
            && let Some(poll_before) = now.checked_sub(self.poll)
        {
            last.at = last.at.max(poll_before);
        }
        while self.notes.back().is_some_and(|note| note.cores >= cores) {
            self.notes.pop_back();
        }
        self.notes.push_back(Note { at: now, cores });
    }

    /// The smallest note of the idle grace; zero until that much time has passed.
    fn lasting(&mut self, now: SimTime) -> u64 {
        let Some(from) = self.idle_grace.and_then(|grace| now.checked_sub(grace)) else { return 0 };
        while self.notes.front().is_some_and(|note| note.at < from) {
            self.notes.pop_front();
        }
        self.notes.front().map_or(0, |note| note.cores)
    }

    /// The RUNNING nodes that go, and their cores: fewest busy cores first, then lowest number, of those whose cores
    /// are part of the surplus that lasted and are not needed at present.
    fn going(&self, picture: &Picture, lasting_cores: u64) -> (Vec<NodeId>, u64) {
        let most = picture.running().saturating_sub(self.min_nodes) as usize;
        let smallest = self.node_types.iter().map(|node_type| node_type.cores).min().unwrap_or(0);
        if most == 0 || lasting_cores < u64::from(smallest) {
            return (Vec::new(), 0);
        }
        let running = picture.machines().filter(|(_, machine)| machine.standing == Standing::Running);
        let mut by_load: Vec<(u32, NodeId, TypeId)> =
            running.map(|(node, machine)| (machine.busy_cores, node, machine.kind)).collect();
        by_load.sort_unstable();
        let mut balance = Balance::without_what_containers_lack(picture, &self.node_types);
        let (mut going, mut going_cores) = (Vec::new(), 0);
        for (_, node, kind) in by_load {
            if going.len() == most || going_cores + u64::from(smallest) > lasting_cores {
                break;
            }
            let cores = u64::from(self.node_types[kind.index()].cores);
            if going_cores + cores <= lasting_cores && balance.spare_cores(kind) >= i128::from(cores) {
                balance.give_up(kind);
                going_cores += cores;
                going.push(node);
            }
        }
        (going, going_cores)
    }
}

impl Shrink for Surplus {
    fn orders(&mut self, picture: &Picture, changed: &[NodeId], now: SimTime) -> Vec<Order> {
        self.take_over(picture, changed);
        let late = self.booting_granted(picture).take_while(|&(_, granted)| self.is_late(granted, now));
        let mut stops: Vec<(NodeId, StopReason)> =
            late.map(|(node, _)| (node, StopReason::NeverRegistered)).collect();
        stops.extend(self.down.iter().map(|&node| (node, StopReason::Down)));
        stops.sort_unstable_by_key(|&(node, _)| node);
        let stops = stops.into_iter().map(|(node, reason)| Order::Stop { node, reason });
        let mut orders: Vec<Order> = stops.collect();
        let balance = Balance::without_what_containers_lack(picture, &self.node_types);
        self.note(balance.surplus_cores(), now);
        let lasting_cores = self.lasting(now);
        let (going, going_cores) = self.going(picture, lasting_cores);
        let nodes = u32::try_from(going.len()).expect("no more nodes go than there are");
        orders.extend(
            going.into_iter().map(|node| Order::Drain { node, reason: DrainReason::Surplus { nodes } }),
        );
        for note in &mut self.notes {
            note.cores -= going_cores;
        }
        orders
    }

    fn acts_from(&self, picture: &Picture, now: SimTime) -> Option<SimTime> {
        let late_boot = self
            .booting_granted(picture)
            .find_map(|(_, granted)| when_reached(granted, self.boot_grace, now));
        // A smallest note that leaves the idle grace uncovers a larger one; before the first grace is over, none
        // counts.
        let grace_begins = when_reached(SimTime::ZERO, self.idle_grace, now);
        let uncovered = match (self.notes.front(), self.idle_grace) {
            (Some(first), Some(grace)) if self.notes.len() > 1 => {
                Some(first.at + grace + SimSpan::MILLISECOND)
            }
            _ => None,
        };
        late_boot.into_iter().chain(grace_begins).chain(uncovered).min()
    }
}

impl Surplus {
    /// Takes over which machines boot and which are down.
    fn take_over(&mut self, picture: &Picture, changed: &[NodeId]) {
        let keep = |set: &mut BTreeSet<NodeId>, node, is_member| {
            if is_member { set.insert(node) } else { set.remove(&node) }
        };
        for &node in changed {
            let standing = picture.machine(node).map(|machine| machine.standing);
            keep(&mut self.booting, node, standing == Some(Standing::Booting));
            keep(&mut self.down, node, matches!(standing, Some(Standing::OutOfService { .. })));
        }
    }

    /// The machines that boot with the times of their grants, both ascending.
    fn booting_granted(&self, picture: &Picture) -> impl Iterator<Item = (NodeId, SimTime)> {
        self.booting.iter().filter_map(|&node| Some((node, picture.machine(node)?.granted)))
    }

    fn is_late(&self, granted: SimTime, now: SimTime) -> bool {
        self.boot_grace.is_some_and(|grace| now >= granted + grace)
    }
}
