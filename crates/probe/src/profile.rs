//! The profile: exact counts of instructions, cycles, data accesses, register accesses, DMA and interrupts by calling context.
//!
//! It fires for every instruction, data access and transfer of control of the core, for every DMA access and for every interrupt; it
//! does not see instruction fetches that the pipeline makes ahead and throws away.
//!
//! It costs about 1.4 times the plain run in a calculation, 1.7 times in a transfer by DMA and 5 times where tasks and interrupts change
//! all the time, as in a kernel's test: `benches/probes.py`. Outside of its window it costs 1.1, 1.2 and 3.2 times, because callers are
//! followed there too.

use crate::contexts::{Arrival, Contexts, Node, NodeIndex};
use crate::counts::Counts;
use crate::dma::{DmaLog, DmaTransfer};
use crate::functions::{Functions, Range};
use crate::interrupts::{InterruptLog, InterruptStatistics};
use crate::recent::RecentRanges;
use crate::window::{Span, Window};
use serde::{Deserialize, Serialize};
use socscope_device::TraceEvent;
use socscope_interpreter::{Observer, Ranges, Shared, Transfer, Translation};
use socscope_machine::{Input, Machine, MachineObserver, Mark};
use socscope_memory::{Direction, Region, RegionIndex, Target, Width};
use socscope_time::Instant;
use std::collections::{BTreeMap, BTreeSet};

/// A device register, as accessed by the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    pub(crate) functions: Functions,
    recent: RecentRanges,
    pub(crate) contexts: Contexts,
    /// For each region the device behind it and its base.
    devices: Vec<Option<(u16, u32)>>,
    pub(crate) registers: BTreeMap<RegisterAccess, u64>,
    pub(crate) dma: DmaLog,
    pub(crate) interrupts: InterruptLog,
    pub(crate) window: Window,
    pub(crate) counting: bool,
    /// The last one is still open when counting is on: it lasts until `cycle` and has the instructions that are counted by then.
    pub(crate) spans: Vec<Span>,
    /// The function that runs.
    pub(crate) range: Range,
    /// The instruction behind the one that executes.
    next: u32,
    pub(crate) cycle: u64,
    /// The cycles that come next are those of an interrupt's entry.
    pub(crate) interrupt_entry: bool,
    /// Instructions that are never translated: the window begins or ends there, or an interrupt's handler was once expected there.
    pub(crate) interpreted: BTreeSet<u32>,
}

impl Profile {
    /// A profile that begins where `machine` is now.
    pub fn new(machine: &Machine, functions: Functions, window: Window) -> Profile {
        let range = functions.range_of(machine.pc());
        let sp = machine.current_core().stack_pointer();
        let contexts = Contexts::new(range.function, sp, machine.regions().len());
        let mut profile = Profile {
            functions,
            recent: RecentRanges::new(),
            contexts,
            devices: devices(machine.regions()).collect(),
            registers: BTreeMap::new(),
            dma: DmaLog::default(),
            interrupts: InterruptLog::new(),
            window,
            counting: false,
            spans: vec![],
            range,
            next: machine.pc(),
            cycle: machine.cycle(),
            interrupt_entry: false,
            interpreted: match window {
                Window::Addresses { first, last } => BTreeSet::from([first, last]),
                _ => BTreeSet::new(),
            },
        };
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

    /// Whether counting is on.
    #[inline]
    pub fn counting(&self) -> bool {
        self.counting
    }

    fn start(&mut self) {
        if !self.counting {
            self.counting = true;
            self.contexts.tracking_mut().set_instructions(0);
            self.spans.push(Span {
                start_cycle: self.cycle,
                end_cycle: self.cycle,
                ..Span::default()
            });
        }
    }

    fn stop(&mut self) {
        self.close_span();
        self.counting = false;
        self.dma.cut(self.cycle);
    }

    fn close_span(&mut self) {
        if self.counting
            && let Some(span) = self.spans.last_mut()
        {
            span.end_cycle = self.cycle;
            span.instructions = self.contexts.tracking().instructions();
        }
    }

    #[inline]
    fn range_of(&mut self, address: u32) -> Range {
        let functions = &self.functions;
        self.recent
            .get(address, |address| functions.range_of(address))
    }

    fn pass(&mut self, cycles: u64, account: impl FnOnce(&mut Span)) {
        self.cycle += cycles;
        if self.counting
            && let Some(span) = self.spans.last_mut()
        {
            account(span);
        }
    }

    /// The functions of the image.
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// The calling contexts by index.
    pub fn nodes(&self) -> &[Node] {
        self.contexts.nodes()
    }

    /// The counters of each context.
    pub fn counts(&self) -> Vec<Counts> {
        let counters = self.contexts.tracking().counters();
        (0..self.nodes().len())
            .map(|node| Counts::of(counters, node as u32))
            .collect()
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

    /// The stretches of time that were counted, one that is under way as far as it got.
    pub fn spans(&self) -> Vec<Span> {
        let mut spans = self.spans.clone();
        if self.counting
            && let Some(span) = spans.last_mut()
        {
            span.end_cycle = self.cycle;
            span.instructions = self.contexts.tracking().instructions();
        }
        spans
    }
}

impl Profile {
    /// Whether translated code may run now: not while control is in another function than its frame's, after a call at a function's end
    /// whose callee returned.
    fn translatable(&self) -> bool {
        self.contexts.function() == self.range.function
    }
}

fn devices(regions: &[Region]) -> impl Iterator<Item = Option<(u16, u32)>> {
    let device = |region: &Region| match region.target {
        Target::Device(device) => Some((device, region.base)),
        _ => None,
    };
    regions.iter().map(device)
}

impl Observer for Profile {
    #[inline]
    fn instruction(&mut self, pc: u32, width: Width, region: RegionIndex) {
        if !self.range.contains(pc) {
            self.range = self.range_of(pc);
            self.contexts.fall_through(self.range.function);
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
        let tracking = self.contexts.tracking_mut();
        tracking.executes(region);
        if self.counting {
            tracking.count_instruction();
        }
    }

    #[inline]
    fn cycles(&mut self, cycles: u64) {
        if self.counting {
            self.contexts.tracking_mut().count_cycles(cycles);
        }
        self.cycle += cycles;
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
        self.contexts
            .tracking_mut()
            .count_data(region, width, direction);
        if let Some((device, base)) = self.devices[region.0 as usize] {
            let access = RegisterAccess {
                node: self.contexts.current(),
                device,
                offset: address - base,
                direction,
            };
            *self.registers.entry(access).or_default() += 1;
        }
    }

    fn translation(&mut self) -> Translation<'_> {
        Translation::Profile(Shared {
            tracker: self.contexts.tracking().address(),
            identity: self.contexts.tracking().identity(),
            counting: self.counting,
            stops: &self.interpreted,
            functions: &self.functions,
        })
    }

    fn follows(&self, pc: u32) -> bool {
        self.range.contains(pc) && self.translatable()
    }

    fn ran(&mut self, cycles: u64, address: u32, region: Option<RegionIndex>) {
        if !self.range.contains(address) {
            self.range = self.range_of(address);
        }
        if let Some(region) = region {
            self.contexts.tracking_mut().executes(region);
        }
        self.cycle += cycles;
    }

    #[inline]
    fn transfer(&mut self, _from: u32, to: u32, kind: Transfer, sp: u32) {
        let local = kind == Transfer::Jump && self.range.contains(to);
        if local && !self.contexts.returns(to, sp) {
            return;
        }
        let next = self.next;
        let next_function = if self.range.contains(next) {
            self.range.function
        } else {
            self.functions.range_of(next).function
        };
        self.range = self.range_of(to);
        self.contexts.transfer(Arrival {
            function: self.range.function,
            address: to,
            at_start: to == self.range.start,
            kind,
            sp,
            next,
            next_function,
        });
        // Exceptions that do not belong to an instruction bring their cycles to the handler's context.
        if matches!(kind, Transfer::ExceptionEntry(3 | 4 | 6 | 7)) {
            self.contexts.tracking_mut().executing_moves();
            self.interrupt_entry = matches!(kind, Transfer::ExceptionEntry(6 | 7));
        }
    }
}

impl Ranges for Functions {
    fn range_of(&self, address: u32) -> (u32, u32, i64) {
        let range = Functions::range_of(self, address);
        (range.start, range.last, range.function.0)
    }
}

impl MachineObserver for Profile {
    fn input(&mut self, input: &Input) {
        if let Input::Count { on } = input {
            self.count(*on);
        }
    }

    fn mapped(&mut self, regions: &[Region]) {
        if !devices(regions).eq(self.devices.iter().copied()) {
            self.devices = devices(regions).collect();
        }
        if regions.len() > self.contexts.tracking().counters().regions() {
            self.contexts.grow(regions.len());
        }
    }

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
                self.interpreted.extend(self.interrupts.expected_handler());
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
        self.range = self.range_of(pc);
        self.contexts.reset(self.range.function, 0);
    }

    fn stopped(&mut self, cycles: u64) {
        self.pass(cycles, |span| span.stopped_cycles += cycles);
    }

    fn bus_held(&mut self, cycles: u64) {
        self.pass(cycles, |span| span.bus_held_cycles += cycles);
    }

    fn mark(&mut self, Mark { number, .. }: Mark, _end: u64) {
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
