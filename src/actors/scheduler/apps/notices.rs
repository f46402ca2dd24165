//! What applications are to hear of nodes at their masters' next calls (yarn.md 4.6).

use std::collections::BTreeMap;

use actix::Handler;

use crate::actors::Ctx;
use crate::actors::app_master::News;
use crate::actors::scheduler::Scheduler;
use crate::actors::scheduler::apps::NodeReads;
use crate::ledger::Fact;
use crate::rules::container::AppId;
use crate::rules::machine::NodeId;
use crate::rules::notice::{NodeReport, UpdateType};

/// The applications that are told of nodes.
#[derive(Debug, Default)]
pub(super) struct Notices {
    /// Those that are submitted and have not ended, with the latest update of each node since the last call.
    live: BTreeMap<AppId, BTreeMap<NodeId, UpdateType>>,
    /// How the nodes read now that somebody is to hear of.
    reports: BTreeMap<NodeId, NodeReport>,
}

impl Notices {
    /// An application is submitted.
    pub(super) fn begin(&mut self, app: AppId) {
        self.live.insert(app, BTreeMap::new());
    }

    /// The applications that are submitted and have not ended.
    pub(super) fn live(&self) -> impl Iterator<Item = AppId> {
        self.live.keys().copied()
    }

    /// The application has ended, and hears of nothing more.
    pub(super) fn end(&mut self, app: AppId) {
        self.live.remove(&app);
    }

    /// What an application hears at a call. The next one does not return it again.
    pub(super) fn take(&mut self, app: AppId) -> impl Iterator<Item = (NodeId, UpdateType, NodeReport)> {
        let updates = self.live.get_mut(&app).map(std::mem::take).unwrap_or_default();
        updates.into_iter().map(|(node, update)| (node, update, self.reports[&node]))
    }
}

impl Scheduler {
    /// Tells a master of the nodes that have changed since its last call.
    pub(super) fn tell_of_nodes(&mut self, app: AppId, ctx: &mut Ctx) {
        for (node, update, report) in self.apps.notices.take(app) {
            ctx.record(&Fact::NodeTold { app, node, update, report });
        }
    }
}

impl Handler<NodeReads> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: NodeReads, ctx: &mut Ctx) {
        let NodeReads { node, report, update } = message;
        let Notices { live, reports } = &mut self.apps.notices;
        if live.is_empty() {
            return;
        }
        reports.insert(node, report);
        let Some(update) = update else { return };
        for (&app, updates) in live {
            updates.insert(node, update);
            ctx.tell(app, News);
        }
    }
}
