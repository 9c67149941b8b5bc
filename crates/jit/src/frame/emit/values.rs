//! Registers in values of the compiler, and what an instruction has changed.

use super::Emitter;
use crate::code::{Word, own_memory};
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use cranelift_codegen::ir::{InstBuilder, Type, Value};
use socscope_isa::{StaticCycleModel, Values};

/// Registers that live in values, at most.
pub(crate) const REGISTERS_MAX: usize = 40;

/// What registers hold, as far as that is known, and which the context does not have yet.
#[derive(Clone, Copy)]
pub(crate) struct Registers {
    known: [Option<Word>; REGISTERS_MAX],
    dirty: u64,
}

impl Default for Registers {
    fn default() -> Registers {
        Registers {
            known: [None; REGISTERS_MAX],
            dirty: 0,
        }
    }
}

/// What there was before an instruction.
#[derive(Clone, Default)]
pub(crate) struct Before<F> {
    registers: Registers,
    flags: F,
    pub spent: u64,
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// A field of the context.
    pub fn load(&mut self, ty: Type, offset: i32) -> Value {
        let context = self.code.context;
        self.code
            .builder
            .ins()
            .load(ty, own_memory(), context, offset)
    }

    /// What a register holds.
    pub fn register_word(&mut self, index: u32) -> Word {
        let slot = index as usize % A::REGISTERS;
        if let Some(word) = self.registers.known[slot] {
            return word;
        }
        let variable = self.variables.registers[slot];
        let word = Word::Value(self.code.builder.use_var(variable));
        self.registers.known[slot] = Some(word);
        word
    }

    /// The context has another value of a register now.
    pub fn reload_register(&mut self, index: u32) {
        let slot = index as usize % A::REGISTERS;
        let value = self.code.load_word(at::register(index));
        self.code
            .builder
            .def_var(self.variables.registers[slot], value);
        self.registers.known[slot] = Some(Word::Value(value));
    }

    /// Writes a register, under the present condition.
    pub fn write_word(&mut self, index: u32, value: Word) {
        let value = match self.code.predicate {
            None => value,
            Some(predicate) => {
                let old = self.register_word(index);
                self.select(predicate, value, old)
            }
        };
        let slot = index as usize % A::REGISTERS;
        self.registers.known[slot] = Some(value);
        self.registers.dirty |= 1 << slot;
    }

    /// Whether so much is only in values that each way out would have to bring a lot of it to the context.
    pub(super) fn has_many_dirty_values(&self) -> bool {
        A::DIRTY_MAX == 0 || self.registers.dirty.count_ones() > A::DIRTY_MAX
    }

    /// Brings changed registers and flags to the context, so that everything may leave from here.
    pub fn flush(&mut self) {
        let dirty = std::mem::take(&mut self.registers.dirty);
        for index in (0..A::REGISTERS).filter(|index| dirty >> index & 1 != 0) {
            let word = self.register_word(index as u32);
            let value = self.code.value(word);
            self.registers.known[index] = Some(match word {
                Word::Constant(_) => word,
                _ => Word::Value(value),
            });
            let variable = self.variables.registers[index];
            self.code.builder.def_var(variable, value);
            self.code.store_value(value, at::register(index as u32));
        }
        A::flush_flags(self);
    }

    pub(super) fn before(&self) -> Before<A::Flags> {
        Before {
            registers: self.registers,
            flags: self.flags.clone(),
            spent: self.spent,
        }
    }

    /// Forgets what an instruction did.
    pub(super) fn go_back(&mut self, before: &Before<A::Flags>) {
        self.registers = before.registers;
        self.flags = before.flags.clone();
        self.spent = before.spent;
    }
}
