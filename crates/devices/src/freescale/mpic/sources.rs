//! The sources: which of them ask a core for service, and how urgently.

use super::registers::{CORES, destination, vector_priority};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Lines from the chip's pins.
pub(super) const EXTERNAL: usize = 0;
/// Lines from the blocks of the chip.
pub(super) const INTERNAL: usize = 16;
/// Messages between cores.
pub(super) const MESSAGE: usize = 176;
/// Shared message-signalled interrupts.
pub(super) const SHARED: usize = 224;
/// The timers of both groups; numbers of the model, which no register shows.
pub(super) const TIMER: usize = 256;
/// Interrupts between processors; numbers of the model, which no register shows.
pub(super) const INTERPROCESSOR: usize = 264;
/// One more than the highest number.
pub(super) const COUNT: usize = 268;

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    External,
    Internal,
    Message,
    Timer,
    Interprocessor,
}

impl Kind {
    /// What source `number` is; `None` where the chip has none.
    pub fn of(number: usize) -> Option<Kind> {
        Some(match number {
            EXTERNAL..12 => Kind::External,
            INTERNAL..64 => Kind::Internal,
            MESSAGE..180 | SHARED..232 => Kind::Message,
            TIMER..INTERPROCESSOR => Kind::Timer,
            INTERPROCESSOR..COUNT => Kind::Interprocessor,
            _ => return None,
        })
    }

    /// Numbers and kinds of the sources that the chip has, in their order.
    pub fn all() -> impl Iterator<Item = (usize, Kind)> {
        PRESENT.iter().copied()
    }

    /// Bits of the vector/priority register that software sets.
    fn writable(self) -> u32 {
        use vector_priority::*;
        let common = MASKED | PRIORITY | VECTOR;
        match self {
            Kind::External => common | ACTIVE_HIGH | LEVEL,
            Kind::Internal => common | ACTIVE_HIGH,
            Kind::Message | Kind::Timer | Kind::Interprocessor => common,
        }
    }

    fn reset_value(self) -> u32 {
        match self {
            Kind::Internal => vector_priority::MASKED | vector_priority::ACTIVE_HIGH,
            _ => vector_priority::MASKED,
        }
    }

    /// Whether each core that it goes to has a request of its own.
    fn is_multicast(self) -> bool {
        matches!(self, Kind::Timer | Kind::Interprocessor)
    }
}

static PRESENT: LazyLock<Vec<(usize, Kind)>> = LazyLock::new(|| {
    let numbered = |number| Some((number, Kind::of(number)?));
    (0..COUNT).filter_map(numbered).collect()
});

/// A source's registers and what it asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Source {
    vector_priority: u32,
    destination: u32,
    /// The line's level; `None` while nothing drives it, which asks for nothing in either polarity.
    line: Option<bool>,
    /// Requests that wait to be taken, one bit for each core; of sources that go to one core, bit 0.
    latched: u8,
}

impl Source {
    pub fn new(number: usize) -> Source {
        let kind = Kind::of(number);
        Source {
            vector_priority: kind.map_or(0, Kind::reset_value),
            // Interrupts between processors have no destination register.
            destination: match kind {
                None | Some(Kind::Interprocessor) => 0,
                Some(_) => 1,
            },
            line: None,
            latched: 0,
        }
    }

    /// Registers and requests back to their reset state; the line stays as it is driven.
    pub fn reset(&mut self, number: usize) {
        *self = Source {
            line: self.line,
            ..Source::new(number)
        };
    }

    /// The vector/priority register but for its activity bit.
    pub fn vector_priority(&self) -> u32 {
        self.vector_priority
    }

    pub fn vector(&self) -> u32 {
        self.vector_priority & vector_priority::VECTOR
    }

    pub fn priority(&self) -> u8 {
        let field = self.vector_priority & vector_priority::PRIORITY;
        (field >> vector_priority::PRIORITY_SHIFT) as u8
    }

    pub fn set_vector_priority(&mut self, kind: Kind, value: u32) {
        self.vector_priority = value & kind.writable();
    }

    pub fn destination(&self) -> u32 {
        self.destination
    }

    pub fn set_destination(&mut self, kind: Kind, value: u32) {
        self.destination = value
            & match kind {
                Kind::Timer => destination::CORES,
                _ => destination::ALL,
            };
    }

    fn is_edge_triggered(&self, kind: Kind) -> bool {
        kind == Kind::External && self.vector_priority & vector_priority::LEVEL == 0
    }

    /// The line is at its active level.
    fn is_active(&self, kind: Kind) -> bool {
        let high =
            kind == Kind::Message || self.vector_priority & vector_priority::ACTIVE_HIGH != 0;
        self.line == Some(high)
    }

    /// The line changed.
    pub fn set_line(&mut self, kind: Kind, level: bool) {
        let before = self.is_active(kind);
        self.line = Some(level);
        if self.is_edge_triggered(kind) && self.is_active(kind) && !before {
            self.latched = 1;
        }
    }

    /// The line's level.
    pub fn line(&self) -> bool {
        self.line == Some(true)
    }

    /// A request of a multicast source to each of `cores`.
    pub fn request(&mut self, cores: u32) {
        self.latched |= (cores & destination::CORES) as u8;
    }

    /// The interrupt was taken by `core`: what was latched for it ends.
    pub fn taken(&mut self, kind: Kind, core: usize) {
        self.latched &= if kind.is_multicast() { !(1 << core) } else { 0 };
    }

    /// Whether it is kept from asking, as all are that nobody uses.
    pub fn is_masked(&self) -> bool {
        self.vector_priority & vector_priority::MASKED != 0
    }

    /// Something is waiting, and not masked.
    pub fn is_pending(&self, kind: Kind) -> bool {
        if self.is_masked() {
            return false;
        }
        match kind {
            Kind::Timer | Kind::Interprocessor => self.latched != 0,
            _ if self.is_edge_triggered(kind) => self.latched != 0,
            _ => self.is_active(kind),
        }
    }

    /// The cores whose `int` input it asks for, one bit each.
    pub fn requests(&self, kind: Kind) -> u8 {
        if !self.is_pending(kind) || self.priority() == 0 {
            return 0;
        }
        if kind.is_multicast() {
            return self.latched;
        }
        let special = destination::EXTERNAL_PIN | destination::CRITICAL;
        if self.destination & special != 0 {
            return 0;
        }
        let cores = self.destination & destination::CORES;
        // Several cores are not allowed here (see the decisions): the first one gets it.
        (cores & cores.wrapping_neg()) as u8
    }

    /// What it asks for beside `int`: the cores' critical inputs, one bit each, and the chip's output pin.
    pub fn specials(&self, kind: Kind) -> (u8, bool) {
        if kind.is_multicast() || !self.is_pending(kind) {
            return (0, false);
        }
        let critical = |core: usize| self.destination & (destination::CRITICAL_0 >> core) != 0;
        let cores = (0..CORES).filter(|&core| critical(core));
        let cores = cores.fold(0, |cores, core| cores | 1 << core);
        (cores, self.destination & destination::EXTERNAL_PIN != 0)
    }
}
