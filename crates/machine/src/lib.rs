//! From a device tree to a wired machine, and how it runs.

mod boot;
mod inputs;
mod inspect;
mod machine;
mod peek;
mod platform;
mod running;
mod state;
mod system;

pub use boot::image;
pub use boot::linked::{Moved, Moves};
pub use boot::{BootError, Handover};
pub use inputs::chronicle::Chronicle;
pub use inputs::input::{Input, InputError};
pub use inputs::input_log::{InputLog, Moment, Recorded};
pub use inputs::replay::{Replay, ReplayError};
pub use inspect::DeviceEntry;
pub use machine::Machine;
pub use platform::attach::{AttachError, Attachment, LineEnd};
pub use platform::error::{LoadError, PlatformError};
pub use platform::nodes::{NODE_MODELS, NodeModel};
pub use running::core_cycles::CoreCycles;
pub use running::core_signals::CoreSignal;
pub use running::engine::Engine;
pub use running::execute::Execution;
pub use running::observer::{MARKS_KEPT, MachineObserver, Mark, Marks};
pub use running::run::{CoresAt, Stop, Until, is_for};
pub use socscope_architectures::{AnyCore, registered};
pub use socscope_timing::{CacheCounts, CacheName};
pub use state::snapshot::{RestoreError, Snapshot};
pub use system::failure::Failure;
pub use system::log::{Log, Message};
pub use system::world::{LockStep, QUANTUM_PS};
