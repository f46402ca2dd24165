//! How a node reads to the node manager: from what is seen of it to its tuple in the policy matrix.
//!
//! Both mappings are here: the policy page's (node_manager.md 2.0) and the last code's (2.2 and 4). What is seen is
//! the table of semantics.md, growing and shrinking.

use crate::rules::elastic::{Mapping, PolicyRules};
use crate::rules::matrix::{BootGrace, IdleGrace, NodeState, Tuple, Window};
use crate::time::{SimSpan, SimTime};

/// What a node does, as far as the node manager can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Its instance is granted, its agent has not registered.
    Unpaired,
    /// Work stands on it, or it is being drained.
    Busy,
    /// In service and empty.
    Idle {
        /// Since the end of its last container or its registration.
        since: SimTime,
        /// How many polls in a row have found it so, this one included.
        polls: u64,
    },
    /// It registered once and is out of service, without anyone having drained it on order.
    OutOfService,
    /// Out of service because it was drained on order.
    Drained,
}

/// One node in the node manager's picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What it does.
    pub view: View,
    /// When its instance was granted: graces and windows count from here.
    pub granted: SimTime,
    /// When it was last heard; `None`: it does not matter, or it never was.
    pub last_ping: Option<SimTime>,
}

/// The row of the policy matrix that a node is judged by at `now`.
///
/// A node whose last ping is stale is down, whatever it did when it was last heard and however young it is: the page
/// asks that before anything else, the code after everything else.
pub fn classify(sighting: Sighting, now: SimTime, rules: &PolicyRules) -> Tuple {
    let age = now.since(sighting.granted);
    let boot = if reached(age, rules.boot_grace) { BootGrace::Exceeded } else { BootGrace::Wait };
    let window = if rules.windows.is_open(age, rules.window_ends()) { Window::Open } else { Window::Closed };
    let silent = sighting.last_ping.is_some_and(|heard| ping_is_stale(heard, now, rules.ping_stale_after));
    let state = node_state(sighting.view, boot, silent, rules.mapping);
    let idle = match (state, sighting.view) {
        (NodeState::Idle, View::Idle { since, polls }) => idle_grace(now.since(since), polls, rules),
        // The code's idle of a node that is still joining: the count of idle polls stays at 0 (node_manager.md 4).
        (NodeState::Idle, View::Unpaired | View::Busy | View::OutOfService | View::Drained) => {
            IdleGrace::Wait
        }
        (NodeState::Busy | NodeState::Down | NodeState::Unpaired | NodeState::Fail, _) => IdleGrace::NotIdle,
    };
    Tuple { state, window, boot, idle }
}

/// Whether a ping is too old: from exactly `stale_after` on it is (node_manager.md 2.2); never if that is `None`.
pub fn ping_is_stale(last_ping: SimTime, now: SimTime, stale_after: Option<SimSpan>) -> bool {
    reached(now.since(last_ping), stale_after)
}

/// With [`Mapping::Code`], at which poll in a row that finds a node idle its idle grace is exceeded:
/// ceil(idle grace / poll), and at least the first.
pub fn idle_polls_needed(idle_grace: SimSpan, poll: SimSpan) -> u64 {
    idle_grace.as_ms().div_ceil(poll.max(SimSpan::MILLISECOND).as_ms()).max(1)
}

fn node_state(view: View, boot: BootGrace, silent: bool, mapping: Mapping) -> NodeState {
    match (view, mapping) {
        (View::Unpaired, Mapping::Page) => NodeState::Unpaired,
        (View::Unpaired, Mapping::Code) => match boot {
            BootGrace::Wait => NodeState::Unpaired,
            BootGrace::Exceeded => NodeState::Down,
        },
        (View::Drained, Mapping::Page | Mapping::Code) => NodeState::Down,
        (View::Busy | View::Idle { .. } | View::OutOfService, Mapping::Page | Mapping::Code) if silent => {
            NodeState::Down
        }
        (View::Busy, Mapping::Page | Mapping::Code) => NodeState::Busy,
        (View::Idle { .. }, Mapping::Page | Mapping::Code) => NodeState::Idle,
        (View::OutOfService, Mapping::Page) => NodeState::Down,
        // The first ping comes before slurm knows the node, so the code gives a young one the benefit of the doubt.
        (View::OutOfService, Mapping::Code) => match boot {
            BootGrace::Wait => NodeState::Idle,
            BootGrace::Exceeded => NodeState::Down,
        },
    }
}

fn idle_grace(idle_for: SimSpan, polls: u64, rules: &PolicyRules) -> IdleGrace {
    let exceeded = rules.idle_grace.is_some_and(|grace| match rules.mapping {
        Mapping::Page => idle_for > grace,
        Mapping::Code => polls >= idle_polls_needed(grace, rules.poll),
    });
    if exceeded { IdleGrace::Exceeded } else { IdleGrace::Wait }
}

/// Whether a span has reached a limit; a limit of `None` is never reached.
fn reached(span: SimSpan, limit: Option<SimSpan>) -> bool {
    limit.is_some_and(|limit| span >= limit)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::rules::elastic::PolicyKind;
    use crate::rules::matrix::{Action, Matrix};
    use crate::rules::windows::ShutdownWindows;

    const GRANTED: SimTime = SimTime::from_secs(1000);

    /// Poll 60 s, idle grace 120 s, boot grace 1800 s, pings stale after 7200 s, windows 54, 5, 1 minutes.
    fn rules(mapping: Mapping) -> PolicyRules {
        let windows =
            ShutdownWindows::new(&[54, 5, 1].map(SimSpan::from_mins)).expect("the windows are good");
        PolicyRules {
            kind: PolicyKind::NodeManager,
            poll: SimSpan::from_secs(60),
            idle_grace: Some(SimSpan::from_secs(120)),
            boot_grace: Some(SimSpan::from_secs(1800)),
            ping_stale_after: Some(SimSpan::from_secs(7200)),
            report_age: SimSpan::ZERO,
            windows,
            matrix: Arc::new(Matrix::page()),
            mapping,
            bug_compatible: false,
            min_nodes: 0,
            max_nodes: 8,
        }
    }

    fn rules_always_open(mapping: Mapping) -> PolicyRules {
        PolicyRules { windows: ShutdownWindows::always(), ..rules(mapping) }
    }

    fn sighting(view: View) -> Sighting {
        Sighting { view, granted: GRANTED, last_ping: None }
    }

    /// The tuple as the CSV writes it, for a node of this age.
    fn read_at(sighting: Sighting, age_ms: u64, rules: &PolicyRules) -> String {
        classify(sighting, GRANTED + SimSpan::from_ms(age_ms), rules).to_string()
    }

    fn idle(since_age_ms: u64, polls: u64) -> Sighting {
        sighting(View::Idle { since: GRANTED + SimSpan::from_ms(since_age_ms), polls })
    }

    #[test]
    fn boot_grace_is_exceeded_from_its_end_on() {
        for (mapping, state_after) in [(Mapping::Page, "unpaired"), (Mapping::Code, "down")] {
            let rules = rules(mapping);
            let unpaired = sighting(View::Unpaired);
            assert_eq!(read_at(unpaired, 1_799_999, &rules), "unpaired,closed,boot wait,not idle");
            // X11: at exactly the boot grace it is over.
            let after = format!("{state_after},closed,boot exceeded,not idle");
            assert_eq!(read_at(unpaired, 1_800_000, &rules), after);
            let never = PolicyRules { boot_grace: None, ..rules };
            assert_eq!(read_at(unpaired, 864_000_000, &never), "unpaired,closed,boot wait,not idle");
        }
    }

    #[test]
    fn the_page_counts_idle_time() {
        let rules = rules(Mapping::Page);
        assert_eq!(read_at(idle(50_000, 99), 170_000, &rules), "idle,closed,boot wait,idle wait");
        assert_eq!(read_at(idle(50_000, 1), 170_001, &rules), "idle,closed,boot wait,idle exceeded");
        let at_once = PolicyRules { idle_grace: Some(SimSpan::ZERO), ..rules.clone() };
        assert_eq!(read_at(idle(50_000, 1), 50_000, &at_once), "idle,closed,boot wait,idle wait");
        assert_eq!(read_at(idle(50_000, 1), 50_001, &at_once), "idle,closed,boot wait,idle exceeded");
        let never = PolicyRules { idle_grace: None, ..rules };
        assert_eq!(read_at(idle(0, 99), 1_700_000, &never), "idle,closed,boot wait,idle wait");
    }

    #[test]
    fn the_code_counts_idle_polls() {
        // Values by hand: ceil(grace / 60 s), and at least one.
        for (grace_ms, polls) in [(0, 1), (1, 1), (60_000, 1), (60_001, 2), (120_000, 2), (150_000, 3)] {
            let grace = SimSpan::from_ms(grace_ms);
            assert_eq!(idle_polls_needed(grace, SimSpan::from_secs(60)), polls, "{grace}");
            let rules = PolicyRules { idle_grace: Some(grace), ..rules(Mapping::Code) };
            // However long it has stood there, it is the number of polls that counts.
            let before = read_at(idle(0, polls - 1), 1_700_000, &rules);
            assert_eq!(before, "idle,closed,boot wait,idle wait", "{grace}");
            assert_eq!(read_at(idle(0, polls), 0, &rules), "idle,closed,boot wait,idle exceeded", "{grace}");
        }
        let never = PolicyRules { idle_grace: None, ..rules(Mapping::Code) };
        assert_eq!(read_at(idle(0, 99), 1_700_000, &never), "idle,closed,boot wait,idle wait");
    }

    #[test]
    fn a_young_node_out_of_service_is_idle_to_the_code_alone() {
        let (page, code) = (rules(Mapping::Page), rules(Mapping::Code));
        let out = sighting(View::OutOfService);
        assert_eq!(read_at(out, 10, &page), "down,closed,boot wait,not idle");
        assert_eq!(read_at(out, 10, &code), "idle,closed,boot wait,idle wait");
        assert_eq!(read_at(out, 1_800_000, &code), "down,closed,boot exceeded,not idle");
        let at_once = PolicyRules { idle_grace: Some(SimSpan::ZERO), ..code };
        assert_eq!(read_at(out, 10, &at_once), "idle,closed,boot wait,idle wait");
        for mapping in [Mapping::Page, Mapping::Code] {
            let drained = sighting(View::Drained);
            assert_eq!(read_at(drained, 10, &rules(mapping)), "down,closed,boot wait,not idle");
        }
    }

    #[test]
    fn a_stale_ping_makes_any_registered_node_down() {
        let limit = Some(SimSpan::from_secs(5));
        let heard = SimTime::from_secs(100);
        assert!(!ping_is_stale(heard, SimTime::from_ms(104_999), limit));
        assert!(ping_is_stale(heard, SimTime::from_secs(105), limit));
        assert!(!ping_is_stale(heard, SimTime::from_secs(1_000_000), None));
        for mapping in [Mapping::Page, Mapping::Code] {
            let rules = PolicyRules { ping_stale_after: limit, ..rules(mapping) };
            for view in
                [View::Busy, View::Idle { since: GRANTED, polls: 9 }, View::OutOfService, View::Drained]
            {
                let silent = Sighting { view, granted: GRANTED, last_ping: Some(GRANTED) };
                assert_eq!(read_at(silent, 5000, &rules), "down,closed,boot wait,not idle", "{view:?}");
            }
            let booting = Sighting { view: View::Unpaired, granted: GRANTED, last_ping: Some(GRANTED) };
            assert_eq!(read_at(booting, 5000, &rules), "unpaired,closed,boot wait,not idle");
        }
    }

    #[test]
    fn windows_end_as_the_mode_says() {
        let rules = rules(Mapping::Page);
        let compatible = PolicyRules { bug_compatible: true, ..rules.clone() };
        for (age_ms, window, compatible_window) in
            [(3_239_999, "closed", "closed"), (3_240_000, "open", "closed"), (3_240_001, "open", "open")]
        {
            let expected = |window| format!("busy,{window},boot exceeded,not idle");
            assert_eq!(read_at(sighting(View::Busy), age_ms, &rules), expected(window));
            assert_eq!(read_at(sighting(View::Busy), age_ms, &compatible), expected(compatible_window));
        }
    }

    /// Cases of node_manager.md 10.1 under the last code: what is seen, the node's age in seconds, the tuple it is
    /// judged by, and whether that makes it eligible.
    #[test]
    fn eligibility_cases() {
        let open = rules_always_open(Mapping::Code);
        let windows = rules(Mapping::Code);
        let at_once = PolicyRules { idle_grace: Some(SimSpan::ZERO), ..windows.clone() };
        let one_poll = PolicyRules { idle_grace: Some(SimSpan::from_secs(60)), ..open.clone() };
        let silent_out = Sighting {
            view: View::OutOfService,
            granted: SimTime::from_secs(90_000),
            last_ping: Some(SimTime::ZERO),
        };
        let silent_busy =
            Sighting { view: View::Busy, granted: SimTime::ZERO, last_ping: Some(SimTime::ZERO) };
        for (id, sighting, age_s, rules, tuple, eligible) in [
            ("D3, E1", sighting(View::Unpaired), 0, &open, "unpaired,open,boot wait,not idle", false),
            ("E2", sighting(View::Unpaired), 90_000, &open, "down,open,boot exceeded,not idle", true),
            ("E3", silent_out, 0, &open, "down,open,boot wait,not idle", true),
            ("E5", idle(0, 1), 0, &at_once, "idle,closed,boot wait,idle exceeded", false),
            ("E6, D8", sighting(View::Busy), 0, &open, "busy,open,boot wait,not idle", false),
            ("D5", sighting(View::OutOfService), 0, &open, "idle,open,boot wait,idle wait", false),
            ("D6", sighting(View::OutOfService), 90_000, &open, "down,open,boot exceeded,not idle", true),
            ("D7", idle(0, 2), 120, &open, "idle,open,boot wait,idle exceeded", true),
            ("G21", sighting(View::Unpaired), 3601, &open, "down,open,boot exceeded,not idle", true),
            ("G22", sighting(View::OutOfService), 3601, &open, "down,open,boot exceeded,not idle", true),
            ("X13", silent_busy, 7200, &windows, "down,closed,boot exceeded,not idle", true),
            ("X14, count 2", idle(0, 1), 60, &open, "idle,open,boot wait,idle wait", false),
            ("X14, count 1", idle(0, 1), 60, &one_poll, "idle,open,boot wait,idle exceeded", true),
        ] {
            let now = sighting.granted + SimSpan::from_secs(age_s);
            let read = classify(sighting, now, rules);
            assert_eq!(read.to_string(), tuple, "{id}");
            assert_eq!(Matrix::last().action(read) != Action::None, eligible, "{id}");
        }
        // E7 needs a count of idle polls of 0, and E8 a node that slurm calls fail: neither exists here. E10 (a size
        // that is gone from the configuration) is decided before the matrix is asked.
    }

    /// Every tuple that a mapping can produce: all views at ages and silences around each limit.
    fn reachable(mapping: Mapping) -> BTreeSet<Tuple> {
        let rules = PolicyRules { ping_stale_after: Some(SimSpan::from_secs(9000)), ..rules(mapping) };
        let mut found = BTreeSet::new();
        for age_s in [0, 1799, 1800, 3239, 3240, 3539, 3540, 6840, 9000] {
            for open in [ShutdownWindows::always(), rules.windows.clone()] {
                let rules = PolicyRules { windows: open, ..rules.clone() };
                let now = GRANTED + SimSpan::from_secs(age_s);
                for last_ping in [None, Some(now), Some(SimTime::ZERO)] {
                    let idle_views = [(now, 0), (now, 1), (GRANTED, 2), (GRANTED, 3)];
                    let mut views = vec![View::Unpaired, View::Busy, View::OutOfService, View::Drained];
                    views.extend(idle_views.map(|(since, polls)| View::Idle { since, polls }));
                    found.extend(
                        views.into_iter().map(|view| {
                            classify(Sighting { view, granted: GRANTED, last_ping }, now, &rules)
                        }),
                    );
                }
            }
        }
        found
    }

    /// Why a tuple cannot come up: the states it is about, whether the reason holds for it, and how many tuples of the
    /// page's mapping and of the code's it rules out.
    type Reason = (&'static str, fn(Tuple, Mapping) -> bool, [usize; 2]);

    const UNREACHABLE: &[Reason] = &[
        ("no view of ours is slurm's fail", |tuple, _| tuple.state == NodeState::Fail, [12, 12]),
        (
            "an idle node is within its idle grace or past it, never \"not idle\"",
            |tuple, _| tuple.state == NodeState::Idle && tuple.idle == IdleGrace::NotIdle,
            [4, 4],
        ),
        (
            "a node that is not idle has no idle grace",
            |tuple, _| {
                matches!(tuple.state, NodeState::Busy | NodeState::Down | NodeState::Unpaired)
                    && tuple.idle != IdleGrace::NotIdle
            },
            [24, 24],
        ),
        (
            "an unpaired node past its boot grace is down to the code",
            |tuple, mapping| {
                mapping == Mapping::Code
                    && tuple.state == NodeState::Unpaired
                    && tuple.boot == BootGrace::Exceeded
                    && tuple.idle == IdleGrace::NotIdle
            },
            [0, 2],
        ),
    ];

    #[test]
    fn reachable_tuples() {
        // node_manager.md 5: 20 of the page's 48, and 22 of the code's 60, four of which are fail.
        for (place, mapping, count) in [(0, Mapping::Page, 20), (1, Mapping::Code, 22 - 4)] {
            let reachable = reachable(mapping);
            assert_eq!(reachable.len(), count, "{mapping:?}");
            let mut ruled_out = [0; UNREACHABLE.len()];
            for tuple in Tuple::all() {
                let reasons: Vec<usize> =
                    (0..UNREACHABLE.len()).filter(|reason| UNREACHABLE[*reason].1(tuple, mapping)).collect();
                match reasons[..] {
                    [] => assert!(reachable.contains(&tuple), "{mapping:?}: no reason against {tuple}"),
                    [reason] => {
                        assert!(
                            !reachable.contains(&tuple),
                            "{mapping:?}: {tuple} although {}",
                            UNREACHABLE[reason].0
                        );
                        ruled_out[reason] += 1;
                    }
                    _ => panic!("{mapping:?}: {tuple} is ruled out twice"),
                }
            }
            for ((reason, _, counts), found) in UNREACHABLE.iter().zip(ruled_out) {
                assert_eq!(found, counts[place], "{mapping:?}: {reason}");
            }
        }
    }
}
