//! Two StrataFlash chips of 16 bits side by side, as a bank of 32: the common flash interface with Intel's commands.
//!
//! # Summary
//! Words are programmed, one or a buffer at a time, and blocks erased; query table, identifiers, status.
//!
//! # Behaviour
//! Each chip has its half of every word, and its own commands: a write of a word is one to both. What is programmed or erased is in the array at once, and the
//! status says for the typical time that the chip is busy. The contents outlive resets; they begin erased.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! Intel 28F128J3A data sheet (order 290667); JEDEC JESD68.01.

mod chip;
mod query;
#[cfg(test)]
mod tests;

use crate::register::{RW, register, repeated};
use crate::{hole, lane, state};
use chip::{Change, Chip, Mode};
use query::BLOCK_BYTES;
use serde::{Deserialize, Serialize};
use socscope_device::{BuildError, Context, Description, Device, Model, Properties, RestoreError};
use socscope_memory::Width;
use socscope_time::EventId;
use std::collections::BTreeMap;

const WIDTH_PROPERTY: &str = "bank-width";
/// Bytes of a bank whose node says no size.
const BYTES: u32 = 0x400;
/// Bytes that are kept together, once one of them is not erased.
const PAGE_BYTES: u32 = 0x1000;
const CHIPS: usize = 2;
/// Intel, 28F128J3A.
const IDENTIFIERS: [u16; 2] = [0x0089, 0x0018];

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["cfi-flash"],
    title: "CFI flash",
    data_sheet: "Intel 28F128J3A data sheet (order 290667); JEDEC JESD68.01",
    limits: "Code cannot be fetched from it, and an image cannot be loaded into it. No suspension; lock bits are accepted and not kept; no protection registers.",
    registers: &[repeated(
        register(
            0,
            "ARRAY",
            RW,
            u32::MAX,
            "data",
            "A word of the array; commands, where it is written.",
        ),
        BYTES / 4,
        4,
    )],
    inputs: &[],
    outputs: &[],
    ports: &[],
    properties: &[(WIDTH_PROPERTY, "Bytes of the bank's width: 4.")],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

#[derive(Default, Serialize, Deserialize)]
struct State {
    chips: [Chip; CHIPS],
    /// Ends of what the chips are busy with.
    ends: [Option<EventId>; CHIPS],
    /// Pages of the bank that are not erased, by their number.
    pages: BTreeMap<u32, Vec<u8>>,
}

struct Flash {
    bytes: u32,
    state: State,
}

fn build(node: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    let refused = |property: &str, reason: String, remedy: &str| BuildError {
        path: node.path().into(),
        property: property.into(),
        reason,
        remedy: remedy.into(),
    };
    let width = node.cell(WIDTH_PROPERTY)?.unwrap_or(4);
    if width != 4 {
        let reason = format!("a bank of {width} bytes is not known");
        return Err(refused(
            WIDTH_PROPERTY,
            reason,
            "give 4: two chips of 16 bits",
        ));
    }
    let bytes = node.cells("reg")?.last().copied().unwrap_or(BYTES);
    if bytes % 4 != 0 {
        let reason = format!("{bytes:#x} bytes are no whole words");
        return Err(refused("reg", reason, "give a multiple of 4"));
    }
    Ok(Box::new(Flash {
        bytes,
        state: State::default(),
    }))
}

impl Flash {
    /// What a chip's half of the array holds at a word of the bank.
    fn half(&self, chip: usize, word: u32) -> u16 {
        let at = 4 * word + 2 * chip as u32;
        let page = self.state.pages.get(&(at / PAGE_BYTES));
        let at = (at % PAGE_BYTES) as usize;
        page.and_then(|page| page.get(at..at + 2)?.try_into().ok())
            .map_or(u16::MAX, u16::from_le_bytes)
    }

    fn set_half(&mut self, chip: usize, word: u32, value: u16) {
        let at = 4 * word + 2 * chip as u32;
        let erased = || vec![0xff; PAGE_BYTES as usize];
        let page = self
            .state
            .pages
            .entry(at / PAGE_BYTES)
            .or_insert_with(erased);
        let at = (at % PAGE_BYTES) as usize;
        if let Some(there) = page.get_mut(at..at + 2) {
            there.copy_from_slice(&value.to_le_bytes());
        }
    }

    fn words(&self) -> u32 {
        self.bytes / 4
    }

    fn change(&mut self, chip: usize, change: Change) {
        match change {
            Change::Program(words) => {
                let end = self.words();
                for (word, value) in words.into_iter().filter(|&(word, _)| word < end) {
                    let before = self.half(chip, word);
                    self.set_half(chip, word, before & value);
                }
            }
            Change::Erase(word) => {
                let block = BLOCK_BYTES / 2;
                let first = word / block * block;
                for word in first..(first + block).min(self.words()) {
                    if self.half(chip, word) != u16::MAX {
                        self.set_half(chip, word, u16::MAX);
                    }
                }
                let is_used = |page: &mut Vec<u8>| page.iter().any(|&byte| byte != 0xff);
                self.state.pages.retain(|_, page| is_used(page));
            }
        }
    }

    /// What a word of the bank reads as.
    fn value(&self, word: u32) -> u32 {
        let half = |chip: usize| {
            let of = &self.state.chips[chip];
            u32::from(match of.mode() {
                Mode::Array => self.half(chip, word),
                Mode::Status => u16::from(of.status()),
                Mode::Query => query::word(word),
                Mode::Identifier => IDENTIFIERS.get(word as usize).copied().unwrap_or(0),
            })
        };
        half(0) | half(1) << 16
    }
}

impl Device for Flash {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    /// Ends what a chip is busy with; the array keeps what it holds.
    fn reset(&mut self, context: &mut Context) {
        for end in self.state.ends.iter_mut().filter_map(Option::take) {
            context.cancel(end);
        }
        self.state.chips.iter_mut().for_each(Chip::reset);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        if offset >= self.bytes {
            hole::warn_of_read(context, offset);
        }
        let word = self.peek(offset, context).unwrap_or(0);
        lane::read(word, offset, width, context.order)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        if offset >= self.bytes || width == Width::Byte {
            hole::warn_of_write(context, offset, value);
            return;
        }
        let (mask, bits) = lane::written(value, offset, width, context.order);
        for chip in 0..CHIPS {
            let shift = 16 * chip as u32;
            if mask >> shift & 0xffff == 0 {
                continue;
            }
            let written = self.state.chips[chip].write(offset / 4, (bits >> shift) as u16);
            if let Some((change, picoseconds)) = written {
                self.change(chip, change);
                let end = context.now.after_ps(picoseconds);
                self.state.ends[chip] = Some(context.schedule(end, chip as u64));
            }
        }
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        let inside = offset < self.bytes;
        Some(if inside { self.value(offset / 4) } else { 0 })
    }

    fn event(&mut self, payload: u64, _context: &mut Context) {
        let chip = payload as usize % CHIPS;
        self.state.ends[chip] = None;
        self.state.chips[chip].ready();
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let are_whole = |state: &State| state.chips.iter().all(Chip::is_whole);
        self.state = state::restore_whole(DESCRIPTION.title, bytes, are_whole)?;
        Ok(())
    }
}
