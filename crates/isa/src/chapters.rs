//! Joins the chapters of an instruction set.

use crate::CycleClass;

/// Reads one instruction word.
pub type Reading<S> = fn(&mut S, u32);

/// What an encoding does in the reading `S`.
pub struct Instruction<S, C = CycleClass> {
    /// Its cycles when its condition holds.
    pub class: C,
    /// Its semantic function; where the instruction set has conditions, it has been looked at before.
    pub read: Reading<S>,
}

impl<S, C: Copy> Clone for Instruction<S, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, C: Copy> Copy for Instruction<S, C> {}

/// The tables of a plain architecture whose encodings differ in their first bits only: `encodings`, and `encoding` and `instruction` by the first
/// unit of an instruction. What is none of them raises an exception.
#[macro_export]
macro_rules! plain_tables {
    ([$keys:literal keys, $unit:literal bits, $undefined:expr] $($chapter:path),*) => {
        const UNALLOCATED: $crate::Encoding = $crate::Encoding {
            name: "Unallocated",
            pattern: $crate::Pattern::unallocated($unit),
            class: $crate::CycleClass::Undefined,
            assembly: "(undefined)",
        };

        $crate::chapters!([$crate::PlainSemantics] [$crate::CycleClass] unallocated, UNALLOCATED, COUNT, ENCODINGS, readings: $($chapter),*);

        fn unallocated<S: $crate::PlainSemantics>(s: &mut S, _word: u32) {
            s.exception($undefined);
        }

        static DECODER: $crate::Decoder<$keys> = $crate::Decoder::of(&ENCODINGS);

        /// All encodings; the first one stands for all that no other is.
        pub fn encodings() -> &'static [$crate::Encoding] {
            &ENCODINGS
        }

        #[inline(always)]
        pub(crate) fn encoding(first: u32) -> &'static $crate::Encoding {
            &ENCODINGS[DECODER.place(first, $unit)]
        }

        struct Table<S>(std::marker::PhantomData<S>);

        impl<S: $crate::PlainSemantics> Table<S> {
            const ALL: [$crate::Instruction<S>; COUNT] = readings::<S>();
        }

        #[inline(always)]
        pub(crate) fn instruction<S: $crate::PlainSemantics>(first: u32) -> $crate::Instruction<S> {
            (&Table::<S>::ALL as &[_])[DECODER.place(first, $unit)]
        }
    };
}

/// Joins the encodings of chapters and their readings into one list each; the first entry stands for the rest of all words.
#[macro_export]
macro_rules! chapters {
    ([$semantics:path] [$classes:ty] $rest:ident, $unallocated:ident, $count:ident, $encodings:ident, $readings:ident: $($chapter:path),*) => {
        const $count: usize = 1 $(+ { use $chapter as chapter; chapter::ENCODINGS.len() })*;

        static $encodings: [$crate::Encoding<$classes>; $count] = {
            let mut all = [$unallocated; $count];
            let mut next = 1;
            $({
                use $chapter as chapter;
                let mut index = 0;
                while index < chapter::ENCODINGS.len() {
                    all[next] = chapter::ENCODINGS[index];
                    index += 1;
                    next += 1;
                }
            })*
            assert!(next == $count);
            all
        };

        const fn $readings<S: $semantics>() -> [$crate::Instruction<S, $classes>; $count] {
            let mut all = [$crate::Instruction { class: $unallocated.class, read: $rest::<S> }; $count];
            let mut next = 1;
            $({
                use $chapter as chapter;
                let readings = chapter::readings::<S>();
                let mut index = 0;
                while index < readings.len() {
                    all[next] = $crate::Instruction {
                        class: chapter::ENCODINGS[index].class,
                        read: readings[index],
                    };
                    index += 1;
                    next += 1;
                }
            })*
            all
        }
    };
}
