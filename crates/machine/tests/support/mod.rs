//! Platforms and small programs for the tests of machines.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    dead_code,
    reason = "tests compile device trees with dtc, and no test file uses all of this"
)]

pub mod mixed;
pub mod powerpc;
pub mod private;
pub mod toy;

use socscope_machine::{Machine, PlatformError};
use std::io::Write;
use std::process::{Command, Stdio};

/// First address of the first serial port.
pub const USART0: u32 = 0xfffd_0000;
/// First address that the programs here use of the RAM.
pub const RAM: u32 = 0x8_0000;
/// Stores that switch the first serial port on.
pub const USART0_ON: [(u32, u32); 4] = [
    (USART0, 0xac),
    (USART0 + 0x04, 0x8c0),
    (USART0 + 0x20, 13),
    (USART0, 0x50),
];

/// An ARM program: its user's part calls the system, under conditions too, and the handler returns in two ways.
pub const SYSTEM_CALLS: [u32; 26] = [
    // b start; five vectors to themselves but that of software interrupts: b handler.
    0xea00_0006,
    0xeaff_fffe,
    0xea00_000e,
    0xeaff_fffe,
    0xeaff_fffe,
    0xeaff_fffe,
    0xeaff_fffe,
    0xeaff_fffe,
    // start: mov sp, #0x300000; add sp, sp, #0x1000; msr cpsr_c, #0x10; mov r4, #0
    0xe3a0_d603,
    0xe28d_da01,
    0xe321_f010,
    0xe3a0_4000,
    // again: swi 0; cmp r4, #8; swine 1; adds r5, r5, r4; b again
    0xef00_0000,
    0xe354_0008,
    0x1f00_0001,
    0xe095_5004,
    0xeaff_fffa,
    0,
    // handler: stmfd sp!, {r3, lr}; add r4, r4, #1; tst r4, #1; ldmeqfd sp!, {r3, pc}^
    0xe92d_4008,
    0xe284_4001,
    0xe314_0001,
    0x08fd_8008,
    // mrs r6, spsr; ldmfd sp!, {r3, lr}; movs pc, lr
    0xe14f_6000,
    0xe8bd_4008,
    0xe1b0_f00e,
    0,
];

/// The folder of the boards.
const PLATFORMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../platforms");

/// Compiles device-tree source with labels.
pub fn compile(source: &str) -> Vec<u8> {
    let mut dtc = Command::new("dtc")
        .args(["-@", "-q", "-I", "dts", "-O", "dtb", "-i", PLATFORMS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("dtc is installed");
    dtc.stdin
        .take()
        .expect("piped")
        .write_all(source.as_bytes())
        .expect("dtc reads");
    let output = dtc.wait_with_output().expect("dtc ends");
    assert!(output.status.success(), "dtc accepts the source");
    output.stdout
}

/// The study's board with additions to its source.
pub fn board_with(additions: &str) -> Result<Machine, PlatformError> {
    let source =
        format!("/dts-v1/;\n/include/ \"at91x40.dts\"\n{additions}").replacen("/dts-v1/;\n", "", 1);
    Machine::new(&compile(&source), "test", &[])
}

/// The study's board.
pub fn board() -> Machine {
    board_with("").expect("the platform is right")
}

/// A board with a program of ARM words in ROM, at the reset vector.
pub fn board_running(words: &[u32]) -> Machine {
    let mut machine = board();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(machine.poke(0, &bytes), bytes.len());
    machine
}

/// A program that stores values at addresses, then goes on with `tail`. It uses r0 and r1.
pub fn storing(stores: &[(u32, u32)], tail: &[u32]) -> Vec<u32> {
    let code_words = stores.len() * 3 + tail.len();
    let load = |register: u32, at: usize, literal: usize| {
        0xe59f_0000 | register << 12 | ((code_words + literal - at - 2) * 4) as u32
    };
    let mut words = vec![];
    for index in 0..stores.len() {
        words.push(load(0, index * 3, index * 2));
        words.push(load(1, index * 3 + 1, index * 2 + 1));
        words.push(0xe580_1000); // str r1, [r0]
    }
    words.extend(tail);
    words.extend(stores.iter().flat_map(|&(address, value)| [address, value]));
    words
}

/// A program that sends 300 bytes from RAM + 0x400 and receives into RAM + 0x1000 by DMA, stores what else is wanted, and fills RAM meanwhile.
pub fn transferring(received_bytes: u32, more: &[(u32, u32)]) -> Vec<u32> {
    let transfers = [
        (USART0 + 0x30, RAM + 0x1000),
        (USART0 + 0x34, received_bytes),
        (USART0 + 0x38, RAM + 0x400),
        (USART0 + 0x3c, 300),
    ];
    // mov r2, #RAM; loop: add r3, r3, #1; str r3, [r2], #4; bic r2, r2, #0x8000; b loop
    let tail = [
        0xe3a0_2702,
        0xe283_3001,
        0xe482_3004,
        0xe3c2_2902,
        0xeaff_fffb,
    ];
    storing(&[&USART0_ON, &transfers[..], more].concat(), &tail)
}
