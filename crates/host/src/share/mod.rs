//! A folder of the host for the guest: taken as a whole before a run, written back when it is asked for.
//!
//! No path is ever followed: each folder is opened from the one above it, by one name, and never over a symbolic link. So neither what the
//! guest has made nor what happens on the host meanwhile leads out of the folder.

#[cfg(test)]
mod attacks;
mod folder;
mod links;
mod put;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

pub use read::{Shared, read_share};
pub use write::{WrittenBack, write_share};

/// An entry of a folder that is left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Path below the shared folder.
    pub path: OsString,
    /// Why.
    pub reason: String,
}

impl LeftOut {
    fn new(path: &[u8], reason: impl Into<String>) -> LeftOut {
        LeftOut {
            path: name(path),
            reason: reason.into(),
        }
    }
}

/// A path as the host's programs take it.
fn name(path: &[u8]) -> OsString {
    OsStr::from_bytes(path).into()
}
