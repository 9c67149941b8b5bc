//! Where a burst ends because the addresses run into another region.

use crate::Purpose;
use serde::{Deserialize, Serialize};
use socscope_memory::{RegionIndex, Sequence};

/// The regions that the last fetch and the last data access went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bursts {
    fetch: RegionIndex,
    data: RegionIndex,
}

impl Default for Bursts {
    fn default() -> Self {
        Bursts {
            fetch: RegionIndex::UNMAPPED,
            data: RegionIndex::UNMAPPED,
        }
    }
}

impl Bursts {
    /// What an access is to the memory behind `region`: one that follows on from an access to another region is the first there.
    #[inline]
    pub fn accessed(
        &mut self,
        purpose: Purpose,
        sequence: Sequence,
        region: RegionIndex,
    ) -> Sequence {
        let last = match purpose {
            Purpose::Fetch => &mut self.fetch,
            Purpose::Read | Purpose::Write => &mut self.data,
        };
        if std::mem::replace(last, region) == region {
            sequence
        } else {
            Sequence::Nonsequential
        }
    }

    /// An instruction has ended. The next one's data accesses follow on from none of its own.
    #[inline]
    pub fn end_data(&mut self) {
        self.data = RegionIndex::UNMAPPED;
    }
}
