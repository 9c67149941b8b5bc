//! The register table of the cellular automaton engine: the only place where it is written.

use crate::register::{RO, RW, WO, field, register, repeated, with_fields};
use socscope_device::{
    Description,
    FieldAccess::{OneClears, ReadOnly, ReadWrite, WriteOnly},
};

pub(super) const VERSION: u32 = 0x000;
pub(super) const CONTROL: u32 = 0x004;
pub(super) const STATUS: u32 = 0x008;
pub(super) const RESET: u32 = 0x00c;
pub(super) const IRQ: u32 = 0x010;
pub(super) const RULE: u32 = 0x014;
pub(super) const LENGTH: u32 = 0x018;
pub(super) const START: u32 = 0x01c;
pub(super) const LINES: u32 = 0x020;
pub(super) const SOURCE: u32 = 0x024;
pub(super) const DESTINATION: u32 = 0x028;
pub(super) const INPUT: u32 = 0x080;
pub(super) const OUTPUT: u32 = 0x100;

/// Words of a line; it has at most 1024 cells.
pub(super) const WORDS: usize = 32;
/// Version 1.0 without extensions.
pub(super) const VERSION_PLAIN: u32 = 0x0100;
pub(super) const VERSION_BATCH: u32 = 1 << 16;
pub(super) const VERSION_DMA: u32 = 1 << 17;
pub(super) const IRQ_ENABLE: u32 = 1 << 0;
pub(super) const LATCH: u32 = 1 << 1;
pub(super) const DMA_READ: u32 = 1 << 2;
pub(super) const DMA_WRITE: u32 = 1 << 3;
pub(super) const BUSY: u32 = 1 << 0;
pub(super) const DONE: u32 = 1 << 1;
pub(super) const ERROR: u32 = 1 << 2;
/// The rule of the engine's name.
pub(super) const RULE_30: u32 = 30;

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["socscope,rule30"],
    title: "Rule 30 cellular automaton engine",
    data_sheet: "this page: the engine is a specification that runs. A line is up to 1024 cells; cell i is bit i mod 32, counted \
        from the least significant one, of word i / 32. A step gives each cell bit 4 * left + 2 * self + right of RULE, where left \
        is cell i - 1, right is cell i + 1, and cells outside of the line are 0. START takes INPUT, RULE, LENGTH, LINES and the \
        DMA bits of CONTROL as they are then; the attribute latency_ns, which can be changed at any time, is the time from START \
        to DONE for each line. A START while the engine is busy, or with LENGTH 0 or above 1024, does nothing but set ERROR. The \
        interrupt line is up while DONE and IRQ_ENABLE are set",
    limits: "DMA moves its words in one go: the input at START, all output lines when the last one is done.",
    registers: &[
        with_fields(
            register(
                VERSION,
                "VERSION",
                RO,
                VERSION_PLAIN,
                "status",
                "Says which engine this is and what it can.",
            ),
            &[
                field("MINOR", 0, 8, ReadOnly, "Minor version."),
                field("MAJOR", 8, 8, ReadOnly, "Major version: 1."),
                field("BATCH", 16, 1, ReadOnly, "Extension: LINES is there."),
                field(
                    "DMA",
                    17,
                    1,
                    ReadOnly,
                    "Extension: SOURCE, DESTINATION and their bits of CONTROL are there.",
                ),
            ],
        ),
        with_fields(
            register(CONTROL, "CONTROL", RW, 0, "control", "Options."),
            &[
                field("IRQ_ENABLE", 0, 1, ReadWrite, "DONE raises the interrupt."),
                field(
                    "LATCH",
                    1,
                    1,
                    ReadWrite,
                    "The output is copied to the input when it is done, for chained lines.",
                ),
                field(
                    "DMA_READ",
                    2,
                    1,
                    ReadWrite,
                    "START reads the input from memory at SOURCE (extension DMA).",
                ),
                field(
                    "DMA_WRITE",
                    3,
                    1,
                    ReadWrite,
                    "Output lines are written to memory at DESTINATION (extension DMA).",
                ),
            ],
        ),
        with_fields(
            register(STATUS, "STATUS", RW, 0, "status", "How far the engine is."),
            &[
                field("BUSY", 0, 1, ReadOnly, "It works."),
                field(
                    "DONE",
                    1,
                    1,
                    OneClears,
                    "It has finished since START; a one takes the interrupt back.",
                ),
                field(
                    "ERROR",
                    2,
                    1,
                    OneClears,
                    "A START was refused, or DMA has failed.",
                ),
            ],
        ),
        with_fields(
            register(RESET, "RESET", WO, 0, "control", "Resets the engine."),
            &[field(
                "RESET",
                0,
                1,
                WriteOnly,
                "Drops the line in work, gives every register its reset value.",
            )],
        ),
        register(
            IRQ,
            "IRQ",
            RO,
            0,
            "status",
            "Number of the interrupt at the interrupt controller, 0 without one.",
        ),
        with_fields(
            register(
                RULE,
                "RULE",
                RW,
                RULE_30,
                "control",
                "The rule, encoded in bits.",
            ),
            &[field(
                "RULE",
                0,
                8,
                ReadWrite,
                "Bit 4 * left + 2 * self + right is the new cell.",
            )],
        ),
        register(
            LENGTH,
            "LENGTH",
            RW,
            0,
            "control",
            "Cells of a line, 1 to 1024.",
        ),
        with_fields(
            register(START, "START", WO, 0, "control", "Starts the engine."),
            &[field(
                "START",
                0,
                1,
                WriteOnly,
                "Computes, and takes DONE and ERROR back.",
            )],
        ),
        with_fields(
            register(
                LINES,
                "LINES",
                RW,
                0,
                "control",
                "Chained lines of a START (extension BATCH).",
            ),
            &[field(
                "LINES",
                0,
                12,
                ReadWrite,
                "Number of lines; 0 counts as 1.",
            )],
        ),
        with_fields(
            register(
                SOURCE,
                "SOURCE",
                RW,
                0,
                "DMA",
                "Where the input line is in memory (extension DMA).",
            ),
            &[field("ADDRESS", 2, 30, ReadWrite, "Address of a word.")],
        ),
        with_fields(
            register(
                DESTINATION,
                "DESTINATION",
                RW,
                0,
                "DMA",
                "Where output lines go, one behind the other (extension DMA).",
            ),
            &[field("ADDRESS", 2, 30, ReadWrite, "Address of a word.")],
        ),
        repeated(
            register(
                INPUT,
                "INPUT",
                WO,
                0,
                "data",
                "The line; cell 0 is bit 0 of the first word.",
            ),
            WORDS as u32,
            4,
        ),
        repeated(
            register(
                OUTPUT,
                "OUTPUT",
                RO,
                0,
                "data",
                "The next line; bits behind its end are 0.",
            ),
            WORDS as u32,
            4,
        ),
    ],
    inputs: &[],
    outputs: &["irq"],
    ports: &[],
    properties: &[
        (
            "socscope,latency-ns",
            "Time for a line at first, in ns; 100 when absent. Later it is the attribute latency_ns.",
        ),
        ("socscope,batch", "The engine has the extension BATCH."),
        ("socscope,dma", "The engine has the extension DMA."),
    ],
};

/// Bits of the register at `offset` that keep what software writes.
pub(super) fn kept(offset: u32) -> u32 {
    let Some((register, _)) = DESCRIPTION.register_at(offset) else {
        return 0;
    };
    let fields = register.fields.iter();
    match register.fields {
        [] => u32::MAX,
        _ => fields
            .filter(|field| field.access == ReadWrite)
            .map(|field| field.mask())
            .sum(),
    }
}
