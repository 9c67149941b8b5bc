//! The channel mode register (TC_CMR), read field by field.

use serde::{Deserialize, Serialize};

/// Which edges of a signal count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Edges {
    pub rising: bool,
    pub falling: bool,
}

impl Edges {
    fn of(field: u32) -> Edges {
        Edges {
            rising: field & 1 != 0,
            falling: field & 2 != 0,
        }
    }

    /// Whether a change to `level` is one of them.
    pub fn include(self, level: bool) -> bool {
        if level { self.rising } else { self.falling }
    }
}

/// What an event does to an output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PinEffect {
    None,
    Set,
    Clear,
    Toggle,
}

impl PinEffect {
    fn of(field: u32) -> PinEffect {
        match field & 3 {
            0 => PinEffect::None,
            1 => PinEffect::Set,
            2 => PinEffect::Clear,
            _ => PinEffect::Toggle,
        }
    }

    pub fn apply(self, level: &mut bool) {
        match self {
            PinEffect::None => {}
            PinEffect::Set => *level = true,
            PinEffect::Clear => *level = false,
            PinEffect::Toggle => *level = !*level,
        }
    }

    /// This effect, or `other` when this one does nothing: the order of priorities.
    pub fn or(self, other: PinEffect) -> PinEffect {
        if self == PinEffect::None { other } else { self }
    }
}

/// What the counter counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The master clock, divided.
    Divided(u64),
    /// The external clock XC0, XC1 or XC2.
    External(usize),
}

/// Something that happens to the outputs, in the order of the fields of TC_CMR.
#[derive(Clone, Copy)]
pub enum Cause {
    Compare,
    RcCompare,
    External,
    Software,
}

/// TC_CMR.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mode(pub u32);

impl Mode {
    fn bit(self, bit: u32) -> bool {
        self.0 >> bit & 1 != 0
    }

    pub fn is_waveform(self) -> bool {
        self.bit(15)
    }

    pub fn source(self) -> Source {
        match self.0 & 7 {
            0 => Source::Divided(2),
            1 => Source::Divided(8),
            2 => Source::Divided(32),
            3 => Source::Divided(128),
            4 => Source::Divided(1024),
            external => Source::External(external as usize - 5),
        }
    }

    pub fn counts_falling_edges(self) -> bool {
        self.bit(3)
    }

    /// The external clock that gates the counter.
    pub fn gate(self) -> Option<usize> {
        (self.0 >> 4 & 3)
            .checked_sub(1)
            .map(|signal| signal as usize)
    }

    pub fn rc_triggers(self) -> bool {
        self.bit(14)
    }

    /// Waveform: RC compare stops the clock. Capture: loading RB stops it.
    pub fn stops(self) -> bool {
        self.bit(6)
    }

    /// Waveform: RC compare disables the clock. Capture: loading RB disables it.
    pub fn disables(self) -> bool {
        self.bit(7)
    }

    /// Edges of the external trigger or event.
    pub fn external_edges(self) -> Edges {
        Edges::of(self.0 >> 8)
    }

    /// Capture: the external trigger is TIOA, else TIOB.
    pub fn trigger_is_tioa(self) -> bool {
        self.bit(10)
    }

    /// Waveform: the external event is XC0, XC1, XC2, or TIOB (`None`).
    pub fn event_clock(self) -> Option<usize> {
        (self.0 >> 10 & 3)
            .checked_sub(1)
            .map(|signal| signal as usize)
    }

    /// Waveform: the external event is a trigger.
    pub fn event_triggers(self) -> bool {
        self.bit(12)
    }

    pub fn load_a(self) -> Edges {
        Edges::of(self.0 >> 16)
    }

    pub fn load_b(self) -> Edges {
        Edges::of(self.0 >> 18)
    }

    pub fn tioa_effect(self, cause: Cause) -> PinEffect {
        PinEffect::of(self.0 >> (16 + 2 * cause as u32))
    }

    /// TIOB is an input when it is the external event.
    pub fn tiob_effect(self, cause: Cause) -> PinEffect {
        if self.drives_tiob() {
            PinEffect::of(self.0 >> (24 + 2 * cause as u32))
        } else {
            PinEffect::None
        }
    }

    pub fn drives_tiob(self) -> bool {
        self.is_waveform() && self.event_clock().is_some()
    }
}
