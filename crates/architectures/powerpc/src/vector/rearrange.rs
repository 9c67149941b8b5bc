//! Logic, whole shifts, products, sums across, packing, splatting (manual: "Vector integer logical instructions" to "Vector splat
//! instructions").

use super::compute::{Operation, Overflow};
use super::{one, two, vectorial};
use crate::PowerPcSemantics;
use socscope_memory::Width;

encodings! {
    "vand", "000100 ddddd aaaaa bbbbb 10000000100", Vector, "vand vD, vA, vB", two(Operation::And; d, a, b);
    "vandc", "000100 ddddd aaaaa bbbbb 10001000100", Vector, "vandc vD, vA, vB", two(Operation::AndComplement; d, a, b);
    "vor", "000100 ddddd aaaaa bbbbb 10010000100", Vector, "vor vD, vA, vB", two(Operation::Or; d, a, b);
    "vxor", "000100 ddddd aaaaa bbbbb 10011000100", Vector, "vxor vD, vA, vB", two(Operation::Xor; d, a, b);
    "vnor", "000100 ddddd aaaaa bbbbb 10100000100", Vector, "vnor vD, vA, vB", two(Operation::Nor; d, a, b);
    "vsl", "000100 ddddd aaaaa bbbbb 00111000100", Vector, "vsl vD, vA, vB", two(Operation::ShiftAllLeft; d, a, b);
    "vsr", "000100 ddddd aaaaa bbbbb 01011000100", Vector, "vsr vD, vA, vB", two(Operation::ShiftAllRight; d, a, b);
    "vslo", "000100 ddddd aaaaa bbbbb 10000001100", Vector, "vslo vD, vA, vB", two(Operation::ShiftOctetsLeft; d, a, b);
    "vsro", "000100 ddddd aaaaa bbbbb 10001001100", Vector, "vsro vD, vA, vB", two(Operation::ShiftOctetsRight; d, a, b);
    "vmuloub", "000100 ddddd aaaaa bbbbb 00000001000", Vector, "vmuloub vD, vA, vB", two(Operation::MultiplyOdd(Width::Byte, false); d, a, b);
    "vmuleub", "000100 ddddd aaaaa bbbbb 01000001000", Vector, "vmuleub vD, vA, vB", two(Operation::MultiplyEven(Width::Byte, false); d, a, b);
    "vmulouh", "000100 ddddd aaaaa bbbbb 00001001000", Vector, "vmulouh vD, vA, vB", two(Operation::MultiplyOdd(Width::Half, false); d, a, b);
    "vmuleuh", "000100 ddddd aaaaa bbbbb 01001001000", Vector, "vmuleuh vD, vA, vB", two(Operation::MultiplyEven(Width::Half, false); d, a, b);
    "vmulosb", "000100 ddddd aaaaa bbbbb 00100001000", Vector, "vmulosb vD, vA, vB", two(Operation::MultiplyOdd(Width::Byte, true); d, a, b);
    "vmulesb", "000100 ddddd aaaaa bbbbb 01100001000", Vector, "vmulesb vD, vA, vB", two(Operation::MultiplyEven(Width::Byte, true); d, a, b);
    "vmulosh", "000100 ddddd aaaaa bbbbb 00101001000", Vector, "vmulosh vD, vA, vB", two(Operation::MultiplyOdd(Width::Half, true); d, a, b);
    "vmulesh", "000100 ddddd aaaaa bbbbb 01101001000", Vector, "vmulesh vD, vA, vB", two(Operation::MultiplyEven(Width::Half, true); d, a, b);
    "vsum4ubs", "000100 ddddd aaaaa bbbbb 11000001000", Vector, "vsum4ubs vD, vA, vB", two(Operation::SumQuarters(Width::Byte, false); d, a, b);
    "vsum4sbs", "000100 ddddd aaaaa bbbbb 11100001000", Vector, "vsum4sbs vD, vA, vB", two(Operation::SumQuarters(Width::Byte, true); d, a, b);
    "vsum4shs", "000100 ddddd aaaaa bbbbb 11001001000", Vector, "vsum4shs vD, vA, vB", two(Operation::SumQuarters(Width::Half, true); d, a, b);
    "vsum2sws", "000100 ddddd aaaaa bbbbb 11010001000", Vector, "vsum2sws vD, vA, vB", two(Operation::SumHalves; d, a, b);
    "vsumsws", "000100 ddddd aaaaa bbbbb 11110001000", Vector, "vsumsws vD, vA, vB", two(Operation::SumAll; d, a, b);
    "vpkuhum", "000100 ddddd aaaaa bbbbb 00000001110", Vector, "vpkuhum vD, vA, vB", two(Operation::Pack(Width::Half, false, Overflow::Wraps); d, a, b);
    "vpkuwum", "000100 ddddd aaaaa bbbbb 00001001110", Vector, "vpkuwum vD, vA, vB", two(Operation::Pack(Width::Word, false, Overflow::Wraps); d, a, b);
    "vpkuhus", "000100 ddddd aaaaa bbbbb 00010001110", Vector, "vpkuhus vD, vA, vB", two(Operation::Pack(Width::Half, false, Overflow::Unsigned); d, a, b);
    "vpkuwus", "000100 ddddd aaaaa bbbbb 00011001110", Vector, "vpkuwus vD, vA, vB", two(Operation::Pack(Width::Word, false, Overflow::Unsigned); d, a, b);
    "vpkshus", "000100 ddddd aaaaa bbbbb 00100001110", Vector, "vpkshus vD, vA, vB", two(Operation::Pack(Width::Half, true, Overflow::Unsigned); d, a, b);
    "vpkswus", "000100 ddddd aaaaa bbbbb 00101001110", Vector, "vpkswus vD, vA, vB", two(Operation::Pack(Width::Word, true, Overflow::Unsigned); d, a, b);
    "vpkshss", "000100 ddddd aaaaa bbbbb 00110001110", Vector, "vpkshss vD, vA, vB", two(Operation::Pack(Width::Half, true, Overflow::Signed); d, a, b);
    "vpkswss", "000100 ddddd aaaaa bbbbb 00111001110", Vector, "vpkswss vD, vA, vB", two(Operation::Pack(Width::Word, true, Overflow::Signed); d, a, b);
    "vpkpx", "000100 ddddd aaaaa bbbbb 01100001110", Vector, "vpkpx vD, vA, vB", two(Operation::PackPixels; d, a, b);
    "vupkhsb", "000100 ddddd zzzzz bbbbb 01000001110", Vector, "vupkhsb vD, vB", one(Operation::UnpackHigh(Width::Byte); d, b);
    "vupkhsh", "000100 ddddd zzzzz bbbbb 01001001110", Vector, "vupkhsh vD, vB", one(Operation::UnpackHigh(Width::Half); d, b);
    "vupklsb", "000100 ddddd zzzzz bbbbb 01010001110", Vector, "vupklsb vD, vB", one(Operation::UnpackLow(Width::Byte); d, b);
    "vupklsh", "000100 ddddd zzzzz bbbbb 01011001110", Vector, "vupklsh vD, vB", one(Operation::UnpackLow(Width::Half); d, b);
    "vupkhpx", "000100 ddddd zzzzz bbbbb 01101001110", Vector, "vupkhpx vD, vB", one(Operation::UnpackPixels(false); d, b);
    "vupklpx", "000100 ddddd zzzzz bbbbb 01111001110", Vector, "vupklpx vD, vB", one(Operation::UnpackPixels(true); d, b);
    "vspltb", "000100 ddddd iiiii bbbbb 01000001100", Vector, "vspltb vD, vB, i", splat(Width::Byte; d, i, b);
    "vspltisb", "000100 ddddd iiiii zzzzz 01100001100", Vector, "vspltisb vD, i", splat_immediate(Width::Byte; d, i);
    "vsplth", "000100 ddddd iiiii bbbbb 01001001100", Vector, "vsplth vD, vB, i", splat(Width::Half; d, i, b);
    "vspltish", "000100 ddddd iiiii zzzzz 01101001100", Vector, "vspltish vD, i", splat_immediate(Width::Half; d, i);
    "vspltw", "000100 ddddd iiiii bbbbb 01010001100", Vector, "vspltw vD, vB, i", splat(Width::Word; d, i, b);
    "vspltisw", "000100 ddddd iiiii zzzzz 01110001100", Vector, "vspltisw vD, i", splat_immediate(Width::Word; d, i);
}

/// The element counts modulo their number.
fn splat<S: PowerPcSemantics>(s: &mut S, width: Width, d: u32, index: u32, b: u32) {
    one(
        s,
        Operation::Splat(width, index & (16 / width.bytes() - 1)),
        d,
        b,
    );
}

fn splat_immediate<S: PowerPcSemantics>(s: &mut S, width: Width, d: u32, immediate: u32) {
    let element = width.truncate(((immediate << 27) as i32 >> 27) as u32);
    let word =
        (0..32 / width.bits()).fold(0, |word, index| word | element << (index * width.bits()));
    vectorial(s, |s| {
        let word = s.word(word);
        let value = s.vector([word; 4]);
        s.set_vector_register(d, value);
    });
}
