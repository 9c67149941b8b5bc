//! The serial port with its two channels of the peripheral data controller.
//!
//! # Summary
//! Asynchronous and synchronous characters of 5 to 9 bits, breaks, receiver time-out, transmitter time-guard, multi-drop,
//! echo and loopback modes, and byte-wise DMA in both directions.
//!
//! # Behaviour
//! The baud rate generator divides MCK, MCK/8 or SCK by US_BRGR and, in asynchronous mode, by 16. Characters travel as levels
//! over time; the receiver finds a start bit, samples every bit in its middle at its own speed and sets RXRDY at the middle
//! of the first stop bit. OVRE, FRAME, PARE and RXBRK stay until RSTSTA. FRAME is a low stop bit of a character that is not
//! all low; all low is a break, which is received as a character 0 and sets RXBRK, as does its end.
//!
//! A DMA channel moves a byte at the same instant as RXRDY or TXRDY rises, so that the flag is not seen; ENDRX and ENDTX are
//! one while the counter is 0. With nine data bits the channels stand still.
//!
//! The time-out starts with the first character after STTTO (or a write to US_RTOR), counts 4 x US_RTOR bit periods, starts
//! over with each character and, once TIMEOUT is set, waits for STTTO.
//!
//! # Decisions
//! Where the data sheet is silent: a character written to US_THR while TXRDY is zero is lost; RXDIS and RSTRX drop the
//! character that is being received, TXDIS lets out what was written; the receiver looks for the level of a start bit, so that
//! the rest of a low stop bit can be taken for one; a time-out can expire within a character that is longer than it; DMA does
//! not feed a break; a byte that DMA cannot bring to memory is lost, one that it cannot fetch is zero, both with a warning.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! Atmel doc1354, USART.

mod format;
mod receiver;
mod registers;
#[cfg(test)]
mod tests;
mod transmitter;

use super::pdc;
use crate::apb;
use crate::line::{Format, Ninth};
use crate::state;
use format::{Channel, format_of, is_reserved};
use receiver::Receiver;
use registers::*;
use serde::{Deserialize, Serialize};
use socscope_device::{
    BuildError, Context, Description, Device, LineFormat, Model, Properties, RestoreError, Waveform,
};
use socscope_memory::{Direction, Width};
use socscope_time::Clock;
use transmitter::Transmitter;

/// The serial port.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

/// Payloads of events.
mod event {
    pub use crate::line::event::{STOP_BIT, TIMEOUT};
    pub const SHIFTED: u64 = 0;
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Usart {
    /// The clock at the pin SCK.
    sck: Option<Clock>,
    mode: u32,
    interrupts: u32,
    divisor: u32,
    timeout_units: u32,
    time_guard: u32,
    receiver: Receiver,
    transmitter: Transmitter,
    receive_dma: pdc::Channel,
    transmit_dma: pdc::Channel,
    interrupt: bool,
}

fn build(node: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    let sck = match node.cell(SCK_PROPERTY)? {
        None => None,
        Some(hz) => Some(Clock::new(u64::from(hz)).ok_or_else(|| BuildError {
            path: node.path().into(),
            property: SCK_PROPERTY.into(),
            reason: "a clock of 0 Hz does not tick".into(),
            remedy:
                "give its frequency, or leave the property out when nothing drives the pin".into(),
        })?),
    };
    Ok(Box::new(Usart {
        sck,
        mode: 0,
        interrupts: 0,
        divisor: 0,
        timeout_units: 0,
        time_guard: 0,
        receiver: Receiver::new(),
        transmitter: Transmitter::new(),
        receive_dma: pdc::Channel::new(Direction::Write),
        transmit_dma: pdc::Channel::new(Direction::Read),
        interrupt: false,
    }))
}

impl Usart {
    fn format(&self, context: &Context) -> Option<Format> {
        format_of(self.mode, self.divisor, context.clock, self.sck)
    }

    fn channel(&self) -> Channel {
        Channel::of(self.mode)
    }

    fn status(&self) -> u32 {
        let bit = |on: bool, bit: u32| if on { bit } else { 0 };
        self.receiver.status()
            | bit(self.transmitter.is_ready(), status::TXRDY)
            | bit(self.transmitter.is_empty(), status::TXEMPTY)
            | bit(!self.receive_dma.is_active(), status::ENDRX)
            | bit(!self.transmit_dma.is_active(), status::ENDTX)
    }

    /// Lets DMA and the shift register do what they can, then drives the interrupt line.
    fn settle(&mut self, context: &mut Context) {
        let has_dma = self.mode & mode::MODE9 == 0;
        let format = self.format(context);
        loop {
            if let Some(waveform) = self.transmitter.advance(format, self.time_guard, context) {
                self.put_on_line(waveform, context);
            }
            if !(has_dma && self.transmit_dma.is_active() && self.transmitter.accepts()) {
                break;
            }
            self.transmitter
                .put(u16::from(self.transmit_dma.take(context)));
        }
        if has_dma && self.receive_dma.is_active() && self.receiver.is_ready() {
            self.receive_dma.put(self.receiver.take() as u8, context);
        }
        let interrupt = self.status() & self.interrupts != 0;
        if interrupt != self.interrupt {
            self.interrupt = interrupt;
            context.set_line(0, interrupt);
        }
    }

    fn put_on_line(&mut self, waveform: Waveform, context: &mut Context) {
        match self.channel() {
            Channel::Normal => context.send(0, waveform),
            Channel::LocalLoopback => {
                let format = self.format(context);
                self.receiver.incoming(waveform, format, context);
            }
            Channel::AutomaticEcho | Channel::RemoteLoopback => {}
        }
    }

    fn command(&mut self, commands: u32, context: &mut Context) {
        use command::*;
        let given = |command| commands & command != 0;
        let format = self.format(context);
        if given(RSTRX) {
            self.receiver.reset(format, context);
        }
        if given(RSTTX)
            && let Some(waveform) = self.transmitter.reset(context)
        {
            self.put_on_line(waveform, context);
        }
        if given(RXDIS) {
            self.receiver.disable(context);
        } else if given(RXEN) {
            self.receiver.enable(format, context);
        }
        if given(TXDIS) {
            self.transmitter.set_enabled(false);
        } else if given(TXEN) {
            self.transmitter.set_enabled(true);
        }
        if given(RSTSTA) {
            self.receiver.reset_status();
        }
        if given(STTTO) {
            self.receiver.timeout.start();
        }
        if given(SENDA) && format.is_some_and(|format| format.ninth == Ninth::Address) {
            self.transmitter.send_address();
        }
        if given(STTBRK) && given(STPBRK) {
            context.warn("STTBRK and STPBRK given together: both ignored");
        } else if given(STTBRK) {
            self.transmitter.start_break();
        } else if given(STPBRK) {
            self.transmitter.stop_break(context);
        }
    }

    fn set_mode(&mut self, value: u32, context: &mut Context) {
        let channel = self.channel();
        self.mode = value & mode::ALL;
        if is_reserved(self.mode) {
            context.warn(format!(
                "US_MR = {value:#x}: reserved number of stop bits, taken as two"
            ));
        }
        if self.channel() != channel {
            self.receiver.disconnect();
        }
        self.receiver.format_changed(self.format(context), context);
    }

    fn send(&mut self, character: u32, context: &mut Context) {
        if self.transmitter.accepts() {
            self.transmitter.put(character as u16 & 0x1ff);
        } else {
            context.warn(format!(
                "US_THR = {character:#x} lost: the transmitter is not ready"
            ));
        }
    }

    fn value(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            CR | IER | IDR | THR => 0,
            MR => self.mode,
            IMR => self.interrupts,
            CSR => self.status(),
            RHR => u32::from(self.receiver.holding()),
            BRGR => self.divisor,
            RTOR => self.timeout_units,
            TTGR => self.time_guard,
            RPR => self.receive_dma.pointer(),
            RCR => self.receive_dma.counter(),
            TPR => self.transmit_dma.pointer(),
            TCR => self.transmit_dma.counter(),
            _ => return None,
        })
    }
}

impl Device for Usart {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.receiver.power_on(context);
        if let Some(waveform) = self.transmitter.reset(context) {
            self.put_on_line(waveform, context);
        }
        self.transmitter.set_enabled(false);
        self.receive_dma.reset(context);
        self.transmit_dma.reset(context);
        self.mode = 0;
        self.interrupts = 0;
        self.divisor = 0;
        self.timeout_units = 0;
        self.time_guard = 0;
        self.settle(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        let register = apb::register_offset(offset);
        let Some(value) = self.value(register) else {
            apb::warn_of_read(context, register);
            return 0;
        };
        if register == RHR {
            self.receiver.take();
            self.settle(context);
        }
        apb::lane(value, offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let register = apb::register_offset(offset);
        let value = apb::repeated(value, width);
        match register {
            CR => self.command(value, context),
            MR => self.set_mode(value, context),
            IER => self.interrupts |= value & status::ALL,
            IDR => self.interrupts &= !value,
            THR => self.send(value, context),
            BRGR => {
                self.divisor = value & 0xffff;
                self.receiver.format_changed(self.format(context), context);
            }
            RTOR => {
                self.timeout_units = value & 0xff;
                self.receiver.timeout.start();
            }
            TTGR => self.time_guard = value & 0xff,
            RPR => self.receive_dma.set_pointer(value),
            RCR => self.receive_dma.set_counter(value, context),
            TPR => self.transmit_dma.set_pointer(value),
            TCR => self.transmit_dma.set_counter(value, context),
            _ => apb::warn_of_write(context, register, value),
        }
        self.settle(context);
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        self.value(apb::register_offset(offset))
    }

    fn sends(&self) -> bool {
        self.transmitter.sends()
    }

    fn event(&mut self, payload: u64, context: &mut Context) {
        let format = self.format(context);
        match payload {
            event::SHIFTED => self.transmitter.shifted(),
            event::STOP_BIT => self.receiver.stop_bit(self.timeout_units, format, context),
            event::TIMEOUT => self.receiver.timeout.check(context),
            _ => self.receiver.end_of_break(format, context),
        }
        self.settle(context);
    }

    fn receive(&mut self, _port: u32, waveform: Waveform, context: &mut Context) {
        let channel = self.channel();
        if matches!(channel, Channel::AutomaticEcho | Channel::RemoteLoopback) {
            context.send(0, waveform);
        }
        if matches!(channel, Channel::Normal | Channel::AutomaticEcho) {
            let format = self.format(context);
            self.receiver.incoming(waveform, format, context);
            self.settle(context);
        }
    }

    fn line_format(&self, _port: u32, context: &Context) -> Option<LineFormat> {
        self.format(context).map(|format| format.line())
    }

    fn listens(&self, _port: u32) -> bool {
        match self.channel() {
            Channel::Normal | Channel::AutomaticEcho => self.receiver.is_enabled(),
            Channel::LocalLoopback => false,
            Channel::RemoteLoopback => true,
        }
    }

    fn save(&self) -> Vec<u8> {
        state::save(self)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        *self = state::restore(DESCRIPTION.title, bytes)?;
        Ok(())
    }
}
