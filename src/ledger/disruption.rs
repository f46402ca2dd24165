//! Disruption: drains, how they ended, and which of them the queue regretted (semantics, disruption).

use std::collections::BTreeMap;

use crate::ledger::records::NodeLoss;
use crate::rules::drain::DrainStatus;
use crate::rules::machine::NodeId;
use crate::time::{SimSpan, SimTime};

/// All drains, whoever asked for them.
#[derive(Debug, Default)]
pub struct DrainBook {
    /// Drains ordered.
    pub ordered: u64,
    /// Drains that ended since nothing was left to wait for.
    pub ready: u64,
    /// Drains that ended since their time was up.
    pub timed_out: u64,
    /// How long those took together.
    pub timed_out_span: SimSpan,
    /// How long each ended drain took, from order to the end, in order of their ends.
    pub spans: Vec<SimSpan>,
    /// Drains that ended with nothing left to wait for although containers stood on the node (yarn.md 3.6, R1 and R2).
    pub early_exits_with_work: u64,
    /// What nodes took with them, of those that took anything.
    pub losses: BTreeMap<NodeId, NodeLoss>,
    /// Drains of nodes that the head job then lacked.
    pub wanted_node_stops: u64,
    /// Since when nodes wait for applications alone.
    idle_since: BTreeMap<NodeId, SimTime>,
    /// Drains that may still turn out to have been wanted.
    open: Vec<OpenStop>,
}

/// A drain whose node the head job may still miss.
#[derive(Clone, Copy, Debug)]
struct OpenStop {
    until: SimTime,
    cores: u32,
}

impl DrainBook {
    /// A node of `cores` was ordered to drain; a new one would take `median_boot`.
    pub fn order(&mut self, cores: u32, median_boot: SimSpan, now: SimTime) {
        self.ordered += 1;
        self.open.push(OpenStop { until: now + median_boot, cores });
    }

    /// A drain ended with this sub-status.
    pub fn end(&mut self, status: DrainStatus, took: SimSpan) {
        match status {
            DrainStatus::Ready => self.ready += 1,
            DrainStatus::Timeout => {
                self.timed_out += 1;
                self.timed_out_span += took;
            }
            DrainStatus::None
            | DrainStatus::WaitContainer
            | DrainStatus::WaitApp
            | DrainStatus::Decommissioned => {}
        }
        self.spans.push(took);
    }

    /// The watcher says how far the drain of a node has come.
    pub fn status(&mut self, node: NodeId, status: DrainStatus, now: SimTime) {
        self.idle_ends(node, now);
        if status == DrainStatus::WaitApp {
            self.idle_since.insert(node, now);
        }
    }

    /// The node is no longer waited for, or no longer there.
    pub fn idle_ends(&mut self, node: NodeId, now: SimTime) {
        if let Some(since) = self.idle_since.remove(&node) {
            self.losses.entry(node).or_default().idle_held += now.since(since);
        }
    }

    /// The run ends.
    pub fn close(&mut self, now: SimTime) {
        for (node, since) in std::mem::take(&mut self.idle_since) {
            self.losses.entry(node).or_default().idle_held += now.since(since);
        }
    }

    /// What all nodes together took with them.
    pub fn total_loss(&self) -> NodeLoss {
        let mut sum = NodeLoss::default();
        for loss in self.losses.values() {
            sum.add(loss);
        }
        sum
    }

    /// An instant is settled: the head job lacks so many cores. Counts each drain at most once, if the lack is at least
    /// one core and no more than the drained node had.
    pub fn settle(&mut self, lacking_cores: u64, now: SimTime) {
        if self.open.is_empty() {
            return;
        }
        self.open.retain(|stop| stop.until >= now);
        if lacking_cores == 0 {
            return;
        }
        let before = self.open.len();
        self.open.retain(|stop| u64::from(stop.cores) < lacking_cores);
        self.wanted_node_stops += (before - self.open.len()) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_regretted_once_if_its_node_would_have_let_the_head_start() {
        // Boots take 100 s. A node of 4 cores and one of 8 are ordered to drain at 0.
        let mut book = DrainBook::default();
        book.order(4, SimSpan::from_secs(100), SimTime::ZERO);
        book.order(8, SimSpan::from_secs(100), SimTime::ZERO);
        book.settle(9, SimTime::from_secs(10));
        assert_eq!(book.wanted_node_stops, 0, "9 cores were lacking: neither node alone would have helped");
        book.settle(5, SimTime::from_secs(100));
        assert_eq!(book.wanted_node_stops, 1, "the node of 8, at the last instant that counts");
        book.settle(5, SimTime::from_secs(100));
        book.settle(1, SimTime::from_ms(100_001));
        assert_eq!(
            book.wanted_node_stops, 1,
            "each counts once, and later than a boot takes it does not matter"
        );
    }
}
