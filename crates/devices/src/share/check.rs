//! Whether a tree that comes from a file is one: what names what must be there, and nothing may lead out of the folder.

use std::collections::BTreeSet;

use super::tree::{
    Content, Entry, Number, PATH_BYTES_MAX, ROOT, SHARE_BYTES_MAX, SHARE_ENTRIES_MAX, Tree,
    check_name,
};

impl Tree {
    /// The tree in a stable encoding, which [`Tree::decode`] takes.
    pub fn encode(&self) -> Vec<u8> {
        crate::state::save(self)
    }

    /// The tree that [`Tree::encode`] gave.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn decode(bytes: &[u8]) -> Result<Tree, String> {
        let tree: Tree = crate::state::restore("share", bytes).map_err(|error| error.reason)?;
        tree.check()?;
        Ok(tree)
    }

    /// The numbers of a device's attribute of open files.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn decode_numbers(bytes: &[u8]) -> Result<BTreeSet<Number>, String> {
        crate::state::restore("share", bytes).map_err(|error| error.reason)
    }

    /// Whether all entries hang together.
    pub(super) fn check(&self) -> Result<(), String> {
        let root = self.entries.get(&ROOT);
        if !root.is_some_and(|root| is_folder(root) && root.parent.is_none()) {
            return Err("the shared folder itself is missing".into());
        }
        if self.entries.len() > SHARE_ENTRIES_MAX + 1 || self.bytes > SHARE_BYTES_MAX {
            return Err("more than a share may hold".into());
        }
        let bytes = self.entries.values().map(|entry| entry.content.bytes());
        if bytes.sum::<u64>() != self.bytes || self.entries.keys().any(|&it| it >= self.next) {
            return Err("sizes or numbers contradict the entries".into());
        }
        for (&number, entry) in &self.entries {
            if !self.hangs(number, entry) {
                return Err(format!("entry {number} does not hang in its folder"));
            }
            let mut origins = entry.origin.iter();
            if !origins.all(|path| is_path(path) || number == ROOT && path.is_empty()) {
                return Err(format!("entry {number} comes from outside the folder"));
            }
        }
        if !self.gone.iter().all(|path| is_path(path)) {
            return Err("something outside the folder is to be removed".into());
        }
        let placed = self.entries.values().filter(|it| it.parent.is_some());
        if !self.walk_at_most(placed.count() + 1) {
            return Err("folders hold one another".into());
        }
        if self.bytes_below(ROOT) > PATH_BYTES_MAX + 1 {
            return Err("a path that is longer than any of a share".into());
        }
        Ok(())
    }

    /// Whether an entry and those that it holds or that hold it agree.
    fn hangs(&self, number: u64, entry: &Entry) -> bool {
        let placed = match entry.parent {
            None => {
                number == ROOT
                    || !matches!(&entry.content, Content::Folder(names) if !names.is_empty())
            }
            Some(parent) => {
                number != ROOT
                    && check_name(&entry.name).is_ok()
                    && self.find(parent, &entry.name) == Ok(number)
            }
        };
        let names = self.names(number).into_iter().flatten();
        placed
            && names.into_iter().all(|(name, child)| {
                let child = self.entries.get(child);
                child.is_some_and(|child| child.parent == Some(number) && child.name == *name)
            })
    }

    /// Whether exactly `count` entries are reached from the root: each has one place, so none is reached twice.
    fn walk_at_most(&self, count: usize) -> bool {
        self.walk().len() == count
    }
}

fn is_folder(entry: &Entry) -> bool {
    matches!(entry.content, Content::Folder(_))
}

/// Whether a path leads into the folder and nowhere else.
fn is_path(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/')
        .all(|name| check_name(name).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn tree() -> Tree {
        let mut tree = Tree::new(true);
        let folder = Content::Folder(BTreeMap::new());
        let inner = tree.add_from_host(ROOT, b"inner", folder, false);
        let inner = inner.expect("there is room");
        let file = Content::File(b"text".to_vec().into());
        tree.add_from_host(inner, b"file", file, true)
            .expect("there is room");
        tree
    }

    #[test]
    fn a_tree_comes_back() {
        let tree = tree();
        assert_eq!(Tree::decode(&tree.encode()), Ok(tree));
    }

    #[test]
    fn trees_that_lead_elsewhere_are_refused() {
        type Damage = fn(&mut Tree);
        let damages: [(Damage, &str); 9] = [
            (
                |it| {
                    for _ in 0..PATH_BYTES_MAX {
                        let folder = Content::Folder(BTreeMap::new());
                        let (top, number) = (it.names(ROOT).expect("the root"), it.next);
                        let top = top.clone();
                        let mut entry = it.entries[&2].clone();
                        (entry.name, entry.content, entry.origin) = (b"x".into(), folder, None);
                        entry.parent = Some(ROOT);
                        it.next += 1;
                        it.names_mut(ROOT).expect("the root").clear();
                        for &moved in top.values() {
                            it.entries.get_mut(&moved).expect("one").parent = Some(number);
                        }
                        entry.content = Content::Folder(top);
                        it.entries.insert(number, entry);
                        it.names_mut(ROOT)
                            .expect("the root")
                            .insert(b"x".into(), number);
                    }
                },
                "longer",
            ),
            (|it| it.bytes += 1, "contradict"),
            (|it| it.next = 2, "contradict"),
            (|it| drop(it.entries.remove(&ROOT)), "missing"),
            (
                |it| it.entries.get_mut(&3).expect("a file").name = b"..".into(),
                "hang",
            ),
            (
                |it| it.entries.get_mut(&3).expect("a file").parent = Some(ROOT),
                "hang",
            ),
            (
                |it| it.entries.get_mut(&3).expect("a file").origin = Some(b"../x".into()),
                "outside",
            ),
            (|it| it.gone.extend([b"/etc/passwd".into()]), "outside"),
            (
                |it| {
                    let entry = it.entries.get_mut(&2).expect("a folder");
                    entry.parent = Some(2);
                    let Content::Folder(names) = &mut entry.content else {
                        return;
                    };
                    names.insert(b"inner".into(), 2);
                    it.names_mut(ROOT).expect("the root").clear();
                },
                "one another",
            ),
        ];
        for (number, (damage, reason)) in damages.into_iter().enumerate() {
            let mut tree = tree();
            damage(&mut tree);
            let error = Tree::decode(&tree.encode()).expect_err(reason);
            assert!(error.contains(reason), "{number}: {error}");
        }
        assert!(Tree::decode(&[]).is_err());
    }
}
