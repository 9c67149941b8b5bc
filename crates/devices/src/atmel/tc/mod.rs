//! Timer counter (TC): three 16-bit counters that capture, compare, make waveforms and clock each other.
//!
//! A counter's value is worked out when somebody looks. Events are scheduled only for matches that an enabled interrupt or
//! an output waits for.

mod channel;
mod mode;
mod registers;
mod signals;
#[cfg(test)]
mod tests;

use crate::apb;
use crate::state;
use channel::{Channel, flag};
use mode::Mode;
pub use registers::DESCRIPTION;
use serde::{Deserialize, Serialize};
use signals::Signals;
use socscope_device::{Context, Description, Device, Model, RestoreError};
use socscope_memory::Width;

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(TimerCounter::default())),
};

const CHANNELS: usize = 3;
const FIRST_IRQ: u32 = 0;
const CLOCK_ENABLE: u32 = 1 << 0;
const CLOCK_DISABLE: u32 = 1 << 1;
const SOFTWARE_TRIGGER: u32 = 1 << 2;

#[derive(Clone, Default, Serialize, Deserialize)]
struct TimerCounter {
    channels: [Channel; CHANNELS],
    signals: Signals,
    irq: [bool; CHANNELS],
}

/// Where an offset leads.
enum Place {
    Channel(usize, u32),
    Block(u32),
}

fn place(offset: u32) -> Place {
    let offset = apb::register_offset(offset);
    match offset / 0x40 {
        channel @ 0..=2 => Place::Channel(channel as usize, offset % 0x40),
        _ => Place::Block(offset),
    }
}

impl TimerCounter {
    /// Counts every channel up to now.
    fn catch_up(&mut self, cycle: u64) {
        for number in 0..CHANNELS {
            let open = self
                .signals
                .gate_is_open(number, self.channels[number].mode);
            let channel = &mut self.channels[number];
            let edges = channel.edges_at(cycle);
            let new = edges.saturating_sub(channel.edges_seen);
            channel.edges_seen = edges;
            if open {
                channel.advance(new);
            }
        }
    }

    /// Lets changes travel between the channels and out, then waits for the next match that matters.
    fn settle(&mut self, context: &mut Context) {
        self.travel();
        self.signals.drive(&self.channels, context);
        for (number, channel) in self.channels.iter_mut().enumerate() {
            let irq = channel.flags & channel.mask != 0;
            if irq != self.irq[number] {
                self.irq[number] = irq;
                context.set_line(FIRST_IRQ + number as u32, irq);
            }
            let open = self.signals.gate_is_open(number, channel.mode);
            let wanted = channel.mask & !channel.flags;
            let edges = if open { channel.edges_to(wanted) } else { None };
            let due = edges.and_then(|edges| channel.cycle_of_edge(channel.edges_seen + edges));
            let due = due.map(|cycle| context.clock.instant_of(cycle));
            if channel.event.map(|event| event.time()) != due {
                if let Some(event) = channel.event.take() {
                    context.cancel(event);
                }
                channel.event = due.map(|time| context.schedule(time, number as u64));
            }
        }
    }

    fn status(&self, number: usize) -> u32 {
        let channel = &self.channels[number];
        channel.flags
            | u32::from(channel.enabled) << 16
            | u32::from(self.signals.tioa(&self.channels, number)) << 17
            | u32::from(self.signals.tiob(&self.channels, number)) << 18
    }

    fn value(&self, offset: u32) -> u32 {
        match place(offset) {
            Place::Channel(number, offset) => {
                let channel = &self.channels[number];
                match offset {
                    0x04 => channel.mode.0,
                    0x10 => u32::from(channel.value),
                    0x14 => u32::from(channel.ra),
                    0x18 => u32::from(channel.rb),
                    0x1c => u32::from(channel.rc),
                    0x20 => self.status(number),
                    0x2c => channel.mask,
                    _ => 0,
                }
            }
            Place::Block(0xc4) => self.signals.block_mode,
            Place::Block(_) => 0,
        }
    }

    /// Whether the channel register at `offset` can be written now.
    fn write_channel(&mut self, number: usize, offset: u32, value: u32, cycle: u64) -> bool {
        let channel = &mut self.channels[number];
        let waveform = channel.mode.is_waveform();
        match offset {
            0x00 => {
                if value & CLOCK_DISABLE != 0 {
                    channel.enabled = false;
                } else if value & CLOCK_ENABLE != 0 {
                    channel.enabled = true;
                }
                if value & SOFTWARE_TRIGGER != 0 {
                    channel.software_trigger();
                }
            }
            0x04 => {
                channel.mode = Mode(value);
                channel.edges_seen = channel.edges_at(cycle);
            }
            0x14 if waveform => channel.ra = value as u16,
            0x18 if waveform => channel.rb = value as u16,
            0x1c => channel.rc = value as u16,
            0x24 => channel.mask |= value & flag::ALL,
            0x28 => channel.mask &= !value,
            _ => return false,
        }
        true
    }
}

impl Device for TimerCounter {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        for channel in &self.channels {
            if let Some(event) = channel.event {
                context.cancel(event);
            }
        }
        *self = TimerCounter {
            signals: self.signals.after_reset(),
            irq: self.irq,
            ..TimerCounter::default()
        };
        self.settle(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        self.catch_up(context.cycle());
        let value = self.value(offset);
        if let Place::Channel(number, offset) = place(offset) {
            let channel = &mut self.channels[number];
            match offset {
                0x14 => _ = channel.read_ra(),
                0x18 => _ = channel.read_rb(),
                0x20 => {
                    channel.flags = 0;
                    self.settle(context);
                }
                _ => {}
            }
        }
        apb::lane(value, offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let value = apb::repeated(value, width);
        let cycle = context.cycle();
        self.catch_up(cycle);
        let taken = match place(offset) {
            Place::Channel(number, offset) => self.write_channel(number, offset, value, cycle),
            Place::Block(0xc0) => {
                if value & 1 != 0 {
                    self.channels.iter_mut().for_each(Channel::software_trigger);
                }
                true
            }
            Place::Block(0xc4) => {
                self.signals.block_mode = value & 0x3f;
                true
            }
            Place::Block(_) => false,
        };
        if !taken {
            apb::warn_of_write(context, offset, value);
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, context: &Context) -> Option<u32> {
        let mut now = self.clone();
        now.catch_up(context.cycle());
        Some(now.value(offset))
    }

    fn event(&mut self, payload: u64, context: &mut Context) {
        self.channels[payload as usize % CHANNELS].event = None;
        self.catch_up(context.cycle());
        self.settle(context);
    }

    fn input(&mut self, line: u32, level: bool, context: &mut Context) {
        self.catch_up(context.cycle());
        self.signals.input(line, level);
        self.settle(context);
    }

    fn save(&self) -> Vec<u8> {
        state::save(self)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        *self = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
