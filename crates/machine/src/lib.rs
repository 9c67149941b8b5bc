//! From a device tree to a wired machine, and how it runs.

mod build;
mod bus;
mod effects;
mod engine;
mod error;
mod exception_trail;
pub mod image;
mod inspect;
mod interrupts;
mod load;
mod log;
mod machine;
mod models;
mod observer;
mod overrides;
mod placement;
mod port;
mod run;
mod serial;
mod state;
mod stuck;
mod timing;
mod tree;
mod view;
mod wiring;
mod world;

pub use engine::Engine;
pub use error::{LoadError, PlatformError};
pub use inspect::DeviceEntry;
pub use log::{Log, Message};
pub use machine::Machine;
pub use observer::MachineObserver;
pub use run::{Stop, Until};
pub use world::{LockStep, QUANTUM_PS};
