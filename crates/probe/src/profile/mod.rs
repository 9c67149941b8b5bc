//! The profile: exact counts of instructions, cycles, data accesses, register accesses, DMA, exceptions and interrupts by core and
//! calling context.
//!
//! It fires for every instruction, data access and transfer of control of a core, for every DMA access and for every interrupt; it
//! does not see instruction fetches that the pipeline makes ahead and throws away, and what cores read to translate addresses.
//!
//! It costs about 1.4 times the plain run in a calculation, up to 1.8 times in a transfer by DMA and 3 to 4 times where tasks and
//! interrupts change all the time, as in a kernel's test: `benches/probes.py`. Outside of its window it costs little less, because callers
//! are followed there too. A boot of SMP Linux costs 1.7 times the plain run: it accesses its serial port 30 million times, and more code
//! is made.

mod code;
mod core;
mod registers;
mod warnings;

pub use self::code::Kernel;
pub use self::core::CoreProfile;

pub(crate) use self::code::{Code, Space};

use self::core::USER_STACK;
use crate::contexts::{Arrival, Interrupted, NodeIndex};
use crate::dma::{DmaLog, DmaTransfer};
use crate::functions::Functions;
use crate::linux::Task;
use crate::window::{CoreSet, Window};
use serde::{Deserialize, Serialize};
use socscope_core::{Cause, Exceptions, ExecutionState};
use socscope_core::{Observer, Shared, Transfer, Translation};
use socscope_device::TraceEvent;
use socscope_machine::{Input, Machine, MachineObserver, Mark, Moves};
use socscope_memory::{Direction, Region, RegionIndex, Target, Width};
use socscope_time::{Clock, Instant};
use std::collections::BTreeSet;

/// Instructions that are never translated for the profile's sake, at most.
const INTERPRETED_MAX: usize = 4096;

/// A device register, as accessed by a core.
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

impl RegisterAccess {
    /// Offset of accesses whose register is not told apart any more.
    pub const OTHERS: u32 = u32::MAX;
}

/// The profile of one run.
pub struct Profile {
    pub(crate) code: Code,
    /// For each region the device behind it and its base.
    devices: Vec<Option<(u16, u32)>>,
    pub(crate) dma: DmaLog,
    pub(crate) window: Window,
    pub(crate) cores: Vec<CoreProfile>,
    /// The core that everything told is about.
    core: usize,
    /// The exceptions of that core, and of all.
    exceptions: &'static Exceptions,
    exceptions_of: Vec<&'static Exceptions>,
    /// The clock of each core; DMA is told in cycles of the first one's.
    clocks: Vec<Clock>,
    /// Instructions that are never translated: the window begins or ends there, or an interrupt's handler was once expected there.
    pub(crate) interpreted: BTreeSet<u32>,
}

impl Profile {
    /// A profile that begins where `machine` is now.
    pub fn new(machine: &Machine, functions: Functions, window: Window) -> Profile {
        Profile::of_kernel(machine, functions, window, None)
    }

    /// The same; the image may be a kernel, whose code is told from that of its programs.
    pub fn of_kernel(
        machine: &Machine,
        functions: Functions,
        window: Window,
        kernel: Option<Kernel>,
    ) -> Profile {
        let own = machine.own_places();
        let mut code = Code::new(functions, kernel, (&machine.moved(), own));
        let regions = machine.regions().len();
        let cores = (0..machine.cores()).map(|number| {
            let core = machine.core(number);
            let cycle = machine.reported_cycle_of(number);
            CoreProfile::new((number, core), cycle, &mut code, regions)
        });
        let exceptions_of = (0..machine.cores()).map(|number| machine.core(number).exceptions());
        let mut profile = Profile {
            cores: cores.collect(),
            exceptions_of: exceptions_of.collect(),
            clocks: (0..machine.cores())
                .map(|number| machine.clock_of(number))
                .collect(),
            code,
            devices: devices(machine.regions()).collect(),
            dma: DmaLog::default(),
            window,
            core: machine.turn(),
            exceptions: machine.current_core().exceptions(),
            interpreted: ends_of(window).collect(),
        };
        if window == Window::All {
            profile.count(true);
        }
        profile
    }

    /// Folds what comes into more contexts than so many on a core; [`CONTEXTS_MAX`](crate::CONTEXTS_MAX) are told apart else.
    pub fn fold_contexts(&mut self, contexts_max: usize) {
        for core in &mut self.cores {
            core.contexts.set_nodes_max(contexts_max);
        }
    }

    /// Switches counting on or off, between two instructions: for each core where it is.
    pub fn count(&mut self, on: bool) {
        if on {
            self.cores.iter_mut().for_each(CoreProfile::start);
        } else {
            self.cores.iter_mut().for_each(CoreProfile::stop);
            let now = self.clocks[self.core].instant_of(self.core().cycle);
            self.dma.cut(self.clocks[0].cycles_at(now));
        }
    }

    /// Whether counting is on.
    #[inline]
    pub fn counting(&self) -> bool {
        self.core().counting
    }

    #[inline]
    fn core(&self) -> &CoreProfile {
        &self.cores[self.core]
    }

    #[inline]
    fn core_mut(&mut self) -> &mut CoreProfile {
        &mut self.cores[self.core]
    }

    /// The functions of the image.
    pub fn functions(&self) -> &Functions {
        &self.code.functions
    }

    /// The kernel that the image is, with the tasks whose programs have run.
    pub fn kernel(&self) -> Option<&Kernel> {
        self.code.kernel.as_ref()
    }

    /// What is known of each core.
    pub fn cores(&self) -> &[CoreProfile] {
        &self.cores
    }

    /// DMA transfers, those that are added up as one; with how many each sum is of see [`folded_transfers`](Profile::folded_transfers).
    pub fn dma_transfers(&self) -> impl Iterator<Item = &DmaTransfer> {
        self.dma.transfers()
    }

    /// An instruction is not translated from now on. Of very many, which only a guest has that makes up vectors, those are forgotten that no core
    /// waits for.
    pub(crate) fn interpret(&mut self, address: u32) {
        if self.interpreted.len() >= INTERPRETED_MAX {
            let cores = self.cores.iter();
            let expected = cores.filter_map(|core| core.interrupts.expected_handler());
            self.interpreted = ends_of(self.window).chain(expected).collect();
        }
        self.interpreted.insert(address);
    }

    /// Sums of DMA transfers that are not told apart, and of how many each is.
    pub fn folded_transfers(&self) -> impl Iterator<Item = (&DmaTransfer, u64)> {
        self.dma.folded()
    }

    /// A core's present task, whose programs are counted as one function from its next return to them on.
    pub fn runs(&mut self, core: u16, task: &Task) {
        if let (Some(kernel), Some(core)) =
            (&mut self.code.kernel, self.cores.get_mut(usize::from(core)))
        {
            core.user = kernel.user_function(task);
            if matches!(core.space, Space::User(_)) {
                core.space = Space::User(core.user);
            }
        }
    }
}

/// Addresses at which a window begins and ends.
fn ends_of(window: Window) -> impl Iterator<Item = u32> {
    let ends = window.ends().into_iter().flatten();
    ends.map(|(address, _)| address)
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
        let core = &mut self.cores[self.core];
        if !core.range.contains(pc) {
            core.range = self.code.range_in(self.core, core.space, pc);
            core.contexts.fall_through(core.range.function);
        }
        core.next = pc.wrapping_add(width.bytes());
        if pc == core.interrupts.handler {
            core.interrupts.handler_begins(core.cycle);
        }
        if let Some([first, last]) = self.window.ends()
            && !matches!(core.space, Space::User(_))
        {
            let is_here = |(address, cores): (u32, CoreSet)| pc == address && cores.has(self.core);
            let (begins, ends) = (is_here(first), is_here(last));
            if ends {
                self.count(false);
            }
            if begins {
                self.count(true);
            }
        }
        let core = &mut self.cores[self.core];
        let counting = core.counting;
        let tracking = core.contexts.tracking_mut();
        tracking.executes(region);
        if counting {
            tracking.count_instruction();
        }
    }

    #[inline]
    fn cycles(&mut self, cycles: u64) {
        let core = self.core_mut();
        if core.counting {
            core.contexts.tracking_mut().count_cycles(cycles);
        }
        core.cycle += cycles;
        if std::mem::take(&mut core.interrupt_entry) {
            core.interrupts.entered(core.cycle);
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
        let core = &mut self.cores[self.core];
        if !core.counting {
            return;
        }
        core.contexts
            .tracking_mut()
            .count_data(region, width, direction);
        if let Some((device, base)) = self.devices[region.0 as usize] {
            let access = RegisterAccess {
                node: core.contexts.current(),
                device,
                offset: address - base,
                direction,
            };
            core.count_register(access);
        }
    }

    fn executed(&mut self, pc: u32, next: u32) {
        let core = &mut self.cores[self.core];
        if !core.range.contains(pc) {
            core.range = self.code.range_in(self.core, core.space, pc);
        }
        core.next = next;
    }

    fn execution_state(&mut self, state: ExecutionState) {
        let core = &mut self.cores[self.core];
        let space = self.code.space(state, core.user);
        if space != core.space {
            core.space = space;
            // What comes next is looked for anew: no instruction is at an odd address.
            (core.range.start, core.range.last) = (1, 1);
        }
    }

    fn translation(&mut self) -> Translation<'_> {
        let core = &self.cores[self.core];
        Translation::Profile(Shared {
            tracking: core.contexts.tracking(),
            counting: core.counting,
            stops: &self.interpreted,
            functions: self.code.ranges(self.core),
            special_registers: &[],
        })
    }

    fn follows(&self, pc: u32) -> bool {
        self.core().range.contains(pc) && self.core().translatable()
    }

    fn ran(&mut self, cycles: u64, address: u32, region: Option<RegionIndex>) {
        let core = &mut self.cores[self.core];
        if !core.range.contains(address) {
            core.range = self.code.range_in(self.core, core.space, address);
        }
        if let Some(region) = region {
            core.contexts.tracking_mut().executes(region);
        }
        core.cycle += cycles;
    }

    fn interrupted(&mut self, number: u8, next: u32, sp: u32) {
        let core = &mut self.cores[self.core];
        core.interrupted = None;
        if matches!(core.space, Space::User(_)) {
            return;
        }
        core.interrupted = Some(Interrupted { address: next, sp });
        if self.exceptions.is_by_instruction(number) {
            return;
        }
        // The last instruction has fallen into another function, whose first one would have told.
        if !core.range.contains(next) {
            core.range = self.code.range_in(self.core, core.space, next);
            core.contexts.fall_through(core.range.function);
        }
    }

    #[inline]
    fn transfer(&mut self, _from: u32, to: u32, kind: Transfer, sp: u32) {
        let core = &mut self.cores[self.core];
        let inside = matches!(kind, Transfer::Jump | Transfer::Call);
        let in_program = matches!(core.space, Space::User(_));
        if in_program && inside {
            return;
        }
        let local = kind == Transfer::Jump && core.range.contains(to);
        if local && !core.contexts.returns(to, sp) {
            return;
        }
        let next = core.next;
        let next_function = if core.range.contains(next) {
            core.range.function
        } else {
            self.code.range_in(self.core, Space::Image, next).function
        };
        core.range = self.code.range_in(self.core, core.space, to);
        let at_start = to == core.range.start && !in_program;
        // A kernel's handlers are functions of its own mode, in which they begin by a return.
        let changes_mode = at_start && self.code.kernel.is_some();
        core.contexts.transfer(Arrival {
            function: core.range.function,
            address: to,
            at_start,
            kind,
            sp: if in_program { USER_STACK } else { sp },
            next,
            next_function,
            one_stack: !in_program && (self.exceptions.keep_stack || changes_mode),
            is_system_call: matches!(kind, Transfer::ExceptionEntry(number) if (self.exceptions.cause)(number) == Cause::SystemCall),
            interrupted: core.interrupted.take(),
        });
        if let Transfer::ExceptionEntry(number) = kind {
            core.takes_exception(number);
            // Exceptions that do not belong to an instruction bring their cycles to the handler's context.
            if (self.exceptions.is_told_apart)(number) {
                core.contexts.tracking_mut().executing_moves();
                core.interrupt_entry = (self.exceptions.cause)(number) == Cause::Interrupt;
            }
        }
    }
}

impl MachineObserver for Profile {
    socscope_machine::executes_here!();

    fn input(&mut self, input: &Input) {
        if let Input::Count { on } = input {
            self.count(*on);
        }
    }

    fn mapped(&mut self, regions: &[Region], moved: &Moves) {
        if self.code.learn_moved(moved) {
            for (number, core) in self.cores.iter_mut().enumerate() {
                core.find_range_again(number, &mut self.code);
            }
        }
        if !devices(regions).eq(self.devices.iter().copied()) {
            self.devices = devices(regions).collect();
        }
        for core in &mut self.cores {
            if regions.len() > core.contexts.tracking().counters().regions() {
                core.contexts.grow(regions.len());
            }
        }
    }

    fn wants_traces(&self) -> bool {
        true
    }

    fn trace(&mut self, device: u16, time: Instant, cycle: u64, event: TraceEvent) {
        match event {
            TraceEvent::InterruptRaised { source } => {
                for (core, clock) in self.cores.iter_mut().zip(&self.clocks) {
                    core.interrupts
                        .raised(device, source, clock.cycles_at(time));
                }
            }
            TraceEvent::InterruptVectored {
                source,
                vector,
                spurious,
            } => {
                let handler = self.exceptions.have_handler_addresses.then_some(vector);
                let core = &mut self.cores[self.core];
                core.interrupts
                    .vectored(device, source, handler, spurious, core.counting);
                if let Some(handler) = core.interrupts.expected_handler() {
                    self.interpret(handler);
                }
            }
            TraceEvent::DmaAccess {
                direction,
                width,
                region,
                ..
            } if self.counting() => {
                self.dma.access(device, direction, region, width, cycle);
            }
            TraceEvent::DmaEnded { direction, .. } => self.dma.end(device, direction, cycle),
            _ => {}
        }
    }

    fn turn(&mut self, core: u16) {
        self.core = usize::from(core);
        self.exceptions = self.exceptions_of[self.core];
    }

    fn reset(&mut self, pc: u32) {
        for (number, core) in self.cores.iter_mut().enumerate() {
            core.space = self.code.space(ExecutionState::default(), core.user);
            core.range = self.code.range_in(number, core.space, pc);
            core.contexts.reset(core.range.function, 0);
        }
    }

    fn asleep(&mut self, core: u16, cycles: u64) {
        let core = &mut self.cores[usize::from(core)];
        core.pass(cycles, |span| span.stopped_cycles += cycles);
    }

    fn bus_held(&mut self, core: u16, cycles: u64) {
        let core = &mut self.cores[usize::from(core)];
        core.pass(cycles, |span| span.bus_held_cycles += cycles);
    }

    fn mark(&mut self, Mark { number, .. }: Mark, _end: u64) {
        if let Window::Marks { first, last } = self.window {
            if number == last {
                self.count(false);
            }
            if number == first {
                self.count(true);
            }
        }
    }
}
