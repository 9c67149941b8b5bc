//! Takes a state through one block.

mod jumps;

use crate::blocks::{Context, Destination, Exit, Key, Passage, Step, Trouble};
use crate::flags::{ANY, Outcomes};
use crate::program::{Entry, Fact, Program};
use crate::range::Range;
use crate::reading::{Effects, FlowReading, Truth};
use crate::scan::Scan;
use crate::stacks::Stacks;
use crate::state::{State, bank};
use socscope_arm::{InstructionSet, Mode, condition, instruction};
use std::collections::{BTreeMap, BTreeSet};

/// What all blocks share.
pub struct Walk<'a> {
    /// The program.
    pub program: &'a Program,
    /// Where it begins.
    pub entry: Entry,
    /// Blocks by number.
    pub keys: Vec<Key>,
    /// Calling contexts by number; the first one is the entry's.
    pub contexts: Vec<Context>,
    /// What could not be followed, and where.
    pub troubles: BTreeSet<(u32, Trouble)>,
    /// Targets that computed jumps were seen to have while loops were counted: context, address.
    pub learnt: BTreeMap<(u32, u32), BTreeSet<u32>>,
    /// Ways that were seen while loops were counted, with what was known there: from block, to block.
    pub seen: BTreeMap<u32, BTreeMap<u32, State>>,
    /// Stores that were taken to leave saved words alone, while loops were counted.
    pub assumed: BTreeSet<u32>,
    /// Facts that made a difference while loops were counted.
    pub used: BTreeSet<Fact>,
    /// Blocks that leave a context as a function leaves its caller's registers.
    pub left: BTreeMap<u32, BTreeSet<u32>>,
    /// Greatest values of r0 to r3 at the last entry of functions by whose sizes loops are bounded: context, function.
    pub sizes: BTreeMap<(u32, u32), [u32; 4]>,
    /// The last instruction of blocks.
    pub ends: BTreeMap<u32, u32>,
    /// Blocks from which a way leads out of the program, or maybe to where no way was seen yet.
    pub open: BTreeSet<u32>,
    /// Whether loops are counted: then only words that are known give targets.
    pub counting: bool,
    numbers: BTreeMap<Key, u32>,
    context_numbers: BTreeMap<Context, u32>,
    /// Where a block ends because another one begins, from its first visit on.
    limits: BTreeMap<u32, Option<u32>>,
    /// Functions by whose sizes loops are bounded.
    sized: BTreeSet<u32>,
    /// What was known at the entry of a context the last time.
    entered: BTreeMap<u32, State>,
    stacks: Stacks,
    scan: Scan,
    tables: [Outcomes; 16],
}

/// A way out with what is known on it.
pub type Way = (Exit, State);

/// One visit of a block.
#[derive(Default)]
pub struct Visit {
    /// Its instructions.
    pub steps: Vec<Step>,
    /// The ways out that are possible.
    pub ways: Vec<Way>,
    /// Ways out that are not.
    pub impossible: u32,
}

struct Position {
    key: Key,
    address: u32,
    next: u32,
    flags: Outcomes,
}

impl<'a> Walk<'a> {
    /// Begins with the entry's block, number 0.
    pub fn new(program: &'a Program, entry: &Entry) -> Walk<'a> {
        let root = Context {
            parent: None,
            site: entry.address,
            function: entry.address,
            back: (u32::MAX, entry.set),
        };
        let mut scratch = State::entry(Mode::Supervisor);
        let mut stacks = Stacks::default();
        let tables = std::array::from_fn(|code| {
            let place = (InstructionSet::Arm, 0, 0);
            let mut reading = FlowReading::new(&mut scratch, program, &mut stacks, place, false);
            match condition(&mut reading, code as u32) {
                Truth::Of(_, table) => table,
                Truth::Known(false) => 0,
                _ => ANY,
            }
        });
        let sizes = program.loop_bounds.iter().filter_map(|bound| bound.size);
        let sized = sizes.map(|size| size.function).collect();
        let mut walk = Walk {
            program,
            entry: entry.clone(),
            keys: vec![],
            contexts: vec![root],
            troubles: BTreeSet::new(),
            learnt: BTreeMap::new(),
            seen: BTreeMap::new(),
            assumed: BTreeSet::new(),
            used: BTreeSet::new(),
            left: BTreeMap::new(),
            sizes: BTreeMap::new(),
            sized,
            ends: BTreeMap::new(),
            open: BTreeSet::new(),
            counting: false,
            numbers: BTreeMap::new(),
            context_numbers: BTreeMap::from([(root, 0)]),
            limits: BTreeMap::new(),
            entered: BTreeMap::new(),
            stacks: Stacks::new(entry),
            scan: Scan::new(program),
            tables,
        };
        walk.block(0, entry.address, entry.set, ANY);
        walk
    }

    /// What is known at the entry.
    pub fn first_state(&self) -> State {
        let mut state = State::entry(self.entry.mode);
        for &(register, low, high) in &self.entry.registers {
            let range = Range::between(low, high);
            state.register_mut(bank(self.entry.mode), register).range = range;
        }
        state
    }

    fn block(&mut self, context: u32, address: u32, set: InstructionSet, flags: Outcomes) -> u32 {
        let key = Key {
            context,
            address,
            set,
            flags,
        };
        self.scan.reach(self.program, set, address);
        let next = self.keys.len() as u32;
        *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            next
        })
    }

    /// Loops are counted from here on, anew.
    pub fn count(&mut self) {
        self.counting = true;
        self.troubles
            .retain(|(_, trouble)| *trouble == Trouble::Size);
        self.assumed.clear();
        self.used.clear();
    }

    /// A fact makes a difference.
    fn uses(&mut self, fact: Fact) {
        if self.counting {
            self.used.insert(fact);
        }
    }

    fn trouble(&mut self, address: u32, trouble: Trouble) {
        self.troubles.insert((address, trouble));
    }

    /// Whether a block is the first one of its context.
    pub fn enters(&self, number: u32) -> bool {
        let key = self.keys[number as usize];
        key.flags == ANY && self.contexts[key.context as usize].function == key.address
    }

    /// Goes through block `number` from `state` on.
    pub fn visit(&mut self, number: u32, mut state: State) -> Visit {
        let key = self.keys[number as usize];
        if key.context != 0 && self.enters(number) {
            self.entered.insert(key.context, state.clone());
        }
        if key.flags == ANY && self.sized.contains(&key.address) {
            let sizes = std::array::from_fn(|at| state.low[at].range.unsigned().1);
            self.sizes.insert((key.context, key.address), sizes);
        }
        let mut visit = Visit::default();
        let width = key.set.width().bytes();
        let limit = self.limits.get(&number).copied();
        let mut at = Position {
            key,
            address: key.address,
            next: key.address.wrapping_add(width),
            flags: key.flags,
        };
        loop {
            let first = at.address == key.address;
            let begins = match limit {
                Some(limit) => limit == Some(at.address),
                None => self.scan.leads(at.address),
            };
            let merges =
                at.flags != ANY && !self.scan.keeps(self.program, key.set, at.address, true);
            if !first && (begins || merges) {
                self.limits.insert(number, Some(at.address));
                self.fall(&mut visit, &at, at.address, state);
                return visit;
            }
            let Some(word) = self.program.instruction(key.set, at.address) else {
                self.trouble(at.address, Trouble::NoCode);
                return visit;
            };
            for &(register, low, high) in self
                .program
                .registers
                .get(&at.address)
                .into_iter()
                .flatten()
            {
                let word = state.register(register).clone();
                if word.range.meet(&Range::between(low, high)).as_ref() != Some(&word.range) {
                    self.uses(Fact::Register(at.address, register));
                }
                let Some(range) = word.range.meet(&Range::between(low, high)) else {
                    visit.impossible += 1;
                    return visit;
                };
                let now = bank(state.mode);
                state.register_mut(now, register).range = range.clone();
                if !state.narrow(&word, &range) {
                    visit.impossible += 1;
                    return visit;
                }
            }
            let shape = self.scan.shape(self.program, key.set, at.address);
            let table = self.tables[shape.condition as usize];
            let open = at.flags & table != 0 && at.flags & !table != 0;
            let mut step = Step {
                address: at.address,
                set: key.set,
                class: shape.class,
                executed: at.flags & table != 0,
                leaves: shape.leaves,
                accesses: vec![],
                multiplier: None,
            };
            if shape.leaves {
                self.limits.entry(number).or_insert(None);
                self.leave(&mut visit, &at, state, (word, table), step);
                return visit;
            }
            if open {
                if first {
                    for side in [table, !table] {
                        let mut state = state.clone();
                        if state.assume(side) {
                            let to = self.block(key.context, at.address, key.set, at.flags & side);
                            visit.ways.push((fallen(to), state));
                        } else {
                            visit.impossible += 1;
                        }
                    }
                } else {
                    self.limits.insert(number, Some(at.address));
                    self.fall(&mut visit, &at, at.address, state);
                }
                return visit;
            }
            if step.executed {
                let effects = self.execute(&mut state, &at, word, shape.moves_stack);
                step.accesses = effects.accesses;
                step.multiplier = effects.multiplier;
                if effects.mode_lost {
                    self.trouble(at.address, Trouble::Mode);
                    visit.steps.push(step);
                    return visit;
                }
                if shape.writes_flags {
                    at.flags = ANY;
                }
            }
            visit.steps.push(step);
            at.address = at.next;
            at.next = at.address.wrapping_add(width);
        }
    }

    fn execute(&mut self, state: &mut State, at: &Position, word: u32, saves: bool) -> Effects {
        let place = (at.key.set, at.address, at.key.context);
        let mut reading = FlowReading::new(state, self.program, &mut self.stacks, place, saves);
        (instruction::<FlowReading>(at.key.set, word).read)(&mut reading, word);
        let effects = reading.finish();
        if self.counting && effects.assumed {
            self.assumed.insert(at.address);
        }
        effects
    }

    /// Whether a place that control comes to is said not to be reached.
    fn never(&mut self, address: u32) -> bool {
        let never = self.program.never.contains(&address);
        if never {
            self.uses(Fact::Never(address));
        }
        never
    }

    fn fall(&mut self, visit: &mut Visit, at: &Position, address: u32, state: State) {
        let key = at.key;
        let kept = at.flags != ANY && self.scan.keeps(self.program, key.set, address, true);
        let flags = if kept { at.flags } else { ANY };
        self.go(
            visit,
            at,
            (key.context, address, key.set),
            flags,
            (Passage::Fall, state),
        );
    }

    /// One way to a place: an end, an impossible one, or a block.
    fn go(
        &mut self,
        visit: &mut Visit,
        at: &Position,
        (context, address, set): (u32, u32, InstructionSet),
        flags: Outcomes,
        (passage, state): (Passage, State),
    ) {
        let refill = (passage != Passage::Fall).then_some((Some(address), set));
        if self.never(address) {
            visit.impossible += 1;
            return;
        }
        let to = if self.program.stops.contains(&address) {
            self.open.insert(self.numbers[&at.key]);
            Destination::Stop(address)
        } else {
            if self.keys.len() >= self.program.blocks_max {
                self.trouble(at.address, Trouble::Size);
                return;
            }
            Destination::Block(self.block(context, address, set, flags))
        };
        visit.ways.push((
            Exit {
                to,
                passage,
                refill,
            },
            state,
        ));
    }

    fn leave(
        &mut self,
        visit: &mut Visit,
        at: &Position,
        state: State,
        (word, table): (u32, Outcomes),
        mut step: Step,
    ) {
        let passed = at.flags & !table != 0;
        let mut ways = Visit::default();
        if at.flags & table != 0 {
            let mut taken = state.clone();
            if taken.assume(table) {
                let effects = self.execute(&mut taken, at, word, true);
                step.accesses.clone_from(&effects.accesses);
                step.multiplier = effects.multiplier;
                self.jump(&mut ways, at, taken, effects);
            } else {
                ways.impossible += 1;
            }
        }
        visit.steps.push(step);
        visit.ways.append(&mut ways.ways);
        visit.impossible += ways.impossible;
        if passed {
            let mut state = state;
            if state.assume(!table) {
                let left = at.flags & !table;
                let kept = left != ANY && self.scan.keeps(self.program, at.key.set, at.next, false);
                let flags = if kept { left } else { ANY };
                let place = (at.key.context, at.next, at.key.set);
                self.go(visit, at, place, flags, (Passage::Fall, state));
            } else {
                visit.impossible += 1;
            }
        }
    }
}

fn fallen(block: u32) -> Exit {
    Exit {
        to: Destination::Block(block),
        passage: Passage::Fall,
        refill: None,
    }
}
