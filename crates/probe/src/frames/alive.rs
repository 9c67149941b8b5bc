//! Frames by function and stack pointer. Of most functions there are few at a time: one for each task, one for each level of a recursion.

use super::{Frame, FrameKey};
use crate::functions::FunctionId;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::collections::BTreeMap;

/// Frames of one function that stand in one row.
const ROW_MAX: usize = 32;

/// The frames of one function.
enum Column {
    /// By falling stack pointer: those that come are mostly the lowest.
    Row(Vec<Frame>),
    /// More than a row holds, by stack pointer.
    Tree(BTreeMap<u32, Frame>),
}

impl Column {
    fn get(&self, sp: u32) -> Option<&Frame> {
        match self {
            Column::Row(row) => row.iter().rev().find(|frame| frame.key.1 == sp),
            Column::Tree(tree) => tree.get(&sp),
        }
    }

    /// Adds a frame, in place of the one with its stack pointer; whether there was none.
    fn insert(&mut self, frame: Frame) -> bool {
        let sp = frame.key.1;
        let row = match self {
            Column::Tree(tree) => return tree.insert(sp, frame).is_none(),
            Column::Row(row) => row,
        };
        let place = row.partition_point(|other| other.key.1 > sp);
        match row.get_mut(place) {
            Some(same) if same.key.1 == sp => {
                *same = frame;
                return false;
            }
            _ => row.insert(place, frame),
        }
        if row.len() > ROW_MAX {
            let frames = row.drain(..).map(|frame| (frame.key.1, frame));
            *self = Column::Tree(frames.collect());
        }
        true
    }

    fn remove(&mut self, sp: u32) -> bool {
        let row = match self {
            Column::Tree(tree) => return tree.remove(&sp).is_some(),
            Column::Row(row) => row,
        };
        let place = row.iter().rposition(|frame| frame.key.1 == sp);
        place.map(|place| row.remove(place)).is_some()
    }

    fn nearest(&self, first: u32, last: u32) -> Option<&Frame> {
        match self {
            Column::Tree(tree) => tree.range(first..=last).next().map(|(_, frame)| frame),
            Column::Row(row) => {
                let mut rising = row.iter().rev();
                let found = rising.find(|frame| frame.key.1 >= first);
                found.filter(|frame| frame.key.1 <= last)
            }
        }
    }
}

/// Frames by their keys.
#[derive(Default)]
pub(super) struct Alive {
    columns: IndexMap<FunctionId, Column, FxBuildHasher>,
    count: usize,
}

impl Alive {
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn clear(&mut self) {
        self.columns.clear();
        self.count = 0;
    }

    #[inline]
    pub fn get(&self, (function, sp): &FrameKey) -> Option<&Frame> {
        self.columns.get(function)?.get(*sp)
    }

    pub fn contains_key(&self, key: &FrameKey) -> bool {
        self.get(key).is_some()
    }

    /// Adds a frame, in place of the one with its key; whether there was none.
    pub fn insert(&mut self, frame: Frame) -> bool {
        let empty = || Column::Row(vec![]);
        let column = self.columns.entry(frame.key.0).or_insert_with(empty);
        let is_new = column.insert(frame);
        self.count += usize::from(is_new);
        is_new
    }

    /// Removes a frame; whether there was one.
    pub fn remove(&mut self, (function, sp): &FrameKey) -> bool {
        let column = self.columns.get_mut(function);
        let found = column.is_some_and(|column| column.remove(*sp));
        self.count -= usize::from(found);
        found
    }

    /// The frame of a function with the lowest stack pointer from `first` to `last`.
    pub fn nearest(&self, function: FunctionId, first: u32, last: u32) -> Option<&Frame> {
        self.columns.get(&function)?.nearest(first, last)
    }

    /// All frames.
    pub fn sorted(&self) -> BTreeMap<FrameKey, Frame> {
        let mut all = BTreeMap::new();
        for column in self.columns.values() {
            match column {
                Column::Row(row) => all.extend(row.iter().map(|frame| (frame.key, *frame))),
                Column::Tree(tree) => all.extend(tree.values().map(|frame| (frame.key, *frame))),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contexts::{Entry, NodeIndex};
    use proptest::prelude::*;

    fn frame(function: i64, sp: u32, node: u32) -> Frame {
        Frame {
            key: (FunctionId(function), sp),
            node: NodeIndex(node),
            entry: Entry::Call,
            caller: None,
            return_address: 0,
            return_sp: sp,
            plain: true,
        }
    }

    proptest! {
        #[test]
        fn it_is_a_sorted_map(steps in prop::collection::vec((0_u8..4, 0_i64..3, 0_u32..60), 1..400)) {
            let (mut alive, mut map) = (Alive::default(), BTreeMap::new());
            for (number, (kind, function, sp)) in steps.into_iter().enumerate() {
                let key = (FunctionId(function), sp);
                match kind {
                    0 | 1 => {
                        let one = frame(function, sp, number as u32);
                        prop_assert_eq!(alive.insert(one), map.insert(key, one).is_none());
                    }
                    2 => prop_assert_eq!(alive.remove(&key), map.remove(&key).is_some()),
                    _ => {
                        prop_assert_eq!(alive.get(&key), map.get(&key));
                        let last = (FunctionId(function), sp + 9);
                        let nearest = map.range(key..=last).next().map(|(_, frame)| frame);
                        prop_assert_eq!(alive.nearest(key.0, sp, sp + 9), nearest);
                    }
                }
                prop_assert_eq!(alive.len(), map.len());
            }
            prop_assert_eq!(alive.sorted(), map);
        }
    }
}
