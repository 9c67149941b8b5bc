//! What of a profile is not told apart because there was too much of it: for whoever reads its numbers.

use super::Profile;
use super::code::{Kernel, TASKS_MAX};
use super::core::{CoreProfile, REGISTERS_MAX, SPANS_MAX};
use crate::contexts::DEPTH_MAX;
use crate::dma::TRANSFERS_MAX;
use crate::frames::FRAMES_MAX;

impl Profile {
    /// What was counted together, and what is exact all the same; none while everything is told apart.
    pub fn warnings(&self) -> Vec<String> {
        let cores = self.cores.iter().enumerate();
        let mut all: Vec<String> = cores
            .flat_map(|(number, core)| core.warnings(number))
            .collect();
        let folded: u64 = self.dma.folded().map(|(_, count)| count).sum();
        if folded > 0 {
            all.push(format!(
                "DMA: {folded} transfers after the first {TRANSFERS_MAX} are added up, one row for each device, direction, memory and width; \
                 numbers of transfers, accesses and bytes are exact"
            ));
        }
        if self.kernel().is_some_and(Kernel::is_full) {
            all.push(format!(
                "tasks: the programs of the first {TASKS_MAX} are told apart; those of others are counted together as (programs)"
            ));
        }
        all
    }
}

impl CoreProfile {
    fn warnings(&self, core: usize) -> Vec<String> {
        let mut all = vec![];
        if let Some(root) = self.contexts.folded() {
            let nodes = self.nodes();
            let below = |node: usize| nodes[node].parent == Some(root);
            let own = nodes.iter().filter(|node| node.parent != Some(root));
            let counters = self.contexts.tracking().counters();
            let instructions: u64 = (0..nodes.len())
                .filter(|&node| below(node))
                .flat_map(|node| (0..counters.regions()).map(move |region| (node, region)))
                .map(|(node, region)| counters.get(node as u32, region).0)
                .sum();
            all.push(format!(
                "core {core}: {} calling contexts are told apart, and {instructions} instructions in further ones are counted below (folded): by \
                 function, without callers. Totals and the counts of each function are exact; which callers these instructions had, and so the \
                 layer of library functions among them, is not known",
                own.count() - 1
            ));
        }
        if self.contexts.are_deep() {
            all.push(format!(
                "core {core}: calls are nested {DEPTH_MAX} deep or more; deeper ones are counted in the nearest context of the same function above. \
                 Totals and the counts of each function are exact"
            ));
        }
        let forgotten = self.contexts.frames().forgotten;
        if forgotten > 0 {
            all.push(format!(
                "core {core}: {forgotten} times {FRAMES_MAX} calls had not returned and were forgotten; what returned to them began a new context. \
                 Totals and the counts of each function are exact, callers after that are not"
            ));
        }
        if self.registers.len() > REGISTERS_MAX {
            all.push(format!(
                "core {core}: register accesses of {REGISTERS_MAX} kinds are told apart by context; others are counted below (folded), and sums are exact"
            ));
        }
        if self.spans_folded > 0 {
            all.push(format!(
                "core {core}: {} counted spans after the first {SPANS_MAX} are added to the last one, whose end is no moment of the run; sums are exact",
                self.spans_folded
            ));
        }
        all
    }
}
