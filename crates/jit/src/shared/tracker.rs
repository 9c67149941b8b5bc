//! The newest frames of the running chain of calls, and which context runs.

use super::NodePointer;
use super::steps::Steps;
use std::mem::offset_of;

/// Frames that the stack holds, the lowest included.
pub const STACK_FRAMES: usize = 512;

/// Bytes of the filter.
pub const FILTER_SLOTS: usize = 4096;

/// What a function adds to the slot of its frames.
pub const fn filter_constant(function: i64) -> u32 {
    ((function as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as u32
}

/// Where the filter counts the frames of a function that was entered with this stack pointer.
pub const fn filter_slot(function: i64, sp: u32) -> usize {
    (sp >> 2).wrapping_add(filter_constant(function)) as usize & (FILTER_SLOTS - 1)
}

/// An entered function that returns to `return_address` with the stack pointer that it was entered with.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ShadowFrame {
    pub(super) node: NodePointer,
    pub(super) sp: u32,
    pub(super) return_address: u32,
    pub(super) back: u64,
    /// Of an exception's frame: the stack pointer of what was interrupted.
    pub(super) return_sp: u32,
    pub(super) unused: u32,
}

impl ShadowFrame {
    /// Bytes from one frame to the next.
    pub const BYTES: i32 = size_of::<ShadowFrame>() as i32;
    /// Offset of the context.
    pub const NODE: i32 = offset_of!(ShadowFrame, node) as i32;
    /// Offset of the stack pointer: in the lowest frame one that every call's is below.
    pub const SP: i32 = offset_of!(ShadowFrame, sp) as i32;
    /// Offset of the return address: with bit 0 set in the lowest frame, in that of an exception, and in those of functions that were jumped to from these.
    pub const RETURN_ADDRESS: i32 = offset_of!(ShadowFrame, return_address) as i32;
    /// Offset of the bytes down to the frame that a return leads to: [`BYTES`](ShadowFrame::BYTES) in a call's frame, more in that of a
    /// function that was jumped to. The lowest one has 0 if it was jumped to, so that nothing jumps on from it.
    pub const BACK: i32 = offset_of!(ShadowFrame, back) as i32;

    /// Whether it is a call's or an exception's.
    #[inline]
    pub(super) fn is_called(&self) -> bool {
        self.back == ShadowFrame::BYTES as u64
    }

    /// Whether it is an exception's; not the lowest one.
    #[inline]
    pub(super) fn is_exception(&self) -> bool {
        self.is_called() && self.return_address & 1 != 0
    }

    /// Where what an exception has interrupted goes on, with bit 0 set, and with which stack pointer.
    #[inline]
    pub(super) fn goes_on_at(&self) -> (u32, u32) {
        (self.return_address, self.return_sp)
    }

    /// Frames down to the one that a return leads to.
    #[inline]
    pub(super) fn frames_back(&self) -> usize {
        self.back as usize / size_of::<ShadowFrame>()
    }
}

/// What translated code reads and writes.
#[repr(C)]
pub struct Tracker {
    pub(super) node: NodePointer,
    pub(super) top: *mut ShadowFrame,
    pub(super) limit: *mut ShadowFrame,
    pub(super) instructions: u64,
    pub(super) filter: [u8; FILTER_SLOTS],
    pub(super) frames: [ShadowFrame; STACK_FRAMES],
    pub(super) steps: Steps,
}

impl Tracker {
    /// Offset of the context that runs; always that of the frame at `top`.
    pub const NODE: i32 = offset_of!(Tracker, node) as i32;
    /// Offset of the address of the newest frame.
    pub const TOP: i32 = offset_of!(Tracker, top) as i32;
    /// Offset of the address that `top` must not go beyond.
    pub const LIMIT: i32 = offset_of!(Tracker, limit) as i32;
    /// Offset of the count of instructions.
    pub const INSTRUCTIONS: i32 = offset_of!(Tracker, instructions) as i32;
    /// Offset of the filter: a byte for each slot, 0 when no frame outside the stack has it.
    pub const FILTER: i32 = offset_of!(Tracker, filter) as i32;
    /// Offset of the contexts that steps are known to lead to: see [`Known`](super::Known).
    pub const STEPS: i32 = offset_of!(Tracker, steps) as i32;

    /// Whether the function that runs, or one that jumped to it, is `function`, or may be: a jump there is no fast one.
    pub fn may_be_in_jump_chain(&self, function: i64) -> bool {
        let mut frame = self.top.cast_const();
        loop {
            // SAFETY: `top` is one of the frames, and below a frame that was jumped to there is another one.
            let ShadowFrame { node, back, .. } = unsafe { *frame };
            // SAFETY: frames lead to contexts that exist.
            if back == 0 || unsafe { node.function() } == function {
                return true;
            }
            if back == ShadowFrame::BYTES as u64 {
                return false;
            }
            frame = frame.wrapping_sub(1);
        }
    }
}

/// A frame of the stack above the lowest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Index of the context.
    pub node: u32,
    /// Stack pointer at the entry, and at the return.
    pub sp: u32,
    /// Where the function returns to; odd for the handler of an exception.
    pub return_address: u32,
    /// How it was entered.
    pub entered: Entered,
}

/// How a function was entered whose frame is on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// It was called.
    Called,
    /// The function below has jumped there, or fallen into it.
    Jumped,
    /// By an exception, from code with this stack pointer.
    Interrupts {
        /// The stack pointer.
        sp: u32,
    },
}

impl Tracker {
    /// The frame at a place from the lowest one on.
    #[inline]
    pub(super) fn frame(&self, place: usize) -> ShadowFrame {
        self.frames[place]
    }

    /// So many frames above the lowest one.
    #[inline]
    pub(super) fn above_lowest(&self, count: usize) -> &[ShadowFrame] {
        &self.frames[1..=count]
    }

    /// Puts frames above the lowest one, which is alone.
    pub(super) fn put_above_lowest(&mut self, frames: &[ShadowFrame]) {
        let room = (self.limit as usize - self.top as usize) / size_of::<ShadowFrame>();
        assert!(frames.len() <= room, "room on the stack");
        self.frames[1..=frames.len()].copy_from_slice(frames);
        self.top = self.top.wrapping_add(frames.len());
        self.node = self.frames[frames.len()].node;
    }
}
