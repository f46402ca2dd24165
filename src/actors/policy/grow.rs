//! How many nodes are asked for: by cores, as semantics.md says, or by the node manager's own counting.

use crate::actors::cloud::Boot;
use crate::actors::policy::balance::Balance;
use crate::actors::policy::picture::Picture;
use crate::ledger::fact::GrantReason;
use crate::rules::elastic::{PolicyKind, PolicyRules};
use crate::rules::machine::{NodeType, TypeId, cheapest_for};
use crate::rules::wishlist::{SizeCounts, kept, wanted};

/// Whether the node manager's own counting is played.
pub(super) fn counts_nodes(rules: &PolicyRules) -> bool {
    rules.bug_compatible && rules.kind == PolicyKind::NodeManager
}

/// The nodes that are asked for at a poll.
pub(super) fn orders(picture: &Picture, rules: &PolicyRules, node_types: &[NodeType]) -> Vec<Boot> {
    if counts_nodes(rules) {
        by_wishlist(picture, rules, node_types)
    } else {
        by_cores(picture, rules, node_types)
    }
}

/// ceil((need − have) / cores) nodes of each type, at least the shortfall below `min_nodes`, at most up to `max_nodes`.
fn by_cores(picture: &Picture, rules: &PolicyRules, node_types: &[NodeType]) -> Vec<Boot> {
    let mut room = u64::from(rules.max_nodes.saturating_sub(picture.instances()));
    let mut minimum = u64::from(rules.min_nodes).saturating_sub(u64::from(picture.in_sight()));
    let mut orders = Vec::new();
    for (kind, short) in (0..).map(TypeId).zip(Balance::of(picture, node_types).short_nodes(picture)) {
        let for_queue = short.min(room);
        room -= for_queue;
        minimum = minimum.saturating_sub(for_queue);
        orders.extend(boot(kind, for_queue, GrantReason::Shortfall));
    }
    orders.extend(boot(TypeId(0), minimum.min(room), GrantReason::BelowMinimum));
    orders
}

/// node_manager.md 6.2, at most up to `max_nodes` (its daemon asks for one node at a time and counts again).
fn by_wishlist(picture: &Picture, rules: &PolicyRules, node_types: &[NodeType]) -> Vec<Boot> {
    let quota = picture.quota(rules);
    let cheapest = cheapest_for(node_types, 0);
    let mut room = quota.max_nodes.saturating_sub(quota.nodes);
    let mut orders = Vec::new();
    for (kind, counts, kept) in wishes(picture, rules, node_types) {
        let count = wanted(counts, kept, kind == cheapest, quota).min(room);
        room -= count;
        let below = quota.nodes < quota.min_nodes && kind == cheapest;
        orders.extend(boot(
            kind,
            count,
            if below { GrantReason::BelowMinimum } else { GrantReason::Shortfall },
        ));
    }
    orders
}

/// What the node manager counts of each type, and how much of the cut wishlist is the type's. The list is cut as a
/// whole and from its end; the types stand in it in the scenario's order.
pub(super) fn wishes(
    picture: &Picture,
    rules: &PolicyRules,
    node_types: &[NodeType],
) -> Vec<(TypeId, SizeCounts, u64)> {
    let counts: Vec<(TypeId, SizeCounts)> = (0..)
        .map(TypeId)
        .zip(node_types)
        .map(|(kind, node_type)| (kind, picture.size_counts(kind, node_type)))
        .collect();
    let wished = counts.iter().map(|(_, counts)| counts.wished).sum();
    let mut left = kept(wished, picture.quota(rules));
    let cut = counts.into_iter().map(|(kind, counts)| {
        let kept = counts.wished.min(left);
        left -= kept;
        (kind, counts, kept)
    });
    cut.collect()
}

fn boot(kind: TypeId, count: u64, reason: GrantReason) -> Option<Boot> {
    let count = u32::try_from(count).expect("no more nodes are asked for than the cluster may have");
    (count > 0).then_some(Boot { kind, count, reason })
}
