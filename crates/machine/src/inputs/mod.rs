//! What reaches a machine from outside, and how a run is repeated with it.

pub(crate) mod chronicle;
pub(crate) mod input;
pub(crate) mod input_log;
pub(crate) mod input_text;
pub(crate) mod replay;
