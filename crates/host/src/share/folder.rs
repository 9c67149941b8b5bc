//! Folders by descriptors, one name after the other.

use crate::HostError;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, openat, statat};
use rustix::io::{Errno, Result};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

const FOLDER: OFlags = OFlags::DIRECTORY
    .union(OFlags::RDONLY)
    .union(OFlags::CLOEXEC);
/// Folders that stay open at the end of a way; before them each so many-th does.
const NEAR: usize = 32;

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

    /// The shared folder as the user named it, for messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// An error of an entry.
    pub fn failed(&self, path: &[u8], action: &'static str) -> impl Fn(Errno) -> HostError + use<> {
        let place = format!("{}/{}", self.name(), shown(path));
        move |error| HostError::File {
            path: place.clone(),
            action,
            source: error.into(),
        }
    }

    /// A way through the folders in it.
    pub fn way(&self) -> Way<'_> {
        Way {
            folder: self,
            path: vec![],
            steps: vec![],
        }
    }
}

/// The way to one folder after the other. What two of them have in common stays open, so that a walk through a tree takes a step an entry,
/// however deep the tree is; of a long way only a part is held.
pub(super) struct Way<'a> {
    folder: &'a Folder,
    /// The folder that was entered last.
    path: Vec<u8>,
    steps: Vec<(Vec<u8>, Option<OwnedFd>)>,
}

impl Way<'_> {
    /// The folder of a path, which must not lie behind a symbolic link.
    pub fn enter(&mut self, path: &[u8]) -> Result<BorrowedFd<'_>> {
        if self.path != path {
            self.path.clear();
            self.go(path)?;
            self.path.extend(path);
        }
        let last = self.steps.last().and_then(|step| step.1.as_ref());
        Ok(last.unwrap_or(&self.folder.descriptor).as_fd())
    }

    fn go(&mut self, path: &[u8]) -> Result<()> {
        let mut names = names(path).peekable();
        let mut same = 0;
        while let Some((name, _)) = self.steps.get(same)
            && names.next_if(|next| next == name).is_some()
        {
            same += 1;
        }
        self.steps.truncate(same);
        self.steps.extend(names.map(|name| (name.to_vec(), None)));
        let is_open = |step: &(Vec<u8>, Option<OwnedFd>)| step.1.is_some();
        let opened = self.steps.iter().rposition(is_open).map_or(0, |at| at + 1);
        for number in opened..self.steps.len() {
            let (before, rest) = self.steps.split_at_mut(number);
            let above = before.last().and_then(|step| step.1.as_ref());
            let above = above.unwrap_or(&self.folder.descriptor);
            let (name, step) = &mut rest[0];
            match openat(above, &name[..], FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
                Ok(descriptor) => *step = Some(descriptor),
                Err(error) => {
                    self.steps.truncate(number);
                    return Err(error);
                }
            }
            if let Some(far) = number.checked_sub(NEAR)
                && far % NEAR != 0
            {
                self.steps[far].1 = None;
            }
        }
        Ok(())
    }
}

/// Names of a path, one after the other.
pub(super) fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|it| !it.is_empty())
}

/// Folder and name of a path.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

/// The path of a name in a folder.
pub(super) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    [folder, name].join(&b"/"[..usize::from(!folder.is_empty())])
}

/// Names in a folder, in the order of their bytes.
pub(super) fn list(folder: BorrowedFd) -> Result<Vec<Vec<u8>>> {
    let mut names = vec![];
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// What an entry is, itself and not what a link leads to; none when it is not there.
pub(super) fn look(folder: BorrowedFd, name: &[u8]) -> Result<Option<(FileType, Stat)>> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some((FileType::from_raw_mode(stat.st_mode), stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A path that a guest may have made, for a message on one line: what could act on a terminal, and what is no UTF-8, stands as escapes.
pub(super) fn shown(path: &[u8]) -> String {
    let mut text = String::new();
    for chunk in path.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' | '\'' => text.push(letter),
                letter => text.extend(letter.escape_debug()),
            }
        }
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}
