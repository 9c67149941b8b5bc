//! Loads and stores of several registers (manual: "Addressing mode 4").
//! After an abort the remaining accesses still go over the bus, but registers are no longer written (ARM7TDMI TRM, data aborts). Later cores
//! give the base its old value back then.

use super::load_store::update_base;
use super::{Alignment, ArmSemantics, PROGRAM_COUNTER, read, read_stored, write_loaded};
use socscope_memory::Width;

encodings! {
    "LDM", "cccc 100 p u 0 w 1 nnnn llllllllllllllll", LoadMultiple, "LDM{c}{mode} Rn{!}, {list}",
        load(false; p, u, w, n, l);
    "LDM with S", "cccc 100 p u 1 w 1 nnnn llllllllllllllll", LoadMultiple, "LDM{c}{mode} Rn{!}, {list}^",
        load(true; p, u, w, n, l);
    "STM", "cccc 100 p u 0 w 0 nnnn llllllllllllllll", StoreMultiple, "STM{c}{mode} Rn{!}, {list}",
        store(false; p, u, w, n, l);
    "STM with S", "cccc 100 p u 1 w 0 nnnn llllllllllllllll", StoreMultiple, "STM{c}{mode} Rn{!}, {list}^",
        store(true; p, u, w, n, l);
}

/// Where the registers lie and what becomes of the base.
pub(super) struct Block<S: ArmSemantics> {
    registers: u32,
    start: S::Word,
    base: u32,
    /// The base's value before the instruction.
    old_base: S::Word,
    /// The base's value after the instruction, unless the list changes it.
    final_base: S::Word,
    writes_back: bool,
}

impl<S: ArmSemantics> Block<S> {
    /// An empty list moves r15 and counts as sixteen registers, as on all ARM7s.
    #[inline(always)]
    pub(super) fn new(
        s: &mut S,
        pre: bool,
        up: bool,
        write_back: bool,
        n: u32,
        list: u32,
    ) -> Block<S> {
        let (registers, bytes) = if list == 0 {
            (1 << PROGRAM_COUNTER, 64)
        } else {
            (list, 4 * list.count_ones())
        };
        let base = read(s, n);
        let offset = |s: &mut S, bytes: u32| {
            let bytes = s.word(bytes);
            s.add(base, bytes)
        };
        let end = offset(s, if up { bytes } else { bytes.wrapping_neg() });
        let below = if up { 0 } else { bytes.wrapping_neg() };
        let start = offset(s, below.wrapping_add(if pre == up { 4 } else { 0 }));
        Block {
            registers,
            start,
            base: n,
            old_base: base,
            final_base: if write_back { end } else { base },
            writes_back: write_back && n != PROGRAM_COUNTER,
        }
    }

    fn contains(&self, register: u32) -> bool {
        self.registers >> register & 1 != 0
    }
}

#[inline(always)]
fn load<S: ArmSemantics>(
    s: &mut S,
    with_s: bool,
    pre: u32,
    up: u32,
    write_back: u32,
    n: u32,
    list: u32,
) {
    let block = Block::new(s, pre != 0, up != 0, write_back != 0, n, list);
    load_block(s, with_s, block);
}

#[inline(always)]
fn store<S: ArmSemantics>(
    s: &mut S,
    with_s: bool,
    pre: u32,
    up: u32,
    write_back: u32,
    n: u32,
    list: u32,
) {
    let block = Block::new(s, pre != 0, up != 0, write_back != 0, n, list);
    store_block(s, with_s, block);
}

/// Lowest register from the lowest address; a loaded base wins over the write-back, but not after an abort. With S: into the
/// user's registers, or, if r15 is loaded, the status comes back with it.
#[inline(always)]
pub(super) fn load_block<S: ArmSemantics>(s: &mut S, with_s: bool, block: Block<S>) {
    if s.model().has_system_control() {
        let aligned = s.is_aligned(block.start, Alignment::Bytes(4));
        s.when(aligned, |s| load_registers(s, with_s, block));
    } else {
        load_registers(s, with_s, block);
    }
}

#[inline(always)]
fn load_registers<S: ArmSemantics>(s: &mut S, with_s: bool, block: Block<S>) {
    let user = with_s && !block.contains(PROGRAM_COUNTER);
    if block.writes_back {
        s.set_register(block.base, block.final_base);
    }
    let four = s.word(4);
    let mut address = block.start;
    let mut good = s.flag(true);
    for register in 0..PROGRAM_COUNTER {
        if block.contains(register) {
            let (value, arrived) = s.load(address, Width::Word);
            good = s.flag_and(good, arrived);
            s.when(good, |s| {
                if user {
                    s.set_user_register(register, value);
                } else {
                    s.set_register(register, value);
                }
            });
            address = s.add(address, four);
        }
    }
    if block.contains(PROGRAM_COUNTER) {
        let (value, arrived) = s.load(address, Width::Word);
        good = s.flag_and(good, arrived);
        s.when(good, |s| {
            if with_s {
                s.return_from_exception(value);
            } else {
                write_loaded(s, PROGRAM_COUNTER, value);
            }
        });
    }
    let (restores, loaded) = (s.model().restores_base(), block.contains(block.base));
    if block.base != PROGRAM_COUNTER && (loaded || restores && block.writes_back) {
        let bad = s.flag_not(good);
        let base = if restores {
            block.old_base
        } else {
            block.final_base
        };
        s.when(bad, |s| s.set_register(block.base, base));
    }
}

/// Lowest register to the lowest address. The base is written back after the first store, so that only a base that is the
/// lowest register of the list is stored with its old value; cores that restore it write it last. With S: from the user's registers.
#[inline(always)]
pub(super) fn store_block<S: ArmSemantics>(s: &mut S, with_s: bool, block: Block<S>) {
    if s.model().has_system_control() {
        let aligned = s.is_aligned(block.start, Alignment::Bytes(4));
        s.when(aligned, |s| store_registers(s, with_s, block));
    } else {
        store_registers(s, with_s, block);
    }
}

#[inline(always)]
fn store_registers<S: ArmSemantics>(s: &mut S, with_s: bool, block: Block<S>) {
    let four = s.word(4);
    let mut address = block.start;
    let mut good = s.flag(true);
    let restores = s.model().restores_base();
    let mut writes_back = block.writes_back && !restores;
    for register in 0..16 {
        if block.contains(register) {
            let value = if with_s && register != PROGRAM_COUNTER {
                s.user_register(register)
            } else {
                read_stored(s, register)
            };
            let accepted = s.store(address, Width::Word, value);
            good = s.flag_and(good, accepted);
            address = s.add(address, four);
            if std::mem::take(&mut writes_back) {
                s.set_register(block.base, block.final_base);
            }
        }
    }
    if restores && block.writes_back {
        update_base(s, Some((block.base, block.final_base)), good);
    }
}
