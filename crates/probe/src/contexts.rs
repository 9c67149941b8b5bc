//! Calling contexts: which function runs, as reached through which callers, across tasks and exceptions.
//!
//! Every entry of a function leaves a frame: the function, the stack pointer at that moment, and where it returns to. A jump to that place with
//! that stack pointer is the return. When control comes back into the middle of a function in another way (longjmp, task switch, return from an
//! exception), its context is that of its frame nearest above the stack pointer: stacks lie apart in memory, so a frame needs no name of its
//! task. Nothing has to be known about the operating system.

use crate::frames::{Frame, Frames, NO_RETURN};
use crate::functions::FunctionId;
use socscope_interpreter::Transfer;
use std::collections::BTreeMap;

/// Names a calling context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(pub u32);

/// How a function was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entry {
    /// Not from another function: reset, the start of a task, an interrupt.
    Root,
    /// A branch with link.
    Call,
    /// A jump to a function's first instruction, or falling into it.
    Jump,
    /// An exception: software interrupts below their callers, all others at the root.
    Exception,
}

/// A calling context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The caller's context.
    pub parent: Option<NodeIndex>,
    /// The function.
    pub function: FunctionId,
    /// How it was entered.
    pub entry: Entry,
}

/// All contexts of a run and the frames that are alive.
#[derive(Clone, Debug)]
pub(crate) struct Contexts {
    nodes: Vec<Node>,
    depths: Vec<u16>,
    children: BTreeMap<(Option<NodeIndex>, FunctionId, Entry), NodeIndex>,
    frames: Frames,
}

/// A transfer of control to another function, or back into the same one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub function: FunctionId,
    /// Where control arrives.
    pub address: u32,
    /// Whether that is the function's first instruction.
    pub at_start: bool,
    pub kind: Transfer,
    /// Stack pointer of the mode now in force.
    pub sp: u32,
    /// The instruction behind the one that left.
    pub next: u32,
}

const SOFTWARE_INTERRUPT: u8 = 2;

/// Recursion that is deeper than this shares its contexts, so that a runaway guest does not fill the host's memory.
const DEPTH_MAX: u16 = 500;

impl Contexts {
    /// Begins in `function`.
    pub fn new(function: FunctionId, sp: u32) -> Contexts {
        let mut contexts = Contexts {
            nodes: vec![],
            depths: vec![],
            children: BTreeMap::new(),
            frames: Frames::new(root_frame(function, sp, NodeIndex(0), Entry::Root)),
        };
        contexts.child(None, function, Entry::Root);
        contexts
    }

    /// The contexts by index.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The context that runs.
    pub fn current(&self) -> NodeIndex {
        self.frames.current.node
    }

    /// The core was reset: no frame is left.
    pub fn reset(&mut self, function: FunctionId, sp: u32) {
        let node = self.child(None, function, Entry::Root);
        self.frames = Frames::new(root_frame(function, sp, node, Entry::Root));
    }

    /// Whether a jump is the current function's return.
    #[inline]
    pub fn returns(&self, address: u32, sp: u32) -> bool {
        self.frames.returns(address, sp)
    }

    /// Control goes from the current context into another function, or back into the same one.
    pub fn transfer(&mut self, to: Arrival) {
        let Arrival { function, sp, .. } = to;
        match to.kind {
            Transfer::Call => self.call(to, Entry::Call, to.next),
            Transfer::ExceptionEntry(SOFTWARE_INTERRUPT) => {
                self.call(to, Entry::Exception, NO_RETURN);
            }
            Transfer::ExceptionEntry(_) => {
                let node = self.child(None, function, Entry::Exception);
                self.frames.push(Frame {
                    caller: Some(self.frames.current.key),
                    ..root_frame(function, sp, node, Entry::Exception)
                });
            }
            Transfer::Jump if self.returns(to.address, sp) && self.frames.pop().is_some() => {}
            Transfer::Jump if to.at_start => self.jump(function, sp),
            Transfer::Jump | Transfer::ExceptionReturn => {
                // A task that starts is at a first instruction, and so is one that was interrupted there.
                if self.frames.resume(function, sp, to.at_start).is_none() {
                    let node = self.child(None, function, Entry::Root);
                    let frame = root_frame(function, sp, node, Entry::Root);
                    self.frames.push(frame);
                }
            }
        }
    }

    /// Execution falls from one function into the next one.
    pub fn fall_through(&mut self, function: FunctionId) {
        self.jump(function, self.frames.current.key.1);
    }

    fn call(&mut self, to: Arrival, entry: Entry, return_address: u32) {
        let caller = self.frames.current;
        let node = self.child(Some(caller.node), to.function, entry);
        self.frames.push(Frame {
            key: (to.function, to.sp),
            node,
            entry,
            caller: Some(caller.key),
            return_address,
            return_sp: to.sp,
        });
    }

    /// A tail call: the function returns where the one that jumped to it would have. Functions that jump to each other in a circle
    /// share their contexts, or the tree would grow for ever.
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

    /// The nearest context above that has the same function and entry.
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

/// A frame from which there is no way back.
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

#[cfg(test)]
mod tests;
