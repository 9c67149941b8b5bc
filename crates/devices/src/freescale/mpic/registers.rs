//! Registers of the interrupt controller (MPC8641D reference manual, chapter 9, "PIC Register Descriptions").

/// Cores that the controller serves.
pub(super) const CORES: usize = 2;

/// Private registers of the core that accesses; the same ones lie at [`CORE_BASE`] for each core.
pub(super) const BRR1: u32 = 0x0000;
pub(super) const BRR2: u32 = 0x0010;
pub(super) const IPIDR: u32 = 0x0040;
pub(super) const IPIDR_LAST: u32 = 0x0070;
pub(super) const CTPR: u32 = 0x0080;
pub(super) const WHOAMI: u32 = 0x0090;
pub(super) const IACK: u32 = 0x00a0;
pub(super) const EOI: u32 = 0x00b0;
pub(super) const FRR: u32 = 0x1000;
pub(super) const GCR: u32 = 0x1020;
pub(super) const VIR: u32 = 0x1080;
pub(super) const PIR: u32 = 0x1090;
pub(super) const IPIVPR: u32 = 0x10a0;
pub(super) const IPIVPR_LAST: u32 = 0x10d0;
pub(super) const SVR: u32 = 0x10e0;
/// Timer groups lie 0x1000 apart: TFRR, then four timers, then TCR.
pub(super) const TFRR: u32 = 0x10f0;
pub(super) const TIMERS: u32 = 0x1100;
pub(super) const TIMERS_LAST: u32 = 0x11f0;
pub(super) const TCR: u32 = 0x1300;
pub(super) const TIMER_GROUP_STRIDE: u32 = 0x1000;
pub(super) const MSGR: u32 = 0x1400;
pub(super) const MSGR_LAST: u32 = 0x1430;
pub(super) const MER: u32 = 0x1500;
pub(super) const MSR: u32 = 0x1510;
pub(super) const MSIR: u32 = 0x1600;
pub(super) const MSIR_LAST: u32 = 0x1670;
pub(super) const MSISR: u32 = 0x1720;
pub(super) const MSIIR: u32 = 0x1740;
/// Sources lie 0x20 apart: vector/priority, 0x10 behind it the destination.
pub(super) const SOURCES: u32 = 0x1_0000;
pub(super) const SOURCES_END: u32 = 0x1_2000;
pub(super) const CORE_BASE: u32 = 0x2_0000;
pub(super) const CORE_STRIDE: u32 = 0x1000;

/// Block revision 2.0.
pub(super) const BRR1_VALUE: u32 = 0x0040_0200;
/// Number of the last source, number of the last core, OpenPIC 1.2.
pub(super) const FRR_VALUE: u32 = (231 << 16) | (1 << 8) | 2;
pub(super) const GCR_RESET: u32 = 1 << 31;
pub(super) const GCR_MIXED_MODE: u32 = 1 << 29;
pub(super) const TASK_PRIORITY: u32 = 0xf;
/// MSIIR: which register (bits 31 to 29) and which of its bits (28 to 24).
pub(super) const MSIIR_REGISTER_SHIFT: u32 = 29;
pub(super) const MSIIR_BIT_SHIFT: u32 = 24;

/// Bits of the vector/priority registers.
pub(super) mod vector_priority {
    pub const MASKED: u32 = 1 << 31;
    pub const ACTIVITY: u32 = 1 << 30;
    pub const ACTIVE_HIGH: u32 = 1 << 23;
    pub const LEVEL: u32 = 1 << 22;
    pub const PRIORITY: u32 = 0xf << PRIORITY_SHIFT;
    pub const PRIORITY_SHIFT: u32 = 16;
    pub const VECTOR: u32 = 0xffff;
}

/// Bits of the destination registers.
pub(super) mod destination {
    pub const EXTERNAL_PIN: u32 = 1 << 31;
    pub const CRITICAL_0: u32 = 1 << 30;
    pub const CRITICAL: u32 = 3 << 29;
    pub const CORES: u32 = 3;
    pub const ALL: u32 = EXTERNAL_PIN | CRITICAL | CORES;
}

/// Output lines.
pub(super) mod output {
    pub const INT: u32 = 0;
    pub const MCP: u32 = 2;
    pub const SRESET: u32 = 4;
    pub const IRQ_OUT: u32 = 6;
    pub const COUNT: usize = 7;
}
