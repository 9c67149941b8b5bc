//! The tables as data: every word has one encoding, names are unique, and the documentation is up to date.

#[allow(dead_code)]
#[path = "../examples/arm_encodings.rs"]
mod documentation;

use crate::support::random::Random;
use socscope_arm::{
    ALWAYS, CoreModel, InstructionSet, Version, condition_code, decode, encoding, encodings, since,
};
use std::collections::BTreeSet;

#[test]
fn the_reference_page_is_what_the_tables_say() {
    let page = include_str!("../../../../docs/reference/arm-encodings.md");
    assert!(
        page == documentation::page(),
        "cargo run -p socscope-arm --example arm_encodings > docs/reference/arm-encodings.md"
    );
}

#[test]
fn names_are_unique() {
    for set in InstructionSet::ALL {
        let all = encodings(CoreModel::Arm1176JzS, set);
        let names: BTreeSet<_> = all.iter().map(|encoding| encoding.name).collect();
        assert_eq!(names.len(), all.len());
    }
}

/// The encodings that match a word, those of the newest version first that has one, the one with most fixed bits first of these.
fn matching(model: CoreModel, set: InstructionSet, word: u32) -> Vec<usize> {
    let unconditional = word >> 28 == 15 && set == InstructionSet::Arm && model.has(Version::V5TEJ);
    let fits = |&index: &usize| {
        let pattern = &encodings(model, set)[index].pattern;
        pattern.matches(word) && unconditional == (pattern.mask >> 28 != 0)
    };
    let mut all: Vec<usize> = (1..encodings(model, set).len()).filter(fits).collect();
    let fixed = |index: usize| encodings(model, set)[index].pattern.mask.count_ones();
    all.sort_by_key(|&index| std::cmp::Reverse((since(set, index), fixed(index))));
    all
}

fn check(model: CoreModel, set: InstructionSet, word: u32) {
    let all = matching(model, set, word);
    let first = all.first().copied().unwrap_or(0);
    assert_eq!(decode(model, set, word), first, "{model:?} {word:#x}");
    assert_eq!(encoding(model, set, word), &encodings(model, set)[first]);
    if let [first, second, ..] = all[..] {
        let rows = [first, second].map(|index| &encodings(model, set)[index].pattern);
        let is_special =
            rows[0].mask & rows[1].mask == rows[1].mask && rows[0].mask != rows[1].mask;
        assert!(
            since(set, first) > since(set, second) || is_special,
            "{word:#x} has two encodings of one version"
        );
    }
}

#[test]
fn every_thumb_word_has_the_encoding_that_matches_it_best() {
    for model in CoreModel::ALL {
        for word in 0..=0xffff {
            check(model, InstructionSet::Thumb, word);
        }
    }
}

/// All values of the bits by which ARM encodings are found, with random ones between them.
#[test]
fn every_arm_word_has_the_encoding_that_matches_it_best() {
    let mut random = Random(1);
    for model in CoreModel::ALL {
        for key in 0..0x1_0000_u32 {
            let condition = [0xe, 0xf, key >> 12 & 1, 0xe][(key >> 12 & 3) as usize] << 28;
            let word = condition | (key >> 4 & 0xff) << 20 | (key & 0xf) << 4;
            // Fields that are all ones or zero name other instructions.
            let rest = [0xf_ff0f, 0xf_ff0f & random.word(), 0xf00f, 0][(key >> 14) as usize];
            check(model, InstructionSet::Arm, word | rest);
        }
    }
}

#[test]
fn a_model_has_the_rows_of_its_version() {
    for set in InstructionSet::ALL {
        let counts = CoreModel::ALL.map(|model| encodings(model, set).len());
        assert!(counts.is_sorted(), "{counts:?}");
        assert_eq!(counts[0], counts[1]);
        for model in CoreModel::ALL {
            let all = encodings(model, set).len();
            assert!((0..all).all(|index| model.has(since(set, index))));
        }
    }
}

/// Before the version that brings it, a word is no instruction, or another one under a condition that never holds.
#[test]
fn a_later_instruction_is_none_on_an_earlier_core() {
    for (name, word, from) in [
        ("CLZ", 0xe16f_0f11, Version::V5TEJ),
        ("LDREX", 0xe191_0f9f, Version::V6),
        ("CLREX", 0xf57f_f01f, Version::V6K),
    ] {
        for model in CoreModel::ALL {
            let found = encoding(model, InstructionSet::Arm, word).name;
            assert_eq!(found == name, model.has(from), "{model:?} {word:#x}");
            let executes = condition_code(model, InstructionSet::Arm, word) == ALWAYS;
            assert!(found == name || found == "Unallocated" || !executes);
        }
    }
}
