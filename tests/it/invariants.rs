//! What holds in every run, whatever the scenario; with the ledger's own invariants checked at every fact.

use std::collections::BTreeMap;

use ebbtide::engine::BeatMode;
use ebbtide::ledger::money::Phase;
use ebbtide::ledger::waiting::WaitCause;
use ebbtide::ledger::{JobStage, Value};
use ebbtide::time::SimTime;
use proptest::prelude::*;

use crate::support::random::{Range, world};
use crate::support::world::{Kind, World};
use crate::support::{Played, cases, play_text};

const RICH: Range = Range { tick_ms: 500, rich: true };

/// Plays a world; one whose queue can never move is no case.
fn played(world: &World) -> Result<Played, TestCaseError> {
    world.play(BeatMode::Lazy).map_err(|error| TestCaseError::fail(format!("{error}\n{}", world.toml())))
}

fn micros(played: &Played, column: &str) -> i128 {
    let metric = played.result.metrics.iter().find(|metric| metric.name == column);
    match metric.map(|metric| metric.value) {
        Some(Value::Micros(micros)) => micros,
        other => panic!("`{column}` is {other:?}"),
    }
}

fn jobs_end_once(world: &World, played: &Played) -> Result<(), TestCaseError> {
    let count = |column| played.number(column);
    let outcomes = ["jobs_completed", "jobs_failed", "jobs_rejected", "jobs_unfinished"].map(count);
    prop_assert_eq!(outcomes.iter().sum::<f64>(), count("jobs_loaded"));
    prop_assert_eq!(world.tasks.len(), played.result.ledger.jobs().len());
    for (record, number) in played.result.ledger.jobs().iter().zip(1..) {
        let subject = format!("job-{number}");
        let rows = || played.story.events.iter().filter(|row| row.subject == subject);
        let ends = rows().filter(|row| row.to == "COMPLETED" || row.to == "FAILED").count();
        let ended = matches!(record.stage, JobStage::Completed | JobStage::Failed);
        prop_assert_eq!(ends, usize::from(ended), "{}", &subject);
        let starts = rows().filter(|row| row.event == "START").count();
        let stops = rows().filter(|row| row.event == "END" || row.event == "KILL").count();
        let runs = record.stage == JobStage::Running;
        prop_assert_eq!(starts, stops + usize::from(runs), "{}", &subject);
    }
    Ok(())
}

fn money_adds_up(played: &Played) -> Result<(), TestCaseError> {
    let parts = ["busy", "idle", "boot", "drain", "down", "rounding"];
    let sum: i128 = parts.iter().map(|part| micros(played, &format!("cost_{part}"))).sum();
    prop_assert_eq!(sum, micros(played, "cost_total"));
    let mut totals = 0;
    for record in played.result.ledger.instances() {
        let cost = played.result.ledger.cost_of(record);
        let parts: u128 = Phase::ALL.iter().map(|&phase| cost.part_micros(phase)).sum();
        prop_assert_eq!(parts + cost.rounding_micros, cost.total_micros);
        prop_assert!(cost.floor_micros <= cost.total_micros);
        totals += cost.total_micros;
    }
    prop_assert_eq!(totals.cast_signed(), micros(played, "cost_total"));
    Ok(())
}

fn waits_add_up(played: &Played) -> Result<(), TestCaseError> {
    let ledger = &played.result.ledger;
    for (job, record) in ledger.setup().workload.jobs.iter().zip(ledger.jobs()) {
        if record.stage == JobStage::Completed {
            let causes = [WaitCause::Boot, WaitCause::Drain, WaitCause::Poll, WaitCause::Queue];
            let parts: u64 = causes.iter().map(|&cause| record.waited.part(cause).as_ms()).sum();
            let wait = record.start.since(job.submit).as_ms();
            prop_assert_eq!(parts + record.lost.as_ms(), wait, "job {}", job.id);
        }
    }
    Ok(())
}

/// Cores by node of a `nodes=` detail: `1-3:8 5:2`.
fn shares(detail: &str) -> Vec<(usize, u32)> {
    let (_, runs) = detail.split_once("nodes=").unwrap();
    let mut shares = Vec::new();
    for run in runs.split(' ') {
        let (nodes, cores) = run.split_once(':').unwrap();
        let (first, last) = nodes.split_once('-').unwrap_or((nodes, nodes));
        let nodes = first.parse().unwrap()..=last.parse().unwrap();
        shares.extend(nodes.map(|node: usize| (node, cores.parse::<u32>().unwrap())));
    }
    shares
}

/// Counts over the story alone: no node runs more than it has, and only RUNNING nodes get work.
fn no_node_is_overloaded(world: &World, played: &Played) -> Result<(), TestCaseError> {
    let (mut busy, mut held) = (BTreeMap::<usize, u32>::new(), BTreeMap::new());
    let mut state = BTreeMap::new();
    for row in &played.story.events {
        match row.event {
            "START" => {
                let shares = shares(&row.detail);
                for (node, cores) in &shares {
                    prop_assert_eq!(state.get(&format!("node-{node}")).copied(), Some("RUNNING"));
                    let busy = busy.entry(*node).or_default();
                    *busy += cores;
                    let kind = played.result.ledger.instances()[node - 1].kind;
                    prop_assert!(*busy <= world.kinds[kind.index()].cores, "node-{node} runs {busy}");
                }
                held.insert(row.subject.clone(), shares);
            }
            "END" | "KILL" => {
                for (node, cores) in held.remove(&row.subject).unwrap() {
                    *busy.get_mut(&node).unwrap() -= cores;
                }
            }
            _ if row.subject.starts_with("node-") && !row.subject.contains(' ') => {
                state.insert(row.subject.clone(), row.to);
            }
            _ => {}
        }
    }
    for (_, levels) in &played.story.steps {
        prop_assert!(levels.instances <= world.max_nodes);
        prop_assert!(levels.cores_allocated <= levels.cores_in_service);
    }
    Ok(())
}

/// From its first beat on, a drain takes no longer than its timeout, one poll of the watcher and one beat.
fn drains_end_in_time(world: &World, played: &Played) -> Result<(), TestCaseError> {
    let Some(timeout) = world.drain_timeout_ms else {
        // What still kills is a stop on the word of an old report.
        if world.report_age_ms == 0 {
            prop_assert_eq!(played.number("containers_killed"), 0.0);
        }
        return Ok(());
    };
    for (record, number) in played.result.ledger.instances().iter().zip(1..) {
        let Some(ordered) = record.drain_start else { continue };
        let last = record.out_of_service.unwrap_or(played.result.end);
        let subject = format!("node-{number} drain");
        let heard = played.story.events.iter().find(|row| row.subject == subject && row.event == "STATUS");
        let since = |time: SimTime| last.since(time).as_ms();
        if let Some(heard) = heard {
            prop_assert!(since(heard.time) <= timeout + world.watcher_poll_ms + world.interval_ms);
        }
        prop_assert!(since(ordered) <= timeout + 2 * world.interval_ms);
        if timeout == 0 {
            prop_assert!(since(ordered) <= world.interval_ms, "the first beat ends a drain without time");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(500, 31))]

    #[test]
    fn the_books_are_in_order(world in world(RICH)) {
        let played = played(&world)?;
        jobs_end_once(&world, &played)?;
        money_adds_up(&played)?;
        waits_add_up(&played)?;
        no_node_is_overloaded(&world, &played)?;
        drains_end_in_time(&world, &played)?;
    }
}

/// The story without the levels, which hold the price.
fn events(played: &Played) -> Vec<String> {
    let rows = played.story.events.iter();
    rows.map(|row| format!("{} {} {} {} {}", row.time, row.subject, row.event, row.to, row.detail)).collect()
}

proptest! {
    #![proptest_config(cases(150, 32))]

    #[test]
    fn twice_the_price_is_twice_the_bill_and_nothing_else(world in world(RICH)) {
        let twice = |kind: &Kind| Kind { price_millis: kind.price_millis * 2, ..kind.clone() };
        let dear = World { kinds: world.kinds.iter().map(twice).collect(), ..world.clone() };
        let (cheap, dear) = (played(&world)?, played(&dear)?);
        prop_assert_eq!(events(&cheap), events(&dear));
        for (one, other) in cheap.result.metrics.iter().zip(&dear.result.metrics) {
            if !one.name.starts_with("cost_") {
                prop_assert_eq!(one, other);
            }
        }
        // Each instance's bill is rounded down, so twice the price may give a millionth more for each.
        let instances = i128::try_from(cheap.result.ledger.instances().len()).unwrap();
        let more = micros(&dear, "cost_total") - 2 * micros(&cheap, "cost_total");
        prop_assert!((0..=instances).contains(&more), "{more} millionths for {instances} instances");
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes(world in world(RICH)) {
        prop_assert_eq!(played(&world)?.all(), played(&world)?.all());
    }
}

/// The tasks of a world as a log whose submits begin at `origin_s`.
fn log(world: &World, origin_s: u64) -> String {
    let mut out = "; Version: 2.2\n".to_owned();
    for (task, id) in world.tasks.iter().zip(1..) {
        let [submit, run, requested] =
            [task.submit_ms + origin_s * 1000, task.run_ms, task.requested_ms].map(|ms| ms / 1000);
        out +=
            &format!("{id} {submit} -1 {run} {0} -1 -1 {0} {requested} -1 1 1 1 1 1 1 -1 -1\n", task.cores);
    }
    out
}

proptest! {
    #![proptest_config(cases(40, 33))]

    #[test]
    fn times_count_from_the_first_submit(
        world in world(Range { tick_ms: 1000, rich: false }),
        origin_s in 1..1_000_000_000_u64,
    ) {
        let world = World { horizon_ms: world.horizon_ms.or(Some(500_000)), ..world };
        let folder = std::env::temp_dir();
        let play = |origin_s: u64| {
            let name = format!("ebbtide-{}-{origin_s}.swf", std::process::id());
            std::fs::write(folder.join(&name), log(&world, origin_s)).unwrap();
            let setting = format!("workload.trace={name}");
            let played = play_text(folder.to_str().unwrap(), &world.toml(), &[&setting], BeatMode::Lazy);
            std::fs::remove_file(folder.join(&name)).unwrap();
            played.all()
        };
        prop_assert_eq!(play(0), play(origin_s));
        prop_assert_eq!(play(0), played(&world)?.all());
    }
}
