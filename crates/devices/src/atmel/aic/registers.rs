//! Registers of the interrupt controller (doc1354, "AIC User Interface").

use crate::register::{RO, RW, WO, register, repeated};
use socscope_device::{Description, Register};

pub(super) const SMR: u32 = 0x000;
pub(super) const SVR: u32 = 0x080;
pub(super) const IVR: u32 = 0x100;
pub(super) const FVR: u32 = 0x104;
pub(super) const ISR: u32 = 0x108;
pub(super) const IPR: u32 = 0x10c;
pub(super) const IMR: u32 = 0x110;
pub(super) const CISR: u32 = 0x114;
pub(super) const IECR: u32 = 0x120;
pub(super) const IDCR: u32 = 0x124;
pub(super) const ICCR: u32 = 0x128;
pub(super) const ISCR: u32 = 0x12c;
pub(super) const EOICR: u32 = 0x130;
pub(super) const SPU: u32 = 0x134;

/// SMR: priority (bits 0 to 2) and source type (bits 5 and 6).
pub(super) const SMR_BITS: u32 = 0x67;
pub(super) const SMR_PRIORITY: u32 = 0x07;
pub(super) const SMR_EDGE: u32 = 1 << 5;
pub(super) const SMR_HIGH: u32 = 1 << 6;
pub(super) const CISR_NFIQ: u32 = 1 << 0;
pub(super) const CISR_NIRQ: u32 = 1 << 1;

const REGISTERS: &[Register] = &[
    repeated(
        register(
            SMR,
            "AIC_SMR",
            RW,
            0,
            "control",
            "Source mode: priority 0 (lowest) to 7, level or edge, and for external sources the polarity.",
        ),
        32,
        4,
    ),
    repeated(
        register(
            SVR,
            "AIC_SVR",
            RW,
            0,
            "vector",
            "Source vector: address of the source's handler.",
        ),
        32,
        4,
    ),
    register(
        IVR,
        "AIC_IVR",
        RO,
        0,
        "vector",
        "Interrupt vector: reading it begins the service of the most urgent interrupt.",
    ),
    register(
        FVR,
        "AIC_FVR",
        RO,
        0,
        "vector",
        "Fast interrupt vector: the vector of source 0.",
    ),
    register(
        ISR,
        "AIC_ISR",
        RO,
        0,
        "status",
        "Interrupt status: number of the source in service.",
    ),
    register(
        IPR,
        "AIC_IPR",
        RO,
        0,
        "status",
        "Interrupt pending: sources that are active, enabled or not.",
    ),
    register(
        IMR,
        "AIC_IMR",
        RO,
        0,
        "interrupt enable",
        "Interrupt mask: sources that are enabled.",
    ),
    register(
        CISR,
        "AIC_CISR",
        RO,
        0,
        "status",
        "Core interrupt status: whether nFIQ and nIRQ are active.",
    ),
    register(
        IECR,
        "AIC_IECR",
        WO,
        0,
        "interrupt enable",
        "Interrupt enable command: enables the sources written as one.",
    ),
    register(
        IDCR,
        "AIC_IDCR",
        WO,
        0,
        "interrupt enable",
        "Interrupt disable command: disables the sources written as one.",
    ),
    register(
        ICCR,
        "AIC_ICCR",
        WO,
        0,
        "control",
        "Interrupt clear command: clears the edge-triggered sources written as one.",
    ),
    register(
        ISCR,
        "AIC_ISCR",
        WO,
        0,
        "control",
        "Interrupt set command: sets the edge-triggered sources written as one.",
    ),
    register(
        EOICR,
        "AIC_EOICR",
        WO,
        0,
        "control",
        "End of interrupt command: goes back to the interrupt that was in service before.",
    ),
    register(
        SPU,
        "AIC_SPU",
        RW,
        0,
        "vector",
        "Spurious vector: what a vector register gives when nothing is pending.",
    ),
];

/// Index of the input that switches protect mode on.
pub(super) const PROTECT_INPUT: u32 = 32;

pub(super) static DESCRIPTION: Description = Description {
    compatible: &["atmel,at91x40-aic"],
    title: "AT91X40 advanced interrupt controller",
    data_sheet: "Atmel doc1354 (AT91X40 series), AIC: Advanced Interrupt Controller",
    limits: "Changing a source's polarity makes no edge. The synchronisation of inputs (up to two clock cycles) takes no time. \
             Not the AIC of AT91RM9200 and later, which has a debug control register and fast forcing.",
    registers: REGISTERS,
    inputs: &[
        "fiq", "swirq", "us0", "us1", "tc0", "tc1", "tc2", "wd", "pio", "source9", "source10",
        "source11", "source12", "source13", "source14", "source15", "irq0", "irq1", "irq2",
        "source19", "source20", "source21", "source22", "source23", "source24", "source25",
        "source26", "source27", "source28", "source29", "source30", "source31", "protect",
    ],
    outputs: &["nirq", "nfiq"],
    ports: &[],
    properties: &[(
        "atmel,external-irqs",
        "Source numbers that come from pins, beside source 0; 16, 17 and 18 when absent.",
    )],
};
