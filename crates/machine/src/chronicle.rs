//! A list that only grows, and whose copies share what they have in common.

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::marker::PhantomData;
use std::sync::Arc;

/// Entries that are shared between copies.
const CHUNK: usize = 1024;

/// Entries in the order of their coming.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chronicle<T> {
    full: Vec<Arc<Vec<T>>>,
    tail: Vec<T>,
}

impl<T> Default for Chronicle<T> {
    fn default() -> Chronicle<T> {
        Chronicle {
            full: vec![],
            tail: vec![],
        }
    }
}

impl<T> Chronicle<T> {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.tail.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.iter_from(0)
    }

    /// The entries from this number on, counted from 0.
    pub fn iter_from(&self, first: usize) -> impl Iterator<Item = &T> {
        let chunk = (first / CHUNK).min(self.full.len());
        let full = self.full[chunk..].iter().flat_map(|chunk| chunk.iter());
        full.chain(&self.tail).skip(first - chunk * CHUNK)
    }

    /// Adds an entry.
    pub(crate) fn push(&mut self, entry: T) {
        self.tail.push(entry);
        if self.tail.len() == CHUNK {
            self.full.push(Arc::new(std::mem::take(&mut self.tail)));
        }
    }
}

impl<T> Extend<T> for Chronicle<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }
}

impl<T: Serialize> Serialize for Chronicle<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq;
        let mut sequence = serializer.serialize_seq(Some(self.len()))?;
        for entry in self.iter() {
            sequence.serialize_element(entry)?;
        }
        sequence.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Chronicle<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Chronicle<T>, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Chronicle<T>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut entries: A,
            ) -> Result<Chronicle<T>, A::Error> {
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

    #[test]
    fn a_copy_keeps_what_it_has() {
        let mut chronicle = Chronicle::default();
        chronicle.extend(0..3000);
        let copy = chronicle.clone();
        chronicle.push(3000);
        assert_eq!((copy.len(), chronicle.len()), (3000, 3001));
        assert!(copy.iter().copied().eq(0..3000));
        for first in [0, 1, 1023, 1024, 2048, 2999, 3000, 5000] {
            assert!(
                copy.iter_from(first).copied().eq(first.min(3000)..3000),
                "{first}"
            );
        }
    }

    #[test]
    fn it_is_written_down_as_a_list() {
        let mut chronicle = Chronicle::default();
        chronicle.extend(0..2000u32);
        let bytes = postcard::to_allocvec(&chronicle).unwrap();
        let list: Vec<u32> = postcard::from_bytes(&bytes).unwrap();
        assert!(list.into_iter().eq(0..2000));
        assert_eq!(
            postcard::from_bytes::<Chronicle<u32>>(&bytes).unwrap(),
            chronicle
        );
    }
}
