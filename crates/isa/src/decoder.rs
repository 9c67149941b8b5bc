//! Decoding by the first bits of an instruction, made from its encodings at compile time. Instructions may differ in length.

use crate::Encoding;

/// The place of each encoding by the first bits of an instruction; `KEYS` is two to the power of their number.
#[derive(Clone, Copy, Debug)]
pub struct Decoder<const KEYS: usize> {
    places: [u8; KEYS],
}

impl<const KEYS: usize> Decoder<KEYS> {
    const BITS: u32 = KEYS.trailing_zeros();

    /// A decoder of encodings that differ in their first bits only. The first one stands for all instructions that no other is.
    pub const fn of<C: Copy>(encodings: &[Encoding<C>]) -> Decoder<KEYS> {
        assert!(KEYS.is_power_of_two() && encodings.len() <= 256);
        let mut places = [0; KEYS];
        let mut place = 1;
        while place < encodings.len() {
            let pattern = encodings[place].pattern;
            let below = pattern.bits - Self::BITS;
            assert!(pattern.mask & ((1 << below) - 1) == 0);
            let mut key = 0;
            while key < KEYS {
                if pattern.matches((key as u32) << below) {
                    assert!(places[key] == 0);
                    places[key] = place as u8;
                }
                key += 1;
            }
            place += 1;
        }
        Decoder { places }
    }

    /// Which encoding an instruction has whose first `bits` are `first`.
    #[inline(always)]
    pub const fn place(&self, first: u32, bits: u32) -> usize {
        self.places[(first >> (bits - Self::BITS)) as usize & (KEYS - 1)] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CycleClass, Pattern};

    const fn row(name: &'static str, text: &'static str) -> Encoding {
        Encoding {
            name,
            pattern: Pattern::new(text),
            class: CycleClass::Data,
            assembly: "",
        }
    }

    #[test]
    fn instructions_of_two_lengths_are_found_by_their_first_bits() {
        const ROWS: [Encoding; 4] = [
            row("none", "uuuuuuuuuuuuuuuu"),
            row("short", "0001 xxxxxxxxxxxx"),
            row("long", "1100 xxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
            row("many", "01xx xxxxxxxxxxxx"),
        ];
        let decoder = Decoder::<16>::of(&ROWS);
        let found = |first| ROWS[decoder.place(first, 16)].name;
        assert_eq!(found(0x1fff), "short");
        assert_eq!(found(0xc000), "long");
        assert_eq!([found(0x4000), found(0x7000)], ["many", "many"]);
        assert_eq!(found(0x2000), "none");
    }
}
