//! Entering translated code, and coming back.

use super::{Guest, Translator, devices, following, lookups, services};
use crate::frame::adapter::Adapter;
use crate::frame::context::NO_REGION;
use crate::frame::exits::Exit;
use crate::frame::key::{key, key_part};
use crate::frame::tables::fetch_entry;
use crate::memories::Memories;
use crate::profile::{Mode, Ran, Targets};
use crate::states::StateIndex;
use socscope_core::Observer;
use socscope_isa::{AheadOfTime, StaticCycleModel};

/// Translated code runs for so many cycles, and fractions of cycles, at the latest, so that the budget fits its type.
const CYCLES_MAX: u64 = 1 << 40;
const FRACTIONS_MAX: u64 = 1 << 62;

/// The budget of code that may run for so many cycles: in fractions of cycles, and whole cycles.
pub(crate) fn budget(cycles: u64, fractions: u64) -> i64 {
    let fractions = fractions.max(1);
    let cycles = cycles.min(CYCLES_MAX).min(FRACTIONS_MAX / fractions);
    (cycles * fractions) as i64
}

/// Why translated code came back.
pub(crate) enum Return {
    /// Control goes on wherever the core is now.
    Arrived,
    /// The next instruction is the interpreter's.
    Interpret,
    /// The interpreter goes on until the deadline.
    UntilDeadline,
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Translator<A, M> {
    /// Runs translated code, and chains it on, until it comes to something that it cannot do.
    pub(super) fn execute<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<A, B, M, O>,
        code: u64,
    ) -> Return {
        let AheadOfTime {
            fractions, owed, ..
        } = guest.model.ahead_of_time();
        let due = A::due_cycle(guest.core);
        let deadline = guest.bus.deadline().min(due);
        let cycles = deadline.saturating_sub(*guest.cycle);
        let granted = budget(cycles, fractions) - owed as i64;
        let seat = &mut self.seats[guest.seat];
        A::follow(guest.core, guest.mmu, &mut seat.tables);
        seat.catch_up(guest.bus.space().epoch());
        seat.translations = std::ptr::from_ref(&self.translations);
        seat.entries = std::ptr::from_ref(&*self.entries);
        seat.stops = std::ptr::from_ref(&self.stops);
        seat.serve(self.mode);
        let targets = self.targets.each_ref().map(Targets::location);
        // A borrow behind this one would end the pointer.
        seat.targets = std::ptr::from_mut(&mut self.targets);
        let context = seat.tables.context::<A>();
        // SAFETY: the context is the first page of the tables' mapping, used by nobody else now.
        let shared = unsafe { &mut *context };
        A::take(shared.state_mut(), guest.core);
        let shared = &mut shared.common;
        shared.entries = self.entries.address();
        let waits = A::has_waiting_interrupt(guest.core, guest.bus);
        shared.waiting = u32::from(waits);
        shared.told = u32::from(self.exceptions_told);
        shared.heard = u32::from(self.specials_told);
        shared.core = std::ptr::from_mut(guest.core) as u64;
        shared.mmu = std::ptr::from_mut(guest.mmu) as u64;
        shared.bus = std::ptr::from_mut(guest.bus) as u64;
        shared.seat = std::ptr::from_mut(seat) as u64;
        services::lead_to::<A, B>(shared);
        devices::lead_to::<A, B, M, O>(shared);
        following::lead_to::<A, B, O>(shared);
        lookups::lead_to::<A, B, M>(shared);
        lookups::lend(guest.model, shared);
        shared.cycle = *guest.cycle;
        shared.fractions = fractions;
        shared.granted = granted + owed as i64;
        shared.observer = std::ptr::from_mut(guest.observer) as u64;
        shared.tracker = self.tracker;
        shared.targets = targets;
        shared.came_budget = granted;
        shared.came_region = NO_REGION;
        // SAFETY: `code` was made by this translator for the bus's present map and is still in the arena; it reads and
        // writes the context, the tables and the guest's memory by pointers that are right for the present epoch.
        let left = unsafe { (self.enter)(code, context, granted) };
        // SAFETY: as above; the code has returned.
        let context = unsafe { &*context };
        let shared = &context.common;
        self.statistics.entered += 1;
        lookups::give_back(guest.model, shared);
        let way = self.exits.get(shared.exit);
        let left = left - way.owed.spent as i64;
        if self.mode == Mode::Counting {
            let whole_cycles = |budget: i64| (shared.granted - budget) as u64 / fractions;
            let ran = Ran {
                executed: shared.executed,
                cycles: whole_cycles(left) - whole_cycles(shared.mark),
            };
            // SAFETY: the tracker is that of the observer whose translation this run is, and no code runs.
            unsafe { way.owed.settle(self.tracker, way.region, ran) };
        }
        let (exit, region, reason) = (way.exit.clone(), way.region, way.reason);
        let (mut flavour, mut function, mut refill) = (way.flavour, None, None);
        let (address, state, result) = match &exit {
            &Exit::Left {
                address,
                state,
                function: of,
            } => {
                self.statistics.left += 1;
                *self.statistics.left_for.of(reason) += 1;
                function = Some(of);
                (address, state, Return::Interpret)
            }
            &Exit::Access { address, state, .. } => {
                self.statistics.refused_accesses += 1;
                (address, state, Return::Interpret)
            }
            &Exit::Deadline { address, state } => {
                self.statistics.deadlines += 1;
                (address, state, Return::UntilDeadline)
            }
            &Exit::Known { address, state, .. } => {
                self.statistics.unchained += 1;
                (address, state, Return::Arrived)
            }
            Exit::Computed {
                state,
                flavour: of,
                refill: paid,
            } => {
                self.statistics.computed += 1;
                (flavour, refill) = (*of, paid.as_ref());
                (shared.exit_address, *state, Return::Arrived)
            }
            &Exit::Reached {
                address,
                state,
                function: of,
            } => {
                function = Some(of);
                (address, state, Return::Arrived)
            }
        };
        let (model, more) = match refill {
            None => (self.states.model(state).clone(), 0),
            Some(refill) => {
                let reached = guest.bus.region(address);
                let (model, more) = self.refill_from(refill, (flavour, reached));
                self.charge(shared.left_node, region, more);
                self.learn_jump(guest.bus, (refill.from, region), reached);
                (model, more)
            }
        };
        // Accesses to devices may have changed what was granted.
        let used = (shared.granted - left + more) as u64;
        A::give(context.state(), guest.core, address, flavour);
        *guest.cycle += used / fractions;
        guest.model.take_over(&model, used % fractions);
        let region = shared.last_region(left, region);
        let function = function.unwrap_or(address);
        guest.observer.ran(used / fractions, function, region);
        guest.let_look();
        let wanted = shared.exit_address;
        match exit {
            Exit::Known { slot, page, .. } => {
                self.chain(guest, state, (slot, page));
            }
            Exit::Access { direction, .. } if A::LEARNS => {
                self.learn_access(guest, address, (wanted, direction));
            }
            Exit::Access { .. } => {
                let flavour = A::flavour(guest.core);
                if let Some(place) = flavour.and_then(|flavour| self.physical(guest, flavour)) {
                    self.refused(guest.bus, place);
                }
            }
            _ => {}
        }
        result
    }

    /// Leads a slot to the code of where the core is now, if there is some.
    fn chain<B: Memories, O: Observer>(
        &mut self,
        guest: &mut Guest<A, B, M, O>,
        state: StateIndex,
        (slot, page): (usize, Option<usize>),
    ) -> Option<()> {
        // Nothing is looked for that the next run would not look for as well.
        if !guest.goes_on() || guest.is_interrupted() || self.stops.contains(&guest.address()) {
            return None;
        }
        let flavour = A::flavour(guest.core)?;
        let physical = self.physical(guest, flavour)?;
        let part = key_part::<A>(flavour, state, self.mode)?;
        let place = self.seats[guest.seat].place::<A, B>(guest.bus, physical);
        let key = key(guest.address(), place, part);
        let code = self.translations.chain(key, slot)?;
        self.exits.slots.set(slot, code);
        if let Some(page) = page {
            let entry = fetch_entry(guest.address(), physical);
            self.exits.slots.set(page, entry);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_whole_cycles_and_fits_its_type_for_each_ratio() {
        assert_eq!(budget(7, 3), 21);
        assert_eq!(budget(u64::MAX, 1), CYCLES_MAX as i64);
        for fractions in [2, 10, 1 << 22, (1 << 22) + 1, u64::from(u32::MAX)] {
            let granted = budget(u64::MAX, fractions);
            assert_eq!(granted % fractions as i64, 0);
            let cycles = granted / fractions as i64;
            assert!(
                (1 << 29..=1 << 40).contains(&cycles),
                "{fractions}: {cycles} cycles"
            );
        }
    }
}
