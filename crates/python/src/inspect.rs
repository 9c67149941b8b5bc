//! Looking at a machine.

use crate::machine::PyMachine;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use socscope_machine::Machine;
use socscope_memory::{Target, Viewer};
use std::collections::BTreeMap;

/// All registers of a core that people look at, by name.
fn named_registers(machine: &Machine, number: usize) -> Vec<(String, u32)> {
    machine
        .core(number)
        .named_registers(machine.cycle_of(number))
}

impl PyMachine {
    fn no_such_core(&self) -> PyErr {
        let count = self.with(Machine::cores);
        PyValueError::new_err(format!(
            "the machine has no such core: give a number below {count}"
        ))
    }

    /// Who looks: a core, or all.
    fn viewer(&self, core: Option<u16>) -> PyResult<Viewer> {
        let count = self.with(Machine::cores);
        match core {
            None => Ok(Viewer::Everyone),
            Some(core) if usize::from(core) < count => Ok(Viewer::Core(core)),
            Some(_) => Err(self.no_such_core()),
        }
    }
}

#[pymethods]
impl PyMachine {
    fn state_hash(&self, py: Python<'_>) -> String {
        py.detach(|| self.with(Machine::state_hash))
    }

    /// How many cores the machine has.
    #[getter]
    fn core_count(&self) -> usize {
        self.with(Machine::cores)
    }

    /// The core that executes the next instruction.
    #[getter]
    fn turn(&self) -> usize {
        self.with(Machine::turn)
    }

    /// The core that a guest which is stuck is stuck for.
    #[getter]
    fn stuck_core(&self) -> usize {
        self.with(Machine::stuck_core)
    }

    /// Address of the next instruction of the core whose turn it is.
    #[getter]
    fn pc(&self) -> u32 {
        self.with(|machine| machine.current_core().program_counter())
    }

    #[pyo3(signature = (core = None))]
    fn registers<'py>(&self, py: Python<'py>, core: Option<usize>) -> PyResult<Bound<'py, PyDict>> {
        let registers = PyDict::new(py);
        let found = self.with(|machine| {
            let core = core.unwrap_or_else(|| machine.turn());
            (core < machine.cores()).then(|| named_registers(machine, core))
        });
        let Some(found) = found else {
            return Err(self.no_such_core());
        };
        for (name, value) in found {
            registers.set_item(name, value)?;
        }
        Ok(registers)
    }

    /// Where an image was linked for what is at an address now.
    #[pyo3(signature = (address, core = None))]
    fn nominal_address(&self, address: u32, core: Option<u16>) -> PyResult<u32> {
        let viewer = match core {
            None => Viewer::Looking,
            core => self.viewer(core)?,
        };
        Ok(self.with(|machine| machine.nominal_address_for(viewer, address)))
    }

    /// What the user should know of how the image was loaded.
    fn image_note(&self) -> Option<String> {
        self.with(|machine| machine.image_note().map(String::from))
    }

    #[pyo3(signature = (address, size, core = None))]
    fn peek<'py>(
        &self,
        py: Python<'py>,
        address: u32,
        size: u32,
        core: Option<u16>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let viewer = self.viewer(core)?;
        let bytes = self.with(|machine| machine.peek_for(viewer, address, size));
        Ok(PyBytes::new(py, &bytes))
    }

    #[pyo3(signature = (address, data, core = None))]
    fn poke(&self, address: u32, data: &[u8], core: Option<u16>) -> PyResult<()> {
        let written = match self.viewer(core)? {
            Viewer::Core(core) => self.with_mut(|machine| machine.poke_core(core, address, data)),
            _ => self.with_mut(|machine| machine.poke(address, data)),
        };
        if written == data.len() {
            return Ok(());
        }
        let at = u64::from(address) + written as u64;
        Err(PyValueError::new_err(format!(
            "no memory at {at:#010x}: only {written} bytes were written"
        )))
    }

    fn regions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let regions = self.with(|machine| machine.regions().to_vec());
        let enabled = regions.iter().filter(|region| region.enabled);
        let row = |region: &socscope_memory::Region| {
            let row = PyDict::new(py);
            row.set_item("name", &region.name)?;
            let kind = match region.target {
                Target::Memory { writable: true, .. } => "ram",
                Target::Memory { .. } => "rom",
                Target::Device(_) => "device",
                Target::Stub | Target::Unmapped => "stub",
            };
            row.set_item("kind", kind)?;
            row.set_item("start", region.base)?;
            row.set_item("size", region.size)?;
            row.set_item("core", region.core)?;
            Ok(row)
        };
        enabled.map(row).collect()
    }

    fn own_places(&self) -> BTreeMap<u16, Vec<(u32, u32)>> {
        self.with(Machine::own_places)
    }

    fn core_signals(&self) -> Vec<(String, bool)> {
        let signals = self.with(|machine| machine.core_signals());
        let named = signals.iter().map(|signal| (signal.name(), signal.level));
        named.collect()
    }

    fn devices<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let group = self.seat.lock();
        let row = |device: socscope_machine::DeviceEntry| {
            let row = PyDict::new(py);
            row.set_item("name", device.name)?;
            row.set_item("path", device.path)?;
            row.set_item("base", device.base)?;
            row.set_item("compatible", device.description.compatible)?;
            row.set_item("title", device.description.title)?;
            Ok(row)
        };
        group.machines[self.seat.index].devices().map(row).collect()
    }

    fn warnings(&self) -> Vec<String> {
        self.with(crate::warnings::warnings)
    }

    /// What was so much that it is not all told apart, with what is exact all the same.
    fn not_told_apart(&self) -> Vec<String> {
        let group = self.seat.lock();
        crate::warnings::not_told_apart(
            &group.machines[self.seat.index],
            &group.profiles[self.seat.index],
        )
    }

    /// Accesses that no model answered: by node and kind, how many there were.
    fn unmodelled(&self) -> BTreeMap<String, u64> {
        self.with(|machine| {
            let mut counts = BTreeMap::new();
            for (what, _, count, _) in machine.log().touched() {
                *counts.entry(what.to_string()).or_default() += count;
            }
            counts
        })
    }

    fn timing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut label = self.with(Machine::accuracy);
        let quantum_ps = {
            let group = self.seat.lock();
            (group.machines.len() > 1).then_some(group.lock_step.quantum_ps)
        };
        if let Some(quantum_ps) = quantum_ps {
            label.leaves_out += &format!(
                "; linked machines take turns of {quantum_ps} ps: one that stops early leaves the others up to a turn ahead (characters arrive at their own time)"
            );
        }
        let row = PyDict::new(py);
        row.set_item("model", label.model)?;
        row.set_item("validated_against", label.validated_against)?;
        row.set_item("known_error", label.known_error)?;
        row.set_item("leaves_out", label.leaves_out)?;
        Ok(row)
    }

    fn engine_statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = self.with(|machine| machine.engine_statistics());
        let row = PyDict::new(py);
        row.set_item("interpreted", counts.interpreted)?;
        row.set_item("translations", counts.translations)?;
        row.set_item("translated_instructions", counts.translated_instructions)?;
        row.set_item("code_bytes", counts.code_bytes)?;
        row.set_item("invalidations", counts.invalidations)?;
        row.set_item("flushes", counts.flushes)?;
        row.set_item("entered", counts.entered)?;
        row.set_item("left", counts.left)?;
        row.set_item("left_exceptions", counts.left_for.exceptions)?;
        row.set_item("left_returns", counts.left_for.returns)?;
        row.set_item("left_status", counts.left_for.status)?;
        row.set_item("left_calls", counts.left_for.calls)?;
        row.set_item("left_others", counts.left_for.others)?;
        row.set_item("unchained", counts.unchained)?;
        row.set_item("computed", counts.computed)?;
        row.set_item("refused_accesses", counts.refused_accesses)?;
        row.set_item("deadlines", counts.deadlines)?;
        Ok(row)
    }
}
