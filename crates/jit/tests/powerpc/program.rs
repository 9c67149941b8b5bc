//! Random programs: every encoding, loops, calls, tables of pages, and handlers that go on behind what went wrong.

use super::bus::{DEVICE_BASE, DEVICE_BYTES};
use super::random::Random;
use socscope_isa::Encoding;
use socscope_powerpc::{Class, Core, CoreModel, Msr, encodings};

const RAM_BYTES: u32 = 0x4_0000;
/// Where programs begin, and how long they are.
pub const CODE: u32 = 0x8000;
pub const WORDS: u32 = 0x1000;
/// Data begin there, so that most accesses lie in memory.
const DATA: u32 = 0x2_0000;
/// The page table: 64 KB.
const TABLE: u32 = 0x3_0000;
const SDR1: u32 = 25;
const HID0: u32 = 1008;
const HID2: u32 = 1011;
/// SWT_EN of the 755's HID2.
const SOFTWARE_SEARCH: u32 = 0x0008_0000;

/// mfspr r31, SRR0; addi r31, r31, 4; mtspr SRR0, r31; rfi.
const SKIP: [u32; 4] = [0x7ffa_02a6, 0x3bff_0004, 0x7ffa_03a6, 0x4c00_0064];
const RETURN: u32 = 0x4c00_0064;
const VECTORS: [u32; 14] = [
    0x100, 0x200, 0x300, 0x400, 0x600, 0x700, 0x800, 0xd00, 0xf20, 0x1000, 0x1100, 0x1200, 0x1300,
    0x1600,
];

/// Names of instructions that programs are mostly made of.
const USUAL: &[&str] = &[
    "addi", "addis", "addic", "addic.", "subfic", "mulli", "add", "subf", "addc", "subfc", "adde",
    "subfe", "addme", "addze", "subfze", "neg", "mullw", "mulhw", "mulhwu", "divw", "divwu",
    "cmpi", "cmpli", "cmp", "cmpl", "andi.", "andis.", "ori", "oris", "xori", "and", "or", "xor",
    "nor", "andc", "extsb", "extsh", "cntlzw", "rlwinm", "rlwimi", "rlwnm", "slw", "srw", "sraw",
    "srawi", "lwz", "lwzu", "lwzx", "lbz", "lbzu", "lbzx", "lhz", "lha", "lhau", "lhax", "stw",
    "stwu", "stwx", "stb", "stbu", "sth", "sthx", "lwbrx", "stwbrx", "lmw", "stmw", "crand",
    "cror", "crxor", "creqv", "crandc", "mcrf", "mfcr", "mtcrf", "mtspr", "mfspr", "mfmsr", "sync",
    "isync", "dcbt", "dcbz", "lwarx", "stwcx.", "lfs", "lfd", "stfs", "stfd", "fadd", "fmul",
    "fsub", "fmadd", "fmadds", "fadds", "fmuls", "fdiv", "fmr", "fneg", "fabs", "fcmpu", "fctiwz",
    "frsp", "mtmsr", "mfmsr", "icbi", "dcbst", "dcbf", "fsel", "mffs", "lfdx", "stfdx", "lfsu",
    "stfdu", "tw", "lswi", "stswi", "mcrxr",
];

/// What a program is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Usual,
    Vectors,
    System,
}

/// Names of instructions that are frequent in a program about the system.
const SYSTEM: &[&str] = &[
    "sc", "mtspr", "mfspr", "sc", "mtspr", "mtmsr", "mtmsr", "xori", "mtsr", "mtsrin", "tlbie",
];
/// Segment 1, in which a base register of these programs may lie, and registers whose values make it one like segment 0, or another one.
const SEGMENT_1: u32 = 0x1000_0000;
const SEGMENT_VALUES: [(u32, u32); 2] = [(29, 7), (28, 0x6000_0008)];

pub struct Program {
    pub ram: Vec<u8>,
    pub core: Core,
}

fn put(ram: &mut [u8], address: u32, word: u32) {
    let address = address as usize;
    ram[address..address + 4].copy_from_slice(&word.to_be_bytes());
}

impl Program {
    pub fn new(seed: u64) -> Program {
        let random = &mut Random::new(seed);
        let mut ram = vec![0; RAM_BYTES as usize];
        for chunk in ram[DATA as usize..TABLE as usize].chunks_exact_mut(4) {
            let word = random.word();
            let word = if random.one_in(4) { word } else { word >> 16 };
            chunk.copy_from_slice(&word.to_be_bytes());
        }
        for vector in VECTORS {
            for (place, word) in SKIP.into_iter().enumerate() {
                put(&mut ram, vector + 4 * place as u32, word);
            }
        }
        for vector in [0x500, 0x900, 0xc00] {
            put(&mut ram, vector, RETURN);
        }
        let kinds = [
            Kind::Usual,
            Kind::Usual,
            Kind::Usual,
            Kind::Vectors,
            Kind::System,
        ];
        let kind = random.pick(&kinds);
        let names = choice(random, kind);
        for place in 0..WORDS {
            let word = instruction(random, &names, place);
            put(&mut ram, CODE + 4 * place, word);
        }
        let mut core = core(random, kind);
        if random.one_in(2) {
            translation(random, &mut ram, &mut core);
            // What mtmsr takes first is the state that the program begins in, but for one bit.
            core.set_register(30, core.msr().0 ^ Msr::EXTERNAL_ENABLE);
        }
        Program { ram, core }
    }
}

/// The encodings that a program uses: a few, so that states meet.
fn choice(random: &mut Random, kind: Kind) -> Vec<usize> {
    let count = 4 + random.below(40);
    let all = encodings();
    let vectors: Vec<usize> = (0..all.len())
        .filter(|&place| is_of_vectors(&all[place]))
        .collect();
    (0..count)
        .map(|_| {
            if kind == Kind::Vectors && !random.one_in(4) {
                random.pick(&vectors)
            } else if random.one_in(12) {
                1 + random.below(all.len() as u32 - 1) as usize
            } else if kind == Kind::System && random.one_in(2) {
                named(random.pick(SYSTEM))
            } else {
                named(random.pick(USUAL))
            }
        })
        .collect()
}

fn named(name: &str) -> usize {
    let found = encodings()
        .iter()
        .position(|encoding| encoding.name == name);
    found.unwrap_or_else(|| panic!("no instruction {name}"))
}

fn is_of_vectors(encoding: &Encoding<Class>) -> bool {
    let accesses = ["lv", "stv"];
    encoding.class == Class::Vector || accesses.iter().any(|name| encoding.name.starts_with(name))
}

fn instruction(random: &mut Random, names: &[usize], place: u32) -> u32 {
    if random.one_in(6) {
        return branch(random, place);
    }
    let encoding = &encodings()[random.pick(names)];
    let mut word = encoding.pattern.instance(random.word());
    let text = encoding.pattern.text();
    // Bases are r1 to r3, which other instructions seldom write; offsets are small.
    if text.contains("iiiiiiiiiiiiiiii") && random.one_in(2) {
        word &= !0xff00;
    }
    if matches!(word >> 26, 31..=55) && !random.one_in(8) {
        let base = 1 + random.below(3);
        word = word & !(31 << 16) | base << 16;
        if word >> 26 == 31 && !random.one_in(4) {
            word = word & !(31 << 11) | (4 + random.below(2)) << 11;
        }
        if matches!(word >> 26, 32..=55) {
            word &= !0x8000;
        }
    }
    let target = word >> 21 & 31;
    if (1..6).contains(&target) && !random.one_in(16) && word >> 26 != 19 && word >> 26 != 11 {
        word |= 1 << 25;
    }
    match encoding.name {
        "mtmsr" => 0x7fc0_0124,
        "mfmsr" => 0x7fc0_00a6,
        // External interrupts, translation of data, floating point.
        "xori" if random.one_in(2) => {
            let bits = random.pick(&[0x8002, 0x8002, 0x0010, 0x2000, 0x3912]);
            0x6bde_0000 | bits
        }
        "mtsr" | "mtsrin" | "tlbie" if !random.one_in(8) => {
            let (from, _) = random.pick(&SEGMENT_VALUES);
            let segment = u32::from(!random.one_in(8));
            match encoding.name {
                "mtsr" => 0x7c00_01a4 | from << 21 | segment << 16,
                "mtsrin" => 0x7c00_01e4 | from << 21 | random.pick(&[2, 3, 3]) << 11,
                _ => 0x7c00_0264 | random.pick(&[2, 3]) << 11,
            }
        }
        "mtspr" | "mfspr" => {
            let number = random.pick(&[
                1u32, 8, 9, 9, 8, 26, 27, 272, 273, 273, 22, 268, 269, 287, 1023, 937,
            ]);
            word & !0x001f_f800 | (number & 31) << 16 | (number >> 5) << 11
        }
        _ => word,
    }
}

/// A branch to somewhere near, or to where the link or count register leads.
fn branch(random: &mut Random, place: u32) -> u32 {
    let distance = if random.one_in(8) { 1024 } else { 16 };
    let to = place + random.below(2 * distance);
    let to = to.saturating_sub(distance).min(WORDS - 1);
    let offset = 4u32.wrapping_mul(to.wrapping_sub(place));
    let link = u32::from(random.one_in(4));
    let conditional = random.pick(&[0x0c, 0x04, 0x10, 0x12, 0x0c, 0x04, 0x00, 0x0a, 0x14]) << 21
        | random.below(32) << 16;
    match random.below(10) {
        0 => 18 << 26 | offset & 0x03ff_fffc | link,
        1 => 19 << 26 | conditional | 16 << 1 | link,
        2 => 19 << 26 | conditional | 528 << 1 | link,
        _ => 16 << 26 | conditional | offset & 0xfffc | link,
    }
}

fn core(random: &mut Random, kind: Kind) -> Core {
    let with_vectors = [CoreModel::E600, CoreModel::Ppc7400];
    let model = match kind {
        Kind::Vectors => random.pick(&with_vectors),
        _ => random.pick(&[
            CoreModel::E600,
            CoreModel::Ppc750,
            CoreModel::Ppc755,
            CoreModel::Ppc7400,
        ]),
    };
    let mut core = Core::new(model);
    for register in 0..32 {
        let word = random.word();
        let value = match random.below(4) {
            0 => word >> 24,
            1 => CODE + (word & 0x3ffc),
            _ => word,
        };
        core.set_register(register, value);
    }
    for base in 1..6 {
        let address = DATA + (random.word() & 0x7fff);
        core.set_register(
            base,
            if base < 4 {
                address
            } else {
                random.word() & 0xff
            },
        );
        if random.one_in(2) {
            core.set_register(base, core.register(base) & !3);
        }
    }
    for value in &mut core.float {
        let bits = u64::from(random.word()) << 32 | u64::from(random.word());
        *value = match random.below(3) {
            0 => bits,
            1 => f64::from(random.word() as i32).to_bits(),
            _ => f64::from(f32::from_bits(random.word() & 0x7fff_ffff)).to_bits(),
        };
    }
    for value in &mut core.vector {
        *value = (0..4).fold(0, |all, _| all << 32 | u128::from(random.word()));
        if random.one_in(4) {
            *value &= 0x00ff_0003_8000_001f_0001_ffff_7fff_0000;
        }
    }
    if random.one_in(2) {
        for base in 2..4 {
            core.set_register(base, DEVICE_BASE + (random.word() & 0x3ffc));
        }
    }
    if kind == Kind::System {
        for (register, value) in SEGMENT_VALUES {
            core.set_register(register, value);
        }
        if random.one_in(2) {
            core.set_register(3, SEGMENT_1 | core.register(3));
        }
    }
    core.condition = random.word();
    core.link = CODE + (random.word() & 0x3ffc);
    core.count = random.word() & 0xff;
    core.set_special_at(1, random.word() & 0x6000_007f, 0);
    let optional = [
        Msr::FLOAT,
        Msr::FLOAT,
        Msr::EXTERNAL_ENABLE,
        Msr::VECTORS,
        Msr::PROBLEM,
    ];
    let mut msr = Msr::MACHINE_CHECK_ENABLE;
    for bit in optional {
        if random.one_in(2) {
            msr |= bit;
        }
    }
    match kind {
        Kind::Vectors if !random.one_in(8) => msr |= Msr::VECTORS,
        Kind::System => msr &= !Msr::PROBLEM,
        _ => {}
    }
    core.set_msr(Msr(msr));
    core.set_register(30, msr ^ Msr::EXTERNAL_ENABLE);
    core.set_time_base_frequency(1, 3);
    let enabled = if model == CoreModel::E600 {
        0x0400_0000
    } else {
        0
    };
    core.set_special_at(HID0, enabled | 0x4000, 0);
    if model == CoreModel::Ppc755 && random.one_in(2) {
        core.set_special_at(HID2, SOFTWARE_SEARCH, 0);
    }
    core.set_special_at(22, random.below(5000), 0);
    core.set_program_counter(CODE + (random.word() & 0x3fc));
    core
}

/// Pages: most lie where they are, some elsewhere, some nowhere, some may only be read.
fn translation(random: &mut Random, ram: &mut [u8], core: &mut Core) {
    // A table that is said to be larger than it is goes on where nothing is, and where a device is.
    let sizes = [0, 0, 0, 0xf, 0x1f, 0x3f];
    core.set_special_at(SDR1, TABLE | random.pick(&sizes), 0);
    for segment in 0..16 {
        let keys = random.word() & 0x6000_0000;
        let far = match segment {
            0 => 0,
            _ => random.pick(&[0, 0x7000, 0x8000, 0xf000]),
        };
        core.set_segment(segment, keys | far | (segment + 7));
    }
    for page in 0..RAM_BYTES >> 12 {
        if random.one_in(12) {
            continue;
        }
        let physical = if random.one_in(10) {
            random.below(TABLE >> 12)
        } else {
            page
        };
        let protection = random.pick(&[2, 2, 2, 2, 3, 1, 0]);
        let group = TABLE + ((7 ^ page) & 0x3ff) * 64;
        put(ram, group, 1 << 31 | 7 << 7);
        put(ram, group + 4, physical << 12 | 0x10 | protection);
    }
    for page in DEVICE_BASE >> 12..(DEVICE_BASE + DEVICE_BYTES) >> 12 {
        let group = TABLE + ((7 ^ page) & 0x3ff) * 64;
        put(ram, group, 1 << 31 | 7 << 7);
        put(ram, group + 4, page << 12 | 0x38 | 2);
    }
    core.set_msr(Msr(core.msr().0
        | Msr::DATA_TRANSLATION
        | if random.one_in(4) {
            0
        } else {
            Msr::INSTRUCTION_TRANSLATION
        }));
}
