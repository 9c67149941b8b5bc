//! Writing back what the guest has made of a folder.

use super::LeftOut;
use super::folder::{Folder, look, split};
use crate::HostError;
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, fchmod, mkdirat, openat, readlinkat, renameat, symlinkat,
    unlinkat,
};
use rustix::io::{Errno, Result};
use socscope_devices::share::{Content, Number, ROOT, Tree};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

/// What was done to a folder of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenBack {
    /// Paths that were made or written.
    pub written: Vec<String>,
    /// Paths that were removed.
    pub removed: Vec<String>,
    /// What was not done, and why.
    pub left_out: Vec<LeftOut>,
}

const WRITE: &str = "write back the share";

/// Makes the folder what the guest has made of it. Only what the guest has changed is touched; where both have changed a file, the guest's
/// version remains. A file is replaced as a whole or not at all, so that other names of it outside of the folder keep what they have.
/// Names are removed when all is written, so that nothing is lost when something cannot be; sooner only those that are in the way. What
/// cannot be written under a new name stays under the old one.
///
/// # Errors
/// The first entry that cannot be written; those before it were.
pub fn write_share(tree: &Tree, path: &Path) -> std::result::Result<WrittenBack, HostError> {
    let folder = Folder::open(path)?;
    let mut done = WrittenBack::default();
    let (in_the_way, mut others) = tree
        .gone()
        .into_iter()
        .partition::<Vec<_>, _>(|path| lies_below_a_file(tree, path));
    remove_all(&folder, &in_the_way, &mut done)?;
    let mut kept = vec![];
    for number in tree.walk() {
        let path = tree.path(number).unwrap_or_default();
        let outcome = write(&folder, tree, number, &path);
        match outcome.map_err(folder.failed(&path, WRITE))? {
            Outcome::Done => done.written.push(text(&path)),
            Outcome::Nothing => {}
            Outcome::LeftOut(reason) => {
                kept.extend(tree.entry(number).and_then(|entry| entry.origin.clone()));
                done.left_out.push(LeftOut::new(&path, reason));
            }
        }
    }
    others.retain(|path| !kept.contains(path));
    remove_all(&folder, &others, &mut done)?;
    done.left_out
        .sort_by(|one, other| one.path.cmp(&other.path));
    Ok(done)
}

/// Whether something else than a folder has now the name of a folder on the way to `path`.
fn lies_below_a_file(tree: &Tree, path: &[u8]) -> bool {
    let mut folder = ROOT;
    for name in path.split(|byte| *byte == b'/') {
        let Ok(next) = tree.find(folder, name) else {
            return false;
        };
        let entry = tree.entry(next);
        if entry.is_some_and(|entry| !matches!(entry.content, Content::Folder(_))) {
            return true;
        }
        folder = next;
    }
    false
}

fn remove_all(
    folder: &Folder,
    paths: &[Vec<u8>],
    done: &mut WrittenBack,
) -> std::result::Result<(), HostError> {
    // Names in a folder stand behind it in their order, so that it is empty when its turn comes.
    for path in paths.iter().rev() {
        let removed = remove(folder, path);
        match removed.map_err(folder.failed(path, "remove what the guest has removed"))? {
            Outcome::Done => done.removed.push(text(path)),
            Outcome::Nothing => {}
            Outcome::LeftOut(reason) => done.left_out.push(LeftOut::new(path, reason)),
        }
    }
    Ok(())
}

enum Outcome {
    Done,
    Nothing,
    LeftOut(&'static str),
}

const BEHIND_LINK: &str = "it lies behind a symbolic link";

fn remove(folder: &Folder, path: &[u8]) -> Result<Outcome> {
    let (parent, name) = split(path);
    let parent = match folder.enter(parent) {
        Ok(parent) => parent,
        Err(Errno::NOENT) => return Ok(Outcome::Nothing),
        Err(Errno::LOOP | Errno::NOTDIR) => {
            return Ok(Outcome::LeftOut(BEHIND_LINK));
        }
        Err(error) => return Err(error),
    };
    let flags = match look(&parent, name)? {
        None => return Ok(Outcome::Nothing),
        Some((FileType::Directory, _)) => AtFlags::REMOVEDIR,
        Some(_) => AtFlags::empty(),
    };
    match unlinkat(&parent, name, flags) {
        Ok(()) => Ok(Outcome::Done),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(Outcome::LeftOut(
            "the folder holds what the guest does not know",
        )),
        Err(error) => Err(error),
    }
}

fn write(folder: &Folder, tree: &Tree, number: Number, path: &[u8]) -> Result<Outcome> {
    let Some(entry) = tree.entry(number).filter(|_| number != ROOT) else {
        return Ok(Outcome::Nothing);
    };
    let moved = entry.origin.as_deref() != Some(path);
    let is_folder = matches!(entry.content, Content::Folder(_));
    if !moved && (is_folder || !entry.touched) {
        return Ok(Outcome::Nothing);
    }
    let (parent, name) = split(path);
    if let Content::Link(target) = &entry.content
        && !stays_inside(target, parent)
    {
        return Ok(Outcome::LeftOut("the link leads out of the folder"));
    }
    let parent = match folder.enter(parent) {
        Ok(parent) => parent,
        Err(Errno::LOOP | Errno::NOTDIR) => return Ok(Outcome::LeftOut(BEHIND_LINK)),
        Err(Errno::NOENT) => return Ok(Outcome::LeftOut("its folder is no more on the host")),
        Err(error) => return Err(error),
    };
    let found = look(&parent, name)?;
    let there = found.as_ref().map(|(kind, _)| *kind);
    if there == Some(FileType::Directory) && !is_folder {
        match unlinkat(&parent, name, AtFlags::REMOVEDIR) {
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
                unlinkat(&parent, name, AtFlags::empty())?;
            }
            mkdirat(&parent, name, Mode::from_raw_mode(0o777))?;
        }
        Content::Link(target) => {
            let old = readlinkat(&parent, name, vec![]);
            if old.is_ok_and(|old| old.as_bytes() == target) {
                return Ok(Outcome::Nothing);
            }
            replace(&parent, name, |new| symlinkat(&target[..], &parent, new))?;
        }
        Content::File(bytes) => {
            let regular = found.filter(|(kind, _)| *kind == FileType::RegularFile);
            let mode = regular.map(|(_, stat)| Mode::from_raw_mode(stat.st_mode));
            let executable = entry.executable();
            if mode.is_some_and(|mode| mode.contains(Mode::XUSR) == executable)
                && holds(&parent, name, bytes)
            {
                return Ok(Outcome::Nothing);
            }
            replace(&parent, name, |new| {
                write_file(&parent, new, bytes, mode, executable)
            })?;
        }
    }
    Ok(Outcome::Done)
}

/// Whether a link in a folder leads to something in the share, whatever the names on its way are: links among them are looked at by
/// themselves, so `..` may stand at the beginning only.
fn stays_inside(target: &[u8], folder: &[u8]) -> bool {
    let names = |path: &[u8]| -> Vec<Vec<u8>> {
        let parts = path.split(|byte| *byte == b'/');
        let parts = parts.filter(|name| !matches!(*name, b"" | b"."));
        parts.map(<[u8]>::to_vec).collect()
    };
    let steps = names(target);
    let ups = steps.iter().take_while(|name| *name == b"..").count();
    let later = steps[ups..].iter().any(|name| name == b"..");
    !target.starts_with(b"/") && !later && ups <= names(folder).len()
}

/// Makes something under a free name, which then takes the place of `name` at once.
fn replace(parent: &OwnedFd, name: &[u8], make: impl Fn(&[u8]) -> Result<()>) -> Result<()> {
    let mut number = 0;
    let new = loop {
        let new = format!(".socscope-{number}").into_bytes();
        match make(&new) {
            Ok(()) => break new,
            Err(Errno::EXIST) => number += 1,
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
    parent: &OwnedFd,
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
fn holds(parent: &OwnedFd, name: &[u8], bytes: &[u8]) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(descriptor) = openat(parent, name, flags, Mode::empty()) else {
        return false;
    };
    let mut there = vec![];
    let file = File::from(descriptor).take(bytes.len() as u64 + 1);
    { file }.read_to_end(&mut there).is_ok() && there == bytes
}

fn text(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}
