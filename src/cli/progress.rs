//! How far a run has come: a bar on standard error that reads the run's gauge now and then. It never flows back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use actix::{Actor, Context, Handler, Recipient};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::run::Gauge;
use crate::study::CellFinished;
use crate::time::{SimSpan, SimTime};

/// Often enough to look alive.
const REDRAW: Duration = Duration::from_millis(100);

/// Plays a run of about `span` of simulated time, which reports to `gauge`, while its progress is drawn.
pub(super) fn shown<T>(gauge: &Gauge, span: SimSpan, play: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let painter = scope.spawn(|| paint(gauge, span, &done));
        let _end = AtEnd { done: &done, painter: painter.thread().clone() };
        play()
    })
}

/// Stops the painter when the run is over, also if it panics.
struct AtEnd<'a> {
    done: &'a AtomicBool,
    painter: Thread,
}

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        self.painter.unpark();
    }
}

fn paint(gauge: &Gauge, span: SimSpan, done: &AtomicBool) {
    let bar = ProgressBar::with_draw_target(Some(span.as_ms()), ProgressDrawTarget::stderr());
    let template = "{msg} {wide_bar} {percent}% of the log, {eta} left";
    bar.set_style(ProgressStyle::with_template(template).expect("it is a template because a test draws it"));
    while !done.load(Ordering::Acquire) {
        let now = SimTime::from_ms(gauge.now_ms.load(Ordering::Relaxed));
        bar.set_position(now.as_ms().min(span.as_ms()));
        bar.set_message(message(now, gauge.items.load(Ordering::Relaxed), bar.elapsed()));
        thread::park_timeout(REDRAW);
    }
    bar.finish_and_clear();
}

/// The actor that draws a sweep's progress: a bar over its runs.
struct SweepBar {
    bar: ProgressBar,
    items: u64,
    simulated: SimSpan,
}

/// Starts drawing the progress of a sweep of so many runs, within its actix system. The bar goes with the system.
pub(super) fn of_sweep(runs: usize) -> Recipient<CellFinished> {
    let bar = ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr());
    let template = "{msg} {wide_bar} {pos} of {len} runs, {eta} left";
    bar.set_style(ProgressStyle::with_template(template).expect("it is a template because a test draws it"));
    bar.enable_steady_tick(REDRAW);
    SweepBar { bar, items: 0, simulated: SimSpan::ZERO }.start().recipient()
}

impl Actor for SweepBar {
    type Context = Context<Self>;
}

impl Drop for SweepBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Handler<CellFinished> for SweepBar {
    type Result = ();

    fn handle(&mut self, run: CellFinished, _: &mut Context<Self>) {
        self.items += run.items;
        self.simulated += run.simulated;
        let until = SimTime::ZERO + self.simulated;
        self.bar.set_message(message(until, self.items, self.bar.elapsed()));
        self.bar.inc(1);
    }
}

/// Simulated time as days, hours and minutes, and the pace of the run.
fn message(now: SimTime, items: u64, elapsed: Duration) -> String {
    let minutes = now.as_ms() / 60_000;
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    let per_second = u128::from(items) * 1000 / elapsed.as_millis().max(1);
    format!("{days}d {hours:02}:{minutes:02}, {per_second} events/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_when_it_is_and_how_fast_it_goes() {
        // 12 days, 4 hours and 10 minutes; 3 million items in 1.5 s.
        let now = SimTime::from_secs(((12 * 24 + 4) * 60 + 10) * 60);
        assert_eq!(message(now, 3_000_000, Duration::from_millis(1500)), "12d 04:10, 2000000 events/s");
    }

    #[test]
    fn what_is_played_comes_back_and_a_panic_is_let_through() {
        let gauge = Gauge::default();
        assert_eq!(shown(&gauge, SimSpan::from_secs(1), || 5), 5);
        let panics = || shown(&gauge, SimSpan::ZERO, || panic!("as a test"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    }
}
