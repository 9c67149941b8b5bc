//! Frames of exceptions: what they interrupt, and the ways back.

use super::{CHAIN_MAX, FRAMES_MAX, FRAMES_RESUMED, Frame, Frames, INSTRUCTION_BYTES_MAX};
use crate::contexts::Entry;
use socscope_jit::shared::{Call, Entered};

impl Frames {
    /// Enters an exception's handler, whose caller is what it interrupts. Settled.
    pub fn interrupt(&mut self, handler: Frame) {
        if self.interrupted.len() + self.waiting.places() >= FRAMES_MAX {
            self.forgotten += 1;
            self.clear();
        }
        self.push(handler);
        if let Some(place) = handler.goes_on_at()
            && let Some(caller) = handler.caller
        {
            self.bring_place(place);
            self.interrupted.insert(place, caller);
        }
    }

    /// Whether it is the frame of the newest exception that has interrupted its caller there.
    pub(super) fn has_interrupted(&self, frame: &Frame) -> bool {
        let place = frame.goes_on_at().filter(|_| frame.caller.is_some());
        place.is_some_and(|place| self.interrupted.get(&place).copied() == frame.caller)
    }

    /// Enters an exception's handler, if that is fast. Not settled.
    pub fn interrupt_fast(&mut self, handler: Frame) -> bool {
        let Some(place) = handler.goes_on_at() else {
            return false;
        };
        let Some(exceptions) = self.tracking.exceptions_elsewhere(place.0, place.1) else {
            return false;
        };
        let count = self.interrupted.len() + self.waiting.places() + exceptions;
        let (function, sp) = handler.key;
        if count >= FRAMES_MAX
            || !self.tracking.has_room()
            || self.tracking.has_name(function.0, sp)
            || !self.is_free(handler.key)
        {
            return false;
        }
        let call = Call {
            node: handler.node.0,
            sp: handler.key.1,
            return_address: handler.return_address,
            entered: Entered::Interrupts {
                sp: handler.return_sp,
            },
        };
        self.bring_place(place);
        self.interrupted.remove(&place);
        self.tracking.interrupt(call);
        true
    }

    /// Goes on in the frame that was interrupted at this place with this stack pointer, in another task than the one that runs. Settled.
    pub fn resume_interrupted(&mut self, address: u32, sp: u32) -> bool {
        self.bring_place((address, sp));
        let key = self.interrupted.remove(&(address, sp));
        let Some(frame) = key.and_then(|key| self.bring_frame(key)) else {
            return false;
        };
        self.go_back_to(frame);
        true
    }

    /// Goes back to the frame that was interrupted, when this is where its code goes on, or the instruction behind it: handlers skip what they have
    /// done in its place. Settled.
    pub fn leave_exception(&mut self, address: u32, sp: u32) -> bool {
        let Some(exception) = self.exception() else {
            return false;
        };
        let skipped = address.wrapping_sub(exception.return_address & !1);
        let goes_on = skipped <= INSTRUCTION_BYTES_MAX && exception.return_sp == sp;
        let interrupted = exception.caller.and_then(|key| self.bring_frame(key));
        match (interrupted, exception.goes_on_at()) {
            (Some(interrupted), Some(place)) if goes_on => {
                self.bring_place(place);
                self.interrupted.remove(&place);
                self.unwind_to(interrupted.key);
                self.lowest = interrupted;
                self.bring_back(FRAMES_RESUMED);
                true
            }
            _ => false,
        }
    }

    /// The frame of the exception that is handled.
    fn exception(&self) -> Option<Frame> {
        let mut at = self.lowest;
        for _ in 0..CHAIN_MAX {
            if at.entry == Entry::Exception {
                return Some(at);
            }
            at = self.find(&at.caller?)?;
        }
        None
    }

    /// Whether the exception that the current frame belongs to is still handled with this stack pointer: it is not that of its entry. Settled.
    pub fn exception_goes_on(&self, sp: u32) -> bool {
        let exception = self.exception();
        exception.is_some_and(|exception| exception.key.1 != sp)
    }
}
