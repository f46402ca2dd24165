//! Lazy polls against eager ones: a policy that is told only of what has changed, and asked only at the polls that it
//! named or that follow a change, orders what one orders that looks at every machine at every poll.

use std::sync::Arc;

use proptest::prelude::*;

use super::node_manager::NodeManager;
use super::picture::Standing;
use super::surplus::Surplus;
use super::*;
use crate::rules::elastic::Mapping;
use crate::rules::machine::BootTime;
use crate::rules::matrix::{Matrix, Tuple};
use crate::rules::windows::ShutdownWindows;

const POLL: SimSpan = SimSpan::from_secs(60);
const POLLS: u64 = 60;

fn node_types() -> Arc<[NodeType]> {
    let node_type = |name: &str, cores, price_per_hour_micros| NodeType {
        name: name.to_owned(),
        cores,
        memory_bytes: None,
        price_per_hour_micros,
        boot: BootTime::Fixed(SimSpan::from_secs(90)),
        boot_failure_ratio: 0.0,
        stop: SimSpan::ZERO,
    };
    Arc::new([node_type("small", 2, 1), node_type("large", 8, 3)])
}

/// Something that happens to a machine or the queue, at a moment between two polls.
#[derive(Clone, Copy, Debug)]
struct Happening {
    after_poll: u64,
    offset_ms: u64,
    machine: usize,
    what: u8,
    size: u64,
}

/// The notice of a happening, as it can follow from how the machine stands.
fn notice(happening: Happening, picture: &Picture, granted: &mut u32) -> Option<Notice> {
    let kind = TypeId(u8::from(happening.size % 2 == 1));
    if happening.what == 0 {
        let node = NodeId(*granted);
        *granted += 1;
        return Some(Notice::Granted { node, kind });
    }
    if happening.what == 1 {
        let (need_cores, free_cores) = (happening.size, happening.size * 3 % 17);
        let promised_cores = free_cores / 2;
        let demand = Demand { need_cores, free_cores, promised_cores, whole_nodes: happening.size % 5 / 2 };
        return Some(Notice::Demand { kind, demand });
    }
    let count = picture.instances() as usize;
    let (node, machine) = picture.machines().nth(happening.machine.checked_rem(count)?)?;
    match (machine.standing, happening.what % 4) {
        (Standing::Booting, 0..=2) => Some(Notice::Running { node }),
        (Standing::Running, 0..=2) => {
            let busy_cores = u32::try_from(happening.size % 3).ok()?;
            Some(Notice::Load { node, busy_cores })
        }
        (Standing::Running, _) => Some(Notice::OutOfService { node, drained: false }),
        (Standing::Draining, 0) => Some(Notice::Running { node }),
        (Standing::Draining, _) => Some(Notice::OutOfService { node, drained: true }),
        (Standing::Stopping, _) => Some(Notice::Gone { node }),
        (Standing::Booting | Standing::OutOfService { .. }, _) => None,
    }
}

/// What two policies order at each poll: one that sees everything at every poll, and one that is as lazy as it may be.
fn play(mut eager: Box<dyn Shrink>, mut lazy: Box<dyn Shrink>, happenings: &[Happening]) -> u64 {
    let node_types = node_types();
    let mut picture = Picture::new(node_types.len());
    let (mut granted, mut changed, mut wake, mut played) = (0, Vec::new(), Some(SimTime::ZERO), 0);
    for poll in 0..POLLS {
        let now = SimTime::ZERO + POLL * poll;
        let everything: Vec<NodeId> = (0..granted).map(NodeId).collect();
        let expected = eager.orders(&picture, &everything, now);
        let found = if wake.is_some_and(|at| at <= now) {
            played += 1;
            changed.sort_unstable();
            changed.dedup();
            let found = lazy.orders(&picture, &changed, now);
            changed.clear();
            wake = lazy.acts_from(&picture, now);
            found
        } else {
            Vec::new()
        };
        assert_eq!(found, expected, "at the poll at {now}");
        let ordered = found.into_iter().map(|order| match order {
            Order::Drain { node, .. } => Notice::Draining { node },
            Order::Stop { node, .. } => Notice::Stopping { node },
        });
        let mut happened: Vec<(SimTime, Notice)> = ordered.map(|notice| (now, notice)).collect();
        for &(at, notice) in &happened {
            picture.apply(notice, at, &node_types);
        }
        let mut between: Vec<&Happening> =
            happenings.iter().filter(|happening| happening.after_poll == poll).collect();
        between.sort_by_key(|happening| happening.offset_ms);
        for &happening in between {
            let at = now + SimSpan::from_ms(happening.offset_ms);
            if let Some(notice) = notice(happening, &picture, &mut granted) {
                picture.apply(notice, at, &node_types);
                happened.push((at, notice));
            }
        }
        changed.extend(happened.iter().filter_map(|(_, notice)| notice.node()));
        if !happened.is_empty() {
            wake = Some(now);
        }
    }
    played
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let happening = (0..POLLS, 0..60_000_u64, 0..100_usize, 0..24_u8, 0..24_u64).prop_map(
        |(after_poll, offset_ms, machine, what, size)| Happening {
            after_poll,
            offset_ms,
            machine,
            what,
            size,
        },
    );
    prop::collection::vec(happening, 0..60).prop_map(|mut happenings| {
        // Something to judge from the start.
        happenings.extend((0..4).map(|size| Happening {
            after_poll: 0,
            offset_ms: 0,
            machine: 0,
            what: 0,
            size,
        }));
        happenings
    })
}

/// A table in which every tuple may call for anything.
fn any_matrix() -> impl Strategy<Value = Matrix> {
    prop::collection::vec(0..6_usize, Tuple::COUNT).prop_map(|picks| {
        let rows = Tuple::all().zip(picks).map(|(tuple, pick)| {
            let action = ["", "", "", "", "START_DRAIN", "START_SHUTDOWN"][pick];
            format!("{tuple},{action}\n")
        });
        let header = "node_state,billing_window,boot_grace,idle_grace,action\n".to_owned();
        Matrix::from_csv(&(header + &rows.collect::<String>())).expect("every tuple has its row")
    })
}

fn minutes_or_never() -> impl Strategy<Value = Option<SimSpan>> {
    prop::option::weighted(0.9, (0..20_u64).prop_map(SimSpan::from_mins))
}

fn rules(kind: PolicyKind) -> impl Strategy<Value = PolicyRules> {
    let matrix = prop_oneof![Just(Matrix::page()), Just(Matrix::last()), any_matrix()];
    let windows = prop_oneof![
        Just(ShutdownWindows::always()),
        prop::collection::vec(1..9_u64, 2..5).prop_map(|parts| {
            let parts: Vec<SimSpan> = parts.into_iter().map(SimSpan::from_mins).collect();
            ShutdownWindows::new(&parts).expect("no part is empty")
        }),
    ];
    let mapping = prop_oneof![Just(Mapping::Page), Just(Mapping::Code)];
    let graces = (minutes_or_never(), minutes_or_never());
    (graces, windows, matrix, mapping, any::<bool>(), 0..3_u32).prop_map(
        move |((idle_grace, boot_grace), windows, matrix, mapping, bug_compatible, min_nodes)| {
            let matrix = Arc::new(matrix);
            PolicyRules {
                idle_grace,
                boot_grace,
                windows,
                matrix,
                mapping,
                bug_compatible,
                min_nodes,
                ..base(kind)
            }
        },
    )
}

fn base(kind: PolicyKind) -> PolicyRules {
    PolicyRules {
        kind,
        poll: POLL,
        idle_grace: Some(SimSpan::from_mins(5)),
        boot_grace: Some(SimSpan::from_mins(10)),
        ping_stale_after: None,
        report_age: SimSpan::ZERO,
        windows: ShutdownWindows::always(),
        matrix: Arc::new(Matrix::page()),
        mapping: Mapping::Page,
        bug_compatible: false,
        min_nodes: 2,
        max_nodes: 100,
    }
}

proptest! {
    #[test]
    fn a_lazy_node_manager_orders_what_an_eager_one_does(
        rules in rules(PolicyKind::NodeManager), happenings in happenings(),
    ) {
        let policy = || Box::new(NodeManager::new(rules.clone(), node_types()));
        play(policy(), policy(), &happenings);
    }

    #[test]
    fn a_lazy_surplus_policy_orders_what_an_eager_one_does(
        rules in rules(PolicyKind::Surplus), happenings in happenings(),
    ) {
        let policy = || Box::new(Surplus::new(&rules, &node_types()));
        play(policy(), policy(), &happenings);
    }
}

#[test]
fn polls_are_not_played_for_nodes_that_must_stay() {
    // Two idle nodes that `min_nodes` keeps: after their idle grace nothing can change any more.
    let happens = |what, machine| Happening { after_poll: 0, offset_ms: 0, machine, what, size: 0 };
    let happenings = [happens(0, 0), happens(0, 0), happens(4, 0), happens(4, 1)];
    let policy = || Box::new(NodeManager::new(base(PolicyKind::NodeManager), node_types()));
    let played = play(policy(), policy(), &happenings);
    assert!(played <= 5, "{played} of {POLLS} polls were played");
}
