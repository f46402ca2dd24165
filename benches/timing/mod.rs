//! How benches measure: processor time of this process, the median of several runs.

use std::fs;
use std::time::Instant;

/// Runs of each case.
#[allow(dead_code, reason = "not every bench repeats its runs")]
pub(crate) const RUNS: usize = 7;

/// The median of what `run` took in seconds, over [`RUNS`] runs, after one that is not counted.
#[allow(dead_code, reason = "not every bench repeats its runs")]
pub(crate) fn median_seconds(mut run: impl FnMut()) -> f64 {
    run();
    let mut seconds: Vec<f64> = (0..RUNS)
        .map(|_| {
            let begin = stopwatch();
            run();
            stopwatch() - begin
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds[RUNS / 2]
}

/// Seconds that the main thread has been on a processor, which a busy machine disturbs less than the time of day; where
/// the system does not tell, the time of day.
pub(crate) fn stopwatch() -> f64 {
    let on_processor_ns = fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    on_processor_ns.map_or_else(seconds_of_day, |ns| ns / 1e9)
}

#[expect(clippy::disallowed_methods, reason = "a bench measures the time that it takes")]
pub(crate) fn seconds_of_day() -> f64 {
    thread_local! {
        static START: Instant = Instant::now();
    }
    START.with(Instant::elapsed).as_secs_f64()
}

/// The most memory that the process has held so far, in MB; `None` where the system does not tell.
#[allow(dead_code, reason = "not every bench prints it")]
pub(crate) fn peak_megabytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1e3)
}
