//! Finding the code of a place, and making it when the place is hot.

use super::{Guest, Translator};
use crate::memories::Memories;
use crate::powerpc::emit::{Emitter, Facts};
use crate::powerpc::flavour::{self, Flavour};
use crate::powerpc::plan::Plan;
use crate::states::StateIndex;
use crate::translations::Made;
use socscope_interpreter::Observer;
use socscope_isa::Foreseeable;
use socscope_isa::powerpc::{Class, Purpose, Translate};
use socscope_memory::Width;

/// Exits, at most: more are a sign of code that is made again and again.
const EXITS_MAX: usize = 1 << 20;

impl<M: Foreseeable<Class>> Translator<M> {
    /// The code for where the core is, translated now if it has become hot and may be made (`make`).
    pub(super) fn code_at<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<B, M, O>,
        flavour: Flavour,
        make: bool,
    ) -> Option<u64> {
        let state = self.states.index(&guest.model.foresight().model)?;
        let part = flavour.key_part(state)?;
        let address = guest.address();
        let physical = self.physical(guest, flavour)?;
        let key = flavour::key(address, physical, part);
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
        self.translate(key, (address, physical), (flavour, state), guest)
    }

    /// Where the next instruction is fetched from.
    pub(super) fn physical<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<B, M, O>,
        flavour: Flavour,
    ) -> Option<u32> {
        let address = guest.address();
        if !flavour.fetches_translated {
            return Some(address);
        }
        let seat = &mut self.seats[guest.seat];
        seat.follow(guest.mmu);
        let table = flavour.fetch_table();
        if let Some(physical) = seat.tables.fetch(table, address) {
            return Some(physical);
        }
        let physical = guest
            .mmu
            .translate(guest.core, guest.bus, address, Purpose::Fetch)
            .ok();
        seat.follow(guest.mmu);
        seat.tables.set_fetch(table, address, physical?);
        physical
    }

    fn translate<B: Memories, O: Observer>(
        &mut self,
        key: u64,
        (address, physical): (u32, u32),
        (flavour, state): (Flavour, StateIndex),
        guest: &mut Guest<B, M, O>,
    ) -> Option<u64> {
        let bus = &mut *guest.bus;
        let apart = self.translations.long();
        let plan = Plan::new(bus, flavour, (address, physical), &self.stops, apart);
        let Some(plan) = plan else {
            self.heat.freeze(address);
            return None;
        };
        if self.exits.len() > EXITS_MAX {
            self.forget(bus);
        }
        for retry in [true, false] {
            let facts = Facts {
                core: guest.core.model(),
                flavour,
                costs: &self.costs,
                helpers: self.helpers,
            };
            let (states, exits) = (&mut self.states, &mut self.exits);
            let code = self.compiler.translate(&mut self.arena, |builder, config| {
                Emitter::new(builder, &plan, states, exits, &facts, state).finish(config);
            });
            match code {
                Some(code) => {
                    self.statistics.translations += 1;
                    self.statistics.translated_instructions += plan.instructions.len() as u64;
                    self.statistics.code_bytes = self.arena.used() as u64;
                    let base = bus.space().map().region(plan.region).base;
                    let made = Made {
                        address: plan.start,
                        region: plan.region,
                        offsets: plan
                            .instructions
                            .keys()
                            .map(|address| plan.on_bus(*address) - base),
                        width: Width::Word,
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
