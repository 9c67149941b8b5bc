//! Back in time.

use super::History;
use super::arrival::{Arrival, Progress};
use super::conditions::{Accessor, Conditions, Hit};
use super::course::Course;
use super::error::HistoryError;
use super::keyframes::Keyframe;
use super::place::Place;
use super::track::{Track, restore};
use super::watcher::{Found, Watcher};
use super::world::World;
use socscope_core::Unobserved;
use socscope_machine::{Machine, Stop, Until};
use socscope_memory::Viewer;
use socscope_time::Instant;

/// Cycles between two calls of a progress function.
pub(super) const PROGRESS_CYCLES: u64 = 1_000_000;

impl History {
    /// Brings the machines to a time between the beginning of the history and the present: between two instructions, at the time or right behind.
    pub fn goto_time(&mut self, world: &mut World, time: Instant) -> Result<(), HistoryError> {
        let clock = world.machine().clock();
        // With several clocks the present need not be where a cycle of the first one begins.
        let is_present = !self.in_past() && time <= world.machine().now();
        let cycle = match is_present && time > self.present(world) {
            true => clock.cycles_at(time),
            false => clock.first_cycle_from(time),
        };
        self.goto_cycle(world, cycle)
    }

    /// The same with a core cycle of the machine in focus.
    pub fn goto_cycle(&mut self, world: &mut World, cycle: u64) -> Result<(), HistoryError> {
        self.note(world);
        let clock = world.machine().clock();
        let (asked, begin, present) = (
            clock.instant_of(cycle),
            self.begin(world),
            self.present(world),
        );
        if asked < begin {
            return Err(HistoryError::BeforeBegin { asked, begin });
        }
        if asked > present {
            return Err(HistoryError::BehindPresent { asked, present });
        }
        let (track, machine) = self.focus(world);
        track.go(machine, Place::at(cycle))?;
        self.arrive(world)
    }

    /// Brings the machines to the present as they left it.
    pub fn to_present(&mut self, world: &mut World) -> Result<(), HistoryError> {
        self.note(world);
        self.all_to_present(world)
    }

    /// Goes back by one step of the core in focus: an instruction or the entry of an exception. Gives [`Arrival::There`] or [`Arrival::Begin`].
    pub fn reverse_step(&mut self, world: &mut World) -> Result<Arrival, HistoryError> {
        self.note(world);
        let (track, machine) = self.focus(world);
        let moved = track.back(machine)?;
        self.arrive(world)?;
        Ok(if moved {
            Arrival::There
        } else {
            Arrival::Begin
        })
    }

    /// Goes back to the last place where a condition was met: before the instruction at a breakpoint, before an access that is watched.
    /// Without one it goes to the beginning of the history.
    pub fn reverse_continue(
        &mut self,
        world: &mut World,
        conditions: &Conditions,
        progress: Progress,
    ) -> Result<Arrival, HistoryError> {
        self.note(world);
        let (track, machine) = self.focus(world);
        let arrival = track.last_hit(machine, conditions, progress)?;
        self.arrive(world)?;
        Ok(arrival)
    }

    /// The machine in focus and its track.
    pub(super) fn focus<'a>(
        &'a mut self,
        world: &'a mut World,
    ) -> (&'a mut Track, &'a mut Machine) {
        (
            &mut self.tracks[world.focus],
            &mut world.machines[world.focus],
        )
    }

    /// The other machines follow the one in focus to its time; all are in the present when that one is.
    pub(super) fn arrive(&mut self, world: &mut World) -> Result<(), HistoryError> {
        let (track, machine) = self.focus(world);
        if Place::of(machine) >= track.end(machine) {
            return self.all_to_present(world);
        }
        let now = world.now();
        for (index, (track, machine)) in self
            .tracks
            .iter_mut()
            .zip(world.machines.iter_mut())
            .enumerate()
        {
            if index != world.focus {
                track.go(machine, Place::at(machine.clock().first_cycle_from(now)))?;
            }
        }
        if let Some(lock_step) = world.lock_step {
            lock_step.forget_delivered(world.machines);
        }
        for (track, machine) in self.tracks.iter_mut().zip(world.machines.iter_mut()) {
            said_before(machine);
            track.leave(machine);
        }
        Ok(())
    }

    fn all_to_present(&mut self, world: &mut World) -> Result<(), HistoryError> {
        for (track, machine) in self.tracks.iter_mut().zip(world.machines.iter_mut()) {
            track.return_to_present(machine)?;
            track.leave(machine);
        }
        Ok(())
    }
}

/// What the guest says on its way was said before: nobody is told again.
fn said_before(machine: &mut Machine) {
    let ports: Vec<String> = machine.ports().into_iter().map(String::from).collect();
    for port in ports {
        // The port exists.
        let _ = machine.take_serial_output(&port);
    }
}

/// Whether a condition may be met up to a place. The search for breakpoints alone runs translated; the machine then stands at the first one.
fn may_hit(
    course: &Course,
    machine: &mut Machine,
    conditions: &Conditions,
    end: Place,
) -> Result<bool, HistoryError> {
    let core = machine.turn() as u16;
    if !conditions.watchpoints.is_empty() || conditions.breaks(core, machine.pc()) {
        return Ok(true);
    }
    let start = Keyframe::of(machine);
    let until = conditions.until(Until::time(Instant::FOREVER));
    match course.run(machine, end, &until, &mut Unobserved)? {
        Stop::Time => Ok(false),
        Stop::Address(_) => Ok(true),
        _ => restore(machine, &start).map(|()| true),
    }
}

impl Track {
    /// Goes to the last hit before the place where the machine stands.
    fn last_hit(
        &mut self,
        machine: &mut Machine,
        conditions: &Conditions,
        progress: Progress,
    ) -> Result<Arrival, HistoryError> {
        let course = self.depart(machine).course.clone();
        let here = Place::of(machine);
        let mut end = here;
        while let Some(start) = self.keyframes.before(end) {
            restore(machine, start)?;
            let begin = start.place;
            if !may_hit(&course, machine, conditions, end)? {
                end = begin;
                if progress(machine.now()).is_break() {
                    self.go(machine, here)?;
                    return Ok(Arrival::Interrupted);
                }
                continue;
            }
            let mut nobody = Unobserved;
            let from = Keyframe::of(machine);
            let mut watcher = Watcher::scanning(machine, conditions, &mut nobody);
            while Place::of(machine) < end {
                let next = Place::at(machine.cycle().saturating_add(PROGRESS_CYCLES)).min(end);
                course.follow(machine, next, &mut watcher)?;
                if progress(machine.now()).is_break() {
                    self.go(machine, here)?;
                    return Ok(Arrival::Interrupted);
                }
            }
            if let Some(found) = watcher.last() {
                return self.stand_before(machine, &from, found);
            }
            end = begin;
        }
        let begin = self.keyframes.first().place;
        self.go(machine, begin)?;
        Ok(Arrival::Begin)
    }

    /// Goes past the interrupts, or the turns of other cores, that come before the instruction of a hit.
    fn pass_interrupts(&mut self, machine: &mut Machine, hit: &Hit) -> Result<(), HistoryError> {
        let pc = match hit {
            Hit::Breakpoint { address } => *address,
            Hit::Watchpoint {
                by: Accessor::Core { pc },
                ..
            } => *pc,
            Hit::Watchpoint { .. } => return Ok(()),
        };
        let (course, end) = (self.depart(machine).course.clone(), self.end(machine));
        while machine.pc() != pc && Place::of(machine) < end {
            course.step(machine, end)?;
        }
        Ok(())
    }

    /// Brings the machine to the place of a hit, and looks what the access changes.
    fn stand_before(
        &mut self,
        machine: &mut Machine,
        from: &Keyframe,
        Found {
            place,
            step_is_whole,
            hit,
        }: Found,
    ) -> Result<Arrival, HistoryError> {
        self.stand(machine, from, place)?;
        let (course, end) = (self.depart(machine).course.clone(), self.end(machine));
        if machine.cores() > 1 {
            self.pass_interrupts(machine, &hit)?;
        }
        let here = Place::of(machine);
        if !step_is_whole && machine.cores() == 1 && self.keyframes.first().place < here {
            // To where the core fell asleep; when that is here, the step before is found and made again.
            self.look_back(machine, here)?;
            if !machine.all_stopped() {
                course.step(machine, here)?;
            }
        }
        let (mut old, mut new) = (vec![], vec![]);
        if let Hit::Watchpoint {
            address, width, by, ..
        } = &hit
        {
            let here = Keyframe::of(machine);
            let viewer = match by {
                Accessor::Device { .. } => Viewer::Everyone,
                _ => Viewer::Core(machine.turn() as u16),
            };
            old = machine.peek_for(viewer, *address, width.bytes());
            match by {
                // Within the sleep of the core: its step would pass more than this access.
                Accessor::Device { .. } if machine.all_stopped() => {
                    course.follow(machine, Place::at(place.cycle + 2), &mut Unobserved)?;
                }
                _ => course.step(machine, end)?,
            }
            new = machine.peek_for(viewer, *address, width.bytes());
            restore(machine, &here)?;
            self.keyframes.push_fine(here);
        }
        Ok(Arrival::Hit { hit, old, new })
    }
}
