//! A plain core as a part of a machine.

use super::{Plain, PlainCore, cause};
use crate::{
    BranchToSelf, BuildNotes, Cause, Core, Entry, Exceptions, ExecutionState, Handler, Images,
    InterruptLines, MachineCore, RegisterFile,
};

impl<A: Plain> Core for PlainCore<A> {
    fn program_counter(&self) -> u32 {
        self.program_counter
    }

    fn stack_pointer(&self) -> u32 {
        self.slot(A::STACK)
    }

    fn first_argument(&self) -> u32 {
        self.slot(A::ARGUMENT)
    }

    fn status_word(&self) -> u32 {
        self.slot(A::STATUS)
    }

    fn execution_state(&self) -> ExecutionState {
        ExecutionState::default()
    }

    fn mode_name(&self) -> String {
        match A::handled(self.status_word()) {
            Some(number) => format!("handler of {}", article(self.fault_name(number))),
            None => "program".into(),
        }
    }
}

/// The exceptions of a plain architecture.
pub const fn exceptions<A: Plain>() -> Exceptions {
    Exceptions {
        name: |number| {
            let known = A::EXCEPTIONS.get(usize::from(number));
            known.map_or_else(|| format!("exception {number}"), |(name, _)| (*name).into())
        },
        cause: cause::<A>,
        is_fault: |number| cause::<A>(number) == Cause::Other,
        is_told_apart: |_| true,
        keep_stack: true,
        have_handler_addresses: false,
    }
}

fn article(name: &str) -> String {
    match name.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => format!("an {name}"),
        false => format!("a {name}"),
    }
}

impl<A: Plain> MachineCore for PlainCore<A> {
    fn model_name(&self) -> &'static str {
        self.model.name()
    }

    fn images(&self) -> Images {
        self.model.images()
    }

    fn foreign(&self, notes: &dyn BuildNotes) -> Option<String> {
        self.model.foreign(notes)
    }

    fn reset_address(&self) -> u32 {
        A::RESET
    }

    fn exceptions(&self) -> &'static Exceptions {
        A::FACTS.exceptions
    }

    fn register_file(&self) -> &'static RegisterFile {
        self.model.registers()
    }

    fn numbered_register(&self, number: usize) -> Option<u32> {
        let words = self.words.as_ref();
        let counter = (number == words.len()).then_some(self.program_counter);
        words.get(number).copied().or(counter)
    }

    fn set_numbered_register(&mut self, number: usize, value: u32) -> bool {
        let count = self.words.as_ref().len();
        if number < count {
            self.words.as_mut()[number] = value;
        } else if number == count {
            self.set_program_counter(value);
        }
        number <= count
    }

    fn named_registers(&self, _cycle: u64) -> Vec<(String, u32)> {
        let file = self.register_file();
        let named = |number| Some((file.name(number).into(), self.numbered_register(number)?));
        (0..file.count()).filter_map(named).collect()
    }

    fn start(&mut self, entry: Entry, number: usize, _cycle: u64) {
        // The others come out of reset as they are.
        if number == 0 {
            self.set_program_counter(entry.address);
        }
    }

    fn takes_interrupt(&self, lines: InterruptLines, _cycle: u64) -> bool {
        lines.normal && A::takes_interrupts(self.status_word())
    }

    fn is_woken(&self, lines: InterruptLines) -> bool {
        lines.normal
    }

    fn is_masked(&self, signal: &str) -> Option<bool> {
        (signal == "irq").then(|| !A::takes_interrupts(self.status_word()))
    }

    fn fault_name(&self, number: u8) -> &'static str {
        let known = A::EXCEPTIONS.get(usize::from(number));
        known.map_or("exception", |(name, _)| name)
    }

    fn is_nested_fault(&self, number: u8) -> bool {
        let statuses = [A::STATUS, A::SAVED_STATUS].map(|slot| self.slot(slot));
        statuses.map(A::handled) == [Some(number); 2]
    }

    fn branch_to_self(&self, alone: bool) -> Option<BranchToSelf> {
        let (width, opcode) = A::BRANCH_TO_SELF;
        (alone && !A::takes_interrupts(self.status_word())).then_some(BranchToSelf {
            address: self.program_counter,
            width,
            opcode,
        })
    }

    fn handler(&self) -> Handler {
        match A::handled(self.status_word()) {
            Some(number) => Handler::Of(article(self.fault_name(number))),
            None => Handler::None,
        }
    }

    fn has_taken_interrupt(&self, _from: u32, status_word: u32) -> bool {
        A::takes_interrupts(status_word) && A::handled(self.status_word()) == Some(A::INTERRUPT)
    }
}
