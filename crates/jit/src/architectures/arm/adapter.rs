//! What the frame asks of this architecture.

use super::Regions;
use super::flags::Flags;
use super::state::State;
use super::{planning, services};
use crate::code::{Flag, Word};
use crate::frame::{
    self, Adapter, Emitter, Ended, Fetched, OWN_HELPERS, OwnHelper, Planned, Stepped, Tables,
    prepare,
};
use crate::memories::Memories;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use socscope_arm::interpreter::{Outcome, Step, step};
use socscope_arm::{
    ALWAYS, Core, CoreModel, Exception, InstructionSet, LINK, STACK, condition, condition_code,
    control, instruction, operands,
};
use socscope_core::{ExecutionState, Observer, Purpose};
use socscope_isa::{CycleClass, Operands, StaticCycleModel};
use socscope_memory::{Access, Bus, Endianness, Width};
use std::marker::PhantomData;

/// ARM, with two instruction sets; with timing models that ask for regions, or with others.
pub(crate) struct Arm<R>(PhantomData<R>);

/// Code is made for an instruction set of a model, of which a translator has only one; of models with system control, also for programs or for
/// kernels, with translation of addresses or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flavour {
    pub model: CoreModel,
    pub set: InstructionSet,
    pub state: ExecutionState,
}

/// The table of pages as programs reach them.
pub(crate) const OF_PROGRAMS: usize = 2;

impl Flavour {
    /// Addresses of the bus come first; those of programs may be others than those of kernels, or refused to them.
    fn table(self) -> usize {
        match self.state {
            ExecutionState {
                translated: false, ..
            } => 0,
            ExecutionState { user: false, .. } => 1,
            ExecutionState { user: true, .. } => OF_PROGRAMS,
        }
    }
}

impl frame::Flavour for Flavour {
    const BITS: u32 = 3;

    fn bits(self) -> u32 {
        let ExecutionState { user, translated } = self.state;
        u32::from(self.set == InstructionSet::Thumb)
            | u32::from(user) << 1
            | u32::from(translated) << 2
    }
    fn execution_state(self) -> ExecutionState {
        self.state
    }
    fn data_table(self) -> usize {
        self.table()
    }
    fn fetch_table(self) -> usize {
        self.table()
    }
}

/// How the mode changes.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    /// To that of the handler of software interrupts.
    SoftwareInterrupt,
    /// With the saved status register restored, to go on at an address.
    Return(Word),
}

/// What a translation declares beside registers.
pub(crate) struct Declared {
    /// Flags where they matter behind a leader.
    pub result: Variable,
    pub carry: Variable,
    pub overflow: Variable,
    pub calls: services::Calls,
}

impl<R: Regions> Adapter for Arm<R> {
    type Class = CycleClass;
    type Exception = Exception;
    type Core = Core;
    type Mmu = ();
    type Model = CoreModel;
    type Flavour = Flavour;
    type State = State;
    type Flags = Flags;
    type Declared = Declared;
    type Change = Change;

    const REGISTERS: usize = 15;
    const STACK: u32 = STACK;
    const UNALIGNED: bool = false;
    const LENGTHS: &'static [Width] = &[Width::Half, Width::Word];
    // A kernel's code was translated eight times over before: translating takes longer than the jump.
    const REPEATED_MAX: usize = 16;
    const DIRTY_MAX: u32 = 0;
    const PASSED: Option<CycleClass> = Some(CycleClass::NotExecuted);
    const REFILLS: bool = true;
    const CALLS_NEXT: bool = true;
    const LEARNS: bool = R::LEARNT;
    const TELLS_CHANGES: bool = true;

    fn lengths(Flavour { set, .. }: Flavour) -> &'static [Width] {
        match set {
            InstructionSet::Arm => &[Width::Word],
            InstructionSet::Thumb => &[Width::Half],
        }
    }

    fn fetch<B: Bus>(bus: &mut B, flavour: Flavour, address: u32) -> Option<(Access, Width)> {
        let width = flavour.set.width();
        Some((bus.fetch(address, width).ok()?, width))
    }

    fn plan(fetched: &Fetched<Flavour>, told: bool) -> Planned<CycleClass> {
        planning::plan(fetched, told)
    }

    fn operands(model: CoreModel, flavour: Flavour, word: u32) -> Operands {
        operands(model, flavour.set, word)
    }

    fn is_call(fetched: &Fetched<Flavour>) -> bool {
        planning::is_call(fetched)
    }

    fn model(core: &Core) -> CoreModel {
        core.model()
    }

    fn order(_model: CoreModel) -> Endianness {
        Endianness::Little
    }

    fn flavour(core: &Core) -> Option<Flavour> {
        let (set, status) = (core.instruction_set(), core.status());
        let address = core.program_counter();
        // Only software can set both flags, and the state has no place for that. Code is made for little-endian data.
        let odd = status.negative && status.zero
            || set.width().align(address) != address
            || status.big_endian
            || core.control.has(control::BIG_ENDIAN);
        let model = core.model();
        let state = match model.has_system_control() {
            true => socscope_core::Core::execution_state(core),
            false => ExecutionState::default(),
        };
        // Regions are learnt by addresses on the bus: they would have to be those of the program.
        let odd = odd || R::LEARNT && state.translated;
        (!odd).then_some(Flavour { model, set, state })
    }

    fn take(state: &mut State, core: &mut Core) {
        state.take(core);
    }

    fn give(state: &State, core: &mut Core, address: u32, Flavour { set, .. }: Flavour) {
        state.give(core, address, set);
    }

    fn execution_state(state: &State) -> Option<ExecutionState> {
        state.execution_state()
    }

    fn is_interrupted<B: Bus>(core: &mut Core, bus: &B, _cycle: u64) -> bool {
        let status = core.status();
        bus.fiq() && !status.fiq_disabled || bus.irq() && !status.irq_disabled
    }

    fn has_waiting_interrupt<B: Bus>(_core: &Core, bus: &B) -> bool {
        bus.irq() || bus.fiq()
    }

    fn lets_interrupts_through(state: &State) -> bool {
        state.lets_interrupts_through()
    }

    #[inline]
    fn step<B: Bus, M: StaticCycleModel, O: Observer>(
        core: &mut Core,
        _mmu: &mut (),
        bus: &mut B,
        model: &mut M,
        observer: &mut O,
        cycle: u64,
    ) -> Stepped {
        let Step { cycles, outcome } = step(core, bus, model, observer, cycle);
        let ended = (outcome == Outcome::Waits).then_some(Ended::Asleep);
        Stepped { cycles, ended }
    }

    fn translate<B: Bus>(
        core: &mut Core,
        _mmu: &mut (),
        bus: &mut B,
        address: u32,
        (purpose, table): (Purpose, Option<usize>),
    ) -> Option<u32> {
        let unprivileged = table == Some(OF_PROGRAMS) || core.is_unprivileged();
        core.translate_page(bus, address, purpose, unprivileged)
    }

    #[inline]
    fn follow(core: &mut Core, _mmu: &mut (), tables: &mut Tables) {
        if let Some(mmu) = core.mmu_mut() {
            tables.follow(mmu.known_mut());
        }
    }

    fn helpers<B: Memories>() -> [Option<OwnHelper<Self>>; OWN_HELPERS] {
        let mut all: [Option<OwnHelper<Self>>; OWN_HELPERS] = [None; OWN_HELPERS];
        all[prepare::PREPARE] = Some(services::prepare::<R, B>);
        all[services::READ_KEPT] = Some(services::read_kept::<R>);
        all
    }

    fn declare(builder: &mut FunctionBuilder) -> Declared {
        Declared {
            result: builder.declare_var(types::I32),
            carry: builder.declare_var(types::I8),
            overflow: builder.declare_var(types::I8),
            calls: services::Calls::new(builder),
        }
    }

    fn load_flags<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>) {
        let live = emitter.plan.live_flags(emitter.plan.start);
        emitter.hand_over(live);
    }

    fn flush_flags<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>) {
        emitter.flush_status_flags();
    }

    fn hand_over_flags<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>, live: u32) {
        emitter.hand_over(live);
    }

    fn take_over_flags<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>, live: u32) {
        emitter.take_over(live);
    }

    fn condition<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>, word: u32) -> Flag {
        match condition_code(emitter.facts.model, emitter.facts.flavour.set, word) {
            ALWAYS => Flag::Constant(true),
            code => condition(emitter, code),
        }
    }

    /// The link register says it: known, or looked at when the code runs, where only the hooks follow a call.
    fn calls<M: StaticCycleModel>(
        emitter: &mut Emitter<Self, M>,
        _planned: &Planned<CycleClass>,
        otherwise: Block,
    ) -> bool {
        match emitter.register_word(LINK) {
            Word::Constant(link) => link & !1 == emitter.next,
            link => {
                let next = emitter.code.constant(emitter.next);
                let link = emitter.code.value(link);
                let builder = &mut emitter.code.builder;
                let link = builder.ins().band_imm_u(link, i64::from(!1_u32));
                let other = builder.ins().icmp(IntCC::NotEqual, link, next);
                emitter.code.only_if(other, otherwise);
                false
            }
        }
    }

    fn read<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>, word: u32, _width: Width) {
        emitter.flags.banks_known = false;
        let Flavour { model, set, .. } = emitter.facts.flavour;
        (instruction::<Emitter<Self, M>>(model, set, word).read)(emitter, word);
    }

    fn target<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>, address: Word) -> Word {
        let mask = emitter.facts.flavour.set.width().bytes() - 1;
        socscope_isa::Values::and(emitter, address, Word::Constant(!mask))
    }

    fn raise<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>, exception: Exception) {
        match exception {
            Exception::SoftwareInterrupt => emitter.raise_software_interrupt(),
            _ => emitter.beyond(),
        }
    }

    fn changes<M: StaticCycleModel>(emitter: &mut Emitter<Self, M>, change: Change) -> bool {
        match change {
            change if emitter.facts.model.has_system_control() => emitter.change_rights(change),
            Change::SoftwareInterrupt => emitter.enter_handler(),
            Change::Return(target) => emitter.leave_handler(target),
        }
    }
}
