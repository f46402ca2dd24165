//! Ctrl-C, and the signals of those who end a process: the first asks the run to stop, the second ends the process.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use super::INTERRUPTED;

static STOP: AtomicBool = AtomicBool::new(false);
static HEARD: AtomicBool = AtomicBool::new(false);

/// Listens to Ctrl-C from now on. What is returned is set by it.
pub(super) fn listen() -> &'static AtomicBool {
    let heard = || {
        if HEARD.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED.into());
        }
        STOP.store(true, Ordering::Relaxed);
    };
    // Where it cannot be listened to, Ctrl-C ends the process as it would any other.
    ctrlc::set_handler(heard).ok();
    &STOP
}
