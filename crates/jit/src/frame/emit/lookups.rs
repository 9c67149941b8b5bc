//! What a timing model looks up of an instruction: its fetch and its accesses. Code looks into the model's tables when nothing can refuse the
//! instruction any more. What is not found there is told the model by a helper, and all that follows of the instruction with it; then code leaves if the
//! rest of its stretch would come too late.

use super::{Emitter, Place};
use crate::code::own_memory;
use crate::frame::adapter::Adapter;
use crate::frame::context::at;
use crate::frame::exits::Exit;
use crate::frame::told::Told;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, Inst, InstBuilder, Value, types};
use socscope_isa::{LineOperation, LinePlaces, LineTable, Lookup, StaticCycleModel};
use socscope_memory::{Direction, Width};
use std::mem::{offset_of, take};

/// How accesses are looked up.
#[derive(Clone, Copy)]
pub(crate) struct LookupFacts {
    pub tables: [LineTable; 3],
    /// Fractions in a cycle.
    pub fractions: u64,
}

/// What is known on the way that is being made.
#[derive(Clone, Default)]
pub(super) struct Looked {
    /// Accesses of the stretch that were found, by [`Lookup`].
    found: [u64; 3],
    /// The line of the last fetch.
    line: Option<u32>,
}

/// What an instruction does.
#[derive(Clone, Copy)]
pub(super) struct Event {
    told: Told,
    address: Value,
    /// It only happens then.
    condition: Option<Value>,
}

/// Of the stretch, and of the instruction that is being read.
#[derive(Default)]
pub(super) struct Looking {
    pub looked: Looked,
    /// Places that want to know when the last instruction of the stretch begins.
    bounds: Vec<Inst>,
    /// Data that the instruction has accessed.
    accessed: Vec<Event>,
}

impl<A: Adapter, M: StaticCycleModel<A::Class>> Emitter<'_, A, M> {
    pub(super) fn looks_up(&self) -> bool {
        self.facts.lookups.is_some()
    }

    /// A stretch begins.
    pub(super) fn begin_looking(&mut self) {
        self.looking = Looking::default();
    }

    /// The stretch ends; its last instruction begins at most so much after its first one.
    pub(super) fn end_looking(&mut self, worst: u64) {
        for bound in take(&mut self.looking.bounds) {
            let function = &mut self.code.builder.func;
            function.replace(bound).iconst(types::I64, worst as i64);
        }
    }

    /// An instruction begins.
    pub(super) fn begin_accesses(&mut self) {
        self.looking.accessed.clear();
    }

    /// The instruction has accessed data, so far behind an address on the bus.
    pub(super) fn note_access(
        &mut self,
        (width, direction): (Width, Direction),
        (start, distance): (Value, u32),
    ) {
        let lookup = match direction {
            _ if !self.looks_up() => return,
            Direction::Read => Lookup::Read,
            Direction::Write => Lookup::Write,
        };
        if let Some(Event { told, .. }) = self.looking.accessed.last_mut()
            && let Told::Words(before, count) = *told
            && (before, 4 * count, Width::Word) == (lookup, distance, width)
        {
            *told = Told::Words(lookup, count + 1);
            return;
        }
        let told = match (self.span_bytes, width) {
            (1.., Width::Word) => Told::Words(lookup, 1),
            _ => Told::Counted(lookup),
        };
        let builder = &mut self.code.builder;
        let address = builder.ins().iadd_imm_s(start, i64::from(distance));
        self.looking.accessed.push(Event {
            told,
            address,
            condition: None,
        });
    }

    /// The last access happens only under a condition; its address, which is `joined` where both ways go on.
    pub(super) fn only_accessed_if(&mut self, condition: Value, joined: Value) -> Option<Value> {
        let event = self.looking.accessed.last_mut()?;
        event.condition = Some(condition);
        Some(std::mem::replace(&mut event.address, joined))
    }

    /// The instruction works on the line of an address on the bus.
    pub fn note_line(&mut self, operation: LineOperation, address: Value) {
        if self.looks_up() {
            self.looking.accessed.push(Event {
                told: Told::Line(operation),
                address,
                condition: None,
            });
        }
    }

    /// Accesses that were found since the stretch began are counted.
    pub(super) fn count_found(&mut self) {
        for (place, count) in (at::FOUND..).step_by(8).zip(self.looking.looked.found) {
            if count != 0 {
                let old = self.load(types::I64, place);
                let new = self.code.builder.ins().iadd_imm_s(old, count as i64);
                self.code.store_value(new, place);
            }
        }
    }

    /// The instruction is done: its fetch and accesses are looked up. It goes on at `next` in the same stretch, if it does.
    pub(super) fn look_accesses_up(&mut self, next: Option<Place>) {
        let Some(facts) = self.facts.lookups else {
            return;
        };
        let events = self.events(&facts);
        if events.is_empty() {
            return;
        }
        let [last, done] = std::array::from_fn(|_| self.code.builder.create_block());
        self.code.builder.set_cold_block(last);
        let mut ways: Vec<Block> = vec![];
        for event in &events {
            let tell = self.code.builder.create_block();
            ways.push(tell);
            let on = self.code.builder.create_block();
            self.look_event_up(&facts, event, (tell, on));
            self.code.builder.switch_to_block(on);
        }
        self.code.builder.ins().jump(done, &[]);
        let following = ways.iter().skip(1).copied().chain([last]);
        for ((event, &tell), next) in events.iter().zip(&ways).zip(following) {
            self.code.builder.switch_to_block(tell);
            self.tell_model(event, next);
        }
        self.code.builder.switch_to_block(last);
        match next {
            Some(next) => self.require_stretch(next, done),
            None => {
                self.code.builder.ins().jump(done, &[]);
            }
        }
        self.code.builder.switch_to_block(done);
    }

    /// What is not known of the instruction: the rest is counted and paid for.
    fn events(&mut self, facts: &LookupFacts) -> Vec<Event> {
        let mut events = vec![];
        let width = self.next.wrapping_sub(self.address);
        let units = A::fetches(width);
        for unit in 0..units {
            let address = self.plan.on_bus(self.address + unit * (width / units));
            let line = address >> facts.tables[Lookup::Fetch as usize].shift;
            self.count_one(facts, Lookup::Fetch);
            if self.looking.looked.line.replace(line) != Some(line) {
                let address = self.code.constant(address);
                events.push(Event {
                    told: Told::Counted(Lookup::Fetch),
                    address,
                    condition: None,
                });
            }
        }
        for event in self.looking.accessed.clone() {
            match event.told {
                Told::Counted(lookup) if event.condition.is_none() => {
                    self.count_one(facts, lookup);
                    events.push(event);
                }
                Told::Counted(lookup) => events.push(Event {
                    told: Told::Words(lookup, 1),
                    ..event
                }),
                Told::Words(lookup, count @ 1..=2) => {
                    for number in 0..count {
                        self.count_one(facts, lookup);
                        let offset = i64::from(4 * number);
                        let address = self.code.builder.ins().iadd_imm_s(event.address, offset);
                        events.push(Event {
                            told: Told::Counted(lookup),
                            address,
                            condition: None,
                        });
                    }
                }
                Told::Words(..) => events.push(event),
                Told::Line(operation) => {
                    if operation == LineOperation::DiscardInstructions {
                        self.looking.looked.line = None;
                    }
                    events.push(event);
                }
            }
        }
        events
    }

    /// One access is taken for found.
    fn count_one(&mut self, facts: &LookupFacts, lookup: Lookup) {
        self.looking.looked.found[lookup as usize] += 1;
        self.spent += u64::from(facts.tables[lookup as usize].cycles) * facts.fractions;
    }

    /// Looks into the table: goes to `on` if that has the line, else to `tell`.
    fn look_event_up(&mut self, facts: &LookupFacts, event: &Event, (tell, on): (Block, Block)) {
        let Told::Counted(lookup) = event.told else {
            match event.condition {
                Some(condition) => self.code.builder.ins().brif(condition, tell, &[], on, &[]),
                None => self.code.builder.ins().jump(tell, &[]),
            };
            return;
        };
        self.code.builder.set_cold_block(tell);
        let LineTable { shift, entries, .. } = facts.tables[lookup as usize];
        let places = at::LOOKUPS + (lookup as usize * size_of::<LinePlaces>()) as i32;
        let table = self.load(types::I64, places + offset_of!(LinePlaces, entries) as i32);
        let builder = &mut self.code.builder;
        let line = builder.ins().ushr_imm_u(event.address, i64::from(shift));
        let place = builder
            .ins()
            .ushr_imm_u(event.address, i64::from(shift - 2));
        let place = builder
            .ins()
            .band_imm_u(place, i64::from((entries - 1) << 2));
        let place = builder.ins().uextend(types::I64, place);
        let place = builder.ins().iadd(table, place);
        let held = builder.ins().load(types::I32, own_memory(), place, 0);
        let found = builder.ins().icmp(IntCC::Equal, held, line);
        let [there, aside] = [(); 2].map(|()| builder.create_block());
        builder.set_cold_block(aside);
        builder.ins().brif(found, there, &[], aside, &[]);
        builder.switch_to_block(there);
        if lookup == Lookup::Fetch {
            self.code.store_value(line, at::FETCHING);
        }
        self.code.builder.ins().jump(on, &[]);
        self.code.builder.switch_to_block(aside);
        let Some(finders) = self.facts.helpers.find else {
            self.code.builder.ins().jump(tell, &[]);
            return;
        };
        let unused = self.code.constant(0);
        let found = self.call_helper(finders[lookup as usize], &[event.address, unused]);
        self.code.builder.ins().brif(found, on, &[], tell, &[]);
    }

    /// Tells the model of an event, and pays for it.
    fn tell_model(&mut self, event: &Event, next: Block) {
        if let Some(condition) = event.condition {
            let happens = self.code.builder.create_block();
            let builder = &mut self.code.builder;
            builder.ins().brif(condition, happens, &[], next, &[]);
            builder.switch_to_block(happens);
        }
        let told = self.code.constant(event.told.number());
        let stall = self.call_helper(self.facts.helpers.tell_model, &[event.address, told]);
        self.pay_stall(stall);
        self.code.builder.ins().jump(next, &[]);
    }

    /// So much was waited.
    pub(super) fn pay_stall(&mut self, stall: Value) {
        let builder = &mut self.code.builder;
        let budget = builder.use_var(self.variables.budget);
        let left = builder.ins().isub(budget, stall);
        builder.def_var(self.variables.budget, left);
    }

    /// Goes to `done` if the rest of the stretch still begins before the deadline; else leaves behind the instruction, for `next`.
    fn require_stretch(&mut self, next: Place, done: Block) {
        let builder = &mut self.code.builder;
        let bound = builder.ins().iconst(types::I64, 0);
        let budget = builder.use_var(self.variables.budget);
        let enough = builder.ins().icmp(IntCC::SignedGreaterThan, budget, bound);
        let leave = builder.create_block();
        builder.set_cold_block(leave);
        builder.ins().brif(enough, done, &[], leave, &[]);
        let bound = builder.func.dfg.value_def(bound).unwrap_inst();
        self.looking.bounds.push(bound);
        let chain = self.chain();
        self.code.builder.switch_to_block(leave);
        self.flush();
        let (address, state) = next;
        let exit = match self.crosses(self.address, address) {
            true => Exit::Reached {
                address,
                state,
                function: self.address,
            },
            false => Exit::Deadline { address, state },
        };
        let exit = self.add_exit(exit);
        self.return_with(exit, self.spent);
        self.resume(chain);
    }
}
