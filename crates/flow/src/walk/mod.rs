//! Takes a state through one block.

mod jumps;

use crate::architecture::{Architecture, Opcode};
use crate::blocks::{CodeState, Context, Destination, Exit, Key, Passage, Step, Trouble};
use crate::flags::{ANY, Outcomes};
use crate::program::{Entry, Fact, Program};
use crate::range::Range;
use crate::reading::{Effects, FlowReading, LeaveKind, Place};
use crate::scan::Scan;
use crate::stacks::Stacks;
use crate::state::State;
use std::collections::{BTreeMap, BTreeSet};

/// What all blocks share.
pub struct Walk<'a, A: Architecture> {
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
    pub seen: BTreeMap<u32, BTreeMap<u32, State<A>>>,
    /// Stores that were taken to leave saved words alone, while loops were counted.
    pub assumed: BTreeSet<u32>,
    /// Facts that made a difference while loops were counted.
    pub used: BTreeSet<Fact>,
    /// Blocks that leave a context as a function leaves its caller's registers.
    pub left: BTreeMap<u32, BTreeSet<u32>>,
    /// Greatest values of the first arguments at the last entry of functions by whose sizes loops are bounded: context, function.
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
    entered: BTreeMap<u32, State<A>>,
    first: State<A>,
    stacks: Stacks,
    scan: Scan<A>,
    tables: Vec<Outcomes>,
}

/// A way out with what is known on it.
pub type Way<A> = (Exit, State<A>);

/// One visit of a block.
pub struct Visit<A: Architecture> {
    /// Its instructions.
    pub steps: Vec<Step>,
    /// The ways out that are possible.
    pub ways: Vec<Way<A>>,
    /// Ways out that are not.
    pub impossible: u32,
}

impl<A: Architecture> Default for Visit<A> {
    fn default() -> Visit<A> {
        Visit {
            steps: vec![],
            ways: vec![],
            impossible: 0,
        }
    }
}

struct Position {
    key: Key,
    address: u32,
    next: u32,
    flags: Outcomes,
}

impl<'a, A: Architecture> Walk<'a, A> {
    /// Begins with the entry's block, number 0; nothing when the entry's mode does not exist.
    pub fn new(program: &'a Program, entry: &Entry) -> Option<Walk<'a, A>> {
        let root = Context {
            parent: None,
            site: entry.address,
            function: entry.address,
            back: (u32::MAX, entry.code),
        };
        let first = A::first_state(entry)?;
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
            stacks: Stacks::at(entry, &first),
            first,
            scan: Scan::new(program),
            tables: A::predicates(program),
        };
        walk.block(0, entry.address, entry.code, ANY);
        Some(walk)
    }

    /// What is known at the entry.
    pub fn first_state(&self) -> State<A> {
        let mut state = self.first.clone();
        for &(register, low, high) in &self.entry.registers {
            state.register_mut(register).range = Range::between(low, high);
        }
        state
    }

    fn block(&mut self, context: u32, address: u32, code: CodeState, flags: Outcomes) -> u32 {
        let key = Key {
            context,
            address,
            code,
            flags,
        };
        self.scan.reach(self.program, code, address);
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
    pub fn visit(&mut self, number: u32, mut state: State<A>) -> Visit<A> {
        let key = self.keys[number as usize];
        if key.context != 0 && self.enters(number) {
            A::entered(&mut state, key.context, key.address);
            self.entered.insert(key.context, state.clone());
        }
        if key.flags == ANY && self.sized.contains(&key.address) {
            let sizes = std::array::from_fn(|at| {
                state.register(A::ARGUMENT + at as u32).range.unsigned().1
            });
            self.sizes.insert((key.context, key.address), sizes);
        }
        let mut visit = Visit::default();
        let limit = self.limits.get(&number).copied();
        let mut at = Position {
            key,
            address: key.address,
            next: key.address,
            flags: key.flags,
        };
        loop {
            let first = at.address == key.address;
            let begins = match limit {
                Some(limit) => limit == Some(at.address),
                None => self.scan.leads(at.address),
            };
            let merges =
                at.flags != ANY && !self.scan.keeps(self.program, key.code, at.address, true);
            if !first && (begins || merges) {
                self.limits.insert(number, Some(at.address));
                self.fall(&mut visit, &at, at.address, state);
                return visit;
            }
            let Some(opcode) = A::opcode(self.program, key.code, at.address) else {
                self.trouble(at.address, Trouble::NoCode);
                return visit;
            };
            let width = opcode.1;
            at.next = at.address.wrapping_add(width.bytes());
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
                state.register_mut(register).range = range.clone();
                if !state.narrow(&word, &range) {
                    visit.impossible += 1;
                    return visit;
                }
            }
            let shape = self.scan.shape(self.program, key.code, at.address);
            let table = self.tables[shape.predicate];
            let open = at.flags & table != 0 && at.flags & !table != 0;
            let mut step = Step {
                address: at.address,
                width,
                class: shape.class,
                executed: at.flags & table != 0,
                leaves: shape.leaves,
                enters: false,
                accesses: vec![],
                multiplier: None,
            };
            if shape.leaves {
                self.limits.entry(number).or_insert(None);
                self.leave(&mut visit, &at, state, (opcode, table), step);
                return visit;
            }
            if open {
                if first {
                    for side in [table, !table] {
                        let mut state = state.clone();
                        if A::assume(&mut state, side) {
                            let to = self.block(key.context, at.address, key.code, at.flags & side);
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
                let effects = self.execute(&mut state, &at, opcode, shape.moves_stack);
                step.accesses = effects.accesses;
                step.multiplier = effects.multiplier;
                // An exception that only some values raise, or that nobody expects.
                let trouble = match effects.mode_lost {
                    true => Some(Trouble::Mode),
                    false => effects.leave.map(|_| Trouble::Jump),
                };
                if let Some(trouble) = trouble {
                    self.trouble(at.address, trouble);
                    visit.steps.push(step);
                    return visit;
                }
                if shape.writes_flags {
                    at.flags = ANY;
                }
            }
            visit.steps.push(step);
            at.address = at.next;
        }
    }

    fn execute(
        &mut self,
        state: &mut State<A>,
        at: &Position,
        opcode: Opcode,
        saves: bool,
    ) -> Effects {
        let context = at.key.context;
        let place = Place {
            code: at.key.code,
            address: at.address,
            context,
            back: (context != 0).then(|| self.contexts[context as usize].back.0),
        };
        let (program, stacks) = (self.program, &mut self.stacks);
        let mut reading = FlowReading::new(state, program, stacks, place, saves);
        A::read(&mut reading, opcode);
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

    fn fall(&mut self, visit: &mut Visit<A>, at: &Position, address: u32, state: State<A>) {
        let key = at.key;
        let kept = at.flags != ANY && self.scan.keeps(self.program, key.code, address, true);
        let flags = if kept { at.flags } else { ANY };
        self.go(
            visit,
            at,
            (key.context, address, key.code),
            flags,
            (Passage::Fall, state),
        );
    }

    /// One way to a place: an end, an impossible one, or a block.
    fn go(
        &mut self,
        visit: &mut Visit<A>,
        at: &Position,
        (context, address, code): (u32, u32, CodeState),
        flags: Outcomes,
        (passage, state): (Passage, State<A>),
    ) {
        let width = A::width(self.program, code, address);
        let refill = (passage != Passage::Fall).then_some((Some(address), width));
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
            Destination::Block(self.block(context, address, code, flags))
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

    /// The ways out of an instruction that was executed, which may look at its own condition.
    fn ways_out(
        &mut self,
        visit: &mut Visit<A>,
        at: &Position,
        state: State<A>,
        mut effects: Effects,
    ) {
        let next = (at.key.context, at.next, at.key.code);
        let shape = self.scan.shape(self.program, at.key.code, at.address);
        if effects.leave.is_none() && shape.goes_on && !shape.conditional {
            visit.impossible += 1;
            return self.go(visit, at, next, ANY, (Passage::Fall, state));
        }
        let Some(guard) = effects.guard.take() else {
            return self.jump(visit, at, state, effects);
        };
        let (mut taken, mut passed) = (state.clone(), state);
        if taken.assume(&guard, true) {
            self.jump(visit, at, taken, effects);
        } else {
            visit.impossible += 1;
        }
        if passed.assume(&guard, false) {
            self.go(visit, at, next, ANY, (Passage::Fall, passed));
        } else {
            visit.impossible += 1;
        }
    }

    fn leave(
        &mut self,
        visit: &mut Visit<A>,
        at: &Position,
        state: State<A>,
        (opcode, table): (Opcode, Outcomes),
        mut step: Step,
    ) {
        let passed = at.flags & !table != 0;
        let mut ways = Visit::<A>::default();
        if at.flags & table != 0 {
            let mut taken = state.clone();
            if A::assume(&mut taken, table) {
                let effects = self.execute(&mut taken, at, opcode, true);
                step.accesses.clone_from(&effects.accesses);
                step.multiplier = effects.multiplier;
                let enters = |(kind, _): &(_, _)| *kind == LeaveKind::Exception;
                step.enters = A::ENTERS_APART && effects.leave.as_ref().is_some_and(enters);
                self.ways_out(&mut ways, at, taken, effects);
            } else {
                ways.impossible += 1;
            }
        }
        visit.steps.push(step);
        visit.ways.append(&mut ways.ways);
        visit.impossible += ways.impossible;
        if passed {
            let mut state = state;
            if A::assume(&mut state, !table) {
                let left = at.flags & !table;
                let kept =
                    left != ANY && self.scan.keeps(self.program, at.key.code, at.next, false);
                let flags = if kept { left } else { ANY };
                let place = (at.key.context, at.next, at.key.code);
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
