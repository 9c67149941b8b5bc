//! Exceptions of the PowerPC: faults of translation and of the bus are precise, interrupts come between instructions.

#[allow(dead_code)]
use crate::support;
use socscope_core::Purpose;
use socscope_core::{Observer, Transfer, Unobserved};
use socscope_memory::{Bus, Endianness, Width};
use socscope_powerpc::interpreter::{Outcome, Step, run, step};
use socscope_powerpc::{
    Class, Core, CoreModel, Exception, Msr, Translate, TranslationFault, Untranslated,
};
use support::{MemoryBus, OneCycle};

/// Pages are where they are, but those from 2000 on lie 8000 higher, 4000 is not there and 5000 is read-only.
struct Pages;

impl Translate for Pages {
    fn translate<B: Bus>(
        &mut self,
        core: &Core,
        _bus: &mut B,
        effective: u32,
        purpose: Purpose,
    ) -> Result<u32, TranslationFault> {
        let bit = match purpose {
            Purpose::Fetch => Msr::INSTRUCTION_TRANSLATION,
            _ => Msr::DATA_TRANSLATION,
        };
        match effective >> 12 {
            _ if !core.msr().has(bit) => Ok(effective),
            2 => Ok(effective + 0x8000),
            4 => Err(TranslationFault::MISSING),
            5 if purpose == Purpose::Write => Err(TranslationFault::PROTECTED),
            _ => Ok(effective),
        }
    }
}

const DATA_TRANSLATED: u32 = Msr::MACHINE_CHECK_ENABLE | Msr::DATA_TRANSLATION;

/// Executes `word` at 1000. Registers n hold n times 0x101 but for those given.
fn execute(word: u32, msr: u32, registers: &[(u32, u32)]) -> (Core, MemoryBus, Step) {
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, 0x1_0000)]);
    bus.put(0x1000, Width::Word, &[word]);
    for address in (0x2000..0xb000).step_by(4) {
        bus.put(address, Width::Word, &[0x1111_0000 | address]);
    }
    let mut core = Core::new(CoreModel::E600);
    core.set_msr(Msr(msr));
    core.set_program_counter(0x1000);
    for index in 0..32 {
        core.set_register(index, index * 0x101);
    }
    for &(index, value) in registers {
        core.set_register(index, value);
    }
    let model = &mut OneCycle::<Class>::default();
    let step = step(&mut core, &mut bus, &mut Pages, model, &mut Unobserved, 0);
    (core, bus, step)
}

fn word(bus: &MemoryBus, address: u32) -> u32 {
    bus.space
        .read_memory(address, Width::Word, Endianness::Big)
        .expect("memory")
        .0
}

fn data_storage(address: u32, status: u32) -> Outcome {
    Outcome::Exception(Exception::DataStorage { address, status })
}

#[test]
fn a_load_that_has_no_page_leaves_everything_as_it_was() {
    // lwzu r3, 4(r4)
    let (core, _, step) = execute(0x8464_0004, DATA_TRANSLATED, &[(4, 0x4100)]);
    assert_eq!(step.outcome, data_storage(0x4104, 0x4000_0000));
    assert_eq!((core.register(3), core.register(4)), (0x303, 0x4100));
    assert_eq!(
        (core.special(26), core.special(27)),
        (0x1000, DATA_TRANSLATED)
    );
    assert_eq!((core.special(19), core.special(18)), (0x4104, 0x4000_0000));
    assert_eq!(core.program_counter(), 0x300);
}

#[test]
fn a_store_to_a_protected_page_says_that_it_was_a_store() {
    // stwux r3, r4, r5
    let (core, bus, step) = execute(0x7c64_296e, DATA_TRANSLATED, &[(4, 0x5000), (5, 8)]);
    assert_eq!(step.outcome, data_storage(0x5008, 0x0a00_0000));
    assert_eq!(
        (core.register(4), word(&bus, 0x5008)),
        (0x5000, 0x1111_5008)
    );
}

#[test]
fn an_access_across_pages_is_made_on_both_or_on_none() {
    // stw r3, 0(r4), from 2ffe: the second page is where it is.
    let (_, bus, step) = execute(
        0x9064_0000,
        DATA_TRANSLATED,
        &[(3, 0xaabb_ccdd), (4, 0x2ffe)],
    );
    assert_eq!(step.outcome, Outcome::Executed);
    assert_eq!(
        (word(&bus, 0xaffc), word(&bus, 0x3000)),
        (0x1111_aabb, 0xccdd_3000)
    );
    let (_, bus, step) = execute(0x9064_0000, DATA_TRANSLATED, &[(4, 0x3ffe)]);
    assert_eq!(step.outcome, data_storage(0x4000, 0x4200_0000));
    assert_eq!(word(&bus, 0x3ffc), 0x1111_3ffc);
}

#[test]
fn a_multiple_load_stops_at_the_fault_and_can_be_repeated() {
    // lmw r29, 0(r4), from 3ff8: two words, then nothing.
    let (core, _, step) = execute(0xbba4_0000, DATA_TRANSLATED, &[(4, 0x3ff8)]);
    assert_eq!(step.outcome, data_storage(0x4000, 0x4000_0000));
    let registers = [29, 30, 31, 4].map(|index| core.register(index));
    assert_eq!(registers, [0x1111_3ff8, 0x1111_3ffc, 0x1f1f, 0x3ff8]);
}

#[test]
fn a_conditional_store_that_faults_keeps_its_reservation() {
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, 0x1_0000)]);
    // lwarx r3, 0, r4; stwcx. r3, 0, r4
    bus.put(0x1000, Width::Word, &[0x7c60_2028, 0x7c60_212d]);
    let mut core = Core::new(CoreModel::E600);
    core.set_msr(Msr(DATA_TRANSLATED));
    core.set_program_counter(0x1000);
    core.set_register(4, 0x5024);
    let model = &mut OneCycle::<Class>::default();
    for _ in 0..2 {
        step(&mut core, &mut bus, &mut Pages, model, &mut Unobserved, 0);
    }
    assert_eq!(core.reservation, Some(0x5020));
    assert_eq!(core.special(18), 0x0a00_0000);
}

#[test]
fn an_instruction_that_has_no_page_is_not_fetched() {
    let msr = Msr::INSTRUCTION_TRANSLATION;
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, 0x1_0000)]);
    let mut core = Core::new(CoreModel::E600);
    core.set_msr(Msr(msr));
    core.set_program_counter(0x4004);
    let model = &mut OneCycle::<Class>::default();
    let step = step(&mut core, &mut bus, &mut Pages, model, &mut Unobserved, 0);
    let status = 0x4000_0000;
    let expected = Exception::InstructionStorage { status };
    assert_eq!(step.outcome, Outcome::Exception(expected));
    assert_eq!((core.special(26), core.special(27)), (0x4004, status | msr));
}

#[test]
fn what_the_bus_refuses_is_a_machine_check_or_a_checkstop() {
    // lwz r3, 0(r4)
    let load = 0x8064_0000;
    let nowhere = [(4, 0x9000_0000)];
    let (core, _, step) = execute(load, Msr::MACHINE_CHECK_ENABLE, &nowhere);
    assert_eq!(step.outcome, Outcome::Exception(Exception::MachineCheck));
    assert_eq!(
        (core.special(27), core.program_counter()),
        (0x0004_1000, 0x200)
    );
    assert!(core.last_fault.is_some());
    let (core, _, step) = execute(load, 0, &nowhere);
    assert_eq!(step.outcome, Outcome::Checkstop);
    assert_eq!((core.program_counter(), core.register(3)), (0x1000, 0x303));
}

#[test]
fn interrupts_come_between_instructions_and_the_decrementer_once() {
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, 0x1_0000)]);
    // addi r3, r3, 1
    bus.put(0x1000, Width::Word, &[0x3863_0001; 4]);
    bus.irq = true;
    let mut core = Core::new(CoreModel::Ppc750);
    core.set_program_counter(0x1000);
    core.set_special_at(22, u32::MAX >> 1, 0);
    core.set_special_at(22, u32::MAX, 0);
    let model = &mut OneCycle::<Class>::default();
    let mut next = |core: &mut Core, bus: &mut MemoryBus| {
        step(core, bus, &mut Untranslated, model, &mut Unobserved, 0).outcome
    };
    core.set_msr(Msr(0));
    assert_eq!(next(&mut core, &mut bus), Outcome::Executed);
    core.set_msr(Msr(Msr::EXTERNAL_ENABLE));
    let external = Outcome::Exception(Exception::External);
    assert_eq!(next(&mut core, &mut bus), external);
    assert_eq!((core.special(26), core.program_counter()), (0x1004, 0x500));
    bus.irq = false;
    core.set_program_counter(0x1004);
    core.set_msr(Msr(Msr::EXTERNAL_ENABLE));
    let decrementer = Outcome::Exception(Exception::Decrementer);
    assert_eq!(next(&mut core, &mut bus), decrementer);
    core.set_program_counter(0x1004);
    core.set_msr(Msr(Msr::EXTERNAL_ENABLE));
    assert_eq!(next(&mut core, &mut bus), Outcome::Executed);
    assert_eq!(core.register(3), 2);
}

#[derive(Default)]
struct Transfers(Vec<(u32, u32, Transfer)>);

impl Observer for Transfers {
    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, _stack_pointer: u32) {
        self.0.push((from, to, kind));
    }
}

#[test]
fn calls_jumps_and_system_calls_are_told_apart() {
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, 0x1_0000)]);
    // bl 2000; sc. At 2000: blr. At c00: rfi.
    bus.put(0x1000, Width::Word, &[0x4800_1001, 0x4400_0002]);
    bus.put(0x2000, Width::Word, &[0x4e80_0020]);
    bus.put(0xc00, Width::Word, &[0x4c00_0064]);
    bus.deadline = 5;
    let mut core = Core::new(CoreModel::Ppc603e);
    core.set_msr(Msr(0));
    core.set_program_counter(0x1000);
    let (mut model, mut seen) = (OneCycle::<Class>::default(), Transfers::default());
    let mut cycle = 0;
    run(
        &mut core,
        &mut bus,
        &mut Untranslated,
        &mut model,
        &mut seen,
        &mut cycle,
    );
    let expected = [
        (0x1000, 0x2000, Transfer::Call),
        (0x2000, 0x1004, Transfer::Jump),
        (0x1004, 0xc00, Transfer::ExceptionEntry(0x60)),
        (0xc00, 0x1008, Transfer::ExceptionReturn),
    ];
    assert_eq!(seen.0, expected);
    assert_eq!((cycle, core.program_counter()), (5, 0x1008));
}

#[test]
fn a_core_without_altivec_has_none_of_its_instructions() {
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, 0x1_0000)]);
    // vand v3, v4, v5; dssall; mtspr 256, r3
    for word in [0x1064_2c04, 0x7e00_066c, 0x7c60_43a6] {
        bus.put(0x1000, Width::Word, &[word]);
        let mut core = Core::new(CoreModel::Ppc750);
        core.set_program_counter(0x1000);
        let model = &mut OneCycle::<Class>::default();
        let step = step(
            &mut core,
            &mut bus,
            &mut Untranslated,
            model,
            &mut Unobserved,
            0,
        );
        assert!(
            matches!(step.outcome, Outcome::Exception(Exception::Program(_))),
            "{word:x}"
        );
    }
}

#[derive(Default)]
struct Marks(Vec<(u8, u32)>);

impl Observer for Marks {
    fn magic(&mut self, number: u8, argument: u32, _cycle: u64) {
        self.0.push((number, argument));
    }
}

#[test]
fn a_register_that_is_inserted_whole_into_itself_is_a_mark() {
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, 0x1_0000)]);
    // rlwimi r4,r4,0,0,31; rlwimi r31,r31,0,0,31; then what is none: rlwimi r4,r3,0,0,31; rlwimi r4,r4,0,0,30; rlwimi. r4,r4,0,0,31
    let words = [
        0x5084_003e,
        0x53ff_003e,
        0x5064_003e,
        0x5084_003c,
        0x5084_003f,
    ];
    bus.put(0x1000, Width::Word, &words);
    let mut core = Core::new(CoreModel::E600);
    core.set_program_counter(0x1000);
    core.set_register(3, 0x3333);
    let mut marks = Marks::default();
    let model = &mut OneCycle::<Class>::default();
    for _ in words {
        step(&mut core, &mut bus, &mut Untranslated, model, &mut marks, 0);
    }
    assert_eq!(marks.0, [(4, 0x3333), (31, 0x3333)]);
}

#[test]
fn a_core_that_naps_wakes_for_interrupts_alone() {
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, 0x1_0000)]);
    // mtmsr r3; isync; b 1008
    bus.put(
        0x1000,
        Width::Word,
        &[0x7c60_0124, 0x4c00_012c, 0x4800_0000],
    );
    let mut core = Core::new(CoreModel::E600);
    core.set_msr(Msr(0));
    core.set_program_counter(0x1000);
    let napping = Msr::POWER_MANAGEMENT | Msr::EXTERNAL_ENABLE;
    core.set_register(3, napping);
    core.set_special_at(22, 9, 0);
    let model = &mut OneCycle::<Class>::default();
    let mut next = |core: &mut Core, bus: &mut MemoryBus, cycle| {
        step(core, bus, &mut Untranslated, model, &mut Unobserved, cycle)
    };
    // Without NAP in HID0 nothing stops.
    let running = next(&mut core, &mut bus, 0);
    assert_eq!(running.outcome, Outcome::Executed);
    core.set_program_counter(0x1000);
    // NAP and TBEN.
    core.set_special_at(1008, 0x0440_0000, 1);
    let stopping = next(&mut core, &mut bus, 1);
    assert_eq!((stopping.outcome, stopping.cycles), (Outcome::Stopped, 1));
    let stopped = next(&mut core, &mut bus, 2);
    assert_eq!((stopped.outcome, stopped.cycles), (Outcome::Stopped, 0));
    let due = core.decrementer_due_cycle();
    assert_eq!(due, 40, "ten ticks of four cycles");
    assert_eq!(next(&mut core, &mut bus, due - 1).outcome, Outcome::Stopped);
    let woken = next(&mut core, &mut bus, due).outcome;
    assert_eq!(woken, Outcome::Exception(Exception::Decrementer));
    assert_eq!(
        [26, 27].map(|number| core.special(number)),
        [0x1004, Msr::EXTERNAL_ENABLE]
    );
    assert!(!core.is_stopped());
}

#[test]
fn requests_come_in_the_order_of_their_priorities() {
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, 0x1_0000)]);
    bus.irq = true;
    let mut core = Core::new(CoreModel::E600);
    core.set_msr(Msr(Msr::EXTERNAL_ENABLE | Msr::MACHINE_CHECK_ENABLE));
    core.request_machine_check();
    assert_eq!(core.pending(false), None, "HID1 does not listen");
    core.set_special_at(1009, 0x8000_0000, 0);
    core.request_machine_check();
    core.request_reset();
    let model = &mut OneCycle::<Class>::default();
    let mut taken = vec![];
    for _ in 0..3 {
        let step = step(
            &mut core,
            &mut bus,
            &mut Untranslated,
            model,
            &mut Unobserved,
            0,
        );
        taken.push(step.outcome);
        core.set_msr(Msr(Msr::EXTERNAL_ENABLE | Msr::MACHINE_CHECK_ENABLE));
    }
    let expected = [
        Exception::SystemReset,
        Exception::MachineCheck,
        Exception::External,
    ];
    assert_eq!(taken, expected.map(Outcome::Exception));
}
