//! The ways out of translated code.

use crate::profile::Owed;
use crate::slots::Slots;
use crate::states::StateIndex;
use crate::statistics::Reason;
use socscope_memory::RegionIndex;

/// Where the program goes on, and with which state of the timing model.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exit {
    /// The interpreter has to execute the instruction at `address`.
    Left {
        address: u32,
        state: StateIndex,
        /// An address in the function that runs.
        function: u32,
        /// Whether it leads to a computed address, whose function is to be known the next time.
        computed: bool,
    },
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
    Reached {
        address: u32,
        state: StateIndex,
        /// An address in the function that runs.
        function: u32,
    },
}

/// An exit, with what it owes to the counters and the region of its translation.
#[derive(Debug)]
pub(crate) struct Way {
    pub exit: Exit,
    pub owed: Owed,
    pub reason: Reason,
    pub region: RegionIndex,
}

/// All exits by number, and the slots by which translations are chained.
pub(crate) struct Exits {
    exits: Vec<Way>,
    pub slots: Slots,
    /// Region of the translation that is being made.
    pub region: RegionIndex,
    /// Why its present instruction would be left to the interpreter.
    pub reason: Reason,
}

impl Exits {
    pub fn new() -> Exits {
        Exits {
            exits: vec![],
            slots: Slots::default(),
            region: RegionIndex::UNMAPPED,
            reason: Reason::Other,
        }
    }

    /// A new exit's number.
    pub fn add(&mut self, exit: Exit) -> u32 {
        self.exits.push(Way {
            exit,
            owed: Owed::default(),
            reason: self.reason,
            region: self.region,
        });
        self.exits.len() as u32 - 1
    }

    /// Sets what is owed where an exit is taken.
    pub fn owe(&mut self, number: u32, owed: Owed) {
        self.exits[number as usize].owed = owed;
    }

    /// An exit.
    pub fn get(&self, number: u32) -> &Way {
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
