//! Random programs of kernels and users with page tables by both engines: tables change under the translation buffers, spaces, domains and processes
//! are switched, places of system control are read and written.

mod arm;

use arm::counted::Counted;
use arm::plain_bus::DEVICE;
use arm::random::Random;
use arm::{Disturbance, Kind, compare, program};
use socscope_arm::{Core, CoreModel, InstructionSet, Register, Version, control};
use socscope_core::Unobserved;

/// Code and data, then the tables, of the first level only what describes 256 MB.
const RAM_BYTES: usize = 0x7000;
const TABLE: u32 = 0x4000;
const SECOND_LEVEL: [u32; 3] = [0x4400, 0x4800, 0x4c00];
/// Aliases of pages of code and data begin here, in each section.
const ALIASES: u32 = 0x1_0000;
const SECTIONS: u32 = 256;

/// Returns from exceptions, loads and stores with the rights of programs, software interrupts.
const KERNEL: [u32; 6] = [
    0xe1b0_f00e,
    0xe25e_f004,
    0xe25e_f008,
    0xe4b1_0004,
    0xe4a1_0004,
    0xef00_0001,
];

/// CRn, CRm and opcode 2 of what programs of kernels write most.
const PLACES: [(u32, u32, u32); 16] = [
    (1, 0, 0),
    (2, 0, 0),
    (3, 0, 0),
    (3, 0, 0),
    (13, 0, 0),
    (13, 0, 1),
    (13, 0, 1),
    (13, 0, 3),
    (8, 7, 0),
    (8, 7, 1),
    (8, 5, 0),
    (8, 5, 1),
    (8, 6, 1),
    (8, 7, 2),
    (7, 10, 1),
    (7, 5, 1),
];

fn instruction(random: &mut Random, model: CoreModel, set: InstructionSet) -> u32 {
    if set == InstructionSet::Thumb || !random.one_in(5) {
        return program::instruction(random, model, set);
    }
    if random.one_in(2) {
        return random.pick(&KERNEL);
    }
    let (n, m, opcode_2) = match random.one_in(3) {
        true => (random.below(16), random.below(16), random.below(8)),
        false => random.pick(&PLACES),
    };
    // Control is mostly read: the other bits of a random word end the translation of addresses.
    let read = if n == 1 {
        !random.one_in(12)
    } else {
        random.one_in(4)
    };
    let register = random.below(15);
    0xee00_0f10 | u32::from(read) << 20 | n << 16 | register << 12 | opcode_2 << 5 | m
}

/// A page of the first four, or the device, with some rights.
fn page(random: &mut Random) -> u32 {
    let target = match random.below(8) {
        0 => DEVICE,
        _ => random.below(4) << 12,
    };
    let rights = random.pick(&[
        0xff0, 0xff0, 0x550, 0xaa0, 0x030, 0x230, 0x1b0, 0x830, 0x000,
    ]);
    target | rights | random.pick(&[2, 2, 2, 2, 3, 1, 0])
}

fn memory(random: &mut Random, model: CoreModel) -> Vec<u8> {
    let mut ram = program::memory(random, RAM_BYTES, |random, set| {
        instruction(random, model, set)
    });
    let mut put = |at: u32, word: u32| {
        ram[at as usize..at as usize + 4].copy_from_slice(&word.to_le_bytes());
    };
    for table in SECOND_LEVEL {
        for place in 0..256 {
            let at = table + 4 * place;
            match place {
                // Code where it lies, for all; tables and ROM for kernels; the device.
                0..4 => put(at, place << 12 | 0xff2),
                4..8 => put(at, place << 12 | 0x552),
                8 => put(at, DEVICE | 0xff2),
                _ if place < 0x40 => put(at, page(random)),
                _ => put(at, 0),
            }
        }
    }
    for section in 0..SECTIONS {
        let at = TABLE + 4 * section;
        let domain = random.below(3) << 5;
        let table = random.pick(&SECOND_LEVEL);
        match (section, random.below(8)) {
            (0, _) => put(at, SECOND_LEVEL[0] | 0x11),
            (1, 0..6) => put(at, random.pick(&[0xc12, 0x412, 0x812]) | domain),
            (_, 0) => put(at, 0),
            _ => put(at, table | domain | 0x11),
        }
    }
    ram
}

/// A register's value: an address under some process, of a table, a descriptor, rights of domains, a process.
fn value(random: &mut Random) -> u32 {
    let process = random.below(4) << 25;
    match random.below(12) {
        0 | 1 => process | (ALIASES + 4 * random.below(0xc000)),
        2 => random.pick(&SECOND_LEVEL) + 4 * random.below(0x40),
        3 => TABLE,
        4 => page(random),
        5 => random.pick(&[0x5, 0x15, 0x1d, 0x55, 0x1, 0x3, 0x3d]),
        6 => process,
        7 => random.below(4),
        8 => 0x10_0000 + 4 * random.below(0x1000),
        _ => program::value(random),
    }
}

fn core(random: &mut Random, model: CoreModel) -> Core {
    let mut core = program::core(random, model, value);
    settle(random, model)(&mut core);
    core
}

/// System control as a kernel leaves it.
fn settle(random: &mut Random, model: CoreModel) -> Disturbance {
    let mut bits = control::MMU;
    for (bit, one_in) in [
        (control::SYSTEM, 4),
        (control::ROM, 4),
        (control::ALIGNMENT, 8),
    ] {
        bits |= if random.one_in(one_in) { bit } else { 0 };
    }
    if model.has(Version::V6) {
        bits |= if random.one_in(2) {
            control::EXTENDED_PAGES
        } else {
            0
        };
        bits |= if random.one_in(2) {
            control::UNALIGNED
        } else {
            0
        };
    }
    let domains = random.pick(&[0x15, 0x15, 0x1d, 0x5, 0x3]);
    let process = if random.one_in(3) {
        random.below(4) << 25
    } else {
        0
    };
    let space = random.below(3);
    Box::new(move |core| {
        core.set_system_control(Register::Control, bits | 0x0005_0078);
        core.set_system_control(Register::TableBase0, TABLE);
        core.set_system_control(Register::TableControl, 0);
        core.set_system_control(Register::Domains, domains);
        core.set_system_control(Register::Process, process);
        if model.has(Version::V6) {
            core.set_system_control(Register::Context, space);
        }
    })
}

const KIND: Kind = Kind {
    memory,
    core,
    disturb: |random, model| match random.one_in(3) {
        true => settle(random, model),
        false => Box::new(|_| ()),
    },
};

fn all(probe: impl Fn((CoreModel, u64)) -> (u64, u64)) {
    for model in CoreModel::ALL
        .into_iter()
        .filter(|model| model.has_system_control())
    {
        let mut sums = (0, 0);
        for seed in 1..40 {
            let (cycles, interpreted) = probe((model, seed));
            sums = (sums.0 + cycles, sums.1 + interpreted);
        }
        let (cycles, interpreted) = sums;
        println!("{model:?}: {interpreted} interpreted in {cycles} cycles");
        assert!(cycles > 200_000, "{cycles}");
        assert!(interpreted < cycles / 2, "{interpreted} of {cycles}");
    }
}

#[test]
fn both_engines_do_the_same_under_translation() {
    all(|seed| compare(&KIND, seed, || Unobserved, |_| ()));
}

#[test]
fn both_engines_count_the_same_under_translation() {
    all(|seed| compare(&KIND, seed, Counted::new, Counted::all));
}
