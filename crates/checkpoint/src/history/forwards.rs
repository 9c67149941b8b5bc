//! Forward again, through what was already.

use super::History;
use super::arrival::{Arrival, Progress};
use super::backwards::PROGRESS_CYCLES;
use super::conditions::{Conditions, Hit};
use super::error::HistoryError;
use super::place::Place;
use super::watcher::Watcher;
use super::world::World;
use socscope_core::Unobserved;
use socscope_machine::{MachineObserver, Stop, Until};

impl History {
    /// Goes one step of the core in focus forward. In the present that is a step of the machine, told to the observer; the past is not told.
    pub fn step<O: MachineObserver>(
        &mut self,
        world: &mut World,
        observer: &mut O,
    ) -> Result<Arrival, HistoryError> {
        self.note(world);
        if self.in_past() {
            return self.repeat_step(world, &mut Unobserved);
        }
        world.machines[world.focus].step(observer);
        self.note(world);
        Ok(Arrival::There)
    }

    /// Repeats one step of the past, told to the observer.
    pub fn repeat_step<O: MachineObserver>(
        &mut self,
        world: &mut World,
        observer: &mut O,
    ) -> Result<Arrival, HistoryError> {
        self.note(world);
        if !self.in_past() {
            return Ok(Arrival::Present);
        }
        let (track, machine) = self.focus(world);
        let end = track.end(machine);
        let course = track.depart(machine).course.clone();
        course.step_told(machine, end, observer)?;
        self.arrive(world)?;
        Ok(Arrival::There)
    }

    /// Repeats the past until a condition or an end is met, told to the observer, at most up to the present: from there a live run goes on, of the
    /// machine alone, in lock step or with its peers.
    pub fn run<O: MachineObserver>(
        &mut self,
        world: &mut World,
        until: &Until,
        conditions: &Conditions,
        observer: &mut O,
        progress: Progress,
    ) -> Result<Arrival, HistoryError> {
        self.note(world);
        if !self.in_past() {
            return Ok(Arrival::Present);
        }
        let until = conditions.until(until.clone());
        let (track, machine) = self.focus(world);
        let end = track.end(machine);
        let course = track.depart(machine).course.clone();
        let mut watcher = Watcher::new(conditions, observer);
        let stop = loop {
            let next = Place::at(machine.cycle().saturating_add(PROGRESS_CYCLES)).min(end);
            let stop = course.run(machine, next, &until, &mut watcher)?;
            if stop != Stop::Time || machine.now() >= until.time || Place::of(machine) >= end {
                break Some(stop);
            }
            if progress(machine.now()).is_break() {
                break None;
            }
        };
        let present = Place::of(machine) >= end;
        let in_time = machine.now() >= until.time;
        let hit = watcher.hit().cloned();
        let core = machine.turn() as u16;
        self.arrive(world)?;
        Ok(match stop {
            None => Arrival::Interrupted,
            Some(Stop::Observer) if hit.is_some() => met(hit),
            Some(Stop::Address(address)) if conditions.breaks(core, address) => {
                met(Some(Hit::Breakpoint { address }))
            }
            Some(Stop::Time) if in_time => Arrival::There,
            Some(Stop::Time) if present => Arrival::Present,
            Some(stop) => Arrival::Stop(stop),
        })
    }
}

fn met(hit: Option<Hit>) -> Arrival {
    hit.map_or(Arrival::Stop(Stop::Observer), |hit| Arrival::Hit {
        hit,
        old: vec![],
        new: vec![],
    })
}
