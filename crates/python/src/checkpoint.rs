//! Checkpoints and forks.

use crate::errors;
use crate::machine::PyMachine;
use crate::seat::{Group, Seat};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use socscope_checkpoint::{Checkpoint, Facts, MachineFacts, Seat as Kept, SeatImage};
use socscope_machine::Machine;
use socscope_probe::{ProbeSet, Profile, ProfileStateError};
use std::collections::BTreeMap;

/// A checkpoint that was read and found undamaged.
#[pyclass(frozen, name = "Checkpoint", module = "socscope._core")]
pub(crate) struct PyCheckpoint(Checkpoint);

#[pymethods]
impl PyCheckpoint {
    #[new]
    fn new(py: Python<'_>, data: &[u8]) -> PyResult<PyCheckpoint> {
        let checkpoint = py.detach(|| Checkpoint::read(data));
        checkpoint.map(PyCheckpoint).map_err(errors::checkpoint)
    }

    /// What can be said of it without restoring it.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Facts {
            socscope,
            machines,
            lock_step,
        } = self.0.facts();
        let facts = PyDict::new(py);
        facts.set_item("format", socscope_checkpoint::VERSION)?;
        facts.set_item("socscope", socscope)?;
        let machines = machines.iter().map(|machine| machine_facts(py, machine));
        facts.set_item("machines", machines.collect::<PyResult<Vec<_>>>()?)?;
        facts.set_item("wires", lock_step.wires().collect::<Vec<_>>())?;
        facts.set_item("sections", self.0.sections().collect::<Vec<_>>())?;
        Ok(facts)
    }

    /// A machine's device tree.
    fn device_tree<'py>(&self, py: Python<'py>, machine: usize) -> PyResult<Bound<'py, PyBytes>> {
        let tree = self.0.device_tree(machine).map_err(errors::checkpoint)?;
        Ok(PyBytes::new(py, &tree))
    }

    /// A machine's image, if it was kept: its name and the file.
    fn image<'py>(
        &self,
        py: Python<'py>,
        machine: usize,
    ) -> PyResult<Option<(String, Bound<'py, PyBytes>)>> {
        let image = self.0.image(machine).map_err(errors::checkpoint)?;
        Ok(image.map(|SeatImage { name, bytes }| (name, PyBytes::new(py, &bytes))))
    }

    /// New machines of the same platforms, wired alike, in their first state: for the devices that have to be given to them.
    fn build(&self) -> PyResult<Vec<PyMachine>> {
        let machines = 0..self.0.facts().machines.len();
        let machines = machines.map(|machine| self.0.build(machine));
        let machines = machines.collect::<Result<Vec<_>, _>>();
        let machines = machines.map_err(errors::checkpoint)?;
        Ok(seats(Group::of(machines)))
    }

    /// Puts the machines of `build` into the state that was saved.
    fn restore(&self, machines: Vec<PyRef<'_, PyMachine>>) -> PyResult<()> {
        let Some(first) = machines.first() else {
            return Ok(());
        };
        let mut group = first.seat.lock();
        let Group {
            machines,
            profiles,
            lock_step,
            ..
        } = &mut *group;
        let mut restored = vec![];
        for (index, machine) in machines.iter_mut().enumerate() {
            let profile = self.0.restore(index, machine).map_err(errors::checkpoint)?;
            restored.push(profile.map_or_else(ProbeSet::default, ProbeSet::on));
        }
        let wires = &self.0.facts().lock_step;
        if !wires.fits(machines) {
            return Err(errors::CheckpointError::new_err(
                "the checkpoint's facts: a wire ends at a port that is not there",
            ));
        }
        *profiles = restored;
        *lock_step = wires.clone();
        Ok(())
    }
}

fn machine_facts<'py>(py: Python<'py>, facts: &MachineFacts) -> PyResult<Bound<'py, PyDict>> {
    let MachineFacts {
        platform,
        overrides,
        cycle,
        time_ps,
        state_hash,
        added_devices,
        profiled,
        notes,
    } = facts;
    let said = PyDict::new(py);
    said.set_item("platform", platform)?;
    said.set_item("overrides", overrides)?;
    said.set_item("cycle", cycle)?;
    said.set_item("time_ps", time_ps)?;
    said.set_item("state_hash", state_hash)?;
    said.set_item("added_devices", PyList::new(py, added_devices)?)?;
    said.set_item("profiled", profiled)?;
    said.set_item("notes", notes.clone())?;
    Ok(said)
}

fn seats(group: Group) -> Vec<PyMachine> {
    let count = group.machines.len();
    let group = std::sync::Arc::new(std::sync::Mutex::new(group));
    let seat = |index| Seat {
        group: group.clone(),
        index,
    };
    (0..count)
        .map(|index| PyMachine { seat: seat(index) })
        .collect()
}

#[pymethods]
impl PyMachine {
    /// This machine and all that share its time as the bytes of a checkpoint. `images` are names and files, `notes` whatever the
    /// maker wants to know, both by place.
    fn checkpoint<'py>(
        &self,
        py: Python<'py>,
        images: Vec<Option<(String, Vec<u8>)>>,
        notes: Vec<BTreeMap<String, String>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut group = self.seat.lock();
        let Group {
            machines,
            profiles,
            lock_step,
            ..
        } = &mut *group;
        if images.len() != machines.len() || notes.len() != machines.len() {
            let reason = format!("images and notes for {} machines", machines.len());
            return Err(PyValueError::new_err(reason));
        }
        let mut seats: Vec<Kept> = machines
            .iter_mut()
            .zip(profiles)
            .zip(images.into_iter().zip(notes))
            .map(|((machine, profile), (image, notes))| Kept {
                machine,
                profile: profile.get(),
                image: image.map(|(name, bytes)| SeatImage { name, bytes }),
                notes,
            })
            .collect();
        let version = env!("CARGO_PKG_VERSION");
        let bytes = Checkpoint::write(version, &mut seats, lock_step);
        Ok(PyBytes::new(py, &bytes.map_err(errors::checkpoint)?))
    }

    /// Second machines in the same state, for this one and all that share its time; by place. They share memory until it is written.
    fn fork(&self) -> PyResult<Vec<PyMachine>> {
        let mut group = self.seat.lock();
        let Group {
            machines,
            profiles,
            lock_step,
            ..
        } = &mut *group;
        let mut forks = vec![];
        for machine in machines.iter_mut() {
            let fork = machine.fork();
            forks.push(fork.map_err(|error| errors::CheckpointError::new_err(error.to_string()))?);
        }
        let mut copies = vec![];
        for (profile, machine) in profiles.iter().zip(&forks) {
            copies.push(copied(profile, machine)?);
        }
        let mut group = Group::of(forks);
        group.profiles = copies;
        group.lock_step = lock_step.clone();
        Ok(seats(group))
    }

    /// A machine as this one was built, without an image, that was given the same devices.
    fn sibling(&self) -> PyResult<PyMachine> {
        let sibling = self.with(|machine| machine.sibling());
        let sibling =
            sibling.map_err(|error| errors::CheckpointError::new_err(error.to_string()))?;
        Ok(PyMachine {
            seat: Seat::alone(sibling),
        })
    }

    /// Takes the probes of another machine in place of its own: those of a sibling in the same state.
    fn adopt_probes(&self, other: &PyMachine) -> PyResult<()> {
        let from = other.seat.lock();
        let mut to = self.seat.lock();
        let adopted = copied(
            &from.profiles[other.seat.index],
            &to.machines[self.seat.index],
        )?;
        to.profiles[self.seat.index] = adopted;
        Ok(())
    }
}

/// Probes, for another machine of the same platform.
fn copied(probes: &ProbeSet, machine: &Machine) -> PyResult<ProbeSet> {
    let mut copy = ProbeSet::default();
    if let Some(profile) = probes.get() {
        let restored = Profile::restore(machine, profile.functions().clone(), profile.save());
        let refused =
            |error: ProfileStateError| errors::CheckpointError::new_err(error.to_string());
        copy.set(restored.map_err(refused)?);
    }
    copy.adopt_others(probes);
    Ok(copy)
}
