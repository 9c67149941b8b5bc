//! Caches of a core, small enough for lines to come and go all the time.

use crate::random::Random;

/// Cycles of a line that is read from memory, at most.
pub const SLOW_CYCLES: u32 = 20;

/// Properties of a core's node, and their values; lines are read from memory and written to it in less than so many cycles.
pub fn properties(random: &mut Random, slowest_cycles: u32) -> Vec<(&'static str, String)> {
    let replacement = ["tree", "lru"][random.below(2) as usize];
    let mut all = vec![
        ("socscope,timing", "caches".into()),
        ("socscope,cache-replacement", replacement.into()),
    ];
    let mut number = |name, value: u32| all.push((name, value.to_string()));
    for [size, line_size, sets_of] in [
        ["i-cache-size", "i-cache-line-size", "i-cache-sets"],
        ["d-cache-size", "d-cache-line-size", "d-cache-sets"],
    ] {
        let line = 8 << random.below(4);
        let sets = 1 << random.below(6);
        let ways = 1 << random.below(4);
        number(size, line * sets * ways);
        number(line_size, line);
        number(sets_of, sets);
    }
    for name in [
        "socscope,memory-cycles",
        "socscope,write-back-cycles",
        "socscope,d-cache-hit-cycles",
        "socscope,i-cache-hit-cycles",
    ] {
        let most = if name.contains("hit") {
            2
        } else {
            slowest_cycles
        };
        number(name, random.below(most));
    }
    all
}
