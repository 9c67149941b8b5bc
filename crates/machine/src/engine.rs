//! Which engine executes the core's instructions. Both give the same state, counts and cycles.

use crate::machine::Machine;

/// An engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// One instruction at a time.
    Interpreted,
    /// Hot code is translated to code of the host.
    #[default]
    Translated,
}

impl Machine {
    /// The engine in use.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Chooses the engine, between two runs.
    pub fn set_engine(&mut self, engine: Engine) {
        self.engine = engine;
    }
}
