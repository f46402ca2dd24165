//! Whole logs on fixed clusters of one-core nodes, against mean waits that other programs found.
//!
//! First come, first served leaves nothing open, so independent replays agree to the digit. Variants of EASY differ by
//! what is released in the very instant of the reservation, so theirs may be two in a hundred away.

use ebbtide::workload::load_or_empty;

use crate::support::{play_silently, scenario};

/// The mean wait in seconds of `trace` on `nodes` nodes of one core.
fn mean_wait_s(trace: &str, nodes: u32, discipline: &str) -> f64 {
    let text = format!(
        "[workload]\ntrace = \"{trace}\"\noverrun = \"trim\"\n[[node_type]]\nname = \"n1\"\ncores = 1\n\
         [cluster]\nmin_nodes = {nodes}\nmax_nodes = {nodes}\n[scheduler]\ndiscipline = \"{discipline}\"\n\
         [policy]\nkind = \"none\"\n"
    );
    let scenario = scenario("scenarios/traces", &text, &[]);
    let loaded = load_or_empty(scenario.workload.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    let result = play_silently(&scenario, &loaded.jobs);
    let mean = result.metrics.iter().find(|metric| metric.name == "wait_mean_s").unwrap();
    mean.value.as_f64().unwrap()
}

fn check(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{got} s, should be {want} s within {tolerance} s");
}

const KTH: &str = "KTH-SP2-1996-2.1.swf.gz";
const HPC2N: &str = "HPC2N-2002-2.2-cln.swf.gz";

// Four independent programs agree on these to the digits given.

#[test]
fn kth_first_come_first_served() {
    check(mean_wait_s(KTH, 100, "fifo"), 353_776.4, 0.05);
}

#[test]
fn hpc2n_first_come_first_served() {
    check(mean_wait_s(HPC2N, 240, "fifo"), 15_842.88, 0.005);
}

// Two programs each, of the variant that counts all releases of the reservation's instant.

#[test]
fn kth_easy() {
    check(mean_wait_s(KTH, 100, "easy"), 6886.0, 0.02 * 6886.0);
}

#[test]
fn hpc2n_easy() {
    check(mean_wait_s(HPC2N, 240, "easy"), 10_832.0, 0.02 * 10_832.0);
}
