//! The rules of contexts and frames without the stack: the model that the contexts are compared with.

use super::{Arrival, DEPTH_MAX, Entry, Node, NodeIndex};
use crate::frames::{
    CHAIN_MAX, FRAMES_MAX, INSTRUCTION_BYTES_MAX, Interrupted, NO_RETURN, SAME_STACK_MAX,
};
use crate::functions::FunctionId;
use socscope_core::Transfer;
use std::collections::BTreeMap;

type FrameKey = (FunctionId, u32);

#[derive(Clone, Copy)]
struct Frame {
    key: FrameKey,
    node: NodeIndex,
    entry: Entry,
    caller: Option<FrameKey>,
    return_address: u32,
    return_sp: u32,
}

/// Contexts and frames.
pub struct Reference {
    nodes: Vec<Node>,
    depths: Vec<u16>,
    children: BTreeMap<(Option<NodeIndex>, FunctionId, Entry), NodeIndex>,
    frames: Frames,
    nodes_max: usize,
}

impl Reference {
    pub fn new(function: FunctionId, sp: u32, nodes_max: usize) -> Reference {
        let mut contexts = Reference {
            nodes: vec![],
            depths: vec![],
            children: BTreeMap::new(),
            frames: Frames::new(root_frame(function, sp, NodeIndex(0), Entry::Root)),
            nodes_max,
        };
        contexts.child(None, function, Entry::Root);
        contexts
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn current(&self) -> NodeIndex {
        self.frames.current.node
    }

    pub fn reset(&mut self, function: FunctionId, sp: u32) {
        let node = self.child(None, function, Entry::Root);
        self.frames = Frames::new(root_frame(function, sp, node, Entry::Root));
    }

    /// Keys of all frames with their contexts, and of the current one; where code goes on that was interrupted.
    pub fn frames(&self) -> (Vec<(FrameKey, NodeIndex)>, FrameKey, Interrupted) {
        let frames = &self.frames;
        let alive = frames.alive.values().map(|frame| (frame.key, frame.node));
        (
            alive.collect(),
            frames.current.key,
            frames.interrupted.clone(),
        )
    }

    pub fn returns(&self, address: u32, sp: u32) -> bool {
        self.frames.returns(address, sp)
    }

    pub fn transfer(&mut self, to: Arrival) {
        let Arrival { function, sp, .. } = to;
        match to.kind {
            Transfer::Call => self.call(to),
            Transfer::ExceptionEntry(_) => {
                let caller = self.frames.current;
                let parent = to.is_system_call.then_some(caller.node);
                let node = self.child(parent, function, Entry::Exception);
                let back = to.interrupted.map(|at| (at.address | 1, at.sp));
                let (return_address, return_sp) = back.unwrap_or((NO_RETURN, sp));
                if self.frames.interrupted.len() >= FRAMES_MAX {
                    self.frames.clear();
                }
                self.frames.push(Frame {
                    caller: Some(caller.key),
                    return_address,
                    return_sp,
                    ..root_frame(function, sp, node, Entry::Exception)
                });
                if let Some(at) = to.interrupted
                    && at.address | 1 != NO_RETURN
                {
                    let place = (at.address, at.sp);
                    self.frames.interrupted.insert(place, caller.key);
                }
            }
            Transfer::Jump if self.returns(to.address, sp) && self.frames.pop().is_some() => {
                self.goes_on_in(function);
            }
            Transfer::Jump if to.at_start => self.jump(function, sp),
            Transfer::ExceptionReturn if self.frames.leave_exception(to.address, sp) => {
                self.goes_on_in(function);
            }
            Transfer::ExceptionReturn if self.frames.resume_interrupted(to.address, sp) => {
                self.goes_on_in(function);
            }
            Transfer::ExceptionReturn if to.one_stack && self.frames.exception_goes_on(sp) => {
                self.jump(function, sp);
            }
            Transfer::Jump | Transfer::ExceptionReturn => {
                // A task that starts is at a first instruction.
                if !self.frames.resume(function, sp, to.at_start) {
                    let node = self.child(None, function, Entry::Root);
                    let frame = root_frame(function, sp, node, Entry::Root);
                    self.frames.push(frame);
                }
            }
        }
    }

    pub fn fall_through(&mut self, function: FunctionId) {
        self.jump(function, self.frames.current.key.1);
    }

    fn goes_on_in(&mut self, function: FunctionId) {
        if self.frames.current.key.0 != function {
            self.fall_through(function);
        }
    }

    fn call(&mut self, to: Arrival) {
        let caller = self.frames.current;
        let node = self.child(Some(caller.node), to.function, Entry::Call);
        self.frames.push(Frame {
            key: (to.function, to.sp),
            node,
            entry: Entry::Call,
            caller: Some(caller.key),
            return_address: to.next,
            return_sp: to.sp,
        });
    }

    fn jump(&mut self, function: FunctionId, sp: u32) {
        if let Some(frame) = self.frames.jumped_from(function) {
            self.frames.current = frame;
            return;
        }
        let from = self.frames.current;
        let node = self.child(Some(from.node), function, Entry::Jump);
        self.frames.push(Frame {
            key: (function, sp),
            node,
            entry: Entry::Jump,
            caller: Some(from.key),
            ..from
        });
    }

    fn child(
        &mut self,
        parent: Option<NodeIndex>,
        function: FunctionId,
        entry: Entry,
    ) -> NodeIndex {
        if let Some(&node) = self.children.get(&(parent, function, entry)) {
            return node;
        }
        let depth = parent.map_or(0, |parent| self.depths[parent.0 as usize] + 1);
        if depth > DEPTH_MAX
            && let Some(node) = self.ancestor(parent, function, entry)
        {
            return node;
        }
        if self.nodes.len() >= self.nodes_max && parent.is_some_and(|parent| !self.is_fold(parent))
        {
            let root = self.child(None, FunctionId::FOLDED, Entry::Root);
            return self.child(Some(root), function, entry);
        }
        let node = NodeIndex(self.nodes.len() as u32);
        self.children.insert((parent, function, entry), node);
        self.depths.push(depth.min(DEPTH_MAX));
        self.nodes.push(Node {
            parent,
            function,
            entry,
        });
        node
    }

    fn is_fold(&self, node: NodeIndex) -> bool {
        self.nodes[node.0 as usize].function == FunctionId::FOLDED
    }

    fn ancestor(
        &self,
        mut at: Option<NodeIndex>,
        function: FunctionId,
        entry: Entry,
    ) -> Option<NodeIndex> {
        while let Some(index) = at {
            let node = self.nodes[index.0 as usize];
            if (node.function, node.entry) == (function, entry) {
                return Some(index);
            }
            at = node.parent;
        }
        None
    }
}

fn root_frame(function: FunctionId, sp: u32, node: NodeIndex, entry: Entry) -> Frame {
    Frame {
        key: (function, sp),
        node,
        entry,
        caller: None,
        return_address: NO_RETURN,
        return_sp: sp,
    }
}

struct Frames {
    alive: BTreeMap<FrameKey, Frame>,
    interrupted: BTreeMap<(u32, u32), FrameKey>,
    current: Frame,
}

impl Frames {
    fn new(frame: Frame) -> Frames {
        Frames {
            alive: BTreeMap::from([(frame.key, frame)]),
            interrupted: BTreeMap::new(),
            current: frame,
        }
    }

    fn clear(&mut self) {
        self.alive.clear();
        self.interrupted.clear();
    }

    fn push(&mut self, frame: Frame) {
        if self.alive.len() >= FRAMES_MAX {
            self.clear();
        }
        let (function, mut sp) = frame.key;
        for _ in 0..SAME_STACK_MAX {
            let taken = self.alive.contains_key(&(function, sp));
            sp -= u32::from(taken && self.below((function, sp)).is_some());
        }
        let key = (function, sp);
        let frame = Frame { key, ..frame };
        self.alive.insert(key, frame);
        self.current = frame;
    }

    fn returns(&self, address: u32, sp: u32) -> bool {
        address == self.current.return_address && sp == self.current.return_sp
    }

    fn pop(&mut self) -> Option<NodeIndex> {
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

    fn jumped_from(&self, function: FunctionId) -> Option<Frame> {
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

    fn resume(&mut self, function: FunctionId, sp: u32, exact: bool) -> bool {
        let last = if exact { sp } else { u32::MAX };
        let first = sp.saturating_sub(SAME_STACK_MAX);
        let mut frames = self.alive.range((function, first)..=(function, last));
        let found = frames.next().map(|(_, frame)| *frame);
        self.go_on_in(found)
    }

    fn resume_interrupted(&mut self, address: u32, sp: u32) -> bool {
        let key = self.interrupted.remove(&(address, sp));
        let found = key.and_then(|key| self.alive.get(&key).copied());
        self.go_on_in(found)
    }

    fn go_on_in(&mut self, found: Option<Frame>) -> bool {
        if let Some(frame) = found {
            if self.below(frame.key).is_some() {
                self.go_back_to(frame);
            }
            self.current = frame;
        }
        found.is_some()
    }

    fn go_back_to(&mut self, frame: Frame) {
        while self.current.key != frame.key {
            self.alive.remove(&self.current.key);
            match self.current.caller.and_then(|key| self.alive.get(&key)) {
                Some(caller) => self.current = *caller,
                None => break,
            }
        }
        self.current = frame;
    }

    fn exception(&self) -> Option<Frame> {
        let mut at = self.current;
        for _ in 0..CHAIN_MAX {
            if at.entry == Entry::Exception {
                return Some(at);
            }
            at = *self.alive.get(&at.caller?)?;
        }
        None
    }

    fn leave_exception(&mut self, address: u32, sp: u32) -> bool {
        let exception = self
            .exception()
            .filter(|frame| frame.return_address != NO_RETURN)
            .filter(|frame| {
                let skipped = address.wrapping_sub(frame.return_address & !1);
                skipped <= INSTRUCTION_BYTES_MAX && frame.return_sp == sp
            });
        let interrupted =
            exception.and_then(|frame| Some((frame, *self.alive.get(&frame.caller?)?)));
        if let Some((exception, frame)) = interrupted {
            let place = (exception.return_address & !1, exception.return_sp);
            self.interrupted.remove(&place);
            self.go_back_to(frame);
        }
        interrupted.is_some()
    }

    fn exception_goes_on(&self, sp: u32) -> bool {
        self.exception().is_some_and(|frame| frame.key.1 != sp)
    }

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
