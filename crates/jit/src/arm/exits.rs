//! The ways out of translated code.

use crate::profile::Owed;
use crate::slots::Slots;
use crate::states::StateIndex;
use crate::statistics::Reason;
use socscope_arm::InstructionSet;
use socscope_memory::{Direction, RegionIndex};

/// Where the program goes on, and what the engine knows of it. The state is that of the timing model there.
#[derive(Clone, Debug)]
pub(crate) enum Exit<M> {
    /// The interpreter has to execute the instruction at `address`.
    Left {
        address: u32,
        state: StateIndex,
        /// An address in the function that runs.
        function: u32,
        /// Whether it leads to a computed address, whose function is to be known the next time.
        computed: bool,
    },
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
    /// At the context's exit address. The instruction at `from`, which leads there, has still to refill the pipeline, with `model`.
    Computed {
        from: u32,
        set: InstructionSet,
        model: M,
    },
    /// The same, but the refill was paid for as if the target lay in the translation's region, and a profile knows of the transfer already.
    Arrived {
        from: u32,
        set: InstructionSet,
        model: M,
        cost: u64,
    },
}

/// An exit with its translation's instruction set and region.
#[derive(Debug)]
pub(crate) struct Way<M> {
    pub exit: Exit<M>,
    pub owed: Owed,
    pub reason: Reason,
    pub set: InstructionSet,
    pub region: RegionIndex,
}

/// All exits by number, and the slots by which translations are chained.
pub(crate) struct Exits<M> {
    exits: Vec<Way<M>>,
    slots: Slots,
    /// Instruction set and region of the translation that is being made.
    pub set: InstructionSet,
    pub region: RegionIndex,
    /// Why its present instruction would be left to the interpreter.
    pub reason: Reason,
}

impl<M> Exits<M> {
    pub fn new() -> Exits<M> {
        Exits {
            exits: vec![],
            slots: Slots::default(),
            set: InstructionSet::Arm,
            region: RegionIndex::UNMAPPED,
            reason: Reason::Other,
        }
    }

    /// A new exit's number.
    pub fn add(&mut self, exit: Exit<M>) -> u32 {
        self.exits.push(Way {
            exit,
            owed: Owed::default(),
            reason: self.reason,
            set: self.set,
            region: self.region,
        });
        self.exits.len() as u32 - 1
    }

    /// Sets what is owed where an exit is taken.
    pub fn owe(&mut self, number: u32, owed: Owed) {
        self.exits[number as usize].owed = owed;
    }

    /// An exit.
    pub fn get(&self, number: u32) -> &Way<M> {
        &self.exits[number as usize]
    }

    /// How many exits there are.
    pub fn len(&self) -> usize {
        self.exits.len()
    }

    /// A new slot's number and address.
    pub fn slot(&mut self) -> (usize, u64) {
        self.slots.add()
    }

    /// Chains a slot to code, or with 0 unchains it.
    pub fn chain(&mut self, slot: usize, code: u64) {
        self.slots.set(slot, code);
    }

    /// Forgets all; the code that used them must be gone.
    pub fn clear(&mut self) {
        self.exits.clear();
        self.slots.clear();
    }
}
