//! Containers that wait for a node, in the order in which they were asked for.
//!
//! Those of one shape stand in one line: if the first of them finds no room, none of the others does. So a pass costs
//! what it places and how many shapes wait, not how many containers do.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use super::Wish;
use crate::rules::container::ContainerId;
use crate::workload::app::Ask;

/// What decides where a container may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    pub wish: Wish,
    pub ask: Ask,
}

/// The first container of each line, the longest waiting one on top.
pub(super) type Heads = BinaryHeap<Reverse<(ContainerId, Shape)>>;

/// All containers that wait.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// None of the lines is empty.
    lines: BTreeMap<Shape, VecDeque<ContainerId>>,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn shapes(&self) -> impl Iterator<Item = Shape> {
        self.lines.keys().copied()
    }

    /// The shape of the container that has waited longest.
    pub(super) fn first(&self) -> Option<Shape> {
        self.lines.iter().min_by_key(|(_, line)| line.front()).map(|(&shape, _)| shape)
    }

    pub(super) fn heads(&self) -> Heads {
        let heads = self.lines.iter().filter_map(|(&shape, line)| Some((*line.front()?, shape)));
        heads.map(Reverse).collect()
    }

    /// How many there are of each size that a new node would help.
    pub(super) fn sizes(&self) -> BTreeMap<Ask, u64> {
        let mut sizes = BTreeMap::new();
        for (shape, line) in &self.lines {
            match shape.wish {
                Wish::Anywhere | Wish::Prefer(_) => *sizes.entry(shape.ask).or_default() += line.len() as u64,
                Wish::Only(_) => {}
            }
        }
        sizes
    }

    pub(super) fn push(&mut self, container: ContainerId, shape: Shape) {
        self.lines.entry(shape).or_default().push_back(container);
    }

    /// Takes the first container of a line off; what is first there now is given to `heads`.
    pub(super) fn pop(&mut self, shape: Shape, heads: &mut Heads) {
        let Some(line) = self.lines.get_mut(&shape) else { return };
        line.pop_front();
        match line.front() {
            Some(&next) => heads.push(Reverse((next, shape))),
            None => _ = self.lines.remove(&shape),
        }
    }

    /// Takes the containers off that are chosen, and gives them back in the order in which they were asked for.
    pub(super) fn withdraw(&mut self, chosen: impl Fn(ContainerId) -> bool) -> Vec<ContainerId> {
        let mut taken = Vec::new();
        self.lines.retain(|_, line| {
            line.retain(|&container| {
                let goes = chosen(container);
                taken.extend(goes.then_some(container));
                !goes
            });
            !line.is_empty()
        });
        taken.sort_unstable();
        taken
    }
}
