//! Taking a folder of the host.

use super::LeftOut;
use super::folder::{Folder, join, list, look, shown};
use crate::HostError;
use rustix::fs::{FileType, Mode, OFlags, fstat, openat, readlinkat};
use rustix::io::Errno as System;
use socscope_devices::share::{Content, Errno, ROOT, SHARE_BYTES_MAX, Tree};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::fd::BorrowedFd;
use std::path::Path;

/// A folder that was taken, and what is known of it.
#[derive(Clone, Debug)]
pub struct Shared {
    /// What the guest gets.
    pub tree: Tree,
    /// Number of files.
    pub files: usize,
    /// Hash of names, contents and what is executable: the same for two copies of a folder.
    pub blake3: String,
    /// What has no place in a share: sockets, pipes and devices.
    pub left_out: Vec<LeftOut>,
}

/// Takes a folder with all that is in it. Links are taken as links.
///
/// # Errors
/// Folders and files that cannot be read, and folders larger than a share may be.
pub fn read_share(path: &Path, writable: bool) -> Result<Shared, HostError> {
    let folder = Folder::open(path)?;
    let mut shared = Shared {
        tree: Tree::new(writable),
        files: 0,
        blake3: String::new(),
        left_out: vec![],
    };
    let mut way = folder.way();
    let mut open = vec![(ROOT, vec![])];
    while let Some((number, at)) = open.pop() {
        let failed = folder.failed(&at, "list the folder to share");
        let descriptor = way.enter(&at).map_err(&failed)?;
        for name in list(descriptor).map_err(&failed)? {
            let path = join(&at, &name);
            let failed = folder.failed(&path, "read the file to share");
            let Some((kind, _)) = look(descriptor, &name).map_err(&failed)? else {
                continue;
            };
            let (content, executable) = match kind {
                FileType::Directory => (Content::Folder(BTreeMap::new()), false),
                FileType::Symlink => {
                    let target = readlinkat(descriptor, &name[..], vec![]).map_err(&failed)?;
                    (Content::Link(target.into_bytes()), false)
                }
                FileType::RegularFile => {
                    let room = SHARE_BYTES_MAX - shared.tree.bytes();
                    let read = read_file(descriptor, &name, room);
                    let (bytes, executable) = read.map_err(&failed)?;
                    shared.files += 1;
                    (Content::File(bytes.into()), executable)
                }
                other => {
                    let reason = format!("{} is nothing to share", word(other));
                    shared.left_out.push(LeftOut::new(&path, reason));
                    continue;
                }
            };
            let is_folder = matches!(content, Content::Folder(_));
            let added = shared
                .tree
                .add_from_host(number, &name, content, executable);
            let added = added.map_err(|error| refused(&folder, &path, error))?;
            if is_folder {
                open.push((added, path));
            }
        }
    }
    let hash = blake3::hash(&shared.tree.encode());
    shared.blake3 = hash.to_hex().to_string();
    Ok(shared)
}

/// The bytes of a file, one more than `room` at most, and whether its owner may execute it.
fn read_file(folder: BorrowedFd, name: &[u8], room: u64) -> Result<(Vec<u8>, bool), System> {
    // A pipe that has taken the file's place since must not hold up the reader.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let descriptor = openat(folder, name, flags, Mode::empty())?;
    let stat = fstat(&descriptor)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(System::INVAL);
    }
    let mut bytes = vec![];
    File::from(descriptor)
        .take(room + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| System::from_io_error(&error).unwrap_or(System::IO))?;
    Ok((
        bytes,
        Mode::from_raw_mode(stat.st_mode).contains(Mode::XUSR),
    ))
}

fn word(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "what it is",
    }
}

fn refused(folder: &Folder, path: &[u8], error: Errno) -> HostError {
    let (rule, remedy) = match error {
        Errno::NoSpace => (
            format!(
                "with {} it is more than {} MiB or 65536 entries, the most that a share holds",
                shown(path),
                SHARE_BYTES_MAX >> 20
            ),
            "share a smaller folder",
        ),
        error => (
            format!("{}: {error}", shown(path)),
            "rename or remove that entry",
        ),
    };
    HostError::Share {
        folder: folder.name(),
        rule,
        remedy,
    }
}
