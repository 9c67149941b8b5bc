//! The control registers of an Integrator core module.
//!
//! # Summary
//! What the module is, its oscillators behind their lock, the control register with light and reset, a counter of 24 MHz, flags.
//!
//! # Behaviour
//! The oscillators, and CM_INIT, are written only while CM_LOCK holds 0xa05f. They keep what is written: the clocks of the model are those of
//! the platform, and the platform says with which setting the board comes up.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! ARM DUI 0157A and DUI 0138E (core modules), 4.2; DUI 0159B (Integrator/CP), 4.3.

#[cfg(test)]
mod tests;

use crate::register::{RO, RW, WO, field, register, with_fields};
use crate::{apb, state};
use serde::{Deserialize, Serialize};
use socscope_device::{
    BuildError, Context, Description, Device, Field, FieldAccess, Model, Properties, RestoreError,
};
use socscope_memory::Width;
use socscope_time::{Clock, Instant};

const ID: u32 = 0x00;
const PROC: u32 = 0x04;
const OSC: u32 = 0x08;
const CTRL: u32 = 0x0c;
const STAT: u32 = 0x10;
const LOCK: u32 = 0x14;
const BUS_CYCLES: u32 = 0x18;
const AUXOSC: u32 = 0x1c;
const SDRAM: u32 = 0x20;
const INIT: u32 = 0x24;
const REFERENCE: u32 = 0x28;
const FLAGS: u32 = 0x30;
const FLAGS_CLEAR: u32 = 0x34;
const NV_FLAGS: u32 = 0x38;
const NV_FLAGS_CLEAR: u32 = 0x3c;

const UNLOCKING: u32 = 0xa05f;
const UNLOCKED: u32 = 1 << 16;

const REMAP: u32 = 1 << 2;
const RESET: u32 = 1 << 3;
/// No motherboard is there to detect on the Integrator/CP.
const NO_MOTHERBOARD: u32 = 1 << 1;
const CTRL_KEPT: u32 = 0x001f_fff5;

const REFERENCE_HZ: u64 = 24_000_000;
const OSC_PROPERTY: &str = "socscope,cm-osc";
/// Core at 24 MHz * 2 * (152 + 8) / (24 * 2), memory bus at 24 MHz * 2 * (72 + 8) / (24 * 5): 160 and 32 MHz.
const OSC_RESET: u32 = 0x0044_8198;
const OSC_BITS: u32 = 0x01ff_ffff;
const AUXOSC_RESET: u32 = 0x0007_feff;
const AUXOSC_BITS: u32 = 0x0007_ffff;
/// 128 MB, burst and latency as the boot loader leaves them.
const SDRAM_RESET: u32 = 0x0001_012e;
const INIT_RESET: u32 = 0x0000_0112;

const CTRL_FIELDS: &[Field] = &[
    field(
        "LED",
        0,
        1,
        FieldAccess::ReadWrite,
        "The module's green light.",
    ),
    field(
        "nMBDET",
        1,
        1,
        FieldAccess::ReadOnly,
        "No motherboard is there.",
    ),
    field(
        "REMAP",
        2,
        1,
        FieldAccess::ReadWrite,
        "RAM instead of flash is at 0: kept, it always is.",
    ),
    field(
        "RESET",
        3,
        1,
        FieldAccess::WriteOnly,
        "A one resets the system.",
    ),
    field(
        "HIGHVECTORS",
        4,
        1,
        FieldAccess::ReadWrite,
        "Exception vectors of the core: kept.",
    ),
];

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["arm,core-module-integrator"],
    title: "Integrator core module",
    data_sheet: "ARM DUI 0157A and DUI 0138E: Integrator core modules, 4.2; ARM DUI 0159B: Integrator/CP, 4.3",
    limits: "Oscillators keep what is written and do not change clocks. REMAP is kept: RAM is at 0 whatever it says. The counter of bus cycles reads as 0. \
             The memory of the DIMM's description (SPD) is not there.",
    registers: &[
        register(
            ID,
            "CM_ID",
            RO,
            0x411a_3001,
            "identification",
            "Manufacturer ARM, AHB, XC2V FPGA, build.",
        ),
        register(
            PROC,
            "CM_PROC",
            RO,
            0,
            "identification",
            "The processor, on modules without a coprocessor 15.",
        ),
        register(
            OSC,
            "CM_OSC",
            RW,
            OSC_RESET,
            "clocks",
            "Dividers of the core's and the memory bus's oscillators; locked.",
        ),
        with_fields(
            register(
                CTRL,
                "CM_CTRL",
                RW,
                NO_MOTHERBOARD,
                "control",
                "Light, remap, reset, vectors, display.",
            ),
            CTRL_FIELDS,
        ),
        register(
            STAT,
            "CM_STAT",
            RO,
            0x0010_0000,
            "identification",
            "Number in the stack, size of the static memory.",
        ),
        register(
            LOCK,
            "CM_LOCK",
            RW,
            0,
            "clocks",
            "0xa05f unlocks the oscillators; bit 16 says that they are.",
        ),
        register(
            BUS_CYCLES,
            "CM_LMBUSCNT",
            RO,
            0,
            "data",
            "Cycles of the memory bus: reads as 0.",
        ),
        register(
            AUXOSC,
            "CM_AUXOSC",
            RW,
            AUXOSC_RESET,
            "clocks",
            "Dividers of the auxiliary oscillator; locked.",
        ),
        register(
            SDRAM,
            "CM_SDRAM",
            RW,
            SDRAM_RESET,
            "control",
            "Size and timing of the SDRAM: kept.",
        ),
        register(
            INIT,
            "CM_INIT",
            RW,
            INIT_RESET,
            "control",
            "How the core comes out of reset: kept; locked.",
        ),
        register(
            REFERENCE,
            "CM_REFCT",
            RO,
            0,
            "data",
            "Cycles of 24 MHz since the reset.",
        ),
        register(
            FLAGS,
            "CM_FLAGS",
            RW,
            0,
            "data",
            "Flags of software; a one sets.",
        ),
        register(
            FLAGS_CLEAR,
            "CM_FLAGSC",
            WO,
            0,
            "data",
            "A one clears a flag.",
        ),
        register(
            NV_FLAGS,
            "CM_NVFLAGS",
            RW,
            0,
            "data",
            "Flags that outlive a reset from within; a one sets.",
        ),
        register(
            NV_FLAGS_CLEAR,
            "CM_NVFLAGSC",
            WO,
            0,
            "data",
            "A one clears such a flag.",
        ),
    ],
    inputs: &[],
    outputs: &[],
    ports: &[],
    properties: &[(
        OSC_PROPERTY,
        "CM_OSC as the board comes up: the dividers that give the platform's clocks; those of 160 MHz (core) and 32 MHz (memory bus) when absent.",
    )],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

#[derive(Serialize, Deserialize)]
struct State {
    oscillators: u32,
    control: u32,
    lock: u32,
    auxiliary: u32,
    sdram: u32,
    init: u32,
    flags: u32,
    lasting_flags: u32,
    /// When the counter of 24 MHz began.
    since: Instant,
}

struct CoreModule {
    reference: Option<Clock>,
    oscillators: u32,
    state: State,
}

fn build(node: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    let oscillators = node.cell(OSC_PROPERTY)?.unwrap_or(OSC_RESET) & OSC_BITS;
    Ok(Box::new(CoreModule {
        reference: Clock::new(REFERENCE_HZ),
        oscillators,
        state: State::new(oscillators, 0, Instant::ZERO),
    }))
}

impl State {
    fn new(oscillators: u32, lasting_flags: u32, since: Instant) -> State {
        State {
            oscillators,
            control: 0,
            lock: 0,
            auxiliary: AUXOSC_RESET,
            sdram: SDRAM_RESET,
            init: INIT_RESET,
            flags: 0,
            lasting_flags,
            since,
        }
    }

    fn is_unlocked(&self) -> bool {
        self.lock == UNLOCKING
    }
}

impl CoreModule {
    /// Writes a register behind the lock.
    fn write_locked(&mut self, offset: u32, value: u32, context: &mut Context) {
        if !self.state.is_unlocked() {
            context.warn(format!(
                "write of {value:#x} to offset {offset:#05x} ignored: it is locked; write {UNLOCKING:#x} to CM_LOCK first"
            ));
            return;
        }
        match offset {
            OSC => self.state.oscillators = value & OSC_BITS,
            AUXOSC => self.state.auxiliary = value & AUXOSC_BITS,
            _ => self.state.init = value,
        }
    }
}

impl Device for CoreModule {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.state = State::new(self.oscillators, 0, context.now);
    }

    fn reset_from_within(&mut self, context: &mut Context) {
        let flags = self.state.lasting_flags;
        self.state = State::new(self.oscillators, flags, context.now);
    }

    fn boot_loader(&mut self, _context: &mut Context) {
        self.state.control |= REMAP;
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        apb::lane(self.peek(offset, context).unwrap_or(0), offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        match apb::register_offset(offset) {
            register @ (OSC | AUXOSC | INIT) => self.write_locked(register, value, context),
            CTRL => {
                self.state.control = value & CTRL_KEPT;
                if value & RESET != 0 {
                    context.reset_system("reset bit of the core module (CM_CTRL)");
                }
            }
            LOCK => self.state.lock = value & 0xffff,
            SDRAM => self.state.sdram = value,
            FLAGS => self.state.flags |= value,
            FLAGS_CLEAR => self.state.flags &= !value,
            NV_FLAGS => self.state.lasting_flags |= value,
            NV_FLAGS_CLEAR => self.state.lasting_flags &= !value,
            _ => apb::warn_of_write(context, offset, value),
        }
    }

    fn peek(&self, offset: u32, context: &Context) -> Option<u32> {
        let state = &self.state;
        Some(match apb::register_offset(offset) {
            OSC => state.oscillators,
            CTRL => state.control | NO_MOTHERBOARD,
            LOCK if state.is_unlocked() => state.lock | UNLOCKED,
            LOCK => state.lock,
            AUXOSC => state.auxiliary,
            SDRAM => state.sdram,
            INIT => state.init,
            REFERENCE => self.reference.map_or(0, |clock| {
                let passed = context.now.ps_since(state.since);
                clock.cycles_at(Instant(passed)) as u32
            }),
            FLAGS => state.flags,
            NV_FLAGS => state.lasting_flags,
            register @ (ID | PROC | STAT) => DESCRIPTION.register_at(register)?.0.reset,
            _ => 0,
        })
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.state = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
