//! The way that a repeated run takes, stretch by stretch.

use crate::errors;
use crate::input::PyReplay;
use crate::seat::Group;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use socscope_checkpoint::{Checkpoint, CheckpointError, Seat};
use socscope_machine::{LockStep, Replay, ReplayError, Snapshot, Stop};
use socscope_probe::{Path, ProbeSet};
use std::collections::BTreeMap;

/// Where a walk can go back to.
pub(crate) struct Kept {
    snapshot: Snapshot,
    replay: Replay,
    path: Path,
}

#[pymethods]
impl PyReplay {
    /// Goes on by `count` instructions; gives how many were executed so far and the fingerprint of their way.
    fn walk(&mut self, py: Python<'_>, count: u64, timed: bool) -> PyResult<(u64, u64)> {
        py.detach(|| self.walk_on(count, timed))
            .map_err(errors::replay)?;
        py.check_signals()?;
        Ok((self.path.count, self.path.fingerprint))
    }

    /// Writes machine and profile into a checkpoint, and goes on with others that are read from it. Gives its size.
    fn over_checkpoint(&mut self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| self.pass_checkpoint())
            .map_err(|error| errors::ReplayError::new_err(error.to_string()))
    }

    /// Keeps this place.
    fn keep(&mut self) {
        let snapshot = self.seat.lock().machines[self.seat.index].snapshot();
        self.kept = Some(Kept {
            snapshot,
            replay: self.replay.clone(),
            path: self.path.clone(),
        });
    }

    /// Goes back to the place that was kept last.
    fn back(&mut self) -> PyResult<()> {
        let Some(kept) = &self.kept else {
            return Err(PyValueError::new_err("no place was kept"));
        };
        self.replay = kept.replay.clone();
        self.path = kept.path.clone();
        self.seat.lock().machines[self.seat.index]
            .restore(&kept.snapshot)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

impl PyReplay {
    /// The bytes of the checkpoint that was passed.
    fn pass_checkpoint(&mut self) -> Result<usize, CheckpointError> {
        let mut group = self.seat.lock();
        let Group {
            machines, profiles, ..
        } = &mut *group;
        let machine = &mut machines[self.seat.index];
        let profile = &mut profiles[self.seat.index];
        let seat = Seat {
            machine,
            profile: profile.get(),
            image: None,
            notes: BTreeMap::new(),
        };
        let version = env!("CARGO_PKG_VERSION");
        let bytes = Checkpoint::write(version, &mut [seat], &LockStep::default())?;
        let checkpoint = Checkpoint::read(&bytes)?;
        let sibling = machine.sibling();
        let mut fresh = sibling.map_err(|reason| CheckpointError::State { machine: 0, reason })?;
        let restored = checkpoint.restore(0, &mut fresh)?;
        *machine = fresh;
        // Other probes are no part of a checkpoint; the machine is the same one, at the same place.
        let before = std::mem::take(profile);
        *profile = restored.map_or_else(ProbeSet::default, ProbeSet::on);
        profile.adopt_others(&before);
        Ok(bytes.len())
    }

    fn walk_on(&mut self, count: u64, timed: bool) -> Result<(), ReplayError> {
        let mut group = self.seat.lock();
        let machine = &mut group.machines[self.seat.index];
        self.path.timed = timed;
        self.path.goal = self.path.count.saturating_add(count);
        while self.path.count < self.path.goal && !self.replay.done(machine) {
            match self.replay.advance(machine, u64::MAX, &mut self.path)? {
                None | Some(Stop::Observer) => {}
                Some(_) => break,
            }
        }
        Ok(())
    }
}
