//! Whatever a device tree says, a machine is made or an error is given.
#![allow(clippy::disallowed_methods, reason = "tests read platforms")]

use crate::support;
use proptest::prelude::*;
use socscope_core::Unobserved;
use socscope_machine::{Machine, Until};
use socscope_time::Instant;
use std::sync::LazyLock;
use support::compile;

static BLOBS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    ["at91x40.dts", "at91eb40a.dts"]
        .iter()
        .map(|name| compile(&format!("/include/ \"{name}\"\n")))
        .collect()
});

/// Numbers at which arithmetic breaks, and some that mean something to a device tree.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![
        prop::sample::select(vec![
            0,
            1,
            2,
            3,
            4,
            9,
            0x1000,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_fffc,
            0xffff_ffff,
        ]),
        any::<u32>(),
        0..64u32,
    ]
}

/// The property values of a blob that are longer than nothing: offset and length (devicetree specification 0.4, chapter 5).
fn values(blob: &[u8]) -> Vec<(usize, usize)> {
    let word = |at: usize| u32::from_be_bytes(blob[at..at + 4].try_into().unwrap()) as usize;
    let (mut at, mut values) = (word(8), vec![]);
    loop {
        match word(at) {
            1 => {
                let name = blob[at + 4..].iter().position(|&byte| byte == 0).unwrap();
                at += 4 + (name / 4 + 1) * 4;
            }
            3 => {
                let length = word(at + 4);
                if length > 0 {
                    values.push((at + 12, length));
                }
                at += 12 + length.div_ceil(4) * 4;
            }
            2 | 4 => at += 4,
            _ => return values,
        }
    }
}

fn build(blob: &[u8]) {
    match Machine::new(blob, "mutated", &[]) {
        Ok(mut machine) => {
            machine.run(&Until::time(Instant(1_000_000)), &mut Unobserved);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A blob of nothing but nodes in nodes, `depth` levels with the root.
fn nested(depth: usize) -> Vec<u8> {
    const HEADER: u32 = 40;
    const RESERVATIONS: u32 = 16;
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_be_bytes()).collect() };
    let mut structure = words(&[1, 0]);
    structure.extend(words(&[1, u32::from_be_bytes(*b"n\0\0\0")]).repeat(depth - 1));
    structure.extend(words(&[2]).repeat(depth));
    structure.extend(words(&[9]));
    let (start, size) = (HEADER + RESERVATIONS, structure.len() as u32);
    let end = start + size;
    let mut blob = words(&[0xd00d_feed, end, start, end, HEADER, 17, 16, 0, 0, size]);
    blob.extend(words(&[0; 4]));
    blob.extend(structure);
    blob
}

#[test]
fn trees_of_any_depth_are_refused_or_read() {
    let refusal = |depth| {
        Machine::new(&nested(depth), "nested", &[])
            .err()
            .unwrap()
            .to_string()
    };
    let too_deep = "nested: not a device tree blob: nodes are nested more than 64 deep; compile the source with dtc";
    assert_eq!(refusal(65), too_deep);
    assert_eq!(refusal(1_000_000), too_deep);
    assert!(refusal(64).starts_with("/cpus: "), "{}", refusal(64));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_of_properties_may_be_anything(
        board in 0..2usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), number()), 1..5),
    ) {
        let mut blob = BLOBS[board].clone();
        let values = values(&blob);
        for (value, cell, number) in changes {
            let (offset, length) = values[value.index(values.len())];
            let cell = offset + cell.index(length.div_ceil(4)) * 4;
            blob[cell..cell + 4].copy_from_slice(&number.to_be_bytes());
        }
        build(&blob);
    }

    #[test]
    fn a_blob_may_be_any_bytes(
        board in 0..2usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut blob = BLOBS[board].clone();
        for (at, byte) in changes {
            let at = at.index(blob.len());
            blob[at] = byte;
        }
        if let Some(end) = end {
            blob.truncate(end.index(blob.len()));
        }
        build(&blob);
    }
}
