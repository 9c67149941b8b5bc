//! The pins of the block and what travels between its channels: TCLK, TIOA and TIOB, chained clocks and gates.

use super::channel::Channel;
use super::mode::{Mode, Source};
use super::{CHANNELS, TimerCounter};
use serde::{Deserialize, Serialize};
use socscope_device::Context;

const FIRST_TIOA_OUTPUT: u32 = 3;
const FIRST_TIOB_OUTPUT: u32 = 6;
/// A chain of channels that clock each other comes to rest much sooner.
const ROUNDS_MAX: usize = 64;

/// What a channel sees.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct View {
    /// XC0, XC1 and XC2.
    clocks: [bool; 3],
    tioa: bool,
    tiob: bool,
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Signals {
    /// TC_BMR.
    pub block_mode: u32,
    /// Input pins: TCLK, TIOA and TIOB of each channel.
    tclk: [bool; CHANNELS],
    tioa_in: [bool; CHANNELS],
    tiob_in: [bool; CHANNELS],
    /// What each channel has reacted to.
    seen: [View; CHANNELS],
    /// Levels of the outputs TIOA0 to TIOB2; false where a pin is an input.
    driven: [bool; 2 * CHANNELS],
}

impl Signals {
    /// The pins keep their levels, and nobody takes them for edges.
    pub fn after_reset(&self) -> Signals {
        Signals {
            block_mode: 0,
            ..self.clone()
        }
    }

    pub fn input(&mut self, line: u32, level: bool) {
        let number = line as usize % CHANNELS;
        match line as usize / CHANNELS {
            0 => self.tclk[number] = level,
            1 => self.tioa_in[number] = level,
            2 => self.tiob_in[number] = level,
            _ => {}
        }
    }

    pub fn tioa(&self, channels: &[Channel; CHANNELS], number: usize) -> bool {
        if channels[number].mode.is_waveform() {
            channels[number].tioa
        } else {
            self.tioa_in[number]
        }
    }

    pub fn tiob(&self, channels: &[Channel; CHANNELS], number: usize) -> bool {
        if channels[number].mode.drives_tiob() {
            channels[number].tiob
        } else {
            self.tiob_in[number]
        }
    }

    /// Whether the burst signal of a channel lets its clock pass.
    pub fn gate_is_open(&self, number: usize, mode: Mode) -> bool {
        mode.gate()
            .is_none_or(|signal| self.seen[number].clocks[signal])
    }

    /// External clock `number` as its own channel sees it; the other channels see the pin (doc1354, TC block diagram).
    fn selected_clock(&self, channels: &[Channel; CHANNELS], number: usize) -> bool {
        let others = [(number + 1) % CHANNELS, (number + 2) % CHANNELS];
        let (lower, upper) = (others[0].min(others[1]), others[0].max(others[1]));
        match self.block_mode >> (2 * number) & 3 {
            0 => self.tclk[number],
            1 => false,
            2 => self.tioa(channels, lower),
            _ => self.tioa(channels, upper),
        }
    }

    fn view(&self, channels: &[Channel; CHANNELS], number: usize) -> View {
        let mut clocks = self.tclk;
        clocks[number] = self.selected_clock(channels, number);
        View {
            clocks,
            tioa: self.tioa(channels, number),
            tiob: self.tiob(channels, number),
        }
    }

    /// Tells the outside about outputs that have changed.
    pub fn drive(&mut self, channels: &[Channel; CHANNELS], context: &mut Context) {
        for (number, channel) in channels.iter().enumerate() {
            let tioa = channel.mode.is_waveform() && channel.tioa;
            let tiob = channel.mode.drives_tiob() && channel.tiob;
            for (slot, output, level) in [
                (number, FIRST_TIOA_OUTPUT + number as u32, tioa),
                (CHANNELS + number, FIRST_TIOB_OUTPUT + number as u32, tiob),
            ] {
                if self.driven[slot] != level {
                    self.driven[slot] = level;
                    context.set_line(output, level);
                }
            }
        }
    }
}

impl TimerCounter {
    /// Delivers every change of a signal to the channels that see it, until nothing changes any more.
    pub(super) fn travel(&mut self) {
        for _ in 0..ROUNDS_MAX {
            let views: [View; CHANNELS] =
                std::array::from_fn(|number| self.signals.view(&self.channels, number));
            if views == self.signals.seen {
                return;
            }
            let before = std::mem::replace(&mut self.signals.seen, views);
            for number in 0..CHANNELS {
                self.channels[number].react(before[number], views[number]);
            }
        }
    }
}

impl Channel {
    fn react(&mut self, before: View, now: View) {
        let mode = self.mode;
        for (signal, level) in now.clocks.into_iter().enumerate() {
            if level == before.clocks[signal] {
                continue;
            }
            let gate_open = mode.gate().is_none_or(|gate| now.clocks[gate]);
            if mode.source() == Source::External(signal)
                && level != mode.counts_falling_edges()
                && gate_open
            {
                self.advance(1);
            }
            if mode.is_waveform()
                && mode.event_clock() == Some(signal)
                && mode.external_edges().include(level)
            {
                self.external_event();
            }
        }
        if now.tioa != before.tioa && !mode.is_waveform() {
            self.capture(now.tioa);
            if mode.trigger_is_tioa() && mode.external_edges().include(now.tioa) {
                self.external_event();
            }
        }
        let tiob_is_event = if mode.is_waveform() {
            mode.event_clock().is_none()
        } else {
            !mode.trigger_is_tioa()
        };
        if now.tiob != before.tiob && tiob_is_event && mode.external_edges().include(now.tiob) {
            self.external_event();
        }
    }
}
