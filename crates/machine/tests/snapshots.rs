//! States that are kept and gone back to, machines that fork, and states as bytes.

use crate::support;
use proptest::prelude::*;
use socscope_core::Unobserved;
use socscope_machine::{Engine, Input, Machine, RestoreError, Snapshot, Until};
use support::{RAM, board, board_running, board_with, storing, transferring};

const TIMER: u32 = 0xfffe_0000;
const INTERRUPT_CONTROLLER: u32 = 0xffff_f000;

/// Sends from RAM and receives into it by DMA in both directions, lets a timer run with its interrupt on, and fills memory meanwhile.
fn busy() -> Vec<u32> {
    let timer = [
        (TIMER + 0x04, 0x4000),
        (TIMER + 0x1c, 4000),
        (TIMER + 0x24, 0x10),
        (TIMER, 5),
        (INTERRUPT_CONTROLLER + 0x120, 0x10),
    ];
    transferring(200, &timer)
}

fn run(machine: &mut Machine, picoseconds: u64) {
    let until = Until::time(machine.now().after_ps(picoseconds));
    machine.run(&until, &mut Unobserved);
}

#[derive(Clone, Debug)]
enum Act {
    Run(u64),
    Step(u32),
    Type(Vec<u8>),
    Disturb(f64, u64),
    Poke(u32, u8),
    Reset,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (0u64..3_000_000_000).prop_map(Act::Run),
        2 => (1u32..30).prop_map(Act::Step),
        3 => proptest::collection::vec(any::<u8>(), 0..5).prop_map(Act::Type),
        1 => (0.0..0.5, any::<u64>()).prop_map(|(rate, seed)| Act::Disturb(rate, seed)),
        1 => (0u32..0x2_0000, any::<u8>()).prop_map(|(offset, value)| Act::Poke(RAM + offset, value)),
        1 => Just(Act::Reset),
    ];
    proptest::collection::vec(act, 1..12)
}

fn carry_out(machine: &mut Machine, acts: &[Act]) {
    for act in acts {
        match act {
            Act::Run(picoseconds) => run(machine, *picoseconds),
            Act::Step(count) => (0..*count).for_each(|_| machine.step(&mut Unobserved)),
            Act::Type(bytes) => machine.serial_input("usart0", bytes).unwrap(),
            Act::Disturb(rate, seed) => machine.set_bit_errors("usart0", *rate, *seed).unwrap(),
            Act::Poke(address, value) => {
                machine.poke(*address, &[*value]);
            }
            Act::Reset => machine.apply(Input::Reset).unwrap(),
        }
    }
}

/// Everything that may be compared: state, and what records are made of.
fn all_of(machine: &Machine) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        machine.state_hash(),
        machine.cycle(),
        machine.serial_log("usart0").unwrap(),
        machine.inputs().clone(),
        machine.marks().clone(),
        format!("{:?}", machine.log()),
    )
}

fn through_bytes(snapshot: &Snapshot, machine: &Machine) -> Snapshot {
    let sections = snapshot.sections();
    let find = |name: &str| {
        let section = sections.iter().find(|(known, _)| *known == name);
        section.map(|(_, bytes)| bytes.as_slice())
    };
    Snapshot::from_sections(machine, find).expect("sections are as they were made")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_machine_goes_on_from_a_state_as_if_nothing_had_happened(
        before in acts(), after in acts(), elsewhere in acts(), translated in any::<bool>(),
    ) {
        let mut machine = board_running(&busy());
        let engine = if translated { Engine::Translated } else { Engine::Interpreted };
        machine.set_engine(engine);
        carry_out(&mut machine, &before);
        let here = all_of(&machine);
        let snapshot = machine.snapshot();
        prop_assert_eq!(&all_of(&machine), &here);
        let mut fork = machine.fork().unwrap();
        carry_out(&mut machine, &after);
        let end = all_of(&machine);

        carry_out(&mut fork, &elsewhere);
        machine.restore(&snapshot).unwrap();
        prop_assert_eq!(&all_of(&machine), &here);
        carry_out(&mut machine, &after);
        prop_assert_eq!(&all_of(&machine), &end);

        let mut other = board();
        let copy = through_bytes(&snapshot, &other);
        other.restore(&copy).unwrap();
        prop_assert_eq!(&all_of(&other), &here);
        carry_out(&mut other, &after);
        prop_assert_eq!(&all_of(&other), &end);

        fork.restore(&snapshot).unwrap();
        carry_out(&mut fork, &after);
        prop_assert_eq!(&all_of(&fork), &end);
    }
}

#[test]
fn a_state_is_taken_in_mid_transfer() {
    let mut machine = board_running(&busy());
    machine.serial_input("usart0", &[0x55; 50]).unwrap();
    run(&mut machine, 2_000_000_000);
    let snapshot = machine.snapshot();
    let sent = |machine: &Machine| {
        let log = machine.serial_log("usart0").unwrap();
        log.iter().filter(|(_, sent, _)| *sent).count()
    };
    let before = sent(&machine);
    run(&mut machine, 5_000_000_000);
    assert!(before > 0 && sent(&machine) > before, "a transfer goes on");
    let end = all_of(&machine);
    machine.restore(&snapshot).unwrap();
    assert_eq!(sent(&machine), before);
    run(&mut machine, 5_000_000_000);
    assert_eq!(all_of(&machine), end);
}

#[test]
fn a_fork_and_its_origin_do_not_touch_each_other() {
    let mut machine = board_running(&busy());
    run(&mut machine, 1_000_000_000);
    let mut fork = machine.fork().unwrap();
    let hash = fork.state_hash();
    assert_eq!(machine.state_hash(), hash);
    run(&mut machine, 1_000_000_000);
    assert_eq!(fork.state_hash(), hash);
    run(&mut fork, 1_000_000_000);
    assert_eq!(fork.state_hash(), machine.state_hash());
    fork.poke(RAM, b"x");
    assert_ne!(machine.peek(RAM, 1), b"x");
}

#[test]
fn a_state_holds_only_what_was_written_since_the_one_before() {
    let mut machine = board_running(&busy());
    machine.snapshot();
    machine.poke(RAM, b"x");
    let bytes = machine.snapshot().bytes();
    assert!((4096..100_000).contains(&bytes), "{bytes} bytes");
}

#[test]
fn a_state_of_another_platform_is_refused() {
    let mut machine = board_running(&busy());
    let hash = machine.state_hash();
    let mut other = board_with("&mck { clock-frequency = <32768000>; };").unwrap();
    let error = machine.restore(&other.snapshot()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the state is of platform test; this machine is test, or has other overrides: build it from the same device tree"
    );
    assert_eq!(machine.state_hash(), hash);
}

/// The state of a busy board with one section changed, restored into another one.
fn with_section(name: &str, change: impl Fn(&mut Vec<u8>)) -> RestoreError {
    let mut machine = board_running(&busy());
    run(&mut machine, 1_000_000_000);
    let mut sections = machine.snapshot().sections();
    let section = sections.iter_mut().find(|(known, _)| *known == name);
    change(&mut section.expect("there is such a section").1);
    let find = |name: &str| {
        let section = sections.iter().find(|(known, _)| *known == name);
        section.map(|(_, bytes)| bytes.as_slice())
    };
    let mut other = board();
    let hash = other.state_hash();
    let restored = Snapshot::from_sections(&other, find).and_then(|copy| other.restore(&copy));
    assert_eq!(other.state_hash(), hash, "nothing has changed");
    restored.unwrap_err()
}

#[test]
fn what_cannot_be_taken_is_named() {
    let cut = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
    assert_eq!(
        with_section("processors", cut).to_string(),
        "processors: cannot be read by this version: Hit the end of buffer, expected more data"
    );
    assert_eq!(
        with_section("ports", |bytes| bytes.push(0)).to_string(),
        "ports: 1 bytes too many"
    );
    let forever = |bytes: &mut Vec<u8>| {
        *bytes = vec![0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]
    };
    assert_eq!(
        with_section("cycle", forever).to_string(),
        "cycle: is behind the end of time"
    );
    assert_eq!(
        with_section("stall_cycles", forever).to_string(),
        "stall_cycles: are more than any transfer takes"
    );
    assert_eq!(
        with_section("ports", |bytes| *bytes = vec![0]).to_string(),
        "ports: are not those of the platform"
    );
    // One device fewer: the first is missing.
    let error = with_section("devices", |bytes| *bytes = vec![0]).to_string();
    assert!(
        error.starts_with("device 0 is ") && error.ends_with(", in the state it is missing"),
        "{error}"
    );
    let tree = "&cpu { socscope,timing = \"fixed-cpi\"; socscope,cpi = <1 1>; };";
    let fixed = board_with(tree).unwrap().snapshot().sections();
    let of_fixed = |bytes: &mut Vec<u8>| {
        let processors = fixed.iter().find(|(name, _)| *name == "processors");
        bytes.clone_from(&processors.unwrap().1);
    };
    assert_eq!(
        with_section("processors", of_fixed).to_string(),
        "processors: have another timing model than the platform's"
    );
    let after = |bytes: &mut Vec<u8>| *bytes = vec![1, 2, 99, 0];
    assert_eq!(
        with_section("attention", after).to_string(),
        "attention: is for a device that is not there"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_never_panic(
        section in 0usize..18, changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut machine = board_running(&busy());
        run(&mut machine, 100_000_000);
        let mut sections = machine.snapshot().sections();
        let count = sections.len();
        let bytes = &mut sections[section % count].1;
        for (place, value) in changes {
            if !bytes.is_empty() {
                let place = place.index(bytes.len());
                bytes[place] = value;
            }
        }
        let find = |name: &str| {
            let section = sections.iter().find(|(known, _)| *known == name);
            section.map(|(_, bytes)| bytes.as_slice())
        };
        let hash = machine.state_hash();
        match Snapshot::from_sections(&machine, find).and_then(|copy| machine.restore(&copy)) {
            Ok(()) => run(&mut machine, 10_000_000),
            Err(_) => prop_assert_eq!(machine.state_hash(), hash),
        }
    }
}

/// Values for registers of all devices of the board, whatever they mean.
fn stores() -> impl Strategy<Value = Vec<(u32, u32)>> {
    let registers: Vec<u32> = board()
        .devices()
        .flat_map(|device| {
            let base = device.base.unwrap_or_default();
            let registers = device.description.registers.iter();
            let offsets = registers.map(move |register| base + register.offset);
            offsets.collect::<Vec<_>>()
        })
        .collect();
    let value = prop_oneof![
        3 => any::<u32>(),
        3 => 0u32..0x100,
        2 => (0u32..32).prop_map(|bit| 1 << bit),
        2 => RAM..RAM + 0x1000,
    ];
    proptest::collection::vec((prop::sample::select(registers), value), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_device_goes_on_from_its_saved_state_whatever_it_is_in_the_middle_of(
        stores in stores(), before in 0u64..3_000_000, after in 0u64..3_000_000_000, text in any::<[u8; 3]>(),
    ) {
        // add r3, r3, #1; b .-4
        let mut machine = board_running(&storing(&stores, &[0xe283_3001, 0xeaff_fffd]));
        machine.serial_input("usart0", &text).unwrap();
        run(&mut machine, before);
        let mut other = board();
        let copy = through_bytes(&machine.snapshot(), &other);
        other.restore(&copy).unwrap();
        prop_assert_eq!(all_of(&other), all_of(&machine));
        for end in [after / 100, after] {
            run(&mut machine, end);
            run(&mut other, end);
            prop_assert_eq!(all_of(&other), all_of(&machine));
        }
    }
}
