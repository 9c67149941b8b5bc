//! Serial ports and input lines of a machine.

use crate::errors;
use crate::machine::PyMachine;
use crate::seat::Group;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

#[pymethods]
impl PyMachine {
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

    /// Ends all links of the machine: files that take the guest's output get their names.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.seat.lock().sessions[self.seat.index].close())
            .map_err(errors::serial)
    }

    /// What is known about the peers of the ports so far, by port.
    fn peers<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyDict>)>> {
        let group = self.seat.lock();
        let mut peers = vec![];
        for (port, report) in group.sessions[self.seat.index].reports() {
            let facts = PyDict::new(py);
            facts.set_item("address", report.address)?;
            facts.set_item("repeatable", report.repeatable)?;
            facts.set_item("reason", report.reason)?;
            facts.set_item("connections", report.connections)?;
            facts.set_item("refused", report.refused)?;
            facts.set_item("received_bytes", report.received_bytes)?;
            facts.set_item("sent_bytes", report.sent_bytes)?;
            facts.set_item("dropped_bytes", report.dropped_bytes)?;
            peers.push((port.to_owned(), facts));
        }
        Ok(peers)
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

    /// The bytes that were sent since entry `cursor` of the port's log, and the entry behind them.
    fn serial_since<'py>(
        &self,
        py: Python<'py>,
        port: &str,
        cursor: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let mut cursor = cursor;
        let sent = self
            .with(|machine| machine.begun_since(port, &mut cursor))
            .map_err(errors::platform)?;
        Ok((PyBytes::new(py, &sent), cursor))
    }

    fn serial_input(&self, port: &str, data: &[u8]) -> PyResult<()> {
        self.with_mut(|machine| machine.serial_input(port, data))
            .map_err(errors::input)
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
            .map_err(errors::input)
    }

    /// Bits that were flipped on a port's wire so far.
    fn bits_flipped(&self, port: &str) -> PyResult<u64> {
        self.with(|machine| machine.bits_flipped(port))
            .map_err(errors::platform)
    }

    /// Drives an input line of a device, as the board around the chip would.
    fn set_input(&self, device: &str, line: &str, level: bool) -> PyResult<()> {
        self.with_mut(|machine| machine.set_input(device, line, level))
            .map_err(errors::input)
    }
}
