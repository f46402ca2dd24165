//! Which tuples of the policy matrix a simulated run reaches, through all the actors.
//!
//! "No action" cannot be seen from outside. So each tuple is asked for by a matrix of its own that acts on it alone, in
//! small worlds that differ in what a tuple is made of: boot, load, graces and windows. What no run reaches is listed
//! with its reason. That the actions of both real matrices are those of the tables is tested where the matrix is.

use std::collections::BTreeSet;
use std::sync::Arc;

use ebbtide::engine::BeatMode;
use ebbtide::rules::matrix::{Action, BootGrace, IdleGrace, Matrix, NodeState, Tuple, Window};

use crate::support::play;
use crate::support::world::{Boot, Kind, Task, World};

/// The action by which a tuple is found out.
fn probe(tuple: Tuple, real: &Matrix) -> Action {
    match real.action(tuple) {
        Action::None => Action::StartShutdown,
        action => action,
    }
}

/// A matrix that acts on `probed` alone, but that a node which is to be down has to be drained first.
fn probing(probed: Tuple, real: &Matrix) -> Matrix {
    let mut csv = "node_state,billing_window,boot_grace,idle_grace,action\n".to_owned();
    for tuple in Tuple::all() {
        let leads_down = probed.state == NodeState::Down
            && (tuple.state, tuple.idle) == (NodeState::Idle, IdleGrace::Exceeded);
        let action = match tuple {
            _ if tuple == probed => probe(tuple, real),
            _ if leads_down => Action::StartDrain,
            _ => Action::None,
        };
        csv += &format!("{tuple},{}\n", action.name());
    }
    Matrix::from_csv(&csv).expect("the probing matrix is complete")
}

/// One node that is closed for 60 s and open for 30 s of each 90 s, and one job. It boots before or in its window, it
/// is busy until before or after its window, and each grace is over soon or never.
fn worlds(mapping: &'static str) -> Vec<World> {
    let mut worlds = Vec::new();
    for boot_ms in [10_000, 70_000] {
        for run_s in [20, 80] {
            for boot_grace_ms in [Some(5000), None] {
                for idle_grace_ms in [Some(5000), None] {
                    worlds.push(World {
                        kinds: vec![Kind { boot: Boot::Fixed(boot_ms), ..Kind::plain(1) }],
                        tasks: vec![Task::plain(0, run_s, 1)],
                        min_nodes: 0,
                        policy: "node-manager",
                        poll_ms: 5000,
                        boot_grace_ms,
                        idle_grace_ms,
                        windows_ms: vec![60_000, 30_000],
                        mapping,
                        horizon_ms: Some(250_000),
                        ..World::plain()
                    });
                }
            }
        }
    }
    worlds
}

/// Whether a run in one of the worlds acts on the tuple, and says that it does so for the tuple's state.
fn is_reached(tuple: Tuple, real: &Matrix, worlds: &[World]) -> bool {
    let matrix = Arc::new(probing(tuple, real));
    worlds.iter().any(|world| {
        let mut scenario = world.scenario();
        scenario.policy.matrix = Arc::clone(&matrix);
        let played = play(&scenario, &world.workload(), BeatMode::Lazy).expect("a horizon ends the run");
        let wanted = probe(tuple, real).name();
        let mut orders = played.story.events.iter().filter(|row| row.event == wanted);
        orders.any(|row| {
            let words: Vec<&str> = row.detail.split(' ').collect();
            let state = tuple.state.name();
            words.contains(&format!("reason={state}").as_str())
                || words.contains(&format!("state={state}").as_str())
        })
    })
}

/// Why a tuple cannot come up, if it cannot (node_manager.md 5, and the table of views in the definitions).
fn why_not(tuple: Tuple, mapping: &str) -> Option<&'static str> {
    let is_idle = tuple.state == NodeState::Idle;
    match tuple.state {
        NodeState::Fail => Some("nothing in a simulated cluster is slurm's `fail`"),
        _ if is_idle && tuple.idle == IdleGrace::NotIdle => {
            Some("an idle node is within its grace or past it")
        }
        _ if !is_idle && tuple.idle != IdleGrace::NotIdle => Some("only an idle node has an idle grace"),
        NodeState::Unpaired if mapping == "code" && tuple.boot == BootGrace::Exceeded => {
            Some("the code calls an unpaired node past its boot grace down")
        }
        _ => None,
    }
}

fn check(mapping: &'static str, real: &Matrix, tuples: impl Iterator<Item = Tuple>, reachable: usize) {
    let worlds = worlds(mapping);
    let mut reached = BTreeSet::new();
    for tuple in tuples {
        let is_reached = is_reached(tuple, real, &worlds);
        match why_not(tuple, mapping) {
            None => assert!(is_reached, "{mapping}: no run reached {tuple}"),
            Some(why) => assert!(!is_reached, "{mapping}: a run reached {tuple}, although {why}"),
        }
        if is_reached {
            reached.insert(tuple);
        }
    }
    assert_eq!(reached.len(), reachable, "{mapping}");
    let both = |window| reached.iter().filter(|tuple| tuple.window == window).count();
    assert_eq!(both(Window::Open), both(Window::Closed), "the window alone rules nothing out");
}

/// node_manager.md 5: 20 of the page's 48.
#[test]
fn twenty_tuples_of_the_page() {
    let tuples = Tuple::all().filter(|tuple| tuple.state != NodeState::Fail);
    check("page", &Matrix::page(), tuples, 20);
}

/// node_manager.md 5: 22 of the last code's 60, four of which are `fail`.
#[test]
fn eighteen_tuples_of_the_last_code() {
    check("code", &Matrix::last(), Tuple::all(), 18);
}
