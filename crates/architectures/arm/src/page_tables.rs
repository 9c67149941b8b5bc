//! The page tables of a Linux kernel for 32-bit ARM, whose second level is the hardware's own: the kernel keeps a table beside it for what the hardware does
//! not say (arch/arm/include/asm/pgtable-2level.h).

const SECTION_BYTES: u32 = 1 << 20;
const LARGE_PAGE_BYTES: u32 = 1 << 16;
const PAGE_BYTES: u32 = 1 << 12;
const ENTRY_BYTES: u32 = 4;
/// What the two lowest bits of an entry say: more entries, or a section; a large page, or a small one.
const TABLE: u32 = 1;
const SECTION: u32 = 2;
const LARGE_PAGE: u32 = 1;
const TABLE_ADDRESS: u32 = !0x3ff;

pub(crate) fn walk(directory: u32, address: u32, word: &dyn Fn(u32) -> Option<u32>) -> Option<u32> {
    let entry = |table: u32, index: u32| word(table.checked_add(index * ENTRY_BYTES)?);
    let within = |found: u32, bytes: u32| (found & !(bytes - 1)) | (address & (bytes - 1));
    let first = entry(directory, address / SECTION_BYTES)?;
    match first & 3 {
        TABLE => {
            let page = address % SECTION_BYTES / PAGE_BYTES;
            let second = entry(first & TABLE_ADDRESS, page)?;
            match second & 3 {
                0 => None,
                LARGE_PAGE => Some(within(second, LARGE_PAGE_BYTES)),
                _ => Some(within(second, PAGE_BYTES)),
            }
        }
        SECTION => Some(within(first, SECTION_BYTES)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::walk;

    #[test]
    fn sections_and_pages_of_both_sizes_are_found() {
        let memory = [
            (0x4000 + 4 * 0xc01, 0x0050_0c02),
            (0x4000 + 4 * 0xbf0, 0x0012_3801),
            (0x0012_3800 + 4 * 0x21, 0x0077_7fff),
            (0x0012_3800 + 4 * 0x35, 0x0088_0fdd),
        ];
        let word = |at: u32| {
            let known = memory.iter().find(|(place, _)| *place == at);
            Some(known.map_or(0, |(_, value)| *value))
        };
        let at = |address| walk(0x4000, address, &word);
        assert_eq!(at(0xc012_3456), Some(0x0052_3456));
        assert_eq!(at(0xbf02_1abc), Some(0x0077_7abc));
        assert_eq!(at(0xbf03_5abc), Some(0x0088_5abc));
        // Not there: a page, a section; and no memory at all.
        assert_eq!([at(0xbf02_2000), at(0x8000)], [None, None]);
        assert_eq!(walk(0xffff_fffc, u32::MAX, &word), None);
        assert_eq!(walk(0x4000, 0, &|_| None), None);
    }
}
