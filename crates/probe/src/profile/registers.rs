//! Accesses of device registers, counted by their kind.

use super::RegisterAccess;
use std::collections::BTreeMap;

/// The counts. What is polled is accessed again and again: the kind that was counted last is not searched.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegisterCounts {
    places: BTreeMap<RegisterAccess, usize>,
    counts: Vec<u64>,
    last: Option<(RegisterAccess, usize)>,
}

impl RegisterCounts {
    /// Kinds that are told apart.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// The count of a kind that was counted before.
    #[inline]
    pub fn known(&mut self, access: RegisterAccess) -> Option<&mut u64> {
        let place = match self.last {
            Some((last, place)) if last == access => place,
            _ => {
                let place = *self.places.get(&access)?;
                self.last = Some((access, place));
                place
            }
        };
        self.counts.get_mut(place)
    }

    /// Counts a kind once more, or for the first time.
    pub fn add(&mut self, access: RegisterAccess) {
        if let Some(count) = self.known(access) {
            *count += 1;
            return;
        }
        self.places.insert(access, self.counts.len());
        self.counts.push(1);
    }

    /// All counts.
    pub fn all(&self) -> BTreeMap<RegisterAccess, u64> {
        let counted = self.places.iter();
        counted
            .map(|(&access, &place)| (access, self.counts[place]))
            .collect()
    }
}

impl From<BTreeMap<RegisterAccess, u64>> for RegisterCounts {
    fn from(all: BTreeMap<RegisterAccess, u64>) -> RegisterCounts {
        RegisterCounts {
            places: all.keys().copied().zip(0..).collect(),
            counts: all.into_values().collect(),
            last: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contexts::NodeIndex;
    use socscope_memory::Direction;

    #[test]
    fn kinds_that_take_turns_keep_their_counts() {
        let access = |offset, direction| RegisterAccess {
            node: NodeIndex(0),
            device: 1,
            offset,
            direction,
        };
        let (read, write) = (access(4, Direction::Read), access(4, Direction::Write));
        let mut counts = RegisterCounts::default();
        for one in [read, read, write, read, write] {
            counts.add(one);
        }
        assert_eq!(counts.len(), 2);
        let all = BTreeMap::from([(read, 3), (write, 2)]);
        assert_eq!(counts.all(), all);
        let mut again = RegisterCounts::from(all.clone());
        assert_eq!(again.all(), all);
        again.add(write);
        assert_eq!(again.known(write), Some(&mut 3));
        assert_eq!(again.known(access(8, Direction::Read)), None);
    }
}
