//! The ways out of translated code.

use crate::states::StateIndex;
use socscope_isa::arm::InstructionSet;
use socscope_memory::Direction;

/// Where the program goes on, and what the engine knows of it. The state is that of the timing model there.
#[derive(Clone, Debug)]
pub(crate) enum Exit<M> {
    /// The interpreter has to execute the instruction at `address`.
    Left { address: u32, state: StateIndex },
    /// The same, because of the access at the context's exit address.
    Access {
        address: u32,
        state: StateIndex,
        direction: Direction,
    },
    /// The deadline is too near.
    Deadline { address: u32, state: StateIndex },
    /// At a known place; `slot` holds the code that goes on there, once it exists.
    Known {
        address: u32,
        state: StateIndex,
        slot: usize,
    },
    /// At the context's exit address. The instruction that leads there has still to refill the pipeline, with `model`.
    Computed { set: InstructionSet, model: M },
}

const SLOTS_TOGETHER: usize = 1024;

/// All exits by number, and the slots by which translations are chained.
pub(crate) struct Exits<M> {
    exits: Vec<(Exit<M>, InstructionSet)>,
    slots: Vec<Box<[u64; SLOTS_TOGETHER]>>,
    slots_used: usize,
    /// The instruction set of the translation that is being made.
    pub set: InstructionSet,
}

impl<M> Exits<M> {
    pub fn new() -> Exits<M> {
        Exits {
            exits: vec![],
            slots: vec![],
            slots_used: 0,
            set: InstructionSet::Arm,
        }
    }

    /// A new exit's number.
    pub fn add(&mut self, exit: Exit<M>) -> u32 {
        self.exits.push((exit, self.set));
        self.exits.len() as u32 - 1
    }

    /// An exit, and the instruction set of its translation.
    pub fn get(&self, number: u32) -> &(Exit<M>, InstructionSet) {
        &self.exits[number as usize]
    }

    /// How many exits there are.
    pub fn len(&self) -> usize {
        self.exits.len()
    }

    /// A new slot's number and address.
    pub fn slot(&mut self) -> (usize, u64) {
        let number = self.slots_used;
        self.slots_used += 1;
        if number / SLOTS_TOGETHER >= self.slots.len() {
            self.slots.push(Box::new([0; SLOTS_TOGETHER]));
        }
        let slot = &mut self.slots[number / SLOTS_TOGETHER][number % SLOTS_TOGETHER];
        *slot = 0;
        (number, std::ptr::from_ref(slot) as u64)
    }

    /// Chains a slot to code, or with 0 unchains it.
    pub fn chain(&mut self, slot: usize, code: u64) {
        self.slots[slot / SLOTS_TOGETHER][slot % SLOTS_TOGETHER] = code;
    }

    /// Forgets all; the code that used them must be gone.
    pub fn clear(&mut self) {
        self.exits.clear();
        self.slots_used = 0;
    }
}
