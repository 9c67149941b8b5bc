//! Marks at addresses and of devices.

use crate::errors::CoreError;
use crate::machine::PyMachine;
use crate::profile::core_set;
use crate::seat::Group;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use socscope_device::Description;
use socscope_machine::Machine;
use socscope_memory::Direction;
use socscope_probe::{Marked, Point, Trigger};

#[pymethods]
impl PyMachine {
    /// Marks the instruction at an address from now on.
    #[pyo3(signature = (number, name, address, cores = vec![]))]
    fn mark_address(
        &self,
        number: u32,
        name: String,
        address: u32,
        cores: Vec<u32>,
    ) -> PyResult<()> {
        let trigger = Trigger::Address(address, core_set(&cores)?);
        let mut group = self.seat.lock();
        let probes = &mut group.profiles[self.seat.index];
        probes.mark(Point {
            number,
            name,
            trigger,
        });
        Ok(())
    }

    /// Marks what a device does from now on: an access of a register, or at an interrupt controller a source that becomes pending.
    #[pyo3(signature = (number, name, device, what, which = None))]
    fn mark_device(
        &self,
        number: u32,
        name: String,
        device: &str,
        what: &str,
        which: Option<&str>,
    ) -> PyResult<()> {
        let mut group = self.seat.lock();
        let Group {
            machines, profiles, ..
        } = &mut *group;
        let trigger = trigger(&machines[self.seat.index], device, what, which)
            .map_err(|reason| CoreError::new_err(format!("{name}: {reason}")))?;
        profiles[self.seat.index].mark(Point {
            number,
            name,
            trigger,
        });
        Ok(())
    }

    /// The marks that were set so, as columns; `None` when there is nothing to be marked.
    fn marked<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let group = self.seat.lock();
        let Some(marker) = group.profiles[self.seat.index].marker() else {
            return Ok(None);
        };
        let machine = &group.machines[self.seat.index];
        let points = marker.points();
        let marked: Vec<Marked> = marker.marked().iter().copied().collect();
        let columns = PyDict::new(py);
        let point = |one: &Marked| &points[one.point];
        let numbers =
            |value: &dyn Fn(&Marked) -> i64| -> Vec<i64> { marked.iter().map(value).collect() };
        columns.set_item("number", numbers(&|one| point(one).number.into()))?;
        columns.set_item("argument", numbers(&|one| one.argument.into()))?;
        columns.set_item("core", numbers(&|one| one.core.map_or(-1, i64::from)))?;
        columns.set_item("cycle", numbers(&|one| one.cycle as i64))?;
        // What devices do is told in cycles of the first core's clock.
        let clock_of = |one: &Marked| match point(one).trigger {
            Trigger::Address(..) => one.core.unwrap_or_default(),
            Trigger::Register { .. } | Trigger::Interrupt { .. } => 0,
        };
        let time = |one: &Marked| machine.time_at(clock_of(one), one.cycle).0 as i64;
        columns.set_item("time_ps", numbers(&time))?;
        let source = |one: &Marked| match point(one).trigger {
            Trigger::Address(..) => "address",
            Trigger::Register { .. } | Trigger::Interrupt { .. } => "device",
        };
        let sources: Vec<&str> = marked.iter().map(source).collect();
        columns.set_item("source", sources)?;
        let names: Vec<&str> = marked.iter().map(|one| point(one).name.as_str()).collect();
        columns.set_item("name", names)?;
        Ok(Some(columns))
    }
}

/// What a device does, by the names of its parts.
fn trigger(
    machine: &Machine,
    name: &str,
    what: &str,
    which: Option<&str>,
) -> Result<Trigger, String> {
    let mut devices = machine.devices().enumerate();
    let Some((index, device)) = devices.find(|(_, device)| device.name == name) else {
        let known: Vec<&str> = machine.devices().map(|device| device.name).collect();
        return Err(format!("no device {name}: there are {}", known.join(", ")));
    };
    let (device, description) = (index as u16, device.description);
    if what == "interrupt" {
        if description.inputs.is_empty() {
            return Err(format!(
                "{name} is no interrupt controller: no line leads to it"
            ));
        }
        let source = which.map(|source| interrupt(description, source));
        let source = source.transpose()?;
        return Ok(Trigger::Interrupt { device, source });
    }
    let direction = match which {
        None => None,
        Some("read") => Some(Direction::Read),
        Some("write") => Some(Direction::Write),
        Some(other) => {
            return Err(format!(
                "{other} is no access: write read, write or nothing"
            ));
        }
    };
    let array = description
        .registers
        .iter()
        .position(|one| one.name == what);
    let one = description.register_named(what);
    let one = one.map(|(register, index)| (register, Some(index)));
    let Some((register, index)) = one.or_else(|| Some((array?, None))) else {
        let known: Vec<&str> = description.registers.iter().map(|one| one.name).collect();
        return Err(format!(
            "{name} has no register {what}: it has {}",
            known.join(", ")
        ));
    };
    Ok(Trigger::Register {
        device,
        description,
        register,
        index,
        direction,
    })
}

/// The number of a source of an interrupt controller, which is named by its input or its number.
fn interrupt(description: &Description, source: &str) -> Result<u32, String> {
    let named = description.inputs.iter().position(|one| *one == source);
    let number = named.map(|index| index as u32);
    number.or_else(|| source.parse().ok()).ok_or_else(|| {
        let title = description.title;
        format!("{title} has no interrupt {source}: give its number, or the name of an input")
    })
}
