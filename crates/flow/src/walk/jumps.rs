//! Where jumps, calls and returns lead.

use super::{Position, Visit, Walk};
use crate::architecture::{Architecture, Status};
use crate::blocks::{CodeState, Context, Destination, Exit, Passage, Trouble};
use crate::flags::ANY;
use crate::program::{Fact, Target};
use crate::reading::{Effects, LeaveKind};
use crate::state::State;
use crate::value::{Symbol, Value};

/// Targets of one computed jump at most.
const TARGETS_MAX: usize = 512;

impl<A: Architecture> Walk<'_, A> {
    pub(super) fn jump(
        &mut self,
        visit: &mut Visit<A>,
        at: &Position,
        state: State<A>,
        effects: Effects,
    ) {
        let Some((kind, value)) = effects.leave else {
            self.trouble(at.address, Trouble::NoCode);
            return;
        };
        if value.single().is_none() {
            self.open.insert(self.numbers[&at.key]);
        }
        let home = Symbol::Entry(A::return_slot(&self.entry, kind));
        if value.term == Some((home, false)) {
            let refill = Some((value.single(), A::return_width(kind, at.key.code)));
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
                    let Some(place) = A::arrival(&state, kind, at.key.code, target) else {
                        self.trouble(at.address, Trouble::Mode);
                        return;
                    };
                    self.arrive(visit, at, place, (kind, state.clone()));
                }
                Target::Return if A::calls(&state, kind, at.address, at.next) => {
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
        visit: &mut Visit<A>,
        at: &Position,
        (target, code): (u32, CodeState),
        (kind, mut state): (LeaveKind, State<A>),
    ) {
        if self.never(target) {
            visit.impossible += 1;
            return;
        }
        let context = at.key.context;
        if A::calls(&state, kind, target, at.next) {
            let back = (at.next, at.key.code);
            if !self.program.inline {
                self.over(&mut state, None);
                let place = (context, at.next, at.key.code);
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
                (called, target, code),
                ANY,
                (Passage::Call, state),
            );
            return;
        }
        let mut outer = Some(context);
        while let Some(number) = outer {
            let of = self.contexts[number as usize];
            if let Some(parent) = of.parent
                && of.back == (target, code)
            {
                state.status.returned();
                self.go(
                    visit,
                    at,
                    (parent, target, code),
                    ANY,
                    (Passage::Return, state),
                );
                return;
            }
            outer = of.parent;
        }
        let of = self.contexts[context as usize];
        let link = A::link(&state).range.values(TARGETS_MAX);
        let added = A::ADDS_TO_LINK
            && code == of.back.1
            && target > of.back.0
            && link.is_some_and(|link| {
                link.iter()
                    .any(|link| A::width(self.program, code, target).align(*link) == target)
            });
        let (context, passage) = match of.parent {
            Some(parent) if added => {
                state.status.returned();
                (parent, Passage::Return)
            }
            _ => (context, Passage::Jump),
        };
        self.go(visit, at, (context, target, code), ANY, (passage, state));
    }

    fn called(&mut self, at: &Position, function: u32, back: (u32, CodeState)) -> Option<u32> {
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
    fn over(&mut self, state: &mut State<A>, left: Option<&A::Status>) {
        let given = |register| state.register(register).local;
        let arguments = A::ARGUMENT..A::ARGUMENT + A::ARGUMENTS;
        let local = state.escaped || state.spilled || arguments.into_iter().any(given);
        let unknown = Value::unknown().made_from(local);
        for register in A::volatile() {
            *state.register_mut(register) = unknown.clone();
        }
        A::called_over(&mut state.status, left);
        state.escaped |= local;
        self.stacks.disturb(state, &unknown);
    }

    /// Back to the caller, which finds its registers and its stack as a function leaves them.
    fn back(&mut self, visit: &mut Visit<A>, at: &Position, mut state: State<A>) {
        let of = self.contexts[at.key.context as usize];
        let (Some(parent), Some(before)) = (of.parent, self.entered.get(&at.key.context).cloned())
        else {
            let exit = Exit {
                to: Destination::Return,
                passage: Passage::Return,
                refill: Some((None, A::return_width(LeaveKind::Branch, at.key.code))),
            };
            visit.ways.push((exit, state));
            return;
        };
        let number = self.numbers[&at.key];
        self.left.entry(at.key.context).or_default().insert(number);
        let (escaped, spilled) = (state.escaped, state.spilled);
        let status = state.status.clone();
        state = before;
        state.escaped |= escaped;
        state.spilled |= spilled;
        self.over(&mut state, Some(&status));
        let (target, code) = of.back;
        self.go(
            visit,
            at,
            (parent, target, code),
            ANY,
            (Passage::Return, state),
        );
    }
}
