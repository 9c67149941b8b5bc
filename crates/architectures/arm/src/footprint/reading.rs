//! The reading itself: values are known constants, registers with offsets, or mixtures.

use super::{Flags, Footprint, Leave, MemoryAccess, Registers, Value};
use crate::{
    Alignment, ArmSemantics, CoreModel, Exception, InstructionSet, Mode, Named, Operation, STACK,
    Version,
};
use socscope_isa::{Semantics, Values};
use socscope_memory::{Direction, Width};

pub(super) struct FootprintReading {
    model: CoreModel,
    set: InstructionSet,
    address: u32,
    pub found: Footprint,
}

impl FootprintReading {
    pub fn new(model: CoreModel, set: InstructionSet, address: u32) -> FootprintReading {
        FootprintReading {
            model,
            set,
            address,
            found: Footprint::default(),
        }
    }

    fn flag_read(&mut self, flags: Flags) -> Option<bool> {
        self.found.flags_read.0 |= flags.0;
        None
    }

    fn flag_written(&mut self, flags: Flags) {
        self.found.flags_written.0 |= flags.0;
    }

    /// Those that the core has.
    fn all_flags(&self) -> Flags {
        match self.model.version() {
            Version::V4T => Flags::CONDITIONS,
            Version::V5TEJ => Flags(Flags::CONDITIONS.0 | Flags::SATURATED.0),
            Version::V6 | Version::V6K => Flags::ALL,
        }
    }

    /// Notes that a register goes through the shifter.
    fn shifted(&mut self, value: Value, amount: Value) {
        let is_moved = !matches!(value, Value::Constant(_)) && amount != Value::Constant(0);
        self.found.shifted |= is_moved && self.found.accesses.is_empty();
    }

    fn multiplied(&mut self, a: Value, b: Value) -> Value {
        let both = a.mixed(b);
        self.found.multiplied = self.found.multiplied.union(both.registers());
        both
    }

    /// Notes what an address or a result is made of.
    fn computed(&mut self, value: Value) {
        let from = value.registers().without(Registers::MEMORY);
        self.found.computed = self.found.computed.union(from);
    }

    fn given(&mut self, index: u32, value: Value) {
        self.computed(value);
        if value.registers().0 & Registers::MEMORY.0 != 0 {
            self.found.loaded = self.found.loaded.union(Registers::one(index));
        }
    }

    fn status_moved(&mut self, mask: Value) {
        self.found.status_bits |= match mask {
            Value::Constant(mask) => mask,
            _ => u32::MAX,
        };
    }

    fn access(&mut self, address: Value, width: Width, direction: Direction) -> Option<bool> {
        self.computed(address);
        self.found.accesses.push(MemoryAccess {
            address,
            width,
            direction,
        });
        None
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

impl Values for FootprintReading {
    type Word = Value;
    /// A truth value that is known, or not.
    type Flag = Option<bool>;

    fn word(&mut self, value: u32) -> Value {
        Value::Constant(value)
    }
    fn flag(&mut self, value: bool) -> Option<bool> {
        Some(value)
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
        self.multiplied(a, b)
    }
    fn multiply_high(&mut self, a: Value, b: Value, _signed: bool) -> Value {
        self.multiplied(a, b)
    }
    fn shift_left(&mut self, a: Value, amount: Value) -> Value {
        self.shifted(a, amount);
        constants(a, amount, |a, amount| a.checked_shl(amount).unwrap_or(0))
    }
    fn shift_right(&mut self, a: Value, amount: Value) -> Value {
        self.shifted(a, amount);
        constants(a, amount, |a, amount| a.checked_shr(amount).unwrap_or(0))
    }
    fn shift_right_signed(&mut self, a: Value, amount: Value) -> Value {
        self.shifted(a, amount);
        constants(a, amount, |a, amount| (a as i32 >> amount.min(31)) as u32)
    }
    fn rotate_right(&mut self, a: Value, amount: Value) -> Value {
        self.shifted(a, amount);
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
            None if a == b => a,
            None => a.mixed(b),
        }
    }
    fn when(&mut self, condition: Option<bool>, body: impl FnOnce(&mut Self)) {
        if condition != Some(false) {
            body(self);
        }
    }
}

impl Semantics for FootprintReading {
    type Exception = Exception;

    fn address(&self) -> u32 {
        self.address
    }

    fn load(&mut self, address: Value, width: Width) -> (Value, Option<bool>) {
        let arrived = self.access(address, width, Direction::Read);
        (address.mixed(Value::Mixed(Registers::MEMORY)), arrived)
    }
    fn store(&mut self, address: Value, width: Width, value: Value) -> Option<bool> {
        let from = value.registers().without(Registers::MEMORY);
        self.found.stored.push(from);
        self.access(address, width, Direction::Write)
    }

    fn branch(&mut self, target: Value) {
        self.computed(target);
        self.found.leave = Some(Leave::Branch(target));
    }
    fn exception(&mut self, exception: Exception) {
        let _ = self.status();
        self.found.status_written = true;
        self.found.leave = Some(Leave::Exception(exception));
    }

    fn mark(&mut self, number: u32) {
        self.found.mark = Some(number);
    }
}

impl ArmSemantics for FootprintReading {
    fn model(&self) -> CoreModel {
        self.model
    }
    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    fn register(&mut self, index: u32) -> Value {
        self.found.reads = self.found.reads.union(Registers::one(index));
        Value::Register(index, 0)
    }
    fn set_register(&mut self, index: u32, value: Value) {
        if let Value::Constant(value) = value {
            self.found.constants.push((index, value));
        }
        self.given(index, value);
        self.found.writes = self.found.writes.union(Registers::one(index));
    }
    fn user_register(&mut self, index: u32) -> Value {
        self.found.user_reads = self.found.user_reads.union(Registers::one(index));
        Value::Mixed(Registers(0))
    }
    fn set_user_register(&mut self, index: u32, value: Value) {
        self.given(index, value);
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
    fn branch_exchange(&mut self, target: Value) {
        self.computed(target);
        self.found.leave = Some(Leave::BranchExchange(target));
    }
    fn return_from_exception(&mut self, target: Value) {
        self.computed(target);
        self.restore_status();
        self.found.leave = Some(Leave::Return(target));
    }

    fn saturate(&mut self, _saturated: Option<bool>) {
        self.flag_written(Flags::SATURATED);
    }
    fn greater_equal(&mut self) -> Value {
        self.flag_read(Flags::GREATER_EQUAL);
        Value::Mixed(Registers(0))
    }
    fn set_greater_equal(&mut self, _value: Value) {
        self.flag_written(Flags::GREATER_EQUAL);
    }
    fn is_unaligned(&mut self) -> Option<bool> {
        None
    }
    fn is_aligned(&mut self, _address: Value, _alignment: Alignment) -> Option<bool> {
        None
    }
    fn mark_exclusive(&mut self, _address: Value) {
        self.found.exclusive = true;
    }
    fn take_exclusive(&mut self, _address: Value) -> Option<bool> {
        self.found.exclusive = true;
        None
    }
    fn clear_exclusive(&mut self) {
        self.found.exclusive = true;
    }
    fn stack_of(&mut self, _mode: Mode) -> Value {
        self.found.status_read = true;
        self.register(STACK);
        self.user_register(STACK)
    }
    fn set_stack_of(&mut self, _mode: Mode, value: Value) {
        self.found.status_written = true;
        self.set_register(STACK, value);
        self.set_user_register(STACK, value);
    }
    fn return_with(&mut self, target: Value, status: Value) {
        self.set_status(status, status);
        self.found.leave = Some(Leave::Return(target));
    }

    fn status(&mut self) -> Value {
        self.found.status_read = true;
        self.flag_read(self.all_flags());
        Value::Mixed(Registers(0))
    }
    fn set_status(&mut self, _value: Value, mask: Value) {
        self.status_moved(mask);
        self.found.status_written = true;
        self.flag_written(self.all_flags());
    }
    fn saved_status(&mut self) -> Value {
        self.status()
    }
    fn set_saved_status(&mut self, _value: Value, mask: Value) {
        self.status_moved(mask);
        self.found.status_read = true;
        self.found.status_written = true;
    }
    fn restore_status(&mut self) {
        let value = self.saved_status();
        self.set_status(value, value);
    }
    fn set_unprivileged(&mut self, _on: bool) {
        self.found.unprivileged = true;
    }
    fn read_system_control(&mut self, _named: Named) -> Value {
        self.found.status_read = true;
        self.found.system_control = true;
        Value::Mixed(Registers(0))
    }
    fn write_system_control(&mut self, named: Named, _value: Value) {
        self.found.system_control = true;
        self.found.status_written |= named != Named::Operation(Operation::Nothing);
    }
    fn privileged(&mut self) -> Option<bool> {
        self.found.status_read = true;
        None
    }
}
