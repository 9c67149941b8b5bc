//! Random sequences: each instruction is tried on the state that it will meet, and kept if it stays inside the test's memories.

use crate::exclusions::{Case, EXCLUSIONS, exclusion};
use crate::memories::{CODE, DATA, DATA_BYTES, JournalBus};
use crate::support::OneCycle;
use crate::support::random::Random;
use crate::values;
use socscope_core::Unobserved;
use socscope_memory::MemoryIndex;
use socscope_powerpc as powerpc;
use socscope_powerpc::float::status;
use socscope_powerpc::interpreter::{Outcome, Step, step};
use socscope_powerpc::{Core, CoreModel, Exception, Msr, Untranslated, Xer};

pub const BLOCKS: u32 = 512;
pub const BLOCK_WORDS: usize = 14;
pub const BLOCK_BYTES: u32 = 64;
const TRIES: u32 = 40;
/// XER has no door in unicorn: sequences write it from r30 first, and read it into r29 at last.
const WRITE_XER: u32 = 0x7fc1_03a6;
const READ_XER: u32 = 0x7fa1_02a6;

/// stwcx., which follows each lwarx at least once in a while, with the same address.
const STORE_CONDITIONAL: u32 = 0x7c00_012d;
/// stvx, of a register at a pointer.
const STORE_VECTOR: u32 = 0x7c00_01ce;
/// Their results are only half defined: they end a sequence.
const HALF_DEFINED: &[&str] = &["fctiw", "fctiwz", "mffs"];

/// A sequence with the states around it.
pub struct Block {
    pub address: u32,
    pub words: Vec<u32>,
    pub before: State,
    pub after: State,
    pub end: u32,
    pub exception: u32,
}

/// r0 to r31, CR, LR, CTR, FPSCR, MSR, and f0 to f31.
#[derive(Clone, Copy)]
pub struct State {
    pub words: [u32; 37],
    pub doubles: [u64; 32],
}

/// Sequences that share the data, vector registers and special registers.
pub struct Batch {
    pub data_before: Vec<u8>,
    pub blocks: Vec<Block>,
    pub data_after: Vec<u8>,
}

/// Counts of each encoding.
pub struct Statistics {
    pub compared: Vec<u64>,
    pub candidates: Vec<u64>,
    pub excluded: Vec<Vec<u64>>,
}

impl Statistics {
    pub fn total(&self) -> u64 {
        self.compared.iter().sum()
    }
}

pub struct Generator {
    random: Random,
    pub statistics: Statistics,
    bus: JournalBus,
    core: Core,
    /// Address and value of the last reservation.
    reserved: Option<(u32, u32)>,
}

/// After reset, with the data cache on (HID0), as unicorn always has it.
fn reset_core() -> Core {
    let mut core = Core::new(CoreModel::E600);
    core.set_special_at(1008, 0x4000, 0);
    core
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        let count = powerpc::encodings().len();
        Generator {
            random: Random(seed),
            statistics: Statistics {
                compared: vec![0; count],
                candidates: vec![0; count],
                excluded: vec![vec![0; EXCLUSIONS.len()]; count],
            },
            bus: JournalBus::new(),
            core: reset_core(),
            reserved: None,
        }
    }

    pub fn batch(&mut self) -> Batch {
        self.bus.journal.clear();
        let bytes: Vec<u8> = (0..DATA_BYTES / 8)
            .flat_map(|_| match self.random.below(3) {
                0 => self.random.next().to_be_bytes(),
                1 => values::double(&mut self.random).to_be_bytes(),
                _ => (values::double(&mut self.random) as u32 as u64).to_be_bytes(),
            })
            .collect();
        self.bus.memories.space.load(MemoryIndex(0), 0, &bytes);
        self.core = reset_core();
        self.reserved = None;
        let data_before = self.data();
        let blocks = (0..BLOCKS)
            .map(|number| self.block(CODE + number * BLOCK_BYTES))
            .collect();
        Batch {
            data_before,
            blocks,
            data_after: self.data(),
        }
    }

    fn data(&self) -> Vec<u8> {
        self.bus.memories.space.memories()[0].to_vec()
    }

    fn randomise(&mut self) {
        for index in 0..32 {
            let value = values::word(&mut self.random);
            self.core.set_register(index, value);
            self.core.float[index as usize] = values::double(&mut self.random);
        }
        let bits = self.random.word() & 0xe000_007f;
        self.core.set_register(30, bits);
        self.core.xer = Xer::default();
        self.core.condition = self.random.word();
        self.core.link = values::word(&mut self.random);
        self.core.count = values::word(&mut self.random);
        // Rounding mode; seldom exceptions that are enabled.
        self.core.float_status =
            self.random.word() & if self.random.once_in(16) { 0xfb } else { 3 };
        let problem = if self.random.once_in(8) {
            Msr::PROBLEM
        } else {
            0
        };
        self.core.set_msr(Msr(Msr::VECTORS | Msr::FLOAT | problem));
    }

    fn block(&mut self, address: u32) -> Block {
        self.randomise();
        self.core.set_program_counter(address);
        let before = state(&self.core);
        let mut block = Block {
            address,
            words: vec![],
            before,
            after: before,
            end: address,
            exception: 0,
        };
        self.execute(&mut block, WRITE_XER);
        while block.words.len() < BLOCK_WORDS - 1 {
            let next = block.end.wrapping_add(4);
            let Some(step) = self.extend(&mut block) else {
                continue;
            };
            if let Outcome::Exception(exception) = step.outcome {
                block.exception = exception.vector();
                return block;
            }
            let last = block
                .words
                .last()
                .map_or("", |word| powerpc::encoding(*word).name);
            if block.end != next || HALF_DEFINED.contains(&last) {
                return block;
            }
            self.show_vector(&mut block);
        }
        self.execute(&mut block, READ_XER);
        block
    }

    /// Vector registers have no door in unicorn either: results are stored.
    fn show_vector(&mut self, block: &mut Block) {
        let word = block.words.last().copied().unwrap_or(0);
        let pointer = (0..32).find(|index| {
            let middle = DATA + DATA_BYTES / 4..DATA + DATA_BYTES / 4 * 3;
            middle.contains(&self.core.register(*index))
        });
        if let Some(pointer) = pointer
            && word >> 26 == 4
            && block.words.len() < BLOCK_WORDS - 1
        {
            self.bus.journal.clear();
            self.execute(block, STORE_VECTOR | word & 0x03e0_0000 | pointer << 11);
        }
    }

    fn execute(&mut self, block: &mut Block, word: u32) -> Step {
        self.bus.opcode = word;
        let step = step(
            &mut self.core,
            &mut self.bus,
            &mut Untranslated,
            &mut OneCycle::default(),
            &mut Unobserved,
            0,
        );
        if step.outcome == Outcome::Executed {
            block.words.push(word);
            block.end = self.core.program_counter();
            block.after = state(&self.core);
        }
        step
    }

    /// Finds an instruction that can follow here, and executes it. Exceptions leave the state as it was.
    fn extend(&mut self, block: &mut Block) -> Option<Step> {
        let encodings = powerpc::encodings();
        let last = block.words.last().copied().unwrap_or(0);
        let index = match powerpc::encoding(last).name {
            "lwarx" if self.random.once_in(2) => powerpc::decode(STORE_CONDITIONAL),
            _ => self.random.below(encodings.len() as u32) as usize,
        };
        // Traps end a block: they are rarer.
        let trap = matches!(encodings[index].name, "sc" | "Unallocated");
        if trap && !self.random.once_in(8) {
            return None;
        }
        for _ in 0..TRIES {
            let mut word = encodings[index].pattern.instance(self.random.word());
            if encodings[index].name == "b" {
                let target = CODE + 0x10_0000 + self.random.below(0x1_0000);
                word = word & !0x03ff_fffe | target.wrapping_sub(block.end) & 0x03ff_fffc;
            }
            if encodings[index].name == "stwcx." && powerpc::encoding(last).name == "lwarx" {
                word = word & !0x001f_f800 | last & 0x001f_f800;
            }
            if powerpc::decode(word) != index {
                continue;
            }
            self.statistics.candidates[index] += 1;
            let case = Case {
                encoding: &encodings[index],
                word,
                core: &self.core,
                reserved: self.reserved,
                bus: &self.bus,
            };
            if let Some(reason) = exclusion(&case) {
                self.statistics.excluded[index][reason] += 1;
                continue;
            }
            if let Some(step) = self.attempt(block, word) {
                self.statistics.compared[index] += 1;
                return Some(step);
            }
        }
        None
    }

    /// What unicorn does differently with the status: FX is set by exceptions that are not new, results that are denormalised in single
    /// precision have the class of doubles, NI is used, FR stays, and an exception that is enabled stays pending.
    fn has_strange_status(&self, word: u32) -> bool {
        let now = self.core.float_status;
        let class = now & status::RESULT;
        now & status::EXCEPTION == 0 && now & status::STICKY != 0
            || word >> 26 == 59 && matches!(class >> 12, 0x14 | 0x18)
            || powerpc::encoding(word).name.starts_with("mtfs") && now & status::ROUNDED_UP != 0
            || powerpc::encoding(word).name == "frsp" && matches!(class >> 12, 0x14 | 0x18)
            || now & (4 | status::ENABLED_EXCEPTION) != 0
    }

    fn attempt(&mut self, block: &mut Block, word: u32) -> Option<Step> {
        let before = self.core.clone();
        let address = before.program_counter();
        let length = block.words.len();
        self.bus.journal.clear();
        let step = self.execute(block, word);
        let target = self.core.program_counter();
        let good = match step.outcome {
            Outcome::Exception(Exception::SystemCall | Exception::Program(_)) => {
                block.words.push(word);
                self.core = before;
                return Some(step);
            }
            Outcome::Executed => {
                target == address.wrapping_add(4)
                    || (CODE + 0x10_0000..CODE + 0x11_0000).contains(&target)
            }
            _ => false,
        };
        if !good || self.has_strange_status(word) {
            self.core = before;
            self.bus.undo();
            block.words.truncate(length);
            block.end = address;
            block.after = state(&self.core);
            return None;
        }
        if self.core.reservation.is_none() {
            self.reserved = None;
        } else if powerpc::encoding(word).name == "lwarx" {
            let at = crate::exclusions::indexed(&before, word);
            self.reserved = self.bus.word(at).map(|value| (at, value));
        }
        Some(step)
    }
}

pub fn state(core: &Core) -> State {
    let mut words = [0; 37];
    for index in 0..32 {
        words[index as usize] = core.register(index);
    }
    let rest = [
        core.condition,
        core.link,
        core.count,
        core.float_status,
        core.msr().0,
    ];
    words[32..].copy_from_slice(&rest);
    State {
        words,
        doubles: core.float,
    }
}

const _: () = assert!(BLOCK_WORDS as u32 * 4 <= BLOCK_BYTES && CODE + BLOCKS * BLOCK_BYTES < DATA);
