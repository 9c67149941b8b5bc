//! Caches and order (manual: "Memory synchronization instructions", "Cache control"). The caches' contents are not modelled: what
//! remains of their instructions are their faults, and dcbz, which writes.

use super::PowerPcSemantics;
use super::integer::arithmetic::base;
use super::system::privileged;
use socscope_memory::Width;

encodings! {
    "dcbf", "011111 zzzzz aaaaa bbbbb 0001010110 z", Cache, "dcbf rA, rB", cache(CacheOperation::Flush; a, b);
    "dcbst", "011111 zzzzz aaaaa bbbbb 0000110110 z", Cache, "dcbst rA, rB", cache(CacheOperation::Store; a, b);
    "dcbt", "011111 zzzzz aaaaa bbbbb 0100010110 z", Cache, "dcbt rA, rB", cache(CacheOperation::Touch; a, b);
    "dcbtst", "011111 zzzzz aaaaa bbbbb 0011110110 z", Cache, "dcbtst rA, rB", cache(CacheOperation::Touch; a, b);
    "dcbi", "011111 zzzzz aaaaa bbbbb 0111010110 z", Cache, "dcbi rA, rB", invalidate_data(; a, b);
    "dcba", "011111 zzzzz aaaaa bbbbb 1011110110 z", Cache, "dcba rA, rB", cache(CacheOperation::Touch; a, b);
    "dcbz", "011111 zzzzz aaaaa bbbbb 1111110110 z", Cache, "dcbz rA, rB", set_to_zero(; a, b);
    "icbi", "011111 zzzzz aaaaa bbbbb 1111010110 z", Cache, "icbi rA, rB", cache(CacheOperation::InvalidateInstructions; a, b);
    "sync", "011111 zzzzz zzzzz zzzzz 1001010110 z", Synchronize, "sync", barrier(Barrier::Sync; );
    "eieio", "011111 zzzzz zzzzz zzzzz 1101010110 z", Synchronize, "eieio", barrier(Barrier::Eieio; );
    "isync", "010011 zzzzz zzzzz zzzzz 0010010110 z", Synchronize, "isync", barrier(Barrier::Isync; );
}

/// Bytes that dcbz clears, on all cores of the family.
pub(super) const LINE_BYTES: u32 = 32;

/// What is done with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheOperation {
    /// dcbf.
    Flush,
    /// dcbst.
    Store,
    /// dcbt, dcbtst, dcba: hints, which never fault.
    Touch,
    /// dcbi; for protection a write.
    InvalidateData,
    /// icbi.
    InvalidateInstructions,
    /// dcbz, before it writes: where nothing is cached it is an alignment exception.
    SetToZero,
}

/// What waits for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// sync.
    Sync,
    /// eieio.
    Eieio,
    /// isync: what follows is fetched anew.
    Isync,
}

/// rA as a base, plus rB.
#[inline(always)]
pub(super) fn indexed<S: PowerPcSemantics>(s: &mut S, a: u32, b: u32) -> S::Word {
    let (base, index) = (base(s, a), s.register(b));
    s.add(base, index)
}

#[inline(always)]
fn cache<S: PowerPcSemantics>(s: &mut S, operation: CacheOperation, a: u32, b: u32) {
    let address = indexed(s, a, b);
    s.cache(operation, address);
}

#[inline(always)]
fn invalidate_data<S: PowerPcSemantics>(s: &mut S, a: u32, b: u32) {
    privileged(s, |s| cache(s, CacheOperation::InvalidateData, a, b));
}

#[inline(always)]
fn set_to_zero<S: PowerPcSemantics>(s: &mut S, a: u32, b: u32) {
    let address = indexed(s, a, b);
    s.cache(CacheOperation::SetToZero, address);
    let start = s.word(!(LINE_BYTES - 1));
    let line = s.and(address, start);
    let zero = s.word(0);
    for offset in (0..LINE_BYTES).step_by(4) {
        let offset = s.word(offset);
        let at = s.add(line, offset);
        s.store(at, Width::Word, zero);
    }
}

#[inline(always)]
fn barrier<S: PowerPcSemantics>(s: &mut S, barrier: Barrier) {
    s.barrier(barrier);
}
