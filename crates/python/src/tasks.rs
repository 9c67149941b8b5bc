//! `socscope._core.TaskTable`: the tasks of a guest's operating system.

use crate::machine::PyMachine;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict};
use socscope_debug::register_name;
use socscope_debug::tasks::{
    Addresses, Condition, Field, Frame, Group, Name, Place, Running, Source, State, Task,
    TaskTable, View,
};
use socscope_machine::Machine;

type FieldRow = (u32, u32);
type ConditionRow = (u32, u32, u32, Option<u32>);

/// A table as `socscope.awareness` resolves it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct TableRow {
    system: String,
    array: Option<(u32, u32, u32)>,
    list: Option<(u32, FieldRow, u32, bool)>,
    group: Option<(FieldRow, u32, u32)>,
    linux: Option<(u32, u32, u32, u32)>,
    exists: Vec<ConditionRow>,
    identity: Option<FieldRow>,
    name: FieldRow,
    name_is_pointer: bool,
    priority: Option<FieldRow>,
    numbers: Vec<(String, FieldRow)>,
    states: Vec<(String, Vec<ConditionRow>)>,
    otherwise: String,
    current: Option<u32>,
    special: (u32, u32),
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
            addresses: row.linux.map_or(
                Addresses::Bus,
                |(offset, directory, memory, tasks_directory)| Addresses::Linux {
                    offset,
                    directory,
                    memory,
                    tasks_directory,
                },
            ),
            group: row.group.map(|(owner, head, node)| Group {
                owner: field(owner),
                head,
                node,
            }),
            place: match (row.array, row.list) {
                (_, Some((head, next, node, head_is_node))) => Place::List {
                    head,
                    next: field(next),
                    node,
                    head_is_node,
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
            numbers: row
                .numbers
                .into_iter()
                .map(|(name, place)| (name, field(place)))
                .collect(),
            states: row
                .states
                .into_iter()
                .map(|(name, when)| State {
                    name,
                    when: conditions(when),
                })
                .collect(),
            otherwise: row.otherwise,
            running: row.current.map_or(
                Running::Special {
                    register: row.special.0,
                    member: row.special.1,
                },
                Running::Pointer,
            ),
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
        let named = |machine: &Machine, values: Vec<Option<u32>>| -> Vec<(String, u32)> {
            let name = |(number, value): (usize, Option<u32>)| {
                value.map(|value| (register_name(machine, number), value))
            };
            values.into_iter().enumerate().filter_map(name).collect()
        };
        let tasks: Vec<(Task, Vec<(String, u32)>)> = machine.with(|machine| {
            let tasks = self.0.tasks(machine).into_iter();
            let with_registers = |task: Task| {
                let registers = self.0.registers(machine, &task, view);
                (task, named(machine, registers))
            };
            tasks.map(with_registers).collect()
        });
        let row = |(task, registers): (Task, Vec<(String, u32)>)| {
            let row = PyDict::new(py);
            row.set_item("address", task.address)?;
            row.set_item("name", task.name)?;
            row.set_item("state", task.state)?;
            row.set_item("priority", task.priority)?;
            row.set_item("core", task.core)?;
            row.set_item("numbers", task.numbers.into_py_dict(py)?)?;
            row.set_item("registers", registers.into_py_dict(py)?)?;
            Ok(row)
        };
        tasks.into_iter().map(row).collect()
    }

    /// Bytes at an address of the system's own, fewer where it has no memory.
    fn peek<'py>(
        &self,
        py: Python<'py>,
        machine: &PyMachine,
        address: u32,
        size: u32,
    ) -> Bound<'py, PyBytes> {
        let bytes = machine.with(|machine| self.0.peek(machine, address, size));
        PyBytes::new(py, &bytes)
    }
}
