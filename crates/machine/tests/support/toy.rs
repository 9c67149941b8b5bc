//! Machines with toys, alone and beside others, and images for them.

#[path = "../../../architectures/toy/tests/support/assembler.rs"]
pub mod assembler;

use super::compile;
use socscope_machine::{Input, Machine, PlatformError};

/// A controller whose lines end at the toy.
pub const CONTROLLER: u32 = 0xffff_f000;
/// Where a toy's program lies.
pub const PROGRAM: u32 = 0x6000;

/// A board with these cores, the nodes of which stand in `cpus`; `controller` is added to that node.
pub fn board(cpus: &str, controller: &str) -> Result<Machine, PlatformError> {
    let source = format!(
        r#"/dts-v1/;
        / {{
            #address-cells = <1>;
            #size-cells = <1>;
            fast: fast {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <66666667>; }};
            slow: slow {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <48000000>; }};
            cpus {{ #address-cells = <1>; #size-cells = <0>; {cpus} }};
            chosen {{ }};
            memory@0 {{ device_type = "memory"; reg = <0 0x40000>; }};
            aic: interrupt-controller@fffff000 {{
                compatible = "atmel,at91x40-aic"; reg = <0xfffff000 0x1000>; interrupt-controller; #interrupt-cells = <1>;
                clocks = <&slow>; {controller}
            }};
        }};"#
    );
    Machine::new(&compile(&source), "toys", &[])
}

/// The node of a core.
pub fn cpu(number: u32, compatible: &str, clock: &str, more: &str) -> String {
    format!(
        "core{number}: cpu@{number} {{ device_type = \"cpu\"; compatible = \"{compatible}\"; reg = <{number}>; clocks = <&{clock}>; {more} }};"
    )
}

/// A board with one toy.
pub fn alone(big: bool, more: &str) -> Machine {
    let model = if big {
        "socscope,toy-big-endian"
    } else {
        "socscope,toy"
    };
    board(&cpu(0, model, "slow", more), "").expect("the board is right")
}

/// An ELF file for a toy: `(address, instructions)` a segment; it starts at the first.
pub fn elf(big: bool, segments: &[(u32, Vec<u32>)]) -> Vec<u8> {
    let half = |value: u16| match big {
        true => value.to_be_bytes(),
        false => value.to_le_bytes(),
    };
    let words = |values: &[u32]| -> Vec<u8> {
        let order = |value: &u32| match big {
            true => value.to_be_bytes(),
            false => value.to_le_bytes(),
        };
        values.iter().flat_map(order).collect()
    };
    let mut bytes = vec![0x7f, b'E', b'L', b'F', 1, 1 + u8::from(big), 1];
    bytes.resize(16, 0);
    bytes.extend([half(2), half(0xf0f0)].concat());
    bytes.extend(words(&[1, segments[0].0, 52, 0, 0]));
    for value in [52, 32, segments.len() as u16, 40, 0, 0] {
        bytes.extend(half(value));
    }
    let mut offset = 52 + 32 * segments.len() as u32;
    let contents: Vec<Vec<u8>> = segments
        .iter()
        .map(|(_, code)| assembler::bytes(code, big))
        .collect();
    for ((address, _), content) in segments.iter().zip(&contents) {
        let size = content.len() as u32;
        bytes.extend(words(&[1, offset, *address, *address, size, size, 7, 4]));
        offset += size;
    }
    bytes.extend(contents.concat());
    bytes
}

/// Loads the image of a core that is not the first.
pub fn load(machine: &mut Machine, core: u16, bytes: &[u8]) -> Result<(), String> {
    let name = format!("of core {core}");
    let input = Input::Image {
        core,
        name,
        bytes: bytes.into(),
    };
    machine.apply(input).map_err(|error| error.to_string())
}

/// Stores a number at an address; uses r1 and r2.
pub fn store(address: u32, value: u32) -> Vec<u32> {
    let mut code = assembler::number(1, address).to_vec();
    code.extend(assembler::number(2, value));
    code.push(assembler::store(2, 1, 0));
    code
}
