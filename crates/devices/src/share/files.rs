//! Requests on one file or on the names of a folder: open, create, read, write, synchronize, lock.

use super::errors::Errno;
use super::server::{Access, Fid, Server};
use super::tree::{Content, Number, Stamp};
use super::wire::{Reader, Writer};

/// Flags of open and create: those of `open(2)` in their generic encoding.
const ACCESS_MODE: u32 = 0o3;
const WRITE_ONLY: u32 = 0o1;
const READ_WRITE: u32 = 0o2;
const TRUNCATE: u32 = 0o1000;
const APPEND: u32 = 0o2000;
const FOLDER_ONLY: u32 = 0o200000;
/// Permission bits that an entry keeps.
pub(super) const MODE_BITS: u32 = 0o7777;
/// Status of a lock that is granted.
const LOCK_GRANTED: u8 = 0;
/// Kind of a lock that nobody holds: F_UNLCK.
const UNLOCKED: u8 = 2;

fn access(flags: u32) -> Result<Access, Errno> {
    let mode = flags & ACCESS_MODE;
    if mode > READ_WRITE {
        return Err(Errno::Invalid);
    }
    Ok(Access {
        read: mode != WRITE_ONLY,
        write: mode != 0,
        append: flags & APPEND != 0,
    })
}

impl Server {
    pub(super) fn open(&mut self, f: &mut Reader, now: Stamp) -> Result<Writer, Errno> {
        let (fid, flags) = (f.word()?, f.word()?);
        let Fid {
            number,
            access: opened,
        } = self.fid(fid)?;
        let access = access(flags)?;
        let entry = self.folder()?.entry(number).ok_or(Errno::Stale)?;
        match entry.content {
            _ if opened.is_some() => return Err(Errno::BadFile),
            Content::Link(_) => return Err(Errno::IsLink),
            Content::Folder(_) if access.write => return Err(Errno::IsFolder),
            Content::File(_) if flags & FOLDER_ONLY != 0 => return Err(Errno::NotFolder),
            _ => {}
        }
        if access.write {
            self.may_write()?;
        }
        if access.write && flags & TRUNCATE != 0 {
            let tree = self.folder_mut()?;
            tree.resize(number, 0)?;
            tree.touch(number, now);
        }
        self.opened(fid, number, access)
    }

    pub(super) fn create(&mut self, f: &mut Reader, now: Stamp) -> Result<Writer, Errno> {
        let (fid, name) = (f.word()?, f.string()?);
        let (flags, mode, group) = (f.word()?, f.word()?, f.word()?);
        let Fid {
            number: folder,
            access: opened,
        } = self.fid(fid)?;
        if opened.is_some() {
            return Err(Errno::BadFile);
        }
        let access = access(flags)?;
        let content = Content::File(Vec::new().into());
        let number = self.make(folder, name, content, (mode, group), now)?;
        self.opened(fid, number, access)
    }

    /// Makes an entry, as the guest asks, with its permission bits and its group.
    pub(super) fn make(
        &mut self,
        folder: Number,
        name: &[u8],
        content: Content,
        (mode, group): (u32, u32),
        now: Stamp,
    ) -> Result<Number, Errno> {
        let tree = self.folder_mut()?;
        let number = tree.add(folder, name, content, mode & MODE_BITS)?;
        tree.touch(folder, now);
        tree.touch(number, now);
        if let Some(entry) = tree.entries.get_mut(&number) {
            entry.group = group;
            entry.accessed = now;
        }
        Ok(number)
    }

    /// The reply of open and create: the entry, and no advice on the size of reads and writes.
    fn opened(&mut self, fid: u32, number: Number, access: Access) -> Result<Writer, Errno> {
        let access = Some(access);
        self.fids.insert(fid, Fid { number, access });
        let mut reply = self.identity_of(number)?;
        reply.word(0);
        Ok(reply)
    }

    pub(super) fn read(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        let (fid, offset, count) = (self.fid(f.word()?)?, f.long()?, f.word()?);
        if !fid.access.is_some_and(|access| access.read) {
            return Err(Errno::BadFile);
        }
        let bytes = self.folder()?.file(fid.number)?;
        let start = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let count = self.room(count).min(bytes.len() - start);
        Ok(data(&bytes[start..start + count]))
    }

    pub(super) fn write(&mut self, f: &mut Reader, now: Stamp) -> Result<Writer, Errno> {
        let (fid, offset, count) = (self.fid(f.word()?)?, f.long()?, f.word()?);
        let bytes = f.bytes(count as usize)?;
        let Some(access) = fid.access.filter(|access| access.write) else {
            return Err(Errno::BadFile);
        };
        let tree = self.folder_mut()?;
        let offset = if access.append {
            tree.file(fid.number)?.len() as u64
        } else {
            offset
        };
        tree.write(fid.number, offset, bytes)?;
        tree.touch(fid.number, now);
        let mut reply = Writer::default();
        reply.word(count);
        Ok(reply)
    }

    /// Names of a folder, in the order of their numbers: entries that come and go do not move the others.
    pub(super) fn read_folder(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        let (fid, offset, count) = (self.fid(f.word()?)?, f.long()?, f.word()?);
        if !fid.access.is_some_and(|access| access.read) {
            return Err(Errno::BadFile);
        }
        let tree = self.folder()?;
        let parent = tree.entry(fid.number).and_then(|entry| entry.parent);
        let mut rows: Vec<(u64, &[u8], Number)> = vec![
            (1, b".", fid.number),
            (2, b"..", parent.unwrap_or(fid.number)),
        ];
        let names = tree.names(fid.number)?.iter();
        // Numbers of entries in a folder begin at 2.
        rows.extend(names.map(|(name, &number)| (number + 1, name.as_slice(), number)));
        rows.sort_unstable();
        let room = self.room(count);
        let mut listed = Writer::default();
        for (place, name, number) in rows.into_iter().filter(|row| row.0 > offset) {
            let entry = tree.entry(number).ok_or(Errno::Stale)?;
            let kind = match entry.content {
                Content::Folder(_) => 4,
                Content::File(_) => 8,
                Content::Link(_) => 10,
            };
            let mut row = Writer::default();
            row.identity(number, entry)
                .long(place)
                .byte(kind)
                .string(name);
            if listed.0.len() + row.0.len() > room {
                break;
            }
            listed.bytes(&row.0);
        }
        Ok(data(&listed.0))
    }

    /// What is written is in the tree at once.
    pub(super) fn synchronize(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        self.number(f)?;
        Ok(Writer::default())
    }

    /// The guest is the only client, and its kernel keeps its locks apart by itself.
    pub(super) fn lock(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        self.number(f)?;
        let mut reply = Writer::default();
        reply.byte(LOCK_GRANTED);
        Ok(reply)
    }

    pub(super) fn get_lock(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        self.number(f)?;
        let _kind = f.byte()?;
        let (start, length) = (f.long()?, f.long()?);
        let (process, client) = (f.word()?, f.string()?);
        let mut reply = Writer::default();
        reply.byte(UNLOCKED).long(start).long(length);
        reply.word(process).string(client);
        Ok(reply)
    }
}

/// A reply of bytes behind their count.
fn data(bytes: &[u8]) -> Writer {
    let mut reply = Writer::default();
    reply.word(bytes.len() as u32).bytes(bytes);
    reply
}
