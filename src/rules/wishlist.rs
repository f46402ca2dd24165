//! The node manager's own counting of wanted nodes (node_manager.md 2.3, 6.2 and 6.3), with its defects Q1 to Q4 and
//! Q6.
//!
//! It is played with `policy.bug_compatible`. Otherwise growing and shrinking count cores, as semantics.md says. The
//! other numbered defects cannot happen here: our cloud has no quota of its own (Q5) and no price cap (Q7), grants at
//! once, so that no boot can be cancelled (the second half of Q2), and never fails to stop an instance (S1 to S3).

/// What the node manager counts of one size, in nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeCounts {
    /// Entries of the wishlist before it is cut: the size times what queued jobs need.
    pub wished: u64,
    /// Instances that boot.
    pub booting: u64,
    /// Nodes in service without work.
    pub idle: u64,
    /// Nodes that work.
    pub busy: u64,
}

/// What it counts of all sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// The most nodes that there may be.
    pub max_nodes: u64,
    /// Nodes of the cheapest size that are kept.
    pub min_nodes: u64,
    /// Instances in any state.
    pub nodes: u64,
}

/// How many entries of a wishlist of `wished` are kept: `wishlist[:quota − nodes]` with Python's rules, where a
/// negative bound drops entries from the end instead of giving nothing (Q4). Since the nodes that stand there are
/// subtracted here and once more in [`wanted`] and [`excess`], too few are kept (Q1 to Q3).
pub const fn kept(wished: u64, quota: Quota) -> u64 {
    match quota.max_nodes.checked_sub(quota.nodes) {
        Some(room) if room < wished => room,
        Some(_) => wished,
        None => wished.saturating_sub(quota.nodes - quota.max_nodes),
    }
}

/// How many nodes of a size are booted; `kept` entries of the wishlist are its. Under `min_nodes` the cheapest size
/// ignores its own queue (Q6).
pub const fn wanted(size: SizeCounts, kept: u64, is_cheapest: bool, quota: Quota) -> u64 {
    if quota.nodes >= quota.max_nodes {
        return 0;
    }
    let under = quota.min_nodes.saturating_sub(quota.nodes);
    if under > 0 && is_cheapest {
        return under;
    }
    kept.saturating_sub(size.booting + size.idle)
}

/// How many idle nodes of a size may be drained; `kept` entries of the wishlist are its.
pub const fn excess(size: SizeCounts, kept: u64, is_cheapest: bool, quota: Quota) -> u64 {
    let spared = if is_cheapest { quota.min_nodes } else { 0 };
    (size.booting + size.idle).saturating_sub(spared + kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn counts(wished: u64, booting: u64, idle: u64, busy: u64) -> SizeCounts {
        SizeCounts { wished, booting, idle, busy }
    }

    const fn quota(max_nodes: u64, min_nodes: u64, nodes: u64) -> Quota {
        Quota { max_nodes, min_nodes, nodes }
    }

    #[test]
    fn defects_of_the_counting_come_out_as_observed() {
        // node_manager.md 6.6. Q1: quota 8, 6 idle, 6 queued: cut to 2, so 4 idle nodes are drained although wanted.
        let q1 = (counts(6, 0, 6, 0), quota(8, 0, 6));
        let cut = kept(q1.0.wished, q1.1);
        assert_eq!((cut, excess(q1.0, cut, true, q1.1)), (2, 4));
        // Q2: 5 queued, quota 8: the first tick boots 5; the second, with 5 booting, keeps 3 and wants none.
        assert_eq!(wanted(counts(5, 0, 0, 0), kept(5, quota(8, 0, 0)), true, quota(8, 0, 0)), 5);
        assert_eq!(kept(5, quota(8, 0, 5)), 3);
        assert_eq!(wanted(counts(5, 5, 0, 0), 3, true, quota(8, 0, 5)), 0);
        // Q3: 4 booting, 8 queued, quota 8: nothing is started until the first 4 work; then 4 are.
        assert_eq!(wanted(counts(8, 4, 0, 0), kept(8, quota(8, 0, 4)), true, quota(8, 0, 4)), 0);
        assert_eq!(wanted(counts(4, 0, 0, 4), kept(4, quota(8, 0, 4)), true, quota(8, 0, 4)), 4);
        // Q4: 9 nodes, quota 8, 10 queued: 9 entries are kept.
        assert_eq!(kept(10, quota(8, 0, 9)), 9);
        // Q6: under min_nodes the cheapest size boots up to it, whatever the queue says; another size does not.
        assert_eq!(wanted(counts(7, 0, 0, 0), 7, true, quota(8, 2, 1)), 1);
        assert_eq!(wanted(counts(7, 0, 0, 0), 7, false, quota(8, 2, 1)), 7);
    }

    #[test]
    fn at_the_quota_nothing_is_wanted() {
        assert_eq!(wanted(counts(3, 0, 0, 8), kept(3, quota(8, 0, 8)), true, quota(8, 0, 8)), 0);
    }
}
