//! Requests that make, move and remove names.

use super::errors::Errno;
use super::server::Server;
use super::tree::{Content, Number, ROOT, Stamp, check_name};
use super::wire::{Reader, Writer};
use std::collections::BTreeMap;

/// Flag of unlinkat: a folder is removed.
const REMOVE_FOLDER: u32 = 0x200;

impl Server {
    pub(super) fn symbolic_link(&mut self, f: &mut Reader, now: Stamp) -> Result<Writer, Errno> {
        let (folder, name) = (self.number(f)?, f.string()?);
        let (target, group) = (f.string()?, f.word()?);
        if target.is_empty() || target.contains(&0) {
            return Err(Errno::Invalid);
        }
        let content = Content::Link(target.into());
        let number = self.make(folder, name, content, (0o777, group), now)?;
        self.identity_of(number)
    }

    pub(super) fn make_folder(&mut self, f: &mut Reader, now: Stamp) -> Result<Writer, Errno> {
        let (folder, name) = (self.number(f)?, f.string()?);
        let rights = (f.word()?, f.word()?);
        let content = Content::Folder(BTreeMap::new());
        let number = self.make(folder, name, content, rights, now)?;
        self.identity_of(number)
    }

    /// Moves what a handle names.
    pub(super) fn rename(&mut self, f: &mut Reader, now: Stamp) -> Result<Writer, Errno> {
        let (number, folder) = (self.number(f)?, self.number(f)?);
        self.move_entry(number, folder, f.string()?, now)
    }

    /// Moves what a name in a folder names.
    pub(super) fn rename_at(&mut self, f: &mut Reader, now: Stamp) -> Result<Writer, Errno> {
        let (old_folder, old_name) = (self.number(f)?, f.string()?);
        let (folder, name) = (self.number(f)?, f.string()?);
        let number = self.folder()?.find(old_folder, old_name)?;
        self.move_entry(number, folder, name, now)
    }

    fn move_entry(
        &mut self,
        number: Number,
        folder: Number,
        name: &[u8],
        now: Stamp,
    ) -> Result<Writer, Errno> {
        check_name(name)?;
        let tree = self.folder_mut()?;
        if number == ROOT {
            return Err(Errno::Busy);
        }
        if tree.is_unlinked(number) || tree.is_unlinked(folder) {
            return Err(Errno::NotFound);
        }
        if tree.lies_in(folder, number) {
            return Err(Errno::Invalid);
        }
        tree.check_path(folder, name, tree.bytes_below(number))?;
        let is_folder = tree.names(number).is_ok();
        let replaced = match tree.find(folder, name) {
            Err(Errno::NotFound) => None,
            Err(error) => return Err(error),
            Ok(same) if same == number => return Ok(Writer::default()),
            Ok(other) => Some(other),
        };
        if let Some(other) = replaced {
            match tree.names(other) {
                Ok(_) if !is_folder => return Err(Errno::IsFolder),
                Ok(names) if !names.is_empty() => return Err(Errno::NotEmpty),
                Err(_) if is_folder => return Err(Errno::NotFolder),
                _ => tree.unlink(other),
            }
        }
        let old_folder = tree.entry(number).and_then(|entry| entry.parent);
        tree.relink(number, folder, name);
        tree.touch(folder, now);
        old_folder
            .into_iter()
            .for_each(|folder| tree.touch(folder, now));
        if let Some(other) = replaced {
            self.release(other);
        }
        Ok(Writer::default())
    }

    pub(super) fn unlink_at(&mut self, f: &mut Reader, now: Stamp) -> Result<Writer, Errno> {
        let (folder, name, flags) = (self.number(f)?, f.string()?, f.word()?);
        let number = self.folder()?.find(folder, name)?;
        let is_folder = self.folder()?.names(number).is_ok();
        match (is_folder, flags & REMOVE_FOLDER != 0) {
            (true, false) => Err(Errno::IsFolder),
            (false, true) => Err(Errno::NotFolder),
            _ => self.take_out(number, now),
        }
    }

    /// Removes what a handle names; the handle is gone in any case.
    pub(super) fn remove(&mut self, f: &mut Reader, now: Stamp) -> Result<Writer, Errno> {
        let fid = self.fids.remove(&f.word()?).ok_or(Errno::BadFile)?;
        let removed = self.take_out(fid.number, now);
        self.release(fid.number);
        removed
    }

    fn take_out(&mut self, number: Number, now: Stamp) -> Result<Writer, Errno> {
        let tree = self.folder_mut()?;
        if number == ROOT {
            return Err(Errno::Busy);
        }
        if tree.names(number).is_ok_and(|names| !names.is_empty()) {
            return Err(Errno::NotEmpty);
        }
        let folder = tree.entry(number).and_then(|entry| entry.parent);
        let folder = folder.ok_or(Errno::NotFound)?;
        tree.unlink(number);
        tree.touch(folder, now);
        self.release(number);
        Ok(Writer::default())
    }
}
