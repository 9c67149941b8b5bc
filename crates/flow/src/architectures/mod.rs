//! The architectures whose programs are analysed: what the analysis asks each of them.

mod arm;
mod plain;
mod powerpc;

pub use arm::Arm;
pub use powerpc::PowerPc;

use crate::count::{Analysis, analyse};
use crate::price::{Platform, Priced, price};
use crate::program::{Entry, Program};
use plain::PlainFlow;
use socscope_arm::timing::Arm7Tdmi;

/// The toy needs nothing of its own here.
pub type Toy = PlainFlow<socscope_toy::Toy>;

/// An architecture whose programs are analysed.
#[derive(Clone, Copy, Debug)]
pub struct Analysed {
    /// Its name.
    pub name: &'static str,
    /// Analyses from an entry on; nothing where its mode is none of the architecture's.
    pub analyse: fn(&Program, &Entry) -> Option<Analysis>,
    /// Prices with the cycles of its own timing model, where it has one.
    pub price: Option<fn(&Analysis, &Platform) -> Priced>,
}

/// All of them.
pub const ARCHITECTURES: [Analysed; 3] = [
    Analysed {
        name: "arm",
        analyse: analyse::<Arm>,
        price: Some(|analysis, platform| price(analysis, platform, &Arm7Tdmi::default())),
    },
    Analysed {
        name: "powerpc",
        analyse: analyse::<PowerPc>,
        price: None,
    },
    Analysed {
        name: "toy",
        analyse: analyse::<Toy>,
        price: None,
    },
];
