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
    let reason = reason_of(
        REFUSED.load(Ordering::Relaxed),
        memory_used(),
        memory_limit(),
        getrlimit(Resource::As).current,
    )?;
    Some(format!(
        "{reason}; the run is incomplete, and what was counted is exact"
    ))
}

/// The same from what is known: whether memory was refused, bytes of memory and address space in use, and how much each may be.
fn reason_of(
    refused: bool,
    used: Option<(u64, u64)>,
    limit: u64,
    addresses_max: Option<u64>,
) -> Option<String> {
    if refused {
        return Some("the host refuses memory".into());
    }
    let (used, addresses) = used?;
    if used > limit {
        return Some(format!(
            "the memory limit of {} MB is reached: {} MB are in use",
            limit >> 20,
            used >> 20
        ));
    }
    let most = addresses_max?;
    let free = ADDRESSES_FREE_MAX.min(most / 8);
    (addresses > most - free).then(|| {
        format!(
            "the address space of the process, {} MB by its limits, is nearly full",
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

/// Memory, and once more after a relief if it was refused.
#[inline]
fn once_more(allocate: impl Fn() -> *mut u8, relieve: impl FnOnce()) -> *mut u8 {
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
        once_more(|| unsafe { System.alloc(layout) }, relieve)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        once_more(|| unsafe { System.alloc_zeroed(layout) }, relieve)
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise; a refused request leaves the memory as it was.
        once_more(|| unsafe { System.realloc(memory, layout, bytes) }, relieve)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Nothing here changes what the whole process sees: other tests run machines meanwhile.
    #[test]
    fn a_run_ends_above_the_limit() {
        const MEGABYTE: u64 = 1 << 20;
        let used = Some((300 * MEGABYTE, 900 * MEGABYTE));
        let reason = |refused, limit_mb, addresses_mb: Option<u64>| {
            let most = addresses_mb.map(|count| count * MEGABYTE);
            reason_of(refused, used, limit_mb * MEGABYTE, most).unwrap_or_default()
        };
        let limit = "the memory limit of 299 MB is reached: 300 MB are in use";
        assert_eq!(reason(false, 299, None), limit);
        assert_eq!(reason(false, 300, None), "");
        assert_eq!(reason(true, 300, None), "the host refuses memory");
        let addresses = "the address space of the process, 1000 MB by its limits, is nearly full";
        assert_eq!(reason(false, 300, Some(1000)), addresses);
        assert_eq!(reason(false, 300, Some(2000)), "");
        assert_eq!(reason_of(false, None, 0, None), None);
    }

    #[test]
    fn what_the_process_takes_and_may_take_is_known() {
        let (used, addresses) = memory_used().expect("the host says it");
        assert!(used > 1 << 20 && addresses > used, "{used} {addresses}");
        assert!(default_limit() > 1 << 20);
    }

    #[test]
    fn memory_that_is_refused_is_asked_for_once_more() {
        let mut byte = 7;
        let given = &raw mut byte;
        let free = std::cell::Cell::new(false);
        let allocate = || if free.get() { given } else { null_mut() };
        assert_eq!(once_more(allocate, || free.set(true)), given);
        assert_eq!(once_more(allocate, || panic!("there is memory")), given);
        free.set(false);
        assert!(once_more(allocate, || {}).is_null());
    }

    #[test]
    fn the_reserve_is_taken_and_given_back() {
        Reserving::set_up();
        assert!(!RESERVE.load(Ordering::Relaxed).is_null());
        give_back(RESERVE.swap(null_mut(), Ordering::AcqRel));
        Reserving::set_up();
        Reserving::set_up();
    }
}
