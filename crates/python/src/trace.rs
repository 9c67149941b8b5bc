//! Traces of short runs, and what their accesses cost.

use crate::errors;
use crate::machine::{PyMachine, describe};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use socscope_host::SessionStop;
use socscope_machine::{Input, Machine, Stop, Until};
use socscope_memory::{Direction, Sequence, Target, Viewer, Width};
use socscope_probe::{Trace, Watched};
use socscope_time::Instant;
use std::collections::BTreeSet;

/// How long a run goes on before it looks for Ctrl-C.
const LOOK_INTERVAL_CYCLES: u64 = 5_000_000;

#[pymethods]
impl PyMachine {
    /// Runs, and writes down what the core did. Watched places are (address, bytes).
    #[expect(
        clippy::too_many_arguments,
        reason = "what is followed, where it ends, and how it is told"
    )]
    #[pyo3(signature = (watched, until_ps, until_address = None, until_mark = None, rows_max = 20_000_000, by_instruction = false))]
    fn trace<'py>(
        &self,
        py: Python<'py>,
        watched: Vec<(u32, u32)>,
        until_ps: u64,
        until_address: Option<u32>,
        until_mark: Option<u8>,
        rows_max: usize,
        by_instruction: bool,
    ) -> PyResult<(String, String, Bound<'py, PyDict>)> {
        let mut group = self.seat.lock();
        if group.machines.len() != 1 || group.history.is_some() {
            return Err(PyValueError::new_err(
                "a trace takes a machine that is linked to no other and keeps no history; take a fork",
            ));
        }
        let machine = &mut group.machines[self.seat.index];
        let watched: Vec<Watched> = watched
            .iter()
            .map(|&(address, size)| watch(machine, address, size))
            .collect();
        let mut trace = Trace::new(machine, watched, rows_max);
        if by_instruction {
            trace = trace.by_instruction();
        }
        let mut until = Until {
            addresses: until_address.into_iter().collect::<BTreeSet<u32>>(),
            mark: until_mark,
            ..Until::time(Instant::FOREVER)
        };
        let stop = loop {
            let slice = machine
                .clock()
                .instant_of(machine.cycle() + LOOK_INTERVAL_CYCLES);
            until.time = Instant(until_ps).min(slice);
            let stop = py.detach(|| trace.run(machine, &until));
            py.check_signals()?;
            if stop != Stop::Time || machine.now().0 >= until_ps {
                break stop;
            }
        };
        trace.price(machine);
        let (kind, detail) = match stop {
            Stop::Observer => ("full", format!("the trace has {rows_max} rows")),
            stop => describe(SessionStop::Machine(stop)),
        };
        Ok((kind.into(), detail, columns(py, &trace)?))
    }

    /// Changes a register: 0 to 14 as the mode in force sees them, 15 the program counter, 16 the status register.
    fn set_register(&self, number: u8, value: u32) -> PyResult<()> {
        let changed = self.with_mut(|machine| {
            machine.apply(Input::CoreRegister {
                core: machine.turn() as u16,
                number,
                value,
            })
        });
        changed.map_err(errors::input)
    }

    /// What an access to each region costs, in cycles.
    fn access_costs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let regions = self.with(|machine| machine.regions().to_vec());
        let mut rows = vec![];
        for region in regions.iter().filter(|region| region.enabled) {
            let row = PyDict::new(py);
            row.set_item("name", &region.name)?;
            row.set_item("start", region.base)?;
            row.set_item("size", region.size)?;
            for (name, direction) in [("read", Direction::Read), ("write", Direction::Write)] {
                for (letter, sequence) in ['n', 's', 'a'].into_iter().zip(Sequence::ALL) {
                    for width in Width::ALL {
                        let key = format!("{name}_{letter}{}", width.bits());
                        row.set_item(key, region.cost.cycles(sequence, direction, width))?;
                    }
                }
            }
            row.set_item("float", region.cost.float_cycles)?;
            row.set_item("external", region.cost.external)?;
            row.set_item("early_read", region.cost.early_read)?;
            rows.push(row);
        }
        Ok(rows)
    }
}

fn watch(machine: &Machine, address: u32, size: u32) -> Watched {
    let behind = machine.region_for(Viewer::Looking, address);
    match behind.map(|region| (region.target, region)) {
        Some((Target::Device(device), region)) => Watched::Register {
            device,
            offset: address - region.base,
            first: region.base,
            last: region.base + (region.size - 1),
        },
        _ => Watched::Memory { address, size },
    }
}

fn columns<'py>(py: Python<'py>, trace: &Trace) -> PyResult<Bound<'py, PyDict>> {
    let Trace {
        rows,
        cycles,
        changes,
        ..
    } = trace;
    let tables = PyDict::new(py);
    let table = |name: &str, columns: Vec<(&str, Vec<u8>)>| -> PyResult<()> {
        let table = PyDict::new(py);
        for (column, bytes) in columns {
            table.set_item(column, PyBytes::new(py, &bytes))?;
        }
        tables.set_item(name, table)
    };
    let words = |column: &[u32]| column.iter().flat_map(|one| one.to_le_bytes()).collect();
    let longs = |column: &[u64]| column.iter().flat_map(|one| one.to_le_bytes()).collect();
    let halves = |column: &[u16]| column.iter().flat_map(|one| one.to_le_bytes()).collect();
    table(
        "rows",
        vec![
            ("address", words(&rows.address)),
            ("size", rows.size.clone()),
            ("kind", rows.kind.clone()),
            ("class", rows.class.clone()),
            ("status", words(&rows.status)),
            ("stack_pointer", words(&rows.stack_pointer)),
            ("cycle", longs(&rows.cycle)),
            ("cycles", words(&rows.cycles)),
            ("transfer", rows.transfer.clone()),
            ("target", words(&rows.target)),
        ],
    )?;
    table(
        "bus",
        vec![
            ("row", words(&cycles.row)),
            ("purpose", cycles.purpose.clone()),
            ("sequence", cycles.sequence.clone()),
            ("size", cycles.size.clone()),
            ("address", words(&cycles.address)),
            ("cost", halves(&cycles.cost)),
            ("wait", cycles.wait.clone()),
        ],
    )?;
    table(
        "changes",
        vec![
            ("row", words(&changes.row)),
            ("place", changes.place.clone()),
            ("value", words(&changes.value)),
        ],
    )?;
    tables.set_item("stopped_cycles", trace.stopped_cycles)?;
    tables.set_item("bus_held_cycles", trace.bus_held_cycles)?;
    Ok(tables)
}
