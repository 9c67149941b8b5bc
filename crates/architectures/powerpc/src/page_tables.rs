//! The page tables of a Linux kernel for 32-bit PowerPC: a directory of tables, whose entries have 4 bytes.

const PAGE_BYTES: u32 = 0x1000;
/// Pages that one table stands for, and so one entry of a directory.
const TABLE_PAGES: u32 = 1024;
const ENTRY_BYTES: u32 = 4;
/// `_PAGE_PRESENT` of arch/powerpc/include/asm/book3s/32/pgtable.h.
const PRESENT: u32 = 1;

pub(crate) fn walk(directory: u32, address: u32, word: &dyn Fn(u32) -> Option<u32>) -> Option<u32> {
    let page = address / PAGE_BYTES;
    let entry = |table: u32, index: u32| word(table.checked_add(index * ENTRY_BYTES)?);
    let table = entry(directory, page / TABLE_PAGES)? & !(PAGE_BYTES - 1);
    if table == 0 {
        return None;
    }
    let found = entry(table, page % TABLE_PAGES)?;
    (found & PRESENT != 0).then_some((found & !(PAGE_BYTES - 1)) | (address % PAGE_BYTES))
}
