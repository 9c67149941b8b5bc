//! Where symbolic links lead, as the host follows them: over other links, those of the host and those that are about to be made.

use super::folder::{Folder, join, list, look, names, split};
use rustix::fs::{FileType, readlinkat};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};

/// Links that the system follows on one way (path_resolution(7)).
const FOLLOWED_MAX: usize = 40;
const TOP: usize = 0;

/// Where a way ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Outside of the folder.
    Out,
    /// At a folder.
    Folder(usize),
    /// At a file, at nothing, or nowhere.
    Elsewhere,
}

/// A folder or a link.
#[derive(Default)]
struct Node {
    parent: usize,
    inner: BTreeMap<Vec<u8>, usize>,
    target: Option<Vec<u8>>,
    end: Option<End>,
}

/// Folders and links of the host below the shared folder.
pub(super) struct Links {
    nodes: Vec<Node>,
    /// The folder that was looked for last, and its path.
    last: (usize, Vec<u8>),
}

impl Links {
    /// Takes them from the host, but for links that will be removed. What cannot be read leads nowhere for us either.
    pub fn of_host(folder: &Folder, is_removed: impl Fn(&[u8]) -> bool) -> Links {
        let mut links = Links {
            nodes: vec![Node::default()],
            last: (TOP, vec![]),
        };
        let mut way = folder.way();
        let mut open = vec![(TOP, vec![])];
        while let Some((number, path)) = open.pop() {
            let Ok(at) = way.enter(&path) else { continue };
            for name in list(at).unwrap_or_default() {
                let inner = join(&path, &name);
                match look(at, &name).ok().flatten().map(|(kind, _)| kind) {
                    Some(FileType::Directory) => {
                        open.push((links.put(number, &name, None), inner));
                    }
                    Some(FileType::Symlink) if !is_removed(&inner) => {
                        if let Ok(target) = readlinkat(at, &name[..], vec![]) {
                            links.put(number, &name, Some(target.into_bytes()));
                        }
                    }
                    _ => {}
                }
            }
        }
        links
    }

    fn put(&mut self, parent: usize, name: &[u8], target: Option<Vec<u8>>) -> usize {
        let number = self.nodes.len();
        self.nodes.push(Node {
            parent,
            target,
            ..Node::default()
        });
        self.nodes[parent].inner.insert(name.into(), number);
        number
    }

    /// The folder of a path; it is made when it is not there.
    fn folder(&mut self, path: &[u8]) -> usize {
        if self.last.1 != path {
            let mut at = TOP;
            for name in names(path) {
                at = match self.nodes[at].inner.get(name) {
                    Some(&next) => next,
                    None => self.put(at, name, None),
                };
            }
            self.last = (at, path.into());
        }
        self.last.0
    }

    /// Adds a link that is about to be made, in the place of what is there.
    pub fn plan(&mut self, path: &[u8], target: &[u8]) {
        let (folder, name) = split(path);
        let folder = self.folder(folder);
        self.put(folder, name, Some(target.into()));
    }

    /// The links of these paths that lead out of the folder, all of them being planned.
    pub fn leading_out<'a>(
        &mut self,
        paths: impl IntoIterator<Item = &'a [u8]>,
    ) -> BTreeSet<&'a [u8]> {
        let mut out = BTreeSet::new();
        for path in paths {
            let (folder, name) = split(path);
            let folder = self.folder(folder);
            let Some(&link) = self.nodes[folder].inner.get(name) else {
                continue;
            };
            let end = self.follow(link, 1);
            // Deeper on a way fewer links may be followed: it ends there as well.
            self.note(link, end);
            if end == End::Out {
                out.insert(path);
            }
        }
        out
    }

    fn follow(&mut self, link: usize, followed: usize) -> End {
        if let Some(end) = self.nodes[link].end {
            return end;
        }
        let Some(target) = self.nodes[link].target.clone() else {
            return End::Folder(link);
        };
        if target.starts_with(b"/") {
            return self.note(link, End::Out);
        }
        let mut at = self.nodes[link].parent;
        for name in names(&target).filter(|name| *name != b".") {
            if name == b".." {
                if at == TOP {
                    return self.note(link, End::Out);
                }
                at = self.nodes[at].parent;
                continue;
            }
            let Some(&next) = self.nodes[at].inner.get(name) else {
                return self.note(link, End::Elsewhere);
            };
            if followed >= FOLLOWED_MAX && self.nodes[next].target.is_some() {
                // As the system has it: too many links. From nearer to its end the same way may be followed.
                return End::Elsewhere;
            }
            match self.follow(next, followed + 1) {
                End::Folder(inner) => at = inner,
                End::Out => return self.note(link, End::Out),
                End::Elsewhere => return End::Elsewhere,
            }
        }
        self.note(link, End::Folder(at))
    }

    fn note(&mut self, link: usize, end: End) -> End {
        self.nodes[link].end = Some(end);
        end
    }
}

/// Whether a link in a folder stays in the share by its own words, whatever the names on its way are or become: `..` stands at the beginning
/// only, and no more of them than there are folders above.
pub(super) fn stays_inside(target: &[u8], folder: &[u8]) -> bool {
    let mut steps = names(target).filter(|name| *name != b".").peekable();
    let mut ups = 0;
    while steps.next_if(|name| *name == b"..").is_some() {
        ups += 1;
    }
    !target.starts_with(b"/") && !steps.any(|name| name == b"..") && ups <= names(folder).count()
}

/// Whether an error of a way means that a link has taken the place of a folder.
pub(super) fn is_behind_link(error: Errno) -> bool {
    matches!(error, Errno::LOOP | Errno::NOTDIR)
}
