//! What a device's functions can do while they are called.

use super::value::{from_python, to_python};
use crate::errors::{BusFault, DeviceError};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use scoped_tls_hkt::scoped_thread_local;
use socscope_devices::declared::Door;
use socscope_memory::Endianness;
use std::cell::Cell;

scoped_thread_local!(static mut DOOR: for<'a> &'a mut (dyn Door + 'a));

thread_local! {
    /// Which instance is called now.
    static CALLED: Cell<usize> = const { Cell::new(0) };
}

/// Calls `action` with the door open for `instance`.
pub(super) fn with_door<R>(
    door: &mut dyn Door,
    instance: &Py<PyAny>,
    action: impl FnOnce() -> R,
) -> R {
    let before = CALLED.replace(instance.as_ptr() as usize);
    let result = DOOR.set(door, action);
    CALLED.set(before);
    result
}

/// Whether a register of the device that is called is an array.
pub(super) fn is_array(register: usize) -> bool {
    DOOR.with(|door| door.declaration().description.registers[register].stride > 0)
}

/// Whether a device's function runs on this thread: its machine is busy then.
#[pyfunction]
pub(crate) fn in_device_call() -> bool {
    DOOR.is_set()
}

fn is_called(instance: &Bound<'_, PyAny>) -> bool {
    DOOR.is_set() && CALLED.get() == instance.as_ptr() as usize
}

/// A register, variable or output line of a device whose function runs; None when it does not.
#[pyfunction]
pub(crate) fn device_value<'py>(
    instance: &Bound<'py, PyAny>,
    kind: &str,
    number: usize,
    index: u32,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = instance.py();
    if !is_called(instance) {
        return Ok(None);
    }
    DOOR.with(|door| match kind {
        "register" => {
            let word = door.register(number, index);
            word.ok_or_else(|| behind(index))?.into_bound_py_any(py)
        }
        "variable" => to_python(py, door.variable(number)),
        _ => door.line(number as u32).into_bound_py_any(py),
    })
    .map(Some)
}

/// Sets a register, variable or output line; false when no function of the device runs.
#[pyfunction]
pub(crate) fn set_device_value(
    instance: &Bound<'_, PyAny>,
    kind: &str,
    number: usize,
    index: u32,
    value: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    if !is_called(instance) {
        return Ok(false);
    }
    DOOR.with(|door| match kind {
        "register" => {
            let word = value
                .extract::<u32>()
                .map_err(|_| PyValueError::new_err(format!("{value} is no word of 32 bits")))?;
            if door.set_register(number, index, word) {
                Ok(())
            } else {
                Err(behind(index))
            }
        }
        "variable" => door
            .set_variable(number, from_python(value)?)
            .map_err(DeviceError::new_err),
        _ => {
            door.set_line(number as u32, value.extract()?);
            Ok(())
        }
    })
    .map(|()| true)
}

fn behind(index: u32) -> PyErr {
    PyValueError::new_err(format!("index {index} is behind the end of the array"))
}

/// The machine around a device, while one of its functions runs.
#[pyclass(frozen, module = "socscope._core")]
pub(crate) struct DeviceContext;

fn with<R>(action: impl FnOnce(&mut dyn Door) -> PyResult<R>) -> PyResult<R> {
    if !DOOR.is_set() {
        return Err(DeviceError::new_err(
            "a device's context is valid only while the device's function runs; use what the simulation offers",
        ));
    }
    DOOR.with(|door| action(door))
}

fn fault(error: impl ToString) -> PyErr {
    BusFault::new_err(error.to_string())
}

#[pymethods]
impl DeviceContext {
    /// The time of the access or event.
    #[getter]
    fn now_ps(&self) -> PyResult<u64> {
        with(|door| Ok(door.now_ps()))
    }

    /// The cycle of the device's clock.
    #[getter]
    fn cycle(&self) -> PyResult<u64> {
        with(|door| Ok(door.cycle()))
    }

    /// The device's clock.
    #[getter]
    fn clock_hz(&self) -> PyResult<u64> {
        with(|door| Ok(door.clock_hz()))
    }

    /// The byte order in which the device finds words in memory.
    #[getter]
    fn byteorder(&self) -> PyResult<&'static str> {
        with(|door| {
            Ok(match door.endianness() {
                Endianness::Little => "little",
                Endianness::Big => "big",
            })
        })
    }

    /// Reads memory as a bus master.
    fn read<'py>(&self, py: Python<'py>, address: u32, size: u32) -> PyResult<Bound<'py, PyBytes>> {
        with(|door| {
            let bytes = door.read_memory(address, size).map_err(fault)?;
            Ok(PyBytes::new(py, &bytes))
        })
    }

    /// Writes memory as a bus master.
    fn write(&self, address: u32, data: &[u8]) -> PyResult<()> {
        with(|door| door.write_memory(address, data).map_err(fault))
    }

    /// Calls an event's function later.
    #[pyo3(signature = (event, *, cycles = None, ps = None, argument = 0))]
    fn schedule(
        &self,
        event: &Bound<'_, PyAny>,
        cycles: Option<u64>,
        ps: Option<u64>,
        argument: i64,
    ) -> PyResult<u64> {
        let name: String = match event.extract() {
            Ok(name) => name,
            Err(_) => event.getattr("__name__")?.extract()?,
        };
        with(|door| {
            let events = &door.declaration().events;
            let number = events.iter().position(|known| *known == name);
            let number = number.ok_or_else(|| {
                let known = events.join(", ");
                DeviceError::new_err(format!(
                    "{name} is no event of the device; mark its function with @event; there are: {known}"
                ))
            })?;
            match (cycles, ps) {
                (Some(cycles), None) => {
                    let at = door.cycle().saturating_add(cycles);
                    Ok(door.schedule_cycle(at, number, argument))
                }
                (None, Some(ps)) => {
                    let at = door.now_ps().saturating_add(ps);
                    Ok(door.schedule_ps(at, number, argument))
                }
                _ => Err(PyValueError::new_err(
                    "say when: either cycles or ps, from now",
                )),
            }
        })
    }

    /// Takes an event back; false when it has run already.
    fn cancel(&self, event: u64) -> PyResult<bool> {
        with(|door| Ok(door.cancel(event)))
    }

    /// Notes that the guest did something that the device ignores.
    fn warn(&self, text: &str) -> PyResult<()> {
        with(|door| {
            door.warn(text);
            Ok(())
        })
    }
}
