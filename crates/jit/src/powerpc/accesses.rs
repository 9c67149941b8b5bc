//! What the frame asks of an instruction's accesses.

/// Whether a load or store of general registers makes one access only: all but lmw, stmw, strings and reservations.
pub(crate) fn accesses_once(word: u32) -> bool {
    match word >> 26 {
        32..=45 => true,
        31 => matches!(
            word >> 1 & 0x3ff,
            23 | 55
                | 87
                | 119
                | 151
                | 183
                | 215
                | 247
                | 279
                | 311
                | 343
                | 375
                | 407
                | 439
                | 534
                | 662
                | 790
                | 918
        ),
        _ => false,
    }
}

/// Whether nothing can refuse the instruction once its only look at the table has succeeded: all but strings and lwarx.
pub(crate) fn looks_once(word: u32) -> bool {
    match word >> 26 {
        32..=55 => true,
        31 => !matches!(word >> 1 & 0x3ff, 20 | 533 | 597 | 661 | 725),
        _ => false,
    }
}

/// Bytes that lmw and stmw, and accesses to doubles, move.
pub(crate) fn span_bytes(word: u32) -> u32 {
    match word >> 26 {
        46 | 47 => 4 * (32 - (word >> 21 & 31)),
        50 | 51 | 54 | 55 => 8,
        31 => match word >> 1 & 0x3ff {
            599 | 631 | 727 | 759 => 8,
            1014 => 32,
            _ => 0,
        },
        _ => 0,
    }
}
