//! The model's scheduling pass.

use super::model::{Model, Node, State};

impl Model<'_> {
    /// Killed jobs go to the head: those of one instant in submit order, before all that waited.
    pub(super) fn requeue(&mut self) {
        self.requeued.sort_unstable();
        let waited = std::mem::take(&mut self.queue);
        self.queue = std::mem::take(&mut self.requeued);
        self.queue.extend(waited);
    }

    /// Heads as long as they fit; with EASY then those behind.
    pub(super) fn pass(&mut self) {
        self.requeue();
        while let Some(&head) = self.queue.first()
            && self.start(head)
        {
            self.queue.remove(0);
        }
        if self.world.easy && !self.queue.is_empty() {
            self.backfill();
        }
    }

    fn free(&self, node: usize) -> u32 {
        if self.nodes[node].state == State::Running { self.cores - self.busy(node) } else { 0 }
    }

    fn all_free(&self) -> u64 {
        (0..self.nodes.len()).map(|node| u64::from(self.free(node))).sum()
    }

    /// Starts a job if its cores are free.
    fn start(&mut self, job: usize) -> bool {
        let mut missing = self.jobs[job].task.cores;
        if u64::from(missing) > self.all_free() {
            return false;
        }
        let mut offers: Vec<usize> = (0..self.nodes.len()).filter(|&node| self.free(node) > 0).collect();
        let registered = |node: &usize| self.nodes[*node].granted + self.boot_of(*node);
        match self.world.placement {
            "pack" => offers.sort_by_key(|node| self.free(*node)),
            "spread" => offers.sort_by_key(|node| std::cmp::Reverse(self.free(*node))),
            "oldest" => offers.sort_by_key(registered),
            _ => offers.sort_by_key(|node| std::cmp::Reverse(registered(node))),
        }
        for node in offers {
            let cores = self.free(node).min(missing);
            if cores > 0 {
                self.jobs[job].shares.push((node, cores));
                missing -= cores;
            }
        }
        self.jobs[job].started = self.now;
        true
    }

    fn boot_of(&self, node: usize) -> u64 {
        if node < self.world.min_nodes as usize { 0 } else { self.boot }
    }

    /// What is left of the time that a job has asked for.
    fn requested(&self, job: usize) -> u64 {
        self.jobs[job].task.requested_ms - self.jobs[job].saved
    }

    /// When the head's cores will be free, and what is free beside it then.
    fn reservation(&self) -> Option<(u64, u64)> {
        let mut comings: Vec<(u64, u64)> = Vec::new();
        for (index, job) in self.jobs.iter().enumerate() {
            let end = job.started + self.requested(index);
            let usable = job.shares.iter().filter(|(node, _)| self.nodes[*node].state == State::Running);
            comings.extend(usable.map(|&(_, cores)| (end.max(self.now), u64::from(cores))));
        }
        let boots = |node: &&Node| node.state == State::Booting && !node.stopping;
        for node in self.nodes.iter().filter(boots) {
            comings.push(((node.granted + self.boot).max(self.now), u64::from(self.cores)));
        }
        if self.world.policy != "none" {
            let poll = self.world.poll_ms;
            let earliest = if self.polled { self.now + 1 } else { self.now };
            let asked = earliest.div_ceil(poll) * poll;
            let more = u64::from(self.world.max_nodes) - self.instances() as u64;
            comings.push((asked + self.boot, more * u64::from(self.cores)));
        }
        let head = u64::from(self.jobs[self.queue[0]].task.cores);
        let free_at = |time: u64| -> u64 {
            self.all_free()
                + comings.iter().filter(|(at, _)| *at <= time).map(|(_, cores)| cores).sum::<u64>()
        };
        let at = comings.iter().map(|(at, _)| *at).filter(|&at| free_at(at) >= head).min()?;
        Some((at, free_at(at) - head))
    }

    fn backfill(&mut self) {
        let mut reservation = self.reservation();
        let behind = self.queue[1..].to_vec();
        for job in behind {
            let cores = u64::from(self.jobs[job].task.cores);
            if cores > self.all_free() {
                continue;
            }
            if let Some((at, spare)) = &mut reservation
                && self.now + self.requested(job) > *at
            {
                if cores > *spare {
                    continue;
                }
                *spare -= cores;
            }
            assert!(self.start(job), "its cores are free");
            self.queue.retain(|&other| other != job);
        }
    }
}
