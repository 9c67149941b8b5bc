//! Values of variables, from and to Python.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};
use socscope_devices::declared::Value;

/// Plain data only: what has no value here cannot be saved.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Value::Integer(value.extract()?));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Number(value.extract()?));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Value::Text(value.extract()?));
    }
    if value.is_instance_of::<PyBytes>() {
        return Ok(Value::Bytes(value.extract()?));
    }
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        return Ok(Value::Integers(value.extract()?));
    }
    Err(PyTypeError::new_err(format!(
        "a value of {} cannot be saved: use bool, int (64 bits), float, str, bytes or a tuple of int",
        value.get_type().name()?
    )))
}

/// For Python.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Boolean(value) => value.into_bound_py_any(py),
        Value::Integer(value) => value.into_bound_py_any(py),
        Value::Number(value) => value.into_bound_py_any(py),
        Value::Text(value) => value.into_bound_py_any(py),
        Value::Bytes(value) => Ok(PyBytes::new(py, value).into_any()),
        Value::Integers(values) => Ok(PyTuple::new(py, values)?.into_any()),
    }
}
