//! What depends on the state that an instruction meets, and is not compared.

use socscope_arm as arm;
use socscope_arm::{Core, InstructionSet, Mode};
use socscope_core::Observer;
use socscope_memory::Width;

/// Notices what unicorn does differently.
#[derive(Default)]
pub struct Watch {
    pub unaligned: bool,
}

impl Observer for Watch {
    fn unaligned(&mut self, _pc: u32, _address: u32, _width: Width) {
        self.unaligned = true;
    }
}

impl Watch {
    /// Whether an MSR writes a mode that does not exist, or bits that the core does not have; or BX goes to half a word.
    pub fn strange_status(&self, before: &Core, after: &Core, word: u32) -> bool {
        let set = before.instruction_set();
        let encoding = arm::encoding(before.model(), set, word);
        match encoding.name {
            "MSR register" => strange(before, before.register(word & 15), word),
            "MSR immediate" => strange(
                before,
                (word & 0xff).rotate_right(2 * (word >> 8 & 15)),
                word,
            ),
            "BX" | "BXJ" | "BLX register" => {
                let index = encoding.pattern.field("m").get(word);
                let target = if index == 15 {
                    before.program_counter().wrapping_add(4)
                } else {
                    before.register(index)
                };
                after.instruction_set() == InstructionSet::Arm && target & 2 != 0
            }
            _ => false,
        }
    }
}

/// J, which unicorn's cores have more of, and E, with which unicorn goes on.
const UNLIKE: u32 = 1 << 24 | 1 << 9;

fn strange(core: &Core, value: u32, word: u32) -> bool {
    let fields = word >> 16 & 15;
    let reserved = (0..4)
        .filter(|byte| fields >> byte & 1 != 0)
        .fold(0, |mask, byte| mask | 0xff << (8 * byte))
        & !(core.model().status_mask() & !UNLIKE);
    value & reserved != 0
        || fields & 1 != 0
            && (Mode::from_bits(value).is_none() || word >> 22 & 1 == 0 && value & 0x20 != 0)
}
