//! The words of PowerPC's instructions, beside those of every architecture.

use super::{Barrier, CacheOperation, CoreModel, Exception, TlbOperation, float, vector};
use socscope_isa::Semantics;

/// A reading of PowerPC instructions. Loads and stores take any address and are big-endian; after one that did not succeed the others of
/// the same instruction are not made.
pub trait PowerPcSemantics: Semantics<Exception = Exception> {
    /// A floating-point register: 64 bits.
    type Double: Copy;
    /// A vector register: 128 bits.
    type Vector: Copy;

    /// The core; known in every reading.
    fn model(&self) -> CoreModel;

    /// A general-purpose register.
    fn register(&mut self, index: u32) -> Self::Word;
    /// Writes a general-purpose register.
    fn set_register(&mut self, index: u32, value: Self::Word);
    /// A bit of the condition register; 0 is LT of field 0.
    fn condition(&mut self, bit: u32) -> Self::Flag;
    /// Writes a bit of the condition register.
    fn set_condition(&mut self, bit: u32, value: Self::Flag);
    /// The whole condition register.
    fn condition_register(&mut self) -> Self::Word;
    /// SO of XER.
    fn summary_overflow(&mut self) -> Self::Flag;
    /// Writes SO of XER.
    fn set_summary_overflow(&mut self, value: Self::Flag);
    /// OV of XER.
    fn overflow(&mut self) -> Self::Flag;
    /// Writes OV of XER.
    fn set_overflow(&mut self, value: Self::Flag);
    /// CA of XER.
    fn carry(&mut self) -> Self::Flag;
    /// Writes CA of XER.
    fn set_carry(&mut self, value: Self::Flag);
    /// The byte count of XER, for string instructions.
    fn string_bytes(&mut self) -> Self::Word;
    /// Writes the byte count of XER from the low seven bits.
    fn set_string_bytes(&mut self, value: Self::Word);
    /// The link register.
    fn link(&mut self) -> Self::Word;
    /// Writes the link register.
    fn set_link(&mut self, value: Self::Word);
    /// The count register.
    fn count(&mut self) -> Self::Word;
    /// Writes the count register.
    fn set_count(&mut self, value: Self::Word);

    /// Quotient, rounded towards zero; the divisor is not 0 and the quotient exists.
    fn divide(&mut self, a: Self::Word, b: Self::Word, signed: bool) -> Self::Word;
    /// Number of zeros before the first one; 32 for 0.
    fn leading_zeros(&mut self, a: Self::Word) -> Self::Word;

    /// Whether an address is one of a word, as some instructions ask before their accesses.
    #[inline(always)]
    fn is_word_aligned(&mut self, address: Self::Word) -> Self::Flag {
        let three = self.word(3);
        let rest = self.and(address, three);
        self.is_zero(rest)
    }
    /// Takes an alignment exception for an access to `address`.
    fn misaligned(&mut self, address: Self::Word);
    /// Takes a data storage exception for an access to `address`; `status` goes into DSISR.
    fn data_storage(&mut self, address: Self::Word, status: u32);
    /// Remembers the address for a conditional store.
    fn reserve(&mut self, address: Self::Word);
    /// Whether the address is still reserved; the reservation ends.
    fn take_reservation(&mut self, address: Self::Word) -> Self::Flag;

    /// Whether the program runs without privilege.
    fn problem_state(&mut self) -> Self::Flag;
    /// The machine state register.
    fn machine_state(&mut self) -> Self::Word;
    /// Writes the machine state register.
    fn set_machine_state(&mut self, value: Self::Word);
    /// Continues where SRR0 says, with the machine state of SRR1.
    fn return_from_interrupt(&mut self);
    /// A special register that the core has, by number, but XER, LR, CTR.
    fn special(&mut self, number: u32) -> Self::Word;
    /// Writes such a register.
    fn set_special(&mut self, number: u32, value: Self::Word);
    /// A segment register, by the low four bits of `index`.
    fn segment(&mut self, index: Self::Word) -> Self::Word;
    /// Writes a segment register.
    fn set_segment(&mut self, index: Self::Word, value: Self::Word);

    /// Works on the caches' line of `address`.
    fn cache(&mut self, operation: CacheOperation, address: Self::Word);
    /// Works on the translation buffers.
    fn translation_buffer(&mut self, operation: TlbOperation, address: Self::Word);
    /// Puts accesses, or instructions, in order.
    fn barrier(&mut self, barrier: Barrier);

    /// Whether the machine state lets floating-point instructions through.
    fn float_available(&mut self) -> Self::Flag;
    /// A floating-point register.
    fn float_register(&mut self, index: u32) -> Self::Double;
    /// Writes a floating-point register.
    fn set_float_register(&mut self, index: u32, value: Self::Double);
    /// Of its two halves.
    fn double(&mut self, high: Self::Word, low: Self::Word) -> Self::Double;
    /// The two halves, the high one first.
    fn double_words(&mut self, value: Self::Double) -> (Self::Word, Self::Word);
    /// What [`float::compute`] says of a, b and c; updates the status. The flag tells whether the result is written.
    fn float_arithmetic(
        &mut self,
        operation: float::Operation,
        operands: [Self::Double; 3],
    ) -> (Self::Double, Self::Flag);
    /// What [`float::compare`] says; updates the status.
    fn float_compare(&mut self, ordered: bool, a: Self::Double, b: Self::Double) -> Self::Word;
    /// [`float::double_from_single`].
    fn double_from_single(&mut self, single: Self::Word) -> Self::Double;
    /// [`float::single_from_double`].
    fn single_from_double(&mut self, double: Self::Double) -> Self::Word;
    /// The floating-point status and control register.
    fn float_status(&mut self) -> Self::Word;
    /// Writes the floating-point status and control register; VX and FEX follow. An exception that is then enabled is taken.
    fn set_float_status(&mut self, value: Self::Word);

    /// Whether the machine state lets AltiVec instructions through.
    fn vector_available(&mut self) -> Self::Flag;
    /// A vector register.
    fn vector_register(&mut self, index: u32) -> Self::Vector;
    /// Writes a vector register.
    fn set_vector_register(&mut self, index: u32, value: Self::Vector);
    /// Of its four words, the most significant first.
    fn vector(&mut self, words: [Self::Word; 4]) -> Self::Vector;
    /// The four words.
    fn vector_words(&mut self, value: Self::Vector) -> [Self::Word; 4];
    /// What [`vector::compute`] says of a, b and c; SAT remembers what did not fit.
    fn vector_arithmetic(
        &mut self,
        operation: vector::Operation,
        operands: [Self::Vector; 3],
    ) -> Self::Vector;
    /// The vector status and control register.
    fn vector_status(&mut self) -> Self::Word;
    /// Writes the vector status and control register.
    fn set_vector_status(&mut self, value: Self::Word);
}
