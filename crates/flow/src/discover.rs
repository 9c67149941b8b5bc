//! Finds all blocks: states are joined where ways meet, and widened, until nothing changes.

use crate::architecture::Architecture;
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
pub fn discover<A: Architecture>(walk: &mut Walk<'_, A>) -> Edges {
    walk.counting = false;
    walk.troubles.clear();
    let mut edges = Edges::new();
    let mut states: BTreeMap<u32, (State<A>, u32)> = BTreeMap::from([(0, (walk.first_state(), 0))]);
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
        let visit = walk.visit(block, state);
        if let Some(last) = visit.steps.last() {
            walk.ends.insert(block, last.address);
        }
        let ways = visit.ways.into_iter();
        let mut ways: Vec<(u32, State<A>)> = ways
            .filter_map(|(exit, state)| match exit.to {
                Destination::Block(to) => Some((to, state)),
                _ => None,
            })
            .collect();
        // What is found here need not be all: the count knows, which goes through its own ways only.
        for (&to, state) in walk.seen.get(&block).into_iter().flatten() {
            if ways.iter().all(|(known, _)| *known != to) {
                ways.push((to, state.clone()));
            }
        }
        // Its caller's registers are those at the entry of a context, whatever is known at its return.
        if walk.enters(block) {
            let context = walk.keys[block as usize].context;
            let left = walk.left.get(&context).into_iter().flatten();
            waiting.extend(left.filter(|&&other| other != block));
        }
        for (to, state) in ways {
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
