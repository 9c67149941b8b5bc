//! One step of an elementary cellular automaton, 32 cells at a time.

use super::registers::WORDS;

/// Cells of a line; cell i is bit i mod 32 of word i / 32.
pub(super) type Line = [u32; WORDS];

/// Clears what lies at `length` and above.
pub(super) fn cut(line: &Line, length: u32) -> Line {
    let mut cut = *line;
    for (first, word) in (0u32..).step_by(32).zip(&mut cut) {
        let cells = length.saturating_sub(first).min(32);
        *word &= u32::MAX.checked_shr(32 - cells).unwrap_or(0);
    }
    cut
}

/// The line after `line`, whose cells at `length` and above are 0.
pub(super) fn next(line: &Line, rule: u32, length: u32) -> Line {
    let mut after = [0; WORDS];
    for (index, word) in after.iter_mut().enumerate() {
        let own = line[index];
        let below = index.checked_sub(1).map_or(0, |below| line[below]);
        let above = line.get(index + 1).copied().unwrap_or(0);
        let left = own << 1 | below >> 31;
        let right = own >> 1 | above << 31;
        for pattern in (0..8).filter(|pattern| rule & 1 << pattern != 0) {
            let alike = |cells: u32, bit: u32| if pattern & bit != 0 { cells } else { !cells };
            *word |= alike(left, 4) & alike(own, 2) & alike(right, 1);
        }
    }
    cut(&after, length)
}
