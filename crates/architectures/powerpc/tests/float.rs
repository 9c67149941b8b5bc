//! Floating point against the host's: every operation, rounded to the nearest, in both precisions.

use socscope_powerpc::float::{
    FloatUnit, Operation, Precision, compute, double_from_single, single_from_double, status,
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
            let found = compute(operation, [a, b, c], 0, FloatUnit::PLAIN).value;
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
            let found = compute(operation, [a, b, c], 0, FloatUnit::PLAIN).value;
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
        let found = compute(Operation::Round, [0, bits, 0], 0, FloatUnit::PLAIN).value;
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
            let computed = compute(operation, [a, a, c], rounding, FloatUnit::PLAIN);
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

/// FR says what became of the significand; that the exponent was too large was found afterwards.
#[test]
fn overflows_say_how_the_significand_was_rounded() {
    let most = f64::MAX.to_bits();
    // The significand of the square is exact, is rounded down, or up.
    let exact = 2f64.powi(1000).to_bits();
    let multiply = Operation::Multiply(Precision::Double);
    for (a, c, rounding, up) in [
        (exact, exact, 0, false),
        (exact, exact, 2, false),
        // 1 - 2 in 2^53 and a little more.
        (most, most, 0, false),
        (most, most, 1, false),
        (most, most, 2, true),
        (most, most | 1 << 63, 3, true),
        // 1.5 and one and a half of the last bit: to the even neighbour.
        (0x7fe8_0000_0000_0000, 0x4000_0000_0000_0001, 0, true),
    ] {
        let computed = compute(multiply, [a, 0, c], rounding, FloatUnit::PLAIN);
        let always = status::OVERFLOW | status::INEXACT | status::FRACTION_INEXACT;
        assert_eq!(computed.status & always, always, "{a:x} * {c:x}");
        let found = computed.status & status::ROUNDED_UP != 0;
        assert_eq!(found, up, "{a:x} * {c:x} in mode {rounding}");
    }
}

const LARGEST_SINGLE: u64 = 0x47ef_ffff_e000_0000;

/// Single numbers of the tables' ends and middles, computed by hand from the published numbers.
#[test]
fn the_750_estimates_by_its_tables() {
    let estimate = |operation, b: f64| {
        let computed = compute(operation, [0, b.to_bits(), 0], 0, FloatUnit::OF_750);
        assert!(computed.written);
        (computed.value, computed.status)
    };
    let clear = status::INEXACT | status::FRACTION_INEXACT | status::ROUNDED_UP;
    for (b, expected) in [
        // 1 - 2^-13: the first stretch begins below the exact result.
        (1.0, 0x3fef_ff00_0000_0000),
        (-1.0, 0xbfef_ff00_0000_0000),
        (2.0, 0x3fdf_ff00_0000_0000),
        // Stretch 16, 5 steps in: 0x2aa800 - (0x1be * 5 + 1) / 2.
        (1.5 + 5.0 / 32768.0, 0x3fe5_5474_a000_0000),
        (2f64.powi(-128), 0x47ef_ff00_0000_0000),
    ] {
        let (value, status) = estimate(Operation::Reciprocal, b);
        assert_eq!(value, expected, "1 / {b}");
        assert_eq!(status & clear, 0);
    }
    for (b, expected) in [
        (1.0, 0x3fef_fe80_0000_0000),
        (4.0, 0x3fdf_fe80_0000_0000),
        (2.0, 0x3fe6_9fa0_0000_0000),
        (0.25, 0x3fff_fe80_0000_0000),
    ] {
        let (value, status) = estimate(Operation::ReciprocalRoot, b);
        assert_eq!(value, expected, "1 / root of {b}");
        assert_eq!(status & clear, 0);
    }
}

#[test]
fn reciprocals_beyond_single_precision_are_the_largest_number_on_a_750_and_zero_below() {
    for (b, value, bit) in [
        (2f64.powi(-129), LARGEST_SINGLE, status::OVERFLOW),
        (
            -2f64.powi(-1060),
            LARGEST_SINGLE | 1 << 63,
            status::OVERFLOW,
        ),
        (2f64.powi(126), 0, status::UNDERFLOW),
        (-2f64.powi(1000), 1 << 63, status::UNDERFLOW),
    ] {
        let computed = compute(
            Operation::Reciprocal,
            [0, b.to_bits(), 0],
            0,
            FloatUnit::OF_750,
        );
        assert_eq!(computed.value, value, "1 / {b:e}");
        assert_eq!(
            computed.status & (status::OVERFLOW | status::UNDERFLOW),
            bit
        );
        // Where nothing is known of the unit, the exact result is rounded.
        let plain = compute(
            Operation::Reciprocal,
            [0, b.to_bits(), 0],
            0,
            FloatUnit::PLAIN,
        );
        assert_eq!(
            plain.value,
            f64::from((1.0 / b) as f32).to_bits(),
            "1 / {b:e}"
        );
    }
}

/// The 750's manual promises one part in 4096.
#[test]
fn the_tables_are_as_good_as_they_are_said_to_be() {
    let mut random = Random(5);
    for _ in 0..ROUNDS {
        let bits =
            random.next() & 0x000f_ffff_ffff_ffff | (0x3ff - 100 + random.next() % 200) << 52;
        let x = f64::from_bits(bits);
        for (operation, exact) in [
            (Operation::Reciprocal, 1.0 / x),
            (Operation::ReciprocalRoot, 1.0 / x.sqrt()),
        ] {
            let found = compute(operation, [0, bits, 0], 0, FloatUnit::OF_750).value;
            let error = (f64::from_bits(found) / exact - 1.0).abs();
            assert!(
                error <= 1.0 / 4096.0,
                "{operation:?} of {x:e}: off by {error:e}"
            );
        }
    }
}

#[test]
fn a_750_multiplies_singles_by_25_bits() {
    let multiply = Operation::Multiply(Precision::Single);
    let product = |c: u64, unit| {
        let value = compute(multiply, [1f64.to_bits(), 0, c], 1, unit).value;
        // Towards zero: what is left of frC in 24 bits.
        value >> 29
    };
    // 24 bits, then 0.11 and more: rounded to 25 bits it reaches the next number of 24.
    let c = 0x3ff0_0000_0000_0000 | 0b11 << 27;
    assert_eq!(product(c, FloatUnit::PLAIN), 0x3ff0_0000_0000_0000 >> 29);
    assert_eq!(
        product(c, FloatUnit::OF_750),
        (0x3ff0_0000_0000_0000 >> 29) + 1
    );
    // 0.101: half a bit of the 25th rounds up, less does not.
    for (c, expected) in [
        (0x3fff_ffff_ffff_ffff, 0x4000_0000_0000_0000_u64 >> 29),
        (
            0x3ff0_0000_0000_0000 | 0b101 << 26,
            0x3ff0_0000_0000_0000 >> 29,
        ),
    ] {
        assert_eq!(product(c, FloatUnit::OF_750), expected);
    }
    // Doubles are taken as they are, and singles have no bits to lose.
    let double = Operation::Multiply(Precision::Double);
    let operands = [1f64.to_bits(), 0, c];
    assert_eq!(
        compute(double, operands, 0, FloatUnit::OF_750),
        compute(double, operands, 0, FloatUnit::PLAIN)
    );
    let mut random = Random(6);
    for _ in 0..1_000 {
        let operands = [
            random.number(true),
            random.number(true),
            random.number(true),
        ];
        for operation in [multiply, multiply_add(Precision::Single)] {
            assert_eq!(
                compute(operation, operands, 0, FloatUnit::OF_750),
                compute(operation, operands, 0, FloatUnit::PLAIN)
            );
        }
    }
}
