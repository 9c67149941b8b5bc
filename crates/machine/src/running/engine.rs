//! Which engine executes the core's instructions. Both give the same state, counts and cycles.

use crate::machine::Machine;
use crate::system::bus::SystemBus;
use socscope_engines::Translators;
use socscope_jit::{Memories, Statistics};
use socscope_memory::{AddressSpace, Endianness};

/// An engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// One instruction at a time.
    Interpreted,
    /// Hot code is translated to native code.
    #[default]
    Translated,
}

impl Memories for SystemBus {
    #[inline]
    fn space(&self) -> &AddressSpace {
        &self.space
    }

    #[inline]
    fn space_mut(&mut self) -> &mut AddressSpace {
        &mut self.space
    }

    #[inline]
    fn order(&self) -> Endianness {
        self.turn_order
    }
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

    /// How often code must be reached before it is translated, from now on; what is translated already is dropped.
    pub fn set_translation_threshold(&mut self, times: u32) {
        self.bus.space.drop_code_readers();
        self.translators = Translators::with_threshold(times);
    }

    /// What the translating engine did so far.
    pub fn engine_statistics(&self) -> Statistics {
        self.translators.statistics()
    }
}
