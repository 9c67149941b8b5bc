//! Calling contexts: which function runs, as reached through which callers, across tasks and exceptions.
//!
//! Every entry of a function leaves a frame: the function, the stack pointer at that moment, and where it returns to. A jump to that place with
//! that stack pointer is the return. A return from an exception to where code was interrupted, with the stack pointer of that moment, leads to its
//! context, in whatever task. When control comes back into the middle of a function in another way (longjmp, a task that had given up the processor
//! itself), its context is that of its frame nearest above the stack pointer: stacks lie apart in memory, so a frame needs no name of its task. Nothing
//! has to be known about the operating system.

use crate::frames::{Frame, FrameKey, Frames, NO_RETURN};
use crate::functions::FunctionId;
use serde::{Deserialize, Serialize};
use socscope_core::Transfer;
use socscope_jit::shared::{self, Call, Entered, Tracking};
use std::collections::BTreeMap;

/// Names a calling context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeIndex(pub u32);

/// How a function was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Entry {
    /// Not from another function: reset, the start of a task, an interrupt.
    Root,
    /// A branch with link.
    Call,
    /// A jump to a function's first instruction, or falling into it.
    Jump,
    /// An exception: software interrupts and system calls below their callers, all others at the root.
    Exception,
}

/// A calling context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The caller's context.
    pub parent: Option<NodeIndex>,
    /// The function.
    pub function: FunctionId,
    /// How it was entered.
    pub entry: Entry,
}

/// All contexts of a run, their counters, and the frames that are alive.
pub(crate) struct Contexts {
    nodes: Vec<Node>,
    depths: Vec<u16>,
    children: BTreeMap<Step, NodeIndex>,
    frames: Frames,
    nodes_max: usize,
}

/// From which context into which function, and how.
type Step = (Option<NodeIndex>, FunctionId, Entry);

/// The root of what is folded.
const FOLDED: Step = (None, FunctionId::FOLDED, Entry::Root);

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
    /// The function of that instruction.
    pub next_function: FunctionId,
    /// What an exception interrupts; `None` for a program, whose calls are not followed.
    pub interrupted: Option<Interrupted>,
    /// An instruction that returns from exceptions with another stack pointer than that of their entry only switches translation on, or the mode.
    pub one_stack: bool,
    /// The exception that is entered is a system call.
    pub is_system_call: bool,
}

/// Where code goes on that an exception interrupts, and its stack pointer then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interrupted {
    pub address: u32,
    pub sp: u32,
}

/// Recursion that is deeper than this shares its contexts, so that a runaway guest does not fill the host's memory.
pub(crate) const DEPTH_MAX: u16 = 500;

/// Contexts that are told apart. What comes into others, which a guest that calls without ever returning makes without end, is folded: counted
/// under one root, by function and without callers. It depends on the guest alone, so that equal runs fold alike on every host.
pub const CONTEXTS_MAX: usize = 200_000;

impl Contexts {
    /// Begins in `function`, on a machine with so many regions.
    pub fn new(function: FunctionId, sp: u32, regions: usize) -> Contexts {
        let root = (None, function, Entry::Root);
        let node = Node {
            parent: None,
            function,
            entry: Entry::Root,
        };
        Contexts {
            nodes: vec![node],
            depths: vec![0],
            children: BTreeMap::from([(root, NodeIndex(0))]),
            frames: Frames::new(root_frame(function, sp, NodeIndex(0), Entry::Root), regions),
            nodes_max: CONTEXTS_MAX,
        }
    }

    /// Those of an earlier run: the context of a caller stands before those that it called.
    pub fn from_parts(nodes: Vec<Node>, frames: Frames) -> Contexts {
        let mut depths: Vec<u16> = vec![];
        let mut children = BTreeMap::new();
        for (index, node) in nodes.iter().enumerate() {
            let step = (node.parent, node.function, node.entry);
            children.insert(step, NodeIndex(index as u32));
            let depth = node
                .parent
                .map_or(0, |parent| depths[parent.0 as usize] + 1);
            depths.push(depth.min(DEPTH_MAX));
        }
        Contexts {
            nodes,
            depths,
            children,
            frames,
            nodes_max: CONTEXTS_MAX,
        }
    }

    /// Folds what comes into more than so many contexts.
    pub fn set_nodes_max(&mut self, nodes_max: usize) {
        self.nodes_max = nodes_max;
    }

    /// So often all frames were forgotten before.
    pub fn set_forgotten(&mut self, times: u64) {
        self.frames.forgotten = times;
    }

    /// Whether there are contexts so deep that deeper ones are those of the nearest callers of the same function.
    pub fn are_deep(&self) -> bool {
        self.depths.contains(&DEPTH_MAX)
    }

    /// The root of the contexts that were folded.
    pub fn folded(&self) -> Option<NodeIndex> {
        self.children.get(&FOLDED).copied()
    }

    /// The machine has got more regions: counters and frames move to another place.
    pub fn grow(&mut self, regions: usize) {
        let (frames, current) = self.frames.parts(&self.nodes);
        let tracking = self.frames.tracking.grown(regions);
        let forgotten = self.frames.forgotten;
        let interrupted = self.frames.interrupted(&self.nodes);
        self.frames = Frames::from_parts(frames, interrupted, current, tracking);
        self.frames.forgotten = forgotten;
    }

    /// All frames.
    pub fn frames(&self) -> &Frames {
        &self.frames
    }

    /// The contexts by index.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The context that runs.
    #[inline]
    pub fn current(&self) -> NodeIndex {
        NodeIndex(self.tracking().node())
    }

    /// The function of the context that runs.
    pub fn function(&self) -> FunctionId {
        self.nodes[self.current().0 as usize].function
    }

    /// The counters of all contexts.
    #[inline]
    pub fn tracking(&self) -> &Tracking {
        &self.frames.tracking
    }

    /// The counters of all contexts.
    #[inline]
    pub fn tracking_mut(&mut self) -> &mut Tracking {
        &mut self.frames.tracking
    }

    /// The core was reset: no frame is left.
    pub fn reset(&mut self, function: FunctionId, sp: u32) {
        let node = self.child(None, function, Entry::Root);
        self.frames.tracking.enters(node.0);
        self.frames
            .reset(root_frame(function, sp, node, Entry::Root));
    }

    /// Whether a jump is the current function's return.
    #[inline]
    pub fn returns(&self, address: u32, sp: u32) -> bool {
        self.frames.returns(address, sp)
    }

    /// Control goes from the current context into another function, or back into the same one.
    #[inline]
    pub fn transfer(&mut self, to: Arrival) {
        match to.kind {
            Transfer::Call if self.call_fast(to) => {}
            Transfer::Jump if self.frames.tracking.return_fast(to.address, to.sp) => {}
            Transfer::Jump if self.tail_calls(to) && self.jump_fast(to.function, Some(to.sp)) => {}
            Transfer::ExceptionEntry(_) if self.interrupt_fast(to) => {}
            Transfer::ExceptionReturn if self.frames.tracking.leave_fast(to.address, to.sp) => {
                self.goes_on_in(to.function);
            }
            _ => self.transfer_slowly(to),
        }
    }

    #[inline]
    fn call_fast(&mut self, to: Arrival) -> bool {
        let from = self.current();
        if self.nodes[from.0 as usize].function != to.next_function
            || !self.frames.takes_call((to.function, to.sp))
        {
            return false;
        }
        let node = self.child(Some(from), to.function, Entry::Call);
        let call = Call {
            node: node.0,
            sp: to.sp,
            return_address: to.next,
            entered: Entered::Called,
        };
        self.frames.tracking.call(call);
        true
    }

    /// Whether a jump leads to a function's first instruction, and is no return.
    fn tail_calls(&self, to: Arrival) -> bool {
        to.at_start && !self.returns(to.address, to.sp)
    }

    fn jump_fast(&mut self, function: FunctionId, sp: Option<u32>) -> bool {
        let Some(sp) = self.frames.tracking.jumps_fast(function.0, sp) else {
            return false;
        };
        if !self.frames.is_free((function, sp)) {
            return false;
        }
        let node = self.child(Some(self.current()), function, Entry::Jump);
        self.frames.tracking.jump_fast(node.0, sp);
        true
    }

    /// The context of an exception's handler.
    fn handler(&mut self, to: Arrival, from: NodeIndex) -> NodeIndex {
        let parent = to.is_system_call.then_some(from);
        self.child(parent, to.function, Entry::Exception)
    }

    fn interrupt_fast(&mut self, to: Arrival) -> bool {
        let node = self.handler(to, self.current());
        let from = (self.function(), self.tracking().top().sp);
        self.frames.interrupt_fast(exception_frame(to, node, from))
    }

    fn transfer_slowly(&mut self, to: Arrival) {
        let Arrival { function, sp, .. } = to;
        let returns = to.kind == Transfer::Jump && self.returns(to.address, sp);
        let switches = to.kind == Transfer::Jump && !returns && !to.at_start;
        if switches && self.frames.resume_fast(&self.nodes, function, sp) {
            return;
        }
        let from = self.frames.settle(&self.nodes);
        match to.kind {
            Transfer::Call => self.call(to, from),
            Transfer::ExceptionEntry(_) => {
                let node = self.handler(to, from.node);
                self.interrupt(exception_frame(to, node, from.key));
            }
            Transfer::Jump if returns && self.frames.pop().is_some() => self.goes_on_in(function),
            Transfer::Jump if to.at_start => self.jump(from, function, sp),
            Transfer::ExceptionReturn if self.frames.leave_exception(to.address, sp) => {
                self.goes_on_in(function);
            }
            Transfer::ExceptionReturn if self.frames.resume_interrupted(to.address, sp) => {
                self.goes_on_in(function);
            }
            Transfer::ExceptionReturn if to.one_stack && self.frames.exception_goes_on(sp) => {
                self.jump(from, function, sp);
            }
            Transfer::Jump | Transfer::ExceptionReturn => {
                // A task that starts is at a first instruction.
                if !self.frames.resume(function, sp, to.at_start) {
                    let node = self.child(None, function, Entry::Root);
                    let frame = root_frame(function, sp, node, Entry::Root);
                    self.enter(frame);
                }
            }
        }
    }

    /// Execution falls from one function into the next one.
    pub fn fall_through(&mut self, function: FunctionId) {
        if self.jump_fast(function, None) {
            return;
        }
        let from = self.frames.settle(&self.nodes);
        self.jump(from, function, from.key.1);
    }

    /// Control has come back to a frame, behind the instruction that left it: in another function if that was the last instruction of its own.
    fn goes_on_in(&mut self, function: FunctionId) {
        if self.function() != function {
            self.fall_through(function);
        }
    }

    fn call(&mut self, to: Arrival, from: Frame) {
        let node = self.child(Some(from.node), to.function, Entry::Call);
        let home = from.key.0;
        self.enter(Frame {
            key: (to.function, to.sp),
            node,
            entry: Entry::Call,
            caller: Some(from.key),
            return_address: to.next,
            return_sp: to.sp,
            plain: to.next_function == home,
        });
    }

    /// A tail call: the function returns where the one that jumped to it would have. Functions that jump to each other in a circle
    /// share their contexts, or the tree would grow for ever.
    fn jump(&mut self, from: Frame, function: FunctionId, sp: u32) {
        if let Some(frame) = self.frames.jumped_from(function) {
            self.frames.tracking.enters(frame.node.0);
            self.frames.go_on_in(frame);
            return;
        }
        let node = self.child(Some(from.node), function, Entry::Jump);
        self.enter(Frame {
            key: (function, sp),
            node,
            entry: Entry::Jump,
            caller: Some(from.key),
            plain: false,
            ..from
        });
    }

    fn enter(&mut self, frame: Frame) {
        self.frames.tracking.enters(frame.node.0);
        self.frames.push(frame);
    }

    fn interrupt(&mut self, handler: Frame) {
        self.frames.tracking.enters(handler.node.0);
        self.frames.interrupt(handler);
    }

    #[inline]
    fn child(
        &mut self,
        parent: Option<NodeIndex>,
        function: FunctionId,
        entry: Entry,
    ) -> NodeIndex {
        let step = match entry {
            Entry::Call => shared::Step::Call,
            Entry::Jump => shared::Step::Jump,
            Entry::Exception => shared::Step::SystemCall,
            Entry::Root => return self.child_slowly((parent, function, entry)),
        };
        let Some(from) = parent else {
            return self.child_slowly((parent, function, entry));
        };
        let tracking = &self.frames.tracking;
        if let Some(node) = tracking.step(step, from.0, function.0) {
            return NodeIndex(node);
        }
        let node = self.child_slowly((parent, function, entry));
        let tracking = &mut self.frames.tracking;
        tracking.set_step(step, from.0, function.0, node.0);
        node
    }

    fn child_slowly(&mut self, step: Step) -> NodeIndex {
        let (parent, function, entry) = step;
        if let Some(&node) = self.children.get(&step) {
            return node;
        }
        let depth = parent.map_or(0, |parent| self.depths[parent.0 as usize] + 1);
        if depth > DEPTH_MAX
            && let Some(node) = self.ancestor(parent, function, entry)
        {
            return node;
        }
        // Roots are not more than functions.
        if self.nodes.len() >= self.nodes_max && parent.is_some() {
            let root = self.fold_root();
            let folded = (Some(root), function, entry);
            return match self.children.get(&folded) {
                Some(&known) => known,
                None => self.add(folded),
            };
        }
        self.add(step)
    }

    /// The root of what is folded.
    pub fn fold_root(&mut self) -> NodeIndex {
        self.folded().unwrap_or_else(|| self.add(FOLDED))
    }

    fn add(&mut self, step: Step) -> NodeIndex {
        let (parent, function, entry) = step;
        let depth = parent.map_or(0, |parent| self.depths[parent.0 as usize] + 1);
        let node = NodeIndex(self.frames.tracking.add_node(function.0));
        self.children.insert(step, node);
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
        plain: false,
    }
}

/// The frame of an exception's handler. It keeps where the interrupted code goes on as an odd address: only the return from the exception leads there.
fn exception_frame(to: Arrival, node: NodeIndex, from: FrameKey) -> Frame {
    let frame = root_frame(to.function, to.sp, node, Entry::Exception);
    Frame {
        caller: Some(from),
        return_address: to.interrupted.map_or(NO_RETURN, |at| at.address | 1),
        return_sp: to.interrupted.map_or(to.sp, |at| at.sp),
        ..frame
    }
}

#[cfg(test)]
mod against_reference;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
