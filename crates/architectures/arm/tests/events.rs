//! What observers and timing models are told, and in which order.

#[allow(dead_code)]
use crate::support;
use socscope_arm::interpreter::step;
use socscope_arm::{Core, InstructionSet, Status};
use socscope_core::{Observer, Transfer};
use socscope_isa::{CycleClass, CycleModel};
use socscope_memory::{AccessCost, Direction, RegionIndex, Width};
use std::cell::RefCell;
use std::rc::Rc;
use support::MemoryBus;

type Log = Rc<RefCell<Vec<String>>>;

struct Model(Log);

impl CycleModel for Model {
    fn begin(&mut self, class: CycleClass, _: RegionIndex, _fetch: &AccessCost, width: Width) {
        self.0
            .borrow_mut()
            .push(format!("begin {class:?} {width:?}"));
    }
    fn transfers_at(&self, _: RegionIndex, _: &AccessCost, _: Width, _: Direction) -> u64 {
        0
    }
    fn data(&mut self, region: RegionIndex, _: &AccessCost, width: Width, direction: Direction) {
        let line = format!("priced {direction:?} {width:?} of {}", region.0);
        self.0.borrow_mut().push(line);
    }
    fn multiplier(&mut self, operand: u32, signed: bool) {
        self.0
            .borrow_mut()
            .push(format!("multiplier {operand:x} {signed}"));
    }
    fn refill(&mut self, _: RegionIndex, _fetch: &AccessCost, width: Width) {
        self.0.borrow_mut().push(format!("refill {width:?}"));
    }
    fn end(&mut self) -> u64 {
        self.0.borrow_mut().push("end".into());
        7
    }
}

struct Probe(Log);

impl Observer for Probe {
    fn instruction(&mut self, pc: u32, width: Width, region: RegionIndex) {
        let line = format!("instruction {pc:x} {width:?} of {}", region.0);
        self.0.borrow_mut().push(line);
    }
    fn cycles(&mut self, cycles: u64) {
        self.0.borrow_mut().push(format!("cycles {cycles}"));
    }
    fn data(&mut self, pc: u32, address: u32, _: Width, _: Direction, _: RegionIndex) {
        self.0.borrow_mut().push(format!("data {pc:x} {address:x}"));
    }
    fn unaligned(&mut self, pc: u32, address: u32, width: Width) {
        self.0
            .borrow_mut()
            .push(format!("unaligned {pc:x} {address:x} {width:?}"));
    }
    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, stack_pointer: u32) {
        let line = format!("transfer {from:x} {to:x} {kind:?} {stack_pointer:x}");
        self.0.borrow_mut().push(line);
    }
    fn magic(&mut self, number: u8, argument: u32, cycle: u64) {
        self.0
            .borrow_mut()
            .push(format!("magic {number} {argument:x} {cycle}"));
    }
}

/// Runs the words from 100 on, `steps` of them, in system mode with SP 800 and SP of all exceptions 0; gives the log.
fn events(
    set: InstructionSet,
    words: &[u32],
    steps: usize,
    prepare: impl FnOnce(&mut Core, &mut MemoryBus),
) -> Vec<String> {
    let mut bus = MemoryBus::new(&[(0, 0x1000)]);
    bus.put(0x100, set.width(), words);
    let mut core = Core::default();
    core.set_status(Status {
        instruction_set: set,
        ..Status::RESET.with_bits(0x1f)
    });
    core.set_register(13, 0x800);
    core.set_program_counter(0x100);
    prepare(&mut core, &mut bus);
    let log = Log::default();
    let (mut model, mut probe) = (Model(log.clone()), Probe(log.clone()));
    for cycle in 0..steps {
        step(&mut core, &mut bus, &mut model, &mut probe, cycle as u64);
    }
    log.take()
}

fn transfers(set: InstructionSet, words: &[u32], steps: usize) -> Vec<String> {
    let mut log = events(set, words, steps, |core, _| core.set_register(1, 0x201));
    log.retain(|line| line.starts_with("transfer"));
    log
}

#[test]
fn an_instruction_tells_its_class_accesses_and_cycles_in_order() {
    // LDR r0, [r1] at 1: unaligned.
    let log = events(InstructionSet::Arm, &[0xe591_0000], 1, |core, _| {
        core.set_register(1, 1);
    });
    assert_eq!(
        log,
        [
            "instruction 100 Word of 1",
            "begin Load Word",
            "unaligned 100 1 Word",
            "priced Read Word of 1",
            "data 100 0",
            "end",
            "cycles 7"
        ]
    );
}

#[test]
fn a_multiplication_tells_its_multiplier() {
    // MUL r0, r1, r2; UMULL r0, r3, r1, r2; MUL r0, r1 (Thumb: multiplies by the old r0)
    let prepare = |core: &mut Core, _: &mut MemoryBus| {
        (0..3).for_each(|index| core.set_register(index, 0x10 + index));
    };
    let told = |set, words: &[u32]| {
        let mut log = events(set, words, 1, prepare);
        log.retain(|line| line.starts_with("multiplier"));
        log
    };
    assert_eq!(
        told(InstructionSet::Arm, &[0xe000_0291]),
        ["multiplier 12 true"]
    );
    assert_eq!(
        told(InstructionSet::Arm, &[0xe083_0291]),
        ["multiplier 12 false"]
    );
    assert_eq!(
        told(InstructionSet::Thumb, &[0x4348]),
        ["multiplier 10 true"]
    );
}

#[test]
fn an_interrupt_has_no_instruction_and_its_cycles_belong_to_the_handler() {
    let log = events(InstructionSet::Thumb, &[0x46c0], 1, |_, bus| bus.irq = true);
    assert_eq!(
        log,
        [
            "begin Exception Half",
            "refill Word",
            "end",
            "transfer 100 18 ExceptionEntry(6) 0",
            "cycles 7"
        ]
    );
}

#[test]
fn a_data_abort_follows_its_instruction() {
    // STR r0, [r1]
    let log = events(InstructionSet::Arm, &[0xe581_0000], 1, |core, _| {
        core.set_register(1, 0x8000);
    });
    assert_eq!(
        log,
        [
            "instruction 100 Word of 1",
            "begin Store Word",
            "priced Write Word of 0",
            "end",
            "cycles 7",
            "begin Exception Word",
            "refill Word",
            "end",
            "transfer 100 10 ExceptionEntry(4) 0",
            "cycles 7"
        ]
    );
}

#[test]
fn a_software_interrupt_is_an_instruction_and_a_transfer() {
    let log = events(InstructionSet::Arm, &[0xef00_0000], 1, |_, _| {});
    assert_eq!(
        log,
        [
            "instruction 100 Word of 1",
            "begin Exception Word",
            "refill Word",
            "end",
            "cycles 7",
            "transfer 100 8 ExceptionEntry(2) 0"
        ]
    );
}

#[test]
fn a_condition_that_fails_is_told_as_such() {
    // ORREQ r1, r1, r1; ORR r1, r1, r1
    let log = events(
        InstructionSet::Arm,
        &[0x0181_1001, 0xe181_1001],
        2,
        |_, _| {},
    );
    assert_eq!(log[1], "begin NotExecuted Word");
    let magic: Vec<_> = log
        .iter()
        .filter(|line| line.starts_with("magic"))
        .collect();
    assert_eq!(magic, ["magic 1 0 1"]);
}

#[test]
fn calls_are_told_from_jumps() {
    let arm = |words: &[u32], steps| transfers(InstructionSet::Arm, words, steps);
    let thumb = |words: &[u32], steps| transfers(InstructionSet::Thumb, words, steps);
    // B 200; BL 200
    assert_eq!(arm(&[0xea00_003e], 1), ["transfer 100 200 Jump 800"]);
    assert_eq!(arm(&[0xeb00_003e], 1), ["transfer 100 200 Call 800"]);
    // MOV lr, pc; BX r1 and MOV lr, pc; MOV pc, r1
    assert_eq!(
        arm(&[0xe1a0_e00f, 0xe12f_ff11], 2),
        ["transfer 104 200 Call 800"]
    );
    assert_eq!(
        arm(&[0xe1a0_e00f, 0xe1a0_f001], 2),
        ["transfer 104 200 Call 800"]
    );
    // BX r1 alone; BL in Thumb
    assert_eq!(arm(&[0xe12f_ff11], 1), ["transfer 100 200 Jump 800"]);
    assert_eq!(thumb(&[0xf000, 0xf87e], 2), ["transfer 102 200 Call 800"]);
    // POP {pc} from empty memory
    assert_eq!(thumb(&[0xbd00], 1), ["transfer 100 0 Jump 804"]);
    // MOVS pc, lr in system mode
    assert_eq!(
        arm(&[0xe1b0_f00e], 1),
        ["transfer 100 0 ExceptionReturn 800"]
    );
}
