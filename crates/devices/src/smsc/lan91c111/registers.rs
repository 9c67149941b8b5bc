//! Registers of the controller (LAN91C111 data sheet, chapter 8): four banks of 16 bytes, of which one is seen.

use crate::register::{RW, register};
use socscope_device::{Description, Register};

/// Offsets in their banks, with the bank above them.
pub(super) const TCR: u32 = 0x00;
pub(super) const EPH_STATUS: u32 = 0x02;
pub(super) const RCR: u32 = 0x04;
pub(super) const COUNTER: u32 = 0x06;
pub(super) const MEMORY: u32 = 0x08;
pub(super) const RPCR: u32 = 0x0a;
pub(super) const CONFIG: u32 = 0x10;
pub(super) const BASE: u32 = 0x12;
pub(super) const ADDRESS: u32 = 0x14;
pub(super) const ADDRESS_END: u32 = 0x1a;
pub(super) const GENERAL: u32 = 0x1a;
pub(super) const CONTROL: u32 = 0x1c;
pub(super) const MMU: u32 = 0x20;
/// Packet number in the low byte, result of an allocation in the high one.
pub(super) const PACKET: u32 = 0x22;
pub(super) const FIFO: u32 = 0x24;
pub(super) const POINTER: u32 = 0x26;
pub(super) const DATA: u32 = 0x28;
pub(super) const DATA_END: u32 = 0x2c;
/// Interrupts in the low byte, their mask in the high one.
pub(super) const INTERRUPTS: u32 = 0x2c;
pub(super) const MULTICAST: u32 = 0x30;
pub(super) const MULTICAST_END: u32 = 0x38;
pub(super) const MANAGEMENT: u32 = 0x38;
pub(super) const REVISION: u32 = 0x3a;
pub(super) const EARLY: u32 = 0x3c;
/// In every bank.
pub(super) const BANK: u32 = 0x0e;

pub(super) const BANK_READS: u16 = 0x3300;
pub(super) const RCR_SOFT_RESET: u16 = 1 << 15;
pub(super) const RCR_RESET: u16 = 0;
pub(super) const CONFIG_RESET: u16 = 0xa0b1;
pub(super) const BASE_RESET: u16 = 0x1801;
pub(super) const CONTROL_RESET: u16 = 0x1210;
pub(super) const EARLY_RESET: u16 = 0x001f;
/// Chip 9 (LAN91C111), revision 1.
pub(super) const REVISION_VALUE: u16 = 0x3391;
pub(super) const MANAGEMENT_READS: u16 = 0x3330;

pub(super) mod interrupt {
    pub const TX_EMPTY: u8 = 1 << 2;
    pub const ALLOCATED: u8 = 1 << 3;
    /// Those that a one takes back.
    pub const ACKNOWLEDGED: u8 = 0xd6;
    pub const RESET: u8 = TX_EMPTY;
}

pub(super) mod pointer {
    pub const RECEIVE: u16 = 1 << 15;
    pub const INCREMENT: u16 = 1 << 14;
    pub const OFFSET: u16 = 0x7ff;
}

const WINDOWS: &[Register] = &[
    register(
        0x0,
        "WINDOW_0",
        RW,
        0,
        "control",
        "TCR, EPH status; CONFIG, BASE; MMU command, packet number; multicast table.",
    ),
    register(
        0x4,
        "WINDOW_4",
        RW,
        0,
        "control",
        "RCR, COUNTER; individual address; FIFO ports, POINTER; multicast table.",
    ),
    register(
        0x8,
        "WINDOW_8",
        RW,
        0x0404,
        "data",
        "MIR, RPCR; individual address, GENERAL; DATA; MGMT, REVISION.",
    ),
    register(
        0xc,
        "WINDOW_C",
        RW,
        0x3300_0000,
        "control",
        "CONTROL; interrupts and their mask; ERCV. The upper half chooses the bank.",
    ),
];

pub(super) static DESCRIPTION: Description = Description {
    compatible: &["smsc,lan91c111"],
    title: "LAN91C111 Ethernet controller",
    data_sheet: "SMSC LAN91C111 data sheet, chapters 7 to 9",
    limits: "No cable is plugged in: the transceiver finds no link, frames that are sent get lost, none arrive. No EEPROM; nothing takes time.",
    registers: WINDOWS,
    inputs: &[],
    outputs: &["interrupt"],
    ports: &[],
    properties: &[],
};
