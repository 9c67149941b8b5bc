//! Small programs: calls, exceptions, what observers are told, saved states.

use crate::assembler as a;
use crate::support::{MemoryBus, OneCycle};
use socscope_core::plain::{Outcome, step};
use socscope_core::{Core as _, MachineCore, Observer, Transfer};
use socscope_memory::{Endianness, RegionIndex, Width};
use socscope_toy::{Core, RESET, Toy, VECTOR, exception, slot};

#[derive(Default)]
struct Told(Vec<String>);

impl Observer for Told {
    fn instruction(&mut self, pc: u32, width: Width, _: RegionIndex) {
        self.0.push(format!("{pc:#x} {width:?}"));
    }

    fn interrupted(&mut self, number: u8, next: u32, stack_pointer: u32) {
        self.0.push(format!(
            "exception {number}, back to {next:#x}, stack {stack_pointer:#x}"
        ));
    }

    fn transfer(&mut self, _from: u32, to: u32, kind: Transfer, _stack_pointer: u32) {
        self.0.push(format!("{kind:?} to {to:#x}"));
    }
}

fn machine(model: Toy, program: &[u32]) -> (Core, MemoryBus) {
    let mut bus = MemoryBus::of(model.endianness(), &[(0, 0x1000)]);
    let big = model.endianness() == Endianness::Big;
    bus.space
        .write_bytes(RESET, &a::bytes(program, big))
        .unwrap();
    bus.space
        .write_bytes(VECTOR, &a::bytes(&[a::RETURN], big))
        .unwrap();
    (Core::new(model), bus)
}

use socscope_core::plain::Plain;

fn run(core: &mut Core, bus: &mut MemoryBus, steps: u32) -> Vec<String> {
    let mut told = Told::default();
    for cycle in 0..steps {
        step(
            core,
            bus,
            &mut OneCycle::default(),
            &mut told,
            u64::from(cycle),
        );
    }
    told.0
}

#[test]
fn instructions_of_both_lengths_calls_and_returns_are_told() {
    // A call of the routine behind, which returns; then a trap.
    let program = [a::call(3), a::trap(1), a::jump(a::LINK)];
    for model in [Toy::Little, Toy::Big] {
        let (mut core, mut bus) = machine(model, &program);
        core.set_slot(slot::STACK, 0x800);
        assert_eq!(
            run(&mut core, &mut bus, 4),
            [
                "0x40 Word",
                "Call to 0x46",
                "0x46 Half",
                "Jump to 0x44",
                "0x44 Half",
                "exception 0, back to 0x46, stack 0x800",
                "ExceptionEntry(0) to 0x20",
                "0x20 Half",
                "ExceptionReturn to 0x46",
            ]
        );
    }
}

#[test]
fn an_interrupt_waits_until_it_is_let_through_and_its_handler_until_it_returns() {
    let program = [
        a::step(1, 1),
        a::to_special(a::STATUS, 1),
        a::WAIT,
        a::step(2, 1),
    ];
    let (mut core, mut bus) = machine(Toy::Big, &program);
    bus.irq = true;
    run(&mut core, &mut bus, 2);
    assert_eq!(core.program_counter(), RESET + 4);
    run(&mut core, &mut bus, 1);
    assert_eq!(core.program_counter(), VECTOR);
    assert_eq!(core.mode_name(), "handler of an interrupt");
    assert_eq!(core.slot(slot::STATUS), 0x200);
    // Masked while it is handled.
    run(&mut core, &mut bus, 1);
    assert_eq!(core.program_counter(), RESET + 4);
    assert_eq!(
        (core.slot(slot::STATUS), core.mode_name()),
        (1, "program".into())
    );
    bus.irq = false;
    let waits = step(
        &mut core,
        &mut bus,
        &mut OneCycle::default(),
        &mut Told::default(),
        0,
    );
    assert_eq!(waits.outcome, Outcome::Waits);
    assert_eq!(core.program_counter(), RESET + 6);
}

#[test]
fn a_refused_access_changes_nothing_else_and_goes_back_to_its_instruction() {
    let program = [a::long(0, 3, 3, -4)];
    let (mut core, mut bus) = machine(Toy::Little, &program);
    core.set_slot(3, 0x8000_0000);
    run(&mut core, &mut bus, 1);
    assert_eq!(core.slot(3), 0x8000_0000);
    assert_eq!(core.slot(slot::SAVED_ADDRESS), RESET);
    assert_eq!(
        core.handler(),
        socscope_core::Handler::Of("a bus fault".into())
    );
    assert!(!core.is_nested_fault(exception::FAULT));
    assert_eq!(
        core.last_fault.map(|fault| fault.address),
        Some(0x7fff_fffc)
    );
    // The handler faults as well.
    core.set_program_counter(0xffff_0000);
    run(&mut core, &mut bus, 1);
    assert!(core.is_nested_fault(exception::FAULT));
}

#[test]
fn saved_states_are_the_same_again() {
    let (mut core, _) = machine(Toy::Big, &[]);
    for number in 0..=slot::COUNT {
        assert!(core.set_numbered_register(number, 0x100 + number as u32 * 2));
    }
    assert!(!core.set_numbered_register(slot::COUNT + 1, 0));
    let saved = postcard::to_allocvec(&core).unwrap();
    let again: Core = postcard::from_bytes(&saved).unwrap();
    assert_eq!(again, core);
    let names: Vec<_> = again.named_registers(0).into_iter().skip(14).collect();
    assert_eq!(names[0], ("lr".into(), 0x11c));
    assert_eq!(names[6], ("pc".into(), 0x128));
}
