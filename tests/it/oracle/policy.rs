//! The model's policies.

use super::model::{Model, State};

/// What a policy remembers.
#[derive(Default)]
pub(super) struct Shrink {
    /// The cluster at the end of each instant, the start first.
    past: Vec<Picture>,
    /// Polls in a row that found a node idle.
    idle_polls: Vec<u64>,
    /// The surplus of each poll.
    notes: Vec<(u64, u64)>,
}

/// How a node looks to the policy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Booting,
    Running {
        busy: u32,
        idle_since: u64,
    },
    Draining,
    Down,
    /// Under a stop order, or gone.
    Away,
}

#[derive(Clone)]
struct Picture {
    looks: Vec<Look>,
    need: u64,
}

impl Model<'_> {
    fn picture(&self) -> Picture {
        let look = |index: usize| {
            let node = &self.nodes[index];
            match node.state {
                _ if node.stopping => Look::Away,
                State::Booting => Look::Booting,
                State::Running => Look::Running { busy: self.busy(index), idle_since: node.idle_since },
                State::Draining => Look::Draining,
                State::Out => Look::Down,
            }
        };
        let waiting = self.queue.iter().chain(&self.requeued);
        Picture {
            looks: (0..self.nodes.len()).map(look).collect(),
            need: waiting.map(|&job| u64::from(self.jobs[job].task.cores)).sum(),
        }
    }

    /// Keeps what the cluster is at the end of this instant.
    pub(super) fn remember(&mut self) {
        let picture = self.picture();
        self.shrink.past.push(picture);
    }

    fn have(&self, picture: &Picture) -> u64 {
        let cores = picture.looks.iter().map(|look| match look {
            Look::Booting => self.cores,
            Look::Running { busy, .. } => self.cores - busy,
            Look::Draining | Look::Down | Look::Away => 0,
        });
        cores.map(u64::from).sum()
    }

    fn running(picture: &Picture) -> usize {
        picture.looks.iter().filter(|look| matches!(look, Look::Running { .. })).count()
    }

    pub(super) fn poll(&mut self) {
        let present = self.picture();
        let age = self.world.report_age_ms;
        let seen = match self.now.checked_sub(age) {
            _ if age == 0 => present.clone(),
            // The first picture is of the start, the next of the end of instant 0.
            Some(then) => self.shrink.past[1 + usize::try_from(then / 1000).expect("it is small")].clone(),
            None => self.shrink.past[0].clone(),
        };
        let (need, have, cores) = (present.need, self.have(&present), u64::from(self.cores));
        let in_sight =
            Self::running(&present) + present.looks.iter().filter(|l| **l == Look::Booting).count();
        let short = u64::from(self.world.min_nodes).saturating_sub(in_sight as u64);
        let room = u64::from(self.world.max_nodes) - self.instances() as u64;
        let grow = need.saturating_sub(have).div_ceil(cores).max(short).min(room);
        let (stops, drains) = match self.world.policy {
            "surplus" => self.surplus(&seen),
            _ => self.node_manager(&seen),
        };
        for _ in 0..grow {
            self.grant(self.boot);
        }
        for node in stops {
            self.order_stop(node);
        }
        for node in drains {
            self.order_drain(node);
        }
    }

    fn age(&self, node: usize) -> u64 {
        self.now - self.nodes[node].granted
    }

    fn boot_is_late(&self, node: usize) -> bool {
        self.world.boot_grace_ms.is_some_and(|grace| self.age(node) >= grace)
    }

    fn surplus(&mut self, seen: &Picture) -> (Vec<usize>, Vec<usize>) {
        let stop = |&node: &usize| match seen.looks[node] {
            Look::Down => true,
            Look::Booting => self.boot_is_late(node),
            Look::Running { .. } | Look::Draining | Look::Away => false,
        };
        let stops = (0..seen.looks.len()).filter(stop).collect();
        let surplus = self.have(seen).saturating_sub(seen.need) / u64::from(self.cores);
        self.shrink.notes.push((self.now, surplus));
        let grace = self.world.idle_grace_ms;
        let Some(from) = grace.and_then(|grace| self.now.checked_sub(grace)) else {
            return (stops, Vec::new());
        };
        let noted = self.shrink.notes.iter().filter(|(at, _)| *at >= from).map(|(_, nodes)| *nodes);
        let most = (Self::running(seen) as u64).saturating_sub(u64::from(self.world.min_nodes));
        let going = noted.min().expect("this poll has noted").min(most);
        for (_, nodes) in &mut self.shrink.notes {
            *nodes = nodes.saturating_sub(going);
        }
        let mut by_load: Vec<(u32, usize)> = Vec::new();
        for (node, look) in seen.looks.iter().enumerate() {
            if let Look::Running { busy, .. } = look {
                by_load.push((*busy, node));
            }
        }
        by_load.sort_unstable();
        by_load.truncate(usize::try_from(going).expect("it is small"));
        (stops, by_load.into_iter().map(|(_, node)| node).collect())
    }

    /// Whether the paid hour lets a node go: closed, open, closed … parts from the grant on, over and over, the first
    /// part following the last as a closed one.
    fn window_is_open(&self, node: usize) -> bool {
        let parts = &self.world.windows_ms;
        let (Some(&first), period) = (parts.first(), parts.iter().sum::<u64>()) else { return true };
        let Some(mut offset) = self.age(node).checked_sub(first) else { return false };
        offset %= period;
        for (part, place) in parts[1..].iter().zip(0..) {
            if offset < *part {
                return place % 2 == 0;
            }
            offset -= part;
        }
        false
    }

    fn node_manager(&mut self, seen: &Picture) -> (Vec<usize>, Vec<usize>) {
        let code = self.world.mapping == "code";
        let (mut stops, mut idle) = (Vec::new(), Vec::new());
        self.shrink.idle_polls.resize(self.nodes.len(), 0);
        for (node, look) in seen.looks.iter().enumerate() {
            let Look::Running { busy: 0, idle_since } = *look else {
                self.shrink.idle_polls[node] = 0;
                let down_may_go =
                    self.world.matrix == "page" || self.window_is_open(node) || self.boot_is_late(node);
                match look {
                    Look::Booting if self.boot_is_late(node) => stops.push(node),
                    Look::Down if down_may_go => stops.push(node),
                    _ => {}
                }
                continue;
            };
            self.shrink.idle_polls[node] += 1;
            let polls = self.shrink.idle_polls[node];
            let exceeded = self.world.idle_grace_ms.is_some_and(|grace| {
                if code { polls >= grace.div_ceil(self.world.poll_ms) } else { self.now - idle_since > grace }
            });
            if exceeded && self.window_is_open(node) {
                idle.push((idle_since, node));
            }
        }
        idle.sort_unstable();
        let (mut have, mut running) = (self.have(seen), Self::running(seen));
        let mut drains = Vec::new();
        for (_, node) in idle {
            let cores = u64::from(self.cores);
            if have >= cores + seen.need && running > self.world.min_nodes as usize {
                have -= cores;
                running -= 1;
                drains.push(node);
            }
        }
        (stops, drains)
    }
}
