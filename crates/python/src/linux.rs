//! What the cores do for the tasks of a Linux kernel.

use crate::errors::CoreError;
use crate::machine::PyMachine;
use crate::seat::Group;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use socscope_probe::CoreSet;
use socscope_probe::linux::{Activity, Current, Layout, Linux, Variable};

/// Columns of whole numbers of 64 bits, as bytes: there may be millions of rows.
#[derive(Default)]
struct Columns(Vec<(&'static str, Vec<u8>)>);

impl Columns {
    fn add(&mut self, name: &'static str, values: impl Iterator<Item = u64>) {
        self.0
            .push((name, values.flat_map(u64::to_le_bytes).collect()));
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let table = PyDict::new(py);
        for (name, bytes) in &self.0 {
            table.set_item(*name, PyBytes::new(py, bytes))?;
        }
        Ok(table)
    }
}

/// Where the pointer to the task is: in a register, from which the control block's part for the architecture is so far behind; or in a variable, with its
/// address on the bus, the distance of the kernel's addresses from those, and the instructions behind those that write it.
#[derive(FromPyObject)]
enum CurrentRow {
    Register(u32),
    Variable((u32, u32, Vec<u32>)),
}

impl From<CurrentRow> for Current {
    fn from(row: CurrentRow) -> Current {
        match row {
            CurrentRow::Register(thread) => Current::Register { thread },
            CurrentRow::Variable((address, offset, written_before)) => {
                Current::Variable(Variable {
                    address,
                    offset,
                    written_before: written_before.into_iter().collect(),
                })
            }
        }
    }
}

#[pymethods]
impl PyMachine {
    /// Watches from now on what the cores do for the tasks of a kernel, whose pointer to them is in a register or in a variable.
    fn watch_linux(
        &self,
        current: CurrentRow,
        pid: u32,
        tgid: u32,
        name: u32,
        name_bytes: u32,
    ) -> PyResult<()> {
        let mut group = self.seat.lock();
        let Group {
            machines, profiles, ..
        } = &mut *group;
        let (machine, probes) = (&machines[self.seat.index], &mut profiles[self.seat.index]);
        let core = machine.core(0);
        if let CurrentRow::Variable((address, ..)) = current
            && machine.peek(address, 4).len() < 4
        {
            return Err(CoreError::new_err(format!(
                "the kernel's pointer to its task is expected at {address:#x} of the bus, where no memory is; tasks are understood of kernels whose \
                 memory begins where the file says, or at address 0"
            )));
        }
        let layout = Layout {
            current: current.into(),
            pid,
            tgid,
            name,
            name_bytes,
        };
        let Some(linux) = core.linux() else {
            return Err(CoreError::new_err(format!(
                "tasks of Linux are not understood on the model {} of core 0; leave the awareness off",
                core.model_name()
            )));
        };
        let alike = |&number: &u32| {
            let other = machine.core(number as usize);
            other.images().elf_machine == core.images().elf_machine && other.linux().is_some()
        };
        let cores: Vec<u32> = (0..machine.cores() as u32).filter(alike).collect();
        let cores = CoreSet::of(&cores).unwrap_or(CoreSet::ALL);
        probes.set_linux(Linux::new(layout, linux, cores));
        machine.introduce(probes);
        Ok(())
    }

    /// Tasks, stretches of time and system calls, up to now; `None` when nobody watches.
    fn linux<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let group = self.seat.lock();
        let machine = &group.machines[self.seat.index];
        let Some(linux) = group.profiles[self.seat.index].linux() else {
            return Ok(None);
        };
        let track = linux.track();
        let ps = |core: u16, cycle: u64| machine.time_at(core, cycle).0;
        let all = track.stretches(|core| machine.cycle_of(usize::from(core)));
        let mut spans = Columns::default();
        spans.add("core", all.iter().map(|one| one.core.into()));
        spans.add("start_cycle", all.iter().map(|one| one.start_cycle));
        spans.add("end_cycle", all.iter().map(|one| one.end_cycle));
        spans.add(
            "start_ps",
            all.iter().map(|one| ps(one.core, one.start_cycle)),
        );
        spans.add("end_ps", all.iter().map(|one| ps(one.core, one.end_cycle)));
        spans.add("task", all.iter().map(|one| one.task.into()));
        spans.add("activity", all.iter().map(|one| kind(one.activity).0));
        spans.add("number", all.iter().map(|one| kind(one.activity).1));
        let mut sums = Columns::default();
        let rest = &track.rest().stretches;
        sums.add("core", rest.keys().map(|(core, _, _)| u64::from(*core)));
        sums.add("task", rest.keys().map(|(_, task, _)| u64::from(*task)));
        sums.add(
            "activity",
            rest.keys().map(|(_, _, activity)| kind(*activity).0),
        );
        sums.add("cycles", rest.values().map(|(cycles, _)| *cycles));
        sums.add("spans", rest.values().map(|(_, count)| *count));
        let returned = track.calls();
        let mut calls = Columns::default();
        calls.add("core", returned.iter().map(|one| one.core.into()));
        calls.add("start_cycle", returned.iter().map(|one| one.start_cycle));
        calls.add("end_cycle", returned.iter().map(|one| one.end_cycle));
        calls.add(
            "start_ps",
            returned.iter().map(|one| ps(one.core, one.start_cycle)),
        );
        calls.add(
            "end_ps",
            returned.iter().map(|one| ps(one.core, one.end_cycle)),
        );
        calls.add("task", returned.iter().map(|one| one.task.into()));
        calls.add("number", returned.iter().map(|one| one.number.into()));
        let signed = |one: u32| i64::from(one as i32) as u64;
        calls.add("result", returned.iter().map(|one| signed(one.result)));
        let tasks: Vec<(u32, u32, &str)> = track
            .tasks()
            .iter()
            .map(|task| (task.pid, task.tgid, task.name.as_str()))
            .collect();
        let found = PyDict::new(py);
        found.set_item("tasks", tasks)?;
        found.set_item("spans", spans.to_python(py)?)?;
        found.set_item("sums", sums.to_python(py)?)?;
        found.set_item("calls", calls.to_python(py)?)?;
        Ok(Some(found))
    }
}

/// Number of an activity, as `socscope.awareness.linux.found` has it, and what it is about; -1 for nothing.
fn kind(activity: Activity) -> (u64, u64) {
    const NOTHING: u64 = u64::MAX;
    match activity {
        Activity::Idle => (0, NOTHING),
        Activity::User => (1, NOTHING),
        Activity::Kernel => (2, NOTHING),
        Activity::SystemCall(number) => (3, number.into()),
        Activity::Fault(vector) => (4, vector.into()),
        Activity::Interrupt(source) => (5, source.map_or(NOTHING, u64::from)),
        Activity::Timer => (6, NOTHING),
    }
}
