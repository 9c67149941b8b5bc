//! What system control decides about a core's way of working; CP15 will drive it.

use serde::{Deserialize, Serialize};

/// Bits of the control register of CP15. All are clear on a core without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemControl {
    /// V: vectors lie at 0xffff0000.
    pub high_vectors: bool,
    /// EE: handlers begin with big-endian data. From version 6.
    pub big_endian_exceptions: bool,
    /// U: words and half-words may lie anywhere. From version 6.
    pub unaligned: bool,
    /// A: accesses off alignment abort.
    pub alignment_checked: bool,
}

impl SystemControl {
    /// The address of the vector of the reset.
    pub const fn vector_base(self) -> u32 {
        if self.high_vectors { 0xffff_0000 } else { 0 }
    }
}
