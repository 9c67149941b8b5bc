//! Checkpoints that somebody has made up: whatever stands in a section, it is an error or a state, and never takes the process with it.

use super::container::{Container, pack};
use super::contents::{Checkpoint, Seat};
use super::error::CheckpointError;
use proptest::prelude::*;
use socscope_machine::{LockStep, Machine, Until};
use socscope_probe::{Functions, Profile, Window};
use socscope_time::Instant;
use std::collections::BTreeMap;
use std::sync::OnceLock;

#[path = "../../../machine/tests/support/mod.rs"]
mod support;

type Sections = Vec<(String, Vec<u8>)>;

/// Longer than any section of the board's.
const BYTES_MAX: u64 = 1 << 30;

/// The sections of a board that is in the middle of a transfer by DMA, and is counted.
fn sections() -> &'static Sections {
    static SECTIONS: OnceLock<Sections> = OnceLock::new();
    SECTIONS.get_or_init(|| {
        let mut machine = support::board_running(&support::transferring(300, &[]));
        let functions = [(0, 0x40, 1), (0x40, 0x200, 2)];
        let functions = Functions::new(&functions).expect("they are sorted");
        let mut profile = Profile::new(&machine, functions, Window::All);
        machine
            .serial_input("usart0", b"typed")
            .expect("there is such a port");
        machine.run(&Until::time(Instant(3_000_000_000)), &mut profile);
        let mut seats = [Seat {
            machine: &mut machine,
            profile: Some(&profile),
            image: None,
            notes: BTreeMap::new(),
        }];
        let file = Checkpoint::write("0.1.0", &mut seats, &LockStep::default());
        let container = Container::unpack(&file.expect("it can be written")).expect("it is whole");
        let names: Vec<String> = container.sizes().map(|(name, ..)| name.into()).collect();
        let contents = |name: String| {
            let bytes = container.section(&name, BYTES_MAX).expect("it is there");
            (name, bytes)
        };
        names.into_iter().map(contents).collect()
    })
}

/// Restores the sections, and goes on for a while where that is possible.
fn restored(sections: &Sections) -> Result<Machine, CheckpointError> {
    let file = pack(sections).expect("they can be packed");
    let checkpoint = Checkpoint::read(&file)?;
    let mut machine = checkpoint.build(0)?;
    let hash = machine.state_hash();
    match checkpoint.restore(0, &mut machine) {
        Ok(profile) => {
            let until = Until::time(machine.now().after_ps(100_000_000));
            match profile {
                Some(mut profile) => {
                    machine.run(&until, &mut profile);
                    profile.save();
                }
                None => {
                    machine.run(&until, &mut socscope_core::Unobserved);
                }
            }
            Ok(machine)
        }
        Err(error) => {
            assert_eq!(machine.state_hash(), hash, "nothing is restored in halves");
            Err(error)
        }
    }
}

fn with(name: &str, bytes: Vec<u8>) -> Sections {
    let mut sections = sections().clone();
    let found = sections.iter_mut().find(|(known, _)| known == name);
    found.expect("there is such a section").1 = bytes;
    sections
}

/// Why sections are refused.
fn refused(sections: &Sections) -> String {
    match restored(sections) {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn as_they_are_they_are_taken() {
    assert!(restored(sections()).is_ok());
}

#[test]
fn a_cycle_that_is_not_that_of_the_cores_is_refused() {
    for cycle in [0u64, 1 << 20, 1 << 60, u64::MAX] {
        let bytes = postcard::to_allocvec(&cycle).expect("a number");
        let text = refused(&with("0/cycle", bytes));
        let cycles = "the checkpoint does not fit machine 0: cycle: is ";
        assert!(text.starts_with(cycles), "{text}");
    }
}

#[test]
fn facts_that_are_not_those_of_the_state_are_refused() {
    let file = pack(sections()).expect("they can be packed");
    let checkpoint = Checkpoint::read(&file).expect("it is whole");
    let mut facts = checkpoint.facts().clone();
    facts.machines[0].cycle += 1;
    let bytes = postcard::to_allocvec(&facts).expect("it has a length");
    let text = refused(&with("facts", bytes));
    assert!(
        text.starts_with("machine 0 was saved at cycle ")
            && text.ends_with("the checkpoint is damaged; make it again"),
        "{text}"
    );
    let mut facts = checkpoint.facts().clone();
    facts.machines = vec![facts.machines[0].clone(); 1000];
    let bytes = postcard::to_allocvec(&facts).expect("it has a length");
    assert_eq!(
        refused(&with("facts", bytes)),
        "the checkpoint's facts: 1000 machines, it can be 64 at most"
    );
}

#[test]
fn inputs_and_marks_that_come_after_the_present_are_refused() {
    // One input: of a far cycle, with part, settled, kind reset.
    let mut inputs = vec![1];
    inputs.extend(postcard::to_allocvec(&(1u64 << 50, 0u64, true)).expect("numbers"));
    let reset = socscope_machine::Input::Reset;
    inputs.extend(postcard::to_allocvec(&reset).expect("it has a length"));
    inputs.push(1);
    let text = refused(&with("0/inputs", inputs));
    assert!(
        text.contains("inputs: number 0 at cycle 1125899906842624"),
        "{text}"
    );
    let marks = postcard::to_allocvec(&[(1u8, 0u32, 7u16, 5u64)].as_slice()).expect("numbers");
    let text = refused(&with("0/marks", marks));
    assert!(
        text.contains("marks: number 0 is of core 7 at cycle 5"),
        "{text}"
    );
}

#[test]
fn sections_that_would_take_gigabytes_are_refused_before_they_do() {
    // Zeros pack so well that the file stays small.
    let zeros = |bytes: usize| vec![0; bytes];
    let text = refused(&with("facts", zeros(17 << 20)));
    assert!(
        text.contains("facts would be 17825792 bytes long"),
        "{text}"
    );
    let memory = sections().iter().find(|(name, _)| name == "0/memory");
    let longest = memory.expect("there is one").1.len();
    let text = refused(&with("0/memory", zeros(longest + (300 << 20))));
    assert!(text.contains("0/memory would be "), "{text}");
    // Many memories of 4 GiB in few bytes.
    let mut bytes = sections()
        .iter()
        .find(|(name, _)| name == "0/memory")
        .expect("there is one")
        .1
        .clone();
    bytes.truncate(bytes.len().min(4096));
    let huge = postcard::to_allocvec(&("m", u32::MAX, [(); 0].as_slice())).expect("numbers");
    bytes.extend(huge.repeat(10_000));
    refused(&with("0/memory", bytes));
}

fn section() -> impl Strategy<Value = prop::sample::Index> {
    any::<prop::sample::Index>()
}

/// A change of a section: other bytes in the place of some.
#[derive(Clone, Debug)]
struct Change {
    section: prop::sample::Index,
    at: prop::sample::Index,
    removed: usize,
    put: Vec<u8>,
}

fn change() -> impl Strategy<Value = Change> {
    let put = prop_oneof![
        3 => prop::collection::vec(any::<u8>(), 0..4),
        // Numbers as large as they can be: lengths, counts, cycles, addresses.
        2 => Just(vec![0xff, 0xff, 0xff, 0xff, 0x0f]),
        2 => Just(vec![0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
        1 => Just(vec![0x80, 0x80, 0x80, 0x80, 0x08]),
    ];
    let removed = prop_oneof![3 => 0..4usize, 1 => 0..10_000usize];
    (section(), any::<prop::sample::Index>(), removed, put).prop_map(
        |(section, at, removed, put)| Change {
            section,
            at,
            removed,
            put,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_stands_in_a_section_is_an_error_or_a_state(
        changes in prop::collection::vec(change(), 1..3),
    ) {
        let mut sections = sections().clone();
        for Change { section, at, removed, put } in changes {
            let place = section.index(sections.len());
            let bytes = &mut sections[place].1;
            let start = at.index(bytes.len() + 1);
            let end = (start + removed).min(bytes.len());
            bytes.splice(start..end, put);
        }
        // The message is the whole outcome: a panic, an abort or an endless run would be the failure.
        if let Err(error) = restored(&sections) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
