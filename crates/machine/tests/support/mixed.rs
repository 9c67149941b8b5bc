//! Machines with a PowerPC and an ARM on one bus, and programs for both.

use super::{compile, powerpc};
use socscope_machine::{Input, Machine, PlatformError};

/// Memory that both programs use.
pub const SHARED: u32 = 0x8000;
/// Where the second core's program lies.
pub const SECOND: u32 = 0x4000;
/// A controller whose lines end at the ARM.
pub const CONTROLLER: u32 = 0xffff_f000;

/// A board with a PowerPC and an ARM: the PowerPC first, with these frequencies and these additions to the ARM's controller.
pub fn board_with(hz: [u32; 2], controller: &str) -> Result<Machine, PlatformError> {
    let [first, second] = hz;
    let source = format!(
        r#"/dts-v1/;
        / {{
            #address-cells = <1>;
            #size-cells = <1>;
            fast: fast {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <{first}>; }};
            slow: slow {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <{second}>; }};
            cpus {{
                #address-cells = <1>;
                #size-cells = <0>;
                PowerPC,603e@0 {{ device_type = "cpu"; reg = <0>; clocks = <&fast>; }};
                arm: cpu@1 {{ device_type = "cpu"; compatible = "arm,arm7tdmi"; reg = <1>; clocks = <&slow>; }};
            }};
            chosen {{ }};
            memory@0 {{ device_type = "memory"; reg = <0 0x40000>; }};
            serial@e0000000 {{ compatible = "ns16550"; reg = <0xe0000000 0x100>; clocks = <&fast>; }};
            aic: interrupt-controller@fffff000 {{
                compatible = "atmel,at91x40-aic"; reg = <0xfffff000 0x1000>; interrupt-controller; #interrupt-cells = <1>;
                clocks = <&slow>; {controller}
            }};
        }};"#
    );
    Machine::new(&compile(&source), "mixed", &[])
}

/// The board with programs that begin at 0x1000 and at [`SECOND`].
pub fn running(hz: [u32; 2], first: Vec<u32>, second: Vec<u32>) -> Machine {
    let mut machine = board_with(hz, "socscope,core = <&arm>;").expect("the board is right");
    let image = powerpc::elf(0x1000, &[(0x1000, first)]);
    machine.load_elf(&image, "first").expect("it fits");
    load_second(&mut machine, &arm_elf(&[(SECOND, second)])).expect("it fits");
    machine
}

/// Loads the image of the second core.
pub fn load_second(machine: &mut Machine, bytes: &[u8]) -> Result<(), String> {
    let input = Input::Image {
        core: 1,
        name: "second".into(),
        bytes: bytes.into(),
    };
    machine.apply(input).map_err(|error| error.to_string())
}

/// An ELF file for an ARM: `(address, words)` a segment; it starts at the first.
pub fn arm_elf(segments: &[(u32, Vec<u32>)]) -> Vec<u8> {
    let mut bytes = vec![0x7f, b'E', b'L', b'F', 1, 1, 1];
    bytes.resize(16, 0);
    let half = |value: u16| value.to_le_bytes().to_vec();
    let words = |values: &[u32]| -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    };
    bytes.extend(
        [
            half(2),
            half(40),
            words(&[1, segments[0].0, 52, 0, 0x0500_0000]),
        ]
        .concat(),
    );
    for value in [52, 32, segments.len() as u16, 40, 0, 0] {
        bytes.extend(half(value));
    }
    let mut offset = 52 + 32 * segments.len() as u32;
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

/// Loads a number into a register of an ARM.
pub fn arm_load(register: u32, value: u32) -> [u32; 4] {
    let [a, b, c, d] = value.to_le_bytes().map(u32::from);
    let or = 0xe380_0000 | register << 16 | register << 12;
    [
        0xe3a0_0000 | register << 12 | a,
        or | 12 << 8 | b,
        or | 8 << 8 | c,
        or | 4 << 8 | d,
    ]
}

/// Stores a number at an address; uses r0 and r1.
pub fn arm_store(address: u32, value: u32) -> Vec<u32> {
    [
        &arm_load(0, address)[..],
        &arm_load(1, value),
        &[0xe580_1000],
    ]
    .concat()
}

/// A branch of an ARM by so many instructions, under a condition (0xe: always).
pub fn arm_branch(condition: u32, instructions: i32) -> u32 {
    condition << 28 | 0x0a00_0000 | (instructions - 2) as u32 & 0xff_ffff
}

/// Stores a number at an address; uses r3 and r5.
pub fn store(address: u32, value: u32) -> Vec<u32> {
    [
        &powerpc::load(3, address)[..],
        &powerpc::load(5, value),
        &[powerpc::stw(5, 3, 0)],
    ]
    .concat()
}
