//! Entering translated code, and coming back.

use super::{Guest, Translator};
use crate::Memories;
use crate::arm::context::NO_REGION;
use crate::arm::exits::Exit;
use crate::arm::learning;
use crate::profile::{Mode, Ran};
use crate::shared::NodePointer;
use socscope_arm::Core;
use socscope_core::Observer;
use socscope_isa::{AheadOfTime, StaticCycleModel};
use socscope_memory::{Direction, RegionIndex};

/// A stretch of translated code ends after this many cycles at the latest, so that the budget fits its type.
const CYCLES_MAX: u64 = 1 << 40;

/// Why translated code came back.
pub(super) enum Return {
    /// Control goes on wherever the core is now.
    Arrived,
    /// The next instruction is the interpreter's; whether the function that it leads to is to be known the next time.
    Interpret { computed: bool },
    /// The interpreter goes on until the deadline.
    UntilDeadline,
}

impl<M: StaticCycleModel<Ahead = M>> Translator<M> {
    /// Runs translated code, and chains it on, until it comes to something that it cannot do.
    pub(super) fn execute<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<B, M, O>,
        code: u64,
    ) -> Return {
        let Guest {
            core,
            bus,
            model,
            observer,
            cycle,
        } = guest;
        let bus = &mut **bus;
        let AheadOfTime {
            fractions, owed, ..
        } = model.ahead_of_time();
        let cycles = (bus.deadline() - **cycle).min(CYCLES_MAX);
        let granted = cycles * fractions - owed;
        let context = self.granules.context();
        // SAFETY: the context is the first page of the table's mapping, used by nobody else now.
        let shared = unsafe { &mut *context };
        if !shared.take(core) {
            return Return::Interpret { computed: false };
        }
        shared.entries = self.entries.address();
        shared.tracker = self.tracker;
        shared.targets = self.targets.location();
        shared.core = std::ptr::from_mut::<Core>(core) as u64;
        shared.granted = granted + owed;
        shared.came_budget = granted as i64;
        shared.came_region = NO_REGION;
        shared.translations = std::ptr::from_ref(&self.translations) as u64;
        shared.space = std::ptr::from_mut(bus.space_mut()) as u64;
        shared.lines = u8::from(bus.irq()) | u8::from(bus.fiq()) << 1;
        // SAFETY: `code` was made by this translator for the bus's present map and is still in the arena; it reads and
        // writes the context, the tables and the guest's memory by pointers that are right for the present epoch.
        let left = unsafe { (self.enter)(code, context, granted as i64) };
        // SAFETY: as above; the code has returned.
        let shared = unsafe { &*context };
        self.statistics.entered += 1;
        let way = self.exits.get(shared.exit);
        let left = left - way.owed.spent as i64;
        if self.mode == Mode::Counting {
            let whole_cycles = |budget: i64| (shared.granted as i64 - budget) as u64 / fractions;
            let ran = Ran {
                executed: shared.executed,
                cycles: whole_cycles(left) - whole_cycles(shared.mark),
            };
            // SAFETY: the tracker is that of the observer whose translation this run is, and no code runs.
            unsafe { way.owed.settle(self.tracker, way.region, ran) };
        }
        let mut used = owed + (granted as i64 - left) as u64;
        let (exit, set, region, reason) = (way.exit.clone(), way.set, way.region, way.reason);
        let mut function = None;
        let (address, set, result) = match exit {
            Exit::Left {
                address,
                state,
                function: of,
                computed,
            } => {
                self.statistics.left += 1;
                *self.statistics.left_for.of(reason) += 1;
                model.take_over(&self.states.model(state).clone(), 0);
                function = Some(of);
                (address, set, Return::Interpret { computed })
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
                let known = self.granules.knows(wanted, for_writing);
                self.granules
                    .fill(wanted, for_writing, |address, for_writing| {
                        bus.space_mut().granule(address, for_writing)
                    });
                if known && self.regions_matter && self.seen.miss(address) {
                    self.make_again(bus, address, region);
                }
                (address, set, Return::Interpret { computed: false })
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
                self.statistics.unchained += 1;
                model.take_over(&self.states.model(state).clone(), 0);
                let key = self.key(bus, address, set, state);
                if let Some(code) = self.translations.chain(key, slot) {
                    self.exits.chain(slot, code);
                }
                (address, set, Return::Arrived)
            }
            Exit::Computed {
                from,
                set,
                model: mut ahead,
            } => {
                self.statistics.computed += 1;
                let address = shared.exit_address;
                let reached = bus.region(address);
                ahead.refill(reached, &self.costs.cost(reached), set.width());
                used += ahead.end();
                model.take_over(&ahead, 0);
                self.learn_jump(bus, (from, region), address);
                (address, set, Return::Arrived)
            }
            Exit::Arrived {
                from,
                set,
                model: mut ahead,
                cost,
            } => {
                self.statistics.computed += 1;
                let address = shared.exit_address;
                let reached = bus.region(address);
                ahead.refill(reached, &self.costs.cost(reached), set.width());
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
                self.learn_jump(bus, (from, region), address);
                (address, set, Return::Arrived)
            }
        };
        shared.give(core, address, set);
        **cycle += used / fractions;
        let region = shared.last_region(left, region);
        observer.ran(used / fractions, function.unwrap_or(address), region);
        let ahead = model.ahead_of_time().model;
        model.take_over(&ahead, used % fractions);
        result
    }

    /// The instruction at an address in a region has jumped to another address without finding its code. Code in another region is found when one knows
    /// that it may be there.
    fn learn_jump<B: Memories>(&mut self, bus: &B, (from, region): (u32, RegionIndex), to: u32) {
        let reached = bus.region(to);
        if self.regions_matter && reached != region {
            self.seen.note(learning::jump_from(from), reached);
            if self.seen.miss(learning::jump_from(from)) {
                self.make_again(bus, from, region);
            }
        }
    }
}
