//! When within its paid hour an instance may be stopped.

/// Closed and open parts of a node's life.
#[derive(Clone, Debug)]
pub struct ShutdownWindows;
