//! What an instruction of a plain architecture may touch.

use super::{Plain, first_unit};
use socscope_isa::{Footprint, FootprintReading, Footprinted, Known, Slots};
use socscope_memory::Width;
use std::marker::PhantomData;

/// An architecture, for the reading of footprints.
#[derive(Debug)]
pub struct PlainFootprint<A>(PhantomData<A>);

impl<A: Plain> Footprinted for PlainFootprint<A> {
    type Exception = u8;

    fn enter(reading: &mut FootprintReading<PlainFootprint<A>>) {
        let back = Known::Mixed(Slots::NONE);
        A::enter(reading, A::FAULT, back);
    }
}

/// What the instruction `word` of `width` at `address` may touch.
pub fn footprint<A: Plain>(address: u32, word: u32, width: Width) -> Footprint {
    let mut reading = FootprintReading::new(PlainFootprint::<A>(PhantomData), address);
    (A::instruction(first_unit::<A>(word, width)).read)(&mut reading, word);
    reading.found
}
