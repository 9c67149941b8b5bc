//! The ways out of translated code.

use crate::profile::Owed;
use crate::slots::Slots;
use crate::states::StateIndex;
use crate::statistics::Reason;
use socscope_memory::{Direction, RegionIndex};

/// Where the program goes on, and with which state of the timing model.
#[derive(Clone, Debug)]
pub(crate) enum Exit<F, M> {
    /// The interpreter has to execute the instruction at `address`.
    Left {
        address: u32,
        state: StateIndex,
        /// An address in the function that runs.
        function: u32,
    },
    /// The same, because of an access; at the context's exit address where regions are learnt.
    Access {
        address: u32,
        state: StateIndex,
        direction: Direction,
    },
    /// The deadline is too near.
    Deadline { address: u32, state: StateIndex },
    /// At a known place; `slot` holds the code that goes on there, once it exists, and `page`, if it is to be looked at, where its page has to lie.
    Known {
        address: u32,
        state: StateIndex,
        slot: usize,
        page: Option<usize>,
    },
    /// At the context's exit address, in code of a flavour.
    Computed {
        state: StateIndex,
        flavour: F,
        refill: Option<Refill<M>>,
    },
    /// At `address`, where something may come before the next instruction: an access to a device was made, hooks were called, or time ran out.
    Reached {
        address: u32,
        state: StateIndex,
        /// An address in the function that runs.
        function: u32,
    },
}

/// The instruction at `from` has filled the pipeline, and paid as if from the translation's own region.
#[derive(Clone, Debug)]
pub(crate) struct Refill<M> {
    pub from: u32,
    /// The timing model before that.
    pub model: M,
    /// What the instruction has paid.
    pub cost: u64,
}

/// An exit, with what it owes to the counters, and flavour and region of its translation.
#[derive(Debug)]
pub(crate) struct Way<F, M> {
    pub exit: Exit<F, M>,
    pub owed: Owed,
    pub reason: Reason,
    pub flavour: F,
    pub region: RegionIndex,
}

/// All exits by number, and the slots by which translations are chained.
pub(crate) struct Exits<F, M> {
    exits: Vec<Way<F, M>>,
    pub slots: Slots,
    /// Why the present instruction of the translation that is being made would be left to the interpreter.
    pub reason: Reason,
}

impl<F, M> Exits<F, M> {
    pub fn new() -> Exits<F, M> {
        Exits {
            exits: vec![],
            slots: Slots::default(),
            reason: Reason::Other,
        }
    }

    /// A new exit's number; of a translation of this flavour and region.
    pub fn add(&mut self, exit: Exit<F, M>, (flavour, region): (F, RegionIndex)) -> u32 {
        self.exits.push(Way {
            exit,
            owed: Owed::default(),
            reason: self.reason,
            flavour,
            region,
        });
        self.exits.len() as u32 - 1
    }

    /// Sets what is owed where an exit is taken.
    pub fn owe(&mut self, number: u32, owed: Owed) {
        self.exits[number as usize].owed = owed;
    }

    /// An exit.
    pub fn get(&self, number: u32) -> &Way<F, M> {
        &self.exits[number as usize]
    }

    /// How many exits there are.
    pub fn len(&self) -> usize {
        self.exits.len()
    }

    /// Forgets all; the code that used them must be gone.
    pub fn clear(&mut self) {
        self.exits.clear();
        self.slots.clear();
    }
}
