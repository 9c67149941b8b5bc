//! Platforms and small programs for the tests of machines.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    dead_code,
    reason = "tests compile device trees with dtc, and no test file uses all of this"
)]

use socscope_machine::{Machine, PlatformError};
use std::io::Write;
use std::process::{Command, Stdio};

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
