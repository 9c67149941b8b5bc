//! Cycle models: what an instruction costs.
//!
//! [`Arm7Tdmi`] counts the core's N, S and I cycles, each with the wait states and the bus width of the memory that it
//! reaches; [`Sequences`] are these cycles without their costs. [`FixedCpi`] charges the same for every instruction, and
//! [`CacheModel`] adds what misses of caches cost.

mod accuracy;
mod arm7tdmi;
mod bursts;
mod cache;
mod external_bus;
mod fixed_cpi;
mod sequences;

pub use accuracy::AccuracyLabel;
pub use arm7tdmi::Arm7Tdmi;
pub use bursts::Bursts;
pub use cache::{
    CacheCounts, CacheModel, CacheName, Caches, Geometry, GeometryError, Latencies, Replacement,
};
pub use external_bus::ExternalBus;
pub use fixed_cpi::{CpiError, FixedCpi};
pub use sequences::{BusCycles, Purpose, Sequences};
