//! ARM's own words, and the flags of its status register.

use super::status::{CONDITIONS, CONTROL, IRQ_OFF, THUMB, bank};
use super::{Arm, SAVED_STATUS, model, set, slot};
use crate::architecture::Architecture;
use crate::flags::{Flags, Name};
use crate::range::Range;
use crate::reading::{FlowReading, LeaveKind, Truth, Word};
use crate::value::Value;
use socscope_arm::{
    Alignment, ArmSemantics, CoreModel, Exception, InstructionSet, LINK, Mode, Named, STACK,
    Version,
};
use socscope_isa::Semantics;
use socscope_memory::Width;

impl FlowReading<'_, Arm> {
    fn set_flag(&mut self, name: Name, value: Truth) {
        self.notes[name as usize] = Some(value);
    }

    /// The whole status register changes.
    fn take_control(&mut self, status: &Range) {
        self.state.status.flags = Flags::UNKNOWN;
        self.notes = [None; 4];
        self.control_written(status.and(&Range::constant(CONTROL)));
    }

    fn saved(&self) -> &Value {
        &self.state.words[slot(bank(self.state.status.mode), SAVED_STATUS)]
    }
}

impl Semantics for FlowReading<'_, Arm> {
    type Exception = Exception;

    fn address(&self) -> u32 {
        self.address
    }

    fn load(&mut self, address: Word, width: Width) -> (Word, Truth) {
        self.load_word(address, width)
    }
    fn store(&mut self, address: Word, width: Width, word: Word) -> Truth {
        self.store_word(address, width, word)
    }

    fn branch(&mut self, target: Word) {
        self.leave(LeaveKind::Branch, target);
    }
    fn exception(&mut self, exception: Exception) {
        let status = self.status();
        let mode = exception.mode();
        let next = exception.return_address(self.address, set(self.code));
        let kept = self
            .state
            .status
            .control
            .and(&Range::constant(CONTROL & !0x1f & !THUMB));
        let control = kept.or(&Range::constant(IRQ_OFF | mode as u32));
        self.control_written(control);
        let at = bank(mode);
        self.write(slot(at, SAVED_STATUS), status);
        let next = self.put(Value::constant(next));
        self.write(slot(at, LINK), next);
        let vector = Value::constant(exception.vector());
        self.effects.leave = Some((LeaveKind::Exception, vector));
    }
}

impl ArmSemantics for FlowReading<'_, Arm> {
    fn model(&self) -> CoreModel {
        model(self.code)
    }
    fn instruction_set(&self) -> InstructionSet {
        set(self.code)
    }

    fn register(&mut self, index: u32) -> Word {
        let value = self.state.register(index).clone();
        self.read(index, value)
    }
    fn set_register(&mut self, index: u32, value: Word) {
        let at = Arm::slot(&self.state.status, index);
        self.write(at, value);
    }
    fn user_register(&mut self, index: u32) -> Word {
        let value = self.state.words[slot(0, index)].clone();
        self.read(index, value)
    }
    fn set_user_register(&mut self, index: u32, value: Word) {
        self.write(slot(0, index), value);
    }

    fn negative(&mut self) -> Truth {
        self.flag_of(Name::Negative)
    }
    fn zero(&mut self) -> Truth {
        self.flag_of(Name::Zero)
    }
    fn carry(&mut self) -> Truth {
        self.flag_of(Name::Carry)
    }
    fn overflow(&mut self) -> Truth {
        self.flag_of(Name::Overflow)
    }
    fn set_negative(&mut self, value: Truth) {
        self.set_flag(Name::Negative, value);
    }
    fn set_zero(&mut self, value: Truth) {
        self.set_flag(Name::Zero, value);
    }
    fn set_carry(&mut self, value: Truth) {
        self.set_flag(Name::Carry, value);
    }
    fn set_overflow(&mut self, value: Truth) {
        self.set_flag(Name::Overflow, value);
    }
    fn branch_exchange(&mut self, target: Word) {
        self.leave(LeaveKind::Exchange, target);
    }
    fn return_from_exception(&mut self, target: Word) {
        self.restore_status();
        self.leave(LeaveKind::Return, target);
    }

    // Nobody asks for Q but who reads the whole status register.
    fn saturate(&mut self, _saturated: Truth) {}
    fn greater_equal(&mut self) -> Word {
        self.put(Value::ranged(Range::between(0, 15)))
    }
    fn set_greater_equal(&mut self, _value: Word) {}
    fn is_unaligned(&mut self) -> Truth {
        Truth::Unknown
    }
    // What aborts leaves the program, as any other fault.
    fn is_aligned(&mut self, _address: Word, _alignment: Alignment) -> Truth {
        Truth::Known(true)
    }
    fn mark_exclusive(&mut self, _address: Word) {}
    fn take_exclusive(&mut self, _address: Word) -> Truth {
        Truth::Unknown
    }
    fn clear_exclusive(&mut self) {}
    fn stack_of(&mut self, mode: Mode) -> Word {
        let value = self.state.words[slot(bank(mode), STACK)].clone();
        self.read(STACK, value)
    }
    fn set_stack_of(&mut self, mode: Mode, value: Word) {
        self.write(slot(bank(mode), STACK), value);
    }
    fn return_with(&mut self, target: Word, status: Word) {
        let status = self.get(status).range.clone();
        self.take_control(&status);
        self.leave(LeaveKind::Return, target);
    }

    fn status(&mut self) -> Word {
        if self.model().has(Version::V5TEJ) {
            return self.put(Value::unknown());
        }
        // The conditions are multiples of 2^28, the bits between read as zero.
        let set = if set(self.code) == InstructionSet::Thumb {
            THUMB
        } else {
            0
        };
        let control = self
            .state
            .status
            .control
            .and(&Range::constant(CONTROL & !THUMB));
        let control = control.or(&Range::constant(set));
        let conditions = Range::strided(0, CONDITIONS, 1 << 28);
        self.put(Value::ranged(conditions.or(&control)))
    }
    fn set_status(&mut self, value: Word, mask: Word) {
        let mask = self
            .get(mask)
            .range
            .single()
            .unwrap_or(CONTROL | CONDITIONS);
        if mask & CONDITIONS != 0 {
            self.state.status.flags = Flags::UNKNOWN;
            self.notes = [None; 4];
        }
        if mask & CONTROL != 0 {
            let new = self.get(value).range.and(&Range::constant(mask & CONTROL));
            let kept = self
                .state
                .status
                .control
                .and(&Range::constant(CONTROL & !mask));
            let control = kept.or(&new);
            self.control_written(control);
        }
    }
    fn saved_status(&mut self) -> Word {
        let value = self.saved().clone();
        self.put(value)
    }
    fn set_saved_status(&mut self, value: Word, mask: Word) {
        let whole = CONTROL | CONDITIONS;
        let (new, mask) = (self.get(value).clone(), self.get(mask).single());
        let value = if mask == Some(whole) {
            new
        } else {
            Value::unknown()
        };
        let value = self.put(value);
        let at = slot(bank(self.state.status.mode), SAVED_STATUS);
        self.write(at, value);
    }
    fn restore_status(&mut self) {
        let saved = self.saved().range.clone();
        self.take_control(&saved);
    }
    fn set_unprivileged(&mut self, _on: bool) {}
    fn read_system_control(&mut self, named: Named) -> Word {
        self.put(match named {
            Named::Constant(value) => Value::constant(value),
            _ => Value::unknown(),
        })
    }
    fn write_system_control(&mut self, _named: Named, _value: Word) {}
    fn privileged(&mut self) -> Truth {
        Truth::Known(
            bank(self.state.status.mode) != 0 || self.state.status.mode as u32 & 0x1f == 0x1f,
        )
    }

    fn multiplier(&mut self, operand: Word, signed: bool) {
        let range = &self.get(operand).range;
        let (low, high) = range.unsigned();
        // The most significant bytes take longest; a word that may have either sign may have all of them.
        let worst = match range.single() {
            Some(word) => word,
            None if high >> 31 == 0 => high,
            None if low >> 31 == 1 && signed => low,
            None => 1 << 30,
        };
        self.effects.multiplier = Some((worst, signed));
    }
}
