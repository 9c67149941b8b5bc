//! What the frame asks of this architecture.

use super::conditions::Conditions;
use super::exceptions::Change;
use super::flavour::Flavour;
use super::state::{REGISTERS, State};
use super::{planning, services};
use crate::frame::{
    Adapter, Emitter, Ended, Fetched, OWN_HELPERS, OwnHelper, Planned, Stepped, Tables, prepare,
};
use crate::memories::Memories;
use crate::profile::Kind;
use cranelift_codegen::ir::{AbiParam, SigRef, Signature, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use socscope_core::{ExecutionState, Observer, Purpose};
use socscope_isa::StaticCycleModel;
use socscope_memory::{Bus, Endianness, Width};
use socscope_powerpc::interpreter::{Outcome, step};
use socscope_powerpc::{
    Class, Core, CoreModel, Exception, Mmu, Msr, STACK, Translate, instruction,
};

/// The classic 32-bit PowerPC.
pub(crate) struct PowerPc;

/// What a translation declares beside registers.
pub(crate) struct Declared {
    pub carry: Variable,
    pub conditions: [Variable; 8],
    /// Of context, a number and three operands of 64 bits, to one more.
    pub float: SigRef,
    /// Of context and an operation's place.
    pub vector: SigRef,
}

/// Places of the helpers.
pub(crate) const TIME: usize = 1;
pub(crate) const SET_SEGMENT: usize = 2;
pub(crate) const INVALIDATE: usize = 3;
pub(crate) const SEGMENT: usize = 4;

impl Adapter for PowerPc {
    type Class = Class;
    type Exception = Exception;
    type Core = Core;
    type Mmu = Mmu;
    type Model = CoreModel;
    type Flavour = Flavour;
    type State = State;
    type Flags = Conditions;
    type Declared = Declared;
    type Change = Change;

    const REGISTERS: usize = REGISTERS;
    const STACK: u32 = STACK;
    const UNALIGNED: bool = true;
    const TELLS_CHANGES: bool = true;

    fn plan(fetched: &Fetched<Flavour>, told: bool) -> Planned<Class> {
        planning::plan(fetched.address, fetched.word, told)
    }

    fn is_call(fetched: &Fetched<Flavour>) -> bool {
        planning::is_call(fetched.address, fetched.word)
    }

    fn model(core: &Core) -> CoreModel {
        core.model()
    }

    fn order(_model: CoreModel) -> Endianness {
        Endianness::Big
    }

    fn flavour(core: &Core) -> Option<Flavour> {
        Flavour::of(core)
    }

    fn take(state: &mut State, core: &mut Core) {
        state.take(core);
        state.lead_to_float(core);
        state.lead_to_vectors(core);
        state.kept = core.kept_mut().as_mut_ptr() as u64;
    }

    fn give(state: &State, core: &mut Core, address: u32, _flavour: Flavour) {
        state.give(core, address);
    }

    fn give_machine_state(state: &State, core: &mut Core) {
        core.set_msr(Msr(state.machine_state));
    }

    fn execution_state(state: &State) -> Option<ExecutionState> {
        Some(Msr(state.machine_state).execution_state())
    }

    fn is_interrupted<B: Bus>(core: &mut Core, bus: &B, cycle: u64) -> bool {
        core.notice_time(cycle);
        core.pending(bus.irq()).is_some() || core.is_stopped()
    }

    fn has_waiting_interrupt<B: Bus>(core: &Core, bus: &B) -> bool {
        bus.irq() || core.decrementer_pending()
    }

    fn lets_interrupts_through(state: &State) -> bool {
        Msr(state.machine_state).has(Msr::EXTERNAL_ENABLE)
    }

    fn due_cycle(core: &Core) -> u64 {
        core.decrementer_due_cycle()
    }

    #[inline]
    fn step<B: Bus, M: StaticCycleModel<Class>, O: Observer>(
        core: &mut Core,
        mmu: &mut Mmu,
        bus: &mut B,
        model: &mut M,
        observer: &mut O,
        cycle: u64,
    ) -> Stepped {
        let step = step(core, bus, mmu, model, observer, cycle);
        let ended = match step.outcome {
            Outcome::Executed | Outcome::Exception(_) => None,
            Outcome::Checkstop => Some(Ended::GivenUp),
            Outcome::Stopped => Some(Ended::Asleep),
        };
        let cycles = step.cycles;
        Stepped { cycles, ended }
    }

    fn translate<B: Bus>(
        core: &mut Core,
        mmu: &mut Mmu,
        bus: &mut B,
        address: u32,
        purpose: Purpose,
    ) -> Option<u32> {
        Translate::translate(mmu, core, bus, address, purpose).ok()
    }

    #[inline]
    fn follow(_core: &mut Core, mmu: &mut Mmu, tables: &mut Tables) {
        tables.follow(mmu.known_mut());
    }

    fn helpers<B: Memories>() -> [Option<OwnHelper<PowerPc>>; OWN_HELPERS] {
        let mut all: [Option<OwnHelper<PowerPc>>; OWN_HELPERS] = [None; OWN_HELPERS];
        all[prepare::PREPARE] = Some(services::prepare::<B>);
        all[TIME] = Some(services::time);
        all[SET_SEGMENT] = Some(services::set_segment::<B>);
        all[SEGMENT] = Some(services::segment);
        all[INVALIDATE] = Some(services::invalidate::<B>);
        all
    }

    fn declare(builder: &mut FunctionBuilder) -> Declared {
        use types::{I32, I64};
        let mut float = Signature::new(CallConv::SystemV);
        float.params = [I64, I32, I64, I64, I64].map(AbiParam::new).to_vec();
        float.returns.push(AbiParam::new(I64));
        let mut vector = Signature::new(CallConv::SystemV);
        vector.params = [I64, I64].map(AbiParam::new).to_vec();
        Declared {
            carry: builder.declare_var(types::I8),
            conditions: std::array::from_fn(|_| builder.declare_var(I64)),
            float: builder.import_signature(float),
            vector: builder.import_signature(vector),
        }
    }

    fn load_flags<M: StaticCycleModel<Class>>(emitter: &mut Emitter<PowerPc, M>) {
        emitter.load_conditions();
    }

    fn flush_flags<M: StaticCycleModel<Class>>(emitter: &mut Emitter<PowerPc, M>) {
        emitter.flush_conditions();
    }

    fn read<M: StaticCycleModel<Class>>(
        emitter: &mut Emitter<PowerPc, M>,
        word: u32,
        _width: Width,
    ) {
        (instruction::<Emitter<PowerPc, M>>(word).read)(emitter, word);
    }

    fn raise<M: StaticCycleModel<Class>>(emitter: &mut Emitter<PowerPc, M>, exception: Exception) {
        match emitter.code.predicate {
            None if exception == Exception::SystemCall => emitter.change(Change::SystemCall),
            _ => emitter.raise(),
        }
    }

    fn changes<M: StaticCycleModel<Class>>(
        emitter: &mut Emitter<PowerPc, M>,
        change: Change,
    ) -> bool {
        let (kind, entry) = match change {
            Change::SystemCall => {
                let kind = Kind::exception(Exception::SystemCall.number());
                (kind, Some((Class::Exception, Width::Word)))
            }
            Change::Return => (Kind::EXCEPTION_RETURN, None),
        };
        let flavour = emitter.facts.flavour;
        emitter.resume_after(kind, entry, flavour, |emitter| emitter.write_change(change))
    }
}
