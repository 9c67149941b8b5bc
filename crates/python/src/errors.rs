//! The core's errors as Python exceptions.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use socscope_host::HostError;
use socscope_machine as machine;

create_exception!(socscope._core, CoreError, PyException);
create_exception!(socscope._core, PlatformError, CoreError);
create_exception!(socscope._core, ImageError, CoreError);
create_exception!(socscope._core, SerialError, CoreError);
create_exception!(socscope._core, HistoryError, CoreError);
create_exception!(socscope._core, CheckpointError, CoreError);
create_exception!(socscope._core, DeviceError, CoreError);
create_exception!(socscope._core, BusFault, CoreError);
create_exception!(socscope._core, ReplayError, CoreError);
create_exception!(socscope._core, ShareError, CoreError);

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("CoreError", py.get_type::<CoreError>())?;
    module.add("PlatformError", py.get_type::<PlatformError>())?;
    module.add("DeviceError", py.get_type::<DeviceError>())?;
    module.add("BusFault", py.get_type::<BusFault>())?;
    module.add("HistoryError", py.get_type::<HistoryError>())?;
    module.add("ImageError", py.get_type::<ImageError>())?;
    module.add("SerialError", py.get_type::<SerialError>())?;
    module.add("CheckpointError", py.get_type::<CheckpointError>())?;
    module.add("ReplayError", py.get_type::<ReplayError>())?;
    module.add("ShareError", py.get_type::<ShareError>())
}

pub(crate) fn platform(error: machine::PlatformError) -> PyErr {
    PlatformError::new_err(error.to_string())
}

pub(crate) fn checkpoint(error: socscope_checkpoint::CheckpointError) -> PyErr {
    CheckpointError::new_err(error.to_string())
}

pub(crate) fn input(error: machine::InputError) -> PyErr {
    PlatformError::new_err(error.to_string())
}

pub(crate) fn replay(error: machine::ReplayError) -> PyErr {
    ReplayError::new_err(error.to_string())
}

pub(crate) fn image(error: machine::LoadError) -> PyErr {
    ImageError::new_err(error.to_string())
}

pub(crate) fn history(error: socscope_checkpoint::history::HistoryError) -> PyErr {
    HistoryError::new_err(error.to_string())
}

pub(crate) fn serial(error: HostError) -> PyErr {
    SerialError::new_err(error.to_string())
}

pub(crate) fn share(error: HostError) -> PyErr {
    ShareError::new_err(error.to_string())
}

pub(crate) fn share_not_writable(device: &str) -> PyErr {
    ShareError::new_err(format!(
        "{device}: nothing to write back: the guest has no folder that it may change; share one with read_only=False, or FOLDER:rw"
    ))
}
