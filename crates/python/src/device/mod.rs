//! Devices that are written in Python.

mod behaviour;
mod context;
mod machine;
mod model;
mod value;

use pyo3::prelude::*;

pub(crate) use behaviour::raise_failure;
pub(crate) use machine::check_failure;

/// Adds what `socscope.device` is built on.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<model::DeviceModel>()?;
    module.add_class::<context::DeviceContext>()?;
    module.add_function(wrap_pyfunction!(context::in_device_call, module)?)?;
    module.add_function(wrap_pyfunction!(context::device_value, module)?)?;
    module.add_function(wrap_pyfunction!(context::set_device_value, module)?)
}
