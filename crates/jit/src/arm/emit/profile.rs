//! What ARM code adds to the counting and following of a profile: see [`Profiler`](crate::profile::Profiler).

use super::{Before, Emitter, Place};
use crate::arm::context::at;
use crate::arm::exits::Exit;
use crate::code::Word;
use crate::profile::{Chained, CountedPlaces, Owed, Site};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Code, InstBuilder, Value, types};
use socscope_arm::{LINK, Leave, STACK, Value as Target};
use socscope_isa::StaticCycleModel;
use socscope_memory::{Direction, Width};

impl<M: StaticCycleModel> Emitter<'_, M> {
    /// Whether there is a profile.
    pub(super) fn profiled(&self) -> bool {
        self.profiler.is_some()
    }

    /// The instruction is done.
    pub(super) fn count_executed(&mut self) {
        let region = self.assumed.unwrap_or(self.plan.region);
        if let Some(profiler) = &mut self.profiler {
            profiler.count_executed(region);
        }
    }

    /// Kinds of accesses are counted by width and direction.
    pub(super) fn note_access(&mut self, width: Width, direction: Direction) {
        if let Some(profiler) = &mut self.profiler {
            profiler.accesses.push((width, direction));
        }
    }

    /// The accesses of the instruction so far.
    pub(super) fn accesses(&self) -> Vec<(Width, Direction)> {
        let profiler = self.profiler.as_ref();
        profiler.map_or(vec![], |profiler| profiler.accesses.clone())
    }

    pub(super) fn set_accesses(&mut self, accesses: &[(Width, Direction)]) {
        if let Some(profiler) = &mut self.profiler {
            profiler.accesses = accesses.into();
        }
    }

    /// Whether execution that falls from one address to another comes into another function.
    pub(super) fn crosses(&self, from: u32, to: u32) -> bool {
        let profiler = self.profiler.as_ref();
        profiler.is_some_and(|profiler| profiler.crosses(from, to))
    }

    /// Adds what was counted to the counters of the context that runs; the budget is up to date.
    pub(super) fn emit_counts(&mut self) {
        if let Some(profiler) = &self.profiler {
            profiler.emit_counts(&mut self.code);
        }
    }

    /// What an exit leaves to the engine; `spent` is the cost since the budget was last brought up to date.
    pub(super) fn leave_to_account(&mut self, spent: u64) -> Owed {
        let Some(profiler) = &self.profiler else {
            return Owed {
                spent,
                ..Owed::default()
            };
        };
        let places = CountedPlaces {
            executed: at::EXECUTED,
            mark: at::MARK,
        };
        profiler.hand_to_engine(&mut self.code, places);
        profiler.owed(spent)
    }

    /// Hands the counts over to another block of the translation.
    pub(super) fn hand_over_counts(&mut self) {
        if let Some(profiler) = &mut self.profiler {
            profiler.hand_over(&mut self.code);
        }
    }

    /// The calling context; with a profile only.
    pub(super) fn node(&mut self) -> Value {
        match &self.profiler {
            Some(profiler) => profiler.node(&mut self.code),
            None => self.code.builder.ins().iconst(types::I64, 0),
        }
    }

    /// Leaves the instruction to the interpreter, as if nothing of it had happened, in a block of its own.
    pub(super) fn left_aside(&mut self, block: Code, before: &Before, computed: bool) {
        self.code.builder.set_cold_block(block);
        self.code.builder.switch_to_block(block);
        let chain = self.chain();
        self.go_back(before);
        self.code.aside = true;
        self.flush();
        let exit = self.exits.add(Exit::Left {
            address: self.address,
            state: self.state,
            function: self.address,
            computed,
        });
        self.return_with(exit, before.spent);
        self.code.aside = false;
        self.resume(chain);
    }

    /// Whether the link register says that this is a call: known, or looked at when the code runs, where a call is left to the interpreter.
    fn is_call(&mut self, next: u32, otherwise: Code) -> bool {
        match self.register_word(LINK) {
            Word::Constant(link) => link & !1 == next,
            link => {
                let link = self.code.value(link);
                let link = self.code.builder.ins().band_imm_u(link, i64::from(!1_u32));
                let next = self.code.constant(next);
                let other = self.code.builder.ins().icmp(IntCC::NotEqual, link, next);
                self.code.only_if(other, otherwise);
                false
            }
        }
    }

    fn site(&mut self) -> Site {
        Site {
            address: self.address,
            next: self.address.wrapping_add(self.set.width().bytes()),
            stack: self.register_word(STACK),
        }
    }

    /// A transfer to a known address: what it does to the chain of calls, the conditions looked at; `None` when only the hooks can say.
    pub(super) fn look_at_transfer(&mut self, target: u32, before: &Before) -> Option<Chained> {
        let site = self.site();
        let out = self.code.builder.create_block();
        let is_call = self.is_call(site.next, out);
        let maybe_return = self.plan.behind_leaves.contains(&target);
        let profiler = self.profiler.as_ref()?;
        let code = &mut self.code;
        let chained = if is_call {
            profiler.look_at_known_call(code, site, target, out)
        } else {
            profiler.look_at_known_jump(code, site, (target, maybe_return), out)
        };
        // With a known link register nothing has ended the block yet.
        let here = self.code.next_block();
        self.left_aside(out, before, false);
        self.code.builder.switch_to_block(here);
        chained
    }

    /// A transfer to a computed address: what it may do, and the blocks for it. None when it was left to the interpreter.
    pub(super) fn look_at_computed(
        &mut self,
        address: Value,
        before: &Before,
    ) -> Vec<(Code, Chained)> {
        let site = self.site();
        let out = self.code.builder.create_block();
        let is_call = self.is_call(site.next, out);
        let to = (address, self.mostly_returns());
        let Some(profiler) = &self.profiler else {
            return vec![];
        };
        let ways = if is_call {
            profiler.look_at_computed_call(&mut self.code, site, address, out)
        } else {
            profiler.look_at_computed_jump(&mut self.code, site, to, out)
        };
        self.left_aside(out, before, true);
        ways
    }

    /// Whether a jump to a computed address is a return of the usual kinds.
    fn mostly_returns(&self) -> bool {
        use socscope_isa::CycleClass::LoadMultiple;
        let by_link = self
            .plan
            .instructions
            .get(&self.address)
            .is_some_and(|planned| {
                matches!(
                    planned.footprint.leave,
                    Some(
                        Leave::BranchExchange(Target::Register(LINK, 0))
                            | Leave::Branch(Target::Register(LINK, 0))
                    )
                )
            });
        by_link || self.class == LoadMultiple
    }

    /// Does what a transfer does to the chain of calls.
    pub(super) fn chain_calls(&mut self, chained: Chained) {
        if matches!(chained, Chained::Nothing) {
            return;
        }
        self.pay();
        if let Some(profiler) = &mut self.profiler {
            profiler.chain_calls(&mut self.code, chained);
        }
    }

    /// Execution falls into another function. Goes on there if that is plain, else by way of the interpreter, whose hooks hear of it.
    pub(super) fn fall_into_other_function(&mut self, place: Place, from: u32) {
        self.flush();
        let out = self.code.builder.create_block();
        self.code.builder.set_cold_block(out);
        let profiler = self.profiler.as_ref();
        let entered = profiler
            .and_then(|profiler| profiler.look_at_fall(&mut self.code, (from, place.0), out));
        let here = self.code.builder.create_block();
        let next = if entered.is_some() { here } else { out };
        self.code.builder.ins().jump(next, &[]);
        self.code.builder.switch_to_block(out);
        let exit = self.exits.add(Exit::Left {
            address: place.0,
            state: place.1,
            function: from,
            computed: false,
        });
        self.return_with(exit, self.spent);
        if let Some(entered) = entered {
            self.code.builder.switch_to_block(here);
            self.chain_calls(entered);
            self.go(place);
        }
    }
}
