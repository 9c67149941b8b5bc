//! Models of a core alone, which caches can be laid around.

use crate::{AccuracyLabel, FixedCpi};

/// What caches, and whoever saves states, ask of a core's own model.
pub trait BaseModel {
    /// Whether a saved model is one of the same core and costs, and possible.
    fn takes(&self, saved: &Self) -> bool;
    /// The core is reset.
    fn reset(&mut self);
    /// How far the cycles can be trusted.
    fn accuracy(&self) -> AccuracyLabel;
}

impl BaseModel for FixedCpi {
    fn takes(&self, saved: &FixedCpi) -> bool {
        self.same_ratio(saved)
    }
    fn reset(&mut self) {}
    fn accuracy(&self) -> AccuracyLabel {
        FixedCpi::accuracy(self)
    }
}
