//! The semantics of instructions with values of the compiler, as far as it is the same for every architecture.

use super::Emitter;
use crate::code::{Flag, Word, values_of_code};
use crate::frame::adapter::Adapter;
use cranelift_codegen::ir::InstBuilder;
use socscope_isa::{Semantics, StaticCycleModel};
use socscope_memory::Width;

/// How an instruction leaves its sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaving<F> {
    pub target: Word,
    /// In code of another flavour than this, too: bit 0 of the target names one of them.
    pub flavours: Option<[F; 2]>,
    /// When it does; `None` for always.
    pub condition: Option<Flag>,
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// What the reading has no words for: the interpreter executes the instruction.
    pub fn beyond(&mut self) {
        self.failed = true;
    }

    /// An exception under the present condition: the interpreter executes the instruction, and takes it.
    pub fn raise(&mut self) {
        match self.code.predicate {
            None => self.beyond(),
            Some(condition) if self.is_excluded(condition) => {}
            Some(condition) => self.leave_if(condition),
        }
    }

    /// The same, for what would be a word.
    pub fn beyond_word(&mut self) -> Word {
        self.beyond();
        Word::Constant(0)
    }

    /// A branch always taken to code of the flavour that bit 0 of the target names.
    pub fn branch_to_flavour(&mut self, target: Word, flavours: [A::Flavour; 2]) {
        self.leaving = Some(Leaving {
            target,
            flavours: Some(flavours),
            condition: None,
        });
    }

    /// A flag that is written under the present condition.
    pub fn selected(&mut self, value: Flag, old: impl FnOnce(&mut Self) -> Flag) -> Flag {
        let Some(predicate) = self.code.predicate else {
            return value;
        };
        let old = old(self);
        let (value, old) = (self.code.truth(value), self.code.truth(old));
        let predicate = self.code.truth(predicate);
        let value = self.code.builder.ins().select(predicate, value, old);
        self.code.express(crate::code::Expression::Value(value))
    }
}

values_of_code!([A: Adapter, M: StaticCycleModel<A::Class>] Emitter<'_, A, M>);

impl<A: Adapter, M: StaticCycleModel<A::Class>> Semantics for Emitter<'_, A, M> {
    type Exception = A::Exception;

    fn address(&self) -> u32 {
        self.address
    }

    fn load(&mut self, address: Word, width: Width) -> (Word, Flag) {
        self.require_predicate();
        if self.failed {
            return (Word::Constant(0), Flag::Constant(true));
        }
        (self.read(address, width), Flag::Constant(true))
    }

    fn store(&mut self, address: Word, width: Width, value: Word) -> Flag {
        if self.prepared
            && !self.failed
            && let Some(holds) = self.code.predicate
        {
            self.write_if(holds, address, width, value);
            return Flag::Constant(true);
        }
        self.require_predicate();
        if !self.failed {
            self.write(address, width, value);
        }
        Flag::Constant(true)
    }

    fn branch(&mut self, target: Word) {
        let condition = self.code.predicate;
        let target = match target {
            Word::Constant(_) => target,
            _ => A::target(self, target),
        };
        self.leaving = Some(Leaving {
            target,
            flavours: None,
            condition,
        });
    }

    fn exception(&mut self, exception: A::Exception) {
        A::raise(self, exception);
    }

    fn mark(&mut self, _number: u32) {
        self.beyond();
    }
}
