//! How much memory of the host the process takes, and how much it may.
//!
//! A run ends before the host has none left: what was counted is written down. The limit is one for the process. Memory that the host refuses
//! all the same comes once more, from a reserve, and the run ends at its next meeting.
#![allow(unsafe_code)]

use rustix::process::{Resource, getrlimit};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::read_to_string;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

/// The limit in bytes; 0 before it was first asked for.
static LIMIT_BYTES: AtomicU64 = AtomicU64::new(0);
/// Whether the host has refused memory.
static REFUSED: AtomicBool = AtomicBool::new(false);
/// What is given back when the host refuses memory: enough to come to the next meeting.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(null_mut());
const RESERVE_BYTES: usize = 128 << 20;
const RESERVE_LAYOUT: Layout = Layout::new::<[u8; RESERVE_BYTES]>();
/// What stays free of an address space that is limited, to write a record.
const ADDRESSES_FREE_MAX: u64 = 512 << 20;
/// Where a host says nothing.
const LIMIT_DEFAULT_BYTES: u64 = 4 << 30;

/// The process shall not take more memory of the host than this. 0 is the default again: half of what the host, or its control group, has.
pub fn set_memory_limit(bytes: u64) {
    LIMIT_BYTES.store(bytes, Ordering::Relaxed);
}

/// The limit of the process, in bytes.
pub fn memory_limit() -> u64 {
    match LIMIT_BYTES.load(Ordering::Relaxed) {
        0 => {
            let bytes = default_limit();
            LIMIT_BYTES.store(bytes, Ordering::Relaxed);
            bytes
        }
        bytes => bytes,
    }
}

/// Why a run has to end, if it has to: the limit is reached, or the host refuses memory.
pub fn memory_exceeded() -> Option<String> {
    if REFUSED.load(Ordering::Relaxed) {
        return Some(
            "the host refuses memory; the run is incomplete, and what was counted is exact".into(),
        );
    }
    let (used, addresses) = memory_used()?;
    let limit = memory_limit();
    if used > limit {
        return Some(format!(
            "the memory limit of {} MB is reached: {} MB are in use; the run is incomplete, and what was counted is exact",
            limit >> 20,
            used >> 20
        ));
    }
    let most = getrlimit(Resource::As).current?;
    let free = ADDRESSES_FREE_MAX.min(most / 8);
    (addresses > most - free).then(|| {
        format!(
            "the address space of the process, {} MB by its limits, is nearly full; the run is incomplete, and what was counted is exact",
            most >> 20
        )
    })
}

/// Bytes of memory and of address space that the process takes.
fn memory_used() -> Option<(u64, u64)> {
    let text = read_to_string("/proc/self/status").ok()?;
    Some((bytes_of(&text, "VmRSS:")?, bytes_of(&text, "VmSize:")?))
}

/// The value of a line such as `VmRSS:  123 kB`.
fn bytes_of(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes << 10)
}

fn default_limit() -> u64 {
    let of_host = read_to_string("/proc/meminfo").ok();
    let of_host = of_host.and_then(|text| bytes_of(&text, "MemTotal:"));
    let of_group = read_to_string("/sys/fs/cgroup/memory.max").ok();
    let of_group = of_group.and_then(|text| text.trim().parse().ok());
    let least = of_host.into_iter().chain(of_group).min();
    least.map_or(LIMIT_DEFAULT_BYTES, |bytes: u64| (bytes / 2).max(1))
}

/// The system's memory, with a reserve for the time when there is none.
pub struct Reserving;

impl Reserving {
    /// Sets the reserve aside. It takes address space, and no memory before it is used.
    pub fn set_up() {
        // SAFETY: the layout has a size.
        let reserve = unsafe { System.alloc(RESERVE_LAYOUT) };
        give_back(RESERVE.swap(reserve, Ordering::AcqRel));
    }
}

/// Gives the reserve back, and notes that the host has refused memory.
#[cold]
fn relieve() {
    REFUSED.store(true, Ordering::Relaxed);
    give_back(RESERVE.swap(null_mut(), Ordering::AcqRel));
}

fn give_back(reserve: *mut u8) {
    if !reserve.is_null() {
        // SAFETY: `set_up` allocated it with this layout; who swapped it out holds it alone.
        unsafe { System.dealloc(reserve, RESERVE_LAYOUT) };
    }
}

/// Memory of the system, once more if it was refused.
fn once_more(allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let memory = allocate();
    if !memory.is_null() {
        return memory;
    }
    relieve();
    allocate()
}

// SAFETY: everything is done by the system's allocator, with what the caller gives; a refused request has changed nothing and is made again.
unsafe impl GlobalAlloc for Reserving {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        once_more(|| unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        once_more(|| unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise; a refused request leaves the memory as it was.
        once_more(|| unsafe { System.realloc(memory, layout, bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_relative_to_the_host_and_can_be_set() {
        let default = memory_limit();
        assert!(default > 1 << 20, "{default}");
        set_memory_limit(1 << 20);
        let text = memory_exceeded().expect("a test takes more");
        assert!(
            text.starts_with("the memory limit of 1 MB is reached: "),
            "{text}"
        );
        set_memory_limit(0);
        assert_eq!(memory_limit(), default);
        assert_eq!(memory_exceeded(), None);
    }

    #[test]
    fn memory_that_is_refused_comes_from_the_reserve() {
        Reserving::set_up();
        let refusals = std::cell::Cell::new(1);
        let mut byte = 7;
        let given = &raw mut byte;
        let memory = once_more(|| match refusals.replace(0) {
            1 => null_mut(),
            _ => given,
        });
        assert_eq!(memory, given);
        assert!(RESERVE.load(Ordering::Relaxed).is_null());
        assert_eq!(
            memory_exceeded(),
            Some(
                "the host refuses memory; the run is incomplete, and what was counted is exact"
                    .into()
            )
        );
        REFUSED.store(false, Ordering::Relaxed);
    }
}
