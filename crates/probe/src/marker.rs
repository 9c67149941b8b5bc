//! Marks that nobody wrote into the guest: at addresses of its code, and at what devices do.
//!
//! A mark at an address fires before the instruction there is executed; an instruction that faults, and is executed again, is marked each
//! time, one that an interrupt comes before is marked when it is executed. It does not fire for other copies of the code, such as functions
//! that the compiler has put into others. A mark at a register fires with each access of a core, not with those of DMA or of a debugger.
//! Instructions at marked addresses are interpreted, others run as they would without it; `benches/probes.py` does not measure it.

use crate::window::CoreSet;
use socscope_core::{Observer, Translation};
use socscope_device::{Description, TraceEvent};
use socscope_machine::{AnyCore, Chronicle, MARKS_KEPT, MachineObserver};
use socscope_memory::{Direction, RegionIndex, Width};
use socscope_time::Instant;
use std::collections::BTreeSet;

/// Where a mark is set.
#[derive(Clone, Copy, Debug)]
pub enum Trigger {
    /// Before the instruction at this address, on one of these cores.
    Address(u32, CoreSet),
    /// At accesses of a device's register.
    Register {
        /// Index of the device.
        device: u16,
        /// What the device is.
        description: &'static Description,
        /// Number of the register in it.
        register: usize,
        /// One of an array; `None` is all of it.
        index: Option<u32>,
        /// Reads or writes; `None` is both.
        direction: Option<Direction>,
    },
    /// When a source becomes pending at an interrupt controller.
    Interrupt {
        /// Index of the controller.
        device: u16,
        /// Number of the source; `None` is any.
        source: Option<u32>,
    },
}

impl Trigger {
    /// Whether what a device did is it; with the argument of the mark.
    fn argument(&self, from: u16, event: TraceEvent) -> Option<u32> {
        match (*self, event) {
            (
                Trigger::Register {
                    device,
                    description,
                    register,
                    index,
                    direction,
                },
                TraceEvent::Register {
                    offset,
                    direction: way,
                    value,
                },
            ) if device == from && direction.is_none_or(|wanted| wanted == way) => {
                let (found, place) = description.register_of(offset)?;
                let same = std::ptr::eq(found, &raw const description.registers[register]);
                (same && index.is_none_or(|wanted| wanted == place)).then_some(value)
            }
            (
                Trigger::Interrupt { device, source },
                TraceEvent::InterruptRaised { source: raised },
            ) if device == from && source.is_none_or(|wanted| wanted == raised) => Some(raised),
            _ => None,
        }
    }
}

/// A place with what its marks are called.
#[derive(Clone, Debug)]
pub struct Point {
    /// The marks' number.
    pub number: u32,
    /// The marks' name.
    pub name: String,
    /// Where they are set.
    pub trigger: Trigger,
}

/// A mark that was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Place of its point among all.
    pub point: usize,
    /// At an address the first argument register, at a register what was read or written, at an interrupt its source.
    pub argument: u32,
    /// The core that executed or accessed; `None` for interrupts.
    pub core: Option<u16>,
    /// The core's cycle.
    pub cycle: u64,
}

/// The next instruction of a core, at a marked address.
#[derive(Clone, Copy, Debug)]
struct Next {
    core: u16,
    address: u32,
    argument: u32,
    cycle: u64,
}

/// The probe.
#[derive(Clone, Debug, Default)]
pub struct Marker {
    points: Vec<Point>,
    addresses: BTreeSet<u32>,
    marked: Chronicle<Marked, MARKS_KEPT>,
    /// The core whose turn it is.
    core: u16,
    next: Option<Next>,
}

impl Marker {
    /// Marks this too, from now on.
    pub fn add(&mut self, point: Point) {
        if let Trigger::Address(address, _) = point.trigger {
            self.addresses.insert(address);
        }
        self.points.push(point);
    }

    /// What is marked.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The marks, in the order in which they were set; of very many the first and the last.
    pub fn marked(&self) -> &Chronicle<Marked, MARKS_KEPT> {
        &self.marked
    }

    fn mark(&mut self, argument: impl Fn(&Trigger) -> Option<u32>, core: Option<u16>, cycle: u64) {
        for (point, one) in self.points.iter().enumerate() {
            if let Some(argument) = argument(&one.trigger) {
                self.marked.push(Marked {
                    point,
                    argument,
                    core,
                    cycle,
                });
            }
        }
    }
}

impl Observer for Marker {
    fn instruction(&mut self, pc: u32, _width: Width, _region: RegionIndex) {
        let Some(next) = self.next.take() else {
            return;
        };
        if (next.core, next.address) == (self.core, pc) {
            let here = |trigger: &Trigger| match *trigger {
                Trigger::Address(address, cores) if address == pc => {
                    cores.has(usize::from(next.core)).then_some(next.argument)
                }
                _ => None,
            };
            self.mark(here, Some(next.core), next.cycle);
        }
    }

    fn translation(&mut self) -> Translation<'_> {
        Translation::Nothing
    }
}

impl MachineObserver for Marker {
    fn wants_traces(&self) -> bool {
        let by_device = |point: &Point| !matches!(point.trigger, Trigger::Address(..));
        self.points.iter().any(by_device)
    }

    fn wants_registers(&self) -> bool {
        let by_register = |point: &Point| matches!(point.trigger, Trigger::Register { .. });
        self.points.iter().any(by_register)
    }

    fn addresses(&self) -> Option<&BTreeSet<u32>> {
        Some(&self.addresses).filter(|addresses| !addresses.is_empty())
    }

    fn reaches(&mut self, core: u16, cycle: u64, processor: &AnyCore) {
        self.next = Some(Next {
            core,
            address: processor.program_counter(),
            argument: processor.first_argument(),
            cycle,
        });
    }

    fn turn(&mut self, core: u16) {
        self.core = core;
    }

    fn trace(&mut self, device: u16, _time: Instant, cycle: u64, event: TraceEvent) {
        let core = match event {
            TraceEvent::Register { .. } => Some(self.core),
            _ => None,
        };
        self.mark(|trigger| trigger.argument(device, event), core, cycle);
    }
}
