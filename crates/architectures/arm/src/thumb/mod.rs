//! Thumb: each encoding maps its fields onto the function of an ARM instruction (manual: "The Thumb instruction set").

pub(super) mod block_transfer;
pub(super) mod branch;
pub(super) mod data_processing;
pub(super) mod load_store;
pub(super) mod v5;
pub(super) mod v6;
