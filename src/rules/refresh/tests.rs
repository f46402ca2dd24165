//! The table of yarn.md 4.3 row by row, FORCEFUL, failures, and the cases of 10.4 that lists and table decide.

use super::*;
use crate::rules::hosts::{Host, HostLists, ListFile};
use RmNodeState::{Decommissioned, Decommissioning, Lost, New, Rebooted, Running, Unhealthy};

/// The state, under a name that [`RefreshAction::Shutdown`] does not share.
const SIGNED_OFF: RmNodeState = RmNodeState::Shutdown;
const ALL: &[RmNodeState] = RmNodeState::ALL;
const ACTIVE: &[RmNodeState] = &[New, Running, Unhealthy, Decommissioning];
const INACTIVE: &[RmNodeState] = &[Decommissioned, Lost, Rebooted, SIGNED_OFF];
const IN_USE: &[RmNodeState] = &[New, Running, Unhealthy];

fn shown(action: Option<RefreshAction<i32>>) -> String {
    match action {
        None => "none".to_owned(),
        Some(RefreshAction::GracefulDecommission(timeout)) => format!("GRACEFUL_DECOMMISSION({timeout})"),
        Some(action) => action.name().to_owned(),
    }
}

#[test]
fn a_refresh_sends_what_the_table_says() {
    use Refresh::Normal;
    use Standing::{Excluded, Untracked, Valid};
    const GRACEFUL: Refresh<i32> = Refresh::Graceful { timeout: 60 };
    // (standing, refresh, states, stored timeout, action): the rows of 4.3, for each standing that they cover.
    let rows = [
        (Valid, Normal, &[Decommissioning][..], 60, "RECOMMISSION"),
        (Valid, GRACEFUL, &[Decommissioning], 60, "RECOMMISSION"),
        (Valid, Normal, IN_USE, 60, "none"),
        (Valid, GRACEFUL, IN_USE, 60, "none"),
        (Excluded, GRACEFUL, IN_USE, 60, "GRACEFUL_DECOMMISSION(60)"),
        (Untracked, GRACEFUL, IN_USE, 30, "GRACEFUL_DECOMMISSION(60)"),
        (Excluded, GRACEFUL, &[Decommissioning], 30, "GRACEFUL_DECOMMISSION(60)"),
        (Untracked, GRACEFUL, &[Decommissioning], -1, "GRACEFUL_DECOMMISSION(60)"),
        (Excluded, GRACEFUL, &[Decommissioning], 60, "none"),
        (Untracked, GRACEFUL, &[Decommissioning], 60, "none"),
        (Untracked, Normal, ACTIVE, 60, "SHUTDOWN"),
        (Excluded, Normal, ACTIVE, 60, "DECOMMISSION"),
        // In none of the rows: the loop visits the active map alone.
        (Valid, Normal, INACTIVE, 60, "none"),
        (Valid, GRACEFUL, INACTIVE, 60, "none"),
        (Excluded, Normal, INACTIVE, 60, "none"),
        (Excluded, GRACEFUL, INACTIVE, 30, "none"),
        (Untracked, Normal, INACTIVE, 60, "none"),
        (Untracked, GRACEFUL, INACTIVE, 30, "none"),
    ];
    for (standing, refresh, states, stored, expected) in rows {
        for &state in states {
            let found = shown(refresh_action(standing, refresh, state, &stored));
            assert_eq!(found, expected, "{standing:?} {refresh:?} {state:?} {stored}");
        }
    }
}

#[test]
fn forceful_ends_every_drain_and_nothing_else() {
    for &state in ALL {
        let expected = if state == Decommissioning { ["DECOMMISSION", "SHUTDOWN"] } else { ["none"; 2] };
        let found = [false, true].map(|untracked| shown(forceful_action(untracked, state)));
        assert_eq!(found, expected, "{state:?}");
    }
}

#[test]
fn what_follows_from_files_that_cannot_be_read() {
    use FailureOutcome::{EmptyLists, RequestFails, StartFails};
    // (id, failure, at the start, NORMAL, GRACEFUL): yarn.md 4.2 and 4.5. RT-49 fails over, which is a start.
    for (id, failure, start, normal, graceful) in [
        ("RT-49, RT-59", ReadFailure::Missing, EmptyLists, EmptyLists, RequestFails),
        ("4.2, 4.5", ReadFailure::Malformed, StartFails, RequestFails, RequestFails),
    ] {
        let found = [ReadAt::Start, ReadAt::Normal, ReadAt::Graceful].map(|at| failure_outcome(failure, at));
        assert_eq!(found, [start, normal, graceful], "{id}");
    }
}

const LOCALHOST: Host = Host { name: "localhost", ip: Some("127.0.0.1") };
const H1: Host = Host { name: "h1", ip: None };
const H2: Host = Host { name: "h2", ip: None };
const RT_06: &str = "<l><host><name>h1</name><timeout>20</timeout></host><host><name>h2</name></host></l>";
const RT_54: &str = "<l><host><name>h1</name><timeout>600</timeout></host><host><name>h2</name></host></l>";
const RT_58: &str = "<l><host><name>127.0.0.1</name><timeout>60</timeout></host></l>";

/// A refresh as the cases of 10.4 give it.
struct Case {
    id: &'static str,
    include: &'static str,
    exclude: (&'static str, &'static str),
    /// `None`: NORMAL; otherwise the request's timeout, if it has one.
    graceful: Option<Option<i32>>,
    /// Each node with its state, its stored timeout, and what it is sent.
    nodes: &'static [(Host<'static>, RmNodeState, i32, &'static str)],
}

/// The configured default is 3600.
const CASES: [Case; 10] = [
    Case {
        id: "RT-02",
        include: "h1 127.0.0.1",
        exclude: ("", ""),
        graceful: None,
        nodes: &[(H1, Running, 0, "none"), (H2, Running, 0, "SHUTDOWN"), (LOCALHOST, Running, 0, "none")],
    },
    Case {
        id: "RT-03",
        include: "",
        exclude: ("ex", "h2 127.0.0.1"),
        graceful: None,
        nodes: &[
            (H1, Running, 0, "none"),
            (H2, Running, 0, "DECOMMISSION"),
            (LOCALHOST, Running, 0, "DECOMMISSION"),
        ],
    },
    Case {
        id: "RT-06",
        include: "",
        exclude: ("ex.xml", RT_06),
        graceful: Some(None),
        nodes: &[
            (H1, Running, 0, "GRACEFUL_DECOMMISSION(20)"),
            (H2, Running, 0, "GRACEFUL_DECOMMISSION(3600)"),
        ],
    },
    Case {
        id: "RT-12",
        include: "h1",
        exclude: ("", ""),
        graceful: None,
        nodes: &[(H1, Running, 0, "none"), (H2, Running, 0, "SHUTDOWN")],
    },
    Case {
        id: "RT-13",
        include: "",
        exclude: ("ex", "h2"),
        graceful: None,
        nodes: &[(H1, Running, 0, "none"), (H2, Running, 0, "DECOMMISSION")],
    },
    Case {
        id: "RT-29",
        include: "",
        exclude: ("ex", ""),
        graceful: Some(None),
        nodes: &[(H1, Decommissioned, 0, "none")],
    },
    Case {
        id: "RT-31",
        include: "h1",
        exclude: ("", ""),
        graceful: Some(None),
        nodes: &[(H1, Running, 0, "none"), (H2, Running, 0, "GRACEFUL_DECOMMISSION(3600)")],
    },
    Case {
        id: "RT-54",
        include: "",
        exclude: ("ex.xml", RT_54),
        graceful: Some(Some(-1)),
        nodes: &[(H1, Decommissioning, 600, "none"), (H2, Running, 0, "GRACEFUL_DECOMMISSION(-1)")],
    },
    Case {
        id: "RT-56",
        include: "",
        exclude: ("ex", "h1"),
        graceful: None,
        nodes: &[(H1, Decommissioning, 3600, "DECOMMISSION")],
    },
    Case {
        id: "RT-58",
        include: "",
        exclude: ("ex.xml", RT_58),
        graceful: Some(Some(600)),
        nodes: &[(LOCALHOST, Running, 0, "GRACEFUL_DECOMMISSION(600)")],
    },
];

#[test]
fn conformance_cases_of_refreshes() {
    for Case { id, include, exclude: (path, text), graceful, nodes } in CASES {
        let exclude = ListFile::exclude(path, text).expect(id);
        let lists = HostLists { include: ListFile::include("in", include), exclude };
        for &(host, state, stored, expected) in nodes {
            let refresh = graceful.map_or(Refresh::Normal, |of_request| Refresh::Graceful {
                timeout: effective_timeout(lists.timeout_s_of(host.name), of_request, 3600),
            });
            let found = shown(refresh_action(lists.standing(host), refresh, state, &stored));
            assert_eq!(found, expected, "{id}: {}", host.name);
        }
    }
}
