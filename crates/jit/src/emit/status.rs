//! Moves to and from the status register, as far as neither the mode changes nor an interrupt waits.

use super::Emitter;
use super::word::{Kind, Word};
use crate::context::at;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use socscope_isa::arm::Mode;
use socscope_isa::{Foreseeable, Values};

/// Interrupt masks, and the mode.
const MASKS: u32 = 0xc0;
const MODE: u32 = 0x1f;
/// N and Z, which the context cannot hold both.
const NEGATIVE_AND_ZERO: u32 = 0xc000_0000;
/// The bit that names the instruction set: these instructions exist in ARM only.
const THUMB: u32 = 0x20;

impl<M: Foreseeable> Emitter<'_, M> {
    /// The status register.
    pub(super) fn status_word(&mut self) -> Word {
        let control = self.load_word(at::CONTROL);
        let mut word = self.builder.ins().band_imm_u(control, i64::from(!THUMB));
        for (kind, bit) in [
            (Kind::Negative, 31),
            (Kind::Zero, 30),
            (Kind::Carry, 29),
            (Kind::Overflow, 28),
        ] {
            let flag = self.flag_of(kind);
            let flag = self.truth(flag);
            let flag = self.builder.ins().uextend(types::I32, flag);
            let flag = self.builder.ins().ishl_imm_u(flag, bit);
            word = self.builder.ins().bor(word, flag);
        }
        Word::Value(word)
    }

    /// Leaves the instruction to the interpreter unless the condition holds. Nothing of it has happened yet.
    fn demand(&mut self, condition: Value) {
        let (on, out) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(condition, on, &[], out, &[]);
        let before = self.before.clone();
        self.left_aside(out, &before, None);
        self.builder.switch_to_block(on);
    }

    /// User programs change flags only: the interpreter does it.
    pub(super) fn require_privilege(&mut self) {
        let control = self.load_word(at::CONTROL);
        let mode = self.builder.ins().band_imm_u(control, i64::from(MODE));
        let privileged =
            self.builder
                .ins()
                .icmp_imm_s(IntCC::NotEqual, mode, i64::from(Mode::User as u32));
        self.demand(privileged);
    }

    /// Writes those bits of the status register that `mask` has.
    pub(super) fn change_status(&mut self, value: Word, mask: u32) {
        if mask & MODE != 0 {
            self.change_masks(value);
        }
        if mask >> 28 != 0 {
            let bits = self.value(value);
            let both = self
                .builder
                .ins()
                .band_imm_u(bits, i64::from(NEGATIVE_AND_ZERO));
            let limit = self.constant(NEGATIVE_AND_ZERO);
            let possible = self.builder.ins().icmp(IntCC::NotEqual, both, limit);
            self.demand(possible);
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
    }

    /// The interrupt masks change, the mode must not. A line that is active may be let in now: that is the engine's business.
    fn change_masks(&mut self, value: Word) {
        let value = self.value(value);
        let control = self.load_word(at::CONTROL);
        let difference = self.builder.ins().bxor(value, control);
        let mode = self.builder.ins().band_imm_u(difference, i64::from(MODE));
        let same = self.builder.ins().icmp_imm_s(IntCC::Equal, mode, 0);
        self.demand(same);
        let lines = self
            .builder
            .ins()
            .load(types::I8, Self::own_memory(), self.context, at::LINES);
        let quiet = self.builder.ins().icmp_imm_s(IntCC::Equal, lines, 0);
        self.demand(quiet);
        let kept = self.builder.ins().band_imm_u(control, i64::from(!MASKS));
        let new = self.builder.ins().band_imm_u(value, i64::from(MASKS));
        let control = self.builder.ins().bor(kept, new);
        self.store_word(Word::Value(control), at::CONTROL);
    }
}
