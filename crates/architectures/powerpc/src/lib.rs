//! The classic 32-bit PowerPC, as the 603, 750, 7400 and e600 families do it. Files follow the chapters of the Programming Environments
//! Manual for 32-bit implementations. Bits are numbered as everywhere in this project, 0 the least significant, but where a name of
//! the manual counts from the other end: condition bits, masks.

/// Lists the encodings of a chapter.
macro_rules! encodings {
    ($($all:tt)*) => { socscope_isa::chapter! { [$crate::PowerPcSemantics] [$crate::Class] $($all)* } };
}

mod branch;
mod cache;
mod class;
mod condition;
mod core;
mod exception;
mod facts;
pub mod float;
pub mod footprint;
mod images;
mod integer;
pub mod interpreter;
mod linux;
mod load_store;
mod machine_core;
mod mmu;
mod model;
mod msr;
mod page_tables;
mod registers;
mod semantics;
mod special;
mod system;
mod table;
mod time;
mod tlb;
pub mod vector;

pub use self::core::{Core, RESERVATION_BYTES, Xer};
pub use cache::{Barrier, CacheOperation};
pub use class::Class;
pub use exception::{Exception, HIGH_VECTORS, ProgramCause, alignment_status};
pub use facts::STACK;
pub use images::FACTS;
pub use machine_core::Processor;
pub use mmu::{Attributes, Mmu, Translate, TranslationFault, Untranslated};
pub use model::CoreModel;
pub use msr::Msr;
pub use semantics::PowerPcSemantics;
pub use special::{
    Privilege, SPECIAL_REGISTERS, SRR0, SRR1, SpecialRegister, special_register,
    special_translation_bits,
};
pub use table::{decode, encoding, encodings, instruction};
pub use tlb::TlbOperation;
