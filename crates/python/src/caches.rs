//! What the caches of a timing model counted.

use crate::machine::PyMachine;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use socscope_machine::{CacheCounts, CacheName, Machine};

#[pymethods]
impl PyMachine {
    fn caches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let of_core = |core: usize, machine: &Machine| {
            let counts = machine.cache_counts(core).into_iter();
            counts
                .map(|(name, counts)| (core, name, counts))
                .collect::<Vec<_>>()
        };
        let rows = self.with(|machine| {
            let cores = 0..machine.cores();
            cores
                .flat_map(|core| of_core(core, machine))
                .collect::<Vec<_>>()
        });
        let columns = PyDict::new(py);
        let cores: Vec<usize> = rows.iter().map(|(core, ..)| *core).collect();
        columns.set_item("core", cores)?;
        let names = rows.iter().map(|(_, name, _)| match name {
            CacheName::Instruction => "instruction",
            CacheName::Data => "data",
            CacheName::SecondLevel => "second level",
        });
        columns.set_item("cache", names.collect::<Vec<_>>())?;
        let add = |name: &str, count: fn(&CacheCounts) -> u64| {
            let counts: Vec<u64> = rows.iter().map(|(.., counts)| count(counts)).collect();
            columns.set_item(name, counts)
        };
        add("read_hits", |counts| counts.read_hits)?;
        add("read_misses", |counts| counts.read_misses)?;
        add("write_hits", |counts| counts.write_hits)?;
        add("write_misses", |counts| counts.write_misses)?;
        add("write_backs", |counts| counts.write_backs)?;
        Ok(columns)
    }
}
