//! Which node a container gets, and when one is looked for (yarn.md 8.1).

use std::cmp::Reverse;

use super::pending::Shape;
use super::{Apps, Purpose, Wish};
use crate::actors::app_master::News;
use crate::actors::node::LaunchTask;
use crate::actors::resource_tracker::MasterStands;
use crate::actors::scheduler::Scheduler;
use crate::actors::{Ctx, to};
use crate::rules::container::{AppId, ContainerId, ContainerState};
use crate::rules::machine::NodeId;
use crate::rules::scheduling::Trigger;
use crate::time::SimTime;
use crate::workload::app::Ask;

/// The asynchronous scheduler leaves out a node that was heard longer ago than so many configured intervals, whatever
/// interval the node was told (yarn.md 7.6). A scaled one may be longer than that; the node is tried again when it is
/// heard.
const STALE_AFTER_INTERVALS: u64 = 2;

impl Scheduler {
    /// Containers wait, or there is more room than before: looks for a place when the trigger says so.
    pub(in crate::actors::scheduler) fn seek_room(&mut self, ctx: &mut Ctx) {
        if self.apps.pending.is_empty() {
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
        if self.pool.free_cores() == 0 {
            return;
        }
        let mut placed = self.place(Self::find_room, ctx);
        // The recorded scheduler went from h3 over h2 to h1. Upstream it is the order of a hash map; we go by number.
        placed.sort_unstable_by_key(|&(container, node)| (Reverse(node), container));
        for (container, _) in placed {
            self.announce(container, ctx);
        }
    }

    /// Gives containers that wait the room of this node.
    pub(super) fn place_on(&mut self, node: NodeId, ctx: &mut Ctx) {
        let placed = self.place(|it, shape, _| it.suits(shape, node).then_some(node), ctx);
        for (container, _) in placed {
            self.announce(container, ctx);
        }
    }

    /// Holds a share for each container that waits and for which `find` finds a node, the longest waiting first.
    fn place(
        &mut self,
        find: impl Fn(&Self, Shape, &Ctx) -> Option<NodeId>,
        ctx: &Ctx,
    ) -> Vec<(ContainerId, NodeId)> {
        let mut placed = Vec::new();
        if ctx.now() < self.waits_until {
            return placed;
        }
        let mut heads = self.apps.pending.heads();
        while let Some(Reverse((container, shape))) = heads.pop() {
            let Some(node) = find(self, shape, ctx) else { continue };
            self.apps.pending.pop(shape, &mut heads);
            self.hold(container, node, ctx.now());
            placed.push((container, node));
        }
        placed
    }

    /// The first node with room.
    fn find_room(&self, shape: Shape, ctx: &Ctx) -> Option<NodeId> {
        let on = |node: NodeId| self.has_room(node, shape.ask, ctx).then_some(node);
        let anywhere = || self.pool.in_order().find_map(on);
        match shape.wish {
            Wish::Only(node) => node.and_then(on),
            Wish::Prefer(node) => on(node).or_else(anywhere),
            Wish::Anywhere => anywhere(),
        }
    }

    fn has_room(&self, node: NodeId, ask: Ask, ctx: &Ctx) -> bool {
        self.pool.has_room(node, ask) && !self.is_stale(node, ctx)
    }

    fn is_stale(&self, node: NodeId, ctx: &Ctx) -> bool {
        self.setup.scheduling.trigger == Trigger::Async
            && ctx.now().since(ctx.last_beat(node.0)) > self.setup.beat_interval * STALE_AFTER_INTERVALS
    }

    /// Whether a container may take room of a node that was just heard.
    fn suits(&self, shape: Shape, node: NodeId) -> bool {
        let ask = shape.ask;
        let its_turn = match shape.wish {
            Wish::Anywhere => true,
            Wish::Prefer(other) => other == node || !self.pool.has_room(other, ask),
            Wish::Only(other) => other == Some(node),
        };
        its_turn && (self.pool.has_room(node, ask) || self.has_late_room(node, ask))
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
            .filter(|&node| self.apps.pending.shapes().any(|shape| self.suits(shape, node)))
            .collect();
        for node in nodes {
            ctx.want_beat(node.0, ctx.now());
        }
    }

    /// A container takes its share of a node.
    fn hold(&mut self, container: ContainerId, node: NodeId, now: SimTime) {
        let it = self.apps.containers.get_mut(&container).expect("what waits is there");
        (it.node, it.since) = (Some(node), now);
        let (app, ask) = (it.app, it.shape.ask);
        self.pool.take_ask(node, ask);
        self.apps.on_node.entry(node).or_default().insert(container);
        self.apps.apps[app.index()].live.insert(container);
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

    /// What an application waits for is not wanted any more.
    pub(super) fn withdraw(&mut self, app: AppId, ctx: &mut Ctx) {
        let Apps { pending, containers, .. } = &mut self.apps;
        for container in pending.withdraw(|container| containers[&container].app == app) {
            self.go(container, "WITHDRAW", ContainerState::Killed, None, ctx);
            self.apps.containers.remove(&container);
        }
    }
}
