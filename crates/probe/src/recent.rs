//! What was looked up last, so that most calls need no search.

use crate::contexts::{Entry, NodeIndex};
use crate::functions::{FunctionId, Range};

const PLACES: usize = 1024;

type Step = (Option<NodeIndex>, FunctionId, Entry);

/// Contexts by the step that leads to them.
pub(crate) struct Recent(Box<[Option<(Step, NodeIndex)>]>);

impl Recent {
    pub fn new() -> Recent {
        Recent(vec![None; PLACES].into())
    }

    #[inline]
    pub fn get(&self, step: Step) -> Option<NodeIndex> {
        match self.0[Recent::place(step)] {
            Some((known, node)) if known == step => Some(node),
            _ => None,
        }
    }

    #[inline]
    pub fn set(&mut self, step: Step, node: NodeIndex) {
        self.0[Recent::place(step)] = Some((step, node));
    }

    #[inline]
    fn place((parent, function, _): Step) -> usize {
        let parent = parent.map_or(0, |node| node.0);
        let mixed =
            parent.wrapping_mul(0x9e37_79b1) ^ (function.0 as u32).wrapping_mul(0x85eb_ca6b);
        (mixed >> 16) as usize % PLACES
    }
}

/// Ranges of functions by an address that control came to.
pub(crate) struct RecentRanges(Box<[Option<(u32, Range)>]>);

impl RecentRanges {
    pub fn new() -> RecentRanges {
        RecentRanges(vec![None; PLACES].into())
    }

    #[inline]
    pub fn get(&mut self, address: u32, search: impl FnOnce(u32) -> Range) -> Range {
        let place = &mut self.0[(address >> 1) as usize % PLACES];
        match place {
            Some((known, range)) if *known == address => *range,
            _ => {
                let range = search(address);
                *place = Some((address, range));
                range
            }
        }
    }
}
