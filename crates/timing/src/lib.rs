//! Cycle models: what an instruction costs.
//!
//! [`FixedCpi`] charges the same for every instruction, and [`CacheModel`] adds to it, or to any other [`BaseModel`], what misses of caches cost. A model that is one core's own lies
//! with its architecture; it is made of [`Bursts`] and [`ExternalBus`].

mod accuracy;
mod base;
mod bursts;
mod cache;
mod external_bus;
mod fixed_cpi;
mod purpose;

pub use accuracy::AccuracyLabel;
pub use base::BaseModel;
pub use bursts::Bursts;
pub use cache::{
    CacheCounts, CacheModel, CacheName, Caches, Geometry, GeometryError, Latencies, Replacement,
};
pub use external_bus::ExternalBus;
pub use fixed_cpi::{CpiError, FixedCpi};
pub use purpose::Purpose;
