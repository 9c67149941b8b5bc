//! The registers as debuggers and logs of changes number them.

use crate::slot;
use socscope_core::{Register, RegisterFile, RegisterGroup, RegisterKind};
use socscope_memory::Endianness;

static GROUPS: [RegisterGroup; 1] = [RegisterGroup {
    feature: "org.socscope.toy.core",
    is_banked: false,
    registers: &Register::all::<{ slot::COUNT + 1 }>(
        [
            "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13",
            "lr", "sp", "status", "back", "before", "scratch", "pc",
        ],
        &[
            (slot::LINK as usize, RegisterKind::Code),
            (slot::STACK as usize, RegisterKind::Data),
            (slot::COUNT, RegisterKind::Code),
        ],
    ),
}];

const fn file(endianness: Endianness) -> RegisterFile {
    RegisterFile {
        architecture: "toy",
        endianness,
        groups: &GROUPS,
        written_first: None,
        of_saved: |_| {},
    }
}

/// In either byte order.
pub(crate) static LITTLE: RegisterFile = file(Endianness::Little);
pub(crate) static BIG: RegisterFile = file(Endianness::Big);
