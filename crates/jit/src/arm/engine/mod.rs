//! The engine: interprets what is cold, translates what is hot, and goes from one to the other.

mod guest;
mod making;
mod running;
mod upkeep;

use crate::Memories;
use crate::arena::Arena;
use crate::arm::compile::{Translate, translate};
use crate::arm::context::Context;
use crate::arm::exits::Exits;
use crate::arm::granules::Granules;
use crate::arm::learning::{Learning, Seen};
use crate::compiler::{Compiler, Enter};
use crate::entries::Entries;
use crate::heat::Heat;
use crate::profile::{Mode, Targets};
use crate::shared::Tracking;
use crate::states::{Costs, States};
use crate::statistics::Statistics;
use crate::translations::Translations;
use guest::Guest;
use running::Return;
use socscope_arm::Core;
use socscope_arm::interpreter::step;
use socscope_core::{ExecutionState, Observer, Translation};
use socscope_isa::StaticCycleModel;
use socscope_memory::{Endianness, Region};
use std::collections::BTreeSet;

/// Machine code, at most.
const ARENA_BYTES: usize = 32 << 20;

/// Stands for an identity where an observer is told of exceptions, which the interpreter then takes.
const EXCEPTIONS_TOLD: u64 = u64::MAX;

/// Translates one core's code for one timing model.
pub struct Translator<M: StaticCycleModel> {
    compile: Translate<M>,
    compiler: Compiler,
    arena: Arena,
    /// Bytes of the arena that never go away: the entrance.
    kept: usize,
    enter: Enter<Context>,
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
unsafe impl<M: StaticCycleModel + Send> Send for Translator<M> {}

impl<M: StaticCycleModel<Ahead = M>> Translator<M> {
    /// A translator; `None` when the host has no compiler for itself or refuses the memory.
    pub fn new() -> Option<Translator<M>> {
        let mut compiler = Compiler::new()?;
        let mut arena = Arena::new(ARENA_BYTES)?;
        let entrance = compiler.entrance(&mut arena)?;
        // SAFETY: the entrance was compiled with this very signature, and the arena outlives it.
        let enter = unsafe { std::mem::transmute::<u64, Enter<Context>>(entrance) };
        Some(Translator {
            kept: arena.used(),
            compile: translate,
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
        let guest = &mut Guest {
            core,
            bus,
            model,
            observer,
            cycle,
        };
        if !self.serve(guest) {
            let Guest {
                core,
                bus,
                model,
                observer,
                cycle,
            } = guest;
            socscope_arm::interpreter::run(core, *bus, *model, *observer, cycle);
            return;
        }
        let mut first = true;
        while guest.goes_on() {
            self.keep_up(guest.bus);
            if std::mem::take(&mut self.serve_again) {
                self.serve(guest);
            }
            if !first && self.run_stops.contains(&guest.address()) {
                return;
            }
            // Where a run begins is chance: code is made for places that control comes to by itself.
            let make = !std::mem::take(&mut first) || self.heat.is_impatient();
            if !guest.interrupt_is_due()
                && guest.observer.follows(guest.address())
                && let Some(code) = self.code_at(guest, make)
            {
                match self.execute(guest, code) {
                    Return::Arrived => continue,
                    // The deadline may be right here: the instruction is then for the next run.
                    Return::Interpret { .. } if *guest.cycle >= guest.bus.deadline() => continue,
                    Return::Interpret { computed } => {
                        if self.run_stops.contains(&guest.address()) {
                            return;
                        }
                        self.interpret(guest);
                        if computed
                            && let Translation::Profile(shared) = guest.observer.translation()
                        {
                            let address = guest.core.program_counter();
                            let state = ExecutionState::default();
                            self.targets.learn(address, state, shared.functions);
                        }
                        continue;
                    }
                    Return::UntilDeadline => {
                        if self.interpret_until(guest) {
                            return;
                        }
                        continue;
                    }
                }
            }
            if self.interpret_stretch(guest) {
                return;
            }
        }
    }

    /// Prepares for what the observer wants; false when it wants its hooks, or the core sees words in another byte order than the code that is made.
    fn serve<B: Memories, O: Observer>(&mut self, guest: &mut Guest<B, M, O>) -> bool {
        if guest.bus.order() != Endianness::Little {
            return false;
        }
        let mut stops = self.run_stops.clone();
        let (tracker, identity, mode) = match guest.observer.translation() {
            Translation::Impossible => return false,
            Translation::Nothing => (0, 0, Mode::Plain),
            Translation::Exceptions => (0, EXCEPTIONS_TOLD, Mode::Plain),
            Translation::Profile(shared) => {
                stops.extend(shared.stops);
                let mode = if shared.counting {
                    Mode::Counting
                } else {
                    Mode::Following
                };
                let Some(tracking) = shared.tracking.downcast_ref::<Tracking>() else {
                    return false;
                };
                (tracking.address(), tracking.identity(), mode)
            }
        };
        self.mode = mode;
        self.fractions = guest.model.ahead_of_time().fractions;
        self.regions_matter = guest.model.depends_on_regions() || mode != Mode::Plain;
        if self.stops != stops || self.identity != identity {
            self.stops = stops;
            self.tracker = tracker;
            self.identity = identity;
            self.heat.thaw();
            self.forget(guest.bus);
        }
        true
    }

    /// Interprets up to a jump; whether a stop was reached.
    fn interpret_stretch<B: Memories, O: Observer>(&mut self, guest: &mut Guest<B, M, O>) -> bool {
        loop {
            let next = guest.next_address();
            self.interpret(guest);
            if !guest.goes_on() || guest.address() != next {
                return false;
            }
            if self.run_stops.contains(&next) {
                return true;
            }
        }
    }

    /// Interprets up to the deadline; whether a stop was reached.
    fn interpret_until<B: Memories, O: Observer>(&mut self, guest: &mut Guest<B, M, O>) -> bool {
        while guest.goes_on() {
            self.interpret(guest);
            if self.run_stops.contains(&guest.address()) {
                return true;
            }
        }
        false
    }

    #[inline]
    fn interpret<B: Memories, O: Observer>(&mut self, guest: &mut Guest<B, M, O>) {
        self.statistics.interpreted += 1;
        self.serve_again |= self.tracker != 0 && self.stops.contains(&guest.address());
        let Guest {
            core,
            bus,
            model,
            observer,
            cycle,
        } = guest;
        **cycle += if self.regions_matter {
            let mut learning = Learning::new(*observer, &mut self.seen);
            step(core, *bus, *model, &mut learning, **cycle).cycles
        } else {
            step(core, *bus, *model, *observer, **cycle).cycles
        };
    }
}
