//! Memory that a profile and translated code both write: counters by calling context, and the newest frames of the running chain of calls.
//!
//! All of it stays where it is as long as its [`Tracking`] lives. Translated code reaches it from the [`Tracker`].
//!
//! A call is *fast* when its return address lies in the calling function, `top != limit`, `filter[filter_slot]` is 0 and the stack pointer is
//! below `top.sp`: it writes the frame behind `top`, moves `top` there and sets `node`. A return is fast when its target is
//! `top.return_address` and the stack pointer is `top.sp`: it moves `top` back by `top.back` bytes and sets `node` to that frame's. The lowest frame
//! has an odd return address, to which nothing returns; bit 0 apart, it is the real one, so that a jump inside a function to
//! `top.return_address & !1` may be the slow return of a function that has called itself. Everything else is the profile's own business: it also
//! looks whose name it is that the filter counts, and may make the same frame.
//!
//! A jump to another function's first instruction that is no return is fast when the stack pointer is `top.sp`, or `top` the lowest frame,
//! [`Tracker::may_be_in_jump_chain`] says no, `top != limit` and `filter[filter_slot]` is 0: its frame has this stack pointer and the return address of `top`,
//! and a return from it leads to where one from `top` would. Falling into a function is the same with `top.sp`, but not in the lowest frame.
//!
//! A handler's frame has the odd address at which what it interrupts goes on: only a return from the exception leads there. Its stack pointer says nothing of
//! those below, so all frames below the newest exception's are in the filter too.

#![allow(unsafe_code)]

mod counters;
mod stacks;
mod steps;
mod tracker;
mod tracking;

pub use counters::{Counters, DATA_KINDS, NodePointer};
pub use stacks::Stack;
pub use steps::{Known, STEPS, Step};
pub use tracker::{
    Call, Entered, FILTER_SLOTS, STACK_FRAMES, ShadowFrame, Tracker, filter_constant, filter_slot,
};
pub use tracking::Tracking;
