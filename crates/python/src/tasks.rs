//! `socscope._core.TaskTable`: the tasks of a guest's operating system.

use crate::machine::PyMachine;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use socscope_debug::register_name;
use socscope_debug::tasks::{Condition, Field, Frame, Name, Place, Source, State, TaskTable, View};

type FieldRow = (u32, u32);
type ConditionRow = (u32, u32, u32, Option<u32>);

/// A table as `socscope.awareness` resolves it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct TableRow {
    system: String,
    array: Option<(u32, u32, u32)>,
    list: Option<(u32, FieldRow, u32)>,
    exists: Vec<ConditionRow>,
    identity: Option<FieldRow>,
    name: FieldRow,
    name_is_pointer: bool,
    priority: Option<FieldRow>,
    states: Vec<(String, Vec<ConditionRow>)>,
    otherwise: String,
    current: u32,
    views: Vec<ViewRow>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ViewRow {
    name: String,
    when: Vec<ConditionRow>,
    frames: Vec<FrameRow>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct FrameRow {
    base: Vec<FieldRow>,
    offset: u32,
    registers: Vec<(usize, String, u32)>,
}

fn field((offset, size): FieldRow) -> Field {
    Field { offset, size }
}

fn conditions(rows: Vec<ConditionRow>) -> Vec<Condition> {
    let condition = |(offset, size, mask, equals)| Condition {
        field: field((offset, size)),
        mask,
        equals,
    };
    rows.into_iter().map(condition).collect()
}

impl From<FrameRow> for Frame {
    fn from(row: FrameRow) -> Frame {
        let register = |(number, kind, value): (usize, String, u32)| {
            let source = match kind.as_str() {
                "load" => Source::Frame(value),
                "address" => Source::Address(value),
                _ => Source::Constant(value),
            };
            (number, source)
        };
        Frame {
            base: row.base.into_iter().map(field).collect(),
            offset: row.offset,
            registers: row.registers.into_iter().map(register).collect(),
        }
    }
}

impl From<ViewRow> for View {
    fn from(row: ViewRow) -> View {
        View {
            name: row.name,
            when: conditions(row.when),
            frames: row.frames.into_iter().map(Frame::from).collect(),
        }
    }
}

impl From<TableRow> for TaskTable {
    fn from(row: TableRow) -> TaskTable {
        let (offset, size) = row.name;
        TaskTable {
            system: row.system,
            place: match (row.array, row.list) {
                (_, Some((head, next, node))) => Place::List {
                    head,
                    next: field(next),
                    node,
                },
                (array, None) => {
                    let (address, count, stride) = array.unwrap_or_default();
                    Place::Array {
                        address,
                        count,
                        stride,
                    }
                }
            },
            exists: conditions(row.exists),
            identity: row.identity.map(field),
            name: if row.name_is_pointer {
                Name::Pointer(Field { offset, size })
            } else {
                Name::Text { offset, size }
            },
            priority: row.priority.map(field),
            states: row
                .states
                .into_iter()
                .map(|(name, when)| State {
                    name,
                    when: conditions(when),
                })
                .collect(),
            otherwise: row.otherwise,
            current: row.current,
            views: row.views.into_iter().map(View::from).collect(),
        }
    }
}

/// Where the tasks of an image are, and how to read them.
#[pyclass(frozen, name = "TaskTable", module = "socscope._core")]
pub(crate) struct PyTaskTable(pub TaskTable);

#[pymethods]
impl PyTaskTable {
    #[new]
    fn new(table: TableRow) -> PyTaskTable {
        PyTaskTable(table.into())
    }

    /// The tasks as they are now.
    #[pyo3(signature = (machine, view = None))]
    fn tasks<'py>(
        &self,
        py: Python<'py>,
        machine: &PyMachine,
        view: Option<&str>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let tasks = machine.with(|machine| {
            let table = &self.0;
            let tasks = table.tasks(machine).into_iter();
            let with_registers = |task: socscope_debug::tasks::Task| {
                let registers = table.registers(machine, &task, view);
                (task, registers)
            };
            tasks.map(with_registers).collect::<Vec<_>>()
        });
        let row = |(task, registers): (socscope_debug::tasks::Task, Vec<Option<u32>>)| {
            let row = PyDict::new(py);
            row.set_item("address", task.address)?;
            row.set_item("name", task.name)?;
            row.set_item("state", task.state)?;
            row.set_item("priority", task.priority)?;
            row.set_item("running", task.running)?;
            let known = PyDict::new(py);
            for (number, value) in registers.iter().enumerate() {
                if let Some(value) = value {
                    known.set_item(register_name(number), value)?;
                }
            }
            row.set_item("registers", known)?;
            Ok(row)
        };
        tasks.into_iter().map(row).collect()
    }
}
