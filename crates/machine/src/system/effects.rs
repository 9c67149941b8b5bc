//! How a device acts: it is called, then what it asked for is carried out in order, so that no device is ever entered twice.

use crate::running::processor::CORES_MAX;
use crate::running::signals::CoreLine;
use crate::system::bus::{Attention, FIRST_PORT_EVENT, SystemBus};
use crate::system::failure::Failure;
use crate::system::wiring::Sink;
use socscope_device::{Context, Device, Effect, TraceEvent};
use socscope_time::Instant;
use std::collections::VecDeque;

impl SystemBus {
    /// Calls a device and carries out what it asks for.
    pub fn call<R>(
        &mut self,
        device: u16,
        now: Instant,
        action: impl FnOnce(&mut dyn Device, &mut Context) -> R,
    ) -> R {
        let result = self.enter(device, now, action);
        if self.effects.is_empty() {
            self.refresh_deadline();
            return result;
        }
        let mut waiting: VecDeque<(u16, Effect)> = self
            .effects
            .drain(..)
            .map(|effect| (device, effect))
            .collect();
        while let Some((source, effect)) = waiting.pop_front() {
            if let Some(told) = self.carry_out(source, now, effect) {
                waiting.extend(self.effects.drain(..).map(|effect| (told, effect)));
            }
        }
        self.refresh_deadline();
        result
    }

    /// Calls a device; what it asks for waits in `effects`.
    pub(crate) fn enter<R>(
        &mut self,
        device: u16,
        now: Instant,
        action: impl FnOnce(&mut dyn Device, &mut Context) -> R,
    ) -> R {
        let slot = &mut self.slots[device as usize];
        slot.latest = slot.latest.max(now);
        let mut context = Context::new(
            slot.latest,
            slot.clock,
            device,
            &mut self.space,
            &mut self.events,
            &mut self.effects,
        );
        context.core = self.core;
        context.order = self.turn_order;
        context.memory_order = slot.order;
        action(slot.model.as_mut(), &mut context)
    }

    /// Asks a device, for somebody outside: it does not notice, nor does its time go on.
    pub(crate) fn look<R>(
        &mut self,
        device: u16,
        now: Instant,
        action: impl FnOnce(&dyn Device, &Context) -> R,
    ) -> R {
        let latest = self.slots[device as usize].latest;
        let turn_order = std::mem::replace(&mut self.turn_order, self.first_order);
        let seen = self.enter(device, now, |model, context| action(model, context));
        self.turn_order = turn_order;
        self.slots[device as usize].latest = latest;
        seen
    }

    /// Carries out one effect; gives the device that was told of it and may ask for more.
    fn carry_out(&mut self, source: u16, now: Instant, effect: Effect) -> Option<u16> {
        match effect {
            Effect::Line { output, level } => {
                let (sink, level) = self.wiring.drive(source, output, level)?;
                let Sink::Device { device, input } = sink else {
                    self.tell_core(sink, level);
                    return None;
                };
                if !self.present(device) {
                    return None;
                }
                self.enter(device, now, |model, context| {
                    model.input(input, level, context)
                });
                return Some(device);
            }
            Effect::Send { port, waveform } => self.send(source, port, now, waveform),
            Effect::StopCore => self.signals[usize::from(self.core) % CORES_MAX].asleep = true,
            Effect::AfterNextInstruction { payload } => {
                self.attention.push_back(Attention::AfterNextInstruction {
                    device: source,
                    payload,
                });
            }
            Effect::Reset { reason } => {
                self.log
                    .warn(now, &self.slots[source as usize].name, reason.to_string());
                self.attention.push_back(Attention::Reset);
            }
            Effect::BusHeld { cycles } => self.stall_cycles += cycles,
            Effect::Written { address } => self.written.push(address),
            Effect::Log { text, .. } => self.log.warn(now, &self.slots[source as usize].name, text),
            Effect::Failed { text } => {
                let device = self.slots[source as usize].name.clone();
                let time = now;
                self.failure.get_or_insert(Failure { device, time, text });
            }
            Effect::Trace(event) => {
                if self.tracing {
                    self.traces_urgent |= matches!(event, TraceEvent::InterruptVectored { .. });
                    self.traces.push((source, now, event));
                }
            }
        }
        None
    }

    /// The board around the chip sets a line that ends at a core.
    pub(crate) fn drive_core(&mut self, core: u16, line: CoreLine, level: bool) {
        if let Some(level) = self.wiring.drive_from_outside(core, line, level) {
            self.tell_core(Sink::Core { core, line }, level);
        }
        self.refresh_deadline();
    }

    fn tell_core(&mut self, sink: Sink, level: bool) {
        if let Sink::Core { core, line } = sink {
            let signals = &mut self.signals[usize::from(core) % CORES_MAX];
            signals.drive(line, level);
            self.turn_broken |= core != self.turn || signals.edge();
        }
    }

    /// Runs every event that is due at `now`.
    pub fn run_due_events(&mut self, now: Instant) {
        while let Some((id, event)) = self.events.pop_due(now) {
            if event.device >= FIRST_PORT_EVENT {
                self.send_to_guest(event.device - FIRST_PORT_EVENT, id.time());
            } else {
                self.call(event.device, id.time(), |model, context| {
                    model.event(event.payload, context)
                });
            }
        }
        self.refresh_deadline();
    }
}
