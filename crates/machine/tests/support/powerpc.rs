//! Programs for PowerPC machines, assembled by hand (manual: "Instruction set").

use super::compile;
use socscope_machine::{Machine, PlatformError};

/// Shared memory of the programs.
pub const SHARED: u32 = 0x4000;

/// An ELF file: `(address, words)` a segment.
pub fn elf(entry: u32, segments: &[(u32, Vec<u32>)]) -> Vec<u8> {
    let half = |value: u16| value.to_be_bytes().to_vec();
    let words = |values: &[u32]| -> Vec<u8> {
        let values = values.iter();
        values.flat_map(|value| value.to_be_bytes()).collect()
    };
    let count = segments.len() as u16;
    let mut bytes = vec![0x7f, b'E', b'L', b'F', 1, 2, 1];
    bytes.resize(16, 0);
    bytes.extend([half(2), half(20), words(&[1, entry, 52, 0, 0])].concat());
    for value in [52, 32, count, 40, 0, 0] {
        bytes.extend(half(value));
    }
    let mut offset = 52 + 32 * u32::from(count);
    for (address, content) in segments {
        let size = 4 * content.len() as u32;
        bytes.extend(words(&[1, offset, *address, *address, size, size, 7, 4]));
        offset += size;
    }
    for (_, content) in segments {
        bytes.extend(words(content));
    }
    bytes
}

/// The board with two cores, with overrides.
pub fn mpc8641d(overrides: &[&str]) -> Result<Machine, PlatformError> {
    let overrides: Vec<String> = overrides.iter().map(|text| String::from(*text)).collect();
    let blob = compile("/include/ \"mpc8641d.dts\"\n");
    Machine::new(&blob, "mpc8641d", &overrides)
}

/// Where [`engine`] lies.
pub const ENGINE: u32 = 0xffee_4000;

/// A tree of one device.
pub fn node(body: &str) -> Vec<u8> {
    compile(&format!(
        "/dts-v1/;\n/ {{ #address-cells = <1>; #size-cells = <1>; {body} }};\n"
    ))
}

/// The cellular automaton engine with all its extensions.
pub fn engine() -> Vec<u8> {
    node(
        "rule30: rule30@ffee4000 { compatible = \"socscope,rule30\"; reg = <0xffee4000 0x1000>; \
         interrupts = <60>; socscope,latency-ns = <200>; socscope,batch; socscope,dma; };",
    )
}

/// Loads a 32-bit number.
pub fn load(register: u32, value: u32) -> [u32; 2] {
    [
        0x3c00_0000 | register << 21 | value >> 16,
        0x6000_0000 | register << 21 | register << 16 | value & 0xffff,
    ]
}

pub fn stw(source: u32, base: u32, offset: u32) -> u32 {
    0x9000_0000 | source << 21 | base << 16 | offset & 0xffff
}

pub fn lwz(target: u32, base: u32, offset: u32) -> u32 {
    0x8000_0000 | target << 21 | base << 16 | offset & 0xffff
}

pub fn addi(target: u32, source: u32, value: u32) -> u32 {
    0x3800_0000 | target << 21 | source << 16 | value & 0xffff
}

/// A branch by so many instructions.
pub fn branch(instructions: i32) -> u32 {
    0x4800_0000 | (instructions * 4) as u32 & 0x03ff_fffc
}

/// A branch by so many instructions, if the last comparison or conditional store was not equal.
pub fn branch_not_equal(instructions: i32) -> u32 {
    0x4082_0000 | (instructions * 4) as u32 & 0xfffc
}

pub fn mtspr(number: u32, source: u32) -> u32 {
    0x7c00_03a6 | source << 21 | (number & 31) << 16 | (number >> 5) << 11
}

pub fn mtmsr(source: u32) -> u32 {
    0x7c00_0124 | source << 21
}

pub const RFI: u32 = 0x4c00_0064;
/// lwarx r5, 0, r4 and stwcx. r5, 0, r4.
pub const LWARX_5_4: u32 = 0x7ca0_2028;
pub const STWCX_5_4: u32 = 0x7ca0_212d;

/// Counts in [`SHARED`] together with all others, and alone `own` bytes behind it.
pub fn counting(own: u32) -> Vec<u32> {
    let mut words = load(4, SHARED).to_vec();
    words.extend([
        LWARX_5_4,
        addi(5, 5, 1),
        STWCX_5_4,
        branch_not_equal(-3),
        addi(6, 6, 1),
        stw(6, 4, own),
        branch(-6),
    ]);
    words
}

/// The first core releases the second, then both count.
pub fn counting_together() -> Vec<u8> {
    let mut first = load(3, 0xffe0_1010).to_vec();
    first.extend([load(5, 0x0300_0000).as_slice(), &[stw(5, 3, 0)]].concat());
    first.extend(counting(4));
    elf(0x1000, &[(0x100, counting(8)), (0x1000, first)])
}

/// Sleeps, and is woken by the decrementer every `ticks`.
pub fn napping(ticks: u32) -> Vec<u8> {
    let rewind = [&load(7, ticks)[..], &[mtspr(22, 7)]].concat();
    let mut handler = load(4, SHARED).to_vec();
    handler.extend([lwz(6, 4, 0), addi(6, 6, 1), stw(6, 4, 0)]);
    handler.extend(&rewind);
    handler.push(RFI);
    // HID0: time base, data cache, nap. Then MSR[POW], EE, ME, again and again.
    let mut main = [&load(3, 0x0440_c000)[..], &[mtspr(1008, 3)]].concat();
    main.extend(&rewind);
    main.extend(load(3, 0x0004_9000));
    main.extend([mtmsr(3), branch(-1)]);
    elf(0x1000, &[(0x900, handler), (0x1000, main)])
}

/// A word of memory.
pub fn word(machine: &Machine, address: u32) -> u32 {
    let bytes = machine.peek(address, 4);
    u32::from_be_bytes(bytes.try_into().expect("there is memory"))
}
