//! Instruction sets: encodings as data, one semantic function an instruction, core state and exceptions.

pub mod arm;
mod chapters;
mod concrete;
mod cycles;
mod encoding;
pub mod powerpc;
mod semantics;

pub use chapters::{Instruction, Reading};
pub use concrete::Concrete;
pub use cycles::{AheadOfTime, CycleClass, CycleModel, LineOperation, StaticCycleModel};
pub use encoding::{Encoding, Field, Pattern};
pub use semantics::{Semantics, Values};
