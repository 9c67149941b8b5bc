//! Makes a failing program smaller while it still fails.

use crate::program::{Item, Program};

/// What can be done to a step.
#[derive(Clone, Copy)]
enum Change {
    Remove,
    /// Its parts take its place.
    Unwrap,
    /// A loop turns half as often.
    Halve,
}

/// Tries smaller and smaller programs; `fails` is asked at most `tries` times.
pub fn shrink(program: &Program, tries: u32, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = tries;
    let mut attempt = |best: &mut Program, smaller: Program| {
        if left == 0 || smaller == *best {
            return false;
        }
        left -= 1;
        let failing = fails(&smaller);
        if failing {
            *best = smaller;
        }
        failing
    };
    loop {
        let before = best.clone();
        for function in 0..best.functions.len() {
            let mut smaller = best.clone();
            smaller.functions[function].body.clear();
            attempt(&mut best, smaller);
        }
        for change in [Change::Remove, Change::Unwrap, Change::Halve] {
            let mut number = 0;
            while let Some(smaller) = changed(&best, number, change) {
                if !attempt(&mut best, smaller) {
                    number += 1;
                }
                if number > best.size() {
                    break;
                }
            }
        }
        let mut store = 0;
        while store < best.stores.len() {
            let mut smaller = best.clone();
            smaller.stores.remove(store);
            if !attempt(&mut best, smaller) {
                store += 1;
            }
        }
        if best == before {
            return best;
        }
    }
}

/// The program with one step changed, by its number in the order of reading; none behind the last.
fn changed(program: &Program, number: usize, change: Change) -> Option<Program> {
    let mut program = program.clone();
    let mut left = number;
    let found = program
        .functions
        .iter_mut()
        .any(|function| change_in(&mut function.body, &mut left, change));
    found.then_some(program)
}

fn change_in(items: &mut Vec<Item>, left: &mut usize, change: Change) -> bool {
    for index in 0..items.len() {
        if *left == 0 {
            match (change, &mut items[index]) {
                (Change::Remove, _) => _ = items.remove(index),
                (Change::Unwrap, item) => {
                    let parts = item.parts_mut().into_iter();
                    let inner: Vec<Item> = parts.flat_map(std::mem::take).collect();
                    if inner.is_empty() {
                        return true;
                    }
                    items.splice(index..=index, inner);
                }
                (Change::Halve, Item::Loop { count, .. }) if *count > 1 => *count /= 2,
                _ => {}
            }
            return true;
        }
        *left -= 1;
        for part in items[index].parts_mut() {
            if change_in(part, left, change) {
                return true;
            }
        }
    }
    false
}
