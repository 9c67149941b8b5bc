//! The frames that are alive on all stacks: which context a return comes back to.
//!
//! The newest calls of the running chain stand on the stack of [`Tracking`], where translated code reaches them; all others are in a map. What is
//! no plain call or return brings the stack into the map first and begins a new one on top of the frame whose function then runs.

mod alive;
mod exceptions;
mod waiting;

use crate::contexts::{Entry, Node, NodeIndex};
use crate::functions::FunctionId;
use alive::Alive;
use serde::{Deserialize, Serialize};
use socscope_jit::shared::{Call, Entered, Tracking};
use std::collections::BTreeMap;
use waiting::WaitingStacks;

/// Names a frame: the function and the stack pointer at its entry. The newest of equal ones wins, but where it was reached from the other: then it
/// has an address less, up to [`SAME_STACK_MAX`] times.
pub(crate) type FrameKey = (FunctionId, u32);

/// An odd address, to which nothing returns.
pub(crate) const NO_RETURN: u32 = 1;

/// Frames that a runaway guest may leave behind before all are forgotten; few in tests, which get there.
pub(crate) const FRAMES_MAX: usize = if cfg!(test) { 64 } else { 100_000 };
/// How far up a frame is looked for; deeper contexts do not exist either.
pub(crate) const CHAIN_MAX: usize = 1_000;
/// The longest instruction that a handler can skip.
pub(crate) const INSTRUCTION_BYTES_MAX: u32 = 4;
/// Activations of a function with one stack pointer that are told apart below the first: as many as addresses lie between two words.
pub(crate) const SAME_STACK_MAX: u32 = 3;
/// Frames that come back onto the stack when control has returned to one of them slowly.
const FRAMES_BACK: usize = 4;
/// The same when it has come back after an exception or a change of the task.
const FRAMES_RESUMED: usize = 1;

/// Where code goes on that was interrupted, and with which stack pointer.
pub(crate) type Place = (u32, u32);

/// Frames of interrupted code.
pub(crate) type Interrupted = BTreeMap<Place, FrameKey>;

/// An entered function that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Frame {
    pub key: FrameKey,
    pub node: NodeIndex,
    pub entry: Entry,
    /// The frame that was left.
    pub caller: Option<FrameKey>,
    /// Where the function returns to, with which stack pointer.
    pub return_address: u32,
    pub return_sp: u32,
    /// Whether the place it returns to lies in the function that called it.
    pub plain: bool,
}

impl Frame {
    /// Where the code goes on that this frame's exception has interrupted, and with which stack pointer.
    fn goes_on_at(&self) -> Option<Place> {
        let known = self.entry == Entry::Exception && self.return_address != NO_RETURN;
        known.then_some((self.return_address & !1, self.return_sp))
    }
}

/// All frames, and the one whose function runs.
pub(crate) struct Frames {
    alive: Alive,
    /// Code that was interrupted and has not gone on, but by exceptions on a stack: by where it goes on the frame whose function it is of.
    interrupted: Interrupted,
    waiting: WaitingStacks,
    /// The stack's lowest frame, which is in the map too; the one whose function runs when the stack has no other.
    lowest: Frame,
    pub tracking: Tracking,
    /// How often all frames were forgotten because there were too many.
    pub forgotten: u64,
}

impl Frames {
    /// Only one frame, of the context 0.
    pub fn new(frame: Frame, regions: usize) -> Frames {
        let mut frames = Frames {
            alive: Alive::default(),
            interrupted: Interrupted::new(),
            waiting: WaitingStacks::default(),
            lowest: frame,
            tracking: Tracking::new(regions, frame.key.0.0),
            forgotten: 0,
        };
        frames.reset(frame);
        frames
    }

    /// Those of an earlier run.
    pub fn from_parts(
        frames: Vec<Frame>,
        interrupted: Interrupted,
        current: Frame,
        tracking: Tracking,
    ) -> Frames {
        let mut all = Frames {
            alive: Alive::default(),
            interrupted,
            waiting: WaitingStacks::default(),
            lowest: current,
            tracking,
            forgotten: 0,
        };
        for frame in frames {
            all.insert(frame);
        }
        all.begin(current);
        all
    }

    /// All frames by key, and the current one.
    pub fn parts(&self, nodes: &[Node]) -> (Vec<Frame>, Frame) {
        let mut alive = self.alive.sorted();
        alive.extend(self.all_waiting().map(|frame| (frame.key, frame)));
        let mut current = self.lowest;
        for frame in self.stacked(nodes) {
            alive.insert(frame.key, frame);
            current = frame;
        }
        (alive.into_values().collect(), current)
    }

    /// Code that was interrupted and has not gone on.
    pub fn interrupted(&self, nodes: &[Node]) -> Interrupted {
        let mut all = self.interrupted.clone();
        for frame in self.all_waiting().chain(self.stacked(nodes)) {
            if let (Some(place), Some(caller)) = (frame.goes_on_at(), frame.caller) {
                all.insert(place, caller);
            }
        }
        all
    }

    /// Forgets all frames but this one.
    pub fn reset(&mut self, frame: Frame) {
        self.clear();
        self.insert(frame);
        self.begin(frame);
    }

    /// Brings the frames of the stack into the map and gives the current one. What follows is slow, and ends with a new stack.
    pub fn settle(&mut self, nodes: &[Node]) -> Frame {
        if self.tracking.depth() > 0 {
            let stacked: Vec<Frame> = self.stacked(nodes).collect();
            self.tracking.unfilter();
            for frame in stacked {
                self.settle_frame(frame);
                self.lowest = frame;
            }
        }
        self.lowest
    }

    /// Goes on in a frame that the current one was reached from. Settled.
    pub fn go_on_in(&mut self, frame: Frame) {
        self.bring_key(&frame.key);
        self.begin(frame);
    }

    /// Begins a new stack on top of `frame`, which goes on. One that is not in the map any more is not returned to, so that its calls are slow.
    pub fn begin(&mut self, frame: Frame) {
        self.lowest = frame;
        let room = if self.alive.get(&frame.key) == Some(&frame) {
            FRAMES_MAX.saturating_sub(self.count())
        } else {
            0
        };
        let jumped = frame.entry == Entry::Jump;
        self.tracking
            .restart(frame.node.0, jumped, frame.return_address, room);
    }

    fn stacked<'a>(&'a self, nodes: &'a [Node]) -> impl Iterator<Item = Frame> + 'a {
        let calls = self.tracking.calls();
        frames_of(
            self.lowest,
            calls.map(|call| (call, nodes[call.node as usize].function)),
        )
    }

    /// A frame of a stack comes into the map.
    fn settle_frame(&mut self, frame: Frame) {
        self.insert_new(frame);
        if let (Some(place), Some(caller)) = (frame.goes_on_at(), frame.caller) {
            self.interrupted.insert(place, caller);
        }
    }

    fn clear(&mut self) {
        self.alive.clear();
        self.interrupted.clear();
        self.waiting.clear();
        self.tracking.filter_clear();
    }

    fn insert(&mut self, frame: Frame) {
        self.bring_key(&frame.key);
        self.insert_new(frame);
    }

    /// The same, of a frame that is on no stack that waits.
    fn insert_new(&mut self, frame: Frame) {
        if self.alive.insert(frame) {
            self.tracking.filter_in(frame.key.0.0, frame.key.1);
        }
    }

    fn remove(&mut self, key: FrameKey) {
        self.bring_key(&key);
        if self.alive.remove(&key) {
            self.tracking.filter_out(key.0.0, key.1);
        }
    }

    /// Frames outside of the stack.
    fn count(&self) -> usize {
        self.alive.len() + self.waiting.frames()
    }

    /// Enters a function. Settled.
    pub fn push(&mut self, frame: Frame) {
        if self.count() >= FRAMES_MAX {
            self.forgotten += 1;
            self.clear();
        }
        let key = self.free_key(frame.key);
        let frame = Frame { key, ..frame };
        self.insert(frame);
        self.begin(frame);
    }

    /// The key of a frame that the current one enters.
    fn free_key(&self, (function, sp): FrameKey) -> FrameKey {
        let mut keys = (0..SAME_STACK_MAX).map(|less| (function, sp.wrapping_sub(less)));
        let free = keys.find(|key| self.find(key).is_none() || !self.is_below(*key));
        free.unwrap_or((function, sp.wrapping_sub(SAME_STACK_MAX)))
    }

    /// Whether control that comes to `address` with stack pointer `sp` returns from the current function.
    #[inline]
    pub fn returns(&self, address: u32, sp: u32) -> bool {
        let top = self.tracking.top();
        if top.return_address & !1 != address {
            return false;
        }
        if top.return_address == address {
            return top.sp == sp;
        }
        if self.tracking.is_in_handler() {
            return false;
        }
        address == self.lowest.return_address && sp == self.lowest.return_sp
    }

    /// Leaves the current function, and those that jumped to it, for their caller. `None` when its frame is gone. Settled.
    pub fn pop(&mut self) -> Option<NodeIndex> {
        let mut left = self.lowest;
        loop {
            self.remove(left.key);
            let caller = self.bring_frame(left.caller?)?;
            if left.entry != Entry::Jump {
                self.lowest = caller;
                self.bring_back(FRAMES_BACK);
                return Some(caller.node);
            }
            left = caller;
        }
    }

    /// Moves the newest frames that the stack can hold from the map onto it, so that they return fast.
    fn bring_back(&mut self, count: usize) {
        let mut moved = vec![];
        let mut at = self.lowest;
        // No frame twice: one that was made in the place of what an exception has interrupted may have been reached from its handler.
        while moved.len() < count
            && let Some(caller) = at.caller.and_then(|key| self.alive.get(&key))
            && (is_plain_call(&at, caller)
                || is_plain_jump(&at, caller)
                || self.has_interrupted(&at))
            && caller.key != at.key
            && !moved.iter().any(|one: &Frame| one.key == caller.key)
        {
            moved.push(at);
            at = *caller;
        }
        // What jumped stays with the call that it returns from.
        while let Some(frame) = moved.pop_if(|frame| frame.entry == Entry::Jump) {
            at = frame;
        }
        for frame in &moved {
            self.remove(frame.key);
            if let Some(place) = frame.goes_on_at() {
                self.interrupted.remove(&place);
            }
        }
        self.begin(at);
        for frame in moved.iter().rev() {
            self.tracking.bring(Call {
                node: frame.node.0,
                sp: frame.key.1,
                return_address: frame.return_address,
                entered: match frame.entry {
                    Entry::Jump => Entered::Jumped,
                    Entry::Exception => Entered::Interrupts {
                        sp: frame.return_sp,
                    },
                    Entry::Call | Entry::Root => Entered::Called,
                },
            });
        }
    }

    /// The frame of this key, in the map from now on.
    fn bring_frame(&mut self, key: FrameKey) -> Option<Frame> {
        self.bring_key(&key);
        self.alive.get(&key).copied()
    }

    /// The frame that jumped to the current one, directly or by others, and belongs to `function`. Settled.
    pub fn jumped_from(&self, function: FunctionId) -> Option<Frame> {
        let mut at = self.lowest;
        for _ in 0..CHAIN_MAX {
            if at.key.0 == function {
                return Some(at);
            }
            if at.entry != Entry::Jump {
                return None;
            }
            at = self.find(&at.caller?)?;
        }
        None
    }

    /// Goes on in the middle of `function`: in its frame nearest above the stack pointer, or exactly there (`exact`). Settled.
    pub fn resume(&mut self, function: FunctionId, sp: u32, exact: bool) -> bool {
        let last = if exact { sp } else { u32::MAX };
        let first = sp.saturating_sub(SAME_STACK_MAX);
        self.bring_nearest(function, (first, last));
        let Some(&frame) = self.alive.nearest(function, first, last) else {
            return false;
        };
        self.go_back_to(frame);
        true
    }

    /// When the current frame was reached from this one, all between are dead; else it is another stack's, and they live on.
    fn go_back_to(&mut self, frame: Frame) {
        if self.is_below(frame.key) {
            self.unwind_to(frame.key);
        }
        self.lowest = frame;
        self.bring_back(FRAMES_RESUMED);
    }

    /// Removes the current frame and those that it was reached from, up to this one.
    fn unwind_to(&mut self, key: FrameKey) {
        let mut at = self.lowest;
        while at.key != key {
            self.remove(at.key);
            match at.caller.and_then(|caller| self.bring_frame(caller)) {
                Some(caller) => at = caller,
                None => break,
            }
        }
    }

    /// Whether the current frame was entered from `key`, directly or by others.
    fn is_below(&self, key: FrameKey) -> bool {
        let mut at = self.lowest;
        for _ in 0..CHAIN_MAX {
            if at.key == key {
                return true;
            }
            match at.caller.and_then(|caller| self.find(&caller)) {
                Some(caller) => at = caller,
                None => return false,
            }
        }
        false
    }
}

/// The frames of a stack above its lowest one: calls, with their functions.
fn frames_of(
    lowest: Frame,
    calls: impl Iterator<Item = (Call, FunctionId)>,
) -> impl Iterator<Item = Frame> {
    let mut below = lowest;
    calls.map(move |(call, function)| {
        below = frame_of(&below, call, function);
        below
    })
}

/// The frame of a call above another one.
fn frame_of(below: &Frame, call: Call, function: FunctionId) -> Frame {
    let called = Frame {
        key: (function, call.sp),
        node: NodeIndex(call.node),
        entry: Entry::Call,
        caller: Some(below.key),
        return_address: call.return_address,
        return_sp: call.sp,
        plain: true,
    };
    match call.entered {
        Entered::Called => called,
        Entered::Jumped => Frame {
            entry: Entry::Jump,
            return_address: below.return_address,
            return_sp: below.return_sp,
            plain: false,
            ..called
        },
        Entered::Interrupts { sp } => Frame {
            entry: Entry::Exception,
            return_sp: sp,
            plain: false,
            ..called
        },
    }
}

fn is_plain_call(frame: &Frame, caller: &Frame) -> bool {
    frame.plain && frame.key.1 == frame.return_sp && frame.key.1 < caller.key.1
}

/// Whether a frame has all but its function from the one that jumped to it.
fn is_plain_jump(frame: &Frame, from: &Frame) -> bool {
    let way_back = |frame: &Frame| (frame.return_address, frame.return_sp);
    frame.entry == Entry::Jump
        && way_back(frame) == way_back(from)
        && frame.key.1 == from.key.1
        && (frame.return_sp == frame.key.1 || frame.return_address & 1 != 0)
}
