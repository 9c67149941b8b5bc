//! The manual pages of all device models as data.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use socscope_device::{Field, FieldAccess, Permission, Register};
use socscope_devices::MODELS;
use socscope_machine::{NODE_MODELS, NodeModel, registered};

/// All device models.
#[pyfunction]
pub(crate) fn device_models(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let page = |model: &socscope_device::Model| {
        let description = model.description;
        let page = PyDict::new(py);
        page.set_item("compatible", description.compatible)?;
        page.set_item("title", description.title)?;
        page.set_item("data_sheet", description.data_sheet)?;
        page.set_item("limits", description.limits)?;
        let registers: PyResult<Vec<_>> = description
            .registers
            .iter()
            .map(|entry| register(py, entry))
            .collect();
        page.set_item("registers", registers?)?;
        page.set_item("inputs", description.inputs)?;
        page.set_item("outputs", description.outputs)?;
        page.set_item("ports", description.ports)?;
        let properties = PyDict::new(py);
        for (name, meaning) in description.properties {
            properties.set_item(name, meaning)?;
        }
        page.set_item("properties", properties)?;
        Ok(page)
    };
    MODELS.iter().map(page).collect()
}

/// What the exception of this number is called on the architecture of an ELF machine number.
#[pyfunction]
pub(crate) fn exception_name(elf_machine: u16, number: u8) -> String {
    registered(elf_machine).map_or_else(
        || format!("exception {number}"),
        |known| (known.exceptions.name)(number),
    )
}

/// What nodes of device trees that are no devices may have.
#[pyfunction]
pub(crate) fn node_models(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let page = |model: &NodeModel| {
        let page = PyDict::new(py);
        page.set_item("title", model.title)?;
        page.set_item("found_by", model.found_by)?;
        let properties = PyDict::new(py);
        for (name, meaning) in model.declared() {
            properties.set_item(name, meaning)?;
        }
        page.set_item("properties", properties)?;
        Ok(page)
    };
    NODE_MODELS.iter().map(page).collect()
}

fn register<'py>(py: Python<'py>, register: &Register) -> PyResult<Bound<'py, PyDict>> {
    let permission = match register.permission {
        Permission::ReadOnly => "read-only",
        Permission::WriteOnly => "write-only",
        Permission::ReadWrite => "read-write",
    };
    let row = PyDict::new(py);
    row.set_item("offset", register.offset)?;
    row.set_item("name", register.name)?;
    row.set_item("permission", permission)?;
    row.set_item("reset", register.reset)?;
    row.set_item("group", register.group)?;
    row.set_item("count", register.count)?;
    row.set_item("stride", register.stride)?;
    row.set_item("summary", register.summary)?;
    let fields: PyResult<Vec<_>> = register.fields.iter().map(|it| field(py, it)).collect();
    row.set_item("fields", fields?)?;
    Ok(row)
}

fn field<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyDict>> {
    let (access, on_write) = match field.access {
        FieldAccess::ReadOnly => ("read-only", "set"),
        FieldAccess::WriteOnly => ("write-only", "set"),
        FieldAccess::ReadWrite => ("read-write", "set"),
        FieldAccess::OneClears => ("read-write", "one-clears"),
    };
    let row = PyDict::new(py);
    row.set_item("name", field.name)?;
    row.set_item("lsb", field.lsb)?;
    row.set_item("width", field.width)?;
    row.set_item("access", access)?;
    row.set_item("on_write", on_write)?;
    row.set_item("summary", field.summary)?;
    Ok(row)
}
