//! Encodings as data: a pattern of bits with named fields, read at compile time.

use crate::CycleClass;

/// The bits of one instruction, most significant first: `0` and `1` are fixed; `z` should be zero and `o` should be one (decoding ignores
/// both); every other letter is a field. Spaces are for the eye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: &'static str,
    /// The fixed bits.
    pub mask: u32,
    /// The values of the fixed bits; elsewhere 0.
    pub value: u32,
    /// Bits that should be zero.
    pub should_be_zero: u32,
    /// Bits that should be one.
    pub should_be_one: u32,
    /// Number of bits: 16 or 32.
    pub bits: u32,
}

impl Pattern {
    /// Reads the text of a pattern.
    pub const fn new(text: &'static str) -> Pattern {
        let mut pattern = Pattern {
            text,
            mask: 0,
            value: 0,
            should_be_zero: 0,
            should_be_one: 0,
            bits: 0,
        };
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let letter = bytes[at];
            at += 1;
            if letter == b' ' {
                continue;
            }
            let fixed = letter == b'0' || letter == b'1';
            pattern.mask = pattern.mask << 1 | fixed as u32;
            pattern.value = pattern.value << 1 | (letter == b'1') as u32;
            pattern.should_be_zero = pattern.should_be_zero << 1 | (letter == b'z') as u32;
            pattern.should_be_one = pattern.should_be_one << 1 | (letter == b'o') as u32;
            pattern.bits += 1;
        }
        assert!(pattern.bits == 16 || pattern.bits == 32);
        pattern
    }

    /// That of all instructions of so many bits.
    pub const fn unallocated(bits: u32) -> Pattern {
        Pattern::new(match bits {
            16 => "uuuuuuuuuuuuuuuu",
            _ => "uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu",
        })
    }

    /// The text it was read from.
    pub const fn text(&self) -> &'static str {
        self.text
    }

    /// Whether `word` is of this pattern.
    pub const fn matches(&self, word: u32) -> bool {
        word & self.mask == self.value
    }

    /// Where the field `name` lies; it may be in two pieces, the more significant first.
    pub const fn field(&self, name: &str) -> Field {
        let name = name.as_bytes();
        assert!(name.len() == 1);
        let mut field = Field {
            high: Run::NONE,
            low: Run::NONE,
        };
        let bytes = self.text.as_bytes();
        let mut bit = self.bits;
        let mut before = b' ';
        let mut at = 0;
        while at < bytes.len() {
            let letter = bytes[at];
            at += 1;
            if letter == b' ' {
                continue;
            }
            bit -= 1;
            if letter == name[0] {
                if before != letter {
                    assert!(field.high.width == 0);
                    field.high = field.low;
                    field.low = Run::NONE;
                }
                field.low.shift = bit;
                field.low.width += 1;
            }
            before = letter;
        }
        assert!(field.low.width > 0);
        field
    }

    /// A word of this pattern whose free bits come from `random`.
    pub const fn instance(&self, random: u32) -> u32 {
        let free = !(self.mask | self.should_be_zero | self.should_be_one);
        let all = u32::MAX >> (32 - self.bits);
        (random & free & all) | self.value | self.should_be_one
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    shift: u32,
    width: u32,
}

impl Run {
    const NONE: Run = Run { shift: 0, width: 0 };

    const fn get(self, word: u32) -> u32 {
        (word >> self.shift) & ((1 << self.width) - 1)
    }
}

/// Where the value of a named field lies in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    high: Run,
    low: Run,
}

impl Field {
    /// The field's value in `word`.
    #[inline(always)]
    pub const fn get(self, word: u32) -> u32 {
        self.high.get(word) << self.low.width | self.low.get(word)
    }
}

/// One encoding: everything about an instruction but what it does. `C` are the cycle classes of the architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding<C = CycleClass> {
    /// Unique name within its instruction set.
    pub name: &'static str,
    /// The bits.
    pub pattern: Pattern,
    /// Its cycles, when its condition holds.
    pub class: C,
    /// Assembly syntax, as the manual writes it.
    pub assembly: &'static str,
}

/// Lists the encodings of a chapter: name, bits, cycle class, assembly, and the semantic function with its constants and its fields.
/// Each architecture calls it `encodings!`, after its trait of readings and its cycle classes.
#[macro_export]
macro_rules! chapter {
    ([$semantics:path] [$classes:ty] $($name:expr, $pattern:expr, $class:ident, $assembly:expr,
       $function:ident($($constant:expr),*; $($field:ident),*);)*) => {
        /// The encodings of this chapter.
        pub(crate) const ENCODINGS: &[$crate::Encoding<$classes>] = &[$($crate::Encoding {
            name: $name,
            pattern: $crate::Pattern::new($pattern),
            class: <$classes>::$class,
            assembly: $assembly,
        }),*];

        /// What they do, in the same order.
        pub(crate) const fn readings<S: $semantics>() -> [$crate::Reading<S>; ENCODINGS.len()] {
            [$({
                #[allow(unused_variables, dead_code)]
                fn reading<S: $semantics>(s: &mut S, word: u32) {
                    const PATTERN: $crate::Pattern = $crate::Pattern::new($pattern);
                    $function(s, $($constant,)* $({
                        const FIELD: $crate::Field = PATTERN.field(stringify!($field));
                        FIELD.get(word)
                    }),*)
                }
                reading::<S>
            }),*]
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_be_in_two_pieces() {
        let pattern = Pattern::new("010001 00 d mmmm ddd");
        assert_eq!(pattern.bits, 16);
        assert_eq!(pattern.field("d").get(0x4487), 15);
        assert_eq!(pattern.field("m").get(0x4487), 0);
        assert!(pattern.matches(0x4487) && !pattern.matches(0x4587));
    }

    #[test]
    fn an_instance_has_the_bits_that_should_be() {
        let pattern = Pattern::new("cccc 00010010 oooooooooooo 0001 mmmm");
        assert_eq!(pattern.instance(0), 0x012f_ff10);
        assert_eq!(pattern.instance(u32::MAX), 0xf12f_ff1f);
    }
}
