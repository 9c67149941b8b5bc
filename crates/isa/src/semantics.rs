//! The words in which an instruction says what it does. One function an instruction, many readings: executed with concrete words,
//! translated with values of a compiler, listed as accesses, analysed as intervals.

use socscope_memory::Width;

/// A reading of instructions.
///
/// Semantic functions decide in Rust on encoding fields only. What depends on the guest's values goes through [`Semantics::when`] and
/// [`Semantics::select`]; no value made inside a `when` leaves it.
pub trait Semantics {
    /// A 32-bit value.
    type Word: Copy;
    /// A truth value.
    type Flag: Copy;
    /// Exceptions that an instruction can raise.
    type Exception;

    /// Address of the instruction that is read; known in every reading.
    fn address(&self) -> u32;

    /// A constant.
    fn word(&mut self, value: u32) -> Self::Word;
    /// A constant.
    fn flag(&mut self, value: bool) -> Self::Flag;

    /// A register (0 to 14) of the mode in force.
    fn register(&mut self, index: u32) -> Self::Word;
    /// Writes a register (0 to 14) of the mode in force.
    fn set_register(&mut self, index: u32, value: Self::Word);
    /// A register (0 to 14) of the user mode.
    fn user_register(&mut self, index: u32) -> Self::Word;
    /// Writes a register (0 to 14) of the user mode.
    fn set_user_register(&mut self, index: u32, value: Self::Word);

    /// The negative flag.
    fn negative(&mut self) -> Self::Flag;
    /// The zero flag.
    fn zero(&mut self) -> Self::Flag;
    /// The carry flag.
    fn carry(&mut self) -> Self::Flag;
    /// The overflow flag.
    fn overflow(&mut self) -> Self::Flag;
    /// Sets the negative flag.
    fn set_negative(&mut self, value: Self::Flag);
    /// Sets the zero flag.
    fn set_zero(&mut self, value: Self::Flag);
    /// Sets the carry flag.
    fn set_carry(&mut self, value: Self::Flag);
    /// Sets the overflow flag.
    fn set_overflow(&mut self, value: Self::Flag);

    /// Bitwise and.
    fn and(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Bitwise or.
    fn or(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Bitwise exclusive or.
    fn xor(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Bitwise complement.
    fn not(&mut self, a: Self::Word) -> Self::Word;
    /// Sum, modulo 2^32.
    fn add(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Sum of both and the carry: result, carry out, signed overflow.
    fn add_with_carry(
        &mut self,
        a: Self::Word,
        b: Self::Word,
        carry: Self::Flag,
    ) -> (Self::Word, Self::Flag, Self::Flag);
    /// Low half of the product.
    fn multiply(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// High half of the product.
    fn multiply_high(&mut self, a: Self::Word, b: Self::Word, signed: bool) -> Self::Word;
    /// Shift left; amounts of 32 and more give 0.
    fn shift_left(&mut self, a: Self::Word, amount: Self::Word) -> Self::Word;
    /// Shift right with zeros; amounts of 32 and more give 0.
    fn shift_right(&mut self, a: Self::Word, amount: Self::Word) -> Self::Word;
    /// Shift right with copies of the sign; amounts of 32 and more give the sign in all bits.
    fn shift_right_signed(&mut self, a: Self::Word, amount: Self::Word) -> Self::Word;
    /// Rotate right by the amount modulo 32.
    fn rotate_right(&mut self, a: Self::Word, amount: Self::Word) -> Self::Word;
    /// The low `width` of `a`, with its sign copied upwards.
    fn sign_extend(&mut self, a: Self::Word, width: Width) -> Self::Word;

    /// Whether all bits are 0.
    fn is_zero(&mut self, a: Self::Word) -> Self::Flag;
    /// Whether bit `index` is 1.
    fn bit(&mut self, a: Self::Word, index: u32) -> Self::Flag;
    /// 1 or 0.
    fn flag_word(&mut self, flag: Self::Flag) -> Self::Word;
    /// Logical complement.
    fn flag_not(&mut self, a: Self::Flag) -> Self::Flag;
    /// Logical and.
    fn flag_and(&mut self, a: Self::Flag, b: Self::Flag) -> Self::Flag;
    /// Logical or.
    fn flag_or(&mut self, a: Self::Flag, b: Self::Flag) -> Self::Flag;
    /// Logical exclusive or.
    fn flag_xor(&mut self, a: Self::Flag, b: Self::Flag) -> Self::Flag;
    /// `a` if the condition holds, else `b`.
    fn select(&mut self, condition: Self::Flag, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Does what `body` says only if the condition holds.
    fn when(&mut self, condition: Self::Flag, body: impl FnOnce(&mut Self));

    /// Reads data at `address` rounded down to `width`: the value, zero-extended, and whether the bus answered.
    /// If not, a data abort follows the instruction; the flag lets the instruction hold back its other effects.
    fn load(&mut self, address: Self::Word, width: Width) -> (Self::Word, Self::Flag);
    /// Writes the low `width` of `value` at `address` rounded down to `width`; gives whether the bus answered.
    fn store(&mut self, address: Self::Word, width: Width, value: Self::Word) -> Self::Flag;

    /// Continues at `target` in the instruction set in force; bits below its alignment are ignored.
    fn branch(&mut self, target: Self::Word);
    /// Continues at `target` in the instruction set that bit 0 of it names.
    fn branch_exchange(&mut self, target: Self::Word);
    /// Restores the status register from the saved one, then continues at `target` in the instruction set now in force.
    fn return_from_exception(&mut self, target: Self::Word);
    /// Takes an exception.
    fn exception(&mut self, exception: Self::Exception);

    /// The status register.
    fn status(&mut self) -> Self::Word;
    /// Writes those bits of the status register that `mask` has.
    fn set_status(&mut self, value: Self::Word, mask: Self::Word);
    /// The saved status register of the mode in force; the status register where the mode has none.
    fn saved_status(&mut self) -> Self::Word;
    /// Writes those bits of the saved status register that `mask` has; nothing where the mode has none.
    fn set_saved_status(&mut self, value: Self::Word, mask: Self::Word);
    /// Restores the status register from the saved one; nothing where the mode has none.
    fn restore_status(&mut self);
    /// Whether the mode in force is not the user mode.
    fn privileged(&mut self) -> Self::Flag;

    /// Names the operand on which the duration of a multiplication depends.
    fn multiplier(&mut self, _operand: Self::Word, _signed: bool) {}
    /// A magic instruction: it does nothing on a real core, and tells probes a number.
    fn mark(&mut self, _number: u32) {}
}
