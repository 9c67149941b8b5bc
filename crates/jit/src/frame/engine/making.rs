//! Finding the code of a place, and making it when the place is hot.

use super::{Guest, Translator, lookups};
use crate::frame::adapter::Adapter;
use crate::frame::emit::Facts;
use crate::frame::key::{Flavour, key, key_part};
use crate::frame::plan::{Limits, Plan};
use crate::memories::Memories;
use crate::profile::ProfileFacts;
use crate::states::StateIndex;
use crate::translations::Made;
use socscope_core::{Core, Observer, Translation};
use socscope_isa::StaticCycleModel;
use socscope_memory::{AddressMap, RegionIndex, Target};

/// Exits, at most: more are a sign of code that is made again and again.
const EXITS_MAX: usize = 1 << 20;

impl<A: Adapter, M: StaticCycleModel<A::Class>> Translator<A, M> {
    /// The code for where the core is, translated now if it has become hot and may be made (`make`).
    pub(super) fn code_at<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<A, B, M, O>,
        flavour: A::Flavour,
        make: bool,
    ) -> Option<u64> {
        let state = self.states.index(&guest.model.ahead_of_time().model)?;
        let part = key_part::<A>(flavour, state, self.mode)?;
        let address = guest.address();
        let physical = self.physical(guest, flavour)?;
        let place = self.seats[guest.seat].place::<A, B>(guest.bus, physical);
        let key = key(address, place, part);
        if let Some(code) = self.entries.get(key) {
            return Some(code);
        }
        if let Some(code) = self.translations.code(key) {
            self.entries.set(key, code);
            return Some(code);
        }
        if !make {
            return None;
        }
        if let Some(code) = self.translations.revive(key, guest.bus.space_mut()) {
            self.entries.set(key, code);
            // Watching code may have closed pages for writing.
            self.keep_up(guest.bus);
            return Some(code);
        }
        if !self.heat.warm(address) {
            return None;
        }
        self.translate(key, (address, physical), (flavour, state), guest)
    }

    /// Where the next instruction is fetched from.
    pub(super) fn physical<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<A, B, M, O>,
        flavour: A::Flavour,
    ) -> Option<u32> {
        let address = guest.address();
        let parts = (&mut *guest.core, &mut *guest.mmu, &mut *guest.bus);
        self.seats[guest.seat].physical::<A, B>(parts, flavour, address)
    }

    /// Whether exceptions and their ends are the interpreter's, which tells the observer.
    pub(super) fn leaves_exceptions(&self) -> bool {
        self.exceptions_told && !A::TELLS_CHANGES
    }

    fn translate<B: Memories, O: Observer>(
        &mut self,
        key: u64,
        (address, physical): (u32, u32),
        (flavour, state): (A::Flavour, StateIndex),
        guest: &mut Guest<A, B, M, O>,
    ) -> Option<u64> {
        let limits = Limits {
            stops: &self.stops,
            apart: self.translations.long(),
            exceptions_told: self.leaves_exceptions(),
        };
        let bus = &mut *guest.bus;
        let plan = Plan::<A>::new(bus, flavour, (address, physical), &limits);
        let Some(plan) = plan else {
            self.heat.freeze(address);
            return None;
        };
        if self.exits.len() > EXITS_MAX {
            self.forget(bus);
        }
        let assumed = match A::LEARNS {
            true => bus.region(guest.core.stack_pointer()),
            false => largest_memory(bus.space().map()),
        };
        for retry in [true, false] {
            let region_of = |address| bus.region(address);
            let is_memory = |region| {
                let region = bus.space().map().region(region);
                matches!(region.target, Target::Memory { .. })
            };
            let facts = Facts {
                model: A::model(guest.core),
                flavour,
                costs: &self.costs,
                helpers: self.helpers,
                devices: &self.devices,
                leaves_exceptions: self.leaves_exceptions(),
                special_registers: &self.special_registers,
                assumed,
                seen: &self.seen,
                regions_matter: self.regions_matter,
                region_of: &region_of,
                is_memory: &is_memory,
                profile: match guest.observer.translation() {
                    Translation::Profile(shared) => Some(ProfileFacts {
                        counting: shared.counting,
                        fractions: self.fractions,
                        functions: shared.functions,
                        state: flavour.execution_state(),
                    }),
                    _ => None,
                },
                lookups: lookups::facts(guest.model),
            };
            let used_before = self.arena.used();
            let code = (self.compile)(
                &mut self.compiler,
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
                    self.statistics.code_bytes += (self.arena.used() - used_before) as u64;
                    let base = bus.space().map().region(plan.region).base;
                    let made = Made {
                        address: plan.start,
                        region: plan.region,
                        offsets: plan.units().map(|address| plan.on_bus(address) - base),
                        width: plan.unit(),
                        is_long: plan.is_long(),
                    };
                    self.translations.add(key, code, made, bus.space_mut());
                    self.entries.set(key, code);
                    // Watching code may have closed pages for writing.
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
}

/// The memory that most accesses probably reach.
fn largest_memory(map: &AddressMap) -> RegionIndex {
    let numbered = (0..).zip(map.regions());
    let memories = numbered.filter(|(_, region)| {
        region.is_of(map.looking())
            && matches!(region.target, Target::Memory { writable: true, .. })
    });
    let largest = memories.max_by_key(|(_, region)| region.size);
    largest.map_or(RegionIndex(0), |(number, _)| RegionIndex(number))
}
