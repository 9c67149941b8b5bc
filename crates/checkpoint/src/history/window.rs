//! The last steps before a place, for going back one by one.

use super::error::HistoryError;
use super::keyframes::Keyframe;
use super::place::Place;
use super::track::{Track, restore};
use socscope_machine::{Machine, ReplayError};

/// Cycles before a place that are looked at first: a few dozen instructions.
const CYCLES: u64 = 128;
/// How much further back is looked when no step began there: the core slept, or DMA held it up.
const WIDER: u64 = 8;

/// The steps between two places.
pub(super) struct Window {
    base: Keyframe,
    /// Where steps begin, in order.
    places: Vec<Place>,
    end: Place,
}

impl Window {
    /// The last step that begins before a place, when the window is sure to know it.
    fn before(&self, place: Place) -> Option<Place> {
        let behind = self.places.partition_point(|&one| one < place);
        let known = place <= self.end && behind > 0;
        known.then(|| self.places[behind - 1])
    }
}

impl Track {
    /// Brings the machine one step of the core back. At the beginning of the history it stays there, and that is `false`.
    pub fn back(&mut self, machine: &mut Machine) -> Result<bool, HistoryError> {
        self.depart(machine);
        let here = Place::of(machine);
        if here <= self.keyframes.first().place {
            return Ok(false);
        }
        let known = self.window.as_ref().and_then(|one| one.before(here));
        let place = match known {
            Some(place) => place,
            None => self.look_back(machine, here)?,
        };
        self.walk(machine, place)?;
        Ok(true)
    }

    /// Finds the last step that begins before a place.
    fn look_back(&mut self, machine: &mut Machine, end: Place) -> Result<Place, HistoryError> {
        let begin = self.keyframes.first().place;
        let mut cycles = CYCLES;
        loop {
            let base = Place::at(end.cycle.saturating_sub(cycles)).max(begin);
            self.approach(machine, base)?;
            let window = self.steps(machine, end)?;
            let found = window.before(end);
            self.window = Some(window);
            if let Some(place) = found {
                return Ok(place);
            }
            if base == begin {
                return Ok(begin);
            }
            cycles = cycles.saturating_mul(WIDER);
        }
    }

    /// Goes through all steps from where the machine stands to `end`.
    fn steps(&mut self, machine: &mut Machine, end: Place) -> Result<Window, HistoryError> {
        let course = self.depart(machine).course.clone();
        let base = Keyframe::of(machine);
        let mut places = vec![];
        let mut here = base.place;
        // A sleeping core may have been met in the middle of its sleep, where no step begins.
        if !machine.core_stopped() && here < end {
            places.push(here);
        }
        while here < end {
            course.step(machine, end)?;
            let next = Place::of(machine);
            if next == here {
                let (wanted, cycle) = (end.cycle, here.cycle);
                return Err(ReplayError::Missed { wanted, cycle }.into());
            }
            here = next;
            if here < end {
                places.push(here);
            }
        }
        Ok(Window { base, places, end })
    }

    /// Goes to a step of the window.
    fn walk(&mut self, machine: &mut Machine, place: Place) -> Result<(), HistoryError> {
        let Some(window) = self.window.as_ref().filter(|one| one.base.place <= place) else {
            return self.go(machine, place);
        };
        restore(machine, &window.base)?;
        let course = self.depart(machine).course.clone();
        while Place::of(machine) < place {
            course.step(machine, place)?;
        }
        Ok(())
    }
}
