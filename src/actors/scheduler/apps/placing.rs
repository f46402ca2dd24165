//! Which node a container gets, and when one is looked for (yarn.md 8.1).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Purpose, Wish};
use crate::actors::app_master::News;
use crate::actors::node::LaunchTask;
use crate::actors::resource_tracker::MasterStands;
use crate::actors::scheduler::Scheduler;
use crate::actors::{Ctx, to};
use crate::rules::container::{ContainerId, ContainerState};
use crate::rules::machine::NodeId;
use crate::rules::scheduling::Trigger;
use crate::time::SimTime;
use crate::workload::app::Ask;

/// The asynchronous scheduler leaves out a node that was heard longer ago than so many configured intervals, whatever
/// interval the node was told (yarn.md 7.6). A scaled one may be longer than that; the node is tried again when it is
/// heard.
const STALE_AFTER_INTERVALS: u64 = 2;

/// Containers that wait for a node, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(super) struct Pending {
    containers: Vec<ContainerId>,
    /// How many there are of each size that a new node would help.
    sizes: BTreeMap<Ask, u64>,
}

impl Pending {
    pub(super) fn iter(&self) -> impl Iterator<Item = ContainerId> {
        self.containers.iter().copied()
    }

    pub(super) fn first(&self) -> Option<ContainerId> {
        self.containers.first().copied()
    }

    pub(super) const fn sizes(&self) -> &BTreeMap<Ask, u64> {
        &self.sizes
    }

    pub(super) fn push(&mut self, container: ContainerId, ask: Ask, wish: Wish) {
        self.containers.push(container);
        if may_lie_on_a_new_node(wish) {
            *self.sizes.entry(ask).or_default() += 1;
        }
    }

    /// A container of this size waits no longer.
    fn forget_size(&mut self, ask: Ask, wish: Wish) {
        if may_lie_on_a_new_node(wish) {
            let count = self.sizes.get_mut(&ask).expect("the size of what waits is counted");
            *count -= 1;
            if *count == 0 {
                self.sizes.remove(&ask);
            }
        }
    }

    /// Takes the containers off that are chosen, and gives them back.
    pub(super) fn withdraw(&mut self, chosen: impl Fn(ContainerId) -> bool) -> Vec<ContainerId> {
        self.containers.extract_if(.., |&mut container| chosen(container)).collect()
    }
}

const fn may_lie_on_a_new_node(wish: Wish) -> bool {
    match wish {
        Wish::Anywhere | Wish::Prefer(_) => true,
        Wish::Only(_) => false,
    }
}

impl Scheduler {
    /// Containers wait, or there is more room than before: looks for a place when the trigger says so.
    pub(in crate::actors::scheduler) fn seek_room(&mut self, ctx: &mut Ctx) {
        if self.apps.pending.first().is_none() {
            return;
        }
        match self.setup.scheduling.trigger {
            Trigger::Pass => ctx.request_pass(),
            Trigger::Async => self.place_anywhere(ctx),
            Trigger::Heartbeat => self.want_beats(ctx),
        }
    }

    /// Gives each container that waits a node, if one has room.
    pub(in crate::actors::scheduler) fn place_anywhere(&mut self, ctx: &mut Ctx) {
        if ctx.now() < self.waits_until {
            return;
        }
        let mut placed = Vec::new();
        let mut in_vain: Vec<Ask> = Vec::new();
        for container in std::mem::take(&mut self.apps.pending.containers) {
            match self.find_room(container, &mut in_vain, ctx) {
                Some(node) => {
                    self.hold(container, node, ctx.now());
                    placed.push((Reverse(node), container));
                }
                None => self.apps.pending.containers.push(container),
            }
        }
        // The recorded scheduler went from h3 over h2 to h1. Upstream it is the order of a hash map; we go by number.
        placed.sort_unstable();
        for (_, container) in placed {
            self.announce(container, ctx);
        }
    }

    /// Gives containers that wait the room of this node.
    pub(super) fn place_on(&mut self, node: NodeId, ctx: &mut Ctx) {
        if ctx.now() < self.waits_until {
            return;
        }
        for container in std::mem::take(&mut self.apps.pending.containers) {
            if self.suits(container, node) {
                self.hold(container, node, ctx.now());
                self.announce(container, ctx);
            } else {
                self.apps.pending.containers.push(container);
            }
        }
    }

    /// The first node with room. `in_vain` are asks of containers that found none anywhere.
    fn find_room(&self, container: ContainerId, in_vain: &mut Vec<Ask>, ctx: &Ctx) -> Option<NodeId> {
        let it = self.apps.containers[&container];
        let on = |node: NodeId| self.has_room(node, it.ask, ctx).then_some(node);
        let anywhere = || self.pool.in_order().find_map(on);
        let hopeless =
            in_vain.iter().any(|ask| ask.cores <= it.ask.cores && ask.memory_kib <= it.ask.memory_kib);
        let found = match it.wish {
            Wish::Only(node) => return node.and_then(on),
            Wish::Prefer(node) if !hopeless => on(node).or_else(anywhere),
            Wish::Anywhere if !hopeless => anywhere(),
            Wish::Prefer(_) | Wish::Anywhere => return None,
        };
        if found.is_none() {
            in_vain.push(it.ask);
        }
        found
    }

    fn has_room(&self, node: NodeId, ask: Ask, ctx: &Ctx) -> bool {
        self.pool.has_room(node, ask) && !self.is_stale(node, ctx)
    }

    fn is_stale(&self, node: NodeId, ctx: &Ctx) -> bool {
        self.setup.scheduling.trigger == Trigger::Async
            && ctx.now().since(ctx.last_beat(node.0)) > self.setup.beat_interval * STALE_AFTER_INTERVALS
    }

    /// Whether a container may take room of a node that was just heard.
    fn suits(&self, container: ContainerId, node: NodeId) -> bool {
        let it = self.apps.containers[&container];
        let its_turn = match it.wish {
            Wish::Anywhere => true,
            Wish::Prefer(other) => other == node || !self.pool.has_room(other, it.ask),
            Wish::Only(other) => other == Some(node),
        };
        its_turn && (self.pool.has_room(node, it.ask) || self.has_late_room(node, it.ask))
    }

    /// Whether a node that drains has room for a container in the one round that it may still get.
    fn has_late_room(&self, node: NodeId, ask: Ask) -> bool {
        self.late_rounds.contains(&node) && self.pool.would_hold(node, ask)
    }

    /// The next heartbeat of each node with room matters.
    fn want_beats(&self, ctx: &mut Ctx) {
        let late = self.late_rounds.iter().copied();
        let nodes: Vec<NodeId> = self
            .pool
            .in_order()
            .chain(late)
            .filter(|&node| self.apps.pending.containers.iter().any(|&waits| self.suits(waits, node)))
            .collect();
        for node in nodes {
            ctx.want_beat(node.0, ctx.now());
        }
    }

    /// A container takes its share of a node.
    fn hold(&mut self, container: ContainerId, node: NodeId, now: SimTime) {
        let it = self.apps.containers.get_mut(&container).expect("what waits is there");
        (it.node, it.since) = (Some(node), now);
        self.apps.pending.forget_size(it.ask, it.wish);
        self.pool.take_ask(node, it.ask);
        self.apps.on_node.entry(node).or_default().insert(container);
        self.apps.apps[it.app.index()].live.insert(container);
    }

    /// Tells of a container that has its node now.
    fn announce(&mut self, container: ContainerId, ctx: &mut Ctx) {
        let it = self.apps.containers[&container];
        let node = it.node.expect("what is placed has a node");
        self.tell_load(node, ctx);
        self.go(container, "ALLOCATE", ContainerState::Allocated, None, ctx);
        match it.purpose {
            // The resource manager launches masters itself, and at once.
            Purpose::Master => {
                ctx.tell(to::ResourceTracker, MasterStands { node, stands: true });
                self.go(container, "ACQUIRE", ContainerState::Acquired, None, ctx);
                let starts_after = self.apps.apps[it.app.index()].app.launch;
                let (app, is_master, run) = (it.app, true, None);
                ctx.tell(node, LaunchTask { container, app, is_master, starts_after, run });
            }
            Purpose::Task(_) => {
                self.apps.apps[it.app.index()].allocated.push(container);
                ctx.tell(it.app, News);
            }
        }
    }

    /// What was asked for is not wanted any more.
    pub(super) fn withdraw(&mut self, chosen: impl Fn(ContainerId) -> bool, ctx: &mut Ctx) {
        for container in self.apps.pending.withdraw(chosen) {
            let it = self.apps.containers[&container];
            self.apps.pending.forget_size(it.ask, it.wish);
            self.go(container, "WITHDRAW", ContainerState::Killed, None, ctx);
            self.apps.containers.remove(&container);
        }
    }
}
