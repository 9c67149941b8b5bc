//! The timers' register table.

use crate::register::{RO, RW, WO, register, repeated};
use socscope_device::{Description, Permission, Register};

const fn channel(
    offset: u32,
    name: &'static str,
    permission: Permission,
    group: &'static str,
    summary: &'static str,
) -> Register {
    repeated(
        register(offset, name, permission, 0, group, summary),
        3,
        0x40,
    )
}

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["atmel,at91x40-tc"],
    title: "AT91X40 timer counter",
    data_sheet: "Atmel doc1354 (AT91X40 series), TC: Timer/Counter",
    limits: "Divided clocks run freely from power-on. An external clock counts at once, without the synchronisation to the master \
             clock. A compare register that is written with the counter's present value matches only after a whole turn.",
    registers: &[
        channel(
            0x00,
            "TC_CCR",
            WO,
            "control",
            "Enables, disables and triggers the counter.",
        ),
        channel(
            0x04,
            "TC_CMR",
            RW,
            "control",
            "Mode: clock, capture or waveform, triggers and effects on the pins.",
        ),
        channel(0x10, "TC_CV", RO, "data", "The counter's value."),
        channel(
            0x14,
            "TC_RA",
            RW,
            "data",
            "Compared with the counter, or loaded from it by TIOA; then read-only.",
        ),
        channel(
            0x18,
            "TC_RB",
            RW,
            "data",
            "Compared with the counter, or loaded from it by TIOA; then read-only.",
        ),
        channel(0x1c, "TC_RC", RW, "data", "Compared with the counter."),
        channel(
            0x20,
            "TC_SR",
            RO,
            "status",
            "What has happened since it was last read, which clears it; clock and pins.",
        ),
        channel(
            0x24,
            "TC_IER",
            WO,
            "interrupt enable",
            "Enables interrupts.",
        ),
        channel(
            0x28,
            "TC_IDR",
            WO,
            "interrupt enable",
            "Disables interrupts.",
        ),
        channel(
            0x2c,
            "TC_IMR",
            RO,
            "interrupt enable",
            "Shows which interrupts are enabled.",
        ),
        register(
            0xc0,
            "TC_BCR",
            WO,
            0,
            "control",
            "Triggers all channels at once.",
        ),
        register(
            0xc4,
            "TC_BMR",
            RW,
            0,
            "control",
            "Selects the external clocks; chains channels.",
        ),
    ],
    inputs: &[
        "tclk0", "tclk1", "tclk2", "tioa0", "tioa1", "tioa2", "tiob0", "tiob1", "tiob2",
    ],
    outputs: &[
        "irq0", "irq1", "irq2", "tioa0", "tioa1", "tioa2", "tiob0", "tiob1", "tiob2",
    ],
    ports: &[],
    properties: &[],
};
