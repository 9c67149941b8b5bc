//! What code tells a timing model that looks accesses up: as a number that goes to a helper.

use socscope_isa::{LineOperation, Lookup};

/// What an instruction did at an address on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// An access that code has counted as one that is in the table.
    Counted(Lookup),
    /// So many accesses to one word after the other.
    Words(Lookup, u32),
    /// Something with the line of the address.
    Line(LineOperation),
}

const LOOKUPS: [Lookup; 3] = [Lookup::Fetch, Lookup::Read, Lookup::Write];
const OPERATIONS: [LineOperation; 5] = [
    LineOperation::Establish,
    LineOperation::Clean,
    LineOperation::Flush,
    LineOperation::Discard,
    LineOperation::DiscardInstructions,
];
/// The lowest bits say which access or operation it is, the next one which of them; others count words.
const KIND: u32 = 7;
const IS_OPERATION: u32 = 8;
const COUNT_SHIFT: u32 = 8;

impl Told {
    /// As a number.
    pub fn number(self) -> u32 {
        match self {
            Told::Counted(lookup) => lookup as u32,
            Told::Words(lookup, count) => lookup as u32 | count << COUNT_SHIFT,
            Told::Line(operation) => {
                let place = OPERATIONS.iter().position(|known| *known == operation);
                IS_OPERATION | place.unwrap_or(0) as u32
            }
        }
    }

    /// Of a number.
    pub fn of(number: u32) -> Told {
        let kind = (number & KIND) as usize;
        if number & IS_OPERATION != 0 {
            return Told::Line(OPERATIONS[kind % OPERATIONS.len()]);
        }
        let lookup = LOOKUPS[kind % LOOKUPS.len()];
        match number >> COUNT_SHIFT {
            0 => Told::Counted(lookup),
            count => Told::Words(lookup, count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_made() {
        let accesses = LOOKUPS.map(Told::Counted).into_iter();
        let words = LOOKUPS.map(|lookup| Told::Words(lookup, 32));
        let lines = OPERATIONS.map(Told::Line);
        for told in accesses.chain(words).chain(lines) {
            assert_eq!(Told::of(told.number()), told);
        }
    }
}
