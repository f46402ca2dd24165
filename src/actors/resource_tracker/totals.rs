//! Totals that operators give to nodes (yarn.md 2.2, E6 to E8).

use std::collections::BTreeMap;

use actix::Handler;

use crate::actors::resource_tracker::{NodeEvent, ResourceTracker, UpdateResource};
use crate::actors::scheduler::Resize;
use crate::actors::{Ctx, to};
use crate::ledger::Fact;
use crate::rules::machine::{NodeId, Total};
use crate::rules::rmnode::{Effect, RmNodeEvent};
use crate::time::SimSpan;

/// The total that an event carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    /// `None`: what the node's type has.
    total: Option<Total>,
    /// When containers beyond it are killed; `None`: never.
    overcommit_timeout: Option<SimSpan>,
    /// Whether the scheduler is told of a total that the node has already.
    is_told_anyway: bool,
}

impl Offer {
    /// What an event carries that is no order of an operator: an agent that registers has what its type has, whatever
    /// an operator said before, and a node that is recommissioned gets back what it had (yarn.md 2.2, E6 and E7).
    pub(super) const fn of(event: RmNodeEvent) -> Self {
        let is_recommission = matches!(event, RmNodeEvent::Recommission);
        let overcommit_timeout = if is_recommission { Some(SimSpan::ZERO) } else { None };
        Self { total: None, overcommit_timeout, is_told_anyway: false }
    }
}

/// The totals of nodes that have another than their type's.
#[derive(Debug, Default)]
pub(super) struct Totals {
    now: BTreeMap<NodeId, Total>,
    /// What draining nodes had before; `None`: what their type has.
    originals: BTreeMap<NodeId, Option<Total>>,
}

impl Totals {
    /// Carries out the steps of a transition that are about totals.
    pub(super) fn carry_out(&mut self, effects: &[Effect], offer: Offer, node: NodeId, ctx: &mut Ctx) {
        let before = self.now.get(&node).copied();
        for effect in effects {
            match effect {
                // A new entry has no past.
                Effect::TakeOverRegistration => {
                    self.originals.remove(&node);
                    self.set(node, offer.total);
                }
                Effect::TakeTotal => self.set(node, offer.total),
                Effect::StoreOriginalTotal => {
                    self.originals.entry(node).or_insert(before);
                }
                Effect::RestoreOriginalTotal => {
                    if let Some(original) = self.originals.remove(&node) {
                        self.set(node, original);
                    }
                }
                // The scheduler knows a node that comes to it by its type alone, or from before a restart.
                Effect::AddToScheduler => {
                    if before.is_some() || self.now.contains_key(&node) {
                        self.tell_scheduler(node, offer, ctx);
                    }
                }
                Effect::ResizeInScheduler => {
                    if offer.is_told_anyway || before != self.now.get(&node).copied() {
                        self.tell_scheduler(node, offer, ctx);
                    }
                }
                // About work, lists and notices; and the agent has no use for its total.
                Effect::RemoveFromScheduler
                | Effect::ClearUpdateQueue
                | Effect::MoveToInactive
                | Effect::Notice(_)
                | Effect::StoreTimeout
                | Effect::TellTotal
                | Effect::MergeReport
                | Effect::NotifyScheduler
                | Effect::AddApplications
                | Effect::CleanUpApplication
                | Effect::CleanUpContainer
                | Effect::ForgetContainers
                | Effect::ResizeContainer
                | Effect::SignalContainer => {}
            }
        }
    }

    fn set(&mut self, node: NodeId, total: Option<Total>) {
        match total {
            Some(total) => self.now.insert(node, total),
            None => self.now.remove(&node),
        };
    }

    fn tell_scheduler(&self, node: NodeId, offer: Offer, ctx: &mut Ctx) {
        let (total, overcommit_timeout) = (self.now.get(&node).copied(), offer.overcommit_timeout);
        ctx.tell(to::Scheduler, Resize { node, total, overcommit_timeout });
    }
}

impl Handler<UpdateResource> for ResourceTracker {
    type Result = ();

    /// RESOURCE_UPDATE (yarn.md 2.2, E8), which is legal for each node of the active map.
    fn handle(&mut self, message: UpdateResource, ctx: &mut Ctx) {
        let UpdateResource { node, total, overcommit_timeout } = message;
        if let Some(rm) = self.active(node) {
            ctx.record(&Fact::Resized { node, state: rm.state, total });
        }
        let offer = Offer { total: Some(total), overcommit_timeout, is_told_anyway: true };
        let event = RmNodeEvent::ResourceUpdate;
        self.apply_with(offer, NodeEvent { node, event, timeout: None, cause: None }, ctx);
    }
}
