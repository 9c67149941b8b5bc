//! What translated code calls: it preserves registers as the host does, since these calls are not made beside the main way.

use super::Regions;
use super::adapter::Arm;
use super::state::Origin;
use crate::code::Word;
use crate::frame::{Context, Emitter, Parts, prepare};
use crate::memories::Memories;
use cranelift_codegen::ir::{AbiParam, InstBuilder, SigRef, Signature, Type, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;
use socscope_arm::{Core, EXCLUSIVE_BYTES, Exception, InstructionSet, LINK, Register, STACK};
use socscope_core::Purpose;
use socscope_isa::StaticCycleModel;

/// Signatures of what is called.
pub(crate) struct Calls {
    /// Of the context.
    settle: SigRef,
    /// Of the context and two numbers, to one.
    enter: SigRef,
    /// Of the context and a number, to one.
    restore: SigRef,
}

impl Calls {
    pub fn new(builder: &mut FunctionBuilder) -> Calls {
        use types::{I32, I64};
        let mut import = |parameters: &[Type], returns: &[Type]| {
            let mut signature = Signature::new(CallConv::SystemV);
            signature.params = parameters.iter().map(|ty| AbiParam::new(*ty)).collect();
            signature.returns = returns.iter().map(|ty| AbiParam::new(*ty)).collect();
            builder.import_signature(signature)
        };
        Calls {
            settle: import(&[I64], &[]),
            enter: import(&[I64, I32, I32], &[I32]),
            restore: import(&[I64, I32], &[I32]),
        }
    }
}

/// What an instruction is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Preparation {
    /// LDREX and its like, whose load has been done.
    Mark = 0,
    /// STREX and its like: the mark goes.
    Take = 1,
    /// CLREX.
    Clear = 2,
}

/// Place of the helper that reads a register of system control.
pub(crate) const READ_KEPT: usize = 1;

/// Looks at an address before an instruction does something with it.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub unsafe extern "C" fn prepare<R: Regions, B: Memories>(
    context: *mut Context<Arm<R>>,
    address: u32,
    how: u32,
) -> u64 {
    // SAFETY: as above.
    let mut parts = unsafe { Parts::<Arm<R>, B>::of(context) };
    let (table, work) = prepare::parts_of(how);
    let prepared = match work {
        work if work == Preparation::Clear as u8 => {
            parts.core.exclusive = None;
            Some(prepare::DONE)
        }
        work if work == Preparation::Mark as u8 => parts.mark(address),
        _ => parts.take(address, table),
    };
    // SAFETY: as above.
    unsafe { parts.tell_reached(context) };
    prepared.unwrap_or(prepare::IMPOSSIBLE)
}

impl<R: Regions, B: Memories> Parts<'_, Arm<R>, B> {
    fn mark(&mut self, address: u32) -> Option<u64> {
        let physical = self.translate(address, Purpose::Read)?;
        self.core.exclusive = Some(physical & !(EXCLUSIVE_BYTES - 1));
        Some(prepare::DONE)
    }

    /// What is off alignment may abort: the interpreter knows.
    fn take(&mut self, address: u32, table: usize) -> Option<u64> {
        if address & 3 != 0 {
            return None;
        }
        let physical = self.translate(address, Purpose::Write)?;
        self.host(address, physical, table, true)?;
        let marked = self.core.exclusive.take() == Some(physical & !(EXCLUSIVE_BYTES - 1));
        Some(match marked {
            true => prepare::DONE,
            false => prepare::NOT_RESERVED,
        })
    }
}

/// A register of system control, by its number.
///
/// # Safety
/// `context` is the one that the code was entered with.
pub unsafe extern "C" fn read_kept<R: Regions>(
    context: *mut Context<Arm<R>>,
    number: u32,
    _unused: u32,
) -> u64 {
    // SAFETY: as above; nothing else refers to the context while the code runs.
    let common = unsafe { &(*context).common };
    // SAFETY: the engine put the address of the core there, and uses it for nothing else until the code returns.
    let core = unsafe { &*(common.core as *const Core) };
    let register = Register::ALL.get(number as usize);
    u64::from(register.map_or(0, |&register| core.control.get(register)))
}

impl<R: Regions, M: StaticCycleModel> Emitter<'_, Arm<R>, M> {
    /// A register of system control.
    pub(super) fn read_kept(&mut self, register: Register) -> Word {
        let number = self.code.constant(register as u32);
        let value = self.call_helper(self.facts.helpers.own[READ_KEPT], &[number, number]);
        Word::Value(self.code.builder.ins().ireduce(types::I32, value))
    }

    pub(super) fn call_settle_flags(&mut self) {
        type Helper<R> = unsafe extern "C" fn(*mut Context<Arm<R>>);
        let context = self.code.context;
        let builder = &mut self.code.builder;
        let helper = settle_flags::<R> as Helper<R> as usize as i64;
        let helper = builder.ins().iconst(types::I64, helper);
        let signature = self.declared.calls.settle;
        builder.ins().call_indirect(signature, helper, &[context]);
    }

    /// Gives the address of the vector.
    pub(super) fn call_enter_supervisor(&mut self) -> Value {
        type Helper<R> = unsafe extern "C" fn(*mut Context<Arm<R>>, u32, u32) -> u32;
        let address = self.code.constant(self.address);
        let thumb = self.facts.flavour.set == InstructionSet::Thumb;
        let thumb = self.code.constant(u32::from(thumb));
        let arguments = [self.code.context, address, thumb];
        let builder = &mut self.code.builder;
        let helper = enter_supervisor::<R> as Helper<R> as usize as i64;
        let helper = builder.ins().iconst(types::I64, helper);
        let signature = self.declared.calls.enter;
        let call = builder.ins().call_indirect(signature, helper, &arguments);
        builder.inst_results(call)[0]
    }

    /// Gives 1 if Thumb instructions come next, at `target`.
    pub(super) fn call_restore_status(&mut self, target: Value) -> Value {
        type Helper<R> = unsafe extern "C" fn(*mut Context<Arm<R>>, u32) -> u32;
        let arguments = [self.code.context, target];
        let builder = &mut self.code.builder;
        let helper = restore_status::<R> as Helper<R> as usize as i64;
        let helper = builder.ins().iconst(types::I64, helper);
        let signature = self.declared.calls.restore;
        let call = builder.ins().call_indirect(signature, helper, &arguments);
        builder.inst_results(call)[0]
    }
}

/// Called by translated code: the software interrupt at `address` enters its handler, whose address is given. The core has no registers of the fast
/// interrupt's mode.
///
/// # Safety
/// `context` is the context that the code was entered with.
unsafe extern "C" fn enter_supervisor<R: Regions>(
    context: *mut Context<Arm<R>>,
    address: u32,
    thumb: u32,
) -> u32 {
    let set = match thumb {
        0 => InstructionSet::Arm,
        _ => InstructionSet::Thumb,
    };
    let mut vector = 0;
    let change = |core: &mut Core| {
        core.enter(Exception::SoftwareInterrupt, address);
        vector = core.program_counter();
    };
    // SAFETY: the caller's promise.
    unsafe { change_mode(context, set, change) };
    vector
}

/// Called by translated code: the saved status comes into force. Its mode and the present one are others than the fast interrupt's, the present one has
/// a saved status, and N and Z are not both set there. Gives 1 if Thumb instructions come next.
///
/// # Safety
/// `context` is the context that the code was entered with.
unsafe extern "C" fn restore_status<R: Regions>(context: *mut Context<Arm<R>>, target: u32) -> u32 {
    let mut thumb = false;
    let change = |core: &mut Core| {
        if let Some(saved) = core.saved_status() {
            core.set_status(saved);
        }
        thumb = core.instruction_set() == InstructionSet::Thumb;
        // The engine asks the core for the code there.
        core.set_program_counter(core.instruction_set().width().align(target));
    };
    // SAFETY: the caller's promise.
    unsafe { change_mode(context, InstructionSet::Arm, change) };
    u32::from(thumb)
}

/// # Safety
/// As for those that call it.
unsafe fn change_mode<R: Regions>(
    context: *mut Context<Arm<R>>,
    set: InstructionSet,
    change: impl FnOnce(&mut Core),
) {
    // SAFETY: as for `settle_flags`.
    let context = unsafe { &mut *context };
    // SAFETY: the engine put the address of what it borrows exclusively there, and uses it for nothing else until the code returns.
    let core = unsafe { &mut *(context.common.core as *mut Core) };
    let state = context.state_mut();
    for index in [STACK, LINK] {
        core.set_register(index, state.registers[index as usize]);
    }
    state.give_status(core, set);
    change(core);
    for index in [STACK, LINK] {
        state.registers[index as usize] = core.register(index);
    }
    state.take_status(core);
}

/// Called by translated code: makes C and V plain, in `carry` and bit 31 of `a`.
///
/// # Safety
/// `context` is the context that the code was entered with.
unsafe extern "C" fn settle_flags<R: Regions>(context: *mut Context<Arm<R>>) {
    // SAFETY: translated code passes the context that it was entered with, which lives as long as the code, and
    // nothing else refers to it while the code runs.
    let state = unsafe { (*context).state_mut() };
    let (carry, overflow) = state.carry_and_overflow();
    state.carry = u8::from(carry);
    state.a = u32::from(overflow) << 31;
    state.origin = Origin::Bits as u8;
}
