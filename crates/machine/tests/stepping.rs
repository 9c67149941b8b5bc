//! Steps and pieces: whatever happens between two instructions happens the same way however a run is cut.

use crate::support;
use socscope_core::{Observer, Unobserved};
use socscope_machine::{Machine, MachineObserver, Mark, Stop, Until};
use socscope_time::Instant;
use support::{board_running, storing};

const BRANCH_TO_SELF: u32 = 0xeaff_fffe;
/// msr cpsr_c, #0x13: supervisor mode, interrupts on.
const INTERRUPTS_ON: u32 = 0xe321_f013;
const MARK_7: u32 = 0xe187_7007;
const NO_OPERATION: u32 = 0xe1a0_0000;

const USART1: u32 = 0xfffc_c000;
const WATCHDOG: u32 = 0xffff_8000;

/// The transmitter of USART1 sends 200 bytes from ROM by DMA, at 20 cycles a bit or so.
fn sending() -> Vec<u32> {
    let mode = (USART1 + 0x04, 0x8c0);
    let speed = (USART1 + 0x20, 2);
    let enable = (USART1, 0x40);
    let pointer = (USART1 + 0x38, 0);
    let counter = (USART1 + 0x3c, 200);
    storing(
        &[mode, speed, enable, pointer, counter],
        &[INTERRUPTS_ON, 0xe280_0001, 0xe081_1000, 0xeaff_fffc],
    )
}

/// What a machine says of time.
#[derive(Default)]
struct Clockwork {
    cycles: u64,
    held: u64,
    marks: Vec<u8>,
    resets: Vec<u32>,
}

impl Observer for Clockwork {
    fn cycles(&mut self, cycles: u64) {
        self.cycles += cycles;
    }
}

impl MachineObserver for Clockwork {
    fn bus_held(&mut self, _core: u16, cycles: u64) {
        self.held += cycles;
    }
    fn mark(&mut self, mark: Mark, _end: u64) {
        self.marks.push(mark.number);
    }
    fn reset(&mut self, pc: u32) {
        self.resets.push(pc);
    }
}

fn step_to(machine: &mut Machine, time: Instant, observer: &mut Clockwork) {
    while machine.now() < time {
        machine.step(observer);
    }
}

#[test]
fn steps_with_dma_are_the_run() {
    let program = sending();
    for microseconds in [20, 50, 100, 500, 1_000] {
        let time = Instant(microseconds * 1_000_000);
        let (mut whole, mut stepped) = (board_running(&program), board_running(&program));
        let (mut all, mut each) = (Clockwork::default(), Clockwork::default());
        assert_eq!(whole.run(&Until::time(time), &mut all), Stop::Time);
        step_to(&mut stepped, time, &mut each);
        assert_eq!(whole.state_hash(), stepped.state_hash());
        assert!(all.held > 0);
        assert_eq!(all.held, each.held);
        assert_eq!(each.cycles + each.held, stepped.cycle());
        let cycles = whole.core_cycles(0);
        assert_eq!((cycles.executing, cycles.bus_held), (all.cycles, all.held));
    }
}

#[test]
fn a_step_sees_marks() {
    let mut machine = board_running(&[NO_OPERATION, MARK_7, NO_OPERATION]);
    let mut observer = Clockwork::default();
    for _ in 0..3 {
        machine.step(&mut observer);
    }
    assert_eq!(observer.marks, [7]);
    assert_eq!(machine.marks().len(), 1);
}

#[test]
fn a_mark_before_an_address_is_seen_when_the_run_ends_there() {
    let mut machine = board_running(&[NO_OPERATION, MARK_7, NO_OPERATION]);
    let mut until = Until::time(Instant::FOREVER);
    until.addresses.insert(8);
    assert_eq!(machine.run(&until, &mut Unobserved), Stop::Address(8));
    assert_eq!(machine.marks().len(), 1);
}

#[test]
fn a_watchdog_resets_a_machine_that_is_stepped() {
    let counter = (WATCHDOG + 0x04, 0x1b80);
    let restart = (WATCHDOG + 0x08, 0xc071);
    let enable = (WATCHDOG, 0x2343);
    let program = storing(&[counter, restart, enable], &[BRANCH_TO_SELF]);
    let time = Instant(10_000_000_000);
    let (mut whole, mut stepped) = (board_running(&program), board_running(&program));
    let (mut all, mut each) = (Clockwork::default(), Clockwork::default());
    whole.run(&Until::time(time), &mut all);
    step_to(&mut stepped, time, &mut each);
    assert!(!all.resets.is_empty());
    assert_eq!(all.resets, each.resets);
    assert_eq!(whole.state_hash(), stepped.state_hash());
}

#[test]
fn a_step_of_a_core_that_sleeps_for_ever_executes_nothing() {
    let program = storing(&[(0xffff_4000, 1)], &[NO_OPERATION, NO_OPERATION]);
    let mut machine = board_running(&program);
    for _ in 0..20 {
        machine.step(&mut Unobserved);
    }
    assert!(machine.asleep());
    assert_eq!(machine.pc(), 12);
}
