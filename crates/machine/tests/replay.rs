//! A run that is repeated from its inputs alone is the same to the bit.

use crate::support;
use proptest::prelude::*;
use socscope_core::Unobserved;
use socscope_machine::{Input, InputError, Machine, Moment, Replay, ReplayError, Stop, Until};
use socscope_time::Instant;
use support::{USART0_ON, board, board_running, compile, storing};

const BRANCH_TO_SELF: u32 = 0xeaff_fffe;
const POWER_SAVING: u32 = 0xffff_4000;

/// Switches the receiver of a UART on, then counts.
fn receiver() -> Vec<u32> {
    storing(&USART0_ON, &[0xe280_0001, 0xeaff_fffd]) // add r0, r0, #1; b
}

fn listening() -> Machine {
    board_running(&receiver())
}

fn again(original: &Machine, mut fresh: Machine) -> Machine {
    let mut replay = Replay::new(&fresh, original.inputs().clone(), original.moment());
    assert_eq!(
        replay.advance(&mut fresh, u64::MAX, &mut Unobserved),
        Ok(None)
    );
    assert!(replay.done(&fresh));
    fresh
}

#[derive(Clone, Debug)]
enum Act {
    Run(u64),
    Step(u32),
    Type(Vec<u8>),
    Disturb(f64, u64),
    Poke(u32, u8),
    Line(bool),
    Register(u32),
    Reset,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (0u64..400_000_000).prop_map(Act::Run),
        2 => (1u32..30).prop_map(Act::Step),
        4 => proptest::collection::vec(any::<u8>(), 0..5).prop_map(Act::Type),
        1 => (0.0..0.5, any::<u64>()).prop_map(|(rate, seed)| Act::Disturb(rate, seed)),
        1 => (0u32..64, any::<u8>()).prop_map(|(offset, value)| Act::Poke(0x8_0000 + offset, value)),
        1 => any::<bool>().prop_map(Act::Line),
        1 => any::<u32>().prop_map(Act::Register),
        1 => Just(Act::Reset),
    ];
    proptest::collection::vec(act, 1..25)
}

fn carry_out(machine: &mut Machine, acts: &[Act]) {
    for act in acts {
        match act {
            Act::Run(picoseconds) => {
                let until = Until::time(machine.now().after_ps(*picoseconds));
                machine.run(&until, &mut Unobserved);
            }
            Act::Step(count) => (0..*count).for_each(|_| machine.step(&mut Unobserved)),
            Act::Type(bytes) => machine.serial_input("usart0", bytes).unwrap(),
            Act::Disturb(rate, seed) => machine.set_bit_errors("usart0", *rate, *seed).unwrap(),
            Act::Poke(address, value) => {
                machine.poke(*address, &[*value]);
            }
            Act::Line(level) => machine.set_input("pio", "p12", *level).unwrap(),
            Act::Register(value) => machine
                .apply(Input::Register {
                    number: 4,
                    value: *value,
                })
                .unwrap(),
            Act::Reset => machine.apply(Input::Reset).unwrap(),
        }
    }
}

/// A board whose core executes several instructions in a cycle.
fn quick() -> Machine {
    let source = "/dts-v1/;\n/include/ \"at91x40.dts\"\n&cpu { socscope,timing = \"fixed-cpi\"; socscope,cpi = <2 7>; };";
    let source = source.replacen("/dts-v1/;\n", "", 1);
    let mut machine = Machine::new(&compile(&source), "quick", &[]).expect("the platform is right");
    let bytes: Vec<u8> = receiver()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    machine.poke(0, &bytes);
    machine
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_from_outside_repeats(acts in acts(), fast in any::<bool>()) {
        let mut original = if fast { quick() } else { listening() };
        carry_out(&mut original, &acts);
        let repeated = again(&original, if fast { quick() } else { listening() });
        prop_assert_eq!(original.state_hash(), repeated.state_hash());
        prop_assert_eq!(original.inputs(), repeated.inputs());
        prop_assert_eq!(original.moment(), repeated.moment());
    }
}

#[test]
fn what_is_typed_makes_a_difference() {
    let run = |text: &[u8]| {
        let mut machine = listening();
        carry_out(
            &mut machine,
            &[
                Act::Run(1_000_000_000),
                Act::Type(text.into()),
                Act::Run(3_000_000_000),
            ],
        );
        machine.state_hash()
    };
    assert_ne!(run(b"a"), run(b"b"));
}

#[test]
fn a_run_is_repeated_in_pieces() {
    let mut original = listening();
    carry_out(
        &mut original,
        &[
            Act::Run(900_000_000),
            Act::Type(b"hello".into()),
            Act::Run(5_000_000_000),
        ],
    );
    let mut fresh = listening();
    let mut replay = Replay::new(&fresh, original.inputs().clone(), original.moment());
    let mut cycle = 0;
    while !replay.done(&fresh) {
        cycle += 777;
        assert_eq!(replay.advance(&mut fresh, cycle, &mut Unobserved), Ok(None));
    }
    assert_eq!(original.state_hash(), fresh.state_hash());
    assert_eq!(original.cycle(), fresh.cycle());
}

#[test]
fn a_sleeping_machine_gets_its_input_at_the_same_cycle() {
    let sleeping = || board_running(&storing(&[(POWER_SAVING, 1)], &[BRANCH_TO_SELF]));
    let mut original = sleeping();
    let stop = original.run(&Until::time(Instant::FOREVER), &mut Unobserved);
    assert_eq!(stop, Stop::Asleep);
    carry_out(
        &mut original,
        &[
            Act::Line(true),
            Act::Type(b"x".into()),
            Act::Run(1_000_000),
            Act::Line(false),
        ],
    );
    assert_eq!(
        original.state_hash(),
        again(&original, sleeping()).state_hash()
    );
}

#[test]
fn a_guest_in_an_endless_loop_is_brought_to_the_cycle_of_its_record() {
    let stuck = || board_running(&[BRANCH_TO_SELF]);
    let mut original = stuck();
    carry_out(&mut original, &[Act::Step(1_001)]);
    let stop = original.run(&Until::time(Instant(1_000_000_000_000)), &mut Unobserved);
    assert_eq!(stop, Stop::Loop(0));
    assert_eq!(
        original.state_hash(),
        again(&original, stuck()).state_hash()
    );
}

#[test]
fn a_moment_between_instructions_that_does_not_come_is_an_error() {
    let mut machine = board_running(&[0xe089_8190, BRANCH_TO_SELF]); // umull: several cycles
    let moment = Moment {
        cycle: 2,
        part: 0,
        settled: true,
    };
    let error = machine.reach(moment, &mut Unobserved).unwrap_err();
    assert!(
        matches!(error, ReplayError::Missed { wanted: 2, .. }),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.starts_with("the run does not repeat: cycle 2 lies between two instructions of the record, this run passes it and stands at cycle "),
        "{text}"
    );
}

#[test]
fn inputs_that_a_machine_cannot_take_change_nothing() {
    let mut machine = board();
    let before = machine.state_hash();
    let refused = [
        (
            Input::Serial {
                port: "x".into(),
                bytes: vec![1],
            },
            "test: no port is called x; there are: usart0, usart1",
        ),
        (
            Input::Register {
                number: 44,
                value: 0,
            },
            "the core has no register 44; its registers are 0 (r0) to 43 (spsr_und)",
        ),
        (
            Input::CoreRegister {
                core: 1,
                number: 0,
                value: 0,
            },
            "the machine has no core 1; its cores are 0 to 0",
        ),
        (
            Input::DeviceAttribute {
                device: "pio".into(),
                name: "speed".into(),
                value: vec![],
            },
            "pio: no attribute is called speed: the device has none",
        ),
        (
            Input::Poke {
                address: 0x4000_0000,
                bytes: vec![1],
            },
            "no memory at 0x40000000: only the 0 bytes before it were written",
        ),
    ];
    for (input, message) in refused {
        let error: InputError = machine.apply(input).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(machine.state_hash(), before);
    assert!(machine.inputs().is_empty());
}

#[test]
fn a_replay_names_the_input_that_does_not_fit() {
    let mut original = board();
    original.serial_input("usart0", b"a").unwrap();
    let mut log = socscope_machine::InputLog::default();
    let mut foreign = original.inputs().get(0).unwrap().clone();
    foreign.input = Input::Wire { port: "x".into() };
    log.extend([original.inputs().get(0).unwrap().clone(), foreign]);
    let mut fresh = board();
    let mut replay = Replay::new(&fresh, log, Moment::default());
    let error = replay
        .advance(&mut fresh, u64::MAX, &mut Unobserved)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "input 1 at cycle 0 cannot be applied: test: no port is called x; there are: usart0, usart1"
    );
}
