//! Where memories and devices are, as GDB reads it.

use socscope_machine::Machine;
use socscope_memory::Target;
use std::fmt::Write;

/// One past the last address.
const END: u64 = 1 << 32;

/// The memory map now. All of it is called RAM, gaps too: GDB reads it once, but guests move their memories, and a breakpoint changes none of
/// them. What does not answer is told when it is read.
pub(crate) fn memory_map(machine: &Machine) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" \
         \"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n",
    );
    let mut borders: Vec<u64> = machine
        .regions()
        .iter()
        .filter(|region| region.enabled && !matches!(region.target, Target::Unmapped))
        .flat_map(|region| {
            let start = u64::from(region.base);
            [start, start + u64::from(region.size)]
        })
        .chain([0, END])
        .filter(|&border| border <= END)
        .collect();
    borders.sort_unstable();
    borders.dedup();
    for range in borders.windows(2) {
        let (start, length) = (range[0], range[1] - range[0]);
        let _ = writeln!(
            xml,
            "<memory type=\"ram\" start=\"{start:#x}\" length=\"{length:#x}\"/>"
        );
    }
    xml + "</memory-map>\n"
}
