//! A profile as tables: the columns that `socscope.record.tables` describes.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use socscope_machine::{Machine, Mark};
use socscope_memory::{Direction, RegionIndex};
use socscope_probe::linux::Task;
use socscope_probe::{CoreProfile, Entry, Profile, RegisterAccess};

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
    let cores = Cores::of(profile);
    add(
        "nodes",
        &["node", "core", "parent", "function", "entry", "entered"],
        nodes(&cores),
    )?;
    add(
        "instructions",
        &["node", "region", "instructions", "cycles"],
        instructions(&cores, &names),
    )?;
    add(
        "accesses",
        &["node", "region", "width_bits", "direction", "count"],
        accesses(&cores, &names),
    )?;
    add(
        "io",
        &["node", "device", "register", "group", "direction", "count"],
        registers(&cores, &names),
    )?;
    add(
        "exceptions",
        &["core", "number", "count", "exception"],
        exceptions(&cores, machine),
    )?;
    add(
        "programs",
        &["function", "pid", "tgid", "task"],
        programs(profile),
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
    let sums = [
        "device",
        "channel",
        "region",
        "direction",
        "width_bits",
        "transfers",
    ];
    add("dma_sums", &sums, dma_sums(profile, &names))?;
    let interrupt_columns = [
        "core",
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
    add("interrupts", &interrupt_columns, interrupts(&cores, &names))?;
    add("marks", &MARKS, mark_rows(machine))?;
    let span_columns = [
        "core",
        "start_cycle",
        "end_cycle",
        "start_ps",
        "end_ps",
        "instructions",
        "stopped_cycles",
        "bus_held_cycles",
    ];
    add("spans", &span_columns, spans(machine, &cores))?;
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
        if offset == RegisterAccess::OTHERS {
            return ("(others)".into(), "none");
        }
        match self.devices[device as usize].1.register_of(offset) {
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

/// The cores of a profile, whose contexts are numbered through: those of a core begin where those of the one before end.
struct Cores<'a>(Vec<(u64, u64, &'a CoreProfile)>);

impl<'a> Cores<'a> {
    fn of(profile: &'a Profile) -> Cores<'a> {
        let mut first = 0;
        let mut cores = vec![];
        for (number, core) in profile.cores().iter().enumerate() {
            cores.push((number as u64, first, core));
            first += core.nodes().len() as u64;
        }
        Cores(cores)
    }

    /// The rows of all cores, of a core's number, its first context's number, and itself.
    fn rows<R: IntoIterator<Item = Vec<Cell>>>(
        &self,
        of_core: impl Fn(u64, u64, &'a CoreProfile) -> R,
    ) -> Rows {
        let cores = self.0.iter();
        cores
            .flat_map(|&(number, first, core)| of_core(number, first, core))
            .collect()
    }
}

fn nodes(cores: &Cores) -> Rows {
    let entry = |entry| match entry {
        Entry::Root => "root",
        Entry::Call => "call",
        Entry::Jump => "jump",
        Entry::Exception => "exception",
    };
    cores.rows(|number, first, core| {
        let nodes = core.nodes().iter().zip(first..);
        let entries = core.entries();
        nodes.map(move |(node, index)| {
            let entered = entries.as_ref().map(|all| all[(index - first) as usize]);
            let parent = node.parent.map(|parent| first + u64::from(parent.0));
            row![
                index,
                number,
                parent.map_or(-1, |parent| parent as i64),
                node.function.0,
                entry(node.entry),
                entered.map_or(-1, |times| times as i64)
            ]
        })
    })
}

fn instructions(cores: &Cores, names: &Names) -> Rows {
    cores.rows(|_, first, core| {
        let mut rows = vec![];
        for (counts, node) in core.counts().iter().zip(first..) {
            for (region, instructions, cycles) in counts.code() {
                rows.push(row![node, names.region(region), instructions, cycles]);
            }
        }
        rows
    })
}

fn accesses(cores: &Cores, names: &Names) -> Rows {
    cores.rows(|_, first, core| {
        let mut rows = vec![];
        for (counts, node) in core.counts().iter().zip(first..) {
            for (region, width, way, count) in counts.data_accesses() {
                let (region, bits) = (names.region(region), u64::from(width.bits()));
                rows.push(row![node, region, bits, direction(way), count]);
            }
        }
        rows
    })
}

fn registers(cores: &Cores, names: &Names) -> Rows {
    cores.rows(|_, first, core| {
        core.registers().into_iter().map(move |(access, count)| {
            let (register, group) = names.register(access.device, access.offset);
            let device = names.devices[access.device as usize].0.as_str();
            row![
                first + u64::from(access.node.0),
                device,
                register,
                group,
                direction(access.direction),
                count
            ]
        })
    })
}

fn exceptions(cores: &Cores, machine: &Machine) -> Rows {
    cores.rows(|core, _, of| {
        let name = machine.core(core as usize).exceptions().name;
        of.exceptions()
            .map(move |(number, count)| row![core, u64::from(number), count, name(number)])
    })
}

/// The functions that stand for programs of a kernel's; without names where no task was known.
fn programs(profile: &Profile) -> Rows {
    let programs = profile.kernel().into_iter();
    let row = |(function, task): (socscope_probe::FunctionId, Option<&Task>)| {
        let (pid, tgid) = task.map_or((-1i64, -1i64), |task| (task.pid.into(), task.tgid.into()));
        row![
            function.0,
            pid,
            tgid,
            task.map_or("", |task| task.name.as_str())
        ]
    };
    programs
        .flat_map(|kernel| kernel.user_functions().map(row))
        .collect()
}

fn dma(profile: &Profile, names: &Names) -> Rows {
    let row = |transfer: &socscope_probe::DmaTransfer| {
        let mut row = dma_kind(transfer, names);
        row.extend(row![
            transfer.accesses,
            transfer.accesses * u64::from(transfer.width.bytes()),
            transfer.start_cycle,
            transfer.end_cycle,
        ]);
        row
    };
    profile.dma_transfers().map(row).collect()
}

/// Of how many transfers those rows are that stand for several.
fn dma_sums(profile: &Profile, names: &Names) -> Rows {
    let row = |(sum, count): (&socscope_probe::DmaTransfer, u64)| {
        let mut row = dma_kind(sum, names);
        row.extend(row![count]);
        row
    };
    profile.folded_transfers().map(row).collect()
}

fn dma_kind(transfer: &socscope_probe::DmaTransfer, names: &Names) -> Vec<Cell> {
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
    ]
}

fn interrupts(cores: &Cores, names: &Names) -> Rows {
    cores.rows(|core, _, of| {
        of.interrupts()
            .map(move |(controller, source, statistics)| {
                let inputs = names.devices[controller as usize].1.inputs;
                let name = inputs
                    .get(source as usize)
                    .map_or_else(|| source.to_string(), |name| (*name).to_string());
                row![
                    core,
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
            })
    })
}

const MARKS: [&str; 5] = ["number", "argument", "core", "cycle", "time_ps"];

/// The marks that the guest has passed, as columns of the table `marks`.
pub fn marks<'py>(py: Python<'py>, machine: &Machine) -> PyResult<Bound<'py, PyDict>> {
    table(py, &MARKS, mark_rows(machine))
}

fn mark_rows(machine: &Machine) -> Rows {
    let row = |mark: &Mark| {
        row![
            u64::from(mark.number),
            u64::from(mark.argument),
            u64::from(mark.core),
            mark.cycle,
            machine.time_at(mark.core, mark.cycle).0
        ]
    };
    machine.marks().iter().map(row).collect()
}

fn spans(machine: &Machine, cores: &Cores) -> Rows {
    cores.rows(|core, _, of| {
        let clock = machine.clock_of(core as usize);
        of.spans().into_iter().map(move |span| {
            row![
                core,
                span.start_cycle,
                span.end_cycle,
                clock.instant_of(span.start_cycle).0,
                clock.instant_of(span.end_cycle).0,
                span.instructions,
                span.stopped_cycles,
                span.bus_held_cycles,
            ]
        })
    })
}
