//! Counts how often loops run: the program is gone through in the order of its loops, each iteration with what is known in it, until no
//! way leads back to the head any more.

use crate::blocks::{Context, Destination, Exit, Key, Step, Trouble};
use crate::discover::discover;
use crate::order::{Item, Order, order};
use crate::program::{Entry, Program};
use crate::state::State;
use crate::walk::Walk;
use std::collections::{BTreeMap, BTreeSet};

/// Iterations of a loop that are gone through one by one, at most.
const ITERATIONS_MAX: u64 = 1 << 12;
/// The same for a loop that people bound.
const BOUNDED_ITERATIONS_MAX: u64 = 64;
/// Rounds after which a loop without a known end is taken as too large.
const SETTLING_ROUNDS_MAX: u32 = 500;
/// Rounds in which computed jumps show new targets, at most.
const ROUNDS_MAX: u32 = 64;

/// A block that can be reached.
#[derive(Clone, Debug)]
pub struct Block {
    /// What tells it from others.
    pub key: Key,
    /// Its instructions.
    pub steps: Vec<Step>,
    /// Its possible ways out.
    pub exits: BTreeSet<Exit>,
    /// How often it runs at most in the whole program; `None` inside loops that have no bound.
    pub visits_max: Option<u64>,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The number of its head.
    pub head: u32,
    /// The numbers of all its blocks.
    pub members: BTreeSet<u32>,
    /// How often the head runs at most for each entry into the loop.
    pub bound: Option<u64>,
    /// Blocks other than the head through which it is entered.
    pub other_entries: BTreeSet<u32>,
}

/// All that was found.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Blocks by number; number 0 is the entry.
    pub blocks: BTreeMap<u32, Block>,
    /// Calling contexts by number.
    pub contexts: Vec<Context>,
    /// Loops; those inside others come first.
    pub loops: Vec<Loop>,
    /// Where something is unknown.
    pub troubles: BTreeSet<(u32, Trouble)>,
    /// Ways out of blocks that no values allow.
    pub impossible: u64,
}

struct Count<'w, 'p> {
    walk: &'w mut Walk<'p>,
    order: &'w Order,
    known: u32,
    pending: BTreeMap<u32, State>,
    blocks: BTreeMap<u32, Block>,
    impossible: BTreeMap<u32, u32>,
    bounds: Vec<Option<u64>>,
    endless: BTreeSet<usize>,
    /// Loops around that are not gone through one by one.
    joined: u32,
    steps_left: u64,
    more: bool,
}

/// Analyses a program from an entry on.
pub fn analyse(program: &Program, entry: &Entry) -> Analysis {
    let mut walk = Walk::new(program, entry);
    for round in 0.. {
        let edges = discover(&mut walk);
        let order = order(0, &edges);
        walk.counting = true;
        walk.troubles
            .retain(|(_, trouble)| *trouble == Trouble::Size);
        let first = walk.first_state();
        let mut count = Count {
            known: walk.keys.len() as u32,
            walk: &mut walk,
            order: &order,
            pending: BTreeMap::from([(0, first)]),
            blocks: BTreeMap::new(),
            impossible: BTreeMap::new(),
            bounds: vec![Some(0); order.loops.len()],
            endless: BTreeSet::new(),
            joined: 0,
            steps_left: program.steps_max,
            more: false,
        };
        count.go(&order.items);
        let Count {
            blocks,
            bounds,
            endless,
            impossible,
            more,
            ..
        } = count;
        if more && round < ROUNDS_MAX {
            continue;
        }
        let loops = order.loops.iter().enumerate();
        let loops = loops.filter(|(_, one)| blocks.contains_key(&one.head));
        let loops = loops
            .map(|(at, one)| Loop {
                head: one.head,
                members: one.members.clone(),
                bound: bounds[at].filter(|_| !endless.contains(&at)),
                other_entries: one.other_entries.clone(),
            })
            .collect();
        return Analysis {
            blocks,
            loops,
            contexts: walk.contexts,
            troubles: walk.troubles,
            impossible: impossible.values().map(|&ways| u64::from(ways)).sum(),
        };
    }
    unreachable!("rounds are limited")
}

impl Count<'_, '_> {
    fn go(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Block(block) => {
                    if let Some(state) = self.pending.remove(block) {
                        self.visit(*block, state);
                    }
                }
                Item::Loop(at) => self.repeat(*at),
            }
        }
    }

    fn visit(&mut self, number: u32, state: State) {
        self.steps_left = self.steps_left.saturating_sub(1);
        let visit = self.walk.visit(number, state);
        let key = self.walk.keys[number as usize];
        let fresh = || Block {
            key,
            steps: visit.steps.clone(),
            exits: BTreeSet::new(),
            visits_max: Some(0),
        };
        let block = self.blocks.entry(number).or_insert_with(fresh);
        for (mine, theirs) in block.steps.iter_mut().zip(&visit.steps) {
            mine.join(theirs);
        }
        block.visits_max = match block.visits_max {
            Some(visits) if self.joined == 0 => Some(visits + 1),
            _ => None,
        };
        let least = self.impossible.entry(number).or_insert(visit.impossible);
        *least = visit.impossible.min(*least);
        for (exit, state) in visit.ways {
            block.exits.insert(exit);
            let Destination::Block(to) = exit.to else {
                continue;
            };
            if to >= self.known {
                self.more = true;
                continue;
            }
            match self.pending.get_mut(&to) {
                Some(known) => known.meet_at(to, state, false),
                None => {
                    self.pending.insert(to, state);
                }
            }
        }
    }

    fn repeat(&mut self, at: usize) {
        let one = &self.order.loops[at];
        let members = one.members.iter();
        if !members
            .clone()
            .any(|block| self.pending.contains_key(block))
        {
            return;
        }
        if !one.other_entries.is_empty() || self.endless.contains(&at) {
            return self.settle(at, None);
        }
        let head = self.walk.keys[one.head as usize].address;
        let mut bounded = self.walk.program.bounded.iter();
        let most = match bounded.any(|&(first, last)| (first..=last).contains(&head)) {
            true => BOUNDED_ITERATIONS_MAX,
            false => ITERATIONS_MAX,
        };
        let mut iterations = 0;
        let mut last: Option<State> = None;
        while let Some(state) = self.pending.remove(&one.head) {
            let stuck = last.as_ref().is_some_and(|last| last.same_ranges(&state));
            if stuck || iterations >= most || self.steps_left == 0 {
                return self.settle(at, Some(state));
            }
            iterations += 1;
            last = Some(state.clone());
            self.visit(one.head, state);
            self.go(&one.body);
        }
        if let Some(bound) = &mut self.bounds[at] {
            *bound = iterations.max(*bound);
        }
    }

    /// A loop without a known end: all its iterations at once.
    fn settle(&mut self, at: usize, first: Option<State>) {
        self.endless.insert(at);
        self.joined += 1;
        let one = &self.order.loops[at];
        let entered: Vec<(u32, State)> = one
            .members
            .iter()
            .filter(|block| **block != one.head)
            .filter_map(|block| Some((*block, self.pending.get(block)?.clone())))
            .collect();
        let mut known = first.or_else(|| self.pending.remove(&one.head));
        for round in 0u32.. {
            if round > SETTLING_ROUNDS_MAX {
                let address = self.walk.keys[one.head as usize].address;
                self.walk.troubles.insert((address, Trouble::Size));
                break;
            }
            if let Some(state) = known.clone() {
                self.visit(one.head, state);
            }
            self.go(&one.body);
            let Some(again) = self.pending.remove(&one.head) else {
                break;
            };
            match &mut known {
                None => known = Some(again),
                Some(state) => {
                    let before = state.clone();
                    state.meet_at(one.head, again, round > 2);
                    if *state == before {
                        break;
                    }
                }
            }
            for (block, state) in &entered {
                match self.pending.get_mut(block) {
                    Some(pending) => pending.meet_at(*block, state.clone(), false),
                    None => {
                        self.pending.insert(*block, state.clone());
                    }
                }
            }
        }
        self.joined -= 1;
    }
}
