//! What the engine did, for benches and for people who wonder.

/// Counts since the translator was made. They depend on nothing but the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Instructions that the interpreter executed, exception entries included.
    pub interpreted: u64,
    /// Translations made.
    pub translations: u64,
    /// Instructions in them.
    pub translated_instructions: u64,
    /// Bytes of machine code in use.
    pub code_bytes: u64,
    /// Translations dropped because their code was written to.
    pub invalidations: u64,
    /// Times that all translations were dropped.
    pub flushes: u64,
    /// Times that translated code was entered from the engine.
    pub entered: u64,
    /// Returns because of an instruction that only the interpreter executes.
    pub left: u64,
    /// Returns because of an access that is no plain memory's, or was never made before.
    pub refused_accesses: u64,
    /// Returns because an event was near.
    pub deadlines: u64,
}
