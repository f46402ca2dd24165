//! The tables of yarn.md 2.1 and 2.4, and the conformance cases of 10.2 that the table alone decides.

use super::RmNodeState::{
    Decommissioned, Decommissioning, Lost, New, Rebooted, Running, Shutdown, Unhealthy,
};
use super::*;

/// Both tables of yarn.md 2.1: next states, `self`, or `-`.
const TABLE_2_1: [&str; 2] = [
    "state           | STARTED              | STATUS_UPDATE                     | DECOMMISSION   | GRACEFUL_DECOMMISSION | RECOMMISSION | EXPIRE | REBOOTING | RECONNECTED                       | SHUTDOWN
     NEW             | RUNNING or UNHEALTHY | -                                 | DECOMMISSIONED | -                     | -            | LOST   | -         | -                                 | -
     RUNNING         | -                    | RUNNING or UNHEALTHY              | DECOMMISSIONED | DECOMMISSIONING       | -            | LOST   | REBOOTED  | self                              | SHUTDOWN
     UNHEALTHY       | -                    | UNHEALTHY or RUNNING              | DECOMMISSIONED | DECOMMISSIONING       | -            | LOST   | REBOOTED  | self                              | SHUTDOWN
     DECOMMISSIONING | -                    | DECOMMISSIONING or DECOMMISSIONED | DECOMMISSIONED | self                  | RUNNING      | LOST   | REBOOTED  | DECOMMISSIONING or DECOMMISSIONED | SHUTDOWN
     DECOMMISSIONED  | -                    | -                                 | -              | -                     | -            | -      | -         | -                                 | -
     LOST            | -                    | -                                 | -              | -                     | -            | -      | -         | -                                 | -
     REBOOTED        | -                    | -                                 | -              | -                     | -            | -      | -         | -                                 | -
     SHUTDOWN        | -                    | -                                 | -              | -                     | -            | -      | -         | -                                 | -",
    "state           | RESOURCE_UPDATE | CLEANUP_APP | CLEANUP_CONTAINER | FINISHED_CONTAINERS_PULLED_BY_AM | UPDATE_CONTAINER | SIGNAL_CONTAINER | CONTAINER_ALLOCATED
     NEW             | self            | -           | -                 | self                             | -                | -                | -
     RUNNING         | self            | self        | self              | self                             | self             | self             | -
     UNHEALTHY       | self            | self        | self              | self                             | -                | self             | -
     DECOMMISSIONING | self            | self        | self              | self                             | -                | -                | -
     DECOMMISSIONED  | self            | -           | -                 | self                             | -                | -                | -
     LOST            | self            | -           | -                 | self                             | -                | -                | -
     REBOOTED        | self            | -           | -                 | -                                | -                | -                | -
     SHUTDOWN        | self            | -           | -                 | self                             | -                | -                | -",
];

const HEALTH: [Health; 2] = [Health::Healthy, Health::Unhealthy];
const RETIREMENT: [Retirement; 2] = [Retirement::Due, Retirement::NotYet];
const PRESENCE: [Presence; 2] = [Presence::Absent, Presence::Present];

/// Every form of the event of this name.
fn events(name: &str) -> Vec<RmNodeEvent> {
    match name {
        "STARTED" => HEALTH.map(|health| RmNodeEvent::Started { health }).to_vec(),
        "STATUS_UPDATE" => HEALTH
            .into_iter()
            .flat_map(|health| RETIREMENT.map(|retirement| RmNodeEvent::StatusUpdate { health, retirement }))
            .collect(),
        "DECOMMISSION" => vec![RmNodeEvent::Decommission],
        "GRACEFUL_DECOMMISSION" => vec![RmNodeEvent::GracefulDecommission],
        "RECOMMISSION" => vec![RmNodeEvent::Recommission],
        "EXPIRE" => vec![RmNodeEvent::Expire],
        "REBOOTING" => vec![RmNodeEvent::Rebooting],
        "RECONNECTED" => PRESENCE.map(|applications| RmNodeEvent::Reconnected { applications }).to_vec(),
        "SHUTDOWN" => vec![RmNodeEvent::Shutdown],
        "RESOURCE_UPDATE" => vec![RmNodeEvent::ResourceUpdate],
        "CLEANUP_APP" => vec![RmNodeEvent::CleanupApp],
        "CLEANUP_CONTAINER" => vec![RmNodeEvent::CleanupContainer],
        "FINISHED_CONTAINERS_PULLED_BY_AM" => vec![RmNodeEvent::FinishedContainersPulledByAm],
        "UPDATE_CONTAINER" => vec![RmNodeEvent::UpdateContainer],
        "SIGNAL_CONTAINER" => vec![RmNodeEvent::SignalContainer],
        "CONTAINER_ALLOCATED" => vec![RmNodeEvent::ContainerAllocated],
        _ => panic!("no event: {name}"),
    }
}

fn state(name: &str) -> RmNodeState {
    let found = RmNodeState::ALL.iter().copied().find(|state| state.name() == name);
    found.unwrap_or_else(|| panic!("no state: {name}"))
}

fn cells(line: &str) -> Vec<&str> {
    line.split('|').map(str::trim).collect()
}

#[test]
fn every_state_and_event_goes_as_the_tables_say() {
    let mut checked = 0;
    for table in TABLE_2_1 {
        let mut lines = table.lines();
        let header = cells(lines.next().expect("a table has a header"));
        for line in lines {
            let row = cells(line);
            assert_eq!(row.len(), header.len(), "{line}");
            let from = state(row[0]);
            for (name, cell) in header.iter().zip(&row).skip(1) {
                let mut found: Vec<RmNodeState> = Vec::new();
                let events = events(name);
                for event in &events {
                    match transition(from, *event) {
                        Outcome::Transition { to, .. } => found.push(to),
                        Outcome::Illegal => assert_eq!(*cell, "-", "{} {event:?}", row[0]),
                    }
                }
                let mut expected: Vec<RmNodeState> = match *cell {
                    "-" => vec![],
                    "self" => vec![from],
                    states => states.split(" or ").map(state).collect(),
                };
                found.sort_unstable();
                found.dedup();
                expected.sort_unstable();
                assert_eq!(found, expected, "{} {name}", row[0]);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 8 * 16);
}

#[test]
fn counters_change_as_table_2_4_says() {
    // Transitions, and the counters in the order of the names below.
    let names = "active | decommissioning | decommissioned | lost | unhealthy | rebooted | shutdown";
    let table = "NEW -> RUNNING                    | +1 |    |    |    |    |    |
                 NEW -> UNHEALTHY                  |    |    |    |    | +1 |    |
                 NEW -> DECOMMISSIONED             |    |    | +1 |    |    |    |
                 NEW -> LOST                       |    |    |    | +1 |    |    |
                 RUNNING -> UNHEALTHY              | -1 |    |    |    | +1 |    |
                 UNHEALTHY -> RUNNING              | +1 |    |    |    | -1 |    |
                 RUNNING -> DECOMMISSIONING        | -1 | +1 |    |    |    |    |
                 UNHEALTHY -> DECOMMISSIONING      |    | +1 |    |    | -1 |    |
                 DECOMMISSIONING -> RUNNING        | +1 | -1 |    |    |    |    |
                 DECOMMISSIONING -> DECOMMISSIONED |    | -1 | +1 |    |    |    |
                 DECOMMISSIONING -> LOST           |    | -1 |    | +1 |    |    |
                 DECOMMISSIONING -> REBOOTED       |    | -1 |    |    |    | +1 |
                 DECOMMISSIONING -> SHUTDOWN       |    | -1 |    |    |    |    | +1
                 RUNNING -> DECOMMISSIONED         | -1 |    | +1 |    |    |    |
                 RUNNING -> LOST                   | -1 |    |    | +1 |    |    |
                 RUNNING -> REBOOTED               | -1 |    |    |    |    | +1 |
                 RUNNING -> SHUTDOWN               | -1 |    |    |    |    |    | +1
                 UNHEALTHY -> DECOMMISSIONED       |    |    | +1 |    | -1 |    |
                 UNHEALTHY -> LOST                 |    |    |    | +1 | -1 |    |
                 UNHEALTHY -> REBOOTED             |    |    |    |    | -1 | +1 |
                 UNHEALTHY -> SHUTDOWN             |    |    |    |    | -1 |    | +1
                 DECOMMISSIONED -> NEW             |    |    | -1 |    |    |    |
                 LOST -> NEW                       |    |    |    | -1 |    |    |
                 REBOOTED -> NEW                   |    |    |    |    |    | -1 |
                 SHUTDOWN -> NEW                   |    |    |    |    |    |    | -1";
    let by_name = |name: &str| match name {
        "active" => Counter::Active,
        "decommissioning" => Counter::Decommissioning,
        "decommissioned" => Counter::Decommissioned,
        "lost" => Counter::Lost,
        "unhealthy" => Counter::Unhealthy,
        "rebooted" => Counter::Rebooted,
        "shutdown" => Counter::Shutdown,
        _ => panic!("no counter: {name}"),
    };
    for line in table.lines() {
        let row = cells(line);
        let (from, to) = row[0].split_once(" -> ").expect("two states");
        let marked = |mark| cells(names).into_iter().zip(&row[1..]).find(|(_, cell)| **cell == mark);
        let expected = CounterChange {
            minus: marked("-1").map(|(name, _)| by_name(name)),
            plus: marked("+1").map(|(name, _)| by_name(name)),
        };
        assert_eq!(counter_change(state(from), state(to)), expected, "{}", row[0]);
    }
    for same in RmNodeState::ALL {
        assert_eq!(counter_change(*same, *same), CounterChange { minus: None, plus: None });
    }
}

/// A conformance case: nodes, events with the number of the node they are for, and what is true afterwards.
struct Case {
    id: &'static str,
    given: &'static [RmNodeState],
    when: &'static [(usize, RmNodeEvent)],
    then: &'static [RmNodeState],
    /// The counters' changes over all events, in the letters of yarn.md 10.2.
    counters: &'static str,
    /// Effects of the last event that the case asks for.
    does: &'static [Effect],
    /// Effects of the last event that the case excludes.
    does_not: &'static [Effect],
}

const fn status(health: Health, retirement: Retirement) -> (usize, RmNodeEvent) {
    (0, RmNodeEvent::StatusUpdate { health, retirement })
}

const fn case(
    id: &'static str,
    given: &'static [RmNodeState],
    when: &'static [(usize, RmNodeEvent)],
    then: &'static [RmNodeState],
    counters: &'static str,
) -> Case {
    Case { id, given, when, then, counters, does: &[], does_not: &[] }
}

const EXPIRE: (usize, RmNodeEvent) = (0, RmNodeEvent::Expire);
const RESOURCE_UPDATE: (usize, RmNodeEvent) = (0, RmNodeEvent::ResourceUpdate);
const PULLED: (usize, RmNodeEvent) = (0, RmNodeEvent::FinishedContainersPulledByAm);
const STARTED: (usize, RmNodeEvent) = (0, RmNodeEvent::Started { health: Health::Healthy });
const STARTED_SICK: (usize, RmNodeEvent) = (0, RmNodeEvent::Started { health: Health::Unhealthy });
const RECONNECTED: (usize, RmNodeEvent) = (0, RmNodeEvent::Reconnected { applications: Presence::Absent });
const RECONNECTED_BUSY: (usize, RmNodeEvent) =
    (0, RmNodeEvent::Reconnected { applications: Presence::Present });
const KEPT_SICK: (usize, RmNodeEvent) = status(Health::Unhealthy, Retirement::NotYet);
const KEPT: (usize, RmNodeEvent) = status(Health::Healthy, Retirement::NotYet);
const DUE_SICK: (usize, RmNodeEvent) = status(Health::Unhealthy, Retirement::Due);

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { does: &[Effect::Notice(UpdateType::Usable)], ..case("RN-01", &[New], &[STARTED], &[Running], "A+1") },
    case("RN-02", &[New], &[STARTED_SICK], &[Unhealthy], "U+1"),
    Case { does: &[Effect::Notice(UpdateType::Usable), Effect::TakeOverRegistration], ..case("RN-03", &[New], &[STARTED], &[Running], "A+1") },
    case("RN-04", &[Running], &[EXPIRE], &[Lost], "A-1 L+1"),
    case("RN-05", &[Running, Running], &[EXPIRE], &[Lost, Running], "A-1 L+1"),
    case("RN-05", &[Running, Running], &[EXPIRE, (1, RmNodeEvent::Expire)], &[Lost, Lost], "A-2 L+2"),
    case("RN-06", &[Unhealthy], &[EXPIRE], &[Lost], "L+1 U-1"),
    Case { does_not: &[Effect::RemoveFromScheduler], ..case("RN-07", &[Unhealthy], &[EXPIRE], &[Lost], "L+1 U-1") },
    case("RN-08", &[Running], &[(0, RmNodeEvent::Decommission)], &[Decommissioned], "A-1 D+1"),
    case("RN-09", &[Decommissioning], &[(0, RmNodeEvent::Decommission)], &[Decommissioned], "G-1 D+1"),
    case("RN-10", &[Unhealthy], &[(0, RmNodeEvent::Decommission)], &[Decommissioned], "D+1 U-1"),
    case("RN-11", &[Unhealthy], &[(0, RmNodeEvent::GracefulDecommission)], &[Decommissioning], "G+1 U-1"),
    Case { does: &[Effect::Notice(UpdateType::Decommissioning)], ..case("RN-12", &[Running], &[(0, RmNodeEvent::GracefulDecommission)], &[Decommissioning], "A-1 G+1") },
    case("RN-13", &[Running], &[(0, RmNodeEvent::Rebooting)], &[Rebooted], "A-1 B+1"),
    case("RN-14", &[Unhealthy], &[(0, RmNodeEvent::Rebooting)], &[Rebooted], "U-1 B+1"),
    case("RN-15", &[Running], &[(0, RmNodeEvent::Shutdown)], &[Shutdown], "A-1 S+1"),
    case("RN-16", &[Unhealthy], &[(0, RmNodeEvent::Shutdown)], &[Shutdown], "U-1 S+1"),
    case("RN-17", &[Decommissioning], &[(0, RmNodeEvent::Recommission)], &[Running], "A+1 G-1"),
    Case { does: &[Effect::RestoreOriginalTotal, Effect::TellTotal], ..case("RN-18", &[Decommissioning], &[(0, RmNodeEvent::Recommission)], &[Running], "A+1 G-1") },
    Case { does: &[Effect::TakeTotal], does_not: &[Effect::StoreOriginalTotal, Effect::RestoreOriginalTotal], ..case("RN-19", &[Decommissioning], &[RESOURCE_UPDATE], &[Decommissioning], "") },
    Case { does: &[Effect::TakeTotal, Effect::ResizeInScheduler], ..case("RN-20", &[Running], &[RESOURCE_UPDATE], &[Running], "") },
    Case { does: &[Effect::TakeTotal], ..case("RN-21", &[New], &[RESOURCE_UPDATE], &[New], "") },
    Case { does: &[Effect::TakeTotal], ..case("RN-22", &[Rebooted], &[RESOURCE_UPDATE], &[Rebooted], "") },
    case("RN-23", &[Decommissioning], &[KEPT], &[Decommissioning], ""),
    Case { does_not: &[Effect::MergeReport], ..case("RN-24", &[Decommissioning], &[KEPT_SICK], &[Decommissioning], "") },
    case("RN-25", &[Decommissioning], &[KEPT_SICK, DUE_SICK], &[Decommissioned], "G-1 D+1"),
    case("RN-26", &[Running], &[RECONNECTED], &[Running], ""),
    case("RN-27", &[Decommissioning], &[RECONNECTED_BUSY], &[Decommissioning], ""),
    case("RN-28", &[Decommissioning], &[RECONNECTED_BUSY, RECONNECTED], &[Decommissioned], "G-1 D+1"),
    case("RN-29", &[Decommissioning], &[RECONNECTED_BUSY, RECONNECTED], &[Decommissioned], "G-1 D+1"),
    Case { does: &[Effect::CleanUpApplication], ..case("RN-37", &[Running], &[(0, RmNodeEvent::CleanupApp)], &[Running], "") },
    Case { does: &[Effect::ForgetContainers], ..case("RN-39", &[New], &[PULLED], &[New], "") },
    Case { does: &[Effect::ForgetContainers], ..case("RN-40", &[Decommissioning], &[PULLED], &[Decommissioning], "") },
    case("RN-47", &[Decommissioning], &[EXPIRE], &[Lost], "G-1 L+1"),
];

/// Cases that are tested below, outside the table.
const APART: &[&str] = &["RN-45", "RN-48"];

/// Cases that the state machine cannot decide alone, and who decides them. Of RN-03, RN-18 to RN-22, RN-29 and RN-37
/// the table above holds the state and the effects; the resources, ports and lists in them are the tracker's too.
const LEFT_TO_THE_TRACKER: &[(&str, &str)] = &[
    ("RN-30", "the version of the node's agent is not simulated"),
    ("RN-31", "merging a report: which completions the scheduler gets"),
    ("RN-32", "the queue of changes for the scheduler"),
    ("RN-33", "the queue of changes for the scheduler"),
    ("RN-34", "merging a report: the allocated resource"),
    ("RN-36", "the mailboxes of a reply"),
    ("RN-38", "merging a report twice, and the mailboxes of a reply"),
    ("RN-41", "placeholders: the node's port"),
    ("RN-42", "the allocation timers of containers"),
    ("RN-43", "heartbeat scaling: the interval of the next reply"),
];

/// Adds one change to the seven counters, given as (letter, sum).
fn count(sums: &mut [(char, i32); 7], counter: Option<Counter>, change: i32) {
    let letter = match counter {
        None => return,
        Some(Counter::Active) => 'A',
        Some(Counter::Decommissioning) => 'G',
        Some(Counter::Decommissioned) => 'D',
        Some(Counter::Lost) => 'L',
        Some(Counter::Unhealthy) => 'U',
        Some(Counter::Rebooted) => 'B',
        Some(Counter::Shutdown) => 'S',
    };
    for sum in sums.iter_mut().filter(|(name, _)| *name == letter) {
        sum.1 += change;
    }
}

#[test]
fn conformance_cases() {
    for case in CASES {
        let mut nodes = case.given.to_vec();
        let mut sums = ['A', 'G', 'D', 'L', 'U', 'B', 'S'].map(|letter| (letter, 0));
        let mut last_effects: &[Effect] = &[];
        for (node, event) in case.when {
            let Outcome::Transition { to, effects } = transition(nodes[*node], *event) else {
                panic!("{}: {event:?} is illegal", case.id);
            };
            let change = counter_change(nodes[*node], to);
            count(&mut sums, change.minus, -1);
            count(&mut sums, change.plus, 1);
            nodes[*node] = to;
            last_effects = effects;
        }
        assert_eq!(nodes, case.then, "{}", case.id);
        let changed: Vec<String> = sums
            .iter()
            .filter(|(_, sum)| *sum != 0)
            .map(|(letter, sum)| format!("{letter}{sum:+}"))
            .collect();
        assert_eq!(changed.join(" "), case.counters, "{}", case.id);
        for effect in case.does {
            assert!(last_effects.contains(effect), "{}: {effect:?} is missing", case.id);
        }
        for effect in case.does_not {
            assert!(!last_effects.contains(effect), "{}: {effect:?} is too much", case.id);
        }
    }
}

#[test]
fn case_rn_45_a_running_node_cannot_be_recommissioned() {
    assert_eq!(transition(Running, RmNodeEvent::Recommission), Outcome::Illegal, "RN-45");
}

#[test]
fn case_rn_48_events_reach_active_nodes_alone() {
    let active: Vec<RmNodeState> =
        RmNodeState::ALL.iter().copied().filter(|state| state.is_active()).collect();
    assert_eq!(active, [New, Running, Unhealthy, Decommissioning], "RN-48");
}

#[test]
fn each_conformance_case_is_tested_or_accounted_for() {
    let mut ids: Vec<&str> = CASES.iter().map(|case| case.id).collect();
    ids.extend(APART);
    ids.extend(LEFT_TO_THE_TRACKER.iter().map(|(id, _)| *id));
    ids.sort_unstable();
    ids.dedup();
    // yarn.md 10.2 numbers its cases from 1 to 48 and has no 35, 44 and 46.
    let expected: Vec<String> = (1..=48)
        .filter(|number| ![35, 44, 46].contains(number))
        .map(|number| format!("RN-{number:02}"))
        .collect();
    assert_eq!(ids, expected);
}

#[test]
fn a_node_leaves_the_active_map_exactly_when_its_state_is_inactive() {
    for table in TABLE_2_1 {
        for name in cells(table.lines().next().expect("a table has a header")).into_iter().skip(1) {
            for (from, event) in
                RmNodeState::ALL.iter().flat_map(|from| events(name).into_iter().map(move |e| (*from, e)))
            {
                let Outcome::Transition { to, effects } = transition(from, event) else { continue };
                let leaves = from.is_active() && !to.is_active();
                assert_eq!(effects.contains(&Effect::MoveToInactive), leaves, "{from:?} {event:?}");
                assert_eq!(effects.contains(&Effect::AddToScheduler), adds_to_scheduler(from, to, event));
            }
        }
    }
}

/// The scheduler learns of a node whenever it becomes RUNNING other than by recommission, and again when it
/// registers anew without applications (yarn.md 2.2, E1, E4, E7).
fn adds_to_scheduler(from: RmNodeState, to: RmNodeState, event: RmNodeEvent) -> bool {
    let enters_service = matches!(from, New | Unhealthy) && to == Running;
    let comes_back_empty = event == RmNodeEvent::Reconnected { applications: Presence::Absent };
    enters_service || (from == Running && comes_back_empty)
}
