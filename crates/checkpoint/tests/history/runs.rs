//! Runs with and without a history, of a program that counts in memory and listens to a line.

use crate::support;
use proptest::prelude::*;
use socscope_checkpoint::history::{History, Place, Settings, World};
use socscope_core::Unobserved;
use socscope_machine::{Machine, Until};
use std::ops::ControlFlow;
use support::{board_running, compile, storing};

const USART0: u32 = 0xfffd_0000;
/// Where the program counts.
pub const COUNTER: u32 = 0x30_0000;
/// The instruction that stores the count.
pub const STORE: u32 = 4 * 3 * 4 + 3 * 4;
/// Where all runs end.
pub const END_CYCLE: u64 = 60_000;

/// Switches the receiver of a UART on, then counts.
fn counting() -> Vec<u32> {
    let receiver = [
        (USART0, 0xac),
        (USART0 + 0x04, 0x8c0),
        (USART0 + 0x20, 13),
        (USART0, 0x50),
    ];
    let tail = [
        0xe3a0_0000, // mov r0, #0
        0xe3a0_2603, // mov r2, #0x300000
        0xe280_0001, // add r0, r0, #1
        0xe582_0000, // str r0, [r2]
        0xe592_3000, // ldr r3, [r2]
        0xeaff_fffb, // b add
    ];
    storing(&receiver, &tail)
}

/// A machine before its first instruction; a fast one executes several in a cycle.
pub fn machine(fast: bool) -> Machine {
    let words = counting();
    if !fast {
        return board_running(&words);
    }
    let source = "/dts-v1/;\n/include/ \"at91x40.dts\"\n&cpu { socscope,timing = \"fixed-cpi\"; socscope,cpi = <2 7>; };";
    let source = source.replacen("/dts-v1/;\n", "", 1);
    let mut machine = Machine::new(&compile(&source), "fast", &[]).expect("the platform is right");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    machine.poke(0, &bytes);
    machine
}

/// What is typed, and at which cycle.
pub type Script = Vec<(u64, Vec<u8>)>;

/// Any script.
pub fn scripts() -> impl Strategy<Value = Script> {
    let bytes = proptest::collection::vec(any::<u8>(), 1..3);
    let script = proptest::collection::btree_map(1..END_CYCLE, bytes, 0..5);
    script.prop_map(|map| map.into_iter().collect())
}

pub fn run_to(machine: &mut Machine, cycle: u64) {
    let until = Until::time(machine.clock().instant_of(cycle));
    machine.run(&until, &mut Unobserved);
}

/// A run from the beginning without any history.
pub fn straight(fast: bool, script: &Script, place: Place) -> Machine {
    let mut machine = machine(fast);
    for (cycle, bytes) in script.iter().filter(|(cycle, _)| *cycle <= place.cycle) {
        run_to(&mut machine, *cycle);
        machine.serial_input("usart0", bytes).unwrap();
    }
    run_to(&mut machine, place.cycle);
    while Place::of(&machine) < place {
        machine.step(&mut Unobserved);
    }
    machine
}

/// The same run to its end with a history.
pub fn with_history(fast: bool, script: &Script, settings: Settings) -> (Machine, History) {
    let mut machine = machine(fast);
    let mut history = History::new(&mut World::alone(&mut machine), settings);
    for (cycle, bytes) in script {
        live(&mut machine, &mut history, *cycle);
        machine.serial_input("usart0", bytes).unwrap();
    }
    live(&mut machine, &mut history, END_CYCLE);
    (machine, history)
}

/// Goes on at the present.
pub fn live(machine: &mut Machine, history: &mut History, cycle: u64) {
    history.note(&mut World::alone(machine));
    let end = machine.clock().instant_of(cycle);
    while machine.now() < end {
        let pause = history.next_note(&World::alone(machine)).min(end);
        machine.run(&Until::time(pause), &mut Unobserved);
        history.note(&mut World::alone(machine));
    }
}

/// Every place of the run at which a step begins, and the address of its instruction.
pub fn steps(fast: bool, script: &Script) -> Vec<(Place, u32)> {
    let mut machine = machine(fast);
    let mut script = script.iter().peekable();
    let mut found = vec![];
    while machine.cycle() < END_CYCLE {
        while let Some((_, bytes)) = script.next_if(|(cycle, _)| *cycle <= machine.cycle()) {
            machine.serial_input("usart0", bytes).unwrap();
        }
        run_to(&mut machine, 0);
        found.push((Place::of(&machine), machine.pc()));
        machine.step(&mut Unobserved);
    }
    found
}

/// A progress function that never ends anything.
pub fn go_on(_: socscope_time::Instant) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
