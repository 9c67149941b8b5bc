//! Where translated code has to leave the way to the interpreter, so that the profile sees what only it can judge.

use crate::window::Window;
use std::collections::BTreeSet;

/// Two sets of addresses that grow as the program runs.
#[derive(Clone, Debug, Default)]
pub struct Boundaries {
    interpreted: BTreeSet<u32>,
    returns_within: BTreeSet<u32>,
    version: u64,
}

impl Boundaries {
    pub(crate) fn new(window: Window) -> Boundaries {
        let mut boundaries = Boundaries::default();
        if let Window::Addresses { first, last } = window {
            boundaries.interpreted.extend([first, last]);
        }
        boundaries
    }

    /// Changes when a set grows.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Instructions that must be interpreted: the window begins or ends there, or a handler of an interrupt is expected to begin there.
    pub fn interpreted(&self) -> &BTreeSet<u32> {
        &self.interpreted
    }

    /// Targets of jumps that must be interpreted, because they may be returns although they stay in a function: it has called itself. Jumps to
    /// computed addresses must be interpreted, too, when they stay in their function and the newest frame returns to that address.
    pub fn jumped_to(&self) -> &BTreeSet<u32> {
        &self.returns_within
    }

    /// A handler is expected; an odd address is none.
    pub(crate) fn handler(&mut self, address: u32) {
        if address & 1 == 0 && self.interpreted.insert(address) {
            self.version += 1;
        }
    }

    pub(crate) fn returns_within(&mut self, address: u32) {
        if self.returns_within.insert(address) {
            self.version += 1;
        }
    }
}
