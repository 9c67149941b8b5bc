//! ARM, as this analysis sees it.

#[cfg(test)]
mod against_execution;
mod status;
mod words;

use crate::architecture::{Architecture, Opcode};
use crate::blocks::CodeState;
use crate::flags::{ANY, Flags, Name, Outcomes};
use crate::program::{Entry, Program};
use crate::range::Range;
use crate::reading::{FlowReading, LeaveKind, Place, Truth, Word};
use crate::scan::Shape;
use crate::stacks::Stacks;
use crate::state::State;
use crate::value::Value;
use socscope_arm::{
    ALWAYS, CoreModel, InstructionSet, LINK, Leave, Mode, STACK, condition, condition_code,
    encoding, footprint, instruction,
};
use socscope_memory::Width;
pub use status::ArmStatus;
use status::{THUMB, bank};

/// The architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm;

/// Slots: r0 to r12, then r13, r14 and the saved status of each bank.
const BANKED: usize = 13;
const SLOTS: u16 = BANKED as u16 + 3 * status::BANKS;
/// The place of the saved status among the registers of a bank.
const SAVED_STATUS: u32 = 15;

const fn slot(bank: usize, register: u32) -> usize {
    match register {
        0..13 => register as usize,
        _ => BANKED + 3 * bank + register as usize - 13,
    }
}

const fn banked(slot: u16) -> Option<u16> {
    match slot.checked_sub(BANKED as u16) {
        Some(at) => Some(at % 3),
        None => None,
    }
}

/// The instruction set of code.
pub const fn set(code: CodeState) -> InstructionSet {
    match code.0 & 1 {
        0 => InstructionSet::Arm,
        _ => InstructionSet::Thumb,
    }
}

/// Whose instructions code is made of; an ARM7TDMI's, unless it says otherwise.
const fn model(code: CodeState) -> CoreModel {
    CoreModel::ALL[(code.0 >> 1) as usize]
}

/// Code of a model.
#[cfg(test)]
const fn code_of(model: CoreModel, set: InstructionSet) -> CodeState {
    CodeState((model as u8) << 1 | matches!(set, InstructionSet::Thumb) as u8)
}

impl Architecture for Arm {
    type Status = ArmStatus;
    /// New values of V, C, Z and N.
    type Notes = [Option<Truth>; 4];

    const STACK: u32 = STACK;
    const ARGUMENT: u32 = 0;
    const ARGUMENTS: u32 = 4;
    const ALIGNED: bool = true;
    const ADDS_TO_LINK: bool = true;
    const ENTERS_APART: bool = false;
    const COMPARES_BY_XOR: bool = false;

    fn volatile() -> Vec<u32> {
        vec![0, 1, 2, 3, 12, LINK]
    }
    fn first_state(entry: &Entry) -> Option<State<Arm>> {
        let mode = Mode::from_bits(entry.mode)?;
        Some(State::entry(SLOTS, ArmStatus::entry(mode)))
    }
    fn slot(status: &ArmStatus, register: u32) -> usize {
        slot(bank(status.mode), register)
    }
    fn is_stack(slot: u16) -> bool {
        banked(slot) == Some(0)
    }
    // The user's instruction set and mode are what most exceptions return to, but nobody knows.
    fn is_way_back(slot: u16) -> bool {
        matches!(banked(slot), Some(1 | 2))
    }
    fn return_slot(entry: &Entry, _: LeaveKind) -> u16 {
        let mode = Mode::from_bits(entry.mode).unwrap_or(Mode::Supervisor);
        slot(bank(mode), LINK) as u16
    }

    fn width(_: &Program, code: CodeState, _: u32) -> Width {
        set(code).width()
    }
    fn predicates(program: &Program) -> Vec<Outcomes> {
        let mut scratch = State::entry(SLOTS, ArmStatus::entry(Mode::Supervisor));
        let mut stacks = Stacks::new(Arm::is_stack);
        let mut outcomes = |code| {
            let mut reading = FlowReading::<Arm>::new(
                &mut scratch,
                program,
                &mut stacks,
                Place::default(),
                false,
            );
            match condition(&mut reading, code) {
                Truth::Of(_, table) => table,
                Truth::Known(false) => 0,
                _ => ANY,
            }
        };
        (0..16).map(&mut outcomes).collect()
    }
    fn shape(code: CodeState, address: u32, (word, _): Opcode) -> Shape {
        let (model, set) = (model(code), set(code));
        let found = footprint(model, set, address, word);
        let next = address.wrapping_add(set.width().bytes());
        let condition = condition_code(model, set, word);
        Shape {
            predicate: condition as usize,
            conditional: condition != ALWAYS,
            goes_on: condition != ALWAYS,
            class: encoding(model, set, word).class,
            leaves: found.leave.is_some(),
            writes_flags: found.flags_written.0 != 0 || found.status_written,
            moves_stack: found.writes.contains(STACK),
            target: match found.leave {
                Some(Leave::Branch(socscope_arm::Value::Constant(target))) => Some(target),
                _ => None,
            },
            calls: found
                .constants
                .iter()
                .any(|&(index, value)| index == LINK && value & !1 == next),
        }
    }
    fn read(reading: &mut FlowReading<'_, Arm>, (word, _): Opcode) {
        (instruction::<FlowReading<'_, Arm>>(model(reading.code), set(reading.code), word).read)(
            reading, word,
        );
    }

    fn finish(reading: &mut FlowReading<'_, Arm>) {
        reading.put_flags();
    }
    fn maybe(notes: &mut Self::Notes, before: &Self::Notes) {
        for (now, before) in notes.iter_mut().zip(before) {
            if now != before {
                *now = Some(Truth::Unknown);
            }
        }
    }
    fn decided(reading: &FlowReading<'_, Arm>, truth: Truth) -> Truth {
        let possible = reading.state.status.flags.outcomes;
        match truth {
            Truth::Of(0, table) if possible & !table == 0 => Truth::Known(true),
            Truth::Of(0, table) if possible & table == 0 => Truth::Known(false),
            other => other,
        }
    }
    fn assume(state: &mut State<Arm>, outcomes: Outcomes) -> bool {
        let flags = &mut state.status.flags;
        let left = flags.outcomes & outcomes;
        if left == 0 {
            return false;
        }
        if left == flags.outcomes {
            return true;
        }
        flags.outcomes = left;
        let Some((compared, linked)) = flags.comparison.clone() else {
            return true;
        };
        let Some(learnt) = compared.learn(Flags::loosened(left, linked)) else {
            return false;
        };
        learnt.iter().all(|(word, range)| state.narrow(word, range))
    }
    /// A push puts away what its function gives back; frames keep the caller's stack pointer in r12.
    fn saves(reading: &FlowReading<'_, Arm>, word: Word, _on_stack: bool) -> bool {
        reading.saves
            && match reading.origin(word) {
                Some(12) => reading.get(word).local,
                Some(index) => index > 3,
                None => false,
            }
    }

    fn arrival(
        state: &State<Arm>,
        kind: LeaveKind,
        code: CodeState,
        target: u32,
    ) -> Option<(u32, CodeState)> {
        let thumb = match kind {
            LeaveKind::Branch => set(code) == InstructionSet::Thumb,
            LeaveKind::Exchange => target & 1 != 0,
            LeaveKind::Exception => false,
            LeaveKind::Return => {
                let set = state.status.control.and(&Range::constant(THUMB));
                set.single()? != 0
            }
        };
        let code = CodeState(code.0 & !1 | u8::from(thumb));
        Some((set(code).width().align(target), code))
    }
    // Nobody knows the caller's instruction set; ARM fetches take no less time.
    fn return_width(kind: LeaveKind, code: CodeState) -> Width {
        match kind {
            LeaveKind::Branch => set(code).width(),
            _ => Width::Word,
        }
    }
    fn calls(state: &State<Arm>, kind: LeaveKind, _target: u32, next: u32) -> bool {
        let link = state.register(LINK).single();
        kind != LeaveKind::Return && link.is_some_and(|link| link & !1 == next)
    }
    fn link(state: &State<Arm>) -> &Value {
        state.register(LINK)
    }
    fn called_over(status: &mut ArmStatus, left: Option<&ArmStatus>) {
        if let Some(left) = left {
            status.control = status.control.join(&left.control);
        }
        status.flags = Flags::UNKNOWN;
    }
}

impl FlowReading<'_, Arm> {
    fn flag_of(&self, name: Name) -> Truth {
        Arm::decided(self, Truth::Of(0, name.table()))
    }
}
