//! AltiVec (AltiVec Technology Programming Environments Manual): integer and floating-point instructions, permutations, loads
//! and stores.

pub(super) mod arithmetic;
pub(super) mod compute;
pub(super) mod float;
pub(super) mod load_store;
mod multiply;
mod pack;
pub(super) mod permute;
pub(super) mod rearrange;

pub use compute::{Comparison, Computed, Operation, Overflow, Shift, compute};
pub use float::{Calculation, FloatComparison};
pub use multiply::Products;

use super::load_store::illegal;
use super::{Exception, PowerPcSemantics};

/// SAT of the vector status: a result did not fit.
pub const SATURATED: u32 = 1;
/// Bits of the vector status that exist: NJ and SAT.
pub const STATUS_BITS: u32 = 0x0001_0001;

/// Does what `body` says, or traps while AltiVec is not available or does not exist.
fn vectorial<S: PowerPcSemantics>(s: &mut S, body: impl FnOnce(&mut S)) {
    if !s.model().has_vectors() {
        return illegal(s);
    }
    let available = s.vector_available();
    let absent = s.flag_not(available);
    s.when(available, body);
    s.when(absent, |s| s.exception(Exception::VectorUnavailable));
}

fn three<S: PowerPcSemantics>(s: &mut S, operation: Operation, d: u32, a: u32, b: u32, c: u32) {
    vectorial(s, |s| {
        let operands = [
            s.vector_register(a),
            s.vector_register(b),
            s.vector_register(c),
        ];
        let result = s.vector_arithmetic(operation, operands);
        s.set_vector_register(d, result);
    });
}

fn two<S: PowerPcSemantics>(s: &mut S, operation: Operation, d: u32, a: u32, b: u32) {
    three(s, operation, d, a, b, b);
}

fn one<S: PowerPcSemantics>(s: &mut S, operation: Operation, d: u32, b: u32) {
    three(s, operation, d, b, b, b);
}
