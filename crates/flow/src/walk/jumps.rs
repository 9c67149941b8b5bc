//! Where jumps, calls and returns lead.

use super::{Position, Visit, Walk};
use crate::blocks::{Context, Destination, Exit, Passage, Trouble};
use crate::flags::{ANY, Flags};
use crate::program::{Fact, Target};
use crate::range::Range;
use crate::reading::{Effects, LeaveKind, THUMB};
use crate::state::{State, bank};
use crate::value::{Symbol, Value};
use socscope_arm::{InstructionSet, LINK};

/// Targets of one computed jump at most.
const TARGETS_MAX: usize = 512;

impl Walk<'_> {
    pub(super) fn jump(
        &mut self,
        visit: &mut Visit,
        at: &Position,
        state: State,
        effects: Effects,
    ) {
        let Some((kind, value)) = effects.leave else {
            self.trouble(at.address, Trouble::NoCode);
            return;
        };
        if value.single().is_none() {
            self.open.insert(self.numbers[&at.key]);
        }
        let home = bank(self.entry.mode) as u8;
        let link = LINK as u8;
        if matches!(value.term, Some((Symbol::Entry(index, of), false)) if index == link && of == home)
        {
            // Nobody knows the caller's instruction set; ARM fetches take no less time.
            let set = match kind {
                LeaveKind::Branch => at.key.set,
                _ => InstructionSet::Arm,
            };
            let refill = Some((value.single(), set));
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
                Target::Return if calls(at, kind, &state) => {
                    self.trouble(at.address, Trouble::Call);
                    return;
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
            self.uses(Fact::Targets(at.address));
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
        if self.never(target) {
            visit.impossible += 1;
            return;
        }
        let context = at.key.context;
        if calls(at, kind, &state) {
            let back = (at.next, at.key.set);
            if !self.program.inline {
                self.over(&mut state);
                let place = (context, at.next, at.key.set);
                self.go(visit, at, place, ANY, (Passage::Over(target), state));
                return;
            }
            let Some(called) = self.called(at, target, back) else {
                if self.program.recursion.contains_key(&target) {
                    visit.impossible += 1;
                } else {
                    self.trouble(at.address, Trouble::Recursion(target));
                }
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
        // The helper of a Thumb switch adds to its return address: it goes on in its caller, too.
        let of = self.contexts[context as usize];
        let link = state.register(LINK).range.values(TARGETS_MAX);
        let added = set == of.back.1
            && target > of.back.0
            && link.is_some_and(|link| link.iter().any(|link| set.width().align(*link) == target));
        let (context, passage) = match of.parent {
            Some(parent) if added => (parent, Passage::Return),
            _ => (context, Passage::Jump),
        };
        self.go(visit, at, (context, target, set), ANY, (passage, state));
    }

    fn called(&mut self, at: &Position, function: u32, back: (u32, InstructionSet)) -> Option<u32> {
        let mut depth = 0;
        let mut outer = Some(at.key.context);
        while let Some(number) = outer {
            let of = self.contexts[number as usize];
            depth += u32::from(of.function == function);
            outer = of.parent;
        }
        let most = self.program.recursion.get(&function).copied();
        if depth > 0 && most.is_some() {
            self.uses(Fact::Recursion(function));
        }
        if depth > most.unwrap_or(0) {
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
        let given = |register| state.register(register).local;
        let local = state.escaped || state.spilled || (0..4).any(given);
        let unknown = Value::unknown().made_from(local);
        for register in [0, 1, 2, 3, 12, LINK] {
            let at = bank(state.mode);
            *state.register_mut(at, register) = unknown.clone();
        }
        state.flags = Flags::UNKNOWN;
        state.escaped |= local;
        self.stacks.disturb(state, &unknown);
    }

    /// Back to the caller, which finds its registers and its stack as a function leaves them.
    fn back(&mut self, visit: &mut Visit, at: &Position, mut state: State) {
        let of = self.contexts[at.key.context as usize];
        let (Some(parent), Some(before)) = (of.parent, self.entered.get(&at.key.context).cloned())
        else {
            let exit = Exit {
                to: Destination::Return,
                passage: Passage::Return,
                refill: Some((None, at.key.set)),
            };
            visit.ways.push((exit, state));
            return;
        };
        let number = self.numbers[&at.key];
        self.left.entry(at.key.context).or_default().insert(number);
        let control = state.control.clone();
        let (escaped, spilled) = (state.escaped, state.spilled);
        state = before;
        state.escaped |= escaped;
        state.spilled |= spilled;
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

/// Whether a jump leaves the address of the next instruction behind for its return.
fn calls(at: &Position, kind: LeaveKind, state: &State) -> bool {
    let link = state.register(LINK).single();
    kind != LeaveKind::Return && link.is_some_and(|link| link & !1 == at.next)
}
