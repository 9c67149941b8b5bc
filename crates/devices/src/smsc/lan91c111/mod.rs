//! The Ethernet controller LAN91C111, with no cable plugged in.
//!
//! # Summary
//! Banks of registers, packets in memory on the chip, interrupts, and the transceiver behind its management wires.
//!
//! # Behaviour
//! Packets are allocated, filled through the pointer, and sent: with no link a frame is lost, its packet free again, and the transmitter empty. An access of 32 bits
//! is one to two registers of 16, but for the data register, which takes bytes in order.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! SMSC LAN91C111 data sheet, chapters 7 to 9; IEEE 802.3, 22.2.4 for the management frames.

mod phy;
mod registers;
#[cfg(test)]
mod tests;

use crate::{hole, state};
use phy::{Phy, wire};
use registers::*;
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::{Endianness, Width};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(Lan91c111(State::new()))),
};

const PACKETS: usize = 4;
const PACKET_BYTES: usize = 2048;
/// No packet is free; no packet waits.
const FAILED: u8 = 0x80;
/// A locally administered address, until software sets another.
const OWN_ADDRESS: [u8; 6] = [0x02, 0, 0, 0, 0, 0x01];

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    bank: u16,
    transmit: u16,
    receive: u16,
    phy_control: u16,
    config: u16,
    base: u16,
    address: [u8; 6],
    general: u16,
    control: u16,
    packet: u8,
    allocated: u8,
    /// An allocation waits for a packet to become free.
    is_awaited: bool,
    /// Packets that are in use.
    used: [bool; PACKETS],
    pointer: u16,
    memory: Vec<u8>,
    interrupts: u8,
    mask: u8,
    multicast: [u8; 8],
    management: u16,
    early: u16,
    phy: Phy,
    line: bool,
}

impl State {
    fn new() -> State {
        State {
            bank: 0,
            transmit: 0,
            receive: RCR_RESET,
            phy_control: 0,
            config: CONFIG_RESET,
            base: BASE_RESET,
            address: OWN_ADDRESS,
            general: 0,
            control: CONTROL_RESET,
            packet: 0,
            allocated: FAILED,
            is_awaited: false,
            used: [false; PACKETS],
            pointer: 0,
            memory: vec![0; PACKETS * PACKET_BYTES],
            interrupts: interrupt::RESET,
            mask: 0,
            multicast: [0; 8],
            management: 0,
            early: EARLY_RESET,
            phy: Phy::new(),
            line: false,
        }
    }
}

impl State {
    /// An allocation that waits takes a free packet, as soon as there is one.
    fn allocate(&mut self) {
        let free = self.used.iter().position(|used| !used);
        if let (true, Some(packet)) = (self.is_awaited, free) {
            self.is_awaited = false;
            self.allocated = packet as u8;
            self.used[packet] = true;
            self.interrupts |= interrupt::ALLOCATED;
        }
    }

    /// Whether a saved state is one that the chip can have.
    fn is_whole(&self) -> bool {
        self.memory.len() == PACKETS * PACKET_BYTES && self.phy.is_whole()
    }
}

struct Lan91c111(State);

/// Two bytes of a table of registers.
fn pair(bytes: &[u8], at: u32) -> u16 {
    let at = at as usize;
    let two = bytes.get(at..at + 2).and_then(|two| two.try_into().ok());
    two.map_or(0, u16::from_le_bytes)
}

fn set_pair(bytes: &mut [u8], at: u32, value: u16) {
    let at = at as usize;
    if let Some(two) = bytes.get_mut(at..at + 2) {
        two.copy_from_slice(&value.to_le_bytes());
    }
}

impl Lan91c111 {
    /// Where a register lies: its offset, behind its bank.
    fn place(&self, offset: u32) -> u32 {
        if offset & 0xe == BANK {
            BANK
        } else {
            u32::from(self.0.bank) << 4 | offset & 0xe
        }
    }

    fn value(&self, place: u32) -> u16 {
        let state = &self.0;
        let free = state.used.iter().filter(|used| !**used).count() as u16;
        match place {
            BANK => BANK_READS | state.bank,
            TCR => state.transmit,
            RCR => state.receive,
            MEMORY => free << 8 | PACKETS as u16,
            RPCR => state.phy_control,
            CONFIG => state.config,
            BASE => state.base,
            ADDRESS..ADDRESS_END => pair(&state.address, place - ADDRESS),
            GENERAL => state.general,
            CONTROL => state.control,
            PACKET => u16::from_le_bytes([state.packet, state.allocated]),
            FIFO => u16::from_le_bytes([FAILED; 2]),
            POINTER => state.pointer,
            INTERRUPTS => u16::from_le_bytes([state.interrupts, state.mask]),
            MULTICAST..MULTICAST_END => pair(&state.multicast, place - MULTICAST),
            MANAGEMENT => {
                let data = if state.phy.data() { wire::IN } else { 0 };
                MANAGEMENT_READS | state.management | data
            }
            REVISION => REVISION_VALUE,
            EARLY => state.early,
            _ => 0,
        }
    }

    /// Writes the bytes of a register that `mask` names; `value` has the others as they are read.
    fn set(&mut self, place: u32, value: u16, mask: u16, context: &mut Context) {
        let state = &mut self.0;
        let [low, high] = value.to_le_bytes();
        match place {
            BANK => state.bank = value & 3,
            TCR => state.transmit = value,
            RCR if value & RCR_SOFT_RESET != 0 => self.soft_reset(value),
            RCR => state.receive = value,
            RPCR => state.phy_control = value,
            CONFIG => state.config = value,
            BASE => state.base = value,
            ADDRESS..ADDRESS_END => set_pair(&mut state.address, place - ADDRESS, value),
            GENERAL => state.general = value,
            CONTROL => state.control = value,
            MMU => self.command(low >> 5, context),
            PACKET => state.packet = low & 0x3f,
            POINTER => state.pointer = value,
            INTERRUPTS => {
                if mask & 0xff != 0 {
                    state.interrupts &= !(low & interrupt::ACKNOWLEDGED);
                }
                state.mask = high;
            }
            MULTICAST..MULTICAST_END => set_pair(&mut state.multicast, place - MULTICAST, value),
            MANAGEMENT => {
                state.management = value & (wire::OUT | wire::CLOCK | wire::DRIVE);
                state.phy.set_wires(value);
            }
            EARLY => state.early = value & 0x9f,
            EPH_STATUS | COUNTER | MEMORY | FIFO | REVISION => {}
            _ => hole::warn_of_write(context, place, u32::from(value)),
        }
    }

    /// All but what an EEPROM would hold, and the transceiver.
    fn soft_reset(&mut self, receive: u16) {
        let State {
            config,
            base,
            address,
            general,
            ref phy,
            line,
            ..
        } = self.0;
        self.0 = State {
            config,
            base,
            address,
            general,
            phy: phy.clone(),
            line,
            receive,
            ..State::new()
        };
    }

    /// A command of the memory management.
    fn command(&mut self, command: u8, context: &mut Context) {
        const ALLOCATE: u8 = 1;
        const RESET: u8 = 2;
        const FREE: u8 = 5;
        const ENQUEUE: u8 = 6;
        let state = &mut self.0;
        match command {
            ALLOCATE => {
                state.allocated = FAILED;
                state.interrupts &= !interrupt::ALLOCATED;
                state.is_awaited = true;
                state.allocate();
            }
            RESET => {
                state.used = [false; PACKETS];
                state.allocated = FAILED;
                state.is_awaited = false;
                state.interrupts = interrupt::RESET;
            }
            FREE | ENQUEUE => {
                if command == ENQUEUE {
                    context.warn("a frame is lost: no cable is plugged in");
                    state.interrupts |= interrupt::TX_EMPTY;
                }
                if let Some(used) = state.used.get_mut(usize::from(state.packet)) {
                    *used = false;
                }
                state.allocate();
            }
            _ => {}
        }
    }

    /// The byte of packet memory that the pointer is at; none where no packet is.
    fn at_pointer(&self, ahead: u16) -> Option<usize> {
        let pointer = self.0.pointer;
        let packet = usize::from(self.0.packet);
        let known = pointer & pointer::RECEIVE == 0 && packet < PACKETS;
        let offset = pointer.wrapping_add(ahead) & pointer::OFFSET;
        known.then(|| packet * PACKET_BYTES + usize::from(offset))
    }

    fn advance(&mut self, bytes: u16) {
        let pointer = self.0.pointer;
        if pointer & pointer::INCREMENT != 0 {
            let offset = pointer.wrapping_add(bytes) & pointer::OFFSET;
            self.0.pointer = pointer & !pointer::OFFSET | offset;
        }
    }

    fn data(&self, width: Width) -> u32 {
        (0..width.bytes()).fold(0, |value, byte| {
            let at = self.at_pointer(byte as u16);
            let there = at.and_then(|at| self.0.memory.get(at));
            value | u32::from(there.copied().unwrap_or(0)) << (8 * byte)
        })
    }

    fn set_data(&mut self, width: Width, value: u32) {
        for byte in 0..width.bytes() {
            let at = self.at_pointer(byte as u16);
            if let Some(there) = at.and_then(|at| self.0.memory.get_mut(at)) {
                *there = (value >> (8 * byte)) as u8;
            }
        }
        self.advance(width.bytes() as u16);
    }

    fn settle(&mut self, context: &mut Context) {
        let line = self.0.interrupts & self.0.mask != 0;
        if line != self.0.line {
            self.0.line = line;
            context.set_line(0, line);
        }
    }

    fn is_data(&self, offset: u32) -> bool {
        (DATA..DATA_END).contains(&self.place(offset))
    }

    /// What a window of 32 bits reads as.
    fn window(&self, offset: u32) -> u32 {
        let [low, high] = [offset & 0xc, offset & 0xc | 2].map(|at| self.value(self.place(at)));
        u32::from(low) | u32::from(high) << 16
    }
}

impl Device for Lan91c111 {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        let line = self.0.line;
        self.0 = State {
            line,
            ..State::new()
        };
        self.settle(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        if offset >= 0x10 {
            hole::warn_of_read(context, offset);
            return 0;
        }
        if self.is_data(offset) {
            let value = self.data(width);
            self.advance(width.bytes() as u16);
            return value;
        }
        crate::lane::read(self.window(offset), offset, width, Endianness::Little)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        if offset >= 0x10 {
            hole::warn_of_write(context, offset, value);
        } else if self.is_data(offset) {
            self.set_data(width, value);
        } else {
            let (mask, bits) = crate::lane::written(value, offset, width, Endianness::Little);
            for half in [0, 2] {
                let (own, bits) = ((mask >> (8 * half)) as u16, (bits >> (8 * half)) as u16);
                let place = self.place(offset & 0xc | half);
                if own != 0 {
                    let kept = self.value(place) & !own;
                    self.set(place, kept | bits & own, own, context);
                }
            }
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(match offset {
            0x10.. => 0,
            _ if self.is_data(offset) => self.data(Width::Word),
            _ => self.window(offset),
        })
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.0)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.0 = state::restore_whole(DESCRIPTION.title, bytes, State::is_whole)?;
        Ok(())
    }
}
