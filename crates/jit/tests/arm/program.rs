//! Random instructions and registers.

use super::plain_bus::DEVICE;
use super::random::Random;
use socscope_arm::{
    Core, CoreModel, InstructionSet, Mode, Status, Version, control, decode, encodings,
};
use socscope_memory::Width;

/// Where random ARM code begins, random Thumb code, and where that ends: behind the end of a page.
pub const ARM: u32 = 0x40;
pub const THUMB: u32 = 0xa00;
const END: u32 = 0x1400;
/// Data around which most addresses lie.
const DATA: u32 = 0x2000;

/// A word of an encoding that the model has; distances are mostly short, conditions mostly hold.
pub fn instruction(random: &mut Random, model: CoreModel, set: InstructionSet) -> u32 {
    loop {
        let all = encodings(model, set);
        let place = random.below(all.len() as u32) as usize;
        let mut word = all[place].pattern.instance(random.word());
        if set == InstructionSet::Arm {
            if all[place].pattern.mask >> 28 == 0 && !random.one_in(4) {
                word = word & 0x0fff_ffff | 0xe000_0000;
            }
            if word >> 25 & 7 == 5 {
                let distance = random.below(0x60).wrapping_sub(0x40);
                word = word & 0xff00_0000 | distance & 0x00ff_ffff;
            }
        }
        // Most programs end where a wild jump or a trap has led them.
        let leaves = footprint_leaves(model, set, word);
        if decode(model, set, word) == place && (!leaves || random.one_in(4)) {
            return word;
        }
    }
}

fn footprint_leaves(model: CoreModel, set: InstructionSet, word: u32) -> bool {
    let found = socscope_arm::footprint(model, set, ARM, word);
    !matches!(
        found.leave,
        None | Some(socscope_arm::Leave::Branch(socscope_arm::Value::Constant(
            _
        )))
    )
}

/// Vectors that lead into the code, and the code.
pub fn memory(
    random: &mut Random,
    bytes: usize,
    mut instruction: impl FnMut(&mut Random, InstructionSet) -> u32,
) -> Vec<u8> {
    let mut ram: Vec<u8> = (0..bytes).map(|_| random.word() as u8).collect();
    let mut put = |at: u32, width: Width, word: u32| {
        let bytes = width.bytes() as usize;
        ram[at as usize..at as usize + bytes].copy_from_slice(&word.to_le_bytes()[..bytes]);
    };
    for vector in (0..ARM).step_by(4) {
        let target = ARM + 4 * random.below(0x200);
        put(
            vector,
            Width::Word,
            0xea00_0000 | (target - vector - 8) >> 2,
        );
    }
    for at in (ARM..THUMB).step_by(4) {
        put(at, Width::Word, instruction(random, InstructionSet::Arm));
    }
    for at in (THUMB..END).step_by(2) {
        put(at, Width::Half, instruction(random, InstructionSet::Thumb));
    }
    ram
}

/// A register's value: an address of data, of code, of the device, or any word.
pub fn value(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => DEVICE + random.below(0x100),
        1 => ARM + 4 * random.below(0x240),
        2 => THUMB + 2 * random.below(0x400) + 1,
        3..6 => DATA + 4 * random.below(0x200),
        6 => random.below(64),
        _ => random.word(),
    }
}

/// A core in some mode, with registers of [`value`]'s or another choice.
pub fn core(random: &mut Random, model: CoreModel, value: fn(&mut Random) -> u32) -> Core {
    let mut core = Core::new(model);
    for mode in Mode::ALL {
        for index in 0..15 {
            core.set_register_of(mode, index, value(random));
        }
        let bits = random.word() & 0xf90f_01e0 | Mode::ALL[random.below(7) as usize] as u32;
        core.set_saved_status_of(mode, Status::RESET.with_bits_of(model, bits));
    }
    let modes = [Mode::Supervisor, Mode::System, Mode::User, Mode::Interrupt];
    let bits = random.word() & 0xf80f_01c0 | random.pick(&modes) as u32;
    let thumb = random.one_in(2);
    core.set_status(Status {
        instruction_set: InstructionSet::ALL[usize::from(thumb)],
        ..Status::RESET.with_bits_of(model, bits)
    });
    core.set_program_counter(if thumb { THUMB } else { ARM } + 4 * random.below(0x100));
    let control = &mut core.control;
    if model.has(Version::V6) {
        control.set_control(control::UNALIGNED, random.one_in(2));
        control.set_control(control::BIG_ENDIAN_EXCEPTIONS, random.one_in(8));
    }
    let checked = model.has_system_control() && random.one_in(4);
    control.set_control(control::ALIGNMENT, checked);
    core
}
