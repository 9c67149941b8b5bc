//! Glue between the machine and Python, nothing else.

mod caches;
mod checkpoint;
mod debug;
mod device;
mod errors;
mod flow;
mod history;
mod input;
mod inspect;
mod link;
mod linux;
mod machine;
mod marks;
mod models;
mod path;
mod profile;
mod seat;
mod serial;
mod share;
mod tables;
mod tasks;
mod trace;

use pyo3::prelude::*;

/// The compiled core.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::add(module)?;
    module.add_class::<machine::PyMachine>()?;
    module.add_class::<machine::StopReason>()?;
    module.add_class::<history::PyPlace>()?;
    module.add_class::<checkpoint::PyCheckpoint>()?;
    device::add(module)?;
    module.add_class::<flow::PyFlow>()?;
    module.add_class::<input::PyReplay>()?;
    module.add_class::<debug::PyGdbServer>()?;
    module.add_class::<tasks::PyTaskTable>()?;
    module.add_function(wrap_pyfunction!(models::device_models, module)?)?;
    module.add_function(wrap_pyfunction!(models::node_models, module)?)?;
    module.add_function(wrap_pyfunction!(link::link, module)?)
}
