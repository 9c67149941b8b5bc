//! Makes random blocks, segments and page tables, translates random addresses, and writes both to standard output as lines of
//! hexadecimal words, for a comparison with another implementation. Arguments: seed, number of accesses.

#[path = "../../../core/tests/support/mod.rs"]
#[allow(dead_code)]
mod support;

use socscope_core::Purpose;
use socscope_memory::{Endianness, Width};
use socscope_powerpc::{Core, CoreModel, Exception, Mmu, Msr, Translate, TranslationFault};
use std::io::{self, BufWriter, Write};
use support::MemoryBus;
use support::random::Random;

const RAM_BYTES: u32 = 0x20_0000;
/// The page table; what lies above are pages that entries and blocks name.
const TABLE: u32 = 0x2_0000;
const FIRST_PAGE: u32 = 0x100;
const PAGES: u32 = RAM_BYTES >> 12;
const ACCESSES: u32 = 256;
const BLOCK_REGISTERS: [u32; 4] = [528, 536, 560, 568];
/// HID0: eight blocks.
const MORE_BLOCKS: u32 = 0x0080_0000;

/// Core, buffers and table, and the addresses that have entries.
struct Configuration {
    core: Core,
    mmu: Mmu,
    bus: MemoryBus,
    known: Vec<u32>,
}

/// A page of the memory.
fn page(random: &mut Random) -> u32 {
    FIRST_PAGE + random.below(PAGES - FIRST_PAGE)
}

fn configuration(random: &mut Random, output: &mut impl Write) -> io::Result<Configuration> {
    let mut core = Core::new(CoreModel::E600);
    let mut set = |core: &mut Core, number: u32, value: u32| {
        core.set_special_at(number, value, 0);
        writeln!(output, "special {number:x} {value:x}")
    };
    set(&mut core, 1008, MORE_BLOCKS)?;
    // 64 kB or 128 kB of table.
    let mask = random.below(2);
    set(&mut core, 25, TABLE | mask)?;
    let mut known = vec![];
    for first in BLOCK_REGISTERS {
        for number in (first..first + 8).step_by(2) {
            let length = (1 << random.below(4)) - 1;
            let address = random.word() & 0xfffe_0000 & !(length << 17);
            let valid = random.below(4);
            set(&mut core, number, address | length << 2 | valid)?;
            let target = (page(random) << 12) & 0xfffe_0000 & !(length << 17);
            // Guarded instructions are left out.
            set(&mut core, number + 1, target | random.below(4))?;
            known.push(address);
        }
    }
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, RAM_BYTES)]);
    for segment in 0..16 {
        let number = random.word() & 0x00ff_ffff;
        let keys = random.below(8) << 28;
        core.set_segment(segment, keys | number);
        writeln!(output, "segment {segment:x} {:x}", keys | number)?;
        for _ in 0..24 {
            let effective = segment << 28 | random.word() & 0x0fff_f000;
            let secondary = random.once_in(3);
            let hash = number ^ effective >> 12 & 0xffff;
            let hash = if secondary { !hash } else { hash };
            let group = core.special(25) & 0xffff_0000 | (hash << 6) & (mask << 16 | 0xffff);
            let at = group | random.below(8) << 3;
            let first = 1 << 31 | number << 7 | u32::from(secondary) << 6 | effective >> 22 & 0x3f;
            let attributes = random.word() & 0x1f3;
            let second = page(random) << 12 | attributes;
            bus.put(at, Width::Word, &[first, second]);
            writeln!(
                output,
                "word {at:x} {first:x}\nword {:x} {second:x}",
                at + 4
            )?;
            known.push(effective);
        }
    }
    Ok(Configuration {
        core,
        mmu: Mmu::new(CoreModel::E600),
        bus,
        known,
    })
}

/// One access, and what came of it: address on the bus, or vector and DSISR.
fn access(
    random: &mut Random,
    configuration: &mut Configuration,
    output: &mut impl Write,
) -> io::Result<()> {
    let Configuration {
        core,
        mmu,
        bus,
        known,
    } = configuration;
    let base = known[random.below(known.len() as u32) as usize];
    let effective = match random.below(8) {
        0 => random.word(),
        1 => base ^ 1 << (12 + random.below(20)),
        _ => base,
    };
    // Not the last word of a page: unicorn translates the next page of code as well.
    let effective = effective & !0xfff | random.below(0x3ff) << 2;
    let purposes = [Purpose::Fetch, Purpose::Read, Purpose::Write];
    let purpose = purposes[random.below(3) as usize];
    let problem = random.below(2);
    let privilege = if problem == 1 { Msr::PROBLEM } else { 0 };
    core.set_msr(Msr(Msr::translation(purpose) | privilege));
    let result = mmu.translate(core, bus, effective, purpose);
    // Unicorn fetches from pages whose protection permits nothing; the manual's "Page memory protection" says otherwise.
    if (purpose, result) == (Purpose::Fetch, Err(TranslationFault::PROTECTED)) {
        return writeln!(output, "skipped");
    }
    write!(
        output,
        "access {} {problem:x} {effective:x} ",
        purpose as u32
    )?;
    match result.map_err(|fault| fault.exception(effective, purpose)) {
        Ok(physical) => writeln!(output, "{physical:x}"),
        Err(exception) => {
            let status = match exception {
                Exception::DataStorage { status, .. } => status,
                _ => 0,
            };
            writeln!(output, "fault {:x} {status:x}", exception.vector())
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a tool for tests, which talks over pipes"
)]
fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, count] = arguments.as_slice() else {
        return Err(io::Error::other("usage: powerpc_translation SEED ACCESSES"));
    };
    let number = |text: &str| text.parse::<u64>().map_err(io::Error::other);
    let (mut random, count) = (Random(number(seed)?), number(count)?);
    let mut output = BufWriter::new(io::stdout().lock());
    for _ in 0..count.div_ceil(u64::from(ACCESSES)) {
        let mut configuration = configuration(&mut random, &mut output)?;
        for _ in 0..ACCESSES {
            access(&mut random, &mut configuration, &mut output)?;
        }
        for at in (TABLE..TABLE + 0x2_0000).step_by(4) {
            let word = configuration
                .bus
                .space
                .read_memory(at, Width::Word, Endianness::Big);
            match word {
                Ok((word, _)) if word != 0 => writeln!(output, "after {at:x} {word:x}")?,
                _ => {}
            }
        }
        writeln!(output, "end")?;
    }
    output.flush()
}
