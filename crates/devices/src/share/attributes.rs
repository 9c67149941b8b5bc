//! Requests on what is known of an entry or of the share: attributes, target of a link, sizes.

use super::errors::Errno;
use super::files::MODE_BITS;
use super::server::Server;
use super::tree::Stamp;
use super::tree::{Content, NAME_BYTES_MAX, SHARE_BYTES_MAX, SHARE_ENTRIES_MAX};
use super::wire::{Reader, Writer};

/// All attributes that `stat(2)` has: P9_GETATTR_BASIC.
const BASIC: u64 = 0x7ff;
/// Bytes in which sizes are told.
const BLOCK_BYTES: u64 = 4096;
/// Bytes in which the size of a file on its medium is told.
const SECTOR_BYTES: u64 = 512;
/// What statfs tells as the kind: V9FS_MAGIC.
const KIND: u32 = 0x0102_1997;

/// Bits of a setattr request.
mod wanted {
    pub const MODE: u32 = 1 << 0;
    pub const USER: u32 = 1 << 1;
    pub const GROUP: u32 = 1 << 2;
    pub const SIZE: u32 = 1 << 3;
    pub const ACCESSED: u32 = 1 << 4;
    pub const MODIFIED: u32 = 1 << 5;
    pub const ACCESSED_GIVEN: u32 = 1 << 7;
    pub const MODIFIED_GIVEN: u32 = 1 << 8;
}

impl Server {
    pub(super) fn attributes(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        let number = self.number(f)?;
        let _mask = f.long()?;
        let entry = self.folder()?.entry(number).ok_or(Errno::Stale)?;
        let (kind, links, size) = match &entry.content {
            Content::Folder(names) => (0o040_000, 2, names.len() as u64),
            Content::File(bytes) => (0o100_000, 1, bytes.len() as u64),
            Content::Link(target) => (0o120_000, 1, target.len() as u64),
        };
        let links = if self.folder()?.is_unlinked(number) {
            0
        } else {
            links
        };
        let zero = Stamp::default();
        let mut reply = Writer::default();
        reply
            .long(BASIC)
            .identity(number, entry)
            .word(kind | entry.mode)
            .word(entry.user)
            .word(entry.group)
            .long(links)
            .long(0)
            .long(size)
            .long(BLOCK_BYTES)
            .long(size.div_ceil(SECTOR_BYTES))
            .stamp(entry.accessed)
            .stamp(entry.modified)
            .stamp(entry.changed)
            .stamp(zero)
            .long(0)
            .long(entry.version.into());
        Ok(reply)
    }

    pub(super) fn set_attributes(&mut self, f: &mut Reader, now: Stamp) -> Result<Writer, Errno> {
        let (number, valid) = (self.number(f)?, f.word()?);
        let (mode, user, group) = (f.word()?, f.word()?, f.word()?);
        let (size, accessed, modified) = (f.long()?, f.stamp()?, f.stamp()?);
        let asks = |bits: u32| valid & bits != 0;
        let tree = self.folder_mut()?;
        if asks(wanted::SIZE) {
            tree.resize(number, size)?;
            tree.touch(number, now);
        }
        let entry = tree.entries.get_mut(&number).ok_or(Errno::Stale)?;
        if asks(wanted::MODE) {
            entry.mode = mode & MODE_BITS;
            entry.touched = true;
        }
        if asks(wanted::USER) {
            entry.user = user;
        }
        if asks(wanted::GROUP) {
            entry.group = group;
        }
        let given = |bit, stamp| if asks(bit) { stamp } else { now };
        if asks(wanted::ACCESSED) {
            entry.accessed = given(wanted::ACCESSED_GIVEN, accessed);
        }
        if asks(wanted::MODIFIED) {
            entry.modified = given(wanted::MODIFIED_GIVEN, modified);
        }
        entry.changed = now;
        Ok(Writer::default())
    }

    pub(super) fn read_link(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        let number = self.number(f)?;
        let entry = self.folder()?.entry(number).ok_or(Errno::Stale)?;
        let Content::Link(target) = &entry.content else {
            return Err(Errno::Invalid);
        };
        let mut reply = Writer::default();
        reply.string(target);
        Ok(reply)
    }

    pub(super) fn statistics(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        self.number(f)?;
        let tree = self.folder()?;
        let free = SHARE_BYTES_MAX.saturating_sub(tree.bytes()) / BLOCK_BYTES;
        let entries = SHARE_ENTRIES_MAX as u64;
        let mut reply = Writer::default();
        reply
            .word(KIND)
            .word(BLOCK_BYTES as u32)
            .long(SHARE_BYTES_MAX / BLOCK_BYTES)
            .long(free)
            .long(free)
            .long(entries)
            .long(entries.saturating_sub(tree.count() as u64))
            .long(0)
            .word(NAME_BYTES_MAX as u32);
        Ok(reply)
    }
}
