//! Accesses to devices. An instruction that was seen to make one gets a second way, off the common one: a helper makes the access, then the
//! instruction is read once more with what the device gave.

use super::{Emitter, Place};
use crate::code::Word;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::granules;
use crate::frame::plan::Planned;
use crate::frame::reached;
use crate::states::StateIndex;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, TrapCode, Value, types};
use socscope_isa::StaticCycleModel;
use socscope_memory::{RegionIndex, Width};
use std::collections::BTreeMap;
use std::mem::take;

/// Where the way behind an access to a device begins.
pub(crate) struct Reached {
    block: Block,
    result: Value,
    made: BTreeMap<u32, Value>,
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    /// Off the common way: a device makes the access if the instruction is one of those and it is a device's. Code that follows is for what is not.
    pub(super) fn ask_device(&mut self, guest: Value, written: Option<Value>, width: Width) {
        if !self.asks_devices() {
            return;
        }
        self.tell_time(self.transfers_at);
        if self.looks_up() {
            let place = Word::Constant(self.plan.on_bus(self.address));
            self.code.store_word(place, at::ACCESSING_BUS);
        }
        if self.profiler.is_some() {
            let address = Word::Constant(self.address);
            self.code.store_word(address, at::ACCESSING);
        }
        let how = self
            .code
            .constant(granules::how(width, self.learnt_region()));
        let helpers = self.facts.helpers;
        let result = match written {
            None => self.call_helper(helpers.load_device, &[guest, how]),
            Some(value) => self.call_helper(helpers.store_device, &[guest, value, how]),
        };
        let [memory, block] = self.cold_blocks();
        let builder = &mut self.code.builder;
        builder.ins().brif(result, block, &[], memory, &[]);
        builder.switch_to_block(memory);
        let made = self.code.made.clone();
        self.reached = Some(Reached {
            block,
            result,
            made,
        });
    }

    fn asks_devices(&self) -> bool {
        let known = |planned: &Planned<A::Class>| {
            let place = self.plan.on_bus(self.address);
            let is_fetched_once = A::fetches(planned.width.bytes()) == 1 || !self.looks_up();
            planned.accesses_once && is_fetched_once && self.facts.devices.contains(&place)
        };
        let planned = self.plan.instructions.get(&self.address);
        let is_memory = |region| (self.facts.is_memory)(region);
        let elsewhere = self.learnt_region().is_some_and(is_memory);
        self.reached.is_none() && !elsewhere && planned.is_some_and(known)
    }

    /// The region that an access has to reach, where costs depend on it.
    fn learnt_region(&self) -> Option<RegionIndex> {
        if A::LEARNS { self.assumed } else { None }
    }

    /// Lets a helper know the time: so much after the instruction's begin.
    pub fn tell_time(&mut self, after: u64) {
        let budget = self.code.builder.use_var(self.variables.budget);
        let spent = (self.before.spent + after) as i64;
        let left = self.code.builder.ins().iadd_imm_s(budget, -spent);
        self.code.store_value(left, at::LEFT);
    }

    /// The same when the instruction is done and paid for, with so much more behind it.
    pub(super) fn tell_end(&mut self, more: u64) {
        self.pay();
        let budget = self.code.builder.use_var(self.variables.budget);
        let left = self.code.builder.ins().iadd_imm_s(budget, -(more as i64));
        self.code.store_value(left, at::LEFT);
    }

    /// Makes the way behind the access, after the common one, which led to `next` for `cost`.
    pub(super) fn finish_reached(
        &mut self,
        planned: &Planned<A::Class>,
        ended: Option<(u64, StateIndex)>,
    ) {
        let Some(Reached {
            block,
            result,
            made,
        }) = self.reached.take()
        else {
            return;
        };
        let common = self.code.builder.create_block();
        self.code.builder.ins().jump(common, &[]);
        let chain = self.chain();
        let accesses = self.profiler.as_mut().map(|all| take(&mut all.accesses));
        let before = self.before.clone();
        self.go_back(&before);
        self.code.made = made;
        self.code.builder.switch_to_block(block);
        match ended {
            Some((cost, state)) => self.read_again(planned, result, (cost, state)),
            None => {
                // What makes one access cannot fail after it.
                debug_assert!(false, "{:#010x}", planned.word);
                self.code.builder.ins().trap(TrapCode::unwrap_user(1));
            }
        }
        self.resume(chain);
        if let (Some(profiler), Some(accesses)) = (&mut self.profiler, accesses) {
            profiler.accesses = accesses;
        }
        self.code.builder.switch_to_block(common);
    }

    fn read_again(
        &mut self,
        planned: &Planned<A::Class>,
        result: Value,
        (cost, state): (u64, StateIndex),
    ) {
        let failed = self.failed;
        self.excluded.clear();
        self.given = Some(self.code.builder.ins().ireduce(types::I32, result));
        self.model = self.begun(planned, planned.class);
        A::read(self, planned.word, planned.width);
        self.given = None;
        self.failed = failed;
        self.spent += cost;
        if let Some(profiler) = &mut self.profiler {
            // The helper has told of the access.
            profiler.accesses.clear();
        }
        self.count_executed();
        self.go_on_behind(result, (self.next, state));
    }

    /// Goes on with the time that is left now, unless something else comes first.
    fn go_on_behind(&mut self, result: Value, (address, state): Place) {
        let cut = self.load(types::I64, at::CUT);
        let builder = &mut self.code.builder;
        let budget = builder.use_var(self.variables.budget);
        let left = builder.ins().isub(budget, cut);
        builder.def_var(self.variables.budget, left);
        if let Some(profiler) = &self.profiler {
            profiler.grant(&mut self.code, cut);
        }
        if self.looks_up() {
            let stall = self.load(types::I64, at::STALLED);
            self.pay_stall(stall);
        }
        let builder = &mut self.code.builder;
        let came = builder.ins().ushr_imm_u(result, 32);
        let goes_on = builder
            .ins()
            .icmp_imm_s(IntCC::Equal, came, reached::GOES_ON as i64);
        let [on, leave] = self.cold_blocks();
        self.code.builder.ins().brif(goes_on, on, &[], leave, &[]);
        let chain = self.chain();
        self.code.builder.switch_to_block(leave);
        self.leave_behind((address, state));
        self.resume(chain);
        self.code.builder.switch_to_block(on);
        if self.crosses(self.address, address) {
            self.fall_into_other_function((address, state), self.address);
        } else {
            self.go((address, state));
        }
    }
}
