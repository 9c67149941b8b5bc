//! A folder in memory: what a share gives to the guest and what the guest makes of it. The host is touched before and after a run only,
//! so that a run with a share repeats to the bit.

use super::errors::Errno;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Most bytes that the files and links of a share have together.
pub const SHARE_BYTES_MAX: u64 = 256 << 20;
/// Most files, folders and links of a share.
pub const SHARE_ENTRIES_MAX: usize = 65_536;
/// Longest name of an entry, in bytes.
pub const NAME_BYTES_MAX: usize = 255;
/// Longest path of an entry below the shared folder, in bytes: the longest that Linux takes in one piece (PATH_MAX).
pub const PATH_BYTES_MAX: usize = 4096;
/// Longest target of a symbolic link, in bytes.
pub const LINK_BYTES_MAX: usize = 4095;

/// Names an entry; what the guest sees as its inode.
pub type Number = u64;
/// The shared folder itself.
pub const ROOT: Number = 1;

/// Time since power-on, or what the guest has set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Whole seconds.
    pub seconds: u64,
    /// The rest.
    pub nanoseconds: u64,
}

/// What an entry holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// Entries by name.
    Folder(BTreeMap<Vec<u8>, Number>),
    /// The bytes of a file.
    File(#[serde(with = "shared_bytes")] Arc<Vec<u8>>),
    /// The target of a symbolic link, which only the guest follows.
    Link(Vec<u8>),
}

impl Content {
    /// Bytes that count for the share's limit.
    pub fn bytes(&self) -> u64 {
        match self {
            Content::Folder(_) => 0,
            Content::File(bytes) => bytes.len() as u64,
            Content::Link(target) => target.len() as u64,
        }
    }
}

/// A file, folder or symbolic link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The folder that holds it; none for the root and for what was unlinked and is still in use.
    pub parent: Option<Number>,
    /// Its name there.
    pub name: Vec<u8>,
    /// What it holds.
    pub content: Content,
    /// Permission bits, as the guest sees them.
    pub mode: u32,
    /// Owner, as the guest sees it.
    pub user: u32,
    /// Group, as the guest sees it.
    pub group: u32,
    /// When it was read last: kept where the guest sets it.
    pub accessed: Stamp,
    /// When its content changed last.
    pub modified: Stamp,
    /// When anything of it changed last.
    pub changed: Stamp,
    /// Counts changes.
    pub version: u32,
    /// Where it comes from, as a path below the shared folder; none for what the guest has made.
    pub origin: Option<Vec<u8>>,
    /// Whether the guest changed content or permission bits since.
    pub touched: bool,
}

impl Entry {
    fn new(parent: Option<Number>, name: &[u8], content: Content, mode: u32) -> Entry {
        let zero = Stamp::default();
        Entry {
            parent,
            name: name.into(),
            content,
            mode,
            user: 0,
            group: 0,
            accessed: zero,
            modified: zero,
            changed: zero,
            version: 0,
            origin: None,
            touched: false,
        }
    }

    /// Whether its owner may execute it.
    pub fn executable(&self) -> bool {
        self.mode & 0o100 != 0
    }
}

/// All entries of a share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    pub(super) writable: bool,
    pub(super) entries: BTreeMap<Number, Entry>,
    pub(super) next: Number,
    /// Bytes of all files and links.
    pub(super) bytes: u64,
    /// Origins of entries that are no more.
    pub(super) gone: BTreeSet<Vec<u8>>,
}

impl Tree {
    /// An empty folder, which the guest may change or not.
    pub fn new(writable: bool) -> Tree {
        let mut root = Entry::new(None, b"", Content::Folder(BTreeMap::new()), 0o755);
        root.origin = Some(vec![]);
        Tree {
            writable,
            entries: BTreeMap::from([(ROOT, root)]),
            next: ROOT + 1,
            bytes: 0,
            gone: BTreeSet::new(),
        }
    }

    /// Whether the guest may change it.
    pub fn writable(&self) -> bool {
        self.writable
    }

    /// Bytes of all files and links.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of entries, the root among them.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// An entry.
    pub fn entry(&self, number: Number) -> Option<&Entry> {
        self.entries.get(&number)
    }

    /// Adds an entry that comes from the host. Permission bits are the same everywhere, but that files may be executable: owners, times and
    /// numbers of the host are left out, so that two copies of a folder give the same run.
    ///
    /// # Errors
    /// Names that are none or taken, and shares that are too large.
    pub fn add_from_host(
        &mut self,
        folder: Number,
        name: &[u8],
        content: Content,
        executable: bool,
    ) -> Result<Number, Errno> {
        let mode = match &content {
            Content::Link(_) => 0o777,
            Content::Folder(_) => 0o755,
            Content::File(_) => 0o644 | if executable { 0o111 } else { 0 },
        };
        let number = self.add(folder, name, content, mode)?;
        let path = self.path(number);
        if let Some(entry) = self.entries.get_mut(&number) {
            entry.origin = path;
        }
        Ok(number)
    }

    /// Adds an entry that the guest makes.
    pub(super) fn add(
        &mut self,
        folder: Number,
        name: &[u8],
        content: Content,
        mode: u32,
    ) -> Result<Number, Errno> {
        check_name(name)?;
        if matches!(&content, Content::Link(target) if target.len() > LINK_BYTES_MAX) {
            return Err(Errno::NameTooLong);
        }
        let number = self.next;
        if self.entries.len() >= SHARE_ENTRIES_MAX {
            return Err(Errno::NoSpace);
        }
        self.check_room(content.bytes())?;
        let names = self.names_mut(folder)?;
        if names.contains_key(name) {
            return Err(Errno::Exists);
        }
        self.check_path(folder, name, 0)?;
        let names = self.names_mut(folder)?;
        names.insert(name.into(), number);
        self.bytes += content.bytes();
        self.next += 1;
        self.entries
            .insert(number, Entry::new(Some(folder), name, content, mode));
        Ok(number)
    }

    /// Whether so many more bytes have room.
    pub(super) fn check_room(&self, more: u64) -> Result<(), Errno> {
        if self.bytes.saturating_add(more) > SHARE_BYTES_MAX {
            return Err(Errno::NoSpace);
        }
        Ok(())
    }

    /// The entries of a folder that still has a place.
    pub(super) fn names_mut(
        &mut self,
        folder: Number,
    ) -> Result<&mut BTreeMap<Vec<u8>, Number>, Errno> {
        let entry = self.entries.get_mut(&folder).ok_or(Errno::Stale)?;
        let linked = entry.parent.is_some() || folder == ROOT;
        match &mut entry.content {
            Content::Folder(names) if linked => Ok(names),
            Content::Folder(_) => Err(Errno::NotFound),
            _ => Err(Errno::NotFolder),
        }
    }

    /// The entries of a folder.
    pub fn names(&self, folder: Number) -> Result<&BTreeMap<Vec<u8>, Number>, Errno> {
        match &self.entries.get(&folder).ok_or(Errno::Stale)?.content {
            Content::Folder(names) => Ok(names),
            _ => Err(Errno::NotFolder),
        }
    }

    /// The entry of a name in a folder.
    pub fn find(&self, folder: Number, name: &[u8]) -> Result<Number, Errno> {
        let names = self.names(folder)?;
        names.get(name).copied().ok_or(Errno::NotFound)
    }

    /// Path below the shared folder, names with `/` between them; none for what has no place any more.
    pub fn path(&self, number: Number) -> Option<Vec<u8>> {
        let mut parts = vec![];
        let mut at = number;
        while at != ROOT {
            let entry = self.entries.get(&at)?;
            parts.push(entry.name.as_slice());
            at = entry.parent?;
        }
        parts.reverse();
        Some(parts.join(&b'/'))
    }

    /// Whether a path has room: that of a name in a folder, with `below` bytes for what lies in it.
    pub(super) fn check_path(
        &self,
        folder: Number,
        name: &[u8],
        below: usize,
    ) -> Result<(), Errno> {
        let mut bytes = name.len() + below;
        let mut at = folder;
        while at != ROOT {
            let entry = self.entries.get(&at).ok_or(Errno::Stale)?;
            bytes += entry.name.len() + 1;
            at = entry.parent.ok_or(Errno::NotFound)?;
        }
        if bytes > PATH_BYTES_MAX {
            return Err(Errno::NameTooLong);
        }
        Ok(())
    }

    /// Bytes of the longest path from an entry to what lies in it, with a `/` before each name.
    pub(super) fn bytes_below(&self, number: Number) -> usize {
        let mut longest = 0;
        self.visit_below(number, &mut |_, path| longest = longest.max(path.len()));
        if longest == 0 { 0 } else { longest + 1 }
    }

    /// Shows all entries that have a place with their paths below the shared folder, each folder before what it holds.
    pub fn visit(&self, seen: &mut dyn FnMut(Number, &[u8])) {
        self.visit_below(ROOT, seen);
    }

    fn visit_below(&self, top: Number, seen: &mut dyn FnMut(Number, &[u8])) {
        let mut path = vec![];
        // Entries that are to be shown, and how long the path of the folder of each is.
        let mut open = vec![(top, 0)];
        while let Some((number, length)) = open.pop() {
            path.truncate(length);
            if let Some(entry) = self.entries.get(&number).filter(|_| number != top) {
                if length > 0 {
                    path.push(b'/');
                }
                path.extend(&entry.name);
            }
            seen(number, &path);
            if let Ok(names) = self.names(number) {
                open.extend(names.values().rev().map(|&inner| (inner, path.len())));
            }
        }
    }

    /// The entry at a path below the shared folder.
    pub fn at(&self, path: &[u8]) -> Option<Number> {
        let mut names = path.split(|byte| *byte == b'/').filter(|it| !it.is_empty());
        names.try_fold(ROOT, |folder, name| self.find(folder, name).ok())
    }

    /// All entries that have a place, each folder before what it holds.
    pub fn walk(&self) -> Vec<Number> {
        let mut found = vec![];
        let mut open = vec![ROOT];
        while let Some(number) = open.pop() {
            found.push(number);
            if let Ok(names) = self.names(number) {
                open.extend(names.values().rev());
            }
        }
        found
    }

    /// Paths of the host that the guest has removed or renamed, and where nothing is now.
    pub fn gone(&self) -> Vec<Vec<u8>> {
        let mut gone: BTreeSet<&Vec<u8>> = self.gone.iter().collect();
        let placed = self.walk().into_iter();
        gone.extend(placed.filter_map(|number| self.entries[&number].origin.as_ref()));
        gone.retain(|path| self.at(path).is_none());
        gone.into_iter().cloned().collect()
    }

    /// Whether something of the host that had this path was removed, and not only renamed.
    pub fn removed(&self, path: &[u8]) -> bool {
        self.gone.contains(path)
    }

    /// Notes that the content of an entry changed.
    pub(super) fn touch(&mut self, number: Number, now: Stamp) {
        if let Some(entry) = self.entries.get_mut(&number) {
            entry.version = entry.version.wrapping_add(1);
            entry.changed = now;
            entry.modified = now;
            entry.touched = true;
        }
    }

    /// Gives a file another size; new bytes are zero.
    pub(super) fn resize(&mut self, number: Number, size: u64) -> Result<(), Errno> {
        self.edit(number, size, |_| ())
    }

    /// Writes bytes into a file, which grows as needed; a gap before them is zero.
    pub(super) fn write(&mut self, number: Number, offset: u64, data: &[u8]) -> Result<(), Errno> {
        if data.is_empty() {
            return Ok(());
        }
        let end = offset.checked_add(data.len() as u64);
        let end = end.ok_or(Errno::TooLarge)?;
        let size = end.max(self.file(number)?.len() as u64);
        self.edit(number, size, |bytes| {
            let start = offset as usize;
            bytes[start..start + data.len()].copy_from_slice(data);
        })
    }

    fn edit(
        &mut self,
        number: Number,
        size: u64,
        change: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Errno> {
        let old = self.file(number)?.len() as u64;
        self.check_room(size.saturating_sub(old))?;
        let entry = self.entries.get_mut(&number).ok_or(Errno::Stale)?;
        if let Content::File(bytes) = &mut entry.content {
            let bytes = Arc::make_mut(bytes);
            bytes.resize(size as usize, 0);
            change(bytes);
        }
        self.bytes = self.bytes - old + size;
        Ok(())
    }

    /// The bytes of a file.
    pub fn file(&self, number: Number) -> Result<&[u8], Errno> {
        match &self.entries.get(&number).ok_or(Errno::Stale)?.content {
            Content::File(bytes) => Ok(bytes),
            Content::Folder(_) => Err(Errno::IsFolder),
            Content::Link(_) => Err(Errno::IsLink),
        }
    }

    /// Takes an entry out of its folder. It stays until nobody uses it.
    pub(super) fn unlink(&mut self, number: Number) {
        let Some(entry) = self.entries.get_mut(&number) else {
            return;
        };
        self.gone.extend(entry.origin.take());
        let (parent, name) = (entry.parent.take(), std::mem::take(&mut entry.name));
        if let Some(Ok(names)) = parent.map(|parent| self.names_mut(parent)) {
            names.remove(&name);
        }
    }

    /// Whether an entry has no place any more.
    pub(super) fn is_unlinked(&self, number: Number) -> bool {
        let entry = self.entries.get(&number);
        number != ROOT && entry.is_some_and(|entry| entry.parent.is_none())
    }

    /// Drops an entry without a place.
    pub(super) fn drop_unlinked(&mut self, number: Number) {
        if self.is_unlinked(number) {
            let entry = self.entries.remove(&number);
            self.bytes -= entry.map_or(0, |entry| entry.content.bytes());
        }
    }

    /// Moves an entry to another name.
    pub(super) fn relink(&mut self, number: Number, folder: Number, name: &[u8]) {
        let Some(entry) = self.entries.get_mut(&number) else {
            return;
        };
        let old_name = std::mem::replace(&mut entry.name, name.into());
        let old_folder = entry.parent.replace(folder);
        if let Some(Ok(names)) = old_folder.map(|folder| self.names_mut(folder)) {
            names.remove(&old_name);
        }
        if let Ok(names) = self.names_mut(folder) {
            names.insert(name.into(), number);
        }
    }

    /// Whether `inner` is `outer` or lies somewhere in it.
    pub(super) fn lies_in(&self, inner: Number, outer: Number) -> bool {
        let mut at = Some(inner);
        while let Some(number) = at {
            if number == outer {
                return true;
            }
            at = self.entries.get(&number).and_then(|entry| entry.parent);
        }
        false
    }
}

/// Whether a name is one of a single entry: nothing that leads elsewhere.
pub(super) fn check_name(name: &[u8]) -> Result<(), Errno> {
    if name.len() > NAME_BYTES_MAX {
        return Err(Errno::NameTooLong);
    }
    let elsewhere = matches!(name, b"" | b"." | b"..");
    if elsewhere || name.contains(&b'/') || name.contains(&0) {
        return Err(Errno::Invalid);
    }
    Ok(())
}

/// Bytes that are shared in memory and plain in a state.
mod shared_bytes {
    use serde::{Deserializer, Serializer};
    use std::sync::Arc;

    pub fn serialize<S: Serializer>(bytes: &Arc<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
        serde_bytes::serialize(bytes.as_slice(), to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Vec<u8>>, D::Error> {
        serde_bytes::deserialize(from).map(Arc::new)
    }
}
