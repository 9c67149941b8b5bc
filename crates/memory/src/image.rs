//! A memory's contents at one moment.

use crate::page::{PAGE_BYTES, Pages, pages_of};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};
use thiserror::Error;

/// Contents of a memory, kept while the memory goes on. They share every page that was not written since.
#[derive(Clone)]
pub struct MemoryImage {
    pub(crate) name: String,
    pub(crate) size: u32,
    pub(crate) pages: Pages,
}

impl MemoryImage {
    /// Name of the memory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size in bytes.
    pub fn size(&self) -> u32 {
        self.size
    }
}

impl std::fmt::Debug for MemoryImage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "{} of {:#x} bytes", self.name, self.size)
    }
}

impl PartialEq for MemoryImage {
    /// Whether name, size and every byte are the same.
    fn eq(&self, other: &MemoryImage) -> bool {
        (&self.name, self.size) == (&other.name, other.size)
            && (self.pages.moved(&other.pages))
                .all(|page| self.pages.bytes(page) == other.pages.bytes(page))
    }
}

/// Contents that do not belong to a memory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MemoryImageError {
    /// Another memory's.
    #[error("memory {expected} of {expected_bytes:#x} bytes is {found} of {found_bytes:#x} bytes")]
    Other {
        /// Name of the memory.
        expected: String,
        /// Its size.
        expected_bytes: u32,
        /// Name of the memory that the contents are of.
        found: String,
        /// Its size.
        found_bytes: u32,
    },
    /// A page that the memory does not have, that comes twice, or that is cut.
    #[error("memory {name}: page {page} of {pages} does not fit")]
    Page {
        /// Name of the memory.
        name: String,
        /// Number of the page.
        page: u32,
        /// Pages of the memory.
        pages: u32,
    },
    /// Not as many memories as there should be.
    #[error("{found} memories instead of {expected}")]
    Count {
        /// Memories of the machine.
        expected: usize,
        /// Memories found.
        found: usize,
    },
}

/// How contents are written down: only pages that are not all zero.
#[derive(Deserialize)]
struct Stored {
    name: String,
    size: u32,
    pages: Vec<(u32, ByteBuf)>,
}

/// What the number and the length of a page take at most.
const PAGE_FRAME_BYTES: u64 = 8;
/// What the size of a memory and the number of its pages take at most.
const MEMORY_FRAME_BYTES: u64 = 32;
/// What all memories of an image together can be: they lie in an address space of 32 bits.
const MEMORIES_BYTES_MAX: u64 = 1 << 32;

/// The longest that a memory's contents can be when they are written down.
pub(crate) fn bytes_max(name: &str, size: u32) -> u64 {
    let page = PAGE_BYTES as u64 + PAGE_FRAME_BYTES;
    MEMORY_FRAME_BYTES + name.len() as u64 + pages_of(size) as u64 * page
}

/// Reads the memories of an image. Their sizes are added up before anything is reserved for one.
pub(crate) fn memories<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<MemoryImage>, D::Error> {
    struct Memories;
    impl<'de> Visitor<'de> for Memories {
        type Value = Vec<MemoryImage>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
            formatter.write_str("memories")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Self::Value, A::Error> {
            let mut memories = vec![];
            let mut bytes = 0;
            while let Some(stored) = all.next_element::<Stored>()? {
                bytes += u64::from(stored.size);
                if bytes > MEMORIES_BYTES_MAX || memories.len() > usize::from(u16::MAX) {
                    return Err(A::Error::custom("more memory than fits on a bus"));
                }
                memories.push(MemoryImage::try_from(stored).map_err(A::Error::custom)?);
            }
            Ok(memories)
        }
    }
    deserializer.deserialize_seq(Memories)
}

/// Writes down a memory's contents: the same bytes however pages are shared.
pub(crate) fn serialize<S: Serializer>(
    name: &str,
    size: u32,
    pages: &Pages,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Storing<'a> {
        name: &'a str,
        size: u32,
        pages: Vec<(u32, &'a Bytes)>,
    }
    let pages = pages.filled();
    let pages = pages.map(|(number, bytes)| (number as u32, Bytes::new(bytes)));
    let storing = Storing {
        name,
        size,
        pages: pages.collect(),
    };
    storing.serialize(serializer)
}

impl Serialize for MemoryImage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.name, self.size, &self.pages, serializer)
    }
}

impl TryFrom<Stored> for MemoryImage {
    type Error = MemoryImageError;

    fn try_from(stored: Stored) -> Result<MemoryImage, MemoryImageError> {
        let count = pages_of(stored.size);
        let mut memory = crate::Memory::new(stored.name, stored.size);
        let mut next = 0;
        for (number, bytes) in &stored.pages {
            let start = *number as usize * PAGE_BYTES;
            let valid = (stored.size as usize).saturating_sub(start).min(PAGE_BYTES);
            let fits = *number >= next && bytes.len() == PAGE_BYTES && valid > 0;
            if !fits || bytes[valid..].iter().any(|&byte| byte != 0) {
                return Err(MemoryImageError::Page {
                    name: memory.name().into(),
                    page: *number,
                    pages: count as u32,
                });
            }
            memory.load(start as u32, &bytes[..valid]);
            next = number + 1;
        }
        Ok(memory.share())
    }
}
