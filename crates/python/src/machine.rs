//! `socscope._core.Machine`.

use crate::errors;
use crate::seat::{Group, Seat};
use crate::tables;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use socscope_host::{Progress, SessionEnd, SessionStop};
use socscope_isa::arm::{Core, Mode};
use socscope_machine::{Machine, Stop, Until};
use socscope_memory::Target;
use socscope_probe::{Functions, Optional, Profile, Window};
use socscope_time::Instant;
use std::collections::BTreeSet;

const PROFILE_IS_OFF: &str = "the profile is off: call enable_profile before the run";

/// Why a run returned.
#[pyclass(frozen, get_all, module = "socscope._core")]
pub(crate) struct StopReason {
    kind: &'static str,
    detail: String,
    cycle: u64,
    time_ps: u64,
}

/// A machine built from a device tree.
#[pyclass(name = "Machine", module = "socscope._core")]
pub(crate) struct PyMachine {
    seat: Seat,
}

impl PyMachine {
    fn with<R>(&self, action: impl FnOnce(&Machine) -> R) -> R {
        action(&self.seat.lock().machines[self.seat.index])
    }

    fn with_mut<R>(&self, action: impl FnOnce(&mut Machine) -> R) -> R {
        action(&mut self.seat.lock().machines[self.seat.index])
    }
}

#[pymethods]
impl PyMachine {
    #[new]
    #[pyo3(signature = (dtb, name, overrides = Vec::new()))]
    fn new(dtb: &[u8], name: &str, overrides: Vec<(String, String)>) -> PyResult<PyMachine> {
        let overrides: Vec<String> = overrides
            .into_iter()
            .map(|(target, value)| format!("{target}={value}"))
            .collect();
        let machine = Machine::new(dtb, name, &overrides).map_err(errors::platform)?;
        Ok(PyMachine {
            seat: Seat::alone(machine),
        })
    }

    fn load_elf(&self, image: &[u8], path: &str) -> PyResult<()> {
        self.with_mut(|machine| machine.load_elf(image, path))
            .map_err(errors::image)
    }

    #[pyo3(signature = (until_ps = None, until_address = None, until_output = None, until_mark = None, on_progress = None))]
    fn run(
        &self,
        py: Python<'_>,
        until_ps: Option<u64>,
        until_address: Option<u32>,
        until_output: Option<(String, Vec<u8>)>,
        until_mark: Option<u8>,
        on_progress: Option<Py<PyAny>>,
    ) -> PyResult<StopReason> {
        let end = SessionEnd {
            until: Until {
                time: until_ps.map_or(Instant::FOREVER, Instant),
                addresses: until_address.into_iter().collect::<BTreeSet<u32>>(),
                mark: until_mark,
            },
            output: until_output,
        };
        let mut raised = None;
        let mut progress = |cycle: u64, time: Instant| {
            let outcome = Python::attach(|py| {
                py.check_signals()?;
                on_progress.as_ref().map_or(Ok(()), |callback| {
                    callback.call1(py, (cycle, time.0)).map(|_| ())
                })
            });
            match outcome {
                Ok(()) => Progress::GoOn,
                Err(error) => {
                    raised = Some(error);
                    Progress::Stop
                }
            }
        };
        let seat = &self.seat;
        let stop = py.detach(|| run_group(&mut seat.lock(), seat.index, &end, &mut progress));
        if let Some(error) = raised {
            return Err(error);
        }
        let stop = stop.map_err(errors::serial)?;
        let (kind, detail) = describe(stop);
        Ok(self.with(|machine| StopReason {
            kind,
            detail,
            cycle: machine.cycle(),
            time_ps: machine.now().0,
        }))
    }

    /// Executes one instruction or takes one exception. The profile, when it is on, sees it.
    fn step(&self) {
        let mut group = self.seat.lock();
        let Group {
            machines, profiles, ..
        } = &mut *group;
        machines[self.seat.index].step(&mut profiles[self.seat.index]);
    }

    fn attach(&self, py: Python<'_>, port: &str, peer: &str) -> PyResult<String> {
        py.detach(|| {
            let mut group = self.seat.lock();
            let Group {
                machines, sessions, ..
            } = &mut *group;
            machines[self.seat.index]
                .take_serial_output(port)
                .map_err(errors::platform)?;
            sessions[self.seat.index]
                .attach(port, peer)
                .map_err(errors::serial)
        })
    }

    fn ports(&self) -> Vec<String> {
        self.with(|machine| machine.ports().into_iter().map(String::from).collect())
    }

    fn serial_output<'py>(&self, py: Python<'py>, port: &str) -> PyResult<Bound<'py, PyBytes>> {
        let log = self
            .with(|machine| machine.serial_log(port))
            .map_err(errors::platform)?;
        let sent: Vec<u8> = log
            .into_iter()
            .filter(|(_, sent, _)| *sent)
            .map(|(_, _, byte)| byte)
            .collect();
        Ok(PyBytes::new(py, &sent))
    }

    fn serial_input(&self, port: &str, data: &[u8]) -> PyResult<()> {
        self.with_mut(|machine| machine.serial_input(port, data))
            .map_err(errors::platform)
    }

    fn serial_log<'py>(
        &self,
        py: Python<'py>,
        port: &str,
    ) -> PyResult<(Vec<u64>, Vec<&'static str>, Bound<'py, PyBytes>)> {
        let log = self
            .with(|machine| machine.serial_log(port))
            .map_err(errors::platform)?;
        let times = log.iter().map(|(time, _, _)| time.0).collect();
        let directions = log
            .iter()
            .map(|&(_, sent, _)| if sent { "out" } else { "in" })
            .collect();
        let bytes: Vec<u8> = log.iter().map(|&(_, _, byte)| byte).collect();
        Ok((times, directions, PyBytes::new(py, &bytes)))
    }

    /// Flips each bit on a port's wire with probability `rate`, from a seed; a rate of zero switches it off.
    fn set_bit_errors(&self, port: &str, rate: f64, seed: u64) -> PyResult<()> {
        if !(0.0..=1.0).contains(&rate) {
            return Err(PyValueError::new_err(format!(
                "bit-error rate {rate}: give a probability from 0 to 1"
            )));
        }
        self.with_mut(|machine| machine.set_bit_errors(port, rate, seed))
            .map_err(errors::platform)
    }

    /// Bits that were flipped on a port's wire so far.
    fn bits_flipped(&self, port: &str) -> PyResult<u64> {
        self.with(|machine| machine.bits_flipped(port))
            .map_err(errors::platform)
    }

    /// Drives an input line of a device, as the board around the chip would.
    fn set_input(&self, device: &str, line: &str, level: bool) -> PyResult<()> {
        self.with_mut(|machine| machine.set_input(device, line, level))
            .map_err(errors::platform)
    }

    #[pyo3(signature = (functions, window = (String::from("all"), 0, 0)))]
    fn enable_profile(
        &self,
        functions: Vec<(u32, u32, i64)>,
        window: (String, u32, u32),
    ) -> PyResult<()> {
        let functions = Functions::new(&functions).map_err(|start| {
            PyValueError::new_err(format!(
                "the function at {start:#010x} overlaps the one before it"
            ))
        })?;
        let window = match (window.0.as_str(), window.1, window.2) {
            ("all", _, _) => Window::All,
            ("commands", _, _) => Window::Commands,
            ("marks", first, last) => Window::Marks {
                first: first as u8,
                last: last as u8,
            },
            ("addresses", first, last) => Window::Addresses { first, last },
            (other, _, _) => {
                return Err(PyValueError::new_err(format!(
                    "window {other:?}: all, commands, marks or addresses"
                )));
            }
        };
        let mut group = self.seat.lock();
        let profile = Profile::new(&group.machines[self.seat.index], functions, window);
        group.profiles[self.seat.index] = Optional::on(profile);
        Ok(())
    }

    /// Switches the profile's counting on or off.
    fn count(&self, on: bool) -> PyResult<()> {
        match self.seat.lock().profiles[self.seat.index].get_mut() {
            Some(profile) => {
                profile.count(on);
                Ok(())
            }
            None => Err(PyValueError::new_err(PROFILE_IS_OFF)),
        }
    }

    fn profile<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let group = self.seat.lock();
        match group.profiles[self.seat.index].get() {
            Some(profile) => tables::tables(py, &group.machines[self.seat.index], profile),
            None => Err(PyValueError::new_err(PROFILE_IS_OFF)),
        }
    }

    fn state_hash(&self, py: Python<'_>) -> String {
        py.detach(|| self.with(Machine::state_hash))
    }

    fn registers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let core: Core = self.with(|machine| machine.core().clone());
        let registers = PyDict::new(py);
        for index in 0..16 {
            registers.set_item(format!("r{index}"), core.register(index))?;
        }
        registers.set_item("cpsr", core.status().bits())?;
        if let Some(saved) = core.saved_status() {
            registers.set_item("spsr", saved.bits())?;
        }
        let modes = [
            ("usr", Mode::User),
            ("fiq", Mode::FastInterrupt),
            ("irq", Mode::Interrupt),
            ("svc", Mode::Supervisor),
            ("abt", Mode::Abort),
            ("und", Mode::Undefined),
        ];
        for (name, mode) in modes {
            for index in [13, 14] {
                registers.set_item(format!("r{index}_{name}"), core.register_of(mode, index))?;
            }
        }
        Ok(registers)
    }

    /// Where an image was linked for what is at an address now.
    fn nominal_address(&self, address: u32) -> u32 {
        self.with(|machine| machine.nominal_address(address))
    }

    fn peek<'py>(&self, py: Python<'py>, address: u32, size: u32) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.with(|machine| machine.peek(address, size)))
    }

    fn poke(&self, address: u32, data: &[u8]) -> PyResult<()> {
        let written = self.with_mut(|machine| machine.poke(address, data));
        if written == data.len() {
            return Ok(());
        }
        let at = u64::from(address) + written as u64;
        Err(PyValueError::new_err(format!(
            "no memory at {at:#010x}: only {written} bytes were written"
        )))
    }

    fn regions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let regions = self.with(|machine| machine.regions().to_vec());
        let enabled = regions.iter().filter(|region| region.enabled);
        let row = |region: &socscope_memory::Region| {
            let row = PyDict::new(py);
            row.set_item("name", &region.name)?;
            let kind = match region.target {
                Target::Memory { writable: true, .. } => "ram",
                Target::Memory { .. } => "rom",
                Target::Device(_) => "device",
                Target::Stub | Target::Unmapped => "stub",
            };
            row.set_item("kind", kind)?;
            row.set_item("start", region.base)?;
            row.set_item("size", region.size)?;
            Ok(row)
        };
        enabled.map(row).collect()
    }

    fn devices<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let group = self.seat.lock();
        let row = |device: socscope_machine::DeviceEntry| {
            let row = PyDict::new(py);
            row.set_item("name", device.name)?;
            row.set_item("path", device.path)?;
            row.set_item("base", device.base)?;
            row.set_item("compatible", device.description.compatible)?;
            row.set_item("title", device.description.title)?;
            Ok(row)
        };
        group.machines[self.seat.index].devices().map(row).collect()
    }

    fn warnings(&self) -> Vec<String> {
        self.with(|machine| {
            let log = machine.log();
            let messages = log.messages().iter().map(|message| {
                format!(
                    "{}: {} (at {:.6} ms)",
                    message.source,
                    message.text,
                    message.time.0 as f64 / 1e9
                )
            });
            let touched = log.touched().map(|(what, address, count, first)| {
                format!(
                    "{what} at {address:#010x}: {count} times, first at {:.6} ms",
                    first.0 as f64 / 1e9
                )
            });
            let dropped =
                (log.dropped() > 0).then(|| format!("{} further messages", log.dropped()));
            messages.chain(touched).chain(dropped).collect()
        })
    }

    fn timing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let label = self.with(Machine::accuracy);
        let row = PyDict::new(py);
        row.set_item("model", label.model)?;
        row.set_item("validated_against", label.validated_against)?;
        row.set_item("known_error", label.known_error)?;
        row.set_item("leaves_out", label.leaves_out)?;
        Ok(row)
    }

    #[getter]
    fn clock_hz(&self) -> u64 {
        self.with(|machine| machine.clock().hz())
    }

    #[getter]
    fn cycle(&self) -> u64 {
        self.with(Machine::cycle)
    }

    #[getter]
    fn time_ps(&self) -> u64 {
        self.with(Machine::now).0
    }
}

fn run_group(
    group: &mut Group,
    index: usize,
    end: &SessionEnd,
    progress: &mut dyn FnMut(u64, Instant) -> Progress,
) -> Result<SessionStop, socscope_host::HostError> {
    let Group {
        machines,
        sessions,
        profiles,
        lock_step,
    } = group;
    if machines.len() > 1 {
        return socscope_host::run_together(
            lock_step, machines, sessions, profiles, index, end, progress,
        );
    }
    match profiles[index].get_mut() {
        Some(profile) => sessions[index].run(&mut machines[index], end, profile, progress),
        None => sessions[index].run(
            &mut machines[index],
            end,
            &mut socscope_interpreter::Unobserved,
            progress,
        ),
    }
}

fn describe(stop: SessionStop) -> (&'static str, String) {
    match stop {
        SessionStop::Machine(Stop::Time) => ("time", "the time is over".into()),
        SessionStop::Machine(Stop::Address(address)) => {
            ("address", format!("the core reached {address:#010x}"))
        }
        SessionStop::Machine(Stop::Mark(number)) => ("mark", format!("mark {number} was executed")),
        SessionStop::Machine(Stop::Stuck(reason)) => ("crash", reason),
        SessionStop::Machine(Stop::Asleep) => (
            "stopped",
            "the core sleeps, and nothing is pending that could wake it".into(),
        ),
        SessionStop::Output => ("output", "the awaited output came".into()),
        SessionStop::Closed(reason) => ("closed", reason),
        SessionStop::Asked => ("interrupted", "the run was interrupted".into()),
    }
}

/// Connects two ports; the machines then share one time.
#[pyfunction]
#[pyo3(signature = (first, first_port, second, second_port, quantum_ps = socscope_machine::QUANTUM_PS))]
pub(crate) fn link(
    first: &Bound<'_, PyMachine>,
    first_port: &str,
    second: &Bound<'_, PyMachine>,
    second_port: &str,
    quantum_ps: u64,
) -> PyResult<()> {
    let (one, two) = (first.borrow().seat.clone(), second.borrow().seat.clone());
    if first.is(second) {
        return Err(PyValueError::new_err(
            "a machine cannot be linked to itself: use two machines",
        ));
    }
    let same_time =
        one.lock().machines[one.index].cycle() == two.lock().machines[two.index].cycle();
    if !same_time {
        return Err(PyValueError::new_err(
            "the machines are at different times: link them before they run",
        ));
    }
    let Some(joined) = two.join(&one) else {
        return Err(PyValueError::new_err(
            "both machines are linked to others already: link them in a chain",
        ));
    };
    {
        let mut group = one.lock();
        let Group {
            machines,
            lock_step,
            ..
        } = &mut *group;
        let mut all: Vec<&mut Machine> = machines.iter_mut().collect();
        lock_step.quantum_ps = quantum_ps;
        lock_step
            .connect(
                &mut all,
                (one.index, first_port),
                (joined.index, second_port),
            )
            .map_err(errors::platform)?;
    }
    second.borrow_mut().seat = joined;
    Ok(())
}
