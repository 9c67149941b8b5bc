//! The last steps before a place, for going back one by one.

use super::conditions::Conditions;
use super::course::SoMany;
use super::error::HistoryError;
use super::keyframes::Keyframe;
use super::place::Place;
use super::track::{Track, restore};
use super::watcher::{Counted, Watcher};
use socscope_core::Unobserved;
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
        match known {
            Some(place) => self.walk(machine, place)?,
            None => self.look_back(machine, here)?,
        }
        Ok(true)
    }

    /// Finds the last step that begins before a place, and brings the machine there.
    pub(super) fn look_back(
        &mut self,
        machine: &mut Machine,
        end: Place,
    ) -> Result<(), HistoryError> {
        let begin = self.keyframes.first().place;
        let base = |cycles| Place::at(end.cycle.saturating_sub(cycles)).max(begin);
        self.approach(machine, base(CYCLES))?;
        let window = self.steps(machine, end)?;
        let found = window.before(end);
        self.window = Some(window);
        if let Some(place) = found {
            return self.walk(machine, place);
        }
        let (mut cycles, course) = (CYCLES, self.depart(machine).course.clone());
        while base(cycles) > begin {
            cycles = cycles.saturating_mul(WIDER);
            self.approach(machine, base(cycles))?;
            let (nothing, mut nobody) = (Conditions::none(), Unobserved);
            let from = Keyframe::of(machine);
            let mut watcher = Watcher::scanning(machine, &nothing, &mut nobody);
            course.follow(machine, end, &mut watcher)?;
            if let Some(step) = watcher.last_step() {
                return self.stand(machine, &from, step);
            }
        }
        self.go(machine, begin)
    }

    /// Brings the machine to a place that was counted by a search from `from` on.
    pub(super) fn stand(
        &mut self,
        machine: &mut Machine,
        from: &Keyframe,
        place: Counted,
    ) -> Result<(), HistoryError> {
        if machine.cores() > 1 {
            restore(machine, from)?;
            let (course, end) = (self.depart(machine).course.clone(), self.end(machine));
            if place.steps > 0 {
                let mut so_many = SoMany::new(place.steps);
                course.follow(machine, end, &mut so_many)?;
            }
            return Ok(());
        }
        self.approach(machine, Place::at(place.cycle))?;
        let (course, end) = (self.depart(machine).course.clone(), self.end(machine));
        for _ in 0..place.steps {
            course.step(machine, end)?;
        }
        Ok(())
    }

    /// Goes through all steps from where the machine stands to `end`.
    fn steps(&mut self, machine: &mut Machine, end: Place) -> Result<Window, HistoryError> {
        let course = self.depart(machine).course.clone();
        let base = Keyframe::of(machine);
        let mut places = vec![];
        let mut here = base.place;
        // A sleeping core may have been met in the middle of its sleep, where no step begins.
        if !machine.all_stopped() && here < end {
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
