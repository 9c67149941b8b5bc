//! A reading of instructions that executes nothing: which registers, flags and memory an instruction may touch.

use super::{ALWAYS, ArmSemantics, Exception, InstructionSet, condition, condition_code};
use crate::Semantics;
use socscope_memory::{Direction, Width};

/// A set of registers, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Registers(pub u16);

impl Registers {
    /// Whether register `index` is in the set.
    pub const fn contains(self, index: u32) -> bool {
        self.0 >> index & 1 != 0
    }

    const fn one(index: u32) -> Registers {
        Registers(1 << index)
    }

    const fn union(self, other: Registers) -> Registers {
        Registers(self.0 | other.0)
    }
}

/// A set of the flags N, Z, C and V, as bits 3 to 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// N.
    pub const NEGATIVE: Flags = Flags(8);
    /// Z.
    pub const ZERO: Flags = Flags(4);
    /// C.
    pub const CARRY: Flags = Flags(2);
    /// V.
    pub const OVERFLOW: Flags = Flags(1);
    /// All four.
    pub const ALL: Flags = Flags(15);
}

/// A value as far as it is known without executing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Always this.
    Constant(u32),
    /// A register plus a constant.
    Register(u32, u32),
    /// A function of these registers, and of flags or memory.
    Mixed(Registers),
}

impl Value {
    fn registers(self) -> Registers {
        match self {
            Value::Constant(_) => Registers(0),
            Value::Register(index, _) => Registers::one(index),
            Value::Mixed(registers) => registers,
        }
    }

    fn mixed(self, other: Value) -> Value {
        Value::Mixed(self.registers().union(other.registers()))
    }
}

/// How an instruction may leave its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leave {
    /// To an address, in the same instruction set.
    Branch(Value),
    /// To an address whose bit 0 names the instruction set.
    BranchExchange(Value),
    /// To an address, with the saved status register restored.
    Return(Value),
    /// To a vector.
    Exception(Exception),
}

/// One access to memory, at `address` rounded down to `width`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// Where.
    pub address: Value,
    /// How much.
    pub width: Width,
    /// Which way.
    pub direction: Direction,
}

/// What an instruction may touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Registers whose values matter.
    pub reads: Registers,
    /// Registers that may change.
    pub writes: Registers,
    /// Registers of the user mode whose values matter.
    pub user_reads: Registers,
    /// Registers of the user mode that may change.
    pub user_writes: Registers,
    /// Flags whose values matter, those of the condition included.
    pub flags_read: Flags,
    /// Flags that may change.
    pub flags_written: Flags,
    /// The mode, interrupt masks or saved status matter.
    pub status_read: bool,
    /// The mode, interrupt masks or saved status may change.
    pub status_written: bool,
    /// Memory accesses in order.
    pub accesses: Vec<MemoryAccess>,
    /// How it may leave.
    pub leave: Option<Leave>,
}

/// What `word` at `address` may touch.
pub fn footprint(set: InstructionSet, address: u32, word: u32) -> Footprint {
    let mut reading = FootprintReading {
        set,
        address,
        found: Footprint::default(),
    };
    let code = condition_code(set, word);
    let holds = condition(&mut reading, code);
    if code == ALWAYS || holds != Some(false) {
        (super::instruction::<FootprintReading>(set, word).read)(&mut reading, word);
    }
    reading.found
}

struct FootprintReading {
    set: InstructionSet,
    address: u32,
    found: Footprint,
}

impl FootprintReading {
    fn flag_read(&mut self, flags: Flags) -> Option<bool> {
        self.found.flags_read.0 |= flags.0;
        None
    }

    fn flag_written(&mut self, flags: Flags) {
        self.found.flags_written.0 |= flags.0;
    }

    fn access(&mut self, address: Value, width: Width, direction: Direction) -> Option<bool> {
        self.found.accesses.push(MemoryAccess {
            address,
            width,
            direction,
        });
        None
    }
}

impl ArmSemantics for FootprintReading {
    fn instruction_set(&self) -> InstructionSet {
        self.set
    }
}

fn constants(a: Value, b: Value, compute: impl FnOnce(u32, u32) -> u32) -> Value {
    match (a, b) {
        (Value::Constant(a), Value::Constant(b)) => Value::Constant(compute(a, b)),
        _ => a.mixed(b),
    }
}

fn sum(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Constant(a), Value::Constant(b)) => Value::Constant(a.wrapping_add(b)),
        (Value::Register(index, a), Value::Constant(b))
        | (Value::Constant(a), Value::Register(index, b)) => {
            Value::Register(index, a.wrapping_add(b))
        }
        _ => a.mixed(b),
    }
}

fn logical(
    a: Option<bool>,
    b: Option<bool>,
    compute: impl FnOnce(bool, bool) -> bool,
) -> Option<bool> {
    Some(compute(a?, b?))
}

impl Semantics for FootprintReading {
    type Word = Value;
    /// A truth value that is known, or not.
    type Flag = Option<bool>;
    type Exception = Exception;

    fn address(&self) -> u32 {
        self.address
    }
    fn word(&mut self, value: u32) -> Value {
        Value::Constant(value)
    }
    fn flag(&mut self, value: bool) -> Option<bool> {
        Some(value)
    }

    fn register(&mut self, index: u32) -> Value {
        self.found.reads = self.found.reads.union(Registers::one(index));
        Value::Register(index, 0)
    }
    fn set_register(&mut self, index: u32, _value: Value) {
        self.found.writes = self.found.writes.union(Registers::one(index));
    }
    fn user_register(&mut self, index: u32) -> Value {
        self.found.user_reads = self.found.user_reads.union(Registers::one(index));
        Value::Mixed(Registers(0))
    }
    fn set_user_register(&mut self, index: u32, _value: Value) {
        self.found.user_writes = self.found.user_writes.union(Registers::one(index));
    }

    fn negative(&mut self) -> Option<bool> {
        self.flag_read(Flags::NEGATIVE)
    }
    fn zero(&mut self) -> Option<bool> {
        self.flag_read(Flags::ZERO)
    }
    fn carry(&mut self) -> Option<bool> {
        self.flag_read(Flags::CARRY)
    }
    fn overflow(&mut self) -> Option<bool> {
        self.flag_read(Flags::OVERFLOW)
    }
    fn set_negative(&mut self, _value: Option<bool>) {
        self.flag_written(Flags::NEGATIVE);
    }
    fn set_zero(&mut self, _value: Option<bool>) {
        self.flag_written(Flags::ZERO);
    }
    fn set_carry(&mut self, _value: Option<bool>) {
        self.flag_written(Flags::CARRY);
    }
    fn set_overflow(&mut self, _value: Option<bool>) {
        self.flag_written(Flags::OVERFLOW);
    }

    fn and(&mut self, a: Value, b: Value) -> Value {
        constants(a, b, |a, b| a & b)
    }
    fn or(&mut self, a: Value, b: Value) -> Value {
        constants(a, b, |a, b| a | b)
    }
    fn xor(&mut self, a: Value, b: Value) -> Value {
        constants(a, b, |a, b| a ^ b)
    }
    fn not(&mut self, a: Value) -> Value {
        constants(a, Value::Constant(0), |a, _| !a)
    }
    fn add(&mut self, a: Value, b: Value) -> Value {
        sum(a, b)
    }
    fn add_with_carry(
        &mut self,
        a: Value,
        b: Value,
        carry: Option<bool>,
    ) -> (Value, Option<bool>, Option<bool>) {
        let result = match carry {
            Some(carry) => sum(sum(a, b), Value::Constant(u32::from(carry))),
            None => a.mixed(b),
        };
        (result, None, None)
    }
    fn multiply(&mut self, a: Value, b: Value) -> Value {
        a.mixed(b)
    }
    fn multiply_high(&mut self, a: Value, b: Value, _signed: bool) -> Value {
        a.mixed(b)
    }
    fn shift_left(&mut self, a: Value, amount: Value) -> Value {
        constants(a, amount, |a, amount| a.checked_shl(amount).unwrap_or(0))
    }
    fn shift_right(&mut self, a: Value, amount: Value) -> Value {
        constants(a, amount, |a, amount| a.checked_shr(amount).unwrap_or(0))
    }
    fn shift_right_signed(&mut self, a: Value, amount: Value) -> Value {
        constants(a, amount, |a, amount| (a as i32 >> amount.min(31)) as u32)
    }
    fn rotate_right(&mut self, a: Value, amount: Value) -> Value {
        constants(a, amount, |a, amount| a.rotate_right(amount & 31))
    }
    fn sign_extend(&mut self, a: Value, _width: Width) -> Value {
        a.mixed(Value::Constant(0))
    }

    fn is_zero(&mut self, a: Value) -> Option<bool> {
        match a {
            Value::Constant(a) => Some(a == 0),
            _ => None,
        }
    }
    fn bit(&mut self, a: Value, index: u32) -> Option<bool> {
        match a {
            Value::Constant(a) => Some(a >> index & 1 != 0),
            _ => None,
        }
    }
    fn flag_word(&mut self, flag: Option<bool>) -> Value {
        flag.map_or(Value::Mixed(Registers(0)), |flag| {
            Value::Constant(u32::from(flag))
        })
    }
    fn flag_not(&mut self, a: Option<bool>) -> Option<bool> {
        a.map(|a| !a)
    }
    fn flag_and(&mut self, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        logical(a, b, |a, b| a & b)
    }
    fn flag_or(&mut self, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        logical(a, b, |a, b| a | b)
    }
    fn flag_xor(&mut self, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        logical(a, b, |a, b| a ^ b)
    }
    fn select(&mut self, condition: Option<bool>, a: Value, b: Value) -> Value {
        match condition {
            Some(true) => a,
            Some(false) => b,
            None => a.mixed(b),
        }
    }
    fn when(&mut self, condition: Option<bool>, body: impl FnOnce(&mut Self)) {
        if condition != Some(false) {
            body(self);
        }
    }

    fn load(&mut self, address: Value, width: Width) -> (Value, Option<bool>) {
        let arrived = self.access(address, width, Direction::Read);
        (address.mixed(Value::Constant(0)), arrived)
    }
    fn store(&mut self, address: Value, width: Width, _value: Value) -> Option<bool> {
        self.access(address, width, Direction::Write)
    }

    fn branch(&mut self, target: Value) {
        self.found.leave = Some(Leave::Branch(target));
    }
    fn branch_exchange(&mut self, target: Value) {
        self.found.leave = Some(Leave::BranchExchange(target));
    }
    fn return_from_exception(&mut self, target: Value) {
        self.restore_status();
        self.found.leave = Some(Leave::Return(target));
    }
    fn exception(&mut self, exception: Exception) {
        let _ = self.status();
        self.found.status_written = true;
        self.found.leave = Some(Leave::Exception(exception));
    }

    fn status(&mut self) -> Value {
        self.found.status_read = true;
        self.flag_read(Flags::ALL);
        Value::Mixed(Registers(0))
    }
    fn set_status(&mut self, _value: Value, _mask: Value) {
        self.found.status_written = true;
        self.flag_written(Flags::ALL);
    }
    fn saved_status(&mut self) -> Value {
        self.status()
    }
    fn set_saved_status(&mut self, _value: Value, _mask: Value) {
        self.found.status_read = true;
        self.found.status_written = true;
    }
    fn restore_status(&mut self) {
        let value = self.saved_status();
        self.set_status(value, value);
    }
    fn privileged(&mut self) -> Option<bool> {
        self.found.status_read = true;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_multiple_names_its_words() {
        // LDMNEIA r3!, {r0, r15}
        let found = footprint(InstructionSet::Arm, 0x1000, 0x18b3_8001);
        assert_eq!((found.reads, found.writes), (Registers(8), Registers(9)));
        assert_eq!(found.flags_read, Flags::ZERO);
        let word = |offset| MemoryAccess {
            address: Value::Register(3, offset),
            width: Width::Word,
            direction: Direction::Read,
        };
        assert_eq!(found.accesses, [word(0), word(4)]);
        assert!(matches!(found.leave, Some(Leave::Branch(_))));
    }

    #[test]
    fn a_literal_has_a_constant_address() {
        // LDR r1, [pc, #8] in Thumb at an odd half-word.
        let found = footprint(InstructionSet::Thumb, 0x1002, 0x4902);
        assert_eq!(found.accesses[0].address, Value::Constant(0x100c));
        assert_eq!((found.reads, found.writes), (Registers(0), Registers(2)));
        assert_eq!(found.flags_read, Flags(0));
    }
}
