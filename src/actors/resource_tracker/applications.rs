//! What stands in the nodes' `runningApplications` (yarn.md 1.2), and where masters stand.

use actix::Handler;

use crate::actors::Ctx;
use crate::actors::node::AppEnded;
use crate::actors::resource_tracker::{AppEnds, GangEnds, GangStarts, MasterStands, ResourceTracker};
use crate::rules::container::{AppId, Application};
use crate::rules::machine::NodeId;

impl ResourceTracker {
    /// Whether an application that a node tells of can stand on it. The node is told to clean up one that has ended
    /// (yarn.md 2.2, E1, step 3).
    pub(super) fn may_stand(&self, app: AppId, node: NodeId, ctx: &mut Ctx) -> bool {
        let has_ended = self.ended_apps.contains(&app);
        if has_ended {
            ctx.tell(node, AppEnded { app });
        }
        !has_ended
    }
}

impl Handler<GangStarts> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: GangStarts, _: &mut Ctx) {
        for share in &message.gang.shares {
            if let Some(rm) = self.active(share.node) {
                rm.running_applications.push(Application::Job(message.gang.job));
            }
        }
    }
}

impl Handler<GangEnds> for ResourceTracker {
    type Result = ();

    /// CLEANUP_APP on each of its nodes.
    fn handle(&mut self, message: GangEnds, _: &mut Ctx) {
        for share in &message.gang.shares {
            if let Some(rm) = self.active(share.node) {
                rm.clean_up(Application::Job(message.gang.job));
            }
        }
    }
}

impl Handler<AppEnds> for ResourceTracker {
    type Result = ();

    /// CLEANUP_APP on each node that it stands on. A draining node may be ready at its next beat.
    fn handle(&mut self, message: AppEnds, ctx: &mut Ctx) {
        self.ended_apps.insert(message.app);
        for (node, rm) in (0..).map(NodeId).zip(&mut self.nodes) {
            let Some(rm) = rm.as_mut().filter(|rm| rm.state.is_active()) else { continue };
            rm.news.retain(|status| status.app != message.app);
            if rm.clean_up(Application::App(message.app)) {
                ctx.tell(node, AppEnded { app: message.app });
                ctx.want_beat(node.0, ctx.now());
            }
        }
    }
}

impl Handler<MasterStands> for ResourceTracker {
    type Result = ();

    fn handle(&mut self, message: MasterStands, _: &mut Ctx) {
        if let Some(rm) = self.node(message.node) {
            rm.masters = if message.stands { rm.masters + 1 } else { rm.masters.saturating_sub(1) };
        }
    }
}
