//! One entry of a folder written or removed, and nothing beside it.

use super::folder::{Way, look, split};
use super::links::is_behind_link;
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, fchmod, mkdirat, openat, readlinkat, renameat, symlinkat,
    unlinkat,
};
use rustix::io::{Errno, Result};
use socscope_devices::share::{Content, Entry};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::BorrowedFd;

const BEHIND_LINK: &str = "it lies behind a symbolic link";

/// What came of an entry.
pub(super) enum Outcome {
    Done,
    Nothing,
    LeftOut(&'static str),
}

/// Removes what has a path.
pub(super) fn remove(way: &mut Way, path: &[u8]) -> Result<Outcome> {
    let (parent, name) = split(path);
    let parent = match way.enter(parent) {
        Ok(parent) => parent,
        Err(Errno::NOENT) => return Ok(Outcome::Nothing),
        Err(error) if is_behind_link(error) => return Ok(Outcome::LeftOut(BEHIND_LINK)),
        Err(error) => return Err(error),
    };
    let flags = match look(parent, name)? {
        None => return Ok(Outcome::Nothing),
        Some((FileType::Directory, _)) => AtFlags::REMOVEDIR,
        Some(_) => AtFlags::empty(),
    };
    match unlinkat(parent, name, flags) {
        Ok(()) => Ok(Outcome::Done),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(Outcome::LeftOut(
            "the folder holds what the guest does not know",
        )),
        Err(error) => Err(error),
    }
}

/// Writes an entry under its path. `next_name` is the number of the next name that may be free for something new: no name is tried twice.
pub(super) fn write(
    way: &mut Way,
    entry: &Entry,
    path: &[u8],
    next_name: &mut usize,
) -> Result<Outcome> {
    let (parent, name) = split(path);
    let parent = match way.enter(parent) {
        Ok(parent) => parent,
        Err(error) if is_behind_link(error) => return Ok(Outcome::LeftOut(BEHIND_LINK)),
        Err(Errno::NOENT) => return Ok(Outcome::LeftOut("its folder is no more on the host")),
        Err(error) => return Err(error),
    };
    let found = look(parent, name)?;
    let there = found.as_ref().map(|(kind, _)| *kind);
    let is_folder = matches!(entry.content, Content::Folder(_));
    if there == Some(FileType::Directory) && !is_folder {
        match unlinkat(parent, name, AtFlags::REMOVEDIR) {
            Ok(()) => {}
            Err(Errno::NOTEMPTY | Errno::EXIST) => {
                return Ok(Outcome::LeftOut("a folder that is not empty has its name"));
            }
            Err(error) => return Err(error),
        }
    }
    match &entry.content {
        Content::Folder(_) => {
            if there == Some(FileType::Directory) {
                return Ok(Outcome::Nothing);
            }
            if there.is_some() {
                unlinkat(parent, name, AtFlags::empty())?;
            }
            mkdirat(parent, name, Mode::from_raw_mode(0o777))?;
        }
        Content::Link(target) => {
            let old = readlinkat(parent, name, vec![]);
            if old.is_ok_and(|old| old.as_bytes() == target) {
                return Ok(Outcome::Nothing);
            }
            replace(parent, name, next_name, |new| {
                symlinkat(&target[..], parent, new)
            })?;
        }
        Content::File(bytes) => {
            let regular = found.filter(|(kind, _)| *kind == FileType::RegularFile);
            let mode = regular.map(|(_, stat)| Mode::from_raw_mode(stat.st_mode));
            let executable = entry.executable();
            if mode.is_some_and(|mode| mode.contains(Mode::XUSR) == executable)
                && holds(parent, name, bytes)
            {
                return Ok(Outcome::Nothing);
            }
            replace(parent, name, next_name, |new| {
                write_file(parent, new, bytes, mode, executable)
            })?;
        }
    }
    Ok(Outcome::Done)
}

/// Makes something under a free name, which then takes the place of `name` at once.
fn replace(
    parent: BorrowedFd,
    name: &[u8],
    next_name: &mut usize,
    make: impl Fn(&[u8]) -> Result<()>,
) -> Result<()> {
    let new = loop {
        let new = format!(".socscope-{next_name}").into_bytes();
        match make(&new) {
            Ok(()) => break new,
            Err(Errno::EXIST) => *next_name += 1,
            Err(error) => {
                // What is half written has no use; when it cannot be removed either, the first error says why.
                let _ = unlinkat(parent, &new[..], AtFlags::empty());
                return Err(error);
            }
        }
    };
    renameat(parent, &new[..], parent, name)
}

/// Writes a new file. It gets the permission bits of the one before it, if there was one.
fn write_file(
    parent: BorrowedFd,
    name: &[u8],
    bytes: &[u8],
    old: Option<Mode>,
    executable: bool,
) -> Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let new = Mode::from_raw_mode(if executable { 0o777 } else { 0o666 });
    let descriptor = openat(parent, name, flags, new)?;
    if let Some(old) = old {
        let kept = old.as_raw_mode() & 0o666;
        // Who may read it may execute it.
        let execute = if executable { kept >> 2 & 0o111 } else { 0 };
        fchmod(&descriptor, Mode::from_raw_mode(kept | execute))?;
    }
    let written = File::from(descriptor).write_all(bytes);
    written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Whether a file holds these bytes already.
fn holds(parent: BorrowedFd, name: &[u8], bytes: &[u8]) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(descriptor) = openat(parent, name, flags, Mode::empty()) else {
        return false;
    };
    let mut there = vec![];
    let file = File::from(descriptor).take(bytes.len() as u64 + 1);
    { file }.read_to_end(&mut there).is_ok() && there == bytes
}
