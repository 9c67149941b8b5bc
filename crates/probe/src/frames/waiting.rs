//! Stacks that wait while another one runs: their frames stay together, and come back at once. To all that looks for a frame they are in the map: it brings
//! those there that it asks for.

use super::{CHAIN_MAX, FRAMES_RESUMED, Frame, FrameKey, Frames, Place, SAME_STACK_MAX, frames_of};
use crate::contexts::Node;
use crate::functions::FunctionId;
use socscope_jit::shared::{Entered, Stack};

/// Stacks that wait at most, and frames on one of them: they are searched one by one. Few in tests, which get there.
const STACKS_MAX: usize = if cfg!(test) { 4 } else { 64 };
const FRAMES_OF_ONE_MAX: usize = 64;

/// A stack that waits.
struct Waiting {
    lowest: Frame,
    stack: Stack,
    /// The frames above the lowest one, oldest first.
    keys: Vec<FrameKey>,
    /// Where code goes on that its exceptions have interrupted.
    places: Vec<Place>,
    /// A bit for each frame's key, and for its function: of what has none here no frame is searched.
    bits: (u64, u64),
}

/// The bits of a frame's key and of its function.
#[inline]
fn bits_of(&(FunctionId(function), sp): &FrameKey) -> (u64, u64) {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let function = (function as u64).wrapping_mul(SPREAD);
    let key = (function ^ u64::from(sp)).wrapping_mul(SPREAD);
    (1 << (key >> 58), 1 << (function >> 58))
}

impl Waiting {
    fn new(lowest: Frame) -> Waiting {
        Waiting {
            lowest,
            stack: Stack::default(),
            keys: vec![],
            places: vec![],
            bits: (0, 0),
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
    /// Those of all, in no order.
    places: Vec<Place>,
}

impl WaitingStacks {
    /// Frames of all of them.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Exceptions of all of them.
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// The stack of a frame, and its place there from 0 on.
    fn place_of(&self, key: &FrameKey) -> Option<(usize, usize)> {
        let (bit, _) = bits_of(key);
        let candidates = self.all.iter().enumerate();
        let mut candidates = candidates.filter(|(_, one)| one.bits.0 & bit != 0);
        candidates.find_map(|(number, one)| {
            let place = one.keys.iter().rposition(|known| known == key)?;
            Some((number, place))
        })
    }

    fn with_key(&self, key: &FrameKey) -> Option<usize> {
        self.place_of(key).map(|(number, _)| number)
    }

    fn with_place(&self, place: Place) -> Option<usize> {
        self.all.iter().position(|one| one.places.contains(&place))
    }

    /// The frame of a function with the lowest stack pointer from `first` to `last`: its stack, its place there from 0 on, its stack pointer.
    fn nearest(&self, function: FunctionId, first: u32, last: u32) -> Option<(usize, usize, u32)> {
        let mut best: Option<(usize, usize, u32)> = None;
        let (_, bit) = bits_of(&(function, 0));
        let candidates = self.all.iter().enumerate();
        for (number, one) in candidates.filter(|(_, one)| one.bits.1 & bit != 0) {
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
        for &place in &taken.places {
            self.forget_place(place);
        }
        taken
    }

    fn forget_place(&mut self, place: Place) {
        if let Some(at) = self.places.iter().position(|one| *one == place) {
            self.places.swap_remove(at);
        }
    }

    fn put(&mut self, mut one: Waiting) {
        one.bits = one
            .keys
            .iter()
            .map(bits_of)
            .fold((0, 0), |all, bits| (all.0 | bits.0, all.1 | bits.1));
        self.frames += one.keys.len();
        self.places.extend_from_slice(&one.places);
        self.all.push(one);
    }

    /// An emptied one.
    fn fresh(&mut self, lowest: Frame) -> Waiting {
        let Some(spare) = self.spare.pop() else {
            return Waiting::new(lowest);
        };
        let mut one = Waiting { lowest, ..spare };
        one.keys.clear();
        one.places.clear();
        one
    }

    /// The newest frame of a stack is gone, which is no exception's; whether it was that.
    fn drop_newest(&mut self, number: usize, key: &FrameKey) -> bool {
        let one = &mut self.all[number];
        let depth = one.keys.len();
        if one.keys.last() != Some(key) || one.stack.ends_with_exception() {
            return false;
        }
        if depth == 1 {
            let one = self.take(number);
            self.spare.push(one);
        } else {
            one.keys.pop();
            one.stack.truncate(depth - 1);
            self.frames -= 1;
        }
        true
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
        let (number, place) = self.waiting.place_of(key)?;
        self.frames_waiting(&self.waiting.all[number]).nth(place)
    }

    /// Whether there is such a frame.
    fn is_known(&self, key: &FrameKey) -> bool {
        self.alive.contains_key(key) || self.waiting.place_of(key).is_some()
    }

    /// One more stack may wait. Those that nobody comes back to, of tasks that have ended, give way in time.
    fn make_place(&mut self) {
        if self.waiting.all.len() >= STACKS_MAX {
            self.unfold(0);
        }
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
        if self.waiting.places.contains(&place)
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
        let runs = self.tracking.names().filter_map(|(name, sp, _)| {
            let is_one = name == function.0 && sp >= first;
            is_one.then_some(sp)
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
        if place + 1 < one.keys.len() {
            self.keep_above(&mut one, place);
        }
        self.begin(lowest);
        self.tracking.unpark(&one.stack);
        self.waiting.spare.push(one);
        true
    }

    /// What stands above a place is no part of the stack any more; to all others it is as alive as before.
    fn keep_above(&mut self, one: &mut Waiting, place: usize) {
        let mut frames = self.frames_waiting(one);
        let lowest = frames.nth(place).expect("a frame at each place");
        drop(frames);
        let mut above = self.waiting.fresh(lowest);
        one.stack.split_into(place + 1, &mut above.stack);
        above.keys.extend(one.keys.drain(place + 1..));
        // A frame that was jumped to goes back to below those that it comes with.
        let first = self.tracking.calls_of(&above.stack).next();
        let is_called = first.is_some_and(|first| first.entered == Entered::Called);
        if is_called && !above.stack.has_exceptions() {
            self.make_place();
            self.waiting.put(above);
            return;
        }
        let frames: Vec<Frame> = self.frames_waiting(&above).collect();
        for frame in frames {
            self.tracking.filter_out(frame.key.0.0, frame.key.1);
            self.settle_frame(frame);
        }
        self.waiting.spare.push(above);
    }

    /// The stack that runs waits from now on; another one begins next.
    pub(super) fn wait(&mut self, nodes: &[Node]) {
        let depth = self.tracking.depth();
        if depth == 0 {
            return;
        }
        if depth > FRAMES_OF_ONE_MAX {
            self.settle(nodes);
            return;
        }
        self.make_place();
        let mut one = self.waiting.fresh(self.lowest);
        for (function, sp, place) in self.tracking.names() {
            one.keys.push((FunctionId(function), sp));
            one.places.extend(place);
        }
        self.tracking.park(&mut one.stack);
        self.waiting.put(one);
    }

    /// Whether a call's frame fits on top of the stack. It may have the name of one that is left behind: nothing goes on there any more, and the new frame
    /// takes its place. False, and nothing has happened, where it may go on. Not settled.
    #[inline]
    pub fn takes_call(&mut self, key: FrameKey) -> bool {
        self.tracking.takes_call(key.1)
            && (self.tracking.is_free(key.0.0, key.1) || self.replaces(key))
    }

    /// Whether no frame has this name, of those outside the stack and those below an exception's. Not settled.
    #[inline]
    pub fn is_free(&self, key: FrameKey) -> bool {
        self.tracking.is_free(key.0.0, key.1)
            || !self.tracking.is_filtered(key.0.0, key.1) && !self.is_known(&key)
    }

    fn replaces(&mut self, key: FrameKey) -> bool {
        if self.tracking.is_filtered(key.0.0, key.1) {
            return false;
        }
        if !self.is_known(&key) {
            return true;
        }
        if key == self.lowest.key || self.is_entered_from(key) {
            return false;
        }
        self.leave_behind(key);
        true
    }

    /// A frame is gone; not one that somebody has been in since.
    fn leave_behind(&mut self, key: FrameKey) {
        if let Some(number) = self.waiting.with_key(&key)
            && !self.alive.contains_key(&key)
            && self.waiting.drop_newest(number, &key)
        {
            self.tracking.filter_out(key.0.0, key.1);
        } else {
            self.remove(key);
        }
    }

    /// Whether the stack that runs was entered from this frame of another one. Not settled.
    fn is_entered_from(&self, key: FrameKey) -> bool {
        let mut at = self.lowest.caller;
        let mut passed = 0;
        while let Some(caller) = at {
            // So far up nobody looks.
            if caller == key || passed >= CHAIN_MAX {
                return true;
            }
            passed += 1;
            if let Some(frame) = self.alive.get(&caller) {
                at = frame.caller;
                continue;
            }
            let Some((number, place)) = self.waiting.place_of(&caller) else {
                return false;
            };
            let one = &self.waiting.all[number];
            if one.keys[..place].contains(&key) {
                return true;
            }
            passed += place;
            at = Some(one.lowest.key);
        }
        false
    }
}
