//! External bus interface (EBI): eight chip selects with wait states, and the remap command.

mod placement;
#[cfg(test)]
mod tests;

use crate::apb;
use crate::register::{RW, WO, register};
use crate::state;
use placement::{Place, add_alias, move_regions};
use serde::{Deserialize, Serialize};
use socscope_device::RestoreError;
use socscope_device::{BuildError, Context, Description, Device, Model, Properties, Register};
use socscope_memory::{AccessCost, RegionIndex, Width};

const CHIP_SELECTS: usize = 8;
const CSR: &str =
    "Base address, page size, bus width, wait states and float time of a chip select.";

const fn csr(number: u32, name: &'static str, reset: u32) -> Register {
    register(4 * number, name, RW, reset, "control", CSR)
}

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["atmel,at91x40-ebi"],
    title: "AT91X40 external bus interface",
    data_sheet: "Atmel doc1354 (AT91X40 series), EBI: External Bus Interface",
    limits: "NWAIT is never asserted. Chip selects that overlap each other or something else answer in the order of their numbers. \
             Of the opcodes that the core has fetched ahead of the remap command, one is executed: the jump to the final address.",
    registers: &[
        csr(0, "EBI_CSR0", CSR0_RESET_16_BIT),
        csr(1, "EBI_CSR1", 0x1000_0000),
        csr(2, "EBI_CSR2", 0x2000_0000),
        csr(3, "EBI_CSR3", 0x3000_0000),
        csr(4, "EBI_CSR4", 0x4000_0000),
        csr(5, "EBI_CSR5", 0x5000_0000),
        csr(6, "EBI_CSR6", 0x6000_0000),
        csr(7, "EBI_CSR7", 0x7000_0000),
        register(
            0x20,
            "EBI_RCR",
            WO,
            0,
            "control",
            "Remap command: puts the on-chip SRAM at address 0.",
        ),
        register(
            0x24,
            "EBI_MCR",
            RW,
            0,
            "control",
            "Address lines in use and the data read protocol.",
        ),
    ],
    inputs: &[],
    outputs: &[],
    ports: &[],
    properties: &[
        (
            "atmel,sram",
            "Phandle of the on-chip SRAM that the remap command moves to 0.",
        ),
        (
            "atmel,nominal-csr",
            "Values of EBI_CSR0 and following that a boot loader would program.",
        ),
        (
            "atmel,boot-bus-width",
            "Data bus width of chip select 0 after reset: 8 or 16 (the BMS pin).",
        ),
    ],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |node| Ok(Box::new(Ebi::build(node)?)),
};

const CSR0_RESET_16_BIT: u32 = 0x0000_203d;
const CSR0_RESET_8_BIT: u32 = 0x0000_203e;
/// Bits that exist: BA, CSEN, BAT, TDF, PAGES, WSE, NWS, DBW.
const CSR_MASK: u32 = 0xfff0_3fbf;
const CSR_ENABLE: u32 = 1 << 13;
const MCR_MASK: u32 = 0x17;
const MCR_EARLY_READ: u32 = 1 << 4;
const REMAP: u32 = 1;
const SRAM_BEFORE_REMAP: u32 = 0x0030_0000;
/// Chip select 0 answers in the first megabyte until the remap, whatever its page size.
const BOOT_SIZE: u32 = 0x0010_0000;
/// Where chip selects can be (doc1354, memory map after remap); the rest is on the chip.
const EXTERNAL: std::ops::Range<u64> = 0x0040_0000..0xffc0_0000;

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Map {
    /// Chip select 0 at 0, the SRAM at 0x00300000; the other chip selects are off.
    Boot,
    /// The remap command is given: chip selects are in their places, but fetches at 0 still come from chip select 0.
    Settling,
    /// The SRAM at 0, chip selects where their registers say.
    Remapped,
}

#[derive(Clone, Serialize, Deserialize)]
struct State {
    csr: [u32; CHIP_SELECTS],
    mcr: u32,
    map: Map,
    /// What fetches at 0 find while the remap settles.
    alias: Option<RegionIndex>,
}

struct Ebi {
    sram: Option<RegionIndex>,
    chip_selects: [Option<RegionIndex>; CHIP_SELECTS],
    nominal: Vec<u32>,
    csr0_reset: u32,
    state: State,
}

impl Ebi {
    fn build(node: &dyn Properties) -> Result<Ebi, BuildError> {
        let refuse = |property: &str, reason: String, remedy: &str| BuildError {
            path: node.path().into(),
            property: property.into(),
            reason,
            remedy: remedy.into(),
        };
        let mut chip_selects = [None; CHIP_SELECTS];
        for (number, region) in node.child_regions()? {
            let slot = chip_selects.get_mut(number as usize).ok_or_else(|| {
                let reason = format!("a child is on chip select {number}");
                refuse("reg", reason, "number chip selects from 0 to 7")
            })?;
            if slot.replace(region).is_some() {
                let reason = format!("two children are on chip select {number}");
                return Err(refuse(
                    "reg",
                    reason,
                    "give each child a chip select of its own",
                ));
            }
        }
        let nominal = node.cells("atmel,nominal-csr")?;
        if nominal.len() > CHIP_SELECTS {
            let reason = format!("{} values for {CHIP_SELECTS} registers", nominal.len());
            return Err(refuse("atmel,nominal-csr", reason, "give at most 8"));
        }
        let csr0_reset = match node.cell("atmel,boot-bus-width")? {
            None | Some(16) => CSR0_RESET_16_BIT,
            Some(8) => CSR0_RESET_8_BIT,
            Some(other) => {
                let reason = format!("{other} is no width of the external bus");
                return Err(refuse("atmel,boot-bus-width", reason, "give 8 or 16"));
            }
        };
        Ok(Ebi {
            sram: node.region("atmel,sram")?,
            chip_selects,
            nominal,
            csr0_reset,
            state: State::after_reset(csr0_reset),
        })
    }

    /// Puts every region where the registers say, and prices it.
    fn apply(&mut self, context: &mut Context) {
        let remapped = self.state.map != Map::Boot;
        let settling = self.state.map == Map::Settling;
        let mut wanted: Vec<(RegionIndex, Place)> = vec![];
        let boot = Place::at(0, BOOT_SIZE, self.cost(0));
        if let Some(sram) = self.sram {
            let region = context.space.map().region(sram);
            let base = if remapped && !settling {
                0
            } else {
                SRAM_BEFORE_REMAP
            };
            wanted.push((sram, Place::at(base, region.size, region.cost)));
        }
        if let Some(alias) = self.state.alias {
            wanted.push((alias, if settling { boot } else { Place::NOWHERE }));
        }
        for (number, region) in self.chip_selects.iter().enumerate() {
            let Some(region) = *region else { continue };
            let place = match remapped {
                false if number == 0 => boot,
                false => Place::NOWHERE,
                true => self.place(number),
            };
            wanted.push((region, place));
        }
        let refused = move_regions(&wanted, context);
        for name in refused {
            context.warn(format!(
                "chip select of {name} overlaps something else and does not answer there"
            ));
        }
    }

    fn place(&self, number: usize) -> Place {
        let csr = self.state.csr[number];
        let size = 0x0010_0000 << (2 * ((csr >> 7) & 3));
        let base = (csr & 0xfff0_0000) & !(size - 1);
        let span = u64::from(base)..u64::from(base) + u64::from(size);
        let outside = span.start < EXTERNAL.start || span.end > EXTERNAL.end;
        if csr & CSR_ENABLE == 0 || outside {
            return Place::NOWHERE;
        }
        Place::at(base, size, self.cost(number))
    }

    fn cost(&self, number: usize) -> AccessCost {
        let csr = self.state.csr[number];
        // DBW 0 and 3 are reserved; they work as 16 bits here.
        let bits = if csr & 3 == 2 { 8 } else { 16 };
        let wait_states = if csr & (1 << 5) != 0 {
            ((csr >> 2) & 7) as u16 + 1
        } else {
            0
        };
        let mut cost = AccessCost::with_wait_states(bits, wait_states, wait_states);
        cost.float_cycles = ((csr >> 9) & 7) as u16;
        cost.external = number as u8 + 1;
        cost.early_read = self.state.mcr & MCR_EARLY_READ != 0;
        cost
    }

    fn value(&self, offset: u32) -> u32 {
        match apb::register_offset(offset) {
            offset @ 0x00..=0x1c => self.state.csr[offset as usize / 4],
            0x24 => self.state.mcr,
            _ => 0,
        }
    }
}

impl State {
    fn after_reset(csr0: u32) -> State {
        let mut csr = [0; CHIP_SELECTS];
        for (number, csr) in csr.iter_mut().enumerate() {
            *csr = (number as u32) << 28;
        }
        csr[0] = csr0;
        State {
            csr,
            mcr: 0,
            map: Map::Boot,
            alias: None,
        }
    }
}

impl Device for Ebi {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        let alias = self.state.alias;
        self.state = State::after_reset(self.csr0_reset);
        self.state.alias = alias.or_else(|| add_alias(self.chip_selects[0]?, context));
        self.apply(context);
    }

    fn boot_loader(&mut self, context: &mut Context) {
        let values = self.nominal.iter().map(|value| value & CSR_MASK);
        for (csr, value) in self.state.csr.iter_mut().zip(values) {
            *csr = value;
        }
        self.state.map = Map::Remapped;
        self.apply(context);
    }

    fn read(&mut self, offset: u32, width: Width, _context: &mut Context) -> u32 {
        apb::lane(self.value(offset), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        match apb::register_offset(offset) {
            offset @ 0x00..=0x1c => self.state.csr[offset as usize / 4] = value & CSR_MASK,
            0x20 if value & REMAP == 0 || self.state.map != Map::Boot => return,
            0x20 => {
                // The jump to the final address is in the core's pipeline by now (doc1354, "Remap Command").
                self.state.map = Map::Settling;
                context.after_next_instruction(0);
            }
            0x24 => self.state.mcr = value & MCR_MASK,
            _ => return apb::warn_of_write(context, offset, value),
        }
        self.apply(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(self.value(offset))
    }

    fn event(&mut self, _payload: u64, context: &mut Context) {
        if self.state.map == Map::Settling {
            self.state.map = Map::Remapped;
            self.apply(context);
        }
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.state = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
