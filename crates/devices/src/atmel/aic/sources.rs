//! The 32 sources: which are pending, and which is the most urgent.

use super::registers::{SMR_BITS, SMR_EDGE, SMR_HIGH, SMR_PRIORITY};
use serde::{Deserialize, Serialize};

/// Sources as bit sets, bit n for source n.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Sources {
    modes: [u8; 32],
    /// Sources that come from pins: their type has a polarity.
    external: u32,
    /// Input lines as they are.
    lines: u32,
    /// Edge-triggered sources.
    edge: u32,
    /// Sources that are active when low, or on the negative edge.
    inverted: u32,
    /// Edges that were seen, or set by software, and not yet cleared.
    latched: u32,
    /// Enabled sources.
    pub enabled: u32,
}

impl Sources {
    /// Pins are pulled up on the boards, so that an external line is high until something drives it low.
    pub fn new(external: u32) -> Sources {
        Sources {
            modes: [0; 32],
            external,
            lines: external,
            edge: 0,
            inverted: external,
            latched: 0,
            enabled: 0,
        }
    }

    /// Registers and edges back to their reset state; lines stay as they are driven.
    pub fn reset(&mut self) {
        let lines = self.lines;
        *self = Sources::new(self.external);
        self.lines = lines;
    }

    /// SMR of a source.
    pub fn mode(&self, source: usize) -> u32 {
        u32::from(self.modes[source])
    }

    /// Writes SMR of a source.
    pub fn set_mode(&mut self, source: usize, value: u32) {
        let bit = 1 << source;
        let put = |set: &mut u32, on: bool| *set = if on { *set | bit } else { *set & !bit };
        self.modes[source] = (value & SMR_BITS) as u8;
        put(&mut self.edge, value & SMR_EDGE != 0);
        put(
            &mut self.inverted,
            self.external & bit != 0 && value & SMR_HIGH == 0,
        );
    }

    /// An input line changed.
    pub fn set_line(&mut self, source: u32, level: bool) {
        let active_before = self.lines ^ self.inverted;
        let bit = 1 << source;
        self.lines = (self.lines & !bit) | (u32::from(level) << source);
        let active = self.lines ^ self.inverted;
        self.latched |= active & !active_before & self.edge;
    }

    /// ISCR: only edge-triggered sources can be set.
    pub fn set(&mut self, sources: u32) {
        self.latched |= sources & self.edge;
    }

    /// ICCR, and what reading a vector does: only edge-triggered sources can be cleared.
    pub fn clear(&mut self, sources: u32) {
        self.latched &= !(sources & self.edge);
    }

    /// IPR.
    pub fn pending(&self) -> u32 {
        let active = self.lines ^ self.inverted;
        (self.latched & self.edge) | (active & !self.edge)
    }

    /// Sources that ask for service.
    pub fn requests(&self) -> u32 {
        self.pending() & self.enabled
    }

    /// Priority of a source.
    pub fn priority(&self, source: u8) -> u8 {
        self.modes[usize::from(source)] & SMR_PRIORITY as u8
    }

    /// The most urgent request but for source 0: highest priority, then lowest number.
    pub fn most_urgent(&self) -> Option<u8> {
        let mut left = self.requests() & !1;
        let mut best: Option<u8> = None;
        while left != 0 {
            let source = left.trailing_zeros() as u8;
            left &= left - 1;
            if best.is_none_or(|best| self.priority(source) > self.priority(best)) {
                best = Some(source);
            }
        }
        best
    }
}
