//! Finds all blocks: states are joined where ways meet, and widened, until nothing changes.

use crate::blocks::{Destination, Trouble};
use crate::state::State;
use crate::walk::Walk;
use std::collections::{BTreeMap, BTreeSet};

/// Visits after which ranges are widened.
const STEADY_VISITS: u32 = 4;
/// Visits of a block at most.
const VISITS_MAX: u32 = 500;

/// Edges between blocks.
pub type Edges = BTreeMap<u32, BTreeSet<u32>>;

/// Goes through all that can be reached; gives the edges.
pub fn discover(walk: &mut Walk<'_>) -> Edges {
    walk.counting = false;
    walk.troubles.clear();
    let mut edges = Edges::new();
    let mut states: BTreeMap<u32, (State, u32)> = BTreeMap::from([(0, (walk.first_state(), 0))]);
    let mut waiting = BTreeSet::from([0]);
    while let Some(block) = waiting.pop_first() {
        let Some((state, visits)) = states.get_mut(&block) else {
            continue;
        };
        *visits += 1;
        if *visits > VISITS_MAX {
            let address = walk.keys[block as usize].address;
            walk.troubles.insert((address, Trouble::Size));
            continue;
        }
        let state = state.clone();
        for (exit, state) in walk.visit(block, state).ways {
            let Destination::Block(to) = exit.to else {
                continue;
            };
            edges.entry(block).or_default().insert(to);
            match states.get_mut(&to) {
                None => {
                    states.insert(to, (state, 0));
                    waiting.insert(to);
                }
                Some((known, visits)) => {
                    let mut met = known.clone();
                    met.meet_at(to, state, *visits > STEADY_VISITS);
                    if met != *known {
                        *known = met;
                        waiting.insert(to);
                    }
                }
            }
        }
    }
    edges
}
