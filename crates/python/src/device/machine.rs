//! Devices in a machine.

use super::behaviour;
use super::model::DeviceModel;
use super::value::{from_python, to_python};
use crate::errors;
use crate::machine::PyMachine;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use socscope_devices::declared::Value;
use socscope_machine::{Attachment, Input, LineEnd, Machine};

/// Where a device is put, as `socscope.device` says it.
#[derive(FromPyObject)]
struct Place {
    name: String,
    at: u32,
    size: u32,
    wait_states: u16,
    clock_hz: Option<u64>,
    /// Output, then "input", device and input; or a core's line, nothing, and the number of the core.
    lines: Vec<(String, String, Option<String>, u32)>,
}

impl Place {
    /// For a device of a kind.
    fn attachment(self, kind: &str) -> Attachment {
        let end = |(output, kind, device, input): (String, String, Option<String>, u32)| {
            let end = match kind.as_str() {
                "input" => LineEnd::Input { device, input },
                _ => LineEnd::Core {
                    core: input as u16,
                    line: kind,
                },
            };
            (output, end)
        };
        Attachment {
            name: self.name,
            kind: kind.into(),
            base: self.at,
            size: self.size,
            wait_states: self.wait_states,
            clock_hz: self.clock_hz,
            lines: self.lines.into_iter().map(end).collect(),
        }
    }
}

/// What the machine says when a device's function has raised an exception.
pub(crate) fn check_failure(machine: &Machine) -> PyResult<()> {
    match machine.failure() {
        Some(failure) => Err(Python::attach(|py| {
            behaviour::raise_failure(py, failure.to_string())
        })),
        None => Ok(()),
    }
}

#[pymethods]
impl PyMachine {
    /// Puts a device into the machine, now, and resets it.
    fn add_device(
        &mut self,
        model: &Bound<'_, DeviceModel>,
        instance: &Bound<'_, PyAny>,
        place: Place,
        attributes: Vec<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<()> {
        let mut device = behaviour::device(model.get(), instance)?;
        for (name, value) in attributes {
            let value = from_python(&value)?;
            device
                .set(&name, value)
                .map_err(errors::DeviceError::new_err)?;
        }
        let attachment = place.attachment(model.get().declaration.description.title);
        let mut group = self.seat.lock();
        let machine = &mut group.machines[self.seat.index];
        machine
            .add_device(attachment, Box::new(device))
            .map_err(errors::input)?;
        check_failure(machine)
    }

    /// Puts the device of a device-tree blob into the machine, now; gives its name.
    fn add_node(&mut self, blob: &[u8]) -> PyResult<String> {
        self.with_mut(|machine| machine.add_node(blob))
            .map_err(errors::input)
    }

    /// Gives the machine a device that its state or its recorded inputs may name, without putting it in.
    fn give_device(
        &mut self,
        model: &Bound<'_, DeviceModel>,
        instance: &Bound<'_, PyAny>,
        name: &str,
    ) -> PyResult<()> {
        let device = behaviour::device(model.get(), instance)?;
        self.with_mut(|machine| machine.give_device(name, Box::new(device)));
        Ok(())
    }

    /// Takes a device that was added out of the machine.
    fn remove_device(&mut self, name: &str) -> PyResult<()> {
        self.with_mut(|machine| machine.remove_device(name))
            .map_err(errors::input)
    }

    /// A variable or register of a device, without side effects.
    fn device_attribute<'py>(
        &self,
        py: Python<'py>,
        device: &str,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value = self
            .with(|machine| machine.device_attribute(device, name))
            .map_err(errors::platform)?;
        let value = value.ok_or_else(|| {
            PyValueError::new_err(format!("{device} has no attribute or register {name}"))
        })?;
        let value = Value::from_bytes(&value).map_err(PyValueError::new_err)?;
        to_python(py, &value)
    }

    /// Changes an attribute of a device, now; it is recorded as input.
    fn set_device_attribute(
        &mut self,
        device: &str,
        name: &str,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let value = from_python(value)?.to_bytes();
        let mut group = self.seat.lock();
        let machine = &mut group.machines[self.seat.index];
        machine
            .apply(Input::DeviceAttribute {
                device: device.into(),
                name: name.into(),
                value,
            })
            .map_err(errors::input)?;
        check_failure(machine)
    }
}
