//! Messages between cores, and shared message-signalled interrupts.

use super::registers::{MSIIR_BIT_SHIFT, MSIIR_REGISTER_SHIFT};
use serde::{Deserialize, Serialize};

/// Registers whose bits are sources' lines.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Messages {
    messages: [u32; 4],
    enabled: u32,
    status: u32,
    shared: [u32; 8],
}

const MESSAGES: u32 = 0xf;

impl Messages {
    pub fn message(&self, index: usize) -> u32 {
        self.messages.get(index).copied().unwrap_or(0)
    }

    /// MSGR is written: the message waits.
    pub fn send(&mut self, index: usize, value: u32) {
        if let Some(message) = self.messages.get_mut(index) {
            *message = value;
            self.status |= 1 << index;
        }
    }

    /// MSGR was read: the message waits no more.
    pub fn received(&mut self, index: usize) {
        self.status &= !(1u32.checked_shl(index as u32).unwrap_or(0));
    }

    pub fn enabled(&self) -> u32 {
        self.enabled
    }

    pub fn enable(&mut self, value: u32) {
        self.enabled = value & MESSAGES;
    }

    pub fn status(&self) -> u32 {
        self.status
    }

    /// MSR is written: ones clear.
    pub fn clear(&mut self, value: u32) {
        self.status &= !value;
    }

    /// Whether message `index` interrupts.
    pub fn interrupts(&self, index: usize) -> bool {
        (self.status & self.enabled) >> index & 1 != 0
    }

    pub fn shared(&self, index: usize) -> u32 {
        self.shared.get(index).copied().unwrap_or(0)
    }

    /// MSIR was read: its interrupts are taken.
    pub fn shared_received(&mut self, index: usize) {
        if let Some(shared) = self.shared.get_mut(index) {
            *shared = 0;
        }
    }

    /// MSIIR is written.
    pub fn send_shared(&mut self, value: u32) {
        let index = (value >> MSIIR_REGISTER_SHIFT) as usize;
        self.shared[index] |= 1 << (value >> MSIIR_BIT_SHIFT & 0x1f);
    }

    /// MSISR.
    pub fn shared_status(&self) -> u32 {
        let bits = self.shared.iter().enumerate();
        bits.fold(0, |bits, (index, shared)| {
            bits | u32::from(*shared != 0) << index
        })
    }
}
