//! Which loops the bounds that people give are for.

use crate::architecture::Architecture;
use crate::order::Order;
use crate::program::LoopBound;
use crate::walk::Walk;
use std::collections::BTreeSet;

/// For each loop the numbers of its bounds.
pub fn given<A: Architecture>(walk: &Walk<'_, A>, order: &Order) -> Vec<Vec<u32>> {
    let mut all = vec![vec![]; order.loops.len()];
    for (number, bound) in (0..).zip(&walk.program.loop_bounds) {
        for at in loops_of(walk, order, bound) {
            all[at].push(number);
        }
    }
    all
}

fn loops_of<A: Architecture>(walk: &Walk<'_, A>, order: &Order, bound: &LoopBound) -> Vec<usize> {
    let address = |at: usize| walk.keys[order.loops[at].head as usize].address;
    let all = 0..order.loops.len();
    let mut found: Vec<usize> = all.filter(|&at| bound.spans(address(at))).collect();
    if let Some(number) = bound.number {
        let heads: BTreeSet<u32> = found.iter().map(|&at| address(at)).collect();
        let chosen = heads.iter().nth(number.wrapping_sub(1));
        found.retain(|&at| chosen == Some(&address(at)));
    } else if found.is_empty() {
        found = around(walk, order, bound);
    }
    found
}

/// The innermost loops around some code.
fn around<A: Architecture>(walk: &Walk<'_, A>, order: &Order, bound: &LoopBound) -> Vec<usize> {
    let ends = walk.ends.iter();
    let holding: BTreeSet<u32> = ends
        .filter(|&(&block, &last)| {
            let first = walk.keys[block as usize].address;
            let mut spans = bound.spans.iter();
            spans.any(|&(start, end)| start <= last && first <= end)
        })
        .map(|(&block, _)| block)
        .collect();
    let loops = order.loops.iter().enumerate();
    let around: Vec<usize> = loops
        .filter(|(_, one)| !one.members.is_disjoint(&holding))
        .map(|(at, _)| at)
        .collect();
    let members = |at: usize| &order.loops[at].members;
    let inner = |at: usize| {
        let mut others = around.iter().filter(|other| **other != at);
        others.any(|&other| members(other).is_subset(members(at)))
    };
    around.iter().copied().filter(|&at| !inner(at)).collect()
}
