//! Floating point against the host's: every operation, rounded to the nearest, in both precisions.

use socscope_isa::powerpc::float::{
    Operation, Precision, compute, double_from_single, single_from_double, status,
};

const ROUNDS: u32 = 200_000;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Numbers of all sizes, many of nearly the same; in single precision, the exponents that it has.
    fn number(&mut self, single: bool) -> u64 {
        let random = self.next();
        let exponent = match random & 7 {
            0 => self.next() % 0x7ff,
            1 => self.next() % 64,
            2 => 0x7fe - self.next() % 64,
            _ => 0x3ff - 30 + self.next() % 60,
        };
        let fraction = match random >> 3 & 7 {
            0 => 0,
            1 => 1 << (self.next() % 52),
            2 => 0x000f_ffff_ffff_ffff << (self.next() % 52),
            _ => self.next(),
        } & 0x000f_ffff_ffff_ffff;
        let bits = random & 1 << 63 | exponent << 52 | fraction;
        if single {
            double_from_single((f64::from_bits(bits) as f32).to_bits())
        } else {
            bits
        }
    }
}

fn multiply_add(precision: Precision) -> Operation {
    Operation::MultiplyAdd {
        precision,
        subtract: false,
        negate: false,
    }
}

fn is_same(found: u64, expected: u64) -> bool {
    let nan = |bits| f64::from_bits(bits).is_nan();
    found == expected || nan(found) && nan(expected)
}

#[test]
fn doubles_are_the_hosts() {
    let mut random = Random(1);
    for _ in 0..ROUNDS {
        let [a, b, c] = [(); 3].map(|()| random.number(false));
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let precision = Precision::Double;
        for (operation, expected) in [
            (Operation::Add(precision), x + y),
            (Operation::Subtract(precision), x - y),
            (Operation::Multiply(precision), x * z),
            (Operation::Divide(precision), x / y),
            (multiply_add(precision), x.mul_add(z, y)),
        ] {
            let found = compute(operation, a, b, c, 0).value;
            assert!(
                is_same(found, expected.to_bits()),
                "{operation:?} of {x:e}, {y:e}, {z:e}: {found:#x}, expected {:#x}",
                expected.to_bits()
            );
        }
    }
}

#[test]
fn singles_are_the_hosts_and_rounded_once() {
    let mut random = Random(2);
    for _ in 0..ROUNDS {
        let [a, b, c] = [(); 3].map(|()| random.number(true));
        let [x, y, z] = [a, b, c].map(|bits| f32::from_bits(single_from_double(bits)));
        let precision = Precision::Single;
        for (operation, expected) in [
            (Operation::Add(precision), x + y),
            (Operation::Subtract(precision), x - y),
            (Operation::Multiply(precision), x * z),
            (Operation::Divide(precision), x / y),
            (multiply_add(precision), x.mul_add(z, y)),
        ] {
            let found = compute(operation, a, b, c, 0).value;
            let expected = f64::from(expected).to_bits();
            assert!(
                is_same(found, expected),
                "{operation:?} of {x:e}, {y:e}, {z:e}: {found:#x}, expected {expected:#x}"
            );
        }
    }
}

#[test]
fn rounding_to_single_is_the_hosts_and_back_nothing_is_lost() {
    let mut random = Random(3);
    for _ in 0..ROUNDS {
        let bits = random.number(false);
        let single = f64::from_bits(bits) as f32;
        let found = compute(Operation::Round, 0, bits, 0, 0).value;
        assert_eq!(found, f64::from(single).to_bits(), "{bits:#x}");
        assert_eq!(double_from_single(single.to_bits()), found);
        assert_eq!(single_from_double(found), single.to_bits());
    }
}

/// The rest of a product or sum, which a fused operation finds, tells whether it is inexact and which way it went.
#[test]
fn inexact_results_are_said_to_be_inexact_and_which_way() {
    let mut random = Random(4);
    for _ in 0..ROUNDS {
        let [a, c] = [(); 2].map(|()| random.next() & 0x800f_ffff_ffff_ffff | 0x3ff << 52);
        let [x, z] = [a, c].map(f64::from_bits);
        for rounding in 0..4 {
            let operation = Operation::Multiply(Precision::Double);
            let computed = compute(operation, a, a, c, rounding);
            let result = f64::from_bits(computed.value);
            let rest = x.mul_add(z, -result);
            let away = (rest < 0.0) == (result > 0.0) && rest != 0.0;
            let inexact = status::INEXACT | status::FRACTION_INEXACT | status::EXCEPTION;
            let expected =
                if rest == 0.0 { 0 } else { inexact } | if away { status::ROUNDED_UP } else { 0 };
            let found = computed.status & (inexact | status::ROUNDED_UP);
            assert_eq!(found, expected, "{x:e} * {z:e} in mode {rounding}");
            let right_way = match rounding {
                0 => rest.abs() <= f64::EPSILON * 2.0,
                1 => !away,
                2 => rest <= 0.0,
                _ => rest >= 0.0,
            };
            assert!(right_way, "{x:e} * {z:e} in mode {rounding}");
        }
    }
}
