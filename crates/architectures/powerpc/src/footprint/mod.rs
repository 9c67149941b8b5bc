//! A reading of instructions that executes nothing: which registers, condition bits and memory an instruction may touch.

mod units;

use super::{CoreModel, Exception, instruction};
use socscope_isa::{Footprint, FootprintReading, Footprinted, Known, Leave};

/// Where values are, as the slots of a footprint.
pub mod slot {
    /// The first of the general-purpose registers.
    pub const GENERAL: u32 = 0;
    /// The first of the floating-point registers.
    pub const FLOAT: u32 = 32;
    /// The first of the vector registers.
    pub const VECTOR: u32 = 64;
    /// The first bit of the condition register, LT of field 0.
    pub const CONDITION: u32 = 96;
    /// LR.
    pub const LINK: u32 = 128;
    /// CTR.
    pub const COUNT: u32 = 129;
    /// SO of XER.
    pub const SUMMARY_OVERFLOW: u32 = 130;
    /// OV of XER.
    pub const OVERFLOW: u32 = 131;
    /// CA of XER.
    pub const CARRY: u32 = 132;
    /// The byte count of XER.
    pub const STRING_BYTES: u32 = 133;
    /// FPSCR.
    pub const FLOAT_STATUS: u32 = 134;
    /// VSCR.
    pub const VECTOR_STATUS: u32 = 135;
    /// MSR.
    pub const MACHINE_STATE: u32 = 136;
    /// The reservation.
    pub const RESERVATION: u32 = 137;
    /// All else: special and segment registers, translation buffers, time.
    pub const SYSTEM: u32 = 138;
}

impl Footprinted for CoreModel {
    type Exception = Exception;

    fn enter(reading: &mut FootprintReading<CoreModel>) {
        reading.read(slot::MACHINE_STATE);
        reading.writes(slot::MACHINE_STATE);
        reading.writes(slot::SYSTEM);
    }
}

/// What `word` at `address` may touch on a core.
pub fn footprint(model: CoreModel, address: u32, word: u32) -> Footprint {
    let mut reading = FootprintReading::new(model, address);
    (instruction::<FootprintReading<CoreModel>>(word).read)(&mut reading, word);
    reading.found
}

/// Whether an instruction leaves a way back to the next one behind.
pub fn leaves_a_way_back(found: &Footprint, address: u32) -> bool {
    matches!(found.leave, Some(Leave::Branch(_))) && found.sets(slot::LINK, address.wrapping_add(4))
}

/// Whether a branch goes where the link register says, as returns of functions do.
pub fn goes_to_link(found: &Footprint) -> bool {
    let link = socscope_isa::Slots::one(slot::LINK);
    matches!(found.leave, Some(Leave::Branch(Known::Mixed(slots))) if slots == link)
}
