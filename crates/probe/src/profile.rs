//! The profile: exact counts of instructions, cycles, data accesses, register accesses, DMA and interrupts by calling context.
//!
//! It fires for every instruction, data access and transfer of control of the core, for every DMA access and for every interrupt; it
//! does not see instruction fetches that the pipeline makes ahead and throws away.

use crate::contexts::{Arrival, Contexts, Node, NodeIndex};
use crate::counts::Counts;
use crate::dma::{DmaLog, DmaTransfer};
use crate::functions::{Functions, Range};
use crate::interrupts::{InterruptLog, InterruptStatistics};
use crate::window::{Span, Window};
use socscope_device::TraceEvent;
use socscope_interpreter::{Observer, Transfer};
use socscope_isa::arm::STACK;
use socscope_machine::{Machine, MachineObserver};
use socscope_memory::{Direction, RegionIndex, Target, Width};
use socscope_time::Instant;
use std::collections::BTreeMap;

/// A device register, as accessed by the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegisterAccess {
    /// Calling context.
    pub node: NodeIndex,
    /// Index of the device.
    pub device: u16,
    /// Offset of the register.
    pub offset: u32,
    /// Read or write.
    pub direction: Direction,
}

/// The profile of one run.
pub struct Profile {
    functions: Functions,
    contexts: Contexts,
    counts: Vec<Counts>,
    regions: usize,
    /// For each region the device behind it and its base.
    devices: Vec<Option<(u16, u32)>>,
    registers: BTreeMap<RegisterAccess, u64>,
    dma: DmaLog,
    interrupts: InterruptLog,
    window: Window,
    counting: bool,
    spans: Vec<Span>,
    /// The function that runs, and its context.
    range: Range,
    node: NodeIndex,
    /// The instruction behind the one that executes.
    next: u32,
    /// The context and region of the instruction that executes: a transfer of control changes `node` before its cycles are known.
    executing: (NodeIndex, RegionIndex),
    cycle: u64,
    /// The cycles that come next are those of an interrupt's entry.
    interrupt_entry: bool,
}

impl Profile {
    /// A profile that begins where `machine` is now.
    pub fn new(machine: &Machine, functions: Functions, window: Window) -> Profile {
        let regions = machine.regions();
        let device = |region: &socscope_memory::Region| match region.target {
            Target::Device(device) => Some((device, region.base)),
            _ => None,
        };
        let range = functions.range_of(machine.pc());
        let contexts = Contexts::new(range.function, machine.core().register(STACK));
        let node = contexts.current();
        let mut profile = Profile {
            functions,
            contexts,
            counts: vec![],
            regions: regions.len(),
            devices: regions.iter().map(device).collect(),
            registers: BTreeMap::new(),
            dma: DmaLog::default(),
            interrupts: InterruptLog::new(),
            window,
            counting: false,
            spans: vec![],
            range,
            node,
            next: machine.pc(),
            executing: (node, RegionIndex::UNMAPPED),
            cycle: machine.cycle(),
            interrupt_entry: false,
        };
        profile.make_room();
        if window == Window::All {
            profile.start();
        }
        profile
    }

    /// Switches counting on or off, between two instructions.
    pub fn count(&mut self, on: bool) {
        if on {
            self.start();
        } else {
            self.stop();
        }
    }

    fn start(&mut self) {
        if !self.counting {
            self.counting = true;
            self.spans.push(Span {
                start_cycle: self.cycle,
                end_cycle: self.cycle,
                ..Span::default()
            });
        }
    }

    fn stop(&mut self) {
        self.counting = false;
        self.dma.cut(self.cycle);
    }

    fn make_room(&mut self) {
        self.counts
            .resize_with(self.contexts.nodes().len(), || Counts::new(self.regions));
    }

    /// Goes on in the function around `to`, in the context that `change` makes the current one.
    fn enter(&mut self, to: u32, change: impl FnOnce(&mut Contexts, &Range)) {
        self.range = self.functions.range_of(to);
        change(&mut self.contexts, &self.range);
        self.node = self.contexts.current();
        self.make_room();
    }

    fn pass(&mut self, cycles: u64, account: impl FnOnce(&mut Span)) {
        self.cycle += cycles;
        if self.counting
            && let Some(span) = self.spans.last_mut()
        {
            span.end_cycle = self.cycle;
            account(span);
        }
    }

    /// The calling contexts by index.
    pub fn nodes(&self) -> &[Node] {
        self.contexts.nodes()
    }

    /// The counters of each context.
    pub fn counts(&self) -> &[Counts] {
        &self.counts
    }

    /// Register accesses of the core.
    pub fn registers(&self) -> &BTreeMap<RegisterAccess, u64> {
        &self.registers
    }

    /// DMA transfers.
    pub fn dma_transfers(&self) -> impl Iterator<Item = &DmaTransfer> {
        self.dma.transfers()
    }

    /// Controller, source, statistics of each interrupt that was taken.
    pub fn interrupts(&self) -> impl Iterator<Item = (u16, u32, &InterruptStatistics)> {
        self.interrupts.statistics()
    }

    /// The stretches of time that were counted.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }
}

impl Observer for Profile {
    #[inline]
    fn instruction(&mut self, pc: u32, width: Width, region: RegionIndex) {
        if !self.range.contains(pc) {
            self.enter(pc, |contexts, range| contexts.fall_through(range.function));
        }
        self.next = pc.wrapping_add(width.bytes());
        if let Window::Addresses { first, last } = self.window {
            if pc == last {
                self.stop();
            }
            if pc == first {
                self.start();
            }
        }
        if pc == self.interrupts.handler {
            self.interrupts.handler_begins(self.cycle);
        }
        self.executing = (self.node, region);
        if self.counting {
            self.counts[self.node.0 as usize].instruction(region);
            if let Some(span) = self.spans.last_mut() {
                span.instructions += 1;
            }
        }
    }

    #[inline]
    fn cycles(&mut self, cycles: u64) {
        let (node, region) = self.executing;
        if self.counting {
            self.counts[node.0 as usize].cycles(region, cycles);
        }
        self.pass(cycles, |_| {});
        if std::mem::take(&mut self.interrupt_entry) {
            self.interrupts.entered(self.cycle);
        }
    }

    #[inline]
    fn data(
        &mut self,
        _pc: u32,
        address: u32,
        width: Width,
        direction: Direction,
        region: RegionIndex,
    ) {
        if !self.counting {
            return;
        }
        self.counts[self.node.0 as usize].data(region, width, direction);
        if let Some((device, base)) = self.devices[region.0 as usize] {
            let access = RegisterAccess {
                node: self.node,
                device,
                offset: address - base,
                direction,
            };
            *self.registers.entry(access).or_default() += 1;
        }
    }

    #[inline]
    fn transfer(&mut self, _from: u32, to: u32, kind: Transfer, sp: u32) {
        let local = kind == Transfer::Jump && self.range.contains(to);
        if local && !self.contexts.returns(to, sp) {
            return;
        }
        let next = self.next;
        self.enter(to, |contexts, range| {
            contexts.transfer(Arrival {
                function: range.function,
                address: to,
                at_start: to == range.start,
                kind,
                sp,
                next,
            });
        });
        // Exceptions that do not belong to an instruction bring their cycles to the handler's context.
        if matches!(kind, Transfer::ExceptionEntry(3 | 4 | 6 | 7)) {
            self.executing.0 = self.node;
            self.interrupt_entry = matches!(kind, Transfer::ExceptionEntry(6 | 7));
        }
    }
}

impl MachineObserver for Profile {
    fn wants_traces(&self) -> bool {
        true
    }

    fn trace(&mut self, device: u16, _time: Instant, cycle: u64, event: TraceEvent) {
        match event {
            TraceEvent::InterruptRaised { source } => self.interrupts.raised(device, source, cycle),
            TraceEvent::InterruptVectored {
                source,
                vector,
                spurious,
            } => {
                self.interrupts
                    .vectored(device, source, vector, spurious, self.counting);
            }
            TraceEvent::DmaAccess {
                direction,
                width,
                region,
                ..
            } if self.counting => {
                self.dma.access(device, direction, region, width, cycle);
            }
            TraceEvent::DmaEnded { direction, .. } => self.dma.end(device, direction, cycle),
            _ => {}
        }
    }

    fn reset(&mut self, pc: u32) {
        self.enter(pc, |contexts, range| contexts.reset(range.function, 0));
    }

    fn stopped(&mut self, cycles: u64) {
        self.pass(cycles, |span| span.stopped_cycles += cycles);
    }

    fn bus_held(&mut self, cycles: u64) {
        self.pass(cycles, |span| span.bus_held_cycles += cycles);
    }

    fn mark(&mut self, number: u8, _cycle: u64, _end: u64) {
        if let Window::Marks { first, last } = self.window {
            if number == last {
                self.stop();
            }
            if number == first {
                self.start();
            }
        }
    }
}
