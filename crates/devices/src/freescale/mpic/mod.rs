//! The programmable interrupt controller (MPIC), an OpenPIC of two cores.
//!
//! # Summary
//! 12 external and 48 internal sources, messages, shared message-signalled interrupts, two groups of timers and four
//! interrupts between processors; each with a vector, a priority and a destination.
//!
//! # Behaviour
//! A source that is pending, not masked and of a priority above 0 asks the core that its destination register names. The core's
//! `int` is asserted while the most urgent request exceeds both its task priority (CTPR) and what it has in service. Reading
//! IACK begins the service of that request and gives its vector, or that of SVR when there is none; EOI ends the most
//! urgent service of the core. Services nest by priority. Sources of equal priority go by their number.
//!
//! External sources are level or edge triggered, of either polarity; the others follow their line. Edges, timers and interrupts
//! between processors are latched, masked or not, until they are taken. Timers and interrupts between processors go to all cores
//! that are named, and each core takes its own. The private registers at offset 0 are those of the core that makes the access.
//!
//! After reset the controller is in pass-through mode: IRQ0 is the `int` of core 0, and nothing else gets through.
//!
//! # Decisions
//! Where the manual forbids or is silent: a source with several cores as destination goes to the lower one; an input that
//! nothing drives is inactive in either polarity; a base count of 0 does not count; a cascaded timer counts one down each time the one
//! before it reaches zero, and each of them asks for its own interrupt.
//!
//! # Limits
//! See the description.
//!
//! # Source
//! Freescale MPC8641DRM, chapter 9.

mod messages;
mod place;
mod registers;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod timers;

use super::ccsr;
use crate::state;
use crate::{clock, hole};
use messages::Messages;
use place::{Place, place_of};
use registers::*;
use serde::{Deserialize, Serialize};
use socscope_device::{
    BuildError, Context, Description, Device, Model, Properties, RestoreError, TraceEvent,
};
use socscope_memory::Width;
use sources::{COUNT, INTERPROCESSOR, Kind, MESSAGE, SHARED, Source, TIMER};
use table::DESCRIPTION;
use timers::{Group, TIMERS_OF_GROUP};

/// The interrupt controller.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

/// What a core has to do with the controller.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PerCore {
    task_priority: u32,
    /// Sources in service with the priorities that they had, the most urgent one last.
    in_service: Vec<(u16, u8)>,
}

impl PerCore {
    fn new() -> PerCore {
        PerCore {
            task_priority: TASK_PRIORITY,
            in_service: vec![],
        }
    }

    /// The priority that a request must exceed.
    fn threshold(&self) -> u8 {
        let served = self.in_service.last().map_or(0, |&(_, priority)| priority);
        served.max(self.task_priority as u8)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Mpic {
    sources: Vec<Source>,
    cores: [PerCore; CORES],
    groups: [Group; 2],
    messages: Messages,
    mixed_mode: bool,
    cores_in_reset: u32,
    spurious_vector: u32,
    outputs: [bool; output::COUNT],
    /// Requests that probes know of: one bit for each core of each source.
    announced: Vec<u8>,
}

fn build(node: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    let clock = clock::of_node(node)?;
    Ok(Box::new(Mpic {
        sources: (0..COUNT).map(Source::new).collect(),
        cores: [PerCore::new(), PerCore::new()],
        groups: [
            Group::new(clock, 0),
            Group::new(clock, TIMERS_OF_GROUP as u64),
        ],
        messages: Messages::default(),
        mixed_mode: false,
        cores_in_reset: 0,
        spurious_vector: 0xffff,
        outputs: [false; output::COUNT],
        announced: vec![0; COUNT],
    }))
}

impl Mpic {
    /// The most urgent request to a core that it would take now: highest priority, then lowest number.
    fn most_urgent(&self, core: usize) -> Option<(usize, u8)> {
        if !self.mixed_mode {
            return None;
        }
        let mut best: Option<(usize, u8)> = None;
        let mut threshold = self.cores[core].threshold();
        for (number, kind) in Kind::all() {
            let source = &self.sources[number];
            let asks = source.requests(kind) >> core & 1 != 0;
            if asks && source.priority() > threshold {
                threshold = source.priority();
                best = Some((number, threshold));
            }
        }
        best
    }

    /// What IACK gives, which is all that there is to see of a request from outside.
    fn vector(&self, core: usize) -> u32 {
        let answer = self.most_urgent(core);
        answer.map_or(self.spurious_vector, |(number, _)| {
            self.sources[number].vector()
        })
    }

    fn acknowledge(&mut self, core: usize, context: &mut Context) {
        let vector = self.vector(core);
        let answer = self.most_urgent(core);
        context.trace(TraceEvent::InterruptVectored {
            source: answer.map_or(0, |(number, _)| number as u32),
            vector,
            spurious: answer.is_none(),
        });
        if let Some((number, priority)) = answer
            && let Some(kind) = Kind::of(number)
        {
            self.cores[core].in_service.push((number as u16, priority));
            self.sources[number].taken(kind, core);
        }
    }

    fn end_of_interrupt(&mut self, core: usize, context: &mut Context) {
        if let Some((number, _)) = self.cores[core].in_service.pop() {
            // A line that is still active asks again from now on.
            self.announced[usize::from(number)] &= !(1 << core);
            context.trace(TraceEvent::InterruptEnded);
        }
    }

    fn is_in_service(&self, number: usize) -> bool {
        let mut services = self.cores.iter().flat_map(|core| &core.in_service);
        services.any(|&(served, _)| usize::from(served) == number)
    }

    /// Brings the lines of message sources up to date.
    fn drive_messages(&mut self) {
        for index in 0..4 {
            let level = self.messages.interrupts(index);
            self.sources[MESSAGE + index].set_line(Kind::Message, level);
        }
        for index in 0..8 {
            let level = self.messages.shared(index) != 0;
            self.sources[SHARED + index].set_line(Kind::Message, level);
        }
    }

    /// Drives the outputs, and tells probes of new requests.
    fn update(&mut self, context: &mut Context) {
        let mut critical = 0;
        let mut pin = false;
        for (number, kind) in Kind::all() {
            let source = &self.sources[number];
            if source.is_masked() {
                self.announced[number] = 0;
                continue;
            }
            let requests = if self.mixed_mode {
                source.requests(kind)
            } else {
                0
            };
            if requests & !self.announced[number] != 0 {
                context.trace(TraceEvent::InterruptRaised {
                    source: number as u32,
                });
            }
            self.announced[number] = requests;
            if self.mixed_mode {
                let (cores, to_pin) = source.specials(kind);
                critical |= cores;
                pin |= to_pin;
            }
        }
        let mut levels = [false; output::COUNT];
        for core in 0..CORES {
            let passed = !self.mixed_mode && core == 0 && self.sources[0].line();
            levels[output::INT as usize + core] = passed || self.most_urgent(core).is_some();
            levels[output::MCP as usize + core] = critical >> core & 1 != 0;
            levels[output::SRESET as usize + core] = self.cores_in_reset >> core & 1 != 0;
        }
        levels[output::IRQ_OUT as usize] = pin;
        for (index, (&level, before)) in levels.iter().zip(&mut self.outputs).enumerate() {
            if level != *before {
                *before = level;
                context.set_line(index as u32, level);
            }
        }
    }

    fn value(&self, place: Place, context: &Context) -> Option<u32> {
        Some(match place {
            Place::Core(core, CTPR) => self.cores[core].task_priority,
            Place::Core(core, WHOAMI) => core as u32,
            Place::Core(core, IACK) => self.vector(core),
            Place::Core(..) => 0,
            Place::Group(group, offset) => self.groups[group].value(offset, context)?,
            Place::VectorPriority(number, kind) => {
                let source = &self.sources[number];
                let active = source.is_pending(kind) || self.is_in_service(number);
                let activity = u32::from(active) * vector_priority::ACTIVITY;
                source.vector_priority() | activity
            }
            Place::Destination(number, _) => self.sources[number].destination(),
            Place::Message(index) => self.messages.message(index),
            Place::SharedMessage(index) => self.messages.shared(index),
            Place::Global(offset) => match offset {
                BRR1 => BRR1_VALUE,
                FRR => FRR_VALUE,
                GCR => u32::from(self.mixed_mode) * GCR_MIXED_MODE,
                PIR => self.cores_in_reset,
                SVR => self.spurious_vector,
                MER => self.messages.enabled(),
                MSR => self.messages.status(),
                MSISR => self.messages.shared_status(),
                BRR2 | VIR | MSIIR => 0,
                _ => return None,
            },
        })
    }

    fn write_core(&mut self, core: usize, offset: u32, value: u32, context: &mut Context) {
        match offset {
            CTPR => self.cores[core].task_priority = value & TASK_PRIORITY,
            EOI => self.end_of_interrupt(core, context),
            IPIDR..=IPIDR_LAST => {
                let number = INTERPROCESSOR + ((offset - IPIDR) / 0x10) as usize;
                self.sources[number].request(value);
            }
            _ => {}
        }
    }

    fn write_global(&mut self, offset: u32, value: u32, context: &mut Context) {
        match offset {
            GCR if value & GCR_RESET != 0 => self.restart(context),
            GCR => self.mixed_mode = value & GCR_MIXED_MODE != 0,
            PIR => self.cores_in_reset = value & destination::CORES,
            SVR => self.spurious_vector = value & vector_priority::VECTOR,
            MER => self.messages.enable(value),
            MSR => self.messages.clear(value),
            MSIIR => self.messages.send_shared(value),
            _ => {}
        }
    }

    fn set_vector_priority(
        &mut self,
        number: usize,
        kind: Kind,
        value: u32,
        context: &mut Context,
    ) {
        let before = self.sources[number].vector_priority();
        self.sources[number].set_vector_priority(kind, value);
        let changed = before ^ self.sources[number].vector_priority();
        if changed & !vector_priority::MASKED != 0 && self.is_in_service(number) {
            context.warn(format!(
                "source {number} is in service: only its mask may be changed (VPR = {value:#010x})"
            ));
        }
    }

    /// Back to the reset state, by a reset or by GCR.
    fn restart(&mut self, context: &mut Context) {
        for (number, source) in self.sources.iter_mut().enumerate() {
            source.reset(number);
        }
        self.cores = [PerCore::new(), PerCore::new()];
        for group in &mut self.groups {
            group.reset(context);
        }
        self.messages = Messages::default();
        self.mixed_mode = false;
        self.cores_in_reset = 0;
        self.spurious_vector = vector_priority::VECTOR;
        self.announced.fill(0);
    }
}

impl Device for Mpic {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn reset(&mut self, context: &mut Context) {
        self.restart(context);
        self.drive_messages();
        self.update(context);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        let register = ccsr::register_offset(offset);
        let place = place_of(register, context.core);
        let Some((place, value)) = place.and_then(|it| Some((it, self.value(it, context)?))) else {
            if !(SOURCES..SOURCES_END).contains(&register) {
                hole::warn_of_read(context, register);
            }
            return 0;
        };
        match place {
            Place::Core(core, IACK) => self.acknowledge(core, context),
            Place::Message(index) => self.messages.received(index),
            Place::SharedMessage(index) => self.messages.shared_received(index),
            _ => return ccsr::read(value, offset, width),
        }
        self.drive_messages();
        self.update(context);
        ccsr::read(value, offset, width)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let register = ccsr::register_offset(offset);
        let place = place_of(register, context.core);
        let Some(place) = place else {
            if !(SOURCES..SOURCES_END).contains(&register) {
                hole::warn_of_write(context, register, value);
            }
            return;
        };
        if !ccsr::is_writable(&DESCRIPTION, register, value, context) {
            return;
        }
        let before = self.value(place, context).unwrap_or(0);
        let value = ccsr::merged(before, offset, width, value);
        match place {
            Place::Core(core, offset) => self.write_core(core, offset, value, context),
            Place::Group(group, offset) => self.groups[group].write(offset, value, context),
            Place::VectorPriority(number, kind) => {
                self.set_vector_priority(number, kind, value, context);
            }
            Place::Destination(number, kind) => self.sources[number].set_destination(kind, value),
            Place::Message(index) => self.messages.send(index, value),
            Place::SharedMessage(_) => {}
            Place::Global(offset) => self.write_global(offset, value, context),
        }
        self.drive_messages();
        self.update(context);
    }

    fn peek(&self, offset: u32, context: &Context) -> Option<u32> {
        let place = place_of(ccsr::register_offset(offset), context.core);
        Some(
            place
                .and_then(|place| self.value(place, context))
                .unwrap_or(0),
        )
    }

    fn event(&mut self, payload: u64, context: &mut Context) {
        let (group, index) = (
            payload as usize / TIMERS_OF_GROUP,
            payload as usize % TIMERS_OF_GROUP,
        );
        if group >= self.groups.len() {
            return;
        }
        let zeros = self.groups[group].reached_zero(index, context);
        for index in (0..TIMERS_OF_GROUP).filter(|index| zeros >> index & 1 != 0) {
            let source = &mut self.sources[TIMER + TIMERS_OF_GROUP * group + index];
            source.request(source.destination());
        }
        self.update(context);
    }

    fn input(&mut self, line: u32, level: bool, context: &mut Context) {
        let number = line as usize;
        if let (Some(kind), Some(source)) = (Kind::of(number), self.sources.get_mut(number)) {
            source.set_line(kind, level);
            self.update(context);
        }
    }

    fn save(&self) -> Vec<u8> {
        state::save(self)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let mpic: Mpic = state::restore(DESCRIPTION.title, bytes)?;
        let served = mpic.cores.iter().flat_map(|core| &core.in_service);
        let mut served = served.map(|&(number, _)| usize::from(number));
        if mpic.sources.len() != COUNT
            || mpic.announced.len() != COUNT
            || served.any(|number| number >= COUNT)
        {
            return Err(RestoreError {
                device: DESCRIPTION.title.into(),
                reason: "it speaks of sources that there are not".into(),
            });
        }
        *self = mpic;
        Ok(())
    }
}
