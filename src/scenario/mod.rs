//! The scenario file: model, defaults, validation and error messages.

pub mod model;
