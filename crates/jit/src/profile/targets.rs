//! Which functions computed addresses lie in, looked up by translated code itself.

use crate::entries::place;
use crate::shared::filter_constant;
use socscope_core::{ExecutionState, Ranges};
use std::mem::offset_of;

/// Addresses that are remembered.
pub(crate) const COUNT: usize = 1 << 10;
/// Bytes from one entry to the next, as a power of two.
pub(crate) const SHIFT: u32 = size_of::<Target>().trailing_zeros();
/// Offsets of the fields.
pub(crate) const ADDRESS: i32 = offset_of!(Target, address) as i32;
pub(crate) const CONSTANT: i32 = offset_of!(Target, constant) as i32;
pub(crate) const FUNCTION: i32 = offset_of!(Target, function) as i32;
/// Beside the constant: the address is the function's first.
pub(crate) const STARTS: u32 = 1 << 31;
/// No instruction lies at an odd address.
const NOWHERE: u32 = 1;

#[derive(Clone, Copy)]
#[repr(C)]
struct Target {
    address: u32,
    /// What frames of the function are filtered with, and [`STARTS`].
    constant: u32,
    function: i64,
}

const UNKNOWN: Target = Target {
    address: NOWHERE,
    constant: 0,
    function: 0,
};

/// The table.
pub(crate) struct Targets(Box<[Target; COUNT]>);

impl Targets {
    pub fn new() -> Targets {
        Targets(Box::new([UNKNOWN; COUNT]))
    }

    /// Its address, which never changes.
    pub fn location(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// Remembers an address.
    pub fn learn(&mut self, address: u32, state: ExecutionState, functions: &dyn Ranges) {
        let known = &mut self.0[place(address, COUNT)];
        if known.address == address {
            return;
        }
        let Some((start, _, function)) = functions.range_of(state, address) else {
            return;
        };
        let starts = if start == address { STARTS } else { 0 };
        *known = Target {
            address,
            constant: filter_constant(function) | starts,
            function,
        };
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.fill(UNKNOWN);
    }
}
