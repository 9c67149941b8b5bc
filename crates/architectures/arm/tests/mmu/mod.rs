//! Translation of ARM addresses, against the chapters of the manual (DDI 0100I, part B) and those of the cores.

mod buffers;
mod faults;
mod rights;
mod translation;

use crate::support::{MemoryBus, OneCycle};
use socscope_arm::interpreter::{Outcome, step};
use socscope_arm::{Core, CoreModel, Exception, Mode, Register, Status, Version, control};
use socscope_core::{Purpose, Unobserved};
use socscope_memory::Width;

use CoreModel::{Arm920T, Arm926EjS, Arm1136JS, Arm1176JzS};
use Purpose::{Fetch, Read, Write};

const LATER: [CoreModel; 4] = [Arm920T, Arm926EjS, Arm1136JS, Arm1176JzS];
const RAM_BYTES: u32 = 0x10_0000;
/// Tables of the first level, the second for the upper addresses, and those of the second level.
const TABLE: u32 = 0x4000;
const UPPER_TABLE: u32 = 0x8000;
const COARSE: u32 = 0xc000;
const FINE: u32 = 0xd000;
/// A section under test, and that of the code, whose domain asks for no rights.
const PAGE: u32 = 0x3000_0000;
const CODE: u32 = 0xe000_0000;
/// Where in its section the code lies: in a page of its own index, so that it takes no other one's entry.
const CODE_AT: u32 = 0xf_f100;
const CODE_SECTION: u32 = 0xc12 | 15 << 5;
const CLIENTS: u32 = 0xd555_5555;
/// Kinds of descriptors that lead to tables.
const TO_COARSE: u32 = COARSE | 0x11;
const TO_FINE: u32 = FINE | 0x13;

/// A core with translation on, and memory.
struct Bench {
    core: Core,
    bus: MemoryBus,
}

impl Bench {
    fn new(model: CoreModel) -> Bench {
        let mut bench = Bench {
            core: Core::new(model),
            bus: MemoryBus::new(&[(0, RAM_BYTES)]),
        };
        bench.set(Register::TableBase0, TABLE);
        bench.set(Register::Domains, CLIENTS);
        bench.first(CODE, CODE_SECTION);
        bench.control(control::MMU, true);
        bench
    }

    /// With tables of version 6.
    fn extended(model: CoreModel) -> Bench {
        let mut bench = Bench::new(model);
        bench.control(control::EXTENDED_PAGES, true);
        bench
    }

    fn set(&mut self, register: Register, value: u32) {
        self.core.set_system_control(register, value);
    }

    fn control(&mut self, bits: u32, on: bool) {
        let others = self.get(Register::Control) & !bits;
        self.set(Register::Control, if on { others | bits } else { others });
    }

    fn get(&self, register: Register) -> u32 {
        self.core.control.get(register)
    }

    fn put(&mut self, at: u32, word: u32) {
        self.bus.put(at, Width::Word, &[word]);
    }

    fn word(&self, at: u32) -> u32 {
        let found = self.bus.space.read_memory(at, Width::Word, self.bus.order);
        found.expect("memory").0
    }

    fn first(&mut self, address: u32, descriptor: u32) {
        self.put(TABLE + 4 * (address >> 20), descriptor);
    }

    /// Where an access goes, or status and address of its fault.
    fn find(&mut self, address: u32, purpose: Purpose, user: bool) -> Result<u32, (u32, u32)> {
        let found = self.core.translate(&mut self.bus, address, purpose, user);
        found.map_err(|fault| (fault.status, fault.address))
    }

    fn read(&mut self, address: u32) -> Result<u32, u32> {
        self.find(address, Read, false).map_err(|fault| fault.0)
    }

    /// Privileged reads and writes, then those of programs.
    fn rights(&mut self, address: u32) -> [bool; 4] {
        [(Read, false), (Write, false), (Read, true), (Write, true)]
            .map(|(purpose, user)| self.find(address, purpose, user).is_ok())
    }

    /// Executes an instruction with r0 and r1, in a mode.
    fn execute(&mut self, mode: Mode, word: u32, [r0, r1]: [u32; 2]) -> Outcome {
        self.put(CODE_AT, word);
        self.core.set_status(Status {
            mode,
            ..self.core.status()
        });
        self.core.set_register(0, r0);
        self.core.set_register(1, r1);
        self.go(CODE | CODE_AT)
    }

    fn go(&mut self, address: u32) -> Outcome {
        self.core.set_program_counter(address);
        let model = &mut OneCycle::default();
        step(&mut self.core, &mut self.bus, model, &mut Unobserved, 0).outcome
    }

    /// MCR p15, 0, r0, n, m, opcode 2.
    fn move_to(&mut self, (n, m, opcode_2): (u32, u32, u32), value: u32) -> Outcome {
        let word = 0xee00_0f10 | n << 16 | opcode_2 << 5 | m;
        self.execute(Mode::Supervisor, word, [value, 0])
    }

    /// Status and address of a data abort.
    fn aborted(&mut self, mode: Mode, word: u32, address: u32) -> (u32, u32) {
        let outcome = self.execute(mode, word, [7, address]);
        assert_eq!(outcome, Outcome::Exception(Exception::DataAbort));
        (
            self.get(Register::DataFaultStatus),
            self.get(Register::FaultAddress),
        )
    }
}

/// ldr r0, [r1]; str r0, [r1]; ldrt r0, [r1]; strt r0, [r1]; ldrex r0, [r1]; strex r2, r0, [r1]; swp r0, r0, [r1].
const LDR: u32 = 0xe591_0000;
const STR: u32 = 0xe581_0000;
const LDRT: u32 = 0xe4b1_0000;
const STRT: u32 = 0xe4a1_0000;
const LDREX: u32 = 0xe191_0f9f;
const STREX: u32 = 0xe181_2f90;
const SWP: u32 = 0xe101_0090;
