//! The architectures whose programs are analysed.

pub use crate::arm::Arm;
use crate::count::{Analysis, analyse};
use crate::plain::PlainFlow;
pub use crate::powerpc::PowerPc;
use crate::program::{Entry, Program};

/// The toy needs nothing of its own here.
pub type Toy = PlainFlow<socscope_toy::Toy>;

/// Analyses from an entry on; nothing where its mode is none of the architecture's.
pub type Analyse = fn(&Program, &Entry) -> Option<Analysis>;

/// All of them, by name.
pub const ARCHITECTURES: [(&str, Analyse); 3] = [
    ("arm", analyse::<Arm>),
    ("powerpc", analyse::<PowerPc>),
    ("toy", analyse::<Toy>),
];
