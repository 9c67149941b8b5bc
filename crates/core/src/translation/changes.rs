//! What changed in the translation buffers, for those who derive tables from them.

use super::TRANSLATION_CLASSES;

const WORDS: usize = TRANSLATION_CLASSES / 64;

/// Classes of pages of which translation buffers no longer say what they said: what was derived from them is to be dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Entries for instructions: bit `class % 64` of word `class / 64`.
    pub instruction: [u64; WORDS],
    /// Entries for data.
    pub data: [u64; WORDS],
    any: bool,
}

impl Changes {
    /// Everything: segments, blocks or modes of translation changed.
    pub const ALL: Changes = Changes {
        instruction: [u64::MAX; WORDS],
        data: [u64::MAX; WORDS],
        any: true,
    };

    /// Whether nothing changed.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        !self.any
    }

    /// Classes whose bits are set in one of the two sides.
    pub fn classes(side: &[u64; WORDS]) -> impl Iterator<Item = usize> + '_ {
        let bits = |mut word: u64| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(bit)
            })
        };
        let places = side.iter().enumerate();
        places.flat_map(move |(place, &word)| bits(word).map(move |bit| place * 64 + bit))
    }

    pub(super) fn add(&mut self, fetching: bool, class: usize) {
        let side = if fetching {
            &mut self.instruction
        } else {
            &mut self.data
        };
        side[class / 64] |= 1 << (class % 64);
        self.any = true;
    }
}
