//! From a device tree to a wired machine, and how it runs.

mod build;
mod bus;
mod error;
pub mod image;
mod log;
mod machine;
mod models;
mod observer;
mod overrides;
mod port;
mod run;
mod state;
mod stuck;
mod timing;
mod tree;
mod view;
mod wiring;
mod world;

pub use error::{LoadError, PlatformError};
pub use log::{Log, Message};
pub use machine::{DeviceEntry, Machine};
pub use observer::MachineObserver;
pub use run::{Stop, Until};
pub use world::{LockStep, QUANTUM_PS};
