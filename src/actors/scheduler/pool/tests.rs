//! The cases of yarn.md 10.6 about the shrinking total of a draining node: what is free of it is gone.

use super::*;
use crate::rules::machine::BootTime;
use crate::time::SimSpan;

const GIB_KIB: u64 = 1024 * 1024;
const NODE: NodeId = NodeId(0);
const NEXT: NodeId = NodeId(1);
const CONTAINER: Ask = Ask { cores: 1, memory_kib: GIB_KIB };
/// The least that can be asked for.
const LEAST: Ask = Ask { cores: 1, memory_kib: 1 };

/// Two nodes of 4 cores and 8 GiB. On the first is a container of one core and 1 GiB, and it drains.
fn draining(placement: Placement) -> Pool {
    let node_type = NodeType {
        name: "n4".to_owned(),
        cores: 4,
        memory_bytes: Some(8 * GIB_KIB * 1024),
        price_per_hour_micros: 0,
        boot: BootTime::Fixed(SimSpan::ZERO),
        boot_failure_ratio: 0.0,
        stop: SimSpan::ZERO,
    };
    let mut pool = Pool::new([node_type].into(), placement);
    pool.add(NODE, TypeId(0), SimTime::ZERO);
    pool.add(NEXT, TypeId(0), SimTime::ZERO);
    pool.take_ask(NODE, CONTAINER);
    pool.close(NODE);
    pool
}

/// What is used is left, and on offer are the 4 cores of the other node alone.
fn assert_shrunk(pool: &Pool, used_cores: u32, id: &str) {
    assert_eq!(pool.busy_cores(NODE), used_cores, "{id}");
    assert!(!pool.has_room(NODE, LEAST), "{id}");
    assert_eq!(pool.free_cores(), 4, "{id}");
    assert_eq!(pool.in_order().collect::<Vec<_>>(), [NEXT], "{id}");
    assert!(!pool.is_overcommitted(NODE), "{id}: the total is what is used, and not less");
}

#[test]
fn a_draining_node_has_what_is_used_and_no_more() {
    for placement in [Placement::Pack, Placement::Spread, Placement::Oldest, Placement::Newest] {
        let mut pool = draining(placement);
        assert_shrunk(&pool, 1, "SC-01");
        pool.close(NODE);
        assert_shrunk(&pool, 1, "SC-02");
        pool.give_ask(NODE, CONTAINER);
        assert_shrunk(&pool, 0, "8.1: the total follows the allocated amount down");
    }
}

#[test]
fn a_node_that_was_removed_meanwhile_is_no_error() {
    let mut pool = draining(Placement::Pack);
    pool.remove(NODE);
    pool.close(NODE);
    assert!(!pool.is_open(NODE) && !pool.is_closed(NODE), "SC-03");
    pool.give_ask(NODE, CONTAINER);
    assert_eq!(pool.free_cores(), 4, "SC-03");
}
