//! Counts how often loops run: the program is gone through in the order of its loops, each iteration with what is known in it, until no
//! way leads back to the head any more.

use crate::architecture::Architecture;
use crate::blocks::{Context, Destination, Exit, Key, Step, Trouble};
use crate::discover::{Edges, discover};
use crate::given::given;
use crate::order::{Item, Order, order};
use crate::program::{Entry, Fact, Program};
use crate::state::State;
use crate::walk::Walk;
use std::collections::{BTreeMap, BTreeSet};

/// Iterations of a loop that are gone through one by one, at most.
const ITERATIONS_MAX: u64 = 1 << 12;
/// Executions of blocks in a loop that people bound, at most: beyond them its iterations are taken together.
const BOUNDED_STEPS_MAX: u64 = 20_000;
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
    /// Numbers of the bounds that people give for it.
    pub given: Vec<u32>,
    /// The greatest that sizes alone make of it; `None` where they say nothing at one of its entries.
    pub sized: Option<u64>,
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
    /// Stores that were taken to stay in the objects that their pointers lead to, by address.
    pub assumed: BTreeSet<u32>,
    /// Facts that made a difference; of bounds of loops the loops tell.
    pub used: BTreeSet<Fact>,
    /// Executions of blocks that were gone through.
    pub steps: u64,
}

/// How often the head of a loop runs at most, for all that is said of it; `None` where nothing is.
#[derive(Clone, Copy)]
struct Most {
    all: Option<u64>,
    /// By sizes alone: annotations are formulas, of which this one number would be the greatest value.
    sized: Option<u64>,
}

impl Most {
    fn or(self, other: Most) -> Most {
        let greater = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a.max(b));
        Most {
            all: greater(self.all, other.all),
            sized: greater(self.sized, other.sized),
        }
    }
}

struct Count<'w, 'p, A: Architecture> {
    walk: &'w mut Walk<'p, A>,
    order: &'w Order,
    edges: &'w Edges,
    given: &'w [Vec<u32>],
    /// How often people say that the head of each loop runs: nothing so far, or what holds for all of its entries.
    most: Vec<Option<Most>>,
    pending: BTreeMap<u32, State<A>>,
    blocks: BTreeMap<u32, Block>,
    impossible: BTreeMap<u32, u32>,
    bounds: Vec<Option<u64>>,
    endless: BTreeSet<usize>,
    /// What was known at the heads of loops inside the one that is settled.
    settled: BTreeMap<usize, State<A>>,
    /// By loop, the blocks from which it is left without its head running again.
    leaving: BTreeMap<usize, BTreeSet<u32>>,
    steps: u64,
    /// Loops around that are not gone through one by one.
    joined: u32,
    steps_left: u64,
    more: bool,
}

/// Analyses a program from an entry on; nothing where its mode is none of the architecture's.
pub fn analyse<A: Architecture>(program: &Program, entry: &Entry) -> Option<Analysis> {
    let mut walk = Walk::<A>::new(program, entry)?;
    for round in 0.. {
        let edges = discover(&mut walk);
        let order = order(0, &edges);
        let given = given(&walk, &order);
        walk.count();
        let mut count = Count::new(&mut walk, &order, &edges, &given);
        count.go(&order.items);
        if count.more && round < ROUNDS_MAX {
            continue;
        }
        if count.more {
            count.walk.troubles.insert((entry.address, Trouble::Size));
        }
        return Some(count.finish());
    }
    unreachable!("rounds are limited")
}

impl<'w, 'p, A: Architecture> Count<'w, 'p, A> {
    fn new(
        walk: &'w mut Walk<'p, A>,
        order: &'w Order,
        edges: &'w Edges,
        given: &'w [Vec<u32>],
    ) -> Count<'w, 'p, A> {
        let first = walk.first_state();
        Count {
            given,
            most: vec![None; order.loops.len()],
            steps_left: walk.program.steps_max,
            walk,
            order,
            edges,
            pending: BTreeMap::from([(0, first)]),
            blocks: BTreeMap::new(),
            impossible: BTreeMap::new(),
            bounds: vec![Some(0); order.loops.len()],
            endless: BTreeSet::new(),
            settled: BTreeMap::new(),
            leaving: BTreeMap::new(),
            steps: 0,
            joined: 0,
            more: false,
        }
    }

    fn finish(self) -> Analysis {
        let loops = self.order.loops.iter().enumerate();
        let loops: Vec<Loop> = loops
            .filter(|(_, one)| self.blocks.contains_key(&one.head))
            .map(|(at, one)| Loop {
                head: one.head,
                members: one.members.clone(),
                bound: self.bounds[at],
                other_entries: one.other_entries.clone(),
                given: self.given[at].clone(),
                sized: self.most[at].and_then(|most| most.sized),
            })
            .collect();
        let leaves = |one: &Loop| {
            let inside = one.members.iter().filter_map(|at| self.blocks.get(at));
            let mut exits = inside.flat_map(|block| &block.exits);
            exits.any(|exit| match exit.to {
                Destination::Block(to) => !one.members.contains(&to),
                _ => true,
            })
        };
        let limited: BTreeSet<u32> = (self.order.loops.iter().zip(&self.most))
            .filter(|(_, most)| most.is_some_and(|most| most.all.is_some()))
            .map(|(one, _)| one.head)
            .collect();
        for one in &loops {
            if one.bound.is_none() && limited.contains(&one.head) && !leaves(one) {
                let address = self.walk.keys[one.head as usize].address;
                self.walk.troubles.insert((address, Trouble::Bound));
            }
        }
        Analysis {
            blocks: self.blocks,
            loops,
            contexts: self.walk.contexts.clone(),
            troubles: self.walk.troubles.clone(),
            impossible: self.impossible.values().map(|&ways| u64::from(ways)).sum(),
            assumed: self.walk.assumed.clone(),
            used: self.walk.used.clone(),
            steps: self.steps,
        }
    }
}

impl<A: Architecture> Count<'_, '_, A> {
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

    fn visit(&mut self, number: u32, state: State<A>) {
        self.steps += 1;
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
        let mut arriving = vec![];
        for (exit, state) in visit.ways {
            block.exits.insert(exit);
            let Destination::Block(to) = exit.to else {
                continue;
            };
            if !self
                .edges
                .get(&number)
                .is_some_and(|known| known.contains(&to))
            {
                self.more = true;
                let seen = self.walk.seen.entry(number).or_default();
                match seen.get_mut(&to) {
                    Some(known) => known.meet_at(to, state, false),
                    None => {
                        seen.insert(to, state);
                    }
                }
                continue;
            }
            arriving.push((to, state));
        }
        for (to, state) in arriving {
            self.wait(to, state);
        }
    }

    /// How often people say that the head of a loop runs at most, now that it is entered.
    fn most_now(&self, at: usize) -> Most {
        let context = self.walk.keys[self.order.loops[at].head as usize].context;
        let (mut said, mut sized) = (vec![], vec![]);
        for &number in &self.given[at] {
            let bound = &self.walk.program.loop_bounds[number as usize];
            let Some(size) = bound.size else {
                said.push(bound.most.max(1));
                continue;
            };
            let sizes = self.walk.sizes.get(&(context, size.function));
            let runs = sizes.and_then(|sizes| size.runs(*sizes.get(size.register as usize)?));
            sized.extend(runs.map(|runs| runs.min(bound.most).max(1)));
        }
        let sized = sized.into_iter().min();
        Most {
            all: said.into_iter().chain(sized).min(),
            sized,
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
        let now = self.most_now(at);
        self.most[at] = Some(self.most[at].map_or(now, |before| before.or(now)));
        let most = now.all;
        if !one.other_entries.is_empty() || self.endless.contains(&at) {
            return self.settle(at, None);
        }
        let begun = self.steps_left;
        let mut iterations = 0;
        let mut last: Option<State<A>> = None;
        let Some(first) = self.pending.remove(&one.head) else {
            return;
        };
        let outside = std::mem::replace(
            &mut self.pending,
            BTreeMap::from([(one.head, first.clone())]),
        );
        let mut cut = false;
        while let Some(state) = self.pending.remove(&one.head) {
            if most.is_some_and(|most| iterations >= most) {
                // People say that it does not go on here.
                cut = true;
                break;
            }
            let stuck = last.as_ref().is_some_and(|last| last.same_ranges(&state));
            let long = match most {
                Some(_) => begun - self.steps_left > BOUNDED_STEPS_MAX,
                None => iterations >= ITERATIONS_MAX,
            };
            if stuck || long || self.steps_left == 0 {
                // What was known while it went on and on, far beyond its end maybe, is not kept.
                self.pending = outside;
                return self.settle(at, Some(first));
            }
            iterations += 1;
            last = Some(state.clone());
            self.visit(one.head, state);
            // Every way has been gone through before; in the last iteration those that lead back to the head are not taken.
            if iterations > 1 && most == Some(iterations) {
                let leaving = self.leaving(at).clone();
                let before = self.pending.len();
                self.pending
                    .retain(|block, _| !one.members.contains(block) || leaving.contains(block));
                cut |= self.pending.len() < before;
            }
            self.go(&one.body);
        }
        for (block, state) in outside {
            self.wait(block, state);
        }
        if cut {
            self.bounds[at] = None;
        } else if let Some(bound) = &mut self.bounds[at] {
            *bound = iterations.max(*bound);
        }
    }

    fn leaving(&mut self, at: usize) -> &BTreeSet<u32> {
        let (one, edges, open) = (&self.order.loops[at], self.edges, &self.walk.open);
        self.leaving.entry(at).or_insert_with(|| {
            let mut found = BTreeSet::new();
            loop {
                let leaves = |block: &u32| {
                    let to = edges.get(block);
                    open.contains(block)
                        || to.is_none_or(|to| {
                            to.iter()
                                .any(|to| !one.members.contains(to) || found.contains(to))
                        })
                };
                let members = one.members.iter().copied();
                let more = members
                    .filter(|block| *block != one.head && !found.contains(block) && leaves(block));
                let more: Vec<u32> = more.collect();
                if more.is_empty() {
                    return found;
                }
                found.extend(more);
            }
        })
    }

    /// A block is to be visited with what is known on one more way to it.
    fn wait(&mut self, block: u32, state: State<A>) {
        match self.pending.get_mut(&block) {
            Some(known) => known.meet_at(block, state, false),
            None => {
                self.pending.insert(block, state);
            }
        }
    }

    /// A loop without a known end: all its iterations at once.
    fn settle(&mut self, at: usize, first: Option<State<A>>) {
        self.endless.insert(at);
        self.bounds[at] = None;
        if self.joined == 0 {
            self.settled.clear();
        }
        self.joined += 1;
        let one = &self.order.loops[at];
        let entered: Vec<(u32, State<A>)> = one
            .members
            .iter()
            .filter(|block| **block != one.head)
            .filter_map(|block| Some((*block, self.pending.get(block)?.clone())))
            .collect();
        let mut known = first.or_else(|| self.pending.remove(&one.head));
        // Around it, what is known only grows: going on from where it was saves rounds, and those inside of rounds.
        if let (Some(state), Some(mut before)) = (&mut known, self.settled.remove(&at)) {
            before.meet_at(one.head, state.clone(), false);
            *state = before;
        }
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
        if let Some(state) = known {
            self.settled.insert(at, state);
        }
        self.joined -= 1;
    }
}
