//! The removal timer row by row, and who has an entry without ever having registered.

use super::*;
use crate::rules::hosts::ListFile;
use RmNodeState::{Decommissioned, Lost, Rebooted, Shutdown};

fn rules(removal_states: &[RmNodeState]) -> TrackingRules {
    TrackingRules {
        removal_timeout: SimSpan::from_ms(500),
        removal_states: removal_states.to_vec(),
        even_without_include: false,
        misses_unregistered: true,
    }
}

#[test]
fn the_timer_looks_twice_per_timeout_and_at_least_every_ten_minutes() {
    // yarn.md 4.2: min(timeout / 2, 600,000 ms). RT-30 gives 250 ms for 500 ms, section 9 gives 60 s.
    for (timeout_ms, period_ms) in [(500, 250), (60_000, 30_000), (1_200_000, 600_000), (86_400_000, 600_000)]
    {
        let rules = TrackingRules { removal_timeout: SimSpan::from_ms(timeout_ms), ..rules(&[]) };
        assert_eq!(rules.period(), SimSpan::from_ms(period_ms), "{timeout_ms}");
    }
}

#[test]
fn an_entry_is_forgotten_when_it_has_been_untracked_for_longer_than_the_timeout() {
    // (untracked, noted at, now, what is done): yarn.md 4.6; `>` is strict.
    for (untracked, since_ms, now_ms, expected) in [
        (true, None, 9_000, Upkeep::Stamp),
        (true, Some(9_000), 9_500, Upkeep::Keep),
        (true, Some(9_000), 9_501, Upkeep::Forget),
        (false, Some(9_000), 9_501, Upkeep::Clear),
        (false, None, 9_501, Upkeep::Keep),
    ] {
        let (since, now) = (since_ms.map(SimTime::from_ms), SimTime::from_ms(now_ms));
        for state in [Decommissioned, Lost, Rebooted, Shutdown] {
            assert_eq!(rules(&[]).upkeep(untracked, state, since, now), expected, "{state:?} {since_ms:?}");
        }
    }
}

#[test]
fn states_that_are_not_chosen_are_kept() {
    let (since, now) = (Some(SimTime::ZERO), SimTime::from_ms(501));
    for (state, expected) in
        [(Decommissioned, Upkeep::Forget), (Shutdown, Upkeep::Forget), (Lost, Upkeep::Clear)]
    {
        assert_eq!(rules(&[Decommissioned, Shutdown]).upkeep(true, state, since, now), expected, "RT-38");
    }
    assert_eq!(rules(&[Decommissioned, Shutdown]).upkeep(true, Rebooted, None, now), Upkeep::Keep);
}

#[test]
fn hosts_that_never_registered_have_entries_by_the_lists() {
    let lists = HostLists {
        include: ListFile::include("in", "h1 h2"),
        exclude: ListFile::exclude("ex", "h2 h3").expect("it is plain"),
    };
    // (host, at the start, at a refresh): h2 is on both lists, h4 on none.
    for (host, start, refresh) in [
        ("h1", None, Some(Lost)),
        ("h2", Some(Decommissioned), None),
        ("h3", Some(Decommissioned), None),
        ("h4", None, None),
    ] {
        assert_eq!(rules(&[]).placeholder(&lists, host, ListsRead::AtStart), start, "{host} at the start");
        assert_eq!(
            rules(&[]).placeholder(&lists, host, ListsRead::AtRefresh),
            refresh,
            "{host} at a refresh"
        );
    }
    let blind = TrackingRules { misses_unregistered: false, ..rules(&[]) };
    assert_eq!(blind.placeholder(&lists, "h1", ListsRead::AtRefresh), None, "it is off by default");
    // Without an include list every host is valid, and none is included: nobody is missed.
    let lists = HostLists::default();
    assert_eq!(rules(&[]).placeholder(&lists, "h1", ListsRead::AtRefresh), None);
}
