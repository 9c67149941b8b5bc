//! Random sequences: each instruction is tried on the state that it will meet, and kept if it stays inside the test's memories.

use crate::exclusions::{Case, EXCLUSIONS, exclusion};
use crate::journal::JournalBus;
use crate::support::{OneCycle, random::Random};
use crate::watch::Watch;
use socscope_arm as arm;
use socscope_arm::interpreter::{Outcome, Step, step};
use socscope_arm::{
    Core, CoreModel, EXCLUSIVE_BYTES, Exception, InstructionSet, Mode, Status, Version, control,
};
use socscope_isa::{CycleClass, Encoding};
use socscope_memory::MemoryIndex;

pub const CODE: u32 = 0x0010_0000;
pub const CODE_BYTES: u32 = 0x0002_1000;
pub const DATA: u32 = 0x0040_0000;
pub const DATA_BYTES: u32 = 0x8000;
pub const BLOCKS: u32 = 1024;
pub const BLOCK_INSTRUCTIONS: usize = 16;
pub const BLOCK_BYTES: u32 = 128;
/// Instructions fill the first half of a block's bytes, constants the second. Jumps go to the second halves only: unicorn would run
/// on where it has translated code before.
pub const LITERALS: u32 = 64;
const TRIES: u32 = 60;

/// A sequence with the states around it.
pub struct Block {
    pub address: u32,
    pub words: Vec<u32>,
    /// Instructions as unicorn counts them: a Thumb BL is one.
    pub steps: u32,
    pub before: State,
    pub after: State,
    pub end: u32,
    pub exception: u32,
}

/// What the mode in force sees: r0 to r14, status, saved status.
pub type State = [u32; 17];

/// Sequences that share memories and banks.
pub struct Batch {
    pub set: InstructionSet,
    pub banks_before: Vec<u32>,
    pub data_before: Vec<u8>,
    pub code: Vec<u8>,
    pub blocks: Vec<Block>,
    pub banks_after: Vec<u32>,
    pub data_after: Vec<u8>,
}

/// Counts of one instruction set.
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
    model: CoreModel,
    set: InstructionSet,
    pub statistics: Statistics,
    bus: JournalBus,
    core: Core,
    /// Where an exclusive load has read what.
    reserved: Option<(u32, [u32; 2])>,
    reserved_bytes: u32,
}

impl Generator {
    pub fn new(seed: u64, model: CoreModel, set: InstructionSet) -> Generator {
        let count = arm::encodings(model, set).len();
        Generator {
            random: Random(seed),
            model,
            set,
            statistics: Statistics {
                compared: vec![0; count],
                candidates: vec![0; count],
                excluded: vec![vec![0; EXCLUSIONS.len()]; count],
            },
            bus: JournalBus::new(),
            core: Core::new(model),
            reserved: None,
            reserved_bytes: 0,
        }
    }

    pub fn batch(&mut self) -> Batch {
        let space = &mut self.bus.memories.space;
        for number in 0..space.memories().len() as u16 {
            let memory = MemoryIndex(number);
            let bytes = 0..space.memory(memory).size();
            let bytes: Vec<u8> = bytes.map(|_| self.random.word() as u8).collect();
            space.load(memory, 0, &bytes);
        }
        self.core = self.reset_core();
        self.reserved = None;
        for mode in Mode::ALL {
            for index in 8..15 {
                let value = self.value();
                self.core.set_register_of(mode, index, value);
            }
        }
        let banks_before = banks(&self.core);
        let data_before = self.data();
        let blocks = (0..BLOCKS)
            .map(|number| self.block(CODE + number * BLOCK_BYTES))
            .collect();
        Batch {
            set: self.set,
            banks_before,
            data_before,
            code: self.bus.memories.space.memories()[1].to_vec(),
            blocks,
            banks_after: banks(&self.core),
            data_after: self.data(),
        }
    }

    /// From version 6 on unicorn lets words lie anywhere.
    fn reset_core(&self) -> Core {
        let mut core = Core::new(self.model);
        core.control
            .set_control(control::UNALIGNED, self.model.has(Version::V6));
        core
    }

    fn data(&self) -> Vec<u8> {
        self.bus.memories.space.memories()[0].to_vec()
    }

    fn block(&mut self, address: u32) -> Block {
        self.randomise();
        self.core.set_program_counter(address);
        let before = state(&self.core);
        let mode = self.core.status().mode;
        let mut block = Block {
            address,
            words: vec![],
            steps: 0,
            before,
            after: before,
            end: address,
            exception: 0,
        };
        let width = self.set.width();
        while block.words.len() < BLOCK_INSTRUCTIONS - 1 {
            let Some(step) = self.extend(&mut block, None) else {
                continue;
            };
            if let Outcome::Exception(exception) = step.outcome {
                block.exception = u32::from(exception.number());
                break;
            }
            let next = address + block.words.len() as u32 * width.bytes();
            let status = self.core.status();
            if block.end != next || status.mode != mode || status.instruction_set != self.set {
                break;
            }
        }
        block
    }

    /// Adds an instruction, or both halves of a Thumb BL, which unicorn takes as one.
    fn extend(&mut self, block: &mut Block, wanted: Option<&str>) -> Option<Step> {
        let before = self.core.clone();
        let (word, index, step) = self.instruction(block.end, wanted)?;
        let at = block.end;
        block.words.push(word);
        block.steps += 1;
        block.end = self.core.program_counter();
        let encoding = &arm::encodings(self.model, self.set)[index];
        let second = match self.model.has(Version::V5TEJ) && self.random.once_in(2) {
            true => "BLX second half",
            false => "BL second half",
        };
        if encoding.name == "BL first half" && self.extend(block, Some(second)).is_none() {
            self.core = before;
            block.words.pop();
            block.end = at;
            return None;
        }
        self.bus.memories.put(at, self.set.width(), &[word]);
        self.statistics.compared[index] += 1;
        if !matches!(step.outcome, Outcome::Exception(_)) {
            block.end = self.core.program_counter();
            block.after = state(&self.core);
        } else {
            block.end = at;
        }
        Some(step)
    }

    /// Finds an instruction that can follow here, and executes it. Exceptions leave the state as it was.
    fn instruction(&mut self, address: u32, wanted: Option<&str>) -> Option<(u32, usize, Step)> {
        let encodings = arm::encodings(self.model, self.set);
        let index = match wanted {
            Some(name) => encodings
                .iter()
                .position(|encoding| encoding.name == name)?,
            None => self.random.below(encodings.len() as u32) as usize,
        };
        // Traps end a block: they are rarer.
        if encodings[index].class == CycleClass::Undefined && !self.random.once_in(8) {
            return None;
        }
        for _ in 0..TRIES {
            let mut word = encodings[index].pattern.instance(self.random.word());
            if self.set == InstructionSet::Arm && !self.random.once_in(3) {
                word = word & 0x0fff_ffff | 0xe000_0000;
            }
            if encodings[index].name == "BL first half" {
                // Targets a few kilobytes away.
                word = word & !0x7ff | self.random.below(64).wrapping_sub(32) & 0x7ff;
            }
            if encodings[index].name == "BLX immediate" {
                word = word & !0xff_ffff | self.random.below(64).wrapping_sub(32) & 0xff_ffff;
            }
            if arm::decode(self.model, self.set, word) != index {
                continue;
            }
            self.statistics.candidates[index] += 1;
            let case = Case {
                set: self.set,
                since: arm::since(self.set, index),
                encoding: &encodings[index],
                word,
                core: &self.core,
                unchanged: self.is_unchanged(&encodings[index], word),
            };
            if let Some(reason) = exclusion(&case) {
                self.statistics.excluded[index][reason] += 1;
                continue;
            }
            if let Some(step) = self.attempt(address, word) {
                return Some((word, index, step));
            }
        }
        None
    }

    fn attempt(&mut self, address: u32, word: u32) -> Option<Step> {
        let before = self.core.clone();
        self.bus.opcode = (address, word);
        self.bus.journal.clear();
        let mut watch = Watch::default();
        let step = step(
            &mut self.core,
            &mut self.bus,
            &mut OneCycle::default(),
            &mut watch,
            0,
        );
        let status = self.core.status();
        let target = self.core.program_counter();
        let next = address.wrapping_add(self.set.width().bytes());
        let good = match step.outcome {
            Outcome::Exception(
                Exception::SoftwareInterrupt | Exception::Undefined | Exception::PrefetchAbort,
            ) => {
                self.core = before;
                return Some(step);
            }
            Outcome::Exception(_) => false,
            _ => {
                (!watch.unaligned || self.model.has(Version::V6))
                    && !self.is_half_way(address, word)
                    && !watch.strange_status(&before, &self.core, word)
                    && (target == next && status.instruction_set == self.set
                        || (CODE..CODE + CODE_BYTES).contains(&target)
                            && target % BLOCK_BYTES >= LITERALS)
            }
        };
        if good {
            self.note_exclusive(&before, word);
        } else {
            self.core = before;
            self.bus.undo();
        }
        good.then_some(step)
    }

    /// Whether a load has left for an ARM instruction off alignment.
    fn is_half_way(&self, address: u32, word: u32) -> bool {
        let set = self.core.instruction_set();
        let class = arm::encoding(self.model, self.set, word).class;
        let next = address.wrapping_add(self.set.width().bytes());
        self.model.has(Version::V5TEJ)
            && matches!(class, CycleClass::Load | CycleClass::LoadMultiple)
            && (self.core.program_counter() != next || set != self.set)
            && set == InstructionSet::Arm
            && self.bus.last_read & 3 == 2
    }

    /// Base address and bytes of an exclusive access.
    fn exclusive(core: &Core, encoding: &Encoding, word: u32) -> (u32, u32) {
        let bytes = match encoding.name.as_bytes().last() {
            Some(b'B') => 1,
            Some(b'H') => 2,
            Some(b'D') => 8,
            _ => 4,
        };
        (core.register(encoding.pattern.field("n").get(word)), bytes)
    }

    fn note_exclusive(&mut self, before: &Core, word: u32) {
        let encoding = arm::encoding(self.model, self.set, word);
        if encoding.name.starts_with("LDREX") {
            let (address, bytes) = Self::exclusive(before, encoding, word);
            self.reserved = Some((address, self.bus.words(address)));
            self.reserved_bytes = bytes;
        }
    }

    /// Whether unicorn finds what an exclusive load has read where it was.
    fn is_unchanged(&self, encoding: &Encoding, word: u32) -> bool {
        if !encoding.name.starts_with("STREX") {
            return false;
        }
        let (address, bytes) = Self::exclusive(&self.core, encoding, word);
        let granule = address & !(EXCLUSIVE_BYTES - 1);
        self.core.exclusive != Some(granule)
            || self.reserved == Some((address, self.bus.words(address)))
                && self.reserved_bytes == bytes
    }

    fn randomise(&mut self) {
        let mode = Mode::ALL[self.random.below(7) as usize];
        let bits = self.random.word() & 0xf80f_00c0 | mode as u32;
        let status = Status {
            instruction_set: self.set,
            ..Status::RESET.with_bits_of(self.model, bits)
        };
        self.core.set_status(status);
        for index in 0..15 {
            let value = self.value();
            self.core.set_register(index, value);
        }
        let saved = self.saved();
        self.core
            .set_saved_status(Status::RESET.with_bits_of(self.model, saved));
    }

    fn saved(&mut self) -> u32 {
        self.random.word() & 0xf80f_00e0 | Mode::ALL[self.random.below(7) as usize] as u32
    }

    fn value(&mut self) -> u32 {
        match self.random.below(20) {
            0..8 => DATA + 0x1000 + (self.random.below(DATA_BYTES - 0x2000) & !3),
            8..10 => CODE + (self.random.below(CODE_BYTES) & !3),
            10 => (CODE + self.random.below(CODE_BYTES)) | 1,
            11..13 => self.random.below(64),
            13 => [0, 1, 31, 32, 33, 255, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]
                [self.random.below(9) as usize],
            14 => self.saved(),
            15 => 1 << self.random.below(32),
            _ => self.random.word(),
        }
    }
}

/// r8 to r14 of every mode, and its saved status register or 0.
fn banks(core: &Core) -> Vec<u32> {
    let mut banks = vec![];
    for mode in Mode::ALL {
        banks.extend((8..15).map(|index| core.register_of(mode, index)));
        banks.push(core.saved_status_of(mode).map_or(0, Status::bits));
    }
    banks
}

fn state(core: &Core) -> State {
    let mut state = [0; 17];
    for index in 0..15 {
        state[index as usize] = core.register(index);
    }
    state[15] = core.status().bits();
    state[16] = core.saved_status().map_or(0, Status::bits);
    state
}
