//! What can be said of instructions without knowing values: their shape, and where blocks begin.

use crate::program::Program;
use socscope_arm::{
    ALWAYS, InstructionSet, LINK, Leave, STACK, Value, condition_code, encoding, footprint,
};
use socscope_isa::CycleClass;
use std::collections::{BTreeMap, BTreeSet};

/// How far conditional instructions may be from what sets their flags, to be told apart.
const AHEAD_MAX: u32 = 10;

/// The shape of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Its condition field.
    pub condition: u32,
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
#[derive(Clone, Debug, Default)]
pub struct Scan {
    shapes: BTreeMap<(InstructionSet, u32), Shape>,
    leaders: BTreeSet<u32>,
    reached: BTreeSet<(InstructionSet, u32)>,
}

impl Scan {
    /// Blocks begin where the program says so.
    pub fn new(program: &Program) -> Scan {
        let mut leaders = program.marked.clone();
        leaders.extend(&program.never);
        leaders.extend(&program.stops);
        Scan {
            leaders,
            ..Scan::default()
        }
    }

    /// Whether a block begins at an address.
    pub fn leads(&self, address: u32) -> bool {
        self.leaders.contains(&address)
    }

    /// The shape of the instruction at an address where one is.
    pub fn shape(&mut self, program: &Program, set: InstructionSet, address: u32) -> Shape {
        let read = || {
            let word = program.instruction(set, address).unwrap_or(0);
            let found = footprint(set, address, word);
            let next = address.wrapping_add(set.width().bytes());
            Shape {
                condition: condition_code(set, word),
                class: encoding(set, word).class,
                leaves: found.leave.is_some(),
                writes_flags: found.flags_written.0 != 0 || found.status_written,
                moves_stack: found.writes.contains(STACK),
                target: match found.leave {
                    Some(Leave::Branch(Value::Constant(target))) => Some(target),
                    _ => None,
                },
                calls: found
                    .constants
                    .iter()
                    .any(|&(index, value)| index == LINK && value & !1 == next),
            }
        };
        *self.shapes.entry((set, address)).or_insert_with(read)
    }

    /// Control comes to an address: finds the blocks that follow from there by known jumps.
    pub fn reach(&mut self, program: &Program, set: InstructionSet, address: u32) {
        self.leaders.insert(address);
        let mut waiting = vec![address];
        let width = set.width().bytes();
        while let Some(start) = waiting.pop() {
            let mut at = start;
            while program.instruction(set, at).is_some() && self.reached.insert((set, at)) {
                let shape = self.shape(program, set, at);
                let next = at.wrapping_add(width);
                if shape.leaves {
                    if let (Some(target), false) = (shape.target, shape.calls) {
                        self.leaders.insert(target);
                        waiting.push(target);
                    }
                    if shape.condition == ALWAYS && !shape.calls {
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
        set: InstructionSet,
        address: u32,
        with_jumps: bool,
    ) -> bool {
        let mut at = address;
        for _ in 0..AHEAD_MAX {
            if program.instruction(set, at).is_none() {
                return false;
            }
            let shape = self.shape(program, set, at);
            if shape.condition != ALWAYS && (!shape.leaves || with_jumps) {
                return true;
            }
            if shape.leaves || shape.writes_flags {
                return false;
            }
            at = at.wrapping_add(set.width().bytes());
        }
        false
    }
}
