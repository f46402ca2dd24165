//! Random small worlds. Times are drawn coarsely, so that submits, ends, boots, beats and polls often coincide.

use proptest::prelude::*;

use super::world::{Boot, Kind, Task, World};

/// From which numbers a world is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    /// All spans are multiples of this.
    pub(crate) tick_ms: u64,
    /// Whether there may be several types, memory, random boots and failing boots.
    pub(crate) rich: bool,
}

/// A span of ticks, or never.
pub(crate) fn ticks_or_never(
    range: std::ops::Range<u64>,
    never_of_ten: u32,
    tick_ms: u64,
) -> impl Strategy<Value = Option<u64>> {
    prop_oneof![
        10 - never_of_ten => range.prop_map(move |ticks| Some(ticks * tick_ms)),
        never_of_ten => Just(None),
    ]
}

fn boot(tick_ms: u64) -> impl Strategy<Value = Boot> {
    prop_oneof![
        4 => (0..12_u64).prop_map(move |ticks| Boot::Fixed(ticks * tick_ms)),
        1 => (0..6_u64, 0..9_u64)
            .prop_map(move |(low, more)| Boot::Uniform(low * tick_ms, (low + more) * tick_ms)),
        1 => (1..6_u64, 0..9_u64)
            .prop_map(move |(low, more)| Boot::LogNormal(low * tick_ms, (low + more) * tick_ms)),
    ]
}

prop_compose! {
    fn kind(range: Range)(
        cores in 1..5_u32,
        memory_mib in prop_oneof![3 => Just(None), 1 => (2..9_u32).prop_map(Some)],
        price_millis in 0..4000_u64,
        plain_boot in 0..12_u64,
        rich_boot in boot(range.tick_ms),
        failing in prop_oneof![4 => Just(0), 1 => 1..6_u32],
        stop in 0..5_u64,
    ) -> Kind {
        let tick_ms = range.tick_ms;
        Kind {
            cores,
            memory_mib: memory_mib.filter(|_| range.rich),
            price_millis,
            boot: if range.rich { rich_boot } else { Boot::Fixed(plain_boot * tick_ms) },
            failing_tenths: if range.rich { failing } else { 0 },
            stop_ms: stop * tick_ms,
        }
    }
}

prop_compose! {
    /// A job, submitted so many ticks after the one before.
    fn task(range: Range)(
        gap in prop_oneof![3 => Just(0), 6 => 1..5_u64, 2 => 5..40_u64],
        run in prop_oneof![1..6_u64, 3..40_u64],
        request in prop_oneof![2 => Just(0), 1 => 1..20_u64],
        cores in prop_oneof![1..4_u32, 1..10_u32],
        memory in 0..3_u32,
    ) -> Task {
        let tick_ms = range.tick_ms;
        Task {
            submit_ms: gap * tick_ms,
            run_ms: run * tick_ms,
            requested_ms: (run + request) * tick_ms,
            cores,
            memory_mib_per_core: if range.rich { memory } else { 0 },
        }
    }
}

prop_compose! {
    /// What is not the policy's.
    fn stage(range: Range)(
        kinds in prop::collection::vec(kind(range), 1..=if range.rich { 3 } else { 1 }),
        mut tasks in prop::collection::vec(task(range), 1..20),
        min_nodes in 0..4_u32,
        more_nodes in 0..6_u32,
        quantum in prop_oneof![Just(0), 1..30_u64],
        minimum in prop_oneof![Just(0), 1..30_u64],
        interval in prop_oneof![1..5_u64, 1..14_u64],
        easy in any::<bool>(),
        placement in prop::sample::select(vec!["pack", "spread", "oldest", "newest"]),
        retries in (ticks_or_never(0..4, 6, 1), ticks_or_never(1..9, 6, range.tick_ms)),
        horizon in (40..400_u64).prop_map(move |ticks| ticks * range.tick_ms),
        seed in 0..1000_u64,
    ) -> World {
        let tick_ms = range.tick_ms;
        let mut now_ms = 0;
        for (task, index) in tasks.iter_mut().zip(0..) {
            now_ms += if index == 0 { 0 } else { task.submit_ms };
            task.submit_ms = now_ms;
        }
        World {
            seed,
            kinds,
            tasks,
            min_nodes,
            max_nodes: (min_nodes + more_nodes).max(1),
            quantum_ms: (quantum * tick_ms).max(1),
            minimum_ms: minimum * tick_ms,
            interval_ms: interval * tick_ms,
            easy,
            placement,
            max_requeues: retries.0.map(|most| u32::try_from(most).expect("it is below 4")),
            checkpoint_every_ms: retries.1,
            // A run that requeues for ever must end.
            horizon_ms: Some(horizon),
            ..World::plain()
        }
    }
}

prop_compose! {
    /// A world with everything in it.
    pub(crate) fn world(range: Range)(
        stage in stage(range),
        policy in prop::sample::select(vec!["none", "node-manager", "node-manager", "node-manager", "surplus"]),
        poll in 1..13_u64,
        idle_grace in ticks_or_never(0..30, 1, range.tick_ms),
        boot_grace in ticks_or_never(0..20, 2, range.tick_ms),
        report_age in prop_oneof![2 => Just(0), 1 => 1..8_u64, 1 => 1..40_u64],
        windows in prop_oneof![1 => Just(Vec::new()), 2 => prop::collection::vec(1..15_u64, 2..6)],
        matrix in prop::sample::select(vec!["page", "final"]),
        mapping in prop::sample::select(vec!["page", "code"]),
        drain_timeout in ticks_or_never(0..20, 2, range.tick_ms),
        watcher_poll in 1..13_u64,
        ends in any::<bool>(),
        restless in any::<bool>(),
    ) -> World {
        let tick_ms = range.tick_ms;
        let mut world = World {
            policy,
            poll_ms: poll * tick_ms,
            idle_grace_ms: idle_grace,
            boot_grace_ms: boot_grace,
            report_age_ms: report_age * tick_ms,
            windows_ms: windows.iter().map(|ticks| ticks * tick_ms).collect(),
            matrix,
            mapping,
            drain_timeout_ms: drain_timeout,
            watcher_poll_ms: watcher_poll * tick_ms,
            ..stage
        };
        if restless {
            make_restless(&mut world, tick_ms);
        }
        if ends && !range.rich && comes_to_its_end(&world) {
            world.horizon_ms = None;
        }
        world
    }
}

/// Makes drains of busy nodes common: small jobs spread over nodes that are taken away as soon as they could be spared.
fn make_restless(world: &mut World, tick_ms: u64) {
    (world.policy, world.placement) = ("surplus", "spread");
    for kind in &mut world.kinds {
        kind.cores += 1;
    }
    for task in &mut world.tasks {
        task.cores = 1 + task.cores % 3;
        task.requested_ms += 3 * task.run_ms;
        task.run_ms *= 4;
    }
    world.idle_grace_ms = world.idle_grace_ms.map(|grace| grace % (5 * tick_ms));
    world.boot_grace_ms = None;
    world.drain_timeout_ms = world.drain_timeout_ms.map(|timeout| timeout % (12 * tick_ms));
    world.horizon_ms = world.horizon_ms.map(|horizon| 3 * horizon);
}

/// Whether every job ends for certain: it is never requeued for ever, and what fits by the rules gets its nodes.
fn comes_to_its_end(world: &World) -> bool {
    let enough = world.policy != "none" || world.min_nodes == world.max_nodes;
    let kills_end =
        world.max_requeues.is_some() || world.drain_timeout_ms.is_none() || world.policy == "none";
    // An instance that is stopped before it can register never helps. One that registers in the very instant of its
    // grant may come after that instant's pass, and what no fact follows, no pass sees.
    let boots = match world.kinds[0].boot {
        Boot::Fixed(boot) => boot > 0 && world.boot_grace_ms.is_none_or(|grace| boot < grace),
        Boot::Uniform(..) | Boot::LogNormal(..) => false,
    };
    enough && kills_end && boots && world.report_age_ms == 0
}
