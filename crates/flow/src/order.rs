//! A weak topological order of blocks (Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993): loops inside loops.

use crate::discover::Edges;
use std::collections::{BTreeMap, BTreeSet};

/// A piece of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A block.
    Block(u32),
    /// A loop: its number, and what follows its head.
    Loop(usize),
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The block through which it is entered and repeated.
    pub head: u32,
    /// What follows the head.
    pub body: Vec<Item>,
    /// All its blocks, those of loops inside included.
    pub members: BTreeSet<u32>,
    /// Other blocks through which it is entered: the loop is irreducible.
    pub other_entries: BTreeSet<u32>,
}

/// The order.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// From the entry on.
    pub items: Vec<Item>,
    /// All loops.
    pub loops: Vec<Component>,
}

/// Orders all blocks that `root` reaches.
pub fn order(root: u32, edges: &Edges) -> Order {
    let mut order = Order::default();
    let all = reachable(root, edges);
    order.items = partition(root, &all, edges, &mut order.loops);
    for at in 0..order.loops.len() {
        let members = &order.loops[at].members;
        let head = order.loops[at].head;
        let entries = edges
            .iter()
            .filter(|(from, _)| !members.contains(from))
            .flat_map(|(_, to)| to)
            .filter(|to| **to != head && members.contains(to))
            .copied()
            .collect();
        order.loops[at].other_entries = entries;
    }
    order
}

fn reachable(root: u32, edges: &Edges) -> BTreeSet<u32> {
    let mut seen = BTreeSet::from([root]);
    let mut waiting = vec![root];
    while let Some(block) = waiting.pop() {
        for &to in edges.get(&block).into_iter().flatten() {
            if seen.insert(to) {
                waiting.push(to);
            }
        }
    }
    seen
}

/// Strongly connected parts of the graph of `blocks`, in topological order; what repeats is taken apart behind its head.
fn partition(
    root: u32,
    blocks: &BTreeSet<u32>,
    edges: &Edges,
    loops: &mut Vec<Component>,
) -> Vec<Item> {
    let mut items = vec![];
    for (head, members) in components(root, blocks, edges) {
        let repeats = members.len() > 1 || edges.get(&head).is_some_and(|to| to.contains(&head));
        if !repeats {
            items.push(Item::Block(head));
            continue;
        }
        let mut rest = members.clone();
        rest.remove(&head);
        let mut body = vec![];
        let mut left = rest.clone();
        // All of the body is reached from the head, but maybe in several parts.
        while let Some(&first) = edges
            .get(&head)
            .into_iter()
            .flatten()
            .find(|to| left.contains(to))
            .or(left.first())
        {
            let before = partition(first, &left, edges, loops);
            for item in &before {
                match item {
                    Item::Block(block) => {
                        left.remove(block);
                    }
                    Item::Loop(at) => left.retain(|block| !loops[*at].members.contains(block)),
                }
            }
            // What is reached later in this search may come before what was found first.
            body.splice(0..0, before);
        }
        loops.push(Component {
            head,
            body,
            members,
            other_entries: BTreeSet::new(),
        });
        items.push(Item::Loop(loops.len() - 1));
    }
    items
}

/// Tarjan's algorithm without recursion: strongly connected components in topological order, each with the block found first.
fn components(root: u32, blocks: &BTreeSet<u32>, edges: &Edges) -> Vec<(u32, BTreeSet<u32>)> {
    let mut number: BTreeMap<u32, usize> = BTreeMap::new();
    let mut low: BTreeMap<u32, usize> = BTreeMap::new();
    let mut open = vec![];
    let mut is_open = BTreeSet::new();
    let mut found = vec![];
    let next = |block: u32| -> Vec<u32> {
        let to = edges.get(&block).into_iter().flatten();
        to.copied().filter(|to| blocks.contains(to)).collect()
    };
    let mut path = vec![(root, next(root))];
    number.insert(root, 0);
    low.insert(root, 0);
    open.push(root);
    is_open.insert(root);
    while let Some((block, left)) = path.last_mut() {
        let block = *block;
        if let Some(to) = left.pop() {
            if let Some(&seen) = number.get(&to) {
                if is_open.contains(&to) {
                    let lowest = low[&block].min(seen);
                    low.insert(block, lowest);
                }
            } else {
                let index = number.len();
                number.insert(to, index);
                low.insert(to, index);
                open.push(to);
                is_open.insert(to);
                path.push((to, next(to)));
            }
            continue;
        }
        path.pop();
        let lowest = low[&block];
        if let Some((parent, _)) = path.last() {
            let lowest = low[parent].min(lowest);
            low.insert(*parent, lowest);
        }
        if lowest == number[&block] {
            let mut members = BTreeSet::new();
            while let Some(member) = open.pop() {
                is_open.remove(&member);
                members.insert(member);
                if member == block {
                    break;
                }
            }
            found.push((block, members));
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(u32, u32)]) -> Edges {
        let mut graph = Edges::new();
        for &(from, to) in edges {
            graph.entry(from).or_default().insert(to);
        }
        graph
    }

    #[test]
    fn loops_lie_in_loops() {
        let found = order(0, &graph(&[(0, 1), (1, 2), (2, 2), (2, 3), (3, 1), (3, 4)]));
        let heads: Vec<u32> = found.loops.iter().map(|one| one.head).collect();
        assert_eq!(heads, [2, 1]);
        assert_eq!(found.loops[1].members, BTreeSet::from([1, 2, 3]));
        assert_eq!(found.items, [Item::Block(0), Item::Loop(1), Item::Block(4)]);
    }

    #[test]
    fn a_loop_with_two_entries_is_irreducible() {
        let found = order(0, &graph(&[(0, 1), (0, 2), (1, 2), (2, 1)]));
        assert_eq!(found.loops.len(), 1);
        assert_eq!(found.loops[0].other_entries.len(), 1);
    }

    #[test]
    fn a_body_is_in_topological_order() {
        let found = order(0, &graph(&[(0, 1), (0, 3), (1, 2), (3, 2), (2, 0)]));
        let body = &found.loops[0].body;
        assert_eq!(body.last(), Some(&Item::Block(2)));
        assert_eq!(body.len(), 3);
    }
}
