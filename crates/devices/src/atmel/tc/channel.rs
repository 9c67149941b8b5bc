//! One counter with its compare and capture registers, in edges of its clock. It is counted up lazily.

use super::mode::{Cause, Mode, Source};
use serde::{Deserialize, Serialize};
use socscope_time::EventId;

/// Flags of TC_SR.
pub mod flag {
    pub const OVERFLOW: u32 = 1 << 0;
    pub const LOAD_OVERRUN: u32 = 1 << 1;
    pub const COMPARE_A: u32 = 1 << 2;
    pub const COMPARE_B: u32 = 1 << 3;
    pub const COMPARE_C: u32 = 1 << 4;
    pub const LOAD_A: u32 = 1 << 5;
    pub const LOAD_B: u32 = 1 << 6;
    pub const EXTERNAL_TRIGGER: u32 = 1 << 7;
    pub const ALL: u32 = 0xff;
}

const TURN: u64 = 0x1_0000;
/// Within so many steps a counter has met every kind of match that its registers allow.
const STEPS_OF_A_TURN: u32 = 10;

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Channel {
    pub mode: Mode,
    pub value: u16,
    pub ra: u16,
    pub rb: u16,
    pub rc: u16,
    pub flags: u32,
    pub mask: u32,
    /// CLKEN was the last of CLKEN, CLKDIS and a disabling event.
    pub enabled: bool,
    /// A trigger was later than the last stopping event.
    pub started: bool,
    /// A trigger waits for the next edge, which makes the counter zero.
    pub trigger_pending: bool,
    /// RA was loaded since the last trigger and the last loading of RB.
    ra_loaded: bool,
    ra_unread: bool,
    rb_unread: bool,
    pub tioa: bool,
    pub tiob: bool,
    /// Edges of the divided clock that are counted, since power-on.
    pub edges_seen: u64,
    pub event: Option<EventId>,
}

impl Channel {
    /// Edges of the divided clock up to `cycle`, that cycle's included.
    pub fn edges_at(&self, cycle: u64) -> u64 {
        match self.mode.source() {
            Source::Divided(divisor) => (cycle + self.phase(divisor)) / divisor,
            Source::External(_) => 0,
        }
    }

    /// The cycle of edge number `edge` of the divided clock.
    pub fn cycle_of_edge(&self, edge: u64) -> Option<u64> {
        match self.mode.source() {
            Source::Divided(divisor) => Some((edge * divisor).saturating_sub(self.phase(divisor))),
            Source::External(_) => None,
        }
    }

    fn phase(&self, divisor: u64) -> u64 {
        if self.mode.counts_falling_edges() {
            divisor / 2
        } else {
            0
        }
    }

    pub fn runs(&self) -> bool {
        self.enabled && self.started
    }

    /// Counts `edges` edges.
    pub fn advance(&mut self, mut edges: u64) {
        let mut steps = 0;
        while edges > 0 && self.runs() {
            let distance = self.distance();
            if edges < distance {
                self.value = self.value.wrapping_add(edges as u16);
                return;
            }
            self.step(distance);
            edges -= distance;
            steps += 1;
            if steps == STEPS_OF_A_TURN && !self.acts() {
                edges %= self.period();
            }
        }
    }

    /// Edges to the next match that raises one of `wanted` flags or changes an output; `None` when there will be none.
    pub fn edges_to(&self, wanted: u32) -> Option<u64> {
        if !self.runs() || (wanted == 0 && !self.acts()) {
            return None;
        }
        let mut probe = self.clone();
        let mut total = 0;
        for _ in 0..2 * STEPS_OF_A_TURN {
            probe.flags = 0;
            let distance = probe.distance();
            let (tioa, tiob) = (probe.tioa, probe.tiob);
            probe.step(distance);
            total += distance;
            if probe.flags & wanted != 0 || probe.tioa != tioa || probe.tiob != tiob {
                return Some(total);
            }
            if !probe.runs() {
                return None;
            }
        }
        None
    }

    /// Whether a match does more than raise a flag.
    fn acts(&self) -> bool {
        let effects = 0x0f0f_0000;
        self.mode.is_waveform()
            && (self.mode.0 & effects != 0 || self.mode.stops() || self.mode.disables())
    }

    fn period(&self) -> u64 {
        if self.mode.rc_triggers() && self.value < self.rc {
            u64::from(self.rc)
        } else {
            TURN
        }
    }

    /// Edges to the next match of any kind, at least one.
    fn distance(&self) -> u64 {
        if self.trigger_pending {
            return 1;
        }
        let to = |target: u16| match target.wrapping_sub(self.value) {
            0 => TURN,
            distance => u64::from(distance),
        };
        let mut distance = to(0).min(to(self.rc));
        if self.mode.is_waveform() {
            distance = distance.min(to(self.ra)).min(to(self.rb));
        }
        distance
    }

    /// Counts to the next match and carries it out.
    fn step(&mut self, distance: u64) {
        if self.trigger_pending {
            self.trigger_pending = false;
            self.value = 0;
        } else {
            self.value = self.value.wrapping_add(distance as u16);
            if self.value == 0 {
                self.flags |= flag::OVERFLOW;
            }
        }
        let matches_c = self.value == self.rc;
        let mut matches_a = self.value == self.ra;
        let mut matches_b = self.value == self.rb;
        if matches_c && self.mode.rc_triggers() {
            // The counter never stands at RC: it is zero within the same edge, so that the period is RC edges.
            self.value = 0;
            self.ra_loaded = false;
            matches_a |= self.ra == 0;
            matches_b |= self.rb == 0;
        }
        if matches_c {
            self.flags |= flag::COMPARE_C;
        }
        if self.mode.is_waveform() {
            self.compare(matches_a, matches_b, matches_c);
        }
    }

    fn compare(&mut self, a: bool, b: bool, c: bool) {
        if a {
            self.flags |= flag::COMPARE_A;
        }
        if b {
            self.flags |= flag::COMPARE_B;
        }
        if c || a {
            let effect = |cause, on: bool| {
                if on {
                    self.mode.tioa_effect(cause)
                } else {
                    super::mode::PinEffect::None
                }
            };
            effect(Cause::RcCompare, c)
                .or(effect(Cause::Compare, a))
                .apply(&mut self.tioa);
        }
        if c || b {
            let effect = |cause, on: bool| {
                if on {
                    self.mode.tiob_effect(cause)
                } else {
                    super::mode::PinEffect::None
                }
            };
            effect(Cause::RcCompare, c)
                .or(effect(Cause::Compare, b))
                .apply(&mut self.tiob);
        }
        if c && self.mode.stops() {
            self.started = false;
        }
        if c && self.mode.disables() {
            self.enabled = false;
        }
    }

    /// A trigger: starts the clock; its next edge makes the counter zero.
    pub fn trigger(&mut self) {
        if self.enabled {
            self.started = true;
            self.trigger_pending = true;
            self.ra_loaded = false;
        }
    }

    /// The software trigger, with its effects on the outputs.
    pub fn software_trigger(&mut self) {
        self.trigger();
        self.affect(Cause::Software);
    }

    /// An edge of the external trigger or event.
    pub fn external_event(&mut self) {
        self.flags |= flag::EXTERNAL_TRIGGER;
        if !self.mode.is_waveform() {
            self.trigger();
        } else {
            self.affect(Cause::External);
            if self.mode.event_triggers() {
                self.trigger();
            }
        }
    }

    fn affect(&mut self, cause: Cause) {
        if self.mode.is_waveform() {
            self.mode.tioa_effect(cause).apply(&mut self.tioa);
            self.mode.tiob_effect(cause).apply(&mut self.tiob);
        }
    }

    /// An edge of TIOA in capture mode loads RA or RB.
    pub fn capture(&mut self, level: bool) {
        if !self.ra_loaded && self.mode.load_a().include(level) {
            self.ra = self.value;
            self.ra_loaded = true;
            self.note_load(flag::LOAD_A);
        } else if self.ra_loaded && self.mode.load_b().include(level) {
            self.rb = self.value;
            self.ra_loaded = false;
            self.note_load(flag::LOAD_B);
            self.started &= !self.mode.stops();
            self.enabled &= !self.mode.disables();
        }
    }

    fn note_load(&mut self, which: u32) {
        let unread = if which == flag::LOAD_A {
            &mut self.ra_unread
        } else {
            &mut self.rb_unread
        };
        self.flags |= which;
        if std::mem::replace(unread, true) {
            self.flags |= flag::LOAD_OVERRUN;
        }
    }

    pub fn read_ra(&mut self) -> u16 {
        self.ra_unread = false;
        self.ra
    }

    pub fn read_rb(&mut self) -> u16 {
        self.rb_unread = false;
        self.rb
    }
}
