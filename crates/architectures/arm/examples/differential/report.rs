//! The bytes that the comparison reads; tests/python/test_unicorn.py has the other half.

use crate::exclusions::EXCLUSIONS;
use crate::generator::{BLOCK_INSTRUCTIONS, Batch, CODE, DATA, Statistics};
use socscope_arm as arm;
use socscope_arm::{CoreModel, InstructionSet};
use std::fmt::Write;

/// A batch: `B`, its size, then little-endian words, with the data before and after as they are.
pub fn batch(batch: &Batch) -> Vec<u8> {
    let mut bytes = vec![];
    put(
        &mut bytes,
        &[
            u32::from(batch.set == InstructionSet::Thumb),
            CODE,
            batch.code.len() as u32,
            DATA,
            batch.data_before.len() as u32,
            batch.blocks.len() as u32,
            batch.banks_before.len() as u32,
        ],
    );
    bytes.extend(&batch.code);
    bytes.extend(&batch.data_before);
    bytes.extend(&batch.data_after);
    put(&mut bytes, &batch.banks_before);
    put(&mut bytes, &batch.banks_after);
    for block in &batch.blocks {
        put(
            &mut bytes,
            &[
                block.address,
                block.words.len() as u32,
                block.steps,
                block.end,
                block.exception,
            ],
        );
        put(&mut bytes, &block.before);
        put(&mut bytes, &block.after);
        let mut words = [0; BLOCK_INSTRUCTIONS];
        words[..block.words.len()].copy_from_slice(&block.words);
        put(&mut bytes, &words);
    }
    framed(b'B', bytes)
}

/// `S`, the size, and lines of text: `encoding`, counts and name; `excluded`, counts, names and reason.
pub fn statistics(statistics: &Statistics, model: CoreModel, set: InstructionSet) -> Vec<u8> {
    let mut text = String::new();
    for (index, encoding) in arm::encodings(model, set).iter().enumerate() {
        let (compared, candidates) = (statistics.compared[index], statistics.candidates[index]);
        let _ = writeln!(
            text,
            "encoding\t{compared}\t{candidates}\t{}",
            encoding.name
        );
        for (reason, exclusion) in EXCLUSIONS.iter().enumerate() {
            let count = statistics.excluded[index][reason];
            if count > 0 {
                let _ = writeln!(
                    text,
                    "excluded\t{count}\t{candidates}\t{}\t{}",
                    encoding.name, exclusion.reason
                );
            }
        }
    }
    framed(b'S', text.into_bytes())
}

fn put(bytes: &mut Vec<u8>, words: &[u32]) {
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

fn framed(kind: u8, content: Vec<u8>) -> Vec<u8> {
    let mut bytes = vec![kind];
    put(&mut bytes, &[content.len() as u32]);
    bytes.extend(content);
    bytes
}
