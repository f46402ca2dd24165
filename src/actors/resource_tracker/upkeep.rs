//! The inactive map: hosts that are in it without ever having registered, and entries that are forgotten (yarn.md 4.2,
//! 4.3 and 4.6).

use actix::Handler;

use crate::actors::resource_tracker::{CheckUntracked, ResourceTracker};
use crate::actors::{Ctx, polls};
use crate::ledger::Fact;
use crate::ledger::fact::RemovalCause;
use crate::rules::machine::NodeId;
use crate::rules::rmnode::RmNodeState;
use crate::rules::untracked::{ListsRead, Upkeep};

impl ResourceTracker {
    /// The state of the entry that a node has in the inactive map.
    pub(super) fn inactive(&self, node: NodeId) -> Option<RmNodeState> {
        match self.nodes.get(node.index()).and_then(Option::as_ref) {
            Some(rm) => Some(rm.state).filter(|state| !state.is_active()),
            None => self.placeholders.get(&node).copied(),
        }
    }

    /// Whether no list names a node where one is kept. What the policy drains is on a list of its own.
    pub(super) fn is_untracked(&self, node: NodeId) -> bool {
        let host = self.hosts.of(node).to_string();
        !self.policy_entries.contains_key(&node)
            && self.lists.is_untracked(host.as_str(), self.tracking.even_without_include)
    }

    /// An entry that is untracked and not noted as such is noted from now on.
    pub(super) fn note_untracked(&mut self, node: NodeId, ctx: &mut Ctx) {
        if self.inactive(node).is_some() && self.is_untracked(node) {
            let now = ctx.now();
            self.untracked_since.entry(node).or_insert(now);
            ctx.wake_poll(polls::REMOVAL, now);
        }
    }

    /// The timer shall look at a node that may be untracked now.
    pub(super) fn look_for_untracked(&self, node: NodeId, ctx: &mut Ctx) {
        if self.inactive(node).is_some() && self.is_untracked(node) {
            ctx.wake_poll(polls::REMOVAL, ctx.now());
        }
    }

    /// Gives a node that has not registered the entry that the lists make for it, if they do. Neither scheduler nor
    /// policy hears of that; and a node that has been in service before is known to be out of it.
    pub(super) fn place(&mut self, node: NodeId, at: ListsRead, ctx: &mut Ctx) {
        let host = self.hosts.of(node).to_string();
        let Some(to) = self.tracking.placeholder(&self.lists, &host, at) else { return };
        self.placeholders.insert(node, to);
        if self.unheard.remove(&node) {
            let (event, cause) = match at {
                ListsRead::AtStart => ("DECOMMISSION", RemovalCause::Excluded),
                ListsRead::AtRefresh => ("EXPIRE", RemovalCause::Lost),
            };
            ctx.record(&Fact::RmNode { node, event, from: RmNodeState::New, to, cause: Some(cause) });
        }
    }

    /// What the timer does with one entry.
    fn keep_up(&mut self, node: NodeId, ctx: &mut Ctx) {
        let Some(state) = self.inactive(node) else { return };
        let since = self.untracked_since.get(&node).copied();
        match self.tracking.upkeep(self.is_untracked(node), state, since, ctx.now()) {
            Upkeep::Keep => {}
            Upkeep::Stamp => {
                self.untracked_since.insert(node, ctx.now());
            }
            Upkeep::Clear => {
                self.untracked_since.remove(&node);
            }
            Upkeep::Forget => {
                self.drop_entry(node);
                ctx.record(&Fact::Agent { node, event: "FORGOTTEN" });
            }
        }
    }

    /// Nothing is left of a node in the inactive map.
    pub(super) fn drop_entry(&mut self, node: NodeId) {
        if let Some(place) = self.nodes.get_mut(node.index()) {
            *place = None;
        }
        self.placeholders.remove(&node);
        self.untracked_since.remove(&node);
    }
}

impl Handler<CheckUntracked> for ResourceTracker {
    type Result = ();

    /// yarn.md 4.6.
    fn handle(&mut self, _: CheckUntracked, ctx: &mut Ctx) {
        if self.away {
            return;
        }
        for node in self.all() {
            self.keep_up(node, ctx);
        }
        if !self.untracked_since.is_empty() {
            ctx.wake_poll(polls::REMOVAL, ctx.now());
        }
    }
}
