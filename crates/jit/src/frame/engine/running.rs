//! Entering translated code, and coming back.

use super::{Guest, Translator, devices, lookups, services};
use crate::frame::adapter::Adapter;
use crate::frame::context::NO_REGION;
use crate::frame::exits::Exit;
use crate::frame::key::{key, key_part};
use crate::frame::tables::fetch_entry;
use crate::memories::Memories;
use crate::profile::Targets;
use crate::states::StateIndex;
use socscope_core::Observer;
use socscope_isa::{AheadOfTime, StaticCycleModel};

/// A stretch of translated code ends after this many cycles at the latest, so that the budget fits its type.
pub(crate) const CYCLES_MAX: u64 = 1 << 40;

/// Why translated code came back.
pub(crate) enum Return {
    /// Control goes on wherever the core is now.
    Arrived,
    /// The next instruction is the interpreter's; whether the function that it leads to is to be known the next time.
    Interpret { computed: bool },
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
        let cycles = deadline.saturating_sub(*guest.cycle).min(CYCLES_MAX);
        let granted = (cycles * fractions) as i64 - owed as i64;
        let seat = &mut self.seats[guest.seat];
        A::follow(guest.mmu, &mut seat.tables);
        seat.catch_up(guest.bus.space().epoch());
        seat.translations = std::ptr::from_ref(&self.translations);
        seat.entries = std::ptr::from_ref(&*self.entries);
        seat.stops = std::ptr::from_ref(&self.stops);
        seat.serve(self.mode);
        let context = seat.tables.context::<A>();
        // SAFETY: the context is the first page of the tables' mapping, used by nobody else now.
        let shared = unsafe { &mut *context };
        A::take(shared.state_mut(), guest.core);
        let shared = &mut shared.common;
        shared.entries = self.entries.address();
        let waits = A::has_waiting_interrupt(guest.core, guest.bus);
        shared.waiting = u32::from(waits);
        shared.core = std::ptr::from_mut(guest.core) as u64;
        shared.mmu = std::ptr::from_mut(guest.mmu) as u64;
        shared.bus = std::ptr::from_mut(guest.bus) as u64;
        shared.seat = std::ptr::from_mut(seat) as u64;
        services::lead_to::<A, B>(shared);
        devices::lead_to::<A, B, M, O>(shared);
        lookups::lead_to::<A, B, M>(shared);
        lookups::lend(guest.model, shared);
        shared.cycle = *guest.cycle;
        shared.fractions = fractions;
        shared.granted = granted + owed as i64;
        shared.observer = std::ptr::from_mut(guest.observer) as u64;
        shared.tracker = self.tracker;
        shared.targets = self.targets.each_ref().map(Targets::location);
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
        // Accesses to devices may have changed what was granted.
        let used = (shared.granted - left) as u64;
        let (exit, region) = self.exits.get(shared.exit);
        let mut function = None;
        let (address, state, result) = match exit {
            Exit::Left {
                address,
                state,
                function: of,
                computed,
            } => {
                self.statistics.left += 1;
                function = Some(of);
                (address, state, Return::Interpret { computed })
            }
            Exit::Access { address, state } => {
                self.statistics.refused_accesses += 1;
                (address, state, Return::Interpret { computed: false })
            }
            Exit::Deadline { address, state } => {
                self.statistics.deadlines += 1;
                (address, state, Return::UntilDeadline)
            }
            Exit::Known { address, state, .. } => (address, state, Return::Arrived),
            Exit::Computed { state } => (shared.exit_address, state, Return::Arrived),
            Exit::Reached {
                address,
                state,
                function: of,
            } => {
                function = Some(of);
                (address, state, Return::Arrived)
            }
        };
        A::give(context.state(), guest.core, address);
        *guest.cycle += used / fractions;
        guest
            .model
            .take_over(&self.states.model(state).clone(), used % fractions);
        let region = shared.last_region(left, region);
        let function = function.unwrap_or(address);
        guest.observer.ran(used / fractions, function, region);
        match exit {
            Exit::Known { slot, page, .. } => {
                self.chain(guest, state, (slot, page));
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
        (slot, page): (usize, usize),
    ) -> Option<()> {
        // Nothing is looked for that the next run would not look for as well.
        if !guest.goes_on() || guest.is_interrupted() || self.stops.contains(&guest.address()) {
            return None;
        }
        let flavour = A::flavour(guest.core)?;
        let physical = self.physical(guest, flavour)?;
        let part = key_part(flavour, state, self.mode)?;
        let key = key(guest.address(), physical, part);
        let code = self.translations.chain(key, slot)?;
        self.exits.slots.set(slot, code);
        let entry = fetch_entry(guest.address(), physical);
        self.exits.slots.set(page, entry);
        Some(())
    }
}
