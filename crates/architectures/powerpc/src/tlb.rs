//! Segments and translation buffers (manual: "Segment register manipulation", "Translation lookaside buffer management").

use super::PowerPcSemantics;
use super::exception::{Exception, ProgramCause};
use super::system::privileged;

encodings! {
    "mtsr", "011111 sssss z nnnn zzzzz 0011010010 z", System, "mtsr n, rS", move_to_segment(; s, n);
    "mtsrin", "011111 sssss zzzzz bbbbb 0011110010 z", System, "mtsrin rS, rB", move_to_segment_indirect(; s, b);
    "mfsr", "011111 ddddd z nnnn zzzzz 1001010011 z", System, "mfsr rD, n", move_from_segment(; d, n);
    "mfsrin", "011111 ddddd zzzzz bbbbb 1010010011 z", System, "mfsrin rD, rB", move_from_segment_indirect(; d, b);
    "tlbie", "011111 zzzzz zzzzz bbbbb 0100110010 z", System, "tlbie rB", on_address(TlbOperation::Invalidate; b);
    "tlbsync", "011111 zzzzz zzzzz zzzzz 1000110110 z", Synchronize, "tlbsync", synchronize(; );
    "tlbld", "011111 zzzzz zzzzz bbbbb 1111010010 z", System, "tlbld rB", load(TlbOperation::LoadData; b);
    "tlbli", "011111 zzzzz zzzzz bbbbb 1111110010 z", System, "tlbli rB", load(TlbOperation::LoadInstruction; b);
}

/// What is done with translation buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlbOperation {
    /// tlbie: the entries of an address's page index go.
    Invalidate,
    /// tlbsync: invalidations of other cores are waited for.
    Synchronize,
    /// tlbld: an entry for data is made from the registers of a table search.
    LoadData,
    /// tlbli: an entry for instructions.
    LoadInstruction,
}

#[inline(always)]
fn move_to_segment<S: PowerPcSemantics>(s: &mut S, from: u32, segment: u32) {
    privileged(s, |s| {
        let (index, value) = (s.word(segment), s.register(from));
        s.set_segment(index, value);
    });
}

/// The four high bits of rB name the segment.
#[inline(always)]
fn segment_of<S: PowerPcSemantics>(s: &mut S, b: u32) -> S::Word {
    let address = s.register(b);
    let shift = s.word(28);
    s.shift_right(address, shift)
}

#[inline(always)]
fn move_to_segment_indirect<S: PowerPcSemantics>(s: &mut S, from: u32, b: u32) {
    privileged(s, |s| {
        let (index, value) = (segment_of(s, b), s.register(from));
        s.set_segment(index, value);
    });
}

#[inline(always)]
fn move_from_segment<S: PowerPcSemantics>(s: &mut S, d: u32, segment: u32) {
    privileged(s, |s| {
        let index = s.word(segment);
        let value = s.segment(index);
        s.set_register(d, value);
    });
}

#[inline(always)]
fn move_from_segment_indirect<S: PowerPcSemantics>(s: &mut S, d: u32, b: u32) {
    privileged(s, |s| {
        let index = segment_of(s, b);
        let value = s.segment(index);
        s.set_register(d, value);
    });
}

#[inline(always)]
fn on_address<S: PowerPcSemantics>(s: &mut S, operation: TlbOperation, b: u32) {
    privileged(s, |s| {
        let address = s.register(b);
        s.translation_buffer(operation, address);
    });
}

#[inline(always)]
fn synchronize<S: PowerPcSemantics>(s: &mut S) {
    privileged(s, |s| {
        let nowhere = s.word(0);
        s.translation_buffer(TlbOperation::Synchronize, nowhere);
    });
}

#[inline(always)]
fn load<S: PowerPcSemantics>(s: &mut S, operation: TlbOperation, b: u32) {
    if s.model().has_software_tlb() {
        on_address(s, operation, b);
    } else {
        s.exception(Exception::Program(ProgramCause::Illegal));
    }
}
