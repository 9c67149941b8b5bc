//! Serial ports: characters between devices and what is at the other end of their lines.

use crate::machine::Machine;
use crate::platform::error::PlatformError;
use crate::system::bus::{FIRST_PORT_EVENT, SystemBus};
use socscope_device::{DeviceEvent, Waveform};
use socscope_time::Instant;

impl SystemBus {
    /// A device starts a character.
    pub(crate) fn send(&mut self, device: u16, index: u32, now: Instant, waveform: Waveform) {
        let format = self.look(device, now, |model, context| {
            model.line_format(index, context)
        });
        if let Some(port) = self
            .ports
            .iter_mut()
            .find(|port| port.device == device && port.index == index)
        {
            port.take_from_guest(waveform, format);
        }
    }

    /// Starts the delivery of waiting input, when the guest listens.
    pub fn offer_input(&mut self, port: u16, now: Instant) {
        let listening = {
            let port = &self.ports[port as usize];
            !port.sending
                && !port.input.is_empty()
                && self.slots[port.device as usize].model.listens(port.index)
        };
        if listening {
            let at = now.max(self.ports[port as usize].busy_until);
            self.ports[port as usize].sending = true;
            self.events.schedule(
                at,
                1,
                DeviceEvent {
                    device: FIRST_PORT_EVENT + port,
                    payload: 0,
                },
            );
            self.refresh_deadline();
        }
    }

    /// A character arrives at a port from another machine.
    pub fn deliver(&mut self, number: u16, now: Instant, waveform: Waveform) {
        let (device, index) = (
            self.ports[number as usize].device,
            self.ports[number as usize].index,
        );
        let format = self.look(device, now, |model, context| {
            model.line_format(index, context)
        });
        self.ports[number as usize].note_arrival(waveform, format);
        self.call(device, now, |model, context| {
            model.receive(index, waveform, context)
        });
    }

    /// The next character of a port's input starts, if the guest still listens.
    pub(crate) fn send_to_guest(&mut self, number: u16, now: Instant) {
        let (device, index) = (
            self.ports[number as usize].device,
            self.ports[number as usize].index,
        );
        self.ports[number as usize].sending = false;
        let format = self.look(device, now, |model, context| {
            model.line_format(index, context)
        });
        if !self.slots[device as usize].model.listens(index) {
            return;
        }
        let Some(format) = format else { return };
        if let Some(waveform) = self.ports[number as usize].next_for_guest(now, format) {
            self.call(device, now, |model, context| {
                model.receive(index, waveform, context)
            });
            let at = self.ports[number as usize].busy_until;
            self.offer_input(number, at);
        }
    }

    /// What a device was told may have switched a receiver on.
    pub(crate) fn offer_input_of(&mut self, device: u16, now: Instant) {
        for port in 0..self.ports.len() as u16 {
            if self.ports[port as usize].device == device {
                self.offer_input(port, now);
            }
        }
    }
}

impl Machine {
    /// Names of the serial ports, the console first.
    pub fn ports(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .bus
            .ports
            .iter()
            .map(|port| port.name.as_str())
            .collect();
        names.sort_by_key(|name| Some(*name) != self.console.as_deref());
        names
    }

    pub(crate) fn port(&self, name: &str) -> Result<u16, PlatformError> {
        let found = self.bus.ports.iter().position(|port| port.name == name);
        found
            .map(|index| index as u16)
            .ok_or_else(|| PlatformError::UnknownName {
                platform: self.platform.clone(),
                kind: "port",
                name: name.into(),
                known: self.ports().join(", "),
            })
    }

    /// Takes the bytes that a port has sent completely by now.
    pub fn take_serial_output(&mut self, port: &str) -> Result<Vec<u8>, PlatformError> {
        let index = self.port(port)?;
        let now = self.now();
        let output = &mut self.bus.ports[index as usize].output;
        let complete = output.iter().take_while(|(time, _)| *time <= now).count();
        Ok(output.drain(..complete).map(|(_, byte)| byte).collect())
    }

    /// Every character of a port, in the order of time: its end, whether the guest sent it, and its value. Of very many the first and the last.
    pub fn serial_log(&self, port: &str) -> Result<Vec<(Instant, bool, u8)>, PlatformError> {
        let index = self.port(port)?;
        let log = &self.bus.ports[index as usize].log;
        let mut log: Vec<_> = log.iter().copied().collect();
        log.sort_by_key(|&(time, sent, _)| (time, sent));
        Ok(log)
    }

    /// The bytes that a port has sent completely by now, from entry `cursor` of its log on; moves the cursor behind them. Whoever asks now and
    /// then misses none, however many are kept.
    pub fn sent_since(&self, port: &str, cursor: &mut usize) -> Result<Vec<u8>, PlatformError> {
        self.sent_by(port, cursor, self.now())
    }

    /// The same with those that are still on the line.
    pub fn begun_since(&self, port: &str, cursor: &mut usize) -> Result<Vec<u8>, PlatformError> {
        self.sent_by(port, cursor, Instant::FOREVER)
    }

    fn sent_by(
        &self,
        port: &str,
        cursor: &mut usize,
        end: Instant,
    ) -> Result<Vec<u8>, PlatformError> {
        let index = self.port(port)?;
        let log = &self.bus.ports[index as usize].log;
        let complete = log
            .iter_from(*cursor)
            .take_while(|(_, (time, sent, _))| !sent || *time <= end);
        let mut bytes = vec![];
        for (number, &(_, sent, byte)) in complete {
            *cursor = number + 1;
            bytes.extend(sent.then_some(byte));
        }
        Ok(bytes)
    }

    /// How many characters of a port are not kept, and how many there were.
    pub fn characters_left_out(&self, port: &str) -> Result<(usize, usize), PlatformError> {
        let index = self.port(port)?;
        let log = &self.bus.ports[index as usize].log;
        Ok((log.left_out(), log.len()))
    }

    /// Bits that were flipped on a port's wire.
    pub fn bits_flipped(&self, port: &str) -> Result<u64, PlatformError> {
        let index = self.port(port)?;
        Ok(self.bus.ports[index as usize]
            .errors
            .map_or(0, |errors| errors.flipped))
    }
}
