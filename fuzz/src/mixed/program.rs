//! A core's program: an endless loop of steps, and routines that any core rewrites.

use super::board::{CODE_BYTES, ENGINE, Kind, SHARED, SHARED_BYTES, code_of};
use super::toy;
use crate::powerpc::code::{BL, BLR, addi, load, lwz, stw};
use crate::random::Random;

/// Routines of a core, and their instructions; a return follows.
const ROUTINES: u32 = 4;
const ROUTINE_WORDS: u32 = 6;
const ROUTINES_BYTES: u32 = ROUTINES * (ROUTINE_WORDS + 1) * 4;
const STEPS: u32 = 50;

/// An instruction that changes only registers that hold data.
fn plain(kind: Kind, random: &mut Random) -> u32 {
    match kind {
        Kind::PowerPc => {
            let [to, a, b] = [0; 3].map(|_| 6 + random.below(6));
            match random.below(4) {
                0 => addi(to, a, random.below(0x8000) as i32),
                1 => 0x7c00_0214 | to << 21 | a << 16 | b << 11,
                2 => 0x7c00_0278 | a << 21 | to << 16 | b << 11,
                _ => 0x6c00_0000 | a << 21 | to << 16 | random.below(0x1_0000),
            }
        }
        Kind::Toy { .. } => toy::plain(random),
        Kind::Arm => {
            let [to, a, b] = [0; 3].map(|_| 2 + random.below(6));
            let operation = [0x4, 0x1, 0x2, 0xc, 0xe][random.below(5) as usize] << 21;
            let word = 0xe000_0000 | operation | random.below(2) << 20 | a << 16 | to << 12;
            match random.below(3) {
                0 => word | 1 << 25 | random.below(0x1000),
                1 => word | random.below(32) << 7 | random.below(3) << 5 | b,
                _ => word & 0x0fff_ffff | random.below(15) << 28 | b,
            }
        }
    }
}

struct Code {
    kind: Kind,
    base: u32,
    words: Vec<u32>,
}

impl Code {
    /// A number in the register of addresses (0) or of values (1).
    fn load(&mut self, register: usize, value: u32) {
        match self.kind {
            Kind::PowerPc => self.words.extend(load([3, 5][register], value)),
            Kind::Toy { .. } => self.words.extend(toy::load(register as u32, value)),
            Kind::Arm => {
                let register = register as u32;
                let or = 0xe380_0000 | register << 16 | register << 12;
                let [a, b, c, d] = value.to_le_bytes().map(u32::from);
                let first = 0xe3a0_0000 | register << 12 | a;
                self.words
                    .extend([first, or | 12 << 8 | b, or | 8 << 8 | c, or | 4 << 8 | d]);
            }
        }
    }

    /// The value to the address.
    fn store_value(&mut self) {
        self.words.push(match self.kind {
            Kind::PowerPc => stw(5, 3, 0),
            Kind::Arm => 0xe580_1000,
            Kind::Toy { .. } => toy::STORE_VALUE,
        });
    }

    fn store(&mut self, address: u32, value: u32) {
        self.load(0, address);
        self.load(1, value);
        self.store_value();
    }

    /// Loads or stores data of some width in shared memory.
    fn access(&mut self, random: &mut Random) {
        let width = random.below(3);
        let offset = random.below(SHARED_BYTES) >> width << width;
        self.load(0, SHARED + offset);
        let register = 6 + random.below(2);
        let write = random.once_in(2);
        self.words.push(match self.kind {
            Kind::PowerPc => {
                let loads = [0x8800_0000, 0xa000_0000, 0x8000_0000];
                let stores = [0x9800_0000, 0xb000_0000, 0x9000_0000];
                let word = if write { stores } else { loads }[width as usize];
                word | register << 21 | 3 << 16
            }
            Kind::Toy { .. } => toy::access(width, register, write),
            Kind::Arm => {
                let stores = [0xe5c0_0000, 0xe1c0_00b0, 0xe580_0000];
                let word = stores[width as usize] | u32::from(!write) << 20;
                word | register << 12
            }
        });
    }

    /// Branches, with a link or not, to an address.
    fn branch(&mut self, to: u32, link: bool) {
        let here = self.base + 4 * self.words.len() as u32;
        self.words.push(match self.kind {
            Kind::Toy { .. } => toy::branch(to.wrapping_sub(here), link),
            Kind::PowerPc => BL & !1 | to.wrapping_sub(here) & 0x03ff_fffc | u32::from(link),
            Kind::Arm => {
                let distance = to.wrapping_sub(here + 8) >> 2 & 0xff_ffff;
                0xea00_0000 | u32::from(link) << 24 | distance
            }
        });
    }

    /// Stands still for a while.
    fn wait(&mut self, turns: u32) {
        let turns = turns as i32;
        match self.kind {
            Kind::Toy { .. } => self.words.extend(toy::wait(turns)),
            Kind::PowerPc => {
                self.words
                    .extend([addi(4, 0, turns), addi(4, 4, -1), 0x2c04_0000, 0x4082_fff8])
            }
            Kind::Arm => {
                self.words
                    .extend([0xe3a0_9000 | turns as u32 & 0xff, 0xe259_9001, 0x1aff_fffd])
            }
        }
    }

    /// Writes an instruction of another core's routine, or of an own one, as that core reads it.
    fn rewrite(&mut self, cores: &[Kind], random: &mut Random) {
        let core = random.below(cores.len() as u32) as usize;
        let word = plain(cores[core], random);
        let routine = random.below(ROUTINES) * (ROUTINE_WORDS + 1);
        let address = code_of(core) + 4 * (routine + random.below(ROUTINE_WORDS));
        let value = self.kind.word(cores[core].bytes(word));
        self.store(address, value);
    }

    /// Starts a transfer, or reads a register.
    fn use_engine(&mut self, random: &mut Random) {
        let place = |random: &mut Random| SHARED + random.below(SHARED_BYTES / 2) / 4 * 4;
        match random.below(3) {
            0 => {
                let registers = [
                    (0x04, 0b1100),
                    (0x24, place(random)),
                    (0x28, place(random)),
                    (0x18, 1 + random.below(512)),
                    (0x20, 1 + random.below(3)),
                    (0x1c, 1),
                ];
                for (offset, value) in registers {
                    self.store(ENGINE + offset, value);
                }
            }
            _ => {
                self.load(0, ENGINE + 4 * random.below(12));
                self.words.push(match self.kind {
                    Kind::PowerPc => lwz(6, 3, 0),
                    Kind::Toy { .. } => toy::access(2, 6, false),
                    Kind::Arm => 0xe590_2000,
                });
            }
        }
    }
}

/// The bytes of a core's code.
pub fn program(cores: &[Kind], core: usize, random: &mut Random) -> Vec<u8> {
    let kind = cores[core];
    let mut code = Code {
        kind,
        base: code_of(core),
        words: vec![],
    };
    for _ in 0..ROUTINES {
        for _ in 0..ROUTINE_WORDS {
            code.words.push(plain(kind, random));
        }
        code.words.push(match kind {
            Kind::PowerPc => BLR,
            Kind::Arm => 0xe1a0_f00e,
            Kind::Toy { .. } => toy::BACK,
        });
    }
    for _ in 0..10 + random.below(STEPS) {
        match random.below(16) {
            0..5 => code.words.push(plain(kind, random)),
            5..9 => code.access(random),
            9..12 => {
                let routine = random.below(ROUTINES) * (ROUTINE_WORDS + 1) * 4;
                code.branch(code_of(core) + routine, true);
            }
            12..14 => code.rewrite(cores, random),
            14 => code.use_engine(random),
            _ => code.wait(1 + random.below(40)),
        }
    }
    code.branch(entry(core), false);
    assert!(4 * code.words.len() < CODE_BYTES as usize, "it fits");
    code.words
        .iter()
        .flat_map(|&word| kind.bytes(word))
        .collect()
}

/// Where a core's program begins.
pub fn entry(core: usize) -> u32 {
    code_of(core) + ROUTINES_BYTES
}

/// The functions of a core: first address, and the one behind the last.
pub fn functions(core: usize) -> Vec<(u32, u32)> {
    let each = (ROUTINE_WORDS + 1) * 4;
    let routines = (0..ROUTINES).map(|number| code_of(core) + number * each);
    let mut all: Vec<_> = routines.map(|start| (start, start + each)).collect();
    all.push((entry(core), code_of(core) + CODE_BYTES));
    all
}
