//! Machines with several cores: who runs when, and that it depends on nothing but the machine.

use crate::support;
use socscope_core::{Observer, Unobserved};
use socscope_machine::{
    CoreCycles, Engine, Machine, MachineObserver, Replay, Snapshot, Stop, Until,
};
use socscope_memory::{RegionIndex, Width};
use socscope_time::Instant;
use support::powerpc::{
    ENGINE, LWARX_5_4, RFI, SHARED, STWCX_5_4, addi, branch, counting, counting_together, elf,
    engine, load, lwz, mpc8641d, mtmsr, mtspr, napping, stw, word,
};

fn loaded(image: &[u8]) -> Machine {
    let mut machine = mpc8641d(&[]).unwrap();
    machine.load_elf(image, "program").unwrap();
    machine
}

fn at_cycle(machine: &Machine, cycle: u64) -> Until {
    Until::time(machine.clock().instant_of(cycle))
}

fn run_to(machine: &mut Machine, cycle: u64) -> Stop {
    let until = at_cycle(machine, cycle);
    machine.run(&until, &mut Unobserved)
}

#[test]
fn the_second_core_is_held_until_it_is_released() {
    let mut machine = loaded(&counting_together());
    assert_eq!((machine.cores(), machine.turn()), (2, 0));
    run_to(&mut machine, 4);
    assert_eq!(machine.core(1).program_counter(), 0x100);
    run_to(&mut machine, 100_000);
    assert!(word(&machine, SHARED + 4) > 1_000, "the first counts");
    assert!(word(&machine, SHARED + 8) > 1_000, "the second counts");
}

#[test]
fn what_is_counted_with_reservations_is_counted_once() {
    let mut machine = loaded(&counting_together());
    run_to(&mut machine, 1_000_003);
    let own = word(&machine, SHARED + 4) + word(&machine, SHARED + 8);
    let together = word(&machine, SHARED);
    // Either core may stand between the two stores.
    assert!((own..=own + 2).contains(&together), "{own} {together}");
}

#[test]
fn where_runs_are_cut_and_which_engine_runs_makes_no_difference() {
    const END: u64 = 60_000;
    let image = counting_together();
    let mut whole = loaded(&image);
    run_to(&mut whole, END);
    let expected = (whole.moment(), whole.state_hash());
    for engine in [Engine::Interpreted, Engine::Translated] {
        for piece in [7, 999, 1000, 1001, 4567] {
            let mut machine = loaded(&image);
            machine.set_engine(engine);
            machine.set_translation_threshold(3);
            let mut cycle = 0;
            while cycle < END {
                cycle = (cycle + piece).min(END);
                run_to(&mut machine, cycle);
            }
            assert_eq!(
                (machine.moment(), machine.state_hash()),
                expected,
                "{engine:?} in pieces of {piece}"
            );
        }
    }
}

#[test]
fn single_steps_come_to_the_same() {
    let image = counting_together();
    let mut stepped = loaded(&image);
    let mut seen = vec![];
    while stepped.cycle() < 5_000 {
        let before = stepped.moment();
        stepped.step(&mut Unobserved);
        seen.push(stepped.moment());
        assert!(before < stepped.moment(), "time goes on");
    }
    let mut whole = loaded(&image);
    let stop = whole.reach(stepped.moment(), &mut Unobserved);
    assert_eq!(stop, Ok(Stop::Time));
    assert_eq!(whole.state_hash(), stepped.state_hash());
    // In the middle of a turn, where one core is ahead.
    let odd = seen[seen.len() / 2 + 137];
    let mut middle = loaded(&image);
    assert_eq!(middle.reach(odd, &mut Unobserved), Ok(Stop::Time));
    assert_eq!(middle.moment(), odd);
}

#[test]
fn forks_and_repeated_runs_are_the_same_to_the_bit() {
    let image = counting_together();
    let mut machine = loaded(&image);
    run_to(&mut machine, 12_345);
    let mut fork = machine.fork().unwrap();
    machine.poke(SHARED + 0x10, &[1, 2, 3, 4]);
    run_to(&mut machine, 40_000);
    assert!(run_to(&mut fork, 40_000) == Stop::Time);
    assert_ne!(machine.state_hash(), fork.state_hash());
    let mut again = loaded(&image);
    let mut replay = Replay::new(&again, machine.inputs().clone(), machine.moment());
    assert_eq!(
        replay.advance(&mut again, u64::MAX, &mut Unobserved),
        Ok(None)
    );
    assert_eq!(again.state_hash(), machine.state_hash());
}

#[test]
fn a_breakpoint_stops_the_core_that_comes_there() {
    let mut machine = loaded(&counting_together());
    let until = Until {
        addresses: [0x108].into(),
        ..Until::time(Instant::FOREVER)
    };
    for _ in 0..3 {
        assert_eq!(machine.run(&until, &mut Unobserved), Stop::Address(0x108));
        assert_eq!((machine.turn(), machine.pc()), (1, 0x108));
    }
    let for_first = Until {
        cores: [(0x108, [0].into())].into(),
        time: Instant(machine.now().0 + 1_000_000),
        ..until
    };
    assert_eq!(
        machine.run(&for_first, &mut Unobserved),
        Stop::Time,
        "the second core goes through"
    );
}

#[test]
fn a_core_that_naps_is_woken_by_its_decrementer() {
    // 10 cycles a tick.
    let mut machine = loaded(&napping(9_999));
    let until = at_cycle(&machine, 10_000_000);
    assert_eq!(machine.run(&until, &mut Unobserved), Stop::Time);
    let woken = word(&machine, SHARED);
    assert!((98..=100).contains(&woken), "woken {woken} times");
    // The sleeper is woken up to 100 times, and executes 13 instructions or takes the interrupt each time; the other is held in reset.
    let slept = machine.core_cycles(0).asleep;
    assert!((9_998_500..10_000_000).contains(&slept), "{slept}");
    assert_eq!(machine.core_cycles(1).executing, 0);
    assert_eq!(machine.core_cycles(1).asleep, machine.cycle_of(1));
    assert!(!machine.asleep(), "the decrementer comes again");
    let mut interpreted = loaded(&napping(9_999));
    interpreted.set_engine(Engine::Interpreted);
    interpreted.run(&until, &mut Unobserved);
    assert_eq!(interpreted.state_hash(), machine.state_hash());
}

#[test]
fn a_machine_check_that_cannot_be_taken_ends_the_run() {
    // Clears MSR[ME], and reads where nothing is.
    let mut words = support::powerpc::load(3, 0).to_vec();
    words.push(support::powerpc::mtmsr(3));
    words.extend(support::powerpc::load(4, 0xf000_0000));
    words.push(support::powerpc::lwz(5, 4, 0));
    let mut machine = loaded(&elf(0x1000, &[(0x1000, words)]));
    assert_eq!(
        run_to(&mut machine, 1_000),
        Stop::Stuck(
            "core 0 is in checkstop at 0x00001014: a machine check while MSR[ME] is clear \
             (nothing is mapped at 0xf0000000)"
                .into()
        )
    );
}

#[test]
fn a_quantum_of_no_cycles_and_too_fast_a_time_base_are_refused() {
    let error = |text: &str| mpc8641d(&[text]).map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        error("/cpus:socscope,quantum-cycles=0"),
        "/cpus: property socscope,quantum-cycles: a turn of no cycles; give at least 1"
    );
    assert_eq!(
        error("/cpus/PowerPC,8641@1:timebase-frequency=2000000000"),
        "/cpus/PowerPC,8641@1: property timebase-frequency: 2000000000 Hz is more than the core's clock of \
         1350000000 Hz; give at most the clock's frequency"
    );
    assert_eq!(
        error("/cpus/PowerPC,8641@0:socscope,timing=arm7tdmi"),
        "/cpus/PowerPC,8641@0: property socscope,timing: no timing model of this core is called \"arm7tdmi\"; choose \"fixed-cpi\" or \"caches\""
    );
}

/// Counts what takes a cycle each, by core.
#[derive(Default)]
struct Steps {
    turn: usize,
    instructions: [u64; 2],
}

impl Observer for Steps {
    fn instruction(&mut self, _pc: u32, _width: Width, _region: RegionIndex) {
        self.instructions[self.turn] += 1;
    }
}

impl MachineObserver for Steps {
    fn turn(&mut self, core: u16) {
        self.turn = usize::from(core);
    }
}

#[test]
fn without_caches_the_cycles_of_executing_are_the_instructions() {
    let mut machine = loaded(&counting_together());
    let mut steps = Steps::default();
    let until = at_cycle(&machine, 12_345);
    machine.run(&until, &mut steps);
    for core in 0..2 {
        let cycles = machine.core_cycles(core);
        assert_eq!(cycles.executing, steps.instructions[core]);
        assert_eq!(cycles.executing + cycles.asleep, machine.cycle_of(core));
        assert_eq!(cycles.bus_held, 0);
    }
    assert_eq!(machine.core_cycles(0).asleep, 0);
    assert!(machine.core_cycles(1).asleep > 0, "held at first");
}

#[test]
fn forks_and_snapshots_carry_on_with_the_cycles_and_states_from_files_begin() {
    let mut machine = loaded(&napping(999));
    run_to(&mut machine, 100_000);
    let snapshot = machine.snapshot();
    let here = machine.core_cycles(0);
    let mut fork = machine.fork().unwrap();
    assert_eq!(fork.core_cycles(0), here);
    run_to(&mut machine, 200_000);
    run_to(&mut fork, 200_000);
    let there = machine.core_cycles(0);
    assert_eq!(fork.core_cycles(0), there);
    machine.restore(&snapshot).unwrap();
    assert_eq!(machine.core_cycles(0), here);
    let sections = snapshot.sections();
    let find = |name: &str| {
        let section = sections.iter().find(|(known, _)| *known == name);
        section.map(|(_, bytes)| bytes.as_slice())
    };
    let mut other = mpc8641d(&[]).unwrap();
    let copy = Snapshot::from_sections(&other, find).unwrap();
    other.restore(&copy).unwrap();
    assert_eq!(other.core_cycles(0), CoreCycles::default());
    run_to(&mut other, 200_000);
    let since = other.core_cycles(0);
    assert_eq!(since.executing, there.executing - here.executing);
    assert_eq!(since.asleep, there.asleep - here.asleep);
}

/// The first core releases the second and naps; the second lets the engine fetch a line from memory.
fn transferring_while_the_first_naps() -> Vec<u8> {
    let store = |address: u32, value: u32| {
        [&load(3, address)[..], &load(5, value), &[stw(5, 3, 0)]].concat()
    };
    let mut first = store(0xffe0_1010, 0x0300_0000);
    // The decrementer is far away. HID0: nap. MSR[POW], EE, ME.
    first.extend([&load(7, 0x7fff_ffff)[..], &[mtspr(22, 7)]].concat());
    first.extend([&load(3, 0x0440_c000)[..], &[mtspr(1008, 3)]].concat());
    first.extend([&load(3, 0x0004_9000)[..], &[mtmsr(3), branch(-1)]].concat());
    let mut second = vec![];
    // DMA_READ, SOURCE, LENGTH, START.
    for (offset, value) in [(0x04, 4_u32), (0x24, SHARED), (0x18, 1024), (0x1c, 1)] {
        second.extend(store(ENGINE + offset, value));
    }
    second.push(branch(0));
    elf(0x1000, &[(0x100, second), (0x1000, first)])
}

#[test]
fn dma_keeps_only_cores_that_are_awake_from_the_bus() {
    let mut machine = mpc8641d(&[]).unwrap();
    machine
        .load_elf(&transferring_while_the_first_naps(), "program")
        .unwrap();
    machine.add_node(&engine()).unwrap();
    let mut reference = machine.fork().unwrap();
    run_to(&mut machine, 5_000);
    let [first, second] = [0, 1].map(|core| machine.core_cycles(core));
    assert!(first.asleep > 4_900, "{first:?}");
    assert_eq!((first.bus_held, second.bus_held), (0, 32));
    for cycle in 1..=5_000 {
        run_to(&mut reference, cycle);
    }
    assert_eq!(reference.state_hash(), machine.state_hash());
}

/// Both cores count; an interrupt at the pin IRQ0 is the second one's.
fn counting_with_an_interrupt_for_the_second() -> Vec<u8> {
    const CONTROLLER: u32 = 0xffe4_0000;
    let store = |address: u32, value: u32| {
        [&load(3, address)[..], &load(5, value), &[stw(5, 3, 0)]].concat()
    };
    let mut first = store(0xffe0_1010, 0x0300_0000);
    // GCR: mixed mode. CTPR of core 1: open. IRQ0: priority 8, high level, for core 1.
    for (offset, value) in [
        (0x1020, 1 << 29),
        (0x2_1080, 0),
        (0x1_0010, 1 << 1),
        (0x1_0000, 8 << 16 | 3 << 22),
    ] {
        first.extend(store(CONTROLLER + offset, value));
    }
    first.extend(counting(4));
    // MSR[EE], ME.
    let mut second = [&load(3, 0x9000)[..], &[mtmsr(3)]].concat();
    second.extend(counting(8));
    // Reads IACK and stays in service.
    let mut handler = load(10, CONTROLLER + 0xa0).to_vec();
    handler.extend([lwz(11, 10, 0), addi(12, 12, 1), stw(12, 4, 12), RFI]);
    elf(
        0x1000,
        &[(0x100, second), (0x500, handler), (0x1000, first)],
    )
}

#[test]
fn a_fork_between_an_input_for_another_core_and_the_next_run_goes_the_same_way() {
    let image = counting_with_an_interrupt_for_the_second();
    for steps in (1..1_000).step_by(83) {
        let mut machine = loaded(&image);
        run_to(&mut machine, 10_000);
        while machine.turn() != 0 {
            machine.step(&mut Unobserved);
        }
        for _ in 0..steps {
            machine.step(&mut Unobserved);
        }
        let behind = machine.cycle_of(1);
        assert_eq!((machine.turn(), machine.cycle_of(0)), (0, behind + steps));
        machine.set_input("mpic", "irq0", true).unwrap();
        let mut fork = machine.fork().unwrap();
        assert_eq!(fork.state_hash(), machine.state_hash());
        // The second core takes it at once, not when the turn would have ended.
        for one in [&mut machine, &mut fork] {
            one.step(&mut Unobserved);
            assert_eq!(
                (one.cycle_of(0), one.cycle_of(1)),
                (behind + steps, behind + 1)
            );
        }
        for end in [10_100, 12_000, 15_000] {
            run_to(&mut machine, end);
            run_to(&mut fork, end);
            assert_eq!(fork.moment(), machine.moment());
            assert_eq!(fork.state_hash(), machine.state_hash());
        }
        assert_eq!(word(&machine, SHARED + 12), 1, "the interrupt came");
    }
}

/// In the middle of nothing else that is written.
const RESERVED: u32 = SHARED + 0x100;

/// Reserves the word at [`RESERVED`], lets the engine write one at `line`, and stores on condition.
fn storing_on_condition_behind_dma(line: u32) -> Vec<u8> {
    let store = |address: u32, value: u32| {
        [&load(3, address)[..], &load(6, value), &[stw(6, 3, 0)]].concat()
    };
    let mut words = vec![];
    // DMA_WRITE, DESTINATION, LENGTH.
    for (offset, value) in [(0x04, 8), (0x28, line), (0x18, 32)] {
        words.extend(store(ENGINE + offset, value));
    }
    words.extend(load(4, RESERVED));
    words.push(LWARX_5_4);
    words.extend(store(ENGINE + 0x1c, 1));
    // The line takes 270 cycles.
    words.extend([addi(9, 0, 400), mtspr(9, 9), 0x4200_0000]);
    words.extend([addi(5, 0, 77), STWCX_5_4, branch(0)]);
    elf(0x1000, &[(0x1000, words)])
}

#[test]
fn dma_ends_a_reservation_of_the_bytes_that_it_writes() {
    for (line, stored) in [
        (RESERVED, 0),
        (RESERVED + 0x1c, 0),
        (RESERVED - 4, 77),
        (RESERVED + 0x20, 77),
    ] {
        let mut machine = mpc8641d(&[]).unwrap();
        machine
            .load_elf(&storing_on_condition_behind_dma(line), "program")
            .unwrap();
        machine.add_node(&engine()).unwrap();
        let mut hashes = vec![];
        for engine in [Engine::Interpreted, Engine::Translated] {
            let mut one = machine.fork().unwrap();
            one.set_engine(engine);
            one.set_translation_threshold(1);
            run_to(&mut one, 5_000);
            assert_eq!(word(&one, RESERVED), stored, "{line:#x} {engine:?}");
            hashes.push(one.state_hash());
        }
        assert_eq!(hashes[0], hashes[1]);
    }
}
