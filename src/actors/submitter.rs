//! The submitter: sends each job of the workload to the scheduler at its submit time.

use std::sync::Arc;

use actix::{Actor, Handler, Message};

use crate::actors::scheduler::JobArrives;
use crate::actors::{Ctx, to};
use crate::engine::mailbox;
use crate::ledger::Fact;
use crate::rules::scheduling::JobIndex;
use crate::time::SimSpan;
use crate::workload::Workload;

/// The next job's submit time has come.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub struct NextArrival;

mailbox! {
    /// What the submitter hears.
    Mail for Submitter, in Ctx { NextArrival }
}

/// The one who sends jobs.
#[derive(Debug)]
pub struct Submitter {
    workload: Arc<Workload>,
    /// Jobs that are never sent, in order.
    rejected: Vec<JobIndex>,
    next: u32,
}

impl Submitter {
    /// Sends the jobs of `workload` except those that were `rejected` (in order).
    pub fn new(workload: Arc<Workload>, rejected: Vec<JobIndex>) -> Self {
        Self { workload, rejected, next: 0 }
    }

    /// Sends all jobs that are due, then waits for the next.
    fn send_due(&mut self, ctx: &mut Ctx) {
        let now = ctx.now();
        while let Some(job) = self.workload.jobs.get(self.next as usize) {
            if job.submit > now {
                ctx.tell_after(job.submit.since(now), to::Submitter, NextArrival);
                return;
            }
            let index = JobIndex(self.next);
            self.next += 1;
            if self.rejected.binary_search(&index).is_err() {
                ctx.record(&Fact::JobArrived { job: index });
                ctx.tell(to::Scheduler, JobArrives { job: index });
            }
        }
    }
}

impl Actor for Submitter {
    type Context = Ctx;

    fn started(&mut self, ctx: &mut Ctx) {
        ctx.tell_after(SimSpan::ZERO, to::Submitter, NextArrival);
    }
}

impl Handler<NextArrival> for Submitter {
    type Result = ();

    fn handle(&mut self, _: NextArrival, ctx: &mut Ctx) {
        self.send_due(ctx);
    }
}
