//! Decoding, made from the encodings of a version at compile time.

use super::Version;
use socscope_isa::Encoding;

/// Rows, and the version that brought each. A later one takes words of an earlier one.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub encodings: &'static [Encoding],
    pub since: &'static [Version],
}

/// Bits by which ARM encodings are found: 27 to 20 and 7 to 4.
const ARM_KEY: u32 = 0x0ff0_00f0;
/// Bits by which Thumb encodings are found: 15 to 6.
const THUMB_KEY: u32 = 0xffc0;
/// The condition of instructions that have none, from version 5 on.
const UNCONDITIONAL: u32 = 0xf000_0000;

const fn arm_key(word: u32) -> usize {
    (word >> 16 & 0xff0 | word >> 4 & 0xf) as usize
}

const fn thumb_key(word: u32) -> usize {
    (word >> 6 & 0x3ff) as usize
}

/// The encoding of each key, and of each encoding the one to try when its other fixed bits do not match; 0 when there is none.
struct Table<const KEYS: usize, const COUNT: usize> {
    first: [u8; KEYS],
    otherwise: [u8; COUNT],
}

impl<const KEYS: usize, const COUNT: usize> Table<KEYS, COUNT> {
    const fn key(word: u32) -> usize {
        if KEYS == 4096 {
            arm_key(word)
        } else {
            thumb_key(word)
        }
    }

    /// Of the rows that `version` has, and whose bits 31 to 28 are fixed, or are not.
    const fn of(version: Version, rows: Rows, unconditional: bool) -> Table<KEYS, COUNT> {
        assert!(COUNT <= 256);
        let key_bits = if KEYS == 4096 { ARM_KEY } else { THUMB_KEY };
        let mut first = [0; KEYS];
        let mut otherwise = [0; COUNT];
        let mut row = 1;
        while row < COUNT {
            let pattern = &rows.encodings[row].pattern;
            let fixed = pattern.mask & UNCONDITIONAL != 0;
            if rows.since[row] as u8 <= version as u8 && fixed == unconditional {
                let decided = pattern.mask & !(key_bits | UNCONDITIONAL) == 0;
                // Those of version 4T are looked up by their key alone.
                assert!(decided || !matches!(rows.since[row], Version::V4T));
                let free = key_bits & !pattern.mask;
                let mut other = 0;
                loop {
                    let key = Self::key(pattern.value | other);
                    let before = first[key];
                    let replaces = rows.since[before as usize] as u8 != rows.since[row] as u8;
                    // Two encodings of one version never share all words of a key.
                    assert!(before == 0 || !decided || replaces);
                    if !decided && before != 0 {
                        assert!(otherwise[row] == 0 || otherwise[row] == before);
                        otherwise[row] = before;
                    }
                    first[key] = row as u8;
                    other = other.wrapping_sub(free) & free;
                    if other == 0 {
                        break;
                    }
                }
            }
            row += 1;
        }
        Table { first, otherwise }
    }

    #[inline(always)]
    fn place(&self, word: u32, encodings: &[Encoding]) -> usize {
        let mut place = usize::from(self.first[Self::key(word)]);
        while place != 0 && !encodings[place].pattern.matches(word) {
            place = usize::from(self.otherwise[place]);
        }
        place
    }
}

/// The decoder of a version.
pub(super) struct Tables<const ARM: usize, const THUMB: usize> {
    arm: Table<4096, ARM>,
    /// Of words whose condition is 1111, which from version 5 on are other instructions.
    unconditional: Option<Table<4096, ARM>>,
    thumb: Table<1024, THUMB>,
}

impl<const ARM: usize, const THUMB: usize> Tables<ARM, THUMB> {
    pub const fn of(version: Version, arm: Rows, thumb: Rows) -> Tables<ARM, THUMB> {
        Tables {
            arm: Table::of(version, arm, false),
            unconditional: match version {
                Version::V4T => None,
                _ => Some(Table::of(version, arm, true)),
            },
            thumb: Table::of(version, thumb, false),
        }
    }

    /// The place of an ARM instruction. Those of version 4T are decided by their keys.
    #[inline(always)]
    pub fn arm(&self, word: u32, encodings: &[Encoding]) -> usize {
        match &self.unconditional {
            None => usize::from(self.arm.first[arm_key(word)]),
            Some(table) if word >> 28 == 15 => table.place(word, encodings),
            Some(_) => self.arm.place(word, encodings),
        }
    }

    /// The place of a Thumb instruction.
    #[inline(always)]
    pub fn thumb(&self, word: u32, encodings: &[Encoding]) -> usize {
        match &self.unconditional {
            None => usize::from(self.thumb.first[thumb_key(word)]),
            Some(_) => self.thumb.place(word, encodings),
        }
    }
}
