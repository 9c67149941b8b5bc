//! Products, and sums across elements (manual: "Vector integer arithmetic instructions").

use super::compute::{Operation, Overflow, element, fitted, made, number, signed_element};
use socscope_memory::Width;

/// Which products are summed into a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Products {
    /// Four of unsigned bytes.
    UnsignedBytes,
    /// Four of signed bytes by unsigned ones.
    MixedBytes,
    /// Two of unsigned half-words.
    UnsignedHalves,
    /// Two of signed half-words.
    SignedHalves,
}

const fn twice(width: Width) -> Width {
    match width {
        Width::Byte => Width::Half,
        _ => Width::Word,
    }
}

/// Products of every other element, twice as wide.
fn of_every_other(width: Width, signed: bool, first: u32, a: u128, b: u128) -> u128 {
    made(twice(width), |index| {
        let of = |value| number(value, width, 2 * index + first, signed);
        (of(a) * of(b)) as u32
    })
}

/// Sum of the elements of a word.
fn across(value: u128, width: Width, word: u32, signed: bool) -> i64 {
    let count = 32 / width.bits();
    (0..count)
        .map(|index| number(value, width, word * count + index, signed))
        .sum()
}

fn products(products: Products, a: u128, b: u128, word: u32) -> i64 {
    let (width, first_signed, second_signed) = match products {
        Products::UnsignedBytes => (Width::Byte, false, false),
        Products::MixedBytes => (Width::Byte, true, false),
        Products::UnsignedHalves => (Width::Half, false, false),
        Products::SignedHalves => (Width::Half, true, true),
    };
    let count = 32 / width.bits();
    (word * count..(word + 1) * count)
        .map(|index| number(a, width, index, first_signed) * number(b, width, index, second_signed))
        .sum()
}

pub(super) fn compute(
    operation: Operation,
    a: u128,
    b: u128,
    c: u128,
    saturated: &mut bool,
) -> u128 {
    let halves = Width::Half;
    let word = |value, index| signed_element(value, Width::Word, index);
    match operation {
        Operation::MultiplyEven(width, signed) => of_every_other(width, signed, 0, a, b),
        Operation::MultiplyOdd(width, signed) => of_every_other(width, signed, 1, a, b),
        Operation::MultiplyHighAdd(rounded) => made(halves, |index| {
            let of = |value| signed_element(value, halves, index);
            let product = of(a) * of(b) + if rounded { 0x4000 } else { 0 };
            fitted(halves, Overflow::Signed, (product >> 15) + of(c), saturated)
        }),
        Operation::MultiplyLowAdd => made(halves, |index| {
            let of = |value| element(value, halves, index);
            of(a).wrapping_mul(of(b)).wrapping_add(of(c))
        }),
        Operation::MultiplySum(which, overflow) => made(Width::Word, |index| {
            let addend = number(c, Width::Word, index, overflow == Overflow::Signed);
            let sum = products(which, a, b, index).wrapping_add(addend);
            fitted(Width::Word, overflow, sum, saturated)
        }),
        Operation::SumQuarters(width, signed) => made(Width::Word, |index| {
            let overflow = if signed {
                Overflow::Signed
            } else {
                Overflow::Unsigned
            };
            let sum = across(a, width, index, signed) + number(b, Width::Word, index, signed);
            fitted(Width::Word, overflow, sum, saturated)
        }),
        Operation::SumHalves => made(Width::Word, |index| {
            if index % 2 == 0 {
                return 0;
            }
            let sum = word(a, index - 1) + word(a, index) + word(b, index);
            fitted(Width::Word, Overflow::Signed, sum, saturated)
        }),
        _ => {
            let sum = (0..4).map(|index| word(a, index)).sum::<i64>() + word(b, 3);
            u128::from(fitted(Width::Word, Overflow::Signed, sum, saturated))
        }
    }
}
