//! What coming back teaches the engine, where regions are learnt.

use super::{Guest, Translator};
use crate::frame::adapter::Adapter;
use crate::frame::exits::Refill;
use crate::frame::learning::jump_from;
use crate::memories::Memories;
use crate::profile::Mode;
use crate::shared::NodePointer;
use socscope_isa::{CycleModel, StaticCycleModel};
use socscope_memory::{Direction, RegionIndex};

impl<A: Adapter, M: StaticCycleModel<A::Class>> Translator<A, M> {
    /// The timing model behind a jump that fills the pipeline from a region, and what that costs more than was paid.
    pub(super) fn refill_from(
        &self,
        refill: &Refill<M::Ahead>,
        (flavour, reached): (A::Flavour, RegionIndex),
    ) -> (M::Ahead, i64) {
        let mut model = refill.model.clone();
        let width = A::lengths(flavour)[0];
        model.refill(reached, &self.costs.cost(reached), width);
        let more = model.end() as i64 - refill.cost as i64;
        (model, more)
    }

    /// The calling context at an address, which a jump has left, pays for what it cost more; its code lies in a region.
    pub(super) fn charge(&self, node: u64, region: RegionIndex, more: i64) {
        if self.mode != Mode::Counting || more == 0 {
            return;
        }
        // SAFETY: the context that translated code has just left is one of the observer's, and has a line for this region.
        unsafe {
            let line = (node as *mut u8).offset(NodePointer::code_offset(region) as isize);
            let cycles = line.cast::<i64>().add(1);
            *cycles = (*cycles).wrapping_add(more);
        }
    }

    /// The instruction at an address in a region has jumped to another region without finding its code, which is found when one knows that it may be
    /// there.
    pub(super) fn learn_jump<B: Memories>(
        &mut self,
        bus: &B,
        (from, region): (u32, RegionIndex),
        reached: RegionIndex,
    ) {
        if self.regions_matter && reached != region {
            self.seen.note(jump_from(from), reached);
            if self.seen.miss(jump_from(from)) {
                self.make_again(bus, from);
            }
        }
    }

    /// The instruction at an address was refused an access: the table learns where that leads.
    pub(super) fn learn_access<B: Memories, O>(
        &mut self,
        guest: &mut Guest<A, B, M, O>,
        address: u32,
        (wanted, direction): (u32, Direction),
    ) {
        let for_writing = direction == Direction::Write;
        let known = if guest.bus.device_region(wanted).is_some() {
            let known = self.devices.contains(&address);
            self.refused(guest.bus, address);
            known
        } else {
            let Some(granules) = self.seats[guest.seat].tables.granules() else {
                return;
            };
            let known = granules.knows(wanted, for_writing);
            granules.fill(wanted, for_writing, |address, for_writing| {
                guest.bus.space_mut().granule(address, for_writing)
            });
            known
        };
        if known && self.regions_matter && self.seen.miss(address) {
            self.make_again(guest.bus, address);
        }
    }
}
