//! What the frame asks of a plain architecture.

use crate::code::Word;
use crate::frame::{
    Adapter, Emitter, Ended, Fetched, Flavour, Flow, Planned, REGISTERS_MAX, State, Stepped,
};
use cranelift_frontend::FunctionBuilder;
use socscope_core::plain::{Outcome, Plain, PlainCore, first_unit, footprint, step, width};
use socscope_core::{ExecutionState, Observer};
use socscope_isa::{CycleClass, PlainSemantics, StaticCycleModel, Values};
use socscope_memory::{Access, Bus, Direction, Endianness, Width};
use std::marker::PhantomData;

/// A plain architecture on the frame.
pub(crate) struct Plainly<A>(PhantomData<A>);

/// The slots; those that an architecture does not have are not used.
#[repr(C)]
pub(crate) struct Slots([u32; REGISTERS_MAX]);

// SAFETY: integers, the slots first.
unsafe impl State for Slots {}

/// Code is made for all states alike.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct AnyState;

impl Flavour for AnyState {
    const BITS: u32 = 0;

    fn bits(self) -> u32 {
        0
    }
    fn execution_state(self) -> ExecutionState {
        ExecutionState::default()
    }
}

/// The status is only changed by the interpreter.
#[derive(Clone, Copy)]
pub(crate) enum Never {}

impl<A: Plain> Adapter for Plainly<A> {
    type Class = CycleClass;
    type Exception = u8;
    type Core = PlainCore<A>;
    type Mmu = ();
    type Model = A;
    type Flavour = AnyState;
    type State = Slots;
    type Flags = ();
    type Declared = ();
    type Change = Never;

    const REGISTERS: usize = size_of::<A::Words>() / size_of::<u32>();
    const STACK: u32 = A::STACK;
    // Addresses are rounded down.
    const UNALIGNED: bool = false;
    const LENGTHS: &'static [Width] = match A::UNIT {
        Width::Word => &[Width::Word],
        _ => &[Width::Half, Width::Word],
    };

    fn fetch<B: Bus>(bus: &mut B, _flavour: AnyState, address: u32) -> Option<(Access, Width)> {
        let first = bus.fetch(address, A::UNIT).ok()?;
        let width = width::<A>(first.value);
        if width == A::UNIT {
            return Some((first, width));
        }
        let rest = address.wrapping_add(A::UNIT.bytes());
        let rest = bus.fetch(rest, A::UNIT).ok()?;
        let value = first.value << A::UNIT.bits() | rest.value;
        (rest.region == first.region).then_some((Access { value, ..first }, width))
    }

    fn fetches(bytes: u32) -> u32 {
        bytes / A::UNIT.bytes()
    }

    fn plan(fetched: &Fetched<AnyState>, _told: bool) -> Planned<CycleClass> {
        let &Fetched {
            address,
            word,
            width,
            ..
        } = fetched;
        let found = footprint::<A>(address, word, width);
        let class = A::encoding(first_unit::<A>(word, width)).class;
        let planned = Planned::of(&found, (address, word, width), class, A::LINK);
        // Something may refuse an access behind a store, which would then be done twice.
        let stores = found.accesses.iter();
        let mut stores = stores.filter(|access| access.direction == Direction::Write);
        let twice = found.accesses.len() > 1 && stores.next().is_some();
        match twice || found.mark.is_some() || found.writes.contains(A::STATUS) {
            true => Planned {
                flow: Flow::Left,
                ..planned
            },
            false => planned,
        }
    }

    fn is_call(fetched: &Fetched<AnyState>) -> bool {
        Plainly::<A>::plan(fetched, false).links
    }

    fn model(core: &PlainCore<A>) -> A {
        core.model
    }

    fn order(model: A) -> Endianness {
        model.endianness()
    }

    fn flavour(_core: &PlainCore<A>) -> Option<AnyState> {
        Some(AnyState)
    }

    fn take(state: &mut Slots, core: &mut PlainCore<A>) {
        for (slot, word) in (0..).zip(&mut state.0[..Self::REGISTERS]) {
            *word = core.slot(slot);
        }
    }

    fn give(state: &Slots, core: &mut PlainCore<A>, address: u32, _flavour: AnyState) {
        for (slot, &word) in (0..).zip(&state.0[..Self::REGISTERS]) {
            core.set_slot(slot, word);
        }
        core.set_program_counter(address);
    }

    fn is_interrupted<B: Bus>(core: &mut PlainCore<A>, bus: &B, _cycle: u64) -> bool {
        bus.irq() && A::takes_interrupts(core.slot(A::STATUS))
    }

    fn has_waiting_interrupt<B: Bus>(_core: &PlainCore<A>, bus: &B) -> bool {
        bus.irq()
    }

    fn lets_interrupts_through(state: &Slots) -> bool {
        A::takes_interrupts(state.0[A::STATUS as usize])
    }

    fn step<B: Bus, M: StaticCycleModel, O: Observer>(
        core: &mut PlainCore<A>,
        _mmu: &mut (),
        bus: &mut B,
        model: &mut M,
        observer: &mut O,
        cycle: u64,
    ) -> Stepped {
        let step = step(core, bus, model, observer, cycle);
        Stepped {
            cycles: step.cycles,
            ended: (step.outcome == Outcome::Waits).then_some(Ended::Asleep),
        }
    }

    fn declare(_builder: &mut FunctionBuilder) {}

    fn read<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>, word: u32, width: Width) {
        (A::instruction(first_unit::<A>(word, width)).read)(emitter, word);
    }

    fn target<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>, address: Word) -> Word {
        let unit = A::UNIT.bytes() - 1;
        emitter.and(address, Word::Constant(!unit))
    }
}

impl<A: Plain, M: StaticCycleModel> PlainSemantics for Emitter<'_, Plainly<A>, M> {
    fn slot(&mut self, slot: u32) -> Word {
        self.register_word(slot)
    }
    fn set_slot(&mut self, slot: u32, value: Word) {
        match slot == A::STATUS {
            true => self.beyond(),
            false => self.write_word(slot, value),
        }
    }
    fn return_to(&mut self, _target: Word) {
        self.beyond();
    }
    fn wait(&mut self) {
        self.beyond();
    }
}
