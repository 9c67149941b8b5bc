//! Stacks that wait while another one runs: their frames stay together, and come back at once. To all that looks for a frame they are in the map: it brings
//! those there that it asks for.

use super::{
    CHAIN_MAX, FRAMES_RESUMED, Frame, FrameKey, Frames, Place, SAME_STACK_MAX, frame_of, frames_of,
};
use crate::contexts::Node;
use crate::functions::FunctionId;
use socscope_jit::shared::Stack;

/// Stacks that wait at most, and frames on one of them: they are searched one by one.
const STACKS_MAX: usize = 32;
const FRAMES_OF_ONE_MAX: usize = 64;

/// A stack that waits.
struct Waiting {
    lowest: Frame,
    stack: Stack,
    /// The frames above the lowest one, oldest first.
    keys: Vec<FrameKey>,
    /// Where code goes on that its exceptions have interrupted.
    places: Vec<Place>,
}

impl Waiting {
    fn new(lowest: Frame) -> Waiting {
        Waiting {
            lowest,
            stack: Stack::default(),
            keys: vec![],
            places: vec![],
        }
    }
}

/// All stacks that wait.
#[derive(Default)]
pub(super) struct WaitingStacks {
    all: Vec<Waiting>,
    /// Emptied ones, whose memory is used again.
    spare: Vec<Waiting>,
    frames: usize,
    places: usize,
}

impl WaitingStacks {
    /// Frames of all of them.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Exceptions of all of them.
    pub fn places(&self) -> usize {
        self.places
    }

    fn with_key(&self, key: &FrameKey) -> Option<usize> {
        self.all.iter().position(|one| one.keys.contains(key))
    }

    fn with_place(&self, place: Place) -> Option<usize> {
        self.all.iter().position(|one| one.places.contains(&place))
    }

    /// The frame of a function with the lowest stack pointer from `first` to `last`: its stack, its place there from 0 on, its stack pointer.
    fn nearest(&self, function: FunctionId, first: u32, last: u32) -> Option<(usize, usize, u32)> {
        let mut best: Option<(usize, usize, u32)> = None;
        for (number, one) in self.all.iter().enumerate() {
            for (place, &(of, sp)) in one.keys.iter().enumerate() {
                let better = best.is_none_or(|(.., least)| sp < least);
                if of == function && (first..=last).contains(&sp) && better {
                    best = Some((number, place, sp));
                }
            }
        }
        best
    }

    fn take(&mut self, number: usize) -> Waiting {
        let taken = self.all.swap_remove(number);
        self.frames -= taken.keys.len();
        self.places -= taken.places.len();
        taken
    }

    pub fn clear(&mut self) {
        while !self.all.is_empty() {
            let taken = self.take(0);
            self.spare.push(taken);
        }
    }
}

impl Frames {
    /// The frames of a stack that waits.
    fn frames_waiting<'a>(&'a self, one: &'a Waiting) -> impl Iterator<Item = Frame> + 'a {
        let calls = self.tracking.calls_of(&one.stack);
        let named = calls.zip(one.keys.iter().map(|key| key.0));
        frames_of(one.lowest, named)
    }

    /// All frames of stacks that wait.
    pub(super) fn all_waiting(&self) -> impl Iterator<Item = Frame> + '_ {
        let all = self.waiting.all.iter();
        all.flat_map(|one| self.frames_waiting(one))
    }

    /// A frame by its key, wherever it is, but on the stack that runs.
    pub(super) fn find(&self, key: &FrameKey) -> Option<Frame> {
        if let Some(frame) = self.alive.get(key) {
            return Some(*frame);
        }
        let one = &self.waiting.all[self.waiting.with_key(key)?];
        self.frames_waiting(one).find(|frame| frame.key == *key)
    }

    /// Brings the frames of a stack that waits into the map.
    fn unfold(&mut self, number: usize) {
        let one = self.waiting.take(number);
        let frames: Vec<Frame> = self.frames_waiting(&one).collect();
        for frame in frames {
            self.tracking.filter_out(frame.key.0.0, frame.key.1);
            self.settle_frame(frame);
        }
        self.waiting.spare.push(one);
    }

    /// The frame of this key is in the map if there is one.
    pub(super) fn bring_key(&mut self, key: &FrameKey) {
        if self.waiting.frames > 0
            && !self.alive.contains_key(key)
            && let Some(number) = self.waiting.with_key(key)
        {
            self.unfold(number);
        }
    }

    /// Code that was interrupted here is in the map if there is any.
    pub(super) fn bring_place(&mut self, place: Place) {
        if self.waiting.places > 0
            && let Some(number) = self.waiting.with_place(place)
        {
            self.unfold(number);
        }
    }

    /// The frame of a function with the lowest stack pointer from `first` to `last` is in the map if there is one that is not on the stack that runs.
    pub(super) fn bring_nearest(&mut self, function: FunctionId, (first, last): (u32, u32)) {
        let in_map = self.alive.nearest(function, first, last);
        let in_map = in_map.map(|frame| frame.key.1);
        if let Some((number, _, sp)) = self.waiting.nearest(function, first, last)
            && in_map.is_none_or(|other| sp < other)
        {
            self.unfold(number);
        }
    }

    /// Goes on in the middle of a function on another stack, in the frame nearest above the stack pointer; the one that runs waits from now on. False, and
    /// nothing has happened, where there is more to it. Not settled.
    pub fn resume_fast(&mut self, nodes: &[Node], function: FunctionId, sp: u32) -> bool {
        let (first, last) = (sp.saturating_sub(SAME_STACK_MAX), u32::MAX);
        let runs = self.tracking.calls().filter_map(|call| {
            let is_one = nodes[call.node as usize].function == function && call.sp >= first;
            is_one.then_some(call.sp)
        });
        let in_map = self.alive.nearest(function, first, last).copied();
        let waits = self.waiting.nearest(function, first, last);
        let runs = runs.min().unwrap_or(u32::MAX);
        match (in_map, waits) {
            (Some(frame), waits) if waits.is_none_or(|(.., sp)| frame.key.1 < sp) => {
                frame.key.1 < runs && self.switch_to_frame(nodes, frame)
            }
            (_, Some((number, place, sp))) if sp < runs => self.switch_to(nodes, number, place),
            _ => false,
        }
    }

    /// Switches to a frame in the map. Not settled.
    fn switch_to_frame(&mut self, nodes: &[Node], frame: Frame) -> bool {
        if self.lowest.key == frame.key || self.is_entered_from(frame.key) {
            return false;
        }
        self.wait(nodes);
        self.lowest = frame;
        self.bring_back(FRAMES_RESUMED);
        true
    }

    /// Switches to a frame of a stack that waits, at a place from 0 on. False, and nothing has happened, where its frames are not all there is to it. Not
    /// settled.
    fn switch_to(&mut self, nodes: &[Node], number: usize, place: usize) -> bool {
        let one = &self.waiting.all[number];
        let (lowest, key) = (one.lowest, one.keys[place]);
        if self.alive.get(&lowest.key) != Some(&lowest) || self.is_entered_from(key) {
            return false;
        }
        let mut one = self.waiting.take(number);
        self.wait(nodes);
        // What stood above is no part of the stack any more; to all others it is as alive as before.
        let above: Vec<Frame> = match place + 1 < one.keys.len() {
            true => self.frames_waiting(&one).skip(place + 1).collect(),
            false => vec![],
        };
        for frame in above {
            self.tracking.filter_out(frame.key.0.0, frame.key.1);
            self.settle_frame(frame);
        }
        one.stack.truncate(place + 1);
        self.begin(lowest);
        self.tracking.unpark(&one.stack);
        self.waiting.spare.push(one);
        true
    }

    /// The stack that runs waits from now on; another one begins next.
    pub(super) fn wait(&mut self, nodes: &[Node]) {
        let depth = self.tracking.depth();
        if depth == 0 {
            return;
        }
        if depth > FRAMES_OF_ONE_MAX || self.waiting.all.len() >= STACKS_MAX {
            self.settle(nodes);
            return;
        }
        let lowest = self.lowest;
        let mut one = match self.waiting.spare.pop() {
            Some(spare) => Waiting { lowest, ..spare },
            None => Waiting::new(lowest),
        };
        one.keys.clear();
        one.places.clear();
        let mut below = self.lowest;
        for call in self.tracking.calls() {
            let function = nodes[call.node as usize].function;
            below = frame_of(&below, call, function);
            one.keys.push(below.key);
            one.places.extend(below.goes_on_at());
        }
        self.tracking.park(&mut one.stack);
        self.waiting.frames += one.keys.len();
        self.waiting.places += one.places.len();
        self.waiting.all.push(one);
    }

    /// A function is to be called whose frame would have the name of one that is left behind: nothing goes on there any more, and the new frame takes its
    /// place. False, and nothing has happened, where it may go on. Not settled.
    pub fn replaces(&mut self, key: FrameKey) -> bool {
        if !self.tracking.has_room() || key.1 >= self.tracking.top().sp || key == self.lowest.key {
            return false;
        }
        if self.find(&key).is_none() || self.is_entered_from(key) {
            return false;
        }
        self.remove(key);
        true
    }

    /// Whether the stack that runs was entered from this frame of another one. Not settled.
    fn is_entered_from(&self, key: FrameKey) -> bool {
        let mut at = self.lowest;
        for _ in 0..CHAIN_MAX {
            let Some(caller) = at.caller else {
                return false;
            };
            if caller == key {
                return true;
            }
            match self.find(&caller) {
                Some(frame) => at = frame,
                None => return false,
            }
        }
        // So far up nobody looks.
        true
    }
}
