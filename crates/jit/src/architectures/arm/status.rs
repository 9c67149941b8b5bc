//! Moves to and from the status registers, as far as neither the mode changes nor an interrupt waits; the user's registers.

use super::Regions;
use super::adapter::Arm;
use super::flags::Kind;
use super::state::at;
use crate::code::{Flag, Word};
use crate::frame::{self, Emitter};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_arm::{LINK, Mode, STACK};
use socscope_isa::{StaticCycleModel, Values};

/// Interrupt masks, and the mode.
const MASKS: u32 = 0xc0;
const MODE: u32 = 0x1f;
/// N and Z, which the context cannot hold both.
const NEGATIVE_AND_ZERO: u32 = 0xc000_0000;
/// The bit that names the instruction set: these instructions exist in ARM only.
const THUMB: u32 = 0x20;

/// Q, GE, E, J and A.
const SATURATED: u32 = 27;
const GREATER_EQUAL: u32 = 16;
const BIG_ENDIAN: u32 = 1 << 9;
const JAVA: u32 = 1 << 24;
const PLAIN: u32 = 1 << SATURATED | 0xf << GREATER_EQUAL | 1 << 8;

/// All modes, and those without a saved status register.
pub(super) const MODES: u32 = modes(&Mode::ALL);
pub(super) const UNBANKED: u32 = modes(&[Mode::User, Mode::System]);
pub(super) const FAST: u32 = modes(&[Mode::FastInterrupt]);

impl<R: Regions, M: StaticCycleModel> Emitter<'_, Arm<R>, M> {
    /// The status register.
    pub(super) fn status_word(&mut self) -> Word {
        let control = self.code.load_word(at::CONTROL);
        let mut word = self
            .code
            .builder
            .ins()
            .band_imm_u(control, i64::from(!THUMB));
        for (kind, bit) in [
            (Kind::Negative, 31),
            (Kind::Zero, 30),
            (Kind::Carry, 29),
            (Kind::Overflow, 28),
        ] {
            let flag = self.flag_of(kind);
            let flag = self.code.truth(flag);
            let flag = self.code.builder.ins().uextend(types::I32, flag);
            let flag = self.code.builder.ins().ishl_imm_u(flag, bit);
            word = self.code.builder.ins().bor(word, flag);
        }
        Word::Value(word)
    }

    /// User programs change flags only: the interpreter does it.
    pub(super) fn require_privilege(&mut self) {
        let control = self.code.load_word(at::CONTROL);
        let mode = self.code.builder.ins().band_imm_u(control, i64::from(MODE));
        let privileged =
            self.code
                .builder
                .ins()
                .icmp_imm_s(IntCC::NotEqual, mode, i64::from(Mode::User as u32));
        self.demand(privileged);
    }

    /// Writes those bits of the status register that `mask` has.
    pub(super) fn change_status(&mut self, value: Word, mask: u32) {
        if mask & (MODE | MASKS) != 0 {
            self.demand_mode_kept(value, mask);
        }
        if mask & BIG_ENDIAN != 0 {
            let bits = self.code.value(value);
            self.demand_plain_data(bits);
        }
        if mask >> 28 != 0 {
            let bits = self.code.value(value);
            self.demand_flags(bits);
            for (kind, index) in [
                (Kind::Negative, 31),
                (Kind::Zero, 30),
                (Kind::Carry, 29),
                (Kind::Overflow, 28),
            ] {
                let flag = self.bit(Word::Value(bits), index);
                self.write_flag(kind, flag);
            }
        }
        let kept = mask & (MASKS | PLAIN);
        if kept != 0 {
            let value = self.code.value(value);
            self.replace_control(value, kept);
        }
    }

    /// The interrupt masks may change, the mode must not. A line that is active may be let in now: that is the engine's business.
    fn demand_mode_kept(&mut self, value: Word, mask: u32) {
        let value = self.code.value(value);
        let control = self.code.load_word(at::CONTROL);
        let difference = self.code.builder.ins().bxor(value, control);
        let mode = self
            .code
            .builder
            .ins()
            .band_imm_u(difference, i64::from(mask & MODE));
        let same = self.code.builder.ins().icmp_imm_s(IntCC::Equal, mode, 0);
        self.demand(same);
        self.demand_quiet();
    }

    /// Writes those bits of the control part that `mask` has.
    fn replace_control(&mut self, value: Value, mask: u32) {
        let control = self.code.load_word(at::CONTROL);
        let kept = self
            .code
            .builder
            .ins()
            .band_imm_u(control, i64::from(!mask));
        let new = self.code.builder.ins().band_imm_u(value, i64::from(mask));
        let control = self.code.builder.ins().bor(kept, new);
        self.code.store_word(Word::Value(control), at::CONTROL);
    }

    /// Writes the control part under the present condition.
    fn write_control(&mut self, new: Word) {
        let new = match self.code.predicate {
            None => new,
            Some(predicate) => {
                let old = Word::Value(self.code.load_word(at::CONTROL));
                self.select(predicate, new, old)
            }
        };
        // The interpreter, to which an instruction without translation is left, needs what was there.
        if !self.failed {
            self.code.store_word(new, at::CONTROL);
        }
    }

    /// Sets Q if something was saturated.
    pub(super) fn remember_saturation(&mut self, saturated: Flag) {
        let bit = self.flag_word(saturated);
        let bit = self.shift_left(bit, Word::Constant(SATURATED));
        let control = Word::Value(self.code.load_word(at::CONTROL));
        let new = self.or(control, bit);
        self.write_control(new);
    }

    /// GE.
    pub(super) fn greater_equal_word(&mut self) -> Word {
        let control = Word::Value(self.code.load_word(at::CONTROL));
        let shifted = self.shift_right(control, Word::Constant(GREATER_EQUAL));
        self.and(shifted, Word::Constant(15))
    }

    /// Writes GE.
    pub(super) fn write_greater_equal(&mut self, value: Word) {
        let control = Word::Value(self.code.load_word(at::CONTROL));
        let kept = self.and(control, Word::Constant(!(15 << GREATER_EQUAL)));
        let shifted = self.shift_left(value, Word::Constant(GREATER_EQUAL));
        let new = self.or(kept, shifted);
        self.write_control(new);
    }

    /// Leaves the instruction to the interpreter if it would execute byte codes, or data would be big-endian.
    pub(super) fn demand_plain_data(&mut self, bits: Value) {
        if self.facts.model.status_mask() & (BIG_ENDIAN | JAVA) == 0 {
            return;
        }
        let other = i64::from(BIG_ENDIAN | JAVA);
        let other = self.code.builder.ins().band_imm_u(bits, other);
        let none = self.code.builder.ins().icmp_imm_s(IntCC::Equal, other, 0);
        self.demand(none);
    }

    /// Leaves the instruction to the interpreter if a status register's bits say Thumb.
    pub(super) fn demand_arm(&mut self, bits: Value) {
        let thumb = self.code.builder.ins().band_imm_u(bits, i64::from(THUMB));
        let arm = self.code.builder.ins().icmp_imm_s(IntCC::Equal, thumb, 0);
        self.demand(arm);
    }

    /// Leaves the instruction to the interpreter if an address is one that a process may have of its own.
    pub(super) fn demand_no_process(&mut self, address: Word) {
        let address = self.code.value(address);
        let above = self.code.builder.ins().ushr_imm_u(address, 25);
        let none = self
            .code
            .builder
            .ins()
            .icmp_imm_s(IntCC::NotEqual, above, 0);
        self.demand(none);
    }

    /// Leaves the instruction to the interpreter if an address is no multiple of 8.
    pub(super) fn demand_double_word(&mut self, address: Word) {
        let address = self.code.value(address);
        let rest = self.code.builder.ins().band_imm_u(address, 7);
        let none = self.code.builder.ins().icmp_imm_s(IntCC::Equal, rest, 0);
        self.demand(none);
    }

    /// Leaves the instruction to the interpreter if a status register's bits are such that the context cannot hold the flags.
    pub(super) fn demand_flags(&mut self, bits: Value) {
        let mask = i64::from(NEGATIVE_AND_ZERO);
        let both = self.code.builder.ins().band_imm_u(bits, mask);
        let limit = self.code.constant(NEGATIVE_AND_ZERO);
        let possible = self.code.builder.ins().icmp(IntCC::NotEqual, both, limit);
        self.demand(possible);
    }

    /// Leaves the instruction to the interpreter while a line asks for attention.
    pub(super) fn demand_quiet(&mut self) {
        let waits = self.code.load_word(frame::at::WAITING);
        let builder = &mut self.code.builder;
        let quiet = builder.ins().icmp_imm_s(IntCC::Equal, waits, 0);
        self.demand(quiet);
    }

    /// Leaves the instruction to the interpreter in modes whose bit is set.
    pub(super) fn require_other_modes(&mut self, modes: u32) {
        let control = self.code.load_word(at::CONTROL);
        self.demand_mode(control, !modes);
    }

    /// Leaves the instruction to the interpreter unless the mode in `bits` is one of `modes`.
    pub(super) fn demand_mode(&mut self, bits: Value, modes: u32) {
        let mode = self.code.builder.ins().band_imm_u(bits, i64::from(MODE));
        let modes = self.code.constant(modes);
        let found = self.code.builder.ins().ushr(modes, mode);
        let found = self.code.builder.ins().band_imm_u(found, 1);
        self.demand(found);
    }

    /// The saved status register of a mode that has one.
    pub(super) fn saved_status_word(&mut self) -> Word {
        self.require_other_modes(UNBANKED);
        Word::Value(self.code.load_word(at::SAVED))
    }

    /// Writes those bits of it that `mask` has. A number that is no mode is the interpreter's business.
    pub(super) fn change_saved_status(&mut self, value: Word, mask: u32) {
        self.require_other_modes(UNBANKED);
        let value = self.code.value(value);
        if mask & MODE != 0 {
            self.demand_mode(value, MODES);
        }
        let old = self.code.load_word(at::SAVED);
        let kept = self.code.builder.ins().band_imm_u(old, i64::from(!mask));
        let new = self.code.builder.ins().band_imm_u(value, i64::from(mask));
        let saved = self.code.builder.ins().bor(kept, new);
        self.code.store_word(Word::Value(saved), at::SAVED);
    }

    /// A register that the mode in force has of its own, as the user mode sees it; `None` for one that it shares.
    pub(super) fn banked(&mut self, index: u32) -> Option<i32> {
        if !self.flags.banks_known {
            self.flags.banks_known = true;
            self.require_other_modes(UNBANKED | FAST);
        }
        matches!(index, STACK | LINK).then(|| at::user_register(index))
    }
}

/// A set of modes: one bit for each.
const fn modes(all: &[Mode]) -> u32 {
    let (mut set, mut index) = (0, 0);
    while index < all.len() {
        set |= 1 << (all[index] as u32 & MODE);
        index += 1;
    }
    set
}
