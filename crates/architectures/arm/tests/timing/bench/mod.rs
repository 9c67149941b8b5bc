//! A core on a bus with two memories: code from 0 on, data from 0x8000 on.

#![allow(dead_code, reason = "each test file uses its part of the bench")]

use socscope_arm::interpreter::step;
use socscope_arm::{Core, CoreModel, InstructionSet};
use socscope_core::Unobserved;
use socscope_isa::CycleModel;
use socscope_memory::{
    Access, AccessCost, Bus, Endianness, Fault, FaultReason, Memory, RegionIndex, When, Width,
};

/// 32 bits, no wait states.
pub const ZERO_WAIT: AccessCost = AccessCost::SINGLE_CYCLE;

/// 16 bits, 2 wait states when nonsequential, 1 when sequential: a word takes N = 5, S = 4; a half-word or byte N = 3, S = 2.
pub fn waited() -> AccessCost {
    AccessCost::with_wait_states(16, 2, 1)
}

pub const DATA: u32 = 0x8000;
const END: u32 = 0x1_0000;

pub struct TestBus {
    memory: Memory,
    costs: [AccessCost; 3],
    pub irq: bool,
}

impl TestBus {
    fn access(&self, address: u32) -> Result<RegionIndex, Fault> {
        match self.region(address) {
            RegionIndex::UNMAPPED => Err(Fault {
                address,
                reason: FaultReason::Unmapped,
            }),
            region => Ok(region),
        }
    }
}

impl Bus for TestBus {
    fn fetch(&mut self, address: u32, width: Width) -> Result<Access, Fault> {
        self.read(address, width, |_, _| 0)
    }

    fn read(&mut self, address: u32, width: Width, _: impl When) -> Result<Access, Fault> {
        let region = self.access(address)?;
        let value = self.memory.read(address, width, Endianness::Little);
        Ok(Access { value, region })
    }

    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        _: impl When,
    ) -> Result<RegionIndex, Fault> {
        let region = self.access(address)?;
        self.memory.write(address, width, value, Endianness::Little);
        Ok(region)
    }

    fn region(&self, address: u32) -> RegionIndex {
        match address {
            0..DATA => RegionIndex(1),
            DATA..END => RegionIndex(2),
            _ => RegionIndex::UNMAPPED,
        }
    }

    fn cost(&self, region: RegionIndex) -> &AccessCost {
        &self.costs[region.0 as usize]
    }

    fn deadline(&self) -> u64 {
        u64::MAX
    }

    fn irq(&self) -> bool {
        self.irq
    }

    fn fiq(&self) -> bool {
        false
    }
}

/// Opcodes at 0x100 behind one that fills the pipeline and is not counted.
pub struct Program {
    pub core: Core,
    pub bus: TestBus,
}

impl Program {
    pub fn arm(words: &[u32], code: AccessCost, data: AccessCost) -> Program {
        let bytes = words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>();
        Program::new(
            InstructionSet::Arm,
            &0xe1a0_0000u32.to_le_bytes(),
            &bytes,
            code,
            data,
        )
    }

    pub fn thumb(words: &[u16], code: AccessCost, data: AccessCost) -> Program {
        let bytes = words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>();
        Program::new(
            InstructionSet::Thumb,
            &0x46c0u16.to_le_bytes(),
            &bytes,
            code,
            data,
        )
    }

    fn new(
        set: InstructionSet,
        first: &[u8],
        rest: &[u8],
        code: AccessCost,
        data: AccessCost,
    ) -> Program {
        let mut memory = Memory::new("test", END);
        memory.load(0x100, &[first, rest].concat());
        let mut core = Core::default();
        core.flags_mut().instruction_set = set;
        core.set_program_counter(0x100);
        core.set_register(4, DATA);
        core.set_register(13, DATA + 0x1000);
        let costs = [AccessCost::SINGLE_CYCLE, code, data];
        Program {
            core,
            bus: TestBus {
                memory,
                costs,
                irq: false,
            },
        }
    }

    /// The same on another core.
    pub fn on(mut self, model: CoreModel) -> Program {
        let mut core = Core::new(model);
        core.flags_mut().instruction_set = self.core.instruction_set();
        core.set_program_counter(self.core.program_counter());
        for index in 0..15 {
            core.set_register(index, self.core.register(index));
        }
        self.core = core;
        self
    }

    pub fn register(mut self, index: u32, value: u32) -> Program {
        self.core.set_register(index, value);
        self
    }

    pub fn word(mut self, address: u32, value: u32) -> Program {
        self.bus
            .memory
            .write(address, Width::Word, value, Endianness::Little);
        self
    }

    /// Cycles of `steps` instructions and exception entries.
    pub fn cycles(&mut self, model: &mut impl CycleModel, steps: u32) -> u64 {
        let mut total = 0;
        for number in 0..=steps {
            let irq = std::mem::take(&mut self.bus.irq);
            self.bus.irq = irq && number > 0;
            let cycles = step(&mut self.core, &mut self.bus, model, &mut Unobserved, 0).cycles;
            total += if number == 0 { 0 } else { cycles };
            self.bus.irq = irq && number == 0;
        }
        total
    }
}
