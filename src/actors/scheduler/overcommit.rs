//! Nodes whose total an operator has made smaller than what runs there (yarn.md 8.1, 10.6).

use std::cmp::Reverse;

use actix::Handler;

use crate::actors::Ctx;
use crate::actors::scheduler::{Resize, Scheduler};
use crate::ledger::fact::RemovalCause;
use crate::rules::container::ContainerId;
use crate::rules::machine::NodeId;
use crate::rules::scheduling::JobIndex;
use crate::time::SimTime;

/// What can be killed on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Victim {
    /// A gang job, with all its containers everywhere.
    Job(JobIndex),
    /// A container of an application.
    Container(ContainerId),
}

/// Where a victim stands in the order of kills: masters come last, and of others the youngest comes first.
pub(super) type KillOrder = (bool, Reverse<SimTime>, Reverse<Victim>);

impl Scheduler {
    /// Kills what is too much on a node whose time for it is up.
    pub(super) fn end_overcommit(&mut self, node: NodeId, ctx: &mut Ctx) {
        let Some(&due) = self.overcommitted.get(&node) else { return };
        if ctx.now() < due {
            ctx.want_beat(node.0, due);
            return;
        }
        self.overcommitted.remove(&node);
        let jobs = self.pool.containers(node).iter().map(|&job| {
            let started = self.running[&job].started;
            (false, Reverse(started), Reverse(Victim::Job(job)))
        });
        let mut victims: Vec<KillOrder> = jobs.chain(self.apps.victims_on(node)).collect();
        victims.sort_unstable();
        for (_, _, Reverse(victim)) in victims {
            if !self.pool.is_overcommitted(node) {
                break;
            }
            match victim {
                Victim::Job(job) => self.kill(job, node, RemovalCause::Overcommitted, ctx),
                Victim::Container(container) => self.preempt(container, ctx),
            }
        }
        self.seek_room(ctx);
        ctx.request_pass();
    }
}

impl Handler<Resize> for Scheduler {
    type Result = ();

    fn handle(&mut self, message: Resize, ctx: &mut Ctx) {
        let Resize { node, total, overcommit_timeout } = message;
        if !self.pool.is_open(node) && !self.pool.is_closed(node) {
            return;
        }
        self.pool.resize(node, total);
        self.tell_utilisation(node, ctx);
        self.overcommitted.remove(&node);
        if let (true, Some(timeout)) = (self.pool.is_overcommitted(node), overcommit_timeout) {
            let due = ctx.now() + timeout;
            self.overcommitted.insert(node, due);
            // At once, or at the first heartbeat from then on.
            self.end_overcommit(node, ctx);
        }
        self.seek_room(ctx);
        ctx.request_pass();
        self.tell_changes(ctx);
    }
}
