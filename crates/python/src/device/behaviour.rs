//! How the core calls Python: on accesses with an effect, on events and when an attribute or a line has changed.

use super::context::{self, DeviceContext};
use super::model::{DeviceModel, Handlers};
use crate::errors::DeviceError;
use pyo3::prelude::*;
use socscope_devices::declared::{Behaviour, Call, Declared, Door};
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    /// The exception of the call that failed last on this thread, for its traceback.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// An instance of a class, for one machine.
struct Instance {
    python: Arc<Py<PyAny>>,
    context: Arc<Py<DeviceContext>>,
    handlers: Arc<Handlers>,
    inputs: &'static [&'static str],
    variables: Arc<[String]>,
}

/// A device of a class.
pub(super) fn device(model: &DeviceModel, instance: &Bound<'_, PyAny>) -> PyResult<Declared> {
    let declaration = model.declaration.clone();
    let names = declaration.variables.iter().map(|one| one.name.clone());
    let behaviour = Instance {
        python: Arc::new(instance.clone().unbind()),
        context: Arc::new(Py::new(instance.py(), DeviceContext)?),
        handlers: model.handlers.clone(),
        inputs: declaration.description.inputs,
        variables: names.collect(),
    };
    Ok(Declared::new(declaration, Box::new(behaviour)))
}

/// The error of a run that a device has ended, caused by the device's exception.
pub(crate) fn raise_failure(py: Python<'_>, text: String) -> PyErr {
    let cause = RAISED.take();
    if let Some(cause) = &cause
        && !cause.is_instance_of::<pyo3::exceptions::PyException>(py)
    {
        return cause.clone_ref(py);
    }
    let error = DeviceError::new_err(text);
    error.set_cause(py, cause);
    error
}

impl Instance {
    fn call_python(&self, py: Python<'_>, call: Call) -> PyResult<Option<u32>> {
        let (handlers, device) = (&self.handlers, self.python.as_ref());
        let context = self.context.as_ref();
        let missing = || DeviceError::new_err("a call without a function");
        let array = |register: usize| context::is_array(register);
        let called = match call {
            Call::Reset => {
                let handler = handlers.reset.as_ref().ok_or_else(missing)?;
                handler.call1(py, (device, context))
            }
            Call::Read { register, index } => {
                let handler = handlers.reads[register].as_ref().ok_or_else(missing)?;
                let read = if array(register) {
                    handler.call1(py, (device, index, context))
                } else {
                    handler.call1(py, (device, context))
                }?;
                return word(read.bind(py));
            }
            Call::Write {
                register,
                index,
                value,
            } => {
                let handler = handlers.writes[register].as_ref().ok_or_else(missing)?;
                if array(register) {
                    handler.call1(py, (device, index, value, context))
                } else {
                    handler.call1(py, (device, value, context))
                }
            }
            Call::Event { event, argument } => {
                handlers.events[event].call1(py, (device, argument, context))
            }
            Call::Input { line, level } => {
                let handler = handlers.input.as_ref().ok_or_else(missing)?;
                handler.call1(py, (device, self.inputs[line as usize], level, context))
            }
            Call::Changed { variable } => {
                let handler = handlers.changed.as_ref().ok_or_else(missing)?;
                handler.call1(py, (device, &self.variables[variable], context))
            }
        };
        called.map(|_| None)
    }
}

/// What a read effect gave.
fn word(read: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    if read.is_none() {
        return Ok(None);
    }
    read.extract().map(Some).map_err(|_| {
        DeviceError::new_err(format!(
            "an effect of a read gives a word of 32 bits or None, not {read}"
        ))
    })
}

impl Behaviour for Instance {
    fn call(&self, call: Call, door: &mut dyn Door) -> Result<Option<u32>, String> {
        Python::attach(|py| {
            context::with_door(door, &self.python, || self.call_python(py, call)).map_err(|error| {
                let text = describe(py, &error);
                RAISED.set(Some(error));
                text
            })
        })
    }

    fn another(&self) -> Box<dyn Behaviour> {
        Box::new(Instance {
            python: self.python.clone(),
            context: self.context.clone(),
            handlers: self.handlers.clone(),
            inputs: self.inputs,
            variables: self.variables.clone(),
        })
    }
}

/// An exception with the place where it was raised.
fn describe(py: Python<'_>, error: &PyErr) -> String {
    let text = || -> PyResult<String> {
        let module = py.import("traceback")?;
        let frames = module.call_method1("extract_tb", (error.traceback(py),))?;
        let value = error.value(py);
        let said = format!("{}: {}", value.get_type().name()?, value.str()?);
        let Ok(last) = frames.get_item(-1) else {
            return Ok(said);
        };
        let (file, line) = (last.getattr("filename")?, last.getattr("lineno")?);
        let name = last.getattr("name")?;
        Ok(format!("{said} (in {name}, {file}:{line})"))
    };
    text().unwrap_or_else(|_| error.to_string())
}
