//! Writing back what the guest has made of a folder.

use super::folder::{Folder, Way, names, split};
use super::links::{Links, stays_inside};
use super::put::{Outcome, remove, write};
use super::{LeftOut, name};
use crate::HostError;
use socscope_devices::share::{Content, Entry, Number, ROOT, Tree};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What was done to a folder of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenBack {
    /// Paths that were made or written.
    pub written: Vec<OsString>,
    /// Paths that were removed.
    pub removed: Vec<OsString>,
    /// What was not done, and why.
    pub left_out: Vec<LeftOut>,
    /// Files that the guest had still open for writing: what its kernel or program held back of them is missing.
    pub unfinished: Vec<OsString>,
}

const WRITE: &str = "write back the share";
const LEADS_OUT: &str = "the link leads out of the folder";
const HELD_BACK: &str = "the guest had it open and had written nothing of it back";

/// Makes the folder what the guest has made of it; `open` are the files that the guest has open for writing. Only what the guest has changed
/// is touched; where both have changed a file, the guest's version remains. A file is replaced as a whole or not at all, so that other names
/// of it outside of the folder keep what they have. Names are removed when all is written, so that nothing is lost when something cannot be;
/// sooner only those that are in the way. What cannot be written under a new name stays under the old one. A file that is open and empty
/// is not written: its data is in the guest's memory.
///
/// # Errors
/// The first entry that cannot be written; those before it were.
pub fn write_share(
    tree: &Tree,
    open: &BTreeSet<Number>,
    path: &Path,
) -> std::result::Result<WrittenBack, HostError> {
    let folder = Folder::open(path)?;
    let (in_the_way, others) = tree
        .gone()
        .into_iter()
        .partition::<Vec<_>, _>(|path| lies_below_a_file(tree, path));
    let mut writer = Writer {
        tree,
        open,
        folder: &folder,
        way: folder.way(),
        kept: BTreeSet::new(),
        next_name: 0,
        done: WrittenBack::default(),
    };
    writer.remove_all(&in_the_way)?;
    let mut links = vec![];
    let mut outcome = Ok(());
    tree.visit(&mut |number, path| {
        let entry = tree.entry(number).filter(|_| number != ROOT);
        let Some(entry) = entry.filter(|_| outcome.is_ok()) else {
            return;
        };
        let moved = entry.origin.as_deref() != Some(path);
        let is_folder = matches!(entry.content, Content::Folder(_));
        let changed = moved || !is_folder && entry.touched;
        if changed && matches!(entry.content, Content::Link(_)) {
            links.push((number, entry, path.to_vec()));
        } else if changed {
            outcome = writer.put(number, entry, path);
        }
        if open.contains(&number) && !writer.kept.contains(&number) {
            writer.done.unfinished.push(name(path));
        }
    });
    outcome?;
    writer.put_links(&links)?;
    writer.finish(others)
}

/// A write-back under way.
struct Writer<'a> {
    tree: &'a Tree,
    open: &'a BTreeSet<Number>,
    folder: &'a Folder,
    way: Way<'a>,
    /// What was left out: what it was on the host stays.
    kept: BTreeSet<Number>,
    /// The number of the next free name for something new.
    next_name: usize,
    done: WrittenBack,
}

impl Writer<'_> {
    /// Writes an entry that the guest has made or changed.
    fn put(
        &mut self,
        number: Number,
        entry: &Entry,
        path: &[u8],
    ) -> std::result::Result<(), HostError> {
        let held_back = matches!(&entry.content, Content::File(bytes) if bytes.is_empty())
            && self.open.contains(&number);
        let outcome = if held_back {
            Ok(Outcome::LeftOut(HELD_BACK))
        } else {
            write(&mut self.way, entry, path, &mut self.next_name)
        };
        match outcome.map_err(self.folder.failed(path, WRITE))? {
            Outcome::Done => self.done.written.push(name(path)),
            Outcome::Nothing => {}
            Outcome::LeftOut(reason) => {
                self.kept.insert(number);
                self.done.left_out.push(LeftOut::new(path, reason));
            }
        }
        Ok(())
    }

    /// Makes links when all else is there, so that it is known where they lead.
    fn put_links(
        &mut self,
        links: &[(Number, &Entry, Vec<u8>)],
    ) -> std::result::Result<(), HostError> {
        if links.is_empty() {
            return Ok(());
        }
        let out = leading_out(self.folder, self.tree, links);
        for (number, entry, path) in links {
            if out.contains(&path[..]) {
                self.kept.insert(*number);
                self.done.left_out.push(LeftOut::new(path, LEADS_OUT));
            } else {
                self.put(*number, entry, path)?;
            }
        }
        Ok(())
    }

    fn remove_all(&mut self, paths: &[Vec<u8>]) -> std::result::Result<(), HostError> {
        // Names in a folder stand behind it in their order, so that it is empty when its turn comes.
        for path in paths.iter().rev() {
            let failed = self
                .folder
                .failed(path, "remove what the guest has removed");
            match remove(&mut self.way, path).map_err(failed)? {
                Outcome::Done => self.done.removed.push(name(path)),
                Outcome::Nothing => {}
                Outcome::LeftOut(reason) => {
                    self.done.left_out.push(LeftOut::new(path, reason));
                }
            }
        }
        Ok(())
    }

    /// Removes what has no place any more, but for the old names of what was left out.
    fn finish(mut self, gone: Vec<Vec<u8>>) -> std::result::Result<WrittenBack, HostError> {
        let entries = self.kept.iter().filter_map(|it| self.tree.entry(*it));
        let kept: BTreeSet<&Vec<u8>> = entries.filter_map(|it| it.origin.as_ref()).collect();
        let gone: Vec<_> = gone.into_iter().filter(|it| !kept.contains(it)).collect();
        self.remove_all(&gone)?;
        let mut done = self.done;
        // Links came after all else: two pieces in order, which a stable sort merges.
        done.written
            .sort_by(|one, other| names(one.as_bytes()).cmp(names(other.as_bytes())));
        done.left_out
            .sort_by(|one, other| one.path.cmp(&other.path));
        Ok(done)
    }
}

/// Those of the links that lead out, by themselves or over others.
fn leading_out<'a>(
    folder: &Folder,
    tree: &Tree,
    links: &'a [(Number, &Entry, Vec<u8>)],
) -> BTreeSet<&'a [u8]> {
    let mut known = Links::of_host(folder, |path| tree.removed(path) && tree.at(path).is_none());
    let mut out = BTreeSet::new();
    for (_, entry, path) in links {
        if let Content::Link(target) = &entry.content {
            known.plan(path, target);
            if !stays_inside(target, split(path).0) {
                out.insert(&path[..]);
            }
        }
    }
    out.extend(known.leading_out(links.iter().map(|(.., path)| &path[..])));
    out
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
