//! The board on which random programs run: what is where, and how a machine is made of it.

use crate::caches;
use crate::image::Image;
use crate::random::Random;
use socscope_machine::Machine;
use std::io::{self, Write};
use std::process::{Command, Stdio};

/// On-chip memory after the remap.
pub const SRAM: u32 = 0;
/// Its place before.
pub const SRAM_BEFORE_REMAP: u32 = 0x0030_0000;
/// Read-only memory on chip select 0; before the remap it is at 0.
pub const ROM: u32 = 0x0100_0000;
/// Memory on chip select 1.
pub const RAM: u32 = 0x0200_0000;
/// Bytes of ROM and of RAM, which answer many times in their pages.
pub const EXTERNAL_BYTES: u32 = 0x1_0000;
/// Data of programs in the on-chip memory, below the stacks.
pub const SRAM_DATA: std::ops::Range<u32> = 0x4000..0x6000;
/// Top of the stacks; each mode has [`STACK_BYTES`].
pub const STACKS_TOP: u32 = 0x8000;
/// Bytes of one mode's stack.
pub const STACK_BYTES: u32 = 0x400;
/// Room for code in RAM.
pub const RAM_CODE_BYTES: u32 = 0x7f00;
/// Data of programs in RAM.
pub const RAM_DATA: std::ops::Range<u32> = RAM + 0x8000..RAM + 0xf000;
/// External bus interface.
pub const EBI: u32 = 0xffe0_0000;
/// Serial port whose transmitter feeds its receiver.
pub const USART0: u32 = 0xfffd_0000;
/// Serial port with the host at the other end.
pub const USART1: u32 = 0xfffc_c000;
/// Timers.
pub const TIMER: u32 = 0xfffe_0000;
/// Parallel lines.
pub const PIO: u32 = 0xffff_0000;
/// Interrupt controller.
pub const AIC: u32 = 0xffff_f000;

/// Which cycles the core takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// N, S and I cycles with wait states.
    Arm7Tdmi,
    /// Cycles and instructions.
    Fixed(u32, u32),
    /// Caches of a seed, before memory of less than so many cycles.
    Cached(u64, u32),
}

/// Compiles the board's device tree.
///
/// # Errors
/// What the device-tree compiler says.
pub fn blob() -> io::Result<Vec<u8>> {
    compile(include_bytes!("../fuzz.dts"))
}

/// Compiles a device tree.
pub(crate) fn compile(source: &[u8]) -> io::Result<Vec<u8>> {
    let platforms = concat!(env!("CARGO_MANIFEST_DIR"), "/../platforms");
    let mut compiler = Command::new("dtc")
        .args(["-@", "-q", "-I", "dts", "-O", "dtb", "-i", platforms])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = compiler.stdin.take() {
        input.write_all(source)?;
    }
    let output = compiler.wait_with_output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(io::Error::other("dtc refuses a board of random programs"))
    }
}

/// A machine with a program in its memories.
///
/// # Panics
/// When the board or the image cannot be loaded, which is an error of this crate.
pub fn machine(blob: &[u8], image: &Image, cycles: Cycles) -> Machine {
    let overrides = match cycles {
        Cycles::Arm7Tdmi => vec![],
        Cycles::Fixed(cycles, instructions) => vec![
            "/cpus/cpu@0:socscope,timing=fixed-cpi".to_string(),
            format!("/cpus/cpu@0:socscope,cpi={cycles} {instructions}"),
        ],
        Cycles::Cached(seed, slowest) => caches::properties(&mut Random(seed), slowest)
            .into_iter()
            .map(|(name, value)| format!("/cpus/cpu@0:{name}={value}"))
            .collect(),
    };
    let mut machine = Machine::new(blob, "fuzz", &overrides).expect("the board is right");
    machine
        .load_elf(&image.elf(), "program")
        .expect("the program fits");
    machine
}
