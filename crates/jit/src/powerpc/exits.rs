//! The ways out of translated code.

use crate::slots::Slots;
use crate::states::StateIndex;

/// Where the program goes on, and with which state of the timing model.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exit {
    /// The interpreter has to execute the instruction at `address`.
    Left { address: u32, state: StateIndex },
    /// The same, because of an access.
    Access { address: u32, state: StateIndex },
    /// The deadline is too near.
    Deadline { address: u32, state: StateIndex },
    /// At a known place; `slot` holds the code that goes on there, once it exists, and `page` where its page has to lie.
    Known {
        address: u32,
        state: StateIndex,
        slot: usize,
        page: usize,
    },
    /// At the context's exit address.
    Computed { state: StateIndex },
    /// At `address`, after an access to a device that something may follow before the next instruction.
    Reached { address: u32, state: StateIndex },
}

/// All exits by number, and the slots by which translations are chained.
#[derive(Default)]
pub(crate) struct Exits {
    exits: Vec<Exit>,
    pub slots: Slots,
}

impl Exits {
    /// A new exit's number.
    pub fn add(&mut self, exit: Exit) -> u32 {
        self.exits.push(exit);
        self.exits.len() as u32 - 1
    }

    /// An exit.
    pub fn get(&self, number: u32) -> Exit {
        self.exits[number as usize]
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
