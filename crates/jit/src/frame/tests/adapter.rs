//! What the toy adds to the frame: as little as an architecture can.

use super::toy::{
    LINK, Operation, REGISTERS, STACK, Toy, ToySemantics, decode, fetch, footprint, read, step,
};
use crate::code::Word;
use crate::frame::{Adapter, Emitter, Flavour, Planned, State, Stepped};
use cranelift_codegen::ir::Value;
use cranelift_frontend::FunctionBuilder;
use socscope_core::{ExecutionState, Observer};
use socscope_isa::{StaticCycleModel, Values};
use socscope_memory::{Access, Bus, Endianness, Width};
use std::mem::offset_of;

pub(super) struct ToyAdapter;

/// What its code works on.
#[repr(C)]
pub(super) struct ToyState {
    registers: [u32; REGISTERS],
    saved: u32,
}

// SAFETY: integers, the registers first.
unsafe impl State for ToyState {}

/// There is only one machine state.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Always;

impl Flavour for Always {
    fn bits(self) -> u32 {
        0
    }
    fn execution_state(self) -> ExecutionState {
        ExecutionState::default()
    }
}

/// It has nothing of that.
#[derive(Clone, Copy)]
pub(super) enum Never {}

impl Adapter for ToyAdapter {
    type Class = ();
    type Exception = ();
    type Core = Toy;
    type Mmu = ();
    type Model = ();
    type Flavour = Always;
    type State = ToyState;
    type Flags = ();
    type Declared = ();
    type Change = Never;

    const REGISTERS: usize = REGISTERS;
    const STACK: u32 = STACK;
    const UNALIGNED: bool = false;
    const LENGTHS: &'static [Width] = &[Width::Half, Width::Word];

    fn fetch<B: Bus>(bus: &mut B, address: u32) -> Option<(Access, Width)> {
        fetch(bus, address)
    }

    fn plan(address: u32, word: u32, width: Width, _told: bool) -> Planned<()> {
        Planned::of(&footprint(address, word), (address, word, width), (), LINK)
    }

    fn is_call(_address: u32, word: u32, _width: Width) -> bool {
        decode(word).0 == Operation::Call
    }

    fn model(_core: &Toy) {}

    fn order((): ()) -> Endianness {
        Endianness::Little
    }

    fn flavour(_core: &Toy) -> Option<Always> {
        Some(Always)
    }

    fn take(state: &mut ToyState, core: &mut Toy) {
        state.registers = core.registers;
        state.saved = core.saved;
    }

    fn give(state: &ToyState, core: &mut Toy, address: u32) {
        core.registers = state.registers;
        core.next = address;
    }

    fn is_interrupted<B: Bus>(_core: &mut Toy, bus: &B, _cycle: u64) -> bool {
        bus.irq()
    }

    fn has_waiting_interrupt<B: Bus>(_core: &Toy, bus: &B) -> bool {
        bus.irq()
    }

    fn lets_interrupts_through(_state: &ToyState) -> bool {
        true
    }

    fn step<B: Bus, M: StaticCycleModel<()>, O: Observer>(
        core: &mut Toy,
        _mmu: &mut (),
        bus: &mut B,
        model: &mut M,
        observer: &mut O,
        cycle: u64,
    ) -> Stepped {
        step(core, bus, model, observer, cycle)
    }

    fn declare(_builder: &mut FunctionBuilder) {}

    fn read<M: StaticCycleModel<()>>(
        emitter: &mut Emitter<ToyAdapter, M>,
        word: u32,
        _width: Width,
    ) {
        read(emitter, word);
    }

    fn target<M: StaticCycleModel<()>>(emitter: &mut Emitter<ToyAdapter, M>, to: Word) -> Word {
        emitter.and(to, Word::Constant(!1))
    }

    fn change<M: StaticCycleModel<()>>(
        _emitter: &mut Emitter<ToyAdapter, M>,
        change: Never,
    ) -> Value {
        match change {}
    }
}

impl<M: StaticCycleModel<()>> ToySemantics for Emitter<'_, ToyAdapter, M> {
    fn register(&mut self, index: u32) -> Word {
        self.register_word(index)
    }
    fn set_register(&mut self, index: u32, value: Word) {
        self.write_word(index, value);
    }
    fn saved(&mut self) -> Word {
        Word::Value(self.code.load_word(offset_of!(ToyState, saved) as i32))
    }
}
