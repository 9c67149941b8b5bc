//! The words in which an instruction says what it does. One function an instruction, many readings: executed with concrete words,
//! translated with values of a compiler, listed as accesses, analysed as intervals.

use socscope_memory::Width;

/// The values of a reading, and what can be computed with them in any architecture.
///
/// Semantic functions decide in Rust on encoding fields only. What depends on the guest's values goes through [`Values::when`] and
/// [`Values::select`]; no value made inside a `when` leaves it.
pub trait Values {
    /// A 32-bit value.
    type Word: Copy;
    /// A truth value.
    type Flag: Copy;

    /// A constant.
    fn word(&mut self, value: u32) -> Self::Word;
    /// A constant.
    fn flag(&mut self, value: bool) -> Self::Flag;

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
}

/// A reading of instructions: what every architecture has beside values. Each adds its registers and status.
pub trait Semantics: Values {
    /// Exceptions that an instruction can raise.
    type Exception;

    /// Address of the instruction that is read; known in every reading.
    fn address(&self) -> u32;

    /// Reads data at `address`: the value, zero-extended, and whether the access succeeded. If not, an exception follows the
    /// instruction; the flag lets the instruction hold back its other effects.
    fn load(&mut self, address: Self::Word, width: Width) -> (Self::Word, Self::Flag);
    /// Writes the low `width` of `value` at `address`; gives whether the access succeeded.
    fn store(&mut self, address: Self::Word, width: Width, value: Self::Word) -> Self::Flag;

    /// Continues at `target`.
    fn branch(&mut self, target: Self::Word);
    /// Takes an exception.
    fn exception(&mut self, exception: Self::Exception);
    /// A magic instruction: it does nothing on a real core, and tells probes a number, with the first argument register of the
    /// calling convention.
    fn mark(&mut self, _number: u32) {}
}
