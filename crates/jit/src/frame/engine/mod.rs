//! The engine: interprets what is cold, translates what is hot, and goes from one to the other.

mod devices;
mod following;
mod guest;
mod learning;
mod lookups;
mod making;
mod memory_only;
mod running;
mod seat;
mod services;
mod upkeep;

pub(crate) use following::how as follow_how;
pub(crate) use guest::Guest;
pub(crate) use services::Parts;

use super::adapter::{Adapter, Stepped};
use super::compile::{Translate, translate};
use super::context::Context;
use super::emit::Helpers;
use super::exits::Exits;
use super::learning::{Learning, Seen};
use super::tables::REGIONS_MAX;
use crate::arena::Arena;
use crate::compiler::{Compiler, Enter};
use crate::entries::Entries;
use crate::heat::Heat;
use crate::memories::Memories;
use crate::profile::{Mode, Targets};
use crate::shared::Tracking;
use crate::states::{Costs, States};
use crate::statistics::Statistics;
use crate::translations::Translations;
use running::Return;
use seat::Seat;
use socscope_core::{Core, Observer, Translation};
use socscope_isa::{LineTable, StaticCycleModel};
use socscope_memory::Region;
use std::collections::{BTreeMap, BTreeSet};

/// Machine code, at most.
const ARENA_BYTES: usize = 32 << 20;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The bus's deadline came.
    Deadline,
    /// The observer asked for it, or the next instruction is at one of the stops.
    Stop,
    /// The core waits for an interrupt.
    Asleep,
    /// The core has given up: only a reset helps.
    GivenUp,
}

/// Translates the code of all cores of a machine for one timing model.
pub(crate) struct Translator<A: Adapter, M: StaticCycleModel<A::Class>> {
    compile: Translate<A, M::Ahead>,
    compiler: Compiler,
    arena: Arena,
    /// Bytes of the arena that never go away: the entrance, and the ways to the helpers.
    kept: usize,
    enter: Enter<Context<A>>,
    helpers: Helpers,
    entries: Box<Entries>,
    exits: Exits<A::Flavour, M::Ahead>,
    states: States<M::Ahead>,
    translations: Translations,
    heat: Heat,
    seen: Seen,
    seats: Vec<Seat>,
    /// The model of the cores that code is made for, and what it looks up of their timing models.
    model: Option<A::Model>,
    tables: Option<Option<[LineTable; 3]>>,
    /// The map that the translations were made for.
    regions: Vec<Region>,
    costs: Costs,
    epoch: Option<u64>,
    /// Addresses whose instructions are interpreted: those where a run stops, and those that a profile wants to see.
    stops: BTreeSet<u32>,
    run_stops: BTreeSet<u32>,
    /// What profiles with these functions have asked for: each run's finds the same anew.
    profile_stops: BTreeSet<u32>,
    /// The observer is told of exceptions and their ends, and of writes of special registers.
    exceptions_told: bool,
    specials_told: bool,
    /// Those that observers want to hear of, or are likely to.
    special_registers: Vec<u32>,
    mode: Mode,
    /// Address of the tracker of the core's profile.
    tracker: u64,
    /// What names the functions that translations were made for; 0 for none.
    functions: u64,
    /// Functions by computed address: see [`Context::targets`].
    targets: [Targets; 2],
    /// Whether regions that are learnt make a difference, to cycles or to counts.
    regions_matter: bool,
    /// An instruction was interpreted that a profile wants to see: it may want something else now.
    serve_again: bool,
    /// Places on the bus of instructions that access devices, and how often others were refused an access.
    devices: BTreeSet<u32>,
    refusals: BTreeMap<u32, u32>,
    /// Fractions in a cycle, as the timing model counts.
    fractions: u64,
    statistics: Statistics,
    /// What was made for one machine runs another one's next.
    machine_changed: bool,
}

// SAFETY: the pointers inside lead to memory that the translator owns; it is used by one thread at a time.
unsafe impl<A: Adapter, M: StaticCycleModel<A::Class> + Send> Send for Translator<A, M> where
    A::Model: Send
{
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Translator<A, M> {
    /// A translator; `None` when the host has no compiler for itself or refuses the memory.
    pub fn new() -> Option<Translator<A, M>> {
        let mut compiler = Compiler::new()?;
        let mut arena = Arena::new(ARENA_BYTES)?;
        let entrance = compiler.entrance(&mut arena)?;
        // SAFETY: the entrance was compiled with this very signature, and the arena outlives it.
        let enter = unsafe { std::mem::transmute::<u64, Enter<Context<A>>>(entrance) };
        let helpers = Helpers::new(&mut compiler, &mut arena)?;
        Some(Translator {
            helpers,
            kept: arena.used(),
            compile: translate,
            compiler,
            arena,
            enter,
            entries: Box::new(Entries::new()),
            exits: Exits::new(),
            states: States::new(),
            translations: Translations::new(),
            heat: Heat::new(),
            seen: Seen::new(),
            seats: vec![],
            model: None,
            tables: None,
            regions: vec![],
            costs: Costs::new(vec![]),
            epoch: None,
            stops: BTreeSet::new(),
            run_stops: BTreeSet::new(),
            profile_stops: BTreeSet::new(),
            exceptions_told: false,
            specials_told: false,
            special_registers: vec![],
            mode: Mode::Plain,
            tracker: 0,
            functions: 0,
            targets: [Targets::new(), Targets::new()],
            regions_matter: false,
            serve_again: false,
            devices: BTreeSet::new(),
            refusals: BTreeMap::new(),
            fractions: 1,
            statistics: Statistics::default(),
            machine_changed: false,
        })
    }

    /// How often code must be reached before it is translated; 1 translates at once.
    pub fn set_threshold(&mut self, times: u32) {
        self.heat.set_threshold(times);
    }

    /// What was done so far, for all cores.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The same, and begins to count anew.
    pub fn take_statistics(&mut self) -> Statistics {
        std::mem::take(&mut self.statistics)
    }

    /// The next run is one of another machine, whose cores may lie elsewhere, and its memory: of the same build, in any state.
    pub fn change_machine(&mut self) {
        self.machine_changed = true;
    }

    /// The machine has run without this translator, and who translated for it has heard of changes of its pages.
    pub fn forget_pages(&mut self) {
        for seat in &mut self.seats {
            seat.tables.clear();
        }
    }

    /// Runs a core: see [`translator`](crate::frame::translator).
    pub fn run<B: Memories, O: Observer>(
        &mut self,
        mut guest: Guest<A, B, M, O>,
        stops: &BTreeSet<u32>,
    ) -> Ended {
        let guest = &mut guest;
        self.run_stops.clone_from(stops);
        if std::mem::take(&mut self.machine_changed) {
            self.move_to(guest.bus);
        }
        let mut translates = self.serve(guest);
        let mut first = true;
        while guest.goes_on() {
            if !first && self.run_stops.contains(&guest.address()) {
                return Ended::Stop;
            }
            if !translates {
                first = false;
                if let Some(ended) = self.interpret(guest) {
                    return ended;
                }
                continue;
            }
            self.keep_up(guest.bus);
            if std::mem::take(&mut self.serve_again) {
                translates = self.serve(guest);
                continue;
            }
            // Where a run begins is chance: code is made for places that control comes to by itself.
            let make = !std::mem::take(&mut first) || self.heat.is_impatient();
            let ended = match self.enter(guest, make) {
                Some(Return::Arrived) => None,
                // The deadline may be right here: the instruction is then for the next run.
                Some(Return::Interpret) if !guest.goes_on() => None,
                // The core's own deadline may be here, and ask for nothing that is let through: nothing else looks for the stop then.
                Some(Return::Interpret | Return::UntilDeadline)
                    if self.run_stops.contains(&guest.address()) =>
                {
                    None
                }
                Some(Return::Interpret) => self.interpret(guest),
                Some(Return::UntilDeadline) => self.interpret_until(guest),
                None => self.interpret_stretch(guest),
            };
            if ended.is_some() {
                return ended.unwrap_or(Ended::Stop);
            }
        }
        guest.ended()
    }

    /// Runs the code of where the core is, if there is any and nothing else comes first.
    fn enter<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<A, B, M, O>,
        make: bool,
    ) -> Option<Return> {
        if guest.is_interrupted() || !guest.observer.follows(guest.address()) {
            return None;
        }
        let flavour = A::flavour(guest.core)?;
        let code = self.code_at(guest, flavour, make)?;
        Some(self.execute(guest, code))
    }

    /// Prepares for what the observer wants; false when it wants its hooks, costs depend on what is accessed, or the core is of another model or sees
    /// words in another byte order than the code that is made.
    fn serve<B: Memories, O: Observer>(&mut self, guest: &mut Guest<A, B, M, O>) -> bool {
        let model = A::model(guest.core);
        if guest.bus.order() != A::order(model) || *self.model.get_or_insert(model) != model {
            return false;
        }
        let tables = lookups::tables(guest.model);
        // Granules know nothing of what is looked up.
        if A::LEARNS && tables.is_some() {
            return false;
        }
        let map = guest.bus.space().map();
        if *self.tables.get_or_insert(tables) != tables || !lookups::fits(guest.model, map) {
            return false;
        }
        self.make_finders(guest.model);
        while self.seats.len() <= guest.seat {
            match Seat::new::<A>() {
                Some(seat) => self.seats.push(seat),
                None => return false,
            }
        }
        self.fractions = guest.model.ahead_of_time().fractions;
        let mut stops = self.run_stops.clone();
        let mut special_registers: &[u32] = &[];
        let (told, tracker, mode, functions) = match guest.observer.translation() {
            Translation::Impossible => return false,
            Translation::Nothing => (false, 0, Mode::Plain, 0),
            Translation::Exceptions(registers) => {
                special_registers = registers;
                (true, 0, Mode::Plain, 0)
            }
            Translation::Profile(shared) => {
                let mode = match shared.counting {
                    true => Mode::Counting,
                    false => Mode::Following,
                };
                let Some(tracking) = shared.tracking.downcast_ref::<Tracking>() else {
                    return false;
                };
                let functions = shared.functions.identity();
                if self.functions != functions {
                    self.profile_stops.clear();
                }
                self.profile_stops.extend(shared.stops);
                special_registers = shared.special_registers;
                stops.extend(&self.profile_stops);
                (true, tracking.address(), mode, functions)
            }
        };
        let depends = guest.model.depends_on_regions();
        let map = guest.bus.space().map();
        let many = mode == Mode::Counting && map.regions().len() > REGIONS_MAX;
        let differ = guest.model.tells_equal_regions_apart() || !map.is_single_cycle();
        if !A::LEARNS && (depends && differ || many) {
            return false;
        }
        self.regions_matter = A::LEARNS && (depends || mode != Mode::Plain);
        self.seats[guest.seat].regions_matter = self.regions_matter;
        (self.mode, self.tracker) = (mode, tracker);
        let likely = guest.core.linux();
        let likely = likely.map_or(&[][..], |linux| linux.task_registers());
        let known = self.special_registers.len();
        for &register in likely.iter().chain(special_registers) {
            if !self.special_registers.contains(&register) {
                self.special_registers.push(register);
            }
        }
        // At first there is no code that does not tell of them.
        let more = self.special_registers.len() != known && !self.translations.is_empty();
        self.specials_told = !special_registers.is_empty();
        let left_before = self.leaves_exceptions();
        self.exceptions_told = told;
        let leaves = self.leaves_exceptions() != left_before;
        if self.functions != functions || more || leaves || self.stops != stops {
            self.functions = functions;
            self.stops = stops;
            self.heat.thaw();
            self.forget(guest.bus);
        }
        true
    }

    /// Interprets up to a jump.
    fn interpret_stretch<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<A, B, M, O>,
    ) -> Option<Ended> {
        loop {
            let before = guest.address();
            let ended = self.interpret(guest);
            if ended.is_some() || !guest.goes_on() || !guest.is_behind(before) {
                return ended;
            }
            if self.run_stops.contains(&guest.address()) {
                return Some(Ended::Stop);
            }
        }
    }

    /// Interprets up to the deadline, or to the core's own.
    fn interpret_until<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<A, B, M, O>,
    ) -> Option<Ended> {
        let due = A::due_cycle(guest.core);
        while guest.goes_on() {
            if let Some(ended) = self.interpret(guest) {
                return Some(ended);
            }
            if self.run_stops.contains(&guest.address()) {
                return Some(Ended::Stop);
            }
            if *guest.cycle >= due {
                break;
            }
        }
        None
    }

    /// Interprets one instruction.
    #[inline]
    fn interpret<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<A, B, M, O>,
    ) -> Option<Ended> {
        self.statistics.interpreted += 1;
        self.serve_again |= self.mode != Mode::Plain && self.stops.contains(&guest.address());
        let Guest {
            core,
            mmu,
            bus,
            model,
            observer,
            cycle,
            ..
        } = guest;
        let Stepped { cycles, ended } = if self.regions_matter {
            let mut learning = Learning::new(*observer, &mut self.seen);
            A::step(core, mmu, *bus, *model, &mut learning, **cycle)
        } else {
            A::step(core, mmu, *bus, *model, *observer, **cycle)
        };
        **cycle += cycles;
        guest.let_look();
        ended
    }
}
