//! What a device model is: its register table, its effects, its lines, DMA and link ports.

mod context;
mod description;
mod model;
mod properties;
pub mod waveform;

pub use context::{Context, DeviceEvent, Effect, LogLevel, TraceEvent};
pub use description::{Declared, Description, Field, FieldAccess, Permission, Register};
pub use model::{Build, Device, Model, RestoreError};
pub use properties::{BuildError, Properties};
pub use waveform::{LineFormat, Parity, Waveform};
