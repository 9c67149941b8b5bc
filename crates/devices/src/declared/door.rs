//! What a behaviour is told, and what it can do then.

use super::declaration::Declaration;
use super::state::{Pending, State};
use super::value::Value;
use socscope_device::{Context, TraceEvent};
use socscope_memory::{Direction, Endianness, Fault, Width};
use socscope_time::Instant;

/// Why a behaviour is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Power-on or reset; registers and variables are reset already.
    Reset,
    /// The core reads a register; the answer is what it reads, the register's value when there is none.
    Read {
        /// Number of the register.
        register: usize,
        /// Place in an array.
        index: u32,
    },
    /// The core has written a register; its bits have changed by their rules already.
    Write {
        /// Number of the register.
        register: usize,
        /// Place in an array.
        index: u32,
        /// What was written.
        value: u32,
    },
    /// An event is due.
    Event {
        /// Its number.
        event: usize,
        /// What was given with it.
        argument: i64,
    },
    /// An input line has changed.
    Input {
        /// Its number.
        line: u32,
        /// Its level.
        level: bool,
    },
    /// An attribute was changed from outside.
    Changed {
        /// Its number among the variables.
        variable: usize,
    },
}

/// The effects of a device.
pub trait Behaviour: Send {
    /// Acts. The error is what stops the run: a text for people.
    fn call(&self, call: Call, door: &mut dyn Door) -> Result<Option<u32>, String>;
    /// The same behaviour for a machine that is forked.
    fn another(&self) -> Box<dyn Behaviour>;
}

/// A behaviour's way to its device's state and to the machine, for one call.
pub trait Door {
    /// What was declared.
    fn declaration(&self) -> &Declaration;
    /// The time of the call in picoseconds.
    fn now_ps(&self) -> u64;
    /// The device's clock cycle that runs now.
    fn cycle(&self) -> u64;
    /// Frequency of the device's clock.
    fn clock_hz(&self) -> u64;
    /// The byte order in which the device finds words in memory.
    fn endianness(&self) -> Endianness;
    /// Value of a register; `None` behind the end of an array.
    fn register(&self, register: usize, index: u32) -> Option<u32>;
    /// Sets a register; false behind the end of an array.
    fn set_register(&mut self, register: usize, index: u32, value: u32) -> bool;
    /// Value of a variable.
    fn variable(&self, variable: usize) -> &Value;
    /// Sets a variable; the error is the rule that the value breaks.
    fn set_variable(&mut self, variable: usize, value: Value) -> Result<(), String>;
    /// Level of an output line.
    fn line(&self, output: u32) -> bool;
    /// Sets an output line.
    fn set_line(&mut self, output: u32, level: bool);
    /// Calls for an event at the beginning of a cycle of the device's clock; gives its number for `cancel`.
    fn schedule_cycle(&mut self, cycle: u64, event: usize, argument: i64) -> u64;
    /// The same at a time.
    fn schedule_ps(&mut self, time_ps: u64, event: usize, argument: i64) -> u64;
    /// Takes an event back; false when it has run, or was taken back before.
    fn cancel(&mut self, number: u64) -> bool;
    /// Reads memory as a bus master, word by word where the address allows it.
    fn read_memory(&mut self, address: u32, size: u32) -> Result<Vec<u8>, Fault>;
    /// Writes memory as a bus master; what was written before a fault stays written.
    fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Result<(), Fault>;
    /// Notes that the guest did something that the device ignores or leaves undefined.
    fn warn(&mut self, text: &str);
}

pub(super) struct Opened<'a, 'c> {
    pub declaration: &'a Declaration,
    pub state: &'a mut State,
    pub context: &'a mut Context<'c>,
}

impl Opened<'_, '_> {
    fn note(&mut self, id: socscope_time::EventId, number: u64, event: usize, argument: i64) {
        let event = event as u16;
        let pending = Pending {
            id,
            event,
            argument,
        };
        self.state.pending.insert(number, pending);
        self.state.next_event += 1;
    }

    /// Calls `access` for each word, half word or byte of a range, with its place in the range.
    fn transfer(
        &mut self,
        direction: Direction,
        address: u32,
        size: u32,
        mut access: impl FnMut(&mut Context, u32, Width, usize) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (mut done, mut accesses) = (0, 0);
        let mut outcome = Ok(());
        while done < size && outcome.is_ok() {
            let at = address.wrapping_add(done);
            let fits = |width: &&Width| at % width.bytes() == 0 && width.bytes() <= size - done;
            let width = *Width::ALL.iter().rev().find(fits).unwrap_or(&Width::Byte);
            if accesses == 0 {
                let length = size.div_ceil(width.bytes());
                self.context
                    .trace(TraceEvent::DmaStarted { direction, length });
            }
            outcome = access(self.context, at, width, done as usize);
            done += width.bytes();
            accesses += u32::from(outcome.is_ok());
        }
        if size > 0 {
            let length = accesses;
            self.context
                .trace(TraceEvent::DmaEnded { direction, length });
        }
        outcome
    }
}

impl Door for Opened<'_, '_> {
    fn declaration(&self) -> &Declaration {
        self.declaration
    }

    fn now_ps(&self) -> u64 {
        self.context.now.0
    }

    fn cycle(&self) -> u64 {
        self.context.cycle()
    }

    fn clock_hz(&self) -> u64 {
        self.context.clock.hz()
    }

    fn endianness(&self) -> Endianness {
        self.context.memory_order
    }

    fn register(&self, register: usize, index: u32) -> Option<u32> {
        let place = self.declaration.place(register, index)?;
        Some(self.state.registers[place])
    }

    fn set_register(&mut self, register: usize, index: u32, value: u32) -> bool {
        let place = self.declaration.place(register, index);
        if let Some(place) = place {
            self.state.registers[place] = value;
        }
        place.is_some()
    }

    fn variable(&self, variable: usize) -> &Value {
        &self.state.variables[variable]
    }

    fn set_variable(&mut self, variable: usize, value: Value) -> Result<(), String> {
        self.declaration.variables[variable].check(&value)?;
        self.state.variables[variable] = value;
        Ok(())
    }

    fn line(&self, output: u32) -> bool {
        self.state.lines[output as usize]
    }

    fn set_line(&mut self, output: u32, level: bool) {
        self.state.lines[output as usize] = level;
        self.context.set_line(output, level);
    }

    fn schedule_cycle(&mut self, cycle: u64, event: usize, argument: i64) -> u64 {
        let number = self.state.next_event;
        let id = self.context.schedule_cycle(cycle, number);
        self.note(id, number, event, argument);
        number
    }

    fn schedule_ps(&mut self, time_ps: u64, event: usize, argument: i64) -> u64 {
        let number = self.state.next_event;
        let id = self.context.schedule(Instant(time_ps), number);
        self.note(id, number, event, argument);
        number
    }

    fn cancel(&mut self, number: u64) -> bool {
        let pending = self.state.pending.remove(&number);
        if let Some(pending) = &pending {
            self.context.cancel(pending.id);
        }
        pending.is_some()
    }

    fn read_memory(&mut self, address: u32, size: u32) -> Result<Vec<u8>, Fault> {
        // Nothing is allocated ahead: a guest's length must not be able to exhaust the host.
        let mut bytes = vec![];
        self.transfer(Direction::Read, address, size, |context, at, width, _| {
            let value = context.dma_read(at, width)?;
            let count = width.bytes() as usize;
            match context.memory_order {
                Endianness::Little => bytes.extend(&value.to_le_bytes()[..count]),
                Endianness::Big => bytes.extend(&value.to_be_bytes()[4 - count..]),
            }
            Ok(())
        })?;
        Ok(bytes)
    }

    fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Result<(), Fault> {
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.transfer(
            Direction::Write,
            address,
            size,
            |context, at, width, done| {
                let unit = &bytes[done..done + width.bytes() as usize];
                let shifted = |value: u32, &byte: &u8| value << 8 | u32::from(byte);
                let value = match context.memory_order {
                    Endianness::Little => unit.iter().rev().fold(0, shifted),
                    Endianness::Big => unit.iter().fold(0, shifted),
                };
                context.dma_write(at, width, value)
            },
        )
    }

    fn warn(&mut self, text: &str) {
        self.context.warn(text);
    }
}
