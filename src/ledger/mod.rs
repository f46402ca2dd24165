//! The ledger: what happened, turned into money, disruption and waiting.
//!
//! Actors record [`Fact`]s; nothing flows back to them. The definitions of all numbers are here, one file for each kind
//! of number, and they can be laid beside the definitions in the manual.

pub mod disruption;
pub mod fact;
pub mod invariants;
pub mod levels;
pub mod metrics;
pub mod money;
pub mod narrate;
pub mod recorder;
pub mod records;
pub mod waiting;

pub use fact::Fact;
pub use invariants::Broken;
pub use levels::Levels;
pub use metrics::{Metric, Value};
pub use narrate::{AppRow, DrainRow, EventRow, Sink, Subject};
pub use recorder::{Recorder, Setup};
pub use records::{AppRecord, ContainerRecord, InstanceRecord, JobRecord, JobStage, NodeLoss, Rejection};
