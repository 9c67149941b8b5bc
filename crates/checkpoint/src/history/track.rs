//! One machine's way through time.

use super::course::Course;
use super::error::HistoryError;
use super::keyframes::{Keyframe, Keyframes};
use super::place::Place;
use super::window::Window;
use socscope_core::Unobserved;
use socscope_machine::{Machine, Moment};
use std::sync::Arc;

/// Cycles from which on a way is worth a state in its middle.
const FINE_CYCLES: u64 = 4096;

/// The present, while the machine stands in the past.
pub(super) struct Present {
    pub keyframe: Keyframe,
    pub course: Arc<Course>,
}

/// One machine's states, and its course up to the present.
pub(super) struct Track {
    pub keyframes: Keyframes,
    pub present: Option<Present>,
    pub window: Option<Window>,
    /// Where the history left the machine: elsewhere now, the user has moved or changed it.
    left_at: (Moment, usize),
}

impl Track {
    /// Begins with the machine's state.
    pub fn new(machine: &mut Machine, budget_bytes: usize) -> Track {
        Track {
            keyframes: Keyframes::new(Keyframe::of(machine), budget_bytes),
            present: None,
            window: None,
            left_at: (machine.moment(), machine.inputs().len()),
        }
    }

    /// Keeps the machine's state, at the present.
    pub fn keep(&mut self, machine: &mut Machine) {
        if Place::of(machine) > self.keyframes.last().place {
            self.keyframes.push(Keyframe::of(machine));
        }
    }

    /// Where the machine stood when the history left it.
    pub fn left_at(&self) -> Place {
        self.left_at.0.into()
    }

    /// Notes where the history leaves the machine.
    pub fn leave(&mut self, machine: &Machine) {
        self.left_at = (machine.moment(), machine.inputs().len());
    }

    /// Whether the machine stands in the past and was moved or changed there.
    pub fn changed(&self, machine: &Machine) -> bool {
        self.present.is_some() && self.left_at != (machine.moment(), machine.inputs().len())
    }

    /// Whether the machine stands where this history has never been.
    pub fn foreign(&self, machine: &Machine) -> bool {
        self.present.is_none() && Place::of(machine) < self.keyframes.last().place
    }

    /// Forgets what comes behind a place: from there on the machine takes another course.
    pub fn cut(&mut self, place: Place) {
        self.keyframes.cut(place);
        self.present = None;
        self.window = None;
    }

    /// Keeps the present, when the machine is about to leave it.
    pub fn depart(&mut self, machine: &mut Machine) -> &Present {
        self.present.get_or_insert_with(|| {
            self.window = None;
            Present {
                course: Arc::new(Course::of(machine)),
                keyframe: Keyframe::of(machine),
            }
        })
    }

    /// The place of the present.
    pub fn end(&self, machine: &Machine) -> Place {
        let present = self.present.as_ref();
        present.map_or(Place::of(machine), |present| present.keyframe.place)
    }

    /// Brings the machine back to the present as it was left.
    pub fn return_to_present(&mut self, machine: &mut Machine) -> Result<(), HistoryError> {
        if let Some(present) = self.present.take() {
            restore(machine, &present.keyframe)?;
        }
        Ok(())
    }

    /// Brings the machine to a place in the past, or the first one behind it.
    pub fn go(&mut self, machine: &mut Machine, place: Place) -> Result<(), HistoryError> {
        let present = self.depart(machine);
        let course = present.course.clone();
        if place >= present.keyframe.place {
            return restore(machine, &present.keyframe);
        }
        let nearest = self.keyframes.nearest(place);
        let here = Place::of(machine);
        if here > place || here < nearest.place {
            restore(machine, nearest)?;
        }
        course.follow(machine, place, &mut Unobserved)?;
        Ok(())
    }

    /// The same, leaving states on the way, each half as far from the place as the one before.
    pub fn approach(&mut self, machine: &mut Machine, place: Place) -> Result<(), HistoryError> {
        self.depart(machine);
        let nearest = self.keyframes.nearest(place);
        let mut gap = place.cycle.saturating_sub(nearest.place.cycle);
        while gap > FINE_CYCLES {
            gap /= 2;
            self.go(machine, Place::at(place.cycle - gap))?;
            self.keyframes.push_fine(Keyframe::of(machine));
        }
        self.go(machine, place)
    }
}

/// Brings a machine into a state of its history.
pub(super) fn restore(machine: &mut Machine, keyframe: &Keyframe) -> Result<(), HistoryError> {
    machine
        .restore(&keyframe.snapshot)
        .map_err(|reason| HistoryError::Restore {
            cycle: keyframe.place.cycle,
            reason: Box::new(reason),
        })
}
