//! Which instructions are translated together: those that can be reached from the first one by known branches, calls included.

use crate::statistics::Reason;
use socscope_arm::{
    ALWAYS, Exception, Footprint, InstructionSet, LINK, Leave, Value, condition_code, encoding,
    footprint,
};
use socscope_isa::CycleClass;
use socscope_memory::{Bus, RegionIndex};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Instructions in one translation, at most.
const INSTRUCTIONS_MAX: usize = 320;
/// Translations of more instructions than these are chained to by others, which would repeat them else: translating takes longer than the jump.
const REPEATED_MAX: usize = 16;
/// How far from the first instruction others may be, in bytes: code further away is another program's.
const DISTANCE_MAX: u32 = 1 << 20;

/// How an instruction goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// With the next one.
    Falls,
    /// At a known address; `call` when it leaves a way back to the next instruction.
    Jumps { target: u32, call: bool },
    /// At an address that is computed.
    Computed,
    /// In another mode, whose status register and registers are others: a software interrupt, or a return from an exception.
    Changes,
    /// The interpreter has to execute it.
    Left,
}

/// One instruction.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub word: u32,
    pub condition: u32,
    pub class: CycleClass,
    pub footprint: Footprint,
    pub flow: Flow,
}

impl Planned {
    /// Why it would be left to the interpreter.
    pub fn reason(&self) -> Reason {
        let found = &self.footprint;
        match found.leave {
            Some(Leave::Exception(_)) => Reason::Exception,
            Some(Leave::Return(_)) => Reason::Return,
            _ if found.status_written || found.status_read => Reason::Status,
            Some(_) => Reason::Calls,
            None => Reason::Other,
        }
    }
}

/// The instructions of one translation.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub set: InstructionSet,
    pub start: u32,
    /// The region that holds all of them.
    pub region: RegionIndex,
    pub instructions: BTreeMap<u32, Planned>,
    /// Where control comes from more than one place.
    pub leaders: BTreeSet<u32>,
    /// Addresses behind calls: where returns probably lead.
    pub returns: BTreeSet<u32>,
    /// Targets of jumps that lie behind an instruction that may be a call: a jump there may be a return.
    pub behind_leaves: BTreeSet<u32>,
    /// Flags that matter at an address.
    pub live: BTreeMap<u32, u8>,
    /// Whether nobody has to be told of exceptions and returns from them.
    changes_mode: bool,
}

/// What instructions are planned with.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a> {
    /// Instructions that are left to the interpreter.
    pub stops: &'a BTreeSet<u32>,
    /// Where long translations begin that are better chained to than repeated.
    pub apart: &'a BTreeSet<u32>,
    /// Whether nobody has to be told of exceptions and returns from them.
    pub changes_mode: bool,
}

impl Plan {
    /// Reads code from `start` on. `None` when the first instruction cannot be translated.
    pub fn new<B: Bus>(
        bus: &mut B,
        set: InstructionSet,
        start: u32,
        bounds: Bounds,
    ) -> Option<Plan> {
        let Bounds {
            stops,
            apart,
            changes_mode,
        } = bounds;
        let region = bus.region(start);
        let mut plan = Plan {
            set,
            start,
            region,
            instructions: BTreeMap::new(),
            leaders: BTreeSet::from([start]),
            returns: BTreeSet::new(),
            behind_leaves: BTreeSet::new(),
            live: BTreeMap::new(),
            changes_mode,
        };
        let mut waiting = VecDeque::from([start]);
        let mut reached: BTreeMap<u32, u32> = BTreeMap::new();
        while let Some(address) = waiting.pop_front() {
            if plan.instructions.contains_key(&address)
                || plan.instructions.len() >= INSTRUCTIONS_MAX
                || address.abs_diff(start) > DISTANCE_MAX
                || address != start && apart.contains(&address)
            {
                continue;
            }
            let Some(planned) = plan.read(bus, address, stops) else {
                continue;
            };
            let next = address.wrapping_add(set.width().bytes());
            let conditional = planned.condition != ALWAYS;
            let flow = planned.flow;
            plan.instructions.insert(address, planned);
            let mut go = |to: u32| {
                *reached.entry(to).or_default() += 1;
                waiting.push_back(to);
            };
            match flow {
                Flow::Falls => go(next),
                Flow::Jumps { target, call } => {
                    go(target);
                    plan.leaders.insert(target);
                    if call {
                        plan.returns.insert(next);
                        plan.leaders.insert(next);
                        go(next);
                    } else if conditional {
                        go(next);
                    }
                }
                Flow::Computed | Flow::Changes if conditional => go(next),
                Flow::Computed | Flow::Changes | Flow::Left => {}
            }
        }
        plan.returns
            .retain(|address| plan.instructions.contains_key(address));
        plan.leaders.extend(
            reached
                .iter()
                .filter(|(_, count)| **count > 1)
                .map(|(at, _)| *at),
        );
        plan.find_targets_behind_leaves(bus);
        let first = plan.instructions.get(&start)?;
        if first.flow == Flow::Left {
            return None;
        }
        plan.find_live_flags();
        Some(plan)
    }

    fn read<B: Bus>(&self, bus: &mut B, address: u32, stops: &BTreeSet<u32>) -> Option<Planned> {
        let width = self.set.width();
        let fetched = bus.fetch(address, width).ok()?;
        if fetched.region != self.region {
            return None;
        }
        let word = fetched.value;
        let footprint = footprint(self.set, address, word);
        let next = address.wrapping_add(width.bytes());
        let touches_status = footprint.status_written || footprint.status_read;
        let moves_only = footprint.leave.is_none() && footprint.accesses.is_empty();
        let changes = self.changes_mode
            && matches!(
                footprint.leave,
                Some(Leave::Exception(Exception::SoftwareInterrupt) | Leave::Return(_))
            );
        let stays = !touches_status || moves_only || changes;
        let left = !stays || stops.contains(&address) || footprint.mark.is_some();
        let flow = match footprint.leave {
            _ if left => Flow::Left,
            _ if changes => Flow::Changes,
            None => Flow::Falls,
            Some(Leave::Branch(target)) => match self.known(address, target) {
                Some(target) => Flow::Jumps {
                    target: width.align(target),
                    call: footprint
                        .constants
                        .iter()
                        .any(|&(index, value)| index == LINK && value & !1 == next),
                },
                None => Flow::Computed,
            },
            Some(Leave::BranchExchange(_)) => Flow::Computed,
            Some(Leave::Return(_) | Leave::Exception(_)) => Flow::Left,
        };
        Some(Planned {
            word,
            condition: condition_code(self.set, word),
            class: encoding(self.set, word).class,
            footprint,
            flow,
        })
    }

    /// A target that is known: a constant, or what the instruction before has put into the register.
    fn known(&self, address: u32, target: Value) -> Option<u32> {
        match target {
            Value::Constant(target) => Some(target),
            Value::Register(register, offset) => {
                let before = address.wrapping_sub(self.set.width().bytes());
                let before = self.instructions.get(&before)?;
                let set = before
                    .footprint
                    .constants
                    .iter()
                    .find(|(index, _)| *index == register)?;
                (before.class == CycleClass::BranchPrefix).then(|| set.1.wrapping_add(offset))
            }
            Value::Mixed(_) => None,
        }
    }

    /// Whether it is so long that others had better not contain it.
    pub fn is_long(&self) -> bool {
        self.instructions.len() > REPEATED_MAX
    }

    /// Where an instruction may go on, as far as it is in the plan.
    pub fn successors(&self, address: u32, planned: &Planned) -> Vec<u32> {
        let next = address.wrapping_add(self.set.width().bytes());
        let conditional = planned.condition != ALWAYS;
        let mut all = match planned.flow {
            Flow::Falls => vec![next],
            Flow::Jumps { target, .. } => vec![target],
            Flow::Computed => self.returns.iter().copied().collect(),
            Flow::Changes | Flow::Left => vec![],
        };
        if conditional && planned.flow != Flow::Falls && planned.flow != Flow::Left {
            all.push(next);
        }
        all
    }

    fn find_targets_behind_leaves<B: Bus>(&mut self, bus: &mut B) {
        let width = self.set.width();
        for planned in self.instructions.values() {
            let Flow::Jumps { target, .. } = planned.flow else {
                continue;
            };
            let before = target.wrapping_sub(width.bytes());
            // What cannot be fetched may be anything.
            let leaves = bus.fetch(before, width).map_or(true, |fetched| {
                footprint(self.set, before, fetched.value).leave.is_some()
            });
            if leaves {
                self.behind_leaves.insert(target);
            }
        }
    }

    fn find_live_flags(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for (&address, planned) in self.instructions.iter().rev() {
                let after = self
                    .successors(address, planned)
                    .iter()
                    .fold(0, |live, to| live | self.live.get(to).copied().unwrap_or(0));
                let read = planned.footprint.flags_read.0;
                let written = planned.footprint.flags_written.0;
                // Flags that are written only under a condition come through.
                let before = if planned.flow == Flow::Left {
                    0
                } else if planned.flow == Flow::Changes {
                    // It leaves by way of the context, which has all flags.
                    after | read
                } else if planned.condition == ALWAYS && !may_keep_carry(planned) {
                    after & !written | read
                } else {
                    after | read
                };
                if self.live.get(&address).copied().unwrap_or(0) != before {
                    self.live.insert(address, before);
                    changed = true;
                }
            }
        }
    }
}

/// Shifts by a register leave the carry as it is when the amount is zero.
fn may_keep_carry(planned: &Planned) -> bool {
    planned.class == CycleClass::DataShiftByRegister
}
