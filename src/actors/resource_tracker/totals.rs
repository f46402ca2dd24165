//! Totals that operators give to nodes (yarn.md 2.2, E6 and E8).

use std::collections::BTreeMap;

use actix::Handler;

use crate::actors::resource_tracker::{NodeEvent, ResourceTracker, UpdateResource};
use crate::actors::scheduler::Resize;
use crate::actors::{Ctx, to};
use crate::ledger::Fact;
use crate::rules::machine::{NodeId, Total};
use crate::rules::rmnode::{Effect, Outcome, RmNodeEvent, transition};
use crate::time::SimSpan;

/// The totals of nodes that have another than their type's.
#[derive(Debug, Default)]
pub(super) struct Totals {
    now: BTreeMap<NodeId, Total>,
    /// What draining nodes had before; `None`: what their type has.
    originals: BTreeMap<NodeId, Option<Total>>,
}

impl Totals {
    /// A node has registered, with what its type has.
    pub(super) fn forget(&mut self, node: NodeId) {
        self.now.remove(&node);
        self.originals.remove(&node);
    }

    /// Carries out the steps of a transition that are about totals.
    pub(super) fn carry_out(&mut self, effect: Effect, node: NodeId, ctx: &mut Ctx) {
        match effect {
            // The scheduler knows a node that comes to it by its type alone.
            Effect::AddToScheduler => self.tell_scheduler(node, None, ctx),
            Effect::StoreOriginalTotal => {
                self.originals.entry(node).or_insert_with(|| self.now.get(&node).copied());
            }
            Effect::RestoreOriginalTotal => {
                if let Some(original) = self.originals.remove(&node) {
                    let had_another = match original {
                        Some(total) => self.now.insert(node, total).is_some_and(|now| now != total),
                        None => self.now.remove(&node).is_some(),
                    };
                    if had_another {
                        let overcommit_timeout = Some(SimSpan::ZERO);
                        ctx.tell(to::Scheduler, Resize { node, total: original, overcommit_timeout });
                    }
                }
            }
            _ => {}
        }
    }

    fn tell_scheduler(&self, node: NodeId, overcommit_timeout: Option<SimSpan>, ctx: &mut Ctx) {
        if let Some(&total) = self.now.get(&node) {
            ctx.tell(to::Scheduler, Resize { node, total: Some(total), overcommit_timeout });
        }
    }
}

impl Handler<UpdateResource> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: UpdateResource, ctx: &mut Ctx) {
        let UpdateResource { node, total, overcommit_timeout } = message;
        let event = RmNodeEvent::ResourceUpdate;
        let Some(rm) = self.active(node) else { return };
        let state = rm.state;
        let Outcome::Transition { effects, .. } = transition(state, event) else { return };
        self.totals.now.insert(node, total);
        ctx.record(&Fact::Resized { node, state, total });
        if effects.contains(&Effect::ResizeInScheduler) {
            self.totals.tell_scheduler(node, overcommit_timeout, ctx);
        }
        self.apply(NodeEvent { node, event, timeout: None, cause: None }, ctx);
    }
}
