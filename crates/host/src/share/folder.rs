//! Folders by descriptors, one name after the other.

use crate::HostError;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, openat, statat};
use rustix::io::{Errno, Result};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const FOLDER: OFlags = OFlags::DIRECTORY
    .union(OFlags::RDONLY)
    .union(OFlags::CLOEXEC);

/// A shared folder of the host.
pub(super) struct Folder {
    path: PathBuf,
    descriptor: OwnedFd,
}

impl Folder {
    /// Opens the shared folder itself, which the user has named: links are followed to it.
    pub fn open(path: &Path) -> std::result::Result<Folder, HostError> {
        let opened = openat(CWD, path, FOLDER, Mode::empty());
        let descriptor = opened.map_err(|error| match error {
            Errno::NOTDIR => HostError::Share {
                folder: path.display().to_string(),
                rule: "it is not a folder".into(),
                remedy: "share the folder that holds it",
            },
            error => HostError::file(path, "open the folder to share", error.into()),
        })?;
        Ok(Folder {
            path: path.into(),
            descriptor,
        })
    }

    /// The host's path of an entry, for messages.
    pub fn place(&self, path: &[u8]) -> PathBuf {
        self.path.join(OsStr::from_bytes(path))
    }

    /// The shared folder as the user named it, for messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// An error of an entry.
    pub fn failed(&self, path: &[u8], action: &'static str) -> impl Fn(Errno) -> HostError {
        let place = self.place(path);
        move |error| HostError::file(&place, action, error.into())
    }

    /// The folder of a path, which must not lie behind a symbolic link.
    pub fn enter(&self, path: &[u8]) -> Result<OwnedFd> {
        let mut at = self.descriptor.try_clone().map_err(|_| Errno::MFILE)?;
        for name in path.split(|byte| *byte == b'/').filter(|it| !it.is_empty()) {
            at = openat(&at, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
        }
        Ok(at)
    }
}

/// Folder and name of a path.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

/// What an entry is, itself and not what a link leads to; none when it is not there.
pub(super) fn look(folder: &OwnedFd, name: &[u8]) -> Result<Option<(FileType, Stat)>> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some((FileType::from_raw_mode(stat.st_mode), stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}
