//! The program against a naive model of the same cluster, which goes by the definitions and shares no code with it:
//! random small worlds must come out alike in every job, every instance and every sum.
//!
//! Where the definitions are silent the model decides as the program does, so these are not tested here: what is left
//! of a request after checkpoints; that jobs killed after an instant's pass go before those killed before it; that an
//! order which an old report repeats counts against what may go. So is the one exception from them, the late pass for a
//! node that boots in no time.

mod model;
mod policy;
mod queue;

use ebbtide::engine::BeatMode;
use ebbtide::ledger::JobStage;
use ebbtide::ledger::money::Phase;
use ebbtide::ledger::waiting::WaitCause;
use ebbtide::time::SimTime;
use proptest::prelude::*;

use crate::support::random::{Range, world};
use crate::support::world::World;
use crate::support::{Played, cases};
use model::{Fate, Model};

/// One line for each job and instance, and the sums, as the program has them.
fn told(played: &Played) -> Vec<String> {
    let ledger = &played.result.ledger;
    let mut lines = Vec::new();
    for (record, number) in ledger.jobs().iter().zip(1..) {
        let fate = match record.stage {
            JobStage::Completed => format!("{:?} {}..{}", Fate::Completed, record.start, record.end),
            JobStage::Failed => format!("{:?} at {}", Fate::Failed, record.end),
            JobStage::Rejected(_) => format!("{:?}", Fate::Rejected),
            JobStage::Ahead | JobStage::Queued | JobStage::Running => format!("{:?}", Fate::Unfinished),
        };
        let causes = [WaitCause::Boot, WaitCause::Drain, WaitCause::Poll, WaitCause::Queue];
        let waited = match record.stage {
            JobStage::Completed => format!("{:?}", causes.map(|cause| record.waited.part(cause).as_ms())),
            _ => String::new(),
        };
        lines.push(format!(
            "job {number} {fate} waited {waited} lost {} requeued {} lost core-ms {}",
            record.lost.as_ms(),
            record.requeues,
            record.lost_core_ms
        ));
    }
    // A run ends in the middle of its last instant, with the last job. What else happens in it shows nowhere else.
    let before_the_end = |time: Option<SimTime>| time.filter(|&time| time < played.result.end);
    for (record, number) in ledger.instances().iter().zip(1..) {
        let (up, gone) = (before_the_end(record.up), before_the_end(record.gone));
        let times = [Some(record.granted), up, record.drain_start, record.out_of_service, gone];
        let cost = ledger.cost_of(record);
        let parts = [Phase::Boot, Phase::Drain, Phase::Busy, Phase::Idle, Phase::Down];
        lines.push(format!(
            "node {number} {:?} paid {} as {:?} floor {}",
            times.map(|time| time.map(SimTime::as_ms)),
            cost.total_micros,
            parts.map(|phase| cost.part_micros(phase)),
            cost.floor_micros,
        ));
    }
    for column in model::COLUMNS {
        lines.push(format!("{column} {}", played.number(column)));
    }
    lines
}

fn compare(world: &World) -> Result<(), TestCaseError> {
    let played = match world.play(BeatMode::Lazy) {
        Ok(played) => played,
        Err(error) => return Err(TestCaseError::fail(format!("{error}"))),
    };
    let (ours, theirs) = (told(&played), Model::new(world).run());
    let differing: Vec<_> = ours.iter().zip(&theirs).filter(|(one, other)| one != other).collect();
    prop_assert!(differing.is_empty(), "{differing:#?}\n{}\n{}", world.toml(), played.story.text);
    prop_assert_eq!(ours.len(), theirs.len());
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000, 23))]

    #[test]
    fn random_worlds_come_out_as_the_naive_model_has_them(
        world in world(Range { tick_ms: 1000, rich: false }),
    ) {
        compare(&world)?;
    }
}
