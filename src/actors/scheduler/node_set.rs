//! A set of node numbers that gives its members in ascending order.
//!
//! Two levels of bits: a set of 4,096 nodes is found through one word. With a `BTreeSet` by (free cores, number) in its
//! place, a fixed cluster of 240 one-core nodes took a fifth longer. Numbers are never used again, so the sets grow
//! with the grants, but slowly: after a million a set has 125 KB, and who iterates passes 244 empty words.

use crate::rules::machine::NodeId;

/// Nodes, in ascending order.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeSet {
    /// Bit i of word w: node 64 w + i is in the set.
    words: Vec<u64>,
    /// Bit i of word w: `words[64 w + i]` is not zero.
    summary: Vec<u64>,
}

impl NodeSet {
    pub(super) fn insert(&mut self, node: NodeId) {
        let (word, bit) = (node.index() / 64, node.index() % 64);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
            self.summary.resize(word / 64 + 1, 0);
        }
        self.words[word] |= 1 << bit;
        self.summary[word / 64] |= 1 << (word % 64);
    }

    /// Takes a member out.
    pub(super) fn remove(&mut self, node: NodeId) {
        let (word, bit) = (node.index() / 64, node.index() % 64);
        self.words[word] &= !(1 << bit);
        if self.words[word] == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
    }

    /// All members, lowest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = NodeId> {
        let words = bits(&self.summary).flat_map(|word| {
            let base = word * 64;
            one_bits(self.words[word]).map(move |bit| base + bit)
        });
        words.map(|index| NodeId(u32::try_from(index).expect("only node numbers were put in")))
    }
}

/// The places of all one-bits of a sequence of words.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(index, &word)| one_bits(word).map(move |bit| index * 64 + bit))
}

/// The places of the one-bits of a word, lowest first.
fn one_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let bit = word.trailing_zeros() as usize;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_behaves_like_an_ordered_set(steps in prop::collection::vec((0..9000_u32, any::<bool>()), 0..300)) {
            let (mut ours, mut model) = (NodeSet::default(), BTreeSet::new());
            for (node, insert) in steps {
                if insert {
                    ours.insert(NodeId(node));
                    model.insert(node);
                } else if model.remove(&node) {
                    ours.remove(NodeId(node));
                }
                prop_assert!(ours.iter().map(|node| node.0).eq(model.iter().copied()));
            }
        }
    }
}
