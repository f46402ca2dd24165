//! The scheduling pass: the head of the queue as long as it fits, then, with EASY, those behind it.

use actix::Handler;

use crate::actors::scheduler::easy::{Reservation, may_overtake, reserve};
use crate::actors::scheduler::queue::Waiting;
use crate::actors::scheduler::{Pass, Scheduler};
use crate::actors::{Ctx, polls};
use crate::rules::machine::cheapest_for;
use crate::rules::scheduling::{Discipline, StartReason};
use crate::time::SimTime;

impl Handler<Pass> for Scheduler {
    type Result = ();

    fn handle(&mut self, _: Pass, ctx: &mut Ctx) {
        self.queue.settle_head();
        self.start_heads(ctx);
        match self.setup.scheduling.discipline {
            Discipline::Fifo => {}
            Discipline::Easy => self.backfill(ctx),
        }
        self.tell_changes(ctx);
    }
}

impl Scheduler {
    /// Starts the head of the queue as long as its cores are free.
    fn start_heads(&mut self, ctx: &mut Ctx) {
        while let Some(&head) = self.queue.head() {
            let Some(shares) = self.pool.place(self.request(head.job)) else { return };
            self.queue.pop_head();
            self.start(head, shares, StartReason::Head, ctx);
        }
    }

    /// Starts later jobs that do not delay the head.
    fn backfill(&mut self, ctx: &mut Ctx) {
        let now = ctx.now();
        let Some(&head) = self.queue.head() else { return };
        if self.queue.len() < 2 || self.pool.free_cores() == 0 {
            return;
        }
        let mut arrivals = self.arrivals(ctx);
        let mut reservation =
            reserve(head.cores, self.pool.free_cores(), &self.expected_ends, &mut arrivals, now);
        let mut place = 1;
        while let Some(&waiting) = self.queue.get(place) {
            if self.pool.free_cores() == 0 {
                return;
            }
            let started = u64::from(waiting.cores) <= self.pool.free_cores()
                && self.overtake(waiting, &mut reservation, ctx);
            if started {
                self.queue.remove(place);
            } else {
                place += 1;
            }
        }
    }

    fn overtake(&mut self, waiting: Waiting, reservation: &mut Option<Reservation>, ctx: &mut Ctx) -> bool {
        let before = *reservation;
        let Some(reason) = may_overtake(reservation, waiting.cores, waiting.requested, ctx.now()) else {
            return false;
        };
        let Some(shares) = self.pool.place(self.request(waiting.job)) else {
            // Enough cores, but not enough memory beside them.
            *reservation = before;
            return false;
        };
        self.start(waiting, shares, reason, ctx);
        true
    }

    /// Cores of nodes to come: those that boot, and those that could still be asked for.
    fn arrivals(&self, ctx: &Ctx) -> Vec<(SimTime, u64)> {
        let mut arrivals: Vec<(SimTime, u64)> =
            self.booting.values().map(|booting| (booting.expected, u64::from(booting.cores))).collect();
        let asked_at = ctx.next_tick(polls::POLICY);
        let not_asked_for = u64::from(self.setup.max_nodes.saturating_sub(self.instances));
        if not_asked_for > 0 && asked_at < SimTime::MAX {
            let kind = cheapest_for(&self.setup.node_types, 0);
            let node_type = &self.setup.node_types[kind.index()];
            arrivals.push((asked_at + node_type.boot.median(), not_asked_for * u64::from(node_type.cores)));
        }
        arrivals
    }
}
