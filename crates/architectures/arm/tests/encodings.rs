//! The tables as data: every word has one encoding, names are unique, and the documentation is up to date.

#[allow(dead_code)]
#[path = "../examples/arm_encodings.rs"]
mod documentation;

use socscope_arm::{InstructionSet, decode, encoding, encodings};
use std::collections::BTreeSet;

#[test]
fn the_reference_page_is_what_the_tables_say() {
    let page = include_str!("../../../../docs/reference/armv4t-encodings.md");
    assert!(
        page == documentation::page(),
        "cargo run -p socscope-arm --example arm_encodings > docs/reference/armv4t-encodings.md"
    );
}

#[test]
fn names_are_unique() {
    for set in InstructionSet::ALL {
        let names: BTreeSet<_> = encodings(set)
            .iter()
            .map(|encoding| encoding.name)
            .collect();
        assert_eq!(names.len(), encodings(set).len());
    }
}

#[test]
fn every_thumb_word_matches_its_encoding_and_no_other() {
    for word in 0..=0xffff {
        let matching: Vec<_> = encodings(InstructionSet::Thumb)[1..]
            .iter()
            .filter(|encoding| encoding.pattern.matches(word))
            .collect();
        match matching[..] {
            [] => assert_eq!(decode(InstructionSet::Thumb, word), 0, "{word:#x}"),
            [only] => assert_eq!(encoding(InstructionSet::Thumb, word), only, "{word:#x}"),
            _ => panic!("{word:#x} has two encodings"),
        }
    }
}

/// All values of the bits in which ARM encodings differ.
#[test]
fn every_arm_word_matches_its_encoding_and_no_other() {
    for key in 0..0x1000_u32 {
        let word = 0xe000_0000 | (key >> 4) << 20 | (key & 0xf) << 4 | 0xff0f;
        let matching = encodings(InstructionSet::Arm)[1..]
            .iter()
            .filter(|encoding| encoding.pattern.matches(word))
            .count();
        let found = encoding(InstructionSet::Arm, word);
        assert!(matching <= 1, "{word:#x} has two encodings");
        assert!(matching == 0 || found.pattern.matches(word), "{word:#x}");
        assert_eq!(matching == 0, found.name == "Unallocated");
    }
}
