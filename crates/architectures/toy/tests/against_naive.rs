//! Random programs by the rows and by the naive interpreter: after each instruction both are in the same state.

use crate::naive::Naive;
use crate::support::random::Random;
use crate::support::{MemoryBus, OneCycle};
use socscope_core::plain::{Outcome, step};
use socscope_core::{MachineCore, Observer};
use socscope_memory::Endianness;
use socscope_toy::{Core, Toy, encodings, slot};

const MEMORY: u32 = 0x1000;
const SEEDS: u64 = 400;
const STEPS: u32 = 400;

#[derive(Default)]
struct Marks(Vec<(u32, u32)>);

impl Observer for Marks {
    fn magic(&mut self, number: u8, argument: u32, _cycle: u64) {
        self.0.push((u32::from(number), argument));
    }
}

/// An instruction of some encoding, or any bits.
fn instruction(random: &mut Random) -> u32 {
    let place = random.below(encodings().len() as u32 + 1) as usize;
    let found = encodings().get(place);
    found.map_or(random.word() >> 16, |row| {
        row.pattern.instance(random.word())
    })
}

#[test]
fn rows_do_what_the_naive_interpreter_does() {
    let mut taken = [0; 4];
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let (model, order) = match seed % 2 {
            0 => (Toy::Little, Endianness::Little),
            _ => (Toy::Big, Endianness::Big),
        };
        let mut bus = MemoryBus::of(order, &[(0, MEMORY)]);
        let mut naive = Naive {
            words: [0; 20],
            pc: 0x40,
            memory: vec![0; MEMORY as usize],
            big: seed % 2 == 1,
            waits: false,
            marks: vec![],
        };
        let mut core = Core::new(model);
        let mut code = vec![];
        while code.len() < MEMORY as usize / 2 {
            code.extend(crate::assembler::halves(&[instruction(&mut random)]));
        }
        for (place, half) in code.iter().take(MEMORY as usize / 2).enumerate() {
            let bytes = match order {
                Endianness::Little => half.to_le_bytes(),
                Endianness::Big => half.to_be_bytes(),
            };
            naive.memory[2 * place..2 * place + 2].copy_from_slice(&bytes);
        }
        bus.space.write_bytes(0, &naive.memory).unwrap();
        // Some registers lead into memory, others anywhere.
        for register in 0..slot::COUNT as u32 {
            let value = match random.below(3) {
                0 => random.word(),
                _ => random.below(MEMORY),
            };
            core.set_slot(register, value);
            naive.words[register as usize] = value;
        }
        let mut marks = Marks::default();
        for cycle in 0..STEPS {
            bus.irq = random.once_in(8);
            naive.step(bus.irq);
            let done = step(
                &mut core,
                &mut bus,
                &mut OneCycle::default(),
                &mut marks,
                u64::from(cycle),
            );
            if let Outcome::Exception(number) = done.outcome {
                taken[usize::from(number)] += 1;
            }
            let words: Vec<u32> = (0..slot::COUNT)
                .map(|n| core.numbered_register(n).unwrap())
                .collect();
            assert_eq!(words, naive.words, "seed {seed}, step {cycle}");
            assert_eq!(
                core.program_counter(),
                naive.pc,
                "seed {seed}, step {cycle}"
            );
            assert_eq!(done.outcome == Outcome::Waits, naive.waits);
        }
        let mut memory = vec![0; MEMORY as usize];
        bus.space.read_bytes(0, &mut memory).unwrap();
        assert!(memory == naive.memory, "memory of seed {seed}");
        assert_eq!(marks.0, naive.marks, "seed {seed}");
    }
    assert!(taken.iter().all(|&times| times > 100), "{taken:?}");
}
