//! Packing to narrower elements, and unpacking (manual: "Vector pack and unpack instructions").

use super::compute::{Operation, element, fitted, made, number, signed_element};
use socscope_memory::Width;

const fn half(width: Width) -> Width {
    match width {
        Width::Word => Width::Half,
        _ => Width::Byte,
    }
}

/// Eight bits of four channels to one, five, five and five.
const fn pixel(word: u32) -> u32 {
    word >> 24 << 15 & 0x8000 | word >> 9 & 0x7c00 | word >> 6 & 0x03e0 | word >> 3 & 0x001f
}

/// The other way; the first channel is all ones or none.
const fn channels(pixel: u32) -> u32 {
    let first = if pixel & 0x8000 != 0 { 0xff00_0000 } else { 0 };
    first | (pixel & 0x7c00) << 6 | (pixel & 0x03e0) << 3 | pixel & 0x001f
}

pub(super) fn compute(operation: Operation, a: u128, b: u128, saturated: &mut bool) -> u128 {
    let unpacked = |width: Width, low: bool| {
        let wide = if width == Width::Byte {
            Width::Half
        } else {
            Width::Word
        };
        let first = if low { 64 / width.bits() } else { 0 };
        made(wide, |index| signed_element(b, width, first + index) as u32)
    };
    match operation {
        Operation::Pack(width, signed, overflow) => {
            let count = 128 / width.bits();
            made(half(width), |index| {
                let (from, at) = if index < count {
                    (a, index)
                } else {
                    (b, index - count)
                };
                fitted(
                    half(width),
                    overflow,
                    number(from, width, at, signed),
                    saturated,
                )
            })
        }
        Operation::PackPixels => made(Width::Half, |index| {
            let (from, at) = if index < 4 {
                (a, index)
            } else {
                (b, index - 4)
            };
            pixel(element(from, Width::Word, at))
        }),
        Operation::UnpackHigh(width) => unpacked(width, false),
        Operation::UnpackLow(width) => unpacked(width, true),
        _ => {
            let first = if operation == Operation::UnpackPixels(true) {
                4
            } else {
                0
            };
            made(Width::Word, |index| {
                channels(element(b, Width::Half, first + index))
            })
        }
    }
}
