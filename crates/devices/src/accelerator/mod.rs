//! Accelerators: engines of studies, no chip's.

pub mod rule30;
