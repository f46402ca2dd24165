//! The rules, pure and table-shaped: no clock, no I/O, no actor.
//!
//! Each module can be laid beside the text it implements. The parameters of a rule (a grace, a timeout, a price)
//! live here beside the rule, so that actors and scenario files share one definition.

pub mod agent;
pub mod behaviour;
pub mod billing;
pub mod classify;
pub mod container;
pub mod drain;
pub mod elastic;
pub mod heartbeat;
pub mod hosts;
pub mod machine;
pub mod matrix;
pub mod notice;
pub mod reading;
pub mod refresh;
pub mod response;
pub mod rmnode;
pub mod scheduling;
pub mod script;
pub mod untracked;
pub mod windows;
pub mod wishlist;
