//! Makes random registers of system control and page tables, lets a core access random addresses, and writes both to standard output as lines of
//! hexadecimal words, for a comparison with another implementation. Arguments: model, seed, number of accesses.

#[path = "../../../core/tests/support/mod.rs"]
#[allow(dead_code)]
mod support;

use socscope_arm::interpreter::{Outcome, step};
use socscope_arm::{Core, CoreModel, Exception, Mode, Register, Status, Version, control};
use socscope_core::{Purpose, Unobserved};
use socscope_memory::Width;
use std::io::{self, BufWriter, Write};
use support::random::Random;
use support::{MemoryBus, OneCycle};

/// Two memories, of which the second lies where a supersection begins. Instructions and tables lie in the first megabyte.
const RAM_BYTES: u32 = 0x40_0000;
const SECOND_RAM: u32 = 0x0500_0000;
const TABLES: [u32; 2] = [0x4000, 0x8000];
const SECOND_LEVEL: u32 = 0x1_0000;
const FIRST_PAGE: u32 = 0x10_0000;
/// ldr r3, [r4]; str r3, [r4]; ldrt r3, [r4]; strt r3, [r4].
const INSTRUCTIONS: [u32; 4] = [0xe594_3000, 0xe584_3000, 0xe4b4_3000, 0xe4a4_3000];
const INSTRUCTIONS_AT: u32 = 0x100;
const ACCESSES: u32 = 256;
const DOMAIN_OF_CODE: u32 = 15;

/// Purpose, whether in the mode of programs, and the instruction, if it is none of the address itself.
const KINDS: [(Purpose, bool, Option<u32>); 8] = [
    (Purpose::Fetch, false, None),
    (Purpose::Fetch, true, None),
    (Purpose::Read, false, Some(0)),
    (Purpose::Read, true, Some(0)),
    (Purpose::Read, false, Some(2)),
    (Purpose::Write, false, Some(1)),
    (Purpose::Write, true, Some(1)),
    (Purpose::Write, false, Some(3)),
];

/// A core with its tables, and the addresses that have entries.
struct Configuration {
    core: Core,
    bus: MemoryBus,
    /// Where instructions find themselves.
    code: u32,
    known: Vec<u32>,
    /// Where the next table of the second level begins.
    next_table: u32,
    /// What unicorn is told.
    lines: Vec<String>,
}

impl Configuration {
    fn set(&mut self, register: Register, place: &str, value: u32) {
        self.core.set_system_control(register, value);
        self.lines.push(format!("place {place} {value:x}"));
    }

    fn control(&self, register: Register) -> u32 {
        self.core.control.get(register)
    }

    fn word(&mut self, at: u32, word: u32) {
        let word = match self.core.control.has(control::BIG_ENDIAN_EXCEPTIONS) {
            true => word.swap_bytes(),
            false => word,
        };
        self.bus.put(at, Width::Word, &[word]);
        self.lines.push(format!("word {at:x} {word:x}"));
    }

    fn is_empty(&self, at: u32) -> bool {
        let found = self.bus.space.read_memory(at, Width::Word, self.bus.order);
        matches!(found, Ok((0, _)))
    }

    /// Writes the descriptor of the first level of a modified virtual address.
    fn describe(&mut self, address: u32, descriptor: u32) {
        let bits = self.control(Register::TableControl) & 7;
        let number = address >> 20;
        let (base, number) = match u64::from(address) >> (32 - bits) {
            0 => (self.control(Register::TableBase0), number & (0xfff >> bits)),
            _ => (self.control(Register::TableBase1), number),
        };
        self.word(base + 4 * number, descriptor);
    }

    fn is_extended(&self) -> bool {
        self.core.model().has(Version::V6) && self.core.control.has(control::EXTENDED_PAGES)
    }

    /// A table of the second level for an address, with some entries.
    fn second_level(&mut self, random: &mut Random, address: u32, is_fine: bool) {
        let domain = random.below(16) << 5;
        let (kind, shift) = if is_fine { (3, 10) } else { (1, 12) };
        let bytes: u32 = 4 << (20 - shift);
        let table = self.next_table.next_multiple_of(bytes);
        self.next_table = table + bytes;
        self.describe(address, table | domain | kind | 0x10);
        for _ in 0..10 {
            let inside = random.word() & 0x000f_ffff;
            let kind = random.below(4);
            let page = target(random, if kind == 1 { 16 } else { 10 });
            let low = random.word() & 0xffc;
            // Bits of the base that a descriptor does not have for it say other things: one of a large page.
            let above = if kind == 1 { random.word() & 0xf000 } else { 0 };
            let descriptor = match kind {
                3 if is_fine => page | low & 0x3f0 | kind,
                _ => page & !0xfff | above | low | kind,
            };
            // Large and, in fine tables, small pages stand in all the places that they cover.
            let size_bits = match kind {
                1 => 16,
                3 if is_fine => 10,
                _ => 12,
            };
            let first = inside >> size_bits << size_bits;
            let places = (first..first + (1 << size_bits)).step_by(1 << shift);
            let places = places.map(|place| table + 4 * (place >> shift));
            // Where descriptors of different pages of one large page differ, anything may happen.
            if places.clone().all(|place| self.is_empty(place)) {
                places.for_each(|place| self.word(place, descriptor));
            }
            self.known.push(address & 0xfff0_0000 | inside);
        }
    }

    /// A section or supersection.
    fn section(&mut self, random: &mut Random, address: u32) {
        let attributes = random.word() & 0x000b_fdfc | 2;
        if self.is_extended() && random.once_in(3) {
            let base = SECOND_RAM * random.below(2);
            let attributes = attributes & !0x00f0_01e0 | 1 << 18;
            for number in 0..16 {
                let each = address & 0xff00_0000 | number << 20;
                if self.is_free(each) {
                    self.describe(each, base | attributes);
                }
            }
            let inside = random.below(4) << 20 | random.word() & 0x000f_ffff;
            return self.known.push(address & 0xff00_0000 | inside);
        }
        let base = target(random, 20);
        self.describe(address, base | attributes);
        self.known.push(address);
    }

    /// Whether a section is not that of the code.
    fn is_free(&self, address: u32) -> bool {
        (address ^ self.code) >> 20 != 0
    }
}

/// Somewhere in one of the memories, at a multiple.
fn target(random: &mut Random, size_bits: u32) -> u32 {
    let ram = SECOND_RAM * random.below(2);
    let at = FIRST_PAGE + random.below(RAM_BYTES - FIRST_PAGE);
    ram | at >> size_bits << size_bits
}

fn configuration(random: &mut Random, model: CoreModel) -> Configuration {
    let mut made = Configuration {
        core: Core::new(model),
        bus: MemoryBus::new(&[(0, RAM_BYTES), (SECOND_RAM, RAM_BYTES)]),
        code: 0xfff0_0000,
        known: vec![],
        next_table: SECOND_LEVEL,
        lines: vec![],
    };
    let some = |random: &mut Random, bits| if random.once_in(2) { bits } else { 0 };
    let (v6, v6k) = (model.has(Version::V6), model.has(Version::V6K));
    let mut bits = some(random, control::SYSTEM) | some(random, control::ROM) | control::MMU;
    if v6 {
        bits |= some(random, control::EXTENDED_PAGES);
        bits |= some(random, control::BIG_ENDIAN_EXCEPTIONS);
    }
    if v6k {
        bits |= some(random, control::ACCESS_FLAG);
    }
    let bits = made.control(Register::Control) | bits;
    made.core.set_system_control(Register::Control, bits);
    let split = if v6 { random.below(8) } else { 0 };
    let no_walk = match (v6k && random.once_in(3), split) {
        (false, _) => 0,
        (true, 1..=6) if random.once_in(2) => 1 << 5,
        (true, 1..) => 1 << 4,
        (true, 0) => 0,
    };
    if no_walk == 1 << 5 {
        // The one that the first table describes, however short it is.
        made.code = 0x03f0_0000;
    }
    let first = TABLES[0] | (random.below(1 << split) * (0x4000 >> split));
    made.set(Register::TableBase0, "2 0 0", first);
    if v6 {
        made.set(Register::TableBase1, "2 0 1", TABLES[1]);
        made.set(Register::TableControl, "2 0 2", split | no_walk);
        made.set(Register::Context, "13 0 1", random.below(256));
    }
    // Mostly clients, whose rights matter.
    let domains = (0..16).fold(0, |all, _| {
        all << 2 | [0, 1, 1, 1, 1, 1, 2, 3][random.below(8) as usize]
    });
    let domains = domains | 3 << (2 * DOMAIN_OF_CODE);
    made.set(Register::Domains, "3 0 0", domains);
    let process = if random.once_in(2) {
        random.word() & 0xfe00_0000
    } else {
        0
    };
    for _ in 0..30 {
        let address = match random.once_in(2) {
            true => process | random.word() & 0x01ff_ffff,
            false => random.word(),
        };
        if made.is_free(address) {
            match random.below(5) {
                0 | 1 => made.section(random, address),
                2 if !v6 => made.second_level(random, address, true),
                _ => made.second_level(random, address, false),
            }
        }
    }
    let code = made.code;
    made.describe(code, 0xc12 | DOMAIN_OF_CODE << 5);
    made.bus.put(INSTRUCTIONS_AT, Width::Word, &INSTRUCTIONS);
    made.lines.push(format!("code {code:x}"));
    // From here on, addresses are translated. The process comes after that, as it moves addresses that are not.
    made.lines.push(format!("place 1 0 0 {bits:x}"));
    made.set(Register::Process, "13 0 0", process);
    made
}

/// One access, and what came of it: address on the bus, or status and address of the fault.
fn access(random: &mut Random, made: &mut Configuration) -> String {
    let base = made.known[random.below(made.known.len() as u32) as usize];
    let address = match random.below(8) {
        0 => random.word(),
        1 => base ^ 1 << (10 + random.below(22)),
        2 => base & !0xfff | random.below(0x1000),
        _ => base,
    } & !3;
    let process = made.control(Register::Process);
    let address = match (address ^ process) >> 25 {
        0 if random.once_in(2) => address & 0x01ff_ffff,
        _ => address,
    };
    let kind = random.below(KINDS.len() as u32) as usize;
    let (purpose, user, instruction) = KINDS[kind];
    let Configuration {
        core, bus, code, ..
    } = made;
    let mode = if user { Mode::User } else { Mode::Supervisor };
    core.set_status(Status {
        mode,
        ..core.status()
    });
    core.set_program_counter(match instruction {
        Some(number) => *code | (INSTRUCTIONS_AT + 4 * number),
        None => address,
    });
    core.set_register(4, address);
    let unprivileged = user || instruction.is_some_and(|number| number >= 2);
    let translated = core.translate(bus, address, purpose, unprivileged);
    if let Ok(physical) = translated
        && (physical & !SECOND_RAM >= RAM_BYTES || physical < FIRST_PAGE)
    {
        return "skipped outside of the memories".into();
    }
    let before = core.clone();
    let outcome = step(core, bus, &mut OneCycle::default(), &mut Unobserved, 0).outcome;
    let status = |core: &Core| match purpose {
        Purpose::Fetch => core.control.get(Register::InstructionFaultStatus),
        _ => core.control.get(Register::DataFaultStatus),
    };
    let line = match (translated, outcome) {
        (Ok(physical), Outcome::Executed | Outcome::Passed) => {
            format!("access {kind:x} {address:x} {physical:x}")
        }
        (Err(fault), Outcome::Exception(Exception::PrefetchAbort | Exception::DataAbort)) => {
            let (status, domains) = (status(core), core.control.get(Register::Domains));
            let rights = (domains >> ((fault.status >> 4 & 15) * 2)) & 3;
            // Unicorn looks at domains before it reads the second table or the access flag, and then at XN; the manual's order is another one.
            match (fault.status & 15, rights) {
                (7, 0 | 2) => "skipped no entry in a domain without access".into(),
                (3 | 6, 0 | 2 | 3) => "skipped no access flag outside of a client's domain".into(),
                (3 | 6, _) if purpose == Purpose::Fetch => "skipped no access flag, fetched".into(),
                _ => {
                    let at = match purpose {
                        Purpose::Fetch => fault.address,
                        _ => core.control.get(Register::FaultAddress),
                    };
                    format!("access {kind:x} {address:x} fault {status:x} {at:x}")
                }
            }
        }
        (found, outcome) => unreachable!("{found:x?} is no {outcome:?}"),
    };
    *core = before;
    line
}

#[expect(
    clippy::disallowed_methods,
    reason = "a tool for tests, which talks over pipes"
)]
fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = || io::Error::other("usage: arm_translation MODEL SEED ACCESSES");
    let [model, seed, count] = arguments.as_slice() else {
        return Err(usage());
    };
    let mut models = CoreModel::ALL
        .into_iter()
        .filter(|model| model.has_system_control());
    let model = models
        .find(|known| known.name() == model)
        .ok_or_else(usage)?;
    let number = |text: &str| text.parse::<u64>().map_err(io::Error::other);
    let (mut random, count) = (Random(number(seed)?), number(count)?);
    let mut output = BufWriter::new(io::stdout().lock());
    for _ in 0..count.div_ceil(u64::from(ACCESSES)) {
        let mut made = configuration(&mut random, model);
        for line in std::mem::take(&mut made.lines) {
            writeln!(output, "{line}")?;
        }
        for _ in 0..ACCESSES {
            writeln!(output, "{}", access(&mut random, &mut made))?;
        }
        writeln!(output, "end")?;
    }
    output.flush()
}
