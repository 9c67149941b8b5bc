//! What instructions of any architecture are made of: encodings as data, the words of semantic functions, what a timing model is told.

mod chapters;
mod concrete;
mod cycles;
mod decoder;
mod encoding;
mod footprint;
mod lookups;
mod operands;
mod plain;
mod semantics;

pub use chapters::{Instruction, Reading};
pub use concrete::Concrete;
pub use cycles::{AheadOfTime, CycleClass, CycleModel, LineOperation, StaticCycleModel};
pub use decoder::Decoder;
pub use encoding::{Encoding, Field, Pattern};
pub use footprint::{Footprint, FootprintReading, Footprinted, Known, Leave, MemoryAccess, Slots};
pub use lookups::{HeldLine, LinePlaces, LineTable, Lookup, Lookups, NO_LINE, Order};
pub use operands::{Operands, RegisterSet, Sort};
pub use plain::PlainSemantics;
pub use semantics::{Semantics, Values};
