//! What is known of PowerPC's condition register and of XER. A field is what one comparison made: its bits are functions of the
//! sixteen outcomes that a comparison has.

use super::PowerPc;
use crate::architecture::Status;
use crate::flags::{ANY, Comparison, Outcomes};
use crate::reading::{FlowReading, GROUPS, Truth, Word};
use crate::value::Value;
use socscope_powerpc::Msr;

/// Fields that a function may change.
const VOLATILE: [usize; 5] = [0, 1, 5, 6, 7];

/// A bit of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bit {
    /// Always this.
    Known(bool),
    /// Set with these outcomes of what made the field.
    Of(Outcomes),
    /// Either.
    Unknown,
}

/// A field of the condition register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// LT, GT, EQ and SO.
    pub bits: [Bit; 4],
    /// Outcomes that are possible.
    pub possible: Outcomes,
    /// What made them, where that still says something of words.
    pub comparison: Option<Box<Comparison>>,
}

impl Field {
    const UNKNOWN: Field = Field {
        bits: [Bit::Unknown; 4],
        possible: ANY,
        comparison: None,
    };
}

/// Conditions and the machine state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerPcStatus {
    /// The fields of the condition register.
    pub fields: [Field; 8],
    /// SO, OV and CA of XER, where they are known.
    pub xer: [Option<bool>; 3],
    /// Whether the program runs without privilege, where that is known.
    pub problem: Option<bool>,
    /// The same before the last exception.
    pub saved_problem: Option<bool>,
    /// Registers that surely hold what the function that runs has found in them, a bit each: nothing was written there.
    pub as_found: u32,
}

/// What an instruction writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// Bits of the condition register.
    pub bits: [Option<Truth>; 32],
    /// SO, OV and CA of XER.
    pub xer: [Option<Truth>; 3],
    /// A word that a branch may go to.
    pub target: Option<Word>,
}

impl Notes {
    /// What was written since `before` may not have been.
    pub fn unless(&mut self, before: &Notes) {
        let bits = self.bits.iter_mut().zip(&before.bits);
        for (now, before) in bits.chain(self.xer.iter_mut().zip(&before.xer)) {
            if now != before {
                *now = Some(Truth::Unknown);
            }
        }
    }
}

impl PowerPcStatus {
    /// At the entry of a program.
    pub fn entry(state: Msr) -> PowerPcStatus {
        PowerPcStatus {
            fields: [Field::UNKNOWN; 8],
            xer: [None; 3],
            problem: Some(state.has(Msr::PROBLEM)),
            saved_problem: None,
            as_found: u32::MAX,
        }
    }

    /// What functions may change is not known any more.
    pub fn lose_volatile(&mut self) {
        for field in VOLATILE {
            self.fields[field] = Field::UNKNOWN;
        }
        self.xer = [None; 3];
        self.as_found = 0;
    }
}

impl Status for PowerPcStatus {
    fn forget(&mut self, gone: &dyn Fn(&Value) -> bool) {
        for field in &mut self.fields {
            let compared = field.comparison.as_ref();
            if compared.is_some_and(|compared| compared.is_about(gone)) {
                field.comparison = None;
            }
        }
    }
    fn meet(&mut self, other: &PowerPcStatus) {
        for (mine, theirs) in self.fields.iter_mut().zip(&other.fields) {
            if mine == theirs {
                continue;
            }
            for (bit, other) in mine.bits.iter_mut().zip(theirs.bits) {
                if *bit != other {
                    *bit = Bit::Unknown;
                }
            }
            mine.possible |= theirs.possible;
            if mine.comparison != theirs.comparison {
                mine.comparison = None;
            }
        }
        for (mine, theirs) in self.xer.iter_mut().zip(other.xer) {
            if *mine != theirs {
                *mine = None;
            }
        }
        if self.problem != other.problem {
            self.problem = None;
        }
        if self.saved_problem != other.saved_problem {
            self.saved_problem = None;
        }
        self.as_found &= other.as_found;
    }
    fn returned(&mut self) {
        self.as_found = 0;
    }
    fn same_ranges(&self, other: &PowerPcStatus) -> bool {
        let fields = self.fields.iter().zip(&other.fields);
        let mut fields = fields.map(|(a, b)| a.bits == b.bits && a.possible == b.possible);
        fields.all(|same| same)
            && self.xer == other.xer
            && self.problem == other.problem
            && self.as_found == other.as_found
    }
    fn narrow(&mut self, group: usize, outcomes: Outcomes) {
        self.fields[group].possible &= outcomes;
    }
}

const fn known(flag: Option<bool>) -> Truth {
    match flag {
        Some(flag) => Truth::Known(flag),
        None => Truth::Unknown,
    }
}

impl FlowReading<'_, PowerPc> {
    /// A bit of the condition register, before the instruction.
    pub(super) fn condition_bit(&self, bit: u32) -> Truth {
        let field = bit as usize / 4;
        match self.state.status.fields[field].bits[bit as usize % 4] {
            Bit::Known(flag) => Truth::Known(flag),
            Bit::Of(table) => self.decided(Truth::Of(GROUPS + field, table)),
            Bit::Unknown => Truth::Unknown,
        }
    }

    /// A bit of XER: what this instruction wrote, or what was there.
    pub(super) fn xer_bit(&self, index: usize) -> Truth {
        self.notes.xer[index].unwrap_or(known(self.state.status.xer[index]))
    }

    /// Puts the new conditions into force.
    pub(super) fn put_conditions(&mut self) {
        for index in 0..3 {
            if let Some(truth) = self.notes.xer[index] {
                self.state.status.xer[index] = match self.decided(truth) {
                    Truth::Known(flag) => Some(flag),
                    _ => None,
                };
            }
        }
        let written = |field: &usize| self.notes.bits[4 * field..4 * field + 4] != [None; 4];
        let new: Vec<(usize, Field)> = (0..8)
            .filter(written)
            .map(|field| (field, self.new_field(field)))
            .collect();
        for (at, field) in new {
            self.state.status.fields[at] = field;
        }
    }

    fn new_field(&self, field: usize) -> Field {
        let bits: [Truth; 4] = std::array::from_fn(|index| {
            let bit = 4 * field + index;
            self.notes.bits[bit].unwrap_or_else(|| self.condition_bit(bit as u32))
        });
        let source = bits.iter().find_map(|bit| match bit {
            Truth::Of(of, _) => Some(*of),
            _ => None,
        });
        let (possible, comparison) = match source {
            None => (ANY, None),
            Some(of) => match of.checked_sub(GROUPS) {
                Some(group) => {
                    let from = &self.state.status.fields[group];
                    (from.possible, from.comparison.clone())
                }
                None => match self.comparisons.get(of.wrapping_sub(1)) {
                    Some((compared, _)) => (compared.feasible(), Some(Box::new(compared.clone()))),
                    None => (ANY, None),
                },
            },
        };
        // Nothing that contradicts itself comes out of words that can be at all.
        let possible = if possible == 0 { ANY } else { possible };
        Field {
            bits: bits.map(|bit| match bit {
                Truth::Known(flag) => Bit::Known(flag),
                Truth::Of(of, table) if Some(of) == source => Bit::Of(table),
                _ => Bit::Unknown,
            }),
            possible,
            comparison,
        }
    }
}
