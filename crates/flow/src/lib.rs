//! Control flow of a program and how often its loops run, found from the instructions' semantics with ranges for words.
//!
//! Calls are followed wherever they occur (virtual inlining): each calling context has blocks of its own.

mod architecture;
mod architectures;
mod blocks;
mod count;
mod discover;
mod flags;
mod given;
mod order;
mod price;
mod program;
mod range;
mod reading;
mod scan;
mod stacks;
mod state;
#[cfg(test)]
mod tests;
mod value;
mod walk;
mod words;

pub use architectures::*;
pub use blocks::{CodeState, Context, Destination, Exit, Key, Passage, Step, Trouble};
pub use count::{Analysis, Block, Loop, analyse};
pub use price::{Platform, Priced, PricedEdge, Region, price};
pub use program::{Entry, Fact, LoopBound, Program, Size, Target};
pub use range::Range;
