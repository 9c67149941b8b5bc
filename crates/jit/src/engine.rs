//! The engine: interprets what is cold, translates what is hot, and goes from one to the other.

use crate::arena::Arena;
use crate::compile::{Compiler, Enter, Facts, ProfileFacts};
use crate::entries::{self, Entries, Mode};
use crate::exits::{Exit, Exits};
use crate::granules::Granules;
use crate::heat::Heat;
use crate::learning::{Learning, Seen};
use crate::plan::Plan;
use crate::shared::{NodePointer, Tracker, filter_constant};
use crate::states::{Costs, StateIndex, States};
use crate::statistics::Statistics;
use crate::translations::Translations;
use socscope_interpreter::{Observer, Translation, step};
use socscope_isa::arm::{Core, InstructionSet, STACK};
use socscope_isa::{Foreseeable, Foresight};
use socscope_memory::{AddressSpace, Bus, Direction, Region, RegionIndex};
use std::collections::BTreeSet;

/// Machine code, at most.
const ARENA_BYTES: usize = 32 << 20;
/// A stretch of translated code ends after this many cycles at the latest, so that the budget fits its type.
const CYCLES_MAX: u64 = 1 << 40;

/// A bus whose memories translated code may reach by itself.
pub trait Memories: Bus {
    /// The address space.
    fn space(&self) -> &AddressSpace;
    /// The address space.
    fn space_mut(&mut self) -> &mut AddressSpace;
}

/// Translates one core's code for one timing model.
pub struct Translator<M: Foreseeable> {
    compiler: Compiler,
    arena: Arena,
    /// Bytes of the arena that never go away: the entrance.
    kept: usize,
    enter: Enter,
    granules: Granules,
    entries: Box<Entries>,
    exits: Exits<M>,
    states: States<M>,
    translations: Translations,
    heat: Heat,
    seen: Seen,
    /// The map that the translations were made for.
    regions: Vec<Region>,
    costs: Costs,
    epoch: Option<u64>,
    /// Addresses whose instructions are interpreted: those where a run stops, and those that a profile wants to see.
    stops: BTreeSet<u32>,
    run_stops: BTreeSet<u32>,
    /// Address of the tracker that the translations' cells are filled for; 0 for none.
    tracker: u64,
    /// Its identity; 0 for none.
    identity: u64,
    mode: Mode,
    /// An instruction was interpreted that a profile wants to see: it may want something else now.
    serve_again: bool,
    /// Whether code that reaches different regions has to be told apart.
    regions_matter: bool,
    statistics: Statistics,
}

// SAFETY: the pointers inside lead to memory that the translator owns; it is used by one thread at a time.
unsafe impl<M: Foreseeable + Send> Send for Translator<M> {}

/// Why translated code came back.
enum Return {
    /// Control goes on wherever the core is now.
    Arrived,
    /// The next instruction is the interpreter's; a call fills this cell.
    Interpret(Option<usize>),
    /// The interpreter goes on until the deadline.
    UntilDeadline,
}

impl<M: Foreseeable> Translator<M> {
    /// A translator; `None` when the host has no compiler for itself or refuses the memory.
    pub fn new() -> Option<Translator<M>> {
        let mut compiler = Compiler::new()?;
        let mut arena = Arena::new(ARENA_BYTES)?;
        let entrance = compiler.entrance(&mut arena)?;
        // SAFETY: the entrance was compiled with this very signature, and the arena outlives it.
        let enter = unsafe { std::mem::transmute::<u64, Enter>(entrance) };
        Some(Translator {
            kept: arena.used(),
            compiler,
            arena,
            enter,
            granules: Granules::new()?,
            entries: Box::new(Entries::new()),
            exits: Exits::new(),
            states: States::new(),
            translations: Translations::default(),
            heat: Heat::new(),
            seen: Seen::default(),
            regions: vec![],
            costs: Costs::new(vec![]),
            epoch: None,
            stops: BTreeSet::new(),
            run_stops: BTreeSet::new(),
            tracker: 0,
            identity: 0,
            mode: Mode::Plain,
            serve_again: false,
            regions_matter: false,
            statistics: Statistics::default(),
        })
    }

    /// How often code must be reached before it is translated; 1 translates at once.
    pub fn set_threshold(&mut self, times: u32) {
        self.heat.set_threshold(times);
    }

    /// What was done so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Runs until the bus's deadline, until the observer asks for a stop, or until the next instruction, but not the first one, is at one of
    /// `stops`.
    pub fn run<B: Memories, O: Observer>(
        &mut self,
        core: &mut Core,
        bus: &mut B,
        model: &mut M,
        observer: &mut O,
        cycle: &mut u64,
        stops: &BTreeSet<u32>,
    ) {
        self.run_stops.clone_from(stops);
        if !self.serve(bus, model, observer) {
            socscope_interpreter::run(core, bus, model, observer, cycle);
            return;
        }
        let mut first = true;
        while *cycle < bus.deadline() && !observer.stop() {
            self.keep_up(bus);
            if std::mem::take(&mut self.serve_again) {
                self.serve(bus, model, observer);
            }
            if !first && self.run_stops.contains(&core.program_counter()) {
                return;
            }
            first = false;
            if !interrupt_is_due(core, bus)
                && observer.follows(core.program_counter())
                && let Some(code) = self.code_at(core, bus, model, observer)
            {
                match self.execute(core, bus, model, observer, cycle, code) {
                    Return::Arrived => continue,
                    // The deadline may be right here: the instruction is then for the next run.
                    Return::Interpret(_) if *cycle >= bus.deadline() => continue,
                    Return::Interpret(cell) => {
                        if self.run_stops.contains(&core.program_counter()) {
                            return;
                        }
                        let caller = self.node();
                        self.interpret(core, bus, model, observer, cycle);
                        if let Some(cell) = cell
                            && observer.take_fast_call()
                        {
                            let target = core.program_counter();
                            let constant = filter_of(observer, target);
                            let known = [caller, self.node(), u64::from(target), constant];
                            self.exits.fill(cell, known);
                        }
                        continue;
                    }
                    Return::UntilDeadline => {
                        if self.interpret_until(core, bus, model, observer, cycle) {
                            return;
                        }
                        continue;
                    }
                }
            }
            if self.interpret_stretch(core, bus, model, observer, cycle) {
                return;
            }
        }
    }

    /// Prepares for what the observer wants; false when it wants its hooks.
    fn serve<B: Memories, O: Observer>(
        &mut self,
        bus: &mut B,
        model: &M,
        observer: &mut O,
    ) -> bool {
        let mut stops = self.run_stops.clone();
        let (tracker, identity, mode) = match observer.translation() {
            Translation::Impossible => return false,
            Translation::Nothing => (0, 0, Mode::Plain),
            // Parts of cycles cannot be told apart by context.
            Translation::Profile(_) if model.foresight().fractions != 1 => return false,
            Translation::Profile(shared) => {
                stops.extend(shared.stops);
                let mode = if shared.counting {
                    Mode::Counting
                } else {
                    Mode::Following
                };
                (shared.tracker, shared.identity, mode)
            }
        };
        self.mode = mode;
        self.regions_matter = model.depends_on_regions() || mode != Mode::Plain;
        if self.stops != stops || self.identity != identity {
            self.stops = stops;
            self.tracker = tracker;
            self.identity = identity;
            self.forget(bus);
        }
        true
    }

    /// Address of the counters of the context that runs; 0 without a profile.
    fn node(&self) -> u64 {
        if self.tracker == 0 {
            return 0;
        }
        // SAFETY: the observer of this run gave the address; its tracker lives as long as the observer, and nobody writes it now.
        unsafe {
            std::ptr::read(
                (self.tracker as *const u8)
                    .offset(Tracker::NODE as isize)
                    .cast(),
            )
        }
    }

    /// Interprets up to a jump; whether a stop was reached.
    fn interpret_stretch<B: Memories, O: Observer>(
        &mut self,
        core: &mut Core,
        bus: &mut B,
        model: &mut M,
        observer: &mut O,
        cycle: &mut u64,
    ) -> bool {
        loop {
            let next = next_address(core);
            self.interpret(core, bus, model, observer, cycle);
            if *cycle >= bus.deadline() || observer.stop() || core.program_counter() != next {
                return false;
            }
            if self.run_stops.contains(&next) {
                return true;
            }
        }
    }

    fn interpret_until<B: Memories, O: Observer>(
        &mut self,
        core: &mut Core,
        bus: &mut B,
        model: &mut M,
        observer: &mut O,
        cycle: &mut u64,
    ) -> bool {
        while *cycle < bus.deadline() && !observer.stop() {
            self.interpret(core, bus, model, observer, cycle);
            if self.run_stops.contains(&core.program_counter()) {
                return true;
            }
        }
        false
    }

    #[inline]
    fn interpret<B: Memories, O: Observer>(
        &mut self,
        core: &mut Core,
        bus: &mut B,
        model: &mut M,
        observer: &mut O,
        cycle: &mut u64,
    ) {
        self.statistics.interpreted += 1;
        self.serve_again = self.tracker != 0 && self.stops.contains(&core.program_counter());
        *cycle += if self.regions_matter {
            let mut learning = Learning::new(observer, &mut self.seen);
            step(core, bus, model, &mut learning, *cycle).cycles
        } else {
            step(core, bus, model, observer, *cycle).cycles
        };
    }

    /// Catches up with changes of the map, of memory pages and of code.
    fn keep_up<B: Memories>(&mut self, bus: &mut B) {
        if bus.space().code_was_written() {
            let writes = bus.space_mut().take_code_writes();
            let mut stale = vec![];
            for (memory, offset, bytes) in writes {
                stale.extend(self.translations.overlapping(memory, offset, bytes));
            }
            for key in stale {
                self.invalidate(key);
            }
        }
        let epoch = bus.space().epoch();
        if self.epoch == Some(epoch) {
            return;
        }
        if self.regions != bus.space().map().regions() {
            self.forget(bus);
            self.regions = bus.space().map().regions().to_vec();
            self.costs = Costs::new(self.regions.iter().map(|region| region.cost).collect());
        }
        self.granules.clear();
        self.epoch = Some(bus.space().epoch());
    }

    /// Forgets all translations.
    fn forget<B: Memories>(&mut self, bus: &mut B) {
        bus.space_mut().forget_code();
        self.translations.clear();
        self.entries.clear();
        self.exits.clear();
        self.arena.truncate(self.kept);
        self.statistics.flushes += 1;
    }

    fn invalidate(&mut self, key: u64) {
        if let Some(removed) = self.translations.remove(key) {
            self.entries.remove(key);
            for slot in removed.incoming {
                self.exits.chain(slot, 0);
            }
            self.heat.cool(removed.address);
            self.statistics.invalidations += 1;
        }
    }

    /// The code for where the core is, translated now if it has become hot.
    fn code_at<B: Memories, O: Observer>(
        &mut self,
        core: &Core,
        bus: &mut B,
        model: &M,
        observer: &mut O,
    ) -> Option<u64> {
        let set = core.instruction_set();
        let address = core.program_counter();
        if set.width().align(address) != address {
            return None;
        }
        let state = self.states.index(&model.foresight().model)?;
        let key = self.key(bus, address, set, state);
        if let Some(code) = self.entries.get(key) {
            return Some(code);
        }
        if let Some(code) = self.translations.code(key) {
            self.entries.set(key, code);
            return Some(code);
        }
        if !self.heat.warm(address) {
            return None;
        }
        self.translate(key, (address, set, state), bus, core, observer)
    }

    /// The name of an entry.
    fn key<B: Memories>(
        &self,
        bus: &B,
        address: u32,
        set: InstructionSet,
        state: StateIndex,
    ) -> u64 {
        let region = if self.regions_matter {
            bus.region(address)
        } else {
            RegionIndex::UNMAPPED
        };
        entries::key(address, set, state, self.mode, region)
    }

    fn translate<B: Memories, O: Observer>(
        &mut self,
        key: u64,
        (address, set, state): (u32, InstructionSet, StateIndex),
        bus: &mut B,
        core: &Core,
        observer: &mut O,
    ) -> Option<u64> {
        let Some(plan) = Plan::new(bus, set, address, &self.stops, self.translations.long()) else {
            self.heat.freeze(address);
            return None;
        };
        if self.exits.len() > EXITS_MAX {
            self.forget(bus);
        }
        let guess = bus.region(core.register(STACK));
        for retry in [true, false] {
            let region_of = |address| bus.region(address);
            let facts = Facts {
                costs: &self.costs,
                region_of: &region_of,
                seen: self.seen.regions(),
                guess,
                regions_matter: self.regions_matter,
                mode: self.mode,
                profile: match observer.translation() {
                    Translation::Profile(shared) => Some(ProfileFacts {
                        counting: shared.counting,
                        functions: shared.functions,
                    }),
                    _ => None,
                },
            };
            let code = self.compiler.translate(
                &plan,
                &mut self.states,
                &mut self.exits,
                &facts,
                state,
                &mut self.arena,
            );
            match code {
                Some(code) => {
                    self.statistics.translations += 1;
                    self.statistics.translated_instructions += plan.instructions.len() as u64;
                    self.translations.add(key, code, &plan, bus.space_mut());
                    self.entries.set(key, code);
                    self.statistics.code_bytes = self.arena.used() as u64;
                    // Watching code may have closed granules for writing.
                    self.keep_up(bus);
                    return Some(code);
                }
                None if retry => self.forget(bus),
                None => {}
            }
        }
        self.heat.freeze(address);
        None
    }

    /// Runs translated code, and chains it on, until it comes to something that it cannot do.
    fn execute<B: Memories, O: Observer>(
        &mut self,
        core: &mut Core,
        bus: &mut B,
        model: &mut M,
        observer: &mut O,
        cycle: &mut u64,
        code: u64,
    ) -> Return {
        let Foresight {
            fractions, owed, ..
        } = model.foresight();
        let cycles = (bus.deadline() - *cycle).min(CYCLES_MAX);
        let granted = cycles * fractions - owed;
        let context = self.granules.context();
        // SAFETY: the context is the first page of the table's mapping, used by nobody else now.
        let shared = unsafe { &mut *context };
        if !shared.take(core) {
            return Return::Interpret(None);
        }
        shared.entries = self.entries.address();
        shared.tracker = self.tracker;
        shared.lines = u8::from(bus.irq()) | u8::from(bus.fiq()) << 1;
        // SAFETY: `code` was made by this translator for the bus's present map and is still in the arena; it reads and
        // writes the context, the tables and the guest's memory by pointers that are right for the present epoch.
        let left = unsafe { (self.enter)(code, context, granted as i64) };
        // SAFETY: as above; the code has returned.
        let shared = unsafe { &*context };
        self.statistics.entered += 1;
        let mut used = owed + (granted as i64 - left) as u64;
        let (exit, set, region) = self.exits.get(shared.exit).clone();
        let mut function = None;
        let (address, set, result) = match exit {
            Exit::Left {
                address,
                state,
                function: of,
                cell,
            } => {
                self.statistics.left += 1;
                model.take_over(&self.states.model(state).clone(), 0);
                function = Some(of);
                (address, set, Return::Interpret(cell))
            }
            Exit::Access {
                address,
                state,
                direction,
            } => {
                self.statistics.refused_accesses += 1;
                model.take_over(&self.states.model(state).clone(), 0);
                let wanted = shared.exit_address;
                let for_writing = direction == Direction::Write;
                self.granules
                    .fill(wanted, for_writing, |address, for_writing| {
                        bus.space_mut().granule(address, for_writing)
                    });
                (address, set, Return::Interpret(None))
            }
            Exit::Deadline { address, state } => {
                self.statistics.deadlines += 1;
                model.take_over(&self.states.model(state).clone(), 0);
                (address, set, Return::UntilDeadline)
            }
            Exit::Known {
                address,
                state,
                slot,
            } => {
                model.take_over(&self.states.model(state).clone(), 0);
                let key = self.key(bus, address, set, state);
                if let Some(code) = self.translations.chain(key, slot) {
                    self.exits.chain(slot, code);
                }
                (address, set, Return::Arrived)
            }
            Exit::Computed {
                set,
                model: mut ahead,
            } => {
                let address = shared.exit_address;
                let fetch = self.costs.cost(bus.region(address));
                ahead.refill(&fetch, set.width());
                used += ahead.end();
                model.take_over(&ahead, 0);
                (address, set, Return::Arrived)
            }
            Exit::Arrived {
                set,
                model: mut ahead,
                cost,
            } => {
                let address = shared.exit_address;
                let fetch = self.costs.cost(bus.region(address));
                ahead.refill(&fetch, set.width());
                let difference = ahead.end().wrapping_sub(cost);
                used = used.wrapping_add(difference);
                if self.mode == Mode::Counting {
                    // SAFETY: the context that translated code has just left is one of the observer's, and has a line for this region.
                    unsafe {
                        let line = (shared.left_node as *mut u8)
                            .offset(NodePointer::code_offset(region) as isize);
                        let cycles = line.cast::<u64>().add(1);
                        *cycles = (*cycles).wrapping_add(difference);
                    }
                }
                model.take_over(&ahead, 0);
                (address, set, Return::Arrived)
            }
        };
        shared.give(core, address, set);
        *cycle += used / fractions;
        observer.ran(used / fractions, function.unwrap_or(address), region);
        let ahead = model.foresight().model;
        model.take_over(&ahead, used % fractions);
        result
    }
}

/// Exits, at most: more are a sign of code that is made again and again.
const EXITS_MAX: usize = 1 << 20;

/// What the frames of the function around an address are filtered with.
fn filter_of<O: Observer>(observer: &mut O, address: u32) -> u64 {
    match observer.translation() {
        Translation::Profile(shared) => {
            u64::from(filter_constant(shared.functions.range_of(address).2))
        }
        _ => 0,
    }
}

fn next_address(core: &Core) -> u32 {
    core.program_counter()
        .wrapping_add(core.instruction_set().width().bytes())
}

fn interrupt_is_due<B: Bus>(core: &Core, bus: &B) -> bool {
    let status = core.status();
    bus.fiq() && !status.fiq_disabled || bus.irq() && !status.irq_disabled
}
