//! A server of 9P2000.L over a [`Tree`]: requests in, replies out.
//!
//! The protocol is that of the Linux kernel's client (`net/9p/client.c`, `include/net/9p/9p.h`) and of the diod project's page
//! "9P2000.L protocol". Nothing that a client sends reaches the host.

use super::errors::Errno;
use super::tree::{Number, ROOT, Stamp, Tree};
use super::wire::{Reader, Writer};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Largest message that the server agrees to.
pub const MESSAGE_BYTES_MAX: u32 = 512 << 10;
/// Smallest message size that leaves room for every reply of fixed size.
const MESSAGE_BYTES_MIN: u32 = 4096;
/// Size, kind and tag of a message.
const HEADER_BYTES: usize = 7;
/// Kind of the reply that carries an error.
pub(crate) const RLERROR: u8 = 7;
/// Most names of one walk (intro(5) of Plan 9: MAXWELEM).
const WALK_NAMES_MAX: u16 = 16;
/// Most handles that a client may hold.
const FIDS_MAX: usize = 65_536;

/// How a file was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Access {
    pub read: bool,
    pub write: bool,
    pub append: bool,
}

/// A client's handle of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fid {
    pub number: Number,
    pub access: Option<Access>,
}

/// The server's whole state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    pub(super) tree: Option<Tree>,
    pub(super) fids: BTreeMap<u32, Fid>,
    /// Largest message as agreed; 0 before that.
    pub(super) message_bytes_max: u32,
}

impl Server {
    /// The folder as it is now.
    pub fn tree(&self) -> Option<&Tree> {
        self.tree.as_ref()
    }

    /// Shares another folder, or none.
    ///
    /// # Errors
    /// When the guest has the present one mounted.
    pub fn set_tree(&mut self, tree: Option<Tree>) -> Result<(), String> {
        if !self.fids.is_empty() {
            return Err(
                "the guest has the share mounted: let it unmount the share before it is given another folder".into(),
            );
        }
        self.tree = tree;
        Ok(())
    }

    /// Files that the guest has open for writing: its kernel may hold data of them that it has not written yet.
    pub fn open_for_writing(&self) -> BTreeSet<Number> {
        let writes = |fid: &&Fid| fid.access.is_some_and(|access| access.write);
        let open = self.fids.values().filter(writes);
        open.map(|fid| fid.number).collect()
    }

    /// Ends the client's session. The folder stays as the client made it.
    pub fn reset(&mut self) {
        self.message_bytes_max = 0;
        for number in std::mem::take(&mut self.fids).into_values() {
            self.release(number.number);
        }
    }

    /// Whether a state from a file is one of a server.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        if self.message_bytes_max > MESSAGE_BYTES_MAX || self.fids.len() > FIDS_MAX {
            return Err("a session with limits that no server agrees to".into());
        }
        let Some(tree) = &self.tree else {
            let idle = self.fids.is_empty();
            return idle.then_some(()).ok_or("handles without a folder".into());
        };
        let known = |fid: &Fid| tree.entry(fid.number).is_some();
        if !self.fids.values().all(known) {
            return Err("a handle of no entry".into());
        }
        tree.check()
    }

    /// Answers one message. What is none gets no answer: there is no tag to answer to.
    pub fn answer(&mut self, message: &[u8], now: Stamp) -> Option<Vec<u8>> {
        let mut fields = Reader(message);
        let size = fields.word().ok()?;
        let kind = fields.byte().ok()?;
        let tag = fields.half().ok()?;
        let body = message.get(HEADER_BYTES..size as usize);
        let answered = match body {
            Some(body) => self.dispatch(kind, Reader(body), now),
            None => Err(Errno::Malformed),
        };
        let (kind, body) = match answered {
            Ok(body) => (kind.wrapping_add(1), body.0),
            Err(error) => (RLERROR, error.number().to_le_bytes().to_vec()),
        };
        let mut reply = Writer::default();
        reply
            .word((HEADER_BYTES + body.len()) as u32)
            .byte(kind)
            .half(tag)
            .bytes(&body);
        Some(reply.0)
    }

    fn dispatch(&mut self, kind: u8, mut fields: Reader, now: Stamp) -> Result<Writer, Errno> {
        let f = &mut fields;
        // Without a session there are version and authentication, and what waits for nothing.
        if self.message_bytes_max == 0 && !matches!(kind, 100 | 102 | 108) {
            return Err(Errno::NoSession);
        }
        match kind {
            8 => self.statistics(f),
            12 => self.open(f, now),
            14 => self.create(f, now),
            16 => self.symbolic_link(f, now),
            // A device node would be a door of the host's; a hard link has no place in a tree.
            18 | 70 => self.may_write().and(Err(Errno::NotPermitted)),
            20 => self.rename(f, now),
            22 => self.read_link(f),
            24 => self.attributes(f),
            26 => self.set_attributes(f, now),
            30 | 32 => Err(Errno::NotSupported),
            40 => self.read_folder(f),
            50 => self.synchronize(f),
            52 => self.lock(f),
            54 => self.get_lock(f),
            72 => self.make_folder(f, now),
            74 => self.rename_at(f, now),
            76 => self.unlink_at(f, now),
            100 => self.version(f),
            102 => Err(Errno::NotSupported),
            104 => self.attach(f),
            // Every request is answered before the next one is looked at: there is nothing to flush.
            108 => f.half().map(|_| Writer::default()),
            110 => self.walk(f),
            116 => self.read(f),
            118 => self.write(f, now),
            120 => self.clunk(f),
            122 => self.remove(f, now),
            _ => Err(Errno::NotSupported),
        }
    }

    /// Agrees on the protocol, which begins a new session.
    fn version(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        let (wanted, version) = (f.word()?, f.string()?);
        self.reset();
        let size = wanted.min(MESSAGE_BYTES_MAX);
        let known = version == b"9P2000.L" && size >= MESSAGE_BYTES_MIN;
        let mut reply = Writer::default();
        reply.word(size);
        if known {
            self.message_bytes_max = size;
            reply.string(b"9P2000.L");
        } else {
            reply.string(b"unknown");
        }
        Ok(reply)
    }

    fn attach(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        let (fid, _authentication) = (f.word()?, f.word()?);
        let (_user, _folder, _number) = (f.string()?, f.string()?, f.word()?);
        self.folder()?;
        self.hold(fid, ROOT)?;
        self.identity_of(ROOT)
    }

    fn walk(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        let (fid, new, count) = (f.word()?, f.word()?, f.half()?);
        if count > WALK_NAMES_MAX {
            return Err(Errno::Invalid);
        }
        let mut at = self.fid(fid)?.number;
        let tree = self.folder()?;
        let mut reply = Writer::default();
        let mut found = 0;
        for step in 0..count {
            let name = f.string()?;
            let next = match name {
                b".." => Ok(tree.entry(at).and_then(|it| it.parent).unwrap_or(at)),
                name => tree.find(at, name),
            };
            match next {
                Ok(next) => at = next,
                Err(error) if step == 0 => return Err(error),
                Err(_) => break,
            }
            let entry = tree.entry(at).ok_or(Errno::Stale)?;
            reply.identity(at, entry);
            found += 1;
        }
        if found == count {
            if new == fid {
                let old = self.fids.insert(
                    fid,
                    Fid {
                        number: at,
                        access: None,
                    },
                );
                self.release(old.map_or(at, |old| old.number));
            } else {
                self.hold(new, at)?;
            }
        }
        let mut whole = Writer::default();
        whole.half(found).bytes(&reply.0);
        Ok(whole)
    }

    fn clunk(&mut self, f: &mut Reader) -> Result<Writer, Errno> {
        let fid = self.fids.remove(&f.word()?).ok_or(Errno::BadFile)?;
        self.release(fid.number);
        Ok(Writer::default())
    }

    /// A new handle.
    fn hold(&mut self, fid: u32, number: Number) -> Result<(), Errno> {
        if self.fids.contains_key(&fid) {
            return Err(Errno::BadFile);
        }
        if self.fids.len() >= FIDS_MAX {
            return Err(Errno::NoSpace);
        }
        let access = None;
        self.fids.insert(fid, Fid { number, access });
        Ok(())
    }

    /// Drops an entry that has no place and no handle any more.
    pub(super) fn release(&mut self, number: Number) {
        if let Some(tree) = &mut self.tree
            && tree.is_unlinked(number)
            && !self.fids.values().any(|fid| fid.number == number)
        {
            tree.drop_unlinked(number);
        }
    }

    pub(super) fn fid(&self, fid: u32) -> Result<Fid, Errno> {
        self.fids.get(&fid).copied().ok_or(Errno::BadFile)
    }

    /// The entry of a handle in the next field.
    pub(super) fn number(&self, f: &mut Reader) -> Result<Number, Errno> {
        self.fid(f.word()?).map(|fid| fid.number)
    }

    pub(super) fn identity_of(&self, number: Number) -> Result<Writer, Errno> {
        let entry = self.folder()?.entry(number).ok_or(Errno::Stale)?;
        let mut reply = Writer::default();
        reply.identity(number, entry);
        Ok(reply)
    }

    pub(super) fn folder(&self) -> Result<&Tree, Errno> {
        self.tree.as_ref().ok_or(Errno::NoFolder)
    }

    pub(super) fn may_write(&self) -> Result<(), Errno> {
        if self.folder()?.writable() {
            return Ok(());
        }
        Err(Errno::ReadOnly)
    }

    pub(super) fn folder_mut(&mut self) -> Result<&mut Tree, Errno> {
        self.may_write()?;
        self.tree.as_mut().ok_or(Errno::NoFolder)
    }

    /// Bytes of data that a reply has room for, when the client asks for `count`.
    pub(super) fn room(&self, count: u32) -> usize {
        (count as usize).min(self.message_bytes_max as usize - HEADER_BYTES - 4)
    }
}
