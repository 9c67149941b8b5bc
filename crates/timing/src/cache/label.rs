//! How far the cycles of caches can be trusted.

use super::cache::Cache;
use super::{CacheModel, Replacement};
use crate::{AccuracyLabel, BaseModel};

impl<B: BaseModel> CacheModel<B> {
    /// How far the cycles can be trusted.
    pub fn accuracy(&self) -> AccuracyLabel {
        let latencies = &self.latencies;
        let mut parts = vec![
            format!("{}, then caches", self.base.accuracy().model),
            format!("instruction {}", described(&self.instruction)),
            format!("data {}", described(&self.data)),
        ];
        if let Some(second_level) = &self.second_level {
            let cycles = latencies.second_level_cycles;
            parts.push(format!(
                "second level {} at {cycles} cycles",
                described(second_level)
            ));
        }
        parts.push(format!(
            "memory at {} cycles a line",
            latencies.memory_cycles
        ));
        AccuracyLabel {
            model: parts.join("; "),
            validated_against:
                "hits, misses and write-backs: a second implementation by lists, on random accesses; the cycles of a miss are an assumption"
                    .into(),
            known_error: "none in hits and misses; unknown in cycles: not compared with silicon".into(),
            leaves_out: "coherence and bus contention between cores and with DMA, misses that overlap with execution or with each other, prefetches, \
                 page attributes (write-through, inhibited), caches that software switches off or locks, table searches, fetches of exception vectors before their first instruction, \
                 where in the base cycles of its instruction an access lies: devices see it behind the stalls before it, in the first of them"
                .into(),
        }
    }
}

/// "16 KiB, 8 ways, 32-byte lines, tree".
fn described(cache: &Cache) -> String {
    let geometry = cache.geometry();
    let size = match geometry.size() {
        size if size % 1024 == 0 => format!("{} KiB", size / 1024),
        size => format!("{size} bytes"),
    };
    let ways = match geometry.ways() {
        1 => "direct-mapped".into(),
        ways => format!("{ways} ways"),
    };
    let replacement = match geometry.replacement {
        Replacement::LeastRecentlyUsed => "least recently used",
        Replacement::Tree => "tree replacement",
    };
    format!(
        "{size}, {ways}, {}-byte lines, {replacement}",
        geometry.line()
    )
}
