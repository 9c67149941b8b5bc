//! Folders of the host that a machine's guest mounts.

use crate::device::check_failure;
use crate::errors;
use crate::machine::PyMachine;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use socscope_devices::share::Tree;
use socscope_host::{LeftOut, Shared, WrittenBack, read_share, write_share};
use socscope_machine::Input;
use std::ffi::OsString;
use std::path::PathBuf;

/// The attribute of a share that holds its folder.
const FOLDER: &str = "folder";
/// That with the files that the guest has open for writing.
const OPEN: &str = "open";

fn pairs(left_out: Vec<LeftOut>) -> Vec<(OsString, String)> {
    let all = left_out.into_iter();
    all.map(|entry| (entry.path, entry.reason)).collect()
}

#[pymethods]
impl PyMachine {
    /// Takes a folder of the host as it is now and gives it to a share; it is recorded as input.
    fn share_folder<'py>(
        &mut self,
        py: Python<'py>,
        device: &str,
        folder: PathBuf,
        writable: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let shared = py.detach(|| read_share(&folder, writable));
        let Shared {
            tree,
            files,
            blake3,
            left_out,
        } = shared.map_err(errors::share)?;
        let mut group = self.seat.lock();
        let machine = &mut group.machines[self.seat.index];
        let input = Input::DeviceAttribute {
            device: device.into(),
            name: FOLDER.into(),
            value: tree.encode(),
        };
        machine.apply(input).map_err(errors::input)?;
        check_failure(machine)?;
        let facts = PyDict::new(py);
        facts.set_item("files", files)?;
        facts.set_item("bytes", tree.bytes())?;
        facts.set_item("blake3", blake3)?;
        facts.set_item("left_out", pairs(left_out))?;
        Ok(facts)
    }

    /// Makes a folder of the host what the guest has made of a share.
    fn write_back_share<'py>(
        &self,
        py: Python<'py>,
        device: &str,
        folder: PathBuf,
    ) -> PyResult<Bound<'py, PyDict>> {
        let attribute = |name| self.with(|machine| machine.device_attribute(device, name));
        let value = attribute(FOLDER).map_err(errors::platform)?;
        let value = value.unwrap_or_default();
        let open = attribute(OPEN).map_err(errors::platform)?;
        let written = py.detach(|| {
            let tree = Tree::decode(&value).ok();
            let Some(tree) = tree.filter(Tree::writable) else {
                return Err(errors::share_not_writable(device));
            };
            let open = open.and_then(|it| Tree::decode_numbers(&it).ok());
            write_share(&tree, &open.unwrap_or_default(), &folder).map_err(errors::share)
        });
        let WrittenBack {
            written,
            removed,
            left_out,
            unfinished,
        } = written?;
        let facts = PyDict::new(py);
        facts.set_item("written", written)?;
        facts.set_item("removed", removed)?;
        facts.set_item("unfinished", unfinished)?;
        facts.set_item("left_out", pairs(left_out))?;
        Ok(facts)
    }
}
