//! The tables by which translated code finds the host's bytes behind a page, and the page on the bus behind a page of instructions.

use super::adapter::Adapter;
use super::context::Context;
use super::granules::{Granules, TABLE_BYTES};
use crate::arena::Pages;
use socscope_core::{Changes, KNOWN_PAGES, KnownPages, known_place as index, places_of};
use socscope_memory::RegionIndex;
use std::mem::offset_of;

/// Tables of pages: addresses of the bus, and two kinds of translated ones.
const TABLES: usize = 3;
/// Pages in a table, each in its place among the pages that are known.
const PAGES: usize = KNOWN_PAGES;

/// The bits of an address that name its page.
pub(crate) const PAGE: u32 = !0xfff;
/// No page begins there, and no access of a profile's code looks for it: that has one of the lowest two bits at the most.
const NOWHERE: u32 = 4;
/// Regions that a profile tells apart.
pub(crate) const REGIONS_MAX: usize = 1 << (12 - TAG_SHIFT);
/// Where a region stands in a tag.
pub(crate) const TAG_SHIFT: u32 = 3;

/// What tables know of a page's region when there is a profile, below the bits of the page.
pub(crate) const fn tag(region: RegionIndex) -> u32 {
    (region.0 as u32) << TAG_SHIFT
}

/// A page of data.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct DataPage {
    /// Host address minus effective address.
    addend: u64,
    /// The effective page that may be read so, with the tag of its region.
    read: u32,
    /// The effective page that may be written so, likewise.
    write: u32,
}

const NO_PAGE: DataPage = DataPage {
    addend: 0,
    read: NOWHERE,
    write: NOWHERE,
};

/// Where a page of data lies on the bus; its entry is as large as that of [`DataPage`], so that one offset leads to both.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct BusPage {
    /// Address on the bus minus effective address.
    distance: u32,
}

const _: () = assert!(size_of::<BusPage>() == size_of::<DataPage>());

/// Bytes of an entry, as a power of two.
pub(crate) const DATA_SHIFT: u32 = size_of::<DataPage>().trailing_zeros();
pub(crate) const FETCH_SHIFT: u32 = size_of::<u64>().trailing_zeros();
pub(crate) const ADDEND: i32 = offset_of!(DataPage, addend) as i32;
pub(crate) const READ: i32 = offset_of!(DataPage, read) as i32;
pub(crate) const WRITE: i32 = offset_of!(DataPage, write) as i32;
pub(crate) const INDEX_MASK: i64 = PAGES as i64 - 1;

/// Bytes between the context and the tables behind it, so that one base register reaches all.
const TABLES_OFFSET: usize = 4096;

/// All that one core's translated code works on.
#[repr(C)]
struct Layout {
    context: [u8; TABLES_OFFSET],
    data: [[DataPage; PAGES]; TABLES],
    /// Right where the entry of `data` is.
    bus: [[BusPage; PAGES]; TABLES],
    /// By effective page: [`fetch_entry`].
    fetch: [[u64; PAGES]; TABLES],
}

/// Offset of a table of data from the context.
pub(crate) const fn data_offset(table: usize) -> i32 {
    (offset_of!(Layout, data) + table * size_of::<[DataPage; PAGES]>()) as i32
}

/// Offset of a table of places on the bus from the context.
pub(crate) const fn bus_offset(table: usize) -> i32 {
    (offset_of!(Layout, bus) + table * size_of::<[BusPage; PAGES]>()) as i32
}

/// Offset of a table of instructions from the context.
pub(crate) const fn fetch_offset(table: usize) -> i32 {
    (offset_of!(Layout, fetch) + table * size_of::<[u64; PAGES]>()) as i32
}

/// The effective page in the upper half, its place on the bus in the lower one. Never 0.
pub(crate) fn fetch_entry(effective: u32, physical: u32) -> u64 {
    u64::from(effective & PAGE) << 32 | u64::from(physical & PAGE) | 1
}

/// Offset from the context of the table of granules, if there is one.
pub(crate) const GRANULES_OFFSET: usize = size_of::<Layout>().next_multiple_of(TABLES_OFFSET);

/// Context and tables, one behind the other.
pub(crate) struct Tables {
    pages: Pages,
    granules: Option<Granules>,
    /// Which places may hold a translated page, a bit for each: few do when all are forgotten, as kernels want it often.
    translated: [u64; PAGES / 64],
}

impl Tables {
    pub fn new<A: Adapter>() -> Option<Tables> {
        const { assert!(Context::<A>::BYTES <= TABLES_OFFSET) };
        let more = if A::LEARNS { TABLE_BYTES } else { 0 };
        let pages = Pages::new(GRANULES_OFFSET + more, false)?;
        // SAFETY: the table lies inside of the mapping.
        let start = unsafe { pages.start().add(GRANULES_OFFSET) };
        let granules = A::LEARNS.then(|| Granules::new(start));
        let mut tables = Tables {
            pages,
            granules,
            translated: [0; PAGES / 64],
        };
        tables.clear();
        Some(tables)
    }

    /// The table of granules, where regions are learnt.
    pub fn granules(&mut self) -> Option<&mut Granules> {
        self.granules.as_mut()
    }

    /// The context before the tables, of the architecture that they were made for.
    pub fn context<A: Adapter>(&self) -> *mut Context<A> {
        self.pages.start().cast()
    }

    fn layout(&mut self) -> &mut Layout {
        // SAFETY: the mapping is as large as the layout and page-aligned; all of it are plain integers, which any bytes are valid for, and
        // nobody else refers to the tables while this borrow lives.
        unsafe { &mut *self.pages.start().cast::<Layout>() }
    }

    /// Empties all tables that are used: of granules, or of pages.
    pub fn clear(&mut self) {
        if let Some(granules) = &mut self.granules {
            if !granules.clear() {
                let context = self.layout().context;
                self.pages.clear();
                self.layout().context = context;
            }
            return;
        }
        self.clear_pages();
    }

    /// Forgets what the tables of pages know, of regions, too.
    pub fn clear_pages(&mut self) {
        let layout = self.layout();
        layout.data.as_flattened_mut().fill(NO_PAGE);
        layout.fetch.as_flattened_mut().fill(0);
    }

    /// Forgets all pages whose addresses are translated.
    fn drop_translated(&mut self) {
        for word in 0..PAGES / 64 {
            let mut bits = std::mem::take(&mut self.translated[word]);
            while bits != 0 {
                let place = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.drop_data(place);
                self.drop_fetch(place);
            }
        }
    }

    /// Forgets the pages whose translations have changed.
    #[inline]
    pub fn follow(&mut self, known: &mut KnownPages) {
        if !known.have_changes() {
            return;
        }
        let changes = known.take_changes();
        if changes == Changes::ALL {
            return self.drop_translated();
        }
        let places = |side| Changes::classes(side).flat_map(places_of);
        places(&changes.data).for_each(|place| self.drop_data(place));
        places(&changes.instruction).for_each(|place| self.drop_fetch(place));
    }

    /// Forgets the translated pages of data of a place.
    fn drop_data(&mut self, place: usize) {
        for table in &mut self.layout().data[1..] {
            table[place] = NO_PAGE;
        }
    }

    /// Forgets translated pages of instructions, likewise.
    fn drop_fetch(&mut self, place: usize) {
        for table in &mut self.layout().fetch[1..] {
            table[place] = 0;
        }
    }

    fn note_translated(&mut self, table: usize, effective: u32) {
        let place = index(effective);
        self.translated[place / 64] |= u64::from(table != 0) << (place % 64);
    }

    /// The page of `effective`, which lies at `physical`, may be read, or read and written, at `host`. `tag` is what a profile wants to know of its region, else 0.
    pub fn set_data(
        &mut self,
        table: usize,
        (effective, physical, tag): (u32, u32, u32),
        host: u64,
        for_writing: bool,
    ) {
        self.note_translated(table, effective);
        let distance = (physical & PAGE).wrapping_sub(effective & PAGE);
        self.layout().bus[table % TABLES][index(effective)] = BusPage { distance };
        let entry = &mut self.layout().data[table % TABLES][index(effective)];
        let page = effective & PAGE;
        let tagged = page | tag;
        let addend = host.wrapping_sub(u64::from(page));
        let write = match (for_writing, entry.write == tagged) {
            (true, _) => tagged,
            // A page that was written has moved to where it may be written.
            (false, true) if entry.addend == addend => tagged,
            _ => NOWHERE,
        };
        *entry = DataPage {
            addend,
            read: tagged,
            write,
        };
    }

    /// Instructions of the page of `effective` are fetched from `physical`.
    pub fn set_fetch(&mut self, table: usize, effective: u32, physical: u32) {
        self.note_translated(table, effective);
        self.layout().fetch[table % TABLES][index(effective)] = fetch_entry(effective, physical);
    }

    /// Where instructions of a page are fetched from, if that is known.
    pub fn fetch(&mut self, table: usize, effective: u32) -> Option<u32> {
        let entry = self.layout().fetch[table % TABLES][index(effective)];
        let physical = entry as u32 & PAGE;
        (entry == fetch_entry(effective, physical)).then_some(physical | effective & !PAGE)
    }
}
