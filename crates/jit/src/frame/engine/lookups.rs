//! A timing model that looks accesses up, while translated code runs.

use super::Translator;
use super::services::Parts;
use crate::frame::adapter::Adapter;
use crate::frame::context::{Common, Context};
use crate::frame::emit::{LookupFacts, finders};
use crate::frame::told::Told;
use crate::memories::Memories;
use socscope_isa::{LineTable, Lookup, StaticCycleModel};
use socscope_memory::{AccessCost, AddressMap, Direction, RegionIndex, Target, Width};

/// Leaves the address of the helper here.
pub(super) fn lead_to<A: Adapter, B: Memories, M: StaticCycleModel<A::Class>>(common: &mut Common) {
    type Tell<A> = unsafe extern "C" fn(*mut Context<A>, u32, u32) -> u64;
    common.tell_model_helper = tell_model::<A, B, M> as Tell<A> as usize as u64;
}

/// What code looks up of a model; `None` when there is nothing.
pub(super) fn tables<C, M: StaticCycleModel<C>>(model: &mut M) -> Option<[LineTable; 3]> {
    model.lookups().map(|lookups| lookups.tables())
}

/// The same for the code of a translator.
pub(super) fn facts<C, M: StaticCycleModel<C>>(model: &mut M) -> Option<LookupFacts> {
    let fractions = model.ahead_of_time().fractions;
    let tables = tables(model)?;
    Some(LookupFacts { tables, fractions })
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Translator<A, M> {
    /// Makes helpers that find what a model holds, before any code.
    pub(super) fn make_finders(&mut self, model: &mut M) {
        let Some(lookups) = model.lookups() else {
            return;
        };
        if self.helpers.find.is_none() && self.arena.used() == self.kept {
            self.helpers.find = finders(&mut self.compiler, &mut self.arena, lookups);
            self.kept = self.arena.used();
        }
    }
}

/// Whether accesses to all memories are looked up, if any are: code knows no others.
pub(super) fn fits<C, M: StaticCycleModel<C>>(model: &mut M, map: &AddressMap) -> bool {
    let Some(lookups) = model.lookups() else {
        return true;
    };
    (0..).zip(map.regions()).all(|(number, region)| {
        let is_memory = matches!(region.target, Target::Memory { .. });
        !is_memory || !region.is_of(map.looking()) || lookups.looks_up(RegionIndex(number))
    })
}

/// Code is about to run.
pub(super) fn lend<C, M: StaticCycleModel<C>>(model: &mut M, common: &mut Common) {
    common.model = std::ptr::from_mut(model) as u64;
    if let Some(lookups) = model.lookups() {
        common.lookups = lookups.places();
        common.found = [0; 3];
        common.fetching = lookups.fetching();
    }
}

/// Code has run.
pub(super) fn give_back<C, M: StaticCycleModel<C>>(model: &mut M, common: &Common) {
    if let Some(lookups) = model.lookups() {
        lookups.found(common.found, common.fetching);
    }
}

/// Tells the model what an instruction did at an address on the bus; fractions of cycles that it waits beside what code knows.
///
/// # Safety
/// `context` is the one that the code was entered with.
unsafe extern "C" fn tell_model<A: Adapter, B: Memories, M: StaticCycleModel<A::Class>>(
    context: *mut Context<A>,
    address: u32,
    told: u32,
) -> u64 {
    // SAFETY: as above.
    let parts = unsafe { Parts::<A, B>::of(context) };
    // SAFETY: nothing else refers to the context while the code runs, and the engine uses the model for nothing else until it returns.
    let (common, model) = unsafe {
        let common = &mut (*context).common;
        let model = &mut *(common.model as *mut M);
        (common, model)
    };
    know_again(common, model);
    let access = |model: &mut M, lookup, address| {
        let region = parts.bus.region(address);
        let direction = match lookup {
            Lookup::Fetch => return model.fetched(address, region),
            Lookup::Read => Direction::Read,
            Lookup::Write => Direction::Write,
        };
        let cost = parts.bus.cost(region);
        model.data_at(address, region, cost, Width::Word, direction);
    };
    let mut paid = 0;
    match Told::of(told) {
        Told::Counted(lookup) => {
            let place = lookup as usize;
            common.found[place] = common.found[place].wrapping_sub(1);
            access(model, lookup, address);
            paid = tables(model).map_or(0, |tables| u64::from(tables[place].cycles));
        }
        Told::Words(lookup, count) => {
            (0..count).for_each(|number| access(model, lookup, address + 4 * number));
        }
        Told::Line(operation) => {
            let region = parts.bus.region(address);
            model.line_operation(operation, address, region);
        }
    }
    (taken(common, model) - paid) * common.fractions
}

/// The model learns what code has noted for it.
fn know_again<C, M: StaticCycleModel<C>>(common: &Common, model: &mut M) {
    if let Some(lookups) = model.lookups() {
        lookups.found([0; 3], common.fetching);
    }
}

/// Code learns what the model was told; cycles that the instruction waits.
fn taken<C, M: StaticCycleModel<C>>(common: &mut Common, model: &mut M) -> u64 {
    let Some(lookups) = model.lookups() else {
        return 0;
    };
    common.fetching = lookups.fetching();
    lookups.take_stall()
}

/// What an instruction waits that accesses a device.
pub(super) struct Stall {
    /// The cycle of the access, as far as that is known ahead.
    cycle: u64,
    /// Cycles that the fetch waits; `None` where nothing is looked up.
    fetch: Option<u64>,
}

impl Stall {
    /// Before the access, when nothing has changed yet.
    pub fn before<C, M: StaticCycleModel<C>, B: Memories>(
        common: &Common,
        model: &mut M,
        bus: &B,
    ) -> Stall {
        know_again(common, model);
        let place = common.accessing_bus;
        Stall {
            cycle: common.cycle_now(),
            fetch: model
                .lookups()
                .map(|lookups| lookups.fetch_cycles(place, bus.region(place))),
        }
    }

    /// The cycle of the access.
    pub fn transfers_at<C, M: StaticCycleModel<C>>(
        &self,
        model: &mut M,
        cost: &AccessCost,
        (width, direction): (Width, Direction),
    ) -> u64 {
        match (self.fetch, model.lookups()) {
            (Some(fetch), Some(lookups)) => {
                self.cycle + fetch + lookups.transfers_at(cost, width, direction)
            }
            _ => self.cycle,
        }
    }

    /// The access was made: the model is told of the whole instruction, and code of how long it waits.
    pub fn tell<C, M: StaticCycleModel<C>, B: Memories>(
        &self,
        common: &mut Common,
        model: &mut M,
        (bus, address): (&B, u32),
        (region, width, direction): (RegionIndex, Width, Direction),
    ) {
        if self.fetch.is_none() {
            return;
        }
        let place = common.accessing_bus;
        model.fetched(place, bus.region(place));
        model.data_at(address, region, bus.cost(region), width, direction);
        common.stalled = taken(common, model) * common.fractions;
    }
}
