//! Pieces of programs that change the mode, or work on the stack.

use super::{Generator, Scope};
use crate::program::Item;
use socscope_arm::{LINK, Mode};

impl Generator {
    pub(super) fn mode(&mut self, scope: &Scope, budget: u64) -> (Vec<Item>, u64) {
        let mode = Mode::ALL[self.random.below(7) as usize];
        // Thumb code cannot write the status register; software interrupts use the link register of the supervisor mode.
        let by_trap = !scope.is_arm() || self.random.once_in(2);
        let masks = match self.random.below(4) {
            0 => 0xc0,
            1 => 0x80,
            2 => 0x40,
            _ => 0,
        };
        let mut inner = scope.clone();
        inner.mode = mode;
        inner.breakable = false;
        if mode == Mode::FastInterrupt {
            // Counters around are in the other bank.
            inner.counter = None;
        }
        let steps = 1 + self.random.below(6);
        let (body, cost) = self.items(&inner, steps, budget);
        let part = Item::Mode {
            mode,
            masks,
            by_trap,
            body,
        };
        (vec![part], cost + 40)
    }

    pub(super) fn stacked(&mut self, scope: &Scope, budget: u64) -> (Vec<Item>, u64) {
        let limit = if scope.is_arm() { 13 } else { 8 };
        let free: Vec<u32> = (0..limit)
            .chain(scope.is_arm().then_some(LINK))
            .filter(|register| scope.reserved >> register & 1 == 0)
            .collect();
        let count = 1 + self.random.below(free.len().min(6) as u32) as usize;
        let mut list = |from: &[u32]| {
            let mut list = 0_u32;
            while list.count_ones() < count as u32 {
                list |= 1 << from[self.random.below(from.len() as u32) as usize];
            }
            list
        };
        let (push, pop) = (list(&free), list(&free));
        let mut inner = scope.clone();
        inner.breakable = false;
        let steps = 1 + self.random.below(4);
        let (body, cost) = self.items(&inner, steps, budget);
        (vec![Item::Stacked { push, pop, body }], cost + 2)
    }

    pub(super) fn frame(&mut self, scope: &Scope, budget: u64) -> (Vec<Item>, u64) {
        let words = 1 + self.random.below(12);
        let mut inner = scope.clone();
        inner.breakable = false;
        let (mut body, mut cost) = (vec![], 2);
        for _ in 0..1 + self.random.below(4) {
            let (load, word) = (self.random.once_in(2), self.random.below(words));
            let data = self.random.below(8);
            if scope.reserved >> data & 1 == 0 {
                body.push(Item::Word(if scope.is_arm() {
                    crate::arm::access(load, data, 13, 4 * word)
                } else {
                    crate::thumb::stack_access(load, data, word)
                }));
            }
            let (items, more) = self.step(&inner, budget / 4);
            body.extend(items);
            cost += more + 1;
        }
        (vec![Item::Frame(words, body)], cost)
    }
}
