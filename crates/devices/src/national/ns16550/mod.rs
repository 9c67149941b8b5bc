//! The serial port of PCs, with FIFOs, as many chips have it.
//!
//! # Summary
//! Characters of 5 to 8 bits, parity, breaks, FIFOs of 16 characters with trigger levels and a time-out, modem lines, loopback.
//!
//! # Behaviour
//! The divisor divides the clock, and 16 of its cycles are a bit. Characters travel as levels over time; the receiver samples every
//! bit in its middle at its own speed. With the divisor at 0 nothing is sent or received.
//!
//! Interrupts by urgency: line status, received data (from the trigger level on, or after four character times without a character or a
//! read), transmitter empty, modem status. The third one is taken back by reading IIR when it shows it, or by writing THR; it comes
//! when the FIFO runs empty, and when it is enabled while the FIFO is empty.
//!
//! Parity, framing and break errors show in LSR when their character is the next to be read, and stay until LSR is read.
//!
//! # Decisions
//! Registers are bytes: an access of any width reaches the one at its first byte, with the low byte of what is written. A modem line that
//! nothing drives is inactive. When a break ends within a character that is being shifted, the rest of it is high.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! National Semiconductor PC16550D; Freescale MPC8641DRM, chapter 13.

mod modem;
mod receiver;
mod registers;
#[cfg(test)]
mod tests;

use crate::line::{Format, Ninth, Transmitter, event};
use crate::{clock, hole, state};
use modem::Modem;
use receiver::Receiver;
use registers::*;
use serde::{Deserialize, Serialize};
use socscope_device::{
    BuildError, Context, Description, Device, LineFormat, Model, Parity, Properties, RestoreError,
    Waveform,
};
use socscope_memory::Width;
use socscope_time::Clock;

/// The serial port.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    interrupt_enable: u8,
    fifo_control: u8,
    line_control: u8,
    modem_control: u8,
    scratch: u8,
    divisor: u16,
    receiver: Receiver,
    transmitter: Transmitter,
    modem: Modem,
    /// The interrupt of the empty transmitter waits.
    empty_interrupt: bool,
    interrupt: bool,
}

struct Ns16550 {
    clock: Option<Clock>,
    register_shift: u32,
    state: State,
}

fn build(node: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    let register_shift = node.cell(SHIFT_PROPERTY)?.unwrap_or(0);
    if register_shift > 3 {
        return Err(BuildError {
            path: node.path().into(),
            property: SHIFT_PROPERTY.into(),
            reason: format!(
                "registers that are 2 to the {register_shift} bytes apart are not known"
            ),
            remedy: "give 0 to 3".into(),
        });
    }
    Ok(Box::new(Ns16550 {
        clock: clock::of_node(node)?,
        register_shift,
        state: State {
            interrupt_enable: 0,
            fifo_control: 0,
            line_control: 0,
            modem_control: 0,
            scratch: 0,
            divisor: 0,
            receiver: Receiver::new(),
            transmitter: Transmitter::default(),
            modem: Modem::default(),
            empty_interrupt: false,
            interrupt: false,
        },
    }))
}

impl Ns16550 {
    /// The format in force; `None` while the divisor is 0.
    fn format(&self, context: &Context) -> Option<Format> {
        let control = self.state.line_control;
        let has = |bit: u8| control & bit != 0;
        let data_bits = 5 + (control & lcr::LENGTH);
        let parity = match (has(lcr::PARITY), has(lcr::STICK), has(lcr::EVEN)) {
            (false, ..) => Parity::None,
            (true, false, false) => Parity::Odd,
            (true, false, true) => Parity::Even,
            (true, true, false) => Parity::Mark,
            (true, true, true) => Parity::Space,
        };
        let stop_half_bits = match (has(lcr::STOP), data_bits) {
            (false, _) => 2,
            (true, 5) => 3,
            (true, _) => 4,
        };
        let clock = clock::or_of_device(self.clock, context);
        let cycles_per_bit = 16 * u64::from(self.state.divisor);
        let ninth = Ninth::Parity(parity);
        (cycles_per_bit > 0)
            .then(|| Format::new(clock, cycles_per_bit, data_bits, ninth, stop_half_bits))
    }

    fn is_divisor_open(&self) -> bool {
        self.state.line_control & lcr::DLAB != 0
    }

    fn is_looped_back(&self) -> bool {
        self.state.modem_control & mcr::LOOPBACK != 0
    }

    /// IIR.
    fn identification(&self) -> u8 {
        let state = &self.state;
        let enabled = |interrupt: u8| state.interrupt_enable & interrupt != 0;
        let fifo = if state.fifo_control & fcr::ENABLE != 0 {
            iir::FIFO_ENABLED
        } else {
            0
        };
        let most_urgent = if enabled(ier::LINE_STATUS) && state.receiver.has_errors() {
            iir::LINE_STATUS
        } else if enabled(ier::RECEIVED) && state.receiver.reached_trigger() {
            iir::RECEIVED
        } else if enabled(ier::RECEIVED) && state.receiver.timed_out() {
            iir::TIMEOUT
        } else if enabled(ier::EMPTY) && state.empty_interrupt {
            iir::EMPTY
        } else if enabled(ier::MODEM_STATUS) && state.modem.has_changed() {
            iir::MODEM_STATUS
        } else {
            iir::NONE
        };
        fifo | most_urgent
    }

    fn line_status(&self) -> u8 {
        let transmitter = &self.state.transmitter;
        let holding = u8::from(transmitter.is_holding_empty()) * lsr::HOLDING_EMPTY;
        let empty = u8::from(transmitter.is_empty()) * lsr::TRANSMITTER_EMPTY;
        self.state.receiver.status() | holding | empty
    }

    fn dma_status(&self) -> u8 {
        let (receiver, transmitter) = (&self.state.receiver, &self.state.transmitter);
        let mode_1 = self.state.fifo_control & fcr::DMA_MODE != 0;
        let (received, room) = match mode_1 {
            false => (receiver.has_data(), transmitter.is_holding_empty()),
            true => (
                receiver.reached_trigger() || receiver.timed_out(),
                !transmitter.is_full(),
            ),
        };
        (u8::from(!received) * udsr::NOTHING_RECEIVED) | (u8::from(!room) * udsr::NO_ROOM)
    }

    fn value(&self, register: u32) -> Option<u8> {
        let state = &self.state;
        let [low, high] = state.divisor.to_le_bytes();
        Some(match register {
            RBR_THR_DLL if self.is_divisor_open() => low,
            RBR_THR_DLL => state.receiver.holding(),
            IER_DLM if self.is_divisor_open() => high,
            IER_DLM => state.interrupt_enable,
            IIR_FCR => self.identification(),
            LCR => state.line_control,
            MCR => state.modem_control,
            LSR => self.line_status(),
            MSR => state.modem.status(),
            SCR => state.scratch,
            UDSR => self.dma_status(),
            _ => return None,
        })
    }

    /// Lets the shift register do what it can, then drives the interrupt line.
    fn settle(&mut self, context: &mut Context) {
        let format = self.format(context);
        let before = self.state.transmitter.is_holding_empty();
        if let Some(waveform) = self.state.transmitter.advance(format, context) {
            self.put_on_line(waveform, context);
        }
        if !before && self.state.transmitter.is_holding_empty() {
            self.state.empty_interrupt = true;
        }
        let interrupt = self.identification() & iir::NONE == 0;
        if interrupt != self.state.interrupt {
            self.state.interrupt = interrupt;
            context.set_line(output::INTERRUPT, interrupt);
        }
    }

    fn put_on_line(&mut self, waveform: Waveform, context: &mut Context) {
        if self.is_looped_back() {
            let format = self.format(context);
            self.state.receiver.line.incoming(waveform, format, context);
        } else {
            context.send(0, waveform);
        }
    }

    fn format_changed(&mut self, context: &mut Context) {
        let format = self.format(context);
        self.state.receiver.line.format_changed(format, context);
    }

    fn set_divisor(&mut self, low: u8, high: u8, context: &mut Context) {
        self.state.divisor = u16::from_le_bytes([low, high]);
        self.format_changed(context);
    }

    fn set_interrupt_enable(&mut self, value: u8) {
        let value = value & ier::ALL;
        let begins = value & !self.state.interrupt_enable & ier::EMPTY != 0;
        if begins && self.state.transmitter.is_holding_empty() {
            self.state.empty_interrupt = true;
        }
        self.state.interrupt_enable = value;
    }

    fn set_fifo_control(&mut self, value: u8) {
        let state = &mut self.state;
        let enable = value & fcr::ENABLE != 0;
        let switched = (value ^ state.fifo_control) & fcr::ENABLE != 0;
        // The other bits count only together with the enable (PC16550D, "FIFO Control Register", bit 0).
        state.fifo_control = if enable {
            value & !(fcr::RESET_RECEIVER | fcr::RESET_TRANSMITTER)
        } else {
            0
        };
        state
            .receiver
            .set_fifo(enable, state.fifo_control >> fcr::TRIGGER_SHIFT);
        state.transmitter.set_fifo(enable);
        if switched || enable && value & fcr::RESET_RECEIVER != 0 {
            state.receiver.clear();
        }
        if switched || enable && value & fcr::RESET_TRANSMITTER != 0 {
            state.empty_interrupt |= !state.transmitter.is_holding_empty();
            state.transmitter.clear();
        }
    }

    fn set_line_control(&mut self, value: u8, context: &mut Context) {
        self.state.line_control = value;
        self.format_changed(context);
        let (on, format) = (value & lcr::BREAK != 0, self.format(context));
        if let Some(waveform) = self.state.transmitter.set_break(on, format, context) {
            self.put_on_line(waveform, context);
        }
    }

    fn set_modem_control(&mut self, value: u8, context: &mut Context) {
        let before = self.outputs();
        let was_looped_back = self.is_looped_back();
        self.state.modem_control = value & mcr::ALL;
        if self.is_looped_back() != was_looped_back {
            self.state.receiver.line.disconnect();
        }
        self.state.modem.look(self.state.modem_control);
        self.drive(before, context);
    }

    /// RTS and DTR at the pins, which loopback cuts off.
    fn outputs(&self) -> [(u32, bool); 2] {
        let control = self.state.modem_control;
        let at_pin = |bit: u8| control & bit != 0 && !self.is_looped_back();
        [
            (output::RTS, at_pin(mcr::RTS)),
            (output::DTR, at_pin(mcr::DTR)),
        ]
    }

    fn drive(&self, before: [(u32, bool); 2], context: &mut Context) {
        for ((line, level), (_, level_before)) in self.outputs().into_iter().zip(before) {
            if level != level_before {
                context.set_line(line, level);
            }
        }
    }

    fn put(&mut self, character: u8, context: &mut Context) {
        self.state.empty_interrupt = false;
        self.state.transmitter.put("THR", character, context);
    }
}

impl Device for Ns16550 {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        let before = self.outputs();
        self.state.receiver.reset(context);
        if let Some(waveform) = self.state.transmitter.reset(context) {
            self.put_on_line(waveform, context);
        }
        self.state.interrupt_enable = 0;
        self.state.fifo_control = 0;
        self.state.line_control = 0;
        self.state.modem_control = 0;
        self.state.scratch = 0;
        self.state.divisor = 0;
        self.state.empty_interrupt = false;
        self.state.modem.reset();
        self.drive(before, context);
        self.settle(context);
    }

    fn read(&mut self, offset: u32, _width: Width, context: &mut Context) -> u32 {
        let register = offset >> self.register_shift;
        let Some(value) = self.value(register) else {
            hole::warn_of_read(context, offset);
            return 0;
        };
        match register {
            RBR_THR_DLL if !self.is_divisor_open() => {
                let format = self.format(context);
                self.state.receiver.take(format, context);
            }
            IIR_FCR if value & !iir::FIFO_ENABLED == iir::EMPTY => {
                self.state.empty_interrupt = false;
            }
            LSR => self.state.receiver.status_read(),
            MSR => self.state.modem.status_read(),
            _ => return u32::from(value),
        }
        self.settle(context);
        u32::from(value)
    }

    fn write(&mut self, offset: u32, _width: Width, value: u32, context: &mut Context) {
        let byte = value as u8;
        let [low, high] = self.state.divisor.to_le_bytes();
        match offset >> self.register_shift {
            RBR_THR_DLL if self.is_divisor_open() => self.set_divisor(byte, high, context),
            RBR_THR_DLL => self.put(byte, context),
            IER_DLM if self.is_divisor_open() => self.set_divisor(low, byte, context),
            IER_DLM => self.set_interrupt_enable(byte),
            IIR_FCR => self.set_fifo_control(byte),
            LCR => self.set_line_control(byte, context),
            MCR => self.set_modem_control(byte, context),
            SCR => self.state.scratch = byte,
            _ => hole::warn_of_write(context, offset, value),
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        let value = self.value(offset >> self.register_shift);
        Some(u32::from(value.unwrap_or(0)))
    }

    fn sends(&self) -> bool {
        self.state.transmitter.sends()
    }

    fn event(&mut self, payload: u64, context: &mut Context) {
        let format = self.format(context);
        match payload {
            event::SHIFTED => self.state.transmitter.shifted(),
            event::STOP_BIT => self.state.receiver.stop_bit(format, context),
            event::TIMEOUT => self.state.receiver.timeout.check(context),
            event::BREAK => {
                if let Some(waveform) = self.state.transmitter.go_on_with_break(format, context) {
                    self.put_on_line(waveform, context);
                }
            }
            _ => {
                self.state.receiver.line.end_of_break(format, context);
            }
        }
        self.settle(context);
    }

    fn input(&mut self, line: u32, level: bool, context: &mut Context) {
        self.state.modem.set_pin(line, level);
        self.state.modem.look(self.state.modem_control);
        self.settle(context);
    }

    fn receive(&mut self, _port: u32, waveform: Waveform, context: &mut Context) {
        if !self.is_looped_back() {
            let format = self.format(context);
            self.state.receiver.line.incoming(waveform, format, context);
            self.settle(context);
        }
    }

    fn line_format(&self, _port: u32, context: &Context) -> Option<LineFormat> {
        self.format(context).map(|format| format.line())
    }

    fn listens(&self, _port: u32) -> bool {
        self.state.divisor != 0 && !self.is_looped_back()
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.state = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
