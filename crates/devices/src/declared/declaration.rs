//! What is declared: registers with their rules, variables, events.

use super::value::Value;
use socscope_device::Description;
use thiserror::Error;

/// Words that a register table may span: 1 MiB.
const WORDS_MAX: usize = 0x4_0000;

/// What accesses do to the bits of a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Bits that reads show.
    pub readable: u32,
    /// Bits that writes set to what is written.
    pub writable: u32,
    /// Bits that are cleared by writing a one.
    pub one_clears: u32,
    /// Bits that are set by writing a one.
    pub one_sets: u32,
    /// Bits that are cleared by a read.
    pub read_clears: u32,
    /// The behaviour is called for a read.
    pub read_effect: bool,
    /// The behaviour is called for a write.
    pub write_effect: bool,
}

/// A variable of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value at first, which also says its kind. A reset gives it to variables that are no attributes.
    pub initial: Value,
    /// Whether people may change it from outside.
    pub attribute: bool,
    /// The smallest value.
    pub minimum: Option<Value>,
    /// The greatest value.
    pub maximum: Option<Value>,
}

impl Variable {
    /// Whether the variable can have a value.
    ///
    /// # Errors
    /// The rule that the value breaks.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let name = &self.name;
        if !self.initial.alike(value) {
            let (wanted, given) = (self.initial.kind(), value.kind());
            return Err(format!("{name} is {wanted}, not {given}"));
        }
        match (&self.minimum, &self.maximum) {
            (Some(minimum), _) if value.has_less_than(minimum) => Err(format!(
                "{name} is {value}, but at least {minimum} is allowed"
            )),
            (_, Some(maximum)) if value.has_more_than(maximum) => Err(format!(
                "{name} is {value}, but at most {maximum} is allowed"
            )),
            _ => Ok(()),
        }
    }
}

/// A declaration that does not hold together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DeclarationError {
    /// A register not at a word.
    #[error("register {register} at {offset:#x}: registers are words; give a multiple of 4")]
    Unaligned {
        /// Its name.
        register: String,
        /// Its offset.
        offset: u32,
    },
    /// Two registers at one place.
    #[error("registers {first} and {second} overlap at {offset:#x}; move one of them")]
    Overlap {
        /// The lower one.
        first: String,
        /// The upper one.
        second: String,
        /// The shared offset.
        offset: u32,
    },
    /// A register too far away.
    #[error("register {register} at {offset:#x}: a device has at most 1 MiB of registers")]
    TooFar {
        /// Its name.
        register: String,
        /// Its offset.
        offset: u64,
    },
    /// A variable that cannot have its first value.
    #[error("{0}")]
    Variable(String),
}

/// Everything that is said of a kind of device.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Register table and manual page.
    pub description: &'static Description,
    /// A rule for each register of the table.
    pub rules: Vec<Rule>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// Names of its events.
    pub events: Vec<String>,
    /// The behaviour is called at a reset.
    pub reset_effect: bool,
    /// The behaviour is called when an input line changes.
    pub input_effect: bool,
    /// The behaviour is called when an attribute has changed.
    pub change_effect: bool,
    /// Register and index for each word.
    words: Vec<Option<(usize, u32)>>,
    /// Where each register's values begin.
    starts: Vec<usize>,
}

impl Declaration {
    /// Checks register table and variables.
    ///
    /// # Errors
    /// What does not hold together.
    pub fn new(
        description: &'static Description,
        rules: Vec<Rule>,
        variables: Vec<Variable>,
        events: Vec<String>,
    ) -> Result<Declaration, DeclarationError> {
        let mut words: Vec<Option<(usize, u32)>> = vec![];
        let (mut starts, mut values) = (vec![], 0);
        for (number, register) in description.registers.iter().enumerate() {
            starts.push(values);
            values += register.count as usize;
            if register.offset % 4 != 0 || (register.count > 1 && register.stride % 4 != 0) {
                return Err(DeclarationError::Unaligned {
                    register: register.name.into(),
                    offset: register.offset,
                });
            }
            for index in 0..register.count {
                let offset =
                    u64::from(register.offset) + u64::from(index) * u64::from(register.stride);
                let word = (offset / 4) as usize;
                if word >= WORDS_MAX {
                    let register = register.name.into();
                    return Err(DeclarationError::TooFar { register, offset });
                }
                if word >= words.len() {
                    words.resize(word + 1, None);
                }
                if let Some((first, _)) = words[word].replace((number, index)) {
                    return Err(DeclarationError::Overlap {
                        first: description.registers[first].name.into(),
                        second: register.name.into(),
                        offset: offset as u32,
                    });
                }
            }
        }
        for variable in &variables {
            variable
                .check(&variable.initial)
                .map_err(DeclarationError::Variable)?;
        }
        Ok(Declaration {
            description,
            rules,
            variables,
            events,
            reset_effect: false,
            input_effect: false,
            change_effect: false,
            words,
            starts,
        })
    }

    /// Bytes from the first to the last register.
    pub fn span(&self) -> u32 {
        self.words.len() as u32 * 4
    }

    /// The register at an offset, and its place in an array.
    pub(super) fn register_at(&self, offset: u32) -> Option<(usize, u32)> {
        self.words.get(offset as usize / 4).copied().flatten()
    }

    /// Where the value of a register is kept; `None` behind the end of an array.
    pub(super) fn place(&self, register: usize, index: u32) -> Option<usize> {
        let count = self.description.registers.get(register)?.count;
        (index < count).then(|| self.starts[register] + index as usize)
    }

    /// Reset values of all registers.
    pub(super) fn reset_values(&self) -> Vec<u32> {
        let registers = self.description.registers.iter();
        registers
            .flat_map(|register| std::iter::repeat_n(register.reset, register.count as usize))
            .collect()
    }

    /// Number of a variable.
    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        self.variables
            .iter()
            .position(|variable| variable.name == name)
    }
}
