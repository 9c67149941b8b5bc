//! The rows as data.

use crate::support::random::Random;
use socscope_core::plain::{Plain, first_unit, width};
use socscope_memory::Width;
use socscope_toy::{Toy, encodings};
use std::collections::BTreeSet;

#[test]
fn names_are_unique_and_both_lengths_occur() {
    let names: BTreeSet<_> = encodings().iter().map(|row| row.name).collect();
    assert_eq!(names.len(), encodings().len());
    let lengths: BTreeSet<_> = encodings().iter().map(|row| row.pattern.bits).collect();
    assert_eq!(lengths, [16, 32].into());
}

#[test]
fn an_instance_of_a_row_is_found_by_its_first_half() {
    let mut random = Random(1);
    for row in &encodings()[1..] {
        for _ in 0..100 {
            let word = row.pattern.instance(random.word());
            let length = match row.pattern.bits {
                16 => Width::Half,
                _ => Width::Word,
            };
            let first = first_unit::<Toy>(word, length);
            assert_eq!(Toy::encoding(first).name, row.name);
            assert_eq!(width::<Toy>(first), length);
        }
    }
}
