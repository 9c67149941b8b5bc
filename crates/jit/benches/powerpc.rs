//! Speed of translated PowerPC code alone, on a flat memory: images until `finished`, or a loop.
//!
//! `cargo bench -p socscope-jit --bench powerpc -- [counted | cached] IMAGE...`; `counted`: instructions, cycles and accesses are counted by region;
//! `cached`: behind the first-level caches of an MPC8641D's core, whose misses take no time, so that cycles are instructions.

#[path = "../tests/powerpc/bus.rs"]
mod bus;
#[path = "../tests/powerpc/counted.rs"]
mod counted;

use bus::TestBus;
use counted::Counted;
use socscope_core::{Observer, Unobserved};
use socscope_isa::StaticCycleModel;
use socscope_jit::Translates;
use socscope_jit::powerpc::{Ended, Translator};
use socscope_powerpc::{Class, Core, CoreModel, Mmu, Msr};
use socscope_timing::{CacheModel, Caches, FixedCpi, Geometry, Latencies, Replacement};

const RAM_BYTES: usize = 1 << 20;

fn half(bytes: &[u8], at: usize) -> usize {
    bytes
        .get(at..at + 2)
        .map_or(0, |two| usize::from(two[0]) << 8 | usize::from(two[1]))
}

fn word(bytes: &[u8], at: usize) -> usize {
    half(bytes, at) << 16 | half(bytes, at + 2)
}

/// Loads the segments of an ELF image that lie in memory; the address of the symbol `finished`.
fn load(image: &[u8], bus: &mut TestBus) -> Option<u32> {
    for number in 0..half(image, 44) {
        let header = word(image, 28) + number * half(image, 42);
        let (offset, address, bytes) = (
            word(image, header + 4),
            word(image, header + 12),
            word(image, header + 16),
        );
        if word(image, header) == 1 && address < RAM_BYTES {
            bus.space.load(
                socscope_memory::MemoryIndex(0),
                address as u32,
                image.get(offset..offset + bytes)?,
            );
        }
    }
    let section = |number: usize| word(image, 32) + number * half(image, 46);
    for number in 0..half(image, 48) {
        let header = section(number);
        if word(image, header + 4) != 2 {
            continue;
        }
        let names = word(image, section(word(image, header + 24)) + 16);
        let (start, bytes) = (word(image, header + 16), word(image, header + 20));
        let mut symbols = (start..start + bytes).step_by(16);
        return symbols
            .find(|&at| image[names + word(image, at)..].starts_with(b"finished\0"))
            .map(|at| word(image, at + 4) as u32);
    }
    None
}

/// A copy and mix of 64 words, then a call, for ever: the interpreter's bench runs it too.
const LOOP: [u32; 19] = [
    0x3860_1000,
    0x3880_2000,
    0x38a0_0040,
    0x80c3_0000,
    0x3863_0004,
    0x7ce7_3278,
    0x54e8_103a,
    0x7d08_3214,
    0x7c08_3040,
    0x9904_0000,
    0x3884_0001,
    0x34a5_ffff,
    0x4082_ffdc,
    0x9421_fff0,
    0x4800_000d,
    0x3821_0010,
    0x4bff_ffc0,
    0x7d28_39d6,
    0x4e80_0020,
];
const LOOP_ADDRESS: u32 = 0x1_0000;
const STACK: u32 = 0x8000;
const LOOP_INSTRUCTIONS: u64 = 1_000_000_000;

/// Runs from a fixed address to `finished` or to the end, in turns of so many cycles, and says how fast that was.
#[expect(clippy::disallowed_types, reason = "a bench measures the host")]
fn run(
    name: &str,
    (mut bus, model): (TestBus, &mut impl StaticCycleModel<Class>),
    observer: &mut impl Observer,
    finished: Option<u32>,
    (turn_cycles, end): (u64, u64),
) {
    let mut core = Core::new(CoreModel::E600);
    core.set_msr(Msr(Msr::MACHINE_CHECK_ENABLE));
    core.set_program_counter(LOOP_ADDRESS);
    core.set_register(1, STACK);
    let mut mmu = Mmu::new(CoreModel::E600);
    let mut translator = Translator::new().expect("a compiler for this host");
    let stops = finished.into_iter().collect();
    let mut cycle = 0;
    let start = std::time::Instant::now();
    let mut ended = Ended::Deadline;
    while cycle < end && ended == Ended::Deadline {
        bus.deadline = cycle + turn_cycles;
        ended = translator.run(
            0, &mut core, &mut mmu, &mut bus, model, observer, &mut cycle, &stops,
        );
    }
    let seconds = start.elapsed().as_secs_f64();
    let at_end = finished.is_none() || ended == Ended::Stop;
    assert!(
        at_end,
        "{name}: {ended:?} at {:08x}",
        core.program_counter()
    );
    println!(
        "translated PowerPC, {name}: {:.1} guest MIPS, {:.1} M instructions in {seconds:.3} s, result {:02x}",
        cycle as f64 / seconds / 1e6,
        cycle as f64 / 1e6,
        core.register(3) & 0xff,
    );
}

fn fixed() -> FixedCpi {
    FixedCpi::new(1, 1).expect("a ratio")
}

fn caches() -> CacheModel {
    let first_level = Geometry::new(32 << 10, 32, 128, Replacement::Tree).expect("a geometry");
    let caches = Caches {
        instruction: first_level,
        data: first_level,
        second_level: None,
        latencies: Latencies::default(),
    };
    // Of the bus: nothing, memory, ROM, device.
    CacheModel::new(fixed(), &caches, vec![false, true, true, false])
}

/// Images are run; without any, a loop, as one core alone and in turns.
#[expect(clippy::disallowed_methods, reason = "a bench reads images")]
fn main() {
    let names = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with('-'));
    let mut names: Vec<String> = names.collect();
    let is = |mode| names.first().is_some_and(|name| name == mode);
    let (counted, cached) = (is("counted"), is("cached"));
    names.drain(..usize::from(counted || cached));
    for name in &names {
        let image = std::fs::read(name).expect("an image to read");
        let mut bus = TestBus::new(&vec![0; RAM_BYTES]);
        let finished = load(&image, &mut bus).expect("the symbol `finished`");
        let times = (1 << 40, u64::MAX);
        let plain = &mut fixed();
        if cached {
            let mut model = caches();
            run(
                name,
                (bus, &mut model),
                &mut Unobserved,
                Some(finished),
                times,
            );
            for (cache, counts) in model.counts() {
                println!("{cache:?}: {counts:?}");
            }
        } else if counted {
            let observer = &mut Counted::new();
            run(name, (bus, plain), observer, Some(finished), times);
            let (_, [instructions, ..], _) = observer.all();
            assert!(instructions > 0, "{name} was counted");
        } else {
            run(name, (bus, plain), &mut Unobserved, Some(finished), times);
        }
    }
    if names.is_empty() {
        for (name, turn_cycles) in [
            ("a loop", 1 << 40),
            ("a loop in turns of 1000 cycles", 1000),
        ] {
            let mut ram = vec![0; RAM_BYTES];
            for (place, word) in LOOP.iter().enumerate() {
                let at = LOOP_ADDRESS as usize + 4 * place;
                ram[at..at + 4].copy_from_slice(&word.to_be_bytes());
            }
            let end = LOOP_INSTRUCTIONS;
            let times = (turn_cycles.min(end), end);
            let machine = (TestBus::new(&ram), &mut fixed());
            run(name, machine, &mut Unobserved, None, times);
        }
    }
}
