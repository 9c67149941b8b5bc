//! Comparison of two numbers.

use super::compute::nan;
use super::status::{self, raised};

/// Compares: 8 less, 4 greater, 2 equal, 1 a NaN; and the status after it.
pub fn compare(ordered: bool, a: u64, b: u64, before: u32) -> (u32, u32) {
    let (left, right) = (f64::from_bits(a), f64::from_bits(b));
    let condition = match left.partial_cmp(&right) {
        Some(std::cmp::Ordering::Less) => 8,
        Some(std::cmp::Ordering::Greater) => 4,
        Some(std::cmp::Ordering::Equal) => 2,
        None => 1,
    };
    let mut exceptions = nan(&[a, b]).map_or(0, |nan| nan.exceptions);
    let signalling = exceptions != 0;
    if ordered && condition == 1 && !(signalling && before & status::INVALID_ENABLE != 0) {
        exceptions |= status::INVALID_COMPARE;
    }
    (
        condition,
        raised(before & !status::CONDITION | condition << 12, exceptions),
    )
}
