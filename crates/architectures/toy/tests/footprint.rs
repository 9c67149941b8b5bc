//! Footprints against execution: what an instruction changes is said, and what is not said to be read makes no difference.

use crate::support::random::Random;
use crate::support::{MemoryBus, OneCycle};
use socscope_core::Unobserved;
use socscope_core::plain::{Outcome, footprint, step};
use socscope_isa::{Known, Leave};
use socscope_memory::{Direction, Width};
use socscope_toy::{Core, Toy, encodings, slot};

const START: u32 = 0x100;

fn executed(words: &[u32; slot::COUNT], row: &[u32]) -> (Core, Outcome) {
    let mut bus = MemoryBus::new(&[(0, 0x1_0000)]);
    bus.put(START, Width::Half, row);
    let mut core = Core::new(Toy::Little);
    for (number, &word) in words.iter().enumerate() {
        core.set_slot(number as u32, word);
    }
    core.set_program_counter(START);
    let mut model = OneCycle::default();
    let done = step(&mut core, &mut bus, &mut model, &mut Unobserved, 0);
    (core, done.outcome)
}

#[test]
fn what_changes_and_what_matters_is_said() {
    let mut random = Random(7);
    for row in &encodings()[1..] {
        for _ in 0..200 {
            let word = row.pattern.instance(random.word());
            let (width, halves) = match row.pattern.bits {
                16 => (Width::Half, vec![word]),
                _ => (Width::Word, vec![word >> 16, word & 0xffff]),
            };
            let found = footprint::<Toy>(START, word, width);
            let words: [u32; slot::COUNT] = std::array::from_fn(|_| random.below(0x8000) + 0x4000);
            let (after, outcome) = executed(&words, &halves);
            if outcome == Outcome::Exception(socscope_toy::exception::FAULT) {
                continue;
            }
            let next = START + width.bytes();
            if after.program_counter() != next {
                assert!(found.leave.is_some(), "{}", row.name);
            }
            if found.leave.is_none() {
                assert_eq!(after.program_counter(), next, "{}", row.name);
            }
            for number in 0..slot::COUNT as u32 {
                if after.slot(number) != words[number as usize] {
                    assert!(
                        found.writes.contains(number),
                        "{} writes {number}",
                        row.name
                    );
                }
                if !found.reads.contains(number) {
                    let mut other = words;
                    other[number as usize] ^= 0x10;
                    let (again, _) = executed(&other, &halves);
                    let kept = (0..slot::COUNT as u32)
                        .all(|one| one == number || again.slot(one) == after.slot(one));
                    assert!(kept, "{} reads {number}", row.name);
                }
            }
            for &(number, value) in &found.constants {
                assert_eq!(after.slot(number), value, "{}", row.name);
            }
        }
    }
}

#[test]
fn shapes_are_told() {
    // load r1, [r2, #8]
    let found = footprint::<Toy>(0, 0xc012_0008, Width::Word);
    let access = found.accesses[0];
    assert_eq!(access.address, Known::Slot(2, 8));
    assert_eq!(
        (access.width, access.direction),
        (Width::Word, Direction::Read)
    );
    // branch r1 == r2, -2 halves
    let found = footprint::<Toy>(0x100, 0xd012_fffe, Width::Word);
    assert_eq!(found.leave, Some(Leave::Branch(Known::Constant(0xfc))));
    assert!(found.goes_on);
    // call +4 halves
    let found = footprint::<Toy>(0x100, 0xe000_0004, Width::Word);
    assert!(found.sets(slot::LINK, 0x104) && !found.goes_on);
    assert_eq!(found.leave, Some(Leave::Branch(Known::Constant(0x108))));
}
