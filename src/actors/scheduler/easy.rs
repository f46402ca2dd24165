//! EASY backfilling (Lifka 1995): the head job's reservation, and who may overtake it.
//!
//! The variant: one reservation per pass, from jobs that run on RUNNING nodes (expected end = start + requested time),
//! instances that boot (grant + median boot) and nodes that could still be asked for (next policy poll + median boot);
//! later jobs start in queue order if they end by then or fit into the cores that the head will leave over.

use std::collections::BTreeMap;

use crate::rules::scheduling::{JobIndex, StartReason};
use crate::time::{SimSpan, SimTime};

/// When the head job will start at the latest, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reservation {
    pub at: SimTime,
    /// Cores that are free at that time beyond what the head needs.
    pub spare_cores: u64,
}

/// Cores of running jobs that will be free for new work, by expected end. Those on draining nodes are left out.
pub(super) type ExpectedEnds = BTreeMap<(SimTime, JobIndex), u32>;

/// The earliest time at which `head_cores` are free, or `None` if that is not in sight.
///
/// `arrivals` are cores of nodes to come. Nothing is expected before `now`: what is late is expected at once.
pub(super) fn reserve(
    head_cores: u32,
    free_cores: u64,
    ends: &ExpectedEnds,
    arrivals: &mut [(SimTime, u64)],
    now: SimTime,
) -> Option<Reservation> {
    arrivals.sort_unstable();
    let mut ends = ends.iter().map(|(&(at, _), &cores)| (at.max(now), u64::from(cores))).peekable();
    let mut arrivals = arrivals.iter().map(|&(at, cores)| (at.max(now), cores)).peekable();
    let mut free = free_cores;
    // Enough cores are free already if the head waits for memory beside them.
    let mut reserved_at = (free_cores >= u64::from(head_cores)).then_some(now);
    loop {
        let next = match (ends.peek(), arrivals.peek()) {
            (Some(end), Some(arrival)) if arrival.0 < end.0 => arrivals.next(),
            (Some(_), _) => ends.next(),
            (None, _) => arrivals.next(),
        };
        // Releases of the very instant of the reservation count, so it is closed by the first later one.
        match next {
            Some((at, cores)) if reserved_at.is_none_or(|reserved| at == reserved) => {
                free += cores;
                if free >= u64::from(head_cores) {
                    reserved_at = Some(at);
                }
            }
            _ => break,
        }
    }
    reserved_at.map(|at| Reservation { at, spare_cores: free - u64::from(head_cores) })
}

/// Whether a later job may overtake the head, and why. One that fits beside the reservation uses up spare cores.
pub(super) fn may_overtake(
    reservation: Option<Reservation>,
    cores: u32,
    requested: SimSpan,
    now: SimTime,
) -> Option<StartReason> {
    let Some(reservation) = reservation else { return Some(StartReason::NoReservation) };
    if now + requested <= reservation.at {
        return Some(StartReason::EndsBeforeReservation);
    }
    (u64::from(cores) <= reservation.spare_cores).then_some(StartReason::FitsBesideReservation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(list: &[(u64, u32)]) -> ExpectedEnds {
        let numbered = list.iter().zip(0..);
        numbered.map(|(&(at, cores), job)| ((SimTime::from_secs(at), JobIndex(job)), cores)).collect()
    }

    #[test]
    fn the_head_gets_the_earliest_time_at_which_its_cores_are_free() {
        // 2 free; 3 come back at 50 s, 3 at 70 s, 4 more at 70 s: 8 are free at 70 s, when 12 are.
        let ends = ends(&[(50, 3), (70, 3), (70, 4), (90, 1)]);
        let got = reserve(8, 2, &ends, &mut [], SimTime::from_secs(10));
        assert_eq!(got, Some(Reservation { at: SimTime::from_secs(70), spare_cores: 4 }));
    }

    #[test]
    fn nodes_to_come_count_and_what_is_late_is_expected_at_once() {
        // A job overdue since 5 s gives 1 core at once (10 s), a boot 4 cores at 40 s: 2 + 1 + 4 = 7 at 40 s.
        let ends = ends(&[(5, 1), (50, 3)]);
        let mut arrivals = [(SimTime::from_secs(60), 9), (SimTime::from_secs(40), 4)];
        let got = reserve(7, 2, &ends, &mut arrivals, SimTime::from_secs(10));
        assert_eq!(got, Some(Reservation { at: SimTime::from_secs(40), spare_cores: 0 }));
        let got = reserve(3, 2, &ends, &mut [], SimTime::from_secs(10));
        assert_eq!(got, Some(Reservation { at: SimTime::from_secs(10), spare_cores: 0 }));
    }

    #[test]
    fn a_head_whose_cores_are_free_is_reserved_at_once() {
        // It waits for memory. 4 are free, and the overdue job's core comes back in this very instant.
        let got = reserve(3, 4, &ends(&[(5, 1), (50, 3)]), &mut [], SimTime::from_secs(10));
        assert_eq!(got, Some(Reservation { at: SimTime::from_secs(10), spare_cores: 2 }));
    }

    #[test]
    fn without_a_time_nothing_holds_others_back() {
        assert_eq!(reserve(9, 2, &ends(&[(50, 3)]), &mut [], SimTime::ZERO), None);
        let week = SimSpan::from_hours(168);
        assert_eq!(may_overtake(None, 2, week, SimTime::ZERO), Some(StartReason::NoReservation));
    }

    #[test]
    fn a_later_job_ends_in_time_or_fits_beside() {
        let at = SimTime::from_secs(100);
        let reservation = Some(Reservation { at, spare_cores: 3 });
        let ask =
            |cores, secs| may_overtake(reservation, cores, SimSpan::from_secs(secs), SimTime::from_secs(40));
        assert_eq!(ask(9, 60), Some(StartReason::EndsBeforeReservation), "40 + 60 is no later than 100");
        assert_eq!(ask(4, 61), None, "4 cores do not fit into 3");
        assert_eq!(ask(3, 61), Some(StartReason::FitsBesideReservation));
    }
}
