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
mod warnings;

use pyo3::prelude::*;
use socscope_host::Reserving;

/// The compiled core.
#[global_allocator]
static ALLOCATOR: Reserving = Reserving;

/// Ends runs before the process takes more memory than this; 0 is the default again, half of what the host has.
#[pyfunction]
fn set_memory_limit(bytes: u64) {
    socscope_host::set_memory_limit(bytes);
}

/// The memory in bytes at which runs end.
#[pyfunction]
fn memory_limit() -> u64 {
    socscope_host::memory_limit()
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    Reserving::set_up();
    module.add_function(wrap_pyfunction!(set_memory_limit, module)?)?;
    module.add_function(wrap_pyfunction!(memory_limit, module)?)?;
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
    module.add_function(wrap_pyfunction!(models::exception_name, module)?)?;
    module.add_function(wrap_pyfunction!(link::link, module)?)
}
