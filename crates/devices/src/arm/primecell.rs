//! What all PrimeCells have: eight identification registers at the end of their 4 KiB.

use crate::register::{RO, register};
use socscope_device::Register;

/// Offset of the first one.
const FIRST: u32 = 0xfe0;
/// The bytes that stand in every PrimeCell, the lowest first.
const PRIMECELL: u32 = 0xb105_f00d;

const NAMES: [&str; 8] = [
    "PERIPHID0",
    "PERIPHID1",
    "PERIPHID2",
    "PERIPHID3",
    "PCELLID0",
    "PCELLID1",
    "PCELLID2",
    "PCELLID3",
];
const SUMMARIES: [&str; 8] = [
    "Low byte of the part number.",
    "High bits of the part number, low ones of the designer.",
    "High bits of the designer, revision.",
    "Configuration.",
    "First byte by which PrimeCells are known.",
    "Second byte by which PrimeCells are known.",
    "Third byte by which PrimeCells are known.",
    "Fourth byte by which PrimeCells are known.",
];

/// What register `index` of the eight reads as. `peripheral` has part number, designer, revision and configuration from bit 0 on.
const fn byte(peripheral: u32, index: u32) -> u32 {
    let word = if index < 4 { peripheral } else { PRIMECELL };
    word >> (8 * (index % 4)) & 0xff
}

/// A block's own registers with the identification behind them: `ALL` is eight more than `OWN`.
pub(super) const fn identified<const OWN: usize, const ALL: usize>(
    own: [Register; OWN],
    peripheral: u32,
) -> [Register; ALL] {
    assert!(ALL == OWN + 8);
    let mut all = [own[0]; ALL];
    let mut index = 0;
    while index < ALL {
        all[index] = if index < OWN {
            own[index]
        } else {
            let of_eight = index - OWN;
            let offset = FIRST + 4 * of_eight as u32;
            let value = byte(peripheral, of_eight as u32);
            let (name, summary) = (NAMES[of_eight], SUMMARIES[of_eight]);
            register(offset, name, RO, value, "identification", summary)
        };
        index += 1;
    }
    all
}

/// What the identification register at `offset` reads as.
pub(super) fn identification(peripheral: u32, offset: u32) -> Option<u32> {
    let index = offset.checked_sub(FIRST)? / 4;
    (index < 8).then(|| byte(peripheral, index))
}

#[cfg(test)]
mod tests {
    use crate::bench::Bench;

    #[test]
    fn blocks_say_what_they_are_byte_by_byte() {
        // ARM DDI 0183, 3.3.15 to 3.3.22: part 0x011, designer 0x41 (ARM), revision 1; and the four bytes of all PrimeCells.
        let mut bench = Bench::new("arm,pl011");
        let bytes: Vec<u32> = (0xfe0..0x1000)
            .step_by(4)
            .map(|at| bench.read(at))
            .collect();
        assert_eq!(bytes, [0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1]);
        for (compatible, part) in [
            ("arm,pl031", 0x31),
            ("arm,pl050", 0x50),
            ("arm,pl180", 0x81),
        ] {
            let mut bench = Bench::new(compatible);
            let low = (0xfe0..0xff0).step_by(4).map(|at| bench.read(at));
            let word = low
                .enumerate()
                .fold(0, |word, (at, byte)| word | byte << (8 * at));
            let number = if part == 0x81 { 0x181 } else { part };
            assert_eq!(word & 0xf_ffff, 0x4_1000 | number, "{compatible}");
        }
    }
}
