//! Takes a state through one block.

use crate::blocks::{Context, Destination, Exit, Key, Passage, Step, Trouble};
use crate::flags::{ANY, Flags, Outcomes};
use crate::program::{Entry, Program, Target};
use crate::range::Range;
use crate::reading::{Effects, FlowReading, LeaveKind, THUMB, Truth};
use crate::scan::Scan;
use crate::stacks::Stacks;
use crate::state::{State, bank};
use crate::value::{Symbol, Value};
use socscope_isa::arm::{InstructionSet, LINK, Mode, condition, instruction};
use std::collections::{BTreeMap, BTreeSet};

/// Targets of one computed jump at most.
const TARGETS_MAX: usize = 512;

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
    /// Whether loops are counted: then only words that are known give targets.
    pub counting: bool,
    numbers: BTreeMap<Key, u32>,
    context_numbers: BTreeMap<Context, u32>,
    /// Where a block ends because another one begins, from its first visit on.
    limits: BTreeMap<u32, Option<u32>>,
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
        let mut walk = Walk {
            program,
            entry: entry.clone(),
            keys: vec![],
            contexts: vec![root],
            troubles: BTreeSet::new(),
            learnt: BTreeMap::new(),
            counting: false,
            numbers: BTreeMap::new(),
            context_numbers: BTreeMap::from([(root, 0)]),
            limits: BTreeMap::new(),
            entered: BTreeMap::new(),
            stacks: Stacks::default(),
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

    fn trouble(&mut self, address: u32, trouble: Trouble) {
        self.troubles.insert((address, trouble));
    }

    /// Goes through block `number` from `state` on.
    pub fn visit(&mut self, number: u32, mut state: State) -> Visit {
        let key = self.keys[number as usize];
        if key.context != 0 && self.contexts[key.context as usize].function == key.address {
            self.entered.insert(key.context, state.clone());
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
        reading.finish()
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
        let refill = (passage != Passage::Fall).then_some((address, set));
        if self.program.never.contains(&address) {
            visit.impossible += 1;
            return;
        }
        let to = if self.program.stops.contains(&address) {
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

    fn jump(&mut self, visit: &mut Visit, at: &Position, state: State, effects: Effects) {
        let Some((kind, value)) = effects.leave else {
            self.trouble(at.address, Trouble::NoCode);
            return;
        };
        let home = bank(self.entry.mode) as u8;
        let link = LINK as u8;
        if matches!(value.term, Some((Symbol::Entry(index, of), false)) if index == link && of == home)
        {
            let refill = Some((value.single().unwrap_or(self.entry.address), at.key.set));
            let exit = Exit {
                to: Destination::Return,
                passage: Passage::Return,
                refill,
            };
            visit.ways.push((exit, state));
            return;
        }
        let Some(targets) = self.targets(at, &value) else {
            self.trouble(at.address, Trouble::Jump);
            return;
        };
        if effects.mode_lost {
            self.trouble(at.address, Trouble::Mode);
            return;
        }
        for target in targets {
            match target {
                Target::Address(target) => {
                    let thumb = match kind {
                        LeaveKind::Branch => at.key.set == InstructionSet::Thumb,
                        LeaveKind::Exchange => target & 1 != 0,
                        LeaveKind::Exception => false,
                        LeaveKind::Return => {
                            let set = state.control.and(&Range::constant(THUMB));
                            let Some(thumb) = set.single() else {
                                self.trouble(at.address, Trouble::Mode);
                                return;
                            };
                            thumb != 0
                        }
                    };
                    let set = if thumb {
                        InstructionSet::Thumb
                    } else {
                        InstructionSet::Arm
                    };
                    let target = set.width().align(target);
                    self.arrive(visit, at, (target, set), (kind, state.clone()));
                }
                Target::Return => self.back(visit, at, state.clone()),
            }
        }
    }

    /// All targets of a jump: what the word can be, what people say, or what was seen while loops were counted.
    fn targets(&mut self, at: &Position, value: &Value) -> Option<Vec<Target>> {
        let place = (at.key.context, at.address);
        if let Some(values) = value.range.values(TARGETS_MAX) {
            if self.counting {
                let learnt = self.learnt.entry(place).or_default();
                learnt.extend(values.iter().copied());
            }
            return Some(values.into_iter().map(Target::Address).collect());
        }
        if let Some(given) = self.program.targets.get(&at.address) {
            return Some(given.clone());
        }
        if self.counting {
            return None;
        }
        let learnt = self.learnt.get(&place)?;
        Some(learnt.iter().copied().map(Target::Address).collect())
    }

    fn arrive(
        &mut self,
        visit: &mut Visit,
        at: &Position,
        (target, set): (u32, InstructionSet),
        (kind, mut state): (LeaveKind, State),
    ) {
        let link = state.register(LINK).single();
        let context = at.key.context;
        let calls = kind != LeaveKind::Return && link.is_some_and(|link| link & !1 == at.next);
        if calls {
            let back = (at.next, at.key.set);
            if !self.program.inline {
                self.over(&mut state);
                let place = (context, at.next, at.key.set);
                self.go(visit, at, place, ANY, (Passage::Over(target), state));
                return;
            }
            let Some(called) = self.called(at, target, back) else {
                self.trouble(at.address, Trouble::Recursion(target));
                return;
            };
            self.go(
                visit,
                at,
                (called, target, set),
                ANY,
                (Passage::Call, state),
            );
            return;
        }
        let mut outer = Some(context);
        while let Some(number) = outer {
            let of = self.contexts[number as usize];
            if let Some(parent) = of.parent
                && of.back == (target, set)
            {
                self.go(
                    visit,
                    at,
                    (parent, target, set),
                    ANY,
                    (Passage::Return, state),
                );
                return;
            }
            outer = of.parent;
        }
        self.go(
            visit,
            at,
            (context, target, set),
            ANY,
            (Passage::Jump, state),
        );
    }

    fn called(&mut self, at: &Position, function: u32, back: (u32, InstructionSet)) -> Option<u32> {
        let mut depth = 0;
        let mut outer = Some(at.key.context);
        while let Some(number) = outer {
            let of = self.contexts[number as usize];
            depth += u32::from(of.function == function);
            outer = of.parent;
        }
        if depth > self.program.recursion.get(&function).copied().unwrap_or(0) {
            return None;
        }
        let context = Context {
            parent: Some(at.key.context),
            site: at.address,
            function,
            back,
        };
        let next = self.contexts.len() as u32;
        Some(*self.context_numbers.entry(context).or_insert_with(|| {
            self.contexts.push(context);
            next
        }))
    }

    /// What a function that keeps the rules of procedure calls may change.
    fn over(&mut self, state: &mut State) {
        for register in [0, 1, 2, 3, 12, LINK] {
            let at = bank(state.mode);
            *state.register_mut(at, register) = Value::unknown();
        }
        state.flags = Flags::UNKNOWN;
        self.stacks.disturb(state, &Value::unknown());
    }

    /// Back to the caller, which finds its registers and its stack as a function leaves them.
    fn back(&mut self, visit: &mut Visit, at: &Position, mut state: State) {
        let of = self.contexts[at.key.context as usize];
        let (Some(parent), Some(before)) = (of.parent, self.entered.get(&at.key.context).cloned())
        else {
            let exit = Exit {
                to: Destination::Return,
                passage: Passage::Return,
                refill: Some((self.entry.address, at.key.set)),
            };
            visit.ways.push((exit, state));
            return;
        };
        let control = state.control.clone();
        let escaped = state.escaped;
        state = before;
        state.escaped |= escaped;
        state.control = state.control.join(&control);
        self.over(&mut state);
        let (target, set) = of.back;
        self.go(
            visit,
            at,
            (parent, target, set),
            ANY,
            (Passage::Return, state),
        );
    }
}

fn fallen(block: u32) -> Exit {
    Exit {
        to: Destination::Block(block),
        passage: Passage::Fall,
        refill: None,
    }
}
