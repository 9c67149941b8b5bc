//! The serial port PL011.
//!
//! # Summary
//! Characters of 5 to 8 bits, parity, breaks, FIFOs of 16 characters with levels that interrupt and a time-out, modem lines, flow control, loopback.
//!
//! # Behaviour
//! A bit takes 16 times the divisor of the clock's cycles, which counts in 64ths. Characters travel as levels over time; the receiver samples every bit in its middle
//! at its own speed.
//!
//! The interrupts of the FIFOs come when their level passes the mark, and go when it passes it back or software takes them back. The time-out comes when
//! characters wait and none has arrived for 32 bit times. With CTSEn no character begins while CTS is inactive; with RTSEn the receiver holds RTS active until
//! its FIFO reaches its mark.
//!
//! # Decisions
//! A bit has its average length, to a fourth of a cycle: the fraction does not jitter. A break begins at once, even within a character. A modem line that nothing
//! drives is inactive. A receiver that is switched off loses a character on its way; the transmitter finishes it.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! ARM DDI 0183 (PL011), chapters 2 and 3.

mod receiver;
mod registers;
#[cfg(test)]
mod tests;

use super::primecell;
use crate::line::{FIFO, Format, Ninth, Transmitter, event};
use crate::{apb, state};
use receiver::Receiver;
use registers::*;
use serde::{Deserialize, Serialize};
use socscope_device::{
    Context, Description, Device, LineFormat, Model, Parity, RestoreError, Waveform,
};
use socscope_memory::Width;
use socscope_time::Clock;

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Box::new(Pl011(State::new()))),
};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    low_power: u32,
    /// IBRD and FBRD in 64ths, as they were written, and as they count.
    divisor: u32,
    divisor_in_force: u32,
    line_control: u32,
    control: u32,
    levels: u32,
    enabled: u32,
    raw: u32,
    dma: u32,
    /// Modem lines at the pins, by their index.
    pins: [bool; 4],
    receiver: Receiver,
    transmitter: Transmitter,
    /// What the outputs are at.
    outputs: [bool; 5],
}

impl State {
    fn new() -> State {
        State {
            low_power: 0,
            divisor: 0,
            divisor_in_force: 0,
            line_control: 0,
            control: cr::RESET,
            levels: IFLS_RESET,
            enabled: 0,
            raw: 0,
            dma: 0,
            pins: [false; 4],
            receiver: Receiver::new(),
            transmitter: Transmitter::default(),
            outputs: [false; 5],
        }
    }
}

struct Pl011(State);

/// Characters at which a FIFO interrupts, by its field of IFLS: an eighth, a quarter, a half, three quarters, seven eighths.
fn mark(field: u32) -> usize {
    let eighths = [1, 2, 4, 6, 7];
    eighths.get(field as usize & 7).copied().unwrap_or(7) * FIFO / 8
}

impl Pl011 {
    fn has(&self, bit: u32) -> bool {
        self.0.control & bit != 0
    }

    fn is_on(&self, half: u32) -> bool {
        self.has(cr::ENABLE) && self.has(half)
    }

    /// The format in force; `None` while the divisor is below 1.
    fn format(&self, context: &Context) -> Option<Format> {
        let control = self.0.line_control;
        let has = |bit: u32| control & bit != 0;
        let parity = match (has(lcr::PARITY), has(lcr::STICK), has(lcr::EVEN)) {
            (false, ..) => Parity::None,
            (true, false, false) => Parity::Odd,
            (true, false, true) => Parity::Even,
            (true, true, false) => Parity::Mark,
            (true, true, true) => Parity::Space,
        };
        let data_bits = 5 + (control >> lcr::LENGTH_SHIFT & 3) as u8;
        let stop_half_bits = if has(lcr::STOP) { 4 } else { 2 };
        // Four times the clock, since a bit is 16 / 64 of the divisor in 64ths.
        let clock = Clock::new(context.clock.hz().saturating_mul(4))?;
        let quarters = u64::from(self.0.divisor_in_force);
        (quarters >= 64).then(|| {
            Format::new(
                clock,
                quarters,
                data_bits,
                Ninth::Parity(parity),
                stop_half_bits,
            )
        })
    }

    fn receiver_mark(&self) -> usize {
        if self.0.receiver.fifo {
            mark(self.0.levels >> 3)
        } else {
            1
        }
    }

    fn transmitter_mark(&self) -> usize {
        if self.0.line_control & lcr::FIFO != 0 {
            mark(self.0.levels)
        } else {
            0
        }
    }

    /// The modem lines as the port sees them: the pins, or in loopback its own outputs.
    fn modem(&self) -> [bool; 4] {
        if self.has(cr::LOOPBACK) {
            LOOPED.map(|bit| self.has(bit))
        } else {
            self.0.pins
        }
    }

    fn flags(&self) -> u32 {
        let (transmitter, receiver) = (&self.0.transmitter, &self.0.receiver);
        let lines = self.modem().into_iter().zip(MODEM_BITS);
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        lines.fold(0, |flags, (level, bit)| flags | flag(level, bit))
            | flag(!transmitter.is_empty(), fr::BUSY)
            | flag(receiver.count() == 0, fr::RECEIVER_EMPTY)
            | flag(transmitter.is_full(), fr::TRANSMITTER_FULL)
            | flag(receiver.is_full(), fr::RECEIVER_FULL)
            | flag(transmitter.is_holding_empty(), fr::TRANSMITTER_EMPTY)
    }

    /// Carries out `change`, then what follows from it: characters begin, interrupts come or go with levels and lines, outputs are driven.
    fn after(&mut self, context: &mut Context, change: impl FnOnce(&mut Pl011, &mut Context)) {
        let (lines, waiting, count) = (
            self.modem(),
            self.0.transmitter.waiting(),
            self.0.receiver.count(),
        );
        change(self, context);
        let most = waiting.max(self.0.transmitter.waiting());
        let may_send = self.is_on(cr::TRANSMIT) && (!self.has(cr::CTS_FLOW) || self.modem()[CTS]);
        let format = self.format(context).filter(|_| may_send);
        if let Some(waveform) = self.0.transmitter.advance(format, context) {
            self.put_on_line(waveform, context);
        }
        self.level_interrupts(most, count);
        for (line, before) in lines.into_iter().enumerate() {
            self.0.raw |= u32::from(self.modem()[line] != before) << line;
        }
        self.drive(context);
    }

    /// Interrupts that come and go with the FIFOs: `most` characters were waiting to be sent, `received` were waiting to be read.
    fn level_interrupts(&mut self, most: usize, received: usize) {
        let (waiting, mark) = (self.0.transmitter.waiting(), self.transmitter_mark());
        if waiting > mark {
            self.0.raw &= !interrupt::SENT;
        } else if most > mark {
            self.0.raw |= interrupt::SENT;
        }
        let (count, mark) = (self.0.receiver.count(), self.receiver_mark());
        if count < mark {
            self.0.raw &= !interrupt::RECEIVED;
        } else if received < mark {
            self.0.raw |= interrupt::RECEIVED;
        }
        if count == 0 {
            self.0.raw &= !interrupt::TIMEOUT;
        }
    }

    fn drive(&mut self, context: &mut Context) {
        let mut levels = [self.0.raw & self.0.enabled != 0, false, false, false, false];
        for (output, bit) in OUTPUTS {
            let on = match (bit, self.has(cr::RTS_FLOW)) {
                (cr::RTS, true) => self.0.receiver.count() < self.receiver_mark(),
                _ => self.has(bit),
            };
            levels[output as usize] = on && !self.has(cr::LOOPBACK);
        }
        for (output, level) in (0u32..).zip(levels) {
            if level != self.0.outputs[output as usize] {
                self.0.outputs[output as usize] = level;
                context.set_line(output, level);
            }
        }
    }

    fn put_on_line(&mut self, waveform: Waveform, context: &mut Context) {
        if self.has(cr::LOOPBACK) {
            let format = self.format(context);
            self.0.receiver.line.incoming(waveform, format, context);
        } else {
            context.send(0, waveform);
        }
    }

    fn set_line_control(&mut self, value: u32, context: &mut Context) {
        self.0.line_control = value & 0xff;
        self.0.divisor_in_force = self.0.divisor;
        let fifo = value & lcr::FIFO != 0;
        self.0.transmitter.set_fifo(fifo);
        self.0.receiver.fifo = fifo;
        let format = self.format(context);
        self.0.receiver.line.format_changed(format, context);
        let is_break = value & lcr::BREAK != 0;
        if let Some(waveform) = self.0.transmitter.set_break(is_break, format, context) {
            self.put_on_line(waveform, context);
        }
    }

    fn set_control(&mut self, value: u32, context: &mut Context) {
        let was_looped_back = self.has(cr::LOOPBACK);
        self.0.control = value & cr::ALL;
        if was_looped_back != self.has(cr::LOOPBACK) {
            self.0.receiver.line.disconnect();
        }
        if self.is_on(cr::RECEIVE) {
            let format = self.format(context);
            self.0.receiver.line.enable(format, context);
        } else {
            self.0.receiver.line.disable(context);
        }
    }

    fn write_register(&mut self, offset: u32, value: u32, context: &mut Context) {
        let state = &mut self.0;
        match offset {
            DR => state.transmitter.put("UARTDR", value as u8, context),
            RSR_ECR => state.receiver.clear_errors(),
            ILPR => state.low_power = value & 0xff,
            IBRD => state.divisor = (value & 0xffff) << 6 | state.divisor & 0x3f,
            FBRD => state.divisor = state.divisor & !0x3f | value & 0x3f,
            LCR_H => self.set_line_control(value, context),
            CR => self.set_control(value, context),
            IFLS => state.levels = value & IFLS_BITS,
            IMSC => state.enabled = value & interrupt::ALL,
            ICR => state.raw &= !value,
            DMACR => state.dma = value & DMACR_BITS,
            _ => apb::warn_of_write(context, offset, value),
        }
    }
}

impl Device for Pl011 {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.0.receiver.reset(context);
        if let Some(waveform) = self.0.transmitter.reset(context) {
            self.put_on_line(waveform, context);
        }
        let (pins, outputs) = (self.0.pins, self.0.outputs);
        self.0 = State {
            pins,
            outputs,
            ..State::new()
        };
        self.drive(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        let value = self.peek(offset, context).unwrap_or(0);
        if apb::register_offset(offset) == DR {
            self.after(context, |port, _| port.0.receiver.take());
        }
        apb::lane(value, offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let (offset, value) = (apb::register_offset(offset), apb::repeated(value, width));
        self.after(context, |port, context| {
            port.write_register(offset, value, context)
        });
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        let (state, offset) = (&self.0, apb::register_offset(offset));
        Some(match offset {
            DR => state.receiver.head(),
            RSR_ECR => u32::from(state.receiver.errors()),
            FR => self.flags(),
            ILPR => state.low_power,
            IBRD => state.divisor >> 6,
            FBRD => state.divisor & 0x3f,
            LCR_H => state.line_control,
            CR => state.control,
            IFLS => state.levels,
            IMSC => state.enabled,
            RIS => state.raw,
            MIS => state.raw & state.enabled,
            DMACR => state.dma,
            _ => primecell::identification(PERIPHERAL, offset).unwrap_or(0),
        })
    }

    fn sends(&self) -> bool {
        self.0.transmitter.sends()
    }

    fn event(&mut self, payload: u64, context: &mut Context) {
        self.after(context, |port, context| {
            let format = port.format(context);
            match payload {
                event::SHIFTED => port.0.transmitter.shifted(),
                event::STOP_BIT => port.0.raw |= port.0.receiver.stop_bit(format, context),
                event::TIMEOUT => {
                    port.0.receiver.timeout.check(context);
                    if port.0.receiver.timeout.expired {
                        port.0.raw |= interrupt::TIMEOUT;
                    }
                }
                event::BREAK => {
                    if let Some(waveform) = port.0.transmitter.go_on_with_break(format, context) {
                        port.put_on_line(waveform, context);
                    }
                }
                _ => {
                    port.0.receiver.line.end_of_break(format, context);
                }
            }
        });
    }

    fn input(&mut self, line: u32, level: bool, context: &mut Context) {
        self.after(context, |port, _| {
            if let Some(pin) = port.0.pins.get_mut(line as usize) {
                *pin = level;
            }
        });
    }

    fn receive(&mut self, _port: u32, waveform: Waveform, context: &mut Context) {
        if !self.has(cr::LOOPBACK) {
            let format = self.format(context);
            self.0.receiver.line.incoming(waveform, format, context);
        }
    }

    fn line_format(&self, _port: u32, context: &Context) -> Option<LineFormat> {
        self.format(context).map(|format| format.line())
    }

    fn listens(&self, _port: u32) -> bool {
        self.0.receiver.line.is_enabled() && !self.has(cr::LOOPBACK)
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.0)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.0 = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
