//! Machines whose cores have memories of their own at one address, and programs that run there.

use super::mixed::{arm_branch, arm_elf, arm_load, load_second};
use super::{compile, powerpc};
use socscope_machine::{Machine, PlatformError};
use socscope_memory::Viewer;

/// Where the main programs begin, in memory that all share.
pub const MAINS: [u32; 2] = [0x1000, 0x4000];
/// Where the programs tell what they did: 16 bytes for each core.
pub const SHARED: u32 = 0x8000;
/// Where each core has memory of its own, over what all share: code, and data.
pub const OWN: u32 = 0x2_0000;
pub const OWN_DATA: u32 = OWN + 0x800;
const OWN_BYTES: u32 = 0x1000;
/// Where each core has a serial port of its own.
pub const PORT: u32 = 0xe000_0000;

/// The nodes of two ARM cores.
pub const TWO_ARMS: &str = r#"
    one: cpu@0 { device_type = "cpu"; compatible = "arm,arm7tdmi"; reg = <0>; clocks = <&mck>; };
    two: cpu@1 { device_type = "cpu"; compatible = "arm,arm7tdmi"; reg = <1>; clocks = <&mck>; };"#;
/// Those of a PowerPC and an ARM.
pub const MIXED: &str = r#"
    one: PowerPC,603e@0 { device_type = "cpu"; reg = <0>; clocks = <&mck>; };
    two: cpu@1 { device_type = "cpu"; compatible = "arm,arm7tdmi"; reg = <1>; clocks = <&mck>; };"#;

/// A board with two cores, each with memory and a port of its own, and more nodes.
pub fn board_with(cpus: &str, more: &str) -> Result<Machine, PlatformError> {
    let own = |core: &str| {
        format!(
            r#"bus-of-{core} {{
                #address-cells = <1>; #size-cells = <1>; ranges;
                tcm_{core}: sram@20000 {{
                    compatible = "mmio-sram"; reg = <{OWN:#x} {OWN_BYTES:#x}>; socscope,private-to = <&{core}>; socscope,wait-states = <1 1>;
                }};
                port_{core}: serial@e0000000 {{
                    compatible = "ns16550"; reg = <{PORT:#x} 0x100>; clocks = <&mck>; socscope,private-to = <&{core}>;
                }};
            }};"#
        )
    };
    let source = format!(
        r#"/dts-v1/;
        / {{
            #address-cells = <1>;
            #size-cells = <1>;
            mck: mck {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <50000000>; }};
            cpus {{ #address-cells = <1>; #size-cells = <0>; {cpus} }};
            chosen {{ }};
            memory@0 {{ device_type = "memory"; reg = <0 0x40000>; }};
            {} {}
        }};
        {more}"#,
        own("one"),
        own("two")
    );
    Machine::new(&compile(&source), "private", &[])
}

/// Two ARM cores, each with its main program in shared memory and its own code.
pub fn two_arms(mains: [Vec<u32>; 2], own: [Vec<u32>; 2]) -> Machine {
    let ([main, second_main], [code, second_code]) = (mains, own);
    let mut machine = one_of_two(main, code);
    let second = arm_elf(&[(MAINS[1], second_main), (OWN, second_code)]);
    load_second(&mut machine, &second).expect("it fits");
    machine
}

/// The same without the second core's image, which is an input.
pub fn one_of_two(main: Vec<u32>, own: Vec<u32>) -> Machine {
    let mut machine = board_with(TWO_ARMS, "").expect("the board is right");
    let first = arm_elf(&[(MAINS[0], main), (OWN, own)]);
    machine.load_elf(&first, "first").expect("it fits");
    machine
}

/// The main program of an ARM core, which begins at a place: calls its own code by a known and by a computed address, tells what that gives and its own data, and goes on.
pub fn arm_main(core: usize) -> Vec<u32> {
    let mut words = vec![];
    words.extend(arm_load(2, OWN));
    words.extend(arm_load(3, OWN_DATA));
    words.extend(arm_load(7, SHARED + 16 * core as u32));
    let call = (OWN - (MAINS[core] + 4 * words.len() as u32)) / 4;
    words.push(arm_branch(0xe, call as i32) | 1 << 24);
    // mov lr, pc; mov pc, r2; str r4, [r7]; ldr r0, [r3]; str r0, [r7, #4]; b back
    words.extend([0xe1a0_e00f, 0xe1a0_f002, 0xe587_4000]);
    words.extend([0xe593_0000, 0xe587_0004, arm_branch(0xe, -6)]);
    words
}

/// An ARM core's own code: adds numbers to r4 one after the other, and 1 to its own data.
pub fn arm_own(numbers: &[u32]) -> Vec<u32> {
    let adds = numbers.iter().map(|number| 0xe284_4000 | number);
    // ldr r0, [r3]; add r0, r0, #1; str r0, [r3]; mov pc, lr
    let behind = [0xe593_0000, 0xe280_0001, 0xe583_0000, 0xe1a0_f00e];
    adds.chain(behind).collect()
}

/// The main program of a PowerPC as [`arm_main`], and its own code.
pub fn powerpc_program() -> [Vec<u32>; 2] {
    use powerpc::{addi, branch, load, lwz, stw};
    const BLR: u32 = 0x4e80_0020;
    let mut main = [load(10, OWN), load(9, OWN_DATA), load(8, SHARED)].concat();
    let call = (OWN - (MAINS[0] + 4 * main.len() as u32)) / 4;
    main.push(branch(call as i32) | 1);
    // mtctr r10; bctrl
    main.extend([0x7d49_03a6, 0x4e80_0421]);
    main.extend([stw(4, 8, 0), lwz(3, 9, 0), stw(3, 8, 4), branch(-6)]);
    let own = vec![
        addi(4, 4, 5),
        lwz(3, 9, 0),
        addi(3, 3, 1),
        stw(3, 9, 0),
        BLR,
    ];
    [main, own]
}

/// A word of an ARM as somebody sees it.
pub fn word(machine: &Machine, viewer: Viewer, address: u32) -> u32 {
    let bytes = machine.peek_for(viewer, address, 4);
    u32::from_le_bytes(bytes.try_into().expect("there is memory"))
}
