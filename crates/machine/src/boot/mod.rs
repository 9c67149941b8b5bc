//! A boot loader's work, for images that are handed a device tree: what lies in memory beside the image, and what the registers hold.
//!
//! The interface is that of Linux (the `booting.rst` of its documentation for each architecture): arguments tell the address of the flattened device tree,
//! address translation is off, and the stack lies below the tree. A core that is still held starts where its model says.

mod error;
pub mod image;
pub(crate) mod image_map;
pub(crate) mod linked;
pub(crate) mod load;
pub(crate) mod others;
pub(crate) mod start;
mod tree;

pub use error::BootError;
pub(crate) use tree::{CHOSEN_PROPERTIES, PROPERTIES};

use crate::boot::image::Image;
use crate::boot::start::Start;
use crate::machine::Machine;
use serde::{Deserialize, Serialize};
use socscope_core::BootProtocol;
use socscope_memory::{Region, Target, Viewer};
use std::ops::Range;

/// An initial file system begins at a multiple of this.
const INITRD_ALIGNMENT: u64 = 0x10_0000;
/// Room for the stack that the image's first instructions may use.
const STACK_BYTES: u64 = 0x1_0000;
const PAGE_BYTES: u64 = 0x1000;
/// The kernel's first mapping ends here; its tree must lie below.
const TREE_END_MAX: u64 = 0x1000_0000;

/// What a boot loader hands over beside the image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    /// The initial file system.
    #[serde(with = "serde_bytes")]
    pub initrd: Vec<u8>,
    /// What follows the platform's own `bootargs`.
    pub append: String,
}

impl Machine {
    /// Puts the device tree, and what is handed over with it, above the image that was loaded last, and sets the registers.
    pub(crate) fn boot(&mut self, handover: &Handover) -> Result<(), BootError> {
        let protocol = self.core(0).images().boot.ok_or(BootError::NoLoader)?;
        let start = self.start.clone();
        let is_kernel = start.as_ref().is_some_and(|start| start.loaded);
        if protocol.kernels_only && !is_kernel {
            return Err(BootError::NoKernel);
        }
        self.hand_over(protocol, start.ok_or(BootError::NoImage)?, handover)
    }

    /// The same for an image that a boot loader starts.
    pub(crate) fn hand_over(
        &mut self,
        protocol: &BootProtocol,
        start: Start,
        handover: &Handover,
    ) -> Result<(), BootError> {
        if self.cycle > 0 {
            return Err(BootError::Running);
        }
        let memory = self.memory_below(start.image_end)?;
        let limit = memory.end.min(TREE_END_MAX);
        if u64::from(start.image_end) >= limit {
            let address = start.image_end;
            return Err(BootError::ImageTooHigh { address, limit });
        }
        let initrd_bytes = handover.initrd.len() as u64;
        let mut free = u64::from(start.image_end);
        let mut initrd = None;
        if initrd_bytes > 0 {
            let from = free.next_multiple_of(INITRD_ALIGNMENT);
            let to = from + initrd_bytes;
            if to > memory.end {
                let room = memory.end.saturating_sub(from);
                return Err(BootError::InitrdTooBig { initrd_bytes, room });
            }
            initrd = Some(from as u32..to as u32);
            free = to;
        }
        let blob = self.flattened_tree(initrd.clone(), &handover.append)?;
        let from = (free + STACK_BYTES).next_multiple_of(PAGE_BYTES);
        let to = from + blob.len() as u64;
        if to > limit {
            let tree_bytes = blob.len() as u64;
            return Err(BootError::TreeTooBig {
                tree_bytes,
                from,
                limit,
            });
        }
        let begin = initrd
            .as_ref()
            .map_or(from, |initrd| u64::from(initrd.start));
        let own = self.own_between(begin..to);
        if let Some(image) = own.or_else(|| self.image_in(begin..to)) {
            return Err(BootError::Occupied {
                from: begin,
                to,
                image,
            });
        }
        self.note_handover(begin..to);
        if let Some(initrd) = initrd {
            self.put(initrd.start, &handover.initrd);
        }
        self.put(from as u32, &blob);
        let start = Start {
            stack: from as u32 - 16,
            arguments: (protocol.arguments)(from as u32).to_vec(),
            loaded: true,
            ..start
        };
        self.start = Some(start);
        self.reset();
        Ok(())
    }

    /// The name of memory or a device that the first core alone sees between two addresses.
    fn own_between(&self, addresses: Range<u64>) -> Option<String> {
        let mut seen = self.nominal.ranges(Viewer::Core(0));
        let hit = seen.find(|&(first, last, index)| {
            let meets = u64::from(first) < addresses.end && addresses.start <= u64::from(last);
            meets && self.nominal.region(index).core.is_some()
        });
        hit.map(|(_, _, index)| self.nominal.region(index).name.clone())
    }

    /// The memory around the end of the image that all share, in the boot loader's map.
    fn memory_below(&self, address: u32) -> Result<Range<u64>, BootError> {
        let holds = |region: &&Region| {
            let last = address.wrapping_sub(1);
            matches!(region.target, Target::Memory { writable: true, .. })
                && region.enabled
                && region.core.is_none()
                && last.wrapping_sub(region.base) < region.size
        };
        let region = self.nominal.regions().iter().find(holds);
        let region = region.ok_or(BootError::NoRam { address })?;
        let base = u64::from(region.base);
        Ok(base..base + u64::from(region.size))
    }

    fn put(&mut self, address: u32, bytes: &[u8]) {
        let region = self
            .nominal
            .region(self.nominal.find_for(Viewer::Core(0), address));
        if let Target::Memory { memory, .. } = region.target {
            let offset = address - region.base;
            self.bus.space.load(memory, offset, bytes);
        }
    }

    /// Whether a kernel of Linux was built for the board: it then holds one of the tree's `compatible` strings.
    pub(crate) fn check_board(&self, image: &Image, path: &str) -> Result<(), BootError> {
        if !image.has_banner() {
            return Ok(());
        }
        let tree = &self.origin.tree;
        let boards = tree.find("/").map(|root| tree.compatible(root));
        let boards = boards.unwrap_or_default();
        let holds = |board: &String| {
            let text = board.as_bytes();
            let mut segments = image.segments.iter();
            segments.any(|segment| segment.bytes.windows(text.len()).any(|bytes| bytes == text))
        };
        if boards.is_empty() || boards.iter().any(holds) {
            return Ok(());
        }
        Err(BootError::OtherBoard {
            image: path.into(),
            boards: boards.join(", "),
        })
    }
}
