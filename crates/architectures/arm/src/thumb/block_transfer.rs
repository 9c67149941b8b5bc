//! Thumb loads and stores of several registers (manual: "Load and store multiple instructions" of Thumb).

use crate::block_transfer::{Block, load_block, store_block};
use crate::{ArmSemantics, LINK, PROGRAM_COUNTER, STACK};

encodings! {
    "PUSH", "1011 0 10 r llllllll", StoreMultiple, "PUSH {list, LR}", push(; r, l);
    "POP", "1011 1 10 r llllllll", LoadMultiple, "POP {list, PC}", pop(; r, l);
    "STMIA", "1100 0 nnn llllllll", StoreMultiple, "STMIA Rn!, {list}", store(; n, l);
    "LDMIA", "1100 1 nnn llllllll", LoadMultiple, "LDMIA Rn!, {list}", load(; n, l);
}

#[inline(always)]
fn push<S: ArmSemantics>(s: &mut S, link: u32, list: u32) {
    let block = Block::new(s, true, false, true, STACK, list | link << LINK);
    store_block(s, false, block);
}

/// The loaded program counter stays in Thumb: version 4T ignores its bit 0.
#[inline(always)]
fn pop<S: ArmSemantics>(s: &mut S, program_counter: u32, list: u32) {
    let list = list | program_counter << PROGRAM_COUNTER;
    let block = Block::new(s, false, true, true, STACK, list);
    load_block(s, false, block);
}

#[inline(always)]
fn store<S: ArmSemantics>(s: &mut S, n: u32, list: u32) {
    let block = Block::new(s, false, true, true, n, list);
    store_block(s, false, block);
}

#[inline(always)]
fn load<S: ArmSemantics>(s: &mut S, n: u32, list: u32) {
    let block = Block::new(s, false, true, true, n, list);
    load_block(s, false, block);
}
