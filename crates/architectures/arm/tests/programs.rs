//! Small real programs in ARM and Thumb.

#[allow(dead_code)]
use crate::support;
use socscope_arm::interpreter::{Outcome, run, step};
use socscope_arm::{Core, CoreModel, Exception, Mode, Version};
use socscope_core::Unobserved;
use socscope_memory::Width;
use support::{MemoryBus, OneCycle};

fn fibonacci(core: &mut Core, bus: &mut MemoryBus) -> u32 {
    let mut cycle = 0;
    bus.deadline = 200;
    run(
        core,
        bus,
        &mut OneCycle::default(),
        &mut Unobserved,
        &mut cycle,
    );
    assert_eq!(cycle, 200);
    core.register(1)
}

#[test]
fn a_loop_in_arm() {
    let mut bus = MemoryBus::new(&[(0, 0x1000)]);
    // mov r0,#0; mov r1,#1; mov r3,#20; add r2,r0,r1; mov r0,r1; mov r1,r2; subs r3,r3,#1; bne .-16; b .
    bus.put(
        0,
        Width::Word,
        &[
            0xe3a0_0000,
            0xe3a0_1001,
            0xe3a0_3014,
            0xe080_2001,
            0xe1a0_0001,
            0xe1a0_1002,
            0xe253_3001,
            0x1aff_fffa,
            0xeaff_fffe,
        ],
    );
    assert_eq!(fibonacci(&mut Core::default(), &mut bus), 10946);
}

#[test]
fn a_loop_in_thumb_entered_by_bx() {
    let mut bus = MemoryBus::new(&[(0, 0x1000)]);
    // add r4,pc,#1; bx r4 | mov r0,#0; mov r1,#1; mov r3,#20; add r2,r0,r1; mov r0,r1; mov r1,r2; sub r3,#1; bne .-8; b .
    bus.put(0, Width::Word, &[0xe28f_4001, 0xe12f_ff14]);
    bus.put(
        8,
        Width::Half,
        &[
            0x2000, 0x2101, 0x2314, 0x1842, 0x4608, 0x4611, 0x3b01, 0xd1fa, 0xe7fe,
        ],
    );
    assert_eq!(fibonacci(&mut Core::default(), &mut bus), 10946);
}

#[test]
fn a_changed_instruction_is_executed_as_changed() {
    let mut bus = MemoryBus::new(&[(0, 0x1000)]);
    // ldr r0,[pc,#8]; str r0,[pc,#-4]; (nop, overwritten); b . ; literal: mov r5,#42
    bus.put(
        0,
        Width::Word,
        &[
            0xe59f_0008,
            0xe50f_0004,
            0xe1a0_0000,
            0xeaff_fffe,
            0xe3a0_502a,
        ],
    );
    let mut core = Core::default();
    for cycle in 0..3 {
        step(
            &mut core,
            &mut bus,
            &mut OneCycle::default(),
            &mut Unobserved,
            cycle,
        );
    }
    assert_eq!(core.register(5), 42);
}

#[test]
fn interrupts_come_at_the_boundary_and_in_order_of_priority() {
    let mut bus = MemoryBus::new(&[(0, 0x1000)]);
    bus.put(0x100, Width::Word, &[0xe1a0_0000; 4]);
    // IRQ: subs pc,lr,#4 ; FIQ the same.
    bus.put(0x18, Width::Word, &[0xe25e_f004, 0xe25e_f004]);
    let mut core = Core::default();
    core.set_status(core.status().with_bits(0x1f));
    core.set_program_counter(0x100);
    let one = |core: &mut Core, bus: &mut MemoryBus| {
        step(core, bus, &mut OneCycle::default(), &mut Unobserved, 0).outcome
    };
    assert_eq!(one(&mut core, &mut bus), Outcome::Executed);
    (bus.irq, bus.fiq) = (true, true);
    assert_eq!(
        one(&mut core, &mut bus),
        Outcome::Exception(Exception::FastInterrupt)
    );
    assert_eq!(core.status().mode, Mode::FastInterrupt);
    assert_eq!((core.register(14), core.program_counter()), (0x108, 0x1c));
    bus.fiq = false;
    assert_eq!(one(&mut core, &mut bus), Outcome::Executed);
    assert_eq!(
        (core.status().bits(), core.program_counter()),
        (0x1f, 0x104)
    );
    assert_eq!(
        one(&mut core, &mut bus),
        Outcome::Exception(Exception::Interrupt)
    );
    assert_eq!((core.register(14), core.program_counter()), (0x108, 0x18));
    assert_eq!(core.saved_status().unwrap().bits(), 0x1f);
    bus.irq = false;
    one(&mut core, &mut bus);
    assert_eq!(
        (core.status().bits(), core.program_counter()),
        (0x1f, 0x104)
    );
}

#[test]
fn each_mask_holds_back_its_own_line() {
    for flags in 0..16_u32 {
        let [irq, fiq, irq_masked, fiq_masked] = [0, 1, 2, 3].map(|bit| flags >> bit & 1 != 0);
        let mut bus = MemoryBus::new(&[(0, 0x1000)]);
        (bus.irq, bus.fiq) = (irq, fiq);
        let mut core = Core::default();
        let masks = u32::from(irq_masked) << 7 | u32::from(fiq_masked) << 6;
        core.set_status(core.status().with_bits(0x1f | masks));
        let model = &mut OneCycle::default();
        let found = step(&mut core, &mut bus, model, &mut Unobserved, 0).outcome;
        let expected = if fiq && !fiq_masked {
            Outcome::Exception(Exception::FastInterrupt)
        } else if irq && !irq_masked {
            Outcome::Exception(Exception::Interrupt)
        } else {
            // The word 0 is ANDEQ r0, r0, r0.
            Outcome::Passed
        };
        assert_eq!(found, expected, "{flags:04b}");
    }
}

#[test]
fn nowhere_is_a_prefetch_abort_and_a_refused_load_a_data_abort() {
    let mut bus = MemoryBus::new(&[(0, 0x1000)]);
    bus.put(0x100, Width::Word, &[0xe5b0_1004]);
    let mut core = Core::default();
    core.set_program_counter(0x100);
    core.set_register(0, 0x8000_0000);
    core.set_register(1, 7);
    let mut one =
        |core: &mut Core| step(core, &mut bus, &mut OneCycle::default(), &mut Unobserved, 0);
    let aborted = one(&mut core);
    assert_eq!(aborted.outcome, Outcome::Exception(Exception::DataAbort));
    assert_eq!(aborted.cycles, 2);
    assert_eq!((core.register(14), core.program_counter()), (0x108, 0x10));
    assert_eq!((core.register(0), core.register(1)), (0x8000_0004, 7));
    assert_eq!(core.last_fault.unwrap().address, 0x8000_0004);
    core.set_program_counter(0x4000_0000);
    let aborted = one(&mut core);
    assert_eq!(
        aborted.outcome,
        Outcome::Exception(Exception::PrefetchAbort)
    );
    assert_eq!(
        (core.register(14), core.program_counter()),
        (0x4000_0004, 0xc)
    );
}

#[test]
fn a_line_operation_without_translation_aborts_from_version_6_on() {
    for model in CoreModel::ALL {
        if !model.has_system_control() {
            continue;
        }
        let mut bus = MemoryBus::new(&[(0, 0x1_0000)]);
        // mcr p15,0,r1,c2,c0,0; mcr p15,0,r2,c3,c0,0; mcr p15,0,r3,c1,c0,0; mcr p15,0,r0,c7,c14,1; b .
        let code = [
            0xee02_1f10,
            0xee03_2f10,
            0xee01_3f10,
            0xee07_0f3e,
            0xeaff_fffe,
        ];
        bus.put(0x100, Width::Word, &code);
        // The first megabyte is a section for all, the second one is nowhere.
        bus.put(0x4000, Width::Word, &[0x0000_0c12, 0]);
        let mut core = Core::new(model);
        core.set_program_counter(0x100);
        for (register, value) in [(0, 0x0010_0000), (1, 0x4000), (2, 1), (3, 0x0005_0079)] {
            core.set_register(register, value);
        }
        let mut one =
            |core: &mut Core| step(core, &mut bus, &mut OneCycle::default(), &mut Unobserved, 0);
        let outcomes = [0; 4].map(|_: u32| one(&mut core).outcome);
        let aborts = model.has(Version::V6);
        assert_eq!(
            outcomes[3] == Outcome::Exception(Exception::DataAbort),
            aborts,
            "{model:?}"
        );
        let next = if aborts { 0x10 } else { 0x110 };
        assert_eq!(core.program_counter(), next, "{model:?}");
    }
}
