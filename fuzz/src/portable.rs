//! Whole programs for a comparison with another implementation: what they are, and what they leave behind here.

use crate::board::{self, Cycles, EXTERNAL_BYTES, RAM, STACKS_TOP};
use crate::campaign::linked;
use crate::generator::Kind;
use socscope_arm::PROGRAM_COUNTER;
use socscope_core::{Observer, Unobserved};
use socscope_machine::{Engine, Machine, MachineObserver, Stop, Until};
use socscope_memory::{RegionIndex, Width};
use std::io::{self, Write};

const CYCLES_MAX: u64 = 20_000_000;

#[derive(Default)]
struct Count {
    instructions: u64,
}

impl Observer for Count {
    fn instruction(&mut self, _pc: u32, _width: Width, _region: RegionIndex) {
        self.instructions += 1;
    }
}

impl MachineObserver for Count {}

/// Writes programs from `seed` on until they make so many instructions. Each is its size in bytes and then little-endian words: seed,
/// instructions, entry, end; r0 to r14, status; for each segment address, size and bytes, and a zero size; the same for the memories
/// as the translating engine leaves them.
///
/// # Errors
/// When the board cannot be compiled, a program does not end, or nobody reads.
pub fn write(seed: u64, instructions: u64, output: &mut impl Write) -> io::Result<()> {
    let blob = board::blob()?;
    let mut total = 0;
    for seed in seed.. {
        if total >= instructions {
            break;
        }
        let (_, image) = linked(seed, Kind::Portable);
        let machine = |engine| {
            let mut machine = board::machine(&blob, &image, Cycles::Fixed(1, 1));
            machine.set_engine(engine);
            machine
        };
        let until = |machine: &Machine| Until {
            addresses: [image.end].into(),
            ..Until::time(machine.clock().instant_of(CYCLES_MAX))
        };
        let mut counted = machine(Engine::Interpreted);
        let mut count = Count::default();
        let stop = counted.run(&until(&counted), &mut count);
        if stop != Stop::Address(image.end) {
            return Err(io::Error::other(format!("seed {seed} ends with {stop:?}")));
        }
        // In one piece, as addresses to stop at may keep an engine from translating.
        let mut machine = machine(Engine::Translated);
        let end = Until::time(machine.clock().instant_of(counted.cycle()));
        machine.run(&end, &mut Unobserved);
        total += count.instructions;
        let mut words = vec![
            seed as u32,
            count.instructions as u32,
            image.entry,
            image.end,
        ];
        let core = machine.core(0).arm();
        let core = core.expect("the platform's core is an ARM");
        words.extend((0..PROGRAM_COUNTER).map(|index| core.register(index)));
        words.push(core.status().bits());
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let after = [(0, STACKS_TOP), (RAM, EXTERNAL_BYTES)]
            .map(|(address, size)| (address, machine.peek(address, size)));
        for blocks in [image.segments.as_slice(), &after] {
            for (address, content) in blocks {
                bytes.extend(address.to_le_bytes());
                bytes.extend((content.len() as u32).to_le_bytes());
                bytes.extend(content);
            }
            bytes.extend([0; 8]);
        }
        output.write_all(&(bytes.len() as u32).to_le_bytes())?;
        output.write_all(&bytes)?;
    }
    output.flush()
}
