//! Finding the code of a place, and making it when the place is hot.

use super::{Guest, Translator};
use crate::Memories;
use crate::arm::compile::Facts;
use crate::arm::key;
use crate::arm::plan::{Bounds, Plan};
use crate::profile::ProfileFacts;
use crate::states::StateIndex;
use crate::translations::Made;
use socscope_arm::{InstructionSet, STACK};
use socscope_core::{ExecutionState, Observer, Translation};
use socscope_isa::StaticCycleModel;
use socscope_memory::{RegionIndex, Target};

/// Exits, at most: more are a sign of code that is made again and again.
const EXITS_MAX: usize = 1 << 20;

impl<M: StaticCycleModel<Ahead = M>> Translator<M> {
    /// The code for where the core is, translated now if it has become hot and may be made (`make`).
    pub(super) fn code_at<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<B, M, O>,
        make: bool,
    ) -> Option<u64> {
        let set = guest.core.instruction_set();
        let address = guest.address();
        if set.width().align(address) != address {
            return None;
        }
        let state = self.states.index(&guest.model.ahead_of_time().model)?;
        let key = self.key(guest.bus, address, set, state);
        if let Some(code) = self.entries.get(key) {
            return Some(code);
        }
        if let Some(code) = self.translations.code(key) {
            self.entries.set(key, code);
            return Some(code);
        }
        if !make || !self.heat.warm(address) {
            return None;
        }
        self.translate(key, (address, set, state), guest)
    }

    /// The name of an entry.
    pub(super) fn key<B: Memories>(
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
        key::key(address, set, state, self.mode, region)
    }

    fn translate<B: Memories, O: Observer>(
        &mut self,
        key: u64,
        (address, set, state): (u32, InstructionSet, StateIndex),
        guest: &mut Guest<B, M, O>,
    ) -> Option<u64> {
        let Guest {
            core,
            bus,
            observer,
            ..
        } = guest;
        let bus = &mut **bus;
        let bounds = Bounds {
            stops: &self.stops,
            apart: self.translations.long(),
            changes_mode: matches!(observer.translation(), Translation::Nothing),
        };
        let Some(plan) = Plan::new(bus, set, address, bounds) else {
            self.heat.freeze(address);
            return None;
        };
        if self.exits.len() > EXITS_MAX {
            self.forget(bus);
        }
        let guess = bus.region(core.register(STACK));
        for retry in [true, false] {
            let region_of = |address| bus.region(address);
            let is_memory = |region| {
                let region = bus.space().map().region(region);
                matches!(region.target, Target::Memory { .. })
            };
            let facts = Facts {
                costs: &self.costs,
                region_of: &region_of,
                seen: &self.seen,
                is_memory: &is_memory,
                guess,
                regions_matter: self.regions_matter,
                mode: self.mode,
                profile: match observer.translation() {
                    Translation::Profile(shared) => Some(ProfileFacts {
                        counting: shared.counting,
                        fractions: self.fractions,
                        functions: shared.functions,
                        state: ExecutionState::default(),
                    }),
                    _ => None,
                },
            };
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
                    let base = bus.space().map().region(plan.region).base;
                    let made = Made {
                        address: plan.start,
                        region: plan.region,
                        offsets: plan.instructions.keys().map(|address| address - base),
                        width: set.width(),
                        is_long: plan.is_long(),
                    };
                    self.translations.add(key, code, made, bus.space_mut());
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
}
