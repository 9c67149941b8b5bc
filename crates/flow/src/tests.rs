//! What the tests of readings against execution share.

use proptest::prelude::*;
use socscope_memory::{Access, AccessCost, Bus, Fault, RegionIndex, When, Width};
use std::collections::BTreeMap;

/// Writable memory everywhere, and one opcode.
pub struct Memory {
    big_endian: bool,
    /// What every fetch finds.
    pub opcode: u32,
    /// What fetches find behind the first one.
    pub rest: Option<u32>,
    bytes: BTreeMap<u32, u8>,
}

impl Memory {
    /// Filled with a function of the address.
    pub fn new(big_endian: bool) -> Memory {
        Memory {
            big_endian,
            opcode: 0,
            rest: None,
            bytes: BTreeMap::new(),
        }
    }

    fn shift(&self, offset: u32, width: Width) -> u32 {
        let from_low = if self.big_endian {
            width.bytes() - 1 - offset
        } else {
            offset
        };
        8 * from_low
    }
}

impl Bus for Memory {
    fn fetch(&mut self, _: u32, _: Width) -> Result<Access, Fault> {
        let (value, region) = (self.opcode, RegionIndex::UNMAPPED);
        self.opcode = self.rest.take().unwrap_or(value);
        Ok(Access { value, region })
    }
    fn read(&mut self, address: u32, width: Width, _: impl When) -> Result<Access, Fault> {
        let byte = |offset: u32| {
            let at = address.wrapping_add(offset);
            let filled = (at.wrapping_mul(0x9e37_79b1) >> 24) as u8;
            u32::from(self.bytes.get(&at).copied().unwrap_or(filled)) << self.shift(offset, width)
        };
        let (value, region) = ((0..width.bytes()).map(byte).sum(), RegionIndex::UNMAPPED);
        Ok(Access { value, region })
    }
    fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        _: impl When,
    ) -> Result<RegionIndex, Fault> {
        for offset in 0..width.bytes() {
            let byte = (value >> self.shift(offset, width)) as u8;
            self.bytes.insert(address.wrapping_add(offset), byte);
        }
        Ok(RegionIndex::UNMAPPED)
    }
    fn region(&self, _: u32) -> RegionIndex {
        RegionIndex::UNMAPPED
    }
    fn cost(&self, _: RegionIndex) -> &AccessCost {
        const { &AccessCost::SINGLE_CYCLE }
    }
    fn deadline(&self) -> u64 {
        u64::MAX
    }
    fn irq(&self) -> bool {
        false
    }
    fn fiq(&self) -> bool {
        false
    }
}

fn width() -> impl Strategy<Value = u32> {
    prop_oneof![
        Just(0u32),
        0..9u32,
        0..5000u32,
        any::<u32>().prop_map(|wide| wide >> 1)
    ]
}

/// A word, and how far a range that holds it goes below and above.
pub fn start() -> impl Strategy<Value = (u32, u32, u32)> {
    let word = prop_oneof![
        any::<u32>(),
        0..40u32,
        (0..40u32).prop_map(u32::wrapping_neg)
    ];
    (word, width(), width())
}
