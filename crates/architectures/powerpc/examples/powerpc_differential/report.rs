//! The bytes that the comparison reads; tests/python/test_unicorn_powerpc.py has the other half.

use crate::exclusions::EXCLUSIONS;
use crate::generator::{BLOCK_WORDS, Batch, State, Statistics};
use crate::memories::{CODE, DATA};
use socscope_powerpc as powerpc;
use std::fmt::Write;

/// A batch: `B`, its size, then little-endian words, with the data before and after as they are.
pub fn batch(batch: &Batch) -> Vec<u8> {
    let mut bytes = vec![];
    let data_bytes = batch.data_before.len() as u32;
    put(
        &mut bytes,
        &[CODE, DATA, data_bytes, batch.blocks.len() as u32],
    );
    bytes.extend(&batch.data_before);
    bytes.extend(&batch.data_after);
    for block in &batch.blocks {
        let length = block.words.len() as u32;
        put(
            &mut bytes,
            &[block.address, length, block.end, block.exception],
        );
        put_state(&mut bytes, &block.before);
        put_state(&mut bytes, &block.after);
        let mut words = [0; BLOCK_WORDS];
        words[..block.words.len()].copy_from_slice(&block.words);
        put(&mut bytes, &words);
    }
    framed(b'B', bytes)
}

/// `S`, the size, and lines of text: `encoding`, counts and name; `excluded`, counts, names and reason.
pub fn statistics(statistics: &Statistics) -> Vec<u8> {
    let mut text = String::new();
    for (index, encoding) in powerpc::encodings().iter().enumerate() {
        let (compared, candidates) = (statistics.compared[index], statistics.candidates[index]);
        let name = encoding.name;
        let _ = writeln!(text, "encoding\t{compared}\t{candidates}\t{name}");
        for (reason, exclusion) in EXCLUSIONS.iter().enumerate() {
            let count = statistics.excluded[index][reason];
            if count > 0 {
                let reason = exclusion.reason;
                let _ = writeln!(text, "excluded\t{count}\t{candidates}\t{name}\t{reason}");
            }
        }
    }
    framed(b'S', text.into_bytes())
}

fn put_state(bytes: &mut Vec<u8>, state: &State) {
    put(bytes, &state.words);
    bytes.extend(state.doubles.iter().flat_map(|double| double.to_le_bytes()));
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
