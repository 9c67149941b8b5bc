//! Calling contexts: which function runs, as reached through which callers, across tasks and exceptions.
//!
//! Every entry of a function leaves a frame: the function, and the stack pointer at that moment. Stacks lie apart in memory, so a frame needs
//! no name of its task: when control comes back into the middle of a function (return, longjmp, task switch, return from an exception), its
//! context is that of its frame nearest above the stack pointer. Nothing has to be known about the operating system.

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
#[derive(Clone, Debug, Default)]
pub(crate) struct Contexts {
    nodes: Vec<Node>,
    children: BTreeMap<(Option<NodeIndex>, FunctionId, Entry), NodeIndex>,
    /// For each function its frames by stack pointer; the newest of equal ones wins.
    frames: BTreeMap<FunctionId, BTreeMap<u32, NodeIndex>>,
}

const SOFTWARE_INTERRUPT: u8 = 2;

impl Contexts {
    /// The contexts by index.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The context without a caller of a function.
    pub fn root(&mut self, function: FunctionId, entry: Entry) -> NodeIndex {
        self.child(None, function, entry)
    }

    /// Control goes from context `from` into `function`: to its first instruction (`at_start`) or into its middle.
    pub fn transfer(
        &mut self,
        from: NodeIndex,
        function: FunctionId,
        at_start: bool,
        kind: Transfer,
        sp: u32,
    ) -> NodeIndex {
        let node = match kind {
            Transfer::Call => self.child(Some(from), function, Entry::Call),
            Transfer::ExceptionEntry(SOFTWARE_INTERRUPT) => {
                self.child(Some(from), function, Entry::Exception)
            }
            Transfer::ExceptionEntry(_) => self.root(function, Entry::Exception),
            Transfer::Jump if at_start => self.jump(from, function),
            Transfer::Jump | Transfer::ExceptionReturn => match self.resumed(function, sp) {
                Some(node) => return node,
                None => self.root(function, Entry::Root),
            },
        };
        self.frames.entry(function).or_default().insert(sp, node);
        node
    }

    /// Execution falls from one function into the next one.
    pub fn fall_through(&mut self, from: NodeIndex, function: FunctionId) -> NodeIndex {
        self.jump(from, function)
    }

    /// A tail call. Functions that jump to each other in a circle share their contexts, or the tree would grow for ever.
    fn jump(&mut self, from: NodeIndex, function: FunctionId) -> NodeIndex {
        let mut at = from;
        loop {
            let node = self.nodes[at.0 as usize];
            if node.function == function {
                return at;
            }
            match node.parent {
                Some(parent) if node.entry == Entry::Jump => at = parent,
                _ => return self.child(Some(from), function, Entry::Jump),
            }
        }
    }

    fn resumed(&self, function: FunctionId, sp: u32) -> Option<NodeIndex> {
        self.frames
            .get(&function)?
            .range(sp..)
            .next()
            .map(|(_, &node)| node)
    }

    fn child(
        &mut self,
        parent: Option<NodeIndex>,
        function: FunctionId,
        entry: Entry,
    ) -> NodeIndex {
        let next = NodeIndex(self.nodes.len() as u32);
        let node = *self
            .children
            .entry((parent, function, entry))
            .or_insert(next);
        if node == next {
            self.nodes.push(Node {
                parent,
                function,
                entry,
            });
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: FunctionId = FunctionId(0);
    const COPY: FunctionId = FunctionId(1);
    const HANDLER: FunctionId = FunctionId(2);
    const OTHER: FunctionId = FunctionId(3);

    #[test]
    fn an_interrupted_library_function_keeps_its_caller() {
        let mut contexts = Contexts::default();
        let main = contexts.root(MAIN, Entry::Root);
        let copy = contexts.transfer(main, COPY, true, Transfer::Call, 0x1000);
        let handler = contexts.transfer(copy, HANDLER, true, Transfer::ExceptionEntry(6), 0x8000);
        let copy_in_handler = contexts.transfer(handler, COPY, true, Transfer::Call, 0x7f00);
        assert_ne!(copy, copy_in_handler);
        let back = contexts.transfer(copy_in_handler, HANDLER, false, Transfer::Jump, 0x7f00);
        assert_eq!(back, handler);
        assert_eq!(
            contexts.transfer(handler, COPY, false, Transfer::ExceptionReturn, 0x0ff0),
            copy
        );
    }

    #[test]
    fn a_task_switch_finds_the_other_tasks_context() {
        let mut contexts = Contexts::default();
        let main = contexts.root(MAIN, Entry::Root);
        let other = contexts.root(OTHER, Entry::Root);
        let copy_of_main = contexts.transfer(main, COPY, true, Transfer::Call, 0x1000);
        let copy_of_other = contexts.transfer(other, COPY, true, Transfer::Call, 0x2000);
        assert_eq!(
            contexts.transfer(
                copy_of_other,
                COPY,
                false,
                Transfer::ExceptionReturn,
                0x0fc0
            ),
            copy_of_main
        );
        assert_eq!(
            contexts.transfer(copy_of_main, COPY, false, Transfer::ExceptionReturn, 0x1fc0),
            copy_of_other
        );
    }

    #[test]
    fn functions_that_jump_to_each_other_do_not_grow_the_tree() {
        let mut contexts = Contexts::default();
        let main = contexts.root(MAIN, Entry::Root);
        let mut at = contexts.transfer(main, COPY, true, Transfer::Call, 0x1000);
        for _ in 0..10 {
            at = contexts.transfer(at, OTHER, true, Transfer::Jump, 0x1000);
            at = contexts.transfer(at, COPY, true, Transfer::Jump, 0x1000);
        }
        assert_eq!(contexts.nodes().len(), 3);
    }
}
