//! The engine: interprets what is cold, translates what is hot, and goes from one to the other.

mod making;
mod running;
mod upkeep;

use crate::arena::Arena;
use crate::compile::{Compiler, Enter};
use crate::entries::{Entries, Mode};
use crate::exits::Exits;
use crate::granules::Granules;
use crate::heat::Heat;
use crate::learning::{Learning, Seen};
use crate::states::{Costs, States};
use crate::statistics::Statistics;
use crate::targets::Targets;
use crate::translations::Translations;
use running::Return;
use socscope_interpreter::{Observer, Translation, step};
use socscope_isa::Foreseeable;
use socscope_isa::arm::Core;
use socscope_memory::{AddressSpace, Bus, Region};
use std::collections::BTreeSet;

/// Machine code, at most.
const ARENA_BYTES: usize = 32 << 20;

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
    targets: Targets,
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
    /// Address of the tracker of the profile that the translations are made for; 0 for none.
    tracker: u64,
    /// Its identity; 0 for none.
    identity: u64,
    mode: Mode,
    /// Fractions in a cycle, as the timing model counts.
    fractions: u64,
    /// An instruction was interpreted that a profile wants to see: it may want something else now.
    serve_again: bool,
    /// Whether code that reaches different regions has to be told apart.
    regions_matter: bool,
    statistics: Statistics,
}

// SAFETY: the pointers inside lead to memory that the translator owns; it is used by one thread at a time.
unsafe impl<M: Foreseeable + Send> Send for Translator<M> {}

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
            targets: Targets::new(),
            exits: Exits::new(),
            states: States::new(),
            translations: Translations::default(),
            heat: Heat::new(),
            seen: Seen::new(),
            regions: vec![],
            costs: Costs::new(vec![]),
            epoch: None,
            stops: BTreeSet::new(),
            run_stops: BTreeSet::new(),
            tracker: 0,
            identity: 0,
            mode: Mode::Plain,
            fractions: 1,
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
                    Return::Interpret { .. } if *cycle >= bus.deadline() => continue,
                    Return::Interpret { computed } => {
                        if self.run_stops.contains(&core.program_counter()) {
                            return;
                        }
                        self.interpret(core, bus, model, observer, cycle);
                        if computed && let Translation::Profile(shared) = observer.translation() {
                            self.targets.learn(core.program_counter(), shared.functions);
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
        self.fractions = model.foresight().fractions;
        self.regions_matter = model.depends_on_regions() || mode != Mode::Plain;
        if self.stops != stops || self.identity != identity {
            self.stops = stops;
            self.tracker = tracker;
            self.identity = identity;
            self.forget(bus);
        }
        true
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
}

fn next_address(core: &Core) -> u32 {
    core.program_counter()
        .wrapping_add(core.instruction_set().width().bytes())
}

fn interrupt_is_due<B: Bus>(core: &Core, bus: &B) -> bool {
    let status = core.status();
    bus.fiq() && !status.fiq_disabled || bus.irq() && !status.irq_disabled
}
