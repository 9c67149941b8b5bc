//! DMA transfers from their start to their end.
//!
//! A part of the profile. It is told of accesses by DMA only and costs nothing between them; what the profile costs where there are many
//! is the row `transfer` of `benches/probes.py`.

use serde::{Deserialize, Serialize};
use socscope_memory::{Direction, RegionIndex, Width};
use std::collections::BTreeMap;

/// One transfer in one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmaTransfer {
    /// Index of the device.
    pub device: u16,
    /// As memory sees it: a write is a transfer into memory.
    pub direction: Direction,
    /// The memory.
    pub region: RegionIndex,
    /// Width of an access.
    pub width: Width,
    /// Accesses.
    pub accesses: u64,
    /// Core cycle of the start, or of the window's.
    pub start_cycle: u64,
    /// Core cycle of the end, or of the window's.
    pub end_cycle: u64,
}

/// Transfers that are told apart; those behind them are added up by device, direction, region and width.
pub(crate) const TRANSFERS_MAX: usize = if cfg!(test) { 16 } else { 1 << 18 };

/// What transfers that are added up have in common.
type Kind = (u16, Direction, RegionIndex, Width);

/// Transfers that are over, and one under way for each device and direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct DmaLog {
    done: Vec<DmaTransfer>,
    open: BTreeMap<(u16, Direction), DmaTransfer>,
    /// Sums of transfers, from the first one's start to the last one's end, and how many they are. Saved apart.
    #[serde(skip)]
    pub folded: BTreeMap<Kind, (DmaTransfer, u64)>,
}

impl DmaLog {
    /// One access. The first one after a start, and one in another region, begin a row.
    pub fn access(
        &mut self,
        device: u16,
        direction: Direction,
        region: RegionIndex,
        width: Width,
        cycle: u64,
    ) {
        let same = |transfer: &DmaTransfer| transfer.region == region && transfer.width == width;
        if self
            .open
            .get(&(device, direction))
            .is_some_and(|transfer| !same(transfer))
        {
            self.end(device, direction, cycle);
        }
        let fresh = DmaTransfer {
            device,
            direction,
            region,
            width,
            accesses: 0,
            start_cycle: cycle,
            end_cycle: cycle,
        };
        let transfer = self.open.entry((device, direction)).or_insert(fresh);
        transfer.accesses += 1;
        transfer.end_cycle = cycle;
    }

    /// The transfer of a device and direction is over.
    pub fn end(&mut self, device: u16, direction: Direction, cycle: u64) {
        if let Some(mut transfer) = self.open.remove(&(device, direction)) {
            transfer.end_cycle = cycle;
            self.keep(transfer);
        }
    }

    fn keep(&mut self, transfer: DmaTransfer) {
        if self.done.len() < TRANSFERS_MAX {
            self.done.push(transfer);
            return;
        }
        let DmaTransfer {
            device,
            direction,
            region,
            width,
            ..
        } = transfer;
        let key = (device, direction, region, width);
        let fresh = DmaTransfer {
            accesses: 0,
            ..transfer
        };
        let (sum, count) = self.folded.entry(key).or_insert((fresh, 0));
        sum.accesses += transfer.accesses;
        sum.end_cycle = transfer.end_cycle;
        *count += 1;
    }

    /// Counting stops: transfers under way end here, and what follows of them is a row of its own.
    pub fn cut(&mut self, cycle: u64) {
        for (_, mut transfer) in std::mem::take(&mut self.open) {
            transfer.end_cycle = cycle;
            self.keep(transfer);
        }
    }

    /// All transfers, those under way as far as they got, and the sums of those that are not told apart.
    pub fn transfers(&self) -> impl Iterator<Item = &DmaTransfer> {
        let folded = self.folded.values().map(|(sum, _)| sum);
        self.done.iter().chain(self.open.values()).chain(folded)
    }

    /// Takes sums that were saved apart.
    pub fn set_folded(&mut self, sums: Vec<(DmaTransfer, u64)>) {
        let kind = |sum: &DmaTransfer| (sum.device, sum.direction, sum.region, sum.width);
        let sums = sums
            .into_iter()
            .map(|(sum, count)| (kind(&sum), (sum, count)));
        self.folded = sums.collect();
    }

    /// The sums, with how many transfers each is of.
    pub fn folded(&self) -> impl Iterator<Item = (&DmaTransfer, u64)> {
        self.folded.values().map(|(sum, count)| (sum, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTO_MEMORY: Direction = Direction::Write;

    #[test]
    fn a_transfer_ends_with_its_window_and_goes_on_as_another() {
        let mut log = DmaLog::default();
        let one = |log: &mut DmaLog, cycle| {
            log.access(1, INTO_MEMORY, RegionIndex(2), Width::Byte, cycle);
        };
        one(&mut log, 10);
        one(&mut log, 20);
        log.cut(25);
        one(&mut log, 100);
        log.end(1, INTO_MEMORY, 110);
        let rows: Vec<_> = log
            .transfers()
            .map(|row| (row.accesses, row.start_cycle, row.end_cycle))
            .collect();
        assert_eq!(rows, [(2, 10, 25), (1, 100, 110)]);
    }

    #[test]
    fn of_very_many_transfers_the_sums_are_kept() {
        let mut log = DmaLog::default();
        for number in 0..100u64 {
            let region = RegionIndex(number as u16 % 2);
            for access in 0..3 {
                log.access(1, INTO_MEMORY, region, Width::Byte, 10 * number + access);
            }
            log.end(1, INTO_MEMORY, 10 * number + 5);
        }
        assert_eq!(log.transfers().count(), TRANSFERS_MAX + 2);
        let accesses: u64 = log.transfers().map(|transfer| transfer.accesses).sum();
        assert_eq!(accesses, 300);
        let folded: Vec<_> = log
            .folded()
            .map(|(sum, count)| (count, sum.accesses, sum.start_cycle, sum.end_cycle))
            .collect();
        assert_eq!(folded, [(42, 126, 160, 985), (42, 126, 170, 995)]);
    }
}
