//! `socscope._core.GdbServer`.

use crate::errors;
use crate::machine::PyMachine;
use crate::seat::Group;
use crate::tasks::PyTaskTable;
use pyo3::prelude::*;
use socscope_debug::tasks::TaskTable;
use socscope_debug::{Debugger, Subject, SymbolList, Symbols, unknown_cores};
use socscope_host::{GdbEnd, GdbEvent, GdbServer};
use socscope_time::Instant;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is known of one machine's image: its functions and its tasks.
type Image<'py> = (
    SymbolList,
    BTreeMap<u16, SymbolList>,
    Option<PyRef<'py, PyTaskTable>>,
);

/// A port on which debuggers connect.
#[pyclass(frozen, name = "GdbServer", module = "socscope._core")]
pub(crate) struct PyGdbServer {
    server: GdbServer,
    counts_hold: AtomicBool,
}

#[pymethods]
impl PyGdbServer {
    #[new]
    #[pyo3(signature = (port = 0, host = None))]
    fn new(port: u16, host: Option<&str>) -> PyResult<PyGdbServer> {
        let server = GdbServer::bind(host, port).map_err(errors::serial)?;
        Ok(PyGdbServer {
            server,
            counts_hold: AtomicBool::new(true),
        })
    }

    /// Whether the profiles hold what was counted: no debugger went back in time, or changed what is counted.
    #[getter]
    fn counts_hold(&self) -> bool {
        self.counts_hold.load(Ordering::Relaxed)
    }

    /// Host and real port.
    #[getter]
    fn address(&self) -> (String, u16) {
        let address = self.server.local_address();
        (address.ip().to_string(), address.port())
    }

    /// Serves debuggers of a machine, and of those linked to it in the order in which they joined: `images` has one entry for each.
    #[pyo3(signature = (machine, images, until_ps = None, on_event = None))]
    fn serve(
        &self,
        py: Python<'_>,
        machine: &PyMachine,
        images: Vec<Image<'_>>,
        until_ps: Option<u64>,
        on_event: Option<Py<PyAny>>,
    ) -> PyResult<(&'static str, String)> {
        let mut symbols = vec![];
        let mut task_tables: Vec<Option<TaskTable>> = vec![];
        for (shared, own, table) in images {
            symbols.push(Symbols { shared, own });
            task_tables.push(table.map(|table| table.0.clone()));
        }
        let end = until_ps.map_or(Instant::FOREVER, Instant);
        let mut raised = None;
        let mut tell = |event: GdbEvent| {
            let (kind, detail) = describe(event);
            let told = Python::attach(|py| {
                on_event.as_ref().map_or(Ok(()), |callback| {
                    callback.call1(py, (kind, detail)).map(|_| ())
                })
            });
            if let Err(error) = told {
                raised = Some(error);
            }
        };
        let seat = &machine.seat;
        let result = py.detach(|| {
            let mut group = seat.lock();
            let Group {
                machines,
                sessions,
                profiles,
                lock_step,
                ..
            } = &mut *group;
            let counted: Vec<bool> = profiles.iter().map(|one| one.get().is_some()).collect();
            symbols.resize_with(machines.len(), Symbols::default);
            task_tables.resize_with(machines.len(), || None);
            let mut debugger = Debugger::new(Subject {
                machines,
                profiles,
                lock_step,
                symbols,
                task_tables,
                end,
            });
            let end = self.server.serve(&mut debugger, sessions, &mut tell);
            self.counts_hold
                .store(debugger.counts_hold(), Ordering::Relaxed);
            // What a monitor command has begun to count ends with the debugger.
            let begun = profiles.iter_mut().zip(counted);
            for (probes, _) in begun.filter(|(_, counted)| !counted) {
                probes.take_profile();
            }
            end
        });
        // Ctrl-C is Python's to tell, as KeyboardInterrupt.
        py.check_signals()?;
        if let Some(error) = raised {
            return Err(error);
        }
        Ok(match result.map_err(errors::serial)? {
            GdbEnd::Killed => ("killed", "the debugger killed the guest".into()),
            GdbEnd::Finished => ("time", "the time is over".into()),
            GdbEnd::Stuck(reason) => ("crash", reason),
            GdbEnd::Asleep => (
                "stopped",
                "the core sleeps, and nothing is pending that could wake it".into(),
            ),
            GdbEnd::Interrupted => ("interrupted", "the run was interrupted".into()),
        })
    }
}

fn describe(event: GdbEvent) -> (&'static str, String) {
    match event {
        GdbEvent::Connected(address) => ("connected", address),
        GdbEvent::Refused(who) => ("refused", who),
        GdbEvent::Detached => ("detached", "the guest goes on without a debugger".into()),
        GdbEvent::Closed => ("closed", "the debugger has gone; the guest stands".into()),
        GdbEvent::Broken(reason) => ("broken", reason),
    }
}

#[pymethods]
impl PyMachine {
    /// The cores whose architecture GDB does not know.
    fn unknown_to_gdb(&self) -> Vec<usize> {
        self.with(unknown_cores)
    }

    /// The machine's place among those linked to it, from 0.
    #[getter]
    fn place(&self) -> usize {
        self.seat.index
    }
}
