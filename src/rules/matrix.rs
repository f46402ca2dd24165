//! The node manager's policy matrix.

/// A decision table.
#[derive(Debug)]
pub struct Matrix;
