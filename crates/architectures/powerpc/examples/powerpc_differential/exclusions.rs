//! What is not compared with unicorn, and why. Each form excluded here has a text vector under tests/instructions or is the subject
//! of docs/decisions/powerpc.md.

use crate::memories::JournalBus;
use socscope_isa::Encoding;
use socscope_powerpc::float::{self, status};
use socscope_powerpc::{Class, Core};

/// One form that is not compared.
pub struct Exclusion {
    pub reason: &'static str,
    applies: fn(&Case) -> bool,
}

/// A candidate instruction.
pub struct Case<'a> {
    pub encoding: &'a Encoding<Class>,
    pub word: u32,
    pub core: &'a Core,
    pub reserved: Option<(u32, u32)>,
    pub bus: &'a JournalBus,
}

impl Case<'_> {
    /// The value of field `letter`; 0 where the encoding has none.
    fn field(&self, letter: char) -> u32 {
        let mut buffer = [0; 4];
        let name: &str = letter.encode_utf8(&mut buffer);
        let pattern = &self.encoding.pattern;
        let has = pattern.text().contains(letter);
        if has {
            pattern.field(name).get(self.word)
        } else {
            0
        }
    }

    fn named(&self, names: &[&str]) -> bool {
        names.contains(&self.encoding.name)
    }

    fn register(&self, letter: char) -> u32 {
        self.core.register(self.field(letter))
    }

    /// Value of the floating-point register that `letter` names; 0 where the encoding has none.
    fn double(&self, letter: char) -> u64 {
        if self.encoding.pattern.text().contains(letter) {
            self.core.float[self.field(letter) as usize]
        } else {
            0
        }
    }

    /// Whether it is floating-point arithmetic, which rounds.
    fn is_arithmetic(&self) -> bool {
        let primary = self.word >> 26;
        primary == 59
            || primary == 63
                && (self.word >> 5 & 1 != 0 || self.named(&["frsp", "fctiw", "fctiwz"]))
    }

    fn special(&self) -> u32 {
        self.field('h') << 5 | self.field('l')
    }

    fn starts(&self, names: &[&str]) -> bool {
        names
            .iter()
            .any(|name| self.encoding.name.starts_with(name))
    }
}

/// rA as a base, plus rB, of an instruction with these fields.
pub fn indexed(core: &Core, word: u32) -> u32 {
    let base = match word >> 16 & 31 {
        0 => 0,
        a => core.register(a),
    };
    base.wrapping_add(core.register(word >> 11 & 31))
}

/// rA as a base, plus the offset.
fn displaced(core: &Core, word: u32) -> u32 {
    let base = match word >> 16 & 31 {
        0 => 0,
        a => core.register(a),
    };
    base.wrapping_add(word as u16 as i16 as u32)
}

/// XER, LR, CTR, DSISR, DAR, SRR0, SRR1, VRSAVE, SPRG0 to SPRG3.
const PLAIN: &[u32] = &[1, 8, 9, 18, 19, 26, 27, 256, 272, 273, 274, 275];

/// All forms that are not compared. The first that applies counts.
pub const EXCLUSIONS: &[Exclusion] = &[
    Exclusion {
        reason: "words that nothing matches: unicorn knows instructions of other cores",
        applies: |case| case.named(&["Unallocated"]),
    },
    Exclusion {
        reason: "special registers with effects of their own",
        applies: |case| case.named(&["mfspr", "mtspr"]) && !PLAIN.contains(&case.special()),
    },
    Exclusion {
        reason: "the time base",
        applies: |case| case.named(&["mftb"]),
    },
    Exclusion {
        reason: "XER: unicorn keeps bits that do not exist",
        applies: |case| {
            case.named(&["mtspr"]) && case.special() == 1 && case.register('s') & !0xe000_007f != 0
        },
    },
    Exclusion {
        reason: "bcctr that counts: invalid, unicorn writes LR before it traps",
        applies: |case| case.named(&["bcctr"]) && case.field('q') & 4 == 0,
    },
    Exclusion {
        reason: "cache instructions outside memory: ours do not access it",
        applies: |case| {
            case.encoding.class == Class::Cache
                && case.bus.word(indexed(case.core, case.word)).is_none()
        },
    },
    Exclusion {
        reason: "the machine state: translation and traps would change; text vectors",
        applies: |case| case.named(&["mtmsr", "rfi"]),
    },
    Exclusion {
        reason: "loading translation buffers",
        applies: |case| case.named(&["tlbld", "tlbli"]),
    },
    Exclusion {
        reason: "quotients that do not exist: undefined, ours are the 750's",
        applies: |case| {
            let (a, b) = (case.register('a'), case.register('b'));
            case.named(&["divw", "divwu"]) && b == 0
                || case.named(&["divw"]) && a == 1 << 31 && b == u32::MAX
        },
    },
    Exclusion {
        reason: "accesses off alignment that trap: unicorn makes them",
        applies: |case| case.named(&["lmw", "stmw"]) && displaced(case.core, case.word) & 3 != 0,
    },
    Exclusion {
        reason: "external control: unicorn asks neither EAR nor for alignment",
        applies: |case| case.named(&["eciwx", "ecowx"]),
    },
    Exclusion {
        reason: "lwarx and stwcx. off alignment: unicorn has no handler",
        applies: |case| case.named(&["lwarx", "stwcx."]) && indexed(case.core, case.word) & 3 != 0,
    },
    Exclusion {
        reason: "lmw into its own base: invalid, unicorn makes it",
        applies: |case| case.named(&["lmw"]) && case.field('a') >= case.field('d'),
    },
    Exclusion {
        reason: "stwcx. to the granule of another address, or to a word that changed meanwhile: unicorn compares both",
        applies: |case| {
            let address = indexed(case.core, case.word);
            case.named(&["stwcx."])
                && case.core.reservation.is_some()
                && case
                    .reserved
                    .is_none_or(|(at, value)| at != address || case.bus.word(at) != Some(value))
        },
    },
    Exclusion {
        reason: "string instructions with rA = 0 in their range: unicorn makes them",
        applies: |case| case.starts(&["lswi", "lswx"]) && case.field('a') == 0,
    },
    Exclusion {
        reason: "floating-point accesses off alignment trap: unicorn makes them",
        applies: |case| {
            let indexed_form = case.word >> 26 == 31;
            let address = if indexed_form {
                indexed(case.core, case.word)
            } else {
                displaced(case.core, case.word)
            };
            case.starts(&["lf", "stf"]) && address & 3 != 0
        },
    },
    Exclusion {
        reason: "estimates: any of the required precision is right",
        applies: |case| case.named(&["vexptefp", "vlogefp", "fres", "frsqrte"]),
    },
    Exclusion {
        reason: "FR is left out by unicorn, FI cleared by more than the manual says: both are not moved",
        applies: |case| {
            let last = status::ROUNDED_UP | status::FRACTION_INEXACT;
            case.named(&["mffs", "mcrfs"]) && case.core.float_status & last != 0
        },
    },
    Exclusion {
        reason: "single precision of operands that are none is undefined",
        applies: |case| {
            let single = |letter| {
                let bits = case.double(letter);
                float::double_from_single(float::single_from_double(bits)) == bits
            };
            case.word >> 26 == 59 && !"abc".chars().all(single)
        },
    },
    Exclusion {
        reason: "unicorn rounds fused operations of single precision twice",
        applies: |case| case.word >> 26 == 59 && case.word >> 1 & 31 >= 28,
    },
    Exclusion {
        reason: "enabled exceptions: unicorn writes the result of an invalid operation, and does not move exponents",
        applies: |case| {
            let enables = status::INVALID_ENABLE
                | status::OVERFLOW_ENABLE
                | status::UNDERFLOW_ENABLE
                | status::ZERO_DIVIDE_ENABLE;
            case.is_arithmetic() && case.core.float_status & enables != 0
        },
    },
    Exclusion {
        reason: "unicorn takes the product of a NaN and infinity for infinity: VXISI",
        applies: |case| {
            let value = |letter| f64::from_bits(case.double(letter));
            let fused = case.starts(&["fmadd", "fmsub", "fnmadd", "fnmsub"]);
            let nan = value('a').is_nan() || value('c').is_nan();
            fused && nan && value('b').is_infinite()
        },
    },
    Exclusion {
        reason: "unicorn negates the sum of fnmadd and fnmsub before it rounds it",
        applies: |case| case.starts(&["fnmadd", "fnmsub"]) && case.core.float_status & 2 != 0,
    },
    Exclusion {
        reason: "numbers without an integer: unicorn gives the least one for all, and a class",
        applies: |case| {
            let value = f64::from_bits(case.double('b'));
            let has_integer = (-2147483648.0..=2147483647.0).contains(&value);
            case.named(&["fctiw", "fctiwz"]) && !has_integer
        },
    },
    Exclusion {
        reason: "unicorn sets C, which is no part of FPCC, in ordered comparisons of NaNs",
        applies: |case| {
            let nan = |letter| f64::from_bits(case.double(letter)).is_nan();
            case.named(&["fcmpo"]) && (nan('a') || nan('b'))
        },
    },
    Exclusion {
        reason: "streams: hints, of which unicorn knows few forms",
        applies: |case| case.named(&["dst", "dstst", "dss"]),
    },
    Exclusion {
        reason: "the vector status: unicorn keeps bits that do not exist",
        applies: |case| {
            let value = case.core.vector[case.field('b') as usize] as u32;
            case.named(&["mtvscr"]) && value & !0x0001_0001 != 0
        },
    },
    Exclusion {
        reason: "vectors of denormalised numbers: unicorn takes them as they are out of Java mode",
        applies: |case| {
            let denormal = |letter| {
                let has = case.encoding.pattern.text().contains(letter);
                let value = case.core.vector[case.field(letter) as usize];
                let word = |index: u32| f32::from_bits((value >> (32 * index)) as u32);
                has && (0..4).any(|index| word(index).is_subnormal())
            };
            let float = case.word >> 26 == 4 && case.encoding.name.contains("fp");
            (float || case.starts(&["vrfi", "vct"])) && "abc".chars().any(denormal)
        },
    },
    Exclusion {
        reason: "the bit of the status that does not exist",
        applies: |case| {
            case.named(&["mtfsf"]) && case.double('b') & 0x800 != 0
                || case.named(&["mtfsfi"]) && case.field('f') == 5
                || case.named(&["mtfsb1", "mtfsb0"]) && case.field('d') == 20
        },
    },
];

/// The reason not to compare a case, by its place in [`EXCLUSIONS`].
pub fn exclusion(case: &Case) -> Option<usize> {
    EXCLUSIONS
        .iter()
        .position(|exclusion| (exclusion.applies)(case))
}
