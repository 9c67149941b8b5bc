//! Speed of translated PowerPC code alone: runs images on a flat memory until `finished`, and says how many guest instructions a second that is.
//!
//! `cargo bench -p socscope-jit --bench powerpc -- IMAGE...`

#[path = "../tests/powerpc/bus.rs"]
mod bus;

use bus::TestBus;
use socscope_interpreter::Unobserved;
use socscope_isa::powerpc::{Core, CoreModel, Mmu};
use socscope_jit::powerpc::{Ended, Translator};
use socscope_timing::FixedCpi;
use std::collections::BTreeSet;

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

#[expect(clippy::disallowed_types, reason = "a bench measures the host")]
#[expect(clippy::disallowed_methods, reason = "a bench measures the host")]
fn main() {
    for name in std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with('-'))
    {
        let image = std::fs::read(&name).expect("an image to read");
        let mut bus = TestBus::new(&vec![0; RAM_BYTES]);
        let finished = load(&image, &mut bus).expect("the symbol `finished`");
        bus.deadline = 1 << 40;
        let mut core = Core::new(CoreModel::E600);
        core.set_msr(socscope_isa::powerpc::Msr(0x1000));
        core.set_program_counter(0x1_0000);
        let mut mmu = Mmu::new(CoreModel::E600);
        let mut model = FixedCpi::new(1, 1).expect("a ratio");
        let mut translator = Translator::new().expect("a compiler for this host");
        let mut cycle = 0;
        let start = std::time::Instant::now();
        let ended = translator.run(
            0,
            &mut core,
            &mut mmu,
            &mut bus,
            &mut model,
            &mut Unobserved,
            &mut cycle,
            &BTreeSet::from([finished]),
        );
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(ended, Ended::Stop, "{name}: {:08x}", core.program_counter());
        println!(
            "{name}: {seconds:.3} s, {:.0} M instructions, {:.1} MIPS, result {:02x}, {:?}",
            cycle as f64 / 1e6,
            cycle as f64 / seconds / 1e6,
            core.register(3) & 0xff,
            translator.statistics(),
        );
    }
}
