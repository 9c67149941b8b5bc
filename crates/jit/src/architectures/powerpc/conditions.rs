//! The condition register and XER: kept as truth values, brought to the context before anything can leave the translation.

use super::adapter::PowerPc;
use super::state::{at, slot};
use crate::code::{Expression, Flag, Word};
use crate::frame::Emitter;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::{StaticCycleModel, Values};
use socscope_powerpc::Class;

/// What a comparison compared, and whether as signed numbers.
#[derive(Clone, Copy, Debug)]
struct Compared {
    signed: bool,
    a: Word,
    b: Word,
}

/// A field of the condition register.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    /// Its bits, as far as they are known; LT first.
    bits: [Option<Flag>; 4],
    /// Its number, if it is made: see [`slot`].
    number: Option<Value>,
    /// The number that bits have which are not known, if that is not the variable's.
    old: Option<Value>,
    compared: Option<Compared>,
    /// The context does not have it yet.
    dirty: bool,
}

/// What is known of the condition register, of XER and of the machine state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Conditions {
    fields: [Field; 8],
    carry: Option<Flag>,
    carry_dirty: bool,
    /// AltiVec is known to be available.
    pub vectors: bool,
}

impl<M: StaticCycleModel<Class>> Emitter<'_, PowerPc, M> {
    /// A bit of the condition register; 0 is LT of field 0.
    pub fn condition_bit(&mut self, bit: u32) -> Flag {
        let (index, place) = (bit as usize / 4 % 8, bit as usize % 4);
        if let Some(flag) = self.flags.fields[index].bits[place] {
            return flag;
        }
        let field = self.flags.fields[index];
        let number = match field.number.or(field.old) {
            Some(number) => number,
            None => {
                let variable = self.declared.conditions[index];
                self.code.builder.use_var(variable)
            }
        };
        let builder = &mut self.code.builder;
        let value = match place {
            0 => {
                let bit = builder.ins().band_imm_s(number, slot::LESS);
                builder.ins().icmp_imm_s(IntCC::NotEqual, bit, 0)
            }
            1 => builder
                .ins()
                .icmp_imm_s(IntCC::SignedGreaterThan, number, 0),
            2 => {
                let low = builder.ins().ireduce(types::I32, number);
                builder.ins().icmp_imm_s(IntCC::Equal, low, 0)
            }
            _ => {
                let next = builder.ins().ushr_imm_u(number, 1);
                let both = builder.ins().bxor(number, next);
                let bit = builder.ins().ushr_imm_u(both, slot::SUMMARY_BIT);
                let bit = builder.ins().ireduce(types::I8, bit);
                builder.ins().band_imm_u(bit, 1)
            }
        };
        let flag = self.code.express(Expression::Value(value));
        self.flags.fields[index].bits[place] = Some(flag);
        flag
    }

    /// Writes a bit of the condition register.
    pub fn write_condition_bit(&mut self, bit: u32, value: Flag) {
        let (index, place) = (bit as usize / 4 % 8, bit as usize % 4);
        let field = &mut self.flags.fields[index];
        if let Some(number) = field.number.take() {
            field.old = Some(number);
        }
        field.compared = None;
        field.dirty = true;
        field.bits[place] = Some(value);
        if place == 3 {
            self.recognise(index);
        }
    }

    /// Finds out whether a field is what a comparison leaves, which has shorter code.
    fn recognise(&mut self, index: usize) {
        let [Some(less), Some(greater), Some(equal), Some(summary)] = self.flags.fields[index].bits
        else {
            return;
        };
        if summary != Flag::Constant(false) {
            return;
        }
        let expression = |flag| self.code.expression_of(flag);
        let Some(Expression::Not(either)) = expression(greater) else {
            return;
        };
        let Some(Expression::Or(first, second)) = expression(either) else {
            return;
        };
        if (first, second) != (less, equal) {
            return;
        }
        let compared = match (expression(less), expression(equal)) {
            (Some(Expression::Bit(a, 31)), Some(Expression::Zero(same))) if a == same => Compared {
                signed: true,
                a,
                b: Word::Constant(0),
            },
            (Some(Expression::Compare(condition, a, b)), Some(Expression::Zero(_))) => Compared {
                signed: match condition {
                    IntCC::SignedLessThan => true,
                    IntCC::UnsignedLessThan => false,
                    _ => return,
                },
                a,
                b,
            },
            _ => return,
        };
        let Compared { signed, a, b } = compared;
        let (below, above) = if signed {
            (IntCC::SignedLessThan, IntCC::SignedGreaterThan)
        } else {
            (IntCC::UnsignedLessThan, IntCC::UnsignedGreaterThan)
        };
        let bits = [below, above, IntCC::Equal].map(|condition| {
            let comparison = Expression::Compare(condition, a, b);
            Some(self.code.express(comparison))
        });
        let field = &mut self.flags.fields[index];
        field.bits[..3].copy_from_slice(&bits);
        field.compared = Some(compared);
    }

    /// A field's number, made or fetched.
    fn field_number(&mut self, index: usize) -> Value {
        let field = self.flags.fields[index];
        if let Some(number) = field.number {
            return number;
        }
        let number = match field.compared {
            Some(compared) => self.difference_of(compared),
            None if field.dirty => {
                let first = 4 * index as u32;
                let bits = [0, 1, 2, 3].map(|place| self.condition_bit(first + place));
                self.number_of_bits(bits)
            }
            None => {
                let variable = self.declared.conditions[index];
                self.code.builder.use_var(variable)
            }
        };
        self.flags.fields[index].number = Some(number);
        number
    }

    fn difference_of(&mut self, Compared { signed, a, b }: Compared) -> Value {
        let a = self.code.value(a);
        let wide = |writer: &mut Self, value| {
            if signed {
                writer.code.builder.ins().sextend(types::I64, value)
            } else {
                writer.code.builder.ins().uextend(types::I64, value)
            }
        };
        let a = wide(self, a);
        match b {
            Word::Constant(0) => a,
            Word::Constant(b) => {
                let b = if signed {
                    i64::from(b as i32)
                } else {
                    i64::from(b)
                };
                let b = self.code.builder.ins().iconst(types::I64, b);
                self.code.builder.ins().isub(a, b)
            }
            _ => {
                let b = self.code.value(b);
                let b = wide(self, b);
                self.code.builder.ins().isub(a, b)
            }
        }
    }

    fn number_of_bits(&mut self, [less, greater, equal, summary]: [Flag; 4]) -> Value {
        let mut constant = slot::SOME;
        let mut sum = None;
        let not_greater = self.flag_not(greater);
        let not_equal = self.flag_not(equal);
        for (flag, bit) in [
            (less, slot::LESS),
            (not_greater, slot::NOT_GREATER),
            (not_equal, slot::NOT_EQUAL),
            (summary, slot::SUMMARY),
        ] {
            match flag {
                Flag::Constant(true) => constant |= bit,
                Flag::Constant(false) => {}
                _ => {
                    let value = self.code.truth(flag);
                    let builder = &mut self.code.builder;
                    let value = builder.ins().uextend(types::I64, value);
                    let place = i64::from(bit.trailing_zeros());
                    let value = builder.ins().ishl_imm_u(value, place);
                    sum = Some(match sum {
                        Some(sum) => builder.ins().bor(sum, value),
                        None => value,
                    });
                }
            }
        }
        let constant = self.code.builder.ins().iconst(types::I64, constant);
        match sum {
            Some(sum) => self.code.builder.ins().bor(sum, constant),
            None => constant,
        }
    }

    /// The whole condition register.
    pub fn condition_word(&mut self) -> Word {
        let mut all: Option<Value> = None;
        for bit in 0..32 {
            let flag = self.condition_bit(bit);
            let value = self.code.truth(flag);
            let builder = &mut self.code.builder;
            let value = builder.ins().uextend(types::I32, value);
            let value = builder.ins().ishl_imm_u(value, i64::from(31 - bit));
            all = Some(match all {
                Some(all) => builder.ins().bor(all, value),
                None => value,
            });
        }
        all.map_or(Word::Constant(0), Word::Value)
    }

    /// CA of XER.
    pub fn carry_flag(&mut self) -> Flag {
        if let Some(flag) = self.flags.carry {
            return flag;
        }
        let value = self.code.builder.use_var(self.declared.carry);
        let flag = self.code.express(Expression::Value(value));
        self.flags.carry = Some(flag);
        flag
    }

    /// Writes CA of XER.
    pub fn write_carry(&mut self, value: Flag) {
        self.flags.carry = Some(value);
        self.flags.carry_dirty = true;
    }

    /// The way in.
    pub fn load_conditions(&mut self) {
        for field in 0..8 {
            let value = self.load(types::I64, at::condition(field as u32));
            let variable = self.declared.conditions[field];
            self.code.builder.def_var(variable, value);
        }
        let carry = self.load(types::I8, at::CARRY);
        self.code.builder.def_var(self.declared.carry, carry);
    }

    /// Brings what changed to the context.
    pub fn flush_conditions(&mut self) {
        for index in 0..8 {
            if !self.flags.fields[index].dirty {
                continue;
            }
            let number = self.field_number(index);
            self.flags.fields[index].dirty = false;
            let variable = self.declared.conditions[index];
            self.code.builder.def_var(variable, number);
            self.code.store_value(number, at::condition(index as u32));
        }
        if std::mem::take(&mut self.flags.carry_dirty) {
            let carry = self.carry_flag();
            let carry = self.code.truth(carry);
            self.code.builder.def_var(self.declared.carry, carry);
            self.code.store_value(carry, at::CARRY);
        }
    }
}
