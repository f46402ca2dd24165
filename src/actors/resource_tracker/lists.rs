//! Who may be in service, and what a refresh of the lists sends to each node (yarn.md 4).

use actix::Handler;

use crate::actors::admin::Draining;
use crate::actors::cloud::BringBack;
use crate::actors::nodes_list::timeout_of_host;
use crate::actors::resource_tracker::{
    AskDraining, ForceAll, NodeEvent, Relist, ResourceTracker, SetExcluded,
};
use crate::actors::{Ctx, to};
use crate::ledger::fact::RemovalCause;
use crate::rules::behaviour::TimeKeeper;
use crate::rules::hosts::{HostLists, Standing};
use crate::rules::machine::NodeId;
use crate::rules::refresh::{Refresh, RefreshAction, effective_timeout, forceful_action, refresh_action};
use crate::rules::rmnode::{RmNodeEvent, RmNodeState};
use crate::rules::untracked::ListsRead;
use crate::time::SimSpan;

impl ResourceTracker {
    /// Whether the resource manager speaks with a node otherwise than to send it away: it is valid, or it drains
    /// (yarn.md 7.2, step 1).
    pub(super) fn may_speak(&self, node: NodeId) -> bool {
        let drains = || {
            let rm = self.nodes.get(node.index()).and_then(Option::as_ref);
            rm.is_some_and(|rm| rm.state == RmNodeState::Decommissioning)
        };
        self.is_valid(node) || drains()
    }

    /// Whether a node may be in service.
    pub(super) fn is_valid(&self, node: NodeId) -> bool {
        self.standing(&self.lists, node) == Standing::Valid
    }

    /// How a node stands with the effective lists: the administrator's and the policy's own together.
    fn standing(&self, lists: &HostLists, node: NodeId) -> Standing {
        if self.policy_entries.contains_key(&node) {
            return Standing::Excluded;
        }
        self.drain.behaviour.standing(lists.standing(self.hosts.of(node).to_string().as_str()))
    }

    /// What a refresh has to say to a node that is in the active map.
    fn refreshed(
        &self,
        lists: &HostLists,
        how: Refresh<Option<SimSpan>>,
        time_keeper: TimeKeeper,
        node: NodeId,
    ) -> Option<RefreshAction<Option<SimSpan>>> {
        let rm = self.nodes.get(node.index())?.as_ref().filter(|rm| rm.state.is_active())?;
        let how = match how {
            Refresh::Normal => Refresh::Normal,
            Refresh::Graceful { timeout } => {
                let of_policy = self.policy_entries.get(&node).copied();
                let of_file = || match time_keeper {
                    TimeKeeper::ResourceManager => timeout_of_host(lists, &self.hosts.of(node).to_string()),
                    TimeKeeper::Client => None,
                };
                Refresh::Graceful { timeout: effective_timeout(of_policy.or_else(of_file), None, timeout) }
            }
        };
        refresh_action(self.standing(lists, node), how, rm.state, &rm.timeout.flatten())
    }

    /// Whether a refresh brings a node back that has left service. Its agent has ended, or will when it is told.
    fn comes_back(&self, lists: &HostLists, node: NodeId) -> bool {
        let brings_back = |state| self.drain.behaviour.brings_back(self.standing(lists, node), state);
        self.inactive(node).is_some_and(brings_back)
    }

    fn send(
        &mut self,
        node: NodeId,
        action: RefreshAction<Option<SimSpan>>,
        cause: RemovalCause,
        ctx: &mut Ctx,
    ) {
        let (event, timeout) = match action {
            RefreshAction::Recommission => (RmNodeEvent::Recommission, None),
            RefreshAction::GracefulDecommission(timeout) => (RmNodeEvent::GracefulDecommission, timeout),
            RefreshAction::Decommission => (RmNodeEvent::Decommission, None),
            RefreshAction::Shutdown => (RmNodeEvent::Shutdown, None),
        };
        self.apply(NodeEvent { node, event, timeout, cause: Some(cause) }, ctx);
    }

    pub(super) fn all(&self) -> impl Iterator<Item = NodeId> + use<> {
        let count = u32::try_from(self.nodes.len()).expect("node numbers are 32 bits");
        (0..count).map(NodeId)
    }
}

impl Handler<SetExcluded> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: SetExcluded, ctx: &mut Ctx) {
        match message.excluded {
            Some(timeout) => {
                self.policy_entries.insert(message.node, timeout);
            }
            None => {
                self.policy_entries.remove(&message.node);
                self.look_for_untracked(message.node, ctx);
            }
        }
    }
}

impl Handler<Relist> for ResourceTracker {
    type Result = ();

    /// yarn.md 4.3, steps 3 to 6.
    fn handle(&mut self, message: Relist, ctx: &mut Ctx) {
        let Relist { lists, how, time_keeper } = message;
        let action = |node| Some((node, self.refreshed(&lists, how, time_keeper, node)?));
        let decided: Vec<_> = self.all().filter_map(action).collect();
        for node in self.all().filter(|&node| self.comes_back(&lists, node)) {
            ctx.tell(to::Cloud, BringBack { node });
        }
        self.lists = lists;
        let (back, others): (Vec<_>, Vec<_>) =
            decided.into_iter().partition(|(_, action)| *action == RefreshAction::Recommission);
        for (node, action) in back.into_iter().chain(others) {
            self.send(node, action, RemovalCause::Excluded, ctx);
        }
        for node in self.all() {
            self.note_untracked(node, ctx);
        }
        for node in self.unheard.clone() {
            self.place(node, ListsRead::AtRefresh, ctx);
        }
    }
}

impl Handler<ForceAll> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, _: ForceAll, ctx: &mut Ctx) {
        for node in self.all() {
            let untracked = self.drain.behaviour.tells_untracked_apart() && self.is_untracked(node);
            let Some(rm) = self.active(node) else { continue };
            if let Some(action) = forceful_action(untracked, rm.state) {
                self.send(node, action, RemovalCause::Forced, ctx);
            }
        }
    }
}

impl Handler<AskDraining> for ResourceTracker {
    type Result = ();

    /// A client asks for the draining nodes of the whole cluster (yarn.md 6.2).
    fn handle(&mut self, message: AskDraining, ctx: &mut Ctx) {
        let drains = |rm: &&super::RmNode| rm.state == RmNodeState::Decommissioning;
        let nodes = self.nodes.iter().flatten().filter(drains).count();
        ctx.tell(to::Admin, Draining { client: message.client, any: nodes > 0 });
    }
}
