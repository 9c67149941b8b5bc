//! States of the timing model by number, and the costs of regions, while code is made.

use socscope_memory::{AccessCost, RegionIndex};

/// Names a state of the timing model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StateIndex(pub u32);

/// States above this number are not told apart any more: what would lead to one is left to the interpreter.
const STATES_MAX: usize = 1 << 12;

/// All states that were met.
pub(crate) struct States<M> {
    models: Vec<M>,
}

impl<M: Clone + PartialEq> States<M> {
    pub fn new() -> States<M> {
        States { models: vec![] }
    }

    /// The number of a state; `None` when there are too many.
    pub fn index(&mut self, model: &M) -> Option<StateIndex> {
        let found = self.models.iter().position(|known| known == model);
        let index = match found {
            Some(index) => index,
            None if self.models.len() >= STATES_MAX => return None,
            None => {
                self.models.push(model.clone());
                self.models.len() - 1
            }
        };
        Some(StateIndex(index as u32))
    }

    /// The state of a number.
    pub fn model(&self, index: StateIndex) -> &M {
        &self.models[index.0 as usize]
    }
}

/// What accesses cost, by region.
pub(crate) struct Costs(Vec<AccessCost>);

impl Costs {
    pub fn new(costs: Vec<AccessCost>) -> Costs {
        Costs(costs)
    }

    pub fn cost(&self, region: RegionIndex) -> AccessCost {
        self.0
            .get(region.0 as usize)
            .copied()
            .unwrap_or(AccessCost::SINGLE_CYCLE)
    }
}
