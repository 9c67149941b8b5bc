//! The frames that are alive on all stacks: which context a return comes back to.

use crate::contexts::{Entry, NodeIndex};
use crate::functions::FunctionId;
use std::collections::BTreeMap;

/// Names a frame: the function and the stack pointer at its entry. The newest of equal ones wins.
pub(crate) type FrameKey = (FunctionId, u32);

/// An odd address, to which nothing returns.
pub(crate) const NO_RETURN: u32 = 1;

/// Frames that a runaway guest may leave behind before all are forgotten.
const FRAMES_MAX: usize = 100_000;
/// How far up a frame is looked for; deeper contexts do not exist either.
const CHAIN_MAX: usize = 1_000;

/// An entered function that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub key: FrameKey,
    pub node: NodeIndex,
    pub entry: Entry,
    /// The frame that was left.
    pub caller: Option<FrameKey>,
    /// Where the function returns to, with which stack pointer.
    pub return_address: u32,
    pub return_sp: u32,
}

/// All frames, and the one whose function runs.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    alive: BTreeMap<FrameKey, Frame>,
    pub current: Frame,
}

impl Frames {
    /// Only one frame.
    pub fn new(frame: Frame) -> Frames {
        Frames {
            alive: BTreeMap::from([(frame.key, frame)]),
            current: frame,
        }
    }

    /// Enters a function.
    pub fn push(&mut self, frame: Frame) {
        if self.alive.len() >= FRAMES_MAX {
            self.alive.clear();
        }
        self.alive.insert(frame.key, frame);
        self.current = frame;
    }

    /// Whether control that comes to `address` with stack pointer `sp` returns from the current function.
    #[inline]
    pub fn returns(&self, address: u32, sp: u32) -> bool {
        address == self.current.return_address && sp == self.current.return_sp
    }

    /// Leaves the current function, and those that jumped to it, for their caller. `None` when its frame is gone.
    pub fn pop(&mut self) -> Option<NodeIndex> {
        let mut left = self.current;
        loop {
            self.alive.remove(&left.key);
            let caller = *self.alive.get(&left.caller?)?;
            if left.entry != Entry::Jump {
                self.current = caller;
                return Some(caller.node);
            }
            left = caller;
        }
    }

    /// The frame that jumped to the current one, directly or by others, and belongs to `function`.
    pub fn jumped_from(&self, function: FunctionId) -> Option<Frame> {
        let mut at = self.current;
        for _ in 0..CHAIN_MAX {
            if at.key.0 == function {
                return Some(at);
            }
            if at.entry != Entry::Jump {
                return None;
            }
            at = *self.alive.get(&at.caller?)?;
        }
        None
    }

    /// Goes on in the middle of `function`: in its frame nearest above the stack pointer, or exactly there (`exact`). When the current
    /// frame was reached from that one, all between are dead; else it is another stack's, and they live on.
    pub fn resume(&mut self, function: FunctionId, sp: u32, exact: bool) -> Option<NodeIndex> {
        let last = if exact { sp } else { u32::MAX };
        let frame = *self
            .alive
            .range((function, sp)..=(function, last))
            .next()?
            .1;
        if self.below(frame.key).is_some() {
            let mut at = self.current;
            while at.key != frame.key {
                self.alive.remove(&at.key);
                match at.caller.and_then(|key| self.alive.get(&key)) {
                    Some(caller) => at = *caller,
                    None => break,
                }
            }
        }
        self.current = frame;
        Some(frame.node)
    }

    /// How many frames were entered from `key` on.
    fn below(&self, key: FrameKey) -> Option<usize> {
        let mut at = self.current;
        for depth in 0..CHAIN_MAX {
            if at.key == key {
                return Some(depth);
            }
            at = *self.alive.get(&at.caller?)?;
        }
        None
    }
}
