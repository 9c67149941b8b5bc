//! Whatever words are in the operands, what is computed from them is in the result.

use proptest::prelude::*;
use socscope_flow::Range;

fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        0..40u32,
        (0..40u32).prop_map(u32::wrapping_neg),
        (0..32u32).prop_map(|bit| 1 << bit),
        (0..32u32).prop_map(|bit| (1u32 << bit).wrapping_sub(1)),
        (0..9u32).prop_map(|offset| 0x7fff_fffc + offset),
    ]
}

/// A range and a word in it.
fn range() -> impl Strategy<Value = (Range, u32)> {
    let listed = proptest::collection::vec(word(), 1..6).prop_flat_map(|words| {
        let count = words.len();
        (
            Just(Range::of(words.clone())),
            (0..count).prop_map(move |at| words[at]),
        )
    });
    let spans = (word(), word(), word(), 1..70u32).prop_map(|(low, extent, at, stride)| {
        let range = Range::strided(low, extent, stride);
        let steps = u64::from(extent / stride) + 1;
        let step = (u64::from(at) % steps) as u32;
        (range, low.wrapping_add(step * stride))
    });
    let powers = (word(), word(), 0..31u32).prop_map(|(low, at, power)| {
        let range = Range::strided(low, u32::MAX, 1 << power);
        (range, low.wrapping_add(at & (u32::MAX << power)))
    });
    let fewer = (0..7u32).prop_map(|bits| (Range::between(0, 1 << bits), 1 << bits));
    prop_oneof![listed, spans, powers, fewer]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_range_holds_its_words((range, word) in range()) {
        prop_assert!(range.contains(word));
        let (low, high) = range.unsigned();
        prop_assert!(low <= word && word <= high && range.contains(low) && range.contains(high));
        let (low, high) = range.signed();
        prop_assert!(low <= word as i32 && word as i32 <= high);
        if let Some(values) = range.values(1 << 12) {
            prop_assert_eq!(values.len() as u64, range.count());
            prop_assert!(values.contains(&word));
        }
    }

    #[test]
    fn results_of_two((a, x) in range(), (b, y) in range()) {
        prop_assert!(a.add(&b).contains(x.wrapping_add(y)), "{a:?} + {b:?}");
        prop_assert!(a.and(&b).contains(x & y), "{a:?} & {b:?}: {:?}", a.and(&b));
        prop_assert!(a.or(&b).contains(x | y), "{a:?} | {b:?}: {:?}", a.or(&b));
        prop_assert!(a.xor(&b).contains(x ^ y));
        prop_assert!(a.multiply(&b).contains(x.wrapping_mul(y)), "{a:?} * {b:?}: {:?}", a.multiply(&b));
        let joined = a.join(&b);
        prop_assert!(joined.contains(x) && joined.contains(y), "{a:?} {b:?} {joined:?}");
        let widened = a.widen(&b);
        prop_assert!(widened.contains(x) && widened.contains(y), "{a:?} {b:?} {widened:?}");
        if b.contains(x) {
            prop_assert!(a.meet(&b).is_some_and(|met| met.contains(x)), "{a:?} {b:?} {:?}", a.meet(&b));
        }
        if x != y {
            prop_assert!(a.without(y).is_some_and(|rest| rest.contains(x)), "{a:?} {y:#x}");
        }
    }

    #[test]
    fn results_of_one((a, x) in range(), by in 0..40u32, bits in prop_oneof![Just(8u32), Just(16)]) {
        prop_assert!(a.not().contains(!x));
        prop_assert!(a.negative().contains(x.wrapping_neg()));
        prop_assert!(a.shift_left(by).contains(x.checked_shl(by).unwrap_or(0)), "{a:?} << {by}");
        prop_assert!(a.shift_right(by).contains(x.checked_shr(by).unwrap_or(0)), "{a:?} >> {by}");
        prop_assert!(a.shift_right_signed(by).contains((x as i32 >> by.min(31)) as u32));
        prop_assert!(a.rotate_right(by).contains(x.rotate_right(by)));
        let unused = 32 - bits;
        let extended = ((x << unused) as i32 >> unused) as u32;
        prop_assert!(a.sign_extend(bits).contains(extended), "{a:?} {:?} {extended:#x}", a.sign_extend(bits));
    }
}
