//! Arguments of a blocked system call that lie in the program's memory.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::Duration;

/// One thread of another program, by its folder in /proc.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) process: u32,
    pub(super) thread: u32,
}

impl Thread {
    /// The text of a file in the thread's folder, such as `syscall`.
    pub(super) fn text(&self, file: &str) -> std::io::Result<String> {
        fs::read_to_string(format!(
            "/proc/{}/task/{}/{file}",
            self.process, self.thread
        ))
    }

    /// What descriptor `fd` is, such as `socket:[1234]`.
    pub(super) fn descriptor(&self, fd: u64) -> Option<PathBuf> {
        fs::read_link(format!("/proc/{}/fd/{fd}", self.process)).ok()
    }

    pub(super) fn bytes(&self, address: u64, count: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count];
        let memory = File::open(format!("/proc/{}/mem", self.process)).ok()?;
        memory.read_exact_at(&mut bytes, address).ok()?;
        Some(bytes)
    }

    /// Descriptors in a `fd_set` of `limit` bits.
    pub(super) fn fd_set(&self, address: u64, limit: u64) -> Option<Vec<u64>> {
        if address == 0 {
            return Some(Vec::new());
        }
        let limit = limit.min(1 << 20);
        let words = self.bytes(address, limit.div_ceil(64) as usize * 8)?;
        Some(
            (0..limit)
                .filter(|fd| words[(fd / 8) as usize] >> (fd % 8) & 1 == 1)
                .collect(),
        )
    }

    /// Descriptors of an array of `count` `struct pollfd` that are watched for input.
    pub(super) fn poll_set(&self, address: u64, count: u64) -> Option<Vec<u64>> {
        let array = self.bytes(address, count.min(1 << 16) as usize * 8)?;
        let entries = array.chunks_exact(8).filter_map(|entry| {
            let fd = i32::from_ne_bytes([entry[0], entry[1], entry[2], entry[3]]);
            let events = i16::from_ne_bytes([entry[4], entry[5]]);
            (events & (libc::POLLIN | libc::POLLRDNORM) != 0).then(|| u64::try_from(fd).ok())?
        });
        Some(entries.collect())
    }

    /// Descriptors that the epoll instance `fd` watches for input (man 5 proc, fdinfo).
    pub(super) fn epoll_set(&self, fd: u64) -> Option<Vec<u64>> {
        let text = fs::read_to_string(format!("/proc/{}/fdinfo/{fd}", self.process)).ok()?;
        let watched = text.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            let target = (words.next()? == "tfd:").then(|| words.next()?.parse().ok())??;
            let events = (words.next()? == "events:")
                .then(|| u32::from_str_radix(words.next()?, 16).ok())??;
            (events & libc::EPOLLIN as u32 != 0).then_some(target)
        });
        Some(watched.collect())
    }

    /// A `struct timespec` or, with microseconds, a `struct timeval`.
    pub(super) fn duration(&self, address: u64, nanoseconds_per_unit: u64) -> Option<Duration> {
        let bytes = self.bytes(address, 16)?;
        let (seconds, fraction) = bytes.split_at(8);
        let seconds = i64::from_ne_bytes(seconds.try_into().ok()?);
        let fraction = i64::from_ne_bytes(fraction.try_into().ok()?);
        let fraction = Duration::from_nanos(
            u64::try_from(fraction)
                .ok()?
                .saturating_mul(nanoseconds_per_unit),
        );
        Duration::from_secs(u64::try_from(seconds).ok()?).checked_add(fraction)
    }
}
