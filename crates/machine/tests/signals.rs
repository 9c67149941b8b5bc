//! Signals that end at cores: each has the name of its core, whether it is listed, driven from outside or recorded.

use crate::support;
use crate::support::mixed::{arm_branch, arm_load};
use crate::support::private::{MIXED, SHARED, board_with, one_of_two, two_arms, word};
use socscope_core::Unobserved;
use socscope_machine::{Engine, Input, Machine, Replay, Snapshot, Stop, Until};
use socscope_memory::Viewer;
use socscope_time::Instant;

fn run_us(machine: &mut Machine, microseconds: u64) -> Stop {
    let until = Until::time(Instant(microseconds * 1_000_000));
    machine.run(&until, &mut Unobserved)
}

fn levels(machine: &Machine) -> Vec<(String, bool)> {
    let signals = machine.core_signals();
    let named = signals.iter().map(|signal| (signal.name(), signal.level));
    named.collect()
}

/// Vectors that add 1 to r4 of whoever comes there, for interrupts, and 0x100 for fast ones; both store it and stay there.
fn vectors() -> Vec<u32> {
    let stays = arm_branch(0xe, 0);
    // add r4, r4, #1; str r4, [r7]; b back
    let mut words = vec![stays; 6];
    words.extend([
        arm_branch(0xe, 6),
        arm_branch(0xe, 8),
        stays,
        stays,
        stays,
        stays,
    ]);
    words.extend([0xe284_4001, 0xe587_4000, stays]);
    words.extend([0xe284_4c01, 0xe587_4000, stays]);
    words
}

/// Lets interrupts through, and waits.
fn waiting(core: u32) -> Vec<u32> {
    let mut words = arm_load(7, SHARED + 16 * core).to_vec();
    // mov r4, #0; msr cpsr_c, #0x13; b back
    words.extend([0xe3a0_4000, 0xe321_f013, arm_branch(0xe, 0)]);
    words
}

#[test]
fn a_signal_from_outside_reaches_the_core_that_it_names() {
    let own = || vec![0xe1a0_0000_u32];
    let make = |machine: &mut Machine| {
        let bytes: Vec<u8> = vectors()
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        assert_eq!(machine.poke(0, &bytes), bytes.len());
    };
    let ends = [Engine::Interpreted, Engine::Translated].map(|engine| {
        let mut machine = two_arms([waiting(0), waiting(1)], [own(), own()]);
        make(&mut machine);
        machine.set_engine(engine);
        machine.set_translation_threshold(2);
        run_us(&mut machine, 10);
        machine.set_input("cpu1", "fiq", true).unwrap();
        run_us(&mut machine, 20);
        let names = ["cpu0.irq", "cpu0.fiq", "cpu1.irq", "cpu1.fiq"];
        let expected = names.map(|name| (name.to_string(), name == "cpu1.fiq"));
        assert_eq!(levels(&machine), expected);
        let told = [0, 16].map(|at| word(&machine, Viewer::Everyone, SHARED + at));
        assert_eq!(told, [0, 0x100]);
        // A file that holds the line; then it goes low.
        let sections = machine.snapshot().sections();
        let find = |name: &str| {
            let section = sections.iter().find(|(known, _)| *known == name);
            section.map(|(_, bytes)| bytes.as_slice())
        };
        let copy = Snapshot::from_sections(&machine, find).unwrap();
        machine.restore(&copy).unwrap();
        machine.set_input("cpu1", "fiq", false).unwrap();
        machine.set_input("cpu0", "irq", true).unwrap();
        run_us(&mut machine, 30);
        assert!(levels(&machine)[0].1 && !levels(&machine)[3].1);
        assert_eq!(word(&machine, Viewer::Everyone, SHARED), 1);
        machine
    });
    let [machine, translated] = ends;
    assert_eq!(machine.state_hash(), translated.state_hash());
    let targets = machine.inputs().iter().map(|one| one.input.target());
    let targets: Vec<String> = targets.collect();
    assert_eq!(
        targets,
        ["cpu1", "0x00000000", "cpu1.fiq", "cpu1.fiq", "cpu0.irq"]
    );
    let mut again = one_of_two(waiting(0), own());
    let mut replay = Replay::new(&again, machine.inputs().clone(), machine.moment());
    let end = replay.advance(&mut again, u64::MAX, &mut Unobserved);
    assert_eq!((end, again.state_hash()), (Ok(None), machine.state_hash()));
}

#[test]
fn lines_that_a_core_does_not_have_are_refused() {
    let mut machine = board_with(MIXED, "").unwrap();
    let mut message = |device: &str, line: &str| {
        let refused = machine.set_input(device, line, true);
        refused.expect_err("there is no such line").to_string()
    };
    assert_eq!(
        message("cpu0", "fiq"),
        "private: no input line is called fiq; there are: irq, mcp, sreset"
    );
    assert_eq!(
        message("cpu2", "irq"),
        "private: no device is called cpu2; there are: port_one, port_two"
    );
    assert!(machine.inputs().is_empty());
}

#[test]
fn registers_in_records_have_the_names_of_their_core() {
    let mut machine = board_with(MIXED, "").unwrap();
    for (core, number, name) in [(0, 4, "cpu0.r4"), (1, 15, "cpu1.pc"), (1, 4, "cpu1.r4")] {
        let input = Input::CoreRegister {
            core,
            number,
            value: 8,
        };
        assert_eq!(input.target_in(&machine), name);
        machine.apply(input).unwrap();
    }
}

#[test]
fn a_core_that_faults_for_ever_is_named_beside_a_core_that_takes_exceptions() {
    // Turns are so short that the ARM faults a few times only before the PowerPC does.
    let more = "/ { cpus { socscope,quantum-cycles = <8>; }; };";
    for engine in [Engine::Interpreted, Engine::Translated] {
        let mut machine = board_with(MIXED, more).unwrap();
        // tw 31, 0, 0; b back. The handler at 0x700 goes on behind the instruction.
        let trap = vec![0x7fe0_0008, support::powerpc::branch(-1)];
        let handler = vec![
            0x7c7a_02a6,
            support::powerpc::addi(3, 3, 4),
            0x7c7a_03a6,
            support::powerpc::RFI,
        ];
        let image = support::powerpc::elf(0x1000, &[(0x700, handler), (0x1000, trap)]);
        machine.load_elf(&image, "first").unwrap();
        // Undefined at its own vector.
        let image = support::mixed::arm_elf(&[(0x4000, vec![0xe7f0_00f0]), (4, vec![0xe7f0_00f0])]);
        support::mixed::load_second(&mut machine, &image).unwrap();
        machine.set_engine(engine);
        let stop = run_us(&mut machine, 1_000);
        let Stop::Stuck(why) = stop else {
            panic!("{engine:?}: {stop:?}")
        };
        assert!(
            why.starts_with(
                "the undefined instruction at 0x00000004 happens again in its own handler"
            ),
            "{why}"
        );
        assert_eq!(machine.stuck_core(), 1);
        let sections = machine.snapshot().sections();
        assert!(
            sections
                .iter()
                .any(|(name, _)| *name == "exceptions_of_others")
        );
    }
}
