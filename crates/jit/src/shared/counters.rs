//! The counters of calling contexts: one block of memory each, at an address that never changes.

use socscope_memory::{Direction, RegionIndex, Width};
use std::ptr::NonNull;

/// Data counters for each region: three widths in two directions.
pub const DATA_KINDS: usize = 6;

/// The counters of one region in one context: one line of the host's cache.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Line {
    instructions: u64,
    cycles: u64,
    data: [u64; DATA_KINDS],
}

const LINE_BYTES: usize = size_of::<Line>();

/// Contexts whose blocks are allocated at once.
const CHUNK_NODES: usize = 32;

/// A calling context: the address of its block. The block begins with a line of its own whose first numbers are the context's index, its
/// function's number, and how often it was entered; one line for each region follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct NodePointer(NonNull<u64>);

impl NodePointer {
    /// Offset of how often the context was entered.
    pub const ENTERED: i32 = 16;

    /// Offset of a region's executed instructions; their cycles follow 8 bytes behind.
    pub const fn code_offset(region: RegionIndex) -> i32 {
        ((1 + region.0 as usize) * LINE_BYTES) as i32
    }

    /// Offset of a region's accesses of one kind.
    pub const fn data_offset(region: RegionIndex, width: Width, direction: Direction) -> i32 {
        let kind = width as usize * 2 + direction as usize;
        NodePointer::code_offset(region) + 16 + 8 * kind as i32
    }

    /// As translated code holds it.
    pub fn address(self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// The function's number.
    ///
    /// # Safety
    /// The context still exists.
    #[inline]
    pub(super) unsafe fn function(self) -> i64 {
        // SAFETY: the second number of the block of a context that exists.
        unsafe { *self.0.add(1).as_ptr() as i64 }
    }
}

/// The blocks of all contexts.
pub struct Counters {
    chunks: Vec<NonNull<Line>>,
    regions: usize,
    nodes: usize,
}

// SAFETY: the memory behind the pointers belongs to this value alone; it is used by one thread at a time.
unsafe impl Send for Counters {}

impl Counters {
    /// No context yet, on a machine with so many regions.
    pub fn new(regions: usize) -> Counters {
        Counters {
            chunks: vec![],
            regions,
            nodes: 0,
        }
    }

    /// Contexts.
    pub fn len(&self) -> usize {
        self.nodes
    }

    /// Whether there is no context.
    pub fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// Regions that are counted apart.
    pub fn regions(&self) -> usize {
        self.regions
    }

    /// One more context of a function, with zero counts.
    pub fn add(&mut self, function: i64) -> NodePointer {
        let (chunk, place) = (self.nodes / CHUNK_NODES, self.nodes % CHUNK_NODES);
        if chunk == self.chunks.len() {
            let lines = vec![Line::default(); CHUNK_NODES * self.block_lines()];
            let lines = Box::leak(lines.into_boxed_slice());
            self.chunks.push(NonNull::from(lines).cast());
        }
        // SAFETY: a chunk has CHUNK_NODES blocks, and `place` is one of them.
        let block = unsafe { self.chunks[chunk].add(place * self.block_lines()) };
        // SAFETY: the block's first line is inside the chunk; nobody else has its address yet.
        unsafe {
            *block.as_ptr() = Line {
                instructions: self.nodes as u64,
                cycles: function as u64,
                data: [0; DATA_KINDS],
            };
        }
        self.nodes += 1;
        NodePointer(block.cast())
    }

    /// The context with this index.
    ///
    /// # Panics
    /// There is none.
    #[inline]
    pub fn pointer(&self, index: u32) -> NodePointer {
        let index = index as usize;
        assert!(index < self.nodes, "a context that exists");
        let chunk = self.chunks[index / CHUNK_NODES];
        // SAFETY: as in `add`; the chunk exists because the context does.
        let block = unsafe { chunk.add(index % CHUNK_NODES * self.block_lines()) };
        NodePointer(block.cast())
    }

    /// Instructions, cycles and data accesses of a context in a region.
    ///
    /// # Panics
    /// The context or the region does not exist.
    pub fn get(&self, index: u32, region: usize) -> (u64, u64, [u64; DATA_KINDS]) {
        assert!(region < self.regions, "a region that exists");
        let line = self.pointer(index).0.cast::<Line>();
        // SAFETY: the line of a region that exists lies in the block; no code writes while `self` is borrowed.
        let line = unsafe { *line.add(1 + region).as_ptr() };
        (line.instructions, line.cycles, line.data)
    }

    /// Sets what [`get`](Counters::get) gives.
    ///
    /// # Panics
    /// The context or the region does not exist.
    pub fn set(&mut self, index: u32, region: usize, counts: (u64, u64, [u64; DATA_KINDS])) {
        assert!(region < self.regions, "a region that exists");
        let line = self.pointer(index).0.cast::<Line>();
        let (instructions, cycles, data) = counts;
        // SAFETY: the line of a region that exists lies in the block, which belongs to this value.
        unsafe {
            *line.add(1 + region).as_ptr() = Line {
                instructions,
                cycles,
                data,
            };
        }
    }

    /// How often a context was entered.
    ///
    /// # Panics
    /// The context does not exist.
    #[inline]
    pub fn entered(&self, index: u32) -> u64 {
        let number = self.pointer(index).0;
        // SAFETY: the third number of the block of a context that exists; no code writes while `self` is borrowed.
        unsafe { *number.byte_add(NodePointer::ENTERED as usize).as_ptr() }
    }

    /// Sets what [`entered`](Counters::entered) gives.
    ///
    /// # Panics
    /// The context does not exist.
    #[inline]
    pub fn set_entered(&mut self, index: u32, times: u64) {
        let number = self.pointer(index).0;
        // SAFETY: the third number of the block of a context that exists, which belongs to this value.
        unsafe { *number.byte_add(NodePointer::ENTERED as usize).as_ptr() = times };
    }

    /// Odd, so that steps from contexts that follow each other are remembered at different places.
    #[inline]
    fn block_lines(&self) -> usize {
        (1 + self.regions) | 1
    }

    /// # Safety
    /// The context is one of this value's.
    #[inline]
    pub(super) unsafe fn index_of(&self, node: NodePointer) -> u32 {
        // SAFETY: the first number of the block of a context of ours.
        unsafe { *node.0.as_ptr() as u32 }
    }

    /// # Safety
    /// The context is one of this value's.
    #[inline]
    unsafe fn line(&mut self, node: NodePointer, region: RegionIndex) -> &mut Line {
        assert!((region.0 as usize) < self.regions, "a region that exists");
        // SAFETY: the line of a region that exists lies in the block of a context of ours.
        unsafe { &mut *node.0.cast::<Line>().add(1 + region.0 as usize).as_ptr() }
    }

    /// # Safety
    /// The context is one of this value's.
    #[inline]
    pub(super) unsafe fn count_instruction(&mut self, node: NodePointer, region: RegionIndex) {
        // SAFETY: the caller's promise.
        unsafe { self.line(node, region) }.instructions += 1;
    }

    /// # Safety
    /// The context is one of this value's.
    #[inline]
    pub(super) unsafe fn count_cycles(
        &mut self,
        node: NodePointer,
        region: RegionIndex,
        cycles: u64,
    ) {
        // SAFETY: the caller's promise.
        unsafe { self.line(node, region) }.cycles += cycles;
    }

    /// # Safety
    /// The context is one of this value's.
    #[inline]
    pub(super) unsafe fn count_data(
        &mut self,
        node: NodePointer,
        region: RegionIndex,
        width: Width,
        direction: Direction,
    ) {
        // SAFETY: the caller's promise.
        unsafe { self.line(node, region) }.data[width as usize * 2 + direction as usize] += 1;
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        let lines = CHUNK_NODES * self.block_lines();
        for chunk in &self.chunks {
            let slice = NonNull::slice_from_raw_parts(*chunk, lines);
            // SAFETY: `add` leaked a boxed slice of this length; nothing uses it any more.
            drop(unsafe { Box::from_raw(slice.as_ptr()) });
        }
    }
}
