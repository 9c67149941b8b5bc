//! The program at the other end: the processes that hold its socket, their children, and all their threads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::call::{self, Site, Wait};
use super::memory::Thread;

/// A timed wait of at least this length is a wait for us; a shorter one has to be seen to come round without effect.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the program does as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// Waits for us. `sure` when one look is enough; otherwise it has to look the same again after `grace`.
    Hears { sure: bool, grace: Duration },
    /// Waits, but not for us.
    Elsewhere(String),
    /// Is at work.
    Works(String),
    /// No process that we may see holds the socket.
    Hidden,
}

/// The processes around one socket.
#[derive(Debug)]
pub(crate) struct Group {
    link: PathBuf,
    holders: Vec<u32>,
    /// Context switches of each thread when it was last seen.
    seen: BTreeMap<u32, u64>,
    /// Timed waits that were seen to end and begin again without a byte sent.
    idle: BTreeSet<(u32, Site)>,
    /// Timed waits under observation: context switches and bytes sent when first seen.
    watched: BTreeMap<(u32, Site), (u64, u64)>,
}

impl Group {
    pub(crate) fn new(inode: u32) -> Group {
        Group {
            link: format!("socket:[{inode}]").into(),
            holders: Vec::new(),
            seen: BTreeMap::new(),
            idle: BTreeSet::new(),
            watched: BTreeMap::new(),
        }
    }

    /// Whether the group is the one of socket `inode`.
    pub(crate) fn is_of(&self, inode: u32) -> bool {
        self.link == Path::new(&format!("socket:[{inode}]"))
    }

    /// Looks at all threads. `sent` is the number of bytes that the socket has sent so far.
    /// The second value is whether no thread has run since the last look.
    pub(crate) fn look(&mut self, sent: u64) -> (Doing, bool) {
        self.holders.retain(|&process| holds(process, &self.link));
        if self.holders.is_empty() {
            self.holders = find(&self.link);
        }
        if self.holders.is_empty() {
            return (Doing::Hidden, false);
        }
        let own = std::process::id();
        let (mut threads, mut alone) = (Vec::new(), true);
        for &process in &self.holders {
            for thread in threads_of(process) {
                // Of our own process only the threads that hold the conversation count.
                if process != own {
                    threads.push(Thread { process, thread });
                } else if !is_current(thread) {
                    let thread = Thread { process, thread };
                    if matches!(call::look(&thread, &self.link), Wait::Hears { .. }) {
                        threads.push(thread);
                    }
                }
            }
        }
        for process in descendants(&self.holders, own) {
            alone = false;
            threads.extend(
                threads_of(process)
                    .into_iter()
                    .map(|thread| Thread { process, thread }),
            );
        }
        if threads.is_empty() {
            return (
                Doing::Works(format!("process {own}, our own, does not read it")),
                false,
            );
        }
        self.judge(&threads, sent, alone && threads.len() == 1)
    }

    fn judge(&mut self, threads: &[Thread], sent: u64, single: bool) -> (Doing, bool) {
        let (mut hears, mut guessed) = (false, false);
        let (mut elsewhere, mut works) = (String::new(), None);
        let mut seen = BTreeMap::new();
        for thread in threads {
            let Some((before, state)) = status(thread) else {
                continue;
            };
            let wait = match state {
                'Z' | 'X' => Wait::Gone,
                'T' | 't' => Wait::Works("is stopped".into()),
                // A thread that another processor is waking still shows the call that it was blocked in.
                'R' => Wait::Works("runs".into()),
                _ => call::look(thread, &self.link),
            };
            seen.insert(thread.thread, before);
            match wait {
                Wait::Gone => {}
                Wait::Works(what) => works = Some(describe(thread, &what)),
                Wait::Guessed { hears: it, what } => {
                    guessed = true;
                    hears |= it;
                    elsewhere = describe(thread, &format!("waits for {what}"));
                }
                Wait::Hears { limit, site } | Wait::Waits { limit, site, .. }
                    if self.short(thread, limit, site, before, sent) =>
                {
                    works = Some(describe(thread, "is in a short timed wait"));
                }
                Wait::Hears { .. } => hears = true,
                Wait::Waits { what, .. } => {
                    elsewhere = describe(thread, &format!("waits for {what}"))
                }
            }
        }
        let same = seen == self.seen;
        self.seen = seen;
        let doing = match works {
            Some(what) => Doing::Works(what),
            None if hears => {
                let grace = if guessed {
                    Duration::from_millis(20)
                } else {
                    Duration::from_micros(100)
                };
                Doing::Hears {
                    sure: single && !guessed,
                    grace,
                }
            }
            None => Doing::Elsewhere(elsewhere),
        };
        (doing, same)
    }

    /// Whether a timed wait is short and not known to be an idle loop. It is idle once it has ended and begun again
    /// at the same place while nothing was sent.
    fn short(
        &mut self,
        thread: &Thread,
        limit: Option<Duration>,
        site: Site,
        switches: u64,
        sent: u64,
    ) -> bool {
        if limit.is_none_or(|limit| limit >= PATIENCE) {
            return false;
        }
        let key = (thread.thread, site);
        if self.idle.contains(&key) {
            return false;
        }
        match self.watched.get(&key) {
            Some(&(before, sent_before)) if sent_before == sent => {
                if before != switches {
                    self.watched.remove(&key);
                    self.idle.insert(key);
                    return false;
                }
            }
            _ => {
                self.watched.insert(key, (switches, sent));
            }
        }
        true
    }
}

fn describe(thread: &Thread, what: &str) -> String {
    let name = thread.text("comm").unwrap_or_default();
    format!("{} (process {}) {what}", name.trim(), thread.process)
}

/// Context switches of a thread, which has not run between two equal numbers, and its state.
fn status(thread: &Thread) -> Option<(u64, char)> {
    let text = thread.text("status").ok()?;
    let (mut switches, mut state) = (0, '?');
    for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
        match name {
            "State" => state = value.trim().chars().next()?,
            "voluntary_ctxt_switches" | "nonvoluntary_ctxt_switches" => {
                switches += value.trim().parse::<u64>().ok()?
            }
            _ => {}
        }
    }
    Some((switches, state))
}

fn is_current(thread: u32) -> bool {
    rustix::thread::gettid()
        .as_raw_nonzero()
        .get()
        .cast_unsigned()
        == thread
}

fn numbers(folder: impl AsRef<Path>) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut numbers: Vec<u32> = entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    numbers
}

fn threads_of(process: u32) -> Vec<u32> {
    numbers(format!("/proc/{process}/task"))
}

fn holds(process: u32, link: &Path) -> bool {
    let folder = format!("/proc/{process}/fd");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .into_iter()
        .any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == link))
}

/// All processes that hold the socket.
fn find(link: &Path) -> Vec<u32> {
    numbers("/proc")
        .into_iter()
        .filter(|&process| holds(process, link))
        .collect()
}

/// Children of `processes`, their children and so on: what a relay such as socat has started. Ours are not the peer's.
fn descendants(processes: &[u32], own: u32) -> Vec<u32> {
    let mut known: BTreeSet<u32> = processes.iter().copied().collect();
    let mut open: Vec<u32> = processes
        .iter()
        .copied()
        .filter(|&process| process != own)
        .collect();
    let mut found = Vec::new();
    while let Some(process) = open.pop() {
        for thread in threads_of(process) {
            let children = Thread { process, thread }
                .text("children")
                .unwrap_or_default();
            for child in children
                .split_whitespace()
                .filter_map(|word| word.parse().ok())
            {
                if known.insert(child) {
                    open.push(child);
                    found.push(child);
                }
            }
        }
    }
    found
}
