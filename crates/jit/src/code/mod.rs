//! The reading of instructions with values of the compiler, as far as it is the same for every architecture.

mod arithmetic;
mod values;
mod word;

use crate::entries;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::FunctionBuilder;
use socscope_isa::Values;
use socscope_memory::Width;
use std::collections::BTreeMap;
pub(crate) use values::{forward, values_of_code};
pub(crate) use word::{Expression, Flag, Word};

/// Code that is being made: the compiler's function, and what is known of values on the way that is being made.
pub(crate) struct Writer<'a> {
    pub builder: FunctionBuilder<'a>,
    /// Address of the context that translated code works on.
    pub context: Value,
    pub expressions: Vec<Expression>,
    /// Values of truth values that were made on the way that all code here takes.
    pub made: BTreeMap<u32, Value>,
    pub complements: Vec<(Value, Word)>,
    pub differences: Vec<(Word, Word, Word)>,
    /// Values that were rotated to the right, from which value and how far.
    pub rotations: Vec<(Value, Value, u32)>,
    /// Words, and their low bits that are known to be zero.
    pub aligned: Vec<(Word, u32)>,
    /// What the effects that are read now depend on.
    pub predicate: Option<Flag>,
}

impl<'a> Writer<'a> {
    pub fn new(builder: FunctionBuilder<'a>, context: Value) -> Writer<'a> {
        Writer {
            builder,
            context,
            expressions: vec![],
            made: BTreeMap::new(),
            complements: vec![],
            differences: vec![],
            rotations: vec![],
            aligned: vec![],
            predicate: None,
        }
    }

    /// Forgets what is known: control may come from anywhere.
    pub fn begin_anew(&mut self) {
        self.expressions.clear();
        self.made.clear();
        self.complements.clear();
        self.differences.clear();
        self.rotations.clear();
    }

    /// Effects depend on one more condition; gives what they depended on before.
    pub fn enter(&mut self, condition: Flag) -> Option<Flag> {
        let before = self.predicate;
        let predicate = match before {
            Some(outer) => self.flag_and(outer, condition),
            None => condition,
        };
        self.predicate.replace(predicate)
    }

    /// Whether a word is known to have none of the bits `low`.
    pub fn is_aligned(&self, word: Word, low: u32) -> bool {
        self.aligned
            .iter()
            .any(|&(known, bits)| known == word && low & !bits == 0)
    }

    /// Goes on if the condition holds, else to `otherwise`.
    pub fn only_if(&mut self, condition: Value, otherwise: Block) {
        let on = self.builder.create_block();
        self.builder.ins().brif(condition, on, &[], otherwise, &[]);
        self.builder.switch_to_block(on);
    }

    /// A block that is jumped to from here, still without code.
    pub fn next_block(&mut self) -> Block {
        let block = self.builder.create_block();
        self.builder.ins().jump(block, &[]);
        block
    }

    /// Offset of the entry for an address in a table: see [`entries::place`].
    pub fn table_offset(&mut self, address: Value, count: usize, shift: u32) -> Value {
        let [low, high] =
            entries::ADDRESS_SHIFTS.map(|by| self.builder.ins().ushr_imm_u(address, i64::from(by)));
        let index = self.builder.ins().iadd(low, high);
        let index = self.builder.ins().band_imm_u(index, count as i64 - 1);
        let index = self.builder.ins().uextend(types::I64, index);
        self.builder.ins().ishl_imm_u(index, i64::from(shift))
    }

    /// A word of the context.
    pub fn load_word(&mut self, offset: i32) -> Value {
        self.builder
            .ins()
            .load(types::I32, own_memory(), self.context, offset)
    }

    /// Writes a word of the context.
    pub fn store_word(&mut self, word: Word, offset: i32) {
        let value = self.value(word);
        self.store_value(value, offset);
    }

    /// Writes a value of any type to the context.
    pub fn store_value(&mut self, value: Value, offset: i32) {
        self.builder
            .ins()
            .store(own_memory(), value, self.context, offset);
    }
}

/// The guest's memory: aligned as far as it matters, never trapping, because it was looked up.
pub(crate) fn guest_memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// The context, and tables of the translator.
pub(crate) fn own_memory() -> MemFlagsData {
    MemFlagsData::trusted()
}

pub(crate) fn width_type(width: Width) -> cranelift_codegen::ir::Type {
    match width {
        Width::Byte => types::I8,
        Width::Half => types::I16,
        Width::Word => types::I32,
    }
}
