//! Ctrl-C: the first asks the run to stop, the second ends the process at once.

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

/// Whether Ctrl-C was heard. The flag of [`listen`] may also have been set by a run that failed.
pub(super) fn heard() -> bool {
    HEARD.load(Ordering::Relaxed)
}
