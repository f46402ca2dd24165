//! `containers.csv`: the containers of applications, in the order in which they were asked for.
//!
//! `launched_s` is when the container's process started. `exit_status` is YARN's
//! number, and empty for a container that has not ended. `lost_core_s` is the work of a container that was
//! killed by no fault of its own, `output_lost_core_s` that of a map whose output went with its node while its
//! application still needed it. A cell is empty where nothing happened.

use std::io::{self, Write};

use crate::ledger::{ContainerRecord, Recorder};
use crate::report::rows::Rows;

const COLUMNS: [&str; 13] = [
    "app",
    "container",
    "kind",
    "node",
    "cores",
    "asked_s",
    "allocated_s",
    "launched_s",
    "ended_s",
    "state",
    "exit_status",
    "lost_core_s",
    "output_lost_core_s",
];

/// Writes `containers.csv`.
///
/// # Errors
/// If `out` fails.
pub fn containers(out: impl Write, ledger: &Recorder) -> io::Result<()> {
    let mut rows = Rows::begin(out, COLUMNS)?;
    for container in ledger.containers() {
        row(&mut rows, container, ledger)?;
    }
    rows.finish()
}

fn row<W: Write>(rows: &mut Rows<W>, container: &ContainerRecord, ledger: &Recorder) -> io::Result<()> {
    let setup = ledger.setup();
    rows.foreign(&setup.apps[container.app.index()].name).count(u64::from(container.number));
    rows.text(container.role.name());
    match container.node {
        Some(node) => rows.host(setup.hosts.of(node)),
        None => rows.empty(),
    };
    rows.count(u64::from(container.cores)).instant(container.asked);
    rows.instant_if(container.allocated).instant_if(container.launched).instant_if(container.ended);
    rows.text(container.state.name());
    match container.exit {
        Some(exit) => rows.shown(exit.code()),
        None => rows.empty(),
    };
    let lost_ms = container.lost().as_ms().saturating_mul(u64::from(container.cores));
    rows.thousandths(lost_ms);
    rows.thousandths(container.output_lost().as_ms().saturating_mul(u64::from(container.cores)));
    rows.end()
}
