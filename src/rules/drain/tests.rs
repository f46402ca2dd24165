//! The conformance cases of yarn.md 10.3, and the worked time line of 3.7.

use super::*;

const T0: SimTime = SimTime::from_secs(100);

const fn at(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

const fn seconds(seconds: u64) -> Option<SimSpan> {
    Some(SimSpan::from_secs(seconds))
}

/// A heartbeat of a draining node.
fn beat(timeout: Option<SimSpan>, active_containers: u32, applications: Presence) -> Observation {
    Observation { state: RmNodeState::Decommissioning, timeout, active_containers, applications }
}

/// The context after a first heartbeat at [`T0`].
fn started(timeout: Option<SimSpan>, active_containers: u32, applications: Presence) -> DrainContext {
    update(None, T0, beat(timeout, active_containers, applications)).expect("a draining node is watched")
}

#[test]
fn cases_dw_01_to_dw_07_a_drain_ends_with_its_last_application() {
    use DrainStatus::{Ready, WaitApp, WaitContainer};
    use Presence::{Absent, Present};
    for (ids, beats) in [
        (
            ["DW-01", "DW-02", "DW-03", "DW-04", "DW-05"].as_slice(),
            [
                (3, Present, WaitContainer),
                (2, Present, WaitContainer),
                (1, Present, WaitContainer),
                (0, Present, WaitApp),
                (0, Absent, Ready),
            ]
            .as_slice(),
        ),
        // The application's containers had all ended before the drain began.
        (&["DW-06", "DW-07"], &[(0, Present, WaitApp), (0, Absent, Ready)]),
    ] {
        let mut context = None;
        let mut now = T0;
        for (id, (containers, applications, expected)) in ids.iter().zip(beats) {
            context = update(context, now, beat(seconds(3600), *containers, *applications));
            assert_eq!(status(context.as_ref(), now), *expected, "{id}");
            now += SimSpan::from_secs(1);
        }
    }
}

#[test]
fn case_dw_08_an_unwatched_node_has_no_status() {
    assert_eq!(status(None, T0), DrainStatus::None, "DW-08");
}

#[test]
fn cases_dw_09_to_dw_12_the_timeout_holds_from_its_very_end_on() {
    use DrainStatus::{Timeout, WaitContainer};
    for (id, timeout, now_ms, expected) in [
        ("DW-09", seconds(30), 129_999, WaitContainer),
        ("DW-09", seconds(30), 130_000, Timeout),
        ("DW-11", None, 100_000, WaitContainer),
        ("DW-11", None, 864_000_000, WaitContainer),
        ("DW-12", seconds(0), 100_000, Timeout),
    ] {
        let context = started(timeout, 1, Presence::Present);
        assert_eq!(context.status(at(now_ms)), expected, "{id}");
        // A batch job is an application without an app master: while it runs it holds the node by its container.
        assert_eq!(started(timeout, 1, Presence::Absent).status(at(now_ms)), expected, "{id}");
    }
    let done = started(seconds(30), 0, Presence::Absent);
    assert_eq!(done.status(at(999_999)), DrainStatus::Ready, "READY does not depend on the timeout");
}

#[test]
fn case_dw_13_a_changed_timeout_does_not_move_the_start() {
    let context = started(seconds(600), 1, Presence::Present);
    let now = T0 + SimSpan::from_secs(100);
    assert_eq!(context.status(now), DrainStatus::WaitContainer, "DW-13 before the change");
    let context =
        update(Some(context), now, beat(seconds(60), 1, Presence::Present)).expect("still draining");
    assert_eq!(context.status(now), DrainStatus::Timeout, "DW-13");
    assert_eq!(context.deadline(), Some(T0 + SimSpan::from_secs(60)), "DW-13");
}

#[test]
fn cases_dw_15_and_dw_16_the_poll_judges_silent_nodes_alone() {
    use PollVerdict::{Decommission, Forget, HeardRecently, Wait};
    use RmNodeState::{Decommissioned, Decommissioning, Lost, Running};
    // The last heartbeat is at 100 s.
    for (id, timeout, now_ms, state, verdict) in [
        ("DW-15", seconds(1), 104_900, Some(Decommissioning), HeardRecently),
        ("DW-15, 0.1 s later", seconds(1), 105_000, Some(Decommissioning), Decommission),
        ("silent, at its deadline", seconds(30), 130_000, Some(Decommissioning), Wait),
        ("silent, past its deadline", seconds(30), 130_001, Some(Decommissioning), Decommission),
        ("silent, lost meanwhile", seconds(30), 130_001, Some(Lost), Forget),
        ("silent, lost, in time", seconds(30), 129_000, Some(Lost), Wait),
        ("silent, recommissioned", seconds(30), 130_001, Some(Running), Forget),
        ("silent, gone altogether", seconds(30), 130_001, None, Forget),
        ("decommissioned, for ever, 60 s", None, 160_000, Some(Decommissioned), Wait),
        ("decommissioned, for ever, more", None, 160_001, Some(Decommissioned), Forget),
        ("lost, for ever: the harmless leak", None, 999_999, Some(Lost), Wait),
    ] {
        let context = started(timeout, 1, Presence::Present);
        assert_eq!(context.poll_verdict(at(now_ms), state), verdict, "{id}");
    }
    let context = started(None, 1, Presence::Present);
    for poll in 1..=30 {
        let now = T0 + SimSpan::from_secs(20) * poll;
        assert_eq!(context.poll_verdict(now, Some(Decommissioning)), Wait, "DW-16 at {now}");
    }
    assert_eq!(context.deadline(), None, "DW-16");
}

#[test]
fn a_stale_node_is_ready_by_either_status() {
    for (containers, applications) in [(1, Presence::Present), (0, Presence::Present), (0, Presence::Absent)]
    {
        let context = started(seconds(30), containers, applications);
        let now = at(130_001);
        assert_eq!(context.poll_verdict(now, Some(RmNodeState::Decommissioning)), PollVerdict::Decommission);
        assert!(context.status(now).is_ready());
    }
}

/// DW-17: a node that never beats while it drains gets no context, hence no poll looks at it. That it is LOST later is
/// for the liveness monitor to test.
#[test]
fn case_dw_17_other_states_are_not_watched() {
    for state in RmNodeState::ALL.iter().copied().filter(|state| *state != RmNodeState::Decommissioning) {
        let seen = Observation { state, ..beat(seconds(30), 1, Presence::Present) };
        assert_eq!(update(None, T0, seen), None, "DW-17 {}", state.name());
        let kept = update(Some(started(seconds(30), 1, Presence::Present)), T0, seen).is_some();
        assert_eq!(kept, state == RmNodeState::Decommissioned, "{}", state.name());
    }
}

#[test]
fn a_drain_taken_up_again_starts_afresh_only_if_a_heartbeat_came_in_between() {
    let running = Observation { state: RmNodeState::Running, ..beat(seconds(30), 1, Presence::Present) };
    let first = Some(started(seconds(30), 1, Presence::Present));
    let later = T0 + SimSpan::from_secs(20);
    let unseen = update(first, later, beat(seconds(30), 1, Presence::Present)).expect("watched");
    assert_eq!(unseen.deadline(), Some(T0 + SimSpan::from_secs(30)));
    let dropped = update(first, T0 + SimSpan::from_secs(1), running);
    let seen = update(dropped, later, beat(seconds(30), 1, Presence::Present)).expect("watched");
    assert_eq!(seen.deadline(), Some(later + SimSpan::from_secs(30)));
}

#[test]
fn a_decommissioned_node_that_beats_on_is_forgotten_after_a_minute() {
    let gone = Observation { state: RmNodeState::Decommissioned, ..beat(seconds(30), 0, Presence::Absent) };
    let mut context = Some(started(seconds(30), 0, Presence::Absent));
    for (now_ms, expected) in [
        (110_000, DrainStatus::Decommissioned),
        (170_000, DrainStatus::Decommissioned),
        (170_001, DrainStatus::None),
    ] {
        context = update(context, at(now_ms), gone);
        assert_eq!(status(context.as_ref(), at(now_ms)), expected, "{now_ms} ms");
        let verdict = context.map(|context| context.poll_verdict(at(now_ms), None));
        assert!(matches!(verdict, None | Some(PollVerdict::Forget)), "{now_ms} ms");
    }
}

/// yarn.md 3.7: heartbeat 1 s, GRACEFUL at 100.0, a container until 112.0, its application until 150.0.
#[test]
fn the_worked_time_line() {
    let beats = (100_400..112_000).step_by(1000).chain((112_000..=150_000).step_by(1000));
    let seen_at = |now_ms, timeout| {
        let applications = if now_ms < 150_000 { Presence::Present } else { Presence::Absent };
        beat(timeout, u32::from(now_ms < 112_000), applications)
    };
    for (timeout, ready_at_ms, ready_as) in
        [(seconds(30), 131_000, DrainStatus::Timeout), (seconds(60), 150_000, DrainStatus::Ready)]
    {
        let mut context = None;
        let mut log = Vec::new();
        for now_ms in beats.clone() {
            context = update(context, at(now_ms), seen_at(now_ms, timeout));
            let status = status(context.as_ref(), at(now_ms));
            if log.last().is_none_or(|(_, last)| *last != status) {
                log.push((now_ms, status));
            }
            if status.is_ready() {
                break;
            }
        }
        assert_eq!(
            log,
            [(100_400, DrainStatus::WaitContainer), (112_000, DrainStatus::WaitApp), (ready_at_ms, ready_as)]
        );
        let deadline = context.expect("watched").deadline();
        assert_eq!(deadline, timeout.map(|timeout| at(100_400) + timeout));
    }
}

#[test]
fn the_status_line_counts_whole_seconds() {
    use DrainStatus::{None as Unheard, Ready, Timeout, WaitApp, WaitContainer};
    use Presence::{Absent, Present};
    // yarn.md 3.5, 7.9 s after the start at 100 s. (timeout, containers, applications, status, remaining).
    for (timeout, containers, applications, expected, remaining_s) in [
        (seconds(30), 2, Present, WaitContainer, Some(22)),
        (seconds(8), 0, Present, WaitApp, Some(0)),
        (None, 0, Present, WaitApp, Some(-1)),
        (None, 1, Absent, WaitContainer, Some(-1)),
        (seconds(7), 1, Present, Timeout, None),
        (seconds(30), 0, Absent, Ready, None),
    ] {
        let mut context = started(timeout, containers, applications);
        context.heard_at(at(105_100));
        let status = context.status(at(107_900));
        assert_eq!(status, expected);
        let (draining_s, fresh_s, active_containers) = (7, 2, containers);
        let line = StatusLine { draining_s, fresh_s, active_containers, status, remaining_s };
        assert_eq!(context.status_line(at(107_900), status), line);
    }
    let held = started(None, 0, Absent).status_line(T0, WaitApp);
    assert_eq!(held.remaining_s, Some(0), "nothing is left that a delay could wait for");
    let unheard = DrainContext::unheard(T0, seconds(30));
    let line = unheard.status_line(at(107_900), unheard.status(at(107_900)));
    assert_eq!((line.status, line.active_containers, line.remaining_s), (Unheard, 0, None));
}

#[test]
fn path_b_asks_three_questions() {
    let both = [Presence::Absent, Presence::Present];
    for applications in both {
        for kept_alive in both {
            for masters in both {
                let nothing = [applications, kept_alive, masters] == [Presence::Absent; 3];
                let expected = if nothing { Retirement::Due } else { Retirement::NotYet };
                assert_eq!(may_retire(applications, kept_alive, masters), expected);
            }
        }
    }
}
