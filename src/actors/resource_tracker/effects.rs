//! The steps of a transition (yarn.md 2.2), and what others are told of it.

use crate::actors::node::Reply;
use crate::actors::policy::Notice;
use crate::actors::resource_tracker::{RmNode, Status};
use crate::actors::scheduler::apps::{ContainerCompletes, ContainerRuns, NodeReads, NodeUpdate};
use crate::actors::scheduler::{NodeAdded, NodeCloses, NodeOpens, NodeRemoved};
use crate::actors::watcher::NodeTurns;
use crate::actors::{Ctx, to};
use crate::ledger::Fact;
use crate::ledger::fact::RemovalCause;
use crate::rules::container::Application;
use crate::rules::machine::NodeId;
use crate::rules::notice::{NodeReport, UpdateType};
use crate::rules::rmnode::{Effect, RmNodeState};
use crate::time::SimSpan;

/// Carries out one step of a transition, while the node still reads its old state.
pub(super) fn carry_out(
    effect: Effect,
    node: NodeId,
    rm: &mut RmNode,
    timeout: Option<SimSpan>,
    cause: Option<RemovalCause>,
    ctx: &mut Ctx,
) {
    match effect {
        Effect::AddToScheduler => ctx.tell(to::Scheduler, NodeAdded { node, kind: rm.kind }),
        Effect::RemoveFromScheduler => {
            let cause = cause.expect("whoever takes a node out of service says why");
            ctx.tell(to::Scheduler, NodeRemoved { node, cause });
            rm.news.clear();
        }
        Effect::StoreTimeout => {
            rm.timeout = Some(timeout);
            ctx.record(&Fact::DrainTimeout { node, timeout });
            if rm.state == RmNodeState::Decommissioning {
                ctx.tell(to::Watcher, NodeTurns { node, to: rm.state, timeout });
            }
            // The watcher's context begins with the next beat, and a changed timeout acts at it.
            ctx.want_beat(node.0, ctx.now());
        }
        Effect::Notice(UpdateType::Decommissioning) => ctx.tell(to::Scheduler, NodeCloses { node }),
        Effect::RestoreOriginalTotal => {
            ctx.tell(to::Scheduler, NodeOpens { node });
            ctx.want_beat(node.0, ctx.now());
        }
        // yarn.md 2.3: an application stands on the node from the first container that a report tells of.
        Effect::MergeReport => {
            for Status { container, app, exit } in std::mem::take(&mut rm.news) {
                if !rm.running_applications.contains(&Application::App(app)) {
                    rm.running_applications.push(Application::App(app));
                    if rm.state == RmNodeState::Decommissioning {
                        // The watcher has been told of the applications before the merge, and takes this one in at the
                        // next beat.
                        ctx.want_beat(node.0, ctx.now() + SimSpan::MILLISECOND);
                    }
                }
                match exit {
                    Some(exit) => ctx.tell(to::Scheduler, ContainerCompletes { container, exit }),
                    None => ctx.tell(to::Scheduler, ContainerRuns { container }),
                }
            }
        }
        Effect::NotifyScheduler => ctx.tell(to::Scheduler, NodeUpdate { node }),
        Effect::MoveToInactive => {
            // Inactive nodes stay in the table for ever: the list's memory goes. An unhealthy one keeps its list.
            rm.running_applications = Vec::new();
            // A node that left service otherwise than by a heartbeat's answer is told at its next beat.
            ctx.want_beat(node.0, ctx.now());
        }
        // `Totals` carries these out; an agent has no use for its total.
        Effect::StoreOriginalTotal | Effect::TakeTotal | Effect::ResizeInScheduler | Effect::TellTotal => {}
        // `Register` has brought the applications, `AppEnds` takes them off.
        Effect::TakeOverRegistration | Effect::AddApplications | Effect::CleanUpApplication => {}
        // What masters hear is told once the node reads its new state, by `tell_reading`.
        Effect::Notice(UpdateType::Usable | UpdateType::Unusable) => {}
        // What has been merged is with the scheduler at once: nothing queues.
        Effect::ClearUpdateQueue => {}
        // The scheduler and the masters speak to agents themselves, so nobody sends the events that have these.
        Effect::CleanUpContainer
        | Effect::ForgetContainers
        | Effect::ResizeContainer
        | Effect::SignalContainer => {}
    }
}

/// Tells the scheduler how a node reads after a transition with these effects, for masters to hear of.
pub(super) fn tell_reading(effects: &[Effect], node: NodeId, rm: &RmNode, ctx: &mut Ctx) {
    let update = effects.iter().find_map(|&effect| match effect {
        Effect::Notice(update) => Some(update),
        _ => None,
    });
    if update.is_some() || effects.contains(&Effect::StoreTimeout) {
        let report = NodeReport { state: rm.state, timeout: rm.timeout };
        ctx.tell(to::Scheduler, NodeReads { node, report, update });
    }
}

/// Tells the policy how a node stands now.
pub(super) fn tell_standing(node: NodeId, from: RmNodeState, to: RmNodeState, ctx: &mut Ctx) {
    ctx.tell(
        to::Policy,
        match to {
            RmNodeState::Running => Notice::Running { node },
            RmNodeState::Decommissioning => Notice::Draining { node },
            RmNodeState::New
            | RmNodeState::Unhealthy
            | RmNodeState::Decommissioned
            | RmNodeState::Lost
            | RmNodeState::Rebooted
            | RmNodeState::Shutdown => {
                Notice::OutOfService { node, drained: from == RmNodeState::Decommissioning }
            }
        },
    );
}

/// Tells an agent to shut down.
pub(super) fn shut_down(node: NodeId, ctx: &mut Ctx) {
    ctx.record(&Fact::Agent { node, event: "SHUTDOWN" });
    ctx.tell(node, Reply::Shutdown);
}
