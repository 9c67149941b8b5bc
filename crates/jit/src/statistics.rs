//! What the engine did, for benches and for people who wonder.

/// Counts since the translator was made, or since it began to work for a machine. They depend on the run, on what other machines have translated that
/// share the translator, and, where these run at the same time, on who finds it free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Instructions that the interpreter executed, exception entries included.
    pub interpreted: u64,
    /// Translations made.
    pub translations: u64,
    /// Instructions in them.
    pub translated_instructions: u64,
    /// Bytes of machine code made for them.
    pub code_bytes: u64,
    /// Translations dropped because their code was written to.
    pub invalidations: u64,
    /// Times that all translations were dropped.
    pub flushes: u64,
    /// Times that translated code was entered from the engine.
    pub entered: u64,
    /// Returns because of an instruction that only the interpreter executes.
    pub left: u64,
    /// The same, by what the instruction does.
    pub left_for: LeftFor,
    /// Returns at known places whose code was not found yet.
    pub unchained: u64,
    /// Returns at computed addresses whose code was not found.
    pub computed: u64,
    /// Returns because of an access that is no plain memory's, or was never made before.
    pub refused_accesses: u64,
    /// Returns because an event was near.
    pub deadlines: u64,
}

/// Why instructions were left to the interpreter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftFor {
    /// Software interrupts and undefined instructions.
    pub exceptions: u64,
    /// Returns from exceptions.
    pub returns: u64,
    /// Status registers, and registers of another mode.
    pub status: u64,
    /// The chain of calls, which only a profile's hooks could follow.
    pub calls: u64,
    /// Anything else.
    pub others: u64,
}

impl Statistics {
    /// The sums of two engines' counts.
    pub fn plus(self, other: Statistics) -> Statistics {
        Statistics {
            interpreted: self.interpreted + other.interpreted,
            translations: self.translations + other.translations,
            translated_instructions: self.translated_instructions + other.translated_instructions,
            code_bytes: self.code_bytes + other.code_bytes,
            invalidations: self.invalidations + other.invalidations,
            flushes: self.flushes + other.flushes,
            entered: self.entered + other.entered,
            left: self.left + other.left,
            left_for: self.left_for.plus(other.left_for),
            unchained: self.unchained + other.unchained,
            computed: self.computed + other.computed,
            refused_accesses: self.refused_accesses + other.refused_accesses,
            deadlines: self.deadlines + other.deadlines,
        }
    }
}

impl LeftFor {
    fn plus(self, other: LeftFor) -> LeftFor {
        LeftFor {
            exceptions: self.exceptions + other.exceptions,
            returns: self.returns + other.returns,
            status: self.status + other.status,
            calls: self.calls + other.calls,
            others: self.others + other.others,
        }
    }

    /// The number for a reason.
    pub(crate) fn of(&mut self, reason: Reason) -> &mut u64 {
        match reason {
            Reason::Exception => &mut self.exceptions,
            Reason::Return => &mut self.returns,
            Reason::Status => &mut self.status,
            Reason::Calls => &mut self.calls,
            Reason::Other => &mut self.others,
        }
    }
}

/// Why an instruction is left to the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A software interrupt, or an undefined instruction.
    Exception,
    /// A return from an exception.
    Return,
    /// A status register or another mode's registers.
    Status,
    /// The chain of calls does not change in a plain way.
    Calls,
    Other,
}
