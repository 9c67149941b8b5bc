//! Memory of the host for machine code, and for the table of granules.

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use std::ffi::c_void;

/// Anonymous pages, zero until written; pages that were never touched take no memory.
pub(crate) struct Pages {
    start: *mut c_void,
    bytes: usize,
}

impl Pages {
    /// Reserves `bytes`; `None` when the host refuses.
    pub fn new(bytes: usize, executable: bool) -> Option<Pages> {
        let mut protection = ProtFlags::READ | ProtFlags::WRITE;
        if executable {
            protection |= ProtFlags::EXEC;
        }
        // SAFETY: a new anonymous mapping at an address of the host's choice overlaps nothing.
        let start = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                bytes,
                protection,
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )
        };
        start.ok().map(|start| Pages { start, bytes })
    }

    /// Address of the first byte.
    pub fn start(&self) -> *mut u8 {
        self.start.cast()
    }

    /// Makes all pages zero again.
    pub fn clear(&mut self) {
        // SAFETY: the range is this mapping as a whole; nobody holds references into it across a call that changes it.
        // An error leaves the pages as they are, which is then found by the contents.
        let advised = unsafe { madvise(self.start, self.bytes, Advice::LinuxDontNeed) };
        debug_assert!(advised.is_ok());
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this size and is given back once.
        let _ = unsafe { munmap(self.start, self.bytes) };
    }
}

/// Machine code, one piece after the other; given back as a whole.
pub(crate) struct Arena {
    pages: Pages,
    bytes: usize,
    used: usize,
}

impl Arena {
    /// An arena of `bytes`.
    pub fn new(bytes: usize) -> Option<Arena> {
        let pages = Pages::new(bytes, true)?;
        Some(Arena {
            pages,
            bytes,
            used: 0,
        })
    }

    /// Copies code in; its address, or `None` when the arena is full.
    pub fn add(&mut self, code: &[u8]) -> Option<u64> {
        let start = self.used.next_multiple_of(32);
        let end = start.checked_add(code.len())?;
        if end > self.bytes {
            return None;
        }
        // SAFETY: start..end lies inside the mapping, behind all code that was added before; no code runs there yet.
        let target = unsafe {
            let target = self.pages.start().add(start);
            std::ptr::copy_nonoverlapping(code.as_ptr(), target, code.len());
            target
        };
        self.used = end;
        Some(target as u64)
    }

    /// Forgets all code behind the first `keep` bytes.
    pub fn truncate(&mut self, keep: usize) {
        self.used = self.used.min(keep);
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.used
    }
}
