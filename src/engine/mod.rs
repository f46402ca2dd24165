//! Simulated time: the agenda of what happens next, the context that actors run in, and the run loop.
//!
//! The engine knows no actor. It is generic over the envelope that carries mail and over what the context carries for
//! the actors; `actors` defines both.

pub mod agenda;
pub mod beats;
pub mod context;
pub mod mail;
pub mod random;
pub mod run;
#[cfg(test)]
mod tests;

pub use agenda::{Agenda, PollSlot, Ticket};
pub use beats::BeatMode;
pub use context::SimContext;
pub(crate) use mail::mailbox;
pub use mail::{Address, Served, hand_over};
pub use run::{Ended, Limits, World, run};
