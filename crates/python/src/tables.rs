//! A profile as tables: the columns that `socscope.record.tables` describes.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use socscope_machine::{Machine, Mark};
use socscope_memory::{Direction, RegionIndex};
use socscope_probe::{Entry, Profile};

/// One cell.
enum Cell {
    Number(i64),
    Text(String),
}

impl From<u64> for Cell {
    fn from(value: u64) -> Cell {
        Cell::Number(value as i64)
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Cell {
        Cell::Number(value)
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Cell {
        Cell::Text(value.into())
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Cell {
        Cell::Text(value)
    }
}

macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$(Cell::from($cell)),*] };
}

type Rows = Vec<Vec<Cell>>;

/// All tables of a profile.
pub(crate) fn tables<'py>(
    py: Python<'py>,
    machine: &Machine,
    profile: &Profile,
) -> PyResult<Bound<'py, PyDict>> {
    let names = Names::new(machine);
    let tables = PyDict::new(py);
    let add = |name: &str, columns: &[&str], rows: Rows| -> PyResult<()> {
        tables.set_item(name, table(py, columns, rows)?)
    };
    add(
        "nodes",
        &["node", "parent", "function", "entry"],
        nodes(profile),
    )?;
    add(
        "instructions",
        &["node", "region", "instructions", "cycles"],
        instructions(profile, &names),
    )?;
    add(
        "accesses",
        &["node", "region", "width_bits", "direction", "count"],
        accesses(profile, &names),
    )?;
    add(
        "io",
        &["node", "device", "register", "group", "direction", "count"],
        registers(profile, &names),
    )?;
    let dma_columns = [
        "device",
        "channel",
        "region",
        "direction",
        "width_bits",
        "accesses",
        "bytes",
        "start_cycle",
        "end_cycle",
    ];
    add("dma_transfers", &dma_columns, dma(profile, &names))?;
    let interrupt_columns = [
        "source",
        "count",
        "spurious",
        "measured",
        "latency_cycles_min",
        "latency_cycles_total",
        "latency_cycles_max",
        "handler_measured",
        "handler_cycles_min",
        "handler_cycles_total",
        "handler_cycles_max",
    ];
    add(
        "interrupts",
        &interrupt_columns,
        interrupts(profile, &names),
    )?;
    add("marks", &MARKS, mark_rows(machine))?;
    let span_columns = [
        "start_cycle",
        "end_cycle",
        "start_ps",
        "end_ps",
        "instructions",
        "stopped_cycles",
        "bus_held_cycles",
    ];
    add("spans", &span_columns, spans(machine, profile))?;
    Ok(tables)
}

fn table<'py>(py: Python<'py>, columns: &[&str], rows: Rows) -> PyResult<Bound<'py, PyDict>> {
    let lists: Vec<Bound<'py, PyList>> = columns.iter().map(|_| PyList::empty(py)).collect();
    for row in rows {
        for (list, cell) in lists.iter().zip(row) {
            match cell {
                Cell::Number(value) => list.append(value)?,
                Cell::Text(value) => list.append(value)?,
            }
        }
    }
    let table = PyDict::new(py);
    for (column, list) in columns.iter().zip(lists) {
        table.set_item(*column, list)?;
    }
    Ok(table)
}

/// Names of a machine's parts.
struct Names {
    regions: Vec<String>,
    devices: Vec<(String, &'static socscope_device::Description)>,
}

impl Names {
    fn new(machine: &Machine) -> Names {
        Names {
            regions: machine
                .regions()
                .iter()
                .map(|region| region.name.clone())
                .collect(),
            devices: machine
                .devices()
                .map(|device| (device.name.to_string(), device.description))
                .collect(),
        }
    }

    fn region(&self, region: RegionIndex) -> &str {
        &self.regions[region.0 as usize]
    }

    /// Name and group of the register at an offset.
    fn register(&self, device: u16, offset: u32) -> (String, &'static str) {
        match self.devices[device as usize].1.register_at(offset & !3) {
            Some((register, _)) if register.count == 1 => (register.name.into(), register.group),
            Some((register, index)) => (format!("{}{index}", register.name), register.group),
            None => (format!("+{offset:#x}"), "none"),
        }
    }
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "write",
    }
}

fn nodes(profile: &Profile) -> Rows {
    let entry = |entry| match entry {
        Entry::Root => "root",
        Entry::Call => "call",
        Entry::Jump => "jump",
        Entry::Exception => "exception",
    };
    let row = |(index, node): (usize, &socscope_probe::Node)| {
        row![
            index as u64,
            node.parent.map_or(-1, |parent| i64::from(parent.0)),
            node.function.0,
            entry(node.entry)
        ]
    };
    profile.nodes().iter().enumerate().map(row).collect()
}

fn instructions(profile: &Profile, names: &Names) -> Rows {
    let counts = profile.counts();
    let rows = counts.iter().enumerate().flat_map(|(node, counts)| {
        counts.code().map(move |(region, instructions, cycles)| {
            row![node as u64, names.region(region), instructions, cycles]
        })
    });
    rows.collect()
}

fn accesses(profile: &Profile, names: &Names) -> Rows {
    let counts = profile.counts();
    let rows = counts.iter().enumerate().flat_map(|(node, counts)| {
        counts
            .data_accesses()
            .map(move |(region, width, way, count)| {
                row![
                    node as u64,
                    names.region(region),
                    u64::from(width.bits()),
                    direction(way),
                    count
                ]
            })
    });
    rows.collect()
}

fn registers(profile: &Profile, names: &Names) -> Rows {
    let row = |(access, &count): (&socscope_probe::RegisterAccess, &u64)| {
        let (register, group) = names.register(access.device, access.offset);
        let device = names.devices[access.device as usize].0.as_str();
        row![
            u64::from(access.node.0),
            device,
            register,
            group,
            direction(access.direction),
            count
        ]
    };
    profile.registers().iter().map(row).collect()
}

fn dma(profile: &Profile, names: &Names) -> Rows {
    let row = |transfer: &socscope_probe::DmaTransfer| {
        let channel = match transfer.direction {
            Direction::Read => "transmit",
            Direction::Write => "receive",
        };
        row![
            names.devices[transfer.device as usize].0.as_str(),
            channel,
            names.region(transfer.region),
            direction(transfer.direction),
            u64::from(transfer.width.bits()),
            transfer.accesses,
            transfer.accesses * u64::from(transfer.width.bytes()),
            transfer.start_cycle,
            transfer.end_cycle,
        ]
    };
    profile.dma_transfers().map(row).collect()
}

fn interrupts(profile: &Profile, names: &Names) -> Rows {
    let row =
        |(controller, source, statistics): (u16, u32, &socscope_probe::InterruptStatistics)| {
            let inputs = names.devices[controller as usize].1.inputs;
            let name = inputs
                .get(source as usize)
                .map_or_else(|| source.to_string(), |name| (*name).to_string());
            row![
                name,
                statistics.count,
                statistics.spurious,
                statistics.entry.measured,
                statistics.entry.cycles_min,
                statistics.entry.cycles_total,
                statistics.entry.cycles_max,
                statistics.handler.measured,
                statistics.handler.cycles_min,
                statistics.handler.cycles_total,
                statistics.handler.cycles_max,
            ]
        };
    profile.interrupts().map(row).collect()
}

const MARKS: [&str; 5] = ["number", "argument", "core", "cycle", "time_ps"];

/// The marks that the guest has passed, as columns of the table `marks`.
pub fn marks<'py>(py: Python<'py>, machine: &Machine) -> PyResult<Bound<'py, PyDict>> {
    table(py, &MARKS, mark_rows(machine))
}

fn mark_rows(machine: &Machine) -> Rows {
    let clock = machine.clock();
    let row = |mark: &Mark| {
        row![
            u64::from(mark.number),
            u64::from(mark.argument),
            u64::from(mark.core),
            mark.cycle,
            clock.instant_of(mark.cycle).0
        ]
    };
    machine.marks().iter().map(row).collect()
}

fn spans(machine: &Machine, profile: &Profile) -> Rows {
    let clock = machine.clock();
    let row = |span: &socscope_probe::Span| {
        row![
            span.start_cycle,
            span.end_cycle,
            clock.instant_of(span.start_cycle).0,
            clock.instant_of(span.end_cycle).0,
            span.instructions,
            span.stopped_cycles,
            span.bus_held_cycles,
        ]
    };
    profile.spans().iter().map(row).collect()
}
