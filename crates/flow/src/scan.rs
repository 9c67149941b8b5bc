//! What can be said of instructions without knowing values: their shape, and where blocks begin.

use crate::architecture::Architecture;
use crate::blocks::CodeState;
use crate::program::Program;
use socscope_isa::CycleClass;
use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

/// How far conditional instructions may be from what sets their flags, to be told apart.
const AHEAD_MAX: u32 = 10;

/// The shape of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Its kind of condition.
    pub predicate: usize,
    /// Whether it may be passed over as a whole.
    pub conditional: bool,
    /// Whether the next instruction may follow.
    pub goes_on: bool,
    /// Its cycle class.
    pub class: CycleClass,
    /// Whether it can leave.
    pub leaves: bool,
    /// Whether it sets flags.
    pub writes_flags: bool,
    /// Whether it moves the stack pointer.
    pub moves_stack: bool,
    /// Where it leaves to, where the encoding tells.
    pub target: Option<u32>,
    /// Whether it leaves a way back to the next instruction.
    pub calls: bool,
}

/// Shapes, and addresses at which blocks begin.
#[derive(Clone, Debug)]
pub struct Scan<A> {
    shapes: BTreeMap<(CodeState, u32), Shape>,
    leaders: BTreeSet<u32>,
    reached: BTreeSet<(CodeState, u32)>,
    architecture: PhantomData<A>,
}

impl<A: Architecture> Scan<A> {
    /// Blocks begin where the program says so.
    pub fn new(program: &Program) -> Scan<A> {
        let mut leaders = program.marked.clone();
        leaders.extend(&program.never);
        leaders.extend(&program.stops);
        Scan {
            leaders,
            shapes: BTreeMap::new(),
            reached: BTreeSet::new(),
            architecture: PhantomData,
        }
    }

    /// Whether a block begins at an address.
    pub fn leads(&self, address: u32) -> bool {
        self.leaders.contains(&address)
    }

    /// The shape of the instruction at an address where one is.
    pub fn shape(&mut self, program: &Program, code: CodeState, address: u32) -> Shape {
        let read = || {
            let least = || (0, A::width(program, code, address));
            A::shape(
                code,
                address,
                A::opcode(program, code, address).unwrap_or_else(least),
            )
        };
        *self.shapes.entry((code, address)).or_insert_with(read)
    }

    /// Control comes to an address: finds the blocks that follow from there by known jumps.
    pub fn reach(&mut self, program: &Program, code: CodeState, address: u32) {
        self.leaders.insert(address);
        let mut waiting = vec![address];
        while let Some(start) = waiting.pop() {
            let mut at = start;
            while let Some((_, width)) = A::opcode(program, code, at)
                && self.reached.insert((code, at))
            {
                let shape = self.shape(program, code, at);
                let next = at.wrapping_add(width.bytes());
                if shape.leaves {
                    if let (Some(target), false) = (shape.target, shape.calls) {
                        self.leaders.insert(target);
                        waiting.push(target);
                    }
                    if !shape.goes_on && !shape.calls {
                        break;
                    }
                    self.leaders.insert(next);
                }
                at = next;
            }
        }
    }

    /// Whether instructions from an address on rely on the flags that it finds; `with_jumps` counts jumps, too.
    pub fn keeps(
        &mut self,
        program: &Program,
        code: CodeState,
        address: u32,
        with_jumps: bool,
    ) -> bool {
        let mut at = address;
        for _ in 0..AHEAD_MAX {
            let Some((_, width)) = A::opcode(program, code, at) else {
                return false;
            };
            let shape = self.shape(program, code, at);
            if shape.conditional && (!shape.leaves || with_jumps) {
                return true;
            }
            if shape.leaves || shape.writes_flags {
                return false;
            }
            at = at.wrapping_add(width.bytes());
        }
        false
    }
}
