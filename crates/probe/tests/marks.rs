//! Marks at addresses and of devices: each once, at the same cycle with the same argument, whoever executes and wherever runs are cut.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests compile device trees with dtc"
)]

use crate::support;
use socscope_core::{Observer, Unobserved};
use socscope_machine::{Engine, Machine, MachineObserver, Until};
use socscope_memory::{Direction, RegionIndex, Width};
use socscope_probe::{CoreSet, Marked, Point, ProbeSet, Trigger};
use support::powerpc::{counting_together, mpc8641d};
use support::{board_running, storing};

const TIMER: u32 = 0xfffe_0000;
const AIC: u32 = 0xffff_f000;
/// A timer that interrupts every 1000 of its ticks.
const SET_UP: &[(u32, u32)] = &[
    (TIMER + 0x04, 0xc000),
    (TIMER + 0x1c, 1_000),
    (TIMER + 0x24, 0x10),
    (TIMER, 5),
    (AIC + 0x10, 0x21),
    (AIC + 0x120, 0x10),
];
const TIMERS_SOURCE: u32 = 4;
const MAIN: u32 = 0x40;

/// Counts in r0 while the timer interrupts; gives the address of the instruction that counts.
fn counting_with_interrupts() -> (Machine, u32) {
    let mut words = vec![0; (MAIN / 4) as usize];
    words[0] = 0xea00_000e; // b MAIN
    let handler = [
        0xe24e_e004, // sub lr, lr, #4
        0xe598_a100, // ldr r10, [r8, #0x100]: the vector
        0xe599_b020, // ldr r11, [r9, #0x20]: the timer's status
        0xe588_a130, // str r10, [r8, #0x130]: the end of the interrupt
        0xe1b0_f00e, // movs pc, lr
    ];
    words[6..11].copy_from_slice(&handler);
    let tail = [
        0xe3e0_8000, // mvn r8, #0
        0xe1a0_8608, // mov r8, r8, lsl #12
        0xe3e0_9000, // mvn r9, #0
        0xe1a0_9889, // mov r9, r9, lsl #17
        0xe3a0_0000, // mov r0, #0
        0xe321_f013, // msr cpsr_c, #0x13
        0xe280_0001, // add r0, r0, #1
        0xe1a0_1000, // mov r1, r0
        0xeaff_fffc, // b two back
    ];
    words.extend(storing(SET_UP, &tail));
    let counts = MAIN + 4 * (3 * SET_UP.len() as u32 + 6);
    (board_running(&words), counts)
}

fn device(machine: &Machine, name: &str) -> u16 {
    let found = machine.devices().position(|device| device.name == name);
    found.expect("it is on the board") as u16
}

fn register(machine: &Machine, device: u16, name: &str, direction: Option<Direction>) -> Trigger {
    let entry = machine.devices().nth(usize::from(device));
    let description = entry.expect("it is there").description;
    let (register, index) = description.register_named(name).expect("it has that");
    Trigger::Register {
        device,
        description,
        register,
        index: Some(index),
        direction,
    }
}

fn watching(triggers: &[Trigger]) -> ProbeSet {
    let mut probes = ProbeSet::default();
    for (number, &trigger) in triggers.iter().enumerate() {
        let name = format!("point {number}");
        probes.mark(Point {
            number: number as u32,
            name,
            trigger,
        });
    }
    probes
}

fn marked(probes: &ProbeSet) -> Vec<Marked> {
    let marker = probes.marker();
    marker.map_or_else(Vec::new, |marker| marker.marked().iter().copied().collect())
}

/// Runs to a cycle in pieces, the last one in single steps.
fn run(machine: &mut Machine, probes: &mut impl MachineObserver, end: u64, piece: u64) {
    let mut cycle = machine.cycle();
    while cycle + piece < end {
        cycle += piece;
        let until = Until::time(machine.clock().instant_of(cycle));
        machine.run(&until, probes);
    }
    while machine.cycle() < end {
        machine.step(probes);
    }
}

/// All ways to run a machine, with what was marked and the state.
fn all_ways(made: impl Fn() -> Machine, triggers: &[Trigger], end: u64) -> (Vec<Marked>, Machine) {
    let mut first: Option<(Vec<Marked>, Machine)> = None;
    for engine in [Engine::Interpreted, Engine::Translated] {
        for piece in [end - 100, 7, 1000, 3333] {
            let mut machine = made();
            machine.set_engine(engine);
            machine.set_translation_threshold(3);
            let mut probes = watching(triggers);
            run(&mut machine, &mut probes, end, piece);
            let found = marked(&probes);
            let (expected, other) = first.get_or_insert((found.clone(), made()));
            assert_eq!(found, *expected, "{engine:?} in pieces of {piece}");
            if other.cycle() == 0 {
                run(other, &mut Unobserved, end, piece);
            }
            assert_eq!(
                machine.state_hash(),
                other.state_hash(),
                "{engine:?} in pieces of {piece}: marks change nothing"
            );
        }
    }
    first.expect("there are ways")
}

#[test]
fn each_execution_is_marked_once_whatever_comes_before_it() {
    const END: u64 = 100_000;
    let (machine, counts) = counting_with_interrupts();
    let (aic, timer) = (device(&machine, "aic"), device(&machine, "tc"));
    let triggers = [
        Trigger::Address(counts, CoreSet::ALL),
        Trigger::Interrupt {
            device: aic,
            source: Some(TIMERS_SOURCE),
        },
        register(&machine, aic, "AIC_EOICR", None),
        register(&machine, timer, "TC_SR0", Some(Direction::Read)),
        register(&machine, timer, "TC_SR0", Some(Direction::Write)),
    ];
    let (marks, machine) = all_ways(|| counting_with_interrupts().0, &triggers, END);
    let of = |point: usize| -> Vec<Marked> {
        let marks = marks.iter().filter(|mark| mark.point == point);
        marks.copied().collect()
    };
    // r0 is what was counted before: no execution is left out, none is there twice.
    let counted = machine.core(0).arm().expect("an ARM").register(0);
    let arguments: Vec<u32> = of(0).iter().map(|mark| mark.argument).collect();
    assert_eq!(arguments, (0..counted).collect::<Vec<u32>>());
    assert!(counted > 100, "it has counted to {counted}");
    assert!(of(0).windows(2).all(|pair| pair[0].cycle < pair[1].cycle));
    assert!(of(0).iter().all(|mark| mark.core == Some(0)));
    let (raised, ended) = (of(1), of(2));
    assert!(raised.len() > 10, "the timer has interrupted");
    assert!(raised.iter().all(|mark| mark.argument == TIMERS_SOURCE));
    assert!(raised.iter().all(|mark| mark.core.is_none()));
    assert!((raised.len() - 1..=raised.len()).contains(&ended.len()));
    assert!(
        raised
            .iter()
            .zip(&ended)
            .all(|(one, other)| one.cycle < other.cycle)
    );
    assert!(of(3).len() >= ended.len() && of(4).is_empty());
    // The status that was read has the interrupt's bit.
    assert!(of(3).iter().all(|mark| mark.argument & 0x10 != 0));
}

/// Counts the executions of an instruction by each core.
#[derive(Default)]
struct Executions {
    address: u32,
    core: usize,
    counts: [usize; 2],
}

impl Observer for Executions {
    fn instruction(&mut self, pc: u32, _: Width, _: RegionIndex) {
        self.counts[self.core] += usize::from(pc == self.address);
    }
}

impl MachineObserver for Executions {
    fn turn(&mut self, core: u16) {
        self.core = core.into();
    }
}

#[test]
fn each_core_of_several_has_its_marks() {
    const END: u64 = 30_000;
    /// The load with reservation that both cores execute, in code of their own.
    const LOOPS: [u32; 2] = [0x101c, 0x108];
    let made = || {
        let mut machine = mpc8641d(&[]).expect("the platform is right");
        let image = counting_together();
        machine.load_elf(&image, "program").expect("it is an image");
        machine
    };
    for address in LOOPS {
        let (marks, _) = all_ways(made, &[Trigger::Address(address, CoreSet::ALL)], END);
        let mut executions = Executions {
            address,
            ..Executions::default()
        };
        let mut machine = made();
        machine.set_engine(Engine::Interpreted);
        run(&mut machine, &mut executions, END, END - 100);
        for core in 0..2 {
            let marks = marks.iter().filter(|mark| mark.core == Some(core));
            assert_eq!(marks.count(), executions.counts[usize::from(core)]);
        }
        assert!(marks.len() > 100, "{address:#x}: {}", marks.len());
    }
}
