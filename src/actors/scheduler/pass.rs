//! The scheduling pass: the head of the queue as long as it fits, then, with EASY, those behind it.

use actix::Handler;

use crate::actors::scheduler::easy::{Reservation, may_overtake, reserve};
use crate::actors::scheduler::queue::Waiting;
use crate::actors::scheduler::{Pass, Scheduler};
use crate::actors::{Ctx, polls};
use crate::rules::scheduling::{Discipline, StartReason, Trigger};
use crate::time::SimTime;

impl Handler<Pass> for Scheduler {
    type Result = ();

    fn handle(&mut self, _: Pass, ctx: &mut Ctx) {
        self.queue.settle_head();
        if ctx.now() < self.waits_until {
            return;
        }
        self.start_heads(ctx);
        match self.setup.scheduling.discipline {
            Discipline::Fifo => {}
            Discipline::Easy => self.backfill(ctx),
        }
        if self.setup.scheduling.trigger == Trigger::Pass {
            self.place_anywhere(ctx);
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
        let mut arrivals = self.arrivals(head, ctx);
        let mut reservation =
            reserve(head.cores, self.pool.free_cores(), &self.expected_ends, &mut arrivals, now);
        let mut place = 1;
        let mut free_cores = self.pool.free_cores();
        // On a cluster with too much work this search is nearly all of a run's time: 100,000 jobs may wait.
        while free_cores > 0
            && let Some((found, &waiting)) = self.queue.find(place, |waiting| {
                u64::from(waiting.cores) <= free_cores
                    && may_overtake(reservation, waiting.cores, waiting.requested, now).is_some()
            })
        {
            if self.overtake(waiting, &mut reservation, ctx) {
                self.queue.remove(found);
                free_cores = self.pool.free_cores();
                place = found;
            } else {
                place = found + 1;
            }
        }
    }

    fn overtake(&mut self, waiting: Waiting, reservation: &mut Option<Reservation>, ctx: &mut Ctx) -> bool {
        // Without shares there are enough cores, but not enough memory beside them.
        let (Some(reason), Some(shares)) = (
            may_overtake(*reservation, waiting.cores, waiting.requested, ctx.now()),
            self.pool.place(self.request(waiting.job)),
        ) else {
            return false;
        };
        if let (StartReason::FitsBesideReservation, Some(reservation)) = (reason, reservation) {
            reservation.spare_cores -= u64::from(waiting.cores);
        }
        self.start(waiting, shares, reason, ctx);
        true
    }

    /// Cores of nodes to come: those that boot, and those that could still be asked for, of the head's type.
    fn arrivals(&self, head: Waiting, ctx: &Ctx) -> Vec<(SimTime, u64)> {
        let mut arrivals: Vec<(SimTime, u64)> =
            self.booting.values().map(|booting| (booting.expected, u64::from(booting.cores))).collect();
        let asked_at = ctx.next_tick(polls::POLICY);
        let not_asked_for = u64::from(self.setup.max_nodes.saturating_sub(self.instances));
        if not_asked_for > 0 && asked_at < SimTime::MAX {
            let node_type = &self.setup.node_types[head.kind.index()];
            arrivals.push((asked_at + node_type.boot.median(), not_asked_for * u64::from(node_type.cores)));
        }
        arrivals
    }
}
