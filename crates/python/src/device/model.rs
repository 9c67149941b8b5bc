//! A class of devices, as the core sees it.

use super::value::from_python;
use crate::errors::DeviceError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use socscope_device::{Description, Permission, Register};
use socscope_devices::declared::{Declaration, Rule, Variable};
use std::sync::Arc;

/// A register as `socscope.device` declares it.
#[derive(FromPyObject)]
struct RegisterFacts {
    offset: u32,
    name: String,
    permission: String,
    reset: u32,
    group: String,
    count: u32,
    stride: u32,
    summary: String,
    readable: u32,
    writable: u32,
    one_clears: u32,
    one_sets: u32,
    read_clears: u32,
    on_read: Option<Py<PyAny>>,
    on_write: Option<Py<PyAny>>,
}

/// The functions of a class that are called for its devices, with the device as their first argument.
pub(super) struct Handlers {
    pub reads: Vec<Option<Py<PyAny>>>,
    pub writes: Vec<Option<Py<PyAny>>>,
    pub events: Vec<Py<PyAny>>,
    pub reset: Option<Py<PyAny>>,
    pub input: Option<Py<PyAny>>,
    pub changed: Option<Py<PyAny>>,
}

/// A class of devices.
#[pyclass(frozen, module = "socscope._core")]
pub(crate) struct DeviceModel {
    pub(super) declaration: Arc<Declaration>,
    pub(super) handlers: Arc<Handlers>,
}

/// Text that lives as long as the process. A manual page is a constant for models in Rust, so it is one for a class: each class
/// makes its own once, and classes are not made by the thousand.
fn constant(text: &str) -> &'static str {
    Box::leak(Box::from(text))
}

fn constants(texts: &[String]) -> &'static [&'static str] {
    let texts: Vec<&'static str> = texts.iter().map(|text| constant(text)).collect();
    Box::leak(texts.into())
}

fn table(registers: &[RegisterFacts]) -> &'static [Register] {
    let row = |facts: &RegisterFacts| Register {
        offset: facts.offset,
        name: constant(&facts.name),
        permission: match facts.permission.as_str() {
            "read-only" => Permission::ReadOnly,
            "write-only" => Permission::WriteOnly,
            _ => Permission::ReadWrite,
        },
        reset: facts.reset,
        group: constant(&facts.group),
        count: facts.count,
        stride: facts.stride,
        summary: constant(&facts.summary),
        // The class keeps the fields; the core has their rules as masks.
        fields: &[],
    };
    let rows: Vec<Register> = registers.iter().map(row).collect();
    Box::leak(rows.into())
}

#[pymethods]
impl DeviceModel {
    #[new]
    #[pyo3(signature = (*, title, compatible, data_sheet, limits, registers, inputs, outputs, variables, events, reset, input, changed))]
    #[expect(
        clippy::too_many_arguments,
        reason = "what a class says, all by keyword"
    )]
    fn new(
        title: &str,
        compatible: Vec<String>,
        data_sheet: &str,
        limits: &str,
        registers: Vec<RegisterFacts>,
        inputs: Vec<String>,
        outputs: Vec<String>,
        variables: Vec<Bound<'_, PyDict>>,
        events: Vec<(String, Py<PyAny>)>,
        reset: Option<Py<PyAny>>,
        input: Option<Py<PyAny>>,
        changed: Option<Py<PyAny>>,
    ) -> PyResult<DeviceModel> {
        let description: &'static Description = Box::leak(Box::new(Description {
            compatible: constants(&compatible),
            title: constant(title),
            data_sheet: constant(data_sheet),
            limits: constant(limits),
            registers: table(&registers),
            inputs: constants(&inputs),
            outputs: constants(&outputs),
            ports: &[],
            properties: &[],
        }));
        let rule = |facts: &RegisterFacts| Rule {
            readable: facts.readable,
            writable: facts.writable,
            one_clears: facts.one_clears,
            one_sets: facts.one_sets,
            read_clears: facts.read_clears,
            read_effect: facts.on_read.is_some(),
            write_effect: facts.on_write.is_some(),
        };
        let rules = registers.iter().map(rule).collect();
        let variables: PyResult<Vec<Variable>> = variables.iter().map(variable).collect();
        let names = events.iter().map(|(name, _)| name.clone()).collect();
        let mut declaration = Declaration::new(description, rules, variables?, names)
            .map_err(|error| DeviceError::new_err(error.to_string()))?;
        declaration.reset_effect = reset.is_some();
        declaration.input_effect = input.is_some();
        declaration.change_effect = changed.is_some();
        let (reads, writes) = registers
            .into_iter()
            .map(|facts| (facts.on_read, facts.on_write))
            .unzip();
        Ok(DeviceModel {
            declaration: Arc::new(declaration),
            handlers: Arc::new(Handlers {
                reads,
                writes,
                events: events.into_iter().map(|(_, handler)| handler).collect(),
                reset,
                input,
                changed,
            }),
        })
    }

    /// Bytes from the first to the last register.
    #[getter]
    fn span(&self) -> u32 {
        self.declaration.span()
    }
}

fn variable(facts: &Bound<'_, PyDict>) -> PyResult<Variable> {
    let item = |key: &str| {
        let found = facts.get_item(key)?;
        Ok::<_, PyErr>(found.filter(|value| !value.is_none()))
    };
    let limit = |key: &str| item(key)?.map(|value| from_python(&value)).transpose();
    let name: String = facts.as_any().get_item("name")?.extract()?;
    let initial = from_python(&facts.as_any().get_item("initial")?)
        .map_err(|error| DeviceError::new_err(format!("{name}: {}", error.value(facts.py()))))?;
    Ok(Variable {
        name,
        initial,
        attribute: facts.as_any().get_item("attribute")?.extract()?,
        minimum: limit("minimum")?,
        maximum: limit("maximum")?,
    })
}
