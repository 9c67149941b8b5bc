//! What the frame asks an architecture.

use super::context::{OWN_HELPERS, OwnHelper};
use super::emit::Emitter;
use super::engine::Ended;
use super::key::Flavour;
use super::plan::{Fetched, INSTRUCTIONS_MAX, Planned};
use super::tables::Tables;
use crate::code::{Flag, Word};
use crate::memories::Memories;
use cranelift_codegen::ir::Block;
use cranelift_frontend::FunctionBuilder;
use socscope_core::{Core, ExecutionState, Observer, Purpose};
use socscope_isa::{Operands, StaticCycleModel};
use socscope_memory::{Access, Bus, Endianness, Width};

/// What the interpreter did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stepped {
    /// Cycles taken.
    pub cycles: u64,
    /// Why the core executes nothing any more, if it does not.
    pub ended: Option<Ended>,
}

/// The registers of a core as translated code works on them, right at every exit.
///
/// # Safety
/// It is `repr(C)`, aligned to 8 bytes at the most, begins with [`Adapter::REGISTERS`] words, and memory of zeros is a value of it.
pub(crate) unsafe trait State {}

/// An architecture. Functions that take an [`Emitter`] make code, the others run.
pub(crate) trait Adapter: Sized + 'static {
    /// Cycle classes of its encodings.
    type Class: Copy;
    /// What an instruction can raise.
    type Exception: Copy + PartialEq;
    /// A core.
    type Core: Core;
    /// Its translation of addresses; `()` where they are those of the bus.
    type Mmu;
    /// What code is made for, in all states: the core's model.
    type Model: Copy + PartialEq;
    /// The machine state that code is made for.
    type Flavour: Flavour;
    /// Registers and flags.
    type State: State;
    /// What is known of flags while code is made.
    type Flags: Clone + Default;
    /// What a translation declares beside registers: variables for flags, signatures of calls.
    type Declared;
    /// How an instruction may change the machine state and go on in code for the new one.
    type Change: Copy;

    /// Words at the beginning of the state that live in values, [`super::emit::REGISTERS_MAX`] at the most.
    const REGISTERS: usize;
    /// Which of them is the stack pointer.
    const STACK: u32;
    /// Whether loads and stores at any address are one access.
    const UNALIGNED: bool;
    /// Lengths of instructions, short ones first.
    const LENGTHS: &'static [Width] = &[Width::Word];
    /// Longer translations are chained to by others, which would repeat them else.
    const REPEATED_MAX: usize = INSTRUCTIONS_MAX / 2;
    /// Registers that ways out bring to the context; more are brought there before. None at all: flags are brought there before, too.
    const DIRTY_MAX: u32 = 8;
    /// The class of an instruction that is passed over, where each has a condition.
    const PASSED: Option<Self::Class> = None;
    /// Whether a jump tells the timing model that it fills the pipeline.
    const REFILLS: bool = false;
    /// Whether a branch to the next instruction that leaves a way back is a call.
    const CALLS_NEXT: bool = false;
    /// Whether regions that accesses reach are learnt while code is interpreted, and looked up by granules of 256 bytes; else one region is assumed, and
    /// pages are looked up. Costs may depend on regions that are learnt.
    const LEARNS: bool = false;

    /// Lengths of instructions of a flavour, which lie at multiples of the first one.
    fn lengths(_flavour: Self::Flavour) -> &'static [Width] {
        Self::LENGTHS
    }
    /// An instruction's word, where it lies, and its length.
    fn fetch<B: Bus>(
        bus: &mut B,
        _flavour: Self::Flavour,
        address: u32,
    ) -> Option<(Access, Width)> {
        Some((bus.fetch(address, Width::Word).ok()?, Width::Word))
    }
    /// Whether code that tells an observer of exceptions tells it of the changes of the machine state that it makes.
    const TELLS_CHANGES: bool = false;

    /// How often the interpreter fetches for an instruction of so many bytes, in equal parts.
    fn fetches(_bytes: u32) -> u32 {
        1
    }
    /// What the planner has to know of an instruction; `told` when a probe wants to hear of exceptions from the interpreter.
    fn plan(fetched: &Fetched<Self::Flavour>, told: bool) -> Planned<Self::Class>;
    /// What an instruction needs and gives, for timing models with interlocks.
    fn operands(_model: Self::Model, _flavour: Self::Flavour, _word: u32) -> Operands {
        Operands::default()
    }
    /// Whether an instruction leaves a way back to the next one.
    fn is_call(fetched: &Fetched<Self::Flavour>) -> bool;

    /// The core's model.
    fn model(core: &Self::Core) -> Self::Model;
    /// How a model sees words of memory.
    fn order(model: Self::Model) -> Endianness;
    /// Its machine state; `None` where each instruction is the interpreter's.
    fn flavour(core: &Self::Core) -> Option<Self::Flavour>;
    /// Takes the core's registers.
    fn take(state: &mut Self::State, core: &mut Self::Core);
    /// Gives them back to the core, which goes on at `address` in code of a flavour.
    fn give(state: &Self::State, core: &mut Self::Core, address: u32, flavour: Self::Flavour);
    /// Writes the machine state that code has left to the core.
    fn give_machine_state(_state: &Self::State, _core: &mut Self::Core) {}
    /// The execution state that code has left, where a profile is told of it.
    fn execution_state(_state: &Self::State) -> Option<ExecutionState> {
        None
    }
    /// Whether something else than the next instruction comes next.
    fn is_interrupted<B: Bus>(core: &mut Self::Core, bus: &B, cycle: u64) -> bool;
    /// Whether an interrupt waits until it is enabled.
    fn has_waiting_interrupt<B: Bus>(core: &Self::Core, bus: &B) -> bool;
    /// Whether the machine state lets interrupts through.
    fn lets_interrupts_through(state: &Self::State) -> bool;
    /// The cycle at which the core itself asks for attention.
    fn due_cycle(_core: &Self::Core) -> u64 {
        u64::MAX
    }
    /// Interprets one instruction, or takes one exception.
    fn step<B: Bus, M: StaticCycleModel<Self::Class>, O: Observer>(
        core: &mut Self::Core,
        mmu: &mut Self::Mmu,
        bus: &mut B,
        model: &mut M,
        observer: &mut O,
        cycle: u64,
    ) -> Stepped;

    /// The address on the bus, as the interpreter finds it; `None` when there is none. `table` is that of the pages that it is looked up for, where the
    /// instruction may have asked for another one than its flavour's.
    fn translate<B: Bus>(
        _core: &mut Self::Core,
        _mmu: &mut Self::Mmu,
        _bus: &mut B,
        address: u32,
        (_purpose, _table): (Purpose, Option<usize>),
    ) -> Option<u32> {
        Some(address)
    }
    /// Drops what depended on translations of addresses that changed.
    fn follow(_core: &mut Self::Core, _mmu: &mut Self::Mmu, _tables: &mut Tables) {}
    /// What its code calls beside the frame's own helpers.
    fn helpers<B: Memories>() -> [Option<OwnHelper<Self>>; OWN_HELPERS] {
        [None; OWN_HELPERS]
    }

    /// Declares what all code of a translation uses.
    fn declare(builder: &mut FunctionBuilder) -> Self::Declared;
    /// The way in: loads flags, if there are any.
    fn load_flags<M: StaticCycleModel<Self::Class>>(_emitter: &mut Emitter<Self, M>) {}
    /// Brings flags that changed to the context.
    fn flush_flags<M: StaticCycleModel<Self::Class>>(_emitter: &mut Emitter<Self, M>) {}
    /// Flags that matter where a stretch begins, of those that the planner was told of: brought there, and taken over.
    fn hand_over_flags<M: StaticCycleModel<Self::Class>>(
        _emitter: &mut Emitter<Self, M>,
        _live: u32,
    ) {
    }
    fn take_over_flags<M: StaticCycleModel<Self::Class>>(
        emitter: &mut Emitter<Self, M>,
        _live: u32,
    ) {
        emitter.flags = Self::Flags::default();
    }
    /// The condition of an instruction that may be passed over.
    fn condition<M: StaticCycleModel<Self::Class>>(
        _emitter: &mut Emitter<Self, M>,
        _word: u32,
    ) -> Flag {
        Flag::Constant(true)
    }
    /// Whether a branch is a call; leaves for `otherwise` where only the hooks of a profile can say.
    fn calls<M: StaticCycleModel<Self::Class>>(
        _emitter: &mut Emitter<Self, M>,
        planned: &Planned<Self::Class>,
        _otherwise: Block,
    ) -> bool {
        planned.links
    }
    /// Reads an instruction.
    fn read<M: StaticCycleModel<Self::Class>>(
        emitter: &mut Emitter<Self, M>,
        word: u32,
        width: Width,
    );
    /// Where a branch to a computed address leads.
    fn target<M: StaticCycleModel<Self::Class>>(
        _emitter: &mut Emitter<Self, M>,
        address: Word,
    ) -> Word {
        address
    }
    /// An instruction raises an exception: the interpreter's, unless the code can do it.
    fn raise<M: StaticCycleModel<Self::Class>>(
        emitter: &mut Emitter<Self, M>,
        _exception: Self::Exception,
    ) {
        emitter.raise();
    }
    /// Changes the machine state at the end of an instruction, and goes on; false where the interpreter has to do it.
    fn changes<M: StaticCycleModel<Self::Class>>(
        _emitter: &mut Emitter<Self, M>,
        _change: Self::Change,
    ) -> bool {
        false
    }
}
