//! What lies where in system control: by CRn, opcode 1, CRm and opcode 2, for each model.

use super::identity::{control_mask, feature, identification};
use super::{Operation, Register, Scope, Side};
use crate::{CoreModel, Version};
use socscope_isa::LineOperation;

/// A place, as MCR and MRC name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// CRn.
    pub n: u32,
    /// Opcode 1.
    pub opcode_1: u32,
    /// CRm.
    pub m: u32,
    /// Opcode 2.
    pub opcode_2: u32,
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// MRC.
    Read,
    /// MCR.
    Write,
}

/// What lies at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// Always the same; writes are ignored.
    Constant(u32),
    /// A register, and its bits that software writes; others stay.
    Kept(Register, u32),
    /// Something that a write does.
    Operation(Operation),
    /// The lines that ask for interrupts.
    Lines,
}

/// All bits.
const ALL: u32 = u32::MAX;
/// Bits of the base of a page table of 16 kB.
const TABLE: u32 = 0xffff_c000;
/// That the whole data cache is clean, where the flags go that MRC to r15 reads.
const CLEAN: u32 = 1 << 30;

/// What lies at a place of a model, and whether programs without privilege reach it; `None` where there is nothing.
pub fn named(model: CoreModel, place: Place, access: Access) -> Option<(Named, bool)> {
    if !model.has_system_control() || place.opcode_1 != 0 {
        return None;
    }
    let Place {
        n, m, opcode_2: o, ..
    } = place;
    let (v6, v6k) = (model.has(Version::V6), model.has(Version::V6K));
    let jazelle = model.has(Version::V5TEJ);
    let kept = |register, mask| Some(Named::Kept(register, mask));
    let found = match (n, m, o) {
        (0, 0, _) => Some(Named::Constant(identification(model, o))),
        (0, 1 | 2, _) => feature(model, m, o).map(Named::Constant),
        (1, 0, 0) => kept(Register::Control, control_mask(model)),
        (1, 0, 1) if v6 => kept(Register::AuxiliaryControl, ALL),
        // No coprocessor answers: their rights stay none.
        (1, 0, 2) if v6 => kept(Register::CoprocessorAccess, 0),
        (2, 0, 0) => kept(Register::TableBase0, if v6 { ALL } else { TABLE }),
        (2, 0, 1) if v6 => kept(Register::TableBase1, ALL),
        (2, 0, 2) if v6k => kept(Register::TableControl, 0x37),
        (2, 0, 2) if v6 => kept(Register::TableControl, 7),
        (3, 0, 0) => kept(Register::Domains, ALL),
        (5, 0, 0) => kept(Register::DataFaultStatus, if v6 { 0x1dff } else { 0xff }),
        (5, 0, 1) => kept(
            Register::InstructionFaultStatus,
            if v6 { 0x140f } else { 0xff },
        ),
        (6, 0, 0) => kept(Register::FaultAddress, ALL),
        (6, 0, 1) if v6 => kept(Register::WatchpointAddress, ALL),
        (6, 0, 2) if v6k => kept(Register::InstructionFaultAddress, ALL),
        (7, ..) => maintenance(model, (m, o), access),
        (8, ..) => forget(model, (m, o)).map(Named::Operation),
        (9, 0, 0) => kept(Register::DataCacheLockdown, ALL),
        (9, 0, 1) => kept(Register::InstructionCacheLockdown, ALL),
        // Regions and choice of tightly coupled memory, of which there is none.
        (9, 1, 0 | 1) if jazelle => Some(Named::Constant(0)),
        (9, 2, 0) if v6 => Some(Named::Constant(0)),
        (9, 8, 0) if v6k => kept(Register::CacheOverride, 0x3f),
        (10, 0, 0) => kept(Register::TlbLockdown, ALL),
        (10, 0, 1) if !jazelle => kept(Register::InstructionTlbLockdown, ALL),
        (10, 2, 0) if v6k => kept(Register::PrimaryRemap, ALL),
        (10, 2, 1) if v6k => kept(Register::NormalRemap, ALL),
        (12, 0, 0) if v6k => kept(Register::VectorBase, 0xffff_ffe0),
        (12, 1, 0) if v6k => Some(Named::Lines),
        (13, 0, 0) => kept(Register::Process, 0xfe00_0000),
        (13, 0, 1) if v6 => kept(Register::Context, ALL),
        (13, 0, 2) if v6k => kept(Register::ThreadWritten, ALL),
        (13, 0, 3) if v6k => kept(Register::ThreadRead, ALL),
        (13, 0, 4) if v6k => kept(Register::ThreadOfKernel, ALL),
        _ => None,
    }?;
    let reads = access == Access::Read;
    let possible = match found {
        Named::Operation(_) => !reads,
        Named::Lines => reads,
        Named::Constant(_) if n == 7 => reads,
        Named::Constant(_) | Named::Kept(..) => true,
    };
    let for_programs = v6
        && match (n, m, o) {
            (7, 5, 4) | (7, 10, 4 | 5) | (13, 0, 2) => true,
            (13, 0, 3) => reads,
            _ => false,
        };
    possible.then_some((found, for_programs))
}

/// c7: caches, write buffer, waiting.
fn maintenance(model: CoreModel, (m, o): (u32, u32), access: Access) -> Option<Named> {
    use LineOperation::{Clean, Discard, DiscardInstructions, Flush};
    let (v6, jazelle) = (model.has(Version::V6), model.has(Version::V5TEJ));
    let cleans = jazelle && !v6;
    let line = |operation| Some(Operation::Line(operation));
    let operation = match (m, o) {
        (0, 4) => Some(Operation::WaitForInterrupt),
        (5, 0) | (6, 0) | (7, 0) | (10, 4) => Some(Operation::Nothing),
        (5, 1) => line(DiscardInstructions),
        (6, 1) => line(Discard),
        (10, 1) => line(Clean),
        (14, 1) => line(Flush),
        // By index or set and way; prefetches.
        (10, 2) | (14, 2) | (13, 1) => Some(Operation::Nothing),
        (5 | 6, 2) if jazelle => Some(Operation::Nothing),
        // Barriers and predictions; whole caches.
        (5, 4 | 6 | 7) | (10, 0 | 5) | (14, 0) if v6 => Some(Operation::Nothing),
        // Unified caches, which none of them has, in the forms that clean and drop lines.
        (7 | 11 | 15, 0..=2) if v6 => Some(Operation::Nothing),
        (10 | 14, 3) if cleans => return Some(Named::Constant(CLEAN)),
        (10, 6) if v6 && access == Access::Read => return Some(Named::Constant(0)),
        _ => None,
    };
    operation.map(Named::Operation)
}

/// c8: the translation buffers.
fn forget(model: CoreModel, (m, o): (u32, u32)) -> Option<Operation> {
    let side = match m {
        5 => Side::Instructions,
        6 => Side::Data,
        7 => Side::Both,
        _ => return None,
    };
    let scope = match o {
        0 => Scope::All,
        1 if m != 7 || model.has(Version::V5TEJ) => Scope::Address,
        2 if model.has(Version::V6) => Scope::Space,
        3 if model.has(Version::V6K) => Scope::AddressInAll,
        _ => return None,
    };
    Some(Operation::Forget(side, scope))
}
