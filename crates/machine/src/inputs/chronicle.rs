//! A list that only grows, whose copies share what they have in common, and which keeps its beginning and its end when it gets too long.

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::marker::PhantomData;
use std::sync::Arc;

/// Entries that are shared between copies.
const CHUNK: usize = 1024;

/// More entries than any run can have.
const LEFT_OUT_MAX: usize = 1 << 48;

/// Entries in the order of their coming, numbered from 0. Of more than about `KEPT` the first half of these and the last are kept: what a guest
/// makes without end does not fill the host's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chronicle<T, const KEPT: usize> {
    full: Vec<Arc<Vec<T>>>,
    tail: Vec<T>,
    left_out: usize,
}

impl<T, const KEPT: usize> Default for Chronicle<T, KEPT> {
    fn default() -> Chronicle<T, KEPT> {
        Chronicle {
            full: vec![],
            tail: vec![],
            left_out: 0,
        }
    }
}

impl<T, const KEPT: usize> Chronicle<T, KEPT> {
    /// Chunks of the beginning that are kept, and as many of the end.
    const HALF: usize = KEPT.div_ceil(2 * CHUNK);

    /// How many entries have come.
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.tail.len() + self.left_out
    }

    /// Whether none has come.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entries are not kept; they lie between the first that are and the last.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The number of the first entry that is not kept, if there is one: as many behind it are not either.
    pub fn gap(&self) -> Option<usize> {
        (self.left_out > 0).then_some(Self::HALF * CHUNK)
    }

    /// All entries that are kept.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.iter_from(0).map(|(_, entry)| entry)
    }

    /// The entries that are kept, from this number on, with their numbers.
    pub fn iter_from(&self, first: usize) -> impl Iterator<Item = (usize, &T)> {
        let number = move |place: usize| match place >= Self::HALF * CHUNK {
            true => place + self.left_out,
            false => place,
        };
        // What lies in the gap begins behind it.
        let head = first.min(Self::HALF * CHUNK);
        let place = head.max(first.saturating_sub(self.left_out));
        let chunk = (place / CHUNK).min(self.full.len());
        let full = self.full[chunk..].iter().flat_map(|chunk| chunk.iter());
        let entries = full.chain(&self.tail).enumerate();
        let entries = entries.map(move |(at, entry)| (at + chunk * CHUNK, entry));
        entries
            .skip(place - chunk * CHUNK)
            .map(move |(place, entry)| (number(place), entry))
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: T) {
        self.tail.push(entry);
        if self.tail.len() == CHUNK {
            self.full.push(Arc::new(std::mem::take(&mut self.tail)));
            if self.full.len() > 2 * Self::HALF {
                self.full.remove(Self::HALF);
                self.left_out += CHUNK;
            }
        }
    }

    /// Of a chronicle that was written down, so many were not kept. Whether that can be.
    pub(crate) fn set_left_out(&mut self, left_out: usize) -> bool {
        let full = self.full.len() == 2 * Self::HALF;
        let fits = left_out.is_multiple_of(CHUNK) && left_out <= LEFT_OUT_MAX;
        let fits = left_out == 0 || full && fits;
        if fits {
            self.left_out = left_out;
        }
        fits
    }
}

impl<T, const KEPT: usize> Extend<T> for Chronicle<T, KEPT> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }
}

impl<T: Serialize, const KEPT: usize> Serialize for Chronicle<T, KEPT> {
    /// A list of what is kept.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq;
        let mut sequence = serializer.serialize_seq(Some(self.len() - self.left_out))?;
        for entry in self.iter() {
            sequence.serialize_element(entry)?;
        }
        sequence.end()
    }
}

impl<'de, T: Deserialize<'de>, const KEPT: usize> Deserialize<'de> for Chronicle<T, KEPT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Chronicle<T, KEPT>, D::Error> {
        struct Entries<T, const KEPT: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>, const KEPT: usize> Visitor<'de> for Entries<T, KEPT> {
            type Value = Chronicle<T, KEPT>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
                let mut chronicle = Chronicle::default();
                while let Some(entry) = entries.next_element()? {
                    chronicle.push(entry);
                }
                Ok(chronicle)
            }
        }
        deserializer.deserialize_seq(Entries(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Short = Chronicle<usize, 4096>;

    #[test]
    fn a_copy_keeps_what_it_has() {
        let mut chronicle = Short::default();
        chronicle.extend(0..3000);
        let copy = chronicle.clone();
        chronicle.push(3000);
        assert_eq!((copy.len(), chronicle.len()), (3000, 3001));
        assert!(copy.iter().copied().eq(0..3000));
        for first in [0, 1, 1023, 1024, 2048, 2999, 3000, 5000] {
            let from = copy.iter_from(first);
            assert!(
                from.eq((first.min(3000)..3000).map(|number| (number, copy.at(number)))),
                "{first}"
            );
        }
    }

    impl Short {
        fn at(&self, number: usize) -> &usize {
            self.iter().nth(number).unwrap()
        }
    }

    #[test]
    fn of_very_many_the_first_and_the_last_are_kept() {
        let mut chronicle = Short::default();
        assert_eq!(chronicle.gap(), None);
        for number in 0..100_000 {
            chronicle.push(number);
            let kept = chronicle.iter_from(0);
            if number % 4999 == 0 {
                assert!(kept.into_iter().all(|(number, entry)| number == *entry));
            }
        }
        assert_eq!(chronicle.len(), 100_000);
        let kept: Vec<usize> = chronicle.iter().copied().collect();
        assert_eq!(kept.len() + chronicle.left_out(), 100_000);
        assert!(kept.len() >= 4096 && kept.len() < 4096 + CHUNK);
        assert_eq!(chronicle.gap(), Some(2048));
        assert_eq!(kept[2047], 2047);
        assert_eq!(kept[2048], 2048 + chronicle.left_out());
        assert_eq!(kept.last(), Some(&99_999));
        for first in [0, 2047, 2048, 50_000, 99_000, 99_999, 100_000] {
            let expected = kept.iter().copied().filter(|&number| number >= first);
            assert!(
                chronicle
                    .iter_from(first)
                    .eq(expected.zip(kept.iter()).map(|(number, _)| {
                        let place = kept.binary_search(&number).unwrap();
                        (number, &kept[place])
                    })),
                "{first}"
            );
        }
    }

    #[test]
    fn it_is_written_down_as_a_list() {
        let mut chronicle = Short::default();
        chronicle.extend(0..2000);
        let bytes = postcard::to_allocvec(&chronicle).unwrap();
        let list: Vec<usize> = postcard::from_bytes(&bytes).unwrap();
        assert!(list.into_iter().eq(0..2000));
        assert_eq!(postcard::from_bytes::<Short>(&bytes).unwrap(), chronicle);
        // A long one goes on as if it had not been written down.
        chronicle.extend(2000..9500);
        let bytes = postcard::to_allocvec(&chronicle).unwrap();
        let mut copy: Short = postcard::from_bytes(&bytes).unwrap();
        assert!(copy.set_left_out(chronicle.left_out()));
        assert!(!copy.set_left_out(1) && !copy.set_left_out(usize::MAX - 1023));
        assert!(!Short::default().set_left_out(CHUNK));
        for number in 9500..20_000 {
            assert_eq!(copy, chronicle);
            copy.push(number);
            chronicle.push(number);
        }
    }
}
