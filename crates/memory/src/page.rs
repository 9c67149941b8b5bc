//! Pages: the unit in which copies of a memory share bytes.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::Arc;

/// Size of a page in bytes.
pub(crate) const PAGE_BYTES: usize = 4096;
/// Pages that are shared together, so that sharing a large memory touches few places of the host.
const CHUNK_PAGES: usize = 64;

/// Bytes that are written only by the one [`Pages`] that holds them alone.
#[repr(C, align(64))]
struct Page(UnsafeCell<[u8; PAGE_BYTES]>);

// SAFETY: a page is written only through a pointer of `Pages::own`, which is given out when nobody else holds the page; the holder
// gives it to no other before it has given up writing (`Memory::share` takes the memory exclusively).
unsafe impl Sync for Page {}

/// What every page is that was never written.
static ZERO: Page = Page(UnsafeCell::new([0; PAGE_BYTES]));

impl Page {
    fn host(&self) -> NonNull<u8> {
        // SAFETY: the address of a cell's contents is never null.
        unsafe { NonNull::new_unchecked(self.0.get().cast()) }
    }

    fn bytes(&self) -> &[u8; PAGE_BYTES] {
        // SAFETY: a page is written only while its memory is borrowed exclusively, which no reader of a page can meet.
        unsafe { &*self.0.get() }
    }

    fn copy(&self) -> Page {
        Page(UnsafeCell::new(*self.bytes()))
    }
}

/// Pages next to each other; `None` is all zero.
#[derive(Clone)]
struct Chunk([Option<Arc<Page>>; CHUNK_PAGES]);

/// The pages of one memory. A copy shares them all.
#[derive(Clone)]
pub(crate) struct Pages(Vec<Option<Arc<Chunk>>>);

impl Pages {
    /// So many bytes, all zero.
    pub fn new(bytes: u32) -> Pages {
        Pages(vec![None; pages_of(bytes).div_ceil(CHUNK_PAGES)])
    }

    /// Where the host holds every page that was never written.
    pub fn zero() -> NonNull<u8> {
        ZERO.host()
    }

    fn page(&self, number: usize) -> &Page {
        let chunk = self.0[number / CHUNK_PAGES].as_ref();
        match chunk.and_then(|chunk| chunk.0[number % CHUNK_PAGES].as_ref()) {
            Some(page) => page,
            None => &ZERO,
        }
    }

    /// Where the host holds a page. Valid until the page is owned or replaced.
    pub fn host(&self, number: usize) -> NonNull<u8> {
        self.page(number).host()
    }

    /// The bytes of a page.
    pub fn bytes(&self, number: usize) -> &[u8; PAGE_BYTES] {
        self.page(number).bytes()
    }

    /// Makes a page nobody else's. Gives where the host holds it now; whoever has the pointer may write until the pages are shared.
    pub fn own(&mut self, number: usize) -> NonNull<u8> {
        let chunk = self.0[number / CHUNK_PAGES]
            .get_or_insert_with(|| Arc::new(Chunk([const { None }; CHUNK_PAGES])));
        let page = &mut Arc::make_mut(chunk).0[number % CHUNK_PAGES];
        match page {
            None => *page = Some(Arc::new(ZERO.copy())),
            Some(shared) => {
                if Arc::get_mut(shared).is_none() {
                    *shared = Arc::new(shared.copy());
                }
            }
        }
        page.as_ref().map_or(ZERO.host(), |page| page.host())
    }

    /// The pages that differ from `other`'s in where the host holds them, of a memory of the same size.
    pub fn moved<'a>(&'a self, other: &'a Pages) -> impl Iterator<Item = usize> + 'a {
        let same = |chunk: &usize| match (&self.0[*chunk], &other.0[*chunk]) {
            (Some(one), Some(another)) => Arc::ptr_eq(one, another),
            (None, None) => true,
            _ => false,
        };
        let chunks = (0..self.0.len()).filter(move |chunk| !same(chunk));
        chunks.flat_map(move |chunk| {
            let [one, another] = [self, other].map(|pages| pages.0[chunk].as_deref());
            let host = |chunk: Option<&Chunk>, page: usize| {
                let page = chunk.and_then(|chunk| chunk.0[page].as_deref());
                page.map_or(Pages::zero(), Page::host)
            };
            let moved = move |page: &usize| host(one, *page) != host(another, *page);
            let pages = (0..CHUNK_PAGES).filter(moved);
            pages.map(move |page| chunk * CHUNK_PAGES + page)
        })
    }

    /// The pages that hold anything but zeros, in ascending order.
    pub fn filled(&self) -> impl Iterator<Item = (usize, &[u8; PAGE_BYTES])> {
        let chunks = self.0.iter().enumerate();
        let pages = chunks.filter_map(|(at, chunk)| Some((at, chunk.as_ref()?)));
        pages.flat_map(|(at, chunk)| {
            let pages = chunk.0.iter().enumerate();
            let pages = pages.filter_map(|(page, slot)| Some((page, slot.as_ref()?.bytes())));
            pages
                .filter(|(_, bytes)| bytes.iter().any(|&byte| byte != 0))
                .map(move |(page, bytes)| (at * CHUNK_PAGES + page, bytes))
        })
    }
}

/// How many pages so many bytes take.
pub(crate) fn pages_of(bytes: u32) -> usize {
    (bytes as usize).div_ceil(PAGE_BYTES)
}
