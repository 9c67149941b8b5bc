//! What translated code calls: it preserves registers as the host does, since these calls are not made beside the main way.

use super::Regions;
use super::adapter::Arm;
use super::state::Origin;
use crate::frame::{Context, Emitter};
use cranelift_codegen::ir::{AbiParam, InstBuilder, SigRef, Signature, Type, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;
use socscope_arm::{Core, Exception, InstructionSet, LINK, STACK};
use socscope_isa::StaticCycleModel;

/// Signatures of what is called.
pub(crate) struct Calls {
    /// Of the context.
    settle: SigRef,
    /// Of the context and two numbers.
    enter: SigRef,
    /// Of the context, to a number.
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
            enter: import(&[I64, I32, I32], &[]),
            restore: import(&[I64], &[I32]),
        }
    }
}

impl<R: Regions, M: StaticCycleModel> Emitter<'_, Arm<R>, M> {
    pub(super) fn call_settle_flags(&mut self) {
        type Helper<R> = unsafe extern "C" fn(*mut Context<Arm<R>>);
        let context = self.code.context;
        let builder = &mut self.code.builder;
        let helper = settle_flags::<R> as Helper<R> as usize as i64;
        let helper = builder.ins().iconst(types::I64, helper);
        let signature = self.declared.calls.settle;
        builder.ins().call_indirect(signature, helper, &[context]);
    }

    pub(super) fn call_enter_supervisor(&mut self) {
        type Helper<R> = unsafe extern "C" fn(*mut Context<Arm<R>>, u32, u32);
        let address = self.code.constant(self.address);
        let thumb = self.facts.flavour.set == InstructionSet::Thumb;
        let thumb = self.code.constant(u32::from(thumb));
        let arguments = [self.code.context, address, thumb];
        let builder = &mut self.code.builder;
        let helper = enter_supervisor::<R> as Helper<R> as usize as i64;
        let helper = builder.ins().iconst(types::I64, helper);
        let signature = self.declared.calls.enter;
        builder.ins().call_indirect(signature, helper, &arguments);
    }

    pub(super) fn call_restore_status(&mut self) -> Value {
        type Helper<R> = unsafe extern "C" fn(*mut Context<Arm<R>>) -> u32;
        let context = self.code.context;
        let builder = &mut self.code.builder;
        let helper = restore_status::<R> as Helper<R> as usize as i64;
        let helper = builder.ins().iconst(types::I64, helper);
        let signature = self.declared.calls.restore;
        let call = builder.ins().call_indirect(signature, helper, &[context]);
        builder.inst_results(call)[0]
    }
}

/// Called by translated code: the software interrupt at `address` enters its handler. The core has no registers of the fast interrupt's mode.
///
/// # Safety
/// `context` is the context that the code was entered with.
unsafe extern "C" fn enter_supervisor<R: Regions>(
    context: *mut Context<Arm<R>>,
    address: u32,
    thumb: u32,
) {
    let set = match thumb {
        0 => InstructionSet::Arm,
        _ => InstructionSet::Thumb,
    };
    let change = |core: &mut Core| core.enter(Exception::SoftwareInterrupt, address);
    // SAFETY: the caller's promise.
    unsafe { change_mode(context, set, change) };
}

/// Called by translated code: the saved status comes into force. Its mode and the present one are others than the fast interrupt's, the present one has
/// a saved status, and N and Z are not both set there. Gives 1 if Thumb instructions come next.
///
/// # Safety
/// `context` is the context that the code was entered with.
unsafe extern "C" fn restore_status<R: Regions>(context: *mut Context<Arm<R>>) -> u32 {
    let mut thumb = false;
    let change = |core: &mut Core| {
        if let Some(saved) = core.saved_status() {
            core.set_status(saved);
        }
        thumb = core.instruction_set() == InstructionSet::Thumb;
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
