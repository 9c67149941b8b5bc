//! The bytes of a memory.
#![allow(unsafe_code)]

use crate::image::{self, MemoryImage, MemoryImageError};
use crate::page::{PAGE_BYTES, Pages, pages_of};
use crate::watch::{CodeReader, LINE_BYTES, Watch};
use crate::{Endianness, Width};
use serde::{Serialize, Serializer};
use std::ptr::NonNull;

/// Bytes whose place in the host is handed out together.
pub const GRANULE_BYTES: u32 = 256;
const GRANULE: usize = GRANULE_BYTES as usize;
const PAGE_GRANULES: usize = PAGE_BYTES / GRANULE;

/// A bit for each line of a granule that holds translated code.
const CODE: u8 = 0b1111;
/// The granule's page belongs to this memory alone, and the granule lies whole in the memory.
const OWN: u8 = 1 << 4;
/// The granule's place in the host was handed out for reading.
const READ_OUTSIDE: u8 = 1 << 5;
/// The granule's place in the host was handed out for writing.
const WRITTEN_OUTSIDE: u8 = 1 << 6;

/// A RAM or ROM: named bytes. What is written to a ROM by the guest is decided by its region, not here.
pub struct Memory {
    name: String,
    size: usize,
    /// Pages that lie whole in the memory.
    whole_pages: usize,
    pages: Pages,
    /// Where the host holds each page.
    hosts: Vec<NonNull<u8>>,
    /// What is to be known before a granule is written.
    granules: Vec<u8>,
    /// Granules that belong to this memory alone.
    own_granules: usize,
}

// SAFETY: the pointers in `hosts` lead to pages that `pages` holds, which may be sent and shared; they are written through only while
// the memory is borrowed exclusively.
unsafe impl Send for Memory {}
// SAFETY: as above; a shared reference only reads.
unsafe impl Sync for Memory {}

impl Memory {
    /// A memory of `size` bytes, all zero.
    pub fn new(name: impl Into<String>, size: u32) -> Memory {
        let pages = Pages::new(size);
        let count = pages_of(size);
        Memory {
            name: name.into(),
            size: size as usize,
            whole_pages: size as usize / PAGE_BYTES,
            hosts: vec![Pages::zero(); count],
            pages,
            granules: vec![0; count * PAGE_GRANULES],
            own_granules: 0,
        }
    }

    /// Name in the device tree.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size in bytes.
    pub fn size(&self) -> u32 {
        self.size as u32
    }

    /// Reads at `offset`, which wraps at the end as an incompletely decoded memory does.
    #[inline]
    pub fn read(&self, offset: u32, width: Width, endianness: Endianness) -> u32 {
        let (number, within) = (offset as usize / PAGE_BYTES, offset as usize % PAGE_BYTES);
        if number >= self.whole_pages || within + width.bytes() as usize > PAGE_BYTES {
            return self.read_across_pages(offset, width, endianness);
        }
        // SAFETY: `hosts` has an entry for each page, whole or not. The page holds PAGE_BYTES bytes, and those that are read lie in it.
        unsafe {
            let at = self.hosts.get_unchecked(number).add(within);
            match (width, endianness) {
                (Width::Byte, _) => u32::from(at.read()),
                (Width::Half, Endianness::Little) => {
                    u32::from(u16::from_le_bytes(at.cast().read()))
                }
                (Width::Half, Endianness::Big) => u32::from(u16::from_be_bytes(at.cast().read())),
                (Width::Word, Endianness::Little) => u32::from_le_bytes(at.cast().read()),
                (Width::Word, Endianness::Big) => u32::from_be_bytes(at.cast().read()),
            }
        }
    }

    #[cold]
    fn read_across_pages(&self, offset: u32, width: Width, endianness: Endianness) -> u32 {
        let (start, count) = (self.start(offset), width.bytes() as usize);
        if start + count > self.size {
            return 0;
        }
        let mut bytes = [0; 4];
        self.copy_to(start as u32, &mut bytes[..count]);
        match endianness {
            Endianness::Little => u32::from_le_bytes(bytes),
            Endianness::Big => u32::from_be_bytes(bytes) >> (32 - 8 * count),
        }
    }

    /// Copies bytes from `offset` on; what lies behind the end is zero.
    pub fn copy_to(&self, offset: u32, target: &mut [u8]) {
        let start = offset as usize;
        let held = self.size.saturating_sub(start).min(target.len());
        let (mut rest, behind) = target.split_at_mut(held);
        behind.fill(0);
        let mut at = start;
        while !rest.is_empty() {
            let within = at % PAGE_BYTES;
            let count = (PAGE_BYTES - within).min(rest.len());
            let (piece, next) = rest.split_at_mut(count);
            piece.copy_from_slice(&self.pages.bytes(at / PAGE_BYTES)[within..within + count]);
            rest = next;
            at += count;
        }
    }

    /// All bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let pages = 0..self.hosts.len();
        let mut bytes: Vec<u8> = pages
            .flat_map(|page| self.pages.bytes(page))
            .copied()
            .collect();
        bytes.truncate(self.size);
        bytes
    }

    /// Writes at `offset`, which wraps at the end.
    #[inline]
    pub fn write(&mut self, offset: u32, width: Width, value: u32, endianness: Endianness) {
        if !self.write_plainly(offset, width, value, endianness) {
            self.write_with_care(offset, width, value, endianness, &mut Watch::default());
        }
    }

    /// Writes bytes from `offset` on; what lies behind the end is left out.
    pub fn load(&mut self, offset: u32, bytes: &[u8]) {
        self.put(offset as usize, bytes, &mut Watch::default());
    }

    /// Writes, if nobody else is concerned.
    #[inline]
    pub(crate) fn write_plainly(
        &mut self,
        offset: u32,
        width: Width,
        value: u32,
        endianness: Endianness,
    ) -> bool {
        let start = offset as usize;
        let granule = self.granules.get(start / GRANULE);
        if granule.is_none_or(|granule| granule & (CODE | OWN) != OWN)
            || start % GRANULE + width.bytes() as usize > GRANULE
        {
            return false;
        }
        // SAFETY: `hosts` has an entry for the page of each granule. The bytes lie in one granule, and so in one page; the page is
        // this memory's own, and the granule lies whole in the memory.
        unsafe {
            let page = self.hosts.get_unchecked(start / PAGE_BYTES);
            let at = page.add(start % PAGE_BYTES);
            match (width, endianness) {
                (Width::Byte, _) => at.write(value as u8),
                (Width::Half, Endianness::Little) => at.cast().write((value as u16).to_le_bytes()),
                (Width::Half, Endianness::Big) => at.cast().write((value as u16).to_be_bytes()),
                (Width::Word, Endianness::Little) => at.cast().write(value.to_le_bytes()),
                (Width::Word, Endianness::Big) => at.cast().write(value.to_be_bytes()),
            }
        }
        true
    }

    /// Writes aligned data to a granule that holds code. In a line that does, `is_code` decides; not if the page is not this memory's own yet.
    pub(crate) fn write_beside_code(
        &mut self,
        offset: u32,
        data: (Width, u32, Endianness),
        watch: (CodeReader, &mut Watch),
        is_code: impl FnOnce(u32) -> bool,
    ) -> bool {
        let granule = self.granules.get(self.start(offset) / GRANULE);
        granule.is_some_and(|marks| marks & CODE != 0)
            && self.write_unless_code(offset, data, watch, is_code)
    }

    /// Writes aligned data. In a line that holds code, `is_code` decides; not if the page is not this memory's own yet.
    pub(crate) fn write_unless_code(
        &mut self,
        offset: u32,
        (width, value, endianness): (Width, u32, Endianness),
        (reader, watch): (CodeReader, &mut Watch),
        is_code: impl FnOnce(u32) -> bool,
    ) -> bool {
        let start = self.start(offset);
        let count = width.bytes() as usize;
        let inside = start + count <= self.size && start % GRANULE + count <= GRANULE;
        if !inside || self.granules[start / GRANULE] & OWN == 0 {
            return false;
        }
        if self.holds_code(start, count) {
            if is_code(start as u32) {
                return false;
            }
            watch.wrote_code_of_others(reader, start, count);
        }
        let value = match endianness {
            Endianness::Little => value.to_le_bytes(),
            Endianness::Big => (value << (32 - width.bits())).to_be_bytes(),
        };
        let page = self.hosts[start / PAGE_BYTES];
        // SAFETY: the bytes lie in one granule, and so in one page, which is this memory's own.
        unsafe {
            let at = page.add(start % PAGE_BYTES);
            std::ptr::copy_nonoverlapping(value.as_ptr(), at.as_ptr(), count);
        }
        true
    }

    /// Writes to a page that is not this memory's own yet, to code, or across pages.
    #[cold]
    pub(crate) fn write_with_care(
        &mut self,
        offset: u32,
        width: Width,
        value: u32,
        endianness: Endianness,
        watch: &mut Watch,
    ) {
        let start = self.start(offset);
        let count = width.bytes() as usize;
        if start + count > self.size {
            return;
        }
        match endianness {
            Endianness::Little => self.put(start, &value.to_le_bytes()[..count], watch),
            Endianness::Big => self.put(start, &value.to_be_bytes()[4 - count..], watch),
        }
    }

    /// Writes bytes up to the end of the memory, and tells who holds pointers or translated code.
    pub(crate) fn put(&mut self, start: usize, bytes: &[u8], watch: &mut Watch) {
        let count = bytes.len().min(self.size.saturating_sub(start));
        let mut done = 0;
        while done < count {
            let at = start + done;
            let piece = (GRANULE - at % GRANULE).min(count - done);
            self.own(at / PAGE_BYTES, watch);
            let page = self.hosts[at / PAGE_BYTES];
            // SAFETY: the piece lies in one granule, and so in one page, which is this memory's own; `bytes` is no part of it, since the
            // memory is borrowed exclusively.
            unsafe {
                page.add(at % PAGE_BYTES)
                    .copy_from_nonoverlapping(NonNull::from(&bytes[done]), piece);
            }
            if self.holds_code(at, piece) {
                watch.wrote_code(at, piece);
            }
            done += piece;
        }
    }

    /// Makes bytes zero, up to the end of the memory.
    pub(crate) fn clear(&mut self, start: usize, count: usize, watch: &mut Watch) {
        let zero = Pages::zero();
        let end = start.saturating_add(count).min(self.size);
        let mut at = start;
        while at < end {
            let piece = (PAGE_BYTES - at % PAGE_BYTES).min(end - at);
            if self.hosts[at / PAGE_BYTES] != zero {
                self.put(at, &[0; PAGE_BYTES][..piece], watch);
            }
            at += piece;
        }
    }

    fn own(&mut self, page: usize, watch: &mut Watch) {
        let granules = &mut self.granules[page * PAGE_GRANULES..(page + 1) * PAGE_GRANULES];
        if granules[0] & OWN != 0 {
            return;
        }
        let host = self.pages.own(page);
        let outside = |granule: &u8| granule & (READ_OUTSIDE | WRITTEN_OUTSIDE) != 0;
        let forget = host != self.hosts[page] && granules.iter().any(outside);
        let whole = (self.size / GRANULE).saturating_sub(page * PAGE_GRANULES);
        self.own_granules += whole.min(PAGE_GRANULES);
        for (number, granule) in granules.iter_mut().enumerate() {
            if number < whole {
                *granule |= OWN;
            }
            if forget {
                *granule &= !(READ_OUTSIDE | WRITTEN_OUTSIDE);
            }
        }
        self.hosts[page] = host;
        if forget {
            watch.pointers_are_stale();
        }
    }

    /// Where the host holds the granule at `start`, a multiple of its size; none for writing where code lies.
    pub(crate) fn hand_out(
        &mut self,
        start: usize,
        for_writing: bool,
        watch: &mut Watch,
    ) -> Option<NonNull<u8>> {
        if start + GRANULE > self.size || !start.is_multiple_of(GRANULE) {
            return None;
        }
        if for_writing {
            if self.granules[start / GRANULE] & CODE != 0 {
                return None;
            }
            self.own(start / PAGE_BYTES, watch);
        }
        self.granules[start / GRANULE] |= if for_writing {
            WRITTEN_OUTSIDE
        } else {
            READ_OUTSIDE
        };
        let page = self.hosts[start / PAGE_BYTES];
        // SAFETY: the granule lies inside the page.
        Some(unsafe { page.add(start % PAGE_BYTES) })
    }

    /// Where the host holds the page at `start`, a multiple of its size; none for writing where code lies.
    pub(crate) fn hand_out_page(
        &mut self,
        start: usize,
        for_writing: bool,
        watch: &mut Watch,
    ) -> Option<NonNull<u8>> {
        let number = start / PAGE_BYTES;
        if number >= self.whole_pages || !start.is_multiple_of(PAGE_BYTES) {
            return None;
        }
        let granules = number * PAGE_GRANULES..(number + 1) * PAGE_GRANULES;
        let outside = if for_writing {
            let mut marks = self.granules[granules.clone()].iter();
            if marks.any(|marks| marks & CODE != 0) {
                return None;
            }
            self.own(number, watch);
            WRITTEN_OUTSIDE
        } else {
            READ_OUTSIDE
        };
        for granule in &mut self.granules[granules] {
            *granule |= outside;
        }
        Some(self.hosts[number])
    }

    /// Marks the lines of bytes as holding code.
    pub(crate) fn mark_code(&mut self, start: usize, count: usize, watch: &mut Watch) {
        for line in lines(start, count, self.size) {
            let granule = &mut self.granules[line / (GRANULE / LINE_BYTES)];
            *granule |= 1 << (line % (GRANULE / LINE_BYTES));
            if *granule & WRITTEN_OUTSIDE != 0 {
                *granule &= !WRITTEN_OUTSIDE;
                watch.pointers_are_stale();
            }
        }
    }

    /// Whether a line of these bytes is marked.
    pub(crate) fn holds_code(&self, start: usize, count: usize) -> bool {
        lines(start, count, self.size).any(|line| {
            let granule = self.granules[line / (GRANULE / LINE_BYTES)];
            granule >> (line % (GRANULE / LINE_BYTES)) & 1 != 0
        })
    }

    /// Takes all marks away.
    pub(crate) fn forget_code(&mut self) {
        for granule in &mut self.granules {
            *granule &= !CODE;
        }
    }

    /// Bytes of pages that no image holds.
    pub(crate) fn unshared_bytes(&self) -> usize {
        self.own_granules * GRANULE
    }

    /// The contents now. Pages are copied when they are next written; all pointers to them are stale.
    pub fn share(&mut self) -> MemoryImage {
        for granule in &mut self.granules {
            *granule &= CODE;
        }
        self.own_granules = 0;
        MemoryImage {
            name: self.name.clone(),
            size: self.size as u32,
            pages: self.pages.clone(),
        }
    }

    /// Whether contents are this memory's.
    pub(crate) fn accepts(&self, image: &MemoryImage) -> Result<(), MemoryImageError> {
        if (&self.name, self.size) == (&image.name, image.size as usize) {
            return Ok(());
        }
        Err(MemoryImageError::Other {
            expected: self.name.clone(),
            expected_bytes: self.size as u32,
            found: image.name.clone(),
            found_bytes: image.size,
        })
    }

    /// Goes back to contents that it accepts.
    pub(crate) fn restore(&mut self, image: &MemoryImage, watch: &mut Watch) {
        for page in self.pages.moved(&image.pages) {
            if page >= self.hosts.len() {
                break;
            }
            self.hosts[page] = image.pages.host(page);
            let granules = &mut self.granules[page * PAGE_GRANULES..(page + 1) * PAGE_GRANULES];
            // Most pages of a large memory were never looked at: what is known of them stays untouched.
            if *granules == [0; PAGE_GRANULES] {
                continue;
            }
            let (old, new) = (self.pages.bytes(page), image.pages.bytes(page));
            let known = granules.iter_mut().enumerate();
            for (number, granule) in known.filter(|(_, granule)| **granule != 0) {
                self.own_granules -= usize::from(*granule & OWN != 0);
                *granule &= CODE;
                let bytes = number * GRANULE..(number + 1) * GRANULE;
                if *granule != 0 && old[bytes.clone()] != new[bytes] {
                    watch.wrote_code(page * PAGE_BYTES + number * GRANULE, GRANULE);
                }
            }
        }
        self.pages = image.pages.clone();
    }

    #[inline]
    pub(crate) fn start(&self, offset: u32) -> usize {
        let offset = offset as usize;
        if offset < self.size {
            offset
        } else {
            offset % self.size.max(1)
        }
    }
}

/// The numbers of the lines that bytes touch.
fn lines(start: usize, count: usize, size: usize) -> std::ops::Range<usize> {
    let end = start.saturating_add(count).min(size);
    if start < end {
        start / LINE_BYTES..(end - 1) / LINE_BYTES + 1
    } else {
        0..0
    }
}

impl Serialize for Memory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        image::serialize(&self.name, self.size as u32, &self.pages, serializer)
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "{} of {:#x} bytes", self.name, self.size)
    }
}

#[cfg(test)]
mod tests;
